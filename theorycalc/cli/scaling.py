"""``theorycalc scaling``: the test loss against the number of samples or neurons."""

from __future__ import annotations

from theorycalc.cli.declare import argument, command, group, output_group, parameter, problem_group
from theorycalc.cli.options import Arguments, numbers, whole_or_text
from theorycalc.cli.output import Shown, shown


@command(
    "scaling",
    "Predict the test loss against the number of samples or neurons, and the exponent by which it falls.",
    """\
examples:
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
    from theorycalc.results.scaling_law import scaling_law

    sizes = None if options.sizes is None else [round(size) for size in numbers(options.sizes, "sizes")]
    found = scaling_law(options.problem(), options.growing, sizes, ell=whole_or_text(options.ell))
    return shown(found)
