"""Rules on small examples by hand, against a second way to plan, and what policies say of themselves at limits."""

import math

import numpy as np
import pytest

from msj import Erlang, Exponential, Hyperexponential, InvalidInput, JobClass, System, simulate
from msj.disciplines.adaptive_quickswap import adaptive_quickswap
from msj.disciplines.base import Fills
from msj.disciplines.counting import ByNeed, Heaviest
from msj.disciplines.fitting_units import _placed, _units, why_never_starts
from msj.disciplines.gittins_rank import gittins_ranks
from msj.disciplines.msfq import msfq
from msj.disciplines.own_function import OwnFunction, users_own
from msj.disciplines.plain_parts import _could_hold, _segment_work, mean_capacity
from msj.disciplines.service_rates import alone_in_turn
from msj.disciplines.smash import smash
from msj.disciplines.static_quickswap import static_quickswap
from msj.model.durations import Deterministic, Uniform
from msj.registry import POLICIES
from strategies import simple

LARGE, SMALL, DRAINING = range(3)


def policy(name, **options):
    return POLICIES.get(name).from_options(options)


def decided(decide, needs, present, running, servers, memory):
    now, kept = np.array(running), np.array([memory])
    decide(np.array(needs), np.array(present), now, servers, kept)
    return now.tolist(), int(kept[0])


@pytest.mark.parametrize(
    ("threshold", "always", "present", "running", "memory", "now", "then"),
    [
        (-1, False, [3, 2], [0, 0], LARGE, [0, 1], LARGE),
        (-1, False, [3, 1], [0, 1], LARGE, [0, 1], LARGE),
        (-1, False, [3, 0], [0, 0], LARGE, [3, 0], SMALL),  # nobody large waits: no reason to drain
        (-1, True, [3, 0], [0, 0], LARGE, [3, 0], DRAINING),
        (-1, False, [5, 1], [4, 0], SMALL, [4, 0], SMALL),
        (-1, False, [4, 1], [3, 0], SMALL, [4, 0], SMALL),
        (-1, False, [3, 1], [3, 0], SMALL, [3, 0], DRAINING),
        (-1, False, [4, 1], [3, 0], DRAINING, [3, 0], DRAINING),  # nobody starts while it drains
        (-1, False, [1, 1], [0, 0], DRAINING, [0, 1], LARGE),
        (-1, False, [0, 0], [0, 0], SMALL, [0, 0], LARGE),
        (-1, False, [0, 1], [0, 1], SMALL, [0, 1], SMALL),
        (1, False, [2, 1], [2, 0], SMALL, [2, 0], SMALL),
        (1, False, [1, 1], [1, 0], SMALL, [1, 0], DRAINING),
        (0, False, [0, 1], [0, 0], SMALL, [0, 1], LARGE),
        (0, False, [1, 1], [1, 0], SMALL, [1, 0], SMALL),
    ],
)
def test_msfq_by_hand(threshold, always, present, running, memory, now, then):
    assert decided(msfq(threshold, always), (1, 4), present, running, 4, memory) == (now, then)


def test_msfq_without_jobs_of_all_servers():
    assert decided(msfq(-1, False), (1,), [2], [0], 1, LARGE) == ([1], SMALL)
    assert decided(msfq(-1, False), (1, 2), [3, 1], [0, 0], 4, LARGE) == ([2, 1], SMALL)


def test_msfq_with_jobs_of_all_servers_only():
    assert decided(msfq(-1, False), (4,), [2], [0], 4, LARGE) == ([1], LARGE)


@pytest.mark.parametrize(
    ("present", "running", "memory", "now", "then"),
    [
        ([2, 1], [0, 0], 0, [1, 1], 0),
        ([4, 1], [4, 0], 0, [4, 0], 1),  # need 3 is left out and nobody else waits
        ([5, 1], [4, 0], 0, [4, 0], 0),  # one of need 1 waits, too
        ([4, 1], [2, 0], 1, [2, 0], 1),
        ([2, 1], [1, 0], 1, [1, 1], 0),
        ([2, 0], [0, 0], 1, [2, 0], 0),
        ([4, 0], [4, 0], 0, [4, 0], 0),
    ],
)
def test_adaptive_quickswap_by_hand(present, running, memory, now, then):
    assert decided(adaptive_quickswap, (1, 3), present, running, 4, memory) == (now, then)


