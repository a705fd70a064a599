"""``theorycalc demo``: the staircase of predicted gains for ReLU, something to see at once."""

from __future__ import annotations

import argparse
from dataclasses import replace

_TEXT = """\
What one gradient step of size n^α teaches a ReLU network, in the limit of large n.
Teacher H_1 + H_2/2 + H_3/6 + H_4/24, noise σ_ε = 1/2, d/n = 1/2, d/N = 2/3, ridge λ = 1/10.
Window ℓ is (ℓ−1)/(2ℓ) < α < ℓ/(2ℓ+2); ReLU has c_3 = c_5 = 0, so only the powers in K appear.

{table}

{which}.
Test loss before the step {before:.6f}; the noise alone is {noise:.6f}.
The ceiling ℓ = ∞, which no window reaches: Λ = {ceiling:.6f}.
The last Λ with 30 proven digits: {proven}
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for; it has no options."""
    command.description = "Predict the staircase of gains for ReLU, and prove the digits of its last step."
    command.epilog = "example:\n  theorycalc demo\n"
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    return staircase_demo()


def staircase_demo() -> str:
    """Return the staircase ℓ = 0 … 6 of centred ReLU as text, a bar a step.

    >>> print(staircase_demo().splitlines()[0])
    What one gradient step of size n^α teaches a ReLU network, in the limit of large n.
    """
    from theorycalc.model.problem import Problem
    from theorycalc.results.prediction import predict
    from theorycalc.results.quantities import TRAINING
    from theorycalc.results.staircase import staircase
    from theorycalc.results.table import aligned

    problem = Problem("relu", "H1 + H2/2 + H3/6 + H4/24", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    stairs = staircase(problem, 6)
    assert stairs.ceiling is not None
    proven = predict(problem, ell=6, digits=30)
    return _TEXT.format(
        which=TRAINING[0].upper() + TRAINING[1:],
        table=aligned(replace(stairs, ceiling=None).table().lines),
        before=stairs.predictions[0].test_loss_initial,
        noise=float(problem.noise) ** 2,
        ceiling=stairs.ceiling.test_gain,
        proven=proven.test_gain,
    ).rstrip()
