"""The brute force of models of parts against closed forms, chains by hand and models that are solved otherwise."""

import pytest

import msj
from fronts.brute_force import erlang_c, pollaczek_khinchine
from fronts.brute_force_builders import kind, modulated, one_by_one, overhead, parts, plain, segment, set_up, windows
from fronts.brute_force_parts import saturated, solved
from msj import Erlang, Exponential, Hyperexponential, JobClass, PhaseType, System
from msj.disciplines import Stage
from msj.disciplines.server_filling import ServerFilling

ONE, TWO, HALF = Exponential(mean=1), Exponential(mean=2), Exponential(mean="1/2")
ERLANG = Erlang(stages=2, mean=1)
VARIABLE = Hyperexponential(rates=[3, "1/2"], probabilities=["1/2", "1/2"])
ONE_THEN_HALF = PhaseType(initial=[1, 0], generator=[[-1, 1], [0, -2]])


def response(model, rate, most=14, shares=(1.0,)):
    return solved(model, list(shares), rate, most)["mean_response_time"]


def close(value, rel=1e-9):
    return pytest.approx(value, rel=rel)


@pytest.mark.parametrize("law", [ONE, ERLANG, VARIABLE])
def test_one_server_is_pollaczek_khinchine(law):
    assert response(parts(1, plain(1, law)), 0.1) == close(pollaczek_khinchine(law, 0.1))


@pytest.mark.parametrize("servers", [2, 3])
@pytest.mark.parametrize("rule", [None, ServerFilling()])
def test_many_servers_are_erlangs_formula(servers, rule):
    servers += servers == 3 and rule is not None  # a power of two
    assert response(parts(servers, plain(1, ONE), rule=rule), 0.2) == close(erlang_c(servers, 1, 0.2))


ONE_BY_ONE = {
    "a cap": parts(2, plain(1, ERLANG, at_most=1)),
    "a resource": parts(2, kind(segment(1, ERLANG, gpus=2)), capacity={"gpus": 3}),
    "a group's resource": parts([(2, 0.5, {}), (2, 1.0, {"gpus": 1})], kind(segment(1, ERLANG, gpus=1), groups=(0, 1))),
    "two groups": parts([(1, 1.0, {}), (1, 3.0, {})], plain(2, ERLANG, groups=(1, 0), span=True)),
    "two stages": parts(2, kind(segment(2, HALF), segment(2, HALF, 0))),
    "a falling need": parts(2, kind(segment(2, HALF), segment(1, HALF, 0))),
    "a need by phase": parts(2, kind(segment([2, 1], ERLANG))),
    "a constant environment": parts(1, plain(1, ERLANG), environment=[windows(ONE, ONE, [0])]),
}


@pytest.mark.parametrize("model", ONE_BY_ONE.values(), ids=ONE_BY_ONE)
def test_jobs_one_by_one_are_pollaczek_khinchine(model):
    assert response(model, 0.05, 9) == close(pollaczek_khinchine(ERLANG, 0.05))


def test_fork_join_on_just_enough_servers_is_the_longest_task():
    longest = PhaseType(initial=[1, 0], generator=[[-2, 2], [0, -1]])
    model = parts(2, kind(segment(1, ONE), segment(1, ONE)))
    assert response(model, 0.1) == close(pollaczek_khinchine(longest, 0.1))


def test_a_fork_and_join_between_a_first_and_a_last_segment():
    # 1 then two at once then one: alone on two servers, as the first that waits needs both for its fork.
    whole = PhaseType(initial=[1, 0, 0, 0], generator=[[-2, 2, 0, 0], [0, -2, 2, 0], [0, 0, -1, 1], [0, 0, 0, -1]])
    diamond = kind(segment(2, HALF), segment(1, ONE, 0), segment(1, ONE, 0), segment(1, ONE, 1, 2))
    assert response(parts(2, diamond), 0.05) == close(pollaczek_khinchine(whole, 0.05))


def test_a_growing_need_waits_in_line():
    # Two jobs in stage 1 (rates 2a, a), then stage 2 twice, each alone.
    model = parts(2, kind(segment(1, ONE), segment(2, TWO, 0)))
    assert saturated(model, [1.0], 4)["throughput"] == close(2 / (1 / 2 + 1 + 2 + 2))
    assert saturated(parts(2, kind(segment([1, 2], ERLANG))), [1.0], 4)["throughput"] == close(2 / (1 / 4 + 1 / 2 + 1))


