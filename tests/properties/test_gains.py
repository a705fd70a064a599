"""Gains and losses: signs, order, bounds, forms, scalings and limits.

See docs/theory/training_gain.md#the-closed-form and docs/theory/test_gain.md#after-the-step.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import theorycalc as tc
from tests.properties import BALLS, FLOATS, MPMATH, NUMERIC, invariant
from tests.properties.drawing import (
    ELLS,
    LABELS_ALONE,
    NETWORKS,
    SIGNS,
    TEACHER_LISTS,
    changed,
    each,
    each_limit,
    limit_of,
    occurring,
    problems,
    scaled_activation,
)
from tests.properties.systems import (
    DIGITS,
    MP,
    OUTPUTS,
    TOLERANCE,
    at_most,
    differences,
    exact,
    noise_variance,
    on_the_residual,
    predicted,
)
from theorycalc.theory.conditions import spikes_of

LADDER = (0, 1, 2, 3, 4, 5, 8, 40, "inf")
#: Infinitely many spikes of a teacher that is no polynomial go through balls in every system but balls: nothing to ask.
LISTED = problems(teachers=TEACHER_LISTS)
#: Each activation and each combination of options, so that none is left to chance.
OCCURRING = occurring()


def scale_for(system, power):
    """A factor by which float64 loses nothing, and one of no such kindness elsewhere."""
    return Fraction(2) ** power * (1 if system == FLOATS else Fraction(3, 7))


@pytest.mark.slow
@pytest.mark.checks("Delta", "Lambda")
@invariant("Δ_ℓ, Λ_ℓ ≥ 0")
@each_limit(OCCURRING, ell=3)
@given(case=LISTED, ell=ELLS, network=NETWORKS)
def test_no_gain_is_negative(system, case, ell, network):
    found = predicted(system, case, ell, network)
    assert found.train_gain >= 0
    assert found.test_gain >= 0


@pytest.mark.slow
@pytest.mark.checks("Delta", "Lambda", "B")
@invariant("Δ_ℓ, Λ_ℓ are non-decreasing in ℓ", share=0.2)
@each_limit(OCCURRING)
@given(case=LISTED, network=NETWORKS)
def test_a_window_more_gains_no_less(system, case, network):
    """Of a Gaussian first layer Δ only: the spikes are fitted in the train metric, and the test metric weighs the
    constant otherwise, so that one more spike may cost a little of Λ."""
    steps = [predicted(system, case, ell, network) for ell in LADDER]
    for lower, higher in pairwise(steps):
        assert at_most(system, lower.train_gain, higher.train_gain, higher.train_gain)
        if case.first_layer == "sphere":
            assert at_most(system, lower.test_gain, higher.test_gain, higher.test_gain)


def test_with_a_gaussian_first_layer_a_spike_more_may_cost():
    """An example that random draws have found, by proven digits: so the order above is asked on the sphere only."""
    teacher = ["0.58", "1.44", "3", "-1.14", "2.56", "-0.68", "1.44", "-1.22"]
    sphere = tc.Problem("elu", teacher, "0.256", "0.0521", "1e-12", step_samples="0.256")
    gaussian = changed(sphere, first_layer="gaussian")
    gains = {
        (case.first_layer, ell): tc.predict(case, ell=ell, digits=25).test_gain
        for case in (sphere, gaussian)
        for ell in LADDER[1:]
    }
    assert all(gains["sphere", low] <= gains["sphere", high] for low, high in pairwise(LADDER[1:]))
    assert any(gains["gaussian", low] > gains["gaussian", high] for low, high in pairwise(LADDER[1:]))


@pytest.mark.slow
@pytest.mark.checks("Delta", "train_loss")
@invariant("Δ_ℓ ≤ L_tr(F₀)")
@each_limit(OCCURRING, ell=3)
@given(case=LISTED, ell=ELLS, network=NETWORKS)
def test_no_more_is_gained_in_training_than_there_is(system, case, ell, network):
    found = predicted(system, case, ell, network)
    assert at_most(system, found.train_gain, found.train_loss_initial, found.train_loss_initial)


@pytest.mark.slow
@pytest.mark.checks("Lambda", "test_loss")
@invariant("Λ_ℓ ≤ L_te(F₀) − σ_ε²")
@each_limit(OCCURRING, ell=3)
@given(case=LISTED, ell=ELLS, network=NETWORKS)
def test_the_noise_is_never_gained(system, case, ell, network):
    found = predicted(system, case, ell, network)
    assume(found.test_loss_initial != MP.inf)
    left = found.test_loss_initial - noise_variance(case)
    assert at_most(system, found.test_gain, left, found.test_loss_initial)
    assert at_most(system, noise_variance(case), found.test_loss, found.test_loss)


@pytest.mark.slow
@pytest.mark.checks("train_loss", "test_loss", "left")
@invariant("before − gain = after")
@each_limit(OCCURRING, ell=3)
@given(case=LISTED, ell=ELLS, network=NETWORKS)
def test_losses_add_up(system, case, ell, network):
    found = predicted(system, case, ell, network)
    for kind in ("train", "test"):
        before, gain, after = (getattr(found, f"{kind}_{part}") for part in ("loss_initial", "gain", "loss"))
        if before != MP.inf:
            assert at_most(system, abs(before - gain - after), 0, before)


@pytest.mark.slow
@pytest.mark.checks("train_error")
@invariant("0 ≤ E_tr ≤ L_tr, and E_tr = (λs)² L_te")
@each_limit(OCCURRING, ell=3)
@given(case=LISTED, ell=ELLS, network=NETWORKS)
def test_the_training_error_is_a_part_of_the_loss(system, case, ell, network):
    """At λ = 0 the loss has no penalty in it; where the test loss is infinite, nothing is left of the error."""
    found = predicted(system, case, ell, network)
    for error, train, test in (
        (found.train_error_initial, found.train_loss_initial, found.test_loss_initial),
        (found.train_error, found.train_loss, found.test_loss),
    ):
        assert error >= 0
        assert at_most(system, error, train, train)
        if case.ridge:
            weight = exact(case.ridge) * exact(case.psi) * found.m1 / exact(case.phi)
            assert at_most(system, abs(error - weight**2 * test), 0, error)
        else:
            assert at_most(system, abs(error - train), 0, train)
        assert error == 0 or test != MP.inf


@pytest.mark.slow
@pytest.mark.checks("Delta", "Lambda", "Omega_inverse", "r", "B", "T", "left", "train_loss", "test_loss", "projection")
@invariant("matrix form = closed form", *NUMERIC)
@each("case", OCCURRING[::2], ell=3, limit=predicted)
@each("case", OCCURRING[1::2], ell=3, limit=on_the_residual)
@given(
    case=problems(teachers=TEACHER_LISTS, ridgeless=False),
    ell=st.integers(1, 7),
    limit=st.sampled_from([predicted, on_the_residual]),
)
def test_the_matrix_form_is_the_closed_form(system, case, ell, limit):
    assume(limit is predicted or case.activation.c2 is not None or case.second_layer != "constant")
    closed = limit(system, case, ell)
    try:
        matrix = limit(system, case, ell, form="matrix")
    except tc.PrecisionError:
        assert system == FLOATS  # which says so where Ω is too ill-conditioned for it
        return
    if system == BALLS:
        assert not list(differences(system, closed, matrix))
        return
    # Ω is as ill-conditioned as a moment matrix: float64 refuses beyond 1e-8, mpmath loses as many digits of its 60.
    allowed = MP.mpf("1e-8") if system == FLOATS else MP.mpf("1e-25")
    for name in OUTPUTS:
        kind = name.partition("_")[0]
        size = getattr(closed, f"{kind}_loss_initial")
        assert abs(getattr(matrix, name) - getattr(closed, name)) <= allowed * size, name


@pytest.mark.checks("Delta", "Lambda")
@invariant("ℓ = 1, 2: general = special", *NUMERIC)
@each("case", occurring(first_layer="sphere")[::2], limit=predicted)
@each("case", occurring(first_layer="sphere")[1::2], limit=on_the_residual)
@given(
    case=problems(teachers=TEACHER_LISTS, ridgeless=False, first_layer="sphere"),
    limit=st.sampled_from([predicted, on_the_residual]),
)
def test_the_first_two_windows_are_the_special_formulas(system, case, limit):
    """Δ_1, Δ_2 as printed, and Λ_1, Λ_2 with their factor φ/(ψm_1²)."""
    assume(spikes_of(case, 2).listed == (1, 2))
    assume(limit is predicted or case.activation.c2 is not None or case.second_layer != "constant")
    first, second = (limit(system, case, ell) for ell in (1, 2))
    phi, psi, lam = map(exact, (case.phi, case.psi, case.ridge))
    c1, c2 = (exact(c) for c in (*case.teacher.coefficients, Fraction(0))[:2])
    linear, square = c1**4 / first.kappa, 4 * c1**4 * c2**2 / (3 * first.kappa**2)
    Delta_1, factor = psi * lam * linear * first.m2 / phi, phi / (psi * first.m1**2)
    Lambda_1 = factor * linear * -first.m2_slope
    special = first._replace(train_gain=Delta_1, test_gain=Lambda_1)
    assert not list(differences(system, special, first, ("train_gain", "test_gain")))
    special = second._replace(
        train_gain=Delta_1 + psi * lam * square * first.m1 / phi,
        test_gain=Lambda_1 + factor * square * -first.m1_slope,
    )
    assert not list(differences(system, special, second, ("train_gain", "test_gain")))


@pytest.mark.slow
@pytest.mark.checks("slides_Lambda")
@invariant("Λ_1, Λ_2 as printed lack φ/(ψm_1²) and φ/ψ, and change nothing else", *NUMERIC)
@each("case", occurring(first_layer="sphere"))
@given(case=problems(teachers=TEACHER_LISTS, ridgeless=False, first_layer="sphere"))
def test_the_printed_test_gains_lack_a_factor(system, case):
    assume(spikes_of(case, 2).listed == (1, 2))
    ours, slides = ([predicted(system, case, ell, as_printed=p) for ell in (1, 2)] for p in (False, True))
    ratio = exact(case.phi) / exact(case.psi)
    first = ratio * slides[0].test_gain / ours[0].m1 ** 2
    second = first + ratio * (slides[1].test_gain - slides[0].test_gain)
    for one, other, gain in zip(ours, slides, (first, second), strict=True):
        # the difference of two printed gains has lost what the first of them is larger by
        lost = TOLERANCE[system] * ratio * slides[1].test_gain
        assert abs(gain - one.test_gain) <= TOLERANCE[system] * one.test_gain + lost
        assert other == one._replace(test_gain=other.test_gain, test_loss=other.test_loss)
        left = one.test_loss_initial - other.test_gain
        assert abs(other.test_loss - left) <= TOLERANCE[system] * (one.test_loss_initial + other.test_gain)


@pytest.mark.slow
@pytest.mark.checks("Delta", "Lambda", "train_loss", "test_loss", "direction")
@invariant("y → sy multiplies every loss and gain by s²", *NUMERIC)
@each_limit(OCCURRING, ("theorem", "labels"), ell=3, power=3, sign=-1)
@given(case=LISTED, ell=ELLS, network=LABELS_ALONE, power=st.integers(-6, 6), sign=SIGNS)
def test_labels_may_have_any_unit(system, case, ell, network, power, sign):
    """On the labels alone: the initial output does not grow with them."""
    scale = scale_for(system, power)
    teacher = [sign * scale * c for c in case.teacher.coefficients]
    scaled = changed(case, teacher=teacher, noise=scale * case.noise)
    found = predicted(system, case, ell, network), predicted(system, scaled, ell, network)
    assert not list(differences(system, *found, factor=exact(scale) ** 2))


@pytest.mark.slow
@pytest.mark.checks("Delta", "Lambda", "train_loss", "test_loss")
@invariant("σ → sσ, λ → s²λ changes no loss")
@each_limit(OCCURRING, ("theorem", "labels"), ell=3, power=-2, sign=-1)
@given(case=LISTED, ell=ELLS, network=LABELS_ALONE, power=st.integers(-4, 4), sign=SIGNS)
def test_features_may_have_any_unit(system, case, ell, network, power, sign):
    scale = scale_for(system, power)
    activation = scaled_activation(case.activation, sign * scale)
    scaled = changed(case, activation=activation, ridge=scale**2 * case.ridge)
    found = predicted(system, case, ell, network), predicted(system, scaled, ell, network)
    assert not list(differences(system, *found))


@pytest.mark.slow
@pytest.mark.checks("Delta", "Lambda", "direction")
@invariant("σ⋆(z) → ±σ⋆(±z) changes nothing", *NUMERIC)
@each_limit(OCCURRING, ell=3, sign=-1, mirror=-1)
@given(case=LISTED, ell=ELLS, network=NETWORKS, sign=SIGNS, mirror=SIGNS)
def test_a_mirrored_teacher_is_learned_as_well(system, case, ell, network, sign, mirror):
    teacher = [sign * mirror**k * c for k, c in enumerate(case.teacher.coefficients, start=1)]
    other = predicted(system, changed(case, teacher=teacher), ell, network)
    assert not list(differences(system, predicted(system, case, ell, network), other))


@pytest.mark.slow
@pytest.mark.checks("train_loss", "test_loss")
@invariant("λ → ∞: both losses tend to c_⋆² + σ_ε²")
@each("case", OCCURRING)
@given(case=LISTED)
def test_a_huge_ridge_fits_nothing(system, case):
    """1 − γm_1 ≤ (φ/ψ)Var σ/λ and 1 − m_2/m_1 ≤ (φ/ψ)c_1²/(φλ): four such terms at most are between the losses
    and the labels' variance, to first order."""
    total = sum_of_squares(case.teacher.coefficients) + noise_variance(case)
    size = 4 * variance(case.activation) * case.phi / case.psi * (1 + 1 / case.phi)
    asked = [
        small
        for small in (Fraction(1, 10**6), Fraction(1, 10**9), Fraction(1, 10**20))
        if system != FLOATS or size / small <= 10**20
    ]  # beyond, float64 is refused
    assume(asked)
    for small in asked:
        found = predicted(system, changed(case, ridge=size / small), 0)
        allowed = exact(small) * (1 + exact(small) * 10) + TOLERANCE[system]
        assert abs(found.train_loss / total - 1) <= allowed
        assert abs(found.test_loss / total - 1) <= allowed


