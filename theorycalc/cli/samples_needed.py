"""``theorycalc samples-needed``: the least number of samples at which a step shows a fraction of its limit."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import add_gradient, add_parameter, add_problem, problem_of, whole_or_text
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal
from theorycalc.model.parameters import PARAMETERS

_EXAMPLES = """\
examples:
  theorycalc samples-needed --activation "tanh(x + 1)" --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1 \\
      --noise 0.5 --ell 1 --alpha 0.2
  theorycalc samples-needed --activation relu --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 2 \\
      --alpha 0.3 --fraction 0.8 --json
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = (
        "Find the least n at which a step n^α shows a fraction of the training gain that networks tend to, at the "
        "ratios of the problem."
    )
    command.epilog = _EXAMPLES
    add_problem(command)
    limit = command.add_argument_group("the limit, and the step towards it")
    add_parameter(limit, "ell", required=True, help="number of the window, ℓ = 1, 2, …")
    add_parameter(limit, "alpha", required=True, after=", in the window ℓ")
    add_parameter(limit, "fraction", default=PARAMETERS["fraction"].default)
    add_gradient(command.add_argument_group("how it is computed"))
    add_output(command, csv="one row")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.finite_step import step
    from theorycalc.results.planning import samples_needed
    from theorycalc.results.prediction import predict
    from theorycalc.results.table import lines_table

    problem, ell, gradient = problem_of(options), whole_or_text(options.ell), options.gradient
    n = samples_needed(problem, ell=ell, fraction=options.fraction, alpha=options.alpha, gradient=gradient)
    found = step(problem, n=n, alpha=options.alpha, gradient=gradient)
    limit = predict(problem, ell=ell, network="literal", gradient=gradient)
    row = found.sizes._asdict() | {"train_gain": float(found.train_gain), "train_gain_limit": float(limit.train_gain)}
    asked = {"ell": ell, "alpha": options.alpha, "fraction": options.fraction, "gradient": gradient}

    def text() -> str:
        meanings = {
            "n": "samples",
            "d": "inputs",
            "N": "neurons",
            "train_gain": "training loss gained at this size",
            "train_gain_limit": f"by n → ∞, ℓ = {ell}",
        }
        lines = [(name, str(row[name]) if name in "ndN" else row[name], words) for name, words in meanings.items()]
        title = f"{n} samples show {options.fraction} of the limit after a step n^{options.alpha}"
        return lines_table(title, lines, full=not for_a_terminal()).text()

    return answer(
        options,
        data=lambda: {"inputs": problem.to_dict()} | asked | row,
        rows=lambda: [asked | row],
        text=text,
    )
