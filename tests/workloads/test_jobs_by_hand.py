"""Sources of jobs held against small cases worked out by hand and against the streams they draw from."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from msj import Deterministic, Erlang, Exponential, InvalidInput, JobClass, System, Uniform
from msj.workloads.job_block import JobBlock
from msj.workloads.recorded import RecordedJobs
from msj.workloads.streams import Streams, seed_from_record, seed_record, seed_sequence
from msj.workloads.system_jobs import BLOCK, SystemJobs, _arrive, _choose, _put_in_place, alias_table

ROOT = np.random.SeedSequence(11)
EXPONENTIAL = [(2, 0.5, Exponential(mean=3)), (3, 0.2, Exponential(mean=7)), (5, 0.3, Exponential(mean=0.25))]


def system(classes=EXPONENTIAL, **fields):
    named = [
        JobClass(name=f"class {i}", need=need, share=share, duration=duration)
        for i, (need, share, duration) in enumerate(classes)
    ]
    return System(servers=5, classes=named, **fields)


def streams():
    return Streams(root=ROOT, replication=2)


def source(of, rate=0.4, **options):
    return SystemJobs(of, arrival_rate=rate, streams=streams(), **options)


def columns(block):
    return [column.copy() for column in (block.arrival, block.job_class, block.need, block.duration)]


def test_a_block_believes_what_users_said_or_else_the_durations():
    given = {"arrival": np.array([0.0]), "job_class": np.array([0]), "need": np.array([1]), "duration": np.array([3.0])}
    assert JobBlock(**given).estimates.tolist() == [3.0]
    assert JobBlock(**given, estimate=np.array([8.0])).estimates.tolist() == [8.0]


def test_recorded_jobs_at_the_ends_of_what_is_allowed_are_kept_as_they_are():
    """Two at the same moment, the next half a unit later; durations and estimates of nothing and of a half."""
    most = 2**53 - 1  # the last whole number up to which floats have all of them
    jobs = RecordedJobs(
        arrival=[-3.0, -3.0, -2.5],
        need=[1.0, 2.0, float(most)],
        duration=[0.0, 0.5, 0.25],
        job_class=[0, 3, 1],
        estimate=[0.5, 0.0, 4.0],
    ).jobs
    assert jobs.arrival.tolist() == [-3.0, -3.0, -2.5]
    assert jobs.need.tolist() == [1, 2, most]
    assert jobs.duration.tolist() == [0.0, 0.5, 0.25]
    assert jobs.job_class.tolist() == [0, 3, 1]
    assert jobs.estimate.tolist() == [0.5, 0.0, 4.0]


@pytest.mark.parametrize(
    ("need", "kept"),
    [
        (np.array([2**53 + 1]), 2**53 + 1),  # whole numbers lose no digit on the way
        (np.array([7], dtype=np.uint8), 7),
        (np.array([7], dtype=np.uint64), 7),
        ([float(2**53)], None),  # a float: it might have been another number
        ([float(2**53 + 2)], None),
        (np.array([2**63 + 5], dtype=np.uint64), None),  # would be negative
        ([2.5], None),
        ([np.nan], None),
    ],
)
def test_whole_numbers_are_kept_or_refused_but_never_cut(need, kept):
    given = {"arrival": [0.0], "duration": [1.0], "need": need}
    if kept is not None:
        assert RecordedJobs(**given).jobs.need.tolist() == [kept]
    else:
        with pytest.raises(InvalidInput, match=r"need of job 0 is .*; it must be a whole number"):
            RecordedJobs(**given)


def test_recorded_jobs_that_are_refused_are_named_by_their_place():
    given = {"arrival": [0.0, 1.0, 2.0, 3.0], "need": [1] * 4, "duration": [1.0] * 4}
    for change, sentence in (
        ({"arrival": [0.0, 1.0, 2.0, 1.75]}, "job 3 arrives before job 2; sort"),
        ({"need": [1, 1, 0, -4]}, "need of job 2 is 0; it must be at least 1"),
        ({"job_class": [0, 0, -2, -1]}, "job_class of job 2 is -2; it must be at least 0"),
        ({"duration": [1.0, 1.0, -0.25, -3.0]}, "duration of job 2 is -0.25; it must be at least 0"),
        ({"estimate": [1.0, 1.0, -0.25, -3.0]}, "estimate of job 2 is -0.25; it must be at least 0"),
        ({"estimate": [1.0, 1.0, np.inf, 1.0]}, "estimate of job 2 is not finite"),
        ({"estimate": [1.0]}, r"estimate has shape \(1,\) for 4 arrivals"),
        ({"duration": [1.0, 1.0, 1j, 1.0]}, "duration holds something that is no number"),
        ({"duration": np.array([1, 2, "NaT", 3], dtype="timedelta64[s]")}, "duration of job 2 is not a time"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            RecordedJobs(**given | change)


def test_times_of_day_count_from_1970_wherever_they_were_taken():
    """1970-01-02 00:00 UTC is second 86,400; two hours east of Greenwich it is then 02:00."""
    east = timezone(timedelta(hours=2))
    for first in (
        datetime(1970, 1, 2, 2, tzinfo=east),
        datetime(1970, 1, 2, tzinfo=UTC),
        datetime(1970, 1, 2),  # without a zone: UTC
    ):
        jobs = RecordedJobs(
            arrival=[first, first + timedelta(seconds=2.5)], need=[1, 1], duration=[timedelta(minutes=3), 4]
        ).jobs
        assert jobs.arrival.tolist() == [86_400.0, 86_402.5]
        assert jobs.duration.tolist() == [180.0, 4.0]


def test_recorded_jobs_are_handed_out_in_order_with_all_their_columns():
    jobs = RecordedJobs(
        arrival=[0, 1, 2, 3], need=[4, 3, 2, 1], duration=[5, 6, 7, 8], job_class=[0, 1, 0, 2], estimate=[9, 8, 7, 6]
    )
    assert jobs.to_spec()["jobs"] == 4
    assert jobs.to_spec() == jobs.rewound().to_spec()
    first, second = jobs.take(1), jobs.take(2)
    assert (first.need.tolist(), jobs.taken, jobs.at_hand) == ([4], 3, 1)
    found = [second.arrival, second.job_class, second.need, second.duration, second.estimate]
    assert [column.tolist() for column in found] == [[1, 2], [1, 0], [3, 2], [6, 7], [8, 7]]
    assert jobs.take(9).need.tolist() == [1]
    assert jobs.taken == 4
    assert RecordedJobs(arrival=[0], need=[1], duration=[1]).take(1).estimate is None


def test_a_generator_gives_four_words_of_32_bits():
    """PCG64 hands out its 64 bits in halves, the lower first."""
    words = [int(half) for raw in np.random.PCG64(3).random_raw(2) for half in (raw & 0xFFFFFFFF, raw >> 32)]
    assert seed_sequence(np.random.default_rng(3)).entropy == words


@pytest.mark.parametrize(
    ("sequence", "record"),
    [
        (np.random.SeedSequence(7), 7),
        (np.random.SeedSequence([7, 8]), [7, 8]),
        (np.random.SeedSequence(7).spawn(3)[2], {"entropy": 7, "spawn_key": [2]}),
        (np.random.SeedSequence([0, 8], spawn_key=(4, 5)), {"entropy": [0, 8], "spawn_key": [4, 5]}),
    ],
)
def test_a_seed_is_recorded_and_read_back(sequence, record):
    assert seed_record(sequence) == record
    for again in (seed_from_record(record), seed_sequence(record)):
        assert again.generate_state(3).tolist() == sequence.generate_state(3).tolist()


@pytest.mark.parametrize(
    "wrong",
    [
        {"entropy": 7},
        {"entropy": 7, "spawn_key": [1], "more": 2},
        {"entropy": 7, "spawn_key": 1},
        {"entropy": 7, "spawn_key": [-1]},
        {"entropy": -7, "spawn_key": [1]},
        [],
        [1, -1],
        [1, True],
    ],
)
def test_what_is_no_record_of_a_seed_is_refused(wrong):
    with pytest.raises(InvalidInput, match="is no seed"):
        seed_from_record(wrong)


def test_zero_is_a_seed():
    assert (seed_sequence(0).entropy, seed_sequence(np.int64(0)).entropy) == (0, 0)


def test_streams_are_children_by_replication_and_purpose():
    """The key says whose: a child of the root's own, our mark (the letters m, s, j), the replication, the purpose."""
    root = np.random.SeedSequence(5, spawn_key=(9,))
    own = Streams(root=root, replication=3)
    for place, purpose in enumerate(("arrivals", "classes", "durations", "estimates", "policy", "tasks")):
        child = np.random.SeedSequence(5, spawn_key=(9, int.from_bytes(b"msj"), 3, place))
        assert own.generator(purpose).random() == np.random.Generator(np.random.SFC64(child)).random()


