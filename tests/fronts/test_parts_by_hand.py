"""The small rules of fronts put together from parts, each by hand: servers that go, come on, are counted and paid."""

import pytest

from fronts.brute_force_builders import kind, one_by_one, parts, plain, segment, set_up, windows
from msj import Erlang, Exponential, Hyperexponential, JobClass, System
from msj.fronts import front_of, parts_size
from msj.fronts.parts import PartsFront
from msj.fronts.parts_environment import Environment
from msj.fronts.parts_hits import _one_goes, hit
from msj.fronts.parts_places import Places
from msj.fronts.parts_power import Group, Switching
from msj.fronts.parts_preemptive import RUNS, WAITS
from msj.fronts.parts_rows import server_rows
from msj.fronts.parts_segments import Segments

ONE = Exponential(mean=1)
STAGES = Erlang(stages=2, mean=1)  # at rate 2 from phase 0 to 1, and at rate 2 to the end
MIXED = Hyperexponential(probabilities=["3/10", "7/10"], rates=[1, 5])

# What servers do.


def test_servers_are_counted_by_what_they_do():
    rows = server_rows(busy=5, paying=None, broken=None, power=None, servers=8, prices={})
    assert rows == {"busy_servers": 5.0, "idle_servers": 3.0}
    power = (Group(6, (), ()),)
    rows = server_rows(busy=5, paying=None, broken=None, power=power, servers=8, prices={})
    assert rows == {"busy_servers": 5.0, "idle_servers": 1.0, "set_up_servers": 0.0, "off_servers": 2.0}


def test_servers_and_what_they_cost():
    """Of 14 servers 2 are broken, 7 are on, 3 come on, so 2 are off; of those on 4 work, 1 loads and 2 idle."""
    power = (Group(6, (0,), ()), Group(1, (1, 0), (0,)))
    prices = {
        "mean_power": {"busy": 10.0, "idle": 3.0, "set_up": 7.0, "off": 0.5, "broken": 2.0},
        "mean_cost": {"off": 4.0},
        "nothing": None,
    }
    rows = server_rows(busy=4, paying=1, broken=2, power=power, servers=14, prices=prices)
    assert rows == {
        "busy_servers": 4.0,
        "idle_servers": 2.0,
        "set_up_servers": 3.0,
        "off_servers": 2.0,
        "broken_servers": 2.0,
        "paying_servers": 1.0,
        "mean_power": 5 * 10.0 + 2 * 3.0 + 3 * 7.0 + 2 * 0.5 + 2 * 2.0,
        "mean_cost": 8.0,
    }


# Servers that come on and go off.


def switching(*, law=STAGES, staggered=False, delay=None, groups=1):
    return Switching(set_up(law, staggered=staggered, delay=delay), groups)


@pytest.mark.parametrize(
    ("options", "group", "wanted", "after"),
    [
        ({}, (2, (1,), ()), 5, (2, (1, 0, 0), ())),  # two more begin, behind the one under way
        ({}, (2, (1,), ()), 4, (2, (1, 0), ())),
        ({}, (2, (1,), ()), 3, (2, (1,), ())),
        ({}, (2, (1, 0), ()), 3, (2, (1,), ())),  # the latest is broken off
        ({}, (2, (1, 0), ()), 2, (2, (), ())),
        ({}, (3, (1,), ()), 1, (1, (), ())),  # surplus servers go off at once
        ({"staggered": True}, (2, (), ()), 5, (2, (0,), ())),  # one at a time
        ({"staggered": True}, (2, (1,), ()), 5, (2, (1,), ())),
        ({"staggered": True}, (2, (1, 0), ()), 3, (2, (1,), ())),
        ({"delay": STAGES}, (3, (), ()), 1, (3, (), (0, 0))),  # or their delays begin
        ({"delay": STAGES}, (3, (), (1,)), 1, (3, (), (1, 0))),
        ({"delay": STAGES}, (3, (), (1, 0)), 1, (3, (), (1, 0))),
        ({"delay": STAGES}, (3, (), (1, 0)), 2, (3, (), (1,))),  # the latest delay is cancelled
        ({"delay": STAGES}, (3, (), (1, 0)), 4, (3, (0,), ())),
    ],
)
def test_servers_fit_what_is_wanted(options, group, wanted, after):
    [((found,), chance)] = switching(**options).settled((Group(*group),), [wanted])
    assert (tuple(found), chance) == (after, 1.0)


