"""The command line: one module a command, each with a ``describe`` that tells the parser its options.

Only the argument parser is imported at the start, and a command when it is called, so that ``--help`` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from theorycalc._version import __version__
from theorycalc.cli.output import Answer, check_output, draw_picture, styled
from theorycalc.cli.parsing import Command, as_options, say
from theorycalc.errors import TheoryError, spelling

#: Each command, whose module has its name, and what it does.
COMMANDS = {
    "predict": "losses and gains of one problem, or of a grid of them",
    "staircase": "the gains of every window ℓ = 0, 1, 2, …",
    "step": "what a network of real size shows after one step",
    "spectrum": "eigenvalues of the features: bulk and outliers",
    "simulate": "the real network, compared with theory",
    "compare": "your own measurements, or a saved run, against theory",
    "sweep": "losses and gains over a grid of parameters",
    "best": "the step and the ridge with the least test loss",
    "best-step": "the step with the least test loss",
    "best-ridge": "the ridge with the least test loss",
    "samples-needed": "how many samples show the limit",
    "rank": "activations in the order of their test losses",
    "coefficients": "Hermite coefficients of an activation",
    "activations": "every named activation: formula, coefficients, conditions",
    "latex": "the LaTeX of a formula",
    "sheet": "a document of one problem",
    "report": "everything about one problem in one HTML file",
    "explore": "a page with sliders, in the browser",
    "completion": "a script that completes commands in your shell",
    "demo": "the staircase of gains for ReLU, ℓ = 0 … 6",
}

_EPILOG = """\
examples:
  theorycalc demo
  theorycalc step --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1 --eta 20
  theorycalc staircase --activation relu --teacher "H1 + H2/2"
  theorycalc activations

theorycalc COMMAND --help explains a command and shows examples.
Numbers are written 1/10, 0.1 or 1e-3, lists 0.1,0.2 and ranges 0.05:0.45:9 or, geometric, 1e-3:10:9:log.
Exit status: 0, it worked; 1, theory and observation differ; 3, too few draws to tell; 2, bad input; 130, Ctrl-C.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 2 for bad input, or what the command answers beside its text."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters gets question marks
    try:
        return _answered(arguments)
    except TheoryError as error:
        return _complain(f"error: {error}", 2)
    except KeyboardInterrupt as stop:
        return _complain(str(stop) or "interrupted", 130)
    except MemoryError:
        return _complain("error: there is not enough memory for this; ask for less at a time", 2)


def _answered(arguments: Sequence[str] | None) -> int:
    options = parser().parse_args(arguments)
    check_output(options)
    with spelling(as_options(vars(options))):
        found: str | Answer = options.run(options)
    answer = found if isinstance(found, Answer) else Answer(found)
    try:
        say(styled(answer.text) if answer.styled else answer.text)
    finally:
        if answer.draw is not None and answer.picture is not None:
            draw_picture(answer.draw, answer.picture)
    return answer.status


def _complain(message: str, status: int) -> int:
    from theorycalc.running.terminal import wipe

    if sys.stderr is not None:
        try:
            wipe()
            print(f"theorycalc: {message}", file=sys.stderr, flush=True)
        except OSError:  # nobody can be told
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return status


def parser() -> Command:
    """Return the parser of all commands."""
    main_parser = Command(
        prog="theorycalc",
        description="What one large gradient step teaches a two-layer network, computed.",
        epilog=_EPILOG,
    )
    main_parser.add_argument("--version", action="version", version=f"theorycalc {__version__}")
    commands = main_parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Command)
    for name, purpose in COMMANDS.items():
        command: Command = commands.add_parser(name, help=purpose)
        command.describe = partial(_describe, name)
    return main_parser


def _describe(name: str, command: Command) -> None:
    import_module(f"theorycalc.cli.{name.replace('-', '_')}").describe(command)
