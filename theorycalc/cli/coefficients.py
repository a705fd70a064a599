"""``theorycalc coefficients`` and ``theorycalc activations``: what is known of σ."""

from __future__ import annotations

import argparse
from typing import Any

from theorycalc._version import __version__
from theorycalc.cli.options import add_command, as_json, whole_or_text

_COEFFICIENTS_EXAMPLE = """\
examples:
  theorycalc coefficients gelu -k 12 --digits 50
  theorycalc coefficients "max(0, x)**2" -k 6 --exact --latex
"""


def add(commands: Any) -> None:
    """Add both commands."""
    command = add_command(
        commands,
        "coefficients",
        "Hermite coefficients of an activation",
        "c_0, …, c_k of an activation, c_k = E[σ(Z)H_k(Z)]/k!.",
        _COEFFICIENTS_EXAMPLE,
    )
    command.add_argument("activation", help="its name or formula")
    command.add_argument("-k", default="12", help="the last index (default 12)")
    command.add_argument("--digits", help="prove this many digits of each")
    command.add_argument("--exact", action="store_true", help="closed forms, where there are any")
    command.add_argument("--latex", action="store_true", help="print LaTeX")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=_coefficients)
    listing = commands.add_parser("activations", help="every named activation: formula, coefficients, conditions")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(run=_activations)


def _coefficients(options: argparse.Namespace) -> str:
    from theorycalc.activations.activation import activation
    from theorycalc.activations.coefficients import undecided_coefficients
    from theorycalc.listing import coefficients_text, number_of

    act = activation(options.activation)
    digits = whole_or_text(options.digits)
    values = act.coefficients(whole_or_text(options.k), digits, options.exact)
    floats = digits is None and not options.exact
    undecided = undecided_coefficients(act.tree, len(values) - 1) if floats and act.tree else {}
    if not options.json:
        notes = (f"c_{k} is undecided: it lies in {ball}, which contains 0" for k, ball in undecided.items())
        return "\n".join([coefficients_text(act, values, options.latex), *notes])
    shown = [float(value) if floats else number_of(value) for value in values]
    guarantee = "exact" if options.exact else "rounded" if floats else act.guarantee
    return as_json(
        {
            "theorycalc": __version__,
            "activation": act.name,
            "coefficients": shown,
            "undecided": {str(k): ball for k, ball in undecided.items()},
            "digits": digits,
            "guarantee": guarantee,
        }
    )


def _activations(options: argparse.Namespace) -> str:
    from theorycalc.listing import activation_data, activation_table

    return as_json(activation_data()) if options.json else activation_table()
