"""Job sources: right laws, right shares, reproducible, independent of the size of blocks."""

from datetime import datetime, timedelta

import numpy as np
import pandas
import pytest

from msj import Erlang, Exponential, InvalidInput, JobClass, Lognormal, System
from msj.disciplines import Fcfs
from msj.simulation import replay_jobs
from msj.workloads import RecordedJobs, Streams, SystemJobs, seed_sequence
from msj.workloads.system_jobs import alias_table
from strategies import simple


def mixed(duration=None):
    return System(
        servers=8,
        classes=[
            JobClass(name="a", need=1, share=0.5, duration=duration or Exponential(mean=1)),
            JobClass(name="b", need=3, share=0.2, duration=Erlang(stages=3, mean=2)),
            JobClass(name="never", need=8, share=0, duration=Exponential(mean=9)),
            JobClass(name="c", need=5, share=0.3, duration=Lognormal(mean=4, cv=2)),
        ],
    )


def source(system, seed=1, rate=2.0, replication=0):
    streams = Streams(root=seed_sequence(seed), replication=replication)
    return SystemJobs(system, arrival_rate=rate, streams=streams)


def test_means_and_shares_within_five_standard_errors():
    # 9 comparisons at 5 standard errors: a false alarm once in 200,000 seeds.
    count = 200_000
    jobs = source(mixed()).take(count)
    gaps = np.diff(jobs.arrival, prepend=0.0)
    assert gaps.mean() == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(count))
    assert gaps.std() == pytest.approx(0.5, rel=5 * np.sqrt(2 / count))
    for index, c in enumerate(mixed().classes):
        here = jobs.job_class == index
        share = float(c.share)
        assert here.mean() == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / count))
        assert set(jobs.need[here]) <= {c.need}
        if share:
            error = 5 * c.duration.mean * c.duration.cv / np.sqrt(here.sum())
            assert jobs.duration[here].mean() == pytest.approx(c.duration.mean, abs=error)


@pytest.mark.parametrize(
    "shares", [[1.0], [0.5, 0.5], [0.1, 0.2, 0.7], [0.0, 1.0], [1 / 3, 0, 2 / 3], [1e-9, 1 - 1e-9]]
)
def test_alias_table_gives_the_shares_exactly(shares):
    accept, alias = alias_table(np.array(shares))
    found = np.zeros(len(shares))
    for slot, (keep, other) in enumerate(zip(accept, alias, strict=True)):
        found[slot] += keep / len(shares)
        found[other] += (1 - keep) / len(shares)
    assert found == pytest.approx(shares, abs=1e-15)


def test_size_of_blocks_changes_nothing_for_exponential_jobs():
    system = System(servers=2, classes=[JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))])
    whole = source(system).take(1000)
    arrival, duration = whole.arrival.copy(), whole.duration.copy()
    again = source(system)
    parts = [(block.arrival.copy(), block.duration.copy()) for block in (again.take(100) for _ in range(10))]
    assert np.array_equal(np.concatenate([part[0] for part in parts]), arrival)
    assert np.array_equal(np.concatenate([part[1] for part in parts]), duration)


def test_streams_are_apart():
    first = source(mixed()).take(50)
    arrival, job_class = first.arrival.copy(), first.job_class.copy()
    changed = source(mixed(Exponential(mean=7))).take(50)
    assert np.array_equal(changed.arrival, arrival)
    assert np.array_equal(changed.job_class, job_class)
    assert not np.array_equal(source(mixed(), replication=1).take(50).arrival, arrival)
    assert not np.array_equal(source(mixed(), seed=2).take(50).arrival, arrival)


def test_what_rng_may_be():
    sequence = np.random.SeedSequence(5)
    assert seed_sequence(sequence) is sequence
    assert seed_sequence(5).entropy == 5
    assert seed_sequence(np.random.default_rng(1)).entropy == seed_sequence(np.random.default_rng(1)).entropy
    assert seed_sequence(None).entropy != seed_sequence(None).entropy
    for wrong in (-1, "seed", 1.5, True):
        with pytest.raises(InvalidInput, match="is no seed"):
            seed_sequence(wrong)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"arrival": [1, 0]}, "job 1 arrives before job 0"),
        ({"need": [1]}, "one entry per job"),
        ({"need": [1, 0]}, "need of job 1 is 0"),
        ({"duration": [1, -2.0]}, "duration of job 1 is -2.0"),
        ({"duration": [1, np.nan]}, "duration of job 1 is not finite"),
        ({"job_class": [0, -1]}, "job_class of job 1 is -1"),
        ({"estimate": [-1, 1]}, "estimate of job 0 is -1.0"),
        ({"need": [1.5, 1]}, "need of job 0 is 1.5; it must be a whole number"),
        ({"need": ["a", 1]}, "need holds something that is no number"),
        ({"arrival": [np.datetime64("NaT"), np.datetime64("2024-01-01")]}, "arrival of job 0 is not a time"),
    ],
)
def test_recorded_jobs_are_checked(change, sentence):
    jobs = {"arrival": [0, 1], "need": [1, 1], "duration": [1, 1]}
    with pytest.raises(InvalidInput, match=sentence):
        RecordedJobs(**jobs | change)


