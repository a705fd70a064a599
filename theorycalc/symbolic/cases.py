"""The case of a formula: ℓ, the spikes K, the options that change formulas, and a problem's exact numbers.

A number has a closed form where docs/theory/hermite.md#coefficients-of-a-function gives one; else its symbol stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import sympy

from theorycalc.errors import ArgumentError, DomainError, PrecisionError, called, one_of, spelled, true_or_false
from theorycalc.functions.build import add, mul, number
from theorycalc.model.biases import kind_numbers
from theorycalc.model.enclosed import HermiteCoefficient, RootMeanSquare
from theorycalc.model.enums import LimitForm, NetworkKind
from theorycalc.model.formula import FormulaActivation
from theorycalc.model.parameters import CHANNELS, SCALES
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import Spikes
from theorycalc.model.supported import check_steps, check_supported
from theorycalc.numbers.balls import ball, ball_precision, bits_for, enclosed, require_exact, to_mpf
from theorycalc.numbers.exact import EnclosedNumber, Exact, check_digits
from theorycalc.results.prediction import Prediction, predict
from theorycalc.running.budget import more_for, one_budget
from theorycalc.symbolic import symbols
from theorycalc.symbolic.expressions import direction, lengthening_in_full, without_gaussian_names
from theorycalc.symbolic.formula_options import THEOREM, Options, closed_form, options_of
from theorycalc.symbolic.ingredients import read_spikes
from theorycalc.symbolic.symbols import LARGEST_ELL, c_star_of, index
from theorycalc.theory.checks import check_estimates, check_own_mean, gradient_of
from theorycalc.theory.conditions import check_residual_mean, spikes_of
from theorycalc.theory.gains import energy
from theorycalc.theory.kind_spikes import lengthened_alike, moving_kinds

_GUARDS = (10, 40, 160)  # digits more, to begin with and where terms cancel


@dataclass(frozen=True)
class FormulaCase:
    """One ℓ: its spikes, the options that change formulas, and the problem whose numbers are substituted."""

    ell: int
    spikes: tuple[int, ...]
    options: Options = THEOREM
    problem: Problem | None = None

    @one_budget()
    def put_in(self, expression: sympy.Expr, digits: int | None = None) -> sympy.Expr:
        """Return an expression with the problem's numbers in place of its symbols."""
        if self.options.gaussian:
            expression = without_gaussian_names(expression)
        if self.problem is None:
            if digits is not None:
                reason = f"{spelled('digits')} needs a problem: it asks for digits of that problem's numbers"
                raise ArgumentError(reason, argument="digits")
            return expression
        expression = expression.subs(exact_values(self.problem, max(self.spikes, default=1), self.options))
        return expression if digits is None else self._proven(expression, self.problem, more_for(check_digits(digits)))

    def _proven(self, expression: sympy.Expr, problem: Problem, digits: int) -> sympy.Expr:
        """Return an expression as a number with proven digits, or with proven decimals if symbols remain."""
        if expression.is_Rational:
            return expression
        for guard in _GUARDS:
            many = digits + guard
            values = decimal_values(problem, self.ell, many, self.options)
            if not expression.free_symbols <= set(values):
                return expression.subs({symbol: sympy.Float(value, digits) for symbol, value in values.items()})
            with ball_precision(bits_for(many)):
                unit = flint.arb(10) ** (1 - many)
                balls = {symbol: ball(sympy.Rational(value)) for symbol, value in values.items()}
                found = enclosed(expression, {symbol: one * flint.arb(1, unit) for symbol, one in balls.items()})
                if found.rel_accuracy_bits() > bits_for(digits):
                    return sympy.Float(str(to_mpf(found, digits)), digits)
        raise PrecisionError(f"{spelled('digits', digits)}: the expression cannot be told from zero", argument="digits")

    def check_ridge(self) -> None:
        """Refuse λ = 0, at which gains are limits where λm_1 is 0 · ∞."""
        if self.problem is not None and self.problem.ridge == 0:
            reason = f"{spelled('ridge', 0)}: the formulas are for λ > 0"
            raise DomainError(f"{reason}; {called('predict')} gives their limits as λ → 0⁺", argument="ridge")

    def check_slides(self, form: str) -> None:
        """Refuse to write the slides' Λ in another form, or for a case that the slides leave out."""
        if form != LimitForm.CLOSED:
            reason = f"{spelled('as_printed', True)} gives the formula of the slides: leave out {spelled('form', form)}"
            raise ArgumentError(reason, argument="as_printed")
        plain = self.options == THEOREM._replace(step_ratio=self.options.step_ratio)
        if self.ell not in (1, 2) or self.spikes != tuple(range(1, self.ell + 1)) or not plain:
            raise DomainError(
                f"{spelled('as_printed', True)}: the slides print Λ_1 and Λ_2 only, for the sphere and c_1, …, c_ℓ ≠ 0",
                argument="as_printed",
            )


