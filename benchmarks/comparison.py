"""The same work by other people's formulas and by hand; writes docs/comparison.md.

``python -m benchmarks.comparison`` takes about a minute. Judged against proven values: digits, failures, time.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import mpmath
import numpy as np

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import machine, rotation
from tests.helpers.untrained import ours
from tests.independent import by_hand, cases
from tests.independent.cases import Case

PAGE = DOCS / "comparison.md"
SIZE = 200
TRUE_DIGITS = 60
WRONG = 1e-2  # a relative error above this, returned without a word, is a wrong number
NOTICED = (ArithmeticError, np.linalg.LinAlgError)  # what a method itself says it cannot do
MANY = 10_000
ROUNDS = 5
SHIFTS = itertools.count()  # makes every activation that is timed a new one
HIGHEST = 12  # c_1, …, c_12
SETS = {
    "ordinary": cases.log_uniform(11, SIZE, 1),
    "wide": cases.log_uniform(12, SIZE, 8),
    "N near n": cases.near_interpolation(13, SIZE),
}
PAPERS: dict[str, Callable[[Case], Any]] = {
    "theorycalc": ours,
    "Mei–Montanari": cases.by_mei_montanari,
    "Adlam–Pennington": cases.by_adlam_pennington,
}
BY_HAND: dict[str, Callable[[Case], Any]] = {
    "`scipy.optimize.root`, hybr": partial(by_hand.by_scipy_root, method="hybr"),
    "`scipy.optimize.root`, lm": partial(by_hand.by_scipy_root, method="lm"),
    "`scipy.optimize.brentq`, one unknown": by_hand.by_brentq,
    "`mpmath.findroot`, 50 digits": by_hand.by_mpmath,
}
FUNCTIONS: dict[str, tuple[Callable[[float], float], Callable[[Any], Any]]] = {  # for floats, and for mpmath
    "relu": (lambda x: max(x, 0.0), lambda x: max(x, mpmath.mpf(0))),
    "gelu": (lambda x: x * math.erfc(-x / math.sqrt(2)) / 2, lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2),
    "tanh": (math.tanh, mpmath.tanh),
    "softplus": (lambda x: float(np.logaddexp(0, x)), lambda x: mpmath.log1p(mpmath.exp(x))),
}


class Judged(NamedTuple):
    """Results of a method: cases given up, wrong results without a warning, and the digits of the rest."""

    failed: int
    wrong: int
    digits: list[float]

    @property
    def shown(self) -> str:
        """The median and the least number of digits, wrong results left out."""
        return f"{np.median(self.digits):.1f} | {min(self.digits):.1f}" if self.digits else "– | –"


def judge(answers: Sequence[Callable[[], Sequence[Any]]], truth: Sequence[Sequence[Any]]) -> Judged:
    """Compare each answer, all of its numbers, with the truth."""
    failed, wrong, digits = 0, 0, []
    for answer, true in zip(answers, truth, strict=True):
        try:
            found = answer()
        except NOTICED:
            failed += 1
            continue
        with mpmath.workdps(TRUE_DIGITS + 20):
            error = max(abs(mpmath.mpf(a) / mpmath.mpf(b) - 1) for a, b in zip(found, true, strict=True))
            if error > WRONG:
                wrong += 1
            else:
                digits.append(float(-mpmath.log10(max(error, mpmath.mpf(10) ** -TRUE_DIGITS))))
    return Judged(failed, wrong, digits)


def judge_cases(method: Callable[[Case], Any], name: str, truth: dict[str, list[Any]]) -> Judged:
    """Judge a method on one set of cases."""
    return judge([partial(method, case) for case in SETS[name]], truth[name])


def all_at_once() -> None:
    """Evaluate many cases in one call: ridges of one problem."""
    problem = tc.Problem(tc.Activation.from_moments("1/2", "3/10"), ["1", "1/2"], "1/2", "2/3", 1, "1/2")
    tc.predict(problem, ell=0, ridge=np.geomspace(1e-6, 1e6, MANY))


def times(method: Callable[[Case], Any], members: Sequence[Case], digits: int | None = None) -> str:
    """Return the method's time over ours, a case: ours case by case (with so many digits), and ours in one call."""

    def theirs() -> None:
        for case in members:
            with contextlib.suppress(*NOTICED):
                method(case)

    def singly() -> None:
        for case in members:
            ours(case, digits)

    one = time_ratio(theirs, singly)
    if digits is not None:
        return f"{short(one)} | –"
    return f"{short(one)} | {short(time_ratio(theirs, all_at_once) * MANY / len(members))}"


def short(value: float) -> str:
    """Return two digits of a number, without powers of ten."""
    return f"{float(f'{value:.2g}'):,g}"


def time_ratio(theirs: Callable[[], None], our_own: Callable[[], None]) -> float:
    """Return the processor time of one over the other's, turn and turn about: the median of the rounds."""
    our_own()
    times = rotation({"theirs": theirs, "ours": our_own}, ROUNDS, clock=time.process_time)
    return float(np.median(np.divide(*times.values())))


