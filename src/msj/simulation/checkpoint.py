"""The state of a run in a file, so that it can be continued bit for bit.

A checkpoint is a pickle of the run between two pieces: read only files you wrote yourself. It knows what was asked, and
is never continued as the answer to another question.
"""

from __future__ import annotations

import os
import pickle

from msj.errors import InvalidInput
from msj.simulation.run import Run


def save(run: Run, path: str | os.PathLike[str]) -> None:
    """Write the run; the file is replaced in one step, so that it is whole at any moment."""
    part = f"{os.fspath(path)}.part"
    with open(part, "wb") as file:
        pickle.dump(run, file)
    os.replace(part, path)


def continued(run: Run, path: str | os.PathLike[str], *, any_seed: bool) -> Run:
    """Return the saved run if there is one and it answers what ``run`` asks; ``run`` itself if there is none."""
    name = os.fspath(path)
    if not os.path.exists(path):
        return run
    try:
        with open(path, "rb") as file:
            saved = pickle.load(file)
    except Exception as error:  # whatever strange bytes can raise
        reason = f"{type(error).__name__}: {error}"
        raise InvalidInput(f"checkpoint '{name}' cannot be read ({reason}); remove it to begin anew") from None
    if not isinstance(saved, Run):
        raise InvalidInput(f"checkpoint '{name}' is not one of ours; remove it or give another name")
    for key, asked in run.asked.items():
        if saved.asked.get(key) != asked and not (key == "seed" and any_seed):
            raise InvalidInput(
                f"checkpoint '{name}' was made with {key} = {saved.asked.get(key)}, not {asked}; "
                "ask the same again, or give another name"
            )
    return saved
