"""Spikes, conditions and notes for neurons with biases, and the polynomials of h that their spikes make free.

The step moves a neuron of bias b by ηa_i c_1(b)β, and the k-th spike has the right vector c_1(b_i)^k c_k(b_i) a_i^k: it
is there if one kind of neuron has c_1 and c_k (docs/theory/kinds.md#the-spikes).  Where all a_i² are equal, right
vectors coincide, and where the step lengthens neurons, left ones are polynomials
(docs/theory/kinds.md#literal-networks):

Neuron i of kind b, with u = ηa_i, answers to h by Σ_k c_k(b) u^k E_z(c_1(b)√κ h + √v_b z)^k, v_b = 0 in the theorem.
In ε = u√κ this is Σ_k ε^k c_k c_1^k p_k(h), with one polynomial p_k of degree k for each kind of its own τ_b.
Rows are such power series for independent right vectors, and elimination finds the polynomials they span in each order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from math import comb
from typing import TypeAlias

import flint

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.functions.algebra import double_factorial
from theorycalc.model.activation import Activation
from theorycalc.model.biases import Biases
from theorycalc.model.enums import SecondLayer
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import Condition, activation_conditions, check_slope_variance
from theorycalc.model.spikes import ALL, Spikes
from theorycalc.numbers.balls import ball, ball_precision, require_exact
from theorycalc.numbers.exact import is_zero
from theorycalc.numbers.systems import Number

_BITS = 600  # at which a number that may be 0 is taken for 0
_CUBIC = 3
HIGHEST = 40  # power of a spike that is sought where all of them are asked for

#: The series in ε of one right vector, {order: {power of h: coefficient}}.
SpikeSeries: TypeAlias = "dict[int, dict[int, flint.arb]]"
#: Coefficients s_0, …, s_D = 1 of a polynomial in h/√τ, where τ is that of a kind with Var σ' = c_1².
Shape: TypeAlias = "tuple[Number, ...]"
Shapes: TypeAlias = "tuple[Shape, ...]"

#: The second layers whose powers of one parity are one vector.
COINCIDING = (SecondLayer.SIGN, SecondLayer.CONSTANT)


def spike_powers(k: int, lengthening: Number) -> dict[int, Number]:
    """Return the coefficients of h^j in E_z(h + √τz)^k for j ≥ 1: the constant costs nothing.

    >>> spike_powers(4, 2), spike_powers(3, 0)
    ({4: 1, 2: 12}, {3: 1, 1: 0})
    """
    return {j: comb(k, j) * double_factorial(k - j - 1) * lengthening ** ((k - j) // 2) for j in range(k, 0, -2)}


def moving_kinds(problem: Problem) -> list[Activation]:
    """Return the kinds of neurons moved by the step, which have c_1 ≠ 0."""
    return [kind for kind in problem.unit_kinds if not is_zero(kind.c1)]


def lengthened_alike(problem: Problem) -> bool:
    """Return whether all kinds moved by the step share c_1² and Var σ', as far as 180 digits tell.

    >>> biased = {"teacher": "H1", "phi": 1, "psi": 1, "ridge": 1, "intercept": True}
    >>> [lengthened_alike(Problem("tanh", **biased, biases={-1: 1, b: 1})) for b in (1, 2)]
    [True, False]
    """
    with ball_precision(_BITS):
        first, *others = [(ball(kind.c1) ** 2, ball(kind.slope_variance)) for kind in moving_kinds(problem)]
        return all(one.overlaps(other) for found in others for one, other in zip(first, found, strict=True))


def shapes_of(problem: Problem, ell: int | float, lengthened: bool) -> Shapes:
    """Return polynomials of h, ordered by degree, that span the free space of spikes of order k ≤ ℓ.

    With ``lengthened`` they are those of neurons that the step lengthens, else the powers of the theorem.

    >>> even = Problem("H1 + H4", "H1", 1, 1, 1, intercept=True, biases={0: 1})
    >>> [[float(s) for s in shape] for shape in shapes_of(even, 4, lengthened=True)]  # h, and h⁴ + 6·96h²
    [[0.0, 1.0], [0.0, 0.0, 576.0, 0.0, 1.0]]
    """
    return _shapes(problem, int(min(ell, HIGHEST)), lengthened, max(_BITS, flint.ctx.prec))


@functools.lru_cache(maxsize=256)
def _shapes(problem: Problem, ell: int, lengthened: bool, bits: int) -> Shapes:
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
    """Return the series of one kind of neuron: one per order, per parity, or in all, as right vectors differ."""
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
    """Return the order and series of each polynomial that becomes free up to an order, keyed by degree.

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
    """Return the degree that one order of a series adds to the polynomials found, after eliminating those from it."""
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


