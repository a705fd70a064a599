"""activation() and coefficients(), and the reading of teachers: everything that a user may write or pass for them.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from theorycalc.errors import DomainError, about
from theorycalc.functions.reader import LARGEST_INDEX
from theorycalc.model.activation import Activation
from theorycalc.model.formula import read_formula, read_formula_teacher
from theorycalc.model.moments import by_index, read_list
from theorycalc.model.several import read_text_teacher
from theorycalc.model.signatures import checked_call, documented
from theorycalc.model.teacher import HIGHEST_COMPUTED, Teacher
from theorycalc.numbers.exact import NumberLike, as_numpy, is_array, read

if TYPE_CHECKING:
    import mpmath
    import sympy

    from theorycalc.model.callables import Recognised, UserFunction
    from theorycalc.numbers.exact import Floats

#: An activation as a user may write it: a name or formula, a function, Hermite coefficients {k: c_k}.
ActivationLike: TypeAlias = "str | Activation | Mapping[int, NumberLike] | Callable[..., object]"
#: A teacher as a user may write it: a formula, a function, Hermite coefficients {k: c_⋆k} or a list of them.
TeacherLike: TypeAlias = "str | Teacher | Mapping[int, NumberLike] | Sequence[NumberLike] | Callable[..., object]"
#: c_0, c_1, … in float64, with proven digits, or in closed form.
Coefficients: TypeAlias = "Floats | list[mpmath.mpf] | list[sympy.Expr]"


@checked_call
@about("given")
def activation(given: ActivationLike) -> Activation:
    """Return the activation that a text, a function or Hermite coefficients describe.

    Parameters
    ----------
    given : str, callable, dict or Activation
        A name or a formula ("relu", "elu(alpha=2)", "tanh(x + 1)"), a function of numpy, torch or JAX arrays or of one
        number, or Hermite coefficients {k: c_k}.  An :class:`Activation` is returned as it is.

    Returns
    -------
    Activation
        Its coefficients are enclosed for texts, well-known functions such as numpy.tanh or torch.relu, and rational
        coefficients; those of any other function are estimates.

    Raises
    ------
    TheoryError
        The text cannot be read, or ``given`` is no function that the theory allows.

    >>> act = activation("gelu")
    >>> act.parity, act.spikes(6), act.guarantee
    (None, (1, 2, 4, 6), 'enclosed')
    >>> activation(lambda x: x + x**2).guarantee, activation({1: 1, 2: "1/2"}).present
    ('estimated', (1, 2))
    """
    return read_activation(given)


def read_activation(given: object) -> Activation:
    """Return the activation that :func:`activation` describes; its errors are about any part of it.

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
    known = _formula_of(given)
    return Activation.from_callable(given) if known is None else replace(read_formula(known.formula), origin=known.name)


def _formula_of(function: UserFunction) -> Recognised | None:
    from theorycalc.model.callables import recognised  # only for those who pass functions

    return recognised(function)


def _polynomial(given: Mapping[int, NumberLike]) -> Activation:
    """Return Σ c_k H_k: as a formula, which a network can compute, where its coefficients are rational."""
    mean, listed = by_index(given, "coefficients")
    values = [read(c, f"c_{k}") for k, c in enumerate([mean, *listed])]
    rational = [(k, c) for k, c in enumerate(values) if isinstance(c, Fraction) and c]
    if len(rational) != sum(c != 0 for c in values) or not 0 < len(values) - 1 <= LARGEST_INDEX or not rational:
        return Activation.from_coefficients(given)
    terms = [f"{'-' if c < 0 else '+'} {'' if abs(c) == 1 else f'{abs(c)}*'}H{k}" for k, c in rational]
    return read_formula(" ".join(terms).removeprefix("+ "))


@documented
@checked_call
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
    """Return ``value`` as a :class:`Teacher`: one already, a formula, coefficients c_⋆1, c_⋆2, …, or a function.

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
        known = _formula_of(value)
        if known is None:
            return Teacher.from_callable(value)
        return replace(read_formula_teacher(known.formula), origin=known.name)
    if not is_array(value, "teacher"):
        raise DomainError(
            f"teacher={value!r} is neither a formula nor a list of Hermite coefficients nor a function; "
            "write teacher='H1 + H2/2', teacher=['1', '1/2'] or teacher={1: 1, 2: '1/2'}",
            argument="teacher",
        )
    _check_no_labels(value)
    return Teacher(tuple(read_list(value, "teacher", "c_⋆")))


def _check_no_labels(value: object) -> None:
    """Refuse labels in the place of coefficients: more numbers other than 0 than any teacher has computed."""
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
    """Return the items of a list of coefficients c_⋆1, c_⋆2, …; None for a formula.

    >>> teacher_items("1, 1/2"), teacher_items("H1 + H2/2")
    (['1', '1/2'], None)
    """
    items = [item.strip() for item in text.split(",")]
    return items if all(re.fullmatch(r"[\s\d.eE/+-]*", item) for item in items) else None
