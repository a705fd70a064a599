"""One replicate: one draw of network and data, and for every step the features, the fit and the test.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.enums import Simulated
from theorycalc.model.several import MultiTeacher
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats
from theorycalc.running.executors import one_blas_thread
from theorycalc.running.journal import Record
from theorycalc.simulation.draws import (
    BLOCK,
    Channel,
    Labels,
    Neurons,
    Source,
    draw_directions,
    draw_first_layer,
    draw_inputs,
    draw_labels,
    draw_neurons,
    draw_preferring,
    draw_second_layer,
)
from theorycalc.simulation.eigenvalues import (
    Decomposition,
    decompose,
    empirical_traces,
    spectrum_record,
    weights_record,
)
from theorycalc.simulation.network import Gradient, Ladder, SpikeTerms, descended, initial_name, loss_gradient
from theorycalc.simulation.ridge import Fit, intercept_path, ridge_path
from theorycalc.simulation.settings import Settings


@checked_call
def replicate(settings: Settings, index: int, cells: Sequence[int] | None = None) -> list[Record]:
    """Run one replicate and return the record of every cell, or of the named cells, as plain data for JSON.

    All steps share the draw: data, W₀ and a, and with them the gradient at W₀ and the fit before the step, which are
    computed once.  The numbers depend on ``settings.seed``, ``index`` and the step of the cell only, and repeat to the
    last bit: BLAS is held to one thread.  The test loss is the mean of (σ⋆ − f)² over fresh points plus σ_ε²: of the
    same expectation as the mean of (y − f)², with the noise integrated instead of drawn, and so are corrupted labels.

    >>> from theorycalc.simulation.settings import read_settings
    >>> from theorycalc.model.problem import Problem
    >>> settings = read_settings(Problem("relu", ["1"], "1/2", "2/3", "1/10"), n=20, alpha=[0.1, 0.3])
    >>> first, second = replicate(settings, 0)
    >>> sorted(first), first["rows"][0]["test_loss_initial"] == second["rows"][0]["test_loss_initial"]
    (['alpha', 'eta', 'replicate', 'rows', 'solver', 'spectrum', 'traces'], True)
    >>> replicate(settings, 0, cells=[1]) == [second]
    True
    """
    wanted = range(len(settings.steps_taken)) if cells is None else cells
    with one_blas_thread(), np.errstate(all="ignore"):  # overflows are refused, not warned of
        return list(_records(settings, index, wanted))


@dataclass(frozen=True)
class _Draw:
    """The part of a replicate shared by all its steps."""

    source: Source
    labels: Labels
    neurons: Neurons
    second_layer: Floats  # a
    ladder: Ladder  # with W₀, before any step
    gradient: Gradient  # at W₀
    inputs: Floats  # X̃
    targets: Floats  # ỹ


class _Measured(NamedTuple):
    """Fits and tests of some kinds of features, with the spectra and traces requested."""

    fits: dict[str, Fit]
    tests: dict[str, FreshLosses]
    spectra: dict[str, Decomposition]
    traces: list[dict[str, float]] | None


def _records(settings: Settings, index: int, cells: Sequence[int]) -> Iterator[Record]:
    draw = _draw(settings, index)
    kinds = tuple(dict.fromkeys(map(initial_name, settings.models)))
    before = _measure(settings, draw, draw.ladder, kinds)
    for cell in cells:
        step = settings.steps_taken[cell]
        try:
            record = _after(settings, draw, before, step.eta)
        except DomainError as error:
            raise DomainError(f"{step}: {error}") from None
        yield {"alpha": step.alpha, "eta": step.eta, "replicate": index, **record}


def _draw(settings: Settings, index: int) -> _Draw:
    """Return a draw of the network and the batches, with the gradient; the step's batch is not kept."""
    problem, source = settings.problem, Source(settings.seed, index)
    g_w, g_a = float(problem.first_scale), float(problem.second_scale)
    only_network = settings.models == (Simulated.NETWORK,)
    neurons = draw_neurons(source.stream("biases"), problem, settings.N, None if only_network else settings.ell)
    functions = neurons.functions
    rng, d, inputs = source.stream("teacher"), settings.d, problem.inputs
    direction = draw_preferring(rng, inputs, d) if inputs else draw_directions(rng, d, problem.teacher.directions)
    offset = float(problem.teacher.mean) - float(problem.label_mean)
    labels = Labels(functions.teacher, direction, float(problem.noise), offset)
    initial = draw_first_layer(source.stream("first_layer"), problem.first_layer, settings.N, settings.d, g_w)
    second_layer = draw_second_layer(source.stream("second_layer"), problem.second_layer, settings.N, g_a)
    batch = _step_batch(settings, source, labels)
    gradient = loss_gradient(*batch, initial, second_layer, functions, settings.gradient, settings.precision)
    del batch
    moments = neurons.c1 / g_w, neurons.c_rest
    c0 = 0.0 if problem.centred else neurons.c0
    ladder = Ladder(initial, functions.activation, settings.precision, *moments, c0=c0)
    law, scales = settings.input_law, settings.input_scales
    points = draw_inputs(source.stream("ridge_inputs"), law, settings.n, d, scales)
    targets = draw_labels(source.stream("ridge_labels"), labels, settings.fit_channel, law, points, scales)
    return _Draw(source, labels, neurons, second_layer, ladder, gradient, points, targets)


