"""Random streams: one for each (seed, replication, purpose), so that nothing depends on who draws first.

The streams are children of one ``numpy.random.SeedSequence``: the same seed gives the same jobs whatever the policy
(common random numbers), the number of processes or the size of blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from msj.errors import InvalidInput
from msj.options.seeding import Seed

#: The older name of ``Seed``.
Rng: TypeAlias = Seed

# Keeps our children apart from those a caller may have spawned from the same sequence.
OURS = 0x6D736A

PURPOSES = ("arrivals", "classes", "durations", "estimates", "policy", "tasks")


def seed_sequence(rng: Rng) -> np.random.SeedSequence:
    """Return the seed sequence that ``rng`` stands for: a seed, a sequence, a generator, what a provenance recorded
    (:func:`seed_record`), or None for fresh entropy.

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
    return seed_from_record(rng)


def seed_record(root: np.random.SeedSequence) -> Any:
    """Return a seed sequence as plain data, from which :func:`seed_sequence` makes the same one.

    Examples
    --------
    >>> seed_record(np.random.SeedSequence(7)), seed_record(np.random.SeedSequence(7).spawn(2)[1])
    (7, {'entropy': 7, 'spawn_key': [1]})
    """
    entropy: Any = root.entropy
    plain = int(entropy) if np.ndim(entropy) == 0 else [int(word) for word in entropy]
    return plain if not root.spawn_key else {"entropy": plain, "spawn_key": [int(key) for key in root.spawn_key]}


def seed_from_record(record: Any) -> np.random.SeedSequence:
    """Return the seed sequence that was recorded: a whole number, several, or entropy and a spawn key.

    Examples
    --------
    >>> seed_from_record({"entropy": 7, "spawn_key": [1]}).spawn_key
    (1,)
    """
    if isinstance(record, Mapping):
        if set(record) != {"entropy", "spawn_key"} or not isinstance(record["spawn_key"], (list, tuple)):
            raise InvalidInput(f"rng = {dict(record)!r} is no seed; a recorded one has entropy and a list spawn_key")
        key = tuple(_whole(word) for word in record["spawn_key"])
        return np.random.SeedSequence(seed_from_record(record["entropy"]).entropy, spawn_key=key)
    if isinstance(record, (list, tuple)) and record:
        return np.random.SeedSequence([_whole(word) for word in record])
    return np.random.SeedSequence(_whole(record))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise InvalidInput(f"rng = {value!r} is no seed; give a whole number from 0, a SeedSequence or a Generator")
    return int(value)


@dataclass(frozen=True, kw_only=True)
class Streams:
    """The streams of one replication."""

    root: np.random.SeedSequence
    replication: int

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the stream for one purpose, from its beginning."""
        key = (*self.root.spawn_key, OURS, self.replication, PURPOSES.index(purpose))
        return np.random.Generator(np.random.SFC64(np.random.SeedSequence(self.root.entropy, spawn_key=key)))
