"""The Python and the command line that give the numbers of the page."""

from __future__ import annotations

import shlex

from theorycalc.explorer.fields import FIELDS, OPTIONAL
from theorycalc.model.teacher import teacher_items

_PROBLEM = tuple(name for name in FIELDS if name not in ("n", "alpha", "gradient"))
_PRINTED = ("train_gain", "test_gain", "train_loss", "train_error", "test_loss")


def _given(texts: dict[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Return the fields of these names, without those that say the default anyway."""
    return {name: texts[name] for name in names if name not in OPTIONAL or texts[name] != FIELDS[name]}


def python_of(texts: dict[str, str], n: int, steps: tuple[str, ...]) -> str:
    """Return a script that prints gains and losses by each of ``steps``; without any, those before the step.

    Steps are ``theorem``, ``literal``, the limit of literal networks, and ``network``, that of n samples.

    >>> print(python_of(FIELDS, 1000, ("theorem", "network")).splitlines()[-2])
    network = tc.step(problem, n=1000, alpha='3/10')
    """
    arguments = _given(texts, _PROBLEM)
    shown = [repr(arguments.pop("activation"))]
    teacher = arguments.pop("teacher")
    shown.append(f"teacher={teacher_items(teacher) or teacher!r}")
    shown += [f"{name}={text!r}" for name, text in arguments.items()]
    gradient = f", gradient={texts['gradient']!r}" if texts["gradient"] != FIELDS["gradient"] else ""
    lines = ["import theorycalc as tc", "", "problem = tc.Problem(", *(f"    {item}," for item in shown), ")"]
    alpha = f"alpha={texts['alpha']!r}"
    gradient = "".join(f", {name}={text!r}" for name, text in _given(texts, ("gradient",)).items())
    calls = {
        "theorem": f"tc.predict(problem, {alpha})",
        "literal": f"tc.predict(problem, {alpha}, network='literal'{gradient})",
        "network": f"tc.step(problem, n={n}, {alpha}{gradient})",
        "before": "tc.predict(problem, ell=0)",
    }
    lines.append(
        "# the training loss is the ridge objective, penalty included; the training error is without the penalty"
    )
    for name in steps or ("before",):
        lines += [f"{name} = {calls[name]}", f"print({', '.join(f'{name}.{value}' for value in _PRINTED)})"]
    return "\n".join(lines) + "\n"


def command_of(texts: dict[str, str], n: int, steps: tuple[str, ...]) -> str:
    """Return the commands that print the same numbers, for a POSIX shell.

    >>> print(command_of(FIELDS | {"phi": "1"}, 1000, ("network",))[:84])
    theorycalc step --activation relu --teacher 'H1 + H2/2 + H3/6 + H4/24' --phi 1 --psi
    """
    options = " ".join(_option(name, text) for name, text in _given(texts, _PROBLEM).items())
    alpha = _option("alpha", texts["alpha"])
    gradient = "".join(f" {_option(name, text)}" for name, text in _given(texts, ("gradient",)).items())
    commands = {
        "theorem": f"theorycalc predict {options} {alpha}",
        "literal": f"theorycalc predict {options} {alpha} --network literal{gradient}",
        "network": f"theorycalc step {options} --n {n} {alpha}{gradient}",
        "before": f"theorycalc predict {options} --ell 0",
    }
    return "\n".join(commands[name] for name in steps or ("before",)) + "\n"


def _option(name: str, text: str) -> str:
    flag = f"--{name.replace('_', '-')}"
    return shlex.quote(f"{flag}={text}") if text.startswith("-") else f"{flag} {shlex.quote(text)}"
