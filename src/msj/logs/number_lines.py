"""Lines of numbers separated by blanks, read by a compiled loop: one pass over the bytes, no text is ever made.

A number with at most 15 digits and a power of ten of at most 22 is digits x 10^e with both factors exact, so one
multiplication or division rounds once and gives the nearest double (Clinger 1990); lines with longer numbers are left
to Python. Every line is accounted for: it is blank, a remark, good, or bad.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

GOOD, TOO_SHORT, NO_NUMBER, BY_PYTHON = range(4)
_POWERS = 10.0 ** np.arange(23)


class Lines(NamedTuple):
    """One row per line with something on it: its numbers (nan where it ended before), place, and whether it is good.

    ``place`` is where in the block it begins and ends, ``line`` its number, counted from the first of the block.
    """

    values: NDArray[np.float64]
    status: NDArray[np.int8]
    line: NDArray[np.int64]
    place: NDArray[np.int64]
    lines: int


def read_lines(block: bytes, fields: int, least: int, remark: bytes) -> Lines:
    """Read the first ``fields`` numbers of each line; a line with fewer than ``least`` is bad."""
    data = np.frombuffer(block, dtype=np.uint8)
    most = block.count(b"\n") + block.count(b"\r") + 1
    values = np.full((most, fields), np.nan)
    status, line = np.zeros(most, dtype=np.int8), np.zeros(most, dtype=np.int64)
    place = np.zeros((most, 2), dtype=np.int64)
    rows, lines = _scan(data, remark[0], least, _POWERS, values, status, line, place)
    for row in np.flatnonzero(status[:rows] == BY_PYTHON):
        words = block[place[row, 0] : place[row, 1]].split()[:fields]
        try:
            values[row, : len(words)] = [float(word) for word in words]
            status[row] = GOOD if np.isfinite(values[row, : len(words)]).all() else NO_NUMBER
        except ValueError:
            status[row] = NO_NUMBER
    return Lines(values[:rows], status[:rows], line[:rows], place[:rows], lines)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def _scan(data: Any, remark: Any, least: Any, powers: Any, values: Any, status: Any, line: Any, place: Any) -> Any:
    size, fields = len(data), values.shape[1]
    i, row, number = 0, 0, 0
    while i < size:
        begin = i
        found, state = 0, GOOD
        skip = False
        while i < size and data[i] != 10 and data[i] != 13:
            byte = data[i]
            if byte == 32 or byte == 9:
                i += 1
                continue
            if found == 0 and byte == remark:
                skip = True
                while i < size and data[i] != 10 and data[i] != 13:
                    i += 1
                break
            if found >= fields:  # whatever follows is not ours
                found += 1
                while i < size and data[i] != 10 and data[i] != 13:
                    i += 1
                break
            negative = False
            if byte == 45 or byte == 43:
                negative = byte == 45
                i += 1
            whole, digits, seen, exponent = 0, 0, 0, 0
            while i < size and 48 <= data[i] <= 57:
                whole = whole * 10 + (data[i] - 48) if digits < 18 else whole
                digits += 1 if whole > 0 else 0
                seen += 1
                i += 1
            if i < size and data[i] == 46:
                i += 1
                while i < size and 48 <= data[i] <= 57:
                    whole = whole * 10 + (data[i] - 48) if digits < 18 else whole
                    digits += 1 if whole > 0 else 0
                    seen += 1
                    exponent -= 1
                    i += 1
            ended = i == size or data[i] == 32 or data[i] == 9 or data[i] == 10 or data[i] == 13
            if seen > 0 and ended and digits <= 15 and exponent >= -22:
                value = float(whole) / powers[-exponent]
                values[row, found] = -value if negative else value
            elif seen > 0 and (ended or data[i] == 101 or data[i] == 69):
                state = BY_PYTHON if state == GOOD else state
            else:
                state = NO_NUMBER
            while i < size and data[i] != 32 and data[i] != 9 and data[i] != 10 and data[i] != 13:
                i += 1
            found += 1
        if not skip and found > 0:
            if state == GOOD and found < least:
                state = TOO_SHORT
            status[row], line[row] = state, number
            place[row, 0], place[row, 1] = begin, i
            row += 1
        if i < size:
            i += 2 if data[i] == 13 and i + 1 < size and data[i + 1] == 10 else 1
        number += 1
    return row, number
