"""Formulas of inputs with a covariance: their numbers are those that are predicted."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc
from theorycalc.symbolic.input_formulas import ANY_SPECTRUM, Average, TeacherAverage
from theorycalc.symbolic.symbols import s, tau_j, theta
from theorycalc.theory.case import float_case
from theorycalc.theory.covariance import InputLevel, spectrum_of
from theorycalc.theory.solver import float_weights
from theorycalc.theory.spectral_traces import spectral_equations

S = tc.symbolic
PROBLEM = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2", inputs="two_level(9, 1/4, 1/2)")
LEVELS = [InputLevel(3.0, 0.25, 0.5), InputLevel(1 / 3, 0.75, 0.5)]


def with_levels(expression: sp.Expr) -> sp.Expr:
    """Return an expression with every mean over eigenvalues taken, the inner ones first."""

    def taken(which: int):
        return lambda f: sp.Add(*(level[which] * f.subs(tau_j, level[0]) for level in PROBLEM.inputs.levels))

    return expression.replace(TeacherAverage, taken(2)).replace(Average, taken(1))


def at(expression: sp.Expr, ridge: float) -> float:
    """Return the value of an unfolded formula at one λ."""
    case = float_case(PROBLEM, "labels")
    traces, weights = float_weights(case, ridge)
    values = {
        S.phi: 0.5,
        S.psi: 2 / 3,
        S.lam: ridge,
        S.c_1: case.c1,
        S.c_rest: case.c_rest,
        S.c(2): float(PROBLEM.activation.c2),
        S.c_star_of(1): 1.0,
        S.c_star_of(2): 0.5,
        S.c_star: case.energy**0.5,
        S.noise: 0.5,
        s: weights.train_rest / ridge,
        theta: traces.theta,
    }
    return float(with_levels(expression).subs(values))


@pytest.mark.checks("spectral_equations")
def test_the_equations_vanish_at_the_solution():
    for line in S.formula("spectral_equations").unfolded:
        assert at(line.left, 0.1) == pytest.approx(0, abs=1e-13)


@pytest.mark.checks("inputs_direction")
def test_the_direction_is_that_which_is_predicted():
    direction, length = S.formula("inputs_direction").unfolded
    predicted = tc.predict(PROBLEM, ell=1)
    assert at(direction.right, 0.1) == pytest.approx(predicted.rho, rel=1e-13)
    assert at(length.right, 0.1) == pytest.approx(predicted.kappa, rel=1e-13)


@pytest.mark.checks("alignment_of_inputs", "inputs_Delta", "inputs_Lambda")
@pytest.mark.parametrize("ell", [0, 1, 2])
def test_gains_are_those_that_are_predicted(ell):
    (train,), (test,) = (S.formula(name, ell).unfolded for name in ("inputs_Delta", "inputs_Lambda"))
    predicted = tc.predict(PROBLEM, ell=ell)
    assert at(train.right, 0.1) == pytest.approx(predicted.train_gain, rel=1e-13)
    shares = [derivative.expr for derivative in test.right.atoms(sp.Derivative)]
    slope = sum(at(share, 0.1 - 1e-5) - at(share, 0.1 + 1e-5) for share in shares) / 2e-5
    assert slope / at(s, 0.1) ** 2 == pytest.approx(predicted.test_gain, rel=1e-6)


def test_means_are_written_in_brackets():
    assert sp.latex(Average(tau_j**2)) == r"\left\langle \tau_{j}^{2} \right\rangle"
    assert sp.latex(TeacherAverage(tau_j) ** 2) == r"\left\langle \tau_{j} \right\rangle_{v}^{2}"


def test_symbols_have_the_values_of_numbers():
    numbers = sp.symbols("s theta phi psi lambda c_1 c_rest", positive=True)
    values = (2.0, 0.5, 0.5, 0.7, 0.1, 0.5, 0.3)
    for one, other in zip(
        spectral_equations(ANY_SPECTRUM, *numbers), spectral_equations(spectrum_of(LEVELS), *values), strict=True
    ):
        at = one.subs(dict(zip(numbers, values, strict=True)))
        put_in = at.replace(Average, lambda f: sum(level.weight * f.subs(tau_j, level.eigenvalue) for level in LEVELS))
        assert float(put_in) == pytest.approx(other, rel=1e-14)
