"""What the exact side tells a simulation before it starts: how much the cluster takes, and who takes how much of it.

1/lambda* is the time the cluster needs per job where it never idles for lack of jobs. It is homogeneous in the mean
durations m_c, so it is the sum of what the classes take of it, m_c·∂(1/lambda*)/∂m_c, of which a job of class c takes
1/p_c. The derivatives are differences of exact thresholds: rough ones will do, since the simulation is right whatever
it is told (``simulation.controls``).
"""

from __future__ import annotations

from functools import lru_cache

from msj.analysis.base import without_load
from msj.answers.threshold import conserves_work, quick_threshold, turns_away
from msj.model import System
from msj.simulation import Known

STEP = 1e-3  # by which a class's durations are lengthened
MOST_CLASSES = 12  # a threshold is computed for each


def known_of(system: System, stability_threshold: float | None = None) -> Known:
    """Return what is known in a moment; the threshold may have been found already.

    Examples
    --------
    >>> import msj
    >>> known = known_of(msj.read("examples/two_servers.toml"))
    >>> round(known.stability_threshold, 12), [round(weight, 2) for weight in known.weights]
    (0.9, [0.67, 1.0])
    """
    threshold = quick_threshold(system) if stability_threshold is None else stability_threshold
    if turns_away(system):
        return Known(stability_threshold=threshold)
    return Known(stability_threshold=threshold, weights=None if threshold is None else _weights(without_load(system)))


@lru_cache(maxsize=64)
def _weights(system: System) -> tuple[float, ...] | None:
    classes = system.classes
    if not 1 < len(system.active_classes) <= MOST_CLASSES or conserves_work(system):
        return None
    base = quick_threshold(system)
    if base is None:
        return None
    found = []
    for index, c in enumerate(classes):
        longer = [
            other if i != index else other.replace(duration=other.duration.scaled(1.0 + STEP))
            for i, other in enumerate(classes)
        ]
        slower = quick_threshold(system.replace(classes=longer)) if c.share > 0 else base
        if slower is None:
            return None
        taken = (1.0 / slower - 1.0 / base) / STEP
        found.append(max(taken, 0.0) / (float(c.share) * float(c.duration.mean)) if c.share > 0 else 0.0)
    return tuple(found)
