"""The law of the gradient's rest: against sampled matrices, against finer curves, and against the real network."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import problem as example
from theorycalc.model.enums import GradientTarget
from theorycalc.numbers.dual import Dual
from theorycalc.theory.dressed.accuracy import evaluate
from theorycalc.theory.dressed.direction_forms import directions_of
from theorycalc.theory.dressed.fixed_point import Carried, balance, operators_of, poles_of, solve
from theorycalc.theory.dressed.forms import forms_of
from theorycalc.theory.dressed.lengths import LengthLaw
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.residual import DirectionTransforms, bulk_transform, reach, residual_of, resolvent
from theorycalc.theory.dressed.turning import _curve, _law, _nodes, only_its_spike, room, spread_of, turning_between


def problem(phi="1/2", activation="tanh(x + 1)", teacher="H1 + H2/sqrt(2)", noise="1/2"):
    return tc.Problem(activation, teacher, phi, "1/2", "1/10", noise)


def sampled(step, d, seed):
    """One S with the directions β⋆ and c, and T, for labels alone."""
    rng = np.random.default_rng(seed)
    n = round(d / step.case.batch_ratio)
    X = rng.standard_normal((n, d))
    r = step.teacher.values(X[:, 0]) + step.case.noise * rng.standard_normal(n)
    b = X.T @ r / n
    b[0], along = 0.0, np.eye(d)[0]
    return (X.T * r) @ X / n, step.case.batch_ratio * (X.T * r**2) @ X / n, np.stack([along, b / np.linalg.norm(b)])


@pytest.mark.slow
@pytest.mark.checks("residual_law", "residual_shares", "turning_noise")
@pytest.mark.parametrize("phi", ["1/4", "2"])
def test_the_law_is_that_of_sampled_matrices(phi):
    """Means of 1/(1 + (1 + s/2)²) over the spectrum and over both directions, 12 draws, by their standard errors."""
    step = step_of(problem(phi), 1000, "labels")
    law = _law(step, 0)
    z, (bulk, ((teacher, cross), (_, rest)), *_) = _curve(step, 0, math.sqrt(step.case.scatter), math.pi / 8, 120)

    def f(s):
        return 1 / (1 + (1 + s / 2) ** 2)

    t0, t1, t2 = law.quadratic
    rows = []
    for seed in range(12):
        S, T, directions = sampled(step, 400, seed)
        values, vectors = np.linalg.eigh(S)
        shares = directions @ vectors
        both = (shares * f(values)) @ shares.T
        along = np.einsum("ij,ij->j", vectors, T @ vectors)
        fitted = np.mean((t0 + t1 * values + t2 * values**2 - along) * f(values)) / np.mean(along * f(values))
        rows.append([f(values).mean(), both[0, 0], both[0, 1], both[1, 1], fitted])
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / math.sqrt(len(rows))
    wanted = [float(np.sum(w * f(z)).real) for w in (bulk, teacher, cross, rest)]
    assert np.all(np.abs(mean[:4] - wanted) < 4 * error[:4])
    assert abs(mean[4]) < 0.1  # T as a quadratic function of S: an approximation
    assert abs(mean[0] - f(0.0)) > 10 * error[0]  # an even spread is rejected


@pytest.mark.slow
@pytest.mark.checks("residual_law", "residual_shares")
@pytest.mark.parametrize("phi", ["1/4", "2"])
def test_the_law_of_squares_is_that_of_sampled_matrices(phi):
    """Means of 1/(1 + T) over the spectrum of T and over both directions, 12 draws, by their standard errors."""
    step = step_of(problem(phi, "erf"), 1000, "labels")
    mean = _law(step, 0, squares=True).matrix.center
    focus = math.sqrt(step.case.scatter)
    z, (bulk, ((teacher, cross), (_, rest)), *_) = _curve(step, 0, focus, math.pi / 8, 120, squares=True)
    wanted = [float(np.sum(w / (1 + mean + z)).real) for w in (bulk, teacher, cross, rest)]
    rows = []
    for seed in range(12):
        _, T, directions = sampled(step, 400, seed)
        inside = np.linalg.inv(np.eye(len(T)) + T)
        both = directions @ inside @ directions.T
        rows.append([np.trace(inside) / len(T), both[0, 0], both[0, 1], both[1, 1]])
    found, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / math.sqrt(len(rows))
    assert np.all(np.abs(found - wanted) < 4 * error)
    assert np.all(error < 0.03)
    assert abs(found[0] - 1 / (1 + mean)) > 10 * error[0]  # even noise is rejected


def equal_lengths(network):
    return LengthLaw(0 * network.u, 0 * network.u)


@pytest.mark.slow
@pytest.mark.checks("own_direction", "turning", "residual_shares")
def test_the_initial_output_is_in_every_neuron():
    """F(1 + FᵀF)⁻¹Fᵀ of linear neurons ŵ_i = (1 + 2c_2u_iS)w_i, S with the true f₀ in it: 40 draws.

    The forms of β⋆ and c, and between both and the function a of the neurons, by their standard errors; c_3 = 0, so
    that S is all there is of the gradient's rest.
    """
    d, N = 300, 450
    case = example("x + x**2/4", "H1 + H2/2", phi="3/2")
    step, u_size = step_of(case, N, "residual", isotropic=True), 1.0  # the neurons' own outputs play no part
    network = network_after(step, np.array([u_size * math.sqrt(N)]), Resolution())
    one = np.sqrt(network.h_weights)
    network = replace(
        network,
        loadings=network.scale[..., None],
        shapes=one[None, None],
        noise=np.zeros_like(network.noise),
        mean=network.a[None, :, None] * one,
    )
    turning = turning_between(network, np.array([1j]) / (2 * step.c2), 1e-9, 0)
    turning = replace(turning, lengths=equal_lengths(network))
    g, Q = np.ones((1, len(one))), np.ones((1, len(network.a)))
    for _ in range(200):
        Q = (Q + balance(network, turning, 0 * g, g, Q).Q_map) / 2
    still = Carried(Dual(g, 0 * g), Dual(Q, 0 * Q))
    Z, own, gram, _ = (x.value[0] for x in directions_of(network, turning, still))
    wanted = [Z[0, 0], Z[0, 1], Z[1, 1], own[0] @ one, own[1] @ one, one @ gram @ one]

    rows = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, W, a = rng.standard_normal((d * 2 // 3, d)), rng.standard_normal((N, d)), rng.standard_normal(N)
        W, a = W / np.linalg.norm(W, axis=1, keepdims=True), a / np.linalg.norm(a)
        r = step.teacher.values(X[:, 0]) + 0.5 * rng.standard_normal(len(X)) - step.activation.values(X @ W.T) @ a
        S, c = (X.T * r) @ X / len(X), X.T @ r / len(X)
        c[0] = 0
        F = W + 2 * step.c2 * u_size * math.sqrt(N) * a[:, None] * (W @ S)
        along = np.stack([F[:, 0], F @ c / np.linalg.norm(c), a])
        first, second, third = along @ np.linalg.solve(np.eye(N) + F @ F.T, along.T)
        rows.append([first[0], first[1], second[1], first[2], second[2], third[2]])
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / math.sqrt(len(rows))
    assert np.all(np.abs(mean - wanted) < 4 * error)
    assert np.all(error < 0.006)


@pytest.mark.checks("residual_law")
@pytest.mark.parametrize("noise", ["1/2", "0"])
@pytest.mark.parametrize("gradient", GradientTarget)
def test_the_nodes_of_the_residual_have_its_moments(gradient, noise):
    """r = σ⋆(g) + τξ and two unit coordinates of x: with the initial output, that along W₀ᵀa takes −c_1 of r."""
    step = step_of(problem(noise=noise), 1000, gradient)
    law = residual_of(step, 0)
    assert law.weights.sum() == pytest.approx(1, rel=1e-14)
    assert np.allclose(law.second.sum(axis=-1), np.eye(2), rtol=1e-10, atol=1e-12)
    along_teacher, along_own = law.first @ law.r
    assert along_teacher == pytest.approx(1, rel=1e-10)
    assert along_own == pytest.approx(-step.case.c1 if gradient == "residual" else 0, rel=1e-10, abs=1e-14)
    assert law.mean(law.r**2) == pytest.approx(2 + step.case.residual_variance, rel=1e-10)


@pytest.mark.checks("residual_law", "residual_shares")
@pytest.mark.parametrize("gradient", GradientTarget)
def test_the_transform_solves_its_equation_and_has_the_moments_of_the_law(gradient):
    step = step_of(problem("2"), 1000, gradient)
    law = residual_of(step, 0)
    z = np.array([0.3 + 0.2j, -2 + 0.5j, 40j])
    m = bulk_transform(law, z)
    k = law.mean(law.r / (1 + law.ratio * m[:, None] * law.r)) - law.mean(law.r)  # E r = 0
    assert np.max(np.abs(m * (k - z) - 1)) < 1e-12
    assert np.all(m.imag > 0)
    far = np.array([1e4j])
    forms = resolvent(law, far)
    assert abs(forms.bulk[0] * far[0] ** 3 + far[0] ** 2 + step.case.scatter) < 1e-2  # −1/z − φ₀E r²/z³
    for unit in (*np.einsum("iip->ip", forms.directions), forms.own):
        assert abs(unit[0] * far[0] + 1) < 1e-2
    assert abs(forms.directions[0, 1, 0] * far[0]) < 1e-2


@pytest.mark.slow
@pytest.mark.parametrize(("phi", "teacher"), [("2", "H1 + H2/sqrt(2)"), ("1/50", "H1 + 3*H2")])
def test_nothing_lies_beyond_the_reach(phi, teacher):
    """With a strong H_2 and many samples the end is E r g², along the teacher, far above the bulk."""
    step = step_of(problem(phi, teacher=teacher), 1000, "labels")
    for seed in range(3):
        S, _, _ = sampled(step, 400, seed)
        assert np.max(np.abs(np.linalg.eigvalsh(S))) < reach(residual_of(step, 0))


@pytest.mark.checks("residual_shares")
def test_the_curve_does_not_matter():
    """The same integrals along other curves: what is between them is analytic."""
    step = step_of(problem("2"), 1000, "residual")
    values = []
    for focus, angle in ((1.0, 0.5), (2.0, 0.3), (0.5, 0.7)):
        z, shares = _curve(step, 0, focus, angle, 400)
        shares = np.concatenate([share.reshape(-1, len(z)) for share in shares])
        values.append([float(np.sum(share / (9 + z**2)).real) for share in shares])
        omega = -step.case.c1 / math.sqrt(step.case.kappa * (1 - step.case.rho**2))
        whole = [float(np.sum(share).real) for share in shares]
        assert whole == pytest.approx([1, 1, 0, 0, 1, 1, 0, omega], abs=1e-10)
    assert np.ptp(values, axis=0).max() < 1e-10


@pytest.mark.parametrize("gradient", GradientTarget)
def test_poles_are_where_the_operators_are_singular(gradient):
    network = network_after(step_of(problem("2"), 2000, gradient), np.array([20.0]), Resolution())
    found = solve(network, np.array([0.1]))
    turning = found.turning
    g, Q = found.by_ridge.g.value, found.by_ridge.Q.value
    K, V = operators_of(network, turning.spread_of, g, Q)
    (poles,) = poles_of(network, g, Q)
    for pole in poles[np.abs(poles) < 1e3]:
        matrix = np.eye(V.shape[-1]) + V[0] @ (K[0] + K[1] * pole + K[2] * pole**2)[0]
        assert np.linalg.svd(matrix, compute_uv=False)[-1] < 1e-6 * np.linalg.norm(matrix)
    assert room(poles, turning.focus, turning.interval) > turning.angle


def test_a_batch_of_many_samples_turns_evenly():
    """φ₀ → 0: the rest of the gradient vanishes, and with it its shape."""
    case = example("tanh(x + 1)", "H1 + H2/sqrt(2)", step_samples=10**15)
    both, few = (
        [tc.step(each, n=10**12, alpha=0.5, gradient="labels", method=method) for method in ("dressed", "isotropic")]
        for each in (case, problem())
    )
    many_apart, few_apart = (abs(pair[0].train_gain - pair[1].train_gain) for pair in (both, few))
    # What is left are the cross moment of the spike of S and lengths that follow the step, which the other drops.
    assert few_apart > 10 * many_apart


@pytest.mark.checks("residual_shares")
@pytest.mark.parametrize("focus", [0.05, 1.0])
@pytest.mark.parametrize("gradient", GradientTarget)
def test_nodes_on_the_line_have_the_means_of_a_curve(gradient, focus):
    """1/(1 + (1 + s)²) has its poles at −1 ± i: the error falls as ρ^{−count}, ρ that of the ellipse through them."""
    step = step_of(problem("2"), 1000, gradient)
    pole, interval = np.array([-1 + 1j]), _law(step, 0).interval
    half = math.asinh(interval.high / focus)
    x = complex(np.arcsinh(pole / focus)[0]) / half
    rho = max(abs(x + sign * np.sqrt(x**2 - 1)) for sign in (1, -1))
    angle = float(room(pole, focus, interval)) / 2

    def mean(rule):
        return [float(np.sum(weights / (1 + (1 + rule.s) ** 2)).real) for weights in rule.weights]

    wanted = mean(_curve(step, 0, focus, angle, 3000))
    for count in (40, 80, 160):
        found = _nodes(step, 0, focus, angle, count)
        assert found.s.dtype == float
        np.testing.assert_allclose(mean(found), wanted, rtol=0, atol=max(2 / (rho - 1) * rho**-count, 1e-12))


@pytest.mark.checks("turning")
@pytest.mark.parametrize("activation", ["tanh(x + 1)", "relu", "erf"])
@pytest.mark.parametrize("phi", ["1/4", "2"])
def test_finer_curves_and_rules_change_nothing(activation, phi):
    step = step_of(problem(phi, activation), 1000, "residual")
    eta, ridge = np.array([3.0, 30.0]), np.full(2, 0.05)
    coarse = evaluate(step, eta, ridge, Resolution(s_accuracy=1e-9, r_level=0))
    fine = evaluate(step, eta, ridge, Resolution(s_accuracy=1e-13, r_level=1))
    for x, y in zip(coarse[:2], fine[:2], strict=True):
        assert np.max(np.abs(x / y - 1)) < 2e-9


@pytest.mark.parametrize("phi", ["1/20", "5"])
def test_labels_that_are_bounded_have_a_spectrum_with_hard_edges(phi):
    """Labels ±1 without noise: the curve passes close to both edges, where the law is not analytic."""
    case = tc.Problem("H1 + H2/2", "sign(x)", phi, "5/2", "1/10")
    step = step_of(case, 100, "labels")
    assert set(residual_of(step, 0).r) == {-1.0, 1.0}
    eta, ridge = np.array([4.0]), np.array([0.1])
    coarse, fine = (evaluate(step, eta, ridge, Resolution(s_accuracy=accuracy)) for accuracy in (2e-9, 1e-13))
    for x, y in zip(coarse[:2], fine[:2], strict=True):
        assert np.max(np.abs(x / y - 1)) < 2e-9


@pytest.mark.checks("isotropic")
def test_without_the_bulk_of_S_it_is_the_isotropic_form():
    step = replace(step_of(problem("2"), 1000, "residual"), isotropic=True)
    network = network_after(step, np.array([10.0]), Resolution())
    found = solve(network, np.array([0.1]))
    assert np.array_equal(found.turning.nodes.s, only_its_spike(network).nodes.s)


@pytest.mark.checks("stacked_forms")
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_directions_that_h_is_made_of_have_a_V_of_their_own(rho):
    """Z = (K⁻¹ + V)⁻¹ with V = E[γγᵀg] across b, E[γγᵀgh²] along it, in the basis of β⋆ and c; S plays no part here."""
    step = step_of(problem(teacher="H1"), 1000, "labels", isotropic=True)
    step = replace(step, case=replace(step.case, rho=rho, off_teacher=math.sqrt(1 - rho**2)))
    network = network_after(step, np.array([20.0]), Resolution())
    found = solve(network, np.array([0.1]))
    g = found.by_ridge.g.value
    (K, _, _), across = operators_of(network, found.turning.spread_of, g, found.by_ridge.Q.value, True)
    gamma = network.shapes[0]
    along = (gamma * (g * network.h**2)[0]) @ gamma.T
    Z_across, Z_along = (K[0] @ np.linalg.inv(np.eye(len(gamma)) + V @ K[0]) for V in (across[0], along))
    turn = np.array(
        [[rho, math.sqrt(1 - rho**2)], [math.sqrt(1 - rho**2), -rho]]
    )  # rows β⋆ and c, columns b and across
    wanted = np.kron(np.outer(turn[:, 0], turn[:, 0]), Z_along) + np.kron(np.outer(turn[:, 1], turn[:, 1]), Z_across)
    forms = forms_of(network, found.turning, found.by_ridge)
    assert np.allclose(forms.Z_all.value[0], wanted, rtol=1e-8, atol=1e-10)
    nodes = np.concatenate([gamma * g[0] * network.h * part for part in turn[:, 0]]).T
    assert np.allclose(forms.P.value[0], np.diag(g[0]) - nodes @ wanted @ nodes.T, rtol=1e-8, atol=1e-10)
    assert np.abs(Z_along - Z_across).max() > 1e-3 * np.abs(Z_along).max()


@pytest.mark.checks("turning", "turning_noise")
@pytest.mark.parametrize("gradient", GradientTarget)
def test_the_spread_of_neurons_has_the_moments_of_the_gradient(gradient):
    """tr(CS^p)/d, p = 0, 1, 2, of A_0 + A_1S + A_2S² are those of [(1 + 2c_2uS)² + u²ωT]/s_u², by free cumulants."""
    step = step_of(problem("2"), 1000, gradient)
    network = network_after(step, np.array([20.0]), Resolution())
    law, kept = residual_of(step, 0), network.kept[0]
    assert (np.ptp(kept) > 0) == (gradient == "residual")
    k2, k3, k4 = (step.case.batch_ratio ** (p - 1) * float(law.mean(law.r**p)) for p in (2, 3, 4))
    S, T = [1.0, 0.0, k2, k3, k4 + 2 * k2**2], [k2, k3, k4 + k2**2]
    u, omega = network.u[0], step.spread / step.case.scatter - 4 * step.c2**2
    assert omega > 0.01
    A = [part[0] for part in spread_of(network)]
    for p in range(3):
        turned = (
            kept**2 * S[p] + 4 * step.c2 * u * kept * S[p + 1] + 4 * step.c2**2 * u**2 * S[p + 2] + omega * u**2 * T[p]
        )
        wanted = turned / (kept**2 + step.spread * u**2)
        assert sum(part * S[p + i] for i, part in enumerate(A)) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.checks("residual_shares")
def test_the_forms_of_two_coordinates_and_of_the_step_are_one_inverse():
    """G = (K_D − z)⁻¹ within D; with b = Xᵀr/n, of length √κ, the rest is G's too, and c = (b/√κ − ρβ⋆)/√(1 − ρ²)."""
    step = step_of(problem("2", teacher="H1 + H2/2 + H3/3"), 1000, "residual")
    law, z = residual_of(step, 0), np.array([0.3 + 0.2j])
    found = DirectionTransforms(*(part[..., 0] for part in resolvent(law, z)))
    part = law.r / (1 + law.ratio * found.bulk * law.r)

    def mean(measure, known):
        """E[r f/(1 + φ₀rm)] by the nodes, of which E[r f] is known better."""
        return measure @ (part - law.r) + np.array(known)

    k_D = mean(law.first, [1, -step.case.c1])
    K_D = mean(law.second, np.diag([2 * step.case.c_star_2, 0]))
    G = np.linalg.inv(K_D - z[0] * np.eye(2))
    (teacher, cross), (_, rest) = found.directions
    own_teacher, own_rest = found.own_directions
    assert np.allclose([[teacher, own_teacher], [own_teacher, found.own]], G, rtol=1e-11)
    whole = np.zeros((3, 3), dtype=complex)  # of β⋆, W₀ᵀa and b/√κ
    whole[:2, :2], whole[2, :2] = G, G @ k_D / math.sqrt(step.case.kappa)
    whole[2, 2] = (law.mean(law.r) - law.mean(part) + k_D @ G @ k_D) / step.case.kappa
    c = np.array([-step.case.rho, 0, 1]) / math.sqrt(1 - step.case.rho**2)
    symmetric = np.tril(whole) + np.tril(whole, -1).T
    assert np.allclose([cross, own_rest], (c @ symmetric)[:2], rtol=1e-11)
    assert np.allclose(found.directions[1, 0], cross, rtol=1e-11)
    assert rest == pytest.approx(c @ symmetric @ c, rel=1e-11)
    assert abs(K_D[0, 1]) > 0.01  # else it could not be seen


