"""The record of one step of one replicate, as plain data, and how one from a file is checked."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Sequence
from reprlib import repr as short
from typing import Any, TypeAlias, TypeGuard

from theorycalc.errors import DomainError

Record: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[float | None, float, int]  # α, η and the number of the replicate

#: The losses, errors and gains of a row, as :class:`theorycalc.Prediction` names them.
VALUES = (
    *("train_loss_initial", "train_error_initial", "test_loss_initial", "train_gain", "test_gain"),
    *("train_loss", "train_error", "test_loss"),
)
TRACES = ("m1", "m2")
CHECKSUM = "crc32"  # the name under which it stands beside the content
_LARGEST = 1e150  # so that its square is a number, too


def read_json(text: str | bytes) -> Any:
    """Return the data of JSON text from outside; everything that is wrong with it is a :class:`DomainError`.

    >>> read_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> read_json('[NaN]')
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: it is not JSON: NaN is not a number
    """
    try:
        return json.loads(text, parse_constant=_no_constant)
    except MemoryError:
        raise DomainError("it is not JSON of ours: it does not fit into memory") from None
    except RecursionError:
        raise DomainError("it is not JSON of ours: it is nested too deeply") from None
    except ValueError as error:  # also of text that is not UTF-8, and of numbers with thousands of digits
        raise DomainError(f"it is not JSON: {error}") from None


def with_checksum(data: dict[str, Any]) -> dict[str, Any]:
    """Return plain data with the checksum of its content, whatever the order of its names and its white space.

    >>> with_checksum({"a": 1})
    {'a': 1, 'crc32': 1444654255}
    """
    return data | {CHECKSUM: _checksum(data)}


def has_its_checksum(data: dict[str, Any]) -> bool:
    """Whether data from a file has the checksum that :func:`with_checksum` gave it.

    >>> has_its_checksum({"crc32": 1444654255, "a": 1}), has_its_checksum({"crc32": 1444654255, "a": 2})
    (True, False)
    """
    try:
        return data.get(CHECKSUM) == _checksum({name: part for name, part in data.items() if name != CHECKSUM})
    except (MemoryError, RecursionError):
        raise DomainError("it is not JSON of ours: it is too large or nested too deeply") from None
    except ValueError:  # infinity, which a number such as 1e999 is read as
        return False


def _checksum(data: dict[str, Any]) -> int:
    text = json.dumps(data, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return zlib.crc32(text.encode())


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def key_of(record: Record) -> Key:
    """Return which step of which replicate a record is of; the step by its size, whatever others a run has.

    >>> key_of({"alpha": None, "eta": 2.0, "replicate": 7, "rows": []})
    (None, 2.0, 7)
    """
    return record["alpha"], record["eta"], record["replicate"]


def check_record(record: Any, models: Sequence[str], ridges: Sequence[float], traces: bool = False) -> Record:
    """Return a record from a file if a replicate with these models and ridges can have left it, else say why not.

    >>> check_record({"alpha": 0.1, "eta": "2"}, models=["network"], ridges=[0.1])
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: its eta '2' is not a number from 0
    """
    if not isinstance(record, dict):
        raise DomainError(f"it is a {type(record).__name__}, not a record")
    alpha, eta, index = (record.get(name) for name in ("alpha", "eta", "replicate"))
    if not _is_number(eta) or eta < 0:
        raise DomainError(f"its eta {short(eta)} is not a number from 0")
    if alpha is not None and not _is_number(alpha):
        raise DomainError(f"its alpha {short(alpha)} is not a number")
    if type(index) is not int or index < 0:
        raise DomainError(f"its replicate {short(index)} is not one of 0, 1, 2, …")
    wanted = [{"model": model, "ridge": ridge} for model in models for ridge in ridges]
    _check_rows(record.get("rows"), "rows", wanted, VALUES)
    if traces:
        _check_rows(record.get("traces"), "traces", [{"ridge": ridge} for ridge in ridges], TRACES)
    elif record.get("traces") is not None:
        raise DomainError("it has traces, which the settings do not ask for")
    return record


def _is_number(value: Any) -> TypeGuard[float]:
    return type(value) in (int, float) and abs(value) < math.inf


def _check_rows(rows: Any, name: str, wanted: list[dict[str, Any]], values: tuple[str, ...]) -> None:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DomainError(f"its {name} are not a list of rows")
    if len(rows) != len(wanted):
        raise DomainError(f"it has {len(rows)} {name}, not {len(wanted)}")
    if [{key: row.get(key) for key in want} for row, want in zip(rows, wanted, strict=True)] != wanted:
        raise DomainError(f"its {name} are not those of the models and ridges of the settings")
    for row in rows:
        if others := sorted(set(row).difference(wanted[0], values)):  # a "cell" would hide that of the record
            raise DomainError(f"its {name} have {others}, which are not ours")
        for value in values:
            number = row.get(value)
            if type(number) not in (int, float) or not abs(number) < _LARGEST:
                raise DomainError(f"{value} in its {name} is {short(number)}, not a number below {_LARGEST:g}")
