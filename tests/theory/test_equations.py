"""The equations of the pencil, and QᵀMid⁻¹Q by singular values against Mid itself."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.numbers.dual import Dual
from theorycalc.theory.pencil.equations import Blocks, form_of, matrix_of


def test_the_pencil_needs_no_more_of_an_activation_than_its_spikes():
    """H_1 + H_2 by its coefficients alone, or as text."""
    listed, written = (
        tc.step(tc.Problem(sigma, "H1 + H2/2", "1/2", "2/3", "1/10"), n=1000, alpha=0.2, method="pencil")
        for sigma in (tc.Activation.from_coefficients([1, 1]), "H1 + H2")
    )
    assert listed.powers == written.powers == 2
    assert listed.train_gain == pytest.approx(written.train_gain, rel=1e-14)
    assert listed.test_gain == pytest.approx(written.test_gain, rel=1e-14)


def at(shift: float, kinds: int):
    """Return weights, q, couplings, √θ and Y that change with a parameter, for a size of 3."""
    rng = np.random.default_rng(3)
    weights, q = rng.uniform(1, 2, 3) + shift * rng.uniform(0, 1, 3), rng.normal(size=3) + shift * rng.normal(size=3)
    couplings = rng.normal(size=kinds) / 5 + shift * rng.normal(size=kinds)
    roots = rng.uniform(0.5, 1, kinds) + shift * rng.normal(size=kinds)
    return weights, q, couplings, roots, rng.normal(size=(kinds, 3, 3))


def whole_form(shift: float, kinds: int) -> float:
    weights, q, couplings, roots, factors = at(shift, kinds)
    mid = np.array(matrix_of(Blocks(list(weights), [], tuple(couplings)), roots, factors, own=1))
    vector = np.append(q, np.zeros(len(mid) - 3))
    return float(vector @ np.linalg.solve(mid, vector))


@pytest.mark.checks("mid", "pencil_gains")
@pytest.mark.parametrize("kinds", [1, 2, 4])
def test_the_sum_over_singular_values_is_the_form_of_mid(kinds):
    """Its slope is that of the whole form; a kind left out is noticed."""
    step = 1e-6
    here, there = at(0.0, kinds), at(step, kinds)
    weights, q, couplings, roots = (
        Dual(x[None], (y - x)[None] / step) for x, y in zip(here[:4], there[:4], strict=True)
    )
    factors = [Y[None] for Y in here[4]]
    own = sum((couplings[:, b : b + 1] * Y[:, :, 1] for b, Y in enumerate(factors)), Dual(0.0, 0.0))
    thetas = [roots[:, b] for b in range(kinds)]
    found = form_of(weights, q, own, thetas, factors)
    assert found.value[0] == pytest.approx(whole_form(0.0, kinds), rel=1e-12)
    slope = (whole_form(step, kinds) - whole_form(-step, kinds)) / (2 * step)
    assert found.slope[0] == pytest.approx(slope, rel=1e-6)
    if kinds > 1:
        fewer = form_of(weights, q, own, thetas[:-1], factors[:-1])
        assert abs(fewer.value[0] / found.value[0] - 1) > 0.01
