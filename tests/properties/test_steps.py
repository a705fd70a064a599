"""Finite steps: the pencil between no step and strong spikes, and dressed features.

See docs/theory/pencil.md#two-limits and docs/theory/dressed.md.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import theorycalc as tc
from tests.properties import BALLS, invariant
from tests.properties.drawing import (
    SIGNS,
    TEACHER_LISTS,
    binary,
    changed,
    each,
    occurring,
    problems,
    scaled_activation,
)
from tests.properties.systems import on_the_residual, predicted
from theorycalc.model.enums import GradientTarget
from theorycalc.theory.dressed.accuracy import ACCURACY

pytestmark = pytest.mark.slow

#: Degree 4 at most, and no part much larger than the first: a step on larger labels leaves float64 no digits.
TEACHERS = TEACHER_LISTS.map(lambda c: [x / factorial(k) for k, x in enumerate(c[:4], start=1)])
GENTLE = {"for_steps": True, "ridgeless": False, "teachers": TEACHERS, "decades": 0}
CASES = problems(**GENTLE)
STEP_GRADIENTS = st.sampled_from(GradientTarget)
STEPS = binary(-2, 1)
#: Each combination of options, so that none is left to chance, and for what takes longer each value of an option.
CLEAR = ("relu", "elu", "softplus", "tanh(x + 1)")  # of a clear c_2
OCCURRING = occurring(CLEAR)
EACH_OPTION = OCCURRING[::5]
NAMES = ("train_gain", "test_gain", "train_loss", "test_loss")
N_SAMPLES = 1000


def close(found, expected, name):
    """Whether two results agree as far as their own errors allow: relative to the losses before the step."""
    size = getattr(expected, f"{name.partition('_')[0]}_loss_initial")
    allowed = 4 * max(float(np.max(found.error)), float(np.max(expected.error)), ACCURACY)
    return abs(getattr(found, name) - getattr(expected, name)) <= allowed * size


def test_close_is_not_blind():
    case = tc.Problem("tanh(x + 1)", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2")
    one, other = (tc.step(case, n=N_SAMPLES, eta=eta) for eta in (3, "3.0001"))
    assert all(close(one, one, name) for name in NAMES)
    assert not all(close(one, other, name) for name in NAMES)


@pytest.mark.checks("pencil_gains", "mid", "strengths")
@invariant("pencil → Δ_ℓ, Λ_ℓ as spikes grow", share=0.2)
@each("case", occurring(CLEAR, second_layer="gaussian"), ell=2, gradient="residual")
@each("case", occurring(CLEAR, second_layer="gaussian"), ell=2, gradient="labels")
@given(
    case=problems(**GENTLE, second_layer="gaussian", step_samples=None),
    ell=st.sampled_from([1, 2]),
    gradient=STEP_GRADIENTS,
)
def test_strong_spikes_of_the_pencil_are_the_limits(system, case, ell, gradient):
    """Limits with spikes h^k, as in the theorem, along the direction that the gradient has.

    In the middle of a window what is neglected falls at least as n^(−1/6): in 18 decades to a thousandth.
    Asked for is a tenth, since a spike with a small c_2 is not yet strong where the decades begin.
    """
    c = case.activation.coefficients(2)
    assume(case.activation.spikes(2) == (1, 2) and abs(c[2]) > abs(c[1]) / 20)
    alpha = {1: "1/8", 2: "7/24"}[ell]
    gaps = []
    digits = 20 if system == BALLS else None
    for n in (10**16, 10**34):
        found = tc.step(case, n=n, alpha=alpha, gradient=gradient, method="pencil", digits=digits)
        limit = (on_the_residual if gradient == "residual" else predicted)(system, found.problem, ell)
        sizes = limit.train_loss_initial, limit.test_loss_initial
        gaps.append([abs(getattr(found, name) - getattr(limit, name)) for name in ("train_gain", "test_gain")])
    for far, near, size in zip(*gaps, sizes, strict=True):
        assert near <= far / 10 + (1e-18 if system == BALLS else 1e-12) * size


@pytest.mark.checks("pencil_gains", "mid", "strengths", "spike_factor", "pencil_blocks", "initial_scatter")
@invariant("pencil: float64 has the proven digits", share=0.2)
@each("case", OCCURRING, eta=Fraction(8), gradient="residual")
@each("case", OCCURRING, eta=Fraction(8), gradient="labels")
@given(case=CASES, eta=STEPS, gradient=STEP_GRADIENTS)
def test_the_pencil_in_float64_has_the_proven_digits(case, eta, gradient):
    """To 1e-12 of the loss at a small step; at any, where its series may not settle, to the error that it reports."""
    for size, reported in ((eta, 1), (eta / 1000, 0)):
        asked = {"n": N_SAMPLES, "eta": size, "gradient": gradient, "method": "pencil"}
        rounded, proven = (tc.step(case, **asked, digits=digits) for digits in (None, 20))
        assert rounded.powers == proven.powers
        for name in NAMES:
            loss = float(getattr(proven, f"{name.partition('_')[0]}_loss_initial"))
            difference = float(getattr(rounded, name)) - float(getattr(proven, name))
            assert abs(difference) <= 1e-12 * loss + reported * float(rounded.error), name


@invariant("pencil → 0 as η → 0", share=0.2)
@each("case", OCCURRING, gradient="residual")
@each("case", OCCURRING, gradient="labels")
@given(case=CASES, gradient=STEP_GRADIENTS)
def test_the_pencil_without_a_step_gains_nothing(system, case, gradient):
    """The gain falls as η²."""
    asked = {"n": N_SAMPLES, "gradient": gradient, "method": "pencil", "digits": 20 if system == BALLS else None}
    found = [tc.step(case, eta=Fraction(1, 10**k), **asked) for k in (6, 8)]
    for name in ("train_gain", "test_gain"):
        size = float(getattr(found[0], f"{name.partition('_')[0]}_loss_initial"))
        large, small = (float(getattr(step, name)) for step in found)
        floor = 0 if system == BALLS else 1e-17 * size
        assert abs(small) <= abs(large) / 5000 + floor
        assert abs(large) <= 1e-6 * size


@invariant("finite step: none gains nothing", share=0.05)
@each("case", EACH_OPTION, method="dressed", gradient="residual")
@given(case=CASES, method=st.sampled_from(["dressed", "isotropic"]), gradient=STEP_GRADIENTS)
def test_no_step_gains_nothing(case, method, gradient):
    found = tc.step(case, n=N_SAMPLES, eta=[0, 1e-6], gradient=gradient, method=method)
    assert found.train_gain[0] == found.test_gain[0] == 0
    before = tc.predict(found.problem, ell=0)
    for name in ("train_loss", "test_loss"):
        loss, limit = getattr(found, name)[0], getattr(before, name)
        assert loss == np.atleast_1d(getattr(found, f"{name}_initial"))[0]
        # terms of order 1/n above a fifth are left out
        assert abs(loss / limit - 1) <= (ACCURACY if method == "isotropic" else 1 / 5)
    assert abs(found.test_gain[1]) <= 1e-6 * before.test_loss


@invariant("finite step: no loss is negative", share=0.05)
@each("case", EACH_OPTION, eta=Fraction(8), gradient="residual")
@given(case=CASES, eta=STEPS, gradient=STEP_GRADIENTS)
def test_no_loss_is_negative(case, eta, gradient):
    found = tc.step(case, n=N_SAMPLES, eta=eta, gradient=gradient)
    assert 0 < found.train_error <= found.train_loss * (1 + 4 * max(float(found.error), ACCURACY))
    assert float(case.noise) ** 2 <= found.test_loss * (1 + 4 * max(float(found.error), ACCURACY))


@invariant("finite step: y → sy, η → η/s multiplies losses by s²", share=0.05)
@each("case", OCCURRING, eta=Fraction(8), power=1)
@given(case=CASES, eta=STEPS, power=st.sampled_from([-3, -1, 1, 4]))
def test_labels_may_have_any_unit(case, eta, power):
    scale = Fraction(2) ** power
    scaled = changed(case, teacher=[scale * c for c in case.teacher.coefficients], noise=scale * case.noise)
    plain, other = _on_labels(case, eta), _on_labels(scaled, eta / scale)
    back = _divided(other, float(scale) ** 2)
    assert all(close(back, plain, name) for name in NAMES)


def _on_labels(case, eta):
    return tc.step(case, n=N_SAMPLES, eta=eta, gradient="labels")


def _divided(found, factor):
    names = (*NAMES, "train_loss_initial", "test_loss_initial")
    return replace(found, **{name: getattr(found, name) / factor for name in names})


@invariant("finite step: σ → sσ, η → η/s, λ → s²λ changes no loss", share=0.05)
@each("case", OCCURRING, eta=Fraction(8), power=1, sign=-1)
@given(case=CASES, eta=STEPS, power=st.sampled_from([-3, -1, 1, 4]), sign=SIGNS)
def test_features_may_have_any_unit(case, eta, power, sign):
    """The gradient of a labels-only step is s times as long: η/s takes the same step."""
    scale = Fraction(2) ** power
    activation = scaled_activation(case.activation, sign * scale)
    second = "gaussian" if case.second_layer == "constant" and sign < 0 else case.second_layer
    case = changed(case, second_layer=second)
    scaled = changed(case, activation=activation, ridge=scale**2 * case.ridge)
    plain, other = _on_labels(case, eta), _on_labels(scaled, eta / scale)
    assert all(close(other, plain, name) for name in NAMES)


@invariant("finite step: the sign of the teacher changes nothing", share=0.05)
@each("case", EACH_OPTION, eta=Fraction(8), gradient="residual", sign=-1, mirror=-1)
@given(case=CASES, eta=STEPS, gradient=STEP_GRADIENTS, sign=SIGNS, mirror=SIGNS)
def test_a_mirrored_teacher_is_learned_as_well(case, eta, gradient, sign, mirror):
    """σ⋆(−z) always; −σ⋆(z) where a and −a have one law, for it turns the step round."""
    sign = 1 if case.second_layer == "constant" else sign
    teacher = [sign * mirror**k * c for k, c in enumerate(case.teacher.coefficients, start=1)]
    asked = {"n": N_SAMPLES, "eta": eta, "gradient": gradient}
    plain, other = (tc.step(x, **asked) for x in (case, changed(case, teacher=teacher)))
    assert all(close(other, plain, name) for name in NAMES)


@pytest.mark.checks("feature_expansion", "pencil_norm")
@invariant("finite step: the pencil is its small-step limit", share=0.05)
@each("case", EACH_OPTION, eta="1", gradient="residual")
@given(case=CASES, eta=st.sampled_from(["1/100", "1/10", "1"]), gradient=STEP_GRADIENTS)
def test_small_steps_are_the_pencil(case, eta, gradient):
    """At fixed η what the pencil neglects falls as η²/N, and as η/√N where all a_i are equal: in two decades to a
    hundredth or a tenth; asked for is twice that."""
    shrinks = 5 if case.second_layer == "constant" else 50
    gaps = []
    for n in (10**6, 10**8):
        asked = {"n": n, "eta": eta, "gradient": gradient}
        dressed, pencil = (tc.step(case, **asked, method=method) for method in ("dressed", "pencil"))
        sizes = dressed.train_loss_initial, dressed.test_loss_initial
        gaps.append([abs(getattr(dressed, name) - getattr(pencil, name)) for name in ("train_gain", "test_gain")])
    for wide, wider, size in zip(*gaps, sizes, strict=True):
        assert wider <= wide / shrinks + 4 * max(float(dressed.error), ACCURACY) * size
