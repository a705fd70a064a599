"""The complete file of a sweep: its values, and the check that its grid is the one requested."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product, takewhile, zip_longest
from pathlib import Path

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, spelled
from theorycalc.results.quantities import number_data
from theorycalc.running.journal import first_difference
from theorycalc.sweeps.evaluation import Evaluated
from theorycalc.sweeps.formats import MOST_AS_TEXT, REASON, columns
from theorycalc.sweeps.grid import Grid

_NO_VALUE = "the file has no value here"
_DAMAGED = (OSError, ValueError, LookupError, TypeError, AttributeError)


def read_values(path: Path, grid: Grid) -> Evaluated:
    """Return the values at every point of a grid from its complete file, and the reasons for missing values."""
    if grid.size > MOST_AS_TEXT:
        reason = f"{path} has {grid.size} points, and up to {MOST_AS_TEXT} are read into memory"
        raise ArgumentError(f"{reason}; read a part of it")
    try:
        if path.suffix.lower() == ".nc":
            return _of_netcdf(path, grid)
        with path.open(encoding="utf-8", newline="") as file:
            return _of_rows(csv.DictReader(file) if path.suffix.lower() == ".csv" else json.load(file)["rows"], grid)
    except _DAMAGED as error:
        raise DomainError(f"{path} is no longer the file of this sweep: {error}", argument="output") from None


def _of_netcdf(path: Path, grid: Grid) -> Evaluated:
    from scipy.io import netcdf_file

    with netcdf_file(path, mmap=False) as file:
        values = np.array([file.variables[name][:].reshape(grid.size) for name in grid.quantities], dtype=float)
    missing = np.flatnonzero(np.isnan(values).all(axis=0)).tolist()
    return Evaluated(values, dict.fromkeys(missing, _NO_VALUE))


def _of_rows(lines: Iterable[Mapping[str, object]], grid: Grid) -> Evaluated:
    values, reasons = np.full((len(grid.quantities), grid.size), np.nan), {}
    done = 0
    for done, row in enumerate(lines, start=1):
        cells = [row[name] for name in grid.quantities]
        if all(cell in (None, "") for cell in cells):
            reasons[done - 1] = str(row.get(REASON) or _NO_VALUE)
        else:
            values[:, done - 1] = [float(str(cell)) for cell in cells]
    if done != grid.size:
        raise ValueError(f"it has {done} rows, not {grid.size}")
    return Evaluated(values, reasons)


def check_grid(path: Path, grid: Grid) -> None:
    """Refuse to replace the complete file of another grid; a CSV file does not name its problem, and passes."""
    difference_in = {".nc": _in_netcdf, ".json": _in_json}.get(path.suffix.lower())
    if difference_in is None or not path.exists():
        return
    leave = f"give that grid, another {spelled('output')}, or leave out {spelled('resume', True)} to replace the file"
    try:
        difference = difference_in(path, grid)
    except _DAMAGED:
        raise DomainError(f"{path} is not the complete file of a sweep; {leave}", argument="output") from None
    if difference is not None:
        raise DomainError(f"{path} belongs to another grid: {difference}; {leave}", argument="output")


def _in_netcdf(path: Path, grid: Grid) -> str | None:
    """Return the first difference between a NetCDF file's grid and this one, without reading its values."""
    from scipy.io import netcdf_file

    with netcdf_file(path, mmap=True) as file:
        order = [name for name in file.variables if name in file.dimensions]
        quantities = [name for name in file.variables if name not in file.dimensions]
        axes = {name: _axis(_labels(file.variables[name][:])) for name in order}
        there = {"problem": json.loads(file.problem), "order": order, "quantities": quantities, "axes": axes}
    labels = {axis.name: [x if axis.is_text else float(x) for x in axis.labels] for axis in grid.axes}
    axes = {name: _axis(found) for name, found in labels.items()}
    here = {"problem": grid.fixed, "order": list(axes), "quantities": list(grid.quantities), "axes": axes}
    return first_difference(there, here)


def _axis(labels: Sequence[object]) -> dict[str, object]:
    return {"length": len(labels), "values": labels}


def _labels(found: np.ndarray) -> list[object]:
    """Return an axis's values as NetCDF stores them: numbers, or rows of letters."""
    return [b"".join(row).rstrip(b"\0").decode() for row in found] if found.ndim > 1 else found.tolist()


def _in_json(path: Path, grid: Grid) -> str | None:
    """Return the first difference between a JSON file's grid and this one, reading the file line by line."""
    with path.open(encoding="utf-8") as file:
        about = json.loads(file.readline() + "]}")
        there = {"problem": about["inputs"], "columns": about["columns"]}
        if difference := first_difference(there, {"problem": grid.fixed, "columns": columns(grid)}):
            return difference
        places = product(*([number_data(axis.label(i)) for i in range(len(axis))] for axis in grid.axes))
        lines = takewhile(lambda line: line != "]}\n", file)
        for index, (line, place) in enumerate(zip_longest(lines, places)):
            if line is None or place is None:
                return f"it has {'fewer' if line is None else 'more'} than {grid.size} rows"
            row = json.loads(line.rstrip(",\n"))
            if tuple(row[axis.name] for axis in grid.axes) != place:
                found = ", ".join(f"{axis.name}={row[axis.name]}" for axis in grid.axes)
                return f"row {index + 1} is {found} there and {grid.cell(index)} here"
    return None
