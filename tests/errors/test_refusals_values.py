"""Values at the edges of what is computed: each against a quadrature, a limit, or what must hold there."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import sympy as sp
from scipy import integrate, special

import theorycalc as tc
from tests.helpers.problems import problem

SAMPLED = tc.Activation.from_callable(np.tanh)


def tanh(**changes):
    return problem(activation="tanh", **changes)


def by_quadrature(function, k, kinks):
    """c_k = E f(Z) He_k(Z) / k!."""

    def integrand(x):
        return function(x) * special.eval_hermitenorm(k, x) * math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    ends = [-40.0, *kinks, 40.0]
    parts = [integrate.quad(integrand, a, b, limit=2000, epsabs=1e-13)[0] for a, b in itertools.pairwise(ends)]
    return sum(parts) / math.factorial(k)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "function", "kinks"),
    [
        ("abs(log(x**2 + 1/2))", lambda x: abs(math.log(x**2 + 0.5)), (-math.sqrt(0.5), 0, math.sqrt(0.5))),
        ("exp(sqrt(abs(x)))", lambda x: math.exp(math.sqrt(abs(x))), (-1, -0.01, 0, 0.01, 1)),
        ("exp((1 + x**2)**(1/3))", lambda x: math.exp((1 + x**2) ** (1 / 3)), (0,)),
        ("sin(x**2)", lambda x: math.sin(x**2), (-6, 0, 6)),
        ("erf(x)*sin(x)", lambda x: math.erf(x) * math.sin(x), (0,)),
        ("tan(tanh(x))", lambda x: math.tan(math.tanh(x)), (0,)),
        ("exp(tanh(1)*x)*tanh(x)", lambda x: math.exp(math.tanh(1) * x) * math.tanh(x), (0,)),
        ("exp(x + tanh(x))", lambda x: math.exp(x + math.tanh(x)), (0,)),
        ("sqrt(1 + x**2*(x**2 + exp(x)))", lambda x: math.sqrt(1 + x**2 * (x**2 + math.exp(x))), (0,)),
        ("abs((x - 1)*tanh(x - 1)*(x + 2))", lambda x: abs((x - 1) * math.tanh(x - 1) * (x + 2)), (-2, 1)),
        ("where(x < 3, log(5 - x), 1)", lambda x: math.log(5 - x) if x < 3 else 1, (0, 3)),
        ("sin(x)**30*cos(x)**30", lambda x: math.sin(x) ** 30 * math.cos(x) ** 30, (-5, 0, 5)),
        ("abs(sqrt(2)*x**2 + sqrt(3)*x**2)", lambda x: (math.sqrt(2) + math.sqrt(3)) * x**2, (0,)),
        ("abs(pi*x*(e*x + 1) - e*pi*x**2 + 1)", lambda x: abs(math.pi * x + 1), (-1 / math.pi,)),
    ],
)
def test_coefficients_are_those_of_a_quadrature(formula, function, kinks):
    found = tc.activation(formula).coefficients(3)
    expected = [by_quadrature(function, k, kinks) for k in range(4)]
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-10)


def test_labels_that_are_all_zero_are_fitted_exactly():
    found = tc.step(tanh(teacher="0", noise=0), n=100, alpha="1/5")
    assert (found.train_loss, found.test_loss, found.train_gain, found.test_gain, found.error) == (0, 0, 0, 0, 0)
    assert found.train_error == found.train_error_initial == 0


@pytest.mark.parametrize("ask", [lambda p: tc.predict(p, ell=2), lambda p: tc.step(p, n=100, alpha="1/5")])
def test_labels_whose_squares_float64_does_not_hold_are_refused(ask):
    with pytest.raises(tc.DomainError, match="the largest of noise and c_⋆=1e-160 is beyond"):
        ask(tanh(teacher="H2*1e-160", noise=0))
    assert ask(tanh(teacher="H2*1e-160")).test_loss > 0  # beside the noise they do not matter


def test_a_sampled_function_has_no_parity():
    assert SAMPLED.parity is None
    assert tc.activation("tanh").parity == "odd"


def test_kinks_that_cannot_be_compared_leave_the_parity_open():
    even = "abs(x - log(2)) + abs(x + log(4)/2)"  # log(4)/2 = log(2), which is not seen
    assert tc.activation(even).parity is None
    assert tc.activation(even).centered().parity is None
    assert tc.activation(even).coefficients(3)[1] == pytest.approx(0, abs=1e-15)


def test_coefficients_in_floats():
    found = tc.Activation.from_coefficients([0.5, 0.25, 0.125])
    assert isinstance(found.c_rest, float)
    assert found.c_rest == pytest.approx(math.sqrt(2 * 0.25**2 + 6 * 0.125**2), rel=1e-15)


def test_digits_of_the_ridgeless_traces():
    case = {"phi": "1/2", "psi": "1/3", "c1": "1/2", "c_rest": "1/3"}
    limit = tc.traces(ridge=0, **case, digits=20)
    near = tc.traces(ridge="1e-30", **case, digits=40)
    assert float(abs(limit.m1 - near.m1)) < 1e-15
    assert float(abs(limit.m2 - near.m2)) < 1e-15


def test_a_number_whose_sign_is_not_seen_is_refused():
    tiny = sp.pi - sp.Rational(str(sp.N(sp.pi, 3000)))
    with pytest.raises(tc.DomainError, match="its sign cannot be decided; write it more simply"):
        tc.Activation.from_moments(1, tiny)


def test_what_is_not_a_number_stays_so():
    values = tc.activation("tanh")(np.array([np.nan, 1.0]))
    assert np.isnan(values[0])
    assert values[1] == math.tanh(1)


def test_infinite_windows_are_named():
    assert "ℓ = ∞, spikes K = 1 and every even k" in str(tc.predict(problem(activation="relu"), ell="inf"))


def test_a_step_given_by_its_size_has_no_limit():
    text = str(tc.step(tanh(), n=100, eta=2))
    assert "limit n → ∞: none; the step was given by η" in text
    assert "n^" not in text


def test_no_step_changes_nothing():
    found = tc.step(tanh(), n=100, eta=0)
    assert float(found.test_loss) == float(found.test_loss_initial)
    assert tc.spectrum(tanh(), n=100, eta=0, method="dressed").outliers.size == 0
    assert not [artist for artist in found.plot().axes[0].texts if getattr(artist, "arrow_patch", None)]


@pytest.mark.slow
def test_the_best_ridge_for_nothing_but_noise_is_the_largest():
    found = tc.best_ridge(tanh(teacher="H1", noise="100"), n=50, eta=1)
    assert found.at_edge
    assert found.ridge == pytest.approx(found.searched[1])


def test_sizes_of_a_sweep_may_be_text():
    texts, numbers = (tc.sweep(tanh(), over={"n": n, "alpha": ["1/5"]}) for n in (["100", "50"], [100, 50]))
    assert texts.to_csv() == numbers.to_csv()


def test_a_sheet_leaves_out_closed_forms_that_fill_pages():
    long = [sp.sqrt(k) + sp.cbrt(k + 1) + sp.exp(sp.Rational(1, k)) for k in range(2, 9)]
    assert "With the numbers of this problem" not in tc.sheet(tanh(teacher=long, ridge=0), ell=1).tex
    assert "With the numbers of this problem" in tc.sheet(tanh(ridge=0), ell=1).tex


def test_coefficients_of_one_sign_have_one_label():
    _, words = tc.activation("exp").plot(k=3).axes[0].get_legend_handles_labels()
    assert words == ["$c_k > 0$"]


def test_a_run_of_one_sample_has_no_exponent():
    run = tc.simulate(tanh(phi=1, psi=1), n=1, eta=1, replicates=2)
    with pytest.raises(tc.ArgumentError, match="the run has n = 1: a step has an exponent α for n ≥ 2 only"):
        tc.plots.gain_against_alpha(tanh(phi=1, psi=1), run=run)


def test_eigenvalues_without_a_spike_have_no_ticks():
    run = tc.simulate(tanh(), n=40, eta=0, replicates=2, spectrum=True)
    figure = tc.plots.spectrum_figure(tc.spectrum(tanh(), n=40, eta=0), run)
    assert "of these, beyond the bulk" not in figure.axes[0].get_legend_handles_labels()[1]


def test_a_sampled_function_is_simulated_and_compared():
    act = tc.Activation.from_callable(np.tanh, derivative=lambda x: 1 / np.cosh(x) ** 2, present=(1, 3, 5))
    case = problem(activation=act)
    run = tc.simulate(case, n=40, alpha="1/5", replicates=3)
    assert tc.compare(run, tc.predict(case, alpha="1/5")).rows
    with pytest.raises(tc.TheoryError, match="activation"):
        tc.compare(run, tc.predict(problem(activation=SAMPLED), alpha="1/5"))


def test_the_mean_alone():
    assert tc.activation("tanh(x + 1)").coefficients(0) == pytest.approx(
        tc.coefficients("tanh(x + 1)", 5)[:1], rel=1e-14
    )


def test_netcdf_of_words_that_need_no_explanation(tmp_path):
    from scipy.io import netcdf_file

    path = tmp_path / "layers.nc"
    tc.sweep(tanh(), over={"ell": [1], "first_layer": ["sphere", "gaussian"]}, output=path)
    with netcdf_file(path, mmap=False) as file:
        words = ["".join(c.decode() for c in row).strip("\0") for row in file.variables["first_layer"][:]]
        assert not hasattr(file.variables["first_layer"], "long_name")
    assert words == ["sphere", "gaussian"]
