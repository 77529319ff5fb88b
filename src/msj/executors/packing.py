"""A task as it travels: the identity of the code that must compute it, the user's files it needs, and a pickle.

A worker compares the identity before it unpickles anything. One with other code refuses: its reply says so, and nothing
is computed. What cannot be unpickled there (a module it does not have) is a reply too, never an error of the worker.
Replies are plain tuples, so that any version can read them.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import Any

from msj.errors import InvalidInput, MsjError
from msj.store import worker_identity
from msj.store.user_files import UserFiles, files_for, files_in_place

DONE, RAISED, REFUSED, NOT_LOADED = "done", "raised", "refused", "not-loaded"


class OtherCode(InvalidInput):
    """A worker has other code than the process that asks."""


class NotLoaded(InvalidInput):
    """What a task needs cannot be had where it should run."""


class WorkerDied(BrokenExecutor):
    """A worker ended while it computed."""


class SchedulerLost(MsjError):
    """The scheduler of a cluster does not answer any more."""


def pack(
    function: Callable[..., Any], arguments: tuple[Any, ...], *, folders: list[Any], by_value: bool = False
) -> tuple[str, UserFiles, bytes]:
    """Return the arguments of :func:`run_packed`: identity, files and pickle.

    Parameters
    ----------
    function, arguments
        The task.
    folders
        The contents of the folders of ``MSJ_PATH`` (``store.user_files``).
    by_value
        Whether functions of a program or a notebook travel by value (a Dask worker cannot import them).
    """
    payload = pickle.dumps((function, arguments), protocol=pickle.HIGHEST_PROTOCOL)
    if by_value and b"__main__" in payload:
        import cloudpickle  # type: ignore[import-untyped]  # comes with Dask

        payload = cloudpickle.dumps((function, arguments))
    return worker_identity(), files_for(payload, folders), payload


def run_packed(identity: str, files: UserFiles, payload: bytes, where: str = "") -> tuple[Any, ...]:
    """Do a task that was packed elsewhere; return ``(kind, ...)`` whatever happens."""
    mine = worker_identity()
    if mine != identity:
        return REFUSED, where or _address(), mine
    with files_in_place(files):
        try:
            function, arguments = pickle.loads(payload)
        except MsjError as error:
            return NOT_LOADED, str(error)
        except Exception as error:
            return NOT_LOADED, f"{type(error).__name__}: {error}"
        try:
            return DONE, function(*arguments)
        except Exception as error:
            return RAISED, _portable(error)


def unpacked(reply: tuple[Any, ...]) -> Any:
    """Return the value in a worker's reply, or raise what it says."""
    kind, *more = reply
    if kind == DONE:
        return more[0]
    if kind == RAISED:
        raise more[0]
    if kind == REFUSED:
        raise OtherCode(
            "the code of msj was changed while it ran: a worker that was started since has another version; run the "
            "same command again"
        )
    raise NotLoaded(
        f"a worker cannot load what this needs ({more[0]}); put policies and laws into files of their own that import "
        "only what every machine has"
    )


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent back."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _address() -> str:
    """Return the address of the Dask worker that runs this; empty elsewhere."""
    try:
        from distributed import get_worker  # type: ignore[import-not-found, unused-ignore]

        return str(get_worker().address)
    except (ImportError, ValueError):
        return ""
