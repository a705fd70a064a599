"""The pencil in float64, for arrays, and in balls, for proven digits; how many powers it takes (theory section 9.1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import flint
import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball
from theorycalc.numbers.systems import BALLS, FLOATS, Number, NumberSystem
from theorycalc.theory.engines import ball_traces, float_traces, until_proven
from theorycalc.theory.limits import Constants, Plan, Point, constants_of, direction_of, float_constants
from theorycalc.theory.pencil.equations import (
    Setting,
    Slice,
    blocks_of,
    matrix_of,
    spike_factor,
    strengths,
    theta_slope,
)
from theorycalc.theory.traces import Traces

POWERS = (2, 4, 6, 8, 10, 12)  # largest powers tried, odd ones just below included
_CONVERGED = 1e-6  # relative change of a gain by two more powers
_STRONGEST = 1e12
_TINY = 1e-30  # the unit of derivatives: its square is below any rounding


@dataclass(frozen=True)
class Pencil:
    """A problem at its sizes, ready for steps and ridges."""

    problem: Problem
    plan: Plan
    spikes: tuple[int, ...]
    coefficients: tuple[float, ...]  # c_0, c_1, …
    constants: Constants
    N: int

    @property
    def own(self) -> int:
        """Return which polynomial of √N a is a itself."""
        return 0 if self.problem.second_layer == "constant" else 1

    @property
    def kappa(self) -> float:
        """Return ‖β‖² of the step direction."""
        return float(_setting(FLOATS, self.constants, *_sizes(self.problem)).kappa)


class Gains(NamedTuple):
    """Gains by the pencil, the largest power taken, and how much the last two powers changed."""

    train: Any
    test: Any
    top: Any
    change: Any


def pencil_of(problem: Problem, N: int, gradient: str) -> Pencil:
    """Return the pencil of a problem at its ratios, for N neurons and a step on the residual or the labels."""
    plan = Plan(problem, (1,), "closed", None, gradient)
    spikes = problem.activation.spikes(POWERS[-1])
    c = problem.activation.coefficients(POWERS[-1])
    return Pencil(problem, plan, spikes, tuple(float(x) for x in c), float_constants(plan), N)


def _setting(ns: NumberSystem, constants: Constants, phi: Number, psi: Number, noise: Number) -> Setting:
    direction = direction_of(ns, constants, Point(phi, psi, 0, noise))
    return Setting(
        phi,
        psi,
        direction.kappa,
        direction.rho,
        constants.c_star,
        constants.c1,
        constants.c_rest,
        constants.c2_gaussian,
        constants.included,
    )


def float_gains(pencil: Pencil, eta: np.ndarray[Any, Any], ridge: np.ndarray[Any, Any]) -> Gains:
    """Return the gains for pairs of η and λ, with as many powers as they need, or as help.

    Beyond small η²/N the series is asymptotic: then the powers are taken that changed least.
    """
    _check_strengths(pencil, eta)
    tops = sorted({max(k for k in pencil.spikes if k <= top) for top in POWERS})
    train, test = _with_powers(pencil, eta, ridge, tops[0])
    best = Gains(train, test, np.full(len(eta), tops[0]), np.full(len(eta), np.inf if len(tops) > 1 else 0.0))
    settled = np.zeros(len(eta), dtype=bool)
    for top in tops[1:]:
        before = train, test
        train, test = _with_powers(pencil, eta, ridge, top)
        change = np.maximum(np.abs(train - before[0]), np.abs(test - before[1]))
        better = ~settled & (change <= best.change)
        new = Gains(train, test, np.full(len(eta), top), change)
        best = Gains(*(np.where(better, x, y) for x, y in zip(new, best, strict=True)))
        settled |= change <= _CONVERGED * np.maximum(np.abs(train), np.abs(test))
    return best


def _check_strengths(pencil: Pencil, eta: np.ndarray[Any, Any]) -> None:
    """Refuse steps whose spikes are so strong that float64 has nothing left of F₀ beside them."""
    few = [k for k in pencil.spikes if k <= POWERS[1]]
    with np.errstate(over="ignore"):  # what overflows is too strong
        found = strengths(few, pencil.coefficients, eta.max(), math.sqrt(pencil.kappa), math.sqrt(pencil.N))
    if not max(abs(size) for size in found) <= _STRONGEST:
        raise DomainError(
            f"η = {eta.max():g} makes spikes stronger than {_STRONGEST:g}; use method='dressed', or predict()"
        )


def _sizes(problem: Problem) -> tuple[float, float, float]:
    return float(problem.phi), float(problem.psi), float(problem.noise)


def _with_powers(
    pencil: Pencil, eta: np.ndarray[Any, Any], ridge: np.ndarray[Any, Any], top: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    problem, constants = pencil.problem, pencil.constants
    phi, psi = float(problem.phi), float(problem.psi)
    setting = _setting(FLOATS, constants, phi, psi, float(problem.noise))
    traces = float_traces(phi, psi, ridge, constants.c1, constants.c_rest)
    carried = _TINY * 1j
    at = Slice(
        traces.m1 + carried * traces.m1_slope,
        traces.m2 + carried * traces.m2_slope,
        traces.theta + carried * theta_slope(traces, phi, psi, ridge),
    )
    spikes = [k for k in pencil.spikes if k <= top]
    sizes = strengths(spikes, pencil.coefficients, eta, np.sqrt(setting.kappa), math.sqrt(pencil.N))
    Y = _stacked(spike_factor(FLOATS, spikes, sizes, problem.second_layer), eta.shape)
    blocks = blocks_of(FLOATS, top, at, setting)
    value, slope = _form(
        _stacked([blocks.weights], eta.shape)[:, 0],
        _stacked([blocks.q], eta.shape)[:, 0],
        np.broadcast_to(blocks.coupling, eta.shape)[:, None] * Y[:, :, pencil.own],
        blocks.root_theta,
        Y,
    )
    return ridge * value, -slope / (psi * traces.m1 / phi) ** 2


def _stacked(rows: Sequence[Sequence[Any]], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return a matrix of arrays as an array of matrices."""
    entries = [np.broadcast_to(entry, shape) for row in rows for entry in row]
    return np.stack(entries, axis=-1).reshape(*shape, len(rows), len(rows[0]))


