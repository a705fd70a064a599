"""Results for pandas and xarray: columns as a DataFrame, quantities over their arguments as a Dataset."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError
from theorycalc.results.quantities import INPUTS, meaning

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

AnyArray: TypeAlias = NDArray[np.generic]
Columns: TypeAlias = "Mapping[str, Sequence[object] | NDArray[np.float64]]"  # of one length, by name
_Variables: TypeAlias = Mapping[str, tuple[tuple[str, ...], object]]  # the dimensions and the numbers of each


def data_frame(columns: Columns) -> pd.DataFrame:
    """Return columns as a ``pandas.DataFrame``."""
    return _extra("pandas", "to_dataframe()").DataFrame(dict(columns))


def row_dataset(columns: Columns, dimension: str | None, about: Mapping[str, str]) -> xr.Dataset:
    """Return columns as an ``xarray.Dataset`` over one dimension, those of a single row over none.

    Inputs are coordinates, and columns that have no value at all are left out.
    """
    known = {name: column for name, column in columns.items() if any(value is not None for value in column)}
    arrays = {name: _array(column) for name, column in known.items()}
    if dimension is None:
        found: dict[str, tuple[tuple[str, ...], object]] = {name: ((), array[0]) for name, array in arrays.items()}
    else:
        found = {name: ((dimension,), array) for name, array in arrays.items()}
    inputs = {name: found.pop(name) for name in arrays if name in INPUTS}
    return _dataset(found, inputs, about)


def point_dataset(
    arguments: Mapping[str, object], quantities: Mapping[str, object], about: Mapping[str, str]
) -> xr.Dataset:
    """Return quantities as an ``xarray.Dataset`` over the arguments that are arrays; the others are coordinates."""
    given = {name: np.asarray(value) for name, value in arguments.items() if value is not None}
    values = {name: np.asarray(value) for name, value in quantities.items() if value is not None}
    shape = np.broadcast_shapes(*(array.shape for array in (*given.values(), *values.values())))
    along = {name: _axes_of(array, shape) for name, array in given.items()}
    names = [_name_of(axis, along) for axis in range(len(shape))]
    coordinates = {
        name: (tuple(names[axis] for axis in along[name]), array.reshape([shape[axis] for axis in along[name]]))
        for name, array in given.items()
    }
    return _dataset(
        {name: (tuple(names), np.broadcast_to(array, shape)) for name, array in values.items()}, coordinates, about
    )


def grid_dataset(
    axes: Mapping[str, object], quantities: Mapping[str, AnyArray], about: Mapping[str, str]
) -> xr.Dataset:
    """Return quantities over the axes of a grid as an ``xarray.Dataset``."""
    coordinates = {name: ((name,), np.asarray(labels)) for name, labels in axes.items()}
    return _dataset({name: (tuple(axes), array) for name, array in quantities.items()}, coordinates, about)


def _axes_of(array: AnyArray, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes of the whole along which an array extends.

    >>> _axes_of(np.zeros((3, 1)), (2, 3, 5))
    (1,)
    """
    first = len(shape) - array.ndim
    return tuple(axis for axis in range(first, len(shape)) if array.shape[axis - first] == shape[axis])


def _name_of(axis: int, along: Mapping[str, Sequence[int]]) -> str:
    """Return the name of an axis: that of the one argument that varies along it and along no other, else its number.

    >>> _name_of(0, {"ridge": (0,), "phi": ()}), _name_of(0, {"ridge": (0,), "noise": (0,)})
    ('ridge', 'dim_0')
    """
    owners = [name for name, axes in along.items() if axis in axes]
    if "alpha" in owners and "eta" in owners:
        owners.remove("eta")  # which follows from α
    return owners[0] if len(owners) == 1 and list(along[owners[0]]) == [axis] else f"dim_{axis}"


def _array(column: Sequence[object] | AnyArray) -> AnyArray:
    """Return a column as an array, in which NaN stands for a number that is not there."""
    if isinstance(column, np.ndarray):
        return column
    known = [value for value in column if value is not None]
    if len(known) < len(column) and not any(isinstance(value, str) for value in known):
        return np.array([np.nan if value is None else value for value in column], dtype=float)
    return np.array(["" if value is None else value for value in column])


def _dataset(variables: _Variables, coordinates: _Variables, about: Mapping[str, str]) -> xr.Dataset:
    xarray = _extra("xarray", "to_dataset()")
    found: xr.Dataset = xarray.Dataset(variables, coordinates, dict(about))
    for name in found.variables:
        words = meaning(str(name))
        if words is not None:
            found[name].attrs["long_name"] = words
    return found


def _extra(package: str, method: str) -> ModuleType:
    """Import a package that is an extra, or say which one is missing.

    >>> _extra("no_such_package", "to_dataframe()")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: to_dataframe() needs no_such_package: pip install 'theorycalc[no_such_package]'
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ArgumentError(f"{method} needs {package}: pip install 'theorycalc[{package}]'") from None
