"""Functions beside h after several steps: their sizes, their forms by quadrature, and what a result says of them."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.numbers.dual import Dual
from theorycalc.theory.dressed.accuracy import shared_length
from theorycalc.theory.dressed.beside_h import forms_beside, functions_beside, labels_beside
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.responses import normal_rule


def network_of(activation="relu", steps=2, eta=6.0):
    case = tc.Problem(activation, "H1 + H2/2", n=600, d=300, N=400, ridge="1/10", noise="1/2", steps=steps)
    return network_after(step_of(case, 400, "labels"), np.array([eta]), Resolution())


def test_functions_are_the_outputs_that_they_stand_for():
    network = network_of()
    later, beside = network.later, network.beside
    for k in (0, 1):
        chosen = np.all(beside.factors == (k, -1), axis=-1)
        found = beside.loadings[0][:, chosen] @ beside.shapes[0][chosen]
        wanted = network.linear[0] * later.beside[0, k][:, None]
        off = np.sqrt(network.u_weights)[:, None] * (found - wanted)
        assert np.linalg.norm(off) < 1e-3 * np.linalg.norm(np.sqrt(network.u_weights)[:, None] * network.linear[0])
    chosen = np.all(beside.factors == (0, 0), axis=-1)
    found = beside.loadings[0][:, chosen] @ beside.shapes[0][chosen]
    wanted = network.quadratic[0] * (later.beside[0, 0] ** 2)[:, None] / np.sqrt(2)
    assert np.allclose(found, wanted, atol=1e-6)


@pytest.mark.checks("beside")
def test_forms_are_means_over_the_open_part():
    """E over h and g_1, with x·β⋆ = ρh + √(1−ρ²)g_1 and x·c = √(1−ρ²)h − ρg_1, of every pair of functions."""
    network = network_of()
    beside, case, rng = network.beside, network.step.case, np.random.default_rng(0)
    g = Dual(rng.uniform(1, 2, network.h.shape)[None], np.zeros((1, len(network.h))))
    rank = network.shapes.shape[1]
    half = rng.standard_normal((rank, rank))
    Z = (half @ half.T)[None]
    along, apart = forms_beside(beside, g, network.shapes, Z, network.step.open_part)
    open_part, weights = normal_rule(0.05, 8.0)
    h, root = network.h[:, None], np.sqrt(network.h_weights)[:, None]
    directions = (case.rho * h + case.off_teacher * open_part, case.off_teacher * h - case.rho * open_part)
    values = {(0, -1): open_part, (0, 0): (open_part**2 - 1) / np.sqrt(2)}
    names = [tuple(pair) for pair in beside.factors.tolist()]
    known = [i for i, name in enumerate(names) if name in values]
    gammas = network.shapes[0] / root[:, 0]
    functions = [(beside.shapes[0, i][:, None] / root) * values[names[i]] for i in known]
    measure = root**2 * g.value[0][:, None] * weights
    for i, f in zip(known, functions, strict=True):
        wanted = [np.sum(f * (gamma[:, None] * x) * measure) for x in directions for gamma in gammas]
        assert np.allclose(along.value[0, i], wanted, atol=1e-9)
        for j, other in zip(known, functions, strict=True):
            assert apart.value[0, i, j] == pytest.approx(np.sum(f * other * measure), abs=1e-9)
    noisy = np.flatnonzero(np.all(beside.factors == (1, -1), axis=-1))
    shapes, gamma = beside.shapes[0, noisy], network.shapes[0]
    V, with_linear = (shapes * g.value[0]) @ shapes.T, (shapes * g.value[0]) @ gamma.T
    assert np.allclose(apart.value[0][np.ix_(noisy, noisy)], V - with_linear @ Z[0] @ with_linear.T)
    assert np.all(along.value[0, noisy] == 0)


@pytest.mark.checks("beside")
def test_labels_know_of_the_open_part_alone():
    network = network_of()
    beside, rng = network.beside, np.random.default_rng(1)
    linear, across = rng.standard_normal((2, len(network.h)))
    weighted = Dual(np.ones((1, len(network.h))), np.zeros((1, len(network.h))))
    found = labels_beside(beside, weighted, linear, across).value[0]
    names = [tuple(pair) for pair in beside.factors.tolist()]
    of = {(0, -1): linear, (0, 0): across / np.sqrt(2)}
    wanted = [beside.shapes[0, i] @ of[name] if name in of else 0.0 for i, name in enumerate(names)]
    assert np.allclose(found, wanted)


def test_a_step_among_others_is_as_it_is_alone():
    """Functions that are too small count for none of the steps for which they are."""
    case = tc.Problem("tanh(x + 1)", "H1 + H2/2", n=600, d=300, N=400, ridge="1/10", noise="1/2", steps=2)
    together = tc.step(case, eta=[0.5, 8], gradient="labels").test_gain
    alone = tc.step(case, eta=0.5, gradient="labels").test_gain
    assert together[0] == pytest.approx(alone, rel=1e-6)


def test_functions_beside_vanish_with_their_steps():
    network = network_of(eta=1e-6)
    assert len(functions_beside(network.later, network.linear, network.quadratic, network.u_weights).factors) == 0


def test_large_steps_of_an_activation_that_grows_fast_are_refused_with_the_reason():
    case = tc.Problem("max(0, x)**2", "H1 + H2/sqrt(2)", n=600, d=300, N=500, ridge="1/10", noise="1/2", steps=4)
    with pytest.raises(tc.TheoryError, match="of the squared length of neurons is noise") as caught:
        tc.step(case, eta=7.9, gradient="labels")
    assert caught.value.argument == "eta"
    assert tc.step(case, eta=1, gradient="labels").test_gain > 0
    step = step_of(case, 500, "labels")
    assert shared_length(step, 1.0) < 0.01
    assert shared_length(step, 7.9) > 0.3


def test_one_step_shares_nothing_beside_h():
    case = tc.Problem("max(0, x)**2", "H1 + H2/sqrt(2)", n=600, d=300, N=500, ridge="1/10", noise="1/2")
    assert shared_length(step_of(case, 500, "labels"), 30.0) == 0