def test_what_is_begun_begins_in_a_random_phase():
    """Two set-ups begin: 0.3 or 0.7 each; in the other group one delay begins."""
    rule = switching(law=MIXED, delay=MIXED, groups=2)
    law = dict(rule.settled((Group(0, (), ()), Group(3, (), ())), [2, 2]))
    chances = {0: 0.3, 1: 0.7}
    assert len(law) == 8
    for (one, other), chance in law.items():
        assert (one.on, one.delays, other.on, other.set_ups) == (0, (), 3, ())
        first, second = one.set_ups
        (third,) = other.delays
        assert chance == pytest.approx(chances[first] * chances[second] * chances[third])


def test_set_ups_and_delays_go_through_their_phases():
    rule = switching(law=STAGES, delay=Erlang(stages=2, mean=4), groups=3)
    first, last = Group(1, (), ()), Group(7, (), ())
    found = list(rule.steps((first, Group(3, (1, 0), (0, 1)), last)))
    assert all(power[0] == first and power[2] == last and len(power) == 3 for _, power, _ in found)
    assert [(rate, power[1], came_on) for rate, power, came_on in found] == [
        (2.0, Group(4, (0,), (0, 1)), True),
        (2.0, Group(3, (1, 1), (0, 1)), False),
        (0.5, Group(3, (1, 0), (1, 1)), False),
        (0.5, Group(2, (1, 0), (0,)), False),
    ]
    assert rule.first() == (Group(0, (), ()),) * 3
    assert Switching(None, 2).first() == ()


# Servers that go.

#: One job holds 3 servers; of the other one segment holds 2 and one waits at the front of the line.
A, B = (0, ((0, 0, (3,), -1, -1),)), (1, ((1, 1, (2,), -1, -1), (2, 0, (), -1, 0)))
A_STOPPED = ((0, ((0, 0, (), -1, 0),)), (1, ((1, 1, (2,), -1, -1), (2, 0, (), -1, 1))))


def b_stopped(load):
    return (A, (1, ((1, 1, (), load, 0), (2, 0, (), -1, 1))))


def owed(job_class):
    return ((-1, 1.0),) if job_class == 0 else ((0, 0.4), (1, 0.6))


def goes(power, up, *, anybody):
    found = {}
    for state, chance in _one_goes((A, B), power, 0, up, anybody, owed):
        found[state] = found.get(state, 0.0) + chance
    return found


def test_anybodys_server_goes():
    assert goes((), 8, anybody=True) == pytest.approx(
        {
            ((A, B), ()): 3 / 8,
            (A_STOPPED, ()): 3 / 8,
            (b_stopped(0), ()): 2 / 8 * 0.4,
            (b_stopped(1), ()): 2 / 8 * 0.6,
        }
    )
    assert goes((), 5, anybody=True) == pytest.approx(
        {(A_STOPPED, ()): 3 / 5, (b_stopped(0), ()): 2 / 5 * 0.4, (b_stopped(1), ()): 2 / 5 * 0.6}
    )


def test_anybodys_server_goes_where_some_are_off_or_come_on():
    """Of 9 servers one is off, two come on, one idles, and five are held."""
    less = (Group(5, (0, 1), ()),)
    assert goes((Group(6, (0, 1), ()),), 9, anybody=True) == pytest.approx(
        {
            ((A, B), (Group(6, (0, 1), ()),)): 1 / 9,
            ((A, B), (Group(6, (1,), ()),)): 1 / 9,
            ((A, B), (Group(6, (0,), ()),)): 1 / 9,
            ((A, B), less): 1 / 9,
            (A_STOPPED, less): 3 / 9,
            (b_stopped(0), less): 2 / 9 * 0.4,
            (b_stopped(1), less): 2 / 9 * 0.6,
        }
    )


