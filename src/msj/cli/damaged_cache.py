"""Compiled loops are kept in files; one that is damaged (a full disk, a copy cut short) is no defect of msj."""

from __future__ import annotations

from pathlib import Path

CACHING = ("numba", "core", "caching.py")


def damaged_cache(error: BaseException) -> str | None:
    """Return a sentence if an error came up while compiled code was being read; None if not."""
    step = error.__traceback__
    while step is not None:
        if Path(step.tb_frame.f_code.co_filename).parts[-3:] == CACHING:
            file = getattr(step.tb_frame.f_locals.get("self"), "_index_path", None)
            if file is not None:
                return (
                    f"compiled code cannot be read ({type(error).__name__}: {error}), a file of it is damaged; "
                    f"delete the .nbi and .nbc files in '{Path(file).parent}', they are made again"
                )
        step = step.tb_next
    return None
