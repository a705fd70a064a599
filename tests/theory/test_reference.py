"""Values of an independent program, to all their digits."""

from __future__ import annotations

import mpmath
import pytest

import theorycalc as tc

NAMES = {
    "m1": "m1",
    "m2": "m2",
    "m1_slope": "dm1",
    "m2_slope": "dm2",
    "kappa": "kappa",
    "train_gain": "train_gain",
    "test_gain": "test_gain",
    "train_loss_initial": "train_loss_initial",
    "test_loss_initial": "test_loss_initial",
}


def problem_of(case: dict) -> tc.Problem:
    activation = tc.Activation.from_moments(case["c1"], case["c_rest"])
    return tc.Problem(activation, case["teacher"], case["phi"], case["psi"], case["ridge"], case["noise_std"])


@pytest.mark.checks("weights", "Omega_inverse", "Omega", "r", "projection", "Delta", "Lambda")
@pytest.mark.parametrize("form", ["closed", "matrix"])
def test_proven_digits_agree_with_the_reference(reference_gains, form):
    with mpmath.workdps(60):
        for case in reference_gains:
            prediction = tc.predict(problem_of(case), ell=case["ell"], digits=46, form=form)
            for ours, theirs in NAMES.items():
                reference = mpmath.mpf(case[theirs])
                value = mpmath.mpf(getattr(prediction, ours))
                assert abs(value - reference) <= mpmath.mpf("2e-46") * abs(reference), (ours, case)


@pytest.mark.checks(
    "weights", "direction", "scatter", "energy", "S", "T", "B", "Delta", "Lambda", "train_loss", "test_loss", "slopes"
)
def test_floats_agree_with_the_reference(reference_gains):
    for case in reference_gains:
        prediction = tc.predict(problem_of(case), ell=case["ell"])
        for ours, theirs in NAMES.items():
            assert abs(getattr(prediction, ours) / mpmath.mpf(case[theirs]) - 1) < 1e-14, (ours, case)


def test_a_perturbed_reference_is_noticed(reference_gains):
    """The comparison can fail: a change in the 44th digit is seen."""
    case = reference_gains[0]
    with mpmath.workdps(60):
        reference = mpmath.mpf(case["m1"]) * (1 + mpmath.mpf("1e-44"))
        value = mpmath.mpf(tc.predict(problem_of(case), ell=case["ell"], digits=46).m1)
        assert abs(value - reference) > mpmath.mpf("2e-46") * abs(reference)
