"""A finite-skip model in the words of its author: what the front looks like and what happens to it.

Jobs wait in arrival order. The *front* is what the system looks at: some of the oldest jobs, in whatever detail
matters (classes, phases, who is running, an environment). Behind it is the *back*, of which only the number of jobs
is known: a job's state is drawn when it joins the front (reset, section 7). As long as the front is not ``full`` the
next job in arrival order joins it; a full front looks at nobody else. That is all there is to say:

- ``fresh``  the law of the state a job has when it joins the front,
- ``full``   whether a front looks at no further job,
- ``add``    the front after one more job has joined (and, say, started),
- ``steps``  what can happen to a front: (rate, front after, whether a job completed),
- ``size``   how many jobs are in a front, and ``most_jobs``, how many there are at most,
- ``settled``  what is decided only when it is clear who else is there (mostly nothing).

From this ``front_chain`` makes the saturated chain and the level process of the open system, so that stability
threshold, RESET prediction and exact response time follow without further work.

Two optional methods give the law of the waiting and the response time where a job is not affected by younger ones:

- ``starts_at_once``  whether a job that joins a front starts service at once,
- ``service``         what happens to it from then on, if that is nobody else's business.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

Front = TypeVar("Front", bound=Hashable)
Job = TypeVar("Job")
Step: TypeAlias = tuple[float, Front, bool]
#: The state of a job when its service starts, and a function from such a state to (rate, state after; None: complete).
Service: TypeAlias = tuple[Any, Callable[[Any], Iterable[tuple[float, Any | None]]]]


class FrontModel(ABC, Generic[Front, Job]):
    """A finite-skip model; see the module's text. Fronts are hashable values, by default tuples of jobs."""

    #: Names of the classes, for answers per class; override :meth:`class_counts` if there are several.
    class_names: Sequence[str] = ("all",)
    #: Whether jobs are served at speed 1 or not at all: a stay is a duration and the time in which a job is not served.
    one_speed: bool = False
    #: Whether :meth:`settled` decides anything: what joins before it matters.
    settles: bool = False

    @property
    def most_taken(self) -> int:
        """How many jobs beyond :attr:`most_jobs` must be known to tell what any one event leads to."""
        return 1

    @property
    @abstractmethod
    def most_jobs(self) -> int:
        """The largest size of a full front."""

    @abstractmethod
    def fresh(self) -> Iterable[tuple[Job, float]]:
        """Yield (job, probability) for a job that joins the front; the probabilities sum to 1."""

    @abstractmethod
    def steps(self, front: Front) -> Iterable[Step[Front]]:
        """Yield (rate, front after, whether a job completed) for everything that can happen next."""

    def empty(self) -> Front:
        """Return the front without jobs."""
        return ()  # type: ignore[return-value]

    def add(self, front: Front, job: Job) -> Front:
        """Return the front after ``job``, the next in arrival order, has joined it."""
        return (*front, job)  # type: ignore[return-value,misc]

    def size(self, front: Front) -> int:
        """Return the number of jobs in the front."""
        return len(front)  # type: ignore[arg-type]

    def full(self, front: Front) -> bool:
        """Return whether the front looks at no further job."""
        return self.size(front) >= self.most_jobs

    def settled(self, front: Front) -> Iterable[tuple[Front, float]]:
        """Return the law of the front once it is clear that nobody else joins: (front, probability).

        Only for fronts in which something is decided by who comes next. It is as full as before.
        """
        return ((front, 1.0),)

    def keep_order(self) -> None:
        """Hear that fronts reach further than they must: what holds for the shortest only (another order) is left."""

    def pair_classes(self, classes: int) -> None:
        """Hear that class ``classes + i`` is class i again, told apart to be followed; what they share, they share."""

    def confirm(self) -> None:
        """Refuse a model that answers differently when it is asked again; called once its chain is built."""

    def jobs(self, front: Front) -> Iterable[Any]:
        """Return the jobs of a front, each as :meth:`class_of` understands it."""
        return front  # type: ignore[return-value]

    def class_counts(self, front: Front) -> Sequence[int]:
        """Return how many jobs of each class the front holds."""
        return (self.size(front),)

    def class_of(self, job: Job) -> int:  # noqa: ARG002
        """Return the index of a fresh job's class."""
        return 0

    def in_service(self, job: Any) -> bool | None:  # noqa: ARG002
        """Return whether a job of :meth:`jobs` is in service; None if only what may happen next tells."""
        return None

    def progressed(self, before: Any, after: Any | None) -> bool:
        """Return whether a job that was ``before`` has been served if it is ``after`` now; None if it is gone."""
        return bool(before != after)

    def about_fronts(self) -> float | None:
        """Return about how many full fronts there are, if that can be told before they are listed."""
        return None

    def busy_servers(self, front: Front) -> float | None:  # noqa: ARG002
        """Return how many servers are in use, or None if the model has no servers to waste."""
        return None

    def measures(self, front: Front) -> Mapping[str, float]:  # noqa: ARG002
        """Return further facts about a front, by the name of the quantity that is their time average."""
        return {}

    def starts_at_once(self, front: Front, job: Job) -> bool | None:  # noqa: ARG002
        """Return whether ``job``, if it joined now, would start at once; None if younger jobs may affect older ones.

        Only for models in which jobs start in order of arrival, each when those ahead of it let it.
        """
        return None

    def service(self, job: Job) -> Service | None:  # noqa: ARG002
        """Return how the service of a fresh job goes on once started, or None if others may affect it.

        The function that lists what may happen is the same for all jobs.
        """
        return None
