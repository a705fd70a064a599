"""Declarations of commands: their help, their options, and the functions that compute their answers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias

from theorycalc.cli.options import RATIOS, SIZES, Arguments, Usual, option_of
from theorycalc.model.parameters import OPTIONS, PARAMETERS

if TYPE_CHECKING:
    from theorycalc.cli.output import Shown

#: A parser or a group of its options.
ArgumentGroup: TypeAlias = "argparse._ActionsContainer"
#: Adds options to a parser or to a group.
Adding: TypeAlias = Callable[[Any], object]
Answering: TypeAlias = "Callable[[Arguments], str | Shown]"

#: The ratios and the ridge of the documentation's example.
EXAMPLE = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}
#: Every command that is declared so far, with the function that completes its parser.
DECLARED: dict[str, Callable[[argparse.ArgumentParser], None]] = {}
_TABLE = object()


def command(
    name: str,
    description: str,
    examples: str,
    *added: str | Adding,
    waiting: str | None = None,
    spends: bool = True,  # whether it evaluates functions that a user writes, within a budget
) -> Callable[[Answering], Answering]:
    """Declare a command: the decorated function computes its answer.

    Its help begins with the description and ends with the examples; :func:`problem_group`, :func:`group`,
    :func:`parameter` and :func:`argument` make its options. After two seconds a person on a terminal reads the verb
    ``waiting``.
    """

    def declared(run: Answering) -> Answering:
        def answered(options: Arguments) -> str | Shown:
            from theorycalc.running.terminal import waiting as ticking

            with ticking(waiting) if waiting else nullcontext(), options.allowed() if spends else nullcontext():
                return run(options)

        def describe(parser: argparse.ArgumentParser) -> None:
            heading = "examples" if examples.count("\n") > 1 else "example"
            parser.description, parser.epilog = description, f"{heading}:\n{examples}"
            _add_all(parser, added)
            if spends:
                _BUDGET(parser)
            parser.set_defaults(run=answered)

        DECLARED[name] = describe
        return run

    return declared


def group(title: str, *added: str | Adding) -> Adding:
    """Return titled options; a bare name stands for the parameter of that name in the table."""
    return lambda parser: _add_all(parser.add_argument_group(title), added)


def _add_all(target: ArgumentGroup, added: tuple[str | Adding, ...]) -> None:
    for one in added:
        (parameter(one) if isinstance(one, str) else one)(target)


def argument(*names: str, **settings: Any) -> Adding:
    """Return an option outside the table of parameters, with argparse's settings."""
    return lambda target: target.add_argument(*names, **settings)


def flag(name: str, help: str) -> Adding:
    """Return an option without a value."""
    return argument(name, action="store_true", help=help)


def parameter(
    name: str,
    *,
    default: object = _TABLE,  # if it is not the table's
    later: bool = False,  # whether the option is None where it is not given, since the default is filled in later
    required: bool = False,
    among: tuple[str, ...] = (),  # the words that the command takes, if not all that the table has
    before: str = "",  # words particular to the command, around the explanation
    after: str = "",
    help: str | None = None,  # another explanation
) -> Adding:
    """Return the option of a parameter, explained by the table of parameters."""
    row = PARAMETERS[name]
    usual: Any = row.default if default is _TABLE else default
    text = f"{before}{row.helped(usual, among)}{after}" if help is None else help
    if row.default is False:
        return flag(option_of(name), text)
    if row.default is True:
        return argument(option_of(name), action=argparse.BooleanOptionalAction, default=True, help=text)
    given = None if later or usual is None else Usual(usual)
    metavar = "WORD" if row.options else None
    return argument(option_of(name), default=given, required=required, metavar=metavar, help=text)


#: How long the functions of a problem may take.
_BUDGET = argument(
    "--budget",
    metavar="SECONDS",
    help="processor time that each evaluation may spend on the functions of its problem, such as a formula that "
    "oscillates fast (default: 2)",
)
#: The layers of a library, in place of four options.
_LAYERS = argument(
    "--layers",
    metavar="WORD",
    help="layers as libraries draw them, for --first-scale, --second-scale and both laws: torch, he_normal, "
    "he_uniform, lecun_normal, lecun_uniform or, with sizes, glorot_normal, glorot_uniform",
)
#: The networks that a limit is of: the theorem's, or literal ones with their gradient.
NETWORK = ("network", parameter("gradient", later=True, before="of --network literal: "))


def problem_group(
    defaults: Mapping[str, str] | None = None,  # of φ, ψ, n and λ; a λ without a default is required
    *,
    network: bool = False,  # whether the command is about a network of real size: --n may stand beside --phi and --psi
    optional: bool = False,  # whether the problem may be left out, since a file has it
    ridge: str | None = None,  # the explanation of --ridge, where it is not simply the problem's
) -> Adding:
    """Return the options that describe a problem, by ratios or by sizes."""
    known = dict(defaults or {})
    beside = "\n--n also goes with --phi and --psi" if network else ""

    def add(parser: argparse.ArgumentParser) -> None:
        needed = parser.add_argument_group("the problem", f"σ or its c_1 and c_{{>1}}; sizes or ratios{beside}")
        sizes = [parameter(name, default=known.get(name), later=True) for name in (*SIZES, *RATIOS)]
        required = "ridge" not in known and not optional
        weight = parameter("ridge", default=known.get("ridge"), later=True, required=required, help=ridge)
        teacher = parameter("teacher", required=not optional)
        _add_all(needed, ("activation", "c1", "c_rest", "present", teacher, *sizes, weight, "noise"))
        _add_all(parser.add_argument_group("the network, its labels and its fit"), (_LAYERS, *OPTIONS, "step_samples"))
        parser.set_defaults(defaults=known, network_of_real_size=network)

    return add


def output_group(csv: str, plot: str | None = None, *more: Adding) -> Adding:
    """Return --json, --csv (for results that have rows) and, where there is a picture, --plot."""
    picture = argument("--plot", metavar="FILE", help=f"draw {plot}; a .svg, .pdf or .png file")
    return group(
        "how it is shown",
        flag("--json", "print JSON: everything that is known, with all digits"),
        flag("--csv", f"print CSV with all digits: {csv}"),
        *([] if plot is None else [picture]),
        *more,
    )
