"""Exact answers about code from outside are compared with a simulation, once; a contradiction is refused everywhere."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

import msj
from msj.disciplines import Policy
from msj.disciplines.base import Fills
from msj.errors import BadFunction
from strategies import simple


def no_younger_job_runs(needs, running, free, chosen):
    """Start a job only if no younger job is in service: a chain that keeps no order among them cannot know."""
    for i in range(len(needs)):
        chosen[i] = running[i]
    for i in range(len(needs)):
        younger = False
        for j in range(i + 1, len(needs)):
            younger = younger or running[j]
        if not running[i] and not younger and needs[i] <= free:
            chosen[i] = True
            free -= needs[i]


def contradictory(**fields):
    policy = msj.OwnFunction(function=no_younger_job_runs, preemptive=False, front=3)
    return simple(4, (1, 1, "1/2"), (3, 1, "1/2"), policy=policy, **fields)


@pytest.mark.parametrize("verb", [msj.analyse, msj.curve, msj.simulate, msj.report])
def test_every_verb_refuses_an_exact_answer_that_a_simulation_contradicts(verb):
    """The sentence has both numbers."""
    sentence = (
        r"'no_younger_job_runs' contradicts itself: at arrival rate [\d.]+ its exact mean response time.* is [\d.]+, "
        r"and its simulated one [\d.]+ \(between [\d.]+ and [\d.]+\); .*leave front out"
    )
    with pytest.raises(BadFunction, match=sentence):
        verb(contradictory(utilisation=0.3))


def test_on_the_command_line_that_is_exit_2(tmp_path, capsys):
    import inspect

    from msj.cli import main

    (tmp_path / "mine.py").write_text(inspect.getsource(no_younger_job_runs))
    msj.write(contradictory(utilisation=0.3).replace(policy="fcfs"), tmp_path / "cluster.toml")
    text = (tmp_path / "cluster.toml").read_text()
    chosen = 'policy = { name = "mine.py:no_younger_job_runs", preemptive = false, front = 3 }'
    (tmp_path / "cluster.toml").write_text(text.replace('policy = "fcfs"', chosen))
    with pytest.raises(SystemExit) as leave:
        main(["analyse", str(tmp_path / "cluster.toml")])
    assert leave.value.code == 2
    assert "contradicts itself" in capsys.readouterr().err


def test_without_a_front_the_same_function_is_simulated():
    system = contradictory(utilisation=0.3)
    result = msj.simulate(system.replace(policy=system.policy.replace(front=None)), jobs=5_000, seed=1)
    assert result.outcome.label == "job-limit-reached"


@dataclass(frozen=True, kw_only=True)
class FullOfItself(Policy):
    """First come, first served, declared never to leave a server idle."""

    name: ClassVar[str] = "full-of-itself"
    summary: ClassVar[str] = "FCFS that claims to fill the servers"
    citation: ClassVar[str] = ""
    preemptive: ClassVar[bool] = False
    front: ClassVar[None] = None
    fills: ClassVar[Fills] = Fills.ALWAYS

    @property
    def serve(self):
        return in_order

    def oldest_served(self, servers, least_need):
        return servers // least_need


def in_order(needs, servers, chosen):
    for i in range(len(needs)):
        if needs[i] > servers:
            return
        chosen[i] = True
        servers -= needs[i]


def test_a_threshold_by_a_declared_trait_is_compared_too():
    """FCFS with needs 1 and 2 on two servers saturates at 8/9 of what work conservation promises (lfms, Lemma 5.1)."""
    with pytest.raises(BadFunction, match=r"its exact stability threshold is [\d.]+, and its simulated one [\d.]+"):
        msj.analyse(simple(2, (1, 1, "1/2"), (2, 1, "1/2"), policy=FullOfItself(), utilisation=0.5))


def test_what_agrees_is_answered_and_compared_once(monkeypatch):
    from msj.answers import cross_check

    runs, simulate = [], cross_check.simulate_at_rate
    monkeypatch.setattr(cross_check, "simulate_at_rate", lambda *a, **k: (runs.append(a), simulate(*a, **k))[1])

    def mine(needs, servers, chosen):
        in_order(needs, servers, chosen)

    system = simple(2, (1, 1, "1/2"), (2, 1, "1/2"), utilisation=0.5)
    own = system.replace(policy=msj.OwnFunction(function=mine, front=1))
    for load in (0.5, 0.6, 0.7):
        found = msj.analyse(own.replace(utilisation=load))["mean_response_time"]
        assert found == pytest.approx(msj.analyse(system.replace(utilisation=load))["mean_response_time"], rel=1e-9)
    assert len(runs) == 1
