"""The command line: ``theorycalc predict …``, ``coefficients …``, ``activations`` and ``demo``.

Only the argument parser is imported at the start, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError, TheoryError

if TYPE_CHECKING:
    from theorycalc.activations.activation import Activation
    from theorycalc.theory.problem import Problem

_COEFFICIENTS_EXAMPLE = """\
examples:
  theorycalc coefficients gelu -k 12 --digits 50
  theorycalc coefficients "max(0, x)**2" -k 6 --exact --latex
"""

_PREDICT_EXAMPLE = """\
example:
  theorycalc predict --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 2
  theorycalc predict --c1 1/2 --c-rest 0.3014 --teacher 1,1/2 --phi 1/2 --psi 2/3 --ridge 0.1 --noise 0.5 --ell 2

Numbers are written 1/10, 0.1 or 1e-3, and are exact: --digits 50 proves 50 digits of every value.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 for bad input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters gets question marks
    parser = _parser()
    options = parser.parse_args(_join_negative(sys.argv[1:] if arguments is None else arguments))
    try:
        print(options.run(options))
    except TheoryError as error:
        print(f"theorycalc: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("theorycalc: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone: nothing more to say, and no traceback about it
    return 0


def _join_negative(arguments: Sequence[str]) -> list[str]:
    """Write ``--teacher -1,1/2`` as ``--teacher=-1,1/2``: argparse would take -1,1/2 for an option."""
    joined: list[str] = []
    for argument in arguments:
        if re.match(r"-[\d.]", argument) and joined and re.fullmatch(r"--[a-z0-9-]+", joined[-1]):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="theorycalc",
        description="What one large gradient step teaches a two-layer network, computed.",
        epilog="theorycalc COMMAND --help explains a command and shows an example.",
    )
    parser.add_argument("--version", action="version", version=f"theorycalc {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_predict(commands)
    _add_coefficients(commands)
    listing = commands.add_parser("activations", help="every named activation: formula, coefficients, conditions")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(run=_activations)
    demo = commands.add_parser("demo", help="the staircase of gains for ReLU, ℓ = 0 … 6")
    demo.set_defaults(run=_demo)
    return parser


def _add_predict(commands: Any) -> None:
    predict = commands.add_parser(
        "predict",
        help="losses and gains of one problem",
        description="Predict the losses before and after one gradient step, and its gains Δ_ℓ and Λ_ℓ.",
        epilog=_PREDICT_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    needed = predict.add_argument_group("the problem")
    needed.add_argument("--activation", help="its name or formula: relu, leaky_relu(0.1), 'tanh(x + 1)'; or")
    needed.add_argument("--c1", help="first Hermite coefficient c_1 of the activation, and")
    needed.add_argument("--c-rest", help="c_{>1} ≥ 0, the root of its variance less c_1²")
    needed.add_argument("--present", help="the k with c_k ≠ 0, such as 1,2,4 (default: all are assumed)")
    needed.add_argument("--teacher", required=True, help="a formula such as 'H1 + H2/2', or c_⋆1,c_⋆2,…")
    needed.add_argument("--phi", required=True, help="φ = d/n")
    needed.add_argument("--psi", required=True, help="ψ = d/N")
    needed.add_argument("--ridge", required=True, help="λ ≥ 0 in (1/n)‖y − Fa‖² + λ‖a‖²")
    needed.add_argument("--noise", default="0", help="σ_ε, a standard deviation (default 0)")
    needed.add_argument("--first-layer", default="sphere", metavar="LAW", help="sphere (default) or gaussian")
    needed.add_argument("--initial-output", default="neglected", metavar="HOW", help="neglected (default) or included")
    needed.add_argument(
        "--second-layer", default="gaussian", metavar="LAW", help="gaussian (default), sign or constant"
    )
    needed.add_argument("--step-samples", help="size of the step's batch divided by n (default 1)")
    step = predict.add_argument_group("the step: one of")
    step.add_argument("--ell", help="number of the window ℓ = 0, 1, 2, … or inf")
    step.add_argument("--alpha", help="exponent of the step n^α, 0 < α < 1/2; ℓ follows")
    how = predict.add_argument_group("how it is computed and shown")
    how.add_argument("--digits", help="prove this many digits of every value")
    how.add_argument("--form", default="closed", help="closed (default) or matrix, the paper's Ω")
    how.add_argument("--as-printed", action="store_true", help="Λ_1, Λ_2 as the slides print them")
    how.add_argument("--json", action="store_true", help="print JSON")
    predict.set_defaults(run=_predict)


def _predict(options: argparse.Namespace) -> str:
    from theorycalc.prediction import predict

    prediction = predict(
        _problem(options),
        ell=_whole_or_text(options.ell),
        alpha=options.alpha,
        digits=_whole_or_text(options.digits),
        form=options.form,
        as_printed=options.as_printed,
    )
    if options.json:
        return _json(prediction.to_dict())
    return repr(prediction)


def _problem(options: argparse.Namespace) -> Problem:
    from theorycalc.theory.problem import Problem

    return Problem(
        _activation(options),
        teacher=_teacher(options.teacher),
        phi=options.phi,
        psi=options.psi,
        ridge=options.ridge,
        noise=options.noise,
        first_layer=options.first_layer,
        initial_output=options.initial_output,
        second_layer=options.second_layer,
        step_samples=options.step_samples,
    )


def _activation(options: argparse.Namespace) -> Activation:
    from theorycalc.activations.activation import Activation

    by_moments = [options.c1, options.c_rest]
    if options.activation is not None:
        if any(value is not None for value in (*by_moments, options.present)):
            raise ArgumentError("give --activation, or --c1 with --c-rest, not both")
        return Activation.from_text(options.activation)
    if None in by_moments:
        raise ArgumentError("give --activation, or --c1 with --c-rest")
    present = None
    if options.present is not None:
        present = [_whole_or_text(item) for item in options.present.split(",")]
    return Activation.from_moments(options.c1, options.c_rest, present=present)


def _teacher(text: str) -> str | list[str]:
    """Return a list of numbers as its items, and anything else as the formula it is."""
    items = text.split(",")
    return items if all(re.fullmatch(r"[\s\d.eE/+-]*", item) for item in items) else text


def _add_coefficients(commands: Any) -> None:
    command = commands.add_parser(
        "coefficients",
        help="Hermite coefficients of an activation",
        description="c_0, …, c_k of an activation, c_k = E[σ(Z)H_k(Z)]/k!.",
        epilog=_COEFFICIENTS_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("activation", help="its name or formula")
    command.add_argument("-k", default="12", help="the last index (default 12)")
    command.add_argument("--digits", help="prove this many digits of each")
    command.add_argument("--exact", action="store_true", help="closed forms, where there are any")
    command.add_argument("--latex", action="store_true", help="print LaTeX")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=_coefficients)


def _coefficients(options: argparse.Namespace) -> str:
    from theorycalc.activations.activation import activation
    from theorycalc.activations.coefficients import undecided_coefficients
    from theorycalc.listing import coefficients_text, number_of

    act = activation(options.activation)
    digits = _whole_or_text(options.digits)
    values = act.coefficients(_whole_or_text(options.k), digits, options.exact)
    floats = digits is None and not options.exact
    undecided = undecided_coefficients(act.tree, len(values) - 1) if floats and act.tree else {}
    if not options.json:
        notes = (f"c_{k} is undecided: it lies in {ball}, which contains 0" for k, ball in undecided.items())
        return "\n".join([coefficients_text(act, values, options.latex), *notes])
    shown = [float(value) if floats else number_of(value) for value in values]
    guarantee = "exact" if options.exact else "rounded" if floats else act.guarantee
    return _json(
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

    return _json(activation_data()) if options.json else activation_table()


def _json(data: Any) -> str:
    import json

    return json.dumps(data, allow_nan=False, indent=2)


def _whole_or_text(text: str | None) -> Any:
    """Return a whole number where the text is one; anything else is left for the library to judge."""
    return int(text) if text is not None and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", text) else text


def _demo(options: argparse.Namespace) -> str:
    from theorycalc.demo import staircase_demo

    return staircase_demo()
