"""Finite steps of neurons with biases: one kind, equal kinds, their order, networks, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.results import finite_step
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.nodes_of_kinds import kind_step

GAINS = ("train_gain", "test_gain", "train_loss", "test_loss", "train_error", "test_loss_initial")


def problem(activation: str, biases: object = None, **options: object) -> tc.Problem:
    sizes = {"n": 600, "d": 300, "N": 450, "ridge": "1/10", "noise": "1/2", "intercept": True}
    return tc.Problem(activation, "H1 + H2/2", **sizes | options, biases=biases)


@pytest.mark.slow
@pytest.mark.parametrize("gradient", ["labels", "residual"])
@pytest.mark.parametrize("method", ["dressed", "isotropic"])
def test_one_kind_is_the_shifted_activation(gradient, method, monkeypatch):
    # terms of order 1/n of losses before the step are known without biases only
    monkeypatch.setattr(finite_step, "at_size", lambda step, ridge, before, gains: (before, gains))
    options = {"first_scale": "1/2", "centred_labels": False}
    shifted, biased = problem("tanh(x/2 + 1)", first_scale=1, centred_labels=False), problem("tanh", {1: 1}, **options)
    for biases in ({1: 1}, {1: 1, "1 + 1e-12": 2}):  # and two kinds that are nearly one
        found = tc.step(replace(biased, biases=biases), eta=3, gradient=gradient, method=method)
        wanted = tc.step(shifted, eta=12, gradient=gradient, method=method)  # a step of η/g_w²
        for name in GAINS:
            assert float(getattr(found, name)) == pytest.approx(float(getattr(wanted, name)), rel=1e-8)


@pytest.mark.slow
def test_the_order_of_the_kinds_changes_nothing():
    step = step_of(problem("relu", {-1: 1, 0: 2, 1: 1}), 450, "residual")
    turned = replace(step, kinds=step.kinds[::-1])
    there, back = (network_after(one, np.array([4.0]), Resolution()) for one in (step, turned))
    assert np.sort(there.noise.sum(axis=-1)) == pytest.approx(np.sort(back.noise.sum(axis=-1)))
    assert there.u_weights.sum() == pytest.approx(1)
    assert (there.u_weights * there.own**2).sum() * 450 == pytest.approx(1, rel=1e-9)  # W₀ᵀ(a∘c_1)/c_1 is a unit


@pytest.mark.slow
def test_raw_neurons_with_biases_on_the_residual():
    """The mean of the initial output has the variance of c_0 over the kinds; on the labels it plays no part."""
    options = {"gradient": "residual", "eta": 4}
    shifted, biased = (problem(*given, centred=False) for given in (("tanh(x + 1)",), ("tanh", {1: 1})))
    assert float(tc.step(biased, **options).test_gain) == pytest.approx(float(tc.step(shifted, **options).test_gain))
    two = problem("tanh", {-1: 1, 1: 1}, centred=False)  # of opposite means, which do not cancel
    centred = float(tc.step(replace(two, centred=True), **options).test_gain)
    assert float(tc.step(two, **options).test_gain) < 0.98 * centred
    assert (
        tc.step(two, eta=4, gradient="labels").test_gain
        == tc.step(replace(two, centred=True), eta=4, gradient="labels").test_gain
    )


def test_a_step_of_no_size_leaves_the_limits_of_untrained_networks():
    known = problem("relu", {-1: 1, 1: 2})
    assert float(tc.step(known, eta=0).test_gain) == pytest.approx(0, abs=1e-9)
    assert float(tc.step(known, eta=0).test_loss) == pytest.approx(tc.predict(known, ell=0).test_loss, rel=1e-9)


@pytest.mark.slow
def test_a_law_is_followed_by_a_short_rule():
    """Ten kinds of a Gauss rule against ten equal shares at the quantiles of a uniform law."""
    law = tc.step(problem("tanh", "uniform(1)"), alpha=0.3)
    table = tc.step(problem("tanh", {f"{2 * i - 9}/10": 1 for i in range(10)}), alpha=0.3)
    assert float(law.test_gain) == pytest.approx(float(table.test_gain), rel=0.01)
    assert float(law.test_gain) != float(table.test_gain)
    normal, limit = problem("tanh", "normal(1)"), problem("tanh", "normal(1)")
    assert float(tc.step(normal, eta=0).test_loss) == pytest.approx(tc.predict(limit, ell=0).test_loss, rel=1e-3)


def test_what_finite_steps_refuse():
    many = problem("tanh", dict.fromkeys(range(11), 1))
    with pytest.raises(tc.DomainError, match="finite steps follow up to 10") as caught:
        tc.step(many, eta=1)
    assert caught.value.argument == "biases"
    with pytest.raises(tc.DomainError, match="finite steps follow up to 10"):
        tc.step(many, eta=1, method="pencil")


def test_numbers_of_a_kind():
    """ReLU with the bias b: c_1 = Φ(b), Var σ' = Φ(b)(1 − Φ(b)), c_2 = φ(b)/2."""
    known = problem("relu", {1: 1, -1: 1})
    step = step_of(known, 450, "labels")
    lower, upper = step.kinds
    assert (lower.c1, upper.c1) == pytest.approx((0.15865525393145707, 0.8413447460685429))
    assert upper.c2 == pytest.approx(0.24197072451914337 / 2)
    assert upper.spread == pytest.approx(0.8413447460685429 * 0.15865525393145707 * step.case.scatter)
    again = kind_step(step.case, 0.5, known.unit_kinds[1])
    assert (again.c1, again.c2, again.spread) == (upper.c1, upper.c2, upper.spread)


@pytest.mark.slow
@pytest.mark.parametrize(("activation", "biases"), [("tanh", {0: 1, 2: 1}), ("relu", {-1: 1, 1: 1})])
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_networks_with_biases(activation, biases, gradient):
    known = problem(activation, biases, n=300, d=150, N=225)
    run = tc.simulate(known, alpha=0.35, replicates=24, gradient=gradient, seed=3)
    found, plain = (tc.step(one, alpha=0.35, gradient=gradient) for one in (known, replace(known, biases=None)))
    off = []
    for name in ("train_gain", "test_gain"):
        values = np.array([row[name] for row in run.draws])
        error = values.std(ddof=1) / np.sqrt(len(values))
        assert abs(values.mean() - float(getattr(found, name))) < 3.5 * error
        off.append(abs(values.mean() - float(getattr(plain, name))) / error)
    if activation == "tanh":  # without biases it has no second spike
        assert max(off) > 5
