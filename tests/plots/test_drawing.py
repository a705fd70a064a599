"""Only drawing loads matplotlib."""

from __future__ import annotations

import subprocess
import sys

import pytest

import theorycalc as tc
from tests.helpers.drawn import PROBLEM


@pytest.mark.slow
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
