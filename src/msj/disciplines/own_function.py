"""A user's own policy: one plain function in a file or a notebook.

The function names the arguments it wants (``msj.decision_functions``). It is tried on the needs of its system first, so
that a wrong signature or a decision that does not fit gets a sentence that says so.

What such a policy is, its function says and not its name: it is told apart from others by its identity
(``msj.store.functions``), computed afresh each time, because a value the function uses may be changed at any moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from msj.decision_functions import decision_arguments
from msj.disciplines.base import Serve
from msj.disciplines.function_file import function_in_file
from msj.disciplines.restarting import Restarting
from msj.errors import BadFunction, InvalidInput
from msj.model.numbers import truth, whole
from msj.registry import nearest
from msj.store import NoIdentity, compiled_helpers, function_identity, function_parts, why_no_identity

OPTIONS = ("preemptive", "front", "restart", "may_idle")
KEYS = ("function", "file", *OPTIONS, "identity")


_versions: WeakKeyDictionary[Any, str] = WeakKeyDictionary()  # of functions, when last looked at


@dataclass(frozen=True, kw_only=True)
class OwnFunction(Restarting):
    """A policy made of a plain function.

    Parameters
    ----------
    function
        The decision function: it marks the jobs to serve. ``msj.decision_functions`` has the arguments it may name.
    preemptive
        Whether it may stop running jobs; if not, stopping one is an error.
    front
        How many of the oldest waiting jobs it needs to see; None shows all, at a cost that grows with the queue.
    restart
        Whether a job that it stops loses its work.
    may_idle
        Whether it may leave all servers idle although jobs wait.
    source
        Where it comes from, ``FILE.py:FUNCTION``; empty for a function of a program or a notebook.
    """

    summary: ClassVar[str] = "a plain function of your own"
    citation: ClassVar[str] = ""

    function: Serve
    preemptive: bool = True
    front: int | None = None
    may_idle: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        truth(self.preemptive, "preemptive")
        truth(self.may_idle, "may_idle")
        super().__post_init__()
        if self.front is not None:
            object.__setattr__(self, "front", whole(self.front, "front"))
        if not callable(self.function):
            raise BadFunction(f"policy function {self.function!r} cannot be called; give a function")
        object.__setattr__(self, "uses_estimates", "estimates" in decision_arguments(self.function, self.name))
        self.version()

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.source or getattr(self.function, "__name__", "own function")

    @property
    def serve(self) -> Serve:
        return self.function

    @property
    def from_outside(self) -> bool:
        return True

    def estimated(self, durations: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the estimates the function is told: those the jobs come with, else their durations."""
        return durations

    @classmethod
    def from_file(cls, place: str, **options: Any) -> OwnFunction:
        """Take the function from a file: ``my_policy.py:pick``."""
        return cls(function=function_in_file(place), source=place, **options)

    def label(self) -> str:
        return self._labelled(self.name, self._options())

    def to_spec(self) -> dict[str, Any]:
        """Return what stands behind ``policy =`` in a spec file; the identity tells whether it is still the same."""
        path, _, name = self.source.rpartition(":")
        place = {"function": name, "file": path} if self.source else {"function": self.name}
        return {**place, **self._options(), "identity": self.identity()}

    def depends_on(self) -> Any:
        self.version()
        found = function_identity(self.function)
        if found is None:
            raise NoIdentity(why_no_identity(self.function))
        # What was added since counts only where it is used: identities that were written down stay valid.
        added = ["may_idle"] if self.may_idle else []
        return ["a function of the user's own", found, self.preemptive, self.front, self.restart, *added]

    def parts(self) -> dict[str, str]:
        """Return what the identity is made of, each with its hash, to say what has changed."""
        return {**function_parts(self.function), **{key: repr(getattr(self, key)) for key in OPTIONS}}

    def version(self) -> str | None:
        """Return a hash of what the function does now; whatever was compiled of another version is out of date.

        Functions it calls that were compiled when a value they use was another one are compiled anew.
        """
        version = function_identity(self.function, text=False)
        if version is None or _versions.get(self.function) != version:
            for helper in compiled_helpers(self.function):
                with suppress(Exception):  # one that cannot be compiled any more says so when it is called
                    helper.recompile()
        if version is not None:
            _versions[self.function] = version
        return version

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OwnFunction):
            return NotImplemented
        same = self._said() == other._said()
        if self.function is other.function:
            return same
        mine = self.identity()
        return same and mine is not None and mine == other.identity()

    def __hash__(self) -> int:
        # A change of what the function uses changes the hash, so that nothing remembered from before is found.
        return hash(self.identity() or (id(self.function), *self._said()))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        version = self.version()
        if version is None:
            reason = why_no_identity(self.function)
            raise BadFunction(f"policy function '{self.name}' cannot go to another process: {reason}; use one process")
        # Functions from files are not importable: other processes read the file again.
        where = self.source or self.function
        return _made_again, (where, version, *self._said())

    def _said(self) -> tuple[Any, ...]:
        return tuple(getattr(self, key) for key in OPTIONS)

    def _options(self) -> dict[str, Any]:
        return {key: value for key in OPTIONS if (value := getattr(self, key)) != getattr(OwnFunction, key)}


