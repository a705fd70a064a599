"""How to make a report again: the command, the Python, and the versions."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from theorycalc._version import __version__
from theorycalc.model.problem import Problem
from theorycalc.numbers.exact import is_zero, spell
from theorycalc.simulation.run import Run

_LAWS = {"first_layer": "sphere", "second_layer": "gaussian"}  # unless said
_PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "matplotlib", "latex2mathml")


def command_of(problem: Problem, n: int, alphas: Sequence[Any], gradient: str, run: Run | None) -> str | None:
    r"""Return the command line that makes the report, or None where the problem cannot be typed.

    >>> print(command_of(Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), 1000, ["3/10"], "residual", None))
    theorycalc report --activation relu --teacher 'H1 + H2/2' --phi 1/2 --psi 2/3 --ridge 1/10 --n 1000 --alpha 3/10 \
        -o report.html
    """
    activation, teacher = problem.activation.command(), problem.teacher.typed()
    if activation is None or teacher is None or not _is_simulated_by_the_command(run):
        return None
    words = ["theorycalc", "report", *activation, "--teacher", teacher]
    words += [word for name in ("phi", "psi", "ridge") for word in (f"--{name}", _number(getattr(problem, name)))]
    if not is_zero(problem.noise):
        words += ["--noise", _number(problem.noise)]
    for name, usual in _LAWS.items():
        if getattr(problem, name) != usual:
            words += [f"--{name.replace('_', '-')}", getattr(problem, name)]
    if problem.step_samples is not None:
        words += ["--step-samples", _number(problem.step_ratio)]
    words += ["--n", str(n), "--alpha", ",".join(map(_number, alphas))]
    words += [] if gradient == "residual" else ["--gradient", gradient]
    if run is not None:
        words += ["--simulate", str(run.settings.replicates)]
    return " ".join(map(shlex.quote, words)) + " \\\n    -o report.html"


def _is_simulated_by_the_command(run: Run | None) -> bool:
    """Say whether a run is one that the command makes: seed 0, one ridge, nothing beyond the theory."""
    if run is None:
        return True
    s = run.settings
    usual = (s.seed, s.steps, s.inputs, s.corrupt, s.models, s.precision, s.test_samples)
    return usual == (0, 1, "gaussian", 0.0, ("network",), "float64", s.n) and len(s.ridges) == 1 and s.spectrum


def python_of(problem: Problem, n: int, alphas: Sequence[Any], gradient: str, run: Run | None) -> str:
    """Return the Python that makes the report; what is no text stands in it by its name.

    >>> print(python_of(Problem("relu", "H1", "1/2", "2/3", "1/10"), 1000, ["3/10"], "residual", None))
    import theorycalc as tc
    <BLANKLINE>
    problem = tc.Problem('relu', teacher='H1', phi='1/2', psi='2/3', ridge='1/10')
    tc.report(problem, n=1000, alpha='3/10').save("report.html")
    """
    given = [problem.activation.python(), f"teacher={problem.teacher.python()}"]
    given += [f"{name}={spell(getattr(problem, name))!r}" for name in ("phi", "psi", "ridge")]
    if not is_zero(problem.noise):
        given.append(f"noise={spell(problem.noise)!r}")
    given += [f"{name}={getattr(problem, name)!r}" for name, usual in _LAWS.items() if getattr(problem, name) != usual]
    if problem.step_samples is not None:
        given.append(f"step_samples={spell(problem.step_ratio)!r}")
    shown = [spell(alpha) for alpha in alphas]
    alpha = f"{shown[0]!r}" if len(shown) == 1 else f"[{', '.join(map(repr, shown))}]"
    lines = ["import theorycalc as tc", "", f"problem = tc.Problem({', '.join(given)})"]
    arguments = f"problem, n={n}, alpha={alpha}" + ("" if gradient == "residual" else f", gradient={gradient!r}")
    if run is not None:
        s = run.settings
        usual = f"replicates={s.replicates}, seed={s.seed}"
        more = "" if _is_simulated_by_the_command(run) else ", …"
        spectrum = ", spectrum=True" if s.spectrum else ""
        lines.append(f"run = tc.simulate({arguments}, {usual}{spectrum}{more})")
        arguments += ", run=run"
    return "\n".join([*lines, f'tc.report({arguments}).save("report.html")'])


def versions() -> str:
    """Return what the numbers were computed with."""
    found = [f"theorycalc {__version__}", f"Python {sys.version.split()[0]}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # an installation without records
            continue
    return ", ".join(found)


def _number(value: Any) -> str:
    return str(spell(value))
