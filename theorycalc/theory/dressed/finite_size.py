"""Terms of order 1/n, and the scatter of a single network: the cost of fitting features, and standard deviations.

See docs/theory/finite_size.md.

A feature that the step taught is fitted to noise as well, and takes a direction from the neurons: with k features in
force, f = ỹᵀRỹ, s = tr R and θ = E Q, ỹᵀRỹ falls by

    G = k [−f'/(n s) − (f + λf')/(N θ)],

so the training loss falls by λG, and the test loss rises by G'/s² − 2 L_te δs/s, δs = (k/n)(s'/s + θ'/θ).

Both are small beside the losses, so coarse rules and the isotropic form are enough for all of it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from theorycalc.model.seen_part import frame
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.forms import Forms, forms_of, free_constant, label_system
from theorycalc.theory.dressed.labels import labels_given
from theorycalc.theory.dressed.multi_index import MultiIndex
from theorycalc.theory.dressed.neurons import DressedStep, Resolution, network_after
from theorycalc.theory.dressed.solving import solve
from theorycalc.theory.solver import float_weights

COARSE = Resolution(u_step=0.7, h_step=0.7, end=6.0, smallest_shape=1e-3)
LARGEST = 0.2  # of a loss: a larger correction says that an expansion in 1/n is no use
_NEARBY = 0.05  # in log λ: G' is wanted to a per cent, and G holds second derivatives of f already
_ACROSS = {1: 21, 2: 15, 3: 9, 4: 7}  # nodes for each coordinate of t that h leaves open, by their number
# Of the variance of gains: fitted to simulated networks, which they then meet to a third (docs/theory/finite_size.md).
_SCATTER = {"train": 1.0, "test": 1.8}  # times that of left-out residuals
_MIXED = {"train": 1.8, "test": 2.2}  # times |gain| and the noise of one feature
_ALONE = {"train": 0.9, "test": 6.0}  # times the number of features and the square of that noise


class CoarseFit(NamedTuple):
    """A fit after a step, for pairs of η and λ: its losses, its traces, and the mean of y − ŷ given h."""

    train: Array
    error: Array
    test: Array
    s: Array  # E g
    s_slope: Array
    theta: Array  # E Q
    features: Array  # k, the number of features in force
    alike: Array  # correlation of the fits before and after the step
    unlearned: Array  # E[y − ŷ | h] at the nodes
    h: Array
    h_weights: Array


class Shifts(NamedTuple):
    """Terms of order 1/n of the training loss, the test loss and the training error without the penalty."""

    train: Array
    test: Array
    error: Array


def shifts(step: DressedStep, eta: Array, ridge: Array) -> Shifts:
    """Return the terms of order 1/n by which the losses after a step differ from those before it."""
    out = np.zeros((len(Shifts._fields), len(eta)))
    for size in np.unique(eta[eta > 0]):  # coarse rules are made for one step: beside others it would have other digits
        chosen = eta == size
        found = np.array(_cost(step, eta[chosen], ridge[chosen]))
        if step.case.gaussian_rows:  # the constant feature of its rows is fitted before the step, too
            found -= np.array(_cost(step, np.zeros_like(eta[chosen]), ridge[chosen]))
        out[:, chosen] = found
    return Shifts(*out)


def _cost(step: DressedStep, eta: Array, ridge: Array) -> Shifts:
    """Return the cost of all features in force."""
    factors = np.exp(_NEARBY * np.array([-1.0, 0.0, 1.0]))
    near = (ridge[:, None] * factors).ravel()
    fit = coarse_fit(step, np.repeat(eta, 3), near)
    n, N = step.samples, float(step.N)
    G = cost(fit.features, fit.train, fit.error, fit.s, fit.theta, near, n, N).reshape(-1, 3)
    s, theta, test, features = (x.reshape(-1, 3) for x in (fit.s, fit.theta, fit.test, fit.features))

    def slope(values: Array) -> Array:
        return (values[:, 2] - values[:, 0]) / (2 * _NEARBY * ridge)

    raised = rise(slope(G), features[:, 1], test[:, 1], s[:, 1], slope(s), theta[:, 1], slope(theta), n)
    small = np.abs(raised) < LARGEST * test[:, 1]
    return Shifts(*(np.where(small, x, 0.0) for x in (-ridge * G[:, 1], raised, ridge**2 * slope(G))))


def cost(
    features: Array, train: Array, error: Array, s: Array, theta: Array, ridge: Array, n: float, N: float
) -> Array:
    """Return G, by which k features lower ỹᵀRỹ beyond their learning; f = L_tr/λ and −f' = E_tr/λ².

    See docs/theory/finite_size.md#the-cost-of-a-feature.

    >>> float(cost(*map(np.array, (1.0, 2.0, 1.0, 0.5, 0.5, 1.0)), n=100.0, N=50.0))  # 1/50 − 1/25
    -0.02
    """
    return features * (error / (ridge**2 * n * s) - (train - error) / (ridge * N * theta))


def rise(
    G_slope: Array, features: Array, test: Array, s: Array, s_slope: Array, theta: Array, theta_slope: Array, n: float
) -> Array:
    """Return the rise in test loss that k features cause: −f'/s² with f − G, and s + δs, δs = (k/n)(s'/s + θ'/θ).

    See docs/theory/finite_size.md#the-cost-of-a-feature.

    >>> rise(-0.5, 1.0, 2.0, 0.5, -0.25, 0.5, 0.25, n=10.0)  # δs = 0
    -2.0
    """
    change = features / n * (s_slope / s + theta_slope / theta)
    return G_slope / s**2 - 2 * test * change / s


def coarse_fit(step: DressedStep, eta: Array, ridge: Array) -> CoarseFit:
    """Return the fit by the isotropic form and coarse rules, accurate to a few parts per thousand."""
    network = network_after(replace(step, isotropic=True), eta, COARSE)
    solution, labels = solve(network, ridge), labels_given(network, 0)
    forms = forms_of(network, solution.turning, solution.by_leverage)
    system = label_system(network, labels, forms, solution.by_leverage.g)
    by_ridge = forms_of(network, solution.turning, solution.by_ridge)
    error = label_system(network, labels, by_ridge, solution.by_ridge.g).form.slope
    form = system.form
    g = solution.by_ridge.g
    return CoarseFit(
        train=ridge * form.value,
        error=-(ridge**2) * error,
        test=-form.slope,
        s=g.value @ network.h_weights,
        s_slope=g.slope @ network.h_weights,
        theta=solution.by_ridge.Q.value @ network.u_weights,
        features=features_in_force(free_constant(network, forms).taken_out(forms) if step.fit.has_constant else forms),
        alike=((network.kept / network.scale) ** 2 @ network.u_weights) ** 2,
        unlearned=system.lower[:, : len(network.h)] / (g.value * np.sqrt(network.h_weights)),
        h=network.h,
        h_weights=network.h_weights,
    )


def features_in_force(forms: Forms) -> Array:
    """Return k = tr P g⁻¹P B(1 + PB)⁻¹: a strong nonlinear function of h counts as 1, and h itself as m_2/m_1.

    A weak one counts as its strength PB.  See docs/theory/finite_size.md#the-cost-of-a-feature.
    """
    P, gram = forms.P.value, forms.gram.value
    force = np.linalg.solve(np.eye(P.shape[-1]) + gram @ P, gram)
    return np.einsum("...ij,...jk,...ki->...", P / forms.unit[..., None, :] ** 2, P, force)


class LossPair(NamedTuple):
    """A training and a test loss, or the gains in both."""

    train: Array
    test: Array


class LeftOut(NamedTuple):
    """y − ŷ at a point left out of the fit: its mean given h and x·β⋆, and its variance around that mean."""

    mean: Array
    variance: Array


class Sampled(NamedTuple):
    """A loss before and after the step, as the mean of scale·e² over a number of points."""

    scales: Sequence[Array]
    residuals: Sequence[LeftOut]
    covariance: Array
    points: float


def scatter(scales: Sequence[Array], residuals: Sequence[LeftOut], covariance: Array, chance: Array) -> Array:
    """Return the variance of a e² − a' e'² for normal residuals e and e' with the given covariance around their means.

    See docs/theory/finite_size.md#one-draw.

    >>> one = LeftOut(np.zeros((1, 1, 1)), np.ones(1))
    >>> scatter((np.ones(1), np.ones(1)), (one, one), np.zeros(1), np.ones((1, 1)))  # Var(z² − z'²)
    array([4.])
    """
    (a, b), (m, m_b), (v, v_b) = scales, *zip(*residuals, strict=True)
    squares = a[:, None, None] * m**2 - b[:, None, None] * m_b**2
    between = _mean(squares**2, chance) - _mean(squares, chance) ** 2
    own, other, both = (_mean(product, chance) for product in (m * m, m_b * m_b, m * m_b))
    mixed = a**2 * v * own + b**2 * v_b * other - 2 * a * b * covariance * both
    return between + 4 * mixed + 2 * ((a * v) ** 2 + (b * v_b) ** 2 - 2 * a * b * covariance**2)


def _mean(values: Array, chance: Array) -> Array:
    return np.einsum("phg,hg->p", values, chance)


def standard_deviations(
    step: DressedStep, eta: Array, ridge: Array, before: LossPair, gains: LossPair, test_samples: float
) -> dict[str, Array]:
    """Return the standard deviations over draws for both losses before and after the step and for both gains.

    ``before`` are the losses before the step.  See docs/theory/finite_size.md#one-draw.
    """
    out: dict[str, Array] = {}
    for size in np.unique(eta):  # coarse rules are made for one step
        chosen = eta == size
        start, gain = (LossPair(*(x[chosen] for x in pair)) for pair in (before, gains))
        found = _deviations_after(step, float(size), ridge[chosen], start, gain, test_samples)
        for name, values in found.items():
            out.setdefault(name, np.empty(len(eta)))[chosen] = values
    return out


def _deviations_after(
    step: DressedStep, eta: float, ridge: Array, before: LossPair, gains: LossPair, test_samples: float
) -> dict[str, Array]:
    case, n = step.case, step.samples
    # both by the same rules, so that their errors cancel for small steps
    fits = coarse_fit(step, np.repeat([0.0, eta], len(ridge)), np.tile(ridge, 2))
    s, unlearned = (x.reshape(2, len(ridge), *x.shape[1:]) for x in (fits.s, fits.unlearned))
    s_slope, features, alike = (x[len(ridge) :] for x in (fits.s_slope, fits.features, fits.alike))
    traces, _ = float_weights(case, ridge)
    points = points_given(step, fits.h)
    chance = fits.h_weights[:, None] * points.weights
    untrained = (
        step.fit.channel.fidelity * points.label
        - (1 - traces.m2 / traces.m1)[:, None, None] * case.c_star[0] * points.u
    )
    losses = before.test, before.test - gains.test
    means = untrained, untrained + (unlearned[1] - unlearned[0])[..., None]
    variances = [np.maximum(loss - _mean(m**2, chance), 0.0) for loss, m in zip(losses, means, strict=True)]
    of_fit = [np.maximum(variance - case.noise_variance, 0.0) for variance in variances]  # without the noise of labels
    common = alike * np.sqrt(of_fit[0] * of_fit[1])
    whole, clean = ([LeftOut(*pair) for pair in zip(means, kind, strict=True)] for kind in (variances, of_fit))
    learned = [np.divide(v, x, out=np.zeros_like(v), where=x > 0) for v, x in zip(of_fit, losses, strict=True)]
    one = np.ones_like(ridge)
    shared = common + case.noise_variance
    kinds = {
        "train": [Sampled((ridge * s[0], ridge * s[1]), whole, shared, n)],
        "test": [Sampled(learned, whole, shared, n), Sampled((one, one), clean, common, test_samples)],
    }
    noise = -s_slope / s[1] ** 2 * losses[1] / n  # of one feature
    found: dict[str, Array] = {}
    for kind, parts in kinds.items():
        more = noise * (ridge * s[1] if kind == "train" else one)
        gain = _SCATTER[kind] * _variance(parts, (1, 1), chance)
        gain += _MIXED[kind] * np.abs(getattr(gains, kind)) * more + _ALONE[kind] * features * more**2
        found[f"{kind}_loss_initial"] = np.sqrt(_variance(parts, (1, 0), chance))
        found[f"{kind}_loss"] = np.sqrt(_variance(parts, (0, 1), chance))
        found[f"{kind}_gain"] = np.sqrt(np.maximum(gain, 0.0)) if eta else 0 * ridge  # rounding, of a tiny step
    return found


class GivenPoints(NamedTuple):
    """Points at given h: their weights, û·t or x·β⋆, and the noiseless label, over (h, point)."""

    weights: Array
    u: Array
    label: Array


def points_given(step: DressedStep, h: Array) -> GivenPoints:
    """Return points for every h by Gauss–Hermite rules, which are coarser for teachers of several directions."""
    teacher = step.teacher
    count = len(teacher.seen) if isinstance(teacher, MultiIndex) else 1
    g, weights = np.polynomial.hermite_e.hermegauss(_ACROSS[count])
    across = np.stack(np.meshgrid(*[g] * count, indexing="ij"), axis=-1).reshape(-1, count)
    chance = functools.reduce(np.multiply.outer, [weights / weights.sum()] * count).ravel()
    u = step.case.rho * h[:, None] + step.case.off_teacher * across[:, 0]
    if isinstance(teacher, MultiIndex):
        rest = np.broadcast_to(across[:, 1:], (*u.shape, count - 1))
        t = np.concatenate([u[..., None], rest], axis=-1) @ frame(teacher.seen).T
        return GivenPoints(chance, u, teacher.values(t.reshape(-1, count)).reshape(u.shape))
    return GivenPoints(chance, u, np.broadcast_to(teacher.values(u), u.shape))


def _variance(parts: Sequence[Sampled], which: tuple[int, int], chance: Array) -> Array:
    """Return the variance of the loss before the step, after it, or of the difference."""
    chosen = [[keep * scale for keep, scale in zip(which, part.scales, strict=True)] for part in parts]
    terms = [
        scatter(scales, part.residuals, part.covariance, chance) / part.points
        for scales, part in zip(chosen, parts, strict=True)
    ]
    return np.maximum(np.sum(terms, axis=0), 0.0)  # but for rounding
