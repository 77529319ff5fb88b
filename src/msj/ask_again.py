"""Ask again what a result was the answer to.

A result says in its provenance which verb was asked, about which system, with which options and which seed
(``answers.question``). The same code gives equal numbers; a user's function is checked to be the same one.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msj
from msj.answers.question import logs_behind
from msj.errors import InvalidInput
from msj.model.spec_file import from_document
from msj.registry import files_behind
from msj.results import Result, Watch

#: The verbs that can be asked again: all whose question is plain data.
VERBS = (
    "analyse",
    "cluster_scaling",
    "compare",
    "curve",
    "design",
    "fit",
    "fluid",
    "in_symbols",
    "log",
    "one_and_n_scaling",
    "one_and_n_worst",
    "two_needs_scaling",
    "paper",
    "plan",
    "read_sweep",
    "region",
    "replay",
    "report",
    "report_log",
    "simulate",
    "sweep",
    "waste",
    "zero_queueing",
    "zero_queueing_family",
)


def rerun(
    result: Result | Mapping[str, Any] | str | os.PathLike[str],
    *,
    workers: int | None = None,
    processes: int | None = None,
    progress: Watch | None = None,
) -> Result:
    """Ask the question of a result again.

    Parameters
    ----------
    result
        The result, its JSON document, or the file that holds it.
    workers, processes
        Two names of one thing: how many replications run side by side, where the question was for a simulation. The
        answer does not depend on it.
    progress
        Told how far it is.

    Examples
    --------
    >>> import msj
    >>> first = msj.simulate("examples/two_servers.toml", jobs=20_000)
    >>> msj.rerun(first).quantities == first.quantities
    True
    """
    document = result.to_dict() if isinstance(result, Result) else result
    if isinstance(document, (str, os.PathLike)):
        document = _read(Path(document))
    asked, seed = _question(document)
    verb: Callable[..., Result] = getattr(msj, asked["verb"])
    options = dict(asked.get("options", {}))
    if asked.get("system") is not None:
        options["system"] = from_document(asked["system"])
    takes = inspect.signature(verb).parameters
    if seed is not None:
        options["seed"] = seed
    if workers is not None or processes is not None:
        name = "workers" if "workers" in takes else "processes"
        options |= {name: processes if workers is None else workers} if name in takes else {}
    if "progress" in takes:
        options["progress"] = progress
    return verb(**options)


def _question(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Any]:
    facts = document.get("provenance") if isinstance(document, Mapping) else None
    asked = facts.get("question") if isinstance(facts, Mapping) else None
    if not isinstance(asked, Mapping) or not isinstance(facts, Mapping):
        raise InvalidInput("there is no question in this document's provenance; give what --json printed")
    if asked.get("verb") not in VERBS:
        raise InvalidInput(f"'{asked.get('verb')}' cannot be asked again; that is possible for {', '.join(VERBS)}")
    now = files_behind(asked)
    for name, digest in dict(asked.get("files") or {}).items():
        if now.get(name) != digest:
            what = "has been edited since" if name in now else "is not there"
            raise InvalidInput(f"the file of '{name}' on MSJ_PATH {what}; the answer could be another")
    for path, digest in dict(asked.get("logs") or {}).items():
        found = logs_behind({"file": path}).get(path)
        if found != digest:
            what = "is not there" if found is None else "has been edited since"
            raise InvalidInput(f"the log '{path}' {what}; the answer could be another")
    return asked, facts.get("seed")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"cannot be read ({error.strerror}); check the path").in_file(path) from None
    except ValueError as error:
        raise InvalidInput(f"is no JSON ({error}); give what --json printed").in_file(path) from None
