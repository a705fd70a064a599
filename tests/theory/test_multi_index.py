"""Teachers of several directions at finite steps: conditional moments, the law of the residual, and reductions."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.seen_part import frame
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.case import case_at, float_constants
from theorycalc.theory.dressed.accuracy import evaluate, untrained_shift
from theorycalc.theory.dressed.finite_size import LossPair, points_given, shifts, standard_deviations
from theorycalc.theory.dressed.multi_index import MultiIndex, gathered, given_h, given_label
from theorycalc.theory.dressed.neurons import Resolution, step_of
from theorycalc.theory.dressed.residual import residual_of, resolvent, spikes_of_S

GRADIENTS = ["labels", "residual"]


def polynomial(t):
    """t1 + t1*t2 + 3 H2(t2)/10, the mean of which is 0."""
    return t[..., 0] * (1 + t[..., 1]) + 0.3 * (t[..., 1] ** 2 - 1)


def described(function, count):
    """A polynomial of degree ≤ 6 by a Gauss–Hermite rule, with its c_{û,k} and its energy."""
    x, w = np.polynomial.hermite_e.hermegauss(12)
    t = np.stack(np.meshgrid(*[x] * count, indexing="ij"), axis=-1).reshape(-1, count)
    weights = np.prod(np.stack(np.meshgrid(*[w / w.sum()] * count, indexing="ij")), axis=0).ravel()
    values = function(t)
    gradient = (weights * values) @ t
    seen = gradient / np.linalg.norm(gradient)
    hessian = np.einsum("n,ni,nj->ij", weights * values, t, t)
    hermite = np.polynomial.hermite_e.hermevander(t @ seen, 6)[:, 1:]
    c = (weights * values) @ hermite / [float(math.factorial(k)) for k in range(1, 7)]
    teacher = MultiIndex(function, tuple(seen.tolist()), tuple(map(tuple, hessian.tolist())))
    return teacher, tuple(c.tolist()), float(weights @ values**2)


def step_with(function, count, gradient, isotropic=False, activation="tanh(x + 1)"):
    """The step of n = 800, d = 400, N = 600 with another teacher."""
    problem = tc.Problem(activation, "H1", "1/2", "2/3", "1/10", "1/2")
    teacher, c, energy = described(function, count)
    base, constants = step_of(problem, 600, gradient, isotropic), float_constants(problem, gradient)
    rest = energy - c[0] ** 2
    told = {"linear": c[0], "nonlinear": rest, "step_linear": c[0], "step_quadratic": c[1]}
    changed = replace(constants, c_star=c, rest=rest, **told)
    case = case_at(FLOATS, changed, 0.5, 2 / 3, 0.5)
    return replace(base, case=case, teacher=teacher, spread=base.spread * case.scatter / base.case.scatter)


def losses(step, eta=(3.0, 20.0)):
    return evaluate(step, np.array(eta), np.full(len(eta), 0.1), Resolution())[:2]


@pytest.mark.checks("several_directions")
@pytest.mark.parametrize("rho", [0.3, 0.9])
def test_moments_given_h_are_those_of_a_polynomial(rho):
    """y = t1 + t1*t2 + 3(t2² − 1)/10 with t1 = ρh + √(1−ρ²)g', in turned coordinates."""
    angle, off = 0.7, math.sqrt(1 - rho**2)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    teacher, _, _ = described(lambda t: polynomial(t @ turn.T), 2)
    assert np.allclose(teacher.seen, turn[0])
    h = np.linspace(-3, 3, 7)
    found = given_h(teacher, h, rho, off, 0)
    assert np.allclose(found.mean, rho * h, atol=1e-9)
    second = rho**2 * h**2 + off**2  # E[t1² | h]
    along = turn @ found.along[:2]
    assert np.allclose(along[0], second, atol=1e-9)
    assert np.allclose(along[1], rho * h, atol=1e-9)  # E[t1 t2²]
    assert np.allclose(found.along[2], rho * off * (h**2 - 1), atol=1e-9)
    assert np.allclose(found.across, 2 * 0.3, atol=1e-9)  # E[y(g'² − 1)] = 0, E[y(t2² − 1)] = 0.3·2
    assert np.allclose(found.square, second * 2 + 0.09 * 2, atol=1e-9)


