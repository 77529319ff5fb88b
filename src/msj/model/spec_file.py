"""Spec files: the TOML (or JSON) document that describes a cluster.

The keys are a contract: ``name``, ``time_unit``, ``servers``, ``policy``, ``model``, ``environment``, one of
``arrival_rate``/``load``/``utilisation``, ``arrivals`` and ``order`` (tables with ``law``), and ``classes`` with
``name``, ``need``, ``share`` or ``count``, ``duration`` and the keys that the ``model`` adds. Times and rates may have
a unit (``written_units``). Reading gives a
:class:`System` or one sentence with file, key, value, rule and fix; writing gives a document that reads back as an
equal system.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from msj.errors import InvalidInput, MsjError
from msj.model.endless import require_an_end
from msj.model.job_class import JobClass
from msj.model.system import CLASS_KEYS, DEPENDENCE, LOADS, ChosenModel, System, check_class_key, chosen_model
from msj.model.trials import try_laws
from msj.model.written_units import in_one_unit
from msj.registry import nearest
from msj.store import write_text

#: A cluster, or the file that describes it.
SystemLike: TypeAlias = System | str | os.PathLike[str]

SYSTEM_KEYS = ("name", "time_unit", "servers", "policy", "model", "environment", *LOADS, *DEPENDENCE, "classes")
SHARES = ("share", "count")


def read(path: str | os.PathLike[str]) -> System:
    """Read a cluster from a TOML or JSON file."""
    path = Path(path)
    try:
        return from_document(_document(path), folder=path.parent)
    except RecursionError:
        raise InvalidInput("is nested too deeply; a spec file has a few levels").in_file(path) from None
    except MsjError as error:
        raise error.in_file(path) from None


def as_system(given: SystemLike) -> System:
    """Return the system itself, or the one a file describes; its laws from outside are tried (``model.trials``).

    Every verb takes its system by this function. Reading or making a system draws no samples.

    Examples
    --------
    >>> as_system("examples/two_servers.toml").servers
    2
    """
    if isinstance(given, (System, str, os.PathLike)):
        system = given if isinstance(given, System) else read(given)
        try_laws(system)
        return system
    raise InvalidInput(f"{given!r} is no cluster; give a System, or the name of the file that describes one")


def write(system: System, path: str | os.PathLike[str]) -> None:
    """Write a cluster to a file; the ending, .toml or .json, decides the format."""
    path = Path(path)
    write_text(path, to_json(system) if path.suffix.lower() == ".json" else to_toml(system))


def to_toml(system: System, remarks: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the spec file's text as TOML; ``remarks`` are comments above a key or the class of that name.

    Examples
    --------
    >>> print(to_toml(read("examples/two_servers.toml"), {"name": "as an example"}).splitlines()[0])
    # as an example
    """
    spec = system.to_spec()
    classes = spec.pop("classes")
    head = "".join(f"{_comment(remarks.get(key))}{key} = {_toml(value)}\n" for key, value in spec.items())
    texts = [
        f"\n{_comment(remarks.get(table['name']))}[[classes]]\n"
        + "".join(f"{key} = {_toml(value)}\n" for key, value in table.items())
        for table in classes
    ]
    return head + "".join(texts)


def _comment(words: str | None) -> str:
    """Return comment lines; what a line cannot hold (a control character in a name) is left out."""
    if not words:
        return ""
    return "".join(f"# {''.join(c for c in line if c.isprintable())}\n" for line in words.splitlines())


def to_json(system: System) -> str:
    """Return the spec file's text as JSON."""
    return json.dumps(system.to_spec(), indent=2, ensure_ascii=False) + "\n"


def from_document(document: object, *, folder: Path | None = None) -> System:
    """Make a cluster from a document as TOML or JSON give it (tables as dicts).

    Examples
    --------
    >>> from_document({"servers": 2, "classes": [
    ...     {"name": "all", "need": 1, "share": 1, "duration": {"law": "exponential", "mean": 1}}]}).servers
    2
    """
    if not isinstance(document, dict):
        raise InvalidInput("the document must be a table with servers and classes; msj new writes one")
    _known(document, SYSTEM_KEYS)
    document = in_one_unit(document)
    _required(document, ("servers", "classes"))
    classes = document["classes"]
    if not isinstance(classes, list) or not all(isinstance(c, dict) for c in classes):
        raise InvalidInput("classes must be a list of tables; write one [[classes]] table per class")
    model = chosen_model(document.get("model"))
    told = any(key in document for key in DEPENDENCE)  # who comes how often may follow from them
    tables = [_located(c, folder) for c in classes] if folder is not None else classes
    made = {"model": model, "classes": [_job_class(c, i, model, told) for i, c in enumerate(tables)]}
    if folder is not None:
        made |= {key: _located(document[key], folder) for key in DEPENDENCE if key in document}
    if folder is not None and "policy" in document:
        made["policy"] = _located_policy(document["policy"], folder)
    return System(**{**document, **made})


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        # What is not known (the identity of a function without one) has no spelling in TOML.
        known = {key: item for key, item in value.items() if item is not None}
        return "{ " + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in known.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # JSON's spelling of texts, numbers and booleans is TOML's too, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _toml(name)