@pytest.mark.parametrize(
    ("needs", "present", "running", "memory", "now", "then"),
    [
        ((1, 3), [2, 1], [0, 0], 0, [2, 0], 1),  # the turn is passed on, and need 3 waits for room
        ((1, 3), [5, 1], [0, 0], 0, [4, 0], 0),
        ((1, 3), [2, 0], [0, 0], 0, [2, 0], 0),
        ((1, 2, 4), [1, 1, 0], [0, 0, 0], 2, [1, 1, 0], 0),
        ((1, 2, 4), [0, 1, 1], [0, 0, 0], 0, [0, 0, 1], 2),
        ((1, 2, 4), [2, 3, 0], [0, 0, 0], 1, [0, 2, 0], 1),
        ((1, 2, 4), [2, 1, 1], [0, 1, 0], 1, [2, 1, 0], 0),
    ],
)
def test_static_quickswap_by_hand(needs, present, running, memory, now, then):
    assert decided(static_quickswap, needs, present, running, 4, memory) == (now, then)


def served(serve, needs, servers, running=(), remaining=None):
    chosen, now = np.zeros(len(needs), dtype=np.bool_), np.zeros(len(needs), dtype=np.bool_)
    now[list(running)] = True
    left = np.ones(len(needs)) if remaining is None else np.array(remaining, dtype=float)
    serve(np.array(needs, dtype=np.int64), now, left, servers, chosen)
    return np.flatnonzero(chosen).tolist()


def planned(needs, running, remaining, servers):
    """Conservative backfilling with a list of what is planned: each at the first moment with room for all its time."""
    plan = [(0.0, remaining[i], needs[i]) for i in running]
    found = list(running)
    for i in range(len(needs)):
        if i in running:
            continue
        for begin in sorted({0.0, *(end for _, end, _ in plan)}):
            end = begin + remaining[i]
            moments = [begin, *(first for first, _, _ in plan if begin < first < end)]
            if all(sum(n for a, b, n in plan if a <= t < b) + needs[i] <= servers for t in moments):
                break
        plan.append((begin, end, needs[i]))
        found += [i] if begin == 0.0 else []
    return sorted(found)


def backfilled(needs, running, remaining, servers):
    """EASY: the first that does not fit is promised the earliest moment that has room for it."""
    found, line = list(running), [i for i in range(len(needs)) if i not in running]
    free = servers - sum(needs[i] for i in found)
    while line and needs[line[0]] <= free:
        found.append(line.pop(0))
        free -= needs[found[-1]]
    if not line:
        return sorted(found)
    head = line.pop(0)
    moment = next(t for t in sorted({remaining[i] for i in found})
                  if free + sum(needs[i] for i in found if remaining[i] <= t) >= needs[head])  # fmt: skip
    extra = free + sum(needs[i] for i in found if remaining[i] <= moment) - needs[head]
    for i in line:
        late = remaining[i] > moment
        if needs[i] <= free and (not late or needs[i] <= extra):
            found.append(i)
            free -= needs[i]
            extra -= needs[i] if late else 0
    return sorted(found)


@pytest.mark.parametrize("name", ["easy-backfilling", "conservative-backfilling"])
def test_backfilling_against_a_second_way_to_plan(name):
    lots = np.random.default_rng(5)
    for _ in range(300):
        servers, count = int(lots.integers(2, 9)), int(lots.integers(1, 8))
        needs = lots.integers(1, servers + 1, count).tolist()
        remaining = lots.integers(1, 6, count).astype(float).tolist()
        running, free = [], servers
        for i in lots.permutation(count).tolist():
            if needs[i] <= free and lots.random() < 0.4:
                running.append(i)
                free -= needs[i]
        second = planned if name.startswith("conservative") else backfilled
        wanted = second(needs, sorted(running), remaining, servers)
        assert served(policy(name).serve, needs, servers, running, remaining) == wanted


