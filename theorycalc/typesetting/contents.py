"""What stands on the sheet of a problem: each function returns the blocks of one section."""

from __future__ import annotations

import contextlib
import math
import re
from typing import Any

import sympy

from theorycalc._version import __version__
from theorycalc.balls import ball, ball_precision, bits_for, to_mpf
from theorycalc.errors import DomainError
from theorycalc.exact import EnclosedNumber, Exact, spell
from theorycalc.expressions.symbolic import to_sympy
from theorycalc.numbers import MPF
from theorycalc.prediction import Prediction, predict
from theorycalc.quantities import QUANTITIES
from theorycalc.symbolic import cases, features, folding, quantities
from theorycalc.symbolic.problems import closed_form, exact_values, is_exact
from theorycalc.symbolic.statements import Line
from theorycalc.symbolic.symbols import alpha, c_star, indexed, kappa, rho
from theorycalc.tables import number_text, worth
from theorycalc.theory.problem import Problem
from theorycalc.typesetting.document import Block, Display, Heading, Math, Number, Paragraph, Table, Text, rich
from theorycalc.typesetting.latex import expression

_LAWS = {
    ("first_layer", "sphere"): "rows of the first layer uniform on the unit sphere",
    ("first_layer", "gaussian"): "rows of the first layer Gaussian, N(0, I/d)",
    ("second_layer", "gaussian"): "second layer Gaussian, N(0, 1/N)",
    ("second_layer", "sign"): "second layer ±1/√N",
    ("second_layer", "constant"): "second layer constant, 1/√N",
}
_LONGEST_EXACT = 300  # characters of LaTeX; a closed form beyond is not shown
_UNBREAKABLE = r"\d{40}"  # an integer as long as a column of a table
_MARKS = {True: "holds", False: "fails", None: "is assumed"}


def setting(problem: Problem) -> list[Block]:
    """Return the inputs."""
    sizes = [
        (r"\phi", "inputs per sample, d/n", problem.phi),
        (r"\psi", "inputs per neuron, d/N", problem.psi),
        (r"\lambda", "ridge", problem.ridge),
        (r"\sigma_{\varepsilon}", "standard deviation of the label noise", problem.noise),
    ]
    if problem.step_samples is not None:
        sizes.append(("n_0/n", "samples of the step per sample of the fit", problem.step_ratio))
    rows: list[tuple[Text, ...]] = [
        ((Math(r"\sigma(x)"),), (f"activation {problem.activation.name}",), _function(problem.activation)),
        ((Math(r"\sigma_{\star}(x)"),), ("teacher",), _teacher(problem)),
        *(((Math(symbol),), (meaning,), _exact(value)) for symbol, meaning, value in sizes),
    ]
    laws = "; ".join(_LAWS[name, getattr(problem, name)] for name in ("first_layer", "second_layer"))
    return [
        Heading("Setting"),
        Table((("symbol",), ("meaning",), ("value",)), tuple(rows)),
        Paragraph((f"{laws[0].upper()}{laws[1:]}.",)),
    ]


def _function(activation: Any) -> Text:
    if activation.tree is None:
        return ("known by its coefficients",) if activation.function is None else ("known by sampling",)
    return (Math(expression(to_sympy(activation.tree).replace(sympy.ITE, _condition))),)


def _condition(asked: Any, then: Any, otherwise: Any) -> Any:
    """Return as one condition what sympy makes of comparing a function in pieces, such as ITE(x > 0, x > 6, False)."""
    return ((asked & then) | (~asked & otherwise)).simplify()


def _teacher(problem: Problem) -> Text:
    teacher = problem.teacher
    if not teacher.is_polynomial:
        return (teacher.name or "known by its moments",)
    terms = [_written(c) * indexed("H", k) for k, c in enumerate(teacher.coefficients, start=1)]
    return (Math(expression(sympy.Add(*terms))),)


def _written(value: Exact) -> sympy.Expr:
    """Return a number in closed form, or by its decimals where it has none."""
    form = closed_form(value)
    return sympy.Float(str(spell(value))) if form is None else form


def _exact(value: Exact) -> Text:
    form = closed_form(value)
    return (str(spell(value)),) if form is None else (Math(expression(form)),)


def conditions(found: Prediction) -> list[Block]:
    """Return what the theorems ask for, and what a reader should know of how the numbers were made."""
    rows = tuple((rich(condition.statement), (_MARKS[condition.holds],)) for condition in found.conditions)
    table = Table((("the theorems ask that",), ("this",)), rows)
    return [Heading("Conditions"), table, *(Paragraph(rich(f"Note: {note}.")) for note in found.notes)]


