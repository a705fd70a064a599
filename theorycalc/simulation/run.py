"""A run: the records of a simulation, their means with standard errors, and its file, which is checked on reading."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, TheoryError
from theorycalc.model.enums import Simulated
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.results.base import Result
from theorycalc.results.layout import with_error
from theorycalc.results.quantities import CLEAN, RATES, TRAINING, WEIGHTS, Plain, shown
from theorycalc.results.table import Column, Row, Table, column, columns_of, number, number_or_none
from theorycalc.running.files import CHECKSUM, file_path, has_its_checksum, read_json, with_checksum, write_atomically
from theorycalc.running.journal import Key, Record, key_of, provenance
from theorycalc.simulation.records import TRACES, VALUES, record_check, weights_of
from theorycalc.simulation.settings import Settings, Step, settings_from_dict

_FORMAT = 2
_UNCHECKED = "the file has no checksum: it may have been changed"
_SHOWN = ("train_gain", "test_gain", "train_loss", "train_error", "test_loss")
_SHOWN_WHERE_RECORDED = ("test_gain_clean", "test_loss_clean", "error_rate")
_LARGEST_FILE = 1 << 31  # bytes; a run of 10^4 replicates on 20 ridges is a tenth of it


@dataclass(frozen=True, repr=False, eq=False)
class Run(Result):
    """The observations of a simulation: one record for each step of a finished replicate, cell by cell.

    A cell is one step size of ``settings.steps_taken``; a replicate is one draw of network and data, which all cells
    share.  So the replicates of a cell are independent of each other, and the cells of a run are not.  Runs with the
    same settings, records, provenance and notes are equal.

    Parameters
    ----------
    settings : Settings
        Everything that determines the numbers.
    records : tuple of dict
        One for each step of a finished replicate, as plain data.
    provenance : dict
        The versions of theorycalc and numpy, and the number of BLAS threads.  Default: those of this process.
    notes : tuple of str
        Remarks, such as damaged lines of a journal.  Default: none.

    Examples
    --------
    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10")
    >>> run = tc.simulate(problem, n=40, eta=1, replicates=3)
    >>> run.complete, len(run.records), len(run.draws), [row["replicates"] for row in run.rows]
    (True, 3, 3, [3])
    """

    kind: ClassVar[str] = "run"

    settings: Settings
    records: tuple[Record, ...]
    provenance: dict[str, str | int] = field(default_factory=provenance)
    notes: tuple[str, ...] = ()

    @property
    def problem(self) -> Problem:
        """The problem at the realised ratios φ = d/n and ψ = d/N."""
        return self.settings.problem

    @property
    def finished(self) -> int:
        """The number of replicates with all their steps."""
        counts = Counter(record["replicate"] for record in self.records)
        return sum(count == len(self.settings.steps_taken) for count in counts.values())

    @property
    def complete(self) -> bool:
        """True if every replicate has every step; an interrupted simulation has fewer."""
        return self.finished == self.settings.replicates

    @property
    def draws(self) -> tuple[dict[str, Plain], ...]:
        """One row for each cell, replicate, model and ridge: losses, gains and, if requested, m_1 and m_2.

        With ``spectrum=True`` also the largest singular value of the network's weights, and its vectors' overlaps.
        """
        cells = self.settings.cells
        rows = []
        for record in self.records:
            alpha, eta, index = key_of(record)
            traces = {trace["ridge"]: trace for trace in record.get("traces") or ()}
            where = {"cell": cells[alpha, eta], "alpha": alpha, "eta": eta, "replicate": index}
            seen = {name: value for name, value in weights_of(record).items() if name in WEIGHTS}
            rows += [
                where | row | traces.get(row["ridge"], {}) | (seen if row["model"] == Simulated.NETWORK else {})
                for row in record["rows"]
            ]
        return tuple(rows)

    @property
    def rows(self) -> tuple[dict[str, Plain], ...]:
        """One row for each cell, model and ridge: the mean of every value, with its standard error as ``NAME_se``.

        The ``train_loss`` is the training loss, penalty included, and the ``train_error`` the training error, without
        the penalty.  A gain is the mean of the differences within each replicate, before and after the step on the
        same draws, and so is its standard error.  The standard error of one replicate is None.
        """
        groups: dict[tuple[Plain, ...], list[dict[str, Plain]]] = {}
        for row in self.draws:
            groups.setdefault((row["cell"], row["model"], row["ridge"]), []).append(row)
        return tuple(map(_mean_row, groups.values()))

    def _table(self, full: bool) -> Table:
        s, state = self.settings, "" if self.complete else " (incomplete)"
        extent = f"{self.finished} of {s.replicates} replicates{state}, mean ± standard error"
        rows = self.rows
        means = (*_SHOWN, *(name for name in _SHOWN_WHERE_RECORDED if rows and name in rows[0]))
        seen = Column("step", step_text), *map(column, ("model", "ridge", "replicates")), *map(_mean, means)
        title = f"Run of n = {s.n}, d = {s.d}, N = {s.N}, seed {s.seed}: {extent}"
        return Table(title, columns_of(rows), seen, full, (TRAINING,), notes=self.notes)

    def to_dict(self) -> dict[str, object]:
        """Return the run as plain data, as stored in its file.

        Returns
        -------
        dict
            Provenance, settings, notes and every record.
        """
        return {
            "theorycalc_run": _FORMAT,
            **self.provenance,
            "complete": self.complete,
            "settings": self.settings.to_dict(),
            "notes": list(self.notes),
            "records": list(self.records),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file, with a checksum of its content: completely, or not at all.

        Parameters
        ----------
        path : str or path
            The file; :func:`load_run` reads it.

        Raises
        ------
        ArgumentError
            The file cannot be written.
        """
        write_atomically(file_path(path, "path"), json.dumps(with_checksum(self.to_dict()), allow_nan=False), "path")


