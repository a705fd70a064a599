"""Numbers that are tiny or huge, and functions that are linear but for rounding: an answer, or a clear refusal.

tests/properties/test_any_numbers.py asks the same of every public function.
"""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import problem
from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import pieces

CURVED = problem("tanh(x + 1)", "H1 + H2/2")


@pytest.mark.slow
@pytest.mark.parametrize("activation", ["x*sqrt(3)", "e*x", "37/100*x", "7/100*x"])
def test_linear_activations_but_for_rounding(activation):
    """Their Var σ' is 0, and no difference makes it negative."""
    case = problem(activation, "H1 + H2/2")
    for method in ("dressed", "isotropic"):
        assert 0 < tc.step(case, n=1000, alpha=0.3, method=method).test_loss < 2
    assert np.all(tc.spectrum(case, n=1000, alpha=0.3).alignments <= 1)
    assert tc.best_ridge(case, n=1000, alpha=0.3).ridge > 0


@pytest.mark.parametrize("size", [10**101, 10**309, 10**400])
@pytest.mark.parametrize(
    "ask",
    [
        lambda n: tc.step(CURVED, n=n, eta=1),
        lambda n: tc.step(CURVED, n=n, eta=1, method="pencil"),
        lambda n: tc.spectrum(CURVED, n=n, eta=1),
        lambda n: tc.weight_spectrum(CURVED, n=n, eta=1),
        lambda n: tc.best_step(CURVED, n=n),
        lambda n: tc.best_ridge(CURVED, n=n, eta=1),
        lambda n: tc.best(CURVED, n=n),
        lambda n: tc.draws_needed(CURVED, n=n, eta=1, accuracy="1/100"),
        lambda n: tc.step(tc.Problem("relu", "H1", n=n, d=10, N=10, ridge=1), eta=1),
    ],
)
def test_sizes_beyond_all_networks(ask, size):
    with pytest.raises(tc.DomainError, match=r"^n is beyond 1e\+100, .* has the limit") as caught:
        ask(size)
    assert caught.value.argument == "n"


@pytest.mark.parametrize("noise", ["1e178", "1e200", 1.7e308, "1e400"])
@pytest.mark.parametrize("method", ["dressed", "pencil"])
def test_noise_beyond_float64(noise, method):
    case = problem("tanh(x + 1)", noise=noise)
    for ask in (tc.spectrum, tc.step):
        with pytest.raises(tc.DomainError, match=r"noise.* is beyond the range of float64") as caught:
            ask(case, n=1000, alpha=0.3, method=method)
        assert caught.value.argument == "noise"


def test_noise_that_drowns_the_bulk():
    case = problem("tanh(x + 1)", noise="5e16")
    with pytest.raises(tc.PrecisionError, match="rounding leaves no digits of the bulk"):
        tc.spectrum(case, n=1000, alpha=0.3)


@pytest.mark.parametrize(
    ("ask", "argument", "words"),
    [
        (lambda: problem("relu", intercept=True, biases={0: "1/2", 10**400: "1/2"}), "biases", "biases = .*e.400.*"),
        (lambda: tc.best_ridge(problem("1e200*x"), n=100, eta=1), "activation", r"c1=1e\+200 is beyond"),
        (
            lambda: tc.samples_needed(problem("relu", phi="1e-15", psi="1e10"), ell=1, fraction="1/2", alpha="0.2"),
            "psi",
            r"need n = 2e\+26 samples, and no more than 1e\+24 are tried",
        ),
        (
            lambda: tc.best_ridge(problem("1e-200*x", intercept=True, biases={0: "1/2", 1: "1/2"}), n=99, eta=1),
            "activation",
            "the activation is too small for float64",
        ),
        (lambda: tc.rank_activations(CURVED, ["1e-300*x"], ell=1, tune="ridge"), "activations", "is beyond the range"),
        (lambda: tc.activation(lambda x: 1e200 * x), "given", "E f.* is beyond the range of float64"),
        (lambda: tc.spectrum(problem("relu", ["1e177"]), n=100, eta=1), "teacher", "c_⋆1=1e.177 is beyond"),
        (
            lambda: tc.spectrum(problem("exp(x/2)", second_layer="constant"), n=10**7, alpha=0.761),
            None,
            "beyond float64",
        ),
    ],
)
def test_numbers_beyond_float64(ask, argument, words):
    with pytest.raises(tc.TheoryError, match=words) as caught:
        ask()
    assert caught.value.argument in (argument, None)


def test_functions_whose_kinks_or_values_are_far_out():
    """tan(1e300) takes a thousand bits; the kink is at 2(tan(1e300) + π²), and relu(x + 1e300) is a line."""
    assert len(pieces(parse("where(tan(1e300) + pi**2 > x/2, x, tanh(x))"))) == 2
    assert tc.activation("relu(x + 1e300)").coefficients(3).tolist() == [1e300, 1, 0, 0]


@pytest.mark.slow
def test_outliers_that_rounding_hides():
    """Ten inputs and ten neurons for 10^9 samples: an eigenvalue of the fixed point is 0 to all digits."""
    case = problem("tanh(x + 1)", "H1", phi="1e-8", psi="1e-8", noise=0)
    with pytest.raises(tc.PrecisionError, match="does not tell an eigenvalue from 0"):
        tc.spectrum(case, n=10**9, alpha=0.3)