def losses_table(what: str, tools: dict[str, Callable[[Case], Any]], truth: dict[str, list[Any]]) -> list[str]:
    """Return how the tools did on every set of cases, and the time they took."""
    rows = []
    for name, members in SETS.items():
        for tool, method in tools.items():
            judged = judge_cases(method, name, truth)
            digits = by_hand.DIGITS if "mpmath" in tool else None
            taken = "1 | 1" if method is ours else times(method, members[:20], digits)
            rows.append((tool, name, judged.failed, judged.wrong, judged.shown, taken))
    return table(
        f"{what} | cases | gave up | wrong | digits, median | digits, least | time, one case | time, many", rows
    )


def in_high_precision(truth: dict[str, list[Any]]) -> str:
    """Return how many digits Mei and Montanari's formulas share with the proven ones when rounding plays no part."""
    method = partial(cases.by_mei_montanari_in_digits, digits=TRUE_DIGITS)
    judged = [judge_cases(method, name, truth) for name in SETS]
    assert not any(result.failed or result.wrong for result in judged)
    least = min(min(result.digits) for result in judged)
    return (
        f"Evaluated with more than {TRUE_DIGITS} digits, Mei and Montanari's formulas share at least **{least:.0f} "
        f"digits** with our proven values in all {SIZE * len(SETS)} cases: the two theories are the same, and the "
        "differences above are rounding."
    )


def coefficients_table() -> list[str]:
    """Return Hermite coefficients by quadrature; zeros are judged apart, since a relative error of them is none."""
    truth = {name: tc.coefficients(name, HIGHEST, digits=TRUE_DIGITS) for name in FUNCTIONS}
    present = {name: [k for k in range(1, HIGHEST + 1) if truth[name][k] != 0] for name in FUNCTIONS}
    true = [[truth[name][k]] for name in FUNCTIONS for k in present[name]]
    zeros = [(name, k) for name in FUNCTIONS for k in range(1, HIGHEST + 1) if k not in present[name]]
    known = {
        digits: {name: tc.coefficients(name, HIGHEST, digits=digits) for name in FUNCTIONS} for digits in (None, 50)
    }
    tools: dict[str, Callable[[str, int], Any]] = {
        "theorycalc, float64": lambda name, k: known[None][name][k],
        "`scipy.integrate.quad`": lambda name, k: by_hand.coefficient_by_quad(FUNCTIONS[name][0], k),
        "`numpy` hermegauss, 100 nodes": lambda name, k: by_hand.coefficient_by_gauss(FUNCTIONS[name][0], k),
        "theorycalc, 50 digits, proven": lambda name, k: known[50][name][k],
        "`mpmath.quad`, 50 digits": lambda name, k: by_hand.coefficient_by_mpmath(FUNCTIONS[name][1], k),
    }
    rows = []
    for tool, method in tools.items():

        def answer(name: str, k: int, method: Callable[[str, int], Any] = method) -> list[Any]:
            return [method(name, k)]

        judged = judge([partial(answer, name, k) for name in FUNCTIONS for k in present[name]], true)
        told = sum(_is_zero(partial(method, name, k)) for name, k in zeros)
        taken = "1" if "theorycalc" in tool else _coefficient_time(method, 50 if "mpmath" in tool else None)
        rows.append((tool, judged.failed, judged.wrong, judged.shown, told, taken))
    return table(f"tool | gave up | wrong | digits, median | digits, least | zeros told, of {len(zeros)} | time", rows)


def _is_zero(answer: Callable[[], Any]) -> bool:
    try:
        return bool(answer() == 0)
    except NOTICED:
        return False


def _coefficient_time(method: Callable[[str, int], Any], digits: int | None) -> str:
    """Return the time for tanh's coefficients over ours, per coefficient; mpmath's is taken from the first three."""
    timed = HIGHEST if digits is None else 3

    def anew() -> None:  # a new function each time, so that nothing is remembered
        tc.coefficients(f"tanh(x + 1/{10**9 + next(SHIFTS)})", HIGHEST, digits=digits)

    def theirs() -> None:
        for k in range(1, timed + 1):
            with contextlib.suppress(*NOTICED):
                method("tanh", k)

    return short(time_ratio(theirs, anew) * HIGHEST / timed)


def main() -> None:
    """Run everything and write the page."""
    truth = {name: [ours(case, TRUE_DIGITS) for case in members] for name, members in SETS.items()}  # proven losses
    write_between(PAGE, "papers", [*losses_table("formulas", PAPERS, truth), "", in_high_precision(truth)])
    write_between(PAGE, "by hand", losses_table("tool", BY_HAND, truth))
    write_between(PAGE, "coefficients", coefficients_table())
    write_between(PAGE, "machine", [machine()])


if __name__ == "__main__":
    main()
