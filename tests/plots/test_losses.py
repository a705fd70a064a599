"""Figures show the numbers that were computed, and no run of another problem."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

import theorycalc as tc
from tests.helpers.drawn import ALPHAS, PROBLEM, simulated, stairs
from theorycalc import plots
from theorycalc.plots.comparisons import bands
from theorycalc.plots.phases import gained_shares, smallest_windows
from theorycalc.plots.style import COLOURS
from theorycalc.results.quantities import COMPARED

run = pytest.fixture(scope="module")(simulated)
LOSSES = ("test_loss", "train_loss", "train_error")


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def artist(place, gid):
    """Return the one artist of a figure or of axes that has this gid."""
    (found,) = place.findobj(lambda one: one.get_gid() == gid)
    return found


def heights(place, gid):
    return np.asarray(artist(place, gid).get_ydata(), dtype=float)


def test_a_prediction_shows_its_losses_and_gains():
    found = tc.predict(PROBLEM, ell=2)
    figure = found.plot()
    shown = " ".join(texts(figure))
    for name in LOSSES:
        for when in (name, f"{name}_initial"):
            assert artist(figure, when).get_xdata()[0] == getattr(found, when)
            assert artist(figure, f"{when}:label").get_text() == f"{getattr(found, when):.4g}"
    assert f"gain Λ = {found.test_gain:.4g}" in shown
    assert f"gain Δ = {found.train_gain:.4g}" in shown
    assert r"noise $\sigma_\varepsilon^2$ = 0.25" in shown
    assert artist(figure, "noise").get_xdata()[0] == 0.25
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows == ["test loss", "training loss,\nwith penalty", "training error,\nno penalty"]


@pytest.mark.parametrize("how", [{}, {"ridge": "1e-5", "psi": "1/4"}, {"ridge": 0, "psi": "1/4"}])
def test_the_numbers_of_a_prediction_stand_clear_of_the_names_of_its_rows(how):
    """Without a penalty, training errors come near 0, where the names begin."""
    figure = tc.predict(PROBLEM, ell=2, **how).plot()
    figure.draw_without_rendering()
    renderer = figure._get_renderer()
    names = max(label.get_window_extent(renderer).x1 for label in figure.axes[0].get_yticklabels())
    for text in figure.axes[0].texts:
        assert not text.get_text() or text.get_window_extent(renderer).x0 > names


def test_a_list_of_ridges_is_drawn_in_rising_order():
    ridges = np.array([10.0, 0.01, 1.0, 0.1])
    axes = tc.predict(PROBLEM, ell=2, ridge=ridges).plot().axes[0]
    after = tc.predict(PROBLEM, ell=2, ridge=np.sort(ridges)).test_loss
    np.testing.assert_array_equal(heights(axes, "test_loss"), after)
    assert axes.get_xscale() == "log"
    assert axes.get_ylim()[0] == 0
    assert tc.predict(PROBLEM, ell=2, noise=[0, 0.5]).plot().axes[0].get_xscale() == "linear"


def test_curves_of_training_loss_and_training_error_are_told_apart():
    found = tc.predict(PROBLEM, ell=2, ridge=np.geomspace(0.01, 10, 7))
    figure = found.plot()
    looks = set()
    for name, words in zip(LOSSES, ("test loss", "training loss", "training error"), strict=True):
        solid, dashed = artist(figure, name), artist(figure, f"{name}_initial")
        np.testing.assert_array_equal(solid.get_ydata(), getattr(found, name))
        np.testing.assert_array_equal(dashed.get_ydata(), getattr(found, f"{name}_initial"))
        assert (solid.is_dashed(), dashed.is_dashed()) == (False, True)
        assert (solid.get_color(), solid.get_marker()) == (dashed.get_color(), dashed.get_marker())
        assert artist(figure, f"{name}:label").get_text().endswith(words)
        looks |= {solid.get_color(), solid.get_marker()}
    assert len(looks) == 6
    assert figure.axes[0].get_ylabel() == "loss or error (training loss\nwith penalty, error without)"
    shaded = [one.get_gid() for one in figure.axes[0].collections]
    assert shaded == ["test_gain", "train_gain"]  # an error has no gain


def test_proven_digits_are_drawn_too():
    exact = tc.predict(PROBLEM, ell=2, digits=30)
    assert f"gain Λ = {float(exact.test_gain):.4g}" in texts(exact.plot())


def test_the_staircase_has_its_gains_ceiling_and_hollow_steps():
    result = stairs(PROBLEM)
    axes = plots.staircase_figure(result).axes[0]
    for name in ("test_gain", "train_gain"):
        assert list(heights(axes, name)) == [getattr(p, name) for p in result.predictions]
        assert artist(axes, name).get_drawstyle() == "steps-mid"
        assert list(artist(axes, f"{name}:nothing").get_xdata()) == [3]  # ReLU has c_3 = 0
        assert heights(axes, f"{name}:ceiling")[0] == getattr(result.ceiling, name)


def test_a_staircase_without_ceiling():
    result = stairs(PROBLEM, 2)
    result.ceiling = None
    assert not [text for text in texts(plots.staircase_figure(result)) if "ceiling" in text]


@pytest.mark.slow
def test_gain_against_alpha_has_curves_limits_windows_and_points(run):
    figure = plots.gain_against_alpha(PROBLEM, n=[1000], run=run)
    for axes, name in zip(figure.axes, ("test_gain", "train_gain"), strict=True):
        for i, n in enumerate((1000, 100)):  # the run's own size is added
            curve = artist(axes, f"{name}:n={n}")
            assert curve.get_color() == COLOURS[i]
            again = tc.step(PROBLEM, n=n, alpha=np.asarray(curve.get_xdata()))
            np.testing.assert_array_equal(curve.get_ydata(), getattr(again, name))
        steps = np.reshape(artist(axes, f"{name}:limit").get_xydata(), (-1, 3, 2))  # two ends and a gap
        for ell in (1, 2, 5):
            level = getattr(tc.predict(PROBLEM, ell=ell), name)
            assert [tuple(end) for end in steps[ell - 1, :2]] == [(float(x), level) for x in tc.window_bounds(ell)]
        patch = artist(axes, "window:2")
        span = patch.get_patch_transform().transform_path(patch.get_path()).vertices[:, 0]
        assert (span.min(), span.max()) == pytest.approx((1 / 4, 1 / 3))
        points, _, (bars,) = axes.containers[0]
        np.testing.assert_allclose(np.asarray(points.get_xdata(), dtype=float), ALPHAS, rtol=1e-12)
        assert list(points.get_ydata()) == [row[name] for row in run.rows]
        lengths = [segment[1, 1] - segment[0, 1] for segment in bars.get_segments()]
        np.testing.assert_allclose(lengths, [2 * row[f"{name}_se"] for row in run.rows])


@pytest.mark.slow
def test_limits_that_are_not_known_are_said_to_be_missing():
    known = tc.Activation.from_callable(
        np.tanh, derivative=lambda x: 1 - np.tanh(x) ** 2
    )  # nothing shows that its c_2 is zero
    case = tc.Problem(known, "H1", "1/2", "2/3", "1/10")
    figure = tc.step(tc.Problem("tanh", "H1", "1/2", "2/3", "1/10"), n=200, alpha=[0.1, 0.2]).plot()
    assert not [text for text in texts(figure) if "no limit" in text]
    figure = plots.gain_against_alpha(case, n=200)
    assert "limit of each window (theorem);\nno limit is known for $\\ell$ ≥ 2" in texts(figure)


@pytest.mark.slow
def test_finite_steps_draw_what_varies():
    alphas = np.array([0.3, 0.1, 0.2])
    found = tc.step(PROBLEM, n=200, alpha=alphas, ridge=1)
    axes = found.plot().axes[0]
    np.testing.assert_array_equal(heights(axes, "test_gain:n=200"), found.test_gain[[1, 2, 0]])
    assert heights(axes, "test_gain:limit")[0] == tc.predict(PROBLEM, ell=1, ridge=1).test_gain
    assert tc.step(PROBLEM, n=200, eta=[1, 2]).plot().axes[0].get_xlabel() == "η, size of the step (learning rate)"
    assert tc.step(PROBLEM, n=200, eta=2, ridge=[1, 2]).plot().axes[0].get_xlabel() == "λ, ridge (weight decay)"
    with pytest.raises(tc.ArgumentError, match=r"array of shape \(2, 3\)"):
        tc.step(PROBLEM, n=200, alpha=alphas, ridge=[[1], [2]]).plot()


def test_the_spectrum_has_density_histogram_and_outliers(run):
    found = tc.spectrum(PROBLEM, n=100, alpha=0.4)
    axes = found.plot(run=run).axes[0]
    bulk = artist(axes, "density")
    z = np.asarray(bulk.get_xdata())
    assert axes.get_xscale() == "log"
    np.testing.assert_allclose(bulk.get_ydata(), z * found.density(z), rtol=1e-12)
    assert list(artist(axes, "outliers").get_xdata()) == list(found.outliers)
    values, edges, _ = artist(axes, "simulated").get_data()
    mass = float(np.sum(values * np.diff(np.log(edges))))
    taken = [record["spectrum"]["quantiles"] for record in run.records if record["alpha"] == 0.4]
    inside = np.mean([edges[0] <= x <= edges[-1] for row in taken for x in row])
    assert mass == pytest.approx(inside, abs=1e-12)
    assert 0.5 < mass < 1  # a quarter is 0
    rug = artist(axes, "simulated:outliers")
    assert max(rug.get_xdata()) == max(record["spectrum"]["top"][0] for record in run.records if record["alpha"] == 0.4)


def test_a_spectrum_that_stays_away_from_zero_has_a_linear_axis():
    wide = tc.Problem("relu", "H1", phi="1/2", psi=10, ridge=1)
    found = tc.spectrum(wide)
    assert found.edges[0][0] > found.edges[-1][1] / 30
    axes = found.plot().axes[0]
    line = artist(axes, "density")
    assert axes.get_xscale() == "linear"
    np.testing.assert_allclose(line.get_ydata(), found.density(np.asarray(line.get_xdata())))


def test_runs_of_other_problems_are_not_drawn(run):
    other = tc.Problem("relu", "H1 + H2/2 + H3/6", "1/2", "2/3", "1/10")
    with pytest.raises(tc.ArgumentError, match="noise is 0 and 1/2"):
        plots.gain_against_alpha(other, run=run)
    with pytest.raises(tc.ArgumentError, match="different problems: activation"):
        tc.spectrum(tc.Problem("tanh", "H1", "1/2", "2/3", "1/10"), n=100, alpha=0.4).plot(run=run)
    with pytest.raises(tc.ArgumentError, match="spectrum is of n = 102"):
        tc.spectrum(PROBLEM, n=102, alpha=0.4).plot(run=run)
    with pytest.raises(tc.ArgumentError, match="no finished replicate of the step"):
        tc.spectrum(PROBLEM, n=100, alpha=0.2).plot(run=run)
    plain = tc.simulate(PROBLEM, n=60, alpha=0.1, replicates=2)
    with pytest.raises(tc.ArgumentError, match="simulate with spectrum=True"):
        tc.spectrum(PROBLEM, n=60, alpha=0.1).plot(run=plain)
    with pytest.raises(tc.ArgumentError, match="must be a Run"):
        tc.spectrum(PROBLEM).plot(run="run.json")
    with pytest.raises(tc.ArgumentError, match="must be a Run"):
        plots.gain_against_alpha(PROBLEM, run="run.json")
    with pytest.raises(tc.ArgumentError, match="nothing to draw"):
        plots.gain_against_alpha(PROBLEM, run=tc.simulate(PROBLEM, n=60, eta=0, replicates=2))


def test_eigenvalues_from_a_damaged_file_are_refused(run, tmp_path):
    data = run.to_dict()
    data = json.loads(json.dumps(data))
    data["records"][0]["spectrum"]["quantiles_initial"][3] = "many"
    (tmp_path / "run.json").write_text(json.dumps(data))
    with pytest.raises(tc.ArgumentError, match="replicate 0 of the run has no quantiles_initial"):
        tc.spectrum(PROBLEM).plot(run=tc.load_run(tmp_path / "run.json"))


def test_coefficients_show_size_sign_and_zeros():
    axes = tc.activation("relu").plot(k=8).axes[0]
    c = tc.coefficients("relu", 8)
    drawn = {line.get_label(): line for line in axes.lines}
    up, down, zero = (drawn[key] for key in ("$c_k > 0$", "$c_k < 0$", "exactly 0"))
    assert list(up.get_xdata()) == [0, 1, 2, 6]
    assert list(down.get_xdata()) == [4, 8]
    assert list(zero.get_xdata()) == [3, 5, 7]
    np.testing.assert_allclose(down.get_ydata(), [-c[4] * math.sqrt(24), -c[8] * math.sqrt(40320)], rtol=1e-13)


def test_estimated_coefficients_are_not_called_zero():
    axes = tc.Activation.from_callable(np.tanh, name="costs $").plot(k=5).axes[0]
    drawn = {line.get_label(): list(line.get_xdata()) for line in axes.lines}
    assert "exactly 0" not in drawn
    assert {2, 4} <= set(drawn["not told from 0"])
    assert axes.get_title(loc="left").startswith(r"costs \$, estimated")
    with pytest.raises(tc.DomainError, match="needs the function"):
        tc.Activation.from_moments("1/2", "1/3").plot()


def test_double_descent_peaks_at_as_many_neurons_as_samples():
    figure = plots.double_descent(PROBLEM, ell=2, ridge=["1e-6", 1])
    for axes, name in zip(figure.axes, LOSSES, strict=True):
        for ridge in ("1e-06", "1"):
            curve = artist(axes, f"{name}:ridge={ridge}")
            x = np.asarray(curve.get_xdata())
            expected = getattr(tc.predict(PROBLEM, ell=2, psi=0.5 / x, ridge=ridge), name)
            np.testing.assert_array_equal(curve.get_ydata(), expected)
    peak = x[np.argmax(heights(figure, "test_loss:ridge=1e-06"))]
    assert peak == pytest.approx(1, rel=0.05)
    with pytest.raises(tc.DomainError, match="needs ridge > 0"):
        plots.double_descent(PROBLEM, ridge=[0, 1])


def test_the_phase_diagram_shows_the_smallest_window_that_is_enough():
    gained = gained_shares(PROBLEM, "1/10")
    phase = smallest_windows(gained, 0.9)
    assert {1, 2, 4, 9} <= set(np.unique(phase))
    assert not {3, 5, 7} & set(np.unique(phase))  # c_3 = c_5 = c_7 = 0: they add nothing
    for ell in (1, 2, 4):
        there = phase == ell
        assert np.all(gained[ell][there] >= 0.9)
        assert ell == 1 or np.all(gained[ell - 1][there] < 0.9)
    figure = plots.phase_diagram(PROBLEM)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["λ = 0.001", "λ = 0.1", "λ = 10"]
    assert r"$\Lambda_\ell \geq 0.9\,\Lambda_\infty$" in figure.get_suptitle()


@settings(max_examples=60, deadline=None)
@given(*[st.floats(-2, 2)] * 3, st.sampled_from(["relu", "gelu", "tanh(x + 1)", "elu"]))
def test_gains_do_not_fall_with_ell(log_phi, log_psi, log_ridge, name):
    """What the phase diagram says of itself: the largest step is the best."""
    where = {"phi": 10**log_phi, "psi": 10**log_psi, "ridge": 10**log_ridge}
    case = tc.Problem(name, "H1 + H2/2 - H3/3 + H4/5", noise="1/2", **where)
    gains = [tc.predict(case, ell=ell).test_gain for ell in (0, 1, 2, 3, 4, 6, "inf")]
    assert all(after >= before * (1 - 1e-13) for before, after in pairwise(gains))


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


@pytest.mark.slow
def test_an_incomplete_run_says_how_many_draws_it_has(run):
    fewer = replace(run, records=run.records[:-1])
    figure = plots.gain_against_alpha(PROBLEM, run=fewer)
    assert "simulated, 2–3 draws ± s.e." in texts(figure)
