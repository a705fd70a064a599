"""Intercepts, raw activations and corrupted labels (docs/theory/intercept.md and docs/theory/channels.md)."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import sympy

from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, SIZES, HandbookEntry, lines, named, of_symbolic
from theorycalc.model.spikes import Spikes
from theorycalc.model.supported import unit_step
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.results.prediction import Prediction, predict
from theorycalc.symbolic.symbols import c_1, c_star, c_star_of, noise, phi, rho
from theorycalc.theory import case, gains
from theorycalc.theory.explained import NODES, rule

_SHARES = f"{SIZES}, |a_f| ≤ 1, labels of the fit that are a_f σ⋆ on average"


def _free_constant() -> str:
    """Return B_3 of a fit whose constant is free."""
    teacher = [c_star_of(k) for k in range(1, 4)]
    parts = gains.parts_of(SYMBOLS, teacher, 0, Spikes.up_to(3), free_constant=True)
    return lines(("B_3", gains.shares(SYMBOLS, parts, rho**2, 1 - rho**2, 0).explained))


def _own_mean() -> str:
    """Return κ̃ of a network with its Z."""
    mean = named("m_y") - named("g_a") * named("c_0") * named("Z")
    sampled = case.scatter(c_star**2 + mean**2, noise**2 + named("v_0"), phi)
    length = case.kappa(named("a_s") * c_star_of(1), sampled + named("g_a") ** 2 * c_1**2)
    letter = named(r"\tilde{\kappa}(Z)")
    return lines((letter.name, length), (r"\tilde{\rho}(Z)", named("a_s") * c_star_of(1) / sympy.sqrt(letter)))


def _rule() -> dict[str, Any]:
    nodes, weights = rule(np.array(0.5), np.array(0.0), np.arange(NODES))
    return {"E[1/(1 + 4Z²)]": float(np.sum(weights / (1 + 4 * nodes**2)))}


def _corrupted() -> Prediction:
    return predict(dataclasses.replace(PROBLEM, corrupt_fit="3/10"), ell=2)


def _unit_step() -> str:
    """Return the step with both scales 1."""
    scale = unit_step(*(named(letter) for letter in ("T", "g_w", "g_a")))
    return lines((r"\tilde{\eta}", named(r"\eta") * scale))


OPTIONS = {
    "unit_step": HandbookEntry(
        "the step of a network whose layers have unit scales",
        "new",
        "theory/options.md#scales",
        NOT_IN_SOURCE,
        "rows of W₀ of length g_w > 0, √N a of deviation g_a > 0, T steps on fresh batches; activation σ(g_w x), "
        "and f₀ has the factor g_a",
        ("model.supported: unit_step",),
        _unit_step,
        lambda: {"torch, g_w = g_a = 1/√3": float(unit_step(1, 3**-0.5, 3**-0.5))},
    ),
    "free_constant": HandbookEntry(
        "share of the teacher with a constant that costs nothing",
        "new",
        "theory/intercept.md#a-free-constant",
        NOT_IN_SOURCE,
        "an intercept, or a raw activation with c_0 ≠ 0, shown for K = {1, 2, 3}: no floor and no ζ, and no τ unless K "
        "has gaps",
        ("theory.gains: parts_of", "theory.gaps: gap_directions"),
        _free_constant,
        lambda: {
            f"Λ_2 with an intercept ({PROBLEM_TEXT})": predict(
                dataclasses.replace(PROBLEM, intercept=True), ell=2
            ).test_gain
        },
    ),
    "own_mean": HandbookEntry(
        "length of the step of a network whose initial output has a mean",
        "new",
        "theory/intercept.md#raw-activations",
        NOT_IN_SOURCE,
        "a raw activation, the step on the residual; v_0 = Var f₀, Z ~ N(0, 1), over which ρ̃² and B are averaged",
        ("theory.explained: rule", "theory.explained: learned"),
        _own_mean,
        _rule,
    ),
    "Lambda_clean": of_symbolic(
        "Lambda_clean",
        2,
        NOT_IN_SOURCE,
        _SHARES,
        ("theory.limits: clean_gain",),
        lambda: {f"ℓ = 2, p_f = 3/10 ({PROBLEM_TEXT})": _corrupted().test_gain_clean},
    ),
    "test_loss_clean": of_symbolic(
        "test_loss_clean",
        2,
        NOT_IN_SOURCE,
        f"{_SHARES}; computed as a sum of positive terms",
        ("theory.limits: clean_loss",),
        lambda: {f"ℓ = 2, p_f = 3/10 ({PROBLEM_TEXT})": _corrupted().test_loss_clean},
    ),
}
