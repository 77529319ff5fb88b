"""What a replication writes down: jobs by the piece they *arrived* in, whenever they leave.

The jobs of a replication are numbered as they arrive. The first ``warm_up`` count for nothing; then every ``piece``
jobs are a piece. A job belongs to the piece of its arrival, so the same jobs are counted whatever the policy does
with them, and a piece is complete when the last of its jobs has left. What servers do, on the other hand, belongs to
the time between two arrivals: a job's service is shared out over the pieces in whose time it falls (evenly between
its first start and its finish, where it was interrupted), so no more than all servers are ever busy.

Engines that serve in order of arrival tell a job's finish before the time has come; what lies ahead of the clock is
kept and shared out when the piece ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from msj.engines.completed import Completed
from msj.simulation.sketch import BINS, SHIFT, Sketch
from msj.simulation.tally import COLUMNS, Tally

NO_PREEMPTIONS = np.empty(0, dtype=np.int64)
SPARSE = 16  # bins per job from which on a full histogram is not worth its memory
BITS = 40  # of a number that holds a bin, of any class; the piece is above them
MANY_LATE = 200_000  # jobs that left after their piece had ended, before they are sorted in


class Clock(NamedTuple):
    """A cycle that arrivals go by, and its equally long steps."""

    cycle: float
    steps: int


class Record:
    """Counts jobs as they come out of an engine; ``ended`` pieces have all arrived."""

    def __init__(
        self,
        *,
        classes: int,
        lowest: int,
        warm_up: int,
        piece: int,
        controls: int = 0,
        areas: int = 0,
        clock: Clock | None = None,
    ) -> None:
        self.lowest, self.warm_up, self.piece = lowest, warm_up, piece
        self.ended = -1  # the warm-up has not
        self.sums = np.zeros((2, classes, len(COLUMNS)))
        self.busy = np.zeros(2)
        self.lost_area = 0.0  # so far, at the end of the last piece
        self.controls = np.zeros((2, controls))
        self.cycle, self.steps = (0.0, 0) if clock is None else (clock.cycle, clock.steps)
        self.by_time_of_day = np.zeros((2, self.steps, 3))
        self.left_out = np.zeros(controls)  # controls of the warm-up
        # At the ends of pieces: clock, time skipped, idle area, jobs present; then the areas that the engine declares.
        self.marks = np.zeros((2, 4 + areas))
        # Of the piece that is arriving; where it has few jobs for so many classes, these are sorted instead.
        self.dense = piece * SPARSE >= classes * BINS
        self.histograms = np.zeros((2, classes if self.dense else 0, BINS), dtype=np.uint32)
        self.waiting: list[Sketch] = []
        self.response: list[Sketch] = []
        self.late = np.empty((0, 3), dtype=np.int64)  # piece, bins of waiting and response time
        self._late, self._ahead = np.empty((0, 3), dtype=np.int64), np.empty((0, 3))  # room for those of one block
        self.ahead = np.empty((0, 3))  # start, finish and servers of jobs whose finish is yet to come

    def add(self, done: Completed, clock: float) -> None:
        """Count jobs, given that it is ``clock`` now."""
        if len(self._late) < len(done):
            self._late, self._ahead = np.empty((len(done), 3), dtype=np.int64), np.empty((len(done), 3))
        late, ahead = self._late, self._ahead
        if self.steps:
            self._sort_by_time_of_day(done)
        found = _count(
            done.number, done.arrival, done.job_class, done.need, done.duration, done.start, done.finish,
            NO_PREEMPTIONS if done.preemptions is None else done.preemptions, clock, self.warm_up, self.piece,
            self.ended, self.dense,
            self.lowest, self.marks, self.sums, self.busy, self.histograms, late, ahead, np.empty(2),
        )  # fmt: skip
        if found[0]:
            self.late = np.concatenate([self.late, late[: found[0]]])
            if len(self.late) > MANY_LATE:
                self._sort_in()
        if len(self.ahead) or found[1]:
            self.ahead = np.concatenate([self.ahead[self.ahead[:, 1] > clock], ahead[: found[1]]])

    def end_piece(
        self,
        *,
        clock: float,
        skipped: float,
        wasted_area: float,
        present: float,
        lost_area: float = 0.0,
        areas: Sequence[float] = (),
    ) -> None:
        """Note that all jobs of the piece, or of the warm-up, have arrived."""
        start, finish, servers = self.ahead[self.ahead[:, 1] > clock].T
        beyond = float((servers * (finish - np.maximum(start, clock))).sum())
        if self.ended >= 0:
            self.busy[self.ended] += lost_area - self.lost_area - beyond  # service in vain keeps servers busy, too
            self.waiting.append(Sketch.of(self.lowest, self.histograms[0]))
            self.response.append(Sketch.of(self.lowest, self.histograms[1]))
            self.histograms[:] = 0
        self.ended += 1
        if self.ended + 1 >= len(self.busy):
            self.sums, self.busy, self.marks, self.controls, self.by_time_of_day = (
                np.concatenate([kept, np.zeros_like(kept)])
                for kept in (self.sums, self.busy, self.marks, self.controls, self.by_time_of_day)
            )
        self.busy[self.ended] += beyond
        self.lost_area = lost_area
        self.marks[self.ended] = clock, skipped, wasted_area, present, *areas

    @property
    def arriving(self) -> NDArray[np.float64]:
        """The sums of the controls of the piece that is arriving."""
        return self.controls[self.ended] if self.ended >= 0 else self.left_out

    def left_of(self, pieces: int) -> int:
        """Return how many jobs of the first pieces have not left."""
        return pieces * self.piece - int(self.sums[:pieces, :, 0].sum())

    def tallies(self, pieces: int) -> list[Tally]:
        """Return the first pieces."""
        self._sort_in()
        steps = np.diff(self.marks[: pieces + 1], axis=0)
        return [
            Tally(
                self.sums[j].copy(),
                self.waiting[j],
                self.response[j],
                float(steps[j, 0] + steps[j, 1]),
                float(steps[j, 2]),
                float(self.busy[j]),
                float(self.marks[j + 1, 3]),
                self.controls[j].copy(),
                self.by_time_of_day[j].copy(),
                steps[j, 4:],
            )
            for j in range(pieces)
        ]

    def merge(self) -> None:
        """Make one piece of every two."""
        self._sort_in()
        self.piece *= 2
        if self.ended % 2 and not self.dense:
            bins = [np.repeat(half.bins, half.counts) for half in (self.waiting.pop(), self.response.pop())]
            self.late = np.concatenate([self.late, np.stack([np.full(len(bins[0]), self.ended), *bins], axis=1)])
        self.late[:, 0] //= 2
        self.sums, self.busy, self.controls, self.by_time_of_day = (
            kept[0::2] + kept[1::2] for kept in (self.sums, self.busy, self.controls, self.by_time_of_day)
        )
        self.marks = np.concatenate([self.marks[0::2], np.zeros((1, self.marks.shape[1]))])
        for sketches, histogram in ((self.waiting, self.histograms[0]), (self.response, self.histograms[1])):
            if self.ended % 2 and self.dense:  # half of the new piece has arrived
                half = sketches.pop()
                histogram.reshape(-1)[half.bins] += half.counts.astype(np.uint32)
            sketches[:] = [Sketch.total(pair) for pair in zip(sketches[0::2], sketches[1::2], strict=True)]
        self.ended //= 2

    def _sort_by_time_of_day(self, done: Completed) -> None:
        """Count jobs by the step of the cycle in which they arrived."""
        counted = done.number >= self.warm_up
        arrival, waiting = done.arrival[counted], (done.start - done.arrival)[counted]
        waited = waiting > 0
        if done.preemptions is not None:
            stay = (done.finish - done.arrival - done.duration)[counted]
            waiting = np.where(done.preemptions[counted] > 0, np.maximum(stay, waiting), waiting)
        step = np.minimum((arrival % self.cycle / self.cycle * self.steps).astype(np.int64), self.steps - 1)
        piece = (done.number[counted] - self.warm_up) // self.piece
        for column, values in enumerate((np.ones(len(step)), waiting, waited)):
            np.add.at(self.by_time_of_day[:, :, column], (piece, step), values)

    def _sort_in(self) -> None:
        """Add what came late to the sketches of the pieces it belongs to."""
        known = self.late[:, 0] < len(self.waiting)
        late = self.late[known]
        for sketches, column in ((self.waiting, 1), (self.response, 2)):
            # Pieces and bins in one number: sorting these is several times as fast as sorting by both.
            sorted_ = np.sort((late[:, 0] << BITS) | late[:, column])
            pieces = sorted_ >> BITS
            bins = sorted_ & ((1 << BITS) - 1)
            ends = np.flatnonzero(np.diff(pieces, append=-1)) + 1
            for first, end in zip([0, *ends], ends, strict=False):
                piece = pieces[first]
                sketches[piece] = sketches[piece].with_values(bins[first:end])
        self.late = self.late[~known]


@njit(cache=True, nogil=True, error_model="numpy")
def _count(
    number: NDArray[np.int64],
    arrival: NDArray[np.float64],
    job_class: NDArray[np.int64],
    need: NDArray[np.int64],
    duration: NDArray[np.float64],
    start: NDArray[np.float64],
    finish: NDArray[np.float64],
    preemptions: NDArray[np.int64],
    clock: float,
    warm_up: int,
    piece: int,
    ended: int,
    dense: bool,
    lowest: int,
    marks: NDArray[np.float64],
    sums: NDArray[np.float64],
    busy: NDArray[np.float64],
    histograms: NDArray[np.uint32],
    late: NDArray[np.int64],
    ahead: NDArray[np.float64],
    pair: NDArray[np.float64],
) -> Any:
    bits = pair.view(np.int64)
    top = BINS - 1
    lates, aheads = 0, 0
    # Nearly all jobs belong to the piece that is arriving: what it needs is kept at hand, and divisions are few.
    first_here = warm_up + ended * piece if ended >= 0 else warm_up
    began_here = marks[max(ended, 0), 0]
    busy_here = 0.0
    for i in range(len(arrival)):
        span = finish[i] - start[i]
        servers = float(need[i])
        if abs(span - duration[i]) > 1e-9 * span:  # interrupted, shared or in stages: evenly over its stay
            servers = need[i] * duration[i] / span if span > 0.0 else 0.0
        if finish[i] > clock:
            ahead[aheads, 0], ahead[aheads, 1], ahead[aheads, 2] = start[i], finish[i], servers
            aheads += 1
        if ended >= 0 and start[i] >= began_here:
            busy_here += servers * span
        elif ended >= 0:
            busy_here += servers * max(finish[i] - began_here, 0.0)
            k = ended
            while k > 0 and start[i] < marks[k, 0]:
                k -= 1
                busy[k] += servers * max(min(finish[i], marks[k + 1, 0]) - max(start[i], marks[k, 0]), 0.0)
        if number[i] < warm_up:
            continue
        j = ended if number[i] >= first_here else (number[i] - warm_up) // piece
        c = job_class[i]
        waiting = start[i] - arrival[i]
        response = finish[i] - arrival[i]
        row = sums[j, c]
        row[0] += 1.0
        row[3] += 1.0 if waiting > 0.0 else 0.0
        if len(preemptions) and preemptions[i] > 0:
            waiting = max(response - duration[i], waiting)
            row[5] += preemptions[i]
        row[1] += response
        row[2] += waiting
        row[4] += response / duration[i]
        pair[0] = waiting
        pair[1] = response
        first = min(max((bits[0] >> SHIFT) - lowest, 0), top)
        second = min(max((bits[1] >> SHIFT) - lowest, 0), top)
        if dense and j == ended:
            histograms[0, c, first] += np.uint32(1)
            histograms[1, c, second] += np.uint32(1)
        else:
            late[lates, 0], late[lates, 1], late[lates, 2] = j, c * (top + 1) + first, c * (top + 1) + second
            lates += 1
    if ended >= 0:
        busy[ended] += busy_here
    return lates, aheads
