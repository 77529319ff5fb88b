"""The first column of a CSV file, as numbers: what was recorded."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.endless import require_an_end


def read_column(path: Path, what: str, *, above_zero: bool = False) -> NDArray[np.float64]:
    """Return the numbers of a file's first column; one header line is allowed. ``what`` they are is said in errors."""
    require_an_end(path, f"file = '{path}'")
    try:
        with path.open(newline="", encoding="utf-8") as handle:
            column = [row[0] for row in csv.reader(handle) if row]
    except OSError as error:
        raise InvalidInput(f"file = '{path}' cannot be read ({error.strerror}); check the path") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"file = '{path}' is not text; give a CSV file with {what} in its first column") from None
    values: list[float] = []
    for line, text in enumerate(column, 1):
        try:
            values.append(float(text))
        except ValueError:
            if line == 1:
                continue  # a header
            raise InvalidInput(f"file '{path}', row {line}: {text!r} is not a number; correct or remove it") from None
        if not np.isfinite(values[-1]) or (above_zero and values[-1] <= 0):
            rule = "must be a positive, finite number" if above_zero else "is not finite"
            raise InvalidInput(f"file '{path}', row {line}: {text} {rule}; correct or remove it")
    if not values:
        raise InvalidInput(f"file '{path}' holds no numbers; put {what} in its first column")
    return np.array(values)
