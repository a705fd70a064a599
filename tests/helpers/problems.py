"""Problems that several tests use, and strategies that draw more."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.theory.conditions import spikes_of
from theorycalc.theory.limits import Values, ball_values, float_values
from theorycalc.theory.plans import Plan, Point, float_terms

RELU = tc.Activation.from_moments("1/2", sp.sqrt(sp.Rational(1, 4) - 1 / (2 * sp.pi)), present=(1, 2, 4, 6))
CUBIC = tc.Activation.from_coefficients(["1", "1/2", "3/10"])
SETTING_2 = ["1", 1 / sp.sqrt(2)]
CASE = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}
TEACHER = "H1 + H2/2 + H3/6 + H4/24"
RATIOS = [f"1e{power}" for power in (-17, -12, -8, -4, 0, 4, 8, 12, 17)]  # as far as float64 is asked to go
CURVED = "tanh(x + 1)"
QUADRATIC = "H1 + H2/sqrt(2)"


def problem(activation=RELU, teacher=("1", "1/2"), phi="1/2", psi="2/3", ridge="1/10", noise="1/2", **options):
    """The example of the documentation, with changes."""
    return tc.Problem(activation, teacher, phi, psi, ridge, noise, **options)


#: The example of the documentation by its formulas, the setting of the paper, and a network that is simulated.
EXAMPLE = problem("relu", "H1 + H2/2")
PAPER = problem("relu", "H1 + H2/sqrt(2)")
NETWORK = problem("tanh(x + 1)", "H1 + H2/sqrt(2)")


def theorem_on_the_residual(case, ell, form="closed", digits=None):
    """The theorem's spikes h^k with κ̃, ρ̃ of the residual y − f₀: where the pencil leads, which lengthens no neuron."""
    plan = Plan(case, spikes_of(case, ell), form, None, gradient="residual")
    point = tuple(getattr(case, name) for name in Point._fields)
    if digits is not None:
        return Values(*ball_values(plan, point, digits))
    return float_values(plan, float_terms(plan), Point(*map(float, point)))


def log_fractions(low: int, high: int) -> st.SearchStrategy[Fraction]:
    """Positive rationals, about log-uniform between 10^low and 10^high."""
    mantissas = st.integers(1, 999)
    return st.builds(lambda m, e: Fraction(m, 100) * Fraction(10) ** e, mantissas, st.integers(low, high))


COEFFICIENTS = st.lists(st.fractions(-3, 3, max_denominator=50), min_size=0, max_size=8)
FIRST = st.fractions(-3, 3, max_denominator=50).filter(bool)


@st.composite
def problems(draw, **options):
    """Exact problems over a wide range."""
    activation = tc.Activation.from_moments(draw(log_fractions(-3, 2)), draw(log_fractions(-3, 2)))
    return tc.Problem(
        activation,
        [draw(FIRST), *draw(COEFFICIENTS)],
        phi=draw(log_fractions(-4, 4)),
        psi=draw(log_fractions(-4, 4)),
        ridge=draw(log_fractions(-5, 5)),
        noise=draw(st.fractions(0, 3, max_denominator=20)),
        **options,
    )
