"""Figures show the numbers that were computed, look the same each time, and refuse what they cannot draw."""

from __future__ import annotations

import base64
import json
import math
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import rc_context
from matplotlib.colors import to_hex

import theorycalc as tc
from theorycalc import plots
from theorycalc.plots.phases import gained_shares, smallest_windows
from theorycalc.plots.style import COLOURS, house_style, spread
from theorycalc.plots.vectors import letters

PROBLEM = tc.Problem("relu", "H1 + H2/2 + H3/6", "1/2", "2/3", "1/10", noise="1/2")
ALPHAS = [0.1, 0.3, 0.4]


@pytest.fixture(scope="module")
def run():
    return tc.simulate(PROBLEM, n=100, alpha=ALPHAS, replicates=3, seed=1, spectrum=True)


def stairs(problem, top=4):
    predictions = [tc.predict(problem, ell=ell) for ell in range(top + 1)]
    return SimpleNamespace(problem=problem, predictions=predictions, ceiling=tc.predict(problem, ell="inf"))


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def line_of(axes, colour, points):
    """Return the heights of the one line of a colour with so many points."""
    (line,) = [x for x in axes.lines if to_hex(x.get_color()) == colour.lower() and len(x.get_xdata()) == points]
    return np.asarray(line.get_ydata())


# What is shown is what was computed.


def test_a_prediction_shows_its_losses_and_gains():
    found = tc.predict(PROBLEM, ell=2)
    figure = found.plot()
    shown = " ".join(texts(figure))
    for value in (found.test_loss_initial, found.test_loss, found.train_loss_initial, found.train_loss):
        assert f"{value:.4g}" in shown
    assert f"gain Λ = {found.test_gain:.4g}" in shown
    assert f"gain Δ = {found.train_gain:.4g}" in shown
    assert r"noise $\sigma_\varepsilon^2$ = 0.25" in shown
    places = [line.get_xdata()[0] for line in figure.axes[0].lines if len(line.get_xdata()) == 1]
    assert places == [found.train_loss_initial, found.train_loss, found.test_loss_initial, found.test_loss]


def test_a_list_of_ridges_is_drawn_in_rising_order():
    ridges = np.array([10.0, 0.01, 1.0, 0.1])
    axes = tc.predict(PROBLEM, ell=2, ridge=ridges).plot().axes[0]
    after = tc.predict(PROBLEM, ell=2, ridge=np.sort(ridges)).test_loss
    assert any(np.array_equal(line.get_ydata(), after) for line in axes.lines)
    assert axes.get_xscale() == "log"
    assert tc.predict(PROBLEM, ell=2, noise=[0, 0.5]).plot().axes[0].get_xscale() == "linear"


def test_proven_digits_are_drawn_too():
    exact = tc.predict(PROBLEM, ell=2, digits=30)
    assert f"gain Λ = {float(exact.test_gain):.4g}" in texts(exact.plot())


def test_the_staircase_has_its_gains_ceiling_and_hollow_steps():
    result = stairs(PROBLEM)
    axes = plots.staircase_figure(result).axes[0]
    points = [line for line in axes.lines if len(line.get_xdata()) == 1]
    gains = [line.get_ydata()[0] for line in points]
    assert gains == [p.test_gain for p in result.predictions] + [p.train_gain for p in result.predictions]
    hollow = [line.get_xdata()[0] for line in points if line.get_markerfacecolor() == "white"]
    assert hollow == [3, 3]  # ReLU has c_3 = 0
    levels = [line.get_ydata()[0] for line in axes.lines if len(line.get_xdata()) == 2]
    assert levels == [result.ceiling.test_gain, result.ceiling.train_gain]


def test_a_staircase_without_ceiling():
    result = stairs(PROBLEM, 2)
    result.ceiling = None
    assert not [text for text in texts(plots.staircase_figure(result)) if "ceiling" in text]


