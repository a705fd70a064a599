"""Arrays of symbols in place of numbers, with which the array code of dressed features makes its statements.

A network with one node in u and one in h has the letters of docs/theory/dressed.md as its entries.  A sum over nodes is
a mean, so the weight of the one node is written as that mean, E_u or E_h.  Inverses of matrices get names.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy

from docs._handbook.cases import case_with
from docs._handbook.entry import named
from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.symbolic.symbols import c, c_1, c_rest, c_star_of, eta, kappa, phi, psi, rho, v
from theorycalc.theory.dressed.fixed_point import Carried
from theorycalc.theory.dressed.lengths import LengthLaw
from theorycalc.theory.dressed.neurons import DressedStep, Network
from theorycalc.theory.dressed.residual import DirectionTransforms
from theorycalc.theory.dressed.turning import Nodes, Turning

# A space in front of a name brings it to the front of a product.
E_U, E_H, E_S, NEURONS = (named(rf" {text}") for text in (r"\mathbb{E}_u", r"\mathbb{E}_h", r"\mathbb{E}_s", "N"))
ALPHA, GAMMA, NU, MU_0, MU_2 = (named(text) for text in (r"\alpha", r"\gamma", r"\nu", r"\mu_0", r"\mu_2"))
A, C, G, H, K, Q, T, V = (named(text) for text in ("a", "C", "g", "h", "K", "Q", "T", "V"))
INPUTS, NORM_LOADING, NORM_SHAPE = (named(text) for text in ("d", "l", r"\chi"))

_NAMES: list[str] = []
_DEFINED: dict[str, sympy.Matrix] = {}


class SymbolArray(np.ndarray):  # type: ignore[type-arg]
    """An array of sympy expressions of which numpy takes roots, inverses and solutions, too."""

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.linalg.inv:
            return _inverse(*arguments)
        if function is np.linalg.solve:
            return _inverse(arguments[0]) @ arguments[1]
        return symbols(super().__array_function__(function, types, arguments, options))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(one) if isinstance(one, SymbolArray) else one for one in inputs]
        if ufunc is np.sqrt:
            return symbols(np.vectorize(sympy.sqrt, otypes=[object])(*plain))
        return symbols(getattr(ufunc, method)(*plain, **options))


def symbols(values: Any) -> SymbolArray:
    """Return an array of expressions.

    >>> np.sqrt(symbols([H**2])).tolist()
    [h]
    """
    return np.asarray(values, dtype=object).view(SymbolArray)


@contextlib.contextmanager
def naming_inverses(*names: str) -> Iterator[dict[str, sympy.Matrix]]:
    """Give names to the inverses that are taken, in their order; yield the matrices that were inverted, by name.

    >>> with naming_inverses("T") as inverted:
    ...     np.linalg.inv(symbols([[1 + H]])).tolist()
    [[T]]
    >>> inverted
    {'T': Matrix([[h + 1]])}
    """
    _NAMES[:] = names
    _DEFINED.clear()
    yield _DEFINED
    assert not _NAMES, f"no inverse was taken for {_NAMES}"


def _inverse(stack: SymbolArray) -> SymbolArray:
    """Return the inverse of the one matrix in a stack, symmetric and by name."""
    size = stack.shape[-1]
    name = _NAMES.pop(0)
    _DEFINED[name] = matrix(stack)
    letters = [[named(name if size == 1 else _entry(name, i, j)) for j in range(size)] for i in range(size)]
    return symbols(letters).reshape(stack.shape)


def _entry(name: str, i: int, j: int) -> str:
    return f"{name}_{{{i + 1}{j + 1}}}"


def tidy(value: Any) -> sympy.Expr:
    """Return the one expression of an array, with whole numbers in place of floats.

    >>> tidy(np.eye(1) + symbols([[H]]))
    h + 1
    """
    value = value.value if isinstance(value, Dual) else value
    expression = sympy.sympify(np.asarray(value, dtype=object).item())
    return expression.xreplace({number: sympy.nsimplify(number) for number in expression.atoms(sympy.Float)})


def matrix(values: Any) -> sympy.Matrix:
    """Return the one matrix of a stack of arrays."""
    values = values.value if isinstance(values, Dual) else values
    rows, columns = values.shape[-2:]
    return sympy.Matrix(rows, columns, [tidy(entry) for entry in np.asarray(values).ravel()])


class _Step(DressedStep):
    """A step whose d is a letter: the code takes the root of a number, so the letters that it divides contain it."""

    @property
    def inputs(self) -> float:
        """The number of which the code takes √(2d) = 1."""
        return 0.5


def network(
    included: bool = False, gaussian_rows: bool = False, input_norm: bool = False, weight: sympy.Expr = E_U
) -> Network:
    """Return a network of one shape with one node in u, of that weight, and one in h.

    ``input_norm`` gives it one shape of the response to ‖x‖².
    """
    teacher = c_star_of(1), c_star_of(2)
    case = case_with(SYMBOLS, phi, psi, c_1, c_rest, teacher, (kappa, rho), included=included)
    case = dataclasses.replace(case, off_teacher=sympy.sqrt(1 - rho**2), gaussian_rows=gaussian_rows)
    root = sympy.sqrt(E_H)
    shapes = int(input_norm)
    nothing: Any = None
    return Network(
        step=_Step(case, N=1, c2=c(2), spread=v, activation=nothing, slope_function=nothing, teacher=nothing),
        eta=symbols([eta]),
        u_weights=symbols([weight]),
        a=symbols([A]),
        scale=symbols([[named("s_u")]]),
        h=symbols([H]),
        h_weights=symbols([E_H]),
        mean=symbols([[[MU_0 * root]]]),
        linear=symbols([[[0]]]),
        loadings=symbols([[[ALPHA]]]),
        shapes=symbols([[[GAMMA * root]]]),
        noise=symbols([[[NU**2]]]),
        kept=symbols([[named("k_u")]]),
        quadratic=symbols([[[MU_2 * root]]]),
        norm_loadings=symbols([[[NORM_LOADING / sympy.sqrt(2 * INPUTS)]]])[..., :shapes],
        norm_shapes=symbols([[[NORM_SHAPE * root]]])[:, :shapes],
    )


def turning(weight: sympy.Expr = E_U, lengths: sympy.Expr = sympy.S.Zero, lean: sympy.Expr = sympy.S.Zero) -> Turning:
    """Return one eigenvalue of S, at which C spreads the neurons; means over shares of its spectrum are letters.

    ``lengths`` is d/2 times the variance of ‖w_i‖²/s_u², ``lean`` half its slope in w_i·b̂.
    """
    in_Z = psi / (weight * C * Q * ALPHA**2 * T)  # so that the share of KT in a direction is a letter Z
    teacher, cross, rest = ([named(rf"Z_{{{name}}}") * in_Z] for name in (r"\star\star", r"\star c", "cc"))
    own, *own_directions = ([named(rf"\langle T \rangle_{{\omega {name}}}") / T] for name in (r"\omega", r"\star", "c"))
    directions = [[teacher, cross], [cross, rest]]
    weights = DirectionTransforms(*map(symbols, ([E_S], directions, own, own_directions)))
    zero = symbols([[0]])
    return Turning(
        nodes=Nodes(symbols([0]), weights),
        spread_of=(symbols([[C]]), zero, zero),
        kept=(symbols([[named("k")]]), zero),
        lengths=LengthLaw(symbols([[lengths]]), symbols([[lean]])),
        spikes=np.empty(0),
    )


def solution() -> Carried:
    """Return g and Q, with letters for their derivatives."""
    return Carried(*(Dual(symbols([[letter]]), symbols([[named(f"{letter.name}'")]])) for letter in (G, Q)))