def _step_batch(settings: Settings, source: Source, labels: Labels, number: int = 0) -> tuple[Floats, Floats]:
    """Return the points and labels of the batch for a gradient step; the first step has number 0."""
    law, scales = settings.input_law, settings.input_scales
    inputs = draw_inputs(source.stream("step_inputs", number), law, settings.step_samples, settings.d, scales)
    rng = source.stream("step_labels", number)
    return inputs, draw_labels(rng, labels, settings.step_channel, law, inputs, scales)


def _measure(settings: Settings, draw: _Draw, ladder: Ladder, kinds: Sequence[str]) -> _Measured:
    """Fit and test each kind of features, one matrix of features at a time."""
    fits: dict[str, Fit] = {}
    spectra: dict[str, Decomposition] = {}
    traces: list[dict[str, float]] | None = None
    fitted = intercept_path if settings.problem.intercept else ridge_path
    for kind in kinds:
        features = ladder.features(kind, draw.inputs, draw.source.stream("bulk"))
        fits[kind] = fitted(features, draw.targets, settings.ridges)
        if settings.traces and kind == "initial":
            traces = empirical_traces(features, draw.inputs, settings.ridges)
        if settings.spectrum and kind in ("initial", Simulated.NETWORK):
            spectra[kind] = decompose(features, settings.ell)
        del features  # before the next ones are made
    return _Measured(fits, fresh_losses(settings, draw.source, draw.labels, ladder, fits), spectra, traces)


def _after(settings: Settings, draw: _Draw, before: _Measured, eta: float) -> dict[str, object]:
    """Return the rows, traces, spectrum and solver of the record after steps of size η."""
    moved = _moved(settings, draw, eta) if Simulated.NETWORK in settings.models else None
    ladder = replace(draw.ladder, stepped=None if moved is None else moved.weights, spikes=_spikes(settings, draw, eta))
    after = _measure(settings, draw, ladder, settings.models)
    spectrum = None
    if settings.spectrum:
        assert moved is not None  # read_settings() has checked it
        has_mean = not settings.problem.centred and any(kind.has_mean for kind in settings.problem.unit_kinds)
        spectra = before.spectra["initial"], after.spectra[Simulated.NETWORK]
        spectrum = spectrum_record(*spectra, draw.inputs @ moved.direction, has_mean)
        teacher, seen = settings.problem.teacher, draw.labels.direction
        if isinstance(teacher, MultiTeacher):  # û = Σ_j û_jβ_j, which the step sees
            seen = np.asarray(seen @ np.array([float(part) for part in teacher.seen]))
        spectrum["weights"] = weights_record(moved.weights, draw.second_layer, moved.direction, seen)
    fits = before.fits | after.fits
    worst = max(fits.values(), key=lambda fit: fit.residual)
    reasons = [f"{name}: {fit.fallback}" for name, fit in fits.items() if fit.fallback is not None]
    return {
        "rows": _rows(settings, fits, before.tests | after.tests),
        "traces": before.traces,
        "spectrum": spectrum,
        "solver": {"method": worst.method, "residual": worst.residual, "fallback": "; ".join(reasons) or None},
    }


def _moved(settings: Settings, draw: _Draw, eta: float) -> Gradient:
    """Return W after all gradient steps, on fresh batches unless the first is reused, and the sum of their β."""
    weights, direction = descended(draw.ladder.initial, draw.gradient.weights, eta), draw.gradient.direction
    a, functions, how = draw.second_layer, draw.neurons.functions, (settings.gradient, settings.precision)
    for number in range(1, settings.problem.steps):
        batch = _step_batch(settings, draw.source, draw.labels, 0 if settings.reuse_batch else number)
        gradient = loss_gradient(*batch, weights, a, functions, *how)
        del batch
        weights, direction = descended(weights, gradient.weights, eta), direction + gradient.direction
    return Gradient(weights, direction)


def _spikes(settings: Settings, draw: _Draw, eta: float) -> SpikeTerms | None:
    """Return the spikes of the equivalents, or None if only the network is simulated."""
    if settings.models == (Simulated.NETWORK,):
        return None
    assert settings.ell is not None  # read_settings() has checked it
    problem = settings.problem
    assert draw.neurons.spikes is not None
    slope = draw.ladder.c1 / float(problem.first_scale)  # rows of length 1 move by c_1η/g_w²
    powers = np.arange(1, settings.ell + 1)
    strengths = (slope * eta) ** (powers[:, None] if np.ndim(slope) else powers) * draw.neurons.spikes
    return SpikeTerms(strengths, draw.gradient.direction, draw.second_layer)


