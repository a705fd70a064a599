"""Outliers of dressed features: typical draws, the spikes of S, limits, and simulated networks with their errors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

import theorycalc as tc
from theorycalc.model.enums import GradientTarget, SecondLayer
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.dressed.residual import _as_drawn
from theorycalc.theory.dressed.responses import as_drawn, focused_rule, normal_rule
from theorycalc.theory.dressed.turning import _law

N_SAMPLES, DRAWS = 600, 24
SPREAD = 0.03  # beside the standard error: the size of terms of order 1/n in places

VARIANCE = 1 / 2 - 1 / (2 * pi)  # of relu: Var f₀
#: τ = φ Var σ' E r²/(c_1²κ) with c_1² = Var σ' = 1/4, E y² = 1 and φ = 1/2.
TAUS = {"labels": 0.5 / 1.5, "residual": 0.5 * (1 + VARIANCE) / (1.5 + 0.25 + 0.5 * VARIANCE)}


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers", "lengthening")
@pytest.mark.parametrize("exponent", [7, 9, 11])
def test_the_edge_is_found_below_strong_spikes(exponent):
    """The first spike is up to 10⁵ times the bulk, whose edge the search must still reach."""
    case = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    for gradient, tau in TAUS.items():
        step = {"n": 10**exponent, "alpha": "3/10", "gradient": gradient}
        dressed, pencil = (tc.spectrum(case, **step, method=method).outliers for method in ("dressed", "pencil"))
        assert len(dressed) == len(pencil) == 2
        assert dressed[0] == pytest.approx(pencil[0], rel=1e-5)
        # The second spike is h² + τ: once far from the bulk, it is E(h² + τ)²/E h⁴ as large.
        assert 1 < dressed[1] / pencil[1] < (2 + (1 + tau) ** 2) / 3


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers", "lengthening")
def test_overlaps_after_a_step_of_any_size():
    """The second vector is along h² + τ = H_2 + (1 + τ)H_0, as far as it is out of the bulk."""
    case = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    for gradient, tau in TAUS.items():
        found = tc.spectrum(case, n=10**11, alpha="3/10", gradient=gradient, method="dressed")
        constant, linear, square = found.alignments[:, :3].T
        assert linear == pytest.approx([1, 0], abs=1e-4)
        assert square[1] / constant[1] == pytest.approx(2 / (1 + tau) ** 2, rel=1e-3)
        assert 0.9 < found.alignments[1].sum() < 1


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers")
@pytest.mark.parametrize("unit", [30, "1/30"])
def test_outliers_have_the_square_of_the_features_unit(unit):
    """σ/30 after a step 30 times as large is the same network, in another unit of its features."""
    one, other = (
        tc.spectrum(
            tc.Problem(f"relu(x)*({factor})", "H1", "1/2", "2/3", "1/10"),
            n=1000,
            eta=20 / Fraction(factor),
            gradient="labels",
            method="dressed",
        ).outliers
        for factor in (1, unit)
    )
    assert other == pytest.approx(float(Fraction(unit)) ** 2 * one, rel=1e-9)


@pytest.mark.parametrize("count", [50, 1000.0, 10**6])
@pytest.mark.parametrize("rule", [normal_rule(0.01, 8.0), focused_rule(0.01, 8.0, 0.1)], ids=["even", "focused"])
def test_a_draw_has_the_moments_of_the_law_but_not_its_tails(rule, count):
    nodes, weights = as_drawn(*rule, count)
    end = -ndtri(0.5 / count)
    assert weights.sum() == pytest.approx(1, rel=1e-14)
    assert weights @ nodes**2 == pytest.approx(rule[1] @ rule[0] ** 2, rel=1e-14)
    assert weights @ nodes == pytest.approx(0, abs=1e-14)
    assert (np.diff(nodes) > 0).all()
    assert (np.abs(nodes) > end).sum() == 2  # one on each side stands for all that is rarer
    for far in (nodes[0], nodes[-1]):
        assert end < abs(far) < sqrt(end**2 + 2)  # E[Z² | Z > t] < t² + 2
    inside = np.abs(nodes) <= end
    assert set(nodes[inside]) <= set(rule[0])
    assert weights @ nodes**4 < rule[1] @ rule[0] ** 4


def test_draws_of_a_sample_have_such_extremes():
    """The largest |Z| of 1000 is the node beyond the last quantile, as far as draws fluctuate."""
    rng = np.random.default_rng(0)
    largest = [np.abs(rng.standard_normal(1000)).max() for _ in range(400)]
    nodes, _ = as_drawn(*normal_rule(0.05, 8.0), 1000)
    low, high = np.quantile(largest, [0.1, 0.9])
    assert low < nodes[-1] < high
    assert len(as_drawn(*normal_rule(0.5, 8.0), 1)[0]) == 3  # 0, and one value on each side


def test_residuals_end_where_those_of_a_batch_do():
    """r = g + 2(g² − 1): from its minimum, which many points are near, to a far quantile."""
    g, weights = normal_rule(0.01, 8.0)
    r = g + 2 * (g**2 - 1)
    found = _as_drawn(r, weights, 1000)
    rng = np.random.default_rng(1)
    draws = rng.standard_normal((400, 1000))
    tops = (draws + 2 * (draws**2 - 1)).max(axis=1)
    low, high = np.quantile(tops, [0.05, 0.95])
    assert low < found.max() < high < r.max()
    assert found.min() == pytest.approx(r.min(), rel=1e-4)
    unchanged = found == r
    assert weights[~unchanged].sum() == pytest.approx(0.5 / 1000, rel=0.1)  # half a point
    assert weights @ found**2 == pytest.approx(weights @ r**2, rel=0.05)


@pytest.mark.slow
@pytest.mark.checks("residual_shares")
@pytest.mark.parametrize("teacher", ["tanh(x) + 4*tanh(x)**2", "tanh(x) - 4*tanh(x)**2"])
def test_spikes_of_S_are_eigenvalues_with_their_overlaps(teacher):
    """β⋆ᵀSβ⋆ has the mean 2c_⋆2, beyond the bulk: the pole, and its residues as squared overlaps.

    The labels are bounded: with heavy tails single points of the batch are spikes of a draw, too.
    """
    draws = 16
    step = replace(step_of(tc.Problem("relu", teacher, "1/5", "1/2", "1/10"), 600, "labels"), one_draw=True)
    law, (d, n) = _law(step, 0), (round(step.inputs), round(step.samples))
    (spike,), parts = law.spikes
    sign = np.sign(spike)
    assert law.interval.high < abs(spike)
    rows, rng = [], np.random.default_rng(2)
    for _ in range(draws):
        X = rng.standard_normal((n, d))
        r = step.teacher.values(X[:, 0])
        values, vectors = np.linalg.eigh(sign * (X.T * r) @ X / n)
        along = X.T @ r / n
        along[0] = 0  # orthogonal to β⋆
        seen = np.array([vectors[0, -1], along @ vectors[:, -1] / np.linalg.norm(along)])
        rows.append([sign * values[-1], seen[0] ** 2, seen[0] * seen[1], seen[1] ** 2])
        assert values[-2] < law.interval.high < values[-1]
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / sqrt(draws)
    along = parts.directions[..., 0]
    expected = np.array([spike, along[0, 0], along[0, 1], along[1, 1]])
    assert np.all(np.abs(mean - expected) < np.hypot(3 * error, 0.01 * np.abs(expected))), (mean, expected, error)
    assert parts.bulk[0] == pytest.approx(0, abs=1e-10)  # one of d eigenvalues
    assert along[0, 0] * along[1, 1] == pytest.approx(along[0, 1] * along[1, 0], rel=1e-6)  # of rank one


@pytest.mark.slow
def test_heavy_tails_are_noted_or_refused():
    """The share of rare values in E μ_0² falls with n; x³ at n = 600 has outliers three times as large as predicted.

    In a small network all values are rare, but a response that is about linear has typical outliers all the same.
    """
    fast = tc.Problem("x**3", "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")
    with pytest.raises(tc.DomainError, match="have no typical place") as refused:
        tc.spectrum(fast, n=600, alpha=0.3)
    assert refused.value.argument == "alpha"
    square, relu = (
        tc.Problem(name, "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2") for name in ("max(0, x)**2", "relu")
    )
    assert any("heavy tails" in note for note in tc.spectrum(square, n=600, alpha=0.3).notes)
    assert tc.spectrum(square, n=10**5, alpha=0.3).notes == tc.spectrum(relu, n=600, alpha=0.3).notes == ()
    assert tc.spectrum(fast, n=10**6, alpha=0.1).outliers.size
    assert tc.spectrum(relu, n=100, alpha=0.4).notes == ()


def simulated(problem, alphas):
    """The largest eigenvalues of each draw, by α."""
    run = tc.simulate(problem, n=N_SAMPLES, alpha=alphas, replicates=DRAWS, seed=3, spectrum=True)
    return {a: np.array([r["spectrum"]["top"] for r in run.records if r["alpha"] == a]) for a in alphas}


def check_draws(found, tops, typical=False):
    """Counts by the median draw, places by the standard error; ``typical``, by the spread of draws.

    An outlier within 5 % of the edge may be there or not: the edge of a draw fluctuates by as much.
    """
    places = found.outliers[found.outliers > 1.05 * found.edge_after]
    visible = found.edge_after * (1 + N_SAMPLES ** (-2 / 3))
    assert len(places) <= np.median((tops > visible).sum(axis=1)) <= len(found.outliers)
    mean, spread = (part[: len(places)] for part in (tops.mean(axis=0), tops.std(axis=0, ddof=1)))
    allowed = spread if typical else np.maximum(3 * spread / sqrt(DRAWS), SPREAD * places)
    assert np.all(np.abs(mean - places) <= allowed), (mean, places, allowed)


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers")
@pytest.mark.parametrize(
    ("activation", "typical"), [("x + x**2/3", False), ("tanh(x + 1)", False), ("relu", False), ("max(0, x)**2", True)]
)
def test_outliers_of_simulated_networks(activation, typical):
    """max(0, x)² has eigenvalues with heavy tails, of the order h⁴: there a draw is judged by the spread of draws."""
    problem = tc.Problem(activation, "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")
    for alpha, tops in simulated(problem, [0.2, 0.3, 0.4]).items():
        check_draws(tc.spectrum(problem, n=N_SAMPLES, alpha=alpha), tops, typical)


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers")
def test_the_pencil_s_extra_outlier_is_none():
    problem = tc.Problem("silu", "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")
    tops = simulated(problem, [0.45])[0.45]
    dressed, pencil = (tc.spectrum(problem, n=N_SAMPLES, alpha=0.45, method=method) for method in ("dressed", "pencil"))
    check_draws(dressed, tops)
    assert len(pencil.outliers) == len(dressed.outliers) + 1
    assert pencil.outliers[0] > tops.max()


#: A spike of S where ΔV is positive: 1 + ZΔV has eigenvalues of the wrong sign there, and four outliers too many.
FEW_INPUTS = {
    "activation": "tanh(x + 1)",
    "teacher": "H1 - 2*H2",
    "phi": "1/5",
    "psi": "4",
    "ridge": "1/10",
    "noise": "1/2",
    "second_layer": "sign",
    "step_samples": 5,
}


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers")
def test_spikes_of_S_make_no_outliers():
    problem = tc.Problem(**FEW_INPUTS)
    check_draws(tc.spectrum(problem, n=N_SAMPLES, alpha=0.4), simulated(problem, [0.4])[0.4])


PROBLEMS = st.fixed_dictionaries(
    {
        "activation": st.sampled_from(["relu", "tanh(x + 1)", "max(0, x)**2", "x + x**2/3", "1e-6*softplus(x)", "sin"]),
        "teacher": st.sampled_from(["H1 + H2/2", "tanh", "100*H1 + H3", "H1 - 2*H2", "relu"]),
        "phi": st.sampled_from(["1/5", "1/2", "3"]),
        "psi": st.sampled_from(["1/3", "1", "4"]),
        "ridge": st.just("1/10"),
        "noise": st.sampled_from(["0", "1/2"]),
        "second_layer": st.sampled_from(SecondLayer),
        "step_samples": st.sampled_from([None, "1/3", 5]),
    }
)


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers")
@settings(max_examples=20)
@given(case=PROBLEMS, gradient=st.sampled_from(GradientTarget), alpha=st.floats(0, 0.65))
@example(
    case={
        "activation": "1e-18*tanh(x + 1)",
        "teacher": "1e10*H1",
        "phi": "1/2",
        "psi": "2/3",
        "ridge": "1/10",
        "second_layer": "sign",
        "step_samples": 8070,
    },
    gradient="residual",
    alpha=4.0,
)
@example(case=FEW_INPUTS, gradient="residual", alpha=0.4)
def test_overlaps_are_shares_of_a_vector(case, gradient, alpha):
    """With orthonormal functions of h: in [0, 1], and their sum at most 1, up to rounding; or a refusal."""
    problem = tc.Problem(**case)
    try:
        found = tc.spectrum(problem, n=500, alpha=alpha, gradient=gradient)
    except (tc.PrecisionError, tc.DomainError):
        return
    assert (found.alignments >= -1e-9).all()
    assert (found.alignments.sum(axis=1) <= 1 + 1e-6).all()
    assert (np.diff(found.outliers) <= 0).all()
    assert (found.outliers > found.edge_after).all()


@pytest.mark.slow
def test_without_a_step_there_are_no_heavy_tails():
    """Far below the bulk the mean response is that to ‖x‖², and no outlier depends on it."""
    problem = tc.Problem("H1 + H2", "H1", "1/2", "2/3", "1/10")
    for eta in (0, 1e-4):
        found = tc.spectrum(problem, n=100, eta=eta)
        assert len(found.outliers) == 0
        assert not any("rare" in note or "heavy" in note for note in found.notes)
