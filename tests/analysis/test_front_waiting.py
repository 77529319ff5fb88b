"""Laws of waiting and response times of front models: against FCFS on counts, and against chains of every job."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import expm_multiply

import msj
from fronts.brute_force import replaced, stationary
from msj import Exponential, JobClass, System
from msj.analysis.front_waiting import FrontWaitingLaw, why_no_percentiles
from msj.disciplines import Stage
from msj.fronts import FrontModel, front_of, open_front
from msj.fronts.front_waiting import _write
from msj.markov.level_process import solve
from strategies import simple, systems

NAMES = ("mean_waiting_time", "waiting_probability", "waiting_time_percentile", "response_time_percentile")
TIMES = np.array([0.3, 1.0, 2.5, 6.0])


def values(result):
    return {(q.name, q.job_class, q.level): q for q in result.quantities if q.name in NAMES}


@settings(max_examples=12)
@given(systems(most_servers=3, most_classes=2), st.sampled_from([0.3, 0.9]), st.booleans())
def test_what_is_fcfs_has_the_percentiles_of_fcfs(system, load, resources):
    fcfs = msj.analyse(system.replace(load=load), percentiles=True)
    if resources:
        same = system.replace(model={"name": "several-resources", "capacity": {}})
    else:
        same = system.replace(policy={"name": "first-fit", "window": 1})
    found = values(msj.analyse_model(front_of(same), arrival_rate=fcfs["arrival_rate"], percentiles=True))
    assert len(found) == 12 * (1 if len(system.classes) == 1 else 1 + len(system.classes))
    expected = values(fcfs)
    for key, row in found.items():
        vague = max(r.high - r.low if r.high is not None else 0.0 for r in (row, expected[key]))
        assert row.value == pytest.approx(expected[key].value, rel=1e-6, abs=1e-8 + vague)


def test_first_fit_of_window_one_in_analyse():
    system = simple(4, (1, 1, "1/2"), (3, "1/2", "1/2"), load=0.8)
    fcfs, other = (msj.analyse(s) for s in (system, system.replace(policy={"name": "first-fit", "window": 1})))
    expected, found = values(fcfs), values(other)
    assert found.keys() == expected.keys()
    for key, row in found.items():
        assert row.value == pytest.approx(expected[key].value, rel=1e-7)


def transient(starts, steps, waits, served):
    """P(waits) and P(not served) at TIMES from a law over states, nobody arriving."""
    states, number, entries = list(starts), {state: i for i, state in enumerate(starts)}, []
    for i, state in enumerate(states):
        for speed, after in steps(state):
            if after not in number:
                number[after] = len(states)
                states.append(after)
            entries += [(number[after], i, speed), (i, i, -speed)]
    rows, columns, rates = zip(*entries, strict=True)
    generator = sparse.csr_array(sparse.coo_array((rates, (rows, columns)), (len(states),) * 2))
    law = np.zeros(len(states))
    law[: len(starts)] = list(starts.values())
    found = []
    for t in TIMES:
        now = expm_multiply(generator * t, law)
        found.append([now @ [waits(s) for s in states], now @ [not served(s) for s in states]])
    return np.array(found)


def front_law(system, rate):
    model = front_of(system)
    levels = open_front(model)
    return FrontWaitingLaw(model, levels, solve(levels.at(rate)), rate)


def test_two_resources_keeping_every_job():
    capacities, needs, speeds, shares, rate = (3, 2), ((1, 0), (2, 1), (1, 2)), (1.0, 0.8, 1.5), (0.4, 0.3, 0.3), 0.2

    def settled(state):  # a job is (class, started, tagged), in order of arrival
        held = np.sum([needs[c] for c, started, _ in state if started] or [(0, 0)], axis=0)
        for i, (c, started, tagged) in enumerate(state):
            if not started:
                if np.any(held + needs[c] > capacities):
                    break
                held = held + needs[c]
                state = replaced(state, i, (c, True, tagged))
        return state

    def arrive(state):
        return [(share, settled((*state, (c, False, False)))) for c, share in enumerate(shares)]

    def steps(state):
        return [(speeds[c], settled(replaced(state, i))) for i, (c, started, _) in enumerate(state) if started]

    law = stationary((), arrive, steps, rate, len, 8)
    classes = [
        JobClass(name=str(c), share=shares[c], need=needs[c][0], duration=Exponential(rate=speeds[c]),
                 extra={"resources": {"b": needs[c][1]}}) for c in range(3)
    ]  # fmt: skip
    model = {"name": "several-resources", "capacity": {"b": capacities[1]}}
    found = front_law(System(servers=capacities[0], classes=classes, model=model), rate)
    waiting, response = found.waiting.survival(TIMES), found.response.survival(TIMES)
    for c in range(3):
        starts: dict = {}
        for state, mass in law.items():
            seen = settled((*state, (c, False, True)))
            starts[seen] = starts.get(seen, 0.0) + mass
        expected = transient(
            starts,
            steps,
            waits=lambda state: any(tagged and not started for _, started, tagged in state),
            served=lambda state: not any(tagged for *_, tagged in state),
        )
        assert waiting[:, c] == pytest.approx(expected[:, 0], abs=3e-7)  # what lies beyond eight jobs
        assert response[:, c] == pytest.approx(expected[:, 1], abs=3e-7)
    assert waiting[:, -1] == pytest.approx(waiting[:, :3] @ shares, rel=1e-10)


def test_a_chance_to_start_may_pass():
    # Jobs of class 0 grow from 1 to 2 of 3 servers: what fits now may no longer fit a moment later.
    servers, stages, shares, rate = 3, (((1, 2.0), (2, 1.0)), ((2, 3.0), (1, 1.0))), (0.4, 0.6), 0.15

    def settled(state):  # (under way: (class, stage, place in line; 0 runs), not started)
        inside, outside = state
        free = servers - sum(stages[c][s][0] for c, s, place in inside if not place)
        while any(place for *_, place in inside):
            c, s, _ = next(job for job in inside if job[2] == 1)
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
        return [(share, settled((state[0], (*state[1], c)))) for c, share in enumerate(shares)]

    law = stationary(((), ()), arrive, steps, rate, lambda state: len(state[0]) + len(state[1]), 8)
    classes = [
        JobClass(name=str(c), share=share, need=first.need, duration=first.duration, extra={"then": later})
        for c, share in enumerate(("2/5", "3/5"))
        for first, *later in [[Stage(need=n, duration=Exponential(rate=r)) for n, r in stages[c]]]
    ]
    found = front_law(System(servers=servers, classes=classes, model="stages"), rate)
    assert len(found._descents) == 2  # one for each class: nothing flows on from where it starts
    assert found.service is None
    waiting = found.waiting.survival(TIMES)
    for c in range(2):
        starts: dict = {}
        for (inside, outside), mass in law.items():
            seen = settled((inside, (*outside, c)))
            starts[seen] = starts.get(seen, 0.0) + mass
        moves = {True: steps, False: lambda _: ()}  # the tagged job is the last outside; once inside it has started
        expected = transient(
            starts, lambda s, moves=moves: moves[bool(s[1])](s), waits=lambda s: bool(s[1]), served=lambda s: not s[1]
        )
        assert waiting[:, c] == pytest.approx(expected[:, 0], abs=3e-6)
    mean = np.trapezoid(found.waiting.survival(np.linspace(1e-3, 60, 4000)), np.linspace(1e-3, 60, 4000), axis=0)
    assert found.mean_waiting_time() == pytest.approx(mean, rel=2e-3)


def test_where_they_are_not_known():
    system = simple(4, (1, 1, "1/2"), (2, 1, "1/2"), load=0.5, policy="server-filling")
    assert "a younger job may affect an older one" in why_no_percentiles(front_of(system))
    # In a front of somebody's own nobody can be told apart from his like, so he cannot be followed.
    result = msj.analyse_model(front_of(system), load=0.5, percentiles=True)
    assert not values(result)
    assert any("Percentiles are not known for this model" in note for note in result.notes)
    assert values(msj.analyse(system, percentiles=True))


class FastAndSlow(FrontModel):
    """Two machines; the oldest job is on the fast one, so a job may be moved after it has started."""

    most_jobs = 2

    def fresh(self):
        yield "job", 1.0

    def steps(self, front):
        for i, speed in enumerate((2.0, 0.5)[: len(front)]):
            yield speed, front[:i] + front[i + 1 :], True

    def starts_at_once(self, front, job):
        return len(front) < 2


def test_where_others_affect_a_job_that_has_started_its_wait_is_known_and_its_stay_is_not():
    """n jobs leave at rates 2, 2.5, 2.5, ...: those who wait do so exponentially at rate 2.5 − 2."""
    result = msj.analyse_model(FastAndSlow(), load=0.8)
    assert result.notes == ("Percentiles of response times are not known: others may affect a job that has started.",)
    waits = 4 / (1 + 1 + 4)  # 0, 1, 2, ... jobs have weights 1, 1, then 0.8, 0.64, ...
    assert result["waiting_probability"] == pytest.approx(waits, rel=1e-9)
    assert result["mean_waiting_time"] == pytest.approx(waits / 0.5, rel=1e-9)
    assert result["waiting_time_percentile", None, 95.0] == pytest.approx(np.log(waits / 0.05) / 0.5, rel=1e-6)
    assert not [row for row in result if row.name == "response_time_percentile"]
    plain = msj.analyse_model(FastAndSlow(), load=0.8, percentiles=False)
    assert plain.notes == ()
    assert not [row for row in plain if row.name.endswith("_percentile")]


def test_a_front_that_settles_to_several_has_its_rate_split():
    model = SimpleNamespace(settled=lambda front: [((front, "a"), 0.25), ((front, "b"), 0.75)])
    numbers, block = SimpleNamespace(of=lambda kind, front: (kind, front)), []
    _write(block, 7, 2.0, model, "front", numbers, "level")
    assert block == [(7, ("level", ("front", "a")), 0.5), (7, ("level", ("front", "b")), 1.5)]
