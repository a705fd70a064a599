"""Activations and teachers made from text or from functions, and what the theory makes of them."""

import json
import pickle
import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import sympy

import theorycalc as tc
from theorycalc.cli import main
from theorycalc.listing import activation_data
from theorycalc.theory.gains import shares_from_covariance
from theorycalc.theory.problem import Problem

CASE = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}
TEACHER = "H1 + H2/2 + H3/6 + H4/24"


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
    assert any("relu was centred: its mean 0.398942280401432" in note for note in prediction.notes)
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


@pytest.mark.parametrize("text", ["cos", "abs", "1", "x**2", "H3", "gaussian", "pi"])
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
def test_shares_of_one_parity_by_hand():
    from theorycalc.numbers import FLOATS

    share = shares_from_covariance(FLOATS, lambda ns, t: t + t**2 / 2 + t**3, 1.0, 0.5, 0.5, "odd")
    assert share.explained == pytest.approx(0.125)
    assert share.left == pytest.approx(1 + 0.5 - 0.125)
    share = shares_from_covariance(FLOATS, lambda ns, t: t + t**2 / 2 + t**3, 1.0, 0.5, 0.5, "1+even")
    assert share.explained == pytest.approx(0.125)
    assert share.left == pytest.approx(1 + 0.5 - 0.125)


def test_an_activation_is_a_function():
    act = tc.activation("leaky_relu(0.1)")
    x = np.array([-2.0, 0.5])
    np.testing.assert_allclose(act(x), [-0.2, 0.5], rtol=1e-15)
    np.testing.assert_allclose(act.derivative(x), [0.1, 1.0], rtol=1e-15)
    mean = 0.9 / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(act.centered()(x), [-0.2 - mean, 0.5 - mean], rtol=1e-14)
    assert act.centered().coefficients(1)[0] == 0
    assert act.kinks == (0,)
    assert tc.activation("max(x**2 - 2, 0)").kink_floats == (-np.sqrt(2), np.sqrt(2))
    assert (act.parity, act.centered().parity) == (None, None)
    assert tc.activation("sigmoid").parity is None
    assert tc.activation("sigmoid").centered().parity == "odd"
    assert float(act.c1) == 0.55
    assert float(act.c_rest) == pytest.approx(np.sqrt(0.505 - mean**2 - 0.55**2), rel=1e-14)


def test_nearly_linear_activation_keeps_its_rest():
    act = tc.activation("x + 1e-9*tanh(x)")
    assert float(act.c_rest) == pytest.approx(1e-9 * float(tc.activation("tanh").c_rest), rel=1e-14)


def test_conditions_of_an_activation():
    assert [c.holds for c in tc.activation("relu").conditions(2)] == [True, True, True]
    assert [c.holds for c in tc.activation("relu").conditions(ell=3)] == [True, False, True]
    assert [c.holds for c in tc.activation("step").conditions(1)] == [True, True, False]
    assert [c.holds for c in tc.activation("elu").conditions("inf")] == [True, None, True]
    assert [c.holds for c in tc.activation("cos").conditions(1)] == [False, False, True]


def test_coefficients_in_all_forms():
    np.testing.assert_allclose(
        tc.coefficients("relu", 2), [1 / np.sqrt(2 * np.pi), 0.5, 0.5 / np.sqrt(2 * np.pi)], rtol=2e-16
    )
    exact = tc.coefficients("relu", 4, exact=True)
    assert exact[1] == sympy.Rational(1, 2)
    assert exact[4] == -1 / (24 * sympy.sqrt(2 * sympy.pi))
    proven = tc.coefficients("tanh", 3, digits=40)
    assert str(proven[1]) == "0.6057055096021588255835402275558804394262"
    with pytest.raises(tc.DomainError, match="no known closed form"):
        tc.coefficients("tanh", 3, exact=True)
    with pytest.raises(tc.DomainError, match="k=-1"):
        tc.coefficients("tanh", -1)
    with pytest.raises(tc.PrecisionError):
        tc.coefficients("tanh", 1, digits=0)
    with pytest.raises(tc.ArgumentError, match="not both"):
        tc.coefficients("relu", 1, digits=5, exact=True)


def test_from_callable_is_estimated():
    act = tc.Activation.from_callable(np.tanh, present=(1, 3, 5))
    reference = tc.activation("tanh")
    assert act.guarantee == "estimated"
    assert act.c1 == pytest.approx(float(reference.c1), rel=1e-14)
    assert act.c_rest == pytest.approx(float(reference.c_rest), rel=1e-13)
    found = act.estimate(9)
    truth = tc.coefficients("tanh", 9)
    assert np.all(np.abs(found.coefficients - truth) <= found.errors)
    prediction = tc.predict(Problem(act, TEACHER, **CASE), ell=3)
    assert prediction.guarantee == "estimated"
    assert prediction.test_gain == pytest.approx(
        tc.predict(Problem("tanh", TEACHER, **CASE), ell=3).test_gain, rel=1e-12
    )
    with pytest.raises(tc.PrecisionError):
        tc.predict(Problem(act, TEACHER, **CASE), ell=3, digits=20)
    with pytest.raises(tc.DomainError, match="c_2 of tanh is undecided"):
        tc.predict(Problem(tc.Activation.from_callable(np.tanh), TEACHER, **CASE), ell=2)


