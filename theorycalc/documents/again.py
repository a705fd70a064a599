"""How to make a report again: the command, the Python, and the versions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from theorycalc._version import __version__
from theorycalc.model.problem import Problem
from theorycalc.model.reproduce import call, command, problem_call, problem_options
from theorycalc.numbers.exact import Exact, spell
from theorycalc.simulation.run import Run

_PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "matplotlib", "latex2mathml")


def command_of(problem: Problem, n: int, alphas: Sequence[Exact], gradient: str, run: Run | None) -> str | None:
    r"""Return the command line that makes the report, or None where the problem cannot be typed.

    >>> print(command_of(Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), 1000, ["3/10"], "residual", None))
    theorycalc report --activation relu --teacher 'H1 + H2/2' --phi 1/2 --psi 2/3 --ridge 1/10 --n 1000 --alpha 3/10 \
        -o report.html
    """
    described = problem_options(problem)
    if described is None or not _is_simulated_by_the_command(run):
        return None
    network = {"n": str(n), "alpha": ",".join(str(spell(alpha)) for alpha in alphas), "gradient": gradient}
    drawn = {} if run is None else {"simulate": str(run.settings.replicates)}
    return command("report", described | network | drawn) + " \\\n    -o report.html"


def _is_simulated_by_the_command(run: Run | None) -> bool:
    """Say whether a run is one that the command makes: seed 0, one ridge, nothing beyond the theory."""
    if run is None:
        return True
    s = run.settings
    usual = (s.seed, s.steps, s.inputs, s.corrupt, s.models, s.precision, s.test_samples)
    return usual == (0, 1, "gaussian", 0.0, ("network",), "float64", s.n) and len(s.ridges) == 1 and s.spectrum


def python_of(problem: Problem, n: int, alphas: Sequence[Exact], gradient: str, run: Run | None) -> str:
    """Return the Python that makes the report; what is no text stands in it by its name.

    >>> print(python_of(Problem("relu", "H1", "1/2", "2/3", "1/10"), 1000, ["3/10"], "residual", None))
    import theorycalc as tc
    <BLANKLINE>
    problem = tc.Problem('relu', teacher='H1', phi='1/2', psi='2/3', ridge='1/10')
    tc.report(problem, n=1000, alpha='3/10').save("report.html")
    """
    lines = ["import theorycalc as tc", "", f"problem = {problem_call(problem)}"]
    steps = [spell(alpha) for alpha in alphas]
    network: dict[str, object] = {"n": n, "alpha": steps[0] if len(steps) == 1 else steps, "gradient": gradient}
    made = call("report", "problem", network)
    if run is not None:
        s = run.settings
        how = {"replicates": s.replicates, "seed": s.seed, "spectrum": True if s.spectrum else None}
        simulated = call("simulate", "problem", {**network, **how})
        lines.append(f"run = {simulated if _is_simulated_by_the_command(run) else f'{simulated[:-1]}, …)'}")
        made = f"{made[:-1]}, run=run)"
    return "\n".join([*lines, f'{made}.save("report.html")'])


def versions() -> str:
    """Return what the numbers were computed with."""
    found = [f"theorycalc {__version__}", f"Python {sys.version.split()[0]}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # an installation without records
            continue
    return ", ".join(found)