def test_smash_and_other_plain_functions_by_hand():
    # Of the two oldest that wait the larger starts; whoever starts lets one more be seen.
    assert served(smash(2), [1, 2, 4, 1], 5) == [0, 1, 3]
    assert served(smash(3), [1, 2, 4, 1], 5) == [0, 2]
    assert served(smash(2), [3, 3, 1], 4) == [0, 2]
    assert served(smash(2), [3, 3, 2, 1], 4) == [0]
    assert served(smash(1), [2, 3, 1], 4) == [0]
    assert served(smash(2), [2, 3, 1, 1], 4, running=[1]) == [1, 2]
    timers = policy("randomized-timers").serve
    assert served(timers, [3, 2, 1], 4, running=[1]) == [1, 2]
    assert served(timers, [1, 2, 1], 4) == [0]
    assert served(policy("first-fit", oldest=2).serve, [3, 2, 1], 4) == [0]
    assert served(policy("first-fit", oldest=3).serve, [3, 2, 1], 4) == [0, 2]
    assert served(policy("msr", packings=[[1, 2], [3, 0]], shares=[1, 1]).serve, [2, 1, 1, 2, 2], 5) == [0, 1, 3]
    assert served(policy("greedy-srpt", oldest=2).serve, [1, 1, 1], 4) == [0, 1]
    assert served(policy("server-filling").serve, [1, 1, 2, 4], 4) == [0, 1, 2]
    assert served(policy("divisor-filling").serve, [3, 2, 2, 3, 2], 6) == [0, 3]
    assert served(policy("divisor-filling").serve, [4, 3, 1], 6) == [0, 2]


@pytest.mark.parametrize(
    ("made", "servers", "least", "oldest", "fills"),
    [
        (policy("fcfs"), 7, 2, 3, Fills.EQUAL_NEEDS),
        (policy("first-fit", window=3), 7, 2, 5, Fills.EQUAL_NEEDS),
        (policy("first-fit"), 7, 2, None, Fills.EQUAL_NEEDS),
        (policy("first-fit", oldest=3), 7, 2, 3, Fills.EQUAL_NEEDS),
        (policy("first-fit", oldest=3), 8, 2, 3, Fills.UNKNOWN),
        (policy("greedy-srpt", oldest=3), 7, 2, 3, Fills.EQUAL_NEEDS_IN_ANY_ORDER),
        (policy("greedy-srpt", oldest=3), 8, 2, 3, Fills.UNKNOWN),
        (policy("best-packing", window=3, preemptive=True), 6, 2, 5, Fills.EQUAL_NEEDS),
        (policy("best-packing", window=3, preemptive=True), 7, 2, 5, Fills.UNKNOWN),
        (policy("best-packing", window=3), 7, 2, 5, Fills.EQUAL_NEEDS),
        (policy("smash", window=3), 7, 2, 5, Fills.EQUAL_NEEDS),
        (policy("smash"), 7, 2, None, Fills.EQUAL_NEEDS),
        (policy("threshold-parallelism"), 7, 2, 4, Fills.SHARED),
        (policy("threshold-parallelism", order="elastic"), 7, 2, None, Fills.SHARED),
        (policy("limited-processor-sharing", limit=3), 7, 2, 3, Fills.SHARED),
        (policy("limited-processor-sharing", speeds=[1, "1/2"], limit=2), 7, 2, 2, Fills.UNKNOWN),
        (policy("heterogeneous-servers"), 7, 1, 7, Fills.SHARED),
    ],
)
def test_how_far_policies_look(made, servers, least, oldest, fills):
    assert made.oldest_served(servers, least) == oldest
    assert made.fills_on(servers, least) is fills


