"""A cluster that came over the wire: as a spec file has it, but it names no file and no code.

A spec file may name a file of recorded durations or a function of the user's own. Whoever writes the file may read it,
too; a page may not read files of this machine or have code run. So such keys are refused before anything is made of
the document, wherever they stand; policies and models are those that the catalogues have, and functions of the user's
own only if they were named when the server was started.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from msj.errors import InvalidInput
from msj.model import System
from msj.model.changes import with_largest_need
from msj.model.spec_file import from_document
from msj.registry import ENVIRONMENTS, MODELS, POLICIES, nearest

#: Keys of tables that name a file or code, in any spec there is.
NAMES_FILES = ("file", "files", "function", "path", "log", "trace")
MAX_CLASSES = 64
MAX_SERVERS = 1_000_000


def system_from(request: dict[str, Any], own_policies: Collection[str] = ()) -> System:
    """Return the cluster of a request: its ``spec``, with needs cut to ``largest_need`` if that is given.

    Examples
    --------
    >>> spec = {"servers": 2, "classes": [
    ...     {"name": "all", "need": 2, "share": 1, "duration": {"law": "exponential", "mean": 1}}]}
    >>> system_from({"spec": spec, "largest_need": 1}).classes[0].need
    1
    """
    spec = request.get("spec")
    if not isinstance(spec, dict):
        raise InvalidInput("spec is missing; give the cluster as a spec file has it, as a table")
    for where, key in _keys(spec):
        if key in NAMES_FILES:
            raise InvalidInput(f"{where}: '{key}' names a file or code, which no page may; give values instead")
    _known_choice(spec.get("policy", "fcfs"), "policy", {*POLICIES.names(), *own_policies})
    for key, catalogue in (("model", MODELS), ("environment", ENVIRONMENTS)):
        given = spec.get(key)
        for one in given if isinstance(given, list) else [] if given is None else [given]:
            _known_choice(one, key, set(catalogue.names()))
    _require_few_classes(spec.get("classes"))
    system = from_document(spec)
    _require_few_classes(system.classes)
    _require_few_servers(system.servers)
    cap = request.get("largest_need")
    return system if cap is None else with_largest_need(system, cap)


def _require_few_classes(classes: Any) -> None:
    if isinstance(classes, (list, tuple)) and len(classes) > MAX_CLASSES:
        raise InvalidInput(f"there are {len(classes)} classes; this page takes {MAX_CLASSES} at most, msj more")


def _require_few_servers(servers: int) -> None:
    """Refuse a size as it was parsed: a spec may write a number as text."""
    if servers > MAX_SERVERS:
        raise InvalidInput(f"servers = {servers:g} is more than this page takes, {MAX_SERVERS:,}; use msj")


def _known_choice(given: Any, kind: str, known: set[str]) -> None:
    name = given.get("name") if isinstance(given, dict) else given
    if not isinstance(name, str) or name not in known:
        raise InvalidInput(f"unknown {kind} {str(name)[:80]!r}; {nearest(str(name)[:80], sorted(known))}")


def _keys(value: Any, where: str = "spec") -> Iterator[tuple[str, str]]:
    """Go through every key of every table inside a document, with the place it stands at."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield where, key
            yield from _keys(item, f"{where}.{key}"[:120])
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _keys(item, f"{where}[{index}]"[:120])
