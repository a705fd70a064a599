"""The sections of a problem's sheet: each function returns the blocks of one section."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from fractions import Fraction

import sympy

from theorycalc._version import __version__
from theorycalc.documents.blocks import Digits, Display, Heading, Math, Paragraph, Passage, TableBlock, Text, rich
from theorycalc.errors import TheoryError, one_of
from theorycalc.model.activation import Activation
from theorycalc.model.enums import GradientTarget
from theorycalc.model.parameters import PARAMETERS
from theorycalc.model.problem import Problem
from theorycalc.model.several import MultiTeacher
from theorycalc.model.supported import option_words
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.balls import ball, ball_precision, bits_for, to_mpf
from theorycalc.numbers.exact import EnclosedNumber, Exact, spell
from theorycalc.results import staircase as stairs
from theorycalc.results.prediction import Prediction
from theorycalc.results.quantities import ERROR, MEASURED, OBJECTIVE, number_text, worth
from theorycalc.symbolic import folding, ingredients
from theorycalc.symbolic import predicted as quantities
from theorycalc.symbolic.cases import case_of, exact_values, is_exact
from theorycalc.symbolic.formula_options import THEOREM, Options, closed_form
from theorycalc.symbolic.printer import Line, expression
from theorycalc.symbolic.symbols import alpha, c_star, indexed, latex_name, tau
from theorycalc.theory.checks import gradient_of
from theorycalc.theory.conditions import network_note
from theorycalc.theory.gains import train_error

_NUMBERS = ("phi", "psi", "ridge", "noise")
_BATCHES = "The gradient step and the ridge fit use separate batches, independent of each other."
_OBJECTIVE, _ERROR = f"training loss {OBJECTIVE}", f"training error {ERROR}"
_STAIRS = ("train_gain", "test_gain", "train_loss", "train_error", "test_loss")
_LONGEST_EXACT = 300  # characters of LaTeX; a closed form beyond is not shown
_UNBREAKABLE = r"\d{40}"  # an integer as long as a column of a table
_MARKS = {True: "holds", False: "fails", None: "is assumed"}


def setting(problem: Problem, network: str = "theorem", gradient: str | None = None) -> list[Passage]:
    """Return the inputs of the problem, and the theory that the sheet evaluates."""
    numbers = [
        *_sizes(problem),
        *((one.latex, one.described, getattr(problem, one.name)) for one in map(PARAMETERS.__getitem__, _NUMBERS)),
    ]
    if problem.step_samples is not None:
        numbers.append(("n_0/n", "samples of the step per sample of the fit", problem.step_ratio))
    rows: list[tuple[Text, ...]] = [
        ((Math(r"\sigma(x)"),), (f"activation {problem.activation.name}",), _function(problem.activation)),
        *_teacher_rows(problem.teacher),
        *(((Math(symbol),), (meaning,), _exact(value)) for symbol, meaning, value in numbers),
    ]
    layers = f"first layer: {problem.first_layer.meaning}", f"second layer: {problem.second_layer.meaning}"
    laws = "; ".join([*layers, *option_words(problem)])
    theory = network_note(problem, network, gradient_of(network, gradient))
    return [
        Heading("Setting"),
        TableBlock((("symbol",), ("meaning",), ("value",)), tuple(rows)),
        Paragraph(rich(f"{laws[0].upper()}{laws[1:]}.")),
        Paragraph((_BATCHES,)),
        Paragraph(rich(f"Theory: {theory}.")),
    ]


def _sizes(problem: Problem) -> list[tuple[str, str, Exact]]:
    """Return n, d, N and n₀, where the problem has sizes."""
    names = ("n", "d", "N", "step_samples") if problem.has_sizes else ()
    known = [(PARAMETERS[name], getattr(problem, name)) for name in names]
    return [(one.latex, one.words, Fraction(size)) for one, size in known if size is not None]


def _function(function: Activation | MultiTeacher) -> Text:
    found = function.described()
    return (found,) if isinstance(found, str) else (Math(expression(found.replace(sympy.ITE, _condition))),)


def _condition(asked: sympy.Expr, then: sympy.Expr, otherwise: sympy.Expr) -> sympy.Expr:
    """Return sympy's condition for a piece of a function, such as ITE(x > 0, x > 6, False), as a single comparison."""
    return ((asked & then) | (~asked & otherwise)).simplify()


