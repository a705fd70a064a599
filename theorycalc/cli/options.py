"""The vocabulary that commands share: the options of a problem, and how their text is read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from theorycalc.errors import ArgumentError
from theorycalc.model.parameters import PARAMETERS

if TYPE_CHECKING:
    from fractions import Fraction

    from theorycalc.model.activation import Activation
    from theorycalc.model.problem import Problem

#: A parser or a group of its options.
ArgumentGroup: TypeAlias = "argparse._ActionsContainer"
Default: TypeAlias = "str | int | float | bool | None"

#: The ratios and the ridge of the documentation's example.
EXAMPLE = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}
RATIOS = ("phi", "psi")
SIZES = ("n", "d", "N")


def add_problem(
    command: argparse.ArgumentParser,
    defaults: Mapping[str, str] = MappingProxyType({}),
    *,
    network: bool = False,
    optional: bool = False,
    ridge: str | None = None,
) -> None:
    """Add the options that describe a problem, by ratios or by sizes.

    Parameters
    ----------
    command
        The parser of a command.
    defaults
        Values of φ, ψ, n and λ for those who give none; a λ without a default is required.
    network
        Whether the command is about a network of real size: then --n may also stand beside --phi and --psi.
    optional
        Whether the problem may be left out, since a file has it.
    ridge
        What --ridge is for, where it is not simply the problem's.
    """
    beside = "\n--n also goes with --phi and --psi" if network else ""
    needed = command.add_argument_group("the problem", f"σ or its c_1 and c_{{>1}}; sizes or ratios{beside}")
    for name in ("activation", "c1", "c_rest", "present"):
        add_parameter(needed, name)
    add_parameter(needed, "teacher", required=not optional)
    for name in (*SIZES, *RATIOS):
        add_parameter(needed, name, shown=defaults.get(name))
    known = "ridge" in defaults or optional
    add_parameter(needed, "ridge", shown=defaults.get("ridge"), help=ridge, required=not known)
    for name in ("noise", "first_layer", "second_layer", "step_samples"):
        add_parameter(needed, name, default=PARAMETERS[name].default)
    command.set_defaults(defaults=dict(defaults), network_of_real_size=network)


def add_parameter(
    group: ArgumentGroup,
    name: str,
    *,
    default: Default = None,
    shown: Default = None,
    required: bool = False,
    before: str = "",
    after: str = "",
    help: str | None = None,
) -> None:
    """Add the option of a parameter, explained by the table of parameters.

    Parameters
    ----------
    group
        A parser, or a group of options.
    name
        The name of the parameter.
    default
        What the option is without being given.
    shown
        A default that is filled in later.
    required
        Whether it must be given.
    before, after
        What is particular to the command, around the explanation.
    help
        Another explanation.
    """
    parameter = PARAMETERS[name]
    text = f"{before}{parameter.helped(default if shown is None else shown)}{after}" if help is None else help
    given = None if default is None else str(default)
    metavar = "WORD" if parameter.options else None
    group.add_argument(option_of(name), default=given, required=required, metavar=metavar, help=text)


def option_of(name: str) -> str:
    """Return the option of a parameter.

    >>> option_of("first_layer")
    '--first-layer'
    """
    return f"--{name.replace('_', '-')}"


def add_gradient(group: ArgumentGroup) -> None:
    """Add the option that says what the gradient step is taken on."""
    add_parameter(group, "gradient", default=PARAMETERS["gradient"].default)


def add_network(group: ArgumentGroup) -> None:
    """Add the options that say of which networks a limit is: the theorem's, or literal ones."""
    add_parameter(group, "network", default=PARAMETERS["network"].default)
    add_parameter(group, "gradient", shown=PARAMETERS["gradient"].default, before="of --network literal: ")


def problem_of(options: argparse.Namespace) -> Problem:
    """Return the problem that the options describe."""
    from theorycalc.model.problem import Problem
    from theorycalc.model.reading import teacher_items

    for name in (*RATIOS, *SIZES, "ridge", "noise"):
        value = getattr(options, name)
        if isinstance(value, str) and re.search("[,:]", value):
            raise ArgumentError(f"--{name} {value!r}: one value is needed here; theorycalc sweep takes lists of them")
    return Problem(
        _activation(options),
        teacher=teacher_items(options.teacher) or options.teacher,
        **ratios_or_sizes(options),
        ridge=options.defaults.get("ridge") if options.ridge is None else options.ridge,
        noise=options.noise,
        first_layer=options.first_layer,
        second_layer=options.second_layer,
        step_samples=whole_or_text(options.step_samples),
    )


def ratios_or_sizes(options: argparse.Namespace) -> dict[str, Any]:
    """Return φ and ψ, or n, d and N where these are given and no ratios; other mixtures are refused."""
    ratios = [f"--{name}" for name in RATIOS if getattr(options, name) is not None]
    sizes = [f"--{name}" for name in SIZES if getattr(options, name) is not None]
    lacking = [f"--{name}" for name in SIZES if getattr(options, name) is None]
    if not ratios and not lacking:
        return {name: whole_or_text(getattr(options, name)) for name in SIZES}
    if ratios and sizes and not options.network_of_real_size:
        raise ArgumentError(
            f"{_and(ratios)} beside {_and(sizes)}: give --phi and --psi, or sizes in their place, --n, --d and --N"
        )
    if sizes and not ratios and (sizes != ["--n"] or not options.network_of_real_size):
        raise ArgumentError(
            f"{_and(sizes)} without {_and(lacking)}: sizes are all three, in the place of --phi and --psi"
        )
    found = {
        name: options.defaults.get(name) if (value := getattr(options, name)) is None else value for name in RATIOS
    }
    missing = [f"--{name}" for name, value in found.items() if value is None]
    if missing:
        raise ArgumentError(
            f"{_and(missing)} {'is' if len(missing) == 1 else 'are'} missing: give --phi and --psi, or sizes in their "
            "place, --n, --d and --N"
        )
    return found


def _and(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def sizes_of_network(options: argparse.Namespace) -> dict[str, Any]:
    """Return n, d and N as they are given, None where they are not; a command about a network needs n."""
    n = options.defaults.get("n") if options.n is None else options.n
    if n is None:
        raise ArgumentError("--n is missing: give --n beside --phi and --psi, or the sizes --n, --d and --N")
    return {"n": whole_or_text(n), "d": whole_or_text(options.d), "N": whole_or_text(options.N)}


def _activation(options: argparse.Namespace) -> Activation:
    from theorycalc.model.activation import Activation

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
        from theorycalc.numbers.exact import parse_number

        number = parse_number(text)
        return int(number) if number.denominator == 1 else text
    return text


def numbers(text: str, name: str) -> list[Fraction]:
    """Read one number, a list 0.1,0.2 or a range: 0.05:0.45:9 evenly, 1e-3:10:9:log geometrically.

    >>> numbers("0.1:0.3:3,1/2", "alpha")
    [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]
    """
    from theorycalc.numbers.ranges import read_numbers

    return list(read_numbers(text, name))


def with_lists(options: argparse.Namespace, *names: str) -> tuple[Problem, dict[str, list[Fraction]]]:
    """Return the problem with the first value of each of these options, and all values of those that have several."""
    values = {name: numbers(text, name) for name in names if (text := getattr(options, name)) is not None}
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
