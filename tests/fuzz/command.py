"""What may happen to a command line: an answer without NaN, or one line that says what was wrong."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
from pathlib import Path
from typing import NoReturn

from tests.fuzz.guards import Finding, watched, within
from theorycalc.cli import main, parser
from theorycalc.cli.options import whole_or_text
from theorycalc.errors import TheoryError

#: Seconds of processor time after which Ctrl-C comes.
PATIENCE = 0.5
LARGEST_NETWORK = 60  # samples of a network that is really simulated
_STATES = (0, 1, 2, 130)
_SIMULATING = ("simulate", "report")


class TooLarge(Exception):  # noqa: N818 - no error
    """A request that is fair and takes long: not an input of the fuzzer."""


def check_command(arguments: list[str], folder: Path, patience: float = PATIENCE) -> bool:
    """Run a command line in an empty folder, as a person would who loses patience soon."""
    _refuse_large(arguments)
    out, err = io.StringIO(), io.StringIO()
    state = -1
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            with watched(folder) as denied, within(patience, KeyboardInterrupt):
                state = main(arguments)
        except SystemExit as end:  # argparse, after --help and --version
            state = end.code if isinstance(end.code, int) else -1
        except PermissionError:
            if not denied:
                raise
            raise TooLarge("it starts processes or listens, which the sandbox forbids") from None
    for path in os.scandir(folder):
        shutil.rmtree(path) if path.is_dir(follow_symlinks=False) else os.remove(path)
    _check_answer(state, out.getvalue(), err.getvalue(), arguments)
    return state == 0


def _refuse_large(arguments: list[str]) -> None:
    """Leave networks out that keep the linear algebra busy, which no Ctrl-C reaches, for long."""
    if not set(_SIMULATING) & set(arguments[:1]):
        return
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            options = parser().parse_args(arguments)
    except (TheoryError, SystemExit):
        return
    n = whole_or_text(options.n)
    if isinstance(n, int) and n > LARGEST_NETWORK:
        raise TooLarge(f"a network of more than {LARGEST_NETWORK} samples")


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
