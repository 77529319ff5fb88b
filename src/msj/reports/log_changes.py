"""What a change would have brought: the log's jobs on other sizes, with a cap, with other estimates, at more load.

Each is one replay of the same jobs under one policy, beside the replay without the change. A cap keeps a job's work:
fewer servers, longer runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from msj.answers.replay import replay
from msj.errors import MsjError
from msj.logs import Trace
from msj.results import Quantity

LEVEL = 95.0
SIZES = (-0.1, 0.1, 0.25)
LOADS = (1.1, 1.25, 1.5)
CAPS = (2, 4)  # the largest need over these


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change in words, what it is about (servers, cap, estimates, load), how much of it, and the waits with it."""

    words: str
    about: str
    amount: float
    rows: tuple[Quantity, ...]

    @property
    def mean(self) -> Quantity:
        """The mean wait."""
        return next(row for row in self.rows if row.name == "mean_waiting_time")

    @property
    def late(self) -> Quantity:
        """So long 95 % of the jobs wait at most."""
        return next(row for row in self.rows if row.name == "waiting_time_percentile")


def changes_of(trace: Trace, servers: int, policy: Any, said: Callable[[str], None]) -> list[Change]:
    """Return the changes and what they bring; the first is no change."""
    found = []
    for words, about, amount, options in _asked(trace, servers):
        said(words)
        try:
            result = replay(trace, policy=policy, levels=[LEVEL], shakes=0, **({"servers": servers} | options))
        except MsjError:  # no job is left on a machine so small
            continue
        rows = tuple(
            row.put(section="what_if", change=words)
            for row in result
            if row.kind == "replayed"
            and row.job_class is None
            and row.name in ("mean_waiting_time", "waiting_time_percentile")
        )
        found.append(Change(words=words, about=about, amount=amount, rows=rows))
    return found


def _asked(trace: Trace, servers: int) -> Iterator[tuple[str, str, float, dict[str, Any]]]:
    yield "as it is", "nothing", 0.0, {}
    for share in SIZES:
        size = servers + int(math.copysign(math.ceil(abs(share) * servers), share))
        more = f"{abs(size - servers):,} {'more' if size > servers else 'fewer'} servers"
        if size >= 1 and size >= int(trace.column("need").max()):
            yield f"{more} ({size:,})", "servers", size - servers, {"servers": size}
    largest = int(min(trace.column("need").max(), servers))
    for cap in dict.fromkeys(largest // part for part in CAPS):
        if 1 <= cap < largest:
            yield f"at most {cap:,} servers a job", "cap", cap, {"largest_need": cap}
    if trace.has_estimates:
        yield "requested times as long as the runs", "estimates", 1.0, {"estimates": "exact"}
    for factor in LOADS:
        yield f"{100 * (factor - 1):.0f} % more load", "load", factor, {"scale_load": factor}
