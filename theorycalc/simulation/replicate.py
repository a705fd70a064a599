"""One replicate: draw, step, fit, test (theory sections 1 and 10)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from theorycalc.blas import blas_pools
from theorycalc.errors import DomainError, checked_call
from theorycalc.simulation.draws import (
    BLOCK,
    Labels,
    Streams,
    draw_direction,
    draw_first_layer,
    draw_inputs,
    draw_labels,
    draw_second_layer,
    streams,
)
from theorycalc.simulation.equivalents import Ladder, Spikes, initial_name
from theorycalc.simulation.network import gradient_steps
from theorycalc.simulation.ridge import Fit, ridge_path
from theorycalc.simulation.settings import Settings
from theorycalc.simulation.spectrum import decompose, empirical_traces, spectrum_record
from theorycalc.theory.functions import Array, Functions, functions_of


@checked_call
def replicate(settings: Settings, cell: int, index: int) -> dict[str, Any]:
    """Run one replicate of a cell and return its record, plain data for JSON.

    The numbers depend on ``settings.seed``, ``cell`` and ``index`` only, and repeat to the last bit: BLAS
    is held to one thread.  The test loss is the mean of (σ⋆ − f)² over fresh points plus σ_ε²: of the same
    expectation as the mean of (y − f)², with the noise integrated instead of drawn.

    >>> from theorycalc.simulation.settings import read_settings
    >>> from theorycalc.theory.problem import Problem
    >>> settings = read_settings(Problem("relu", ["1"], "1/2", "2/3", "1/10"), n=20, alpha=0.3)
    >>> record = replicate(settings, 0, 0)
    >>> sorted(record), sorted(record["rows"][0])[:3]
    (['cell', 'replicate', 'rows', 'seconds', 'solver', 'spectrum', 'traces'], ['model', 'ridge', 'test_gain'])
    """
    start = time.perf_counter()
    with blas_pools().limit(limits=1, user_api="blas"), np.errstate(all="ignore"):
        record = _replicate(settings, cell, index)  # what overflows is refused, not warned of
    return {"cell": cell, "replicate": index, **record, "seconds": time.perf_counter() - start}


def _replicate(settings: Settings, cell: int, index: int) -> dict[str, Any]:
    problem, functions = settings.problem, functions_of(settings.problem)
    source = streams(settings.seed, cell, index)
    labels = Labels(
        functions.teacher,
        draw_direction(source.teacher, settings.d),
        float(problem.noise),
        settings.corrupt,
    )
    ladder, direction = _train(settings, settings.steps_taken[cell].eta, source, labels, functions)
    inputs = draw_inputs(source.ridge_inputs, settings.inputs, settings.n, settings.d)
    targets = draw_labels(source.ridge_labels, labels, settings.inputs, inputs)
    fits: dict[str, Fit] = {}
    traces: list[dict[str, float]] | None = None
    spectra: dict[str, Any] = {}
    for name, features in ladder.features(inputs, source.bulk):
        fits[name] = ridge_path(features, targets, settings.ridges)
        if settings.traces and name == "initial":
            traces = empirical_traces(features, inputs, settings.ridges)
        if settings.spectrum and name in ("initial", "network"):
            spectra[name] = decompose(features, settings.ell)
        del features  # before the next ones are made
    spectrum = spectrum_record(spectra["initial"], spectra["network"], inputs @ direction) if spectra else None
    del inputs
    losses = _test_losses(settings, ladder, source, labels, fits)
    return {
        "rows": [
            _row(model, j, ridge, fits, losses) for model in settings.models for j, ridge in enumerate(settings.ridges)
        ],
        "traces": traces,
        "spectrum": spectrum,
        "solver": _solver(fits),
    }


def _train(
    settings: Settings, eta: float, source: Streams, labels: Labels, functions: Functions
) -> tuple[Ladder, Array]:
    """Draw the network, take the step, and return what makes its features, with the direction β of the step."""
    problem = settings.problem
    initial = draw_first_layer(source.first_layer, problem.first_layer, settings.N, settings.d)
    second_layer = draw_second_layer(source.second_layer, problem.second_layer, settings.N)
    inputs = draw_inputs(source.step_inputs, settings.inputs, settings.step_samples, settings.d)
    targets = draw_labels(source.step_labels, labels, settings.inputs, inputs)
    stepped = gradient_steps(
        inputs,
        targets,
        initial,
        second_layer,
        functions,
        eta,
        settings.steps,
        problem.initial_output,
        settings.precision,
    )
    activation, c1, spikes = problem.activation, float(problem.activation.c1), None
    if settings.models != ("network",):
        assert settings.ell is not None  # as read_settings() has seen to
        coefficients = np.asarray(activation.coefficients(settings.ell), dtype=float)[1:]
        strengths = (c1 * eta) ** np.arange(1, settings.ell + 1) * coefficients
        spikes = Spikes(strengths, stepped.direction, second_layer)
    ladder = Ladder(
        settings.models,
        initial,
        stepped.weights,
        functions.activation,
        settings.precision,
        spikes,
        c1,
        float(activation.c_rest),
    )
    return ladder, stepped.direction


def _test_losses(
    settings: Settings, ladder: Ladder, source: Streams, labels: Labels, fits: dict[str, Fit]
) -> dict[str, Array]:
    """Return L_te for every kind of features and every λ; the test batch goes by in blocks."""
    squares = {name: np.zeros(len(settings.ridges)) for name in fits}
    for start in range(0, settings.test_samples, BLOCK):
        count = min(BLOCK, settings.test_samples - start)
        inputs = draw_inputs(source.test_inputs, settings.inputs, count, settings.d)
        signal = labels.teacher(inputs @ labels.direction)[:, None]
        for name, features in ladder.features(inputs, source.bulk):
            squares[name] += np.sum((signal - features @ fits[name].weights) ** 2, axis=0)
    losses = {name: total / settings.test_samples + labels.noise**2 for name, total in squares.items()}
    if not all(np.all(np.isfinite(values)) for values in losses.values()):
        raise DomainError("the predictions overflow: the step is too large for this activation")
    return losses


def _row(model: str, j: int, ridge: float, fits: dict[str, Fit], losses: dict[str, Array]) -> dict[str, Any]:
    before = initial_name(model)
    train_initial, train = float(fits[before].train_losses[j]), float(fits[model].train_losses[j])
    test_initial, test = float(losses[before][j]), float(losses[model][j])
    return {
        "model": model,
        "ridge": ridge,
        "train_loss_initial": train_initial,
        "test_loss_initial": test_initial,
        "train_loss": train,
        "test_loss": test,
        "train_gain": train_initial - train,
        "test_gain": test_initial - test,
    }


def _solver(fits: dict[str, Fit]) -> dict[str, Any]:
    """Return how the fits were found: of several, the one with the largest residual, and every fall-back."""
    worst = max(fits.values(), key=lambda fit: fit.residual)
    reasons = [f"{name}: {fit.fallback}" for name, fit in fits.items() if fit.fallback is not None]
    return {"method": worst.method, "residual": worst.residual, "fallback": "; ".join(reasons) or None}
