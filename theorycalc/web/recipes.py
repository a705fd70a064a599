"""The Python and the command line that give the numbers of the page."""

from __future__ import annotations

import shlex
from typing import Any

from theorycalc.web.state import FIELDS, OPTIONAL, teacher_items

_PROBLEM = tuple(name for name in FIELDS if name not in ("n", "alpha"))


def _given(texts: dict[str, str]) -> dict[str, str]:
    """Return the fields that describe the problem, without those that say what is the default anyway."""
    return {name: texts[name] for name in _PROBLEM if name not in OPTIONAL or texts[name] != FIELDS[name]}


def python_of(texts: dict[str, str], n: int, has_limit: bool) -> str:
    """Return a script that prints the gains and losses, of the limit where there is one and of n samples.

    >>> print(python_of(FIELDS, 1000, True).splitlines()[-1])
    print(finite.train_gain, finite.test_gain, finite.train_loss, finite.test_loss)
    """
    arguments = _given(texts)
    shown = [repr(arguments.pop("activation"))]
    teacher: Any = arguments.pop("teacher")
    shown.append(f"teacher={teacher_items(teacher) or teacher!r}")
    shown += [f"{name}={text!r}" for name, text in arguments.items()]
    lines = ["import theorycalc as tc", "", "problem = tc.Problem(", *(f"    {item}," for item in shown), ")"]
    steps = {"limit": f"tc.predict(problem, alpha={texts['alpha']!r})"} if has_limit else {}
    steps["finite"] = f"tc.step(problem, n={n}, alpha={texts['alpha']!r})"
    for name, call in steps.items():
        values = ", ".join(f"{name}.{value}" for value in ("train_gain", "test_gain", "train_loss", "test_loss"))
        lines += [f"{name} = {call}", f"print({values})"]
    return "\n".join(lines) + "\n"


def command_of(texts: dict[str, str], n: int, has_limit: bool) -> str:
    """Return the commands that print the same numbers, for a POSIX shell.

    >>> print(command_of(FIELDS | {"phi": "1"}, 1000, False)[:84])
    theorycalc step --activation relu --teacher 'H1 + H2/2 + H3/6 + H4/24' --phi 1 --psi
    """
    options = " ".join(_option(name, text) for name, text in _given(texts).items())
    alpha = _option("alpha", texts["alpha"])
    commands = [f"theorycalc predict {options} {alpha}"] if has_limit else []
    commands.append(f"theorycalc step {options} --n {n} {alpha}")
    return "\n".join(commands) + "\n"


def _option(name: str, text: str) -> str:
    flag = f"--{name.replace('_', '-')}"
    return shlex.quote(f"{flag}={text}") if text.startswith("-") else f"{flag} {shlex.quote(text)}"
