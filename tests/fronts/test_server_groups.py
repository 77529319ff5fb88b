"""Groups of servers against FCFS, and a chain that keeps every job."""

import pytest
from hypothesis import given, settings

import msj
from fronts.brute_force import mean_response_time, replaced
from fronts.clusters import ONE, TWO_CLASSES, same_as_fcfs
from msj import Erlang, Exponential, InvalidInput, JobClass, System
from strategies import systems


def in_groups(*classes):
    return System(servers=3, classes=classes, model={"name": "server-groups", "groups": {"a": 1, "b": 2}})


@settings(max_examples=10)
@given(systems(most_servers=3, most_classes=2, load=0.8))
def test_one_group_is_first_come_first_served(system):
    classes = [c.replace(extra={"groups": ["here"]}) for c in system.classes]
    model = {"name": "server-groups", "groups": {"here": system.servers}}
    same_as_fcfs(system.replace(classes=classes, model=model), system)


def test_groups_that_all_may_use_are_one_for_single_servers():
    law = Erlang(stages=2, mean=1)
    job = JobClass(name="all", need=1, share=1, duration=law)
    same_as_fcfs(in_groups(job.replace(extra={"groups": ["b", "a"]})), System(servers=3, classes=[job], load=0.9))


def test_groups_keeping_every_job():
    # Class 0 needs one server, in group 0 or else 1; class 1 needs two, and only group 1 will do.
    sizes, needs, allowed, rates, rate = (1, 2), (1, 2), ((0, 1), (1,)), (1.0, 0.5), 0.1

    def settled(state):
        free = list(sizes)
        for job, group in state:
            if group is not None:
                free[group] -= needs[job]
        for i, (job, group) in enumerate(state):
            if group is None:
                room = [g for g in allowed[job] if free[g] >= needs[job]]
                if not room:
                    break
                free[room[0]] -= needs[job]
                state = replaced(state, i, (job, room[0]))
        return state

    def steps(state):
        return [(rates[job], settled(replaced(state, i))) for i, (job, group) in enumerate(state) if group is not None]

    def arrive(state):
        return [(chance, settled((*state, (job, None)))) for chance, job in TWO_CLASSES]

    expected = mean_response_time((), arrive, steps, rate, most=9)
    system = in_groups(
        JobClass(name="small", share="2/5", duration=Exponential(rate=1), need=1, extra={"groups": ["a", "b"]}),
        JobClass(name="large", share="3/5", duration=Exponential(rate=0.5), need=2, extra={"groups": ["b"]}),
    )
    result = msj.analyse(system.replace(arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(expected, rel=2e-5)


def test_what_is_wrong_is_refused_in_words():
    job = JobClass(name="x", share=1, duration=ONE, need=2)
    with pytest.raises(InvalidInput, match="group 'c' does not exist"):
        in_groups(job.replace(extra={"groups": ["c"]}))
    with pytest.raises(InvalidInput, match="class 'x' needs 2 servers of one group and group 'a' has 1; lower need"):
        in_groups(job.replace(extra={"groups": ["a"]}))
