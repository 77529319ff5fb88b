"""What every engine is told of the cluster it serves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.workloads.streams import Streams


@dataclass(frozen=True, kw_only=True, eq=False)
class Cluster:
    """So many servers, jobs of these needs, the random streams of one replication, and what to call the discipline.

    ``restart``: a job that is stopped loses its work.
    """

    servers: int
    needs: NDArray[np.int64]
    streams: Streams
    name: str = ""
    restart: bool = False
