"""Enclosing an exact sympy number in an Arb ball, by walking its tree.

Only the constants and functions below are known, each by its proven Arb counterpart;
``evalf``, whose error bounds are heuristic, is not used.
"""

from __future__ import annotations

from collections.abc import Callable

import flint
import sympy

from theorycalc.errors import DomainError

_CONSTANTS: dict[sympy.Expr, Callable[[], flint.arb]] = {
    sympy.pi: flint.arb.pi,
    sympy.E: flint.arb.const_e,
    sympy.EulerGamma: flint.arb.const_euler,
    sympy.Catalan: flint.arb.const_catalan,
}

_FUNCTIONS: dict[type[sympy.Basic], Callable[[flint.arb], flint.arb]] = {
    sympy.exp: flint.arb.exp,
    sympy.log: flint.arb.log,
    sympy.sin: flint.arb.sin,
    sympy.cos: flint.arb.cos,
    sympy.tan: flint.arb.tan,
    sympy.asin: flint.arb.asin,
    sympy.acos: flint.arb.acos,
    sympy.atan: flint.arb.atan,
    sympy.sinh: flint.arb.sinh,
    sympy.cosh: flint.arb.cosh,
    sympy.tanh: flint.arb.tanh,
    sympy.erf: flint.arb.erf,
    sympy.erfc: flint.arb.erfc,
    sympy.gamma: flint.arb.gamma,
    sympy.Abs: abs,
}


def enclose(expression: sympy.Expr) -> flint.arb:
    """Return a ball that contains the value of ``expression``, at the current precision.

    >>> print(enclose(sympy.sqrt(2) / sympy.pi).str(10))
    [0.4501581581 +/- 2.15e-11]
    """
    if expression.is_Rational:
        return flint.arb(flint.fmpq(int(expression.p), int(expression.q)))
    if expression in _CONSTANTS:
        return _CONSTANTS[expression]()
    parts = [enclose(part) for part in expression.args]
    if expression.is_Add:
        return sum(parts, flint.arb(0))
    if expression.is_Mul:
        product = flint.arb(1)
        for part in parts:
            product *= part
        return product
    if expression.is_Pow:
        exponent = expression.args[1]
        if exponent.is_Integer:
            return parts[0] ** int(exponent)
        if exponent == sympy.Rational(1, 2):
            return parts[0].sqrt()
        if exponent == sympy.Rational(-1, 2):
            return parts[0].rsqrt()
        return parts[0] ** parts[1]
    function = _FUNCTIONS.get(type(expression))
    if function is None or len(parts) != 1:
        raise DomainError(
            f"{expression} cannot be enclosed: {type(expression).__name__} is not among the known functions"
        )
    return function(parts[0])
