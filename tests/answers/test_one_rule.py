"""One system at one load: the same row whoever is asked, and nothing built twice on the way."""

from collections import Counter

import numpy as np
import pytest

import msj
from msj.analysis import exact_response, finite_skip_chain, finite_skip_response, saturated_chain
from msj.answers.response import response
from msj.answers.threshold import find_threshold
from msj.effort import Effort
from msj.planning import possible_changes, what_if
from strategies import simple

EXACT = simple(6, (1, 1, "1/2"), (2, "1/2", "3/10"), (6, 2, "1/5"), load=0.7)
FILLING = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), load=0.7).replace(policy="server-filling")
EASY = simple(4, (1, 1, 0.5), (3, 1, 0.5), utilisation=0.5).replace(policy="easy-backfilling")


def same(*rows):
    first = rows[0]
    for row in rows[1:]:
        assert (row.name, row.kind, row.method) == (first.name, first.kind, first.method)
        assert row.value == pytest.approx(first.value, rel=1e-12)
        assert (row.low, row.high) == (first.low, first.high)


@pytest.mark.parametrize("system", [EXACT, FILLING], ids=["fcfs", "server-filling"])
def test_exact_answers_are_the_same_row_whichever_command_is_asked(system):
    analysed = msj.analyse(system)
    curve = msj.curve(system, loads=[0.7]).at(load=0.7)
    grown = msj.cluster_scaling(system, keep="load", jobs=20_000, seed=1)
    report = msj.report(system, policies=[], precision=0.5, seed=1)
    change = next(change for change in possible_changes(system) if change.words.startswith("half as many"))
    changed = what_if(change, analysed["arrival_rate"], Effort(jobs=20_000), np.random.SeedSequence(1))
    elsewhere = msj.analyse(change.system.replace(arrival_rate=analysed["arrival_rate"]))
    same(*(found.row("mean_response_time") for found in (analysed, curve, grown, report.at(section="response"))))
    same(*(found.row("stability_threshold") for found in (analysed, grown, report.at(section="capacity"))))
    same(elsewhere.row("mean_response_time"), changed.mean_response_time)
    same(elsewhere.row("stability_threshold"), changed.capacity.stability_threshold)


def test_simulated_answers_are_the_same_row_for_the_same_seed_and_effort():
    root = np.random.SeedSequence(5)
    simulated = msj.simulate(EASY, jobs=100_000, rng=root)
    answered = response(
        EASY.replace(arrival_rate=simulated["arrival_rate"]), None, Effort(jobs=100_000), np.random.SeedSequence(5)
    )
    for name in ("mean_response_time", "waiting_probability", "mean_waiting_time"):
        same(simulated.row(name), answered.find(name))


def test_a_report_simulates_its_own_load_as_msj_simulate_does():
    report = msj.report(EXACT, policies=[], precision=0.05, seed=3)
    there = report.at(section="simulation").row("mean_response_time")
    jobs = report.provenance["most_jobs_per_run"]
    rate = report.at(section="simulation")["arrival_rate"]
    alone = msj.simulate(EXACT.replace(arrival_rate=rate), jobs=jobs, precision=0.05, seed=3)
    assert there.value == alone["mean_response_time"]
    assert there.method == alone.row("mean_response_time").method


def test_nothing_is_built_or_enumerated_twice_for_one_question(monkeypatch):
    builders = {
        saturated_chain: ("saturated_chain", "number_of_states", "solve"),
        exact_response: ("open_fcfs", "solve_open"),
        finite_skip_chain: ("saturated_fronts", "solve"),
        finite_skip_response: ("open_front", "solve_levels"),
    }
    built = Counter()

    def counted(name, function):
        def call(*given, **named):
            built[name] += 1
            return function(*given, **named)

        return call

    for module, names in builders.items():
        for name in names:
            monkeypatch.setattr(module, name, counted(f"{module.__name__}.{name}", getattr(module, name)))
    for number, system in enumerate((EXACT, FILLING)):
        built.clear()
        msj.analyse(system.replace(servers=system.servers * 2, load=0.61 + number / 100))
        assert built
        assert set(built.values()) == {1}, built


def test_the_choice_does_not_depend_on_the_machine():
    """Costs are operations and bytes: a slower machine, or a deadline that is near, chooses the same method."""
    root = np.random.SeedSequence(1)
    rows = {find_threshold(EXACT, effort, root).stability_threshold for effort in (Effort(), Effort.lasting(1e-9))}
    assert len(rows) == 1
