"""Several models at once, or one in an environment: each says its part, and one front and one engine know them all.

In a spec file ``model`` is a list then; ``environment`` and the class key ``at_most`` make a plain cluster or any of
these models one of them, so that no method that knows only plain clusters or single models is ever asked about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.base import Policy
from msj.disciplines.fcfs import Fcfs
from msj.disciplines.part import Part, Segment
from msj.errors import InvalidInput
from msj.model import JobClass
from msj.model.numbers import whole
from msj.model.system import CAP


@dataclass(frozen=True, kw_only=True)
class Combined(Part):
    """Models that go together; none is a plain cluster that is capped or stands in an environment.

    Examples
    --------
    >>> import msj
    >>> job = msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1), extra={"groups": ["new"]})
    >>> groups = {"name": "server-groups", "groups": {"old": 1, "new": 1}}
    >>> system = msj.System(servers=2, classes=[job], model=[groups, {"name": "set-up", "set_up_rate": 1}])
    >>> system.model.name, round(msj.analyse(system)["stability_threshold"], 9)
    ('server-groups + set-up', 1.0)
    """

    summary: ClassVar[str] = "several models at once, or one in an environment"
    citation: ClassVar[str] = "reset, section 7 and Appendix H"
    goes_with: ClassVar[type[Policy]] = Fcfs

    made_of: tuple[Part, ...] = ()

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of its parts."""
        return " + ".join(part.name for part in self.made_of) or "plain servers, capped or in an environment"

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.made_of

    @property
    def class_keys(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys of all parts."""
        return tuple(dict.fromkeys((CAP, *(key for part in self.made_of for key in part.class_keys))))

    @property
    def idles(self) -> str | None:  # type: ignore[override]
        """Why servers may stand idle although jobs wait."""
        reasons = [part.idles for part in self.made_of if part.idles is not None]
        return "; ".join(reasons) or "servers may be taken, or a class may hold no more of them"

    def segments(self, job_class: JobClass, segments: list[Segment]) -> list[Segment]:
        for part in sorted(self.made_of, key=lambda part: part.rank):
            segments = part.segments(job_class, segments)
        return segments

    def class_value(self, key: str, value: Any) -> Any:
        if key == CAP:
            return whole(value, key)
        part = next(part for part in self.made_of if key in part.class_keys)
        return part.class_value(key, value)

    def to_spec(self) -> Any:
        found = [part.to_spec() for part in self.made_of]
        return found[0] if len(found) == 1 else found


def combined(models: tuple[Any, ...]) -> Combined:
    """Return the model that several stand for together; those that do not go with others are refused."""
    for model in models:
        if not isinstance(model, Part):
            raise InvalidInput(
                f"model '{model.name}' stands alone: it goes neither with other models nor with environment or at_most"
            )
    names = [model.name for model in models]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"model '{twice}' is named twice; keep one of them")
    return Combined(made_of=models)
