"""The state of a run in a file, so that it can be continued bit for bit.

The file begins with what was asked (the system, the policy's identity, the run's options, the code that computes), as
one line of JSON, and is never continued as the answer to another question. The state behind it is a pickle: read only
files you wrote yourself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msj.errors import InvalidInput
from msj.model import System
from msj.simulation.run import Run
from msj.simulation.state import dump_state, load_state
from msj.store import write_bytes

FIRST_LINE = b"msj checkpoint 2\n"
AGAIN = "ask the same again, or give another name"


def save(run: Run, path: str | os.PathLike[str]) -> None:
    """Write the run; the file is replaced in one step, so that it is whole at any moment."""
    asked = json.dumps(run.asked).encode()
    write_bytes(path, FIRST_LINE + asked + b"\n" + dump_state(run)[0])


def continued(run: Run, path: str | os.PathLike[str], *, system: System, any_seed: bool) -> Run:
    """Return the saved run if there is one and it answers what ``run`` asks; ``run`` itself if there is none.

    Parameters
    ----------
    run
        A new run of ``system``.
    path
        Where the run is kept.
    system
        The system, with the policy that goes on.
    any_seed
        Whether a run of another seed may be continued.
    """
    name = os.fspath(path)
    if run.asked["identity"] is None:
        raise InvalidInput(
            f"checkpoint '{name}' could be continued by another policy: {system.why_no_identity()}; put the function "
            "in a file with plain values only, or leave the checkpoint out"
        )
    if not Path(path).absolute().parent.is_dir():
        raise InvalidInput(f"checkpoint '{name}' is in a folder that does not exist; make it, or give another name")
    if not os.path.exists(path):
        return run
    saved, state = _read(name)
    reason = why_another(saved, json.loads(json.dumps(run.asked)), any_seed=any_seed)
    if reason is not None:
        raise InvalidInput(f"checkpoint '{name}' was made with {reason}")
    try:
        found = load_state(state, system.policy)
    except Exception as error:  # whatever strange bytes can raise
        raise _unreadable(name, error) from None
    if not isinstance(found, Run):
        raise InvalidInput(f"checkpoint '{name}' is not one of ours; remove it or give another name")
    return found


def why_another(saved: Mapping[str, Any], asked: Mapping[str, Any], *, any_seed: bool = False) -> str | None:
    """Return how what was asked then differs from what is asked now; None if it is the same."""
    function = asked["system"].get("policy")
    if saved.get("function") and asked["function"] and saved["function"] != asked["function"]:
        then, now = saved["function"], asked["function"]
        changed = sorted(key for key in then.keys() | now.keys() if then.get(key) != now.get(key))
        called = function.get("function") if isinstance(function, dict) else function
        listed = " and ".join([*changed[:4], *(["more"] if len(changed) > 4 else [])])
        return f"another version of policy function '{called}': {listed} changed since; undo that, or give another name"
    then, now = _flat(saved), _flat(asked)
    for key in [*now, *(key for key in then if key not in now)]:
        if then.get(key) != now.get(key) and not (key.startswith("seed") and any_seed):
            if key == "code":
                return "another version of msj's code; use that one, or give another name"
            if key == "identity":
                return f"another system: an order or the content of a file differs; {AGAIN}"
            return f"{key} = {_shown(then.get(key))}, not {_shown(now.get(key))}; {AGAIN}"
    return None


def _flat(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Lay the system's and the versions' keys out beside the others; the identity comes last, as it says least."""
    flat: dict[str, Any] = {}
    for key, value in asked.items():
        if key in ("system", "versions"):
            flat |= {f"{key}.{inner}": item for inner, item in value.items() if inner != "name"}
        elif key not in ("function", "identity", "code"):
            flat[key] = value
    return flat | {"code": asked.get("code"), "identity": asked.get("identity")}


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 200 else f"{text[:150]} ... {text[-40:]}"


def _read(name: str) -> tuple[dict[str, Any], bytes]:
    try:
        with open(name, "rb") as file:
            if file.readline() != FIRST_LINE:
                raise ValueError("it does not begin as one of ours does")
            return dict(json.loads(file.readline())), file.read()
    except (OSError, ValueError, TypeError) as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: Exception) -> InvalidInput:
    reason = f"{type(error).__name__}: {error}"
    return InvalidInput(f"checkpoint '{name}' cannot be read ({reason}); remove it to begin anew")
