"""The work behind a figure: many independent points, done side by side, each kept as soon as it is known.

A point's answer is filed under everything it depends on (function, point, scale, seed, version, code), so that a run
that was interrupted goes on where it was, and a changed parameter is never answered with an old number. How answers are
kept and computed is :mod:`msj.store`'s; what a point depends on is said here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msj.effort import Effort, Watch
from msj.papers.figure import Scale
from msj.store import Answers, code_identity, digest, file_digests, known_rooms
from msj.store.side_by_side import answer_all

SHOWS = ("cli", "papers", "plots", "reports")  # rooms in which no number is computed
Point = Mapping[str, Any]


@dataclass(kw_only=True)
class Work:
    """How a figure is to be computed: at which scale, from which seed, by how many processes, kept where.

    Examples
    --------
    >>> Work().map(_double, [{"x": 1}, {"x": 2}])
    [{'y': 2}, {'y': 4}]
    """

    scale: Scale = "quick"
    seed: int = 1
    processes: int = 1
    folder: Path | None = None  # where answers are kept; None keeps nothing
    progress: Watch | None = None
    seconds: float = field(default=0.0, init=False)  # spent on points so far, all processes together

    @property
    def quick(self) -> bool:
        """Whether a minute or two is all there is."""
        return self.scale == "quick"

    def map(self, function: Callable[..., Any], points: Sequence[Point], *, checkpoints: bool = False) -> list[Any]:
        """Return ``function(**point)`` for each point, in order; the answers must be plain data (JSON).

        Parameters
        ----------
        function
            A function of a module (it is sent to other processes).
        points
            Its keyword arguments, plain data.
        checkpoints
            Pass ``checkpoint=path`` too, a file in which a long simulation may keep its state; None where nothing
            is kept.
        """
        identities = [self._identity(function, point) for point in points]
        cells = dict(zip(identities, points, strict=True))
        with Answers(self.folder) as answers:
            effort = Effort(progress=self.progress)
            states = "checkpoint" if checkpoints else None
            answer_all(answers, function, cells, processes=self.processes, effort=effort, states=states)
        self.seconds += sum(answers[identity].seconds for identity in cells)
        return [answers[identity].value for identity in identities]

    def _identity(self, function: Callable[..., Any], point: Point) -> str:
        name = f"{function.__module__}.{function.__qualname__}"
        return digest(name, dict(point), self.scale, self.seed, version("msj"), _code_of(function.__module__))


@cache
def _code_of(module: str) -> str:
    """Return a digest of the figure's code and of all it may call: after an edit nothing is answered from a file."""
    own = getattr(sys.modules.get(module), "__file__", None)
    folder = None if own is None else Path(own).parent
    beside = [] if folder is None else file_digests(folder.glob("*.py"), folder)
    here = Path(__file__).parent
    shared = file_digests([here / "systems.py"], here)
    return digest(beside, shared, code_identity([room for room in known_rooms() if room not in SHOWS]))


def _double(x: int) -> dict[str, int]:
    """Serve the example."""
    return {"y": 2 * x}