def test_a_frame_is_orthogonal():
    seen = np.array([0.2, -0.5, 0.1, math.sqrt(0.7)])
    turn = frame(tuple(seen))
    assert np.allclose(turn.T @ turn, np.eye(4), atol=1e-14)
    assert np.allclose(turn[:, 0], seen, atol=1e-14)
    assert np.allclose(frame((-1.0, 0.0))[:, 0], [-1, 0])


def test_gathered_nodes_keep_the_means_of_smooth_functions():
    rng = np.random.default_rng(0)
    x, weights = rng.standard_normal(3000) ** 3, np.full((2, 3000), 1 / 3000)
    weights[1] *= np.cos(np.arange(3000))
    places, measures = gathered(x, weights, 0.03, 2.0)
    assert len(places) < 400
    assert np.all((places > x.min() - 1e-12) & (places < x.max() + 1e-9))
    for f in (np.arctan, lambda s: s / (1 + 0.5j * s)):
        assert np.allclose(measures @ f(places), weights @ f(x), rtol=0, atol=1e-9)
    signs = np.sign(x)
    places, measures = gathered(signs, weights, 0.03, 1.0)
    assert places.tolist() == [-1, 1]
    assert measures[0, 1] == pytest.approx(np.mean(signs > 0))


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_the_residual_has_its_moments(gradient):
    step = step_with(polynomial, 2, gradient)
    law, M = residual_of(step, 0), np.array(step.teacher.hessian)
    own = -step.case.c1 if gradient == "residual" else 0.0
    assert law.weights.sum() == pytest.approx(1, rel=1e-9)
    assert np.allclose(law.second.sum(axis=-1), np.eye(3), atol=1e-8)
    assert np.allclose(law.first @ law.r, [1, 0, own], atol=1e-8)
    assert np.allclose((law.second @ law.r)[:2, :2], M, atol=1e-8)
    assert np.allclose(law.spike[:2, :2], M)
    assert law.mean(law.r**2) == pytest.approx(step.case.scatter / step.case.batch_ratio, rel=1e-8)
    assert len(law.r) < 700


@pytest.mark.checks("residual_shares")
def test_shares_of_S_are_those_of_the_nodes():
    """The resolvent by its blocks, against all nodes of t and of the noise, not gathered."""
    step = step_with(polynomial, 2, "labels")
    z = np.array([0.4 + 0.3j])
    found = resolvent(residual_of(step, 0), z)
    labels = given_label(step.teacher, 1)
    xi, w = np.polynomial.hermite_e.hermegauss(80)
    r = labels.label[:, None] + 0.5 * xi
    part = r / (1 + step.case.batch_ratio * found.bulk[0] * r) @ (w / w.sum())
    assert abs(found.bulk[0] * (labels.weights @ part - z[0]) - 1) < 1e-7
    G = np.linalg.inv(labels.second @ part - z[0] * np.eye(2))
    assert np.allclose(found.directions[:2, :2, 0], G, atol=1e-6)


@pytest.mark.slow
def test_spikes_of_S_are_eigenvalues_with_their_overlaps():
    """Two spikes of one batch, of bounded labels: 12 draws by their standard errors."""

    def bounded(t):
        return np.tanh(t[..., 0]) + 2 * np.tanh(t[..., 0]) * np.tanh(t[..., 1])

    d, n = 300, 3000
    step = replace(step_with(bounded, 2, "labels"), one_draw=True)
    law = residual_of(replace(step, case=replace(step.case, phi=d / n, noise=0.0, residual_variance=0.0)), 0)
    places, parts = spikes_of_S(law, 0.75)
    assert len(places) == 2
    rows, rng = [], np.random.default_rng(3)
    for _ in range(12):
        X = rng.standard_normal((n, d))
        values, vectors = np.linalg.eigh((X.T * bounded(X[:, :2])) @ X / n)
        ends = vectors[:2][:, [-1, 0]]
        rows.append([values[-1], values[0], *ends[0] ** 2, *(ends[0] * ends[1])])
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / math.sqrt(12)
    expected = np.array([*places, *parts.directions[0, 0], *parts.directions[0, 1]])
    assert np.all(np.abs(mean - expected) < np.hypot(4 * error, 0.01 * np.abs(expected))), (mean, expected, error)


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("isotropic", [True, False])
def test_a_direction_that_does_nothing_changes_nothing(gradient, isotropic):
    """A function of t1 alone as one of two directions, against the single-index code."""
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2")
    one = losses(step_of(problem, 600, gradient, isotropic))
    two = losses(step_with(lambda t: t[..., 0] + (t[..., 0] ** 2 - 1) / 2, 2, gradient, isotropic))
    assert np.allclose(two, one, rtol=3e-9, atol=0)


