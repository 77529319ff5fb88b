"""How many threads the BLAS libraries may use.

numpy and scipy each bring an OpenBLAS with threads of its own; on few cores the two pools fight, and a solver that
mixes them gets several times slower, not faster.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> Any:
    return ThreadpoolController()


def blas_threads(count: int) -> AbstractContextManager[Any]:
    """Limit the BLAS libraries to so many threads within a ``with`` block."""
    return _controller().limit(limits=count, user_api="blas")  # type: ignore[no-any-return]
