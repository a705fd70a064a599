"""Labels ±1, and the probability that a fit's sign is wrong (docs/theory/error_rate.md).

Given h a point has t = x·β⋆ = ρh + √(1−ρ²)g, g ~ N(0, 1), and the fit is f̂ = A + Bg + √v z: the label depends on t
alone, t and f̂ are jointly normal, and the chance of a wrong sign is a sum of bivariate normal probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, owens_t

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import takes_signs
from theorycalc.model.several import MultiTeacher
from theorycalc.model.supported import check_supported
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.iteration import zero_between
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.label_lines import Sections, SignLabels, SomeSigns, sections_of

_TINY = 1e-300  # in place of 0, where a ratio of two zeros has the limit wanted
_END = 9.0  # standard deviations: the chance beyond is 1e-19
_PANELS = 48
_GRADED = 2.0 ** -np.arange(1, 46)  # distances of panels from places where a function changes fast
_SEARCHED = 4001
_MOST_HALVINGS = 20
_TOLERANCE = 1e-13  # of a panel, absolute
_FEW, _MANY = (np.polynomial.legendre.leggauss(count) for count in (10, 16))


class FitLaw(NamedTuple):
    """The law of f̂ = mean + slope·g + √variance·z at points with given h."""

    mean: Array
    slope: Array
    variance: Array


def sign_labels(problem: Problem) -> SignLabels:
    """Return the labels of a teacher ±1, or raise an error that says how to write one.

    >>> sign_labels(Problem("relu", "sign(x)", 1, 1, 1))
    SignLabels(places=(0.0,), signs=(-1, 1), offset=0.0)
    >>> sign_labels(Problem("relu", "H1 + H2/2", 1, 1, 1))
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: an error rate needs labels ±1, and the teacher H1 + H2/2 has others; write \
teacher='sign(H1 + H2/2)'
    """
    check_supported(problem, "error rates")
    teacher = problem.teacher
    if teacher.directions > 1:
        return sections(problem).seen()  # averaged over all directions but û
    places = tuple(sorted(teacher.kink_floats))
    edges = np.array([-_END, *places, _END])
    inside = (edges[:-1] + edges[1:])[:, None] / 2 + (edges[1:] - edges[:-1])[:, None] / 2 * _MANY[0]
    found = np.broadcast_to(teacher.centered_values()(inside), inside.shape) + float(teacher.mean)
    signs = np.sign(found[:, 0])
    if not np.allclose(found, signs[:, None], rtol=0, atol=1e-9) or not signs.all():
        if takes_signs(teacher):
            raise DomainError(
                "the teacher is ±1, and an error rate needs the places where its sign changes: "
                "Teacher.from_callable(…, kinks=…) takes them",
                argument="teacher",
            )
        raise _not_signs(teacher)
    return SignLabels(places, tuple(map(int, signs)), offset_of(problem))


def labels_of_step(problem: Problem) -> SomeSigns:
    """Return the labels as finite steps need them: of several directions on every line, since neurons learn h t_⊥.

    >>> len(labels_of_step(Problem("relu", "sign(x)", 1, 1, 1)).places)
    1
    """
    return sections(problem) if problem.teacher.directions > 1 else sign_labels(problem)


def sections(problem: Problem) -> Sections:
    """Return the lines along û for a teacher ±1 of several directions.

    >>> sections(Problem("relu", "sign(t1 + t1*t2)", 1, 1, 1)).places.shape[0]
    1
    """
    teacher = problem.teacher
    assert isinstance(teacher, MultiTeacher)
    if not takes_signs(teacher):
        raise _not_signs(teacher)
    return sections_of(teacher)._replace(offset=offset_of(problem))


def offset_of(problem: Problem) -> float:
    """Return b_f μ, the mean of the fit's labels.

    >>> offset_of(Problem("relu", "sign(x)", 1, 1, 1))
    0.0
    """
    return float(problem.fit_sign) * float(problem.teacher.mean)


def _not_signs(teacher: Teacher) -> DomainError:
    name = teacher.name or "σ⋆"
    return DomainError(
        f"an error rate needs labels ±1, and the teacher {name} has others; write "
        f"{spelled('teacher', f'sign({name})')}",
        argument="teacher",
    )


def both_below(x: Array, y: Array, r: Array, r_off: Array) -> Array:
    """Return P(X < x, Y < y) for standard normals with correlation r, √(1 − r²) = ``r_off``, by Owen's function T.

    >>> from math import asin, pi
    >>> found = both_below(np.zeros(1), np.zeros(1), np.array([0.6]), np.array([0.8]))
    >>> bool(abs(found[0] - (1 / 4 + asin(0.6) / (2 * pi))) < 1e-15)
    True
    """
    x, y = (np.where(part == 0, _TINY, part) for part in np.broadcast_arrays(x, y))
    with np.errstate(over="ignore", divide="ignore"):  # T(x, ±∞) is what is wanted
        above, beside = (y / x - r) / r_off, (x / y - r) / r_off
    split = np.where((x < 0) != (y < 0), 0.5, 0.0)
    return (ndtr(x) + ndtr(y)) / 2 - owens_t(x, above) - owens_t(y, beside) - split


def wrong_share(labels: SignLabels, center: Array, scale: Array | float, law: FitLaw) -> Array:
    """Return the probability that f̂ has the wrong sign where t ~ N(center, scale²), for every h.

    See docs/theory/error_rate.md#how-often-the-sign-is-wrong.

    >>> law = FitLaw(np.zeros(1), np.array([1.0]), np.array([1.0]))
    >>> round(float(wrong_share(sign_labels(Problem("relu", "sign(x)", 1, 1, 1)), np.zeros(1), 1.0, law)[0]), 12)
    0.25
    """
    if not np.all(law.variance >= 0):
        raise PrecisionError(
            f"rounding leaves no digits of the variance of the fit; use {spelled('digits')} for this problem",
            argument="ridge",
        )
    spread = np.hypot(law.slope, np.sqrt(law.variance))
    r, r_off = law.slope / spread, np.sqrt(law.variance) / spread
    below_zero = -(law.mean + labels.offset) / spread
    places = [(place - center) / scale for place in labels.places]
    below = [*(ndtr(place) for place in places), 1.0]
    both = [*(both_below(place, below_zero, r, r_off) for place in places), ndtr(below_zero)]
    return np.clip(wrong_chance(labels.signs, below, both), 0.0, 1.0)  # but for rounding


def wrong_chance(signs: Sequence[Number], below: Sequence[Number], both: Sequence[Number]) -> Number:
    """Return the probability of a wrong sign, given P(t < q) and P(t < q, f̂ < 0) at each label's end q, the last ∞.

    Signs between −1 and 1 are means of labels.

    See docs/theory/error_rate.md#how-often-the-sign-is-wrong.

    >>> wrong_chance((-1, 1), (0.5, 1), (0.4, 0.5))
    0.19999999999999996
    """
    wrong, before, both_before = 0 * both[-1], 0, 0
    for sign, after, also in zip(signs, below, both, strict=True):
        wrong = wrong + (1 - sign) / 2 * (after - before) + sign * (also - both_before)
        before, both_before = after, also
    return wrong


def normal_mean(function: Callable[[Array], Array], places: Sequence[float] = ()) -> float:
    """Return E f(h), h ~ N(0, 1), for a bounded function that may change fast, or jump, at known places.

    Panels are finer towards these, and all are halved until they settle.

    >>> round(normal_mean(lambda h: (h > 1e-3) * 1.0, [1e-3]), 9) == round(float(ndtr(-1e-3)), 9)
    True
    """
    near = np.array([place for place in places if abs(place) < _END])[:, None] + np.array([*-_GRADED, 0.0, *_GRADED])
    edges = np.unique(np.concatenate([np.linspace(-_END, _END, _PANELS + 1), np.clip(near.ravel(), -_END, _END)]))
    low, high = edges[:-1], edges[1:]
    total = 0.0
    for _ in range(_MOST_HALVINGS):
        coarse, fine = (_on_panels(function, low, high, *rule) for rule in (_FEW, _MANY))
        open_ = np.abs(fine - coarse) > _TOLERANCE
        total += float(fine[~open_].sum())
        low, high = low[open_], high[open_]
        if not len(low):
            return total
        middle = (low + high) / 2
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return total + float(_on_panels(function, low, high, *_MANY).sum())


def sign_changes(function: Callable[[Array], Array]) -> list[float]:
    """Return the places where a function of h changes sign, among those that matter.

    >>> [round(place, 9) for place in sign_changes(lambda h: h**2 - 4)]
    [-2.0, 2.0]
    """
    grid = np.linspace(-_END, _END, _SEARCHED)
    signs = np.sign(function(grid))
    turns = np.flatnonzero(signs[1:] * signs[:-1] < 0)
    between = [zero_between(lambda h: float(function(np.array([h]))[0]), grid[i], grid[i + 1], 2e-12) for i in turns]
    return sorted([*between, *grid[signs == 0].tolist()]) if signs.any() else []


def _on_panels(function: Callable[[Array], Array], low: Array, high: Array, x: Array, weights: Array) -> Array:
    half = (high - low)[:, None] / 2
    h = (low + high)[:, None] / 2 + half * x
    values = function(h.ravel()).reshape(h.shape)
    return (values * np.exp(-(h**2) / 2) * half) @ weights / np.sqrt(2 * np.pi)
