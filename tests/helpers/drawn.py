"""What the tests of plots draw: a problem, its staircase, and a simulation of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import theorycalc as tc
from tests.helpers.problems import problem as example

PROBLEM = example("relu", "H1 + H2/2 + H3/6")
ALPHAS = [0.1, 0.3, 0.4]


def simulated() -> tc.Run:
    return tc.simulate(PROBLEM, n=100, alpha=ALPHAS, replicates=3, seed=1, spectrum=True)


def stairs(problem, top=4):
    predictions = [tc.predict(problem, ell=ell) for ell in range(top + 1)]
    return SimpleNamespace(problem=problem, predictions=predictions, ceiling=tc.predict(problem, ell="inf"))


def artist(place, gid):
    """Return the one artist of a figure or of axes that has this gid."""
    (found,) = place.findobj(lambda one: one.get_gid() == gid)
    return found


LOSSES = ("test_loss", "train_loss", "train_error")


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def heights(place, gid):
    return np.asarray(artist(place, gid).get_ydata(), dtype=float)


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]
