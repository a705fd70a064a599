"""The command line: modules declare their commands by ``@command``, with options, examples and a function.

``--help`` imports the argument parser alone, and a command its own module, so that help answers at once.
"""

from __future__ import annotations

import io
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module

from theorycalc._version import __version__
from theorycalc.cli.options import Arguments
from theorycalc.cli.output import Shown, check_output, draw_picture, printed
from theorycalc.cli.parsing import Command, as_options, options_of, say
from theorycalc.errors import TheoryError, spelling

#: Every command: the module that declares it, and the purpose that the list of commands shows.
COMMANDS = {
    "predict": ("limits", "losses and gains of one problem, or of a grid of them"),
    "staircase": ("limits", "the gains of every window ℓ = 0, 1, 2, …"),
    "step": ("networks", "losses and gains of a network of real size after one step"),
    "error-rate": ("networks", "how often the sign of the fit is wrong, before and after a step"),
    "scaling": ("networks", "the test loss against n or N, and the exponent with which it falls"),
    "spectrum": ("networks", "eigenvalues of the features: bulk and outliers"),
    "weights": ("networks", "singular values of the weights: bulk and outlier"),
    "features": ("own_features", "ridge fits on n points of your own features"),
    "simulate": ("observing", "the real network, compared with theory"),
    "compare": ("observing", "your own measurements, or a saved run, against theory"),
    "sweep": ("sweep", "losses and gains over a grid of parameters"),
    "best": ("planning", "the step and the ridge with the lowest test loss"),
    "best-step": ("planning", "the step with the lowest test loss"),
    "best-ridge": ("planning", "the ridge with the lowest test loss"),
    "samples-needed": ("planning", "how many samples show the limit"),
    "draws-needed": ("planning", "how many draws measure a gain or a loss"),
    "rank": ("planning", "activations in the order of their test losses"),
    "coefficients": ("functions", "Hermite coefficients of an activation"),
    "activations": ("functions", "every named activation: formula, coefficients, conditions"),
    "latex": ("functions", "the LaTeX of a formula"),
    "sheet": ("documents", "a document of one problem"),
    "report": ("documents", "everything about one problem in one HTML file"),
    "explore": ("explore", "a page with sliders, in the browser"),
    "completion": ("completion", "a script that completes commands in your shell"),
    "demo": ("demo", "a network of real size, and the staircase of limits"),
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

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
_AGAIN = 2.0  # seconds in which a second signal is the same wish: the command is about to end


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: the command's own, 2 for bad input, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters gets question marks
    with _signals_heeded() as heard:
        try:
            return _answered(arguments)
        except TheoryError as error:
            return _complain(f"error: {error}", 2)
        except KeyboardInterrupt as stop:
            return _complain(str(stop) or "interrupted", 128 + (heard[-1] if heard else signal.SIGINT))
        except MemoryError:
            return _complain("error: there is not enough memory for this; ask for less at a time", 2)


@contextmanager
def _signals_heeded() -> Iterator[list[int]]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does, unless they are ignored, as after nohup; yield those heard.

    After one the handlers stay, so that another never meets Python while it ends.
    """
    heard: list[int] = []
    last = -math.inf

    def interrupt(number: int, _frame: object) -> None:
        nonlocal last
        if time.monotonic() > last + _AGAIN:
            heard.append(number)
            last = time.monotonic()
            raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, interrupt)
    try:
        yield heard
    finally:
        for number, handler in before.items() if not heard else ():
            signal.signal(number, handler)


def _answered(arguments: Sequence[str] | None) -> int:
    """Run a command, print its answer, then draw its picture: if drawing fails, the numbers are already printed."""
    reader = parser()
    options = reader.parse_args(arguments, Arguments())
    check_output(options)
    with spelling(as_options(options_of(reader))):
        found: str | Shown = options.run(options)
        if isinstance(found, str):
            say(found)
            return 0
        text = printed(found, options)
    try:
        say(text)
    finally:
        if found.draw is not None and getattr(options, "plot", None) is not None:
            draw_picture(found.draw, options.plot)
    return found.status


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
    for name, (_, purpose) in COMMANDS.items():
        command: Command = commands.add_parser(name, help=purpose)
        command.describe = partial(_describe, name)
    return main_parser


def _describe(name: str, parser: Command) -> None:
    import_module(f"theorycalc.cli.{COMMANDS[name][0]}")
    from theorycalc.cli.declare import DECLARED

    DECLARED[name](parser)
