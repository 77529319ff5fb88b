"""What was asked: recorded with every answer, so that it can be asked again.

A verb (``analyse``, ``simulate``, ...) takes a system, or the name of the file that describes one, and options. The
decorator reads the file, lets the verb answer, and writes the question into the provenance: the verb, the system as
it was given, the options that matter to the answer, and the seed. ``msj rerun`` asks it again and gets equal numbers.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from msj.answers.cross_check import require_agreement
from msj.errors import InvalidInput
from msj.logs.spec_or_log import as_system
from msj.model import System
from msj.model.spec_file import SystemLike
from msj.model.trials import try_laws
from msj.registry import files_behind
from msj.results import Result
from msj.store import computing_code, digest
from msj.workloads import Rng, seed_sequence

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer", bound=Result)

__all__ = ["SystemLike", "as_system", "identity_of", "question", "root_of"]

# How an answer is found, seen or kept; it does not change the answer. The seed is recorded apart.
LOGS = frozenset({"file", "jobs"})  # options that name a log
APART = frozenset(
    {"effort", "progress", "processes", "workers", "checkpoint", "jobs_file", "out", "each", "rng", "seed", "dask"}
)


def question(verb: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Let a verb take a file name for its system, and record the question in the answer."""
    signature = inspect.signature(verb)

    @functools.wraps(verb)
    def ask(*given: Asked.args, **named: Asked.kwargs) -> Answer:
        bound = signature.bind(*given, **named)
        arguments = bound.arguments
        asked: dict[str, Any] = {"verb": verb.__name__}
        if "system" in arguments:
            arguments["system"] = as_system(arguments["system"])
            require_agreement(arguments["system"])
            asked["system"] = arguments["system"].to_spec()
        asked["options"] = {}
        for name in arguments.keys() - APART - {"system"}:
            if isinstance(arguments[name], Iterator):  # it can be gone through once only
                arguments[name] = list(arguments[name])
            if (plain := as_option(arguments[name])) != as_option(signature.parameters[name].default):
                asked["options"][name] = plain
        if logs := logs_behind(arguments):
            asked["logs"] = logs
        started = time.perf_counter()
        answer = verb(*bound.args, **bound.kwargs)
        if files := files_behind(asked):
            asked["files"] = files
        seconds = round(time.perf_counter() - started, 6)
        facts = {**answer.provenance, "seconds": answer.provenance.get("seconds", seconds), "question": asked}
        facts |= identity_of(arguments.get("system"), asked, facts.get("seed"), package=verb.__module__.split(".")[1:2])
        return replace(answer, provenance=facts, notes=with_law_notes(answer.notes, arguments.get("system")))

    return ask


def with_law_notes(notes: tuple[str, ...], system: System | None) -> tuple[str, ...]:
    """Return the notes of an answer, and those on the trials of the system's laws from outside, each once."""
    trials = () if system is None else try_laws(system)
    return (*notes, *(note for note in trials if note not in notes))


def logs_behind(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the logs that a question names, each with a hash of its file; none for a file that is not there."""
    found = {}
    for name in LOGS & options.keys():
        path = options[name]
        if isinstance(path, (str, os.PathLike)) and os.path.isfile(path):
            with open(path, "rb") as file:
                found[str(path)] = hashlib.file_digest(file, "sha256").hexdigest()[:24]
    return found


def identity_of(
    system: System | None, asked: Mapping[str, Any], seed: Any, package: Sequence[str] = ()
) -> dict[str, str | None]:
    """Return a hash of all that an answer depends on, or why there is none.

    The system with its policy, the verb, its options, the seed, and the code that computes, the verb's own
    ``package`` included. Answers of the same identity are equal.
    """
    reason = None if system is None else system.why_no_identity()
    if reason is not None:
        return {"identity": None, "why_no_identity": reason}
    files = asked.get("files", {})
    parts: tuple[Any, ...] = (
        None if system is None else system.identity(),
        asked["verb"],
        asked["options"],
        files,
        seed,
        computing_code(*package),
    )
    if "logs" in asked:
        parts += (list(asked["logs"].values()),)
    return {"identity": digest(*parts)}


def root_of(rng: Rng, seed: Rng) -> Any:
    """Return the seed sequence that ``rng=`` or ``seed=`` stands for; a fresh one if neither is given.

    Examples
    --------
    >>> root_of(None, 7).entropy
    7
    """
    if rng is not None and seed is not None:
        raise InvalidInput(f"rng = {rng!r} and seed = {seed!r} are both given; they mean the same, so give one")
    return seed_sequence(rng if seed is None else seed)


def as_option(value: Any) -> Any:
    """Return an option as plain data, from which it can be given again."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): as_option(item) for key, item in value.items()}
    if isinstance(value, FunctionType):
        from msj.disciplines.own_function import OwnFunction

        return OwnFunction(function=value).to_spec()
    if hasattr(value, "to_spec"):
        return value.to_spec()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple, range, set, frozenset)):
        return [as_option(item) for item in value]
    return str(value)
