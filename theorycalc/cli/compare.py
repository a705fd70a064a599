"""``theorycalc compare``: your own measurements, or a saved run, against theory."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from theorycalc.cli.options import ArgumentGroup, add_gradient, add_problem, option_of, problem_of, whole_or_text
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal
from theorycalc.errors import ArgumentError, one_of

if TYPE_CHECKING:
    from theorycalc.comparison.compare import Comparison
    from theorycalc.model.problem import Problem
    from theorycalc.results.prediction import Prediction
    from theorycalc.results.step_result import FiniteStep
    from theorycalc.simulation.run import Run

_EXAMPLES = """\
examples:
  theorycalc compare measured.csv --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1
  theorycalc compare run.json --against step,limit

A file of measurements is CSV with columns eta or alpha, ridge (if there are several), and any of train_loss_initial,
test_loss_initial, train_gain, test_gain, train_loss, test_loss, train_error_initial, train_error. Standard errors stand
in columns NAME_se, with the number of draws as replicates; without them several rows of a step are its draws.
A run that simulate saved knows its own problem. Of several theories in --against the first is judged.

Exit status: 0, they agree; 1, they differ; 3, too few draws to tell; 2, the input was bad.
"""
#: Whatever describes a problem and has no default.
PROBLEM_OPTIONS = ("activation", "c1", "c_rest", "present", "teacher", "n", "d", "N", "phi", "psi", "ridge")
THEORIES = ("step", "limit", "literal", "none")
STATUS = {"agree": 0, "differ": 1, "too few draws": 3}


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Compare measured losses and gains, or a saved run, with theory, by standard errors."
    command.epilog = _EXAMPLES
    command.add_argument("observed", metavar="FILE", help="measurements as .csv, or a run that simulate saved")
    add_problem(command, optional=True)
    how = command.add_argument_group("the theory")
    add_against(how)
    add_gradient(how)
    add_output(command, csv="a row for each step, ridge and quantity", plot="theory against observation")
    command.set_defaults(run=_run)


def add_against(group: ArgumentGroup) -> None:
    """Add the option that says which theories observations are compared with."""
    group.add_argument(
        "--against",
        default="step",
        metavar="LIST",
        help="step (default: a network of this size), limit (the theorem), literal (the limit of literal networks) or "
        "none; the first is judged, the others stand beside it",
    )
    group.add_argument("--level", default="0.01", help="chance of calling a right theory different (default 0.01)")
    group.add_argument("--ell", help="ℓ of the limits, and of equivalents (default: by the window of each α)")


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.simulation.run import load_run

    run: Run | None = None
    if options.observed.lower().endswith(".json"):
        described = [name for name in PROBLEM_OPTIONS if getattr(options, name) is not None]
        if described:
            raise ArgumentError(
                f"a saved run knows its own problem: leave out {' and '.join(map(option_of, described))}"
            )
        run = load_run(options.observed)
        observed: Run | str = run
        problem = run.problem
    else:
        if options.teacher is None or options.ridge is None:
            raise ArgumentError(
                "measurements need the problem they are of: --activation, --teacher, --n, --d, --N, --ridge"
            )
        observed, problem = options.observed, problem_of(options)
    comparison = compared(observed, problem, options)
    if comparison is None:
        raise ArgumentError("--against none leaves nothing to compare with")
    return shown(comparison, options)


def words_of(options: argparse.Namespace) -> list[str]:
    """Return the theories that --against names."""
    return [one_of(word.strip(), "against", THEORIES) for word in options.against.split(",")]


def compared(observed: Run | str, problem: Problem, options: argparse.Namespace) -> Comparison | None:
    """Return the comparison that --against asks for; None with "none"."""
    from theorycalc.comparison.compare import compare
    from theorycalc.numbers.exact import read_rational

    words = words_of(options)
    if "none" in words:
        return None
    first, *others = [_theories(word, problem, observed, options) for word in words]
    beside = [one for listed in others for one in listed]
    return compare(observed, first, beside=beside, level=float(read_rational(options.level, "level")))


def _theories(
    word: str, problem: Problem, observed: Run | str, options: argparse.Namespace
) -> Sequence[Problem | FiniteStep | Prediction]:
    """Return the finite-step theory, or the limits of the windows that were observed."""
    from theorycalc.comparison.expectations import eta_of
    from theorycalc.comparison.measurements import read_measurements
    from theorycalc.errors import DomainError
    from theorycalc.results.finite_step import step
    from theorycalc.results.prediction import predict
    from theorycalc.results.table import number_or_none
    from theorycalc.simulation.run import Run

    rows = observed.rows if isinstance(observed, Run) else read_measurements(observed)[0]
    if word == "step":
        if isinstance(observed, Run) or problem.n is None:
            return [problem]
        steps = ((number_or_none(row, "alpha"), number_or_none(row, "eta")) for row in rows)
        etas = list(dict.fromkeys(eta_of(*one, problem.n) for one in steps))
        return [step(problem, eta=etas, gradient=options.gradient)]
    how: Any = {"network": "theorem"} if word == "limit" else {"network": "literal", "gradient": options.gradient}
    if options.ell is not None:
        return [predict(problem, ell=whole_or_text(options.ell), **how)]
    found, reasons = [], []
    for alpha in dict.fromkeys(number_or_none(row, "alpha") for row in rows):
        try:
            if alpha is None:
                raise DomainError("a step given by η is in no window; give --ell for the ℓ of the limit")
            found.append(predict(problem, alpha=alpha, **how))
        except DomainError as error:
            reasons.append(str(error))
    if not found:
        raise DomainError(f"--against {word}: {reasons[0]}")
    return found


def shown(comparison: Comparison, options: argparse.Namespace) -> Answer:
    """Return the answer to a comparison alone."""
    return answer(
        options,
        data=comparison.to_dict,
        rows=lambda: list(comparison.rows),
        text=lambda: comparison.table(not for_a_terminal()).text(),
        draw=comparison.plot,
        status=STATUS[comparison.verdict],
    )
