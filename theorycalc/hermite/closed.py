"""Closed forms of Hermite coefficients, by recurrences (docs/theory/hermite.md#coefficients-of-a-function).

With w = e^{αx+βx²} φ and G_k = ∫_a^b He_k w dx, integration of (He_k w)' gives

    (1 − 2β) G_{k+1} = α G_k + 2βk G_{k−1} − [He_k w]_a^b,

so G_k = A_k G_0 + B_k w(a) + C_k w(b) with A, B, C rational in α, β, a, b.  A factor x is
x He_k = He_{k+1} + k He_{k−1}, a cosine the real part of a complex α, and an erf adds its Gaussian derivative to the
right-hand side.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial
from typing import TypeAlias

from theorycalc.functions.pieces import Piece
from theorycalc.hermite.closed_terms import ClosedNumbers, NotClosed, Part, constant_of, is_zero, parts_of, product
from theorycalc.numbers.systems import Number

#: G_0, …, G_K as rows of coefficients, and the values that the coefficients multiply.
Rows: TypeAlias = tuple[list[list[Number]], list[Number]]
#: The ends of a piece; None: at infinity.
Ends: TypeAlias = tuple[Number | None, Number | None]


def closed_coefficients(ns: ClosedNumbers, pieces: Sequence[Piece], K: int) -> list[Number]:
    """Return c_0, …, c_K with numbers of ``ns``; raise :class:`NotClosed` where there is no closed form.

    >>> from theorycalc.functions.grammar import parse
    >>> from theorycalc.functions.pieces import pieces
    >>> from theorycalc.hermite.closed_terms import closed_symbols
    >>> closed_coefficients(closed_symbols(), pieces(parse("relu")), 3)
    [sqrt(2)/(2*sqrt(pi)), 1/2, sqrt(2)/(4*sqrt(pi)), 0]
    """
    totals = [ns.zero] * (K + 1)
    for piece in pieces:
        ends = _ends(ns, piece)
        for part in parts_of(ns, piece.tree):
            for k, value in enumerate(_part_moments(ns, part, ends, K)):
                totals[k] = totals[k] + value
    return [ns.tidy(total / factorial(k)) for k, total in enumerate(totals)]


def closed_second_moment(ns: ClosedNumbers, pieces: Sequence[Piece]) -> Number:
    """Return E f² with numbers of ``ns``; raise :class:`NotClosed` where there is no closed form."""
    total = ns.zero
    for piece in pieces:
        ends = _ends(ns, piece)
        parts = parts_of(ns, piece.tree)
        for part in product(ns, parts, parts):
            total = total + _part_moments(ns, part, ends, 0)[0]
    return ns.tidy(total)


def _ends(ns: ClosedNumbers, piece: Piece) -> Ends:
    low, high = (None if end is None else constant_of(ns, end) for end in (piece.low, piece.high))
    return low, high


def _part_moments(ns: ClosedNumbers, part: Part, ends: Ends, K: int) -> list[Number]:
    """Return ∫ part(x) He_k(x) φ(x) dx between the ends, for k = 0, …, K."""
    if all(map(is_zero, part.polynomial)):
        return [ns.zero] * (K + 1)
    whole_line = ends == (None, None)
    if part.is_wave and (part.slope is not None or not (whole_line or ns.has_complex_erf)):
        raise NotClosed
    alpha = ns.complex(part.alpha, part.omega) if part.is_wave else part.alpha
    top = K + len(part.polynomial) - 1
    if part.slope is None:
        rows, values = _exponential_rows(ns, alpha, part.beta, ends, top)
    elif whole_line:
        rows, values = _erf_rows(ns, part, top)
    else:
        raise NotClosed  # Owen's T function would be needed
    moments = [sum((c * v for c, v in zip(row, values, strict=True)), start=ns.zero) for row in rows]
    moments = [ns.tidy(m) for m in _times_polynomial(part.polynomial, moments)]
    if not part.is_wave:
        return moments
    phase = ns.exp(ns.complex(ns.zero, part.delta))
    return [ns.real(ns.tidy(phase * m)) for m in moments]


def _times_polynomial(polynomial: tuple[Number, ...], moments: list[Number]) -> list[Number]:
    """Return ∫ p He_k w from ∫ He_k w, by Horner's rule; each degree of p uses up one k."""
    degree = len(polynomial) - 1
    result = [polynomial[degree] * m for m in moments]
    for j in range(degree - 1, -1, -1):
        size = len(result) - 1
        result = [
            result[k + 1]
            + (k * result[k - 1] if k else 0)
            + (0 if is_zero(polynomial[j]) else polynomial[j] * moments[k])
            for k in range(size)
        ]
    return result