def _rows(settings: Settings, fits: dict[str, Fit], tests: dict[str, FreshLosses]) -> list[dict[str, object]]:
    """Return a row for every model and ridge: losses and errors before and after the step, and the gains."""
    more = ("test_loss_clean", not settings.fit_channel.is_clean), ("error_rate", settings.has_sign_labels)
    names = "train_loss", "test_loss", *(name for name, is_measured in more if is_measured), "train_error"
    rows = []
    for model in settings.models:
        before, after = initial_name(model), model
        found = {
            "train_loss": (fits[before].train_losses, fits[after].train_losses),
            "test_loss": (tests[before].losses, tests[after].losses),
            "test_loss_clean": (tests[before].clean_losses, tests[after].clean_losses),
            "error_rate": (tests[before].error_rates, tests[after].error_rates),
            "train_error": (fits[before].train_errors, fits[after].train_errors),
        }
        for j, ridge in enumerate(settings.ridges):
            row: dict[str, object] = {"model": str(model), "ridge": ridge}
            for name in names:
                first, last = (float(values[j]) for values in found[name])
                row |= {f"{name}_initial": first, name: last}
                if name != "train_error":
                    row[name.replace("_loss", "_gain") if "_loss" in name else f"{name}_gain"] = first - last
            rows.append(row)
    return rows


@dataclass(frozen=True)
class FreshLosses:
    """A fit on fresh points, one number for every λ."""

    losses: Floats  # with labels of the channel of the fit
    clean_losses: Floats  # with clean labels
    error_rates: Floats  # the share of points where the prediction has another sign than the teacher


def fresh_losses(
    settings: Settings, source: Source, labels: Labels, ladder: Ladder, fits: Mapping[str, Fit]
) -> dict[str, FreshLosses]:
    """Return the test of every kind of features, on points drawn block by block and not kept.

    Noise and errors of labels are integrated, not drawn:
    docs/theory/setting.md#the-two-losses and docs/theory/channels.md.
    """
    channel, total = settings.fit_channel, 0.0  # Σ f of the labels without noise
    shift = (1 - 2 * channel.flip) * labels.offset  # the mean that fits lack, which they have again for their signs
    sums = {kind: np.zeros((4, len(settings.ridges))) for kind in fits}  # Σ (f − f̂)², Σ f f̂, Σ f̂, Σ of wrong signs
    points, bulk = source.stream("test_inputs"), source.stream("test_bulk")
    for start in range(0, settings.test_samples, BLOCK):
        count = min(BLOCK, settings.test_samples - start)
        inputs = draw_inputs(points, settings.input_law, count, settings.d, settings.input_scales)
        signal = labels.signal(inputs)[:, None]
        total += float(np.sum(signal))
        for kind, fit in fits.items():
            predicted = fit.predictions(ladder.features(kind, inputs, bulk))
            wrong = np.sign(predicted + shift) != np.sign(signal + labels.offset)
            parts = (signal - predicted) ** 2, signal * predicted, predicted, wrong
            sums[kind] += [np.sum(part, axis=0) for part in parts]
    return {kind: _tested(found, settings.test_samples, total, labels, channel) for kind, found in sums.items()}


def _tested(sums: Floats, count: int, total: float, labels: Labels, channel: Channel) -> FreshLosses:
    """Return losses from sums over clean points, plus E(y_channel − f̂)² − E(y − f̂)².

    The channel keeps E y², and the mean of its labels at a point is (1 − 2q)[(1 − p)f + p E f], so the difference is
    2 E[f f̂](1 − a) − 2p(1 − 2q) E f E f̂.  The product of the means is that over different points, without a bias.
    Where a mean μ is subtracted, flips before that add (1 − (1 − 2q)²)μ(μ + 2E f) to E y².
    """
    squares, products, predictions, wrong = sums
    losses = clean = squares / count + labels.noise**2
    if not channel.is_clean:
        sign = 1 - 2 * channel.flip
        apart = (total * predictions - products) / max(count * (count - 1), 1)
        spread = (1 - sign**2) * labels.offset * (labels.offset + 2 * total / count)
        kept = 2 * (1 - (1 - channel.corrupt) * sign) * (products / count)
        losses = clean + (kept - 2 * channel.corrupt * sign * apart + spread)
    if not np.all(np.isfinite(losses)):
        raise DomainError(  # pragma: no cover - features that overflow are refused before
            "the predictions overflow: the step is too large for this activation"
        )
    return FreshLosses(losses, clean, wrong / count)
