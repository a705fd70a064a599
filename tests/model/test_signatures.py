"""Arguments that a function does not have, and words of other libraries."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.problems import RELU, problem


@pytest.mark.parametrize(
    ("word", "of_step", "of_problem"),
    [
        ("lr", "give the size of the step (learning rate) as eta= or alpha=", "takes; with MSELoss() η = 2·lr"),
        ("learning_rate", "η = n^α); with MSELoss() η = 2·lr (tc.conventions.eta_from", "which step() takes"),
        ("lam", "as ridge=", "as ridge="),
        ("lambda_", "give the ridge (weight decay) as ridge= (", "tc.ridge_from other penalties"),
        ("weight_decay", "as ridge=", "(tc.conventions.ridge_from_decay converts an optimiser's weight decay"),
        ("epochs", "give the number of gradient steps as steps=, which Problem() takes", "as steps="),
        ("width", "give the number of neurons as N=", "or psi= (inputs per neuron, d/N)"),
        ("n_features", "give the number of inputs as d=", "or phi= (inputs per sample, d/n)"),
        ("samples", "give the number of samples as n=", "or phi= (inputs per sample, d/n)"),
        ("LR", "(learning rate) as eta=", "(learning rate) as eta="),
        (
            "random_state",
            "as seed=, which simulate() takes",
            "which simulate() takes",
        ),
        ("nosie", "", "did you mean 'noise'?"),
        ("nonsense", "", ""),
    ],
)
def test_words_of_other_libraries_name_ours(word, of_step, of_problem):
    for call, message in (
        (lambda: tc.step(problem("tanh"), n=100, eta=1, **{word: 3}), f"step() has no argument {word!r}; {of_step}"),
        (lambda: tc.Problem("tanh", "H1", 1, 1, 1, **{word: 3}), f"Problem() has no argument {word!r}; {of_problem}"),
    ):
        with pytest.raises(tc.ArgumentError) as caught:
            call()
        start, _, hint = message.partition("; ")
        assert str(caught.value).startswith(start)
        assert hint in str(caught.value)


def test_words_of_other_libraries_name_ours_elsewhere():
    for call, message in (
        (
            lambda: tc.predict(problem(), eta=3),
            r"predict\(\) has no argument 'eta'; give the size of the step \(learning rate\) as alpha= \(",
        ),
        (lambda: tc.Problem("tanh", "H1", 1, 1, alpha=1), r"as ridge= \(α, the exponent of the step, is for predict"),
        (lambda: tc.simulate(problem(), n=100, lr=1), r"give the size of the step \(learning rate\) as eta= or alpha="),
        (lambda: tc.sweep(problem(), over={"lam": [1, 2]}), "'lam' cannot vary; give the ridge .* as ridge="),
        (lambda: tc.best_step(problem(), n=100, reg=1), "as ridge="),
    ):
        with pytest.raises(tc.ArgumentError, match=message):
            call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tc.Activation.from_moments("1/2", "-1"), "negative; c_{>1} is a root"),
        (lambda: tc.Activation.from_moments("1/2", "1", present=(0, 1)), "k=0 must be a list of indices k ≥ 1"),
        (lambda: tc.Activation.from_moments("1/2", "1", present=(2,)), "contradicts c1"),
        (lambda: tc.Activation.from_moments("1/2", "0", present=(1, 2)), "contradicts c_rest"),
        (lambda: tc.Activation.from_moments("1/2", "1", present=(1,)), "contradicts c_rest"),
        (lambda: tc.Activation.from_moments("1/2", "1", present=5), "not a list of indices"),
        (lambda: tc.Activation.from_moments("1/2"), r"from_moments\(\): missing a required argument: 'c_rest'"),
        (lambda: tc.Activation.from_coefficients([]), "coefficients is empty"),
        (lambda: tc.Problem(RELU), r"Problem\(\): missing a required argument"),
        (lambda: tc.Problem(RELU, ["1"], 1, 1, 1, nosie=1), "Problem.* has no argument 'nosie'; did you mean 'noise'"),
        (lambda: tc.Problem(RELU, ["1"], n=10.5, d=5, N=5, ridge=1), "n=10.5 must be a positive whole"),
        (lambda: tc.traces(phi=1, psi=1, ridge=1, c1=0, c_rest=1), "c1=0 must not be zero"),
        (lambda: tc.traces(phi=1, psi=1, ridge=1, c1=1, c_rest=-1), "c_rest=-1 must not be negative"),
        (lambda: tc.traces(phi=1, psi=1), "missing a required"),
        (lambda: tc.step(problem(), 5), r"step\(\): too many positional arguments; write eta=5"),
        (lambda: tc.best_ridge(problem(), [5]), r"too many positional arguments; write eta=…"),
        (lambda: tc.ridge_from("sum", 1, 900), r"too many positional arguments; write phi=900"),
        (lambda: tc.predict("relu", ell=1), "takes a Problem, not str"),
        (lambda: tc.ridge_from("sum", 1), "needs n; n is not given"),
        (lambda: tc.ridge_from("sums", 1), "did you mean 'sum'"),
        (lambda: tc.ridge_from("sum", -1, n=5), "not negative"),
        (lambda: tc.ridge_from("sum", 1, n=0), "n=0 must be positive"),
    ],
)
def test_calls_are_validated(call, message):
    with pytest.raises(tc.TheoryError, match=message):
        call()


def test_the_package_suggests_nothing_it_does_not_have():
    with pytest.raises(AttributeError, match="no attribute 'predcit'"):
        tc.predcit  # noqa: B018
    assert "predict" in dir(tc)
