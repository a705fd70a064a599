"""Polynomials of h that spikes of several kinds of neurons make free: by elimination, and by neurons themselves."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import flint
import mpmath
import numpy as np
import pytest
import sympy as sp

import theorycalc as tc
from tests.theory.test_kinds import ridge_losses
from theorycalc.functions.algebra import double_factorial, xi
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.case import float_case
from theorycalc.theory.checks import checked_terms, plan_of
from theorycalc.theory.dressed.responses import Function
from theorycalc.theory.gains import parts_of, shares
from theorycalc.theory.gaps import lengthened_directions, shape_directions
from theorycalc.theory.kind_spikes import free_polynomials, kind_spikes, lengthened_alike, shapes_of, spike_powers
from theorycalc.theory.learned import learned_fit
from theorycalc.theory.plans import lengthening_of

#: Of biases ±1, c_2 = c_3 = 0, and Var σ'/c_1² are two numbers: (d/db)² E σ(Z + b) = (b² − 1)²(1 + b/2)/2.
APART = "H1 + (H2/2 + H3/12 - H4/6 - H5/20 + H6/30 + H7/84)/2"
BOTH = {-1: 1, 1: 1}
TEACHER = [1, Fraction(1, 2), Fraction(-1, 3), Fraction(1, 5), Fraction(2, 7), Fraction(-1, 11)]
SETTING = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2", "intercept": True}


def problem(activation: object, biases: object, **options: object) -> tc.Problem:
    return tc.Problem(activation, TEACHER, **SETTING, biases=biases, **options)


x, z, b, h, u, v, s = sp.symbols("x z b h u v s")


def mean(expression: sp.Expr, of: sp.Symbol = z) -> sp.Expr:
    """Return E of a polynomial in a standard normal variable."""
    terms = sp.Poly(sp.expand(expression), of).terms()
    return sp.expand(sum(c * sp.factorial2(k - 1) for (k,), c in terms if k % 2 == 0))


def responses(text: str, biases: object, sizes: list[sp.Expr], tau: sp.Rational) -> list[list[sp.Rational]]:
    """Return the mean outputs of lengthened neurons in Hermite polynomials of h, by moments of σ alone.

    The step moves a neuron by u c_1(b) along h, and lengthens it to 1 + u² τ Var σ'(Z + b).
    """
    He = sp.polys.orthopolys.hermite_prob_poly
    sigma = sp.expand(sp.sympify(text, {f"H{k}": He(k, x) for k in range(1, 8)}))
    rows = []
    for bias in biases:
        slope = sp.diff(sigma, x).subs(x, z + bias)
        first = mean(slope)
        spread = tau * (mean(slope**2) - first**2)
        output = sp.Poly(mean(sigma.subs(x, bias + u * first * h + s * z)), s)  # even in s
        at = sp.expand(sum(c * (1 + u**2 * spread) ** (k // 2) for (k,), c in output.terms()))
        for size in sizes:
            powers = sp.Poly(at.subs(u, size), h).all_coeffs()[::-1]
            rows.append([sum(c * xi(p, i) for p, c in enumerate(powers)) for i in range(len(powers))])
    return rows


def explained_by(rows: list[list[sp.Rational]], strength: sp.Rational, t: Fraction) -> float:
    """Return what ridge on features of a strength explains of Σ_{k≥2} c_⋆k ρ^k H_k, beside h and a constant."""
    with mpmath.workdps(400):
        norms = [mpmath.sqrt(factorial(k)) for k in range(2, len(rows[0]))]
        number = lambda q: mpmath.mpf(int(q.p)) / int(q.q)  # noqa: E731
        F = mpmath.matrix([[number(sp.Rational(c)) * n for c, n in zip(row[2:], norms, strict=True)] for row in rows])
        linear = mpmath.matrix([number(sp.Rational(row[1])) for row in rows])
        F -= linear * (linear.T * F) / (linear.T * linear)[0]  # h costs nothing
        known = [*TEACHER[1:], *[0] * len(norms)][: len(norms)]
        rho = mpmath.sqrt(number(sp.Rational(t.numerator, t.denominator)))
        f = mpmath.matrix(
            [number(sp.Rational(c)) * rho**k * n for k, (c, n) in enumerate(zip(known, norms, strict=True), start=2)]
        )
        kernel = number(strength) * F.T * F
        left = mpmath.lu_solve(kernel + mpmath.eye(len(norms)), f)
        return float((f.T * (f - left))[0])


@pytest.mark.checks("free_shapes")
@pytest.mark.parametrize(
    ("layer", "ell", "spikes"),
    [("gaussian", 4, (1, 2, 4)), ("gaussian", 5, (1, 2, 4, 5)), ("sign", 5, (1, 2, 4, 5)), ("constant", 4, (1, 4))],
)
def test_neurons_themselves_span_what_elimination_says(layer, ell, spikes):
    """Outputs of neurons of tiny u, amplified so that order ℓ is strong and ℓ + 1 is not."""
    tau, small, t = sp.Rational(3, 10), sp.Rational(1, 10**20), Fraction(3, 5)
    sizes = {"gaussian": [-3, -2, -1, 1, 2, 3, 4], "sign": [-1, 1], "constant": [1]}[layer]
    rows = responses(APART, BOTH, [k * small for k in sizes], tau)
    found = explained_by(rows, small ** -(2 * ell + 1), t)
    known = problem(APART, BOTH, second_layer=layer)
    shapes = shapes_of(known, ell, lengthened=True)
    assert tuple(len(shape) - 1 for shape in shapes) == spikes == kind_spikes(known, ell, lengthened=True).listed
    floats = [tuple(map(float, shape)) for shape in shapes]

    def share(tau: float | None, floats: list[tuple[float, ...]], spikes: tuple[int, ...]) -> float:
        parts = parts_of(FLOATS, list(map(float, TEACHER)), 0.0, Spikes(spikes), tau, True, floats)
        return shares(FLOATS, parts, float(t), float(1 - t), 0.0).explained

    assert found == pytest.approx(share(float(tau), floats, spikes), rel=1e-9)
    theorem = kind_spikes(known, ell).listed
    assert abs(share(None, [], theorem) / found - 1) > 1e-2
    if Spikes(spikes).has_gaps:
        wrong = [tuple(1.3 * c if j < len(shape) - 1 else c for j, c in enumerate(shape)) for shape in floats]
        assert abs(share(float(tau), wrong, spikes) / found - 1) > 1e-3


def test_spike_powers_are_moments():
    for k in range(1, 7):
        wanted = sp.Poly(mean((h + s * z) ** k).subs(s**2, v).subs(s, sp.sqrt(v)), h)
        assert {j: sp.expand(c) for j, c in spike_powers(k, v).items()} == {j: c for (j,), c in wanted.terms() if j}
        assert all(spike_powers(k, 1)[j] == comb(k, j) * double_factorial(k - j - 1) for j in range(k, 0, -2))


def test_elimination_among_series():
    """A row that loses its lowest order goes on with the next, less what the pivot has there."""
    number = flint.arb
    rows = [
        {1: {1: number(1)}, 2: {2: number(1)}, 3: {3: number(1)}},
        {1: {1: number(2)}, 2: {2: number(2)}, 3: {3: number(5), 1: number(7)}},
        {1: {1: number(3)}, 2: {2: number(4)}, 3: {}},
    ]
    found = free_polynomials(rows, 3)
    assert {degree: order for degree, (order, _) in found.items()} == {1: 1, 2: 2, 3: 3}
    assert free_polynomials(rows, 2).keys() == {1, 2}
    assert float(found[3][1][3][1]) == pytest.approx(7 / 3)  # of 3h³ + 7h
    assert rows[0][1][1] == 1


@pytest.mark.parametrize("tau", [0.3, 4.0])
def test_shapes_of_one_kind_are_its_lengthened_powers(tau):
    known = problem("H1 + H4", {0: 1})
    spread = float(known.unit_kinds[0].slope_variance)
    shapes = [tuple(map(float, shape)) for shape in shapes_of(known, 4, lengthened=True)]
    wanted = lengthened_directions(FLOATS, (1, 4), tau * spread, True)
    for found, direction in zip(shape_directions(FLOATS, shapes, tau), wanted, strict=True):
        assert [one.norm for one in found] == pytest.approx([one.norm for one in direction])


def test_without_lengthening_they_are_powers():
    for layer in ("gaussian", "sign", "constant"):
        known = problem("relu", BOTH, second_layer=layer)
        shapes = shapes_of(known, 6, lengthened=False)
        assert all(float(c) == 0 for shape in shapes for c in shape[:-1])
        assert tuple(len(shape) - 1 for shape in shapes) == kind_spikes(known, 6).listed


@pytest.mark.parametrize("network", [{}, {"gradient": "labels"}])
def test_one_kind_with_gaps_is_the_network_without_biases(network):
    plain, biased = (problem("H1 + H4", biases) for biases in (None, {0: 1}))
    for digits in (None, 25):
        one, other = (tc.predict(p, ell=4, network="literal", digits=digits, **network) for p in (plain, biased))
        for name in ("train_gain", "test_gain", "train_loss", "test_loss", "kappa"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-13)
    shifted = problem("H1 + H4", {1: 1})
    text = tc.Problem("x + 1 + (x + 1)**4 - 6*(x + 1)**2", TEACHER, **SETTING)
    one, other = (tc.predict(p, ell=4, network="literal", digits=25, **network) for p in (text, shifted))
    assert abs(one.test_gain - other.test_gain) < 1e-23


@pytest.mark.checks("free_shapes")
def test_floats_and_proven_digits_agree():
    for layer, ell in (("sign", 5), ("constant", 4)):
        known = problem(APART, BOTH, second_layer=layer)
        for gradient in ("labels", "residual"):
            floats, digits = (
                tc.predict(known, ell=ell, network="literal", gradient=gradient, digits=digits) for digits in (None, 20)
            )
            assert floats.spikes == digits.spikes
            for name in ("train_gain", "test_gain", "train_loss", "test_loss"):
                assert getattr(floats, name) == pytest.approx(float(getattr(digits, name)), rel=1e-13)
    assert any("another factor" in note for note in tc.predict(problem(APART, BOTH), ell=4, network="literal").notes)


@pytest.mark.slow
@pytest.mark.checks("free_shapes")
def test_dressed_features_tend_to_it():
    """At n = 10^18 in window 4 neurons of both kinds have h² from the order of h⁴; the theorem has h⁴ alone."""
    setting = {"teacher": "H1 + H2/2 - H4/8", "phi": "1/20", "psi": "1/15", "ridge": "1/10", "noise": "1/2"}
    known = tc.Problem(APART, **setting, intercept=True, biases=BOTH)
    found = tc.step(known, n=10**18, alpha="0.39", gradient="labels")
    limit = tc.predict(known, ell=4, network="literal", gradient="labels")
    theorem = tc.predict(known, ell=4)
    assert (limit.spikes, theorem.spikes) == ((1, 2, 4), (1, 4))
    for name in ("train_gain", "test_gain"):
        assert getattr(found, name) == pytest.approx(getattr(limit, name), rel=5e-3)
        assert abs(getattr(found, name) / getattr(theorem, name) - 1) > 1


def test_error_rates_follow_the_shapes():
    """By the loss of the same fit, which gains and shares make of their own."""
    for layer, ell in (("gaussian", 4), ("sign", 5), ("constant", 4)):
        known = problem(APART, BOTH, second_layer=layer)
        plan = plan_of(known, ell, "closed", False, "literal", "labels")
        terms, case = checked_terms(plan), float_case(known, "labels")
        tau = lengthening_of(terms, case)
        polynomial = Function(lambda t: np.polynomial.hermite_e.hermeval(t, [0.0, *map(float, TEACHER)]), ())
        fit = learned_fit(case, plan.spikes, polynomial, 0.1, tau, terms.shapes)
        wanted = tc.predict(known, ell=ell, network="literal", gradient="labels").test_loss
        assert fit.loss == pytest.approx(wanted, rel=1e-10)


def test_labels_with_a_mean_and_missing_spikes_are_refused():
    """The mean lengthens neurons in first order of η where c_2 ≠ 0, so that c_k is part of lower orders."""
    raised = {"centred_labels": False, "second_layer": "sign"}
    known = tc.Problem("relu", "H1 + H2/2 + 1", **SETTING, biases=BOTH, **raised)
    assert tc.predict(known, ell=3, network="literal").spikes == (1, 2, 3)
    assert tc.predict(known, ell=6).spikes == (1, 2, 3, 6)
    raw = tc.Problem("relu", "H1", **SETTING, biases=BOTH, second_layer="sign", centred=False)
    for one, argument in ((known, "centred_labels"), (raw, "centred")):
        with pytest.raises(tc.DomainError, match="is not known with") as caught:
            tc.predict(one, ell=6, network="literal")
        assert caught.value.argument == argument
    assert tc.predict(raw, ell=6, network="literal", gradient="labels").spikes == (1, 2, 3, 6)


def test_kinds_that_are_lengthened_alike():
    assert lengthened_alike(problem("tanh", BOTH))
    assert not lengthened_alike(problem(APART, BOTH))


def outputs(sigma: object, h: np.ndarray, u: float, bias: float, move: float, spread: float) -> np.ndarray:
    """Return the mean output of a moved neuron at points h less that of one at rest, by quadrature over z."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    inner = bias + u * move * h[:, None] + np.sqrt(1 + u**2 * spread) * nodes
    column = (sigma(inner) - sigma(bias + nodes)) @ weights
    return column / np.linalg.norm(column)


