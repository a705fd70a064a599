"""A record from a file has the numbers that its settings ask for, and no others."""

from __future__ import annotations

import copy

import pytest

import theorycalc as tc
from theorycalc.errors import DomainError
from theorycalc.simulation.records import record_check
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings


def described(**options):
    return read_settings(tc.Problem("tanh", "sign(x)", n=20, d=8, N=10, ridge="1/10", **options), eta=1)


def test_a_record_fits_its_own_settings_alone():
    """Clean losses are there where labels of the fit are corrupted, and nowhere else."""
    clean, corrupted = described(), described(corrupt_fit="1/2")
    (plain,), (more,) = replicate(clean, 0), replicate(corrupted, 0)
    assert record_check(clean)(plain) == plain
    assert record_check(corrupted)(more) == more
    with pytest.raises(DomainError, match="which are not ours"):
        record_check(clean)(more)
    with pytest.raises(DomainError, match="test_loss_clean_initial in its rows is None"):
        record_check(corrupted)(plain)


@pytest.mark.parametrize("value", [None, "0.1", True, float("nan"), 1e200])
def test_an_error_rate_is_a_number(value):
    settings = described()
    (record,) = replicate(settings, 0)
    spoilt = copy.deepcopy(record)
    spoilt["rows"][0]["error_rate"] = value
    with pytest.raises(DomainError, match="error_rate in its rows is"):
        record_check(settings)(spoilt)