def sum_of_squares(teacher):
    return sum(exact(c) ** 2 * MP.factorial(k) for k, c in enumerate(teacher, start=1))


def variance(activation):
    """Return about E σ(Z)², as a fraction: of text it is not exact, nor need it be."""
    return Fraction(float(activation.c1)) ** 2 + Fraction(float(activation.c_rest)) ** 2


@pytest.mark.slow
@pytest.mark.checks("train_loss", "test_loss", "Delta", "Lambda")
@invariant("λ → 0⁺: finite but at N = n, and the limit of small λ", share=0.4)
@each_limit(OCCURRING, ell=3)
@given(case=problems(teachers=TEACHER_LISTS, ridgeless=False, decades=1), ell=ELLS, network=NETWORKS)
def test_without_ridge_it_is_the_limit(system, case, ell, network):
    limit = predicted(system, changed(case, ridge=Fraction(0)), ell, network)
    linear = case.activation.c_rest == 0
    low_rank = linear and case.phi <= 1 and case.psi <= 1
    singular = case.phi == 1 if low_rank else case.phi == case.psi
    infinite = [name for name in OUTPUTS if abs(getattr(limit, name)) == MP.inf]
    assert not any(name.startswith("train") for name in infinite)
    if not singular:
        assert not infinite
    if system == FLOATS:  # a difference of floats says nothing of a limit: balls have it
        exact_limit = predicted(BALLS, changed(case, ridge=Fraction(0)), ell, network)
        assert not list(differences(system, exact_limit, limit))
        return
    near = [predicted(system, changed(case, ridge=Fraction(1, 10**k)), ell, network) for k in (18, 24)]
    for name in OUTPUTS:
        goal, (far, nearer) = getattr(limit, name), (getattr(found, name) for found in near)
        if name in infinite:
            assert nearer >= 500 * far  # as 1/√λ or faster
        else:
            assert abs(nearer - goal) <= abs(far - goal) / 500 + MP.mpf(10) ** -27 * abs(goal), name