@pytest.mark.checks("turning", "isotropic")
def test_without_noise_neurons_are_spread_by_what_they_keep():
    """For c_k = 0, k > 2, the step turns w_i into (1 + 2c_2uS)w_i: C = (w_i·ŵ_i)², as polynomials in S."""
    step = step_of(problem("2", "x + x**2/4"), 1000, "residual")
    network = network_after(step, np.array([20.0]), Resolution())
    turning = turning_between(network, np.array([1j]), 1e-9, 0)
    kept, along_S = turning.kept
    for part, wanted in zip(turning.spread_of, (kept**2, 2 * kept * along_S, along_S**2), strict=True):
        assert np.allclose(part, wanted, rtol=1e-9, atol=1e-12)
    assert np.allclose(only_its_spike(network).spread_of[2], along_S**2, rtol=1e-12)
    assert np.abs(along_S).max() > 0.1


@pytest.mark.checks("stacked_forms", "own_direction", "norm_response")
def test_a_changed_V_changes_the_forms_of_directions_and_mean_part_together():
    """With M = [[Z, e], [eᵀ, G]] of both directions and the mean part, the V that they have in addition makes it
    M(1 + ΔV M)⁻¹: the initial output and lengths couple the blocks, so that G changes, too."""
    step = step_of(problem(), 1000, "residual")
    network = network_after(step, np.array([8.0]), Resolution())
    found = solve(network, np.array([0.1]))
    at = found.by_ridge
    Z, e, G, _ = (part.value[0] for part in directions_of(network, found.turning, at))
    gamma, g, h, rho = network.shapes[0], at.g.value[0], network.h, step.case.rho
    along = np.array([rho, math.sqrt(1 - rho**2)])  # of h in β⋆ and c
    changed = np.kron(np.outer(along, along), (gamma * (g * (h**2 - 1))) @ gamma.T)
    whole = np.block([[Z, e], [e.T, G]])
    wider = np.zeros_like(whole)
    wider[: len(Z), : len(Z)] = changed
    wanted = whole @ np.linalg.inv(np.eye(len(whole)) + wider @ whole)
    forms = forms_of(network, found.turning, at)
    size = len(Z)
    assert np.allclose(forms.Z_all.value[0], wanted[:size, :size], rtol=1e-9, atol=1e-12)
    assert np.allclose(forms.own_part.value[0], wanted[:size, size:], rtol=1e-9, atol=1e-12)
    assert np.allclose(forms.gram.value[0], wanted[size:, size:], rtol=1e-9, atol=1e-12)
    assert np.abs(wanted[size:, size:] - G).max() > 1e-6 * np.abs(G).max()
