"""The Python and the command line that give the numbers of the page."""

from __future__ import annotations

import shlex

from theorycalc.activations.teacher import teacher_items
from theorycalc.web.state import FIELDS, OPTIONAL

_PROBLEM = tuple(name for name in FIELDS if name not in ("gradient", "n", "alpha"))


def _given(texts: dict[str, str]) -> dict[str, str]:
    """Return the fields that describe the problem, without those that say what is the default anyway."""
    return {name: texts[name] for name in _PROBLEM if name not in OPTIONAL or texts[name] != FIELDS[name]}


def python_of(texts: dict[str, str], n: int, steps: tuple[str, ...]) -> str:
    """Return a script that prints gains and losses: of the ``limit``, of the ``finite`` step, or of no step.

    >>> print(python_of(FIELDS, 1000, ("limit", "finite")).splitlines()[-1])
    print(finite.train_gain, finite.test_gain, finite.train_loss, finite.test_loss)
    """
    arguments = _given(texts)
    shown = [repr(arguments.pop("activation"))]
    teacher = arguments.pop("teacher")
    shown.append(f"teacher={teacher_items(teacher) or teacher!r}")
    shown += [f"{name}={text!r}" for name, text in arguments.items()]
    gradient = f", gradient={texts['gradient']!r}" if texts["gradient"] != FIELDS["gradient"] else ""
    lines = ["import theorycalc as tc", "", "problem = tc.Problem(", *(f"    {item}," for item in shown), ")"]
    calls = {
        "limit": f"tc.predict(problem, alpha={texts['alpha']!r})",
        "finite": f"tc.step(problem, n={n}, alpha={texts['alpha']!r}{gradient})",
        "before": "tc.predict(problem, ell=0)",
    }
    for name in steps or ("before",):
        values = ", ".join(f"{name}.{value}" for value in ("train_gain", "test_gain", "train_loss", "test_loss"))
        lines += [f"{name} = {calls[name]}", f"print({values})"]
    return "\n".join(lines) + "\n"


def command_of(texts: dict[str, str], n: int, steps: tuple[str, ...]) -> str:
    """Return the commands that print the same numbers, for a POSIX shell.

    >>> print(command_of(FIELDS | {"phi": "1"}, 1000, ("finite",))[:84])
    theorycalc step --activation relu --teacher 'H1 + H2/2 + H3/6 + H4/24' --phi 1 --psi
    """
    options = " ".join(_option(name, text) for name, text in _given(texts).items())
    alpha = _option("alpha", texts["alpha"])
    gradient = " " + _option("gradient", texts["gradient"]) if texts["gradient"] != FIELDS["gradient"] else ""
    commands = {
        "limit": f"theorycalc predict {options} {alpha}",
        "finite": f"theorycalc step {options} --n {n} {alpha}{gradient}",
        "before": f"theorycalc predict {options} --ell 0",
    }
    return "\n".join(commands[name] for name in steps or ("before",)) + "\n"


def _option(name: str, text: str) -> str:
    flag = f"--{name.replace('_', '-')}"
    return shlex.quote(f"{flag}={text}") if text.startswith("-") else f"{flag} {shlex.quote(text)}"
