"""The vocabulary that commands share: the options of a problem, and how their text is read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from theorycalc.errors import ArgumentError

if TYPE_CHECKING:
    from theorycalc.activations.activation import Activation
    from theorycalc.theory.problem import Problem


#: The ratios and the ridge of the documentation's example.
EXAMPLE = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}


def add_problem(command: argparse.ArgumentParser, defaults: Mapping[str, str] = MappingProxyType({})) -> None:
    """Add the options that describe a problem; φ, ψ and λ are required where there is no default."""

    def given(name: str) -> dict[str, Any]:
        return {"default": defaults[name]} if name in defaults else {"required": True}

    def says(name: str, text: str) -> str:
        return f"{text} (default {defaults[name]})" if name in defaults else text

    needed = command.add_argument_group("the problem")
    needed.add_argument("--activation", help="its name or formula: relu, leaky_relu(0.1), 'tanh(x + 1)'; or")
    needed.add_argument("--c1", help="first Hermite coefficient c_1 of the activation, and")
    needed.add_argument("--c-rest", help="c_{>1} ≥ 0, the root of its variance less c_1²")
    needed.add_argument("--present", help="the k with c_k ≠ 0, such as 1,2,4 (default: all are assumed)")
    needed.add_argument("--teacher", required=True, help="a formula such as 'H1 + H2/2', or c_⋆1,c_⋆2,…")
    needed.add_argument("--phi", help=says("phi", "φ = d/n"), **given("phi"))
    needed.add_argument("--psi", help=says("psi", "ψ = d/N"), **given("psi"))
    needed.add_argument("--ridge", help=says("ridge", "λ ≥ 0 in (1/n)‖y − Fa‖² + λ‖a‖²"), **given("ridge"))
    needed.add_argument("--noise", default="0", help="σ_ε, a standard deviation (default 0)")
    needed.add_argument("--first-layer", default="sphere", metavar="LAW", help="sphere (default) or gaussian")
    needed.add_argument(
        "--second-layer", default="gaussian", metavar="LAW", help="gaussian (default), sign or constant"
    )
    needed.add_argument("--step-samples", help="size of the step's batch divided by n (default 1)")


def add_gradient(group: Any) -> None:
    """Add the option that says what the gradient step is taken on."""
    group.add_argument(
        "--gradient",
        default="residual",
        metavar="ON",
        help="residual y − f₀ (default: the literal network) or labels alone (as in the theorem)",
    )


def problem_of(options: argparse.Namespace) -> Problem:
    """Return the problem that the options describe."""
    from theorycalc.activations.teacher import teacher_items
    from theorycalc.theory.problem import Problem

    for name in ("phi", "psi", "ridge", "noise"):
        value = getattr(options, name)
        if isinstance(value, str) and re.search("[,:]", value):
            raise ArgumentError(f"--{name} {value!r}: one value is needed here; theorycalc predict takes lists of them")
    return Problem(
        _activation(options),
        teacher=teacher_items(options.teacher) or options.teacher,
        phi=options.phi,
        psi=options.psi,
        ridge=options.ridge,
        noise=options.noise,
        first_layer=options.first_layer,
        second_layer=options.second_layer,
        step_samples=options.step_samples,
    )


def _activation(options: argparse.Namespace) -> Activation:
    from theorycalc.activations.activation import Activation

    by_moments = [options.c1, options.c_rest]
    if options.activation is not None:
        if any(value is not None for value in (*by_moments, options.present)):
            raise ArgumentError("give --activation, or --c1 with --c-rest, not both")
        return Activation.from_text(options.activation)
    if None in by_moments:
        raise ArgumentError("give --activation, or --c1 with --c-rest")
    present = None
    if options.present is not None:
        present = [whole_or_text(item) for item in options.present.split(",")]
    return Activation.from_moments(options.c1, options.c_rest, present=present)


def whole_or_text(text: str | None) -> Any:
    """Return a whole number where the text is one; anything else is left for the library to judge.

    >>> whole_or_text("1000"), whole_or_text("1e3"), whole_or_text("2.5"), whole_or_text("inf")
    (1000, 1000, '2.5', 'inf')
    """
    if text is None:
        return None
    if re.fullmatch(r" *-?[0-9]{1,300} *", text):
        return int(text)
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?[eE]\+?[0-9]", text):
        from theorycalc.exact import parse_number

        number = parse_number(text)
        return int(number) if number.denominator == 1 else text
    return text


def numbers(text: str, name: str) -> list[Any]:
    """Read one number, a list 0.1,0.2 or a range: 0.05:0.45:9 evenly, 1e-3:10:9:log geometrically.

    >>> numbers("0.1:0.3:3,1/2", "alpha")
    [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]
    """
    from theorycalc.ranges import read_numbers

    return list(read_numbers(text, name))


def with_lists(options: argparse.Namespace, *names: str) -> tuple[Problem, dict[str, list[Any]]]:
    """Return the problem with the first value of each of these options, and all values of those that have several."""
    values = {name: numbers(getattr(options, name), name) for name in names}
    first = argparse.Namespace(**(vars(options) | {name: listed[0] for name, listed in values.items()}))
    return problem_of(first), {name: listed for name, listed in values.items() if len(listed) > 1}


def windows(text: str) -> list[Any]:
    """Read one ℓ, a list 0,1,inf or a range 0:6:7; what is not a whole number is left for the library to judge.

    >>> windows("0:2:3,inf")
    [0, 1, 2, 'inf']
    """
    found: list[Any] = []
    for item in text.split(","):
        if ":" in item:
            found += [int(x) if x.denominator == 1 else str(x) for x in numbers(item, "ell")]
        else:
            found.append(whole_or_text(item.strip()))
    return found