def test_a_faster_server_taken_first():
    # Birth and death: empty, the fast one busy, the slow one busy, then both with n jobs.
    rate, fast, slow = 0.1, 2.0, 0.5
    both = fast + slow
    # In terms of q = P(both busy, two jobs): balance of "slow", of "fast", of "empty".
    q = 1.0
    on_slow = fast * q / (rate + slow)
    on_fast = (both * q - rate * on_slow) / rate
    empty = (fast * on_fast + slow * on_slow) / rate
    tail = rate / both
    total = empty + on_fast + on_slow + q / (1 - tail)
    jobs = on_fast + on_slow + q * (2 / (1 - tail) + tail / (1 - tail) ** 2)
    model = parts([(1, slow, {}), (1, fast, {})], plain(1, ONE, groups=(1, 0)))
    assert response(model, rate) == close(jobs / total / rate)


@pytest.mark.parametrize("law", [ONE, ERLANG, VARIABLE])
@pytest.mark.parametrize("delay", [None, HALF])
def test_set_up_of_one_server(law, delay):
    # The first job of a busy period waits for the set-up, unless the delay has not ended: a first service that differs.
    rate = 0.1
    finds_off = 1 if delay is None else 2 / (rate + 2)
    first, second = finds_off * float(law.mean), finds_off * law.second_moment
    more = (2 * first + rate * second) / (2 * (1 + rate * first))
    model = parts(1, plain(1, ERLANG), set_up=set_up(law, delay=delay))
    assert response(model, rate) == close(pollaczek_khinchine(ERLANG, rate) + more)


def test_staggered_set_up_adds_its_mean():
    # Gandhi, Harchol-Balter and Adan, Server farms with setup costs (2010): E[T] is that of M/M/k and a set-up.
    model = parts(3, plain(1, ONE), set_up=set_up(HALF, staggered=True))
    assert response(model, 0.1, 10) == close(erlang_c(3, 1, 0.1) + 0.5)


def interrupted(rate, service, breaks, repair):
    """E[T] of M/M/1 whose server breaks, busy or not, by the generating functions of its two states.

    P_up(z) = service p0 / f(z), f(z) = service - rate z - breaks rate z / (repair + rate (1 - z)), and
    P_down(z) = breaks P_up(z) / (repair + rate (1 - z)).
    """
    up = repair / (breaks + repair)
    f = service - rate - breaks * rate / repair
    slope = -rate - breaks * rate / repair - breaks * rate**2 / repair**2
    jobs_up = -up * slope / f
    return (jobs_up + breaks * jobs_up / repair + breaks * up * rate / repair**2) / rate


BREAKING = {
    "one by one": one_by_one(1, 0.2, 1.0),
    "together": windows(Exponential(mean=5), ONE, [1], "any"),
    "maintenance": windows(Exponential(mean=5), ONE, [1]),
    "more than there are": windows(Exponential(mean=5), ONE, [3]),
    "speed": modulated([[-0.2, 0.2], [1, -1]], speed=[1.0, 0.0]),
}


@pytest.mark.parametrize("environment", BREAKING.values(), ids=BREAKING)
@pytest.mark.parametrize("rule", [None, ServerFilling()])
def test_a_server_that_breaks(environment, rule):
    if rule is not None:
        environment = {**environment, "hits": "any"}
    found = solved(parts(1, plain(1, ONE), environment=[environment], rule=rule), [1.0], 0.05, 14)
    assert found["mean_response_time"] == close(interrupted(0.05, 1, 0.2, 1))
    assert found["broken_servers"] == close(1 / 6 if environment["taken"][1][0] else 0)


@pytest.mark.parametrize("rule", [None, ServerFilling()])
def test_a_transfer_after_each_repair(rule):
    # run -> broken at 1/5, broken -> load at 1, load -> run at 2 or -> broken at 1/5.
    load = 1 / (1 + 10 + 11 / 5)  # run = 10 load, broken = (run + load) / 5
    model = parts(1, plain(1, TWO), environment=[one_by_one(1, 0.2, 1.0)], overhead=overhead(HALF, HALF), rule=rule)
    found = saturated(model, [1.0], 3)
    assert found["throughput"] == close(10 * load / 2)
    assert found["paying_servers"] == close(load)


def test_breakdowns_one_by_one_take_each_server_alike():
    # Infinitely many jobs of need 1: each server is up a share 5/6 of the time, whatever the others do.
    found = saturated(parts(2, plain(1, ONE), environment=[one_by_one(2, 0.2, 1.0)]), [1.0], 4)
    assert found["throughput"] == close(2 * 5 / 6)


def test_two_classes_on_two_servers():
    model = parts(2, plain(1, ONE), plain(2, TWO))
    shares = [2 / 3, 1 / 3]
    assert saturated(model, shares, 3)["throughput"] == close(0.9)
    found = [solved(model, shares, 0.45, most)["jobs"] / 0.45 for most in range(3, 10)]
    assert limit(found) == pytest.approx(2.815423, rel=2e-4)  # the load is high, so what is cut off falls slowly


