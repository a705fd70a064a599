"""``theorycalc features``: ridge fits on n points of your own features, from a file with a pool of them."""

from __future__ import annotations

from typing import Any

import theorycalc as tc
from theorycalc.cli.declare import argument, command, flag, group, output_group, parameter
from theorycalc.cli.options import Arguments, whole_or_text
from theorycalc.cli.output import Shown, shown
from theorycalc.errors import ArgumentError


@command(
    "features",
    "Predict losses of ridge fits on n points from a pool of your own features and labels.",
    """\
  theorycalc features features.npz
  theorycalc features features.npz --n 100,1000,10000 --ridge 1e-3:10:9:log
  theorycalc features features.npz --n 100,1000 --plot learning.svg
  theorycalc features features.npz --n 100,1000 --ridge 0.1 --draws 20

The file has two arrays, features (M points by N features) and labels, as numpy.savez(file, features=F, labels=y) writes
them. Without --n the pool itself is described; without --ridge each n has its best ridge. With --draws the predictions
stand beside fits on random splits of the file.
""",
    argument("file", help="a .npz file with arrays features and labels"),
    group(
        "the fit",
        parameter("n", later=True, help="number of samples of the fit; a list 100,1000 or a range 10:1000:5:log"),
        parameter("ridge", later=True, help="λ ≥ 0, ridge, a list or a range (default: the best for each n)"),
        flag("--no-intercept", "fit without a constant that costs no penalty"),
    ),
    group(
        "how it is checked",
        argument("--draws", metavar="D", help="compare with D random splits of the file"),
        parameter("seed", later=True),
    ),
    output_group("one row for each n and ridge", "learning curves"),
    waiting="computing",
    spends=False,
)
def _features(options: Arguments) -> Shown:
    seed = 0 if options.seed is None else whole_or_text(options.seed)
    pool = tc.features(options.file, intercept=not options.no_intercept, seed=seed)
    if options.n is None:
        if options.ridge is not None or options.draws is not None:
            raise ArgumentError("--n is missing: give the number of points of the fit", argument="n")
        return shown(pool)
    lists: dict[str, Any] = options.numbers("n", "ridge")
    n, ridge = _rounded(options.n, lists["n"]), lists.get("ridge")
    if options.draws is None:
        return shown(pool.learning_curve(n, ridge))
    if ridge is None:
        raise ArgumentError("--draws compares at given ridges: give --ridge", argument="ridge")
    import numpy as np

    with np.load(options.file, allow_pickle=False) as arrays:
        return shown(
            pool.compare(arrays["features"], arrays["labels"], n, ridge, draws=whole_or_text(options.draws), seed=seed)
        )


def _rounded(text: str, values: list[Any]) -> list[Any]:
    """Return a range of sizes rounded to whole numbers, and any other numbers unchanged."""
    return [round(value) for value in values] if ":" in text else values
