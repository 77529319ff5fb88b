"""How a run goes about its replications: side by side, none far behind, told of while they go, stopped together."""

import itertools
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import stdtrit

from msj.effort import Effort
from msj.results import Outcome
from msj.simulation import Known
from msj.simulation import run as running
from msj.simulation.intervals import CONFIDENCE
from msj.simulation.percentile_interval import _quantiles
from msj.simulation.question import Question
from msj.workloads import seed_sequence
from strategies import simple

SYSTEM = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"))


class Over(Effort):
    """Out of time as soon as something has come to pass."""

    def __init__(self, passed):
        super().__init__()
        object.__setattr__(self, "passed", passed)

    @property
    def over(self):
        return self.passed()


def new_run(jobs, *, stable=True, replications=4, rate=0.4):
    known = Known(stability_threshold=0.69) if stable else Known()
    system = SYSTEM.replace(arrival_rate=rate)
    question = Question.of(system, root=seed_sequence(1), known=known, jobs=jobs, replications=replications)
    return question.new_run(question.plan(), seed_sequence(1))


@pytest.mark.parametrize("workers", [1, 2])
def test_whenever_a_run_is_cut_all_replications_are_about_as_far(workers):
    run = new_run(4 * 10**7)
    assert run.piece > running.BLOCK
    until = 3 * run.piece
    seen = Effort(cancel=lambda: any(each.arrived > until + run.plan.warm_up for each in run.replications))
    assert run.advance(effort=seen, workers=workers) is Outcome.INTERRUPTED
    ended = [each.record.ended for each in run.replications]
    assert run.through == min(ended) >= 2
    assert max(ended) - min(ended) <= 1


def test_replications_wait_for_each_other_only_where_the_whole_is_looked_at(monkeypatch):
    together = []
    arrive = running.Run._arrive

    def listen(self, pool, workers, pieces, *rest):
        together.append(pieces)
        return arrive(self, pool, workers, pieces, *rest)

    monkeypatch.setattr(running.Run, "_arrive", listen)
    for stable, expected in ((True, [30]), (False, [8, 10, 12, 15, 18, 22, 27, 30])):
        together.clear()
        new_run(20_000, stable=stable).advance(effort=Effort())
        assert together == expected


def test_a_run_that_is_cut_says_whether_its_queue_had_run_away(monkeypatch):
    """Asked after 8 pieces first, then after 10: a run of nine pieces that is cut is asked as well."""
    run = new_run(40_000, stable=False, replications=1, rate=1.5)
    monkeypatch.setattr(running, "_doubts", lambda pieces: (0, 10**6))
    over = Over(lambda: run.replications[0].record.ended >= 9)
    assert run.advance(effort=over) is Outcome.UNSTABLE
    # Needs 1 and 4 with means 2 and 3/2, in turns: at most 96/139 are served a unit of time.
    assert run.growth == pytest.approx(1.5 - 96 / 139, rel=0.1)
    stable = new_run(40_000, stable=False, replications=1)
    over = Over(lambda: stable.replications[0].record.ended >= 9)
    assert stable.advance(effort=over) is Outcome.OUT_OF_TIME


def test_whoever_fails_stops_the_others():
    run = new_run(10**9)
    before = threading.active_count()

    def keep(index, done):
        if index == 1:
            raise OSError("no room")

    started = time.monotonic()
    with pytest.raises(OSError, match="no room"):
        run.advance(effort=Effort(), workers=2, keep=keep)
    assert time.monotonic() - started < 5
    assert threading.active_count() == before


def test_people_are_told_before_the_first_pieces_are_through(monkeypatch):
    monkeypatch.setattr(running, "TELL", 0.001)
    seen = []

    def listen(progress):
        seen.append(progress)
        if len(seen) == 5:
            raise KeyboardInterrupt

    run = new_run(10**9)
    assert run.advance(effort=Effort(progress=listen), workers=2) is Outcome.INTERRUPTED
    told = [now for now in seen if not now.notice]
    assert all(0 <= now.done < 1 for now in told)
    assert max(each.record.ended for each in run.replications) <= 0
    assert [a.done <= b.done for a, b in itertools.pairwise(told)] == [True] * (len(told) - 1)


def test_students_quantiles_are_right_where_they_matter():
    """Which edges are beyond, and how far on either side of a crossing, as if every quantile had been computed."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        apart = np.sort(rng.normal(scale=4, size=60))[::-1]
        freedom = rng.uniform(1.5, 40, size=60) if rng.random() < 0.8 else np.full(60, 7.0)
        exact = stdtrit(freedom, CONFIDENCE)
        found = _quantiles(freedom, apart)
        for sign in (1.0, -1.0):
            np.testing.assert_array_equal(apart <= sign * found, apart <= sign * exact)
            last = np.flatnonzero(np.diff(apart <= sign * exact))
            np.testing.assert_array_equal(found[[last, last + 1]], exact[[last, last + 1]])


def test_jobs_are_kept_by_the_replication_they_are_of():
    """The first jobs, from which the pace is told, included."""
    run, kept = new_run(40_000), {}
    run.advance(effort=Effort(), keep=lambda index, done: kept.setdefault(index, []).extend(done.number.tolist()))
    assert sorted(kept) == [0, 1, 2, 3]
    for numbers in kept.values():
        assert sorted(numbers) == list(range(len(numbers)))
    assert len({len(numbers) for numbers in kept.values()}) == 1


def test_pieces_that_have_left_whole():
    """Of three pieces one job of the last is on its way still: two count."""

    class Record:
        left = (0, 0, 0, 1)

        def left_of(self, pieces):
            return self.left[pieces]

        def tallies(self, pieces):
            return list(range(pieces))

    run = SimpleNamespace(through=3, replications=[SimpleNamespace(record=Record())] * 2)
    assert running.Run.complete.fget(run) == [[0, 1], [0, 1]]
    Record.left = (0, 1, 2, 0)  # all have left: nobody asks about the first
    assert running.Run.complete.fget(run) == [[0, 1, 2], [0, 1, 2]]


def test_a_run_that_had_converged_counts_up_to_its_last_look():
    """Two replications, 10 jobs of warm-up and pieces of 5: after 2·(10 + 4·5) jobs, 4 pieces."""
    run = SimpleNamespace(
        _precise=lambda: True, looks=[(40, 0.5), (50, 0.4), (60, 0.1)], replications=[None] * 2, piece=5,
        plan=SimpleNamespace(warm_up=10), counted=None,
    )  # fmt: skip
    assert running.Run._advance(run, None, 1, Effort(), None, None) is Outcome.CONVERGED
    assert run.counted == 4


def test_a_short_run_says_nothing_of_its_length():
    seen = []
    new_run(40_000).advance(effort=Effort(progress=seen.append))
    assert not [now for now in seen if now.notice]
