"""``theorycalc activations``: every activation that has a name."""

from __future__ import annotations

import argparse
from typing import Any

from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal

_EXAMPLES = """\
examples:
  theorycalc activations
  theorycalc activations --csv
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = (
        "List the activations that have a name, with their first coefficients and the ℓ for which the theorem holds."
    )
    command.epilog = _EXAMPLES
    add_output(command, csv="one row for each name")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.listing import activation_data, activation_table

    return answer(
        options,
        data=lambda: {"activations": activation_data()},
        rows=lambda: [row | {"parameters": _parameters(row)} for row in activation_data()],
        text=lambda: activation_table(full=not for_a_terminal()),
    )


def _parameters(row: dict[str, Any]) -> str:
    return " ".join(key if value is None else f"{key}={value}" for key, value in row["parameters"].items())