def test_how_busy_servers_are_at_least():
    assert policy("fcfs").least_busy(7, 2) == (2 / 7, "with a job present at least 2 of 7 servers are busy")
    assert policy("fcfs").least_busy(7, 1) == (1 / 7, "with a job present at least 1 of 7 servers is busy")
    assert policy("fcfs").least_busy_per_job(7, 2) is None
    uneven = {"speeds": [1, 3]}
    for assignment, least, per_job in (
        ("fastest-first", 0.75, 0.5), ("newest-first", 0.75, 0.5), ("slowest-first", 0.25, 0.25), ("stay", 0.25, 0.25),
    ):  # fmt: skip
        made = policy("heterogeneous-servers", **uneven, assignment=assignment)
        assert made.least_busy(2, 1)[0] == least
        assert made.least_busy_per_job(2, 1) == per_job
        assert (made.fastest_speed(2), made.service_capacity(2)) == (3.0, 4.0)
        assert made.speeds_in_order(2) == ((1.0, 3.0) if assignment == "slowest-first" else (3.0, 1.0))
        assert made.least_busy(3, 1) == (None, "2 speeds are given for 3 servers; give one for each")
        assert made.least_busy_per_job(3, 1) is None
    assert policy("heterogeneous-servers").server_speeds(3) == (1.0, 1.0, 1.0)
    assert policy("heterogeneous-servers").service_capacity(3) == policy("fcfs").service_capacity(3) == 3.0
    shared = policy("limited-processor-sharing", limit=3, speeds=["1/2", "1/4", 1])
    assert shared.least_busy(8, 8) == (0.25, "2 jobs have 0.25 of all servers together")
    assert shared.least_busy_per_job(8, 8) == 0.125
    assert shared.front_model(simple(8, (8, 1, 1))) is not None
    still = policy("limited-processor-sharing", speeds=[1, 0, "1/2"])
    assert still.least_busy(3, 3) == (None, "with 2 of 3 jobs present nobody is served")
    assert still.front_model(simple(3, (3, 1, 1))) is None
    plain = policy("limited-processor-sharing")
    assert plain.least_busy(4, 4) == (1.0, "a job alone has all servers")
    assert (plain.least_busy_per_job(4, 4), plain.limit_on(4), plain.together(4)) == (0.25, 4, (1.0,) * 4)
    assert policy("threshold-parallelism").least_busy_per_job(7, 2) == 0.25
    assert policy("threshold-parallelism", order="elastic").least_busy_per_job(7, 2) is None


def test_what_a_policy_has_seen_enough_of():
    assert policy("server-filling").sees_enough([2, 1], 4) is False
    assert policy("server-filling").sees_enough([2, 2], 4) is True
    assert policy("divisor-filling").front_on(6) is not None
    windowed = policy("smash", window=3)
    assert (windowed.front, windowed.front_on(4)) == (3, 6)
    assert windowed.sees_enough([1] * 5, 4) is False
    assert windowed.sees_enough([1] * 6, 4) is True
    assert policy("first-fit").sees_enough([1] * 99, 4) is False


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("limited-processor-sharing", {"speeds": [1, 1.5]}, r"speeds\[1\] = 1.5 must be a share"),
        ("limited-processor-sharing", {"speeds": [-0.5, 1]}, r"speeds\[0\] = -0.5 must be a share"),
        ("limited-processor-sharing", {"speeds": [1, 0]}, "the last of speeds must be above 0"),
        ("limited-processor-sharing", {"speeds": [1, 1], "limit": 3}, "2 speeds are given and at most 3 jobs share"),
        ("randomized-timers", {"b": 1}, "b = 1 must be at least 0 and below 1"),
        ("randomized-timers", {"b": -0.1}, "b = -0.1 must be"),
        ("balanced-splitting", {"psi": 1.1}, "psi = 1.1 must be between 0"),
        ("balanced-splitting", {"psi": -0.1}, "psi = -0.1 must be between 0"),
        ("msfq", {"threshold": -1}, "threshold = -1 must be at least 0"),
        ("msr", {"packings": [[1, 2]], "shares": [1, 1]}, "1 packings and 2 shares are given"),
        ("msr", {"packings": [[1, 2], [1]], "shares": [1, 1]}, "differ in length"),
        ("first-fit", {"window": 2, "oldest": 3}, "window = 2 and oldest = 3 are both given"),
        ("first-fit", {"restart": True}, "restart = true, but with preemptive = false"),
        ("easy-backfilling", {"factor": 0.99}, "factor = 0.99 would end jobs"),
    ],
)
def test_options_beyond_their_limits(name, options, words):
    with pytest.raises(InvalidInput, match=words):
        policy(name, **options)


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("best-packing", "window"),
        ("first-fit", "window"),
        ("first-fit", "oldest"),
        ("smash", "window"),
        ("greedy-srpt", "oldest"),
        ("limited-processor-sharing", "limit"),
    ],
)
def test_how_many_are_looked_at_is_a_whole_number_from_1_on(name, option):
    assert getattr(policy(name, **{option: "6/2"}), option) == 3
    assert isinstance(getattr(policy(name, **{option: 1.0}), option), int)
    with pytest.raises(InvalidInput, match=f"{option} = 0 must be at least 1"):
        policy(name, **{option: 0})


