"""``theorycalc predict`` and ``staircase``: limits n → ∞."""

from __future__ import annotations

import math

import theorycalc as tc
from theorycalc.cli.declare import EXAMPLE, NETWORK, argument, command, group, output_group, parameter, problem_group
from theorycalc.cli.options import Arguments, whole_or_text, windows
from theorycalc.cli.output import Shown, check_one_list, shown
from theorycalc.errors import ArgumentError

_MOST_POINTS = 10_000


@command(
    "predict",
    "Predict the losses before and after one gradient step, and its gains Δ_ℓ and Λ_ℓ.",
    """\
  theorycalc predict --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 2
  theorycalc predict --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1 --ell 1 \\
      --network literal
  theorycalc predict --c1 1/2 --c-rest 0.3014 --teacher 1,1/2 --phi 1/2 --psi 2/3 --ridge 0.1 --noise 0.5 --alpha 0.3
  theorycalc predict --activation relu --teacher H1 --phi 1/2 --psi 2/3 --ridge 1e-3:10:9:log --ell 1,2 --csv

Numbers are written 1/10, 0.1 or 1e-3, and are exact: --digits 50 proves 50 digits of every value. φ, ψ, λ, σ_ε, ℓ and
α may be lists 0.1,0.2 and ranges 0.05:0.45:9 (nine values) or 1e-3:10:9:log (geometric), in any combination.
These are limits n → ∞, in which sizes count by their ratios; theorycalc step predicts a network of real size.
""",
    problem_group(),
    group("the step, one of", "ell", parameter("alpha", after=", 0 < α < 1/2; ℓ follows")),
    group("how it is computed", *NETWORK, "digits", "form", "as_printed"),
    output_group("one row for each point", "losses before and after, or over a list"),
    waiting="predicting",
)
def _predict(options: Arguments) -> Shown:
    """Return a prediction for each ℓ or α, over the grid of all other options that have several values."""
    import numpy as np

    from theorycalc.results.layout import joined
    from theorycalc.results.prediction import predictions_table
    from theorycalc.running.terminal import progress

    problem, lists = options.problem_and_lists("phi", "psi", "ridge", "noise")
    ells = [] if options.ell is None else windows(options.ell)
    alphas = options.numbers("alpha").get("alpha", [])
    if ells and alphas:
        raise ArgumentError("give --ell or --alpha, not both")
    steps = [{"ell": ell} for ell in ells] or [{"alpha": alpha} for alpha in alphas] or [{}]
    points = len(steps) * math.prod(len(values) for values in lists.values())
    if points > _MOST_POINTS:
        raise ArgumentError(f"{points} points are more than {_MOST_POINTS}: theorycalc sweep writes them to a file")
    if options.plot is not None and len(steps) > 1:
        raise ArgumentError("--plot draws one ℓ at a time; theorycalc staircase draws them all")
    check_one_list(options, lists)
    grid = np.meshgrid(*(np.array(values, dtype=object) for values in lists.values()), indexing="ij")
    how = options.given("form", "as_printed", "network", "gradient") | dict(zip(lists, grid, strict=True))
    how["digits"] = whole_or_text(options.digits)
    found = [tc.predict(problem, **step, **how) for step in progress(steps, len(steps), "predicting")]
    return Shown(
        lambda: joined(found),
        lambda: [row for prediction in found for row in prediction.rows],
        lambda full: predictions_table(found, full).text(),
        found[0].plot,
    )


@command(
    "staircase",
    "Predict the gains Δ_ℓ and Λ_ℓ for ℓ = 0, 1, …, and their ceiling ℓ = ∞ where there is one.",
    """\
  theorycalc staircase --activation relu --teacher "H1 + H2/2 + H3/6"
  theorycalc staircase --activation gelu --teacher "H1 + H2/2" --phi 1 --ridge 1e-3 --plot staircase.svg
  theorycalc staircase --activation relu --teacher "H1 + H2/2" --n 900 --d 300 --N 600 --network literal
  theorycalc staircase --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --noise 0.5 --ell 4 --digits 30 --csv
""",
    problem_group(EXAMPLE),
    group(
        "how it is computed",
        argument("--ell", default="6", help="the last ℓ (default 6), or a list such as 1,2,4,inf"),
        *NETWORK,
        "digits",
    ),
    output_group("one row for each ℓ", "the gains against ℓ"),
    waiting="predicting",
)
def _staircase(options: Arguments) -> Shown:
    ells = windows(options.ell)
    how = options.given("network", "gradient") | {"digits": whole_or_text(options.digits)}
    return shown(tc.staircase(options.problem(), ells[0] if len(ells) == 1 else ells, **how))