@pytest.mark.parametrize(
    ("group", "up", "after"),
    [
        ((6, (0, 1), ()), 9, {((A, B), (6, (0, 1), ())): 1.0}),  # one that is off
        ((6, (0, 1), ()), 8, {((A, B), (6, (0,), ())): 1.0}),  # the latest set-up
        ((6, (), (1,)), 6, {((A, B), (5, (), (1,))): 1.0}),  # one that idles
        (
            (5, (), ()),
            5,
            {
                (A_STOPPED, (4, (), ())): 3 / 5,
                (b_stopped(0), (4, (), ())): 2 / 5 * 0.4,
                (b_stopped(1), (4, (), ())): 2 / 5 * 0.6,
            },
        ),
    ],
)
def test_idle_servers_go_first(group, up, after):
    found = goes((Group(*group),), up, anybody=False)
    assert {(jobs, tuple(power[0])): chance for (jobs, power), chance in found.items()} == pytest.approx(after)


def test_the_other_groups_stay_as_they_are():
    """The only job holds servers of the second group alone; of the others two idle servers go."""
    job, others = ((0, ((0, 0, (0, 1, 0), -1, -1),)),), (Group(1, (), ()), Group(2, (0,), ()))
    told = {"anybody": False, "owed": lambda _: ((-1, 1.0),)}
    before = (Group(3, (), (1,)), *others)
    assert hit(job, before, [3, 1, 3], [1, 1, 3], **told) == [((job, (Group(1, (), (1,)), *others)), 1.0)]


def test_servers_go_one_at_a_time_in_each_group():
    """Of 3 servers of the second group the job holds 2; what is hit by the first that goes cannot be hit again."""
    job, stopped = ((0, ((0, 0, (1, 2), -1, -1),)),), ((0, ((0, 0, (), -1, 0),)),)
    told = {"anybody": True, "owed": lambda _: ((-1, 1.0),)}
    assert dict(hit(job, (), [4, 3], [4, 3], **told)) == {(job, ()): 1.0}
    assert dict(hit(job, (), [4, 3], [4, 2], **told)) == pytest.approx({(job, ()): 1 / 3, (stopped, ()): 2 / 3})
    assert dict(hit(job, (), [4, 3], [4, 1], **told)) == pytest.approx({(stopped, ()): 1.0})
    # 3/4 of what the first group loses misses the job, and 1/3 of what the second does.
    assert dict(hit(job, (), [4, 3], [3, 2], **told)) == pytest.approx({(job, ()): 1 / 4, (stopped, ()): 3 / 4})


# Surroundings.


def test_takings_add_up_and_speeds_multiply():
    slow = {
        "sojourn": [ONE, STAGES],
        "jump": [[0, 1], [1, 0]],
        "taken": [[0, 1], [3, 0]],
        "speed": [0.5, 2.0],
        "hits": "",
    }
    more = {"sojourn": [MIXED], "jump": [[1]], "taken": [[1, 1]], "speed": [0.25], "hits": "any"}
    around = Environment([slow, more], [2, 5])
    assert around.first() == ((0, 0), (0, 0))
    assert around.up(((0, 0), (0, 0))) == (1, 3)
    assert around.up(((1, 1), (0, 0))) == (0, 4)
    assert (around.speed(((0, 0), (0, 0))), around.speed(((1, 0), (0, 1)))) == (0.125, 0.5)
    assert list(around.changes(((0, 0), (0, 1)))) == [
        (1.0, ((1, 0), (0, 1)), ""),
        (pytest.approx(5 * 0.3), ((0, 0), (0, 0)), "any"),
        (pytest.approx(5 * 0.7), ((0, 0), (0, 1)), "any"),
    ]
    # Within a state nothing but the phase changes; the other component jumps from its first phase at rate 1.
    assert list(around.changes(((1, 0), (0, 0)))) == [
        (2.0, ((1, 1), (0, 0)), ""),
        (pytest.approx(0.3), ((1, 0), (0, 0)), "any"),
        (pytest.approx(0.7), ((1, 0), (0, 1)), "any"),
    ]
    assert around.takes_servers
    assert not around.one_speed
    same = Environment([{**slow, "taken": [[0, 0], [0, 0]], "speed": [1, 1.0]}], [2, 5])
    assert (same.takes_servers, same.one_speed, bool(same), bool(Environment([], [2]))) == (False, True, True, False)


# Segments.


