"""``theorycalc demo``: something to see at once."""

from __future__ import annotations

import argparse


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for; it has no options."""
    command.description = "Predict the staircase of gains for ReLU, and prove the digits of its last step."
    command.epilog = "example:\n  theorycalc demo\n"
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    from theorycalc.demo import staircase_demo

    return staircase_demo()
