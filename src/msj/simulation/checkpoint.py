"""The state of a run in a file, so that it can be continued bit for bit, or lengthened.

The file is a zip archive of arrays (NumPy's ``npz``) with what was asked (the system, the policy's identity, the
run's options, the code that computes) and the plain part of the state as JSON. It is never continued as the answer to
another question, but more jobs may be asked for than it was begun with. Reading it runs nothing.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from msj.errors import InvalidInput
from msj.model import System
from msj.simulation.plan import Plan
from msj.simulation.run import Run
from msj.simulation.state import restored, written
from msj.store import write_bytes

FORMAT = 3
AGAIN = "ask the same again, or give another name"
TEXTS = ("format", "asked", "plan", "state")


def save(run: Run, asked: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the run; the file is replaced in one step, so that it is whole at any moment."""
    arrays: dict[str, Any] = {}
    state = {"replications": written(run.replications, arrays), "looks": run.looks, "most_jobs": run.most_jobs}
    texts = {"format": FORMAT, "asked": dict(asked), "plan": asdict(run.plan), "state": state}
    content = io.BytesIO()
    arrays |= {name: np.array(json.dumps(text)) for name, text in texts.items()}
    np.savez(content, **arrays)
    write_bytes(path, content.getvalue())


class Checkpoint:
    """A file in which a run is kept; ``saved`` is what it holds, if it is there and answers what is asked.

    Parameters
    ----------
    path
        Where the run is kept.
    asked
        What is asked now.
    system
        The system, with the policy that goes on.
    any_seed
        Whether a run of another seed may be continued.
    """

    def __init__(
        self, path: str | os.PathLike[str], asked: Mapping[str, Any], *, system: System, any_seed: bool
    ) -> None:
        self.path, self.name = path, os.fspath(path)
        if asked["identity"] is None:
            raise InvalidInput(
                f"checkpoint '{self.name}' could be continued by another policy: {system.why_no_identity()}; put the "
                "function in a file with plain values only, or leave the checkpoint out"
            )
        if not Path(path).absolute().parent.is_dir():
            raise InvalidInput(
                f"checkpoint '{self.name}' is in a folder that does not exist; make it, or give another name"
            )
        self.asked = json.loads(json.dumps(asked))
        self.texts: dict[str, Any] | None = None
        self.arrays: dict[str, Any] = {}
        if not os.path.exists(path):
            return
        self._read()
        saved = self.texts["asked"]  # type: ignore[index]
        reason = why_another(saved, self.asked, any_seed=any_seed)
        if reason is not None:
            raise InvalidInput(f"checkpoint '{self.name}' was made with {reason}")
        self.asked = {**saved, "jobs": max(saved["jobs"], self.asked["jobs"])}

    @property
    def seed(self) -> Any:
        """The seed the run was begun with."""
        return self.asked["seed"]

    @property
    def plan(self) -> Plan | None:
        """The layout of the saved run; None if there is none."""
        return None if self.texts is None else Plan(**self.texts["plan"])

    def restore(self, run: Run) -> None:
        """Put the saved state into a run made anew."""
        if self.texts is None:
            return
        try:
            state = self.texts["state"]
            restored(run.replications, state["replications"], self.arrays)
            run.looks = [(int(jobs), float(width)) for jobs, width in state["looks"]]
        except Exception as error:  # whatever strange content can raise
            raise self._unreadable(error) from None

    def keep(self, run: Run) -> None:
        """Write the run."""
        save(run, self.asked, self.path)

    def _read(self) -> None:
        try:
            with np.load(io.BytesIO(Path(self.path).read_bytes()), allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
            texts = {name: json.loads(str(found.pop(name))) for name in TEXTS}
            if texts["format"] != FORMAT or not isinstance(texts["asked"], dict):
                raise ValueError(f"its format is {texts['format']}, not {FORMAT}")
        except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile, AttributeError) as error:
            raise self._unreadable(error) from None
        self.texts, self.arrays = texts, found

    def _unreadable(self, error: Exception) -> InvalidInput:
        reason = f"{type(error).__name__}: {error}"
        return InvalidInput(f"checkpoint '{self.name}' cannot be read ({reason}); remove it to begin anew")


#: They say least about what is different.
LAST = ("code", "identity", "stability_threshold", "weights")


def why_another(saved: Mapping[str, Any], asked: Mapping[str, Any], *, any_seed: bool = False) -> str | None:
    """Return how what was asked then differs from what is asked now; None if it is the same, or only more jobs."""
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
            if key == "jobs":
                if now[key] > then[key]:
                    continue
                return f"jobs = {then[key]}, more than {now[key]}; ask for at least as many, or give another name"
            return f"{key} = {_shown(then.get(key))}, not {_shown(now.get(key))}; {AGAIN}"
    return None


def _flat(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Lay the system's and the versions' keys out beside the others; what only follows from others comes last."""
    flat: dict[str, Any] = {}
    for key, value in asked.items():
        if key in ("system", "versions"):
            flat |= {f"{key}.{inner}": item for inner, item in value.items() if inner != "name"}
        elif key not in ("function", *LAST):
            flat[key] = value
    return flat | {key: asked.get(key) for key in LAST}


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 200 else f"{text[:150]} ... {text[-40:]}"
