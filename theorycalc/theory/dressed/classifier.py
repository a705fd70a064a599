"""The law of the fit at a fresh point after a step of any size, and the probability that its sign is wrong.

See docs/theory/error_rate.md#after-a-step-of-any-size.

y − ŷ at a fresh point is the residual of a point that is left out of the fit, (Rỹ)_j/R_jj with nR_jj → g(h_j).  So for
every function f of a point E[f (y − ŷ)] = (f/g)ᵀRỹ: with f = 1_{h = h_j} that is the mean of y − ŷ given h, with
f = 1_{h = h_j}·(x·β⋆ − ρh) its part linear in x·β⋆.  Given h, E(y − ŷ)² is −dỹᵀRỹ/dλ(h) g(h)⁻², λ changed at that h
alone.  The rest of it, beside both means, is the variance of ŷ, a sum over many neurons.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from theorycalc.model.seen_part import frame
from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.fixed_point import Carried, Solution, balance, newton_matrix, solve
from theorycalc.theory.dressed.forms import Forms, LabelSystem, forms_of, label_system
from theorycalc.theory.dressed.labels import labels_given
from theorycalc.theory.dressed.multi_index import LabelMoments, MultiIndex
from theorycalc.theory.dressed.neurons import DressedStep, Network, Resolution, network_after
from theorycalc.theory.dressed.turning import Turning
from theorycalc.theory.label_lines import Sections, SignLabels, SomeSigns
from theorycalc.theory.signs import FitLaw, wrong_share

ACCURACY = 1e-8  # of an error rate, absolute
_FIRST = Resolution(u_step=0.5, h_step=0.42)
_REFINEMENT = 1.4
_MOST_TRIALS = 4
_SMALLEST = 1e-12  # variance beside the test loss, which only rounding could make less


class DressedFit(NamedTuple):
    """The law of the fit at the nodes of h."""

    h: Array
    h_weights: Array
    law: FitLaw
    across: Array  # the slopes of its mean in the coordinates of t beside û, over (coordinate, h)
    loss: Array  # E[(y − ŷ)² | h]


class StepRates(NamedTuple):
    """Error rates for pairs of η and λ, and their change under finer rules."""

    rate: Array
    error: Array


def step_rates(step: DressedStep, labels: SomeSigns, eta: Array, ridge: Array, test_loss: Array) -> StepRates:
    """Return the error rates after steps η, given their test losses, which alone contain terms of order 1/n."""
    found = [_settled(step, labels, *pair) for pair in zip(eta, ridge, test_loss, strict=True)]
    return StepRates(*np.array(found).T.reshape(2, len(eta)))


def _settled(step: DressedStep, labels: SomeSigns, eta: float, ridge: float, test_loss: float) -> tuple[float, float]:
    """Return a rate under rules refined until it settles, and its last change."""
    resolution = _FIRST
    rate, change = _rate(step, labels, eta, ridge, test_loss, resolution), np.inf
    for _ in range(_MOST_TRIALS):
        resolution = replace(
            resolution,
            u_step=resolution.u_step / _REFINEMENT,
            h_step=resolution.h_step / _REFINEMENT,
            z_level=resolution.z_level + 1,
        )
        finer = _rate(step, labels, eta, ridge, test_loss, resolution)
        rate, change = finer, abs(finer - rate)
        if change < ACCURACY:
            break
    if isinstance(labels, Sections) and labels.is_sampled:
        change = max(change, abs(_rate(step, labels.half(), eta, ridge, test_loss, resolution) - rate))
    return rate, change


def _rate(
    step: DressedStep, labels: SomeSigns, eta: float, ridge: float, test_loss: float, resolution: Resolution
) -> float:
    fit = dressed_fit(step, eta, ridge, resolution)
    law, case = fit.law, step.case
    more = test_loss - fit.loss @ fit.h_weights  # of order 1/n: the noise that features in force are fitted to
    variance = np.maximum(law.variance + more, _SMALLEST * test_loss)
    law = law._replace(mean=law.mean - step.fit.label_mean, variance=variance)
    center, off = case.rho * fit.h, float(case.off_teacher)
    if isinstance(labels, SignLabels):
        return float(wrong_share(labels, center, off, law) @ fit.h_weights)
    total = 0.0
    for part, across, weights in labels.in_parts(len(fit.h)):
        found = wrong_share(part, center, off, law._replace(mean=law.mean + across @ fit.across))
        total += float(weights @ (found @ fit.h_weights))
    return total


def dressed_fit(step: DressedStep, eta: float, ridge: float, resolution: Resolution) -> DressedFit:
    """Return the law of the fit at one λ after one step."""
    network = network_after(step, np.array([eta]), resolution)
    solution = solve(network, np.array([ridge]), resolution.s_accuracy, resolution.r_level)
    labels, at = labels_given(network, resolution.z_level), solution.by_leverage
    forms = forms_of(network, solution.turning, at)
    system = label_system(network, labels, forms, at.g)
    at_node = at.g.value[0] * np.sqrt(network.h_weights)
    parts, along = open_directions(step), linear_parts(network, labels)
    mean = labels.mean - system.lower[0, : len(network.h)] / at_node
    found = [_forms_with_linear(network, labels, forms, at, system, *one) for one in zip(parts, along, strict=True)]
    slope = along - np.array(found) / at_node
    loss = losses_given(network, labels, ridge, solution)
    taken = np.sum(2 * slope * along - slope**2, axis=0)
    explained = labels.square - 2 * mean * labels.mean + mean**2 - taken
    return DressedFit(network.h, network.h_weights, FitLaw(mean, slope[0], loss - explained), slope[1:], loss)


def open_directions(step: DressedStep) -> Array:
    """Return the directions that h leaves open and on which labels depend: g along û, and t orthogonal to û."""
    first = np.array(step.open_part, dtype=float)[None]
    if not isinstance(step.teacher, MultiIndex):
        return first
    beside = frame(step.teacher.seen)[:, 1:].T
    return np.concatenate([first, np.pad(beside, ((0, 0), (0, 1)))])


def linear_parts(network: Network, labels: LabelMoments) -> Array:
    """Return E[y x·d | h] for the directions that h leaves open, over (direction, h)."""
    return open_directions(network.step) @ labels.along


def _forms_with_linear(
    network: Network,
    labels: LabelMoments,
    forms: Forms,
    at: Carried,
    system: LabelSystem,
    direction: Array,
    along: Array,
) -> Array:
    """Return fᵀRỹ of f = 1_{h = h_j}x·d/√w_j for every node; ``along`` is E[y x·d | h].

    Forms are quadratic in the labels: those of y + f less those of y − f are four times those of f with y.
    """
    root = np.sqrt(network.h_weights)
    solved = np.linalg.solve(system.mid.value, system.vector.value[..., None])[0, :, 0]
    found = np.empty(len(network.h))
    for j, size in enumerate(root):
        node = np.zeros(len(network.h))
        node[j] = 1 / size
        toward = np.multiply.outer(direction, node)
        both = [
            label_system(
                network,
                labels._replace(along=labels.along + sign * toward, square=labels.square + 2 * sign * node * along),
                forms,
                at.g,
            )
            for sign in (1, -1)
        ]
        plain, vector = both[0].plain - both[1].plain, both[0].vector - both[1].vector
        found[j] = plain.value[0] / 4 - vector.value[0] @ solved / 2
    return found


def losses_given(network: Network, labels: LabelMoments, ridge: float, solution: Solution) -> Array:
    """Return E[(y − ŷ)² | h] at the nodes, from the slope of ỹᵀRỹ as λ(h) changes at one node at a time."""
    (g,), (Q,) = solution.by_leverage.g.value, solution.by_leverage.Q.value
    count, size, turning = len(g), len(Q), solution.turning
    assert isinstance(turning, Turning)  # inputs with a covariance were refused
    found = balance(network, turning, np.full((1, count), ridge), g[None], Q[None])
    pushes = np.zeros((size + count, count))
    pushes[size:] = np.diag(1 / g**2)
    slopes = np.linalg.solve(newton_matrix(network, turning, found, g[None])[0], pushes).T
    at = Carried(Dual(np.tile(g, (count, 1)), -slopes[:, size:] * g**2), Dual(np.tile(Q, (count, 1)), slopes[:, :size]))
    each = network.at(np.zeros(count, dtype=int))
    form = label_system(each, labels, forms_of(each, turning, at), at.g).form
    return -form.slope / network.h_weights
