"""Random streams: one for each (seed, replication, purpose), so that nothing depends on who draws first.

The streams are children of one ``numpy.random.SeedSequence``: the same seed gives the same jobs whatever the policy
(common random numbers), the number of processes or the size of blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from msj.errors import InvalidInput

Rng: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None

# Keeps our children apart from those a caller may have spawned from the same sequence.
OURS = 0x6D736A

PURPOSES = ("arrivals", "classes", "durations", "estimates", "policy", "tasks")


def seed_sequence(rng: Rng) -> np.random.SeedSequence:
    """Return the seed sequence that ``rng`` (seed, sequence, generator, or None for fresh entropy) stands for.

    Examples
    --------
    >>> seed_sequence(7).entropy
    7
    """
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence([int(word) for word in rng.integers(0, 2**32, size=4)])
    if rng is None:
        return np.random.SeedSequence()
    if isinstance(rng, bool) or not isinstance(rng, (int, np.integer)) or rng < 0:
        raise InvalidInput(f"rng = {rng!r} is no seed; give a whole number from 0, a SeedSequence or a Generator")
    return np.random.SeedSequence(int(rng))


@dataclass(frozen=True, kw_only=True)
class Streams:
    """The streams of one replication."""

    root: np.random.SeedSequence
    replication: int

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the stream for one purpose, from its beginning."""
        key = (*self.root.spawn_key, OURS, self.replication, PURPOSES.index(purpose))
        return np.random.Generator(np.random.SFC64(np.random.SeedSequence(self.root.entropy, spawn_key=key)))