@pytest.mark.parametrize(
    "options",
    [
        {"second_layer": "constant", "first_layer": "gaussian"},
        {"corrupt_step": "3/10", "corrupt_fit": "1/5", "flip_step": "1/10", "flip_fit": "1/5"},
        {"intercept": True, "centred_labels": False},
    ],
)
def test_nor_does_it_with_other_options(options):
    """The same with corrupted labels, labels with a mean, and other layers."""
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/2 + 1/2", "1/2", "2/3", "1/10", "1/2", **options)
    one = step_of(problem, 600, "residual")
    two = replace(one, teacher=described(lambda t: t[..., 0] + (t[..., 0] ** 2 - 1) / 2, 2)[0])
    assert np.allclose(losses(two), losses(one), rtol=3e-9, atol=0)
    assert np.allclose(untrained_shift(two, np.ones(1)), untrained_shift(one, np.ones(1)), rtol=1e-9)


@pytest.mark.slow
def test_an_error_is_stated_where_kinks_are_not_known():
    """A function of Python with a kink, against the text, whose rule knows the kink."""
    known, unknown = (
        tc.step(several(teacher), n=800, alpha=0.4)
        for teacher in ("t1*(1 + relu(t2))", tc.Teacher.multi(lambda t: t[..., 0] * (1 + np.maximum(t[..., 1], 0)), 2))
    )
    assert known.error < 1e-8
    off = abs(unknown.test_gain - known.test_gain) / known.test_loss_initial
    assert 1e-6 < off < 5 * unknown.error


@pytest.mark.slow
def test_kinks_across_three_directions():
    """A function of one direction, whose kink cuts all coordinates."""
    one, three = (tc.step(several(text), n=800, alpha=0.4) for text in ("relu(x)", "relu((2*t1 + t2 + 2*t3)/3)"))
    assert three.test_gain == pytest.approx(float(one.test_gain), rel=1e-7)
    assert three.error < 1e-8


@pytest.mark.checks("residual_shares", "stacked_forms")
@pytest.mark.parametrize("gradient", GRADIENTS)
def test_coordinates_may_be_turned(gradient):
    """Three directions in other coordinates, in which the fit's rule has other nodes."""
    turn, _ = np.linalg.qr(np.random.default_rng(4).standard_normal((3, 3)))

    def three(t):
        return polynomial(t) + t[..., 1] * t[..., 2] / 2 + np.sin(t[..., 2]) / 2

    here, there = (losses(step_with(f, 3, gradient)) for f in (three, lambda t: three(t @ turn)))
    assert np.allclose(here, there, rtol=1e-7, atol=0)


@pytest.mark.checks("several_directions")
def test_points_given_h_have_the_moments_of_labels():
    step = step_with(polynomial, 2, "labels")
    h = np.linspace(-2, 2, 5)
    points, rho, off = points_given(step, h), step.case.rho, step.case.off_teacher
    moments = given_h(step.teacher, h, rho, off, 0)
    assert np.allclose(points.label @ points.weights, moments.mean, atol=1e-9)
    assert np.allclose(points.label**2 @ points.weights, moments.square, atol=1e-9)
    assert np.allclose((points.u * points.label) @ points.weights, moments.along[0], atol=1e-9)


@pytest.mark.slow
def test_four_directions_are_affordable():
    step = step_with(lambda t: t[..., 0] * (1 + t[..., 1]) + t[..., 2] * t[..., 3], 4, "labels")
    found = losses(step, (20.0,))
    without = losses(step_with(lambda t: t[..., 0] * (1 + t[..., 1]) + 0 * t[..., 2], 4, "labels"), (20.0,))
    assert found[1, 0] > without[1, 0] + 0.5  # t3·t4 has the energy 1, and little of it is learned


