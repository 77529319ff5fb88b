"""A user's own policy: one plain function in a file or a notebook.

The function decides as those of the other policies do (see ``base``). It is tried on a few small examples first, so
that a wrong signature or a decision that does not fit gets a sentence that says so.

What such a policy is, its function says and not its name: it is told apart from others by its identity
(``msj.store.functions``), computed afresh each time, because a value the function uses may be changed at any moment.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Policy, Serve, compiled_function
from msj.disciplines.function_file import function_in_file
from msj.disciplines.restarting import Restarting
from msj.errors import BadFunction, InvalidInput
from msj.model.numbers import truth, whole
from msj.model.system import System
from msj.registry import nearest
from msj.store import NoIdentity, compiled_helpers, function_identity, function_parts, why_no_identity

FORM = "serve(needs, running, remaining, servers, chosen)"
#: What a function may ask for besides, by naming it among its arguments, each as a small example has it for n jobs.
MORE: dict[str, Callable[[int], Any]] = {
    "classes": lambda n: np.zeros(n, dtype=np.int64),
    "arrivals": lambda n: np.arange(n, dtype=float),
    "estimates": np.ones,
    "now": float,
}
OPTIONS = ("preemptive", "front", "restart")
KEYS = ("function", "file", *OPTIONS, "identity")


_versions: WeakKeyDictionary[Any, str] = WeakKeyDictionary()  # of functions, when last looked at


@dataclass(frozen=True, kw_only=True)
class OwnFunction(Restarting):
    """A policy made of a plain function.

    Parameters
    ----------
    function
        Marks who is served, as described in ``msj.disciplines.base``.
    preemptive
        Whether it may stop running jobs; if not, stopping one is an error.
    front
        How many of the oldest waiting jobs it needs to see; None shows all, at a cost that grows with the queue.
    restart
        Whether a job that it stops loses its work.
    source
        Where it comes from, ``FILE.py:FUNCTION``; empty for a function of a program or a notebook.
    """

    summary: ClassVar[str] = "a plain function of your own"
    citation: ClassVar[str] = ""

    function: Serve
    preemptive: bool = True
    front: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        truth(self.preemptive, "preemptive")
        super().__post_init__()
        if self.front is not None:
            object.__setattr__(self, "front", whole(self.front, "front"))
        object.__setattr__(self, "asks", asked_for(self.function, self.name))
        object.__setattr__(self, "uses_estimates", "estimates" in self.asks)
        self.version()
        try_out(self.function, self.name, self.asks)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.source or getattr(self.function, "__name__", "own function")

    @property
    def serve(self) -> Serve:
        return self.function

    def estimated(self, durations: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the estimates the function is told: those the jobs come with, else their durations."""
        return durations

    def why_no_front(self, system: System) -> str | None:
        more = [name for name in self.asks if name in MORE]
        if more:
            return f"policy '{self.name}' decides by {' and '.join(more)}, which a chain does not keep; simulate it"
        return super().why_no_front(system)

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
        return ["a function of the user's own", found, *self._said()]

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

    def compiled(self, signature: Any) -> Any:
        version = self.version()
        # What cannot be compared is never taken from before.
        compile_it = compiled_function if version is not None else compiled_function.__wrapped__
        return compile_it(self.serve, signature, str(version))

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


def asked_for(function: Any, name: str) -> tuple[str, ...]:
    """Return the arguments that a function wants: the usual five, whatever it calls them, or by name if one is more.

    Examples
    --------
    >>> def by_age(needs, arrivals, now, chosen, servers): ...
    >>> asked_for(by_age, "by_age")
    ('needs', 'arrivals', 'now', 'chosen', 'servers')
    """
    try:
        names = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # a function of some other language
        return Policy.asks
    if not set(names) & set(MORE):
        return Policy.asks
    known = (*Policy.asks, *MORE)
    for argument in names:
        if argument not in known:
            raise BadFunction(f"policy function '{name}' asks for '{argument}'; {nearest(argument, known)}")
    if "chosen" not in names:
        raise BadFunction(f"policy function '{name}' does not take chosen, in which it marks whom to serve; add it")
    return names


def try_out(function: Any, name: str, asks: tuple[str, ...] = Policy.asks) -> None:
    """Call the function on small examples; say in words what is wrong with it."""
    for needs in ([], [1], [2, 1, 3, 1], [4, 4], [1, 1, 1, 1, 1, 1]):
        chosen = np.zeros(len(needs), dtype=np.bool_)
        asked = np.array(needs, dtype=np.int64)
        try:
            usual = dict(zip(Policy.asks, (asked, np.zeros_like(chosen), np.ones(len(needs)), 4, chosen), strict=True))
            function(*(usual[key] if key in usual else MORE[key](len(needs)) for key in asks))
        except TypeError as error:
            raise BadFunction(f"policy function '{name}' cannot be called ({error}); write it as {FORM}") from None
        except Exception as error:
            raise BadFunction(
                f"policy function '{name}' fails with {type(error).__name__} ({error}) for needs {needs}; correct it"
            ) from None
        if asked[chosen].sum() > 4:
            raise BadFunction(
                f"policy function '{name}' chose needs {asked[chosen].tolist()} for 4 servers; choose what fits"
            )
        if needs and not chosen.any():
            raise BadFunction(f"policy function '{name}' serves nobody of needs {needs} on 4 idle servers; choose some")
