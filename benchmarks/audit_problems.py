"""The problems of ``make audit``: drawn over the whole domain, in binary64.

φ, ψ, λ are log-uniform in 10^±8 (and λ = 0), c's in 10^±3 or those of a named activation, ℓ goes to 40 and ∞ and
teachers to degree 40.  Every option is drawn for itself, as far as what is known of c_2 and of σ' allows, and the limit
is the theorem's or that of literal networks.  There are three kinds: spread evenly, at corners of the domain, and
where spikes with gaps hardly see the teacher, so that the gain nearly vanishes although none of its terms does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import theorycalc as tc
from theorycalc.functions.primitives import activation_names
from theorycalc.model.moments import MomentsActivation
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.exact import is_zero
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.gains import parts_of

KINDS = ("log-uniform", "corners", "nearly vanishing")
HIGHEST = 40
NAMED = 0.15  # the share of problems with an activation of the library
#: Teachers that are no polynomials, and whether ℓ = ∞ can be asked of them at any correlation.
TEXTS = {"sin(x)": True, "x + cos(x)": True, "exp(x/2)": True, "relu": False, "erf(x)": False, "tanh(x + 1)": False}


@functools.cache
def names() -> tuple[str, ...]:
    """Return the activations of the library that have defaults and a step: c_1 ≠ 0."""
    return tuple(name for name in activation_names() if name != "threshold" and not is_zero(tc.activation(name).c1))


@functools.cache
def continuous() -> frozenset[str]:
    """Return those of them that a gradient sees all of: without jumps."""
    return frozenset(name for name in names() if tc.activation(name).is_continuous is not False)


def limit_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what predict() is asked for: ℓ, and the theorem or literal networks by what their step is taken on."""
    asked = {} if case["network"] == "theorem" else {"network": "literal", "gradient": case["network"]}
    return {"ell": case["ell"], **asked}


def draw(rng: np.random.Generator, kind: str, named: float = NAMED) -> dict[str, Any]:
    """One problem of a kind; where nothing aims at its coefficients, a share of them has a ``named`` activation."""
    if kind == "nearly vanishing":
        return _nearly_vanishing(rng)
    corners = kind == "corners"
    phi = _size(rng, corners, 8) if rng.random() < 0.9 else float(rng.choice([1, 1 + 1e-13, 1 - 1e-10]))
    psi = _size(rng, corners, 8) if rng.random() < 0.8 else phi * float(rng.choice([1, 1 + 1e-12, 1 - 1e-9, 1.001]))
    activation = str(rng.choice(names())) if rng.random() < named else None
    coefficients = None
    if rng.random() < 0.2:
        coefficients = [_signed(rng, corners) * float(rng.integers(2)) for _ in range(int(rng.integers(1, 6)))]
    knows_c2 = activation is not None or coefficients is not None
    teacher = str(rng.choice(list(TEXTS))) if rng.random() < 0.05 else _teacher(rng, corners)
    endless = rng.random() < 0.1 and (not isinstance(teacher, str) or TEXTS[teacher])
    second_layer = str(rng.choice(["gaussian", "uniform", "sign", "constant"]))
    first_layers = ["sphere", "gaussian"] if knows_c2 else ["sphere"]
    present = _present(rng) if rng.random() < 0.3 else None
    ell: int | str = "inf" if endless else int(rng.integers(0, HIGHEST + 1))
    knows_slope = activation in continuous() if activation else coefficients is not None or ell in (0, 1)
    networks = ["theorem", "labels", "residual"] if knows_slope else ["theorem"]
    if not knows_c2 and second_layer == "constant":
        networks = [name for name in networks if name != "residual"]
    return {
        "activation": activation,
        "coefficients": coefficients,
        "c1": _signed(rng, corners),
        "c_rest": _size(rng, corners, 3),
        "present": present,
        "teacher": teacher,
        "phi": phi,
        "psi": psi,
        "ridge": 0.0 if rng.random() < 0.05 else _size(rng, corners, 8),
        "noise": 0.0 if rng.random() < 0.4 else _size(rng, corners, 3),
        "network": str(rng.choice(networks)),
        "first_layer": str(rng.choice(first_layers)),
        "second_layer": second_layer,
        "step_samples": float(rng.choice([0.1, 1, 7])) if rng.random() < 0.2 else None,
        "ell": ell,
    }


def _size(rng: np.random.Generator, corners: bool, decades: int) -> float:
    if corners and rng.random() < 0.6:
        return float(10.0 ** rng.choice([-decades, 0, decades]))
    return float(10 ** rng.uniform(-decades, decades))


def _signed(rng: np.random.Generator, corners: bool) -> float:
    return _size(rng, corners, 3) * float(rng.choice([-1, 1]))


