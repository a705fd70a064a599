"""Figures in files."""

from __future__ import annotations

import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

import theorycalc as tc
from tests.helpers.drawn import PROBLEM
from theorycalc import plots
from theorycalc.cli.output import draw_picture
from theorycalc.documents.sections import attempted
from theorycalc.documents.sections import stairs as stairs_part
from theorycalc.plots.figure import rendered


def test_figures_of_the_user_are_saved_too(tmp_path):
    figure = tc.predict(PROBLEM, ell=2).plot(Figure().subplots())
    assert plots.save(figure, tmp_path / "mine.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_the_same_figure_is_the_same_file(tmp_path):
    """A figure keeps the look it was made in, whatever matplotlib is told afterwards."""

    def files(figure):
        return [plots.save(figure, tmp_path / f"figure.{kind}").read_bytes() for kind in ("svg", "pdf", "png")]

    first = files(tc.predict(PROBLEM, ell=2).plot())
    again = tc.predict(PROBLEM, ell=2).plot()
    with rc_context({"font.size": 30, "svg.fonttype": "none", "xtick.color": "red"}):
        assert files(again) == first
    assert first[0].startswith(b"<?xml")
    assert first[1].startswith(b"%PDF")
    assert first[2].startswith(b"\x89PNG")


@pytest.mark.slow
def test_our_own_files_are_in_the_house_style(tmp_path):
    """Reports and --plot do not depend on the rcParams of the process."""
    found = tc.predict(PROBLEM, ell=2)

    def files():
        draw_picture(found.plot, str(tmp_path / "figure.svg"))
        (picture,) = attempted("The staircase", lambda: stairs_part(PROBLEM, 2))
        return (tmp_path / "figure.svg").read_bytes(), rendered(picture.figure, "svg")

    first = files()
    with rc_context({"font.size": 30, "svg.fonttype": "none", "axes.grid": True, "figure.figsize": (9, 9)}):
        assert files() == first
