"""Moments of labels given h, for the teacher and for the fit, and the part of the teacher left by a clean fit.

h is the normalised projection on the step (docs/theory/dressed.md#quadratic-forms).  Losses on clean labels need that
part beside losses on others (docs/theory/dressed.md#corrupted-labels): at a fresh point y − ŷ is (Rỹ)_j/R_jj of a point
that was left out, and nR_jj = 1/ς(h), so E[f(f − f̂)] of a fit to f without noise is a form of the functions ςf and f.
"""

from __future__ import annotations

import numpy as np

from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.fixed_point import Solution, transposed
from theorycalc.theory.dressed.forms import forms_of, free_constant, mid_of, target_of
from theorycalc.theory.dressed.multi_index import LabelMoments, MultiIndex, given_h
from theorycalc.theory.dressed.neurons import DressedStep, Network, Resolution, network_after
from theorycalc.theory.dressed.responses import responses
from theorycalc.theory.dressed.solving import solve


def signal_given(network: Network, level: int) -> LabelMoments:
    """Return the moments of σ⋆(x·β⋆) given h, with x·β⋆ = ρh + √(1−ρ²)g and x·c = √(1−ρ²)h − ρg."""
    rho, other, h = network.step.case.rho, network.step.case.off_teacher, network.h
    if isinstance(network.step.teacher, MultiIndex):
        return given_h(network.step.teacher, h, rho, other, level)
    found = responses(network.step.teacher, rho * h, np.full_like(h, other), level)
    return LabelMoments(
        mean=found.mean,
        along=np.stack(
            [rho * h * found.mean + other * found.linear, other * h * found.mean - rho * found.linear],
        ),
        across=found.quadratic,
        square=found.variance + found.mean**2,
    )


def labels_given(network: Network, level: int) -> LabelMoments:
    """Return the moments of the fit's labels given h; if none is corrupted, y = σ⋆(x·β⋆) + ε.

    See docs/theory/dressed.md#corrupted-labels.
    """
    signal, case, channel = signal_given(network, level), network.step.case, network.step.fit.channel
    corrupt, kept, mean = channel.corrupt, channel.fidelity, network.step.fit.label_mean
    centred, along = kept * signal.mean, np.stack([d * network.h for d in network.step.toward])
    square = (1 - corrupt) * signal.square + corrupt * case.energy + case.noise**2
    return LabelMoments(
        mean=centred + mean,
        along=kept * signal.along + mean * along,
        across=kept * signal.across,
        square=square + channel.flipped_square(signal.mean) + 2 * mean * centred + mean**2,
    )


def learned_by(step: DressedStep, eta: Array, ridge: Array, resolution: Resolution) -> Array:
    """Return how much more of the teacher's energy a fit to clean labels learns after steps than before.

    Both by the same rules, so that their errors cancel; for pairs of η and λ.
    """
    network = network_after(step, np.concatenate([eta, 0 * eta]), resolution)
    solution = solve(network, np.tile(ridge, 2), resolution.s_accuracy, resolution.r_level)
    left = unlearned(network, signal_given(network, resolution.z_level), solution)
    return left[len(eta) :] - left[: len(eta)]


def unlearned(network: Network, signal: LabelMoments, solution: Solution) -> Array:
    """Return E[f(f − f̂)] at fresh points for every η, where f is the noiseless teacher; ``signal`` has its moments.

    See docs/theory/dressed.md#corrupted-labels.
    """
    at = solution.by_ridge
    forms, sigma = forms_of(network, solution.turning, at), 1 / at.g.value
    weighted = LabelMoments(signal.mean * sigma, signal.along[:, None] * sigma, signal.across * sigma, signal.square)
    left, right = (target_of(network, moments, forms, at.g) for moments in (weighted, signal))
    plain: Dual = signal.square @ network.h_weights - (transposed(left.along) @ (forms.Z_all @ right.along))[..., 0, 0]
    if network.step.fit.intercept:
        free = free_constant(network, forms)
        plain = plain - free.between(left, right)
        left, right, forms = free.taken_off(left), free.taken_off(right), free.taken_out(forms)
    mid, scale = mid_of(forms)
    solved = np.linalg.solve(mid.value, right.vector(forms, scale).value[..., None])[..., 0]
    return plain.value - np.einsum("...i,...i->...", left.vector(forms, scale).value, solved)
