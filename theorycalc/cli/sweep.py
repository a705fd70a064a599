"""``theorycalc sweep``: predictions over a grid of parameters."""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

from theorycalc.cli.cluster import add_workers, executor_of
from theorycalc.cli.options import RATIOS, add_parameter, add_problem, numbers, problem_of
from theorycalc.cli.output import add_output, as_json
from theorycalc.errors import ArgumentError, SweepInterrupted
from theorycalc.model.parameters import PARAMETERS

if TYPE_CHECKING:
    from fractions import Fraction

    from theorycalc.model.problem import Problem
    from theorycalc.sweeps.result import Sweep

#: The values of every option that is given.
Several: TypeAlias = dict[str, list[Any]]

_EXAMPLES = """\
examples:
  theorycalc sweep --activation relu,tanh --teacher "H1 + H2/2" --phi 0.1:2:20 --psi 2/3 --ridge 1e-3:10:50:log \\
      --ell 1,2 --output grid.csv
  theorycalc sweep --activation relu --teacher "H1; H1 + H2/2; 1,0,1/3" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 0,1,2,inf
  theorycalc sweep --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01,0.1 --noise 0.1 \\
      --eta 1:100:5:log --gradient residual,labels
  theorycalc sweep --activation "tanh(x + 1)" --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1,1 --n 300,600 \\
      --alpha 0:0.4:3 --json

Every option of the problem may be a list or a range: 0.1,0.2 and 0.1:2:20 (twenty values) and 1e-3:10:50:log
(geometric). Formulas are separated by ';', or by commas outside parentheses; a list of numbers is one teacher.
Columns are what has several values, in the order of the options above, and the step; the last varies fastest.
"""
_WORDS = ("first_layer", "second_layer")
_STEP = ("n", "ell", "alpha", "eta")
_HOW = ("network", "gradient", "method")
_MOST_PRINTED = 10**6


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Predict losses and gains over a grid: of the limits or, with --n, of networks of real size."
    command.epilog = _EXAMPLES
    add_problem(command, network=True)
    step = command.add_argument_group("the step: with --n, --eta or --alpha; of limits, --ell or --alpha")
    add_parameter(step, "eta", before="with --n: ")
    add_parameter(step, "alpha")
    add_parameter(step, "ell", after="; sizes then count by their ratios")
    how = command.add_argument_group("how it is computed; lists, too")
    for name, before in (("gradient", "of networks: "), ("method", "with --n: "), ("network", "of limits: ")):
        add_parameter(how, name, shown=PARAMETERS[name].default, before=before)
    where = command.add_argument_group("what is computed, and where to")
    where.add_argument(
        "--quantities", metavar="LIST", help=f"{PARAMETERS['quantities'].help} (default: losses and gains)"
    )
    where.add_argument("--output", metavar="FILE", help="write .csv, .json or .nc (NetCDF; above 10^7 points)")
    where.add_argument("--resume", action="store_true", help="go on with an --output that was interrupted")
    add_workers(where)
    add_output(command, csv="one row for each point (the default)")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    from theorycalc.sweeps.result import Sweep
    from theorycalc.sweeps.sweeping import sweep

    if options.output is not None and (options.json or options.csv):
        raise ArgumentError("--json and --csv are for what is printed; the ending of --output says how it is written")
    problem, over = _grid(options)
    try:
        with executor_of(options) as (executor, workers):
            found = sweep(
                problem,
                over,
                quantities=None if options.quantities is None else _words(options.quantities),
                output=options.output,
                resume=options.resume,
                workers=workers,
                executor=executor,
            )
    except SweepInterrupted as stop:
        if isinstance(stop.sweep, Sweep):  # what was done is shown: it is nowhere else
            sys.stdout.write(_shown(stop.sweep, options.json) + "\n")
        raise
    return _shown(found, options.json) if isinstance(found, Sweep) else repr(found)


def _shown(found: Sweep, json: bool) -> str:
    return as_json(found.to_dict()) if json else str(found.to_csv()).rstrip("\n")


def _grid(options: argparse.Namespace) -> tuple[Problem, Several]:
    """Return the problem at the first value of everything, and what varies."""
    from theorycalc.model.reading import teacher_items

    several: Several = {"teacher": teachers(options.teacher)}
    if options.activation is not None:
        several = {"activation": formulas(options.activation)} | several
    given = [name for name in RATIOS if getattr(options, name) is not None]
    several |= {name: numbers(getattr(options, name), name) for name in (*given, "ridge", "noise")}
    several |= {name: _words(getattr(options, name)) for name in _WORDS}
    if options.step_samples is not None:
        several["step_samples"] = numbers(options.step_samples, "step_samples")
    problem = problem_of(_first_of(options, several))
    over: Several = {name: values for name, values in several.items() if len(values) > 1}
    if "teacher" in over:
        over["teacher"] = [teacher_items(text) or text for text in several["teacher"]]
    over |= {name: text for name in _STEP if (text := getattr(options, name)) is not None}
    over |= {name: _words(text) for name in _HOW if (text := getattr(options, name)) is not None}
    if problem.has_sizes and options.ell is not None:
        del over["n"]  # limits know sizes by their ratios
    if len({"ell", "alpha", "eta"} & set(over)) != 1:
        raise ArgumentError(
            "give --ell or --alpha for limits, or --n with --alpha or --eta for networks of real size, and only one of "
            "these"
        )
    points = math.prod(len(values) for name, values in over.items() if name in several)
    if options.output is None and points > _MOST_PRINTED:
        raise ArgumentError(f"{points} points and more are not printed; give --output grid.csv, .json or .nc")
    return problem, over


def _first_of(options: argparse.Namespace, several: Several) -> argparse.Namespace:
    """Return the options with the first of several values; n beside --d and --N is one number, else a list may vary."""
    first: dict[str, str | Fraction] = {name: values[0] for name, values in several.items()}
    if "step_samples" in first:
        first["step_samples"] = str(first["step_samples"])
    if options.d is None and options.N is None:
        return argparse.Namespace(**(vars(options) | first | {"n": None}))
    for name in ("n", "d", "N"):
        if {",", ":"} & set(getattr(options, name) or ""):
            raise ArgumentError(
                f"--{name} {getattr(options, name)!r}: sizes are one network; a list of --n goes with --phi and --psi"
            )
    if any(getattr(options, name) is not None for name in RATIOS):
        raise ArgumentError("--phi and --psi go with --n alone, from which d and N follow; or give --n, --d and --N")
    return argparse.Namespace(**(vars(options) | first))


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def formulas(text: str) -> list[str]:
    """Split a list of formulas at semicolons, and at commas outside parentheses.

    >>> formulas("relu, leaky_relu(0.1); where(x > 0, x, 0)")
    ['relu', 'leaky_relu(0.1)', 'where(x > 0, x, 0)']
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == ";" or (sign == "," and depth <= 0):
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def teachers(text: str) -> list[str]:
    """Split a list of teachers: as formulas, but a list of numbers is the coefficients of one.

    >>> teachers("H1, H1 + H2/2; 1, 1/2")
    ['H1', 'H1 + H2/2', '1, 1/2']
    """
    from theorycalc.model.reading import teacher_items

    return [one for part in text.split(";") for one in ([part.strip()] if teacher_items(part) else formulas(part))]