def test_options_at_their_limits():
    assert policy("randomized-timers", b=0).b == 0
    assert (policy("balanced-splitting", psi=0).psi, policy("balanced-splitting", psi=1).psi) == (0, 1)
    assert policy("msfq", threshold=0).beyond == 0
    assert (policy("msfq", threshold=3).beyond, policy("msfq").beyond) == (3, 0)
    assert policy("easy-backfilling").estimated(np.array([1.5])).tolist() == [1.5]
    assert policy("easy-backfilling", factor=3).estimated(np.array([1.5])).tolist() == [4.5]
    assert policy("limited-processor-sharing", speeds=[0, 1]).speeds == (0, 1)


def mixed(servers, **more):
    """Needs 1 (twice) and 3: works of 1/2·2 + 1/4·4 = 2 and 1/4·6 = 3/2 of time."""
    given = (("a", 1, "1/2", 2), ("b", 1, "1/4", 4), ("c", 3, "1/4", 6))
    classes = [JobClass(name=n, need=v, share=p, duration=Exponential(mean=m)) for n, v, p, m in given]
    return System(servers=servers, classes=classes, **more)


def test_packings_take_turns_by_the_work_of_their_needs():
    chosen = policy("msr").on(mixed(7))
    assert chosen.packings == ((7, 0), (0, 2)) == alone_in_turn([1, 3], 7)
    parts = [2 / 7, 1.5 / 2]
    assert chosen.shares == pytest.approx([part / sum(parts) for part in parts])
    assert chosen.cycle == pytest.approx(10 * 3.5)
    assert chosen.mean_stays() == pytest.approx([35 * part / sum(parts) for part in parts])
    given = policy("msr", packings=[[1, 2], [7, 0]], shares=[1, 3], cycle=8)
    assert given.on(mixed(7)) == given
    assert given.mean_stays() == (2.0, 6.0)
    assert given.supports(mixed(7)) is None
    assert given.supports(mixed(6)).startswith("packing [1, 2] of needs [1, 3] takes 7 of 6 servers")
    assert policy("msr", packings=[[7, 0]], shares=[1]).supports(mixed(7)).startswith("no packing serves need 3")
    assert policy("msr", packings=[[7]], shares=[1]).supports(mixed(7)).startswith("packing [7] has 1 numbers and")
    assert policy("msr", packings=[[1, 1]], shares=[2]).mean_stays() == (10.0,)


def test_servers_of_ones_own():
    """Servers' time: 2 for need 1 and 3·3/2 = 9/2 for need 3, together 13/2; of 13 servers that is 4 and 9."""
    assert policy("balanced-splitting", psi=1).on(mixed(13)).owned == ((1, 4), (3, 9))
    assert policy("balanced-splitting", psi=0.9).on(mixed(13)).owned == ((1, 3), (3, 6))
    assert policy("balanced-splitting", psi=0).on(mixed(13)).owned == ((1, 0), (3, 0))
    assert policy("balanced-splitting", psi=1).supports(mixed(13)) is None
    assert policy("balanced-splitting", owned=[[1, 9], [3, 3]]).supports(mixed(13)) is None
    assert (
        policy("balanced-splitting", owned=[[1, 11], [3, 3]])
        .supports(mixed(13))
        .startswith("owned = {1: 11, 3: 3} is more than servers = 13")
    )
    words = policy("balanced-splitting", owned=[[1, 11]]).supports(mixed(13))
    assert (
        words.startswith("class 'c2' needs 3 servers, owns 0, and 2 help, so it would wait for ever")
        or "owns 0" in words
    )
    assert policy("balanced-splitting", owned=[[1, 10]]).supports(mixed(13)) is None


def test_msfq_is_for_needs_1_and_all():
    assert policy("msfq").supports(mixed(3)) is None
    assert "needs 3 of 4 servers, and msfq is for needs 1 and all" in policy("msfq").supports(mixed(4))
    assert policy("msfq", threshold=2).supports(mixed(3)) is None
    assert "threshold = 3 must be below servers = 3" in policy("msfq", threshold=3).supports(mixed(3))


