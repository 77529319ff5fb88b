"""How kernels are compiled.

Kernels only read and write arrays that Python holds, so they need no reference counting; left on, it costs two atomic
instructions for nearly every array passed on, more than all the rest together. Helpers are merged into the kernel
that calls them, because handing over an array means handing over seven numbers. Compiled code is cached.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False, "nogil": True}

kernel: Callable[[F], F] = njit(**OPTIONS)
helper: Callable[[F], F] = njit(**OPTIONS, forceinline=True)


@kernel
def _probe(x: Any) -> Any:  # never called; it knows where compiled code is kept
    return x


def compiled_before(module: str) -> bool:
    """Whether the kernel in ``module`` was compiled by an earlier run; if not, its first use takes some seconds."""
    cache: Any = getattr(_probe, "_cache", None)
    folder = getattr(cache, "cache_path", None)
    if folder is None:  # a numba that keeps its cache elsewhere: say nothing rather than something wrong
        return True
    return any(Path(folder).glob(f"{module.rpartition('.')[2]}.*.nbi"))