def test_recorded_jobs_come_in_blocks_until_none_are_left():
    jobs = RecordedJobs(arrival=[0, 1, 2], need=[1, 2, 3], duration=[1, 1, 1], estimate=[2, 2, 2])
    assert [len(jobs.take(2)) for _ in range(3)] == [2, 1, 0]


def test_the_same_recorded_jobs_can_be_replayed_again():
    jobs = RecordedJobs(arrival=[0, 1, 2], need=[1, 2, 3], duration=[1, 1, 1])
    jobs.take(2)
    assert [len(jobs.rewound().take(3)) for _ in range(2)] == [3, 3]
    assert len(jobs.take(3)) == 1


def test_recorded_jobs_come_from_arrays_of_any_layout():
    table = np.asfortranarray(np.array([[0.0, 1.0, 3.0], [1.0, 2.0, 4.0], [2.0, 1.0, 5.0]]))
    backwards = table[::-1][::-1]
    fixed = table.copy()
    fixed.flags.writeable = False
    wanted = replay_jobs(RecordedJobs(arrival=[0, 1, 2], need=[1, 2, 1], duration=[3, 4, 5]), servers=2, policy=Fcfs())
    for given in (table, table[:, :], backwards, fixed, np.repeat(table, 2, axis=0)[::2]):
        jobs = RecordedJobs(arrival=given[:, 0], need=given[:, 1], duration=given[:, 2])
        for generic in (False, True):
            done = replay_jobs(jobs, servers=2, policy=Fcfs(), generic=generic)
            assert done.start.tolist() == wanted.start.tolist()


def test_dates_count_in_seconds():
    second = timedelta(seconds=1)
    begin = datetime(2024, 3, 1, 12)
    for arrival in (
        [begin, begin + 90 * second],
        np.array(["2024-03-01T12:00:00", "2024-03-01T12:01:30"], dtype="datetime64[s]"),
        pandas.Series([begin, begin + 90 * second]),
        pandas.Series([begin, begin + 90 * second]).dt.tz_localize("UTC"),
    ):
        for duration in ([30 * second, 60 * second], pandas.Series([30 * second, 60 * second]), [30, 60]):
            jobs = RecordedJobs(arrival=arrival, need=[1, 1], duration=duration).jobs
            assert np.diff(jobs.arrival).tolist() == [90.0]
            assert jobs.arrival[0] == 1709294400.0
            assert jobs.duration.tolist() == [30.0, 60.0]


def test_what_happens_to_the_given_arrays_later_does_not_matter():
    arrival = np.array([0.0, 1.0])
    jobs = RecordedJobs(arrival=arrival, need=[1, 1], duration=[1, 1])
    arrival[1] = -5
    assert jobs.jobs.arrival.tolist() == [0.0, 1.0]


def test_the_clock_of_a_source_is_the_last_arrival_it_gave():
    source = SystemJobs(simple(2, (1, 1, 1)), arrival_rate=0.5, streams=Streams(root=seed_sequence(1), replication=0))
    assert source.clock == 0.0
    for count in (1, 5, 40_000, 3):  # within a block, across one
        assert source.take(count).arrival[-1] == source.clock > 0


@pytest.mark.parametrize("unit", [1.0, 1e-12])
def test_what_is_cut_out_of_long_gaps_is_remembered_in_any_unit_of_time(unit):
    """Jobs so rare that the cluster is empty nearly always: clock and skipped time are the gaps that were drawn."""
    system = System(servers=2, classes=[JobClass(name="a", need=1, share=1, duration=Exponential(mean=unit))])
    streams = [Streams(root=seed_sequence(1), replication=0) for _ in range(2)]
    source = SystemJobs(system, arrival_rate=1e-6 / unit, streams=streams[0])
    assert (source.clock, source.skipped) == (0.0, 0.0)
    drawn = np.cumsum(streams[1].generator("arrivals").standard_exponential(200)) * 1e6 * unit
    for before, count in ((0, 1), (1, 9), (10, 190)):
        last = before + count - 1
        assert source.take(count).arrival[-1] == source.clock
        assert source.clock + source.skipped == pytest.approx(drawn[last], rel=1e-9)
        assert 0 < source.clock < 0.05 * drawn[last]


def test_all_that_is_left_of_recorded_jobs_is_at_hand():
    jobs = RecordedJobs(arrival=[0, 1, 2], need=[1, 2, 3], duration=[1, 1, 1])
    seen = []
    for _ in range(3):
        seen.append((jobs.at_hand, len(jobs.take(1).arrival)))
    assert seen == [(3, 1), (2, 1), (1, 1)]
    assert (jobs.at_hand, len(jobs.take(5).arrival)) == (1, 0)