def test_jobs_of_exponential_classes_are_what_the_streams_say():
    jobs = source(system()).take(1000)
    gaps = streams().generator("arrivals").standard_exponential(1000)
    assert jobs.arrival == pytest.approx(np.cumsum(gaps) / 0.4, rel=1e-12)
    means = np.array([3, 7, 0.25])[jobs.job_class]
    drawn = streams().generator("durations").standard_exponential(1000)
    assert jobs.duration == pytest.approx(drawn * means, rel=1e-15)
    assert np.array_equal(jobs.need, np.array([2, 3, 5])[jobs.job_class])
    assert set(jobs.job_class) == {0, 1, 2}


@pytest.mark.parametrize("fields", [{}, {"order": {"law": "sticky", "probability": 0.6}}])
def test_other_durations_are_drawn_class_by_class_in_each_block(fields):
    laws = [Erlang(stages=3, mean=2), Uniform(low=1, high=4), Exponential(mean=5), Deterministic(value=6)]
    laws.append(Exponential(mean=8))  # of a class that never comes
    needs, shares = (2, 3, 1, 5, 4), (0.4, 0.1, 0.2, 0.3, 0)
    jobs = source(system(list(zip(needs, shares, laws, strict=True)), **fields)).take(BLOCK)
    drawn = streams().generator("durations")
    assert np.bincount(jobs.job_class, minlength=5).tolist()[4] == 0
    for index, law in enumerate(laws[:4]):
        here = jobs.job_class == index
        assert np.array_equal(jobs.duration[here], law.sample(drawn, int(here.sum())))
        assert set(jobs.need[here].tolist()) == {needs[index]}


