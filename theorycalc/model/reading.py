"""activation(), coefficients(), and the reading of activations, teachers, sizes and ratios as users write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from numbers import Real
from typing import TypeAlias

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, about, spelled
from theorycalc.functions.grammar import parse
from theorycalc.functions.reader import LARGEST_INDEX
from theorycalc.model.activation import Activation
from theorycalc.model.callables import recognised
from theorycalc.model.formula import formula_teacher, read_formula
from theorycalc.model.moments import by_index, read_list
from theorycalc.model.points import read_ratio
from theorycalc.model.several import read_text_teacher
from theorycalc.model.signatures import checked_call
from theorycalc.model.teacher import HIGHEST_COMPUTED, Teacher
from theorycalc.numbers.exact import Coefficients, NumberLike, as_numpy, is_array, read, whole
from theorycalc.running.budget import one_budget

#: An activation as a user may write it: a name or formula, a function, Hermite coefficients {k: c_k}.
ActivationLike: TypeAlias = "str | Activation | Mapping[int, NumberLike] | Callable[..., object]"
#: A teacher as a user may write it: a formula, a function, Hermite coefficients {k: c_⋆k} or a list of them.
TeacherLike: TypeAlias = "str | Teacher | Mapping[int, NumberLike] | Sequence[NumberLike] | Callable[..., object]"


@checked_call
@one_budget()
@about("given")
def activation(given: ActivationLike) -> Activation:
    """Return the activation described by a text, a function or Hermite coefficients.

    Parameters
    ----------
    given : str, callable, dict or Activation
        A name or a formula ("relu", "elu(alpha=2)", "tanh(x + 1)"), a function of numpy, torch or JAX arrays or of one
        number, or Hermite coefficients {k: c_k}.  An :class:`Activation` is returned unchanged.

    Returns
    -------
    Activation
        Its coefficients are enclosed for texts, well-known functions such as numpy.tanh or torch.relu, and rational
        coefficients; those of any other function are estimates.

    Raises
    ------
    TheoryError
        The text cannot be read, or ``given`` is not a function that the theory allows.

    >>> act = activation("gelu")
    >>> act.parity, act.spikes(6), act.guarantee
    (None, (1, 2, 4, 6), 'enclosed')
    >>> activation(lambda x: x + x**2).guarantee, activation({1: 1, 2: "1/2"}).present
    ('estimated', (1, 2))
    """
    return read_activation(given)


def read_activation(given: object) -> Activation:
    """Return the activation, as :func:`activation` does; an error may concern any part of it.

    >>> read_activation({1: 1, 3: "1/6"}).name
    'H1 + 1/6*H3'
    """
    if isinstance(given, Activation):
        return given
    if isinstance(given, str):
        return read_formula(given)
    if isinstance(given, Mapping):
        return _polynomial(given)
    if not callable(given):
        raise DomainError(
            f"activation={given!r} is not an activation; write its name or formula, pass a function or Hermite "
            "coefficients such as {1: 1, 2: '1/2'}, or make one with Activation.from_moments(c1=…, c_rest=…)",
            argument="activation",
        )
    known = recognised(given)
    return Activation.from_callable(given) if known is None else replace(read_formula(known.formula), origin=known.name)


def _polynomial(given: Mapping[int, NumberLike]) -> Activation:
    """Return Σ c_k H_k, as a formula, which a network can compute, if its coefficients are rational."""
    mean, listed = by_index(given, "coefficients")
    values = [read(c, f"c_{k}") for k, c in enumerate([mean, *listed])]
    rational = [(k, c) for k, c in enumerate(values) if isinstance(c, Fraction) and c]
    if len(rational) != sum(c != 0 for c in values) or not 0 < len(values) - 1 <= LARGEST_INDEX or not rational:
        return Activation.from_coefficients(given)
    terms = [f"{'-' if c < 0 else '+'} {'' if abs(c) == 1 else f'{abs(c)}*'}H{k}" for k, c in rational]
    return read_formula(" ".join(terms).removeprefix("+ "))


@checked_call
@one_budget()
def coefficients(activation: ActivationLike, k: int, digits: int | None = None, exact: bool = False) -> Coefficients:
    """Return the Hermite coefficients c_0, …, c_k of an activation.

    Parameters
    ----------
    activation : str, callable, dict or Activation
        The activation, as :func:`activation` takes it.

    Returns
    -------
    array of float64, list of mpf or list of sympy expressions
        c_0, …, c_k: in float64; with ``digits``, of so many proven digits; with ``exact``, in closed form.

    Raises
    ------
    TheoryError
        The activation cannot be read, ``k`` is out of its range, or the digits cannot be proven.

    >>> coefficients("relu", 3)
    array([0.39894228, 0.5       , 0.19947114, 0.        ])
    >>> print(coefficients("tanh", 3, digits=30)[1])
    0.605705509602158825583540227556
    """
    with about("activation"):
        known = read_activation(activation)
    return known.coefficients(k, digits, exact)


def read_teacher(value: object) -> Teacher:
    """Return ``value`` as a :class:`Teacher`: it may be one, a formula, coefficients c_⋆1, c_⋆2, …, or a function.

    >>> read_teacher(["1", "1/2"]).coefficients, read_teacher({0: 3, 2: "1/2"}).coefficients
    ((Fraction(1, 1), Fraction(1, 2)), (Fraction(0, 1), Fraction(1, 2)))
    """
    if isinstance(value, Teacher):
        return value
    if isinstance(value, str):
        return read_text_teacher(value)
    if isinstance(value, Mapping):
        mean, coefficients = by_index(value, "teacher")
        return Teacher(tuple(read_list(coefficients, "teacher", "c_⋆")), mean=read(mean, "mean"))
    if callable(value):
        known = recognised(value)
        if known is None:
            return Teacher.from_callable(value)
        return replace(formula_teacher(parse(known.formula), known.formula), origin=known.name)
    if not is_array(value, "teacher"):
        reason = f"teacher={value!r} is neither a formula nor a list of Hermite coefficients nor a function"
        remedy = "write teacher='H1 + H2/2', teacher=['1', '1/2'] or teacher={1: 1, 2: '1/2'}"
        raise DomainError(f"{reason}; {remedy}", argument="teacher")
    _check_no_labels(value)
    return Teacher(tuple(read_list(value, "teacher", "c_⋆")))


def _check_no_labels(value: object) -> None:
    """Refuse labels passed as coefficients: more nonzero numbers than are ever computed for a teacher."""
    array = as_numpy(value, "teacher")
    items = array.ravel().tolist() if isinstance(array, np.ndarray) else value
    assert isinstance(items, (list, tuple))
    count = sum(isinstance(c, Real) and not isinstance(c, Fraction) and c != 0 for c in items)
    if count > HIGHEST_COMPUTED:
        raise DomainError(
            f"teacher= has {count} numbers, which would be Hermite coefficients: the teacher is a rule such as "
            "'sin(x)', not your labels; for data use tc.features(F, y), or for so many coefficients "
            "teacher=tc.Teacher([…])",
            argument="teacher",
        )


def teacher_items(text: str) -> list[str] | None:
    """Return the items of a list of coefficients c_⋆1, c_⋆2, …, or None for a formula.

    >>> teacher_items("1, 1/2"), teacher_items("H1 + H2/2")
    (['1', '1/2'], None)
    """
    items = [item.strip() for item in text.split(",")]
    return items if all(re.fullmatch(r"[\s\d.eE/+-]*", item) for item in items) else None


def read_sizes(n: NumberLike | None, d: NumberLike | None, N: NumberLike | None) -> dict[str, int]:
    """Return n, d and N, either all three or none.

    >>> read_sizes(900, 300, 600), read_sizes(None, None, None)
    ({'n': 900, 'd': 300, 'N': 600}, {})
    """
    stated = {"n": n, "d": d, "N": N}
    missing = [name for name, size in stated.items() if size is None]
    if len(missing) == len(stated):
        return {}
    if missing:
        lacking = " and ".join(map(spelled, missing))
        reason = f"Problem() has sizes without {lacking}; give {_all_sizes()}, or {spelled('phi')} and {spelled('psi')}"
        raise ArgumentError(reason, argument=missing[0])
    return {name: whole(size, name) for name, size in stated.items()}


def read_ratios(
    phi: NumberLike | None, psi: NumberLike | None, sizes: dict[str, int]
) -> Mapping[str, Fraction | float]:
    """Return φ and ψ; ratios given together with sizes must agree with them.

    >>> read_ratios(None, None, {"n": 900, "d": 300, "N": 600})
    {'phi': Fraction(1, 3), 'psi': Fraction(1, 2)}
    """
    if not sizes:
        if phi is None or psi is None:
            ratios_of = f"{spelled('phi')} (d/n) and {spelled('psi')} (d/N)"
            reason = f"Problem() needs the ratios {ratios_of}, or the sizes {_all_sizes()}"
            raise ArgumentError(reason, argument="phi" if phi is None else "psi")
        return {"phi": read_ratio(phi, "phi"), "psi": read_ratio(psi, "psi")}
    ratios = {name: Fraction(sizes["d"], sizes[size]) for name, size in (("phi", "n"), ("psi", "N"))}
    for name, stated in (("phi", phi), ("psi", psi)):
        if stated is not None and read_ratio(stated, name) not in (ratios[name], float(ratios[name])):
            reason = f"{spelled(name, stated)} contradicts the sizes, of which it is {ratios[name]}"
            raise ArgumentError(reason, argument=name)
    return ratios


def _all_sizes() -> str:
    return f"{spelled('n')}, {spelled('d')} and {spelled('N')}"


def read_step_samples(samples: NumberLike | None, sizes: dict[str, int]) -> Fraction | float | None:
    """Return the batch size of the step: a whole number if sizes are given, else a share of n.

    >>> read_step_samples("1/2", {})
    Fraction(1, 2)
    """
    if samples is None:
        return None
    return whole(samples, "step_samples") if sizes else read_ratio(samples, "step_samples")