def case_of(
    ell: int,
    problem: Problem | None = None,
    spikes: Iterable[int] | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    exact: bool = True,
    intercept: bool = False,
) -> FormulaCase:
    """Return the case of ℓ and of spikes K, or of a problem, which must be ``exact`` if its numbers are substituted.

    >>> case_of(4, spikes=(1, 3)).spikes
    (1, 3)
    """
    ell = index(ell, "ell", most=LARGEST_ELL)
    target = gradient_of(network, gradient)
    kind = one_of(network, "network", NetworkKind)
    free = true_or_false(intercept, "intercept")
    if problem is None:
        return FormulaCase(ell, read_spikes(ell, spikes), Options(network=kind, gradient=target, free_constant=free))
    check_problem(problem, exact)
    check_supported(problem, "formulas")
    check_steps(problem, target)
    if free:
        reason = f"give {spelled('intercept', True)} to the problem, where there is one"
        raise ArgumentError(reason, argument="intercept")
    check_own_mean(problem, target)
    if spikes is not None:
        raise ArgumentError(f"give {spelled('spikes')} or a problem, whose activation has its own", argument="spikes")
    powers = spikes_of(problem, ell, lengthened=kind == NetworkKind.LITERAL)
    if kind == NetworkKind.LITERAL:
        check_residual_mean(problem, ell, powers, target)
    options = with_gaps(problem, options_of(problem, kind, target), powers)
    return FormulaCase(ell, powers.listed, options, problem)


