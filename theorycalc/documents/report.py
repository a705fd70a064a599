"""tc.report(): everything about one problem in one HTML file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from theorycalc._version import __version__
from theorycalc.comparison.compare import compare
from theorycalc.comparison.verdict import Comparison
from theorycalc.documents import contents, sections
from theorycalc.documents.blocks import Code, Heading, Item, Paragraph, Picture
from theorycalc.documents.html import framed, to_html
from theorycalc.errors import ArgumentError, DomainError, PrecisionError, TheoryError, spelled
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.reproduce import call, command, problem_call, problem_options
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import difference, sizes_of
from theorycalc.numbers.exact import Exact, NumberLike, NumbersLike, listed, read_rational, spell
from theorycalc.plots.style import need_matplotlib
from theorycalc.results.finite_step import step
from theorycalc.results.prediction import predict
from theorycalc.results.step_result import FiniteStep
from theorycalc.running.budget import one_budget
from theorycalc.running.files import write_atomically
from theorycalc.simulation.run import Run
from theorycalc.symbolic.cases import is_exact

_SAMPLES = 1000
_STEP = "3/10"
_DIGITS = 20
_PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "matplotlib", "latex2mathml")


@dataclass(frozen=True)
class Report:
    """A report on one problem, as :func:`report` returns it: look at it in a notebook, or :meth:`save` it.

    Parameters
    ----------
    title : str
        The activation, the step and the number of samples.
    html : str
        The whole page, with its figures and formulas.

    >>> Report("A report", "<p>…</p>")
    <Report 'A report': save it as .html>
    """

    title: str
    html: str

    @checked_call
    def save(self, path: str | Path) -> Path:
        """Write the report to one file, completely or not at all, and return its path.

        Parameters
        ----------
        path : str or Path
            The file; it ends in .html.

        Raises
        ------
        TheoryError
            The file has another ending, or cannot be written.
        """
        if not isinstance(path, (str, Path)):
            raise ArgumentError(f"path must be a text or a Path, not {type(path).__name__}", argument="path")
        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm"):
            raise ArgumentError(f"a report is saved as .html; {str(path)!r} ends in {target.suffix!r}", argument="path")
        return write_atomically(target, self.html)

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: save it as .html>"

    def _repr_html_(self) -> str:
        return framed(self.title, self.html)


@checked_call
@one_budget()
def report(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    alpha: NumbersLike | None = None,
    gradient: str | None = None,
    run: Run | None = None,
) -> Report:
    """Return the report of a problem: setting, conditions, formulas, values, plots, and the code that reproduces it.

    Parameters
    ----------
    n : int, optional
        The number of samples; by default that of the run or of a problem with sizes, else 1000.
    alpha : number or list of numbers, optional
        The exponents α of the steps η = n^α; the formulas are those of the first. By default those of the run, else
        3/10.
    gradient : str, optional
        "residual" for the step of a literal network, or "labels" for the theorem's; by default that of the run, else
        "residual".
    run : Run, optional
        A simulation, as :func:`~theorycalc.simulate` returns it; the report then shows it beside the theory.

    Raises
    ------
    TheoryError
        An argument is of the wrong kind, or contradicts the run.

    >>> report(Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), n=200, alpha="1/5")
    <Report 'relu: one gradient step, α = 1/5, n = 200': save it as .html>
    """
    check_problem(problem, "report")
    need_matplotlib()
    samples, alphas = _network(problem, n, alpha, run)
    gradient = ("residual" if run is None else run.settings.gradient) if gradient is None else gradient
    sizes = sizes_of(problem, samples)
    try:
        found = predict(problem, alpha=alphas[0], digits=_DIGITS)
    except PrecisionError:  # the problem is not exact
        found = predict(problem, alpha=alphas[0])
    finite: FiniteStep | str
    try:
        finite = step(problem, n=sizes.n, alpha=alphas[0], gradient=gradient)
    except TheoryError as error:
        finite = str(error)
    ell = int(found.ell)
    reason = "the function is known by its values only" if is_exact(problem) else "the problem has binary floats in it"
    said = f"No digits are proven, since {reason}; numbers written as text, such as '0.1', are exact."
    inexact = [Paragraph((said,))] if found.digits is None else []
    steps = "one gradient step" if problem.steps == 1 else f"{problem.steps} gradient steps"
    title = f"{problem.activation.name}: {steps}, α = {alphas[0]}, n = {sizes.n}"
    parts: list[Item] = [
        *sections.in_short(problem, sizes, alphas[0], found, finite, gradient, run),
        *contents.setting(problem),
        *contents.conditions(found),
        *contents.coefficients(problem, ell, found.digits),
        *sections.attempted("The picture of the coefficients", lambda: sections.coefficients(problem)),
        *contents.formulas(problem, ell),
        *contents.values(found),
        *inexact,
        *contents.staircase(problem, max(ell, sections.STAIRS)),
        *sections.attempted("The picture of the staircase", lambda: sections.stairs(problem, ell)),
    ]
    if isinstance(finite, FiniteStep):
        result = finite
        parts += sections.attempted("The network", lambda: sections.real_size(problem, sizes, result, run))
    else:
        parts += [Heading("A network of real size"), Paragraph((f"Nothing is expected of a real network: {finite}.",))]
    if run is not None:
        seen, other = run, difference(problem, run.problem, run.settings.ridges)
        if other is not None:
            raise ArgumentError(f"the report and the run describe different problems: {other}", argument="run")
        parts += sections.attempted(
            "The simulation beside theory", lambda: sections.simulation(seen, _compared(problem, seen))
        )
    parts.append(Heading("Over other sizes"))
    over = sections.attempted("The losses over N/n", lambda: sections.descent(problem, ell))
    over += sections.attempted("The phase diagram", lambda: sections.phases(problem))
    parts += sorted(over, key=lambda part: isinstance(part, Picture))  # the pictures side by side
    parts += [Heading("What to keep in mind"), *(Paragraph((words,)) for words in sections.TO_KEEP_IN_MIND)]
    parts += _again(problem, sizes.n, alphas, gradient, run)
    return Report(title, to_html(title, parts, report=True))


def _network(
    problem: Problem, n: NumberLike | None, alpha: NumbersLike | None, run: Run | None
) -> tuple[NumberLike, list[Fraction | float]]:
    """Return the number of samples and the steps, as given or as in the run."""
    if run is not None and not isinstance(run, Run):
        raise ArgumentError(f"run must be a Run, as simulate() returns, not {type(run).__name__}", argument="run")
    if run is not None and n is not None and n != run.settings.n:
        reason = f"{spelled('n', n)} contradicts the run, which has n = {run.settings.n}; leave it out"
        raise ArgumentError(reason, argument="n")
    usual = problem.n if problem.has_sizes else _SAMPLES
    samples = (usual if run is None else run.settings.n) if n is None else n
    given: object = alpha
    if alpha is None:
        steps = None if run is None else [taken.alpha for taken in run.settings.steps_taken]
        given = _STEP if steps is None else steps
        if steps is not None and None in steps:
            reason = f"the run's steps are given by η: give {spelled('alpha')} for the step of the report"
            raise ArgumentError(reason, argument="alpha")
    return samples, [read_rational(value, "alpha") for value in listed(given, "alpha")]


def _compared(problem: Problem, run: Run) -> Comparison:
    """Return the run compared with the theory of its size, and with the limits of literal networks in its windows."""
    limits = []
    for taken in run.settings.steps_taken:
        try:
            limits.append(predict(problem, alpha=taken.alpha, network="literal", gradient=run.settings.gradient))
        except (DomainError, ArgumentError):  # between windows, or a step given by η: there is no limit
            continue
    return compare(run, problem, beside=limits)


def command_of(problem: Problem, n: int, alphas: Sequence[Exact], gradient: str, run: Run | None) -> str | None:
    r"""Return the command line that makes the report, or None if the problem cannot be typed.

    >>> print(command_of(Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), 1000, ["3/10"], "residual", None))
    theorycalc report --activation relu --teacher 'H1 + H2/2' --phi 1/2 --psi 2/3 --ridge 1/10 --n 1000 --alpha 3/10 \
        -o report.html
    """
    described = problem_options(problem)
    if described is None or not _is_simulated_by_the_command(run):
        return None
    network = {"n": str(n), "alpha": ",".join(str(spell(alpha)) for alpha in alphas), "gradient": gradient}
    drawn = {} if run is None else {"simulate": str(run.settings.replicates)}
    return command("report", {**described, **network, **drawn}) + " \\\n    -o report.html"


def _is_simulated_by_the_command(run: Run | None) -> bool:
    """Return whether the command would make this run: seed 0, one ridge, nothing beyond the theory."""
    if run is None:
        return True
    s = run.settings
    usual = (s.seed, s.reuse_batch, s.input_law, s.models, s.precision, s.test_samples)
    return usual == (0, False, "gaussian", ("network",), "float64", s.n) and len(s.ridges) == 1 and s.spectrum


def python_of(problem: Problem, n: int, alphas: Sequence[Exact], gradient: str, run: Run | None) -> str:
    """Return the Python that makes the report; a function is shown by its name.

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
    """Return the versions of the packages that computed the numbers."""
    found = [f"theorycalc {__version__}", f"Python {sys.version.split()[0]}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # an installation without records
            continue
    return ", ".join(found)


def _again(problem: Problem, n: int, alphas: list[Fraction | float], gradient: str, run: Run | None) -> list[Item]:
    line = command_of(problem, n, alphas, gradient, run)
    typed: list[Item] = [] if line is None else [Code(line), Paragraph(("or in Python",))]
    made = Paragraph((f"Made by {versions()}.",))
    return [Heading("To make this again"), *typed, Code(python_of(problem, n, alphas, gradient, run)), made]
