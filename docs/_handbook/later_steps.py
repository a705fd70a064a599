"""Several steps on fresh batches: neurons that have moved (docs/theory/later_steps.md)."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import sympy

from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, HandbookEntry, lines, named
from docs._handbook.stand_ins import symbols
from theorycalc.numbers.dual import Dual
from theorycalc.symbolic.symbols import rho
from theorycalc.theory.dressed.beside_h import Beside, forms_beside
from theorycalc.theory.dressed.later_steps import (
    Together,
    along_h,
    beside_h,
    displaced,
    labels_of_step,
    one_more,
    start_of,
    turned_by,
    with_batch,
)
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.responses import Function

_SETTING = f"two steps on n₀ = n points each, u = 1/2 in each, {PROBLEM_TEXT}"
_STEP = step_of(PROBLEM, 750, gradient="labels")


def _moved() -> Together:
    """Return neurons of one u after two steps."""
    assert isinstance(_STEP.teacher, Function)
    labels, now = labels_of_step(_STEP.case, _STEP.teacher, _STEP.channel, 0), start_of(1)
    for _ in range(2):
        now = one_more(now, [_STEP.slope_function], labels, np.array([0.5]), 0.5, 0)
    return now


def _step_example() -> dict[str, Any]:
    now = _moved()
    return {"m/u": float(now.teacher[0]), "Ξ/u²": float(now.shared[0, 0]), "(s² − k²)/u²": float(now.spread[0])}


def _displaced_example() -> dict[str, Any]:
    now = _moved()
    length = float(now.teacher[-1] ** 2 + now.shared[-1, -1])
    cosine = float(now.teacher[-1]) / length**0.5
    found = displaced(now, np.array([0.5]), np.ones(1), cosine, (1 - cosine**2) ** 0.5)
    return {"p": float(found.along[0]), "q_1/s_u": float(found.beside[0, 0]), "s²/s_u²": float(found.alone[0])}


def _beside_example() -> dict[str, Any]:
    two = step_of(dataclasses.replace(PROBLEM, steps=2), 750, gradient="labels")
    beside = network_after(two, np.array([4.0]), Resolution()).beside
    assert beside is not None
    return {"largest size of a function of g_1, η = 4": float(np.abs(beside.loadings[0][:, beside.linear]).max())}


def _step_statement() -> str:
    """Return B, and Ξ̃ and ṽ after the step."""
    shared, spread, other = named(r"\tilde{\Xi}"), named(r"\tilde{v}"), named("B'")
    return lines(
        ("B", turned_by(named("u"), named(r"\mathbb{E}[y f_1]"), named("S"))),
        (r"\tilde{\Xi}_{+}", with_batch(shared, named("B"), other, named(r"\phi_0"), named("X"))),
        (r"\tilde{v}_{+}", with_batch(spread, named("B"), named("B"), named(r"\phi_0"), named("Y"))),
    )


def _displaced_statement() -> str:
    """Return p and q_1."""
    m, of_h, length = named("m"), named("m_0"), sympy.sqrt(named("m_0") ** 2 + named(r"\Xi_0"))
    return lines(
        ("p", along_h(m, of_h, named(r"\Xi(u, 0)"), length)),
        ("q_1", beside_h(m, named("p"), rho, sympy.sqrt(1 - rho**2))),
    )


def _beside_statement() -> str:
    """Return ℓ of a function of g_1, and the form of one of g_2, of one shape each."""
    letters = [symbols([[[named(name)]]]) for name in (r"\gamma_f", r"\gamma", "Z")]
    g, open_part = symbols([[named("g")]]), (sympy.sqrt(1 - rho**2), -rho)
    found = []
    for k in (0, 1):
        beside = Beside(letters[0], letters[0], np.array([[k, -1]]))
        found.append(forms_beside(beside, Dual(g, 0 * g), letters[1], letters[2], open_part))
    teacher, rest = found[0][0].value[0, 0]
    form = found[1][1].value[0, 0, 0]
    return lines((r"\ell_{f, \star}", teacher), (r"\ell_{f, c}", rest), (r"f^{\top} \tilde{R} f", form))


LATER_STEPS = {
    "later_step": HandbookEntry(
        "one more step on a fresh batch of labels",
        "new",
        "theory/later_steps.md#what-later-steps-do",
        NOT_IN_SOURCE,
        "per u: m̃ = m/u, Ξ̃ = Ξ/(uu'), ṽ = (s² − k²)/u²; f_k = E[He_k(z)σ'(mt + Sz)]/√k!, S² = Ξ(u, u) + s², "
        "X = Σ_k c^k E[y²f_kf'_k] with c = Ξ(u, u')/(SS'), Y = E[y²σ'²] − X at u' = u; m̃ grows by E[y t f_0]",
        (
            "theory.dressed.later_steps: one_more",
            "theory.dressed.later_steps: turned_by",
            "theory.dressed.later_steps: with_batch",
        ),
        _step_statement,
        _step_example,
        setting=_SETTING,
    ),
    "displaced": HandbookEntry(
        "neurons after several steps, along h and beside it",
        "new",
        "theory/later_steps.md#the-direction-of-h",
        NOT_IN_SOURCE,
        "index 0: the sum of the batches' directions, u → 0; q_2, q_3, … are eigenvectors of what is left",
        (
            "theory.dressed.later_steps: displaced",
            "theory.dressed.later_steps: along_h",
            "theory.dressed.later_steps: beside_h",
        ),
        _displaced_statement,
        _displaced_example,
        setting=_SETTING,
    ),
    "beside": HandbookEntry(
        "forms of functions of the directions beside h",
        "new",
        "theory/later_steps.md#beside-h",
        NOT_IN_SOURCE,
        "at one node of h: ℓ of f = γ_f(h)g_1, and the form of f = γ_f(h)g_k, k ≥ 2, Z that of a direction of which "
        "labels know nothing",
        ("theory.dressed.beside_h: forms_beside", "theory.dressed.beside_h: labels_beside"),
        _beside_statement,
        _beside_example,
        setting=PROBLEM_TEXT,
    ),
}
