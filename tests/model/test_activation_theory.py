"""What the theory makes of activations and teachers that are given as text."""

from fractions import Fraction

import pytest
import sympy
from flint import arb

import theorycalc as tc
from tests.helpers.problems import CASE, TEACHER
from theorycalc.functions.grammar import parse
from theorycalc.model.enclosed import TreeCovariance
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import ODD, ONE_AND_EVEN
from theorycalc.numbers.balls import ball_precision
from theorycalc.numbers.systems import BALLS
from theorycalc.theory.gains import shares_from_covariance


def test_relu_from_text_is_relu_from_its_moments():
    rest = sympy.sqrt(sympy.Rational(1, 4) - 1 / (2 * sympy.pi))
    moments = tc.Activation.from_moments("1/2", rest, present=(1, 2, 4, 6))
    for ell in (0, 1, 2, 3, 6):
        expected = tc.predict(Problem(moments, ["1", "1/2", "1/6", "1/24"], **CASE), ell=ell, digits=40)
        found = tc.predict(Problem("relu", TEACHER, **CASE), ell=ell, digits=40)
        assert found.spikes == expected.spikes
        assert str(found.test_gain) == str(expected.test_gain)
        assert str(found.train_loss) == str(expected.train_loss)
    assert found.guarantee == "enclosed"


def test_polynomial_activation_is_from_coefficients():
    by_list = tc.Activation.from_coefficients(["1", "1/2", "3/10"])
    by_text = tc.activation("H1 + H2/2 + 3*H3/10")
    assert by_text.present == by_list.present == (1, 2, 3)
    assert float(by_text.c_rest) == pytest.approx(float(by_list.c_rest), rel=1e-15)
    assert by_text.spikes(100_000) == (1, 2, 3)
    assert tc.predict(Problem(by_text, TEACHER, **CASE), ell="inf").spikes == (1, 2, 3)


def test_centring_is_done_and_said():
    prediction = tc.predict(Problem("relu", TEACHER, **CASE), ell=1)
    assert any("relu was centred: its mean 0.398942 was" in note for note in prediction.notes)
    assert not any("centred" in note for note in tc.predict(Problem("tanh", TEACHER, **CASE), ell=1).notes)
    assert tc.predict(Problem("relu + 5", TEACHER, **CASE), ell=2).test_gain == pytest.approx(
        tc.predict(Problem("relu", TEACHER, **CASE), ell=2).test_gain, rel=1e-14
    )


def test_teacher_from_text():
    teacher = tc.Teacher.from_text("H1 + H2/sqrt(2) + 3")
    assert teacher.coefficients == (Fraction(1), sympy.sqrt(2) / 2)
    assert teacher.mean == 3
    notes = tc.predict(Problem("relu", "H1 + 3", **CASE), ell=1).notes
    assert "the teacher's mean 3 was removed" in notes
    assert tc.Teacher.from_text("x").lipschitz is True
    assert tc.Teacher.from_text("x**2").lipschitz is False


def test_teacher_that_is_not_a_polynomial():
    half = sympy.exp(-sympy.Rational(1, 2))
    listed = [half, 0, -half / 6, 0, half / 120, 0, -half / 5040]
    sine = tc.Teacher.from_moments(listed, second_moment=(1 - sympy.exp(-2)) / 2)
    expected = tc.predict(Problem("tanh", sine, **CASE), ell=5, digits=30)
    found = tc.predict(Problem("tanh", "sin", **CASE), ell=5, digits=30)
    assert str(found.test_gain) == str(expected.test_gain)
    assert str(found.test_loss) == str(expected.test_loss)
    closed = tc.Teacher.from_moments(
        listed, second_moment=(1 - sympy.exp(-2)) / 2, covariance=lambda ns, t: ns.exp(-1) * ns.sinh(t)
    )
    for activation in ("elu", "tanh", "relu"):  # every k, odd k, 1 and even k
        expected = tc.predict(Problem(activation, closed, **CASE), ell="inf", digits=30)
        found = tc.predict(Problem(activation, "sin", **CASE), ell="inf", digits=30)
        assert str(found.test_gain) == str(expected.test_gain)
        assert str(found.test_loss) == str(expected.test_loss)
        rounded = tc.predict(Problem(activation, "sin", **CASE), ell="inf")
        assert rounded.test_loss == pytest.approx(float(expected.test_loss), rel=1e-14)


def test_a_series_that_converges_too_slowly_says_so():
    with pytest.raises(tc.PrecisionError, match="converges too slowly"):
        tc.predict(Problem("elu", "x + abs(x)", **{**CASE, "phi": "1/1000000", "noise": 0}), ell="inf", digits=60)


@pytest.mark.parametrize("text", ["cos", "abs", "x**2", "H3", "gaussian"])
def test_problem_refuses_what_has_no_spike(text):
    with pytest.raises(tc.DomainError, match="no spike at any ℓ"):
        Problem(text, "H1", **CASE)
    assert tc.coefficients(text, 4)[1] == 0
    assert tc.activation(text).name == text


