"""What may happen to a command line: an answer without NaN, or one line that says what was wrong."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
from argparse import Namespace
from pathlib import Path
from typing import NoReturn

from tests.fuzz.guards import Finding, Overdue, TooLarge, impatient, watched, within
from theorycalc.cli import main, parser
from theorycalc.cli.options import numbers, whole_or_text, windows
from theorycalc.cli.output import check_output
from theorycalc.cli.sweep import formulas, teachers
from theorycalc.errors import TheoryError
from theorycalc.functions.grammar import parse
from theorycalc.hermite.coefficients import check_defined
from theorycalc.model.reading import read_teacher, teacher_items

#: Seconds of processor time that reading a command line may take, and reading each of its values.
READING = 2.0
#: Seconds after which Ctrl-C comes, and in which the command must have ended then.
PATIENCE, ENDING = 0.5, 5.0
LARGEST_NETWORK = 60  # samples of a network that is really simulated,
LARGEST_LAYER = 1000  # and its inputs and neurons
_STATES = {0: "accepted", 1: "accepted", 2: "refused", 3: "accepted", 130: "interrupted"}
_SIMULATING = ("simulate", "report")
_NUMBERS = ("phi", "psi", "ridge", "noise", "step_samples", "alpha", "eta")


def check_command(arguments: list[str], folder: Path) -> str:
    """Run a command line in an empty folder, as a person would who loses patience soon; return what became of it."""
    out, err = io.StringIO(), io.StringIO()
    state = -1
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            state = _run(arguments, folder)
    finally:
        for path in os.scandir(folder):
            shutil.rmtree(path) if path.is_dir(follow_symlinks=False) else os.remove(path)
    _check_answer(state, out.getvalue(), err.getvalue(), arguments)
    return _STATES[state]


def _run(arguments: list[str], folder: Path) -> int:
    try:
        with watched(folder) as denied:
            _read(arguments)
            with impatient(PATIENCE, ENDING):
                return main(arguments)
    except SystemExit as end:  # argparse, after --help and --version
        return end.code if isinstance(end.code, int) else -1
    except PermissionError:
        if not denied:
            raise
        raise TooLarge("it starts processes or listens, which the sandbox forbids") from None


def _read(arguments: list[str]) -> None:
    """Read a command line and its values, which is over soon; what is computed from them may take long.

    Networks that keep the linear algebra busy for long, which no Ctrl-C reaches, are left out.
    """
    try:
        with _bounded("the command line"), contextlib.redirect_stdout(io.StringIO()):
            options = parser().parse_args(arguments)
            check_output(options)
    except (TheoryError, SystemExit):
        return
    for name, value in vars(options).items():
        if isinstance(value, str):
            with _bounded(name), contextlib.suppress(TheoryError):
                _read_value(name, value)
    if arguments[0] in _SIMULATING and _is_large(options):
        raise TooLarge(f"a network of more than {LARGEST_NETWORK} samples, or {LARGEST_LAYER} inputs or neurons")


def _is_large(options: Namespace) -> bool:
    """Whether a network would be larger than what is really simulated; what is no size is refused by the command."""
    n = whole_or_text(options.n)
    if options.phi is None or options.psi is None:
        sizes = [whole_or_text(size) for size in (options.n, options.d, options.N)]
        n, *others = (size if isinstance(size, int) else 0 for size in sizes)
        return n > LARGEST_NETWORK or max(others) > LARGEST_LAYER
    try:
        phi, psi = numbers(options.phi, "phi"), numbers(options.psi, "psi")
    except TheoryError:
        return False
    if not isinstance(n, int) or min(psi) <= 0:
        return False
    inputs = max(phi) * n
    return n > LARGEST_NETWORK or max(inputs, inputs / min(psi)) > LARGEST_LAYER


def _bounded(what: str) -> contextlib.AbstractContextManager[None]:
    return within(READING, lambda: Overdue(f"{what}: read for longer than {READING} s"))


def _read_value(name: str, text: str) -> None:
    """Read the value of an option by what it is: numbers, windows, formulas, or a word."""
    if name in _NUMBERS:
        numbers(text, name)
    elif name == "ell":
        windows(text)
    elif name == "activation":
        for formula in formulas(text):
            check_defined(parse(formula))
    elif name == "teacher":
        for formula in teachers(text):
            read_teacher(teacher_items(formula) or formula)
    else:
        whole_or_text(text)


def _check_answer(state: int, out: str, err: str, arguments: list[str]) -> None:
    if state not in _STATES:
        raise Finding(f"exit status {state}")
    if "Traceback" in err:
        raise Finding(f"a traceback: {err}")
    if state == 2 and not err.startswith("theorycalc: error: "):
        raise Finding(f"exit status 2 without a reason: {err!r}")
    if state == 0 and re.search(r"(?<![\w\\])nan(?!\w)", out, re.IGNORECASE):
        raise Finding("a NaN in the answer")
    if "not enough memory" in err:
        raise Finding("out of memory")
    if state == 0 and "--json" in arguments and out.startswith("{"):
        json.loads(out, parse_constant=_no_constant)


def _no_constant(name: str) -> NoReturn:
    raise Finding(f"{name} in JSON")