def step_text(row: Row, full: bool = False) -> str:
    """Return the step of a row as text: its α if it has one, else its η.

    >>> step_text({"alpha": 0.1, "eta": 2.0}), step_text({"alpha": None, "eta": 2.0})
    ('α = 0.1', 'η = 2')
    """
    return f"η = {shown(row['eta'], full)}" if row["alpha"] is None else f"α = {shown(row['alpha'], full)}"


def _mean(name: str) -> Column:
    """Return the column for a mean with its standard error."""
    error = f"{name}_se"
    return Column(
        column(name).heading, lambda row, full: with_error(number(row, name), number_or_none(row, error), full)
    )


def make_run(
    settings: Settings,
    records: Iterable[Record],
    notes: tuple[str, ...] = (),
    origin: dict[str, str | int] | None = None,
) -> Run:
    """Return the run of these records, sorted by cell and replicate; its ``origin`` is this process unless given."""
    cells = settings.cells
    ordered = sorted(records, key=lambda record: (cells[record["alpha"], record["eta"]], record["replicate"]))
    return Run(settings, tuple(ordered), origin or provenance(), notes)


def _mean_row(rows: list[dict[str, Plain]]) -> dict[str, Plain]:
    shared = ("cell", "alpha", "eta", "model", "ridge")
    found = {name: rows[0][name] for name in shared} | {"replicates": len(rows)}
    for name in (name for name in (*VALUES, *CLEAN, *RATES, *TRACES, *WEIGHTS) if all(name in row for row in rows)):
        values = np.array([number(row, name) for row in rows])
        found[name] = float(values.mean())
        found[f"{name}_se"] = float(values.std(ddof=1) / math.sqrt(len(rows))) if len(rows) > 1 else None
    return found


@checked_call
def load_run(path: str | os.PathLike[str]) -> Run:
    """Read a run written by :meth:`Run.save`; nothing in the file is evaluated, and everything is checked.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Run
        The run, complete or not; its notes say so if the file has no checksum.

    Raises
    ------
    ArgumentError
        The file cannot be read.
    DomainError
        The file is not that of a run, or was changed.

    Examples
    --------
    >>> import os, tempfile
    >>> import theorycalc as tc
    >>> run = tc.simulate(tc.Problem("relu", "H1", "1/2", "2/3", "1/10"), n=20, eta=1, replicates=2)
    >>> path = os.path.join(tempfile.mkdtemp(), "run.json")
    >>> run.save(path)
    >>> load_run(path) == run
    True
    """
    try:
        with open(file_path(path, "path"), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > _LARGEST_FILE:
                raise DomainError(f"{path} has {size} bytes; run files are read up to {_LARGEST_FILE}", argument="path")
            content = file.read(size + 1)  # allocates no more than the size of the file
    except OSError as error:
        raise ArgumentError(f"cannot read {path}: {error.strerror or error}", argument="path") from None
    except MemoryError:
        raise DomainError(f"{path} has {size} bytes, which do not fit into memory", argument="path") from None
    try:
        return _run_from_data(read_json(content))
    except TheoryError as error:
        raise DomainError(f"{path} is not a run that can be read: {error}", argument="path") from None


def _run_from_data(data: object) -> Run:
    if not isinstance(data, dict) or data.get("theorycalc_run") != _FORMAT:
        raise DomainError(f"it does not say 'theorycalc_run': {_FORMAT}")
    if CHECKSUM in data and not has_its_checksum(data):
        raise DomainError("it was changed after it was written: its checksum does not match its content")
    settings = settings_from_dict(data.get("settings"))
    check = record_check(settings)
    records = data.get("records")
    notes = data.get("notes")
    if not isinstance(records, list) or not isinstance(notes, list) or not all(isinstance(n, str) for n in notes):
        raise DomainError("its records or notes are missing")
    found: dict[Key, Record] = {}
    for place, item in enumerate(records):
        try:
            record = check(item)
        except DomainError as error:
            raise DomainError(f"record {place}: {error}") from None
        key = alpha, eta, index = key_of(record)
        step = Step(alpha, eta)
        if (alpha, eta) not in settings.cells:
            raise DomainError(f"record {place}: its step {step} is not one of the settings")
        if key in found or index >= settings.replicates:
            raise DomainError(f"record {place}: replicate {index} of {step} occurs twice, or is one too many")
        found[key] = record
    origin = {name: data[name] for name in provenance() if isinstance(data.get(name), (str, int))}
    if len(origin) < len(provenance()):
        raise DomainError(f"it does not say its {', '.join(provenance())}")
    unchecked = () if CHECKSUM in data else (_UNCHECKED,)
    return make_run(settings, found.values(), (*notes, *unchecked), origin)