def test_gain_against_alpha_has_curves_limits_windows_and_points(run):
    figure = plots.gain_against_alpha(PROBLEM, n=[1000], run=run)
    summary = run.summary()
    for axes, name in zip(figure.axes, ("test_gain", "train_gain"), strict=True):
        for i, n in enumerate((1000, 100)):  # the run's own size is added
            curve = next(
                x for x in axes.lines if to_hex(x.get_color()) == COLOURS[i].lower() and len(x.get_xdata()) > 9
            )
            again = tc.step(PROBLEM, n=n, alpha=np.asarray(curve.get_xdata()))
            np.testing.assert_array_equal(curve.get_ydata(), getattr(again, name))
        segments = {
            tuple(x.get_xdata()): x.get_ydata()[0] for x in axes.lines if x.get_linewidth() == 2 and len(x.get_xdata())
        }
        for ell in (1, 2, 5):
            assert segments[tuple(map(float, tc.window_bounds(ell)))] == getattr(tc.predict(PROBLEM, ell=ell), name)
        spans = {patch.get_x(): patch.get_width() for patch in axes.patches}
        assert spans[0.25] == pytest.approx(1 / 3 - 1 / 4)
        points, _, (bars,) = axes.containers[0]
        np.testing.assert_allclose(np.asarray(points.get_xdata(), dtype=float), ALPHAS, rtol=1e-12)
        assert list(points.get_ydata()) == [row[name] for row in summary]
        lengths = [segment[1, 1] - segment[0, 1] for segment in bars.get_segments()]
        np.testing.assert_allclose(lengths, [2 * row[f"{name}_se"] for row in summary])


def test_limits_that_are_not_known_are_said_to_be_missing():
    known = tc.Activation.from_callable(
        np.tanh, derivative=lambda x: 1 - np.tanh(x) ** 2
    )  # nothing shows that its c_2 is zero
    case = tc.Problem(known, "H1", "1/2", "2/3", "1/10")
    figure = tc.step(tc.Problem("tanh", "H1", "1/2", "2/3", "1/10"), n=200, alpha=[0.1, 0.2]).plot()
    assert not [text for text in texts(figure) if "no limit" in text]
    figure = plots.gain_against_alpha(case, n=200)
    assert "no limit is known for ℓ ≥ 2" in texts(figure)


def test_finite_steps_draw_what_varies():
    alphas = np.array([0.3, 0.1, 0.2])
    found = tc.step(PROBLEM, n=200, alpha=alphas, ridge=1)
    axes = found.plot().axes[0]
    np.testing.assert_array_equal(line_of(axes, COLOURS[0], 3), found.test_gain[[1, 2, 0]])
    limit = tc.predict(PROBLEM, ell=1, ridge=1).test_gain
    assert limit in [line.get_ydata()[0] for line in axes.lines if len(line.get_xdata()) == 2]
    assert tc.step(PROBLEM, n=200, eta=[1, 2]).plot().axes[0].get_xlabel() == "η, size of the step"
    assert tc.step(PROBLEM, n=200, eta=2, ridge=[1, 2]).plot().axes[0].get_xlabel() == "λ, ridge"
    with pytest.raises(tc.ArgumentError, match=r"array of shape \(2, 3\)"):
        tc.step(PROBLEM, n=200, alpha=alphas, ridge=[[1], [2]]).plot()


def test_the_spectrum_has_density_histogram_and_outliers(run):
    found = tc.spectrum(PROBLEM, n=100, alpha=0.4)
    axes = found.plot(run).axes[0]
    bulk = next(line for line in axes.lines if len(line.get_xdata()) > 100)
    z = np.asarray(bulk.get_xdata())
    assert axes.get_xscale() == "log"
    np.testing.assert_allclose(bulk.get_ydata(), z * found.density(z), rtol=1e-12)
    marks = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "v"]
    assert marks == list(found.outliers)
    values, edges, _ = axes.patches[0].get_data()
    mass = float(np.sum(values * np.diff(np.log(edges))))
    taken = [record["spectrum"]["quantiles"] for record in run.records if record["cell"] == 2]
    inside = np.mean([edges[0] <= x <= edges[-1] for row in taken for x in row])
    assert mass == pytest.approx(inside, abs=1e-12)
    assert 0.5 < mass < 1  # a quarter is 0
    rug = next(line for line in axes.lines if line.get_marker() == "|")
    assert max(rug.get_xdata()) == max(record["spectrum"]["top"][0] for record in run.records if record["cell"] == 2)