def _form(
    weights: np.ndarray[Any, Any],
    q: np.ndarray[Any, Any],
    own: np.ndarray[Any, Any],
    root_theta: np.ndarray[Any, Any],
    Y: np.ndarray[Any, Any],
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return QᵀMid⁻¹Q and its derivative, which the imaginary parts of the blocks carry.

    With M = I + E and C = √W M⁻ᵀ √θ Y it is q̂ᵀC(I + CᵀC)⁻¹Cᵀq̂, q̂ = q/√W: by the singular values σ of C a sum of
    σ²/(1 + σ²) ≤ 1, which is right for spikes of any size.  z = (x, y, v) = Mid⁻¹Q follows from the same sum.
    """
    W, root, theta = weights.real, np.sqrt(weights.real), root_theta.real[:, None, None]
    inverse = np.broadcast_to(np.eye(W.shape[-1]), Y.shape).copy()  # of M, whose second row is e_1 + own
    inverse[:, 1, :] = -own.real / (1 + own.real[:, 1:2])
    inverse[:, 1, 1] = 1 / (1 + own.real[:, 1])  # not 1 less the quotient, which cancels for strong spikes
    spread = np.swapaxes(inverse, -1, -2) @ (theta * Y)
    U, sigma, V = np.linalg.svd(root[:, :, None] * spread)
    share = np.einsum("bki,bk->bi", U, q.real / root)
    value = np.einsum("bi,bi->b", sigma**2 / (1 + sigma**2), share**2)
    v = np.einsum("bij,bi->bj", V, sigma / (1 + sigma**2) * share)
    x = np.einsum("bij,bj->bi", spread, v)
    left = np.einsum("bki,bi->bk", U, share / (1 + sigma**2)) * root  # q − Wx
    y = np.einsum("bij,bj->bi", inverse, left)
    slope = 2 * np.einsum("bi,bi->b", q.imag, x) - np.einsum("bi,bi->b", weights.imag, x**2)
    slope -= 2 * x[:, 1] * np.einsum("bi,bi->b", own.imag, y)
    slope += 2 * root_theta.imag * np.einsum("bi,bij,bj->b", y, Y, v)
    return value, slope / _TINY


class _Series:
    """Balls that carry a derivative: power series of two terms."""

    @staticmethod
    def sqrt(x: Any) -> Any:
        return x.sqrt() if isinstance(x, flint.arb_series) else flint.arb(x).sqrt()


def ball_gains(pencil: Pencil, eta: Callable[[], flint.arb], top: int, digits: int) -> list[flint.arb]:
    """Return train and test gain, ``digits`` digits of each proven; ``eta()`` encloses η at the current precision."""
    problem = pencil.problem
    spikes = [k for k in pencil.spikes if k <= top]

    def attempt(bits: int) -> list[flint.arb]:
        constants = constants_of(pencil.plan)
        phi, psi, ridge = (ball(x) for x in (problem.phi, problem.psi, problem.ridge))
        traces = ball_traces((problem.phi, problem.psi, problem.ridge), constants.c1, constants.c_rest, bits)
        setting = _setting(BALLS, constants, phi, psi, ball(problem.noise))
        c = [ball(x) for x in _ball_coefficients(problem, top)]
        sizes = strengths(spikes, c, eta(), BALLS.sqrt(setting.kappa), flint.arb(pencil.N).sqrt())
        Y = spike_factor(BALLS, spikes, sizes, problem.second_layer)
        here, slopes = _blocks(traces, setting, top, phi, psi, ridge)
        matrix = matrix_of(here, Y, pencil.own)
        change = matrix_of(slopes, Y, pencil.own)
        size = top + 1
        for k in range(size):  # the constants of Mid have no derivative
            change[k][size + k] -= 1
            change[size + k][k] -= 1
            change[2 * size + k][2 * size + k] -= 1
        vector = [*here.q, *([flint.arb(0)] * (2 * size))]
        solution = BALLS.solve(matrix, vector)
        value = sum((q * z for q, z in zip(vector, solution, strict=True)), flint.arb(0))
        slope = 2 * sum((q * z for q, z in zip(slopes.q, solution, strict=False)), flint.arb(0))
        for i, row in enumerate(change):
            slope -= solution[i] * sum((x * z for x, z in zip(row, solution, strict=True)), flint.arb(0))
        return [ridge * value, -slope / (psi * traces.m1 / phi) ** 2]

    return until_proven(attempt, digits)


def _ball_coefficients(problem: Problem, top: int) -> list[Any]:
    from theorycalc.model.computed import HermiteCoefficient

    tree = problem.activation.tree
    assert tree is not None  # digits= asks for a formula
    return [HermiteCoefficient(tree, k) for k in range(top + 1)]


def _blocks(traces: Traces, setting: Setting, top: int, phi: Number, psi: Number, lam: Number) -> tuple[Any, Any]:
    """Return the blocks and their derivatives, from series of two terms."""
    series = Slice(
        flint.arb_series([traces.m1, traces.m1_slope], prec=2),
        flint.arb_series([traces.m2, traces.m2_slope], prec=2),
        flint.arb_series([traces.theta, theta_slope(traces, phi, psi, lam)], prec=2),
    )
    found = blocks_of(_Series(), top, series, setting)  # type: ignore[arg-type]

    def term(value: Any, i: int) -> Any:
        if isinstance(value, list):
            return [term(item, i) for item in value]
        return value[i] if isinstance(value, flint.arb_series) else flint.arb(value if i == 0 else 0)

    return tuple(type(found)(*(term(part, i) for part in found)) for i in (0, 1))  # type: ignore[return-value]
