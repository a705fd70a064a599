"""Moments of labels given h, the normalised projection on the step: of the teacher, and of the labels of the fit.

See docs/theory/dressed.md#quadratic-forms.
"""

from __future__ import annotations

import numpy as np

from theorycalc.theory.dressed.multi_index import LabelMoments, MultiIndex, given_h
from theorycalc.theory.dressed.neurons import Network
from theorycalc.theory.dressed.responses import responses


def signal_given(network: Network, level: int) -> LabelMoments:
    """Return the moments of σ⋆(x·β⋆), with x·β⋆ = ρh + √(1−ρ²)g and x·c = √(1−ρ²)h − ρg."""
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
    """Return the moments of the labels of the fit, y = σ⋆(x·β⋆) + ε where none of them is corrupted.

    See docs/theory/dressed.md#corrupted-labels.
    """
    signal, case, channel = signal_given(network, level), network.step.case, network.step.fit.channel
    corrupt, kept, mean = channel.corrupt, channel.fidelity, network.step.fit.label_mean
    square = (1 - corrupt) * signal.square + corrupt * case.energy + case.noise**2
    labels = LabelMoments(
        mean=kept * signal.mean,
        along=kept * signal.along,
        across=kept * signal.across,
        square=square + channel.flipped_square(signal.mean),
    )
    if not mean:
        return labels
    along = np.stack([d * network.h for d in network.step.toward])
    return LabelMoments(
        mean=labels.mean + mean,
        along=labels.along + mean * along,
        across=labels.across,
        square=labels.square + 2 * mean * labels.mean + mean**2,
    )
