"""Code that reproduces the page's numbers: a Python script, and commands."""

from __future__ import annotations

from theorycalc.explorer.fields import FIELDS, OF_THE_STEP, exponent_of, texts_of_options
from theorycalc.model.parameters import CHANNELS, PARAMETERS
from theorycalc.model.reading import teacher_items
from theorycalc.model.reproduce import arguments, call, command
from theorycalc.numbers.exact import parse_number
from theorycalc.theory.windows import window

_PRINTED = ("train_gain", "test_gain", "train_loss", "train_error", "test_loss")
_WHICH = "# the training loss is the ridge objective, penalty included; the training error is without the penalty"

Arguments = dict[str, int | str]


def python_of(texts: dict[str, str], n: int, steps: tuple[str, ...], rated: tuple[str, ...] = ()) -> str:
    """Return a script that prints gains and losses after each of ``steps``, or, without steps, those before the step.

    Steps are ``theorem``, ``literal``, the limit of literal networks, and ``network``, that of n samples; after
    those that are ``rated``, too, the script prints the error rate.

    >>> print(python_of(FIELDS, 1000, ("theorem", "network")).splitlines()[-2])
    network = tc.step(problem, n=1000, alpha='3/10')
    """
    given = _of_the_problem(texts)
    activation, teacher = texts["activation"], texts["teacher"]
    del given["activation"], given["teacher"]
    shown = [repr(activation), f"teacher={teacher_items(teacher) or teacher!r}", *arguments(given)]
    lines = ["import theorycalc as tc", "", "problem = tc.Problem(", *(f"    {item}," for item in shown), ")", _WHICH]
    return "\n".join(lines) + "\n" + calls_of(texts, n, steps or ("before",), rated)


def calls_of(texts: dict[str, str], n: int, steps: tuple[str, ...], rated: tuple[str, ...] = ()) -> str:
    """Return the part of such a script that follows the problem.

    >>> print(calls_of(FIELDS, 1000, ("network",), ("network",)).splitlines()[-1])
    print(tc.error_rate(problem, n=1000, alpha='3/10').error_rate)
    """
    corrupted = any(texts[name] != str(PARAMETERS[name].default) for name in CHANNELS if name.endswith("_fit"))
    values = [*_PRINTED, *(["test_loss_clean"] if corrupted else [])]
    lines = []
    for name in steps:
        function, how = _step(name, texts, n)
        printed = ", ".join(f"{name}.{value}" for value in values)
        lines += [f"{name} = {call(function, 'problem', how)}", f"print({printed})"]
        if name in rated:
            lines.append(f"print({call('error_rate', 'problem', how)}.error_rate)")
    return "\n".join(lines) + "\n"


def command_of(texts: dict[str, str], n: int, steps: tuple[str, ...], rated: tuple[str, ...] = ()) -> str:
    """Return the commands that print the same numbers, for a POSIX shell.

    >>> print(command_of(FIELDS | {"phi": "1"}, 1000, ("network",))[:84])
    theorycalc step --activation relu --teacher 'H1 + H2/2 + H3/6 + H4/24' --phi 1 --psi
    """
    lines = []
    for name in steps or ("before",):
        verb, how = _step(name, texts, n)
        given = _of_the_problem(texts) | {key: str(value) for key, value in how.items()}
        lines += [command(one, given) for one in (verb, *(["error-rate"] if name in rated else []))]
    return "\n".join(lines) + "\n"


def simulation_of(texts: dict[str, str], n: int, draws: int, compared: bool) -> dict[str, str]:
    """Return the Python, to go below the problem, and the command that simulate the network on the page.

    >>> simulation_of(FIELDS, 1000, 8, True)["python"].splitlines()[0]
    "run = tc.simulate(problem, n=1000, alpha='3/10', replicates=8)"
    """
    _, how = _step("network", texts, n)
    given = _of_the_problem(texts) | {key: str(value) for key, value in (how | {"replicates": draws}).items()}
    script = f"run = {call('simulate', 'problem', how | {'replicates': draws})}\n"
    script += f"print({'tc.compare(run)' if compared else 'run'})\n"
    return {"python": script, "command": command("simulate", given) + "\n"}


def _of_the_problem(texts: dict[str, str]) -> dict[str, str | bool]:
    names = [name for name in FIELDS if name not in OF_THE_STEP and (name != "step_samples" or texts[name])]
    return {name: texts[name] for name in names} | texts_of_options(texts)


def _step(name: str, texts: dict[str, str], n: int) -> tuple[str, Arguments]:
    """Return the function or command, with its arguments, for one theory of the step; limits use the ℓ of an η."""
    if name == "before":
        return "predict", {"ell": 0}
    eta, gradient = texts["eta"], texts["gradient"]
    taken: Arguments = {"eta": eta} if eta else {"alpha": texts["alpha"]}
    if name == "network":
        return "step", {"n": n} | taken | {"gradient": gradient}
    limit: Arguments = {"ell": window(exponent_of(parse_number(eta, "eta"), n))} if eta else taken
    return "predict", limit | ({"network": "literal", "gradient": gradient} if name == "literal" else {})
