"""First come first served with needs of other kinds: against ordinary clusters, and against chains of every job."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from fronts.brute_force import erlang_c, mean_response_time, replaced
from msj import Erlang, Exponential, Hyperexponential, InvalidInput, JobClass, NotSupported, System, Weibull
from msj.disciplines import Stage
from msj.fronts import front_of
from strategies import phase_types, systems

ONE = Exponential(mean=1)
TWO_CLASSES = [(0.4, 0), (0.6, 1)]


def same_as_fcfs(special, system):
    fcfs = msj.analyse(system, percentiles=False)
    result = msj.analyse(special.replace(arrival_rate=fcfs["arrival_rate"]), percentiles=False)
    for name in ("stability_threshold", "mean_response_time", "predicted_mean_response_time"):
        assert result[name] == pytest.approx(fcfs[name], rel=1e-9)
    if len(system.classes) > 1:
        for c in system.classes:
            assert result["mean_response_time", c.name] == pytest.approx(fcfs["mean_response_time", c.name], rel=1e-8)


def arrivals(state):
    return [(chance, (*state, job)) for chance, job in TWO_CLASSES]


# --- fork-join


def fork_join(servers, *classes):
    return System(
        servers=servers,
        model="fork-join",
        classes=[
            JobClass(name=f"class {i}", need=tasks, share=share, duration=law)
            for i, (tasks, share, law) in enumerate(classes)
        ],
    )


@settings(max_examples=10)
@given(phase_types(), st.sampled_from([0.3, 0.9]))
def test_jobs_of_one_task_are_first_come_first_served(law, load):
    job = JobClass(name="all", need=1, share=1, duration=law)
    same_as_fcfs(fork_join(2, (1, 1, law)), System(servers=2, classes=[job], load=load))


def test_jobs_of_one_exponential_task_are_erlang_c():
    result = msj.analyse(fork_join(4, (1, "1/2", ONE), (1, "1/2", ONE)).replace(arrival_rate=3.5))
    assert result["mean_response_time"] == pytest.approx(erlang_c(4, 1.0, 3.5), rel=1e-10)


def test_jobs_of_as_many_tasks_as_servers_are_one_server():
    # Only the last task to end lets the next job in: M/G/1 with the maximum of three tasks.
    rates = [3.0, 2.0, 1.0]
    mean, variance = sum(1 / r for r in rates), sum(1 / r**2 for r in rates)
    rate = 0.7 / mean
    result = msj.analyse(fork_join(3, (3, 1, ONE)).replace(arrival_rate=rate))
    expected = mean + rate * (variance + mean**2) / (2 * 0.3)
    assert result["mean_response_time"] == pytest.approx(expected, rel=1e-9)


def test_two_phase_type_tasks_on_two_servers_take_their_maximum():
    law = Hyperexponential(rates=[3, "1/2"], probabilities=["1/2", "1/2"])
    # P(max <= t) = (1 - S)^2, so E[max] = 2 E[X] - int S² and E[max²] = 2 E[X²] - int 2t S².
    pairs = [(0.25, 6.0), (0.5, 3.5), (0.25, 1.0)]  # S(t)² = sum of weight·exp(-rate t)
    mean = 2 * float(law.mean) - sum(w / r for w, r in pairs)
    second = 2 * law.second_moment - sum(2 * w / r**2 for w, r in pairs)
    rate = 0.8 / mean
    result = msj.analyse(fork_join(2, (2, 1, law)).replace(arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(mean + rate * second / 0.4, rel=1e-9)


def test_fork_join_keeping_every_job():
    servers, tasks, rates, rate = 3, (1, 3), (1.0, 2.0), 0.25

    def settled(state):  # a job is (class, tasks left, started)
        free = servers - sum(left for _, left, started in state if started)
        for i, (job, left, started) in enumerate(state):
            if not started:
                if left > free:
                    break
                state, free = replaced(state, i, (job, left, True)), free - left
        return state

    def steps(state):
        for i, (job, left, started) in enumerate(state):
            if started:
                others = ((job, left - 1, True),) if left > 1 else ()
                yield rates[job] * left, settled(replaced(state, i, *others))

    def arrive(state):
        return [(chance, settled((*state, (job, tasks[job], False)))) for chance, job in TWO_CLASSES]

    expected = mean_response_time((), arrive, steps, rate, most=8)
    system = fork_join(servers, (1, "2/5", Exponential(rate=1)), (3, "3/5", Exponential(rate=2)))
    result = msj.analyse(system.replace(arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(expected, rel=2e-5)


# --- stages


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


# --- several resources


@settings(max_examples=10)
@given(systems(most_servers=3, most_classes=2, load=0.8))
def test_one_resource_is_first_come_first_served(system):
    classes = [c.replace(extra={"resources": {"gpus": 0}}) for c in system.classes]
    same_as_fcfs(system.replace(classes=classes, model={"name": "several-resources", "capacity": {"gpus": 7}}), system)


def packing_twin(start_needs, capacities, rates, rate, most):
    """FCFS with vectors, every job kept with whether it has started."""

    def running(state):
        return [i for i, (_, started) in enumerate(state) if started]

    def settled(state):
        held = np.zeros(len(capacities))
        for i in running(state):
            held = held + start_needs[state[i][0]]
        for i, (job, started) in enumerate(state):
            if not started:
                if np.any(held + start_needs[job] > capacities):
                    break
                held = held + start_needs[job]
                state = replaced(state, i, (job, True))
        return state

    def steps(state):
        return [(rates[state[i][0]], settled(replaced(state, i))) for i in running(state)]

    def arrive(state):
        return [(chance, settled((*state, (job, False)))) for chance, job in TWO_CLASSES]

    return mean_response_time((), arrive, steps, rate, most=most)


def test_several_resources_keeping_every_job():
    needs, capacities, rates = (np.array([2, 0, 1]), np.array([1, 1, 2])), np.array([4, 1, 4]), (1.0, 0.5)
    expected = packing_twin(needs, capacities, rates, 0.12, most=9)
    names = ("gpus", "memory")
    classes = [
        JobClass(
            name=f"class {i}",
            need=needs[i][0],
            share=share,
            duration=Exponential(rate=rates[i]),
            extra={"resources": dict(zip(names, needs[i][1:].tolist(), strict=True))},
        )
        for i, share in enumerate(("2/5", "3/5"))
    ]
    model = {"name": "several-resources", "capacity": dict(zip(names, capacities[1:].tolist(), strict=True))}
    system = System(servers=4, classes=classes, model=model, arrival_rate=0.12)
    assert msj.analyse(system)["mean_response_time"] == pytest.approx(expected, rel=2e-5)
    front_model = front_of(system)
    running, waiting = front_model.add(front_model.add(front_model.empty(), 0), 1)
    assert (front_model.busy(running), waiting) == ((3, 1, 3), ())


# --- groups of servers


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


# --- refusals


def test_refusals():
    """What a spec file can get wrong is in tests/model/test_models_in_spec_files.py; this is said in Python too."""
    with pytest.raises(InvalidInput, match="class 'class 0' needs 3 of 2 servers"):
        fork_join(2, (3, 1, ONE))
    with pytest.raises(InvalidInput, match=r"class 'a' needs 3 of 2 servers") as refused:
        in_stages(2, staged("a", 1, (1, ONE), (3, ONE)))
    assert refused.value.where == "classes[0].then[0]"
    with pytest.raises(NotSupported, match="not phase type"):
        front_of(in_stages(2, staged("a", 1, (1, Weibull(mean=1, shape=0.5)))))
    with pytest.raises(NotSupported, match="a stage has weibull durations, which are not phase type"):
        front_of(in_stages(2, staged("a", 1, (1, ONE), (1, Weibull(mean=1, shape=0.5)))))
    job = JobClass(name="x", share=1, duration=ONE, need=2)
    with pytest.raises(InvalidInput, match="group 'c' does not exist"):
        in_groups(job.replace(extra={"groups": ["c"]}))
    with pytest.raises(InvalidInput, match="class 'x' needs 2 servers of one group and group 'a' has 1; lower need"):
        in_groups(job.replace(extra={"groups": ["a"]}))
