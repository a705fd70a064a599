"""One replicate: one draw of network and data, and for every step the features, the fit and the test.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.enums import Simulated
from theorycalc.model.requirements import Functions, functions_of
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats
from theorycalc.running.executors import one_blas_thread
from theorycalc.running.journal import Record
from theorycalc.simulation.draws import (
    BLOCK,
    Labels,
    Source,
    draw_direction,
    draw_first_layer,
    draw_inputs,
    draw_labels,
    draw_second_layer,
)
from theorycalc.simulation.eigenvalues import Decomposition, decompose, empirical_traces, spectrum_record
from theorycalc.simulation.network import Gradient, Ladder, SpikeTerms, descended, initial_name, loss_gradient
from theorycalc.simulation.ridge import Fit, ridge_path
from theorycalc.simulation.settings import Settings
from theorycalc.simulation.singular_values import weights_record


@checked_call
def replicate(settings: Settings, index: int, cells: Sequence[int] | None = None) -> list[Record]:
    """Run one replicate and return the record of every cell, or of those named, as plain data for JSON.

    All steps share the draw: data, W₀ and a, and with them the gradient at W₀ and the fit before the step, which are
    computed once.  The numbers depend on ``settings.seed``, ``index`` and the step of the cell only, and repeat to the
    last bit: BLAS is held to one thread.  The test loss is the mean of (σ⋆ − f)² over fresh points plus σ_ε²: of the
    same expectation as the mean of (y − f)², with the noise integrated instead of drawn.

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
    """The part of a replicate that all its steps share."""

    source: Source
    labels: Labels
    functions: Functions
    second_layer: Floats  # a
    ladder: Ladder  # with W₀, before any step
    gradient: Gradient  # at W₀
    inputs: Floats  # X̃
    targets: Floats  # ỹ


class _Measured(NamedTuple):
    """Fits and test losses of some kinds of features, and the spectra and traces that were asked for."""

    fits: dict[str, Fit]
    losses: dict[str, Floats]
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
    """Draw the network and the batches, and take the gradient; the batch of the step is not kept."""
    problem, functions, source = settings.problem, functions_of(settings.problem), Source(settings.seed, index)
    direction = draw_direction(source.stream("teacher"), settings.d)
    labels = Labels(functions.teacher, direction, float(problem.noise), settings.corrupt)
    initial = draw_first_layer(source.stream("first_layer"), problem.first_layer, settings.N, settings.d)
    second_layer = draw_second_layer(source.stream("second_layer"), problem.second_layer, settings.N)
    batch = _batch(settings, source, labels, "step", settings.step_samples)
    gradient = loss_gradient(*batch, initial, second_layer, functions, settings.gradient, settings.precision)
    del batch
    activation = problem.activation
    moments = float(activation.c1), float(activation.c_rest)
    ladder = Ladder(initial, functions.activation, settings.precision, *moments)
    batch = _batch(settings, source, labels, "ridge", settings.n)
    return _Draw(source, labels, functions, second_layer, ladder, gradient, *batch)


def _batch(settings: Settings, source: Source, labels: Labels, use: str, count: int) -> tuple[Floats, Floats]:
    """Return the points and labels of the batch for the "step" or for the "ridge" fit."""
    inputs = draw_inputs(source.stream(f"{use}_inputs"), settings.inputs, count, settings.d)
    return inputs, draw_labels(source.stream(f"{use}_labels"), labels, settings.inputs, inputs)


def _measure(settings: Settings, draw: _Draw, ladder: Ladder, kinds: Sequence[str]) -> _Measured:
    """Fit and test each kind of features, one matrix of features at a time."""
    fits: dict[str, Fit] = {}
    spectra: dict[str, Decomposition] = {}
    traces: list[dict[str, float]] | None = None
    for kind in kinds:
        features = ladder.features(kind, draw.inputs, draw.source.stream("bulk"))
        fits[kind] = ridge_path(features, draw.targets, settings.ridges)
        if settings.traces and kind == "initial":
            traces = empirical_traces(features, draw.inputs, settings.ridges)
        if settings.spectrum and kind in ("initial", Simulated.NETWORK):
            spectra[kind] = decompose(features, settings.ell)
        del features  # before the next ones are made
    return _Measured(fits, _test_losses(settings, draw, ladder, fits), spectra, traces)


