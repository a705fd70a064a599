"""The solution for the traces, also with an input covariance, in float64 arrays and in balls: algorithms, no formulas.

Newton's method started above the root of the balance of :mod:`~theorycalc.theory.traces` comes down to it
monotonically, because G is increasing and convex there.  That of :mod:`~theorycalc.theory.spectral_traces` is
increasing and concave as a function of w = y(y + gap): from wherever it starts, it comes up to the root after its first
step.  There is no bracket to keep and no case that fails.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain

import flint
import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.numbers.balls import ball, ball_precision, bits_for, enclosed_zero
from theorycalc.numbers.exact import Exact
from theorycalc.numbers.systems import BALLS, FLOATS, SCALARS, Array, Number, NumberSystem
from theorycalc.theory.case import Case
from theorycalc.theory.covariance import InputSpectrum
from theorycalc.theory.kinds_solver import (
    ball_kind_limits,
    ball_kind_traces,
    float_kind_limits,
    float_kind_traces,
    risen,
    unsettled,
)
from theorycalc.theory.ridgeless import RidgelessCase, case_of, in_each_case, positive_root, ridgeless
from theorycalc.theory.spectral_traces import (
    spectral_balance,
    spectral_load,
    spectral_ridgeless,
    spectral_traces_at,
    spectral_weights,
)
from theorycalc.theory.traces import Balance, Solved, Traces, balance, balance_of, start, traces_at, weights_of

_SMALL_STEP = 1e-8  # a smaller relative step leaves an error below its square: rounding
_MOST_STEPS = 100  # about 7 are needed
_FIRST_BITS = 49  # accuracy of the float64 root
_RISEN_BITS = 45  # the same with a covariance
_FEW_BITS = 400  # up to here a lower precision saves nothing
_FLOAT_RANGE = 1e60
_GUARD_BITS = 30
_MOST_EXTRA_BITS = 20_000


def solve_balance(ns: NumberSystem, equation: Balance) -> Number:
    """Return the root of the balance at all points of the arrays together.

    >>> solve_balance(SCALARS, Balance(gap=0.0, room=1.0, excess=0.0, phi=1.0, a=1.0, b=1.0, wide=True))
    0.5187900636758842
    """
    y = start(ns, equation)
    for _ in range(_MOST_STEPS):
        value, slope = balance(y, equation)
        step = value / slope
        y = y - step
        if ns.all(step <= _SMALL_STEP * y):
            return y
    raise unsettled()  # pragma: no cover - no known problem reaches it


def solve_spectral(ns: NumberSystem, equation: Balance, spectrum: InputSpectrum) -> Number:
    """Return the root y = min(p, u) of the balance.

    >>> equation = Balance(gap=0.0, room=1.0, excess=0.0, phi=1.0, a=1.0, b=1.0, wide=True)
    >>> float(solve_spectral(FLOATS, equation, InputSpectrum(*np.ones((3, 1)))))
    0.5187900636758842
    """
    gap, first = equation.gap, start(ns, equation)

    def lesser(w: Number) -> Number:
        return 2 * w / (gap + ns.sqrt(gap * gap + 4 * w))

    def in_w(w: Number) -> tuple[Number, Number]:
        y = lesser(w)
        value, slope = spectral_balance(ns, y, equation, spectrum)
        return value, slope / (2 * y + gap)

    return lesser(risen(ns, first * (first + gap), in_w))


def solve_ridgeless(ns: NumberSystem, equation: Balance, spectrum: InputSpectrum) -> Number:
    """Return the root w of the load without ridge, starting from the smaller one for equal eigenvalues.

    >>> equation = Balance(gap=0.0, room=1.0, excess=0.0, phi=1.0, a=1.0, b=1.0, wide=True)
    >>> round(float(solve_ridgeless(FLOATS, equation, InputSpectrum(*np.ones((3, 1))))), 12)
    0.61803398875
    """
    a, b = equation.a, equation.b
    first = positive_root(ns, a * b, a * equation.phi + b * equation.excess, equation.room * equation.phi)
    return risen(ns, first, lambda w: spectral_load(ns, w, equation, spectrum))


def enclose_root(equation: Balance, bits: int) -> flint.arb:
    """Return a ball around the root of the balance: G has exactly one positive zero."""
    return _enclosed(balance, solve_balance, SCALARS, _FIRST_BITS, bits, equation)


def enclose_spectral(equation: Balance, spectrum: InputSpectrum, bits: int, ridgeless: bool = False) -> flint.arb:
    """Return a ball around the root of the balance or, without ridge, of the load; each has exactly one."""
    formula, solve = (spectral_load, solve_ridgeless) if ridgeless else (spectral_balance, solve_spectral)
    return _enclosed(functools.partial(formula, BALLS), solve, FLOATS, _RISEN_BITS, bits, equation, spectrum)


def _enclosed(
    formula: Callable[..., tuple[Number, Number]],  # value and slope at a number, of the equation and the spectrum
    solve: Callable[..., Number],
    floats: NumberSystem,
    right: int,
    bits: int,
    equation: Balance,
    *spectrum: InputSpectrum,
) -> flint.arb:
    """Return a ball around a root, proven by one interval Newton step, which doubles the digits.

    Before that it is found to half of the bits, of which a float64 root has ``right``, at a precision that doubles with
    its correct digits.
    """
    root = flint.arb(_rough(solve, floats, *_midpoints(equation, *spectrum)))
    half, full = bits // 2 - 8, flint.ctx.prec
    while right < half:
        right = min(2 * right - 3, half)
        with ball_precision(full if half < _FEW_BITS else right + 12):
            value, slope = formula(root, *_midpoints(equation, *spectrum))
            root = (root - value / slope).mid()
    return enclosed_zero(lambda at: formula(at, equation, *spectrum), root, right)


def _rough(
    solve: Callable[..., Number], floats: NumberSystem, equation: Balance, *spectrum: InputSpectrum
) -> float | flint.arb:
    """Return the root to about float64 precision, in floats where their range allows it."""
    numbers = chain(equation[:-1], *(column for one in spectrum for column in vars(one).values()))
    if all(x == 0 or 1 / _FLOAT_RANGE < abs(float(x)) < _FLOAT_RANGE for x in numbers):
        return float(solve(floats, *_converted(float, float, equation, *spectrum)))
    with ball_precision(64):
        root: flint.arb = solve(BALLS, *_midpoints(equation, *spectrum))
        return root.mid()


def _midpoints(equation: Balance, *spectrum: InputSpectrum) -> tuple[Balance, *tuple[InputSpectrum, ...]]:
    """Return the midpoints of an equation and a spectrum, rounded to the current precision."""
    return _converted(lambda x: (+flint.arb(x)).mid(), object, equation, *spectrum)


def _converted(
    convert: Callable[[Number], Number], kind: type, equation: Balance, *spectrum: InputSpectrum
) -> tuple[Balance, *tuple[InputSpectrum, ...]]:
    def columns(one: InputSpectrum) -> list[Array]:
        return [np.array([*map(convert, column)], dtype=kind) for column in vars(one).values()]

    found = Balance._make([*map(convert, equation[:-1]), equation.wide])
    return found, *(InputSpectrum(*columns(one)) for one in spectrum)


def float_weights(case: Case, ridge: Number) -> Solved:
    """Return the traces and the weights of the losses in float64 for λ ≥ 0."""
    point = case.phi, case.psi, ridge
    if not FLOATS.all(ridge > 0):
        if case.kinds and case.c_rest > 0:  # of linear neurons there is one kind
            return float_kind_limits(case.kinds, *point)
        return float_limits(*point, case.c1, case.c_rest, spectrum=case.spectrum)
    if case.kinds:
        traces = float_kind_traces(case.kinds, *point)
        return traces, weights_of(traces, *point)
    return _float_solved(*point, case.c1, case.c_rest, case.spectrum)


def _float_solved(
    phi: Number, psi: Number, ridge: Number, c1: Number, c_rest: Number, spectrum: InputSpectrum | None
) -> Solved:
    traces = float_traces(phi, psi, ridge, c1, c_rest, spectrum)
    weights = weights_of(traces, phi, psi, ridge)
    return traces, weights if spectrum is None else spectral_weights(weights, spectrum, c1)


def float_traces(
    phi: Number, psi: Number, ridge: Number, c1: Number, c_rest: Number, spectrum: InputSpectrum | None = None
) -> Traces:
    """Return the traces in float64 for λ > 0; ``spectrum`` is that of inputs with a covariance."""
    equation = balance_of(FLOATS, phi, psi, ridge, c1, c_rest)
    if spectrum is not None:
        y = solve_spectral(FLOATS, equation, spectrum)
        return spectral_traces_at(FLOATS, y, equation, spectrum, psi, ridge)
    return traces_at(FLOATS, solve_balance(FLOATS, equation), equation, phi, psi, ridge)


def float_limits(*parameters: Number, spectrum: InputSpectrum | None = None) -> Solved:
    """Return traces and weights in float64 if some λ are zero, for given φ, ψ, λ, c_1 and c_{>1}."""

    def solve(which: RidgelessCase | None, phi: Array, psi: Array, ridge: Array, c1: Array, c_rest: Array) -> Solved:
        if which is None:
            return _float_solved(phi, psi, ridge, c1, c_rest, spectrum)
        if spectrum is None:
            return ridgeless(FLOATS, which, phi, psi, c1, c_rest)
        w = solve_ridgeless(FLOATS, balance_of(FLOATS, phi, psi, np.ones_like(ridge), c1, c_rest), spectrum)
        return spectral_ridgeless(FLOATS, which, (phi, psi), (c1, c_rest), spectrum, w)

    return in_each_case(solve, np.asarray(parameters[4]) == 0, *parameters)


def ball_weights(case: Case, sizes: Sequence[Exact], bits: int) -> Solved:
    """Return the traces and the weights of the losses in balls, at exact φ, ψ and λ ≥ 0."""
    spectrum = case.spectrum
    if not sizes[2]:
        linear = bool(case.c_rest == 0)
        if case.kinds and not linear:
            which = RidgelessCase(case_of(BALLS, sizes[0], sizes[1], False))
            return ball_kind_limits(case.kinds, case.phi, case.psi, which, bits)
        return ball_limits(sizes[:2], case.c1, case.c_rest, linear, spectrum, bits)
    if case.kinds:
        traces = ball_kind_traces(case.kinds, case.phi, case.psi, ball(sizes[2]), bits)
    else:
        traces = ball_traces(sizes, case.c1, case.c_rest, bits, spectrum)
    weights = weights_of(traces, case.phi, case.psi, ball(sizes[2]))
    return traces, weights if spectrum is None else spectral_weights(weights, spectrum, case.c1)


def ball_traces(
    sizes: Sequence[Exact], c1: flint.arb, c_rest: flint.arb, bits: int, spectrum: InputSpectrum | None = None
) -> Traces:
    """Return enclosures of the traces at exact φ, ψ and λ > 0; ``spectrum`` is that of inputs with a covariance."""
    equation, (_, psi, ridge) = _exact_balance(sizes, c1, c_rest), (flint.arb(_rational(size)) for size in sizes)
    if spectrum is not None:
        y = enclose_spectral(equation, spectrum, bits)
        return spectral_traces_at(BALLS, y, equation, spectrum, psi, ridge)
    return traces_at(BALLS, enclose_root(equation, bits), equation, equation.phi, psi, ridge)


def _exact_balance(sizes: Sequence[Exact], c1: flint.arb, c_rest: flint.arb) -> Balance:
    """Return the balance in balls from exact rationals, so that the differences of sizes in it are exact, too."""
    phi, psi, ridge = map(_rational, sizes)
    exact = balance_of(BALLS, phi, psi, ridge, c1, c_rest)
    gap, room, excess, phi_ball, a, b = map(flint.arb, exact[:-1])
    return Balance(gap, room, excess, phi_ball, a, b, exact.wide)


def _rational(size: Exact) -> flint.fmpq:
    assert isinstance(size, (Fraction, float))  # φ, ψ and λ are read as rational numbers
    return flint.fmpq(*Fraction(size).as_integer_ratio())


def ball_limits(
    sizes: Sequence[Exact],
    c1: flint.arb,
    c_rest: flint.arb,
    linear: bool,
    spectrum: InputSpectrum | None = None,
    bits: int = 0,
) -> Solved:
    """Return enclosures of traces and weights at exact φ, ψ as λ → 0⁺; ``linear`` says that c_{>1} = 0.

    ``spectrum`` is that of inputs with a covariance, for which a root of ``bits`` bits is sought.
    """
    phi, psi = sizes
    case = case_of(BALLS, phi, psi, linear)
    if spectrum is None:
        return ridgeless(BALLS, case, ball(phi), ball(psi), c1, c_rest)
    w = enclose_spectral(_exact_balance((phi, psi, Fraction(1)), c1, c_rest), spectrum, bits, ridgeless=True)
    return spectral_ridgeless(BALLS, case, (ball(phi), ball(psi)), (c1, c_rest), spectrum, w)


def until_proven(
    attempt: Callable[[int], Sequence[flint.arb]], digits: int, most: int = _MOST_EXTRA_BITS
) -> list[flint.arb]:
    """Return the results of ``attempt``, with up to ``most`` more bits until each has ``digits`` proven digits."""
    target = bits_for(digits) + 10
    extra = _GUARD_BITS
    while extra <= most:
        with ball_precision(target + extra):
            results = list(map(flint.arb, attempt(target + extra)))
            proven = min(map(_proven_bits, results))
        if proven >= target:
            return results
        extra = max(2 * extra, extra + target - proven)
    raise PrecisionError(
        f"{digits} digits could not be proven with {most} extra bits: a result is extremely close to zero",
        argument="digits",
    )


def _proven_bits(x: flint.arb) -> int:
    if x.is_finite():
        return max(0, int(x.rel_accuracy_bits()))  # of a ball around 0 they are negative, and without bound
    return 1 << 62 if x > 0 or x < 0 else 0  # ±∞ is exact, a ball without bounds is not