def test_counts_that_are_served_and_started():
    def by_need(**options):
        return ByNeed(servers=8, needs=(2, 3), **{"larger_first": True} | options)

    assert by_need().served(np.array([[9, 1], [1, 9]]))[0][1].tolist() == [[2.0, 1.0], [1.0, 2.0]]
    assert by_need(shares=True).served(np.array([[9, 1], [0, 9]]))[0][1] == pytest.approx(
        np.array([[2.5, 1], [0, 8 / 3]])
    )
    assert by_need(larger_first=False).served(np.array([[3, 9]]))[0][1].tolist() == [[3.0, 0.0]]
    assert by_need(preemptive=False).started([5, 2], [1, 0]) == (1, 2)
    assert by_need(preemptive=False).started([5, 2], [2, 0]) == (2, 1)
    assert (by_need().steady_from(1, ()), by_need(preemptive=False).steady_from(1, ())) == (3, 7)
    assert (by_need().levels, by_need(preemptive=False).levels) == ((0,), (0, 1))
    assert by_need(larger_first=False).levels == (1,)


def test_the_heaviest_of_many_packings():
    rule = Heaviest(servers=5, needs=(1, 3), limited=False, ties="smallest")
    assert rule.packings.tolist() == [[2, 1], [5, 0]]
    limited = Heaviest(servers=5, needs=(1, 3), limited=True, ties="smallest")
    assert limited.packings.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1], [3, 0], [4, 0], [5, 0]]
    # Five of need 1 weigh 5·n, two and one of need 3 weigh 2·n + m: from m = 3·n on it is the latter.
    for n, m in ((2, 5), (2, 7)):
        target = rule.served(np.array([[n, m]]))[0][1][0].tolist()
        assert target == ([2.0, 0.0] if m < 3 * n else [2.0, 1.0])
    assert rule.steady_from(0, (0, 9)) == 5  # 9 jobs of need 3: more than 3 of need 1 outweigh them; 5 run at most
    assert rule.steady_from(0, (0, 60)) == 21
    assert rule.steady_from(1, (4, 0)) == 13
    assert rule.why_not_decided() is None
    many = Heaviest(servers=300, needs=(1, 2, 3, 4), limited=False, ties="smallest")
    assert "in too many ways to list" in many.why_not_decided()


def test_gittins_ranks_by_hand():
    """Hazards that grow: the rank is the mean rest, (2 + t)/(1 + t) of two stages of mean 1, (4 − t)/2 of a uniform.

    Hazards that fall: it is one over the hazard, at age 0 one over the mean rate.
    """
    ages, ranks = gittins_ranks(Erlang(stages=2, mean=2))
    assert (ages[0], ranks[0]) == (0.0, pytest.approx(2.0))
    assert ranks == pytest.approx((2 + ages) / (1 + ages), rel=1e-4)
    assert ages[-1] > 5
    ages, ranks = gittins_ranks(Uniform(low=1, high=4))
    early = ages < 3
    assert ranks[early] == pytest.approx(np.where(ages < 1, 2.5 - ages, (4 - ages) / 2)[early], rel=0.02)
    assert [part.tolist() for part in gittins_ranks(Deterministic(value=3))] == [[0.0], [pytest.approx(3.0)]]
    rates, chances = np.array([4.0, 0.5]), np.array([0.75, 0.25])
    ages, ranks = gittins_ranks(Hyperexponential(rates=rates.tolist(), probabilities=chances.tolist()))
    alive = chances * np.exp(-np.outer(ages, rates))
    hazard = (alive * rates).sum(axis=1) / alive.sum(axis=1)
    some = ages < 2  # where the grid is fine enough
    assert ranks[some] == pytest.approx(1 / hazard[some], rel=0.08)
    assert ranks[0] == pytest.approx(1 / (chances @ rates), rel=0.02)
    assert ranks[-1] == pytest.approx(2.0, rel=0.01)


def segment(need, after=(), **resources):
    return {"need": need, "after": list(after), "resources": resources, "law": Exponential(mean=2)}


def told(*segments, groups=(0,), span=False, at_most=None):
    return {"segments": list(segments), "groups": list(groups), "span": span, "at_most": at_most}


ONE = JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))
TWO_GROUPS = {"old": (4, 1.0, {"gpus": 2}), "new": (2, 1.0, {})}


def why(asked, groups, capacity=None, environment=()):
    return why_never_starts(ONE, asked, groups, capacity or {}, environment)


