"""ServerFilling-Gittins: ServerFilling with the jobs of least Gittins rank in front; needs and servers powers of two.

Jobs in order of need × Gittins rank of their age, ties by arrival; of the shortest beginning of that order whose needs
sum to at least k the largest needs are served, as under ServerFilling-SRPT. It needs the laws of the durations, not the
durations. For exponential laws the rank is need × mean: a fixed priority.
After texts about the policy (Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from msj.disciplines.base import Serve
from msj.disciplines.by_gittins import ByGittins
from msj.disciplines.served_by import ServedBy
from msj.disciplines.server_filling import why_not_powers_of_two
from msj.model import System


def all_alike(needs, running, remaining, servers, chosen):  # type: ignore[no-untyped-def]
    """Serve as ServerFilling does from the order of need, which is that of rank where all laws are the same."""
    candidate = np.zeros(len(needs), np.bool_)
    wanted = 0
    while wanted < servers:
        least = -1
        for i in range(len(needs)):
            if not candidate[i] and (least < 0 or needs[i] < needs[least]):
                least = i
        if least < 0:
            break
        candidate[least] = True
        wanted += needs[least]
    free = servers
    while free > 0:
        best = -1
        for i in range(len(needs)):
            if candidate[i] and not chosen[i] and needs[i] <= free and (best < 0 or needs[i] > needs[best]):
                best = i
        if best < 0:
            break
        chosen[best] = True
        free -= needs[best]


@dataclass(frozen=True, kw_only=True)
class ServerFillingGittins(ByGittins):
    """ServerFilling-Gittins, preemptive."""

    name: ClassVar[str] = "server-filling-gittins"
    summary: ClassVar[str] = (
        "ServerFilling among the jobs of least Gittins rank (laws known, not durations); powers of two"
    )
    citation: ClassVar[str] = "after Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"

    def engine(self, servers: int) -> ServedBy:
        return self.ranked("server-filling")

    @property
    def serve(self) -> Serve:
        return all_alike

    def supports(self, system: System) -> str | None:
        return why_not_powers_of_two(system)


VARIANT = ServerFillingGittins
