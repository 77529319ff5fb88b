"""Matrices as users write them: lists of rows, fractions kept; and the checks that stochastic ones must pass."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.numbers import Number, as_text, sums_to_one, vector

Rows: TypeAlias = tuple[tuple[Number, ...], ...]
ROUNDING = 1e-9  # of the largest number in a row


def matrix(values: Any, name: str, *, columns: int | None = None) -> Rows:
    """Return a list of rows as numbers; square unless a number of columns is given.

    Examples
    --------
    >>> matrix([[0.5, "1/2"], [1, 0]], "matrix")
    ((0.5, Fraction(1, 2)), (1, 0))
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, (list, tuple, np.ndarray)) or len(values) == 0:
        raise InvalidInput(f"{name} = {values!r} must be a list of rows; write [[0.9, 0.1], [0.2, 0.8]]")
    rows = tuple(vector(row, f"{name}[{i}]") for i, row in enumerate(values))
    wanted = len(rows) if columns is None else columns
    for i, row in enumerate(rows):
        if len(row) != wanted:
            shape = "as many as there are rows" if columns is None else f"{columns}"
            raise InvalidInput(f"{name}[{i}] has {len(row)} entries; it must have {shape}")
    return rows


def stochastic(rows: Rows, name: str) -> Rows:
    """Check that every row is a law."""
    for i, row in enumerate(rows):
        sums_to_one(row, f"{name}[{i}]")
    return rows


def as_array(rows: Rows) -> NDArray[np.float64]:
    """Return the matrix as floats."""
    return np.array([[float(value) for value in row] for row in rows])


def require_rates(rows: Rows, name: str, *, diagonal: bool) -> None:
    """Refuse negative rates; of a matrix with a diagonal (minus the rates of leaving) all others are rates."""
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if value < 0 and not (diagonal and i == j):
                raise InvalidInput(f"{name}[{i}][{j}] = {as_text(value)} is a rate and must not be negative")


def require_generator(parts: Sequence[Rows], name: str) -> None:
    """Refuse matrices whose sum is not a generator: every row must sum to 0."""
    for i in range(len(parts[0])):
        total = sum((Fraction(value) for rows in parts for value in rows[i]), start=Fraction(0))
        scale = max(abs(Fraction(value)) for rows in parts for value in rows[i])
        if scale == 0 or abs(total) > Fraction(ROUNDING) * scale:
            raise InvalidInput(
                f"row {i} of {name} sums to {float(total):.10g}; it must sum to 0: "
                "set the diagonal to minus the other rates of the row"
            )


def law_of(rows: Sequence[Sequence[Number]], name: str) -> tuple[Number, ...]:
    """Return the stationary law of rates or probabilities between states; diagonals do not matter.

    Exact for whole numbers and fractions: elimination without subtractions (Grassmann, Taksar & Heyman 1985).

    Examples
    --------
    >>> law_of([[Fraction(1, 2), Fraction(1, 2)], [1, 0]], "matrix")
    (Fraction(2, 3), Fraction(1, 3))
    """
    kept = recurrent(rows, name)
    rates = [[_exactly(rows[i][j]) for j in kept] for i in kept]
    for n in range(len(kept) - 1, 0, -1):
        leaving = sum(rates[n][:n])
        for i in range(n):
            rates[i][n] /= leaving
            for j in range(n):
                rates[i][j] += rates[i][n] * rates[n][j]
    weights: list[Any] = [1]
    for n in range(1, len(kept)):
        weights.append(sum(weights[i] * rates[i][n] for i in range(n)))
    total = sum(weights)
    found: list[Number] = [0] * len(rows)
    for i, weight in zip(kept, weights, strict=True):
        found[i] = weight / total if isinstance(total, float) else Fraction(weight) / total
    return tuple(found)


def recurrent(rows: Sequence[Sequence[Number]], name: str) -> list[int]:
    """Return the states that are visited in the long run; there must be one set of them."""
    size = len(rows)
    reach = [{i} for i in range(size)]
    for i in range(size):
        found, todo = {i}, [i]
        while todo:
            now = todo.pop()
            more = [j for j in range(size) if j != now and rows[now][j] > 0 and j not in found]
            found.update(more)
            todo += more
        reach[i] = found
    closed = [i for i in range(size) if all(i in reach[j] for j in reach[i])]
    other = next((i for i in closed if i not in reach[closed[0]]), None)
    if other is not None:
        raise InvalidInput(
            f"states {closed[0]} and {other} of {name} never lead to each other, so the long run depends on the start; "
            "give both a way to the other"
        )
    return closed


def _exactly(value: Number) -> Any:
    return Fraction(value) if isinstance(value, int) else value