@pytest.mark.parametrize(
    ("text", "spikes"),
    [
        ("tanh", (1, 3, 5, 7, 9)),
        ("relu", (1, 2, 4, 6, 8)),
        ("gelu", (1, 2, 4, 6, 8)),
        ("silu", (1, 2, 4, 6, 8)),
        ("softplus", (1, 2, 4, 6, 8)),
        ("sigmoid", (1, 3, 5, 7, 9)),
        ("elu", tuple(range(1, 10))),
        ("relu(x)**2", (1, 2, 3, 5, 7, 9)),
        ("erf(x) + x**4", (1, 2, 3, 4, 5, 7, 9)),
        ("x**3 - 3*x + x**2/5 + x", (1, 2, 3)),
    ],
)
def test_spikes_are_decided(text, spikes):
    assert tc.activation(text).spikes(9) == spikes


@pytest.mark.slow
def test_undecided_coefficient_is_neither_in_nor_out():
    hidden = "tanh(x) + tanh(x)**2 + 1/cosh(x)**2"  # tanh(x) + 1, which the structure does not show
    problem = Problem(hidden, "H1 + H2", **CASE)
    assert tc.predict(problem, ell=0).test_gain == 0
    with pytest.raises(tc.DomainError, match=r"c_2 of .* is undecided: it lies in .* which contains 0"):
        problem.activation.spikes(2)
    with pytest.raises(tc.DomainError, match="undecided"):
        tc.predict(problem, ell=2)
    assert abs(tc.coefficients(hidden, 2)[2]) < 1e-15
    with pytest.raises(tc.PrecisionError, match="c_2 is undecided"):
        tc.coefficients(hidden, 2, digits=10)


@pytest.mark.slow
def test_hidden_linear_activation_is_refused():
    with pytest.raises(tc.DomainError, match="undecided: its square lies in"):
        tc.predict(Problem("x + tanh(x)**2 + 1/cosh(x)**2", "H1", **CASE), ell=1)


def test_infinite_windows_follow_the_parity():
    rest = {"activation": "tanh", "teacher": TEACHER, **CASE}
    odd = tc.predict(Problem(**rest), ell="inf", digits=25)
    assert odd.spikes == "odd"
    assert odd.test_gain == tc.predict(Problem(**rest), ell=3, digits=25).test_gain  # the teacher has no odd k > 3
    relu = Problem("relu", TEACHER, **CASE)
    limit = tc.predict(relu, ell="inf")
    assert limit.spikes == "1+even"
    gains = [tc.predict(relu, ell=ell).test_gain for ell in (4, 20, 100, 200)]
    assert gains == sorted(gains)
    assert 0 < limit.test_gain - gains[-1] < limit.test_gain - gains[-2]
    # T²/S falls like 1/√ℓ: the limit is twice the gain at 4ℓ less the gain at ℓ, nearly
    near = 2 * tc.predict(relu, ell=200).test_gain - tc.predict(relu, ell=50).test_gain
    assert limit.test_gain == pytest.approx(near, rel=1e-3)
    with pytest.raises(tc.DomainError, match="beside every odd k"):
        tc.predict(Problem("relu(x)**2", TEACHER, **CASE), ell="inf")
    with pytest.raises(tc.DomainError, match="ell='inf'"):
        tc.predict(relu, ell=201)


@pytest.mark.checks("ceiling")
@pytest.mark.parametrize(("activation", "name"), [("tanh", "odd"), ("relu", "1+even"), ("elu", "all")])
def test_infinite_windows_of_a_covariance_are_those_of_its_coefficients(activation, name):
    """A polynomial teacher as a covariance function gives what its coefficients give."""
    c = [Fraction(1), Fraction(1, 2), Fraction(1, 6), Fraction(1, 24)]
    energies = [Fraction(1), Fraction(1, 2), Fraction(1, 6), Fraction(1, 24)]  # k! c_k²

    def covariance(ns, t):
        return sum(ns.rational(energy) * t ** (k + 1) for k, energy in enumerate(energies))

    smooth = tc.Teacher.from_moments(c, sum(energies), covariance=covariance)
    expected = tc.predict(Problem(activation, c, **CASE), ell="inf", digits=25)
    found = tc.predict(Problem(activation, smooth, **CASE), ell="inf", digits=25)
    assert expected.spikes == found.spikes == name
    for quantity in ("test_gain", "train_gain", "test_loss", "train_loss"):
        assert str(getattr(found, quantity)) == str(getattr(expected, quantity))


@pytest.mark.checks("ceiling")
@pytest.mark.parametrize("mean", [0, 3])
@pytest.mark.parametrize("spikes", [ODD, ONE_AND_EVEN], ids=["odd", "1+even"])
def test_shares_of_one_parity_by_hand(spikes, mean):
    """t²/2 and t³ are 1/8 each at t = 1/2, and the square of the mean is no share of anything."""
    from theorycalc.numbers.systems import FLOATS

    share = shares_from_covariance(FLOATS, lambda ns, t: mean**2 + t + t**2 / 2 + t**3, 1.0, 0.5, 0.5, spikes)
    assert share.explained == pytest.approx(0.125)
    assert share.left == pytest.approx(1 + 0.5 - 0.125)


def test_the_covariance_at_opposite_points_is_that_with_the_mirrored_function():
    """E f(Z)f(−Z): −E f² of an odd function, 1 of e^{x/2}."""
    with ball_precision(100):
        odd, growing = (TreeCovariance(parse(text)) for text in ("tanh(x)", "exp(x/2)"))
        assert (odd(BALLS, arb(-1)) + odd(BALLS, arb(1))).contains(0)
        assert growing(BALLS, arb(-1)).contains(1)
        assert float(growing(BALLS, arb(-1)).rad()) < 1e-25