def test_from_callable_with_kinks():
    relu = tc.Activation.from_callable(
        lambda x: np.maximum(x, 0), kinks=[0.0], derivative=lambda x: 1.0 * (x > 0), name="mine"
    )
    assert relu.c1 == pytest.approx(0.5, rel=1e-14)
    assert relu.kinks == (0,)
    assert relu.derivative(np.array([-1.0, 2.0])).tolist() == [0.0, 1.0]
    assert relu.spikes(2) == (1, 2)
    blurred = tc.Activation.from_callable(lambda x: np.maximum(x - 0.1, 0)).estimate(4)
    truth = tc.coefficients("relu(x - 0.1)", 4)
    assert np.all(
        np.abs(blurred.coefficients - truth) < 100 * blurred.errors
    )  # an undeclared kink is seen in the error
    assert blurred.errors[2] > 1e-8
    with pytest.raises(tc.DomainError, match="finite"):
        tc.Activation.from_callable(np.log)
    with pytest.raises(tc.ArgumentError, match="takes a function"):
        tc.Activation.from_callable("tanh")


def test_from_callable_takes_torch_functions(monkeypatch):
    class Tensor:
        def __init__(self, values):
            self.values = values

        def detach(self):
            return self

        def numpy(self):
            return self.values

    def tanh(tensor):
        if not isinstance(tensor, Tensor):
            raise TypeError("tanh(): argument 'input' must be Tensor")
        return Tensor(np.tanh(tensor.values))

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(from_numpy=Tensor))
    act = tc.Activation.from_callable(tanh)
    assert act.c1 == tc.Activation.from_callable(np.tanh).c1
    assert act(np.array([0.5])) == np.tanh(0.5)
    monkeypatch.delitem(sys.modules, "torch")
    with pytest.raises(tc.DomainError, match="does not take a numpy array"):
        tc.Activation.from_callable(tanh)


def test_moments_know_no_function():
    act = tc.Activation.from_moments("1/2", "3/10")
    for use in (lambda: act(1.0), lambda: act.coefficients(3), act.centered):
        with pytest.raises(tc.DomainError, match="known by its moments only"):
            use()
    with pytest.raises(tc.DomainError, match="no derivative"):
        act.derivative(1.0)


@pytest.mark.parametrize("text", ["sqrt(x)", "log(x)", "1/x", "exp(x**2)", "tan(x)"])
def test_what_is_no_activation_is_refused_at_construction(text):
    for make in (
        tc.activation,
        tc.Teacher.from_text,
        lambda t: Problem(t, "H1", **CASE),
        lambda t: tc.coefficients(t, 2),
    ):
        with pytest.raises(tc.DomainError, match="is not shown"):
            make(text)


def test_activation_and_its_numbers_can_be_sent_to_another_process():
    act = pickle.loads(pickle.dumps(tc.activation("gelu")))
    assert act.spikes(4) == (1, 2, 4)
    assert float(act.c_rest) == float(tc.activation("gelu").c_rest)


def test_command_coefficients(capsys):
    assert main(["coefficients", "gelu", "-k", "3", "--digits", "30", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["coefficients"][2] == "0.211571093830408607605529794335"
    assert data["guarantee"] == "enclosed"
    assert main(["coefficients", "relu", "-k", "2", "--exact", "--latex"]) == 0
    assert r"c_{1} &= \frac{1}{2}" in capsys.readouterr().out
    assert main(["coefficients", "relu", "-k", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split() == ["1", "0.5"]
    assert main(["coefficients", "rellu"]) == 2
    assert "did you mean 'relu'" in capsys.readouterr().err


def test_command_activations(capsys):
    assert main(["activations"]) == 0
    lines = {line.split("(")[0].split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "ℓ ≤ 2" in lines["relu"]
    assert "none: it jumps" in lines["sign"]
    rows = {row["name"]: row for row in activation_data()}
    assert rows["tanh"]["parity"] == "odd"
    assert rows["threshold"]["c1"] is None
    assert rows["square"]["conditions"] == "none: c_1 = 0"


def test_command_predict_reads_text(capsys):
    case = ["--phi", "1/2", "--psi", "2/3", "--ridge", "0.1", "--ell", "2", "--json"]
    assert main(["predict", "--activation", "relu", "--teacher", "H1 + H2/sqrt(2)", *case]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["inputs"]["activation"]["name"] == "relu"
    assert data["spikes"] == [1, 2]
    assert main(["predict", "--c1", "1/2", "--c-rest", "0.3", "--teacher", "-1,1/2", *case]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"]["teacher"]["coefficients"] == ["-1", "1/2"]
    assert main(["predict", "--teacher", "1", *case]) == 2
    assert "--activation" in capsys.readouterr().err
    assert main(["predict", "--activation", "relu", "--c1", "1", "--teacher", "1", *case]) == 2
    assert "not both" in capsys.readouterr().err