def _test_losses(settings: Settings, draw: _Draw, ladder: Ladder, fits: dict[str, Fit]) -> dict[str, Floats]:
    """Return L_te for every kind of features and every λ; the test batch is drawn block by block, and not kept."""
    labels, points, bulk = draw.labels, draw.source.stream("test_inputs"), draw.source.stream("test_bulk")
    squares = {kind: np.zeros(len(settings.ridges)) for kind in fits}
    for start in range(0, settings.test_samples, BLOCK):
        count = min(BLOCK, settings.test_samples - start)
        inputs = draw_inputs(points, settings.inputs, count, settings.d)
        signal = labels.teacher(inputs @ labels.direction)[:, None]
        for kind, fit in fits.items():
            squares[kind] += np.sum((signal - ladder.features(kind, inputs, bulk) @ fit.weights) ** 2, axis=0)
    losses = {kind: total / settings.test_samples + labels.noise**2 for kind, total in squares.items()}
    if not all(np.all(np.isfinite(values)) for values in losses.values()):
        raise DomainError(  # pragma: no cover - features that overflow are refused before
            "the predictions overflow: the step is too large for this activation"
        )
    return losses


def _after(settings: Settings, draw: _Draw, before: _Measured, eta: float) -> dict[str, object]:
    """Take a step of size η and return the rows, traces, spectrum and solver of its record."""
    ladder = replace(draw.ladder, stepped=_stepped(settings, draw, eta), spikes=_spikes(settings, draw, eta))
    after = _measure(settings, draw, ladder, settings.models)
    fits, losses = before.fits | after.fits, before.losses | after.losses
    spectrum = None
    if settings.spectrum:
        projection = draw.inputs @ draw.gradient.direction
        spectrum = spectrum_record(before.spectra["initial"], after.spectra[Simulated.NETWORK], projection)
        assert ladder.stepped is not None  # read_settings() has checked it
        directions = draw.second_layer, draw.gradient.direction, draw.labels.direction
        spectrum["weights"] = weights_record(ladder.stepped, *directions)
    return {
        "rows": [
            _row(model, j, ridge, fits, losses) for model in settings.models for j, ridge in enumerate(settings.ridges)
        ],
        "traces": before.traces,
        "spectrum": spectrum,
        "solver": _solver(fits),
    }


def _stepped(settings: Settings, draw: _Draw, eta: float) -> Floats | None:
    """Return W after the gradient steps, all of them on the same batch; None where the network is not asked for."""
    if Simulated.NETWORK not in settings.models:
        return None
    weights = descended(draw.ladder.initial, draw.gradient.weights, eta)
    if settings.steps > 1:
        batch = _batch(settings, draw.source, draw.labels, "step", settings.step_samples)
        a, functions, how = draw.second_layer, draw.functions, (settings.gradient, settings.precision)
        for _ in range(settings.steps - 1):
            weights = descended(weights, loss_gradient(*batch, weights, a, functions, *how).weights, eta)
    return weights


def _spikes(settings: Settings, draw: _Draw, eta: float) -> SpikeTerms | None:
    """Return the spikes of the equivalents; None where only the network is asked for."""
    if settings.models == (Simulated.NETWORK,):
        return None
    assert settings.ell is not None  # read_settings() has checked it
    coefficients = np.asarray(settings.problem.activation.coefficients(settings.ell), dtype=float)[1:]
    strengths = (draw.ladder.c1 * eta) ** np.arange(1, settings.ell + 1) * coefficients
    return SpikeTerms(strengths, draw.gradient.direction, draw.second_layer)


def _row(model: str, j: int, ridge: float, fits: dict[str, Fit], losses: dict[str, Floats]) -> dict[str, object]:
    before = initial_name(model)
    train_initial, train = float(fits[before].train_losses[j]), float(fits[model].train_losses[j])
    test_initial, test = float(losses[before][j]), float(losses[model][j])
    return {
        "model": model,
        "ridge": ridge,
        "train_loss_initial": train_initial,
        "train_error_initial": float(fits[before].train_errors[j]),
        "test_loss_initial": test_initial,
        "train_loss": train,
        "train_error": float(fits[model].train_errors[j]),
        "test_loss": test,
        "train_gain": train_initial - train,
        "test_gain": test_initial - test,
    }


def _solver(fits: dict[str, Fit]) -> dict[str, object]:
    """Return the method of the fit with the largest residual, that residual, and every fall-back."""
    worst = max(fits.values(), key=lambda fit: fit.residual)
    reasons = [f"{name}: {fit.fallback}" for name, fit in fits.items() if fit.fallback is not None]
    return {"method": worst.method, "residual": worst.residual, "fallback": "; ".join(reasons) or None}
