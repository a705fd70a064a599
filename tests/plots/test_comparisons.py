"""Comparisons: every z, and the band of the verdict."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.special import stdtr

import theorycalc as tc
from tests.helpers.drawn import ALPHAS, PROBLEM, artist
from theorycalc.plots.comparisons import bands
from theorycalc.results.quantities import COMPARED


def test_a_comparison_shows_every_z_and_fills_what_differs(run):
    theories = [tc.predict(PROBLEM, ell=1), tc.step(PROBLEM, n=100, alpha=ALPHAS)]
    comparison = tc.compare(run, theories, quantities=COMPARED, level=0.5)
    figure = comparison.plot()
    drawn = [z for number in (1, 2) for z in artist(figure, f"z:{number}").get_xdata()]
    assert sorted(drawn) == sorted(row["z"] for row in comparison.rows)
    assert comparison.differing
    filled = [z for one in figure.findobj(lambda one: "differs" in str(one.get_gid())) for z in one.get_xdata()]
    assert sorted(filled) == sorted(row["z"] for row in comparison.differing)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[:2] == ["$\\ell$ = 1", "finite step (dressed)"]


def test_the_band_is_that_of_the_verdict(run):
    """A row agrees if and only if its z lies in the band that is drawn."""
    limits = [tc.predict(PROBLEM, ell=ell) for ell in (1, 2, 4)]
    comparison = tc.compare(run, limits, quantities=COMPARED, level=0.5)
    patch = artist(comparison.plot(), "band")
    edge = patch.get_patch_transform().transform_path(patch.get_path()).vertices[:, 0].max()
    outside = [abs(row["z"]) > edge for row in comparison.rows]
    assert 0 < sum(outside) < len(outside)
    assert outside == [row in comparison.differing for row in comparison.rows]


def test_an_interrupted_run_has_a_band_for_each_number_of_draws(run):
    fewer = tc.compare(replace(run, records=run.records[:-1]), tc.predict(PROBLEM, ell=1))
    widths = bands(fewer)
    assert len(widths) == 2
    for count, width in zip((3, 2), widths, strict=True):
        assert 2 * stdtr(count - 1, -width) == pytest.approx(fewer.level / fewer.looks, rel=1e-9)
    figure = fewer.plot()
    assert artist(figure, "band")
    assert artist(figure, "band:2").get_label() == f"agreement, |z| < {widths[1]:.1f}"


def test_an_infinite_z_is_an_arrow_at_the_edge(run):
    row = tc.compare(run, tc.predict(PROBLEM, ell=1)).rows[0]
    rows = (
        row | {"z": -math.inf, "p": 0.0, "standard_error": 0.0, "judged": True},
        row | {"quantity": "test_gain", "z": 1.0, "p": 0.4, "judged": True},
    )
    top = tc.Comparison(rows, 0.01, ()).plot().axes[0]
    arrow = artist(top, "z:1:infinite")
    assert arrow.get_marker() == "<"
    assert arrow.get_xdata()[0] == top.get_xlim()[0]
