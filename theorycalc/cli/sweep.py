"""``theorycalc sweep``: predictions over a grid of parameters."""

from __future__ import annotations

import math
import sys
from typing import Any, TypeAlias

import theorycalc as tc
from theorycalc.cli.cluster import WORKERS, executor_of
from theorycalc.cli.declare import argument, command, flag, group, output_group, parameter, problem_group
from theorycalc.cli.options import RATIOS, SIZES, Arguments, numbers, words
from theorycalc.cli.output import as_json
from theorycalc.errors import ArgumentError, SweepInterrupted

#: The values of every option that is given.
Several: TypeAlias = dict[str, list[Any]]

_STEP = ("n", "ell", "alpha", "eta")
_HOW = ("network", "gradient", "method")
_MOST_PRINTED = 10**6


@command(
    "sweep",
    "Predict losses and gains over a grid: of the limits or, with --n, of networks of real size.",
    """\
  theorycalc sweep --activation relu,tanh --teacher "H1 + H2/2" --phi 0.1:2:20 --psi 2/3 --ridge 1e-3:10:50:log \\
      --ell 1,2 --output grid.csv
  theorycalc sweep --activation relu --teacher "H1; H1 + H2/2; 1,0,1/3" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 0,1,2,inf
  theorycalc sweep --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01,0.1 --noise 0.1 \\
      --eta 1:100:5:log --gradient residual,labels
  theorycalc sweep --activation "tanh(x + 1)" --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1,1 --n 300,600 \\
      --alpha 0:0.4:3 --json

Every option of the problem may be a list or a range: 0.1,0.2 and 0.1:2:20 (twenty values) and 1e-3:10:50:log
(geometric). Formulas are separated by ';', or by commas outside parentheses; a list of numbers is one teacher.
Columns are the options with several values, in the order above, and the step; the last varies fastest.
""",
    problem_group(network=True),
    group(
        "the step: with --n, --eta or --alpha; of limits, --ell or --alpha",
        parameter("eta", before="with --n: "),
        "alpha",
        parameter("ell", after="; sizes then count by their ratios"),
    ),
    group(
        "how it is computed; lists, too",
        parameter("gradient", later=True, before="of networks: "),
        parameter("method", later=True, before="with --n: "),
        parameter("network", later=True, before="of limits: "),
    ),
    group(
        "the quantities, and where they are written",
        parameter("quantities", after=" (default: losses and gains)"),
        argument("--output", metavar="FILE", help="write .csv, .json or .nc (NetCDF; above 10^7 points)"),
        flag("--resume", "continue an --output that was interrupted"),
        *WORKERS,
    ),
    output_group("one row for each point (the default)"),
)
def _sweep(options: Arguments) -> str:
    if options.output is not None and (options.json or options.csv):
        raise ArgumentError("--json and --csv are for printed answers; the ending of --output says how it is written")
    problem, over = _grid(options)
    try:
        with executor_of(options) as (executor, workers):
            found = tc.sweep(
                problem,
                over,
                quantities=None if options.quantities is None else words(options.quantities),
                **options.given("output", "resume"),
                workers=workers,
                executor=executor,
            )
    except SweepInterrupted as stop:
        if isinstance(stop.sweep, tc.Sweep):  # the points that were done are nowhere else
            sys.stdout.write(_written(stop.sweep, options.json) + "\n")
        raise
    return _written(found, options.json) if isinstance(found, tc.Sweep) else repr(found)


def _written(found: tc.Sweep, json: bool) -> str:
    return as_json(found.to_dict()) if json else str(found.to_csv()).rstrip("\n")


def _grid(options: Arguments) -> tuple[tc.Problem, Several]:
    """Return the problem at the first value of every option, and the values of the options that vary."""
    from theorycalc.model.parameters import CHANNELS, LAYERS, SCALES
    from theorycalc.model.reading import teacher_items

    options = options.with_layers()
    several: Several = {"teacher": teachers(options.teacher)}
    if options.activation is not None:
        several = {"activation": formulas(options.activation)} | several
    several |= options.numbers(*RATIOS, "ridge", "noise")
    several |= {name: words(getattr(options, name)) for name in LAYERS}
    several |= {name: _values(getattr(options, name), name) for name in (*SCALES, *CHANNELS, "steps")}
    for name in ("biases", "inputs"):
        if getattr(options, name) is not None:
            several[name] = [text.strip() for text in getattr(options, name).split(";")]
    several |= options.numbers("step_samples")
    problem = _first_of(options, several).problem()
    over: Several = {name: values for name, values in several.items() if len(values) > 1}
    if "teacher" in over:
        over["teacher"] = [teacher_items(text) or text for text in several["teacher"]]
    over |= {name: text for name, text in options.given(*_STEP).items() if text is not None}
    over |= {name: words(text) for name, text in options.given(*_HOW).items() if text is not None}
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


def _first_of(options: Arguments, several: Several) -> Arguments:
    """Return the options at their first values; --n may vary, unless it comes with --d and --N."""
    first: dict[str, Any] = {name: values[0] for name, values in several.items()}
    if "step_samples" in first:
        first["step_samples"] = str(first["step_samples"])
    if options.d is None and options.N is None:
        return options.changed(first | {"n": None})
    for name, text in options.given(*SIZES).items():
        if {",", ":"} & set(text or ""):
            raise ArgumentError(f"--{name} {text!r}: sizes mean one network; a list of --n goes with --phi and --psi")
    if any(value is not None for value in options.given(*RATIOS).values()):
        raise ArgumentError("--phi and --psi go with --n alone, from which d and N follow; or give --n, --d and --N")
    return options.changed(first)


def _values(text: str, name: str) -> list[str]:
    """Return the values of a list of numbers, ranges and formulas without x."""
    return [str(value) for item in words(text) for value in (numbers(item, name) if ":" in item else [item])]


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
    """Split a list of teachers as formulas are split, except that a list of numbers is the coefficients of one teacher.

    >>> teachers("H1, H1 + H2/2; 1, 1/2")
    ['H1', 'H1 + H2/2', '1, 1/2']
    """
    from theorycalc.model.reading import teacher_items

    return [one for part in text.split(";") for one in ([part.strip()] if teacher_items(part) else formulas(part))]