def check_problem(problem: Any, exact: bool = True) -> None:
    """Refuse an object other than a problem, and binary floats in a problem that must be ``exact``.

    Floats of the activation stay symbols: a function known by sampling has no others.
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"problem must be a Problem, not {type(problem).__name__}", argument="problem")
    if exact:
        check_estimates(problem, ("teacher",))
    for name, value in _numbers(problem).items():
        if exact and isinstance(value, float):
            require_exact(value, name)


def is_exact(problem: Problem) -> bool:
    """Return whether a problem is free of binary floats.

    >>> is_exact(Problem("relu", ["1"], "1/2", 0.5, "1/10"))
    False
    """
    return not any(isinstance(value, float) for value in _numbers(problem).values())


def _numbers(problem: Problem) -> dict[str, Any]:
    names = ("phi", "psi", "ridge", "noise", "step_ratio", *SCALES, *CHANNELS)
    numbers = {name: getattr(problem, name) for name in names}
    if problem.biases is not None and problem.biases.law is None:
        numbers |= {f"biases {kind.bias}": kind.bias for kind in problem.biases.kinds}
    return numbers | {f"teacher c_⋆{k}": value for k, value in enumerate(problem.teacher.coefficients, start=1)}


def with_gaps(problem: Problem, options: Options, spikes: Spikes) -> Options:
    """Return the options of a literal network whose spikes have gaps, or refuse kinds that are lengthened apart."""
    if problem.biases is None or options.network != NetworkKind.LITERAL or not spikes.has_gaps:
        return options
    if not lengthened_alike(problem):
        raise DomainError(
            f"{spelled('network', options.network)} and {spelled('biases')}: the polynomials of spikes K = {spikes} "
            "with gaps depend on Var σ_b' and c_{1,b} of each kind of neuron, which have no symbols here; "
            f"{called('predict')} computes the numbers",
            argument="biases",
        )
    return options._replace(alike=True)


def exact_values(problem: Problem, reach: int, options: Options) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the problem's numbers by symbol: sizes, noise, c_{⋆,k} for k ≤ reach, and the numbers of σ.

    Numbers without a closed form are left out, so that their symbols stay.

    >>> problem = Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10")
    >>> values = exact_values(problem, 2, THEOREM)
    >>> values[symbols.c_1], values[c_star_of(2)], values[symbols.rho]
    (1/2, sqrt(2)/2, sqrt(2)/2)
    """
    numbers: dict[sympy.Symbol, Exact] = {
        symbols.phi: problem.phi,
        symbols.psi: problem.psi,
        symbols.lam: problem.ridge,
        symbols.noise: problem.noise,
        symbols.a_s: problem.step_fidelity,
        symbols.a_f: problem.fit_fidelity,
        symbols.g_a: problem.second_scale,
        symbols.b_s: problem.step_sign,
        symbols.b_f: problem.fit_sign,
        symbols.label_mean: problem.teacher.mean,
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
        values[symbols.c_star] = sympy.sqrt(square)
    length = sympy.expand(direction(options).kappa.subs(values))
    linear = (options.step_fidelity * c_star_of(1)).subs(values)
    values |= {options.kappa: length, options.rho: linear / sympy.sqrt(length)}
    if options.lengthened:
        values[symbols.tau] = lengthening_in_full(options).subs(values)
    return values


def activation_numbers(problem: Problem, options: Options) -> dict[sympy.Symbol, Exact]:
    """Return c_1, c_{>1} and, if known, c_2 and, if neurons are lengthened, Var σ'(Z)."""
    if problem.biases is not None:
        return numbers_of_kinds(problem, options)
    activation = problem.unit_activation
    known = {symbols.c_1: activation.c1, symbols.c_rest: activation.c_rest, symbols.c(2): activation.c2}
    if options.lengthened:
        known[symbols.slope_variance] = activation.slope_variance
    return {symbol: number for symbol, number in known.items() if number is not None}


def numbers_of_kinds(problem: Problem, options: Options) -> dict[sympy.Symbol, Exact]:
    """Return c_1 and c_{>1} as root mean squares over the kinds of neurons, which determine f₀.

    Where all a_i are equal f₀ has the mean of c_2, too; kinds that the step lengthens alike have one Var σ'(Z).
    """
    assert problem.biases is not None
    known = kind_numbers(problem.activation, problem.first_scale, problem.biases)
    numbers: dict[sympy.Symbol, Exact] = {
        symbols.c_1: RootMeanSquare(tuple((one.share, one.c1) for one in known)),
        symbols.c_rest: RootMeanSquare(tuple((one.share, one.c_rest) for one in known)),
    }
    if options.constant and problem.biases.law is None:
        kinds = [kind for kind in problem.unit_kinds if isinstance(kind, FormulaActivation)]
        trees = [mul(number(Fraction(one.share)), kind.tree) for one, kind in zip(known, kinds, strict=False)]
        if len(trees) == len(known):
            numbers[symbols.c(2)] = HermiteCoefficient(add(*trees), 2)
    spread = moving_kinds(problem)[0].slope_variance if options.lengthened else None
    return numbers if spread is None else numbers | {symbols.slope_variance: spread}


def _teacher_energy(problem: Problem) -> sympy.Expr | None:
    """Return c_⋆² = E σ⋆² minus the square of the mean."""
    teacher = problem.teacher
    if teacher.is_polynomial:
        known = [closed_form(value) for value in teacher.coefficients]
        if any(value is None for value in known):
            return None
        return sympy.Add(*(energy(k, value) for k, value in enumerate(known, start=1)))
    square, mean = closed_form(teacher.second_moment), closed_form(teacher.mean)
    return None if square is None or mean is None else square - mean**2


def decimal_values(problem: Problem, ell: int, digits: int, options: Options) -> dict[sympy.Symbol, sympy.Float]:
    """Return m_1, m_2, their slopes, and all numbers without a closed form, to ``digits`` proven digits."""
    found = predict(problem, ell=ell, digits=digits, network=options.network, gradient=options.gradient)
    teacher = problem.teacher
    coefficients = {c_star_of(k): value for k, value in enumerate(teacher.coefficients, start=1)}
    coefficients[symbols.label_mean] = problem.teacher.mean
    decimals = {
        symbol: to_mpf(number.enclosure(digits), digits)
        for symbol, number in (activation_numbers(problem, options) | coefficients).items()
        if isinstance(number, EnclosedNumber)
    }
    if isinstance(teacher.second_moment, EnclosedNumber):
        with ball_precision(bits_for(digits) + 10):
            square, mean = ball(teacher.second_moment), ball(teacher.mean)
            decimals[symbols.c_star] = to_mpf((square - mean**2).sqrt(), digits)
    decimals |= trace_values(found)
    return {symbol: sympy.Float(str(value), digits) for symbol, value in decimals.items()}


def trace_values(found: Prediction) -> dict[sympy.Symbol, Any]:
    """Return m_1, m_2 and their slopes in a prediction, by symbol."""
    letters = symbols.m_1, symbols.m_2, symbols.m_1_slope, symbols.m_2_slope
    return dict(zip(letters, (found.m1, found.m2, found.m1_slope, found.m2_slope), strict=True))
