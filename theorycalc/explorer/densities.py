"""The spectra on the page: bulks and outliers of the features and of the weights."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from typing import Any

import numpy as np

from theorycalc.explorer.fields import Data, PageCase, or_refused
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import realised, sizes_of
from theorycalc.numbers.systems import Array
from theorycalc.results.spectrum import Spectrum, spectrum
from theorycalc.results.weight_spectrum import weight_spectrum

_DENSITY_POINTS = 160
_LOWEST = 1e-3  # of the upper edge: where a bulk that reaches 0 is cut off on a logarithmic axis


def outliers(case: PageCase) -> Data:
    """Return the outliers of the step and the edge of the bulk after it, which takes about half a second."""
    problem = dataclasses.replace(case.problem, ridge=1)  # which plays no part
    return or_refused(lambda: _outliers(problem, **case.how))


@lru_cache(maxsize=64)
def bulk(problem: Problem, n: int) -> Data:
    """Return the bulk before the step; it does not depend on the ridge, so callers may give any."""
    found = spectrum(realised(problem, sizes_of(problem, n)))
    return {
        "edges": [list(pair) for pair in found.edges],
        "atom": found.atom,
        "parts": [_density(found, low, high) for low, high in found.edges],
    }


def _density(found: Spectrum, low: float, high: float) -> Data:
    """Return the density of the logarithm of an eigenvalue z, which is z times that of z, on an interval of a bulk."""
    z = _dense(low, high)
    return {"z": z.tolist(), "density": (z * found.density(z)).tolist()}


def _dense(low: float, high: float) -> Array:
    """Return points on a logarithmic axis that are dense near both edges, where a density rises like a square root."""
    start = max(low, _LOWEST * high)
    angles = np.linspace(0, math.pi, _DENSITY_POINTS)
    return np.asarray(start * (high / start) ** ((1 - np.cos(angles)) / 2))


@lru_cache(maxsize=64)
def weights(problem: Problem, **how: Any) -> Data:
    """Return the density of ln σ for the singular values σ of the weights, and the outliers, whatever the ridge."""

    def data() -> Data:
        found = weight_spectrum(problem, **how)
        sigma = _dense(*found.edges[0])
        return {
            "edges": list(found.edges[0]),
            "sigma": sigma.tolist(),
            "density": (sigma * found.density(sigma)).tolist(),
            "outliers": [one._asdict() for one in found.outliers],
            "deviations": list(found.deviations) or None,
            "notes": list(found.notes),
        }

    return or_refused(data)


@lru_cache(maxsize=64)
def _outliers(problem: Problem, **how: Any) -> Data:
    found = spectrum(problem, **how)
    assert found.outliers is not None
    assert found.alignments is not None
    return {
        "places": found.outliers.tolist(),
        "overlaps": found.alignments.tolist(),
        "deviations": None if found.deviations is None else found.deviations.tolist(),
        "edge": found.edge_after,
        "notes": list(found.notes),
    }
