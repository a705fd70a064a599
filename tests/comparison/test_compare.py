"""compare(): a right theory is not rejected, a wrong one is, and different problems are not compared."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import theorycalc as tc
from tests.helpers.compared import LINEAR, QUANTITIES
from theorycalc.results.quantities import CLEAN


@pytest.mark.slow
def test_the_right_formula_is_not_rejected(run):
    comparison = tc.compare(run, tc.predict(LINEAR, ell=1), quantities=QUANTITIES)
    assert comparison.agrees
    assert comparison.looks == 2 * 2 * 8
    assert max(abs(row["z"]) for row in comparison.rows) < 4


@pytest.mark.slow
def test_gains_are_judged_and_losses_stand_beside_them(run):
    comparison = tc.compare(run, tc.predict(LINEAR, ell=1))
    assert {row["quantity"] for row in comparison.judged} == {"train_gain", "test_gain"}
    assert (comparison.looks, len(comparison.rows)) == (8, 32)
    only = tc.compare(run, tc.predict(LINEAR, ell=1), quantities="test_loss")
    assert {row["quantity"] for row in only.judged} == {"test_loss"}
    with pytest.raises(tc.ArgumentError, match="'tset_loss' was not observed"):
        tc.compare(run, tc.predict(LINEAR, ell=1), quantities=["tset_loss"])


@pytest.mark.slow
def test_the_slides_formula_is_rejected_at_every_ridge(run):
    comparison = tc.compare(run, tc.predict(LINEAR, ell=1, as_printed=True))
    assert not comparison.agrees
    wrong = {(row["alpha"], row["ridge"]) for row in comparison.differing if row["quantity"] == "test_gain"}
    assert wrong == {(alpha, ridge) for alpha in (0.4, 0.5) for ridge in (0.1, 1.0)}
    assert comparison.worst["quantity"] == "test_gain"
    assert abs(comparison.worst["z"]) > 50
    assert "Theory and observation differ in" in repr(comparison)


@pytest.mark.slow
def test_no_spike_at_all_is_rejected(run):
    assert not tc.compare(run, tc.predict(LINEAR, ell=0)).agrees


@pytest.mark.slow
def test_the_finite_step_of_the_run_is_the_default_and_limits_may_stand_beside():
    case = tc.Problem("tanh", "sin(x)", n=80, d=30, N=60, ridge="1/10", noise="1/10")
    run = tc.simulate(case, eta=[2, 6], replicates=10, seed=3)
    comparison = tc.compare(run, beside=[tc.predict(case, ell=1), tc.predict(case, ell=1, network="literal")])
    titles = dict.fromkeys((row["theory"], row["judged"]) for row in comparison.rows if row["quantity"] == "test_gain")
    assert list(titles) == [
        ("finite step (dressed)", True),
        ("ℓ = 1", False),
        ("limit of literal networks, ℓ = 1", False),
    ]
    assert comparison.verdict == tc.compare(run, tc.step(case, eta=[2, 6])).verdict
    assert "ℓ = 1: its step is on the labels, the run's on the residual" in comparison.notes
    assert tc.compare(run, case).rows == tc.compare(run).rows


def test_theory_is_evaluated_at_the_realised_ratios(tiny):
    odd = tc.simulate(LINEAR, n=21, alpha=0.1, replicates=3)
    assert (odd.settings.d, odd.settings.N) == (11, 17)
    row = tc.compare(odd, tc.predict(LINEAR, ell=1)).rows[0]
    assert row["predicted"] == tc.predict(LINEAR, ell=1, phi=11 / 21, psi=11 / 17).train_loss_initial
    assert row["predicted"] != tc.predict(LINEAR, ell=1).train_loss_initial


def test_a_list_of_predictions(tiny):
    by_window = [tc.predict(LINEAR, alpha="1/10"), tc.predict(LINEAR, alpha=0.3)]
    rows = tc.compare(tiny, by_window).rows
    assert [(row["theory"], row["alpha"]) for row in rows[::8]] == [("ℓ = 1", 0.1), ("ℓ = 2", 0.3)]
    rows = tc.compare(tiny, [tc.predict(LINEAR, ell=0), tc.predict(LINEAR, ell=1)]).rows
    assert [(row["theory"], row["alpha"]) for row in rows[::8]] == [
        ("ℓ = 0", 0.1), ("ℓ = 0", 0.3), ("ℓ = 1", 0.1), ("ℓ = 1", 0.3)
    ]  # fmt: skip
    with pytest.raises(tc.ArgumentError, match="nothing was observed at the step"):
        tc.compare(tiny, tc.predict(LINEAR, alpha="0.2"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"activation": "x + tanh(x)"}, "activation"),
        ({"teacher": "H1"}, "teacher"),
        ({"phi": "3/5"}, "phi is 0.6 and 1/2"),
        ({"psi": "1/2"}, "psi is 0.5 and 2/3"),
        ({"ridge": 2}, "ridge is 2 and 0.1"),
        ({"noise": 1}, "noise is 1 and 1/2"),
        ({"first_layer": "gaussian"}, "first_layer is gaussian and sphere"),
        ({"second_layer": "sign"}, "second_layer is sign and gaussian"),
        ({"step_samples": 2}, "step_samples is 2 and None"),
    ],
)
def test_different_problems_are_not_compared(tiny, changes, message):
    with pytest.raises(tc.ArgumentError, match=f"theory and observation describe different problems: {message}"):
        tc.compare(tiny, tc.predict(replace(LINEAR, **changes), ell=1))


def test_another_size_is_another_network(tiny):
    larger = {"n": 40, "d": 20, "N": 30}
    for theory in (tc.step(LINEAR, n=40, alpha=0.1), replace(LINEAR, phi=None, psi=None, **larger)):
        with pytest.raises(
            tc.ArgumentError, match="sizes are n = 40, d = 20, N = 30 and n = 20, d = 10, N = 15"
        ) as caught:
            tc.compare(tiny, theory)
        assert caught.value.argument == "theory"
    limit = tc.predict(replace(LINEAR, phi=None, psi=None, **larger), ell=1)  # it is the same for every n
    assert tc.compare(tiny, limit).rows


def test_what_replaced_a_parameter_counts_too(tiny):
    with pytest.raises(tc.ArgumentError, match="noise is 1 and 1/2"):
        tc.compare(tiny, tc.predict(LINEAR, ell=1, noise=1))
    with pytest.raises(tc.ArgumentError, match=r"phi is 0.5, 1 and"):
        tc.compare(tiny, tc.predict(LINEAR, ell=1, phi=[0.5, 1]))
    assert tc.compare(tiny, tc.predict(replace(LINEAR, noise=1), ell=1, noise="1/2")).looks == 4


def test_the_same_problem_written_otherwise(tiny):
    same = replace(LINEAR, teacher=[1, tc.Problem("x", "H1 + H2/sqrt(2)", 1, 1, 1).teacher.coefficients[1]])
    assert tc.compare(tiny, tc.predict(same, ell=1)).looks == 4
    assert tc.compare(tiny, tc.predict(same, ell=1, digits=30)).looks == 4


def test_the_gradients_are_told_apart_by_a_line():
    run = tc.simulate(LINEAR, n=20, alpha=0.1, replicates=2)
    assert any("the run's on the residual" in note for note in tc.compare(run, tc.predict(LINEAR, ell=1)).notes)
    literal = tc.compare(run, tc.predict(LINEAR, ell=1, network="literal"))
    assert not any("the run's on" in note for note in literal.notes)
    assert literal.looks == 2


def test_what_the_theory_does_not_describe_is_noted():
    run = tc.simulate(LINEAR, n=20, alpha=0.1, replicates=2, input_law="rademacher")
    comparison = tc.compare(run, tc.predict(LINEAR, ell=1))
    assert any("rademacher inputs" in word for word in comparison.notes)
    assert "rademacher inputs" in repr(comparison)
    assert "rademacher inputs" in comparison._repr_html_()


def test_a_batch_that_is_reused_is_noted():
    twice = tc.Problem("tanh", "sin(x)", n=60, d=20, N=40, ridge="1/10", steps=2)
    fresh, reused = (
        tc.simulate(twice, eta=1, replicates=2, gradient="labels", reuse_batch=reuse) for reuse in (False, True)
    )
    assert any("its 2 steps on one batch" in note for note in tc.compare(reused).notes)
    assert not any("on one batch" in note for note in tc.compare(fresh).notes)
    with pytest.raises(tc.ArgumentError, match="large steps on the residual diverge"):
        tc.compare(tc.simulate(twice, eta=1, replicates=2))


@pytest.mark.slow
def test_corrupted_labels_agree_with_their_limit_and_not_with_that_of_the_other_batch():
    """A linear activation has one spike, so its limit is reached; shares of step and fit must not be exchanged."""
    corrupted = replace(LINEAR, corrupt_step="1/2", corrupt_fit="1/5")
    run = tc.simulate(corrupted, n=200, eta=1000, gradient="labels", replicates=100)
    found = tc.compare(run, tc.predict(corrupted, ell=1), quantities=[*QUANTITIES, *CLEAN])
    assert found.agrees, found.verdict_text
    exchanged = tc.predict(replace(LINEAR, corrupt_step="1/5", corrupt_fit="1/2"), ell=1)
    row = run.rows[0]
    far = [abs(row[name] - getattr(exchanged, name)) / row[f"{name}_se"] for name in ("test_loss", *CLEAN)]
    assert min(far) > 4


def test_another_window_than_that_of_the_step_is_said(tiny):
    assert not any("window" in note for note in tc.compare(tiny, tc.predict(LINEAR, ell=1)).notes)  # one spike in all
    curved = tc.Problem("relu", "H1 + H2", "1/2", "2/3", "1/10")
    run = tc.simulate(curved, n=20, alpha=[0.1, 0.25, 0.3], replicates=2)
    assert "ℓ = 2 is not the window of α = 0.1, 0.25" in tc.compare(run, tc.predict(curved, ell=2)).notes


@pytest.mark.parametrize("name", ["corrupt_fit", "flip_step", "second_scale"])
def test_a_theory_without_the_run_s_options_is_refused(name):
    run = tc.simulate(replace(LINEAR, **{name: "1/2"}), n=20, alpha=0.1, replicates=2)
    with pytest.raises(tc.ArgumentError, match=f"{name} is [01] and 1/2"):
        tc.compare(run, tc.predict(LINEAR, ell=1))


def test_a_partial_run_is_compared_if_it_has_error_bars(tiny):
    partial = replace(tiny, records=tiny.records[:5])
    assert "the run is incomplete" in tc.compare(partial, tc.predict(LINEAR, ell=1)).notes
    with pytest.raises(tc.ArgumentError, match="cell 1 of the run has 1 finished replicates"):
        tc.compare(replace(tiny, records=tiny.records[:4]), tc.predict(LINEAR, ell=1))


def test_no_step_has_no_gain_exactly():
    run = tc.simulate(LINEAR, n=20, eta=0, replicates=3)
    rows = {row["quantity"]: row for row in tc.compare(run, tc.predict(LINEAR, ell=0)).rows}
    assert (rows["test_gain"]["z"], rows["test_gain"]["p"]) == (0.0, 1.0)
    comparison = tc.compare(run, tc.predict(LINEAR, ell=1))
    assert comparison.differing
    assert comparison.worst["z"] == -math.inf
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["rows"][2]["z"] == "-inf"


@pytest.mark.parametrize("theory", [3, [], ["x"], "text"])
def test_what_is_no_prediction(tiny, theory):
    with pytest.raises(tc.ArgumentError, match=r"takes as theory a result of step\(\) or predict\(\)"):
        tc.compare(tiny, theory)


def test_other_bad_input(tiny):
    prediction = tc.predict(LINEAR, ell=1)
    with pytest.raises(tc.ArgumentError, match="takes the observations first"):
        tc.compare(prediction, tiny)
    with pytest.raises(
        tc.ArgumentError, match="observations are a Run or measurements: a data frame, a dict of columns"
    ):
        tc.compare(3, prediction)
    for level in (0, 1, "x", float("nan")):
        with pytest.raises(tc.DomainError, match="level"):
            tc.compare(tiny, prediction, level=level)


class Curve:
    """A theory of another kind: the mean of the run itself, for the first cell only."""

    title = "curve"

    def __init__(self, run):
        self.problem = LINEAR
        self.rows = run.rows

    def expected(self, place):
        return None if place.alpha != 0.1 else {name: [self.rows[0][name]] for name in QUANTITIES}


def test_any_theory_that_says_what_to_expect_is_compared(tiny):
    comparison = tc.compare(tiny, Curve(tiny))
    assert [row["z"] for row in comparison.rows] == [0.0] * 8
    assert comparison.rows[0]["theory"] == "curve"
    assert not comparison.differing


@pytest.mark.parametrize("given", [[math.nan], [None], ["x"], [], 3, None])
def test_a_theory_without_a_number_does_not_agree(tiny, given):
    curve = Curve(tiny)
    curve.expected = lambda place: {name: [0.5] for name in QUANTITIES} | {"test_gain": given}
    with pytest.raises(tc.ArgumentError, match="the theory curve gives no number for test_gain") as caught:
        tc.compare(tiny, curve)
    assert caught.value.argument == "theory"


class Clean:
    """A theory that knows clean test gains, and no error rate."""

    def __init__(self, problem, names):
        self.problem, self.title, self.names = problem, "clean", names

    def expected(self, place):
        return {name: [0.25] * len(place.ridges) for name in self.names}


def test_clean_losses_and_error_rates_are_compared_where_both_sides_have_them():
    corrupted = replace(LINEAR, teacher="sign(x)", corrupt_fit="1/2")
    run = tc.simulate(corrupted, n=20, alpha=0.1, replicates=2)
    theory = Clean(run.problem, [*QUANTITIES, "test_gain_clean"])
    found = tc.compare(run, theory)
    assert {row["quantity"] for row in found.judged} == {"train_gain", "test_gain", "test_gain_clean"}
    assert "clean test gain" in repr(found)
    with pytest.raises(tc.ArgumentError, match="'error_rate' is not predicted"):
        tc.compare(run, theory, quantities=["test_gain", "error_rate"])
    measured = {"eta": [1, 1], "error_rate_initial": [0.3, 0.2], "error_rate": [0.1, 0.15]}
    with pytest.raises(tc.ArgumentError, match="gives no error_rate_initial or error_rate or error_rate_gain"):
        tc.compare(measured, theory)
    found = tc.compare(measured, Clean(run.problem, ["error_rate_gain"]))
    assert found.worst["observed"] == pytest.approx(0.125)
