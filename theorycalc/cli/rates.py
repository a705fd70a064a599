"""``theorycalc error-rate``: how often the sign of the fit is wrong."""

from __future__ import annotations

from typing import Any

from theorycalc.cli.declare import command, group, output_group, parameter, problem_group
from theorycalc.cli.options import Arguments, whole_or_text
from theorycalc.cli.output import Shown, check_one_list, shown


@command(
    "error-rate",
    "Predict how often the sign of the ridge fit is not that of the teacher, before and after one gradient step.",
    """\
examples:
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
    from theorycalc.results.error_rates import error_rate

    problem, lists = options.problem_and_lists("ridge")
    how: dict[str, Any] = options.given("network", "gradient") | lists
    if options.digits is not None:
        how["digits"] = whole_or_text(options.digits)
    steps = options.numbers("alpha", "eta")
    check_one_list(options, steps | lists)
    for name, values in steps.items():
        column = [[value] for value in values] if lists else values  # beside a row of ridges
        how[name] = values[0] if len(values) == 1 else column
    if options.ell is not None:
        how["ell"] = whole_or_text(options.ell)
    elif options.n is not None:
        how |= options.network_sizes()
    return shown(error_rate(problem, **how))
