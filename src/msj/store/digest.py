"""Plain data as one canonical text, and its digest.

Two values have the same text if and only if they are the same data: keys are sorted, floats keep every digit, and what
JSON does not know (fractions, bytes, arrays, tables whose keys are not texts) is written as a table whose one key
begins with ``$``. Tuples and lists are the same; 1, 1.0 and true are three values.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from msj.errors import InvalidInput

DIGITS = 24  # of hexadecimal: 96 bits, so that a collision is out of the question


def canonical(value: Any) -> str:
    """Return plain data as canonical JSON.

    Parameters
    ----------
    value
        None, truth values, numbers, fractions, texts, bytes, numpy scalars and arrays, and lists, tuples, sets and
        tables of these.

    Examples
    --------
    >>> canonical({"b": (1, 0.1), "a": None})
    '{"a":null,"b":[1,0.1]}'
    """
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def digest(*parts: Any) -> str:
    """Return the first 24 hexadecimal digits of the SHA-256 of the parts' canonical text.

    Examples
    --------
    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 1.0), len(digest())
    (True, False, 24)
    """
    return hashlib.sha256(canonical(parts).encode()).hexdigest()[:DIGITS]


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        # Beyond some thousand digits Python refuses to write an integer in decimals.
        return int(value) if abs(value) < 2**63 else {"$integer": hex(value)}
    if isinstance(value, float):
        # JSON writes floats as repr does, the shortest text that reads back as the same number.
        return float(value) if math.isfinite(value) else {"$float": repr(float(value))}
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return _beyond_json(value)


def _table(value: Mapping[Any, Any]) -> dict[str, Any]:
    if all(isinstance(key, str) for key in value):
        # One more $ keeps a user's own "$fraction" apart from ours.
        return {f"${key}" if key.startswith("$") else key: _plain(item) for key, item in value.items()}
    pairs = [[_plain(key), _plain(item)] for key, item in value.items()]
    return {"$table": sorted(pairs, key=lambda pair: canonical(pair[0]))}


def _beyond_json(value: Any) -> dict[str, Any]:
    if isinstance(value, complex):
        return {"$complex": [_plain(value.real), _plain(value.imag)]}
    if isinstance(value, Fraction):
        return {"$fraction": [_plain(value.numerator), _plain(value.denominator)]}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": value.hex()}
    if isinstance(value, (set, frozenset)):
        return {"$set": sorted((_plain(item) for item in value), key=canonical)}
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        whole = np.ascontiguousarray(value)
        return {"$array": [str(value.dtype.descr), list(value.shape), hashlib.sha256(whole.tobytes()).hexdigest()]}
    raise InvalidInput(f"a {type(value).__name__} is no plain data; give numbers, texts, lists, tables or arrays")