def test_what_becomes_ready():
    """A diamond, 0 -> 1 and two alike -> last; the two alike are one kind, and both must have ended."""
    told = [
        kind(
            segment(1, ONE),
            segment(2, ONE, 0),
            segment(1, STAGES, 0),
            segment(1, STAGES, 0),
            segment(3, MIXED, 1, 2, 3),
        )
    ]
    made = Segments([kind(segment(9, ONE)), told[0], kind(segment(5, ONE))], [0.5, 0.5, 0.0])
    assert [(each.job_class, each.count, each.needs) for each in made.kinds] == [
        (0, 1, (9,)), (1, 1, (1,)), (1, 1, (2,)), (1, 2, (1, 1)), (1, 1, (3, 3)),
    ]  # fmt: skip
    assert [sorted(each.after) for each in made.kinds] == [[], [], [1], [1], [2, 3]]
    assert made.roots(1) == ((((1, 0),), 1.0),)
    assert made.ready(1, frozenset()) == ((((2, 0), (3, 0), (3, 0)), 1.0),)
    assert made.ready(2, frozenset({3})) == (((), 1.0),)
    assert made.ready(3, frozenset({3})) == (((), 1.0),)
    assert made.ready(3, frozenset()) == ((((4, 0),), 0.3), (((4, 1),), 0.7))
    assert made.ready(4, frozenset()) == (((), 1.0),)


def test_tasks_that_differ_in_nothing_are_one_kind():
    same = [segment(1, ONE), segment(1, ONE), segment(1, ONE)]
    assert [each.count for each in Segments([kind(*same)], [1.0]).kinds] == [3]
    assert [each.count for each in Segments([kind(*same, segment(2, ONE, 0))], [1.0]).kinds] == [1, 2, 1]
    assert [each.count for each in Segments([kind(*same[:2], segment(1, STAGES))], [1.0]).kinds] == [2, 1]


def test_what_comes_after_something_to_come_is_not_ready():
    """0 and 1 begin, 2 comes after 1, and the last after 0 and 2: it waits for 2 while 1 is under way."""
    made = Segments([kind(segment(1, ONE), segment(2, ONE), segment(3, ONE, 1), segment(4, ONE, 0, 2))], [1.0])
    assert made.ready(0, frozenset({1})) == (((), 1.0),)
    assert made.ready(0, frozenset({2})) == (((), 1.0),)
    assert made.ready(1, frozenset({0})) == ((((2, 0),), 1.0),)
    assert made.ready(2, frozenset({0})) == (((), 1.0),)
    assert made.ready(2, frozenset()) == ((((3, 0),), 1.0),)
    assert made.ready(0, frozenset()) == ((((3, 0),), 1.0),)


# Places.


def places(groups, *classes, capacity=None):
    made = Segments(classes, [1.0] * len(classes))
    return Places(groups, capacity or {}, classes, made.kinds, list(range(len(classes))))


def test_groups_resources_and_caps_are_one_vector():
    """Two groups, the first with a GPU; 10 of memory for all; the second class may hold at most 4 servers."""
    found = places(
        [(4, 1.0, {"gpus": 1}), (6, 0.5, {})],
        kind(segment(2, ONE, memory=3, gpus=1), groups=(1, 0)),
        kind(segment(3, ONE, memory=1), groups=(1, 0), span=True, at_most=4),
        capacity={"memory": 10},
    )
    free = found.free([4, 6], [])
    assert free == (4, 6, 10, 1, 4)
    # The first class needs a GPU, so it goes to the first group, and no second one does.
    assert found.put(((0, 0),), free) == (((2, 0),), (2, 6, 7, 0, 4))
    assert found.put(((0, 0), (0, 0)), free) is None
    # The second takes the second group first, and spans both if it must; two of them are beyond the cap.
    assert found.put(((1, 0),), (4, 6, 1, 1, 4)) == (((0, 3),), (4, 3, 0, 1, 1))
    assert found.put(((1, 0),), (4, 2, 1, 1, 3)) == (((1, 2),), (3, 0, 0, 1, 0))
    assert found.put(((1, 0),), (0, 2, 1, 1, 3)) is None
    assert found.put(((1, 0),), (4, 6, 0, 1, 4)) is None
    assert found.put(((1, 0),), (4, 6, 1, 1, 2)) is None
    assert (found.speed((2, 0)), found.speed((0, 3)), found.speed((1, 2))) == (1.0, 0.5, 0.5)
    assert found.free([3, 1], [found.held(0, (2, 0)), found.held(1, (0, 1))]) == (1, 0, 6, 0, 3)