def test_a_job_that_could_start():
    assert why(told(segment(4)), {"all": (4, 1.0, {})}) is None
    assert why(told(segment(4, gpus=2), groups=(0,)), TWO_GROUPS) is None
    assert why(told(segment(6), groups=(0, 1), span=True), TWO_GROUPS) is None
    assert why(told(segment(3), at_most=3), {"all": (4, 1.0, {})}) is None
    assert why(told(segment(2, gpus=3)), {"all": (4, 1.0, {})}, {"gpus": 3}) is None
    # One on each: two that start together, the second in the other group.
    assert why(told(segment(3), segment(2), groups=(0, 1)), TWO_GROUPS) is None
    # After each other they do not add up.
    assert why(told(segment(4), segment(4, after=[0])), {"all": (4, 1.0, {})}) is None


@pytest.mark.parametrize(
    ("asked", "groups", "capacity", "words", "place"),
    [
        (told(segment(5)), {"all": (4, 1.0, {})}, {}, "class 'a' needs 5 of 4 servers; raise servers", 0),
        (told(segment(7), groups=(0, 1), span=True), TWO_GROUPS, {}, "class 'a' needs 7 of 6 servers", 0),
        (told(segment(2, gpus=4)), {"all": (4, 1.0, {})}, {"gpus": 3}, "class 'a' needs 4 of 3 gpus", 0),
        (told(segment(1, gpus=3), groups=(0, 1)), TWO_GROUPS, {"gpus": 1}, "class 'a' needs 3 of 2 gpus", 0),
        (told(segment(4), at_most=3), {"all": (4, 1.0, {})}, {}, "needs 4 servers at once and at_most = 3", 0),
        (told(segment(5), groups=(0, 1)), TWO_GROUPS, {}, "needs 5 servers of one group and group 'old' has 4", 0),
        (told(segment(3), groups=(0, 1)), TWO_GROUPS, {}, "needs 3 servers of one group and group 'new' has 2", 0),
        (told(segment(1), segment(5, after=[0]), groups=(0, 1)), TWO_GROUPS, {}, "and no group has as many", 1),
        (told(segment(1), segment(3), segment(2), groups=(0, 1)), TWO_GROUPS, {}, None, 0),
        (told(segment(3), segment(3), groups=(0, 1)), TWO_GROUPS, {}, "2 segments of class 'a' start together", 0),
        (told(segment(2), segment(2), at_most=3), {"all": (4, 1.0, {})}, {}, "2 segments of class 'a' start", 0),
        (told(segment(1), segment(3, after=[0]), segment(2, after=[0])), {"all": (4, 1.0, {})}, {}, "2 segments", 1),
        (told(segment(1, gpus=2), segment(1, gpus=2)), {"all": (4, 1.0, {})}, {"gpus": 3}, "2 segments of", 0),
        (told(segment(1, gpus=2), segment(1, gpus=1)), {"all": (4, 1.0, {})}, {"gpus": 3}, None, 0),
        (told(segment(1, gpus=1), segment(1, gpus=2), groups=(0,)), TWO_GROUPS, {}, "2 segments of", 0),
        (told(segment(4, gpus=2), segment(2, gpus=2), groups=(0, 1), span=True), TWO_GROUPS, {"gpus": 3}, "2 seg", 0),
    ],
)  # fmt: skip
def test_jobs_that_could_never_start(asked, groups, capacity, words, place):
    found = why(asked, groups, capacity)
    if words is None:
        assert found is None
    else:
        assert words in found[0]
        assert found[1] == place


def test_what_an_environment_always_takes_is_not_there():
    """In every state at least one of the first group and none of the second is taken."""
    around = [{"taken": ((1, 2), (3, 0))}]
    assert why(told(segment(3), groups=(0,)), TWO_GROUPS, environment=around) is None
    found = why(told(segment(4), groups=(0,)), TWO_GROUPS, environment=around)
    assert found == ("class 'a' and find no room even in the empty cluster; lower need or resources, or give more", 0)
    twice = [{"taken": ((1, 0),)}, {"taken": ((1, 0),)}]
    assert why(told(segment(3), groups=(0,)), TWO_GROUPS, environment=twice) is not None
    assert why(told(segment(2), groups=(0,)), TWO_GROUPS, environment=twice) is None


def test_segments_that_start_together():
    a, b, c, d = segment(1), segment(2), segment(3, after=[0]), segment(4, after=[0, 1])
    assert _units([a, b, c, d]) == [(0, [a, b]), (2, [c, d]), (3, [d])]
    assert _units([a]) == [(0, [a])]