def _teacher_rows(teacher: Teacher) -> list[tuple[Text, ...]]:
    if not isinstance(teacher, MultiTeacher):
        return [((Math(r"\sigma_{\star}(x)"),), ("teacher",), _teacher(teacher))]
    arguments = ", ".join(f"t_{{{j}}}" for j in range(1, teacher.directions + 1))
    energies = (("that the step sees", teacher.seen_energy), ("that it does not", teacher.unseen_energy))
    return [
        ((Math(f"g({arguments})"),), ("teacher",), _function(teacher)),
        ((Math(r"\hat{u}"),), ("direction that the step sees",), _listed(teacher.seen)),
        *((("",), (f"energy of the labels {words}",), _rounded(value)) for words, value in energies),
    ]


def _listed(numbers: Sequence[Exact]) -> Text:
    return tuple(part for i, u in enumerate(numbers) for part in (*((", ",) if i else ()), *_rounded(u)))


def _rounded(value: Exact) -> Text:
    """Return an exact number in full, and the leading digits of an estimate."""
    return (f"{value:.6g}",) if isinstance(value, float) else _exact(value)


def _teacher(teacher: Teacher) -> Text:
    if not teacher.is_polynomial:
        return (teacher.name or "known by its moments",)
    terms = [_written(c) * indexed("H", k) for k, c in enumerate(teacher.coefficients, start=1)]
    return (Math(expression(sympy.Add(*terms))),)


def _written(value: Exact) -> sympy.Expr:
    """Return a number in closed form, or in decimals if it has none."""
    form = closed_form(value)
    return sympy.Float(str(spell(value))) if form is None else form


def _exact(value: Exact) -> Text:
    form = closed_form(value)
    return (str(spell(value)),) if form is None else (Math(expression(form)),)


def conditions(found: Prediction) -> list[Passage]:
    """Return the conditions of the theorems, and notes on how the numbers were made."""
    rows = tuple((rich(condition.statement), (_MARKS[condition.holds],)) for condition in found.conditions)
    table = TableBlock((("the theorems ask that",), ("this",)), rows)
    notes = (Paragraph(rich(f"Note: {note}.")) for note in found.notes[1:])  # the setting says the first one
    return [Heading("Conditions"), table, *notes]


def coefficients(problem: Problem, ell: int, digits: int | None, network: str = "theorem") -> list[Passage]:
    """Return the Hermite coefficients of activation and teacher, exact where they have a closed form.

    Of a literal network Var σ'(Z) stands beside them.
    """
    activation, teacher = problem.unit_activation, problem.teacher
    numbers: list[tuple[str, Exact]] = [("c_{1}", activation.c1), (r"c_{>1}", activation.c_rest)]
    numbers[1:1] = [(f"c_{{{k}}}", value) for k, value in activation.listed_coefficients(ell).items()]
    if network == "literal" and activation.slope_variance is not None:
        numbers.append((latex_name("slope_variance"), activation.slope_variance))
    known = teacher.coefficients[: max(ell, 1)]
    if not problem.centred_labels:
        numbers.append((r"c_{\star,0}", teacher.mean))
    numbers += [(rf"c_{{\star,{k}}}", value) for k, value in enumerate(known, start=1)]
    rows = [
        ((Math(symbol),), _closed(value), _decimals(value, digits)) for symbol, value in numbers if value is not None
    ]
    square = exact_values(problem, 1, THEOREM).get(c_star)
    if square is not None:
        rows.append(((Math(r"c_{\star}^{2}"),), _closed(square**2), ("",)))
    kind = [] if problem.biases is None else [Paragraph(("Those of the activation are of a neuron without a bias.",))]
    return [Heading("Coefficients"), TableBlock((("symbol",), ("exact",), ("value",)), tuple(rows)), *kind]


def _closed(value: Exact) -> Text:
    form = closed_form(value)
    shown = "" if form is None else expression(form)
    return (Math(shown),) if shown and _fits(shown) else ("–",)


def _fits(latex: str) -> bool:
    """Return whether a closed form is short enough for a page."""
    return len(latex) <= _LONGEST_EXACT and not re.search(_UNBREAKABLE, latex)


def _decimals(value: Exact, digits: int | None) -> Text:
    """Return a number in decimals, with proven digits where it is exact."""
    if digits is None or (isinstance(value, EnclosedNumber) and not value.is_proven):
        return (Digits(repr(float(value))),)
    with ball_precision(bits_for(digits) + 30):
        return (Digits(str(to_mpf(ball(value), digits))),)


