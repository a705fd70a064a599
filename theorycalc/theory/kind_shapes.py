"""The polynomials of h that spikes make free where neurons are of several kinds.

Neuron i of kind b, with u = ηa_i, answers to h by Σ_k c_k(b) u^k E_z(c_1(b)√κ h + √v_b z)^k, v_b = 0 in the theorem.
In ε = u√κ this is Σ_k ε^k c_k c_1^k p_k(h), with one polynomial p_k of degree k for each kind of its own τ_b.
Rows are such power series for independent right vectors, and elimination finds the polynomials they span in each order.

See docs/theory/kinds.md#literal-networks.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import comb
from typing import TypeAlias

import flint

from theorycalc.functions.algebra import double_factorial
from theorycalc.model.activation import Activation
from theorycalc.model.enums import SecondLayer
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.numbers.exact import is_zero
from theorycalc.numbers.systems import Number

_BITS = 600  # at which a number that may be 0 is taken for 0
HIGHEST = 40  # power of a spike that is sought where all of them are asked for

#: The series in ε of one right vector, {order: {power of h: coefficient}}.
SpikeSeries: TypeAlias = "dict[int, dict[int, flint.arb]]"
#: Coefficients s_0, …, s_D = 1 of a polynomial in h/√τ, where τ is that of a kind with Var σ' = c_1².
Shape: TypeAlias = "tuple[Number, ...]"

#: The second layers whose powers of one parity are one vector.
COINCIDING = (SecondLayer.SIGN, SecondLayer.CONSTANT)


def spike_powers(k: int, lengthening: Number) -> dict[int, Number]:
    """Return the coefficients of h^j in E_z(h + √τz)^k, j ≥ 1: its constant costs nothing.

    >>> spike_powers(4, 2), spike_powers(3, 0)
    ({4: 1, 2: 12}, {3: 1, 1: 0})
    """
    return {j: comb(k, j) * double_factorial(k - j - 1) * lengthening ** ((k - j) // 2) for j in range(k, 0, -2)}


def moving_kinds(problem: Problem) -> list[Activation]:
    """Return the kinds of neurons that the step moves: those with c_1 ≠ 0."""
    return [kind for kind in problem.unit_kinds if not is_zero(kind.c1)]


def lengthened_alike(problem: Problem) -> bool:
    """Return whether all kinds that the step moves have c_1² and Var σ' in common, as far as 180 digits tell.

    >>> biased = {"teacher": "H1", "phi": 1, "psi": 1, "ridge": 1, "intercept": True}
    >>> [lengthened_alike(Problem("tanh", **biased, biases={-1: 1, b: 1})) for b in (1, 2)]
    [True, False]
    """
    with ball_precision(_BITS):
        first, *others = [(ball(kind.c1) ** 2, ball(kind.slope_variance)) for kind in moving_kinds(problem)]
        return all(one.overlaps(other) for found in others for one, other in zip(first, found, strict=True))


def shapes_of(problem: Problem, ell: int | float, lengthened: bool) -> tuple[Shape, ...]:
    """Return polynomials of h, in the order of their degrees, that span the free space of spikes of order k ≤ ℓ.

    With ``lengthened`` they are those of neurons that the step lengthens, else the powers of the theorem.

    >>> even = Problem("H1 + H4", "H1", 1, 1, 1, intercept=True, biases={0: 1})
    >>> [[float(s) for s in shape] for shape in shapes_of(even, 4, lengthened=True)]  # h, and h⁴ + 6·96h²
    [[0.0, 1.0], [0.0, 0.0, 576.0, 0.0, 1.0]]
    """
    return _shapes(problem, int(min(ell, HIGHEST)), lengthened, max(_BITS, flint.ctx.prec))


@functools.lru_cache(maxsize=256)
def _shapes(problem: Problem, ell: int, lengthened: bool, bits: int) -> tuple[Shape, ...]:
    with ball_precision(bits):
        rows = [row for kind in moving_kinds(problem) for row in _rows(problem, kind, ell, lengthened)]
        shapes: dict[int, Shape] = {}
        for degree, (order, row) in sorted(free_polynomials(rows, ell).items()):
            shape = [row[order].get(j, flint.arb(0)) for j in range(degree + 1)]
            for lower, other in reversed(shapes.items()):
                size, shape[lower] = shape[lower], flint.arb(0)
                shape[:lower] = [x - size * y for x, y in zip(shape, other[:-1], strict=False)]
            shapes[degree] = tuple(shape)
        return tuple(shapes.values())


def _rows(problem: Problem, kind: Activation, ell: int, lengthened: bool) -> list[SpikeSeries]:
    """Return the series of one kind of neuron: one for each order, for each parity, or one, as right vectors differ."""
    spread = ball(kind.slope_variance) / ball(kind.c1) ** 2 if lengthened else flint.arb(0)
    if problem.second_layer not in COINCIDING:  # sizes do not matter, and the structure of σ shows which are 0
        return [{k: {j: flint.arb(s) for j, s in spike_powers(k, spread).items()}} for k in kind.spikes(ell)]
    step = 2 if problem.second_layer == SecondLayer.SIGN else 1
    first = ball(kind.c1)

    def spike(k: int) -> dict[int, flint.arb]:
        size = first**k * ball(kind.enclosed_coefficient(k))
        return {j: size * s for j, s in spike_powers(k, spread).items()}

    return [{k: spike(k) for k in range(start, ell + 1, step)} for start in range(1, step + 1)]


def free_polynomials(rows: Sequence[SpikeSeries], most: int) -> dict[int, tuple[int, SpikeSeries]]:
    """Return the order and the series of each polynomial that becomes free up to an order, by its degree.

    A series makes the term of its lowest order free, less the polynomials that lower and equal orders have made free:
    Gauss's elimination among power series in ε, whose pivots are units.

    >>> rows = [{1: {1: flint.arb(2)}, 2: {2: flint.arb(4)}}, {1: {1: flint.arb(1)}, 2: {2: flint.arb(3)}}]
    >>> {degree: order for degree, (order, _) in free_polynomials(rows, 2).items()}
    {1: 1, 2: 2}
    """
    found: dict[int, tuple[int, SpikeSeries]] = {}
    waiting = [{k: dict(part) for k, part in row.items()} for row in rows]
    for order in range(1, most + 1):
        left = []
        for row in waiting:
            degree = _leading(row, order, found)
            if degree is None:
                left.append(row)
                continue
            pivot = row[order][degree]
            found[degree] = order, {k: {j: x / pivot for j, x in part.items()} for k, part in row.items()}
        waiting = left
    return found


def _leading(row: SpikeSeries, order: int, found: dict[int, tuple[int, SpikeSeries]]) -> int | None:
    """Return the degree that one order of a series adds to the polynomials found, and take all else out of it."""
    part = row.get(order, {})
    while part:
        degree = max(part)
        if part[degree].contains(0):
            del part[degree]
            continue
        if degree not in found:
            return degree
        size, (earlier, other) = part[degree], found[degree]
        for k, terms in other.items():
            target = row.setdefault(k + order - earlier, {})
            for j, x in terms.items():
                target[j] = target.get(j, flint.arb(0)) - size * x
        del part[degree]
    return None
