"""A heap of running jobs by finish time, from which any job can be taken out (preemption).

``heap[:running]`` holds slots of the table of jobs; ``position`` says where in the heap a slot stands. Jobs that finish
at the same moment leave in order of arrival, so that every engine handles simultaneous events alike.
"""

from __future__ import annotations

from typing import Any

from msj.engines.compiling import helper


@helper
def sooner(jobs: Any, a: Any, b: Any) -> Any:
    """Whether job a leaves before job b."""
    if jobs[a].finish != jobs[b].finish:
        return jobs[a].finish < jobs[b].finish
    return jobs[a].number < jobs[b].number


@helper
def push(present: Any, slot: Any) -> Any:
    """Add a job."""
    jobs, heap, state = present.jobs, present.heap, present.state[0]
    hole = state.running
    while hole > 0:
        parent = (hole - 1) >> 1
        if not sooner(jobs, slot, heap[parent]):
            break
        heap[hole] = heap[parent]
        jobs[heap[hole]].position = hole
        hole = parent
    heap[hole] = slot
    jobs[slot].position = hole
    state.running += 1


@helper
def remove(present: Any, slot: Any) -> Any:
    """Take a job out, wherever it stands."""
    jobs, heap, state = present.jobs, present.heap, present.state[0]
    hole = jobs[slot].position
    size = state.running - 1
    state.running = size
    last = heap[size]
    if last == slot:
        return
    while hole > 0:  # the last job may belong above the hole ...
        parent = (hole - 1) >> 1
        if not sooner(jobs, last, heap[parent]):
            break
        heap[hole] = heap[parent]
        jobs[heap[hole]].position = hole
        hole = parent
    child = 2 * hole + 1
    while child < size:  # ... or below it
        if child + 1 < size and sooner(jobs, heap[child + 1], heap[child]):
            child += 1
        if not sooner(jobs, heap[child], last):
            break
        heap[hole] = heap[child]
        jobs[heap[hole]].position = hole
        hole = child
        child = 2 * hole + 1
    heap[hole] = last
    jobs[last].position = hole
