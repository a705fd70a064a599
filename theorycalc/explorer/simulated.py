"""The page's network, simulated: each request adds one draw, so that a page can stop after any."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

from theorycalc.comparison.compare import compare
from theorycalc.errors import DomainError, TheoryError
from theorycalc.explorer.copied import simulation_of
from theorycalc.explorer.fields import Data, PageCase, or_refused
from theorycalc.numbers.exact import whole
from theorycalc.results.quantities import COLUMNS, COMPARED
from theorycalc.running.journal import Record
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.run import Run, make_run
from theorycalc.simulation.settings import Settings, read_settings

DRAWS = 20  # of a simulation on the page
_MEMORY = 1 << 30  # bytes of one draw


def simulated(case: PageCase, draws: object) -> Data:
    """Return means over the first draws of a simulation with seed 0, judged by their standard errors, and its code.

    >>> from theorycalc.explorer.fields import case_of
    >>> found = simulated(case_of({"n": "40"}), 3)
    >>> found["draws"], found["python"].splitlines()[0]
    (3, "run = tc.simulate(problem, n=40, alpha='3/10', replicates=3)")
    """
    count = whole(draws, "draws", f"a whole number from 2 to {DRAWS}", 2, DRAWS)
    return or_refused(lambda: _means(case, count))


def _means(case: PageCase, count: int) -> Data:
    settings = read_settings(case.problem, **case.how, replicates=DRAWS)
    if settings.memory > _MEMORY:
        raise DomainError(
            f"n = {settings.n}, d = {settings.d}, N = {settings.N} are too large for this page: one draw takes "
            f"{settings.memory / 2**30:.3g} GiB; take a smaller n, or simulate with the library"
        )
    records = [record for index in range(count) for record in _draw(settings, index)]
    run = make_run(dataclasses.replace(settings, replicates=count), records)
    judged = _judged(run)
    return {"draws": count, "of": DRAWS} | judged | simulation_of(case.texts, case.n, count, "theory" in judged)


def _judged(run: Run) -> Data:
    """Return means and standard errors next to the finite step, and a verdict or the reason why there is none."""
    try:
        found = compare(run)
    except TheoryError as error:
        (row,) = run.rows
        seen = [(name, row[name], row[f"{name}_se"]) for name in COMPARED if name in row]
        rows = [{"words": COLUMNS[name].heading, "observed": mean, "error": width} for name, mean, width in seen]
        return {"rows": rows, "verdict": f"no theory to compare with: {error}"}
    rows = [
        {
            "words": COLUMNS[str(row["quantity"])].heading,
            "observed": row["observed"],
            "error": row["standard_error"],
            "predicted": row["predicted"],
            "z": row["z"] if row["judged"] else None,
        }
        for row in found.rows
    ]
    return {"rows": rows, "verdict": found.verdict_text, "theory": found.verdict}


@lru_cache(maxsize=2 * DRAWS)
def _draw(settings: Settings, index: int) -> tuple[Record, ...]:
    return tuple(replicate(settings, index))
