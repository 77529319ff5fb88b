"""Who is next: the one with the widest interval, of those that want something.

A heap, so that the next of n streams costs log n. A stream leaves the line when it is taken and enters again when
something about it has changed; where it then stands counts, and where it stood before does not.
"""

from __future__ import annotations

import heapq
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Line(Generic[Item]):
    """Items by name, the widest first; among equals the one that came first.

    Examples
    --------
    >>> line = Line()
    >>> for name, width in (("a", 0.1), ("b", 0.3), ("c", 0.3), ("b", 0.2)):
    ...     line.enter(name, name.upper(), width)
    >>> line.next(), line.next(), line.next(), line.next()
    ('C', 'B', 'A', None)
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, str]] = []
        self._width: dict[str, float] = {}  # of those in the line
        self._items: dict[str, Item] = {}
        self._came: dict[str, int] = {}

    def enter(self, name: str, item: Item, width: float) -> None:
        """Stand in the line, by how wide it is now."""
        if self._width.get(name) == width:
            return
        self._width[name], self._items[name] = width, item
        heapq.heappush(self._heap, (-width, self._came.setdefault(name, len(self._came)), name))

    def next(self) -> Item | None:
        """Return the widest, which leaves the line; None if nobody is in it."""
        while self._heap:
            width, _, name = heapq.heappop(self._heap)
            if self._width.get(name) == -width:  # else it has entered anew, or has left
                del self._width[name]
                return self._items.pop(name)
        return None
