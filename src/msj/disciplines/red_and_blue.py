"""Red and blue M/G/k: only jobs of one colour may be in service at a time (wcfs, section 2.2).

Jobs are counted in order of arrival until k red or k blue ones are found; all k of that colour are served. If there are
fewer than k of both, the more numerous colour is served, and red if there are as many of each (the paper leaves this
open). Preempted jobs resume where they were. At most k − 1 of the other colour are passed over, so n = 2k − 1.

With 2k − 1 jobs present k servers are busy: the model wastes nothing and lambda* = k/E[duration].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.model import Model
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import System

COLOURS = ("red", "blue")


@dataclass(frozen=True, kw_only=True)
class RedAndBlue(Model):
    """In a spec file: model = "red-and-blue"; in its classes: need = 1 and colour = "red" or "blue".

    Examples
    --------
    >>> import msj
    >>> jobs = [msj.JobClass(name=c, need=1, share=0.5, duration=msj.Exponential(mean=mean), extra={"colour": c})
    ...         for c, mean in (("red", 1), ("blue", 3))]
    >>> round(msj.analyse(msj.System(servers=2, classes=jobs, model="red-and-blue"))["stability_threshold"], 9)
    1.0
    """

    name: ClassVar[str] = "red-and-blue"
    summary: ClassVar[str] = "jobs are red or blue and need one server; only one colour is in service at a time"
    citation: ClassVar[str] = "wcfs, section 2.2"
    class_keys: ClassVar[tuple[str, ...]] = ("colour",)

    def engine(self, system: System) -> ServedBy:
        return ServedBy("msj.engines.red_and_blue:RedAndBlueEngine", blue=self._blue(system))

    def front_model(self, system: System) -> ServedBy:
        return ServedBy("msj.fronts.red_and_blue:RedAndBlueFront", blue=self._blue(system))

    def _blue(self, system: System) -> list[bool]:
        return [c.extra["colour"] == "blue" for c in system.classes]

    def class_value(self, key: str, value: Any) -> str:
        if value not in COLOURS:
            raise InvalidInput(f"colour = {value!r} is unknown; write 'red' or 'blue'")
        return str(value)

    def oldest_served(self, servers: int) -> int:
        return 2 * servers - 1

    def least_busy_per_job(self, servers: int) -> float:
        return 1.0 / (2 * servers)  # the colour in service has at least half of the jobs

    def check(self, system: System) -> None:
        for index, c in enumerate(system.classes):
            reason = None
            if "colour" not in c.extra:
                reason = f"class '{c.name}' has no colour; add colour = 'red' or 'blue'"
            elif c.need != 1:
                reason = f"class '{c.name}' needs {c.need} servers and in this model every job needs one; set need = 1"
            if reason is not None:
                raise InvalidInput(reason, where=f"classes[{index}]")


VARIANT = RedAndBlue