def formulas(problem: Problem, ell: int, network: str = "theorem", gradient: str | None = None) -> list[Passage]:
    """Return the formulas, with this problem's spikes and exact numbers, or the reason why there are none."""
    try:
        case = case_of(ell, problem, network=network, gradient=gradient, exact=False)
    except TheoryError as error:
        return [Heading("Formulas"), Paragraph((f"Formulas cannot be shown: {error}.",))]
    gains = folding.both_gains(case)
    of_training = train_error(ingredients.weights().train_rest, indexed("L_te", ell), operator.mul)
    blocks: list[Passage] = [
        Heading("Formulas"),
        Paragraph((f"The window ℓ = {ell} is that of steps of size ", Math(r"\eta = n^{\alpha}"), " with")),
        Display((Line(alpha, ingredients.window(ell), r"\in"),)),
        Paragraph((f"The gains in {_OBJECTIVE} and in test loss are",)),
        Display(gains.statement, gains.where),
        Paragraph((f"and the {_ERROR} follows from the test loss:",)),
        Display((Line(indexed("E_tr", ell), of_training),)),
    ]
    if case.options.fit_fidelity != 1:
        clean = folding.gain("Lambda_clean", "test_gain_clean", case)
        blocks += [Paragraph(("On clean labels the gain in test loss is",)), Display(clean.statement)]
    if problem.ridge == 0:
        words = "The formulas are for λ > 0; the values below are their limits as λ → 0⁺, where m_1 may be infinite."
        blocks.append(Paragraph(rich(words)))
    if not is_exact(problem):
        return blocks
    options, values = case.options, exact_values(problem, max(case.spikes, default=1), case.options)
    aligned = sympy.cancel(values[options.rho] ** 2)
    numbers = [Line(options.kappa, values[options.kappa]), Line(options.rho**2, aligned)]
    numbers += [Line(tau, sympy.cancel(values[tau])) for line in gains.where if line.left == tau]
    if problem.ridge != 0:
        delta = quantities.Delta(ell, problem, network=network, gradient=gradient)
        numbers.append(folding.over_networks(Line(gains.statement[0].left, delta), case))
    lines = tuple(line for line in numbers if _fits(expression(line.right)))
    if lines:
        blocks += [Paragraph(("With the numbers of this problem",)), Display(lines)]
    return blocks


def values(found: Prediction) -> list[Passage]:
    """Return every number of the prediction, with its meaning and its guarantee."""
    options = Options(gradient=one_of(found.gradient, "gradient", GradientTarget))
    letters = {"kappa": latex_name(options.kappa.name), "rho": latex_name(options.rho.name)}
    rows = tuple(
        (
            (Math(letters.get(name, quantity.latex.replace(r"\ell", str(found.ell)))),),
            rich(quantity.words),
            (Digits(number_text(getattr(found, name))),),
        )
        for name, quantity in MEASURED.items()
        if getattr(found, name) is not None
    )
    return [
        Heading("Values"),
        TableBlock((("quantity",), ("meaning",), (f"value ({worth(found.guarantee, found.digits)})",)), rows),
    ]


def staircase(problem: Problem, ell: int, network: str = "theorem", gradient: str | None = None) -> list[Passage]:
    """Return the gains, losses and errors for ℓ = 0, 1, … and, where it is known, for ℓ → ∞."""
    found = stairs.staircase(problem, ell, network=network, gradient=gradient)
    rows: list[tuple[Text, ...]] = [
        (
            (Math(r"\infty") if p.ell == math.inf else str(p.ell),),
            *((Digits(f"{float(getattr(p, x)):.6g}"),) for x in _STAIRS),
        )
        for p in (*found.predictions, *([] if found.ceiling is None else [found.ceiling]))
    ]
    titles = tuple((Math(symbol),) for symbol in (r"\ell", *(MEASURED[name].latex for name in _STAIRS)))
    said = f"After the step, L_tr is the {_OBJECTIVE}, E_tr the {_ERROR}, L_te the test loss; Δ_ℓ and Λ_ℓ are gains."
    return [Heading("Staircase"), TableBlock(titles, tuple(rows)), Paragraph(rich(said))]


def colophon(ell: int, digits: int | None, network: str, gradient: str | None) -> list[Passage]:
    """Return the version, the call that made the sheet, and the source of the theory."""
    options = {"network": network, "gradient": gradient} if network == "literal" else {}
    shown = "".join(f", {name}={value!r}" for name, value in options.items() if value is not None)
    made = f"Made by theorycalc {__version__}: tc.sheet(problem, ell={ell}, digits={digits}{shown})."
    source = "Theory: Moniri, Lee, Hassani, Dobriban, ICML 2024, with the corrections and extensions of theorycalc."
    return [Paragraph((f"{made} {source}",))]