@pytest.mark.slow
@pytest.mark.checks("Delta", "Lambda", "train_loss", "test_loss", "slopes", "m2_of_m1")
@invariant("the number systems agree", *NUMERIC)
@each_limit(OCCURRING, ell=3)
@given(case=problems(teachers=TEACHER_LISTS), ell=ELLS, network=NETWORKS)
def test_every_system_gives_the_proven_numbers(system, case, ell, network):
    """Balls themselves against those of more digits, which begin at another precision."""
    truth = predicted(BALLS, case, ell, network, digits=40)
    found = predicted(system, case, ell, network)
    allowed = {FLOATS: MP.mpf("1e-14"), MPMATH: MP.mpf("1e-37"), BALLS: MP.mpf(10) ** -DIGITS}[system]
    for name in truth._fields:
        expected, number = getattr(truth, name), getattr(found, name)
        assert expected == number or abs(number - expected) <= allowed * abs(expected), name


@pytest.mark.slow
@invariant("the number systems agree", FLOATS)
@each_limit(OCCURRING, ell="inf")
@given(case=problems(), ell=ELLS, network=NETWORKS)
def test_teachers_of_every_kind_have_the_proven_numbers(case, ell, network):
    """Also those that are no polynomials: floats against proven digits, both by the public call."""
    network = limit_of(case, network)
    asked = {} if network == "theorem" else {"network": "literal", "gradient": network}
    try:
        proven, rounded = (tc.predict(case, ell=ell, digits=digits, **asked) for digits in (25, None))
    except tc.PrecisionError:
        assert ell == "inf"  # where the Hermite series of a teacher converges too slowly
        assert not case.teacher.is_polynomial
        return
    for name in OUTPUTS:
        expected, number = MP.mpf(getattr(proven, name)), MP.mpf(float(getattr(rounded, name)))
        assert expected == number or abs(number - expected) <= MP.mpf("1e-14") * abs(expected), name