def test_a_spectrum_that_stays_away_from_zero_has_a_linear_axis():
    wide = tc.Problem("relu", "H1", phi="1/2", psi=10, ridge=1)
    found = tc.spectrum(wide)
    assert found.edges[0][0] > found.edges[-1][1] / 30
    axes = found.plot().axes[0]
    line = axes.lines[0]
    assert axes.get_xscale() == "linear"
    np.testing.assert_allclose(line.get_ydata(), found.density(np.asarray(line.get_xdata())))


def test_runs_of_other_problems_are_not_drawn(run):
    other = tc.Problem("relu", "H1 + H2/2 + H3/6", "1/2", "2/3", "1/10")
    with pytest.raises(tc.ArgumentError, match="noise is 0 and 1/2"):
        plots.gain_against_alpha(other, run=run)
    with pytest.raises(tc.ArgumentError, match="different problems: activation"):
        tc.spectrum(tc.Problem("tanh", "H1", "1/2", "2/3", "1/10"), n=100, alpha=0.4).plot(run)
    with pytest.raises(tc.ArgumentError, match="spectrum is of n = 102"):
        tc.spectrum(PROBLEM, n=102, alpha=0.4).plot(run)
    with pytest.raises(tc.ArgumentError, match="no finished replicate of the step"):
        tc.spectrum(PROBLEM, n=100, alpha=0.2).plot(run)
    plain = tc.simulate(PROBLEM, n=60, alpha=0.1, replicates=2)
    with pytest.raises(tc.ArgumentError, match="simulate with spectrum=True"):
        tc.spectrum(PROBLEM, n=60, alpha=0.1).plot(plain)
    with pytest.raises(tc.ArgumentError, match="must be a Run"):
        tc.spectrum(PROBLEM).plot("run.json")
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
        tc.spectrum(PROBLEM).plot(tc.load_run(tmp_path / "run.json"))


def test_coefficients_show_size_sign_and_zeros():
    axes = tc.activation("relu").plot(8).axes[0]
    c = tc.coefficients("relu", 8)
    drawn = {line.get_label(): line for line in axes.lines}
    up, down, zero = (drawn[key] for key in ("$c_k > 0$", "$c_k < 0$", "exactly 0"))
    assert list(up.get_xdata()) == [0, 1, 2, 6]
    assert list(down.get_xdata()) == [4, 8]
    assert list(zero.get_xdata()) == [3, 5, 7]
    np.testing.assert_allclose(down.get_ydata(), [-c[4] * math.sqrt(24), -c[8] * math.sqrt(40320)], rtol=1e-13)


def test_estimated_coefficients_are_not_called_zero():
    axes = tc.Activation.from_callable(np.tanh, name="costs $").plot(5).axes[0]
    drawn = {line.get_label(): list(line.get_xdata()) for line in axes.lines}
    assert "exactly 0" not in drawn
    assert {2, 4} <= set(drawn["not told from 0"])
    assert axes.get_title(loc="left").startswith(r"costs \$, estimated")
    with pytest.raises(tc.DomainError, match="needs the function"):
        tc.Activation.from_moments("1/2", "1/3").plot()


def test_double_descent_peaks_at_as_many_neurons_as_samples():
    figure = plots.double_descent(PROBLEM, ell=2, ridge=["1e-6", 1])
    for axes, name in zip(figure.axes, ("test_loss", "train_loss"), strict=True):
        x = np.asarray(next(line for line in axes.lines if len(line.get_xdata()) > 9).get_xdata())
        for i, ridge in enumerate(("1e-6", 1)):
            expected = getattr(tc.predict(PROBLEM, ell=2, psi=0.5 / x, ridge=ridge), name)
            np.testing.assert_array_equal(line_of(axes, COLOURS[i], len(x)), expected)
    peak = x[np.argmax(line_of(figure.axes[0], COLOURS[0], len(x)))]
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
    comparison = tc.compare(run, [tc.predict(PROBLEM, ell=1), tc.step(PROBLEM, n=100, alpha=ALPHAS)])
    top, bottom = comparison.plot().axes
    points = [line for line in top.lines if len(line.get_xdata()) == 1]
    assert sorted(line.get_xdata()[0] for line in points) == sorted(row["z"] for row in comparison.rows)
    assert sum(line.get_markerfacecolor() != "white" for line in points) == len(comparison.differing)
    labels = [text.get_text() for text in bottom.get_legend().get_texts()]
    assert labels == ["ℓ = 1", "finite step (dressed)"]


