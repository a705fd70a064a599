"""Best choices have the losses of their step."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE as PROBLEM
from tests.helpers.results import SIZES, made


@pytest.mark.slow
def test_the_best_choice_has_the_losses_of_its_step():
    found = made("best")
    again = tc.step(PROBLEM, **SIZES, eta=found.eta)
    assert found.step == again
    assert found.rows[0]["train_error"] == again.train_error
    assert (found.rows[0]["eta"], found.rows[0]["larger_hurts"]) == (found.eta, found.larger_hurts)
    assert repr(found).startswith(f"Best step, η = {found.eta:.6g}. One step of the literal network, n = 120")
    assert "searched η from" in repr(found)
    ridge = tc.best_ridge(PROBLEM, **SIZES, eta=5)
    assert repr(ridge).startswith(f"Best ridge, λ = {ridge.ridge:.6g}. One step")
    assert ridge.to_dict()["searched"] == list(ridge.searched)
