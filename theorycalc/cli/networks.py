"""``theorycalc step``, ``error-rate``, ``scaling``, ``spectrum`` and ``weights``: a network of real size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import theorycalc as tc
from theorycalc.cli.declare import argument, command, group, output_group, parameter, problem_group
from theorycalc.cli.options import SIZES, Arguments, numbers, whole_or_text
from theorycalc.cli.output import Shown, check_one_list, shown
from theorycalc.errors import ArgumentError


@command(
    "step",
    "Predict losses and gains of a network of n samples after one gradient step of any size.",
    """\
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
    problem, how = _at_steps(options, "gradient", "method")
    return shown(tc.step(problem, **options.network_sizes(), **how))


def _at_steps(options: Arguments, *names: str) -> tuple[tc.Problem, dict[str, Any]]:
    """Return the problem and, as arguments, the named options, the digits, the steps and the lists of ridges."""
    problem, lists = options.problem_and_lists("ridge")
    steps = options.numbers("alpha", "eta")
    check_one_list(options, steps | lists)
    how: dict[str, Any] = options.given(*names) | {"digits": whole_or_text(options.digits)} | lists
    for name, values in steps.items():
        column = [[value] for value in values] if lists else values  # beside a row of ridges
        how[name] = values[0] if len(values) == 1 else column
    return problem, how


@command(
    "error-rate",
    "Predict how often the sign of the ridge fit differs from the teacher's, before and after one gradient step.",
    """\
  theorycalc error-rate --activation "tanh(x + 1)" --teacher "sign(x)" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 3
  theorycalc error-rate --activation "tanh(x + 1)" --teacher "sign(x)" --phi 1/2 --psi 2/3 --ridge 0 --ell 3 --digits 30
  theorycalc error-rate --activation relu --teacher "sign(H1 + H2/2)" --n 600 --d 300 --N 450 --ridge 0.1 \\
      --alpha 0:0.5:6
  theorycalc error-rate --activation tanh --teacher "sign(x)" --n 600 --d 300 --N 450 --ridge 1e-3:10:9:log --eta 10

With --ell, or --alpha without --n, this is the limit n → ∞, and with --n a network of real size. The step of a network
and λ may be lists 0.1,0.2 or ranges 0:0.5:6 (six values) and 1e-3:10:9:log (geometric).
""",
    problem_group(network=True),
    group("the step, one of", "eta", "alpha", "ell"),
    group(
        "how it is computed",
        "digits",
        parameter("network", later=True, before="in the limit, "),
        parameter("gradient", later=True),
    ),
    output_group("one row for each step and ridge", "rates before and after, or over a list"),
    waiting="computing",
)
def _error_rate(options: Arguments) -> Shown:
    problem, how = _at_steps(options, "network", "gradient")
    if options.ell is not None:
        how["ell"] = whole_or_text(options.ell)
    elif options.n is not None:
        how |= options.network_sizes()
    return shown(tc.error_rate(problem, **how))


@command(
    "scaling",
    "Predict the test loss against the number of samples or neurons, and the exponent with which it falls.",
    """\
  theorycalc scaling --activation x --teacher H1 --n 1e9 --d 2000 --N 1e9 --ridge 1e-18 --inputs "power(3/2, 2)" \\
      --plot law.svg
  theorycalc scaling --activation tanh --teacher H1 --n 1e6 --d 5000 --N 1e6 --ridge 0.01 --inputs "power(1/3, 3/2)" \\
      --growing N --sizes 100:5000:9:log --ell 1
""",
    problem_group(network=True),
    group(
        "the size that grows",
        argument("--growing", choices=("n", "N"), default="n", help="n, samples, or N, neurons (default n)"),
        argument("--sizes", metavar="LIST", help="its values, a list or a range 10:1000:9:log (default: 10 to d)"),
        parameter("ell", default="0", help="0 before the step, 1 after it (default 0)"),
    ),
    output_group("a row for each size", "the loss against the size"),
    waiting="following the loss",
)
def _scaling(options: Arguments) -> Shown:
    sizes = None if options.sizes is None else [round(size) for size in numbers(options.sizes, "sizes")]
    return shown(tc.scaling_law(options.problem(), options.growing, sizes, ell=whole_or_text(options.ell)))


@command(
    "spectrum",
    "Describe the bulk of F₀F₀ᵀ/n and, after a step, its upper edge, the outliers of FFᵀ/n and their alignments.",
    """\
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
    return _after_steps(tc.spectrum, options, options.given("gradient", "method") | options.wholes("powers"))


@command(
    "weights",
    "Describe the singular values of the weights W: their bulk, and those that steps drive out of it.",
    """\
  theorycalc weights --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1 --eta 20
  theorycalc weights --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3
  theorycalc weights --activation relu --teacher H1 --n 1000 --d 500 --N 750 --alpha 0.3 --plot weights.pdf
  theorycalc weights --activation relu --teacher H1 --phi 1/2 --psi 2/3 --n 1000 --eta 1:9:3 --csv
  theorycalc weights --activation relu --teacher H1 --n 1000 --d 500 --N 750 --eta 10 --method pencil --json

Values are the singular values σ of W, one for each neuron, and not their squares.
""",
    problem_group({"ridge": "1"}, network=True, ridge="not needed: no singular value depends on it"),
    group("the step, one of (default: none)", "eta", "alpha"),
    group("how it is computed", "gradient", parameter("method", default="isotropic", among=("isotropic", "pencil"))),
    output_group("a row for the bulk and for the outlier", "density and outlier"),
    waiting="computing",
)
def _weights(options: Arguments) -> Shown:
    return _after_steps(tc.weight_spectrum, options, options.given("gradient", "method"))


def _after_steps(
    describe: Callable[..., tc.Spectrum | tc.WeightSpectrum], options: Arguments, how: dict[str, Any]
) -> Shown:
    """Return the spectra after each step in a list, or the spectrum before the step if there is no list."""
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
