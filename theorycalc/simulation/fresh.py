"""Losses and error rates on fresh points, without drawing their noise or the errors of their labels.

See docs/theory/setting.md#the-two-losses and docs/theory/channels.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.numbers.exact import Floats
from theorycalc.simulation.draws import BLOCK, Channel, Labels, Source, draw_inputs
from theorycalc.simulation.network import Ladder
from theorycalc.simulation.ridge import Fit
from theorycalc.simulation.settings import Settings


@dataclass(frozen=True)
class Tested:
    """A fit on fresh points, one number for every λ."""

    losses: Floats  # with labels of the channel of the fit
    clean_losses: Floats  # with clean labels
    error_rates: Floats  # the share of points where the prediction has another sign than the teacher


@dataclass
class _Sums:
    """Sums over points: of squares, products and signs of the labels f and the predictions f̂, for every λ."""

    ridges: int
    offset: float  # the mean that labels lack, which both have again when their signs are compared
    sign: float  # 1 − 2q, by which flips change the mean of the fit's labels
    count: int = 0
    labels: float = 0.0  # Σ f
    squares: Floats = field(init=False)  # Σ (f − f̂)²
    products: Floats = field(init=False)  # Σ f f̂
    predictions: Floats = field(init=False)  # Σ f̂
    wrong: Floats = field(init=False)  # how many f and f̂ have different signs

    def __post_init__(self) -> None:
        self.squares, self.products, self.predictions, self.wrong = (np.zeros(self.ridges) for _ in range(4))

    def add(self, signal: Floats, predicted: Floats) -> None:
        """Count some more points: labels without noise in one column, predictions in one column for every λ."""
        self.count += len(signal)
        self.labels += float(np.sum(signal))
        self.squares += np.sum((signal - predicted) ** 2, axis=0)
        self.products += np.sum(signal * predicted, axis=0)
        self.predictions += np.sum(predicted, axis=0)
        self.wrong += np.sum(np.sign(predicted + self.sign * self.offset) != np.sign(signal + self.offset), axis=0)


def fresh_losses(
    settings: Settings, source: Source, labels: Labels, ladder: Ladder, fits: Mapping[str, Fit]
) -> dict[str, Tested]:
    """Return the test of every kind of features; the points are drawn block by block, and not kept."""
    sign = 1 - 2 * settings.fit_channel.flip
    sums = {kind: _Sums(len(settings.ridges), labels.offset, sign) for kind in fits}
    points, bulk = source.stream("test_inputs"), source.stream("test_bulk")
    for start in range(0, settings.test_samples, BLOCK):
        count = min(BLOCK, settings.test_samples - start)
        inputs = draw_inputs(points, settings.input_law, count, settings.d, settings.input_scales)
        signal = labels.signal(inputs)[:, None]
        for kind, fit in fits.items():
            sums[kind].add(signal, fit.predictions(ladder.features(kind, inputs, bulk)))
    return {kind: _tested(total, labels.noise, settings.fit_channel) for kind, total in sums.items()}


def _tested(sums: _Sums, noise: float, channel: Channel) -> Tested:
    clean = sums.squares / sums.count + noise**2
    losses = clean if channel.is_clean else clean + _cost(sums, channel)
    if not np.all(np.isfinite(losses)):
        raise DomainError(  # pragma: no cover - features that overflow are refused before
            "the predictions overflow: the step is too large for this activation"
        )
    return Tested(losses, clean, sums.wrong / sums.count)


def _cost(sums: _Sums, channel: Channel) -> Floats:
    """Return E(y_channel − f̂)² − E(y − f̂)², by the sums over clean points.

    The channel keeps E y², and the mean of its labels at a point is (1 − 2q)[(1 − p)f + p E f], so the difference is
    2 E[f f̂](1 − a) − 2p(1 − 2q) E f E f̂.  The product of the means is that over different points, without a bias.
    Where a mean μ is subtracted, flips before that add (1 − (1 − 2q)²)μ(μ + 2E f) to E y².
    """
    count, sign = sums.count, 1 - 2 * channel.flip
    products = sums.products / count
    pairs = max(count * (count - 1), 1)
    apart = (sums.labels * sums.predictions - sums.products) / pairs
    spread = (1 - sign**2) * sums.offset * (sums.offset + 2 * sums.labels / count)
    return 2 * (1 - (1 - channel.corrupt) * sign) * products - 2 * channel.corrupt * sign * apart + spread
