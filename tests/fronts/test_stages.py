"""Jobs in stages against FCFS, fork-join, and chains that keep every job."""

import pytest
from hypothesis import given, settings

import msj
from fronts.brute_force import mean_response_time, replaced
from fronts.clusters import ONE, TWO_CLASSES, fork_join, same_as_fcfs
from msj import Exponential, Hyperexponential, InvalidInput, JobClass, NotSupported, System, Weibull
from msj.disciplines import Stage
from msj.fronts import front_of
from strategies import systems


def staged(name, share, *stages):
    (need, law), *later = stages
    then = [Stage(need=need, duration=law) for need, law in later]
    return JobClass(name=name, share=share, need=need, duration=law, extra={"then": then})


def in_stages(servers, *classes):
    return System(servers=servers, classes=classes, model="stages")


@settings(max_examples=8)
@given(systems(most_servers=3, most_classes=2, load=0.8))
def test_one_stage_is_first_come_first_served(system):
    classes = [staged(c.name, c.share, (c.need, c.duration)) for c in system.classes]
    same_as_fcfs(in_stages(system.servers, *classes), system)


@pytest.mark.parametrize("need", [1, 2])
def test_stages_of_equal_need_are_one_longer_stage(need):
    fast, slow = Exponential(rate=3), Hyperexponential(rates=[4, 1], probabilities=["1/3", "2/3"])
    whole = msj.PhaseType(initial=[1, 0, 0], generator=[[-3, 1, 2], [0, -4, 0], [0, 0, -1]])
    job = JobClass(name="all", need=need, share=1, duration=whole)
    same_as_fcfs(in_stages(3, staged("all", 1, (need, fast), (need, slow))), System(servers=3, classes=[job], load=0.8))


def test_falling_needs_are_fork_join():
    # Three equal exponential tasks that end one by one: stages of needs 3, 2, 1 at rates 3, 2, 1.
    falling = in_stages(4, staged("all", 1, *((n, Exponential(rate=n)) for n in (3, 2, 1))))
    tasks = msj.analyse(fork_join(4, (3, 1, ONE)).replace(load=0.8))
    stages = msj.analyse(falling.replace(load=0.8))
    assert stages["mean_response_time"] == pytest.approx(tasks["mean_response_time"], rel=1e-9)


@pytest.mark.parametrize(
    ("servers", "stages"),
    [
        # Class 0 grows from 1 to 2 servers, so that two of them want more than the three there are; class 1 shrinks.
        (3, (((1, 2.0), (2, 1.0)), ((3, 3.0), (1, 1.0)))),
        # Class 0 comes to want everything; class 1 grows less, and must not pass it.
        (4, (((1, 2.0), (4, 1.0)), ((1, 1.0), (2, 1.0)))),
    ],
)
def test_stages_keeping_every_job(servers, stages):
    rate, most = 0.12, 8

    def settled(state):
        # A state is (under way, not started); under way are (class, stage, place in line), place 0 for those running.
        inside, outside = state
        free = servers - sum(stages[c][s][0] for c, s, place in inside if not place)
        while any(place for *_, place in inside):
            i = next(i for i, job in enumerate(inside) if job[2] == 1)
            c, s, _ = inside[i]
            if stages[c][s][0] > free:
                return inside, outside
            free -= stages[c][s][0]
            inside = tuple((*job[:2], max(0, job[2] - 1)) for job in inside)
        while outside and stages[outside[0]][0][0] <= free:
            free -= stages[outside[0]][0][0]
            inside, outside = (*inside, (outside[0], 0, 0)), outside[1:]
        return inside, outside

    def steps(state):
        inside, outside = state
        line = max((place for *_, place in inside), default=0)
        free = servers - sum(stages[c][s][0] for c, s, place in inside if not place)
        for i, (c, s, place) in enumerate(inside):
            if place:
                continue
            need, speed = stages[c][s]
            if s == 1:
                yield speed, settled((replaced(inside, i), outside))
            elif stages[c][1][0] <= need or (not line and stages[c][1][0] <= free + need):
                yield speed, settled((replaced(inside, i, (c, 1, 0)), outside))
            else:
                yield speed, settled((replaced(inside, i, (c, 1, line + 1)), outside))

    def arrive(state):
        return [(chance, settled((state[0], (*state[1], c)))) for chance, c in TWO_CLASSES]

    expected = mean_response_time(
        ((), ()), arrive, steps, rate, most=most, jobs=lambda state: len(state[0]) + len(state[1])
    )
    classes = [
        staged(f"class {c}", share, *((need, Exponential(rate=speed)) for need, speed in stages[c]))
        for c, share in enumerate(("2/5", "3/5"))
    ]
    result = msj.analyse(in_stages(servers, *classes).replace(arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(expected, rel=2e-5)


def test_growing_jobs_do_not_lock_up():
    result = msj.analyse(in_stages(2, staged("all", 1, (1, ONE), (2, ONE))).replace(load=0.9))
    # With two running, the first to grow waits for the other to end its first stage, then both grow in turn:
    # 1/2 + 1 + 1 + 1 for two jobs if both start together.
    assert result["stability_threshold"] == pytest.approx(2 / 3.5, rel=1e-10)


def test_what_is_wrong_is_refused_in_words():
    with pytest.raises(InvalidInput, match=r"class 'a' needs 3 of 2 servers") as refused:
        in_stages(2, staged("a", 1, (1, ONE), (3, ONE)))
    assert refused.value.where == "classes[0].then[0]"
    with pytest.raises(NotSupported, match="not phase type"):
        front_of(in_stages(2, staged("a", 1, (1, Weibull(mean=1, shape=0.5)))))
    with pytest.raises(NotSupported, match="a stage has weibull durations, which are not phase type"):
        front_of(in_stages(2, staged("a", 1, (1, ONE), (1, Weibull(mean=1, shape=0.5)))))
