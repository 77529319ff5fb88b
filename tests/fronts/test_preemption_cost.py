"""ServerFilling with overheads, against the plain policy and a chain that keeps every job."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from fronts.brute_force import mean_response_time, pollaczek_khinchine, replaced
from msj import Exponential, InvalidInput, JobClass, NotSupported, System
from msj.fronts import front_of
from msj.fronts.parts_preemptive import ASIDE, LOADS, RUNS
from strategies import exponentials, phase_types, simple


def costly(servers, classes, rate):
    model = {"name": "preemption-cost", "overhead_rate": rate}
    return System(servers=servers, classes=classes, model=model, policy="server-filling")


@settings(max_examples=10)
@given(st.sampled_from([2, 4]), exponentials(), phase_types())
def test_free_preemption_is_plain_server_filling(servers, large, small):
    if servers == 4 and len(small.as_phase_type().alpha) > 1:
        small = Exponential(mean=small.mean)  # keeps the plain chain quick
    system = System(
        servers=servers,
        classes=[
            JobClass(name="large", need=2, share="1/4", duration=large),
            JobClass(name="small", need=1, share="3/4", duration=small),
        ],
        policy="server-filling",
        load=0.8,
    )
    plain = msj.analyse(system)
    result = msj.analyse(costly(servers, system.classes, 1e9).replace(arrival_rate=plain["arrival_rate"]))
    assert result["stability_threshold"] == pytest.approx(plain["stability_threshold"], rel=1e-7)
    assert result["mean_response_time"] == pytest.approx(plain["mean_response_time"], rel=1e-6)
    assert result["mean_response_time", "small"] == pytest.approx(plain["mean_response_time", "small"], rel=1e-6)


@settings(max_examples=10)
@given(phase_types())
def test_jobs_that_take_everything_are_never_put_aside(law):
    job = JobClass(name="all", need=2, share=1, duration=law)
    rate = 0.8 / float(law.mean)
    result = msj.analyse(costly(2, [job], 0.01).replace(arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(pollaczek_khinchine(law, rate), rel=1e-9)


@pytest.mark.parametrize(("servers", "needs", "rate"), [(2, (1, 2), 0.1), (4, (1, 4), 0.12), (4, (2, 4), 0.1)])
def test_server_filling_with_overheads_keeping_every_job(servers, needs, rate):
    rates, overhead = (1.0, 0.8), 0.5

    def chosen(jobs):
        prefix, total = [], 0
        for i, (c, _) in enumerate(jobs):
            if total >= servers:
                break
            prefix.append(i)
            total += needs[c]
        served, free = set(), servers
        for i in sorted(prefix, key=lambda i: (-needs[jobs[i][0]], i)):
            if needs[jobs[i][0]] <= free:
                served.add(i)
                free -= needs[jobs[i][0]]
        return served

    def settled(jobs):  # a job is (class, "new" | "runs" | "pays" | "aside")
        served = chosen(jobs)
        having = {"new": "runs", "runs": "runs", "pays": "pays", "aside": "pays"}
        lacking = {"new": "new", "runs": "aside", "pays": "aside", "aside": "aside"}
        return tuple((c, (having if i in served else lacking)[how]) for i, (c, how) in enumerate(jobs))

    def steps(jobs):
        for i, (c, how) in enumerate(jobs):
            if how == "runs":
                yield rates[c], settled(replaced(jobs, i))
            elif how == "pays":
                yield overhead, settled(replaced(jobs, i, (c, "runs")))

    def arrive(jobs):
        return [(chance, settled((*jobs, (c, "new")))) for chance, c in ((0.4, 0), (0.6, 1))]

    expected = mean_response_time((), arrive, steps, rate, most=9)
    classes = [
        JobClass(name=f"class {c}", need=needs[c], share=share, duration=Exponential(rate=rates[c]))
        for c, share in enumerate(("2/5", "3/5"))
    ]
    result = msj.analyse(costly(servers, classes, overhead).replace(arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(expected, rel=2e-5)


def test_dearer_preemption_takes_less_load():
    system = simple(4, (1, 1, "1/2"), (4, 1, "1/2"))
    thresholds = [msj.analyse(costly(4, system.classes, rate))["stability_threshold"] for rate in (0.1, 1, 10, 1e9)]
    assert thresholds == sorted(thresholds)
    assert thresholds[0] < thresholds[-1] - 0.1
    assert thresholds[-1] == pytest.approx(system.naive_threshold, rel=1e-7)


def test_who_owes():
    model = front_of(costly(2, simple(2, (1, 1, "1/2"), (2, 1, "1/2")).classes, 1))
    [(small_runs, _)] = model.settled(model.add(model.empty(), 0))
    [(front, _)] = model.settled(model.add(small_runs, 1))  # a large job arrives while a small one runs
    assert front[1] == ((1, RUNS, -1), (0, ASIDE, -1))
    assert model.measures(front) == {"busy_servers": 2.0, "idle_servers": 0.0, "paying_servers": 0.0}
    [(_, left, completed)] = model.steps(front)
    assert completed
    [(left, _)] = model.settled(left)
    assert left[1] == ((0, LOADS, 0),)
    assert model.measures(left) == {"busy_servers": 0.0, "idle_servers": 1.0, "paying_servers": 1.0}


def test_what_is_wrong_is_refused_in_words():
    three = simple(4, (1, 1, "1/2"), (3, 1, "1/2"))
    with pytest.raises(NotSupported, match="not a power of two"):
        front_of(costly(4, three.classes, 1))
    with pytest.raises(InvalidInput, match="overhead_rate = -1 must be greater than 0"):
        costly(4, three.classes, -1)