def test_who_says_when_and_who_comes():
    """Poisson arrivals of independent jobs have a loop of their own; others are asked."""
    plain, sticky = system(), system(order={"law": "sticky", "probability": 0.6})
    daily = system(arrivals={"law": "daily", "cycle": 24, "rates": [1, 3]})
    assert [source(each).arrivals is None for each in (plain, sticky, daily)] == [True, True, False]
    assert [source(each).order is None for each in (plain, sticky, daily)] == [True, False, True]
    # A job is like the one before with 0.6, and else with 0.5² + 0.2² + 0.3² = 0.38.
    jobs = source(sticky).take(20_000)
    alike = np.mean(jobs.job_class[1:] == jobs.job_class[:-1])
    assert alike == pytest.approx(0.6 + 0.4 * 0.38, abs=5 * np.sqrt(0.752 * 0.248 / 20_000))


MARKED = {"law": "map", "D0": [[-3, 1], [1, -2]], "D1": {"class 0": [[1, 0], [0, 0]], "class 1": [[0, 1], [0, 1]]}}


@pytest.mark.parametrize("arrivals", [{"law": "daily", "cycle": 24, "rates": [1, 3]}, MARKED])
def test_other_arrivals_say_when_jobs_come_and_perhaps_of_which_class(arrivals):
    two = [(2, None, Exponential(mean=3)), (5, None, Exponential(mean=7))]
    made = system(two if arrivals is MARKED else EXPONENTIAL, arrivals=arrivals)
    jobs = source(made).take(1000)
    gaps, classes = np.empty(BLOCK), np.empty(BLOCK, dtype=np.int64)
    made.arrivals.sampler(0.4, streams().generator("arrivals"), [c.name for c in made.classes]).draw(gaps, classes)
    assert jobs.arrival == pytest.approx(np.cumsum(gaps)[:1000], rel=1e-12)
    if arrivals is MARKED:
        assert np.array_equal(jobs.job_class, classes[:1000])
        assert np.array_equal(jobs.need, np.array([2, 5])[jobs.job_class])
        drawn = streams().generator("durations").standard_exponential(1000)
        assert jobs.duration == pytest.approx(drawn * np.array([3, 7])[jobs.job_class], rel=1e-15)