def test_an_infinite_z_is_an_arrow_at_the_edge(run):
    row = tc.compare(run, tc.predict(PROBLEM, ell=1)).rows[0]
    rows = (
        row | {"z": -math.inf, "p": 0.0, "standard_error": 0.0},
        row | {"quantity": "test_gain", "z": 1.0, "p": 0.4},
    )
    top = tc.Comparison(rows, 0.01, ()).plot().axes[0]
    (arrow,) = [line for line in top.lines if line.get_marker() == "<"]
    assert arrow.get_xdata()[0] == top.get_xlim()[0]


# How it looks, and where it can be drawn.


@pytest.fixture(scope="module")
def figures(run):
    return [
        tc.predict(PROBLEM, ell=2).plot(),
        plots.staircase_figure(stairs(PROBLEM)),
        plots.gain_against_alpha(PROBLEM, run=run),
        tc.spectrum(PROBLEM, n=100, alpha=0.4).plot(run),
        tc.activation("relu").plot(),
        plots.double_descent(PROBLEM),
        plots.phase_diagram(PROBLEM, ridge="1/10"),
        tc.compare(run, tc.predict(PROBLEM, ell=1)).plot(),
    ]


def test_every_figure_is_vectors_whose_text_is_text(figures):
    for figure in figures:
        source = figure.rendered("svg").decode()
        root = ElementTree.fromstring(source)
        words = "".join("".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text"))
        label = figure.axes[0].get_xlabel() or figure.axes[-1].get_xlabel()
        assert re.sub(r"\s", "", label.split("$")[0]) in re.sub(r"\s", "", words)
        assert "<image" not in source
        assert "date" not in source
        width, height = figure.get_size_inches()
        assert width == 3.4
        assert height < 5


def test_labels_stay_inside_the_figure(figures):
    for figure in figures:
        box = figure.get_tightbbox()
        width, height = figure.get_size_inches()
        assert box.x0 > -0.02
        assert box.y0 > -0.02
        assert box.x1 < width + 0.02
        assert box.y1 < height + 0.02


def test_the_same_figure_is_the_same_file(tmp_path):
    def files():
        figure = tc.predict(PROBLEM, ell=2).plot()
        return [plots.save(figure, tmp_path / f"figure.{kind}").read_bytes() for kind in ("svg", "pdf", "png")]

    first = files()
    with rc_context({"font.size": 30, "svg.fonttype": "path", "axes.grid": True}):
        assert files() == first
    assert first[0].startswith(b"<?xml")
    assert first[1].startswith(b"%PDF")
    assert first[2].startswith(b"\x89PNG")


def test_threads_draw_the_same():
    def drawn(_):
        return tc.activation("relu").plot(6).rendered("svg"), tc.predict(PROBLEM, ell=2).plot().rendered("svg")

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(drawn, range(6)))) == 1


def test_notebooks_show_vectors():
    assert "<svg" in tc.predict(PROBLEM, ell=2).plot()._repr_svg_()


def test_the_style_leaves_matplotlib_as_it_was():
    import matplotlib

    before = dict(matplotlib.rcParams)
    with house_style():
        assert matplotlib.rcParams["svg.fonttype"] == "none"
    assert dict(matplotlib.rcParams) == before


def test_only_drawing_loads_matplotlib_and_nothing_loads_pyplot(tmp_path):
    script = (
        "import sys, theorycalc as tc; tc.plots.save; assert 'matplotlib' not in sys.modules\n"
        "problem = tc.Problem('relu', 'H1', '1/2', '2/3', '1/10')\n"
        "tc.plots.save(tc.predict(problem, ell=1).plot(), sys.argv[1])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script, tmp_path / "figure.png"], check=True)
    assert (tmp_path / "figure.png").stat().st_size > 1000


def test_without_matplotlib_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tc.ArgumentError, match=r"pip install 'theorycalc\[plots\]'"):
        tc.predict(PROBLEM, ell=2).plot()


