"""JSON from files that anybody may have changed: read with our errors, and kept with a checksum of its content."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping

from theorycalc.errors import DomainError

CHECKSUM = "crc32"  # the name under which it stands beside the content


def read_json(text: str | bytes) -> object:
    """Return the data of JSON text from outside; everything that is wrong with it is a :class:`DomainError`.

    >>> read_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> read_json('[NaN]')
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: it is not JSON: NaN is not a number
    """
    try:
        found: object = json.loads(text, parse_constant=_no_constant)
    except MemoryError:
        raise DomainError("it is not JSON of ours: it does not fit into memory") from None
    except RecursionError:
        raise DomainError("it is not JSON of ours: it is nested too deeply") from None
    except ValueError as error:  # also of text that is not UTF-8, and of numbers with thousands of digits
        raise DomainError(f"it is not JSON: {error}") from None
    return found


def with_checksum(data: Mapping[str, object]) -> dict[str, object]:
    """Return plain data with the checksum of its content, whatever the order of its names and its white space.

    >>> with_checksum({"a": 1})
    {'a': 1, 'crc32': 1444654255}
    """
    return {**data, CHECKSUM: _checksum(data)}


def has_its_checksum(data: Mapping[str, object]) -> bool:
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


def _checksum(data: Mapping[str, object]) -> int:
    text = json.dumps(dict(data), allow_nan=False, sort_keys=True, separators=(",", ":"))
    return zlib.crc32(text.encode())


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")
