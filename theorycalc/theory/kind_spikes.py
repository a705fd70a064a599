"""Spikes, conditions and notes of networks whose neurons have biases.

The step moves a neuron of bias b by ηa_i c_1(b)β, and the k-th spike has the right vector c_1(b_i)^k c_k(b_i) a_i^k: it
is there if one kind of neuron has c_1 and c_k (docs/theory/kinds.md#the-spikes).
"""

from __future__ import annotations

import math

import flint

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.model.biases import Biases
from theorycalc.model.enums import SecondLayer
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import Condition, activation_conditions
from theorycalc.model.spikes import ALL, Spikes
from theorycalc.numbers.balls import ball, ball_precision, require_exact
from theorycalc.numbers.exact import is_zero

_BITS = 600  # at which a vector that may be 0 is taken for 0
_HIGHEST = 40  # power of a spike that is sought where all of them are asked for

#: The second layers whose powers of one parity are one vector.
COINCIDING = (SecondLayer.SIGN, SecondLayer.CONSTANT)


def kind_spikes(problem: Problem, ell: int | float) -> Spikes:
    """Return the spikes K that window ℓ shows where neurons have biases.

    >>> odd = {"teacher": "H1", "phi": 1, "psi": 1, "ridge": 1, "intercept": True}
    >>> [kind_spikes(Problem("tanh", **odd, biases=b), 3).listed for b in ({0: 1}, {0: 1, 1: 1}, "normal(1)")]
    [(1, 3), (1, 2, 3), (1, 2, 3)]
    """
    assert problem.biases is not None
    if problem.second_layer in COINCIDING and ell > 1:
        return _apart(problem, ell)
    if problem.biases.law is not None and not problem.activation.is_sampled:
        return _spikes_of_law(problem.activation.present, ell)
    kinds = problem.unit_kinds if problem.biases.law is None else problem.unit_kinds[-1:]
    moved = [kind for kind in kinds if not is_zero(kind.c1)]
    if ell < math.inf:
        return Spikes(tuple(sorted({k for kind in moved for k in kind.spikes(int(ell))})))
    found = [kind.infinite_spikes() for kind in moved]
    if all(one.is_finite for one in found):
        return Spikes(tuple(sorted({k for one in found for k in one.listed})))
    return found[0] if len(set(found)) == 1 else ALL


def _apart(problem: Problem, ell: int | float) -> Spikes:
    """Return the spikes whose right vectors differ where all a_i² are equal.

    On a kind b the right vector of h^k is c_1^k(b)c_k(b), for all k of one parity with signs, and for all k without.
    A vector that the lower powers span adds nothing to their larger spikes; M kinds have M vectors.
    See docs/theory/kinds.md#the-spikes.
    """
    assert problem.biases is not None
    if problem.biases.law is not None or not problem.activation.is_provable:
        raise DomainError(
            f"{spelled('second_layer', problem.second_layer)} and {spelled('biases')}: beyond {spelled('ell', 1)} it "
            "takes a table of biases and an activation as text to tell which spikes coincide",
            argument="second_layer",
        )
    moved = [kind for kind in problem.unit_kinds if not is_zero(kind.c1)]
    classes = 2 if problem.second_layer == SecondLayer.SIGN else 1
    found: list[int] = []
    bases: list[list[list[flint.arb]]] = [[] for _ in range(classes)]
    with ball_precision(_BITS):
        for k in range(1, int(min(ell, _HIGHEST)) + 1):
            basis = bases[k % classes]
            if len(basis) == len(moved):
                continue
            vector = [ball(kind.c1) ** k * ball(kind.enclosed_coefficient(k)) for kind in moved]
            left = reduced(vector, basis)
            if left is not None:
                basis.append(left)
                found.append(k)
    return Spikes(tuple(found))


def reduced(vector: list[flint.arb], basis: list[list[flint.arb]]) -> list[flint.arb] | None:
    """Return the remainder of a vector by a basis in echelon form, its largest entry 1, or None where it may be 0.

    >>> left = reduced([flint.arb(1), flint.arb(3)], [[flint.arb(1), flint.arb(2)]])
    >>> [float(x) for x in left], reduced([flint.arb(2), flint.arb(4)], [[flint.arb(1), flint.arb(2)]])
    ([1.0, 0.0], None)
    """
    for other in basis:
        pivot = max(range(len(other)), key=lambda i: abs(float(other[i])))
        vector = [x - vector[pivot] / other[pivot] * y for x, y in zip(vector, other, strict=True)]
        vector[pivot] = flint.arb(0)
    largest = max(vector, key=lambda x: abs(float(x)))
    return None if largest.contains(0) else [x / largest for x in vector]


def _spikes_of_law(present: tuple[int, ...] | None, ell: int | float) -> Spikes:
    """Return K for a law: c_k(b) is zero for all b only if σ is a polynomial of a lower degree."""
    if present is not None:
        return Spikes.up_to(int(min(ell, max(present))))
    return ALL if ell == math.inf else Spikes.up_to(int(ell))


def check_kinds(problem: Problem, spikes: Spikes, literal: bool) -> None:
    """Refuse spikes with gaps of a literal network, whose neurons each kind lengthens by another factor."""
    if problem.biases is not None and literal and spikes.has_gaps:
        raise DomainError(
            f"{spelled('network', 'literal')} and {spelled('biases')}: spikes K = {spikes} with gaps are not known, "
            "since the step lengthens each kind of neuron by another factor",
            argument="biases",
        )


def kind_conditions(problem: Problem, ell: int | float) -> tuple[Condition, ...]:
    """Return the conditions on the activation for neurons with biases, which the theorems do not have."""
    smooth = activation_conditions(problem.unit_activation, 1)[-1]
    window = "∞" if ell == math.inf else ell
    known = kind_spikes(problem, ell)
    holds = None if known == ALL else ell < math.inf and known == Spikes.up_to(int(ell))
    return (
        Condition("neurons without biases", False),
        Condition(f"a kind of neuron with c_1 and c_k ≠ 0 for each k ≤ ℓ = {window}", holds),
        smooth,
    )


def kind_notes(problem: Problem, ell: int | float, spikes: Spikes) -> tuple[str, ...]:
    """Return notes on neurons with biases."""
    assert problem.biases is not None
    notes = [f"neurons with biases {problem.biases}, which the step leaves as they are: an extension of the theorem"]
    if problem.biases.law is not None:
        count = len(problem.biases.kinds)
        notes.append(f"the law of the biases is replaced by {count} kinds of neurons: no digits are proven")
    if spikes == ALL:
        notes.append("c_k ≠ 0 is assumed of some kind of neuron for every k")
    elif ell < math.inf and spikes != Spikes.up_to(int(ell)):
        coincide = problem.second_layer in COINCIDING
        why = "others coincide with lower ones, as far as 150 digits tell" if coincide else "missing coefficients"
        notes.append(f"spikes K = {spikes}: {why}")
    return tuple(notes)


def check_exact_biases(biases: Biases) -> None:
    """Refuse a law, and biases that are floats, where digits are to be proven.

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