def _present(rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(sorted({1, *map(int, rng.integers(2, HIGHEST + 1, rng.integers(1, 8)))}))


def _teacher(rng: np.random.Generator, corners: bool) -> list[float]:
    degree = int(rng.integers(1, HIGHEST + 1))
    kind = rng.integers(3)
    if kind == 0:  # equal energies
        return [float(rng.standard_normal()) / math.sqrt(math.factorial(k)) for k in range(1, degree + 1)]
    if kind == 1:
        return [_signed(rng, corners) for _ in range(degree)]
    whole = [float(c) for c in rng.integers(-3, 4, degree)]  # T(1) is often zero, or nearly
    return whole if any(whole) else [1.0, *whole[1:]]  # no teacher and no noise is an error


def _nearly_vanishing(rng: np.random.Generator) -> dict[str, Any]:
    """Aim ρ² at a zero of what one direction in the span sees of the teacher, and miss it by 10^-U(2, 15)."""
    while True:
        present = tuple(sorted({1, *map(int, rng.integers(2, 13, rng.integers(1, 3)))}))
        teacher = [float(c) for c in rng.standard_normal(present[-1])]
        teacher[0] *= 10 ** rng.uniform(-3, 0)
        parts = parts_of(FLOATS, teacher, 0.0, Spikes(present))
        roots = [t for row in parts.spanned for t in _roots(row.coefficients)]
        if not roots:
            continue
        t = float(rng.choice(roots)) * (1 + float(rng.choice([-1, 1])) * 10 ** rng.uniform(-15, -2))
        phi = parts.linear * (1 / t - 1) / (parts.linear + parts.rest)
        return {
            "coefficients": None,
            "c1": _signed(rng, corners=False),
            "c_rest": _size(rng, False, 3),
            "present": present,
            "teacher": teacher,
            "phi": phi,
            "psi": _size(rng, False, 8),
            "ridge": _size(rng, False, 8),
            "noise": 0.0,
            "network": "theorem",
            "first_layer": "sphere",
            "second_layer": "gaussian",
            "step_samples": None,
            "ell": present[-1],
        }


def _roots(coefficients: tuple[float, ...]) -> list[float]:
    """The zeros of Σ_j coefficients[j] t^j well inside 0 < t < 1."""
    found = np.roots([float(c) for c in reversed(coefficients)])
    return [float(t.real) for t in found if abs(t.imag) < 1e-12 and 1e-4 < t.real < 0.999]


def problem_of(case: dict[str, Any], exact: bool) -> tc.Problem:
    """Return the problem of the floats, or of the rational numbers that they are."""
    number = Fraction if exact else float
    teacher = case["teacher"]
    return tc.Problem(
        _activation(case, number),
        teacher if isinstance(teacher, str) else [number(c) for c in teacher],
        **{name: number(case[name]) for name in ("phi", "psi", "ridge", "noise")},
        **{name: case[name] for name in ("first_layer", "second_layer")},
        step_samples=None if case["step_samples"] is None else number(case["step_samples"]),
    )


def _activation(case: dict[str, Any], number: Callable[[float], Any]) -> tc.Activation | str:
    if case.get("activation"):
        return str(case["activation"])
    if case["coefficients"] is None:
        return tc.Activation.from_moments(number(case["c1"]), number(case["c_rest"]), present=case["present"])
    c_rest = math.sqrt(sum(math.factorial(k) * c * c for k, c in enumerate(case["coefficients"], start=2)))
    present = tuple(k for k, c in enumerate([case["c1"], *case["coefficients"]], start=1) if c)
    spread = sum(k * math.factorial(k) * c * c for k, c in enumerate(case["coefficients"], start=2))
    known = [number(x) for x in (case["c1"], c_rest, case["coefficients"][0], spread)]
    return MomentsActivation(known[0], known[1], present, known[2], name="drawn", slope_variance=known[3])


def describe(case: dict[str, Any]) -> str:
    """Return a problem in one line: its sizes to three digits, and the options that are not the usual ones."""
    if case.get("activation"):
        activation = case["activation"]
    elif case["coefficients"] is not None:
        activation = f"c_1 = {case['c1']:.3g}, c_2, … = {', '.join(f'{c:.3g}' for c in case['coefficients'])}"
    else:
        present = "" if case["present"] is None else f", K = {case['present']}"
        activation = f"c_1 = {case['c1']:.3g}, c_{{>1}} = {case['c_rest']:.3g}{present}"
    teacher = case["teacher"] if isinstance(case["teacher"], str) else f"teacher of degree {len(case['teacher'])}"
    sizes = ", ".join(
        f"{letter} = {case[name]:.3g}"
        for letter, name in (("φ", "phi"), ("ψ", "psi"), ("λ", "ridge"), ("σ_ε", "noise"))
    )
    usual = {"network": "theorem", "first_layer": "sphere", "second_layer": "gaussian"}
    options = [f"{name} {case[name]}" for name in usual if case[name] != usual[name]]
    if case["step_samples"] is not None:
        options.append(f"step_samples {case['step_samples']:g}")
    return ", ".join([activation, teacher, sizes, f"ℓ = {case['ell']}", *options])
