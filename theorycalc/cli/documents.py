"""``theorycalc sheet`` and ``report``: one problem as a document."""

from __future__ import annotations

import os

import theorycalc as tc
from theorycalc.cli.declare import EXAMPLE, NETWORK, argument, command, group, parameter, problem_group
from theorycalc.cli.options import Arguments, numbers, whole_or_text
from theorycalc.cli.output import check_writable


@command(
    "sheet",
    "Write setting, conditions, coefficients, formulas, values and staircase of a problem as one document.",
    """\
  theorycalc sheet --activation relu --teacher "H1 + H2/sqrt(2)" --ell 3 -o sheet.html
  theorycalc sheet --activation gelu --teacher "H1 + H2/2" --n 900 --d 300 --N 600 --ell 2 --network literal -o s.html
  theorycalc sheet --activation tanh --teacher "H1 + H3/3" --phi 1 --psi 1/2 --ridge 0.01 --ell 3 --digits 50 -o s.tex
""",
    problem_group(EXAMPLE),
    parameter("ell", required=True, help="number of the window, ℓ = 1 to 40"),
    *NETWORK,
    parameter("digits", default="20", after=", or none for float64"),
    argument("--output", "-o", metavar="FILE", help="a .tex, .pdf or .html file (default: LaTeX on the terminal)"),
    waiting="writing",
)
def _sheet(options: Arguments) -> str:
    if options.output is not None:
        check_writable(options.output, "--output", (".tex", ".pdf", ".html"))
    digits = None if options.digits.lower() == "none" else whole_or_text(options.digits)
    how = options.given("network", "gradient")
    made = tc.sheet(options.problem(), ell=whole_or_text(options.ell), digits=digits, **how)
    return made.tex if options.output is None else f"wrote {made.save(options.output)}"


@command(
    "report",
    "Write problem, conditions, formulas, values, plots and, if asked, a simulation into one HTML file.",
    """\
  theorycalc report --activation relu --teacher "H1 + H2/2" --noise 0.5 --n 1000 --alpha 0.3 -o report.html
  theorycalc report --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --n 200 --alpha 0.3,0.1 --simulate 5 \\
      -o report.html

With --simulate the run is kept next to the report (report.run.json); after Ctrl-C the same command continues it.
""",
    problem_group(EXAMPLE | {"n": "1000"}, network=True),
    group(
        "the network",
        "gradient",
        parameter("alpha", default="3/10", after="; more values are simulated, too"),
        argument("--simulate", metavar="REPLICATES", help="simulate so many networks for each step, seed 0"),
    ),
    argument("--output", "-o", metavar="FILE", required=True, help="the .html file to write"),
    waiting="writing",
)
def _report(options: Arguments) -> str:
    check_writable(options.output, "--output", (".html", ".htm"))
    problem, n = options.problem(), options.network_sizes()["n"]
    network = {"n": n, "alpha": numbers(options.alpha, "alpha"), "gradient": options.gradient}
    run = None
    if options.simulate is not None:
        kept = f"{os.path.splitext(options.output)[0]}.run.json"
        again = os.path.exists(kept) or os.path.exists(f"{kept}.journal")
        replicates = whole_or_text(options.simulate)
        run = tc.simulate(problem, **network, replicates=replicates, seed=0, spectrum=True, output=kept, resume=again)
    return f"wrote {tc.report(problem, **network, run=run).save(options.output)}"