def test_room_in_groups_is_used_up():
    groups = [(4, 1.0, {"gpus": 2}), (2, 1.0, {})]
    both = told(groups=(1, 0))
    assert _placed([segment(2), segment(4)], both, groups, [4, 2], {})
    assert not _placed([segment(2), segment(4), segment(1)], both, groups, [4, 2], {})
    assert _placed([segment(1), segment(1), segment(4)], both, groups, [4, 2], {})
    assert _placed([segment(1, gpus=1), segment(1, gpus=1)], both, groups, [4, 2], {})
    assert not _placed([segment(1, gpus=1), segment(1, gpus=2)], both, groups, [4, 2], {})
    # A group's own come before those of the cluster, which the other group has to live on.
    assert _placed([segment(2, gpus=5), segment(4, gpus=2)], both, groups, [4, 2], {"gpus": 5})
    spanning = told(groups=(0, 1), span=True)
    assert _placed([segment(3), segment(3)], spanning, groups, [4, 2], {})
    assert not _placed([segment(3), segment(4)], spanning, groups, [4, 2], {})


def test_what_a_group_could_hold():
    group = (4, 1.0, {"gpus": 2})
    assert _could_hold(segment(4, gpus=2), group, {"gpus": 1})
    assert not _could_hold(segment(5), group, {})
    assert not _could_hold(segment(4, gpus=3), group, {"gpus": 9})
    assert _could_hold(segment((9, 4)), group, {})
    assert not _could_hold(segment(1, disks=1), group, {})
    assert _could_hold(segment(1, disks=0), group, {})


def test_work_of_a_segment_with_a_need_for_each_phase():
    """Two stages of mean 3 each: 5 servers in the first, 2 in the second."""
    assert _segment_work(segment(3)) == 6.0
    assert _segment_work({"need": (5, 2), "law": Erlang(stages=2, mean=6)}) == pytest.approx(3 * 5 + 3 * 2)


def test_the_mean_speed_of_all_servers():
    """Groups of 4 at speed 1 and 2 at speed 3. Half of 6 of the time one of each is taken; a third at half speed."""
    environment = [
        {"jump": ((0, 1), (1, 0)), "sojourn": (Exponential(mean=3), Exponential(mean=3)),
         "taken": ((0, 0), (1, 1)), "speed": (1.0, 1.0)},
        {"jump": ((0, 1), (1, 0)), "sojourn": (Exponential(mean=4), Exponential(mean=2)),
         "taken": ((0, 0), (0, 2)), "speed": (1.0, 0.5)},
    ]  # fmt: skip
    values = {"groups": [(4, 1.0, {}), (2, 3.0, {})], "environment": environment}
    # (first, second): 4 + 6, 3 + 3; then with the second group gone at half speed 4/2, 3/2.
    assert mean_capacity(values) == pytest.approx((2 / 3) * (10 + 6) / 2 + (1 / 3) * (2 + 1.5) / 2)
    assert mean_capacity({"groups": values["groups"], "environment": []}) == 10.0


def test_a_system_of_one_server_has_one_need():
    system = System(servers=1, classes=[ONE])
    assert policy("fcfs").why_no_front(system) is None
    assert math.isclose(system.naive_threshold, 1.0)


def test_where_all_jobs_hold_every_server_quickswap_serves_them_as_they_come():
    job = JobClass(name="all", need=3, share=1, duration=Exponential(mean=1))
    system = System(servers=3, classes=[job], arrival_rate=0.5)
    means = [
        simulate(system, policy=policy, jobs=4000, seed=1, controls=False)["mean_response_time"]
        for policy in ("fcfs", {"name": "msfq"})
    ]
    assert means[0] == pytest.approx(means[1], rel=1e-12)


def test_a_best_packing_that_may_stop_jobs_looks_at_them_on_any_number_of_servers():
    """Without preemption only the window is looked at; with it, which jobs run matters, however many there are."""
    assert policy("best-packing", window=3).front == 3
    assert policy("best-packing", window=3, preemptive=True).front is None
    assert policy("best-packing", window=3, preemptive=True).front_on(8) == 3


def test_what_is_a_function_of_ones_own():
    def pick(needs, running, remaining, servers, chosen):
        chosen[: min(len(needs), 1)] = True

    assert isinstance(users_own(pick), OwnFunction)
    for other in (int, 3, None, 2.5, "fcfs"):
        assert users_own(other) is None
