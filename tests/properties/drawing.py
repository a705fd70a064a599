"""Problems to draw: every option, every activation of the library, expressions, coefficients and moments."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import example, reject, settings
from hypothesis import strategies as st

import theorycalc as tc
from tests.functions.test_library import REFERENCES
from tests.helpers.problems import log_fractions
from theorycalc.model.enums import FirstLayer, GradientTarget, SecondLayer
from theorycalc.model.requirements import check_slope
from theorycalc.numbers.exact import is_zero

EVEN_NAMES = ("cos", "abs", "gaussian", "square")  # c_1 = 0: no problem of ours
NAMES = tuple(name for name in REFERENCES if name not in EVEN_NAMES)


@functools.cache  # to make a strategy takes longer than to draw from it, here and below
def binary(low: int, high: int) -> st.SearchStrategy[Fraction]:
    """Positive numbers that float64 has, about log-uniform: no system rounds them."""
    return log_fractions(low, high).map(lambda x: Fraction(float(x)))


SIGNS = st.sampled_from([1, -1])
SMALL = st.integers(-150, 150).map(lambda x: Fraction(x / 50))
NOT_ZERO = SMALL.filter(bool)
TEACHER_LISTS = st.builds(lambda first, rest: [first, *rest], NOT_ZERO, st.lists(SMALL, max_size=8))
TEACHER_TEXTS = st.sampled_from(
    ["H1 + H2/2", "tanh(x + 1)", "relu", "sin", "exp(x/2)", "H1 - H3/6 + H4/24", "softplus"]
)
ELLS = st.one_of(st.integers(0, 9), st.sampled_from([12, 40, "inf"]))

#: A few values only, so that what is computed of an expression is computed once; in an hour, of every function.
_SCALES, _SHIFTS = ("1", "1/2", "2", "-1"), ("0", "1", "-1/2")
_FUNCTIONS = NAMES if settings.default.max_examples > 500 else ("relu", "elu(alpha=2)", "erf", "hardtanh")


def expressions() -> st.SearchStrategy[str]:
    """Texts of the grammar: a named activation, scaled and shifted inside, with a line added or not."""
    inner = st.builds("{}*x + {}".format, st.sampled_from(_SCALES), st.sampled_from(_SHIFTS))
    named = st.builds(_applied, st.sampled_from(_FUNCTIONS), inner)
    return st.one_of(named, named.map("{} + x/3".format))


def _applied(name: str, inner: str) -> str:
    """Return f(inner) for a name with or without parameters.

    >>> _applied("elu(alpha=2)", "x + 1"), _applied("relu", "x")
    ('elu(x + 1, alpha=2)', 'relu(x)')
    """
    function, _, parameters = name.partition("(")
    return f"{function}({inner}, {parameters}" if parameters else f"{function}({inner})"


@functools.cache
def activations(for_steps: bool = False) -> st.SearchStrategy[tc.Activation]:
    texts = st.one_of(st.sampled_from(NAMES), expressions()).map(_from_text)
    present = st.one_of(st.none(), st.sets(st.integers(2, 11), min_size=1, max_size=5).map(lambda k: (1, *k)))
    moments = st.builds(
        lambda sign, c1, rest, k: tc.Activation.from_moments(sign * c1, rest, k),
        *(SIGNS, binary(-3, 2), binary(-3, 2), present),
    )
    coefficients = TEACHER_LISTS.map(tc.Activation.from_coefficients)
    return texts.filter(_has_slope) if for_steps else st.one_of(moments, coefficients, texts)


@functools.cache
def _has_slope(activation: tc.Activation) -> bool:
    """Whether the gradient step can be taken: not through a jump."""
    try:
        check_slope(activation, activation.derivative)
    except tc.DomainError:
        return False
    return True


def _from_text(text: str) -> tc.Activation:
    made = _read(text)
    if is_zero(made.c1):  # such as square(x): the theory has nothing to say of it
        reject()
    return made


@functools.cache
def _read(text: str) -> tc.Activation:
    return tc.activation(text)


_OPTIONS = st.fixed_dictionaries(
    {
        "noise": st.one_of(st.just(Fraction(0)), SMALL.map(abs)),
        "first_layer": st.sampled_from(["sphere", "gaussian"]),
        "second_layer": st.sampled_from(["gaussian", "gaussian", "sign", "constant"]),
        "step_samples": st.one_of(st.none(), binary(-1, 1)),
    }
)
_TEACHERS = st.one_of(TEACHER_LISTS, TEACHER_TEXTS)
#: N = n, λ = 0, and seldom both, where the test loss is infinite and little is left to ask.
_EDGES = (*["none"] * 9, *["square"] * 3, *["ridgeless"] * 3, "both")


def problems(
    for_steps: bool = False,
    ridgeless: bool = True,
    teachers: st.SearchStrategy[Any] = _TEACHERS,
    decades: int = 4,
    **fixed: Any,
) -> st.SearchStrategy[tc.Problem]:
    """Problems with every option, but those fixed; what needs c_2 is asked only where it is known."""
    size, ridge = binary(-decades, decades), binary(-decades - 1, decades + 1)
    return st.builds(
        lambda activation, options, phi, psi, ridge, edge, teacher: tc.Problem(
            activation,
            teacher,
            phi,
            phi if edge in ("square", "both") else psi,
            Fraction(0) if edge in ("ridgeless", "both") else ridge,
            **_allowed(activation, options | fixed),
        ),
        activation=activations(for_steps),
        teacher=teachers,
        phi=size,
        psi=size,
        ridge=ridge,
        edge=st.sampled_from(_EDGES if ridgeless else _EDGES[:12]),
        options=_OPTIONS,
    )


def _allowed(activation: tc.Activation, options: dict[str, Any]) -> dict[str, Any]:
    return options if activation.c2 is not None else options | {"first_layer": "sphere"}


def each(name: str, values: Iterable[Any], **others: Any) -> Callable[[Any], Any]:
    """Ask a property of each of some values, too, with the other arguments as they are given."""

    def decorate(test: Any) -> Any:
        for value in values:
            test = example(**{name: value}, **others)(test)
        return test

    return decorate


#: The theorem, or the limit of literal networks by what their step is taken on.
LIMITS = ("theorem", *GradientTarget)
NETWORKS = st.sampled_from(LIMITS)
LABELS_ALONE = st.sampled_from(["theorem", "labels"])


def limit_of(case: tc.Problem, network: str) -> str:
    """Return the network, or the theorem where so little is known of σ' or c_2 that no other limit is."""
    activation = case.activation
    jumps = activation.is_continuous is False
    unknown = network == "residual" and activation.c2 is None and case.second_layer == "constant"
    return "theorem" if jumps or unknown or activation.slope_variance is None else network


