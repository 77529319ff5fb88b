"""Child processes that never import from the current folder.

``python -c`` and ``python -m`` put the current folder first on the module path, and so do the processes that
:mod:`multiprocessing` spawns, until they have taken over the path of their parent. A file ``pickle.py`` beside a
downloaded log would be run. ``PYTHONSAFEPATH`` (Python 3.11) keeps the current folder off the path; spawned processes
then use the path of their parent as it is.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "PYTHONSAFEPATH"

_lock = threading.Lock()
_users = 0
_before: str | None = None


@contextmanager
def safe_children() -> Iterator[None]:
    """Keep the current folder off the path of every Python process that is started inside; contexts may overlap.

    Examples
    --------
    >>> with safe_children():
    ...     os.environ["PYTHONSAFEPATH"]
    '1'
    """
    global _users, _before
    with _lock:
        if _users == 0:
            _before = os.environ.get(VARIABLE)
            os.environ[VARIABLE] = "1"
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                if _before is None:
                    os.environ.pop(VARIABLE, None)
                else:
                    os.environ[VARIABLE] = _before
