"""``theorycalc step`` and ``spectrum``, run as a user runs them."""

from __future__ import annotations

import theorycalc as tc
from tests.helpers.commands import RELU, RELU_PROBLEM, run, table


def test_steps_and_ridges(capsys):
    rows = table(capsys, "step", *RELU, "--n", "200", "--d", "100", "--N", "150", "--eta", "1,4", "--ridge", "0.1,1")
    assert [(row["eta"], row["ridge"]) for row in rows] == [
        ("1.0", "0.1"),
        ("1.0", "1.0"),
        ("4.0", "0.1"),
        ("4.0", "1.0"),
    ]
    found = tc.step(RELU_PROBLEM, n=200, eta=[[1], [4]], ridge=[0.1, 1])
    assert [float(row["test_gain"]) for row in rows] == found.test_gain.ravel().tolist()
    assert {row["N"] for row in rows} == {"150"}
    _, out, _ = run(capsys, "step", *RELU, "--n", "200", "--eta", "1,4")
    assert repr(float(found.test_gain[1, 0])) in out
    assert out.startswith("Steps of the literal network, n = 200, d = 100, N = 150, λ = 0.1 (dressed features")