def _job_class(table: dict[str, Any], index: int, model: ChosenModel | None, told: bool) -> JobClass:
    try:
        further = {key: value for key, value in table.items() if key not in CLASS_KEYS}
        for key in further:
            check_class_key(key, model)
        _required(table, tuple(key for key in CLASS_KEYS if key not in SHARES))
        if not (told or any(key in table for key in SHARES)):
            _required(table, SHARES[:1])
        return JobClass(**{key: table[key] for key in CLASS_KEYS if key in table}, extra=further)
    except MsjError as error:
        raise error.within(f"classes[{index}]") from None


def _located(value: Any, folder: Path) -> Any:
    """Name files of recorded durations relative to the spec file, wherever the user stands."""
    if isinstance(value, list):
        return [_located(item, folder) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _located(item, folder) for key, item in value.items()}
    if "law" in found and isinstance(found.get("file"), str):
        found["file"] = str(folder / found["file"])
    return found


def _located_policy(policy: Any, folder: Path) -> Any:
    """Name the file of a policy function relative to the spec file, wherever the user stands."""
    if isinstance(policy, str):
        return str(folder / policy) if ".py:" in policy else policy
    if isinstance(policy, dict):
        return {
            key: _located_policy(value, folder) if key == "name" else str(folder / value) if key == "file" else value
            for key, value in policy.items()
        }
    return policy


def _known(table: dict[str, Any], keys: tuple[str, ...]) -> None:
    for key in table:
        if key not in keys:
            raise InvalidInput(f"unknown key '{key}'; {nearest(key, keys)}")


def _required(table: dict[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in table:
            fix = "at least one [[classes]] table" if key == "classes" else f"{key} = ..."
            raise InvalidInput(f"key '{key}' is missing; add {fix}")


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse what JSON itself allows: of two equal keys the last would win silently. TOML refuses it, too."""
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise InvalidInput(f"key '{twice}' is given twice in one table; keep one of them")
    return table


def _document(path: Path) -> object:
    require_an_end(path, "it")
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a byte order mark in front
    except OSError as error:
        raise InvalidInput(f"cannot be read ({error.strerror}); check the path").at_path(path) from None
    except UnicodeDecodeError:
        raise InvalidInput("is not UTF-8 text; give a TOML or JSON file") from None
    try:
        if path.suffix.lower() == ".json":
            return json.loads(text, object_pairs_hook=_each_key_once)
        return tomllib.loads(text)
    except MsjError:
        raise
    except json.JSONDecodeError as error:
        fix = _slip(text, error.lineno) or "correct that line"
        raise InvalidInput(f"is not JSON: {error.msg} at line {error.lineno}; {fix}") from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        fix = (_slip(text, int(line[1])) if line else "") or "correct that line"
        raise InvalidInput(f"is not TOML: {error}; {fix}") from None
    except ValueError as error:  # an integer of thousands of digits
        raise InvalidInput(f"cannot be read: {error}; correct that number") from None


def _slip(text: str, line: int) -> str:
    """Return how to mend the line at which a file cannot be read, where it has one of the usual slips."""
    found = text.splitlines()[line - 1] if 0 < line <= len(text.splitlines()) else ""
    if curly := re.search("[“”„‟‘’‚«»]", found):
        return f'the line has the typographic quote {curly[0]}: write straight quotes, "'
    if comma := re.search(r"[=:\[]\s*([-+]?\d+,\d+)\s*(?:#.*|[,}\]]\s*)?$", found):
        return f"decimals take a point: write {comma[1].replace(',', '.')} instead of {comma[1]}"
    if per_cent := re.search(r"[=:]\s*(\d+(?:\.\d+)?)\s*%", found):
        return f"write {per_cent[1]} % as a share, {float(per_cent[1]) / 100:.10g}"
    return ""