_read: dict[tuple[str, str], Serve] = {}  # functions read from files on behalf of another process


def _made_again(where: str | Serve, version: str, *said: Any) -> OwnFunction:
    """Make a policy that was sent by another process, and make sure that it is the same one."""
    function = _read_again(where, version) if isinstance(where, str) else where
    source = where if isinstance(where, str) else ""
    policy = OwnFunction(function=function, source=source, **dict(zip(OPTIONS, said, strict=True)))
    if policy.version() != version:
        raise BadFunction(
            f"policy function '{policy.name}' is another one in a new process: its file was edited meanwhile, or a "
            "value it uses was set by the program; run it again, or with one process"
        )
    return policy


def _read_again(source: str, version: str) -> Serve:
    known = _read.get((source, version))
    if known is None or function_identity(known, text=False) != version:
        known = _read[source, version] = function_in_file(source)
    return known


def users_own(given: Any) -> OwnFunction | None:
    """Return the policy that a plain function, ``FILE.py:FUNCTION`` or a table that names one stands for.

    Examples
    --------
    >>> users_own("fcfs") is None
    True
    """
    if isinstance(given, str):
        if ":" in given and ".py:" not in given:
            file, _, function = given.rpartition(":")
            raise InvalidInput(f"'{given}' names no function of a file; write FILE.py:FUNCTION, '{file}.py:{function}'")
        return OwnFunction.from_file(given) if ".py:" in given else None
    if not isinstance(given, Mapping):
        return OwnFunction(function=given) if callable(given) and not isinstance(given, type) else None
    if ".py:" in str(given.get("name", "")):  # { name = "my_policy.py:pick", front = 1 }
        path, _, function = str(given["name"]).rpartition(":")
        rest = {key: value for key, value in given.items() if key != "name"}
        return _from_table({"function": function, "file": path, **rest})
    return _from_table(given) if "function" in given else None


def _from_table(table: Mapping[str, Any]) -> OwnFunction:
    for key in table:
        if key not in KEYS:
            raise InvalidInput(f"unknown option '{key}' for a policy function; {nearest(key, KEYS)}")
    if "file" not in table:
        raise BadFunction(
            f"policy function '{table['function']}' of a program or notebook cannot be found again by its name; "
            "pass the function itself as policy=..., or put it in a file and add file = 'FILE.py'"
        )
    options = {key: table[key] for key in OPTIONS if key in table}
    made = OwnFunction.from_file(f"{table['file']}:{table['function']}", **options)
    said, now = table.get("identity"), made.identity()
    if said is not None and said != now:
        raise BadFunction(
            f"policy function '{made.name}' has been edited since, or is read by another Python: identity {said}, "
            f"now {now}; give it again without identity if that is meant"
        )
    return made
