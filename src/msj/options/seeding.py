"""The seed of what is random, and the machines that compute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from msj.options.option import Options, argument, option

if TYPE_CHECKING:
    import numpy as np

#: A whole number, several, a seed sequence, a generator, or what a result recorded; None: a fresh seed.
Seed: TypeAlias = Union[int, list[int], "np.random.SeedSequence", "np.random.Generator", Mapping[str, Any], None]


@dataclass(frozen=True, kw_only=True)
class SeedOptions(Options):
    """The seed."""

    seed: Seed = option(
        None,
        "Seed of the random numbers: the same seed gives the same answer.",
        metavar="N",
        kind="seed",
        shown="a fresh one",
        python="A whole number, a list of them, a SeedSequence or a Generator.",
    )
    rng: Seed = argument(None, "Another name for seed.")


@dataclass(frozen=True, kw_only=True)
class DaskOptions(Options):
    """Many machines."""

    dask: Any = option(
        None,
        "Compute on the Dask cluster with this scheduler, tcp://HOST:8786. The answer does not depend on it.",
        metavar="ADDRESS",
        python="Also a distributed.Client.",
    )
