"""Notes on measurements that differ as those of another network would, or fit the prediction of another quantity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from theorycalc.comparison.verdict import PredictedRow
from theorycalc.results.quantities import COLUMNS

_FAR, _SHARE = 5, 0.1  # standard errors and share of the prediction by which a loss before the step differs much
_NEAR = 3  # standard errors within which a number fits
_BEFORE = ("train_loss_initial", "test_loss_initial", "test_loss_clean_initial")
_WITHOUT_PENALTY = {"train_loss": "train_error", "train_loss_initial": "train_error_initial"}


def doubts(
    rows: Iterable[PredictedRow], expected: Mapping[str, Sequence[float] | NDArray[np.float64]], at: int
) -> list[str]:
    """Return notes on the rows of one place, where a theory expects these numbers at the ridge ``at``.

    >>> row = {"quantity": "test_loss_initial", "predicted": 0.2, "observed": 0.3, "standard_error": 0.01, "z": 10.0}
    >>> doubts([row], {"test_loss_initial": [0.2]}, 0)[0][:45]
    'already the test loss before the step differs'
    """
    listed = {row["quantity"]: row for row in rows}
    fitting = [
        (name, other)
        for name, other in _WITHOUT_PENALTY.items()
        if name in listed and other not in listed and other in expected
        if _fits_instead(listed[name], float(expected[other][at]))
    ]
    notes = [
        f"the numbers in {name} fit {other}, the error without the penalty, and not {name}: rename the column"
        for name, other in fitting
    ]
    far = [name for name in _BEFORE if name in listed and _is_far(listed[name])]
    return notes + [
        f"already the {COLUMNS[name].heading} the step differs: check the initialisation "
        "(tc.conventions.layers_from), the convention of the ridge (tc.ridge_from) and the teacher, before the "
        "learning rate"
        for name in far
        if not (fitting and name in _WITHOUT_PENALTY)
    ]


def _fits_instead(row: PredictedRow, other: float) -> bool:
    return abs(row["z"]) > _NEAR and abs(row["observed"] - other) <= _NEAR * row["standard_error"]


def _is_far(row: PredictedRow) -> bool:
    return abs(row["z"]) > _FAR and abs(row["observed"] - row["predicted"]) > _SHARE * row["predicted"]