def coefficients(problem: Problem, ell: int, digits: int | None) -> list[Block]:
    """Return the Hermite coefficients of activation and teacher, exact where they have a closed form."""
    activation, teacher = problem.activation, problem.teacher
    numbers: list[tuple[str, Exact]] = [("c_{1}", activation.c1), (r"c_{>1}", activation.c_rest)]
    if activation.tree is not None:
        from theorycalc.activations.computed import HermiteCoefficient

        numbers[1:1] = [(f"c_{{{k}}}", HermiteCoefficient(activation.tree, k)) for k in range(2, ell + 1)]
    elif activation.c2 is not None:
        numbers.insert(1, ("c_{2}", activation.c2))
    known = teacher.coefficients[: max(ell, 1)]
    numbers += [(rf"c_{{\star,{k}}}", value) for k, value in enumerate(known, start=1)]
    rows = [
        ((Math(symbol),), _closed(value), _decimals(value, digits)) for symbol, value in numbers if value is not None
    ]
    square = exact_values(problem, 1).get(c_star)
    if square is not None:
        rows.append(((Math(r"c_{\star}^{2}"),), _closed(square**2), ("",)))
    return [Heading("Coefficients"), Table((("symbol",), ("exact",), ("value",)), tuple(rows))]


def _closed(value: Exact) -> Text:
    form = closed_form(value)
    shown = "" if form is None else expression(form)
    shows = 0 < len(shown) <= _LONGEST_EXACT and not re.search(_UNBREAKABLE, shown)
    return (Math(shown),) if shows else ("–",)


def _decimals(value: Exact, digits: int | None) -> Text:
    """Return a number in decimals, unless it is one that needs none."""
    if digits is None or (isinstance(value, EnclosedNumber) and not value.is_proven):
        return (Number(repr(float(value))),)
    with ball_precision(bits_for(digits) + 30):
        return (Number(str(to_mpf(ball(value), MPF(digits).context))),)


def formulas(problem: Problem, ell: int) -> list[Block]:
    """Return the formulas, with this problem's spikes, and what its numbers make of them."""
    case = cases.case_of(ell, problem, exact=False)
    gain = folding.gain("Delta", "train_gain", case)
    test_gain = folding.gain("Lambda", "test_gain", case)
    seen = {line.left for line in gain.where} - {sympy.Integer(0)}
    more = tuple(line for line in test_gain.where if line not in gain.where and line.left not in seen)
    blocks: list[Block] = [
        Heading("Formulas"),
        Paragraph((f"The window ℓ = {ell} is that of steps of size ", Math(r"\eta = n^{\alpha}"), " with")),
        Display((Line(alpha, features.window(ell), r"\in"),)),
        Paragraph(("The gains in training and test loss are",)),
        Display((*gain.statement, *test_gain.statement), (*gain.where, *more)),
    ]
    if problem.ridge == 0:
        words = "The formulas are for λ > 0; the values below are their limits as λ → 0⁺, where m_1 may be infinite."
        blocks.append(Paragraph(rich(words)))
    if not is_exact(problem):
        return blocks
    values = exact_values(problem, max(case.spikes, default=1))
    numbers = (Line(kappa, values[kappa]), Line(rho**2, values[rho] ** 2))
    train = () if problem.ridge == 0 else (Line(gain.statement[0].left, quantities.Delta(ell, problem)),)
    lines = tuple(line for line in (*numbers, *train) if len(expression(line.right)) <= _LONGEST_EXACT)
    if lines:
        blocks += [Paragraph(("With the numbers of this problem",)), Display(lines)]
    return blocks


def values(found: Prediction) -> list[Block]:
    """Return every number of the prediction, and what it is worth."""
    rows = tuple(
        (
            (Math(quantity.latex.replace(r"\ell", str(found.ell))),),
            (Number(number_text(getattr(found, name))),),
        )
        for name, quantity in QUANTITIES.items()
    )
    which: Text = (
        Math(r"L_{\mathrm{tr}}"),
        " is the training loss: the ridge objective, penalty included; ",
        Math(r"E_{\mathrm{tr}}"),
        " is the training error, without the penalty.",
    )
    return [Heading("Values"), Table((("quantity",), (f"value ({worth(found)})",)), rows), Paragraph(which)]


def staircase(problem: Problem, ell: int) -> list[Block]:
    """Return the gains of ℓ = 0, 1, … and, where it is known, of their limit."""
    predictions = [predict(problem, ell=j) for j in range(ell + 1)]
    with contextlib.suppress(DomainError):  # the limit may need more than is known of activation or teacher
        predictions.append(predict(problem, ell="inf"))
    rows = []
    for p in predictions:
        name: Text = (Math(r"\infty"),) if p.ell == math.inf else (str(p.ell),)
        rows.append((name, *((Number(f"{x:.6g}"),) for x in (p.train_gain, p.test_gain, p.train_loss, p.test_loss))))
    titles = ((Math(r"\ell"),), (Math(r"\Delta_{\ell}"),), (Math(r"\Lambda_{\ell}"),))
    after = ((Math(r"L_{\mathrm{tr}}"), " after"), (Math(r"L_{\mathrm{te}}"), " after"))
    return [Heading("Staircase"), Table((*titles, *after), tuple(rows))]


def colophon(problem: Problem, ell: int, digits: int | None) -> list[Block]:
    """Return how the sheet was made."""
    made = f"Made by theorycalc {__version__}: tc.sheet(problem, ell={ell}, digits={digits})."
    source = "Theory: Moniri, Lee, Hassani, Dobriban, ICML 2024, with the corrections and extensions of theorycalc."
    return [Paragraph((f"{made} {source}",))]
