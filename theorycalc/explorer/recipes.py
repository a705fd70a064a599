"""The Python and the command line that give the numbers of the page."""

from __future__ import annotations

from theorycalc.explorer.fields import FIELDS
from theorycalc.model.reading import teacher_items
from theorycalc.model.reproduce import arguments, call, command

_OF_THE_STEP = ("n", "alpha", "gradient")
_PRINTED = ("train_gain", "test_gain", "train_loss", "train_error", "test_loss")
_WHICH = "# the training loss is the ridge objective, penalty included; the training error is without the penalty"


def _problem(texts: dict[str, str]) -> dict[str, str]:
    names = [name for name in FIELDS if name not in _OF_THE_STEP and (name != "step_samples" or texts[name])]
    return {name: texts[name] for name in names}


def _steps(texts: dict[str, str], n: int | str) -> dict[str, tuple[str, dict[str, int | str]]]:
    """Return, for each way to take the step, the function or command and its arguments."""
    alpha, gradient = texts["alpha"], texts["gradient"]
    return {
        "theorem": ("predict", {"alpha": alpha}),
        "literal": ("predict", {"alpha": alpha, "network": "literal", "gradient": gradient}),
        "network": ("step", {"n": n, "alpha": alpha, "gradient": gradient}),
        "before": ("predict", {"ell": 0}),
    }


def python_of(texts: dict[str, str], n: int, steps: tuple[str, ...]) -> str:
    """Return a script that prints gains and losses by each of ``steps``; without any, those before the step.

    Steps are ``theorem``, ``literal``, the limit of literal networks, and ``network``, that of n samples.

    >>> print(python_of(FIELDS, 1000, ("theorem", "network")).splitlines()[-2])
    network = tc.step(problem, n=1000, alpha='3/10')
    """
    given = _problem(texts)
    activation, teacher = given.pop("activation"), given.pop("teacher")
    shown = [repr(activation), f"teacher={teacher_items(teacher) or teacher!r}", *arguments(given)]
    lines = ["import theorycalc as tc", "", "problem = tc.Problem(", *(f"    {item}," for item in shown), ")", _WHICH]
    for name in steps or ("before",):
        function, how = _steps(texts, n)[name]
        printed = ", ".join(f"{name}.{value}" for value in _PRINTED)
        lines += [f"{name} = {call(function, 'problem', how)}", f"print({printed})"]
    return "\n".join(lines) + "\n"


def command_of(texts: dict[str, str], n: int, steps: tuple[str, ...]) -> str:
    """Return the commands that print the same numbers, for a POSIX shell.

    >>> print(command_of(FIELDS | {"phi": "1"}, 1000, ("network",))[:84])
    theorycalc step --activation relu --teacher 'H1 + H2/2 + H3/6 + H4/24' --phi 1 --psi
    """
    lines = []
    for name in steps or ("before",):
        verb, how = _steps(texts, n)[name]
        lines.append(command(verb, _problem(texts) | {key: str(value) for key, value in how.items()}))
    return "\n".join(lines) + "\n"