def test_the_last_jobs_of_a_block_are_not_lost_to_the_one_that_follows():
    whole = [column[: BLOCK + 1] for column in columns(source(system()).take(BLOCK + 50))]
    again = source(system())
    again.take(BLOCK - 4)
    for column, wanted in zip(columns(again.take(5)), whole, strict=True):
        assert np.array_equal(column, wanted[BLOCK - 4 :])


def test_jobs_in_an_order_have_the_means_of_their_classes():
    jobs = source(system(order={"law": "sticky", "probability": 0.6})).take(1000)
    drawn = streams().generator("durations").standard_exponential(1000)
    assert jobs.duration == pytest.approx(drawn * np.array([3, 7, 0.25])[jobs.job_class], rel=1e-15)
    assert np.array_equal(jobs.need, np.array([2, 3, 5])[jobs.job_class])


def test_however_many_are_asked_for_the_same_jobs_come():
    """Within a block, across its end, and over more than one block at once."""
    whole = columns(source(system()).take(2 * BLOCK + 40))
    again, at_hand = source(system()), []
    parts = []
    for count in (3, BLOCK - 10, 20, 2, BLOCK + 25):
        at_hand.append(again.at_hand)
        parts.append(columns(again.take(count)))
        assert again.clock == parts[-1][0][-1]
    for column, wanted in enumerate(whole):
        assert np.array_equal(np.concatenate([part[column] for part in parts]), wanted)
    # 3, then 7 short of the end, then 13 beyond it, then 15.
    assert at_hand == [BLOCK, BLOCK - 3, 7, BLOCK - 13, BLOCK - 15]
    exactly = source(system())
    exactly.take(BLOCK)
    assert exactly.at_hand == BLOCK


@pytest.mark.parametrize(
    ("busy", "gap", "times"),
    [
        (1.0, 7000.0, 1000.0),  # a thousand times the longest mean, which is 7
        (0.5, 14_000.0, 2000.0),  # half a server at least: it takes twice as long until all is done
        (4.0, 7000.0, 1000.0),
        (0.0, np.inf, np.inf),
    ],
)
def test_from_which_gap_on_time_is_cut(busy, gap, times):
    found = source(system(), least_busy=busy)
    assert (found.least_gap, found.long_empty) == (gap, times)


def test_no_time_is_cut_where_an_empty_cluster_may_change_or_the_clock_matters():
    daily = {"law": "daily", "cycle": 24, "rates": [1, 3]}
    assert source(system(arrivals=daily)).least_gap == np.inf
    assert source(system()).skipped == source(system()).clock == 0.0
    setting_up = system(model={"name": "set-up", "set_up_rate": 0.5})
    assert (source(setting_up).least_gap, source(setting_up).long_empty) == (np.inf, np.inf)


def arrived(times, gaps, need, duration, *, rate=0.5, least_gap=5.0, long_empty=2.0):
    times, arrival, before = np.array(times), np.array(gaps), np.full(len(gaps), -1.0)
    _arrive.py_func(times, rate, least_gap, long_empty, np.array(need), np.array(duration), arrival, before)
    return times.tolist(), arrival.tolist(), before.tolist()


