"""A problem's exact numbers for the symbols, where they have a closed form.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.functions.algebra import derivative
from theorycalc.functions.build import mul
from theorycalc.functions.tree import Tree
from theorycalc.hermite.coefficients import exact_coefficients
from theorycalc.model.computed import HermiteCoefficient, RestNorm, SecondMoment, SlopeVariance
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball, ball_precision, bits_for, to_mpf
from theorycalc.numbers.exact import EnclosedNumber, Exact, require_exact
from theorycalc.results.prediction import predict
from theorycalc.symbolic.expressions import Options, direction, lengthening_in_full
from theorycalc.symbolic.symbols import (
    c,
    c_1,
    c_rest,
    c_star,
    c_star_of,
    lam,
    m_1,
    m_1_slope,
    m_2,
    m_2_slope,
    noise,
    phi,
    psi,
    slope_variance,
    tau,
)
from theorycalc.theory.gains import energy


def check_problem(problem: Any, exact: bool = True) -> None:
    """Refuse what is no problem, or has binary floats where it is to be ``exact``.

    Floats of the activation stay symbols: a function known by sampling has no others.
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"problem must be a Problem, not {type(problem).__name__}", argument="problem")
    for name, value in _numbers(problem).items():
        if exact and isinstance(value, float):
            require_exact(value, name)


def is_exact(problem: Problem) -> bool:
    """Say whether a problem is without binary floats.

    >>> is_exact(Problem("relu", ["1"], "1/2", 0.5, "1/10"))
    False
    """
    return not any(isinstance(value, float) for value in _numbers(problem).values())


def _numbers(problem: Problem) -> dict[str, Any]:
    numbers = {name: getattr(problem, name) for name in ("phi", "psi", "ridge", "noise", "step_ratio")}
    return numbers | {f"teacher c_⋆{k}": value for k, value in enumerate(problem.teacher.coefficients, start=1)}


def options_of(problem: Problem, network: str, gradient: str) -> Options:
    """Return the laws and sizes of a problem that change the formulas."""
    return Options(
        gaussian=problem.first_layer == "gaussian",
        constant=gradient == "residual" and problem.second_layer == "constant",
        step_ratio=closed_form(problem.step_ratio) or sympy.Float(problem.step_ratio),
        network=network,
        gradient=gradient,
    )


def closed_form(number: Exact) -> sympy.Expr | None:
    """Return a number as sympy writes it exactly, or None where no closed form is known.

    >>> closed_form(Fraction(1, 3))
    1/3
    """
    match number:
        case Fraction():
            return sympy.Rational(number.numerator, number.denominator)
        case sympy.Expr():
            return number
        case HermiteCoefficient(tree, index):
            return _coefficient(tree, index)
        case SecondMoment(tree):
            return _coefficient(mul(tree, tree), 0)
        case RestNorm(tree):
            first, square = _coefficients(tree, 1), _coefficient(mul(tree, tree), 0)
            if first is None or square is None:
                return None
            return sympy.sqrt(sympy.expand(square - first[0] ** 2 - first[1] ** 2))
        case SlopeVariance(tree):
            slope = derivative(tree)
            mean, square = _coefficient(slope, 0), _coefficient(mul(slope, slope), 0)
            return None if mean is None or square is None else sympy.expand(square - mean**2)
        case _:
            return None


def _coefficient(tree: Tree, index: int) -> sympy.Expr | None:
    found = _coefficients(tree, index)
    return None if found is None else found[index]


def _coefficients(tree: Tree, reach: int) -> list[sympy.Expr] | None:
    try:
        return exact_coefficients(tree, reach)
    except DomainError:
        return None


def exact_values(problem: Problem, reach: int, options: Options) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the problem's numbers by their symbols: sizes, noise, c_{⋆,k} for k ≤ reach, and what σ gives.

    A symbol without a closed form is left out, and stays a symbol.

    >>> problem = Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10")
    >>> options = options_of(problem, "theorem", "labels")
    >>> values = exact_values(problem, 2, options)
    >>> values[c_1], values[c_star_of(2)], values[options.rho]
    (1/2, sqrt(2)/2, sqrt(2)/2)
    """
    numbers: dict[sympy.Symbol, Exact] = {
        phi: problem.phi,
        psi: problem.psi,
        lam: problem.ridge,
        noise: problem.noise,
        **activation_numbers(problem, options),
    }
    teacher = problem.teacher
    numbers |= {
        c_star_of(k): teacher.coefficients[k - 1] if k <= len(teacher.coefficients) else Fraction(0)
        for k in range(1, max(reach, 1) + 1)
    }
    values = {symbol: form for symbol, number in numbers.items() if (form := closed_form(number)) is not None}
    square = _teacher_energy(problem)
    if square is not None:
        values[c_star] = sympy.sqrt(square)
    length = sympy.expand(direction(options).kappa.subs(values))
    values |= {options.kappa: length, options.rho: values.get(c_star_of(1), c_star_of(1)) / sympy.sqrt(length)}
    if options.lengthened:
        values[tau] = lengthening_in_full(options).subs(values)
    return values


def activation_numbers(problem: Problem, options: Options) -> dict[sympy.Symbol, Exact]:
    """Return c_1, c_{>1} and, where they are known, c_2 and, if neurons are lengthened, Var σ'(Z)."""
    activation = problem.activation
    known = {c_1: activation.c1, c_rest: activation.c_rest, c(2): activation.c2}
    if options.lengthened:
        known[slope_variance] = activation.slope_variance
    return {symbol: number for symbol, number in known.items() if number is not None}


def _teacher_energy(problem: Problem) -> sympy.Expr | None:
    """Return c_⋆² = E σ⋆² less the square of the mean."""
    teacher = problem.teacher
    if teacher.is_polynomial:
        known = [closed_form(value) for value in teacher.coefficients]
        if any(value is None for value in known):
            return None
        return sympy.Add(*(energy(k, value) for k, value in enumerate(known, start=1)))
    square, mean = closed_form(teacher.second_moment), closed_form(teacher.mean)
    return None if square is None or mean is None else square - mean**2


def decimal_values(problem: Problem, ell: int, digits: int, options: Options) -> dict[sympy.Symbol, sympy.Float]:
    """Return m_1, m_2, their slopes, and all that has no closed form, with ``digits`` proven digits."""
    found = predict(problem, ell=ell, digits=digits, network=options.network, gradient=options.gradient)
    teacher = problem.teacher
    coefficients = {c_star_of(k): c for k, c in enumerate(teacher.coefficients, start=1)}
    decimals = {
        symbol: to_mpf(number.enclosure(digits), digits)
        for symbol, number in (activation_numbers(problem, options) | coefficients).items()
        if isinstance(number, EnclosedNumber)
    }
    if isinstance(teacher.second_moment, EnclosedNumber):
        with ball_precision(bits_for(digits) + 10):
            square, mean = ball(teacher.second_moment), ball(teacher.mean)
            decimals[c_star] = to_mpf((square - mean**2).sqrt(), digits)
    decimals |= {m_1: found.m1, m_2: found.m2, m_1_slope: found.m1_slope, m_2_slope: found.m2_slope}
    return {symbol: sympy.Float(str(value), digits) for symbol, value in decimals.items()}
