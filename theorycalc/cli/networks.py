"""``theorycalc step``, ``spectrum`` and ``weights``: a network of real size after a step of any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from theorycalc.cli.declare import command, group, output_group, parameter, problem_group
from theorycalc.cli.options import SIZES, Arguments, whole_or_text
from theorycalc.cli.output import Shown, check_one_list, shown
from theorycalc.errors import ArgumentError

if TYPE_CHECKING:
    from theorycalc.results.spectrum import Spectrum
    from theorycalc.results.weight_spectrum import WeightSpectrum


@command(
    "step",
    "Predict losses and gains of a network of n samples after one gradient step of any size.",
    """\
examples:
  theorycalc step --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1 --eta 20
  theorycalc step --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --n 1000 --d 500 --N 750 --ridge 0.1 \\
      --noise 0.5 --alpha 0:0.5:6
  theorycalc step --activation relu --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1 --n 2000 --alpha 0.3 --json
  theorycalc step --activation relu --teacher H1 --phi 1/2 --psi 2/3 --ridge 1e-2:10:4:log --n 500 --eta 1,10 --csv

The step and λ may be lists 0.1,0.2 or ranges 0:0.5:6 (six values) and 1e-3:10:9:log (geometric).
""",
    problem_group(network=True),
    group("the step, one of", "eta", "alpha"),
    group(
        "how it is computed", "gradient", "method", parameter("digits", before="with --method pencil and one step: ")
    ),
    output_group("one row for each step and ridge", "the step, or curves over a list"),
    waiting="computing",
)
def _step(options: Arguments) -> Shown:
    from theorycalc.results.finite_step import step

    problem, lists = options.problem_and_lists("ridge")
    how: dict[str, Any] = options.given("gradient", "method") | {"digits": whole_or_text(options.digits)} | lists
    steps = options.numbers("alpha", "eta")
    check_one_list(options, steps | lists)
    for name, values in steps.items():
        column = [[value] for value in values] if lists else values  # beside a row of ridges
        how[name] = values[0] if len(values) == 1 else column
    return shown(step(problem, **options.network_sizes(), **how))


@command(
    "spectrum",
    "Describe the bulk of F₀F₀ᵀ/n and, after a step, its upper edge, the outliers of FFᵀ/n and their alignments.",
    """\
examples:
  theorycalc spectrum --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1 --eta 20
  theorycalc spectrum --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3
  theorycalc spectrum --activation relu --teacher H1 --n 1000 --d 500 --N 750 --alpha 0.3 --plot bulk.pdf
  theorycalc spectrum --activation relu --teacher H1 --phi 1/2 --psi 2/3 --n 1000 --eta 1:9:3 --csv
""",
    problem_group({"ridge": "1"}, network=True, ridge="not needed: no eigenvalue depends on it"),
    group("the step, one of (default: none)", "eta", "alpha"),
    group(
        "how it is computed",
        "gradient",
        parameter("method", default="dressed", among=("dressed", "pencil"), before="of outliers: "),
        "powers",
    ),
    output_group("a row for each interval of the bulk and each outlier", "density and outliers"),
    waiting="computing",
)
def _spectrum(options: Arguments) -> Shown:
    from theorycalc.results.spectrum import spectrum

    return _after_steps(
        spectrum, options, options.given("gradient", "method") | {"powers": whole_or_text(options.powers)}
    )


@command(
    "weights",
    "Describe the singular values of the weights W: their bulk, and those that steps drive out of it.",
    """\
examples:
  theorycalc weights --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1 --eta 20
  theorycalc weights --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3
  theorycalc weights --activation relu --teacher H1 --n 1000 --d 500 --N 750 --alpha 0.3 --plot weights.pdf
  theorycalc weights --activation relu --teacher H1 --phi 1/2 --psi 2/3 --n 1000 --eta 1:9:3 --csv
  theorycalc weights --activation relu --teacher H1 --n 1000 --d 500 --N 750 --eta 10 --method pencil --json

Values are the singular values σ of W, one for each neuron, and not their squares.
""",
    problem_group({"ridge": "1"}, network=True, ridge="not needed: no singular value depends on it"),
    group("the step, one of (default: none)", "eta", "alpha"),
    group(
        "how it is computed",
        "gradient",
        parameter("method", default="isotropic", among=("isotropic", "pencil")),
    ),
    output_group("a row for the bulk and for the outlier", "density and outlier"),
    waiting="computing",
)
def _weights(options: Arguments) -> Shown:
    from theorycalc.results.weight_spectrum import weight_spectrum

    return _after_steps(weight_spectrum, options, options.given("gradient", "method"))


def _after_steps(describe: Callable[..., Spectrum | WeightSpectrum], options: Arguments, how: dict[str, Any]) -> Shown:
    """Return the spectra after each step of a list, or before any."""
    from theorycalc.results.layout import joined
    from theorycalc.running.terminal import progress

    problem = options.problem()
    sizes = {} if problem.has_sizes else options.wholes(*SIZES)
    values = options.numbers("alpha", "eta")
    steps: list[dict[str, Any]] = [{name: value} for name, listed in values.items() for value in listed] or [{}]
    if len(values) > 1:
        raise ArgumentError("give --alpha or --eta, not both")
    if options.plot is not None and len(steps) > 1:
        raise ArgumentError("--plot draws the spectrum after one step; give one --alpha or --eta")
    found = [describe(problem, **sizes, **how, **step) for step in progress(steps, len(steps), "computing")]
    return Shown(
        lambda: joined(found),
        lambda: [row for one in found for row in one.rows],
        lambda full: "\n".join(one.table(full).text() for one in found),
        found[0].plot,
    )
