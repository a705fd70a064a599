"""step(), the pencil's engines, planning, and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers import DATA
from tests.helpers.problems import theorem_on_the_residual
from theorycalc.cli import main
from theorycalc.model.enums import GradientTarget
from theorycalc.numbers.balls import mpf_context
from theorycalc.results.quantities import COMPARED
from theorycalc.theory.pencil.equations import Blocks, matrix_of
from theorycalc.theory.pencil.numerics import float_gains, pencil_of

REFERENCE = json.loads((DATA / "reference_step.json").read_text(encoding="utf-8"))["cases"]


def problem(activation="tanh(x + 1)", teacher="H1 + H2/sqrt(2)", **options):
    return tc.Problem(activation, teacher, "1/2", "2/3", "1/10", "1/2", **options)


def with_slope(slope):
    return tc.Activation.from_callable(np.tanh, derivative=slope)


@pytest.mark.checks(
    "theta",
    "theta_slope",
    "strengths",
    "spike_factor",
    "pencil_blocks",
    "mid",
    "pencil_gains",
    "initial_weight",
    "initial_coupling",
    "second_layer",
)
@pytest.mark.parametrize(("gradient", "initial_output"), [("residual", "included"), ("labels", "neglected")])
@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: f"{case['activation']}-{case['alpha']}")
def test_the_pencil_has_the_digits_of_the_reference(case, gradient, initial_output):
    top = 7 if case["activation"] == "erf" else 6
    pencil = pencil_of(problem(case["activation"]), case["N"], gradient, powers=top)
    got = float_gains(pencil, np.array([1000 ** case["alpha"]]), np.array([0.1]))
    assert np.max(np.abs(np.array([got.train[0], got.test[0]]) - case[initial_output]["pencil"])) < 5.1e-5


@pytest.mark.checks("mid")
def test_mid_by_hand():
    """[[W, I + E, 0], [(I + E)ᵀ, 0, −√θY], [0, −√θYᵀ, I]], E the coupling of H_1 to the polynomial that a is."""
    W, Y, coupling, root_theta = np.diag([2.0, 3.0]), np.array([[5.0, 7.0], [11.0, 13.0]]), 17.0, 19.0
    E = np.outer([0, 1], coupling * Y[:, 1])
    Mid = np.block(
        [
            [W, np.eye(2) + E, np.zeros((2, 2))],
            [np.eye(2) + E.T, np.zeros((2, 2)), -root_theta * Y],
            [np.zeros((2, 2)), -root_theta * Y.T, np.eye(2)],
        ]
    )
    assert np.array_equal(matrix_of(Blocks([2.0, 3.0], [], (coupling,)), [root_theta], [Y.tolist()], own=1), Mid)


@pytest.mark.slow
def test_outliers_of_an_isotropic_step_are_the_dressed_ones():
    found = tc.step(problem(), n=300, alpha=0.3, method="isotropic").outliers
    assert np.array_equal(found, tc.spectrum(problem(), n=300, alpha=0.3, method="dressed").outliers)


@pytest.mark.checks("mid", "pencil_gains")
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("options", [{}, {"first_layer": "gaussian"}, {"second_layer": "sign"}])
def test_floats_and_proven_digits_of_the_pencil_agree(gradient, options):
    for eta in ("1e-12", "1/3", "8", "30"):
        exact, rounded = (
            tc.step(problem(**options), n=1000, eta=eta, gradient=gradient, method="pencil", digits=digits)
            for digits in (25, None)
        )
        assert exact.powers == rounded.powers
        for name in COMPARED:
            assert abs(getattr(rounded, name) / float(getattr(exact, name)) - 1) < 1e-9


@pytest.mark.checks("pencil_gains")
def test_powers_are_taken_until_two_more_change_nothing():
    found = tc.step(problem(), n=10**4, eta=[1, 3], method="pencil")
    assert np.all(found.error <= 1e-6 * np.maximum(found.train_gain, found.test_gain))
    assert found.converged.all()


@pytest.mark.checks("pencil_gains", "theta_slope")
def test_the_slope_of_the_pencil_is_the_derivative_in_the_ridge():
    """λQᵀz is the train gain; its λ-derivative by differences of proven values gives the test gain back."""
    case = problem()
    context = mpf_context(40)

    def form(ridge: str) -> object:
        gain = tc.step(case, n=1000, eta="8", ridge=ridge, method="pencil", digits=40).train_gain
        return context.mpf(str(gain)) / context.mpf(ridge)

    slope = (form("0.100000000001") - form("0.099999999999")) / context.mpf("2e-12")
    s = context.mpf(str(tc.predict(case, ell=0, digits=40).m1)) * 4 / 3
    test = tc.step(case, n=1000, eta="8", method="pencil", digits=40).test_gain
    assert abs(-slope / s**2 / context.mpf(str(test)) - 1) < 1e-15


@pytest.mark.checks("pencil_gains", "initial_identity")
def test_weak_and_strong_spikes():
    for gradient, limit in (
        ("residual", theorem_on_the_residual(problem(), ell=2)),
        ("labels", tc.predict(problem(), ell=2)),
    ):
        pencil = pencil_of(problem(), 750, gradient)
        eta = np.array([1e-12, 1e-9, 1e-6])
        weak = float_gains(pencil, eta, np.full(3, 0.1))
        assert np.allclose(weak.train / eta**2, weak.train[0] / eta[0] ** 2, rtol=1e-6)
        strong = float_gains(pencil.up_to(2), np.array([1e6]), np.array([0.1]))
        # what is left falls like 1/η with the initial output, else like 1/η²
        assert abs(strong.train[0] / limit.train_gain - 1) < 1e-6
        assert abs(strong.test[0] / limit.test_gain - 1) < 1e-6


def test_no_step_gains_nothing():
    for method in ("dressed", "pencil"):
        found = tc.step(problem(), n=1000, eta=0, method=method)
        assert found.train_gain == found.test_gain == 0
        assert found.test_loss == found.test_loss_initial
    limit = tc.predict(problem(), ell=0).test_loss
    assert abs(found.test_loss / limit - 1) < 1e-8
    near, far = (tc.step(problem(), n=n, eta=0).test_loss / limit - 1 for n in (10**3, 10**6))
    assert near / far == pytest.approx(1e3, rel=1e-4)  # terms of order 1/n


@pytest.mark.slow
def test_arrays_broadcast_and_equal_single_steps():
    alphas, ridges = np.array([0.1, 0.3, 0.5]), np.array([[0.01], [1.0]])
    found = tc.step(problem(), n=1000, alpha=alphas, ridge=ridges)
    assert found.train_gain.shape == found.converged.shape == (2, 3)
    for i, ridge in enumerate(ridges[:, 0]):
        for j, alpha in enumerate(alphas):
            one = tc.step(problem(), n=1000, alpha=alpha, ridge=ridge)
            assert isinstance(one.test_gain, float)
            assert abs(found.test_gain[i, j] - one.test_gain) < 1e-8
            assert abs(found.train_loss[i, j] / one.train_loss - 1) < 1e-8


def test_a_slope_may_be_one_number():
    linear = tc.Activation.from_callable(lambda x: x, derivative=lambda x: 1.0)
    found, text = (tc.step(problem(given), n=500, alpha=0.3).test_gain for given in (linear, "x"))
    assert abs(found - text) < 1e-5


def test_sizes_are_the_realised_ones():
    found = tc.step(problem(), n=1001, alpha=0.2)
    assert found.sizes == (1001, 501, 752)
    assert found.problem.phi == tc.Problem("relu", ["1"], n=1001, d=501, N=752, ridge=1).phi
    own = tc.step(problem(step_samples="1/2"), n=1000, alpha=0.2)
    assert own.train_gain != tc.step(problem(), n=1000, alpha=0.2).train_gain


def test_the_limit_or_why_there_is_none():
    limits = {gradient: tc.step(problem(), n=1000, alpha="0.3", gradient=gradient).limit for gradient in GradientTarget}
    for gradient, limit in limits.items():
        assert (limit.ell, limit.network, limit.gradient) == (2, "literal", gradient)
    assert "α < 1/2" in tc.step(problem(), n=1000, alpha="0.5").limit
    assert "η" in tc.step(problem(), n=1000, eta=3).limit
    assert "several" in tc.step(problem(), n=1000, alpha=[0.1, 0.2]).limit


def test_the_pencil_needs_no_derivative():
    quadratic = tc.Activation.from_callable(lambda x: x + x**2, present=[1, 2])
    found = tc.step(problem(quadratic), n=1000, alpha=0.1, method="pencil")
    text = tc.step(problem("x + x^2"), n=1000, alpha=0.1, method="pencil")
    assert found.strengths.keys() == {1, 2}
    assert all(abs(found.strengths[k] / text.strengths[k] - 1) < 1e-9 for k in (1, 2))


def test_it_shows_itself():
    found = tc.step(problem(), n=1000, alpha=[0.1, 0.3])
    assert "0.3" in repr(found)
    assert "<table>" in found._repr_html_()
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [row["test_gain"] for row in data["rows"]] == found.test_gain.tolist()
    one = tc.step(problem(), n=1000, alpha=0.3)
    assert one.strengths[1] > abs(one.strengths[2]) > abs(one.strengths[3])
    assert json.loads(json.dumps(one.to_dict(), allow_nan=False))["limit"]["rows"][0]["ell"] == 2


@pytest.mark.slow
def test_a_run_is_compared_with_a_curve():
    alphas = ["0.1", "0.4"]
    run = tc.simulate(problem(), n=300, alpha=alphas, replicates=16, seed=3)
    right = tc.compare(run, tc.step(problem(), n=300, alpha=alphas))
    assert right.looks == 4
    assert right.agrees
    assert tc.compare(run, tc.step(problem(), n=300, alpha="0.4")).looks == 2


@pytest.mark.slow
def test_outliers_of_one_step():
    found = tc.step(problem("relu"), n=2000, alpha=0.4)
    assert len(found.outliers) == 2
    assert found.alignments[0, 1] > 0.9
    assert found.alignments[1, 0] + found.alignments[1, 2] > 0.9
    with pytest.raises(tc.ArgumentError, match="one step at a time"):
        _ = tc.step(problem("relu"), n=2000, alpha=[0.1, 0.4]).outliers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tc.step("relu", n=100, alpha=0.1), "takes a Problem"),
        (lambda: tc.step(problem(), n=100), "the step is missing: give either alpha="),
        (lambda: tc.step(problem(), n=100, alpha=0.1, eta=1), "give either alpha="),
        (lambda: tc.step(problem(), n=100, alpha=[0.1], eta=[1]), "give either alpha="),
        (lambda: tc.step(problem(), n=100, alpha=[]), "empty"),
        (lambda: tc.step(problem(), n=0, alpha=0.1), "n=0"),
        (lambda: tc.step(problem(), n=100, eta=-1), "must not be negative"),
        (lambda: tc.step(problem(), n=100, eta="1e400"), "float64"),
        (lambda: tc.step(problem(), n=100, eta=1, ridge=0), "ridge > 0"),
        (lambda: tc.step(problem(), n=100, eta=1, ridge=[0.1, -1]), "ridge > 0"),
        (lambda: tc.step(problem(), n=100, eta=[1, 2], ridge=[1, 2, 3]), "shapes"),
        (lambda: tc.step(problem(), n=100, eta=1, method="exact"), "method='exact'"),
        (lambda: tc.step(problem(), n=100, eta=1, digits=20), "method='pencil'"),
        (lambda: tc.step(problem(), n=100, eta=1.5, method="pencil", digits=20), "eta='1.5'"),
        (lambda: tc.step(problem(), n=100, eta=[1, 2], method="pencil", digits=20), "one step"),
        (lambda: tc.step(problem(), n=100, d=7, alpha=0.1), "contradicts"),
        (lambda: tc.step(problem(tc.Activation.from_moments(1, 1)), n=100, alpha=0.1), "function"),
        (lambda: tc.step(problem(), n=100, eta=1e6, method="pencil"), "stronger than"),
        (lambda: tc.step(problem("sign(x)"), n=100, alpha=0.3), "it jumps"),
        (lambda: tc.step(problem("step(x)"), n=100, alpha=0.3), "it jumps"),
        (lambda: tc.step(problem(with_slope(np.zeros_like)), n=100, alpha=0.3), "derivative is wrong"),
        (lambda: tc.step(problem(with_slope(lambda x: np.nan * x)), n=100, alpha=0.3), "derivative is wrong"),
        (lambda: tc.step(problem(), n=1000, eta=1e6), "take a smaller step"),
        (lambda: tc.step(problem(), n=1000, alpha=3), "take a smaller step"),
        (lambda: tc.step(problem(teacher="10000000000*H1"), n=1000, alpha=0.3), "take a smaller step"),
        (lambda: tc.step(problem("relu"), n=1000, eta="1e300"), "beyond 1e+12"),
        (lambda: tc.step(problem("exp(x)"), n=500, alpha=0.6), "overflows"),
        (lambda: tc.step(problem("exp(x^2/10) + x"), n=500, alpha=0.6), "overflows"),
        (lambda: tc.step(problem("H1 + H4"), n=500, alpha=0.6), "no digits"),
        (lambda: tc.step(problem("relu"), n=500, eta=1e12), "no digits"),
        (lambda: tc.step(problem(), n=10**30, alpha=0.3), "no digits"),
        (lambda: tc.step(problem(), n=100, eta=1, ridge="1e-300"), "between 1e-20 and 1e+20"),
        (lambda: tc.step(problem(), n=100, eta=1, ridge="1e300", method="pencil", digits=9), "between 1e-20 and 1e+20"),
        (lambda: tc.spectrum(problem("exp(x)"), n=1000, alpha=0.4), "float64 finds no upper edge of the bulk"),
        (lambda: tc.step(problem("x^3"), n=600, alpha=0.3).outliers, "have no typical place"),
        (lambda: tc.best_ridge(3, n=100, alpha=0.1), "Problem"),
        (lambda: tc.best_ridge(problem(), n=1, alpha=0.1), "n ≥ 2"),
        (lambda: tc.best_step(problem(), n=1), "n ≥ 2"),
        (lambda: tc.best_step(problem(), n=100, ridge=[0.1] * 41), "ridge="),
        (lambda: tc.step(problem(), n=100, eta=[1, 5, 10], ridge=[0.01, 0.1]), "a column: ridge=[[0.01], [0.1]]"),
        (lambda: tc.samples_needed(problem(), ell=1, fraction="1e400", alpha="0.2"), "float64"),
        (lambda: tc.samples_needed(problem(), ell=2, fraction=0.99, alpha="0.26"), "shows less than"),
        (lambda: tc.samples_needed(problem(), ell=2, fraction=0.999999, alpha="0.3"), "rounding hides whether"),
        (lambda: tc.samples_needed(problem(), ell=1, fraction=0.9, alpha="0.3"), "window ℓ = 2"),
        (lambda: tc.samples_needed(problem(), ell=2, fraction=2, alpha="0.3"), "fraction=2"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(call, words):
    with pytest.raises(tc.TheoryError) as error:
        call()
    assert words in str(error.value)
    assert error.value.argument is not None


@pytest.mark.slow
def test_the_best_ridge_is_a_minimum():
    best = tc.best_ridge(problem(), n=1000, alpha=0.3)
    around = tc.step(problem(), n=1000, alpha=0.3, ridge=best.ridge * np.array([0.7, 0.95, 1.05, 1.4])).test_loss
    assert np.all(around > best.test_loss)
    assert not best.at_edge


@pytest.mark.slow
def test_the_best_step_and_whether_larger_ones_hurt():
    hurts = tc.best_step(problem("erf", "H1 + H3/3"), n=1000)
    around = tc.step(problem("erf", "H1 + H3/3"), n=1000, eta=hurts.eta * np.array([0.7, 0.9, 1.1, 1.4])).test_loss
    assert hurts.larger_hurts
    assert np.all(around > hurts.test_loss)
    larger = tc.step(problem("erf", "H1 + H3/3"), n=1000, eta=30 * hurts.eta).test_loss
    assert larger > hurts.test_loss


@pytest.mark.slow
def test_samples_needed_is_the_least():
    case = problem("tanh(x + 1)", "H1")
    for gradient in GradientTarget:
        n = tc.samples_needed(case, ell=1, fraction=0.9, alpha="0.2", gradient=gradient)
        goal = 0.9 * tc.predict(case, ell=1, network="literal", gradient=gradient).train_gain
        assert tc.step(case, n=n, alpha="0.2", gradient=gradient).train_gain >= goal
        assert tc.step(case, n=int(0.98 * n), alpha="0.2", gradient=gradient).train_gain < goal
        tiny = tc.samples_needed(case, ell=1, fraction="1e-9", alpha="0.2", gradient=gradient)
        assert tiny == 40  # 20 inputs, the smallest network tried


ARGUMENTS = ["--activation", "relu", "--teacher", "H1 + H2/2", "--phi", "1/2", "--psi", "2/3", "--ridge", "0.1"]


def test_the_command(capsys):
    assert main(["step", *ARGUMENTS, "--n", "1000", "--alpha", "0:0.4:3"]) == 0
    assert "0.4" in capsys.readouterr().out
    assert main(["step", *ARGUMENTS, "--n", "1000", "--alpha", "0.3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["rows"][0]["test_gain"] == tc.step(_relu(), n=1000, alpha="0.3").test_gain
    for bad in (["--n", "1000"], ["--n", "x", "--alpha", "0.1"], ["--n", "1000", "--alpha", "0:1"]):
        assert main(["step", *ARGUMENTS, *bad]) == 2
        assert "error" in capsys.readouterr().err


def _relu() -> tc.Problem:
    return tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "0.1")


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers")
def test_outliers_of_the_real_network():
    """Both outliers of the literal network, and the constant in the second one that the pencil does not have."""
    case = problem("relu")
    run = tc.simulate(case, n=900, alpha="0.4", replicates=24, seed=5, spectrum=True)
    top = np.array([record["spectrum"]["top"][:2] for record in run.records])
    error = top.std(axis=0, ddof=1) / np.sqrt(len(top))
    dressed = tc.step(case, n=900, alpha="0.4").outliers[:2]
    assert np.all(np.abs(top.mean(axis=0) - dressed) < np.maximum(3 * error, 0.05 * dressed))
    pencil = tc.spectrum(case, n=900, alpha="0.4", method="pencil", powers=2).outliers[1]
    assert abs(top.mean(axis=0)[1] - pencil) > 3 * error[1]


def test_inputs_with_a_covariance(capsys):
    sizes = {"n": 600, "d": 300, "N": 450, "ridge": "1/10"}
    problem = tc.Problem("relu", "H1", **sizes, inputs="two_level(4, 1/2, 1)")
    found = tc.step(problem, alpha="0.2", method="isotropic")
    assert found.test_loss_initial == tc.predict(problem, ell=0).test_loss
    assert any("inputs with a covariance, 8/5:1/2:1, 2/5:1/2:0" in note for note in found.notes)
    ratios = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", inputs="two_level(4, 1/2, 1)")
    assert tc.step(ratios, n=600, alpha="0.2", method="isotropic").test_gain == found.test_gain
    with pytest.raises(tc.TheoryError, match="of the trace") as caught:
        tc.step(tc.Problem("relu", "H1", **sizes, inputs="power(3/2)"), alpha="0.2")
    assert caught.value.argument == "inputs"
    options = {"activation": "relu", "teacher": "H1", **sizes, "alpha": "0.2", "inputs": "two_level(4, 1/2, 1)"}
    network = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    command = ["step", *network, "--method", "isotropic", "--json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["test_gain"] == found.test_gain


@pytest.mark.slow
def test_networks_with_equal_a_reject_the_pencil_after_a_small_step():
    """The bulk changes in first order; a random second layer has no such term (docs/theory/pencil.md#where-it-ends)."""
    sizes = {"n": 300, "d": 150, "N": 225, "ridge": "1/10", "noise": "1/2"}
    equal = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", second_layer="constant", **sizes)
    (seen,) = tc.simulate(equal, eta="1/10", gradient="labels", replicates=24, seed=6).rows
    steps = {name: tc.step(equal, eta="1/10", gradient="labels", method=name) for name in ("dressed", "pencil")}
    for name in ("train_gain", "test_gain"):
        z = {method: (seen[name] - getattr(one, name)) / seen[f"{name}_se"] for method, one in steps.items()}
        assert abs(z["dressed"]) < 4
        assert abs(z["pencil"]) > 6
    said = "a small step changes the bulk in first order"
    assert [said in " ".join(one.notes) for one in steps.values()] == [False, True]
    odd = tc.Problem("tanh", "H1", second_layer="constant", **sizes)
    assert said not in " ".join(tc.step(odd, eta="1/10", method="pencil").notes)