# What cannot be drawn or written.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.gain_against_alpha("relu"), "takes a Problem, not str"),
        (lambda: plots.gain_against_alpha(PROBLEM, n=[]), "n has 0 values"),
        (lambda: plots.gain_against_alpha(PROBLEM, n=list(range(100, 107))), "n has 7 values"),
        (lambda: plots.gain_against_alpha(PROBLEM, n="many"), "n='many' must be a positive whole number"),
        (lambda: plots.gain_against_alpha(PROBLEM, m=3), "has no argument 'm'"),
        (lambda: plots.double_descent(PROBLEM, ridge=[]), "ridge has 0 values"),
        (lambda: plots.double_descent(PROBLEM, ridge="small"), "'small' is not a number"),
        (lambda: plots.double_descent(3), "takes a Problem, not int"),
        (lambda: plots.phase_diagram(PROBLEM, share=1), "share=1 must lie between 0 and 1"),
        (lambda: plots.phase_diagram(PROBLEM, ridge=[1, 2, 3, 4]), "1 to 3 panels"),
        (lambda: plots.phase_diagram(None), "takes a Problem, not NoneType"),
        (
            lambda: plots.phase_diagram(tc.Problem("relu", "H2", "1/2", "2/3", "1/10")),
            "nothing is gained at any ℓ",
        ),
        (lambda: tc.predict(PROBLEM, ell=1, ridge=[[1, 2], [3, 4]]).plot(), r"shape \(2, 2\) over ridge"),
        (lambda: tc.predict(PROBLEM, ell=1, ridge=[1, 2], phi=[1, 2]).plot(), "over phi, ridge"),
        (lambda: plots.save(tc.predict(PROBLEM, ell=1).plot(), "x.gif"), "'x.gif' ends in '.gif'"),
        (lambda: plots.save(tc.predict(PROBLEM, ell=1).plot(), "figure"), "'figure' ends in ''"),
        (lambda: plots.save(tc.predict(PROBLEM, ell=1).plot(), 3), "path must be a text or a Path"),
        (lambda: plots.save(tc.predict(PROBLEM, ell=1).plot(), "/no/such/place/x.svg"), "cannot write"),
        (lambda: plots.save("figure", "x.svg"), "takes a figure that theorycalc has drawn, not str"),
    ],
)
def test_bad_calls_say_what_is_wrong(call, message):
    with pytest.raises(tc.TheoryError, match=message):
        call()


def test_the_room_has_what_it_lists_and_nothing_else():
    assert all(callable(getattr(plots, name)) for name in dir(plots))
    with pytest.raises(AttributeError, match="no attribute 'pie_chart'"):
        plots.pie_chart  # noqa: B018


@given(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=6))
def test_labels_are_spread_in_their_order(wanted):
    gap = 0.1
    places = spread(wanted, gap)
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    heights = [places[i] for i in order]
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(heights))
    assert min(heights) >= 0
    assert max(heights) <= 1 + 1e-9


def test_files_bring_the_letters_they_are_set_in(figures):
    for figure in figures:
        source = figure.rendered("svg").decode()
        root = ElementTree.fromstring(source)
        fonts = re.findall(r"font-style:(\w+);src:url\(data:font/woff;base64,([^)]*)\)", source)
        held = {name: set(TTFont(BytesIO(base64.b64decode(data))).getBestCmap()) for name, data in fonts}
        for name, characters in letters(root).items():
            assert {ord(c) for c in characters} <= held.get(name, set()) | {0xA0}
        assert not re.findall(r"(?:href|src|url\()[=\"'(]*https?:", source)


def test_figures_of_one_page_do_not_share_ids():
    pages = [tc.activation("relu").plot(6).inline(f"f{i}-", "coefficients of a < b") for i in range(2)]
    (first, _), (second, _) = pages
    ids = [set(re.findall(r' id="([^"]*)"', page)) for page in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for page, own in zip((first, second), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]*)\)", page)) | set(re.findall(r'href="#([^"]*)"', page)) == own
        assert ElementTree.fromstring(page)[0].text == "coefficients of a < b"


def test_the_code_on_plots_runs(tmp_path):
    page = (Path(__file__).parents[1] / "docs" / "plots.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=tmp_path)
    assert (tmp_path / "comparison.svg").stat().st_size > 1000
