"""``theorycalc activations``: every activation that has a name."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
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
    from shutil import get_terminal_size

    from theorycalc.results.listing import list_activations
    from theorycalc.running.terminal import waiting

    with waiting("computing"):
        found = list_activations()
    full = not for_a_terminal()
    return answer(
        options,
        data=found.to_dict,
        rows=lambda: [row | {"parameters": _parameters(row)} for row in found.rows],
        text=lambda: found.text(full, None if full else get_terminal_size().columns),
    )


def _parameters(row: Mapping[str, Any]) -> str:
    return " ".join(key if value is None else f"{key}={value}" for key, value in row["parameters"].items())
