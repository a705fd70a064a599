"""Spikes, conditions and notes of networks whose neurons have biases.

The step moves a neuron of bias b by ηa_i c_1(b)β, and the k-th spike has the right vector c_1(b_i)^k c_k(b_i) a_i^k: it
is there if one kind of neuron has c_1 and c_k (docs/theory/kinds.md#the-spikes).  Where all a_i² are equal, right
vectors coincide, and where the step lengthens neurons, left ones are polynomials (theory/kind_shapes.py).
"""

from __future__ import annotations

import math

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.model.biases import Biases
from theorycalc.model.enums import SecondLayer
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import Condition, activation_conditions, check_slope_variance
from theorycalc.model.spikes import ALL, Spikes
from theorycalc.numbers.balls import require_exact
from theorycalc.theory.kind_shapes import COINCIDING, moving_kinds, shapes_of

_CUBIC = 3


def kind_spikes(problem: Problem, ell: int | float, lengthened: bool = False) -> Spikes:
    """Return the spikes K that window ℓ shows where neurons have biases.

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
    """Return the powers of which some kind has c_1 and c_k, where a_i has a law of infinitely many sizes."""
    moved = moving_kinds(problem)
    if ell < math.inf:
        return Spikes(tuple(sorted({k for kind in moved for k in kind.spikes(int(ell))})))
    found = [kind.infinite_spikes() for kind in moved]
    if all(one.is_finite for one in found):
        return Spikes(tuple(sorted({k for one in found for k in one.listed})))
    return found[0] if len(set(found)) == 1 else ALL


def _spikes_of_law(problem: Problem, ell: int | float) -> Spikes:
    """Return K for a law: all k, unless σ is a polynomial of a lower degree.

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
    """Return the conditions on the activation for neurons with biases, which the theorems do not have."""
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
    """Return whether every k is known to be a spike: by a law of biases, unless σ is a polynomial."""
    is_law = problem.biases is not None and problem.biases.law is not None
    return is_law and not problem.activation.is_sampled and problem.activation.present is None


def kind_notes(problem: Problem, ell: int | float, spikes: Spikes, network: str = "theorem") -> tuple[str, ...]:
    """Return notes on neurons with biases."""
    assert problem.biases is not None
    notes = [f"neurons with biases {problem.biases}, which the step leaves as they are: an extension of the theorem"]
    is_law = problem.biases.law is not None
    if is_law:
        count = len(problem.biases.kinds)
        notes.append(f"the law of the biases is replaced by {count} kinds of neurons: no digits are proven")
    if spikes == ALL and not _has_all(problem):
        notes.append("c_k ≠ 0 is assumed of some kind of neuron for every k")
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