def kind_spikes(problem: Problem, ell: int | float, lengthened: bool = False) -> Spikes:
    """Return the spikes K that window ℓ shows for neurons with biases.

    Of neurons that the step has ``lengthened`` they are the degrees of the polynomials that cost nothing.

    >>> odd = {"teacher": "H1", "phi": 1, "psi": 1, "ridge": 1, "intercept": True}
    >>> [kind_spikes(Problem("tanh", **odd, biases=b), 3).listed for b in ({0: 1}, {0: 1, 1: 1}, "normal(1)")]
    [(1, 3), (1, 2, 3), (1, 2, 3)]
    """
    assert problem.biases is not None
    if problem.biases.law is not None:
        return _spikes_of_law(problem, ell)
    coincide = problem.second_layer in COINCIDING and ell > 1
    if coincide and not problem.activation.is_provable:
        raise DomainError(
            f"{spelled('second_layer', problem.second_layer)} and {spelled('biases')}: beyond {spelled('ell', 1)} it "
            "takes an activation as text to tell which spikes coincide",
            argument="second_layer",
        )
    known = _degrees(problem, ell, False) if coincide else _powers(problem, ell)
    if lengthened and (coincide or known.has_gaps):
        for kind in moving_kinds(problem):
            check_slope_variance(kind)
        return _degrees(problem, ell, True)
    return known


def _degrees(problem: Problem, ell: int | float, lengthened: bool) -> Spikes:
    return Spikes(tuple(len(shape) - 1 for shape in shapes_of(problem, ell, lengthened)))


def _powers(problem: Problem, ell: int | float) -> Spikes:
    """Return the powers k for which some kind has c_1 and c_k, when the a_i take infinitely many sizes."""
    moved = moving_kinds(problem)
    if ell < math.inf:
        return Spikes(tuple(sorted({k for kind in moved for k in kind.spikes(int(ell))})))
    found = [kind.infinite_spikes() for kind in moved]
    if all(one.is_finite for one in found):
        return Spikes(tuple(sorted({k for one in found for k in one.listed})))
    return found[0] if len(set(found)) == 1 else ALL


def _spikes_of_law(problem: Problem, ell: int | float) -> Spikes:
    """Return the spikes K for a law: all k, unless σ is a polynomial of a lower degree.

    So it is for every second layer, but for quadratic σ and equal a_i, whose first two right vectors are one.
    See docs/theory/kinds.md#laws-of-biases.
    """
    activation, known = problem.activation, ALL if ell == math.inf else Spikes.up_to(int(ell))
    equal = problem.second_layer == SecondLayer.CONSTANT
    if activation.is_sampled:  # a c_k that is not told from 0 is refused; c_3 ≠ 0 shows that σ is not quadratic
        sought = max(ell, _CUBIC) if equal and ell > 1 else ell
        if sought < math.inf:
            problem.unit_kinds[-1].spikes(int(sought))
    elif activation.present is not None:
        degree = max(activation.present)
        known = Spikes.up_to(1 if equal and degree < _CUBIC and ell >= 1 else int(min(ell, degree)))
    return known


def kind_conditions(problem: Problem, ell: int | float) -> tuple[Condition, ...]:
    """Return the conditions on the activation for neurons with biases, which go beyond the theorems."""
    smooth = activation_conditions(problem.unit_activation, 1)[-1]
    window = "∞" if ell == math.inf else ell
    known = kind_spikes(problem, ell)
    if known == ALL:
        holds = True if _has_all(problem) else None
    else:
        holds = ell < math.inf and known == Spikes.up_to(int(ell))
    return (
        Condition("neurons without biases", False),
        Condition(f"a kind of neuron with c_1 and c_k ≠ 0 for each k ≤ ℓ = {window}", holds),
        smooth,
    )


def _has_all(problem: Problem) -> bool:
    """Return whether every k is known to be a spike, as for a law of biases unless σ is a polynomial."""
    is_law = problem.biases is not None and problem.biases.law is not None
    return is_law and not problem.activation.is_sampled and problem.activation.present is None


def kind_notes(problem: Problem, ell: int | float, spikes: Spikes, network: str = "theorem") -> tuple[str, ...]:
    """Return notes on neurons with biases."""
    assert problem.biases is not None
    notes = [f"neurons with biases {problem.biases}, which the step does not change: an extension of the theorem"]
    is_law = problem.biases.law is not None
    if is_law:
        count = len(problem.biases.kinds)
        notes.append(f"the law of the biases is replaced by {count} kinds of neurons: no digits are proven")
    if spikes == ALL and not _has_all(problem):
        notes.append("c_k ≠ 0 is assumed for some kind of neuron at every k")
    elif ell < math.inf and spikes != Spikes.up_to(int(ell)):
        coincide = problem.second_layer in COINCIDING
        proof = "" if is_law else ", as far as 150 digits tell"
        why = f"others coincide with lower ones{proof}" if coincide else "missing coefficients"
        notes.append(f"spikes K = {spikes}: {why}")
    if network == "literal" and spikes != kind_spikes(problem, ell):
        notes.append(
            "the step lengthens each kind of neuron by another factor, so that a spike of one order makes several "
            "polynomials of h free: K are their degrees"
        )
    return tuple(notes)


def check_exact_biases(biases: Biases) -> None:
    """Refuse laws, and biases that are floats, if digits are to be proven.

    >>> from theorycalc.model.biases import read_biases
    >>> check_exact_biases(read_biases("normal(1)"))
    Traceback (most recent call last):
    ...
    theorycalc.errors.PrecisionError: biases='normal(1)' is a law, which is replaced by a rule for float64: no digits \
are proven; leave digits= out, or give a table of biases
    """
    if not biases.is_proven:
        raise PrecisionError(
            f"{spelled('biases', str(biases))} is a law, which is replaced by a rule for float64: no digits are "
            f"proven; leave {spelled('digits')} out, or give a table of biases",
            argument="biases",
        )
    for kind in biases.kinds:
        require_exact(kind.bias, "biases")