def several(teacher, activation="tanh(x + 1)", noise="1/2"):
    return tc.Problem(activation, teacher, "1/2", "2/3", "1/10", noise)


@pytest.mark.parametrize("method", ["dressed", "isotropic"])
def test_one_direction_as_t1_is_x(method):
    found, wanted = (
        tc.step(several(text), n=800, alpha=0.4, method=method) for text in ("t1 + relu(t1)", "x + relu(x)")
    )
    assert found.test_gain == wanted.test_gain
    assert found.train_gain == wanted.train_gain


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_a_kink_across_two_directions_is_that_of_their_sum(gradient):
    """relu((t1 + t2)/√2) is a function of one direction; its kink cuts the panels of both coordinates."""
    one, two = (
        tc.step(several(text), n=800, alpha=0.4, gradient=gradient) for text in ("relu(x)", "relu(t1 + t2)/sqrt(2)")
    )
    assert two.train_gain == pytest.approx(float(one.train_gain), rel=1e-7)
    assert two.test_gain == pytest.approx(float(one.test_gain), rel=1e-7)
    assert two.error < 1e-6


def test_standard_deviations_and_terms_of_order_1_over_n_know_of_several_directions():
    """As a function of one direction has them."""
    one = step_of(tc.Problem("tanh(x + 1)", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2"), 600, "labels")
    two = replace(one, teacher=described(lambda t: t[..., 0] + (t[..., 0] ** 2 - 1) / 2, 2)[0])
    at, before, gains = (np.array([20.0]), np.array([0.1])), LossPair(*np.ones((2, 1))), LossPair(*np.full((2, 1), 0.2))
    found, wanted = (standard_deviations(step, *at, before, gains, 1000.0) for step in (two, one))
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, rel=1e-7)
    assert np.allclose(shifts(two, *at), shifts(one, *at), rtol=1e-6)
    assert points_given(step_of(several("t1 + t1*t2"), 600, "labels"), np.array([0.3])).label.shape == (1, 225)


@pytest.mark.slow
def test_what_the_step_learns_beside_u_is_in_the_numbers_and_notes():
    """t1·t2 is learned by features h·x: more than E[g | t1] with the rest as noise, at finite steps only."""
    problem, noisy = several("t1 + t1*t2", "relu", "3/4"), several("x", "relu", "5/4")
    found, plain = (tc.step(case, n=800, alpha=0.5, gradient="labels") for case in (problem, noisy))
    assert found.test_gain > plain.test_gain + 0.05
    small, plain_small = (tc.step(case, n=10**7, alpha=0.1, gradient="labels") for case in (problem, noisy))
    assert small.test_gain == pytest.approx(float(plain_small.test_gain), rel=2e-3)
    assert any("h·x" in note for note in found.notes)
    pencil, same = (tc.step(case, n=800, alpha=0.1, method="pencil") for case in (problem, noisy))
    assert pencil.test_gain == pytest.approx(float(same.test_gain), rel=1e-9)
    assert any("along û alone" in note for note in pencil.notes)


@pytest.mark.slow
def test_spectra_know_of_several_directions():
    problem = several("t1 + t1*t2", "relu", "3/4")
    found, noisy = (
        tc.spectrum(case, n=800, alpha=0.4, gradient="labels") for case in (problem, several("x", "relu", "5/4"))
    )
    assert found.outliers[0] == pytest.approx(noisy.outliers[0], rel=0.02)  # of h itself: labels move it little
    assert found.outliers[0] != noisy.outliers[0]
    weights = tc.weight_spectrum(problem, n=800, alpha=0.4, gradient="labels")
    assert any("û" in note for note in weights.notes)


def simulated(activation, teacher, gradient, eta, seed, draws=8):
    """Mean and standard error of both gains of real networks with n = 400, d = 200, N = 300 and noise 3/4."""
    n, d, N = 400, 200, 300
    sigma, slope = activation
    rows = []
    for draw in range(draws):
        rng = np.random.default_rng([seed, draw])
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / math.sqrt(N)
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        batches = [rng.standard_normal((count, d)) for count in (n, n, 4 * n)]
        (X0, y0), (X, y), (Xt, yt) = ((x, teacher(x) + 0.75 * rng.standard_normal(len(x))) for x in batches)
        r = y0 - sigma(X0 @ W.T) @ a if gradient == "residual" else y0
        moved = W + eta / n * a[:, None] * ((slope(X0 @ W.T) * r[:, None]).T @ X0)
        losses = []
        for V in (W, moved):
            F = sigma(X @ V.T)
            fit = np.linalg.solve(F.T @ F + 0.1 * n * np.eye(N), F.T @ y)
            losses.append([np.mean((y - F @ fit) ** 2) + 0.1 * fit @ fit, np.mean((yt - sigma(Xt @ V.T) @ fit) ** 2)])
        rows.append(np.subtract(*losses))
    return np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / math.sqrt(draws)


ACTIVATIONS = {
    "relu": (lambda z: np.maximum(z, 0) - 1 / math.sqrt(2 * math.pi), lambda z: (z > 0) * 1.0),
    "tanh(x + 1)": (lambda z: np.tanh(z + 1) - 0.6133526, lambda z: 1 / np.cosh(z + 1) ** 2),
}
TEACHERS = {
    "t1 + t1*t2": lambda x: x[:, 0] * (1 + x[:, 1]),
    "t1 + 7*t1*t2/10 + H2(t2)/2": lambda x: x[:, 0] * (1 + 0.7 * x[:, 1]) + (x[:, 1] ** 2 - 1) / 2,
    "t1 + t1*t2/2 + relu(t3)*t1": lambda x: x[:, 0] * (1 + x[:, 1] / 2 + np.maximum(x[:, 2], 0)),
}


@pytest.mark.slow
def test_real_networks_learn_what_dressed_features_say():
    """Six cells of true gradients: all gains within 4 standard errors, and their mean square as it should be."""
    z, eta = [], 400**0.45
    for i, (activation, text) in enumerate(product(ACTIVATIONS, TEACHERS)):
        gradient = GRADIENTS[i % 2]
        mean, error = simulated(ACTIVATIONS[activation], TEACHERS[text], gradient, eta, seed=i)
        found = tc.step(several(text, activation, "3/4"), n=400, eta=eta, gradient=gradient)
        z.append((mean - [found.train_gain, found.test_gain]) / error)
    z = np.array(z)
    assert np.abs(z).max() < 4
    assert np.mean(z**2) < 3  # of 12 numbers of Student's law with 7 degrees of freedom: 1.4 ± 0.8


@pytest.mark.slow
def test_real_networks_reject_the_rest_as_noise():
    """ReLU after a large step: t1·t2 as noise of variance 1, which is right in the limit, is not what networks do."""
    eta = 400**0.5
    mean, error = simulated(ACTIVATIONS["relu"], TEACHERS["t1 + t1*t2"], "labels", eta, seed=7, draws=40)
    cases = several("t1 + t1*t2", "relu", "3/4"), several("x", "relu", "5/4")
    found, wrong = (tc.step(case, n=400, eta=eta, gradient="labels") for case in cases)
    assert abs(mean[1] - found.test_gain) < 4 * error[1]
    assert abs(mean[1] - wrong.test_gain) > 5 * error[1]


@pytest.mark.slow
def test_the_second_step_sees_what_the_first_cannot():
    """ReLU and t1 + t1*t2: it moves neurons along t2 by 2c_1c_2u², after one that does not, as M û = e_2."""
    n, d, N = 2000, 100, 1000
    rows = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        W, u = rng.standard_normal((N, d)), 0.2 * rng.standard_normal(N)
        W, slopes = W / np.linalg.norm(W, axis=1, keepdims=True), []
        for _ in range(2):
            X = rng.standard_normal((n, d))
            move = u[:, None] * ((X @ W.T > 0) * (X[:, 0] * (1 + X[:, 1]))[:, None]).T @ X / n
            W = W + move
            slopes.append(np.polyfit(u, move[:, 1] / u, 1)[0])
        rows.append(slopes)
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / math.sqrt(len(rows))
    found = 1 / math.sqrt(2 * math.pi) / 2  # 2c_1c_2
    assert np.all(np.abs(mean - [0, found]) < 4 * error)
    assert mean[1] > 10 * error[1]
    notes = tc.step(replace(several("t1 + t1*t2", "relu"), steps=3), n=400, alpha=0.3, gradient="labels").notes
    assert any("later steps" in note for note in notes)
