"""The state of a simulation as arrays and plain data, and back: nothing that is read can run.

A run is made anew from its question; what has happened since (arrays, numbers, random streams) is written down
attribute by attribute and put into the new one. Systems and policies are values and never change, so they are left
out: whoever reads the state sees to it that they are the same. Arrays are put back in place where they fit, so that
two that share their memory go on sharing it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from msj.model.arrivals import ArrivalSampler
from msj.simulation.sketch import Sketch

CHANGING = ("msj.engines", "msj.simulation", "msj.workloads")  # where objects live that have a state


def written(value: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    """Return a value's state as plain data; its arrays go into ``arrays``, under names of their own."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"plain": value}
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.random.Generator):
        return {"stream": _plain(value.bit_generator.state)}
    if isinstance(value, Sketch):
        return {"sketch": [value.lowest, *(written(each, arrays) for each in (value.bins, value.counts))]}
    if isinstance(value, (list, tuple)):
        return {"items": [written(each, arrays) for each in value]}
    if type(value).__module__.startswith(CHANGING) or isinstance(value, ArrivalSampler):
        parts = {name: written(each, arrays) for name, each in _attributes(value).items()}
        return {"parts": {name: part for name, part in parts.items() if part is not None}}
    return None


def restored(now: Any, state: Any, arrays: Any) -> Any:
    """Return ``now`` with the state that was written; objects are changed in place."""
    kind, content = next(iter(state.items()))
    if kind == "plain":
        return content
    if kind == "array":
        saved = arrays[content]
        if isinstance(now, np.ndarray) and now.shape == saved.shape and now.dtype == saved.dtype:
            now[...] = saved
            return now
        return saved.copy()
    if kind == "stream":
        now.bit_generator.state = _arrays(content)
        return now
    if kind == "sketch":
        return Sketch(content[0], *(restored(None, part, arrays) for part in content[1:]))
    if kind == "items":
        old = list(now) if isinstance(now, (list, tuple)) else []
        old += [None] * (len(content) - len(old))
        found = [restored(each, part, arrays) for each, part in zip(old, content, strict=False)]
        if isinstance(now, tuple):
            return type(now)(*found) if hasattr(now, "_fields") else tuple(found)
        return found
    for name, part in content.items():
        object.__setattr__(now, name, restored(getattr(now, name), part, arrays))
    return now


def _attributes(value: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return dict(vars(value))


def _plain(state: Any) -> Any:
    """Return a random stream's state with lists of whole numbers for arrays."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    return {"words": [int(word) for word in state]} if isinstance(state, np.ndarray) else state


def _arrays(state: Any) -> Any:
    if isinstance(state, dict):
        if set(state) == {"words"}:
            return np.array(state["words"], dtype=np.uint64)
        return {key: _arrays(value) for key, value in state.items()}
    return state