def limit(values):
    """Wynn's epsilon algorithm, for an odd number of values."""
    before, now = [0.0] * (len(values) + 1), values
    while len(now) > 1:
        before, now = now, [before[i + 1] + 1 / (now[i + 1] - now[i]) for i in range(len(now) - 1)]
    return now[0]


@pytest.mark.parametrize(
    ("servers", "classes", "threshold"),
    [
        (3, [(1, "1/3"), (2, "2/3"), (3, 1)], 0.7168141593),
        (4, [(1, "1/4", 0.42), (4, 1, 0.58)], 0.5412908340),
    ],
)
def test_thresholds_of_the_papers(servers, classes, threshold):
    shares = [one[2] if len(one) > 2 else 1 / len(classes) for one in classes]
    model = parts(servers, *[plain(one[0], Exponential(rate=one[1])) for one in classes])
    assert saturated(model, shares, servers + 1)["throughput"] == close(threshold)


def job(i, need, law, **extra):
    return JobClass(name=f"class {i}", need=need, share="1/2", duration=law, extra=extra)


CHAIN = [{"need": 2, "duration": HALF}, {"need": 1, "duration": ONE}]
SOLVED_OTHERWISE = {
    "fcfs": (parts(3, plain(1, VARIABLE), plain(2, ERLANG)), [job(0, 1, VARIABLE), job(1, 2, ERLANG)], "fcfs", None),
    "set-up": (
        parts(3, plain(1, ERLANG), plain(2, ONE), set_up=set_up(HALF)),
        [job(0, 1, ERLANG), job(1, 2, ONE)],
        "fcfs",
        {"name": "set-up", "set_up_rate": 2},
    ),
    "staggered": (
        parts(3, plain(1, ERLANG), plain(2, ONE), set_up=set_up(HALF, staggered=True)),
        [job(0, 1, ERLANG), job(1, 2, ONE)],
        "fcfs",
        {"name": "set-up", "set_up_rate": 2, "staggered": True},
    ),
    "groups": (
        parts([(1, 1.0, {}), (2, 1.0, {})], plain(1, ONE, groups=(0, 1)), plain(2, TWO, groups=(1,))),
        [job(0, 1, ONE, groups=["a", "b"]), job(1, 2, TWO, groups=["b"])],
        "fcfs",
        {"name": "server-groups", "groups": {"a": 1, "b": 2}},
    ),
    "resources": (
        parts(3, kind(segment(1, ONE, gpus=2)), plain(2, ERLANG), capacity={"gpus": 3}),
        [job(0, 1, ONE, resources={"gpus": 2}), job(1, 2, ERLANG)],
        "fcfs",
        {"name": "several-resources", "capacity": {"gpus": 3}},
    ),
    "stages": (
        parts(3, kind(segment(1, ONE), segment(2, HALF, 0), segment(1, ONE, 1)), plain(2, ONE)),
        [job(0, 1, ONE, then=[Stage(**stage) for stage in CHAIN]), job(1, 2, ONE)],
        "fcfs",
        "stages",
    ),
    "fork-join": (
        parts(3, kind(segment(1, ERLANG), segment(1, ERLANG)), kind(*[segment(1, ONE)] * 3)),
        [job(0, 2, ERLANG), job(1, 3, ONE)],
        "fcfs",
        "fork-join",
    ),
    "server-filling": (
        parts(2, plain(1, ERLANG), plain(2, ONE), rule=ServerFilling()),
        [job(0, 1, ERLANG), job(1, 2, ONE)],
        "server-filling",
        None,
    ),
    "overheads": (
        parts(2, plain(1, ERLANG), plain(2, ONE), overhead=overhead(transfer=HALF), rule=ServerFilling()),
        [job(0, 1, ERLANG), job(1, 2, ONE)],
        "server-filling",
        {"name": "preemption-cost", "overhead_rate": 2},
    ),
}


@pytest.mark.parametrize("case", SOLVED_OTHERWISE.values(), ids=SOLVED_OTHERWISE)
def test_one_part_alone_is_the_model_of_its_name(case):
    model, classes, policy, name = case
    servers = sum(group[0] for group in model["groups"])
    model_key = {} if name is None else {"model": name}
    system = System(servers=servers, classes=classes, policy=policy, arrival_rate=0.005, **model_key)
    exact = msj.analyse(system, percentiles=False)
    found = solved(model, [0.5, 0.5], 0.005, 5)
    assert found["mean_response_time"] == close(exact["mean_response_time"])
    for c in (0, 1):
        assert found["mean_response_time", c] == close(exact["mean_response_time", f"class {c}"])
    assert saturated(model, [0.5, 0.5], servers + 1)["throughput"] == close(exact["stability_threshold"])
