"""Columns of data frames, and numbers with axes that are no numpy arrays."""

from __future__ import annotations

import numpy as np
import pytest


class Column:
    """The least that a data frame's column has: values that numpy can read, and neither ndim nor arithmetic."""

    def __init__(self, values):
        self._values = np.asarray(values)
        self.shape = self._values.shape

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=dtype)


class Gradient(Column):
    """A tensor that asks to be detached first."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("use tensor.detach().numpy()")


def series(values):
    return pytest.importorskip("pandas").Series(values, index=[7, 8, 9][: len(values)], name="ridge")


COLUMNS = pytest.mark.parametrize("column", [Column, series, np.array, tuple])
