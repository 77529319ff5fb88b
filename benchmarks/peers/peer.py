"""What a peer is asked, and how an interval becomes seconds to 1 %.

A run of n counted jobs whose mean m has the 95 % half-width h needs n (h / 0.01 m)² jobs for h = 0.01 m, because the
half-width falls with the root of the jobs; each costs what it cost in the run. That leaves out the warm-up and
whatever it takes to know when to stop, in the peers' favour: msj is timed until it has its interval, all included.
h is from batch means (or independent replications) and Student's t. From 50 of them h², and with it the seconds, is
known to a fifth (one standard deviation).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
from scipy import stats

BATCHES = 50
PRECISION = 0.01


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a simulator found at steady state, and how long it took."""

    jobs_per_second: float
    mean: float
    half_width: float
    jobs_to_precision: float
    seconds_to_precision: float


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """How long the jobs of a log waited, one by one, and how long it took to find out."""

    waits: np.ndarray
    seconds: float


class Peer(ABC):
    """A simulator from the package index."""

    name: ClassVar[str]
    module: ClassVar[str]
    why_no_replay: ClassVar[str | None] = None  # why it cannot serve a log under EASY, if it cannot

    @classmethod
    def why_left_out(cls):
        """Return None, or why this peer cannot be measured here."""
        if find_spec(cls.module) is None:
            return (
                f"{cls.name} is not installed and is left out; `make peers` or `pip install 'msj[peers]'` installs it."
            )
        return None

    @classmethod
    def version(cls):
        """Return the version that is installed."""
        return version(cls.module)

    @abstractmethod
    def simulate(self, system, jobs, seed):
        """Serve so many Poisson jobs of a system first come, first served."""

    def replay(self, block, servers):
        """Serve recorded jobs under EASY backfilling."""
        raise NotImplementedError(self.why_no_replay)


def from_batches(means, *, counted, simulated, seconds):
    """Return what independent means of equally many jobs say; ``counted`` of the ``simulated`` jobs are in them."""
    mean = float(np.mean(means))
    half_width = float(stats.t.ppf(0.975, len(means) - 1) * np.std(means, ddof=1) / np.sqrt(len(means)))
    jobs_needed = counted * (half_width / (PRECISION * mean)) ** 2
    return Measured(
        jobs_per_second=simulated / seconds,
        mean=mean,
        half_width=half_width,
        jobs_to_precision=jobs_needed,
        seconds_to_precision=jobs_needed * seconds / simulated,
    )
