"""What the first command of the README shows."""

from __future__ import annotations

import theorycalc as tc
from tests.helpers.commands import run


def test_demo_predicts_a_network_and_prints_the_staircase(capsys):
    code, out, _ = run(capsys, "demo")
    assert code == 0
    rows = [line for line in out.splitlines() if "█" in line]
    assert [row.split()[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    options = {"n": 900, "d": 300, "N": 600, "ridge": 0.1, "noise": 0.1, "intercept": True, "centred": False}
    network = tc.Problem("relu", "sin(x)", **options, **tc.conventions.layers_from("torch")._asdict())
    found = tc.step(network, eta=10)
    assert f"{found.test_loss_initial:.3f} before the step, {found.test_loss:.3f} after it" in out
