"""Penalties of other papers, and the limit λ → 0⁺.

See docs/theory/setting.md#penalties-of-other-papers and docs/theory/traces.md#the-limit-without-ridge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docs._handbook.entry import NOT_IN_SOURCE, HandbookEntry, lines, named
from theorycalc.model.conventions import CONVENTIONS, ridge_from
from theorycalc.numbers.systems import FLOATS, SYMBOLS
from theorycalc.symbolic.symbols import c_1, c_rest, lam, n, phi, psi
from theorycalc.theory import ridgeless as limits
from theorycalc.theory.ridgeless import RidgelessCase, ridgeless
from theorycalc.theory.traces import Weights, kept, room_and_excess

_ROOT, _KEPT, _CHI = named(r"\hat{w}"), named("k"), named(r"\hat{\chi}")
_NAMES = {
    "train_linear": r"\lambda \tfrac{\psi}{\phi} m_2",
    "train_rest": r"\lambda \tfrac{\psi}{\phi} m_1",
    "test_linear": r"-\tfrac{\phi}{\psi m_1^2} m_2'",
    "test_rest": r"-\tfrac{\phi}{\psi m_1^2} m_1'",
}
_CURVED = "c_1 ≠ 0; ŵ, k and χ̂ as in the limit of the balance"


def _weights(weights: Weights) -> str:
    return lines(*((rf"{name} \to {{}}", getattr(weights, field)) for field, name in _NAMES.items())).replace(
        "{} &=", "&"
    )


def _called(limit: Callable[..., Any]) -> Callable[[], str]:
    return lambda: _weights(limit(SYMBOLS, phi, psi, _ROOT, _KEPT, _CHI)[1])


def _numbers(case: RidgelessCase, phi: float, psi: float, c_rest: float) -> Callable[[], dict[str, Any]]:
    def example() -> dict[str, Any]:
        weights = ridgeless(FLOATS, case, phi, psi, 0.5, c_rest)[1]
        text = f"φ = {phi:g}, ψ = {psi:g}, c_1 = 1/2, c_{{>1}} = {c_rest:g}"
        return {
            f"train weights of linear part and rest ({text})": (float(weights.train_linear), float(weights.train_rest)),
            "test weights": (float(weights.test_linear), float(weights.test_rest)),
        }

    return example


def _conventions() -> str:
    sizes = {"n": n, "phi": phi, "psi": psi}
    ours = {name: entry.ours(lam, *(sizes[need] for need in entry.needs)) for name, entry in CONVENTIONS.items()}
    return lines(*((rf"\lambda \leftarrow \text{{{name.replace('_', ' ')}}}", value) for name, value in ours.items()))


def _balance() -> str:
    """Return the positive root ŵ of the quadratic, k there, and the room and the excess in the quadratic."""
    A, B, names = c_rest**2, c_1**2, (r"\mathrm{room}", r"\mathrm{excess}")
    room, excess = (named(rf"{name} \,") for name in names)
    coefficients = {named("a"): A * B, named("b"): A * phi + B * excess, named("c"): room * phi}
    sizes = {r"N \geq n": room_and_excess(SYMBOLS, True, phi, psi), "N < n": room_and_excess(SYMBOLS, False, phi, psi)}
    by_law = [(f"{name}_{{{law}}}", found[i]) for law, found in sizes.items() for i, name in enumerate(names)]
    return lines(
        (r"\hat{w}", limits.positive_root(SYMBOLS, *coefficients)),
        *((letter.name, value) for letter, value in coefficients.items()),
        *by_law,
        ("k", kept(phi, B, _ROOT)),
    )


def _root_example() -> dict[str, Any]:
    A, B, phi, psi = 0.09, 0.25, 0.5, 2 / 3
    room, excess = room_and_excess(FLOATS, False, phi, psi)
    w = limits.positive_root(FLOATS, A * B, A * phi + B * excess, room * phi)
    return {"ŵ at φ = 1/2, ψ = 2/3, c_1 = 1/2, c_{>1} = 3/10": float(w)}


RIDGE = {
    "ridge_convention": HandbookEntry(
        "penalties of other papers, in ours",
        "new",
        "theory/setting.md#penalties-of-other-papers",
        f"{NOT_IN_SOURCE}, from the objective of each paper",
        "left: ours, from the convention named; right: their λ ≥ 0; n, φ, ψ > 0 where they are needed",
        ("model.conventions: ridge_from",),
        _conventions,
        lambda: {
            "Adlam–Pennington's 1/10 at φ = 1/2, ψ = 2/3": ridge_from(
                "sum_scaled_features", "1/10", phi="1/2", psi="2/3"
            )
        },
    ),
    "ridgeless_balance": HandbookEntry(
        "the balance as λ → 0⁺: a quadratic",
        "new",
        "theory/traces.md#the-limit-without-ridge",
        NOT_IN_SOURCE,
        "φ, ψ > 0, c_1 ≠ 0; not where c_{>1} = 0 and d ≤ min(n, N); aŵ² + bŵ = c; where b ≤ 0, ŵ is its other form, "
        "(√(b² + 4ac) − b)/(2a); χ̂ = c_{>1}² + c_1²k²",
        ("theory.ridgeless: ridgeless", "theory.ridgeless: positive_root"),
        _balance,
        _root_example,
    ),
    "ridgeless_wide": HandbookEntry(
        "no ridge, more neurons than samples",
        "new",
        "theory/traces.md#the-limit-without-ridge",
        NOT_IN_SOURCE,
        f"φ > ψ (N > n), {_CURVED}",
        ("theory.ridgeless: wide",),
        _called(limits.wide),
        _numbers(RidgelessCase.WIDE, 0.5, 0.25, 0.3),
    ),
    "ridgeless_narrow": HandbookEntry(
        "no ridge, fewer neurons than samples",
        "new",
        "theory/traces.md#the-limit-without-ridge",
        NOT_IN_SOURCE,
        f"φ < ψ (N < n), {_CURVED}",
        ("theory.ridgeless: narrow",),
        _called(limits.narrow),
        _numbers(RidgelessCase.NARROW, 0.5, 0.75, 0.3),
    ),
    "ridgeless_square": HandbookEntry(
        "no ridge, as many neurons as samples: the interpolation threshold",
        "new",
        "theory/traces.md#the-limit-without-ridge",
        NOT_IN_SOURCE,
        f"φ = ψ (N = n), {_CURVED}",
        ("theory.ridgeless: square",),
        _called(limits.square),
        _numbers(RidgelessCase.SQUARE, 0.5, 0.5, 0.3),
    ),
    "ridgeless_low_rank": HandbookEntry(
        "no ridge, a linear activation of rank d",
        "new",
        "theory/traces.md#the-limit-without-ridge",
        NOT_IN_SOURCE,
        "c_{>1} = 0, φ ≤ 1 and ψ ≤ 1; the threshold is d = n",
        ("theory.ridgeless: low_rank",),
        lambda: _weights(limits.low_rank(SYMBOLS, phi, psi, c_1)[1]),
        _numbers(RidgelessCase.LOW_RANK, 0.5, 0.75, 0.0),
    ),
}