def _exponential_rows(ns: ClosedNumbers, alpha: Number, beta: Number, ends: Ends, K: int) -> Rows:
    scale = 1 - 2 * beta
    if not scale > 0:
        raise NotClosed  # pragma: no cover - no known formula reaches it
    values = [_mass(ns, alpha, scale, ends)]
    columns = []
    for sign, end in ((1, ends[0]), (-1, ends[1])):
        if end is not None:
            values.append(_weight(ns, alpha, beta, end))
            columns.append([sign * h for h in _hermite(end, K)])
    rows = [[ns.one] + [ns.zero] * len(columns)]
    for k in range(K):
        forcing = [ns.zero, *(column[k] for column in columns)]
        rows.append(_next_row(ns, rows, k, (alpha, beta, scale), forcing))
    return rows, values


def _next_row(
    ns: ClosedNumbers, rows: list[list[Number]], k: int, constants: tuple[Number, Number, Number], forcing: list[Number]
) -> list[Number]:
    alpha, beta, scale = constants
    before: Sequence[Number | int] = rows[k - 1] if k else [0] * len(forcing)
    return [
        ns.tidy((alpha * now + 2 * k * beta * last + force) / scale)
        for now, last, force in zip(rows[k], before, forcing, strict=True)
    ]


def _hermite(x: Number, K: int) -> list[Number]:
    values = [1 + 0 * x, x]
    for k in range(1, K):
        values.append(x * values[k] - k * values[k - 1])
    return values


def _weight(ns: ClosedNumbers, alpha: Number, beta: Number, x: Number) -> Number:
    """Return w(x) = e^{αx+βx²} φ(x)."""
    return ns.exp(alpha * x + beta * x * x - x * x / 2) / ns.sqrt(2 * ns.pi())


def _mass(ns: ClosedNumbers, alpha: Number, scale: Number, ends: Ends) -> Number:
    """Return G_0: completing the square, a Gaussian of variance 1/scale around α/scale."""
    low, high = ends
    root = ns.sqrt(scale)
    total = ns.exp(alpha * alpha / (2 * scale)) / root

    def standard(x: Number) -> Number:
        return (root * x - alpha / root) / ns.sqrt(ns.rational(Fraction(2)))

    if low is None:
        return total if high is None else total * ns.erfc(-standard(high)) / 2
    if high is None:
        return total * ns.erfc(standard(low)) / 2
    return total * (ns.erf(standard(high)) - ns.erf(standard(low))) / 2


def _erf_rows(ns: ClosedNumbers, part: Part, K: int) -> Rows:
    """Return E_k = ∫ erf(sx+t) He_k w over the line: (1 − 2β)E_{k+1} = αE_k + 2βkE_{k−1} + ∫ (erf(sx+t))' He_k w."""
    alpha, beta, slope, shift = part.alpha, part.beta, part.slope, part.shift
    assert slope is not None
    assert shift is not None
    scale = 1 - 2 * beta
    line = (None, None)
    narrow = (ns.tidy(alpha - 2 * slope * shift), ns.tidy(beta - slope * slope))
    gaussian, (narrow_mass,) = _exponential_rows(ns, *narrow, line, K)
    if not scale > 0:
        raise NotClosed  # pragma: no cover - no known formula reaches it
    mean = slope * alpha / scale + shift
    first = _mass(ns, alpha, scale, line) * ns.erf(mean / ns.sqrt(1 + 2 * ns.tidy(slope * slope) / scale))
    derivative = 2 * slope * ns.exp(-shift * shift) / ns.sqrt(ns.pi()) * narrow_mass
    rows = [[ns.one, ns.zero]]
    for k in range(K):
        rows.append(_next_row(ns, rows, k, (alpha, beta, scale), [ns.zero, gaussian[k][0]]))
    return rows, [first, derivative]
