"""Memory of a worker process: how much it uses, and the most it may use."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def memory_in_use() -> int:
    """Return the resident memory of this process in bytes; where only the peak is known, the peak; else 0.

    Examples
    --------
    >>> memory_in_use() > 1_000_000
    True
    """
    with suppress(OSError, ValueError, IndexError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
    return 0


def limit_memory(most: int) -> None:
    """Let allocations beyond ``most`` bytes of data fail with MemoryError, where the system can do that.

    RLIMIT_DATA counts memory that the process writes to. RLIMIT_AS would also count address space that compilers and
    threads only reserve.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