def test_segments_take_over_what_has_ended_held_and_no_more():
    later = [segment(2, ONE, 0, m=1), segment(1, ONE, 0, m=1), segment(4, ONE, 0), segment(1, ONE, 0, m=3)]
    job = kind(segment(3, ONE, m=2), *later, groups=(0, 1), span=True)
    made = places([(4, 1.0, {}), (6, 1.0, {})], job, capacity={"m": 9})
    assert made.taken_over(((1, 0),), 0, (2, 1)) == ((2, 0),)
    assert made.taken_over(((1, 0), (2, 0)), 0, (2, 1)) == ((2, 0), (0, 1))
    assert made.taken_over(((1, 0), (2, 0)), 0, (1, 2)) == ((1, 1), (0, 1))
    assert made.taken_over(((1, 0), (1, 0)), 0, (1, 2)) is None  # four servers
    assert made.taken_over(((3, 0),), 0, (1, 2)) is None
    assert made.taken_over(((4, 0),), 0, (1, 2)) is None  # more of m


def test_most_jobs_by_what_runs_out_first():
    """Servers for five of need 2 and one of need 1, memory for 7/3 of the small ones: 4 + 2, or fewer of the large."""
    assert places([(11, 1.0, {})], plain(2, ONE)).most_jobs() == 5
    assert places([(11, 1.0, {}), (5, 1.0, {})], plain(2, ONE, groups=(0, 1))).most_jobs() == 8  # 5.5 + 2.5
    assert places([(11, 1.0, {})], kind(segment(1, ONE, m=3)), capacity={"m": 7}).most_jobs() == 2
    assert places([(11, 1.0, {})], plain(1, ONE, at_most=4)).most_jobs() == 4
    assert places([(11, 1.0, {})], plain(3, ONE), plain(1, ONE, at_most=2)).most_jobs() == 5


# How many fronts, about.


def front(told, shares=(0.5, 0.5)):
    classes = [JobClass(name=str(c), need=1, share=share, duration=ONE) for c, share in enumerate(shares)]
    system = System(servers=sum(group[0] for group in told["groups"]), classes=classes)
    return PartsFront(system, **told, power=None, cost=None)


def test_fronts_of_a_plain_cluster_are_counted_by_who_does_not_fit():
    """Needs 1 and 2 on 3 servers: {1, 1} and {2} leave one, where a 2 waits; {1, 1, 1} and {1, 2} none: both may."""
    assert front(parts(3, plain(1, ONE), plain(2, ONE))).about_fronts() == 2 * 1 + 2 * 2


def test_servers_that_are_taken_hold_back_what_they_held():
    """While one of three is taken, two phases: {1} leaves one, {1, 1} and {2} none; nothing or a 1 waits for it."""
    told = parts(3, plain(1, ONE), plain(2, ONE), environment=[windows(ONE, STAGES, [1])])
    assert front(told).about_fronts() == 6 + 2 * 2 * (1 * 1 + 2 * 2)


def test_with_set_up_those_wait_who_may_start_when_servers_come_on():
    """From 0, 1, 2 free servers 2, 3, 5 sequences lead to one that does not fit; half of the free ones are on, about.

    Three free: 2·(5 + 3); two: 1.5·(3 + 2); one, two ways: 1·(2 + 1) each; none, two ways: 0.5·2 each.
    """
    told = parts(3, plain(1, ONE), plain(2, ONE), set_up=set_up(ONE))
    assert front(told).about_fronts() == 16 + 7.5 + 2 * 3 + 2 * 1


def test_with_set_up_the_group_with_most_free_servers_counts():
    """One that fits anywhere waits in one way; (2, 1) and (2, 0) free: 1.5, (1, 1), (1, 0), (0, 1): 1, none: 0.5."""
    told = parts([(2, 1.0, {}), (1, 1.0, {})], plain(1, ONE, groups=(0, 1)), set_up=set_up(ONE))
    assert front(told, [1.0]).about_fronts() == 2 * 1.5 + 3 * 1 + 0.5


