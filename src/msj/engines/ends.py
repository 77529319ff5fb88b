"""A heap of moments at which something becomes free, the earliest first.

``ends[:size]`` are the moments, ``held[:size]`` what is freed then (servers, or a number that stands for it). For
engines that serve in order of arrival and never preempt: nothing is taken out but the earliest.
"""

from __future__ import annotations

from typing import Any

from msj.engines.compiling import helper


@helper
def push(ends: Any, held: Any, size: Any, end: Any, servers: Any) -> Any:
    """Add an end; return the new size."""
    hole = size
    while hole > 0:
        parent = (hole - 1) >> 1
        if ends[parent] <= end:
            break
        ends[hole], held[hole] = ends[parent], held[parent]
        hole = parent
    ends[hole], held[hole] = end, servers
    return size + 1


@helper
def pop(ends: Any, held: Any, size: Any) -> Any:
    """Take the earliest end off; return the new size."""
    size -= 1
    end, servers = ends[size], held[size]
    hole, child = 0, 1
    while child < size:
        if child + 1 < size and ends[child + 1] < ends[child]:
            child += 1
        if end <= ends[child]:
            break
        ends[hole], held[hole] = ends[child], held[child]
        hole, child = child, 2 * child + 1
    ends[hole], held[hole] = end, servers
    return size