def test_long_gaps_are_cut_to_what_empties_the_cluster():
    """Gaps of mean 2; up to 5 they are short, whoever is there, and beyond that up to 5 and twice the work left.

    The clock begins at 10 with 3 cut before and work for 7. Gaps of 2, 4 and 5 are short: 12, 16, 21, and of the 7
    nothing is left of it, but 2·1.5 + 3·0.5 + 1·4 = 8.5 came. A gap of 8 is below 5 + 2·8.5 = 22: 29, and 0.5 is left
    besides 4·0.25. A gap of 8.5 is beyond 5 + 2·1.5 = 8: 0.5 is cut, 37, and 1·3 is the work. A gap of 11 is just 5 +
    2·3: 48, work 2·2. A gap of 30 is beyond 13: 17 more are cut, 61, work 3·0.5.
    """
    found = arrived(
        [10.0, 3.0, 7.0],
        [1.0, 2.0, 2.5, 4.0, 4.25, 5.5, 15.0],
        [2, 3, 1, 4, 1, 2, 3],
        [1.5, 0.5, 4.0, 0.25, 3.0, 2.0, 0.5],
    )
    assert found == (
        [61.0, 20.5, 1.5],
        [12.0, 16.0, 21.0, 29.0, 37.0, 48.0, 61.0],
        [3.0, 3.0, 3.0, 3.0, 3.5, 3.5, 20.5],
    )


def test_where_all_gaps_are_short_nothing_is_cut_and_the_work_left_is_what_came_less_the_time():
    assert arrived([0.0, 4.0, 20.0], [1.0, 2.0], [2, 3], [1.5, 0.5]) == ([6.0, 4.0, 18.5], [2.0, 6.0], [4.0, 4.0])


def test_a_long_gap_may_come_first():
    """A gap of 40 where 5 + 2·6 = 17 would do, with a job of work 6 in it; then one of 2, after which 6 - 2 is left."""
    found = arrived([1.0, 0.0, 6.0], [20.0, 1.0], [3, 1], [2.0, 7.0])
    assert found == ([20.0, 23.0, 11.0], [18.0, 20.0], [23.0, 23.0])


def test_a_class_keeps_its_slot_or_leaves_it_to_another():
    """Three slots of a third: in the middle of the second, 0.5, class 1 stays where it keeps 0.6 and goes at 0.5."""
    chosen = np.array([0.0, 0.24, 0.5, 0.5, 0.99])
    for keeps, second in ((0.6, 1), (0.5, 2), (0.4, 2)):
        accept, alias = np.array([0.7, keeps, 1.0]), np.array([1, 2, 0])
        for durations in (np.arange(1.0, 6.0), np.empty(0)):
            job_class, need = np.full(5, -1), np.full(5, -1)
            means = np.array([2.0, 3.0, 5.0])
            _choose.py_func(chosen, accept, alias, np.array([4, 6, 8]), job_class, need, means, durations)
            assert job_class.tolist() == [0, 1, second, second, 2]
            assert need.tolist() == [4, 6, {1: 6, 2: 8}[second], {1: 6, 2: 8}[second], 8]
            if len(durations):
                assert durations.tolist() == [2.0, 6.0, 3 * means[second], 4 * means[second], 25.0]


def test_what_lies_class_by_class_goes_to_its_place():
    first, duration = np.array([0, 2, 2]), np.zeros(5)
    _put_in_place.py_func(np.array([2, 0, 2, 0, 2]), first, np.array([1.0, 2.0, 3.0, 4.0, 5.0]), duration)
    assert duration.tolist() == [3.0, 1.0, 4.0, 2.0, 5.0]


def given_by(accept, alias):
    found = np.zeros(len(accept))
    for slot, (keep, other) in enumerate(zip(accept, alias, strict=True)):
        found[slot] += keep / len(accept)
        found[other] += (1 - keep) / len(accept)
    return found


def test_a_class_that_never_arrives_keeps_no_slot_whatever_is_rounded():
    chance = np.random.default_rng(1)
    for _ in range(100):
        shares = chance.integers(0, 4, size=chance.integers(2, 9)).astype(float)
        shares[-1] += 1.0
        accept, alias = alias_table(shares * 0.1)
        assert given_by(accept, alias) == pytest.approx(shares / shares.sum(), abs=1e-15)
        for index in np.flatnonzero(shares == 0):
            assert accept[index] == 0.0
            assert index not in alias
        assert np.all((accept >= 0) & (accept <= 1))
