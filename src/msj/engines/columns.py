"""Where things stand in the arrays that event kernels share.

A job present occupies one row (slot) of the table ``jobs``; free slots are linked through ``next``. Counters and
times of the kernel as a whole are in ``count`` and ``time``.
"""

from __future__ import annotations

import numpy as np

_REAL = ("arrival", "duration", "remaining", "start", "finish", "estimate")
_WHOLE = ("number", "job_class", "need", "preemptions", "before", "next", "position", "group")
_NAMES = (*_REAL, *_WHOLE)

# 128 bytes a row: finding a row is a shift, and no row lies across two pairs of cache lines.
JOB = np.dtype(
    {
        "names": list(_NAMES),
        "formats": ["f8"] * len(_REAL) + ["i8"] * len(_WHOLE),
        "offsets": [8 * i for i in range(len(_NAMES))],
        "itemsize": 128,
    }
)
# count[...]
IDLE, PRESENT, RUNNING, FIRST, LAST, FREE_SLOT, ARRIVED, DONE, BLOCKED, STATE = range(10)
COUNTS = 10
# time[...]
NOW, AREA = range(2)
TIMES = 2
# What a kernel says when it returns.
FINISHED, TOO_MANY_SERVERS, STOPPED_A_JOB, MORE_RANDOM_NUMBERS = range(4)
