"""A run: what a simulation observed, its means with standard errors, and its file."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, TheoryError, checked_call
from theorycalc.model.problem import Problem
from theorycalc.results.frames import columns_of, data_frame, row_dataset
from theorycalc.running.checked_json import CHECKSUM, has_its_checksum, read_json, with_checksum
from theorycalc.running.files import file_path, write_atomically
from theorycalc.running.journal import Key, Record, key_of, provenance
from theorycalc.simulation.records import TRACES, VALUES, check_record
from theorycalc.simulation.settings import Settings, Step, settings_from_dict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMAT = 2
_UNCHECKED = "the file has no checksum, as those written before there was one: that it is unchanged cannot be known"
_LARGEST_FILE = 1 << 31  # bytes; a run of 10^4 replicates on 20 ridges is a tenth of it


@dataclass(frozen=True, repr=False)
class Run:
    """The observations of a simulation: one record for each step of a finished replicate, cell by cell.

    A cell is a step of ``settings.steps_taken``, a replicate one draw of network and data, which all cells share: the
    replicates of a cell are independent of each other, the cells of a run are not.  Runs with the same settings,
    records, provenance and notes are equal.
    """

    settings: Settings
    records: tuple[Record, ...]
    provenance: dict[str, Any] = field(default_factory=provenance)  # versions, and the number of BLAS threads
    notes: tuple[str, ...] = ()

    @property
    def problem(self) -> Problem:
        """The problem at the realised ratios φ = d/n and ψ = d/N."""
        return self.settings.problem

    @property
    def finished(self) -> int:
        """How many replicates have all their steps."""
        counts = Counter(record["replicate"] for record in self.records)
        return sum(count == len(self.settings.steps_taken) for count in counts.values())

    @property
    def complete(self) -> bool:
        """Whether every replicate has every step; an interrupted simulation leaves fewer."""
        return self.finished == self.settings.replicates

    @property
    def draws(self) -> tuple[dict[str, Any], ...]:
        """One row for each cell, replicate, model and ridge: losses, gains and, if asked for, m_1 and m_2."""
        cells = self.settings.cells
        rows = []
        for record in self.records:
            alpha, eta, index = key_of(record)
            traces = {trace["ridge"]: trace for trace in record.get("traces") or ()}
            where = {"cell": cells[alpha, eta], "alpha": alpha, "eta": eta, "replicate": index}
            rows += [where | row | traces.get(row["ridge"], {}) for row in record["rows"]]
        return tuple(rows)

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """One row for each cell, model and ridge: the mean of every value, and its standard error as ``NAME_se``.

        The ``train_loss`` is the training loss, penalty included, and the ``train_error`` the training error, without
        the penalty.  A gain is the mean of the differences within each replicate, before and after the step on the
        same draws, and so is its standard error.  The standard error of one replicate is None.
        """
        groups: dict[tuple[int, str, float], list[dict[str, Any]]] = {}
        for row in self.draws:
            groups.setdefault((row["cell"], row["model"], row["ridge"]), []).append(row)
        return tuple(map(_mean_row, groups.values()))

    def plot(self, ax: Any = None, **style: Any) -> Figure:
        """Draw the mean losses with their standard errors over the steps or the ridges; return the matplotlib figure.

        ``ax`` is an Axes to draw the test loss into, or three: test loss, training loss, training error.  ``style`` are
        properties of the points.
        """
        from theorycalc.plots.drawing import draw

        return draw(self, ax=ax, **style)

    def to_dataframe(self) -> Any:
        """Return the rows as a ``pandas.DataFrame`` (``pip install 'theorycalc[pandas]'``)."""
        return data_frame(columns_of(self.rows))

    def to_dataset(self) -> Any:
        """Return the rows as an ``xarray.Dataset`` over one dimension (``pip install 'theorycalc[xarray]'``)."""
        return row_dataset(columns_of(self.rows), "row", {})

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data: where it comes from, its settings, and every record."""
        return {
            "theorycalc_run": _FORMAT,
            **self.provenance,
            "complete": self.complete,
            "settings": self.settings.to_dict(),
            "notes": list(self.notes),
            "records": list(self.records),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file, with the checksum of its content: wholly, or not at all."""
        write_atomically(file_path(path, "path"), json.dumps(with_checksum(self.to_dict()), allow_nan=False))

    def __repr__(self) -> str:
        from theorycalc.simulation.run_tables import run_text

        return run_text(self)

    def _repr_html_(self) -> str:
        from theorycalc.simulation.run_tables import run_html

        return run_html(self)


def make_run(settings: Settings, records: Iterable[Record], notes: tuple[str, ...] = ()) -> Run:
    """Return the run that these records are, in their order."""
    return Run(settings, _in_order(settings, records), notes=notes)


def _in_order(settings: Settings, records: Iterable[Record]) -> tuple[Record, ...]:
    """Return records by cell and replicate."""
    cells = settings.cells
    return tuple(sorted(records, key=lambda record: (cells[record["alpha"], record["eta"]], record["replicate"])))


def _mean_row(rows: list[dict[str, Any]]) -> dict[str, Any]:
    shared = ("cell", "alpha", "eta", "model", "ridge")
    shown = {name: rows[0][name] for name in shared} | {"replicates": len(rows)}
    for name in (name for name in (*VALUES, *TRACES) if name in rows[0]):
        values = np.array([row[name] for row in rows])
        shown[name] = float(values.mean())
        shown[f"{name}_se"] = float(values.std(ddof=1) / math.sqrt(len(rows))) if len(rows) > 1 else None
    return shown


@checked_call
def load_run(path: str | os.PathLike[str]) -> Run:
    """Read a run that :meth:`Run.save` wrote; nothing in the file is evaluated, and all of it is checked.

    >>> load_run("no_such_run.json")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: cannot read no_such_run.json: No such file or directory
    """
    try:
        with open(file_path(path, "path"), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > _LARGEST_FILE:
                raise DomainError(f"{path} has {size} bytes; run files are read up to {_LARGEST_FILE}")
            content = file.read(size + 1)  # room is made for as much as is asked for
    except OSError as error:
        raise ArgumentError(f"cannot read {path}: {error.strerror or error}") from None
    except MemoryError:
        raise DomainError(f"{path} has {size} bytes, which do not fit into memory") from None
    try:
        return _run_from_data(read_json(content))
    except TheoryError as error:
        raise DomainError(f"{path} is not a run that can be read: {error}") from None


def _run_from_data(data: Any) -> Run:
    if not isinstance(data, dict) or data.get("theorycalc_run") != _FORMAT:
        raise DomainError(f"it does not say 'theorycalc_run': {_FORMAT}")
    if CHECKSUM in data and not has_its_checksum(data):
        raise DomainError("it was changed since it was written: its checksum is not that of its content")
    settings = settings_from_dict(data.get("settings"))
    check = record_check(settings)
    records = data.get("records")
    notes = data.get("notes")
    if not isinstance(records, list) or not isinstance(notes, list) or not all(isinstance(n, str) for n in notes):
        raise DomainError("its records or notes are missing")
    found: dict[Key, Record] = {}
    for number, item in enumerate(records):
        try:
            record = check(item)
        except DomainError as error:
            raise DomainError(f"record {number}: {error}") from None
        key = alpha, eta, index = key_of(record)
        step = Step(alpha, eta)
        if (alpha, eta) not in settings.cells:
            raise DomainError(f"record {number}: its step {step} is not one of the settings")
        if key in found or index >= settings.replicates:
            raise DomainError(f"record {number}: replicate {index} of {step} is there twice, or one too many")
        found[key] = record
    origin = {name: data.get(name) for name in provenance()}
    if not all(isinstance(value, (str, int)) for value in origin.values()):
        raise DomainError(f"it does not say its {', '.join(origin)}")
    unchecked = () if CHECKSUM in data else (_UNCHECKED,)
    return Run(settings, _in_order(settings, found.values()), origin, (*notes, *unchecked))


def record_check(settings: Settings) -> Callable[[Any], Record]:
    """Return the function that checks a record from a file against the settings."""

    def check(record: Any) -> Record:
        return check_record(record, settings.models, settings.ridges, settings.traces)

    return check
