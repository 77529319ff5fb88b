"""What a file is, and whether it is valid: a spec file, a log, or a file with policies.

``.py`` (or ``FILE.py:FUNCTION``) holds decision functions or a variant. Any other file describes a cluster or is a log
(``logs.spec_or_log``).
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msj.decision_functions import ARGUMENTS
from msj.disciplines.function_file import functions_in_file
from msj.disciplines.own_function import OwnFunction
from msj.errors import InvalidInput
from msj.logs import Trace
from msj.logs.spec_or_log import system_or_trace
from msj.model import System
from msj.options import ReadOptions
from msj.plugins import declares_variant
from msj.registry import variant_of_file

SERVERS, NEEDS = 4, (1, 2, 3, 4)  # on which functions are tried where no system is given


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A valid file.

    Parameters
    ----------
    kind
        ``"spec file"``, ``"log"``, ``"policy function"`` or ``"variant"``.
    facts
        What was found, by name.
    """

    kind: str
    facts: Mapping[str, Any]

    def to_text(self) -> str:
        """Return kind and facts, one a line."""
        return "\n".join([f"a valid {self.kind}", *(f"  {key}: {value}" for key, value in self.facts.items())])

    def to_dict(self) -> dict[str, Any]:
        """Return kind and facts as plain data."""
        return {"kind": self.kind, **self.facts}


def check(file: str | os.PathLike[str], *, system: System | None = None, **reading: Any) -> Checked:
    """Say what a file is and whether it is valid; what is wrong with it is raised.

    Parameters
    ----------
    file
        A spec file, a log, or ``FILE.py`` or ``FILE.py:FUNCTION``. Python files are run.
    system
        On whose needs functions are tried; four servers and needs 1 to 4 if none is given.
    reading
        How to read a log: the options of :func:`msj.read_log`.

    Examples
    --------
    >>> check("examples/two_servers.toml").kind, check("examples/logs/small_cluster.swf").facts["jobs"]
    ('spec file', 2000)
    """
    place = os.fspath(file)
    path, _, function = place.rpartition(":") if ".py:" in place else (place, "", "")
    if Path(path).suffix == ".py":
        return _python_file(Path(path), function, system)
    found = system_or_trace(path, ReadOptions(**reading))
    return _spec(found) if isinstance(found, System) else _log(found)


def _spec(system: System) -> Checked:
    facts: dict[str, Any] = {"servers": system.servers, "classes": len(system.classes), "policy": system.policy.name}
    facts |= {} if system.model is None else {"model": system.model.name}
    given = [key for key in ("arrival_rate", "load", "utilisation") if getattr(system, key) is not None]
    facts |= {key: float(getattr(system, key)) for key in given}
    return Checked(kind="spec file", facts=facts)


def _log(trace: Trace) -> Checked:
    left_out = sum(count for count, _ in trace.left_out.values())
    facts = {"format": trace.format, "jobs": len(trace), "left out": left_out, "servers": trace.servers}
    return Checked(kind="log", facts=facts)


def _python_file(path: Path, function: str, system: System | None) -> Checked:
    if not path.is_file():
        raise InvalidInput("cannot be read (no such file); check the path").at_path(path)
    if not function and declares_variant(path):
        return _variant(path)
    found = functions_in_file(path)
    chosen = {function: found[function]} if function in found else {} if function else _decision_functions(found)
    if not chosen:
        names = ", ".join(_decision_functions(found)) or "none"
        wanted = f" '{function}'" if function else ""
        raise InvalidInput(
            f"'{path.name}' has no decision function{wanted}; those have an argument chosen (in this file: {names})"
        )
    for name, each in chosen.items():
        policy = OwnFunction(function=each, source=f"{path}:{name}")
        if system is None:
            policy.try_on(SERVERS, NEEDS)
        else:
            system.replace(policy=policy)
    facts = {name: f"uses {', '.join(a for a in ARGUMENTS if a in _parameters(each))}" for name, each in chosen.items()}
    return Checked(kind="policy function" if len(facts) == 1 else "file of policy functions", facts=facts)


def _variant(path: Path) -> Checked:
    catalogue, variant = variant_of_file(path)
    return Checked(kind="variant", facts={"of": catalogue.kind, "name": getattr(variant, catalogue.named_by)})


def _decision_functions(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in found.items() if "chosen" in _parameters(each)}


def _parameters(function: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()
