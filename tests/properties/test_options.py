"""Networks as people build them: intercepts, raw activations, labels with a mean, channels, scales and several steps.

See docs/theory/intercept.md, docs/theory/channels.md and docs/theory/options.md#scales.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import theorycalc as tc
from tests.properties import invariant
from tests.properties.drawing import binary
from theorycalc.model.enums import GradientTarget
from theorycalc.theory.limits import fields_of

pytestmark = pytest.mark.slow

#: Float64 is documented to be within 1e-14 of the truth; each of two results may be as far from it.
TOLERANCE = 2e-14
HOMOGENEOUS = ("relu", "leaky_relu(0.1)", "x")
_ACTIVATIONS = (*HOMOGENEOUS, "tanh(x + 1)", "softplus", "erf", "H1 + H3/5", "relu(x - 1)", "H1 + H2/10 + 1/5")
_TEACHERS = ("H1 + H2/2", "H1 + 1/3", "H1/1000 + H4", "t1 + t1*t2", "t1 + t2 + 1/2", ["1", "0", "-1/3"])
_SHARES = st.sampled_from(["0", "0", "1e-12", "1/10", "1/2", "9/10", "1"])
_LENGTHS = st.sampled_from(["1", "1", "1/sqrt(3)", "sqrt(2)", "1e-6", "1e6"])
_OPTIONS = st.fixed_dictionaries(
    {
        "noise": st.sampled_from(["0", "1/2", "1e-8", "1e4"]),
        "first_layer": st.sampled_from(["sphere", "gaussian"]),
        "second_layer": st.sampled_from(["gaussian", "uniform", "sign", "constant"]),
        **{name: st.booleans() for name in ("intercept", "centred", "centred_labels")},
        **dict.fromkeys(("first_scale", "second_scale"), _LENGTHS),
        **dict.fromkeys(("corrupt_step", "corrupt_fit", "flip_step", "flip_fit"), _SHARES),
        "steps": st.sampled_from([1, 1, 3, 10**6]),
    }
)
_LIMITS = st.sampled_from([{"network": "theorem"}, *({"network": "literal", "gradient": g} for g in GradientTarget)])
_ELLS = st.sampled_from([0, 1, 2, 3, 5, "inf"])


def made(**given: Any) -> tc.Problem:
    """Return a problem with these options, or draw again where they do not go together."""
    try:
        return tc.Problem(**given)
    except tc.ArgumentError:
        reject()


def cases(activations: tuple[str, ...] = _ACTIVATIONS, **fixed: Any) -> st.SearchStrategy[tc.Problem]:
    return st.builds(
        lambda activation, teacher, phi, psi, ridge, options: made(
            **({"activation": activation, "teacher": teacher, "phi": phi, "psi": psi, "ridge": ridge} | options | fixed)
        ),
        st.sampled_from(activations),
        st.sampled_from(_TEACHERS),
        *(binary(-6, 6), binary(-6, 6), st.one_of(st.just(Fraction(0)), binary(-8, 8))),
        _OPTIONS,
    )


def limit(case: tc.Problem, ell: Any, how: dict[str, str], digits: int | None = None) -> dict[str, float]:
    """Return every number of a limit, or draw again where no formula covers it."""
    try:
        found = tc.predict(case, ell=ell, digits=digits, **how)
    except tc.TheoryError:
        reject()
    return {name: float(getattr(found, name)) for name in fields_of(case)}


def differing(one: dict[str, float], other: dict[str, float]) -> dict[str, tuple[float, float]]:
    """Return the numbers that are not the same."""
    both = {name: (one[name], other[name]) for name in one if name in other}
    return {name: (x, y) for name, (x, y) in both.items() if x != y and not abs(x - y) <= TOLERANCE * abs(y)}


def test_differing_is_not_blind():
    one = limit(tc.Problem("relu", "H1", 1, 1, 1), 1, {})
    assert not differing(one, one)
    assert differing(one, one | {"test_gain": one["test_gain"] * (1 + 1e-12)}).keys() == {"test_gain"}


@invariant("options: float64 has the proven digits")
@given(case=cases(), ell=_ELLS, how=_LIMITS)
def test_float64_has_the_proven_digits(case, ell, how):
    assert not differing(limit(case, ell, how), limit(case, ell, how, digits=25))


@invariant("options: no gain is negative, no loss below the noise")
@given(case=cases(), ell=_ELLS, how=_LIMITS)
def test_signs_and_bounds(case, ell, how):
    """A gain on clean labels is negative where most of the fit's signs are wrong."""
    found = limit(case, ell, how)
    negative = {name for name, value in found.items() if not value >= 0}
    assert negative <= {"rho", "m1_slope", "m2_slope", "test_gain_clean"}
    assert found["test_loss"] >= float(case.noise) ** 2 * (1 - TOLERANCE)
    assert found["train_gain"] <= found["train_loss_initial"] * (1 + TOLERANCE)
    if case.fit_fidelity == 0:  # labels that tell nothing
        assert found["train_gain"] == found["test_gain"] == found["test_gain_clean"] == 0
    if case.fit_fidelity >= 0:
        assert found.get("test_gain_clean", 0) >= 0


@invariant("options: with an intercept raw activations are centred ones")
@given(case=cases(intercept=True), ell=_ELLS, how=_LIMITS.filter(lambda how: how.get("gradient") != "residual"))
def test_with_an_intercept_raw_activations_are_centred_ones(case, ell, how):
    """Beside a step on the residual, where the initial output of raw activations has a mean."""
    raw, centred = (limit(replace(case, centred=centred), ell, how) for centred in (False, True))
    assert raw == centred


@invariant("options: q → 1 − q in the fit changes no loss on its labels")
@given(case=cases(centred_labels=True), ell=_ELLS, how=_LIMITS)
def test_wrong_signs_of_all_labels_change_no_loss_on_them(case, ell, how):
    found = limit(replace(case, flip_fit=1 - case.flip_fit), ell, how)
    assert not differing(limit(case, ell, how), {name: x for name, x in found.items() if "clean" not in name})


@pytest.mark.parametrize("activation", HOMOGENEOUS)
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("method", ["dressed", "pencil"])
def test_longer_rows_of_homogeneous_activations(activation, gradient, method):
    """σ(gz) = gσ(z): features and the initial output are g times as large, so g_a → g_a g, λ → λ/g² and η → η/g²."""
    options = {"noise": "1/2", "intercept": True, "corrupt_step": "1/5", "corrupt_fit": "1/10", "n": 600}
    case = tc.Problem(activation, "H1 + H2/2", d=300, N=400, ridge="1/10", **options)
    long = tc.step(replace(case, first_scale="sqrt(2)"), eta=6, gradient=gradient, method=method)
    strong = tc.step(replace(case, second_scale="sqrt(2)", ridge="1/20"), eta=3, gradient=gradient, method=method)
    for name in ("train_gain", "test_gain", "train_loss", "test_loss", "test_gain_clean"):
        assert getattr(long, name) == pytest.approx(getattr(strong, name), rel=1e-8)