@pytest.mark.slow
@pytest.mark.checks("free_shapes")
def test_strong_spikes_of_two_kinds_and_signs():
    """Ridge on random neurons beside the outputs of moved ones, unpenalised; the theorem's powers are refuted.

    Of h⁴ a fit to n points knows little where h is large, so that test losses are far from their limit: these are
    training gains.
    """
    n, d, N, lam, draws = 1200, 60, 300, 0.1, 24
    text = APART.removesuffix("/2") + "/10"
    known = tc.Problem(
        text, "H1 + H2/2", n=n, d=d, N=N, ridge=lam, noise="1/2", intercept=True, biases=BOTH, second_layer="sign"
    )
    rng, sigma, gains = np.random.default_rng(5), known.activation, []
    numbers = [(float(kind.c1), float(kind.slope_variance)) for kind in known.unit_kinds]
    for _ in range(draws):
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1)[:, None]
        X0, X = (rng.standard_normal((n, d)) for _ in range(2))
        y0, y = (P[:, 0] + (P[:, 0] ** 2 - 1) / 2 + rng.standard_normal(n) / 2 for P in (X0, X))
        beta = X0.T @ y0 / n
        length = float(np.linalg.norm(beta))
        h = X @ beta / length
        kinds = [
            (bias, c1 * length, d / n * slope * np.mean(y0**2)) for bias, (c1, slope) in zip(BOTH, numbers, strict=True)
        ]
        free = np.stack([np.ones(n), *(outputs(sigma, h, u, *kind) for kind in kinds for u in (-0.02, 0.02))], axis=1)
        F = sigma(X @ W.T + np.repeat([-1.0, 1.0], N // 2))
        losses = [ridge_losses(F, y, columns, lam, (F, y, columns))[0] for columns in (free[:, :1], free)]
        gains.append(losses[0] - losses[1])
    mean, error = np.mean(gains), np.std(gains, ddof=1) / np.sqrt(draws)
    literal = tc.predict(known, ell=5, network="literal", gradient="labels")
    theorem = tc.predict(known, ell=5)
    assert (literal.spikes, theorem.spikes) == ((1, 2, 4, 5), (1, 4, 5))
    assert abs(mean - literal.train_gain) < 3.5 * error
    assert abs(mean - theorem.train_gain) > 5 * error