def each_limit(cases: list[Any], networks: tuple[str, ...] = LIMITS, **others: Any) -> Callable[[Any], Any]:
    """Ask a property of each of some problems, and in turn of each network: no option has one of its own."""

    def decorate(test: Any) -> Any:
        for i, case in enumerate(cases):
            network = networks[(i + i // _COMBINATIONS) % len(networks)]
            test = example(case=case, network=network, **others)(test)
        return test

    return decorate


_PLAIN = ["1", "1/2", "-1/3", "1/5"]
_COMBINATIONS = 2 * len(FirstLayer) * len(SecondLayer)  # of all options


def occurring(names: Iterable[str] = NAMES, **fixed: Any) -> list[tc.Problem]:
    """Return problems in which each activation and each combination of options occurs."""
    values = {
        "first_layer": tuple(FirstLayer),
        "second_layer": tuple(SecondLayer),
        "step_samples": (None, Fraction(1, 2)),
    }
    values = {name: [fixed[name]] if name in fixed else choices for name, choices in values.items()}
    combinations = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    names = list(names)
    return [
        tc.Problem(
            _read(names[i % len(names)]), _PLAIN, "1/2", "2/3", "1/8", "1/2", **combinations[i % len(combinations)]
        )
        for i in range(max(len(names), len(combinations)))
    ]


def scaled_activation(activation: tc.Activation, scale: Fraction) -> tc.Activation:
    """Return sσ, made as σ was."""
    if activation.text is not None:
        return _read(f"({scale})*({_written_out(activation.name)})")
    if activation.c2 is not None and activation.slope_variance is not None:
        return replace(
            activation,
            **{name: scale * getattr(activation, name) for name in ("c1", "c2")},
            c_rest=abs(scale) * activation.c_rest,
            slope_variance=scale**2 * activation.slope_variance,
        )
    return tc.Activation.from_moments(scale * activation.c1, abs(scale) * activation.c_rest, activation.present)


def _written_out(name: str) -> str:
    """Return the text of an activation as a function of x: relu as relu(x), elu(alpha=2) as elu(x, alpha=2)."""
    return _applied(name, "x") if name in REFERENCES else name


def changed(case: tc.Problem, **parts: Any) -> tc.Problem:
    return replace(case, **parts)
