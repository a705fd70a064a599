"""What the examples that simulate rest on: how they judge, and what theory they derive themselves."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from scipy.stats import t

import theorycalc as tc
from tests.helpers.problems import problem as example

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def common():
    spec = importlib.util.spec_from_file_location("examples_common", ROOT / "examples" / "common.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_check_is_judged_by_student(common):
    check = common.Check("here", observed=1.5, error=0.25, predicted=1.0, draws=5)
    assert check.z == 2.0
    assert check.p == pytest.approx(2 * t(df=4).sf(2.0), rel=1e-12)


def test_a_verdict_counts_its_comparisons(common):
    near, far = (common.Check(name, z, 1.0, 0.0, 1000) for name, z in (("near", 0.5), ("far", -3.0)))
    assert common.verdict([far], "theory").startswith("1 of 1 comparisons differ from theory at the 1% level")
    many = common.verdict([near] * 9 + [far], "theory")  # p = 0.003: one in ten comparisons may be so far by chance
    assert many == "None of 10 comparisons differs from theory at the 1% level; the largest |z| is 3.0 (far)."


def test_checks_are_those_of_the_comparison(common):
    problem = example("x", "H1")
    run = tc.simulate(problem, n=40, alpha=[0.2, 0.4], replicates=3)
    comparison = tc.compare(run, tc.predict(problem, ell=1))
    checks = common.checks_of(comparison, "test_gain")
    assert [check.name for check in checks] == ["α = 0.2", "α = 0.4"]
    assert [check.z for check in checks] == [row["z"] for row in comparison.rows if row["quantity"] == "test_gain"]


def test_a_table_is_aligned(common):
    assert common.table(("a", "bc"), [("def", "g")]).splitlines() == ["a    bc", "def   g"]


@pytest.mark.slow
def test_corrupted_labels_are_a_weaker_teacher_with_more_noise():
    """Before any step the claim of examples/label_corruption.py is about two losses; both are simulated here."""
    fraction, noise, second_moment, ridge = 0.4, 0.5, 2.0, 0.1
    kept = 1 - fraction
    more_noise = noise**2 + (1 - kept**2) * second_moment
    shape = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}
    weaker = tc.predict(tc.Problem("tanh(x + 1)", [kept, kept / 2**0.5], noise=more_noise**0.5, **shape), ell=0)
    trace = (2 / 3) / (1 / 2) * weaker.m1
    signal = weaker.train_loss / ridge / trace - more_noise  # E[g(g − f̂)], g the weaker teacher
    clean = weaker.test_loss - more_noise + 2 * fraction / kept * signal + fraction**2 * second_moment + noise**2

    corrupt = {"corrupt_step": fraction, "corrupt_fit": fraction}
    whole = tc.Problem("tanh(x + 1)", [1, 1 / 2**0.5], noise=noise, **shape, **corrupt)
    (row,) = tc.simulate(whole, n=300, eta=1e-9, replicates=100, seed=1).rows
    far = 4  # standard errors
    losses = {"train_loss": weaker.train_loss, "test_loss": weaker.test_loss, "test_loss_clean": clean}
    for name, predicted in losses.items():
        assert abs(row[name] - predicted) < far * row[f"{name}_se"], (name, predicted, row[name])
    assert abs(row["test_loss_clean"] - weaker.test_loss) > far * row["test_loss_clean_se"]  # the check can tell them