def test_who_was_stopped_may_have_to_load():
    """A transfer of two phases: each state of a job alone stands for three where servers are taken, else for one.

    Two servers, six multisets of such states on both, three on one; one taken, nothing or one of the three waits.
    """
    told = parts(2, plain(1, ONE), overhead={"snapshot": None, "transfer": STAGES})
    assert front(told, [1.0]).about_fronts() == 1
    assert front({**told, "environment": [one_by_one(1, 0.1, 1.0)]}, [1.0]).about_fronts() == 6 + 4 * 3


def test_what_is_too_much_to_count_is_not_counted(monkeypatch):
    breakdowns = one_by_one(1, 0.1, 1.0, groups=2)
    model = front(parts([(3, 1.0, {}), (4, 1.0, {})], plain(1, ONE), plain(2, ONE), environment=[breakdowns]))
    monkeypatch.setattr(parts_size, "MOST_VECTORS", 4 * 5 * 2)
    assert model.about_fronts() is not None
    monkeypatch.setattr(parts_size, "MOST_VECTORS", 4 * 5 * 2 - 1)
    assert model.about_fronts() is None


def test_sequences_that_servers_could_hold():
    """Of 2s and 3s on five: none, 2, 3, 22, 23, 32."""
    assert parts_size._sequences([(2,), (3,)], 1)((5,)) == 6
    counts = {(5,): 1.0}
    parts_size._with_one_more(counts, (2,))
    parts_size._with_one_more(counts, (1,))
    # {} {1} {1,1} ... beside 0, 1 or 2 twos: 1 way to leave 5 or 4, 2 to leave 3 or 2, 3 to leave 1 or 0.
    assert counts == {(5,): 1, (4,): 1, (3,): 2, (2,): 2, (1,): 3, (0,): 3}


def test_nobody_starts_past_those_who_wait():
    """Two of three servers are taken, a job of two waits; one of one would fit, but is behind it."""
    classes = [JobClass(name=f"{n}", need=n, share="1/2", duration=ONE) for n in (1, 2)]
    model = {"name": "server-groups", "groups": {"all": 3}}
    front = front_of(System(servers=3, classes=classes, model=model))
    small, large = (job for job, _ in front.fresh())
    busy = front.add(front.empty(), large)
    assert front.starts_at_once(busy, small) is True
    assert front.starts_at_once(busy, large) is False
    assert front.starts_at_once(front.add(busy, large), small) is False


def test_a_policy_is_asked_again_about_the_others_once_a_job_that_stays_has_started():
    classes = [
        JobClass(name="stays", need=1, share="1/2", duration=ONE, extra={"preemptible": False}),
        JobClass(name="goes", need=1, share="1/2", duration=ONE),
    ]
    costs = {"name": "preemption-cost", "snapshot": {"law": "exponential", "mean": 1}}
    front = front_of(System(servers=4, classes=classes, policy="server-filling", model=costs))
    asked = []

    def choose(jobs, servers):
        asked.append((len(jobs), servers))
        return (True,) * len(jobs), True

    front._ask = choose
    around, _ = front.empty()
    stays, goes = (0, WAITS, -1), (1, WAITS, -1)
    jobs, _ = front._decided((around, (stays, goes, goes)))
    assert [mode for _, mode, _ in jobs] == [RUNS] * 3
    assert asked == [(3, 4), (2, 3)]  # three jobs and four servers; then without the one that stays
    asked.clear()
    front._decided((around, (goes, goes)))
    assert asked == [(2, 4)]


def test_servers_are_held_by_segments_that_run_or_load_but_not_by_those_in_line():
    model = {"name": "server-groups", "groups": {"all": 3}}
    classes = [JobClass(name="a", need=1, share=1, duration=ONE)]
    front = front_of(System(servers=3, classes=classes, model=model))
    runs, loads, waits = (0, 0, (1,), -1, -1), (0, 0, (3,), 0, -1), (0, 0, (2,), -1, 0)
    assert front._servers((None, ((0, (runs, loads, waits)),), (), ())) == (1, 3)


def test_who_never_arrives_is_not_among_those_who_may():
    model = {"name": "server-groups", "groups": {"all": 3}}
    classes = [JobClass(name=f"{n}", need=n, share=share, duration=ONE) for n, share in ((1, 1), (2, 0))]
    front = front_of(System(servers=3, classes=classes, model=model))
    assert [chance for _, chance in front.fresh()] == [1.0]
