"""The sections of a report; one that cannot be computed says why."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from theorycalc.comparison.verdict import Comparison
from theorycalc.documents.blocks import Digits, Heading, Item, Math, Paragraph, Picture, TableBlock, Text, rich
from theorycalc.errors import TheoryError
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import takes_signs
from theorycalc.model.sizes import Sizes
from theorycalc.model.supported import option_words
from theorycalc.plots.alpha import gain_against_alpha
from theorycalc.plots.diagrams import double_descent, phase_diagram
from theorycalc.plots.stairs import staircase_figure
from theorycalc.plots.style import house_style
from theorycalc.results.error_rates import error_rate
from theorycalc.results.layout import with_error
from theorycalc.results.prediction import Prediction, predict
from theorycalc.results.quantities import CLEAN_AFTER, COLUMNS, axis_words
from theorycalc.results.spectrum import spectrum
from theorycalc.results.staircase import staircase
from theorycalc.results.step_result import FiniteStep
from theorycalc.results.table import Row, number, number_or_none
from theorycalc.simulation.run import Run, step_text

_LOSSES = ("test_loss", "test_gain", "train_loss", "train_gain", "train_error")
STAIRS = 6  # windows of the staircase, at least
TO_KEEP_IN_MIND = (
    "The limits are those of n → ∞ inside a window of α. Networks of a thousand samples may be far from them: the "
    "curves for real sizes show how far.",
    "Numbers for real sizes come from dressed features, an approximation that was checked against simulated networks "
    "and is not a theorem. For ℓ ≥ 2 its limit is not the paper's: after the step the second spike is "
    "h² + τ, not h², and the gain is smaller (docs/finite_steps.md).",
    "“Enclosed” digits are proven by ball arithmetic; “rounded” numbers are float64; “estimated” ones rest on "
    "coefficients of a function that is known by its values only. All of this is about the arithmetic: whether "
    "the theorem applies is said under Conditions.",
    "Theory: Moniri, Lee, Hassani, Dobriban, A theory of non-linear feature learning with one gradient step in "
    "two-layer neural networks, ICML 2024, arXiv 2310.07891, with the corrections and extensions of theorycalc.",
)


def attempted(title: str, make: Callable[[], list[Item]]) -> list[Item]:
    """Return the given parts, pictures in the house style, or a paragraph that says why they cannot be made."""
    try:
        with house_style():
            return make()
    except TheoryError as error:
        return [Paragraph((f"{title} cannot be shown: {error}.",))]


def in_short(
    problem: Problem,
    sizes: Sizes,
    alpha: Fraction | float,
    found: Prediction,
    finite: FiniteStep | str,
    gradient: str,
    run: Run | None,
) -> list[Item]:
    """Return a summary: the problem in words, and its main numbers."""
    n, d, N = sizes
    teacher = problem.teacher.name or "that is known by its coefficients"
    eta = float(n) ** float(alpha)
    taken = "does one gradient step" if problem.steps == 1 else f"do {problem.steps} gradient steps"
    lead: Text = (
        f"A two-layer network with {N} neurons and activation {problem.activation.name} learns from {n} samples with "
        f"{d} inputs. Labels come from the teacher {teacher}, with noise of standard deviation "
        f"{float(problem.noise):.4g}. What {taken} of size ",
        Math(r"\eta = n^{\alpha}"),
        f" = {eta:.4g}, α = {float(alpha):.4g}, on the first layer teach it?",
    )
    losses = _LOSSES if found.test_loss_clean is None else (*_LOSSES, *CLEAN_AFTER)
    rates, remarks = _rate_columns(problem)
    names, rate = (*losses, *rates), partial(_rate, problem, *rates)
    before = [getattr(found, f"{name}_initial", None) for name in losses]
    numbers = ["" if x is None else f"{float(x):.6g}" for x in before]
    rows = [_row("before the step", [*numbers, *rate(ell=0)])]
    at_limit = [*_floats(found, losses), *rate(ell=found.ell)]
    rows.append(_row(f"after, the theorem's limit n → ∞ (ℓ = {found.ell})", at_limit))
    with contextlib.suppress(TheoryError):  # a jump has no gradient, and then there is no such limit
        how: dict[str, Any] = {"ell": found.ell, "network": "literal", "gradient": gradient}
        literal = [*_floats(predict(problem, **how), losses), *rate(**how)]
        rows.append(_row(f"after, limit of literal networks (ℓ = {found.ell})", literal))
    if isinstance(finite, FiniteStep):
        expected = [*_floats(finite, losses), *rate(n=n, alpha=alpha, gradient=gradient)]
        rows.append(_row(f"after, expected at n = {n}", expected))
    for seen in [] if run is None else run.rows:
        here = seen["model"] == "network" and seen["ridge"] == float(problem.ridge)
        if here and math.isclose(number(seen, "eta"), eta, rel_tol=1e-9):
            means = [with_error(number(seen, name), number_or_none(seen, f"{name}_se")) for name in names]
            words = f"after, {seen['replicates']} simulated networks"
            rows.append(_row(words, means))
    titles: tuple[Text, ...] = ("",), *((axis_words(name),) for name in names)
    step_on = "the residual y − f₀" if gradient == "residual" else "the labels alone"
    batches = f"The step is on {step_on}; the ridge fit after it uses another, independent batch."
    options = "; ".join(option_words(problem))
    named = [Paragraph(rich(f"Options: {options}."))] if options else []
    states = [condition.holds for condition in found.conditions]
    counts = {"hold": states.count(True), "fail": states.count(False), "had to be assumed": states.count(None)}
    held = f"Of the theorems' conditions {', '.join(f'{count} {words}' for words, count in counts.items() if count)}."
    last = Paragraph((batches,)), Paragraph((held,))
    return [Paragraph(lead, "lead"), TableBlock(titles, tuple(rows)), *named, *remarks, *last]


def _rate_columns(problem: Problem) -> tuple[tuple[str, ...], list[Paragraph]]:
    """Return the column of error rates for labels ±1, or the reason why it is missing; nothing for other labels."""
    if not takes_signs(problem.teacher):
        return (), []
    try:
        error_rate(problem, ell=0)
    except TheoryError as error:
        return (), [Paragraph((f"Error rates cannot be shown: {error}.",))]
    return ("error_rate",), []


def _rate(problem: Problem, *names: str, **how: Any) -> list[str]:
    """Return the named error rates as texts, or one empty text if the step has none."""
    try:
        return [f"{float(getattr(error_rate(problem, **how), name)):.6g}" for name in names]
    except TheoryError:
        return [""]


def _floats(found: Prediction | FiniteStep, names: Sequence[str]) -> list[str]:
    return [f"{float(getattr(found, name)):.6g}" for name in names]


def _row(words: str, cells: Sequence[str]) -> tuple[Text, ...]:
    return (words,), *((Digits(cell),) if cell else ("",) for cell in cells)


def coefficients(problem: Problem) -> list[Item]:
    """Return the picture of the Hermite coefficients."""
    caption = "Hermite coefficients of the activation; their squares, times k!, sum to E σ(Z)²."
    return [Picture(problem.activation.plot(), rich(caption))]


def stairs(problem: Problem, ell: int) -> list[Item]:
    """Return the picture of the staircase."""
    figure = staircase_figure(staircase(problem, max(ell, STAIRS)))
    return [Picture(figure, ("Gains in the theorem's limit n → ∞ for every window ℓ, and their ceilings.",))]


def real_size(problem: Problem, sizes: Sizes, found: FiniteStep, run: Run | None) -> list[Item]:
    """Return the expected losses and spectrum of a network of this size."""
    n, d, N = sizes
    worst, good = float(np.max(found.error)), bool(np.all(found.converged))
    numerics = f"The numerics {'converged' if good else 'did not converge'}: finer rules change {worst:.1g} relatively."
    parts: list[Item] = [
        Heading(f"A network of {n} samples"),
        Paragraph((f"Sizes n = {n}, d = {d}, N = {N}; method: {found.method} features. {numerics}",)),
        *(Paragraph((f"Note: {note}.",)) for note in found.notes),
    ]
    curves = gain_against_alpha(problem, n=sorted({n, 10 * n, 100 * n}), run=run, gradient=found.gradient)
    words = (
        "Loss gained against the exponent of the step. Steps: the theorem's limits of the windows, dashed those of "
        "literal networks; curves: networks of n samples"
    )
    points = "; points: simulated networks, ± one standard error." if run is not None else "."
    parts.append(Picture(curves, (words + points,)))
    try:
        drawn = spectrum(problem, n=n, d=d, N=N, eta=float(found.eta), gradient=found.gradient)
    except TheoryError as error:
        return [*parts, Paragraph((f"There is no spectrum after the step: {error}.",))]
    seen = run if run is not None and run.settings.spectrum else None
    text = "Eigenvalues of the features: the bulk, its edge after the step, and the outliers that the step drives out."
    remarks = (Paragraph((f"Note on the spectrum: {note}.",)) for note in drawn.notes)
    return [*parts, Picture(drawn.plot(run=seen), (text,)), *remarks]


def simulation(run: Run, comparison: Comparison) -> list[Item]:
    """Return the simulation and its comparison with theory."""
    s = run.settings
    extent = f"{s.replicates} networks for each step, seed {s.seed}, n = {s.n}, d = {s.d}, N = {s.N}"
    words = f"The network itself: the true gradient step, the ridge fit, {s.test_samples} fresh test points. {extent}."
    judged = {row["theory"] for row in comparison.judged}
    finite = [row for row in comparison.rows if row["theory"] in judged]
    expected = {_key(row): row["predicted"] for row in comparison.rows if row["theory"] not in judged}
    rows = []
    for row in finite:
        at_limit = expected.get(_key(row))
        rows.append(
            (
                (step_text(row),),
                (COLUMNS[row["quantity"]].words,),
                ("–",) if at_limit is None else (Digits(f"{at_limit:.4g}"),),
                (Digits(f"{row['predicted']:.4g}"),),
                (Digits(with_error(row["observed"], row["standard_error"])),),
                (Digits(f"{row['z']:+.1f}"),),
            )
        )
    titles = ("step", "quantity", "limit n → ∞", "expected", "observed ± s.e.", "z of the expected")
    parts: list[Item] = [
        Heading("Simulation"),
        Paragraph((words,)),
        Paragraph((f"Against the expectation at this size. {comparison.verdict_text}",), "verdict"),
    ]
    notes = dict.fromkeys((*run.notes, *comparison.notes))
    with house_style():
        figure = comparison.plot()
    return [
        *parts,
        TableBlock(tuple((title,) for title in titles), tuple(rows)),
        *(Paragraph((f"Note: {note}.",)) for note in notes),
        Picture(figure, ("Simulated networks against the expectation at their size.",)),
    ]


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("cell", "model", "ridge", "quantity"))


def descent(problem: Problem, ell: int) -> list[Item]:
    """Return the losses over the number of neurons."""
    words = f"Losses after the step (ℓ = {ell}) over the number of neurons per sample, for several ridges."
    return [Picture(double_descent(problem, ell=ell), (words,))]


def phases(problem: Problem) -> list[Item]:
    """Return the phase diagram: the smallest sufficient ℓ over φ and ψ."""
    words = "The smallest ℓ that reaches nine tenths of all that can be gained in test loss."
    return [Picture(phase_diagram(problem, ridge=problem.ridge), (words,))]
