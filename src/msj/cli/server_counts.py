"""Numbers of servers as users write them: ``64,128,256``, ``64..65536`` or ``64..1e8``."""

from __future__ import annotations

import numpy as np

from msj.errors import InvalidInput
from msj.model.numbers import shortened, whole

SERVER_COUNTS_HELP = "Numbers of servers: 64,128,256 or 64..1e8 (evenly spaced on a logarithmic scale)."
MOST_COUNTS = 1000


def server_counts(text: str, *, points: int | None = None) -> list[int]:
    """Return the numbers of servers a text lists, in rising order.

    A range is cut into ``points`` evenly spaced logarithms, rounded to whole numbers; without ``points`` it doubles
    from its beginning to its end.

    Examples
    --------
    >>> server_counts("64,1e3"), server_counts("100..1e8", points=4), server_counts("64..600")
    ([64, 1000], [100, 10000, 1000000, 100000000], [64, 128, 256, 512, 600])
    """
    found: set[int] = set()
    for part in text.split(","):
        ends = part.strip().split("..")
        if len(ends) > 2 or not all(end.strip() for end in ends):
            raise InvalidInput(
                f"'{shortened(part)}' in '{shortened(text)}' is no number of servers; write 64,128,256 or 64..1e8"
            )
        low, high = (whole(end.strip(), "servers") for end in (ends[0], ends[-1]))
        if low > high:
            raise InvalidInput(f"servers {part.strip()} does not rise; write the lower number first")
        found |= _between(low, high, points)
    if len(found) > MOST_COUNTS:
        raise InvalidInput(f"{len(found)} numbers of servers are asked for; give at most {MOST_COUNTS}")
    return sorted(found)


def _between(low: int, high: int, points: int | None) -> set[int]:
    if low == high:
        return {low}
    if points is not None:
        inner = np.exp(np.linspace(np.log(float(low)), np.log(float(high)), points)[1:-1])
        return {low, high, *(round(value) for value in inner.tolist())}
    found = {high}
    while low < high:
        found.add(low)
        low *= 2
    return found
