"""The command line: one module a command, each with an ``add`` that describes it to the parser.

Only the argument parser is imported at the start, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Sequence

from theorycalc._version import __version__
from theorycalc.cli import coefficients, explore, formulas, predict, simulate, spectrum, step
from theorycalc.errors import TheoryError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 2 for bad input, or what the command answers beside its text."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters gets question marks
    parser = _parser()
    options = parser.parse_args(_join_negative(sys.argv[1:] if arguments is None else arguments))
    try:
        answer: str | tuple[str, int] = options.run(options)
        text, status = answer if isinstance(answer, tuple) else (answer, 0)
        print(text)
    except TheoryError as error:
        print(f"theorycalc: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"theorycalc: {stop if str(stop) else 'interrupted'}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone: nothing more to say, and no traceback about it
        return 0
    return status


def _join_negative(arguments: Sequence[str]) -> list[str]:
    """Write ``--teacher -1,1/2`` as ``--teacher=-1,1/2``: argparse would take -1,1/2 for an option."""
    joined: list[str] = []
    for argument in arguments:
        if re.match(r"-[\d.]", argument) and joined and re.fullmatch(r"--[a-z0-9-]+", joined[-1]):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="theorycalc",
        description="What one large gradient step teaches a two-layer network, computed.",
        epilog="theorycalc COMMAND --help explains a command and shows an example.",
    )
    parser.add_argument("--version", action="version", version=f"theorycalc {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    predict.add(commands)
    step.add(commands)
    spectrum.add(commands)
    coefficients.add(commands)
    formulas.add(commands)
    simulate.add(commands)
    explore.add(commands)
    demo = commands.add_parser("demo", help="the staircase of gains for ReLU, ℓ = 0 … 6")
    demo.set_defaults(run=_demo)
    return parser


def _demo(options: argparse.Namespace) -> str:
    from theorycalc.demo import staircase_demo

    return staircase_demo()
