"""The chain of counts against one written down state by state, and its parts by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from msj.disciplines.counting import ByNeed
from msj.fronts import count_levels as counts
from msj.fronts.count_levels import Flow, count_levels, levels_beside, number_of_phases
from msj.markov.gth import closed_class_laws
from msj.markov.level_process import solve

FLOW = Flow(arrival_rates=np.array([0.5, 0.15]), service_rates=np.array([1.0, 0.7]))
CUT = 30  # of the level: beyond, less than 1e-10


def law_of(start, steps):
    """The stationary law of whatever can be reached, state by state."""
    states, rows = [start], []
    for state in states:  # the list grows while it is read
        for reached, rate in steps(state):
            if reached not in states:
                states.append(reached)
            rows.append((states.index(state), states.index(reached), rate))
    generator = np.zeros((len(states), len(states)))
    for i, j, rate in rows:
        if i != j:
            generator[i, j] += rate
            generator[i, i] -= rate
    [(kept, law)] = closed_class_laws(generator)
    return {states[i]: chance for i, chance in zip(kept, law, strict=True)}


def plain_law(rule, most, level):
    """States are (present, running); who would be one too many of another need is turned away."""

    def served(present, running):
        if rule.preemptive:
            [(_, target)] = rule.served(np.array([present]))
            return tuple(target[0].tolist())
        return rule.started(present, running)

    def steps(state):
        present, running = state
        for i in range(2):
            limit = CUT if i == level else most[i]
            if present[i] < limit:
                more = tuple(n + (j == i) for j, n in enumerate(present))
                yield (more, served(more, running)), FLOW.arrival_rates[i]
            if running[i]:
                fewer = tuple(n - (j == i) for j, n in enumerate(present))
                left = tuple(n - (j == i) for j, n in enumerate(running))
                yield (fewer, served(fewer, left)), running[i] * FLOW.service_rates[i]

    return law_of(((0, 0), (0, 0)), steps)


@pytest.mark.parametrize("preemptive", [True, False])
@pytest.mark.parametrize(("larger_first", "level"), [(True, 0), (False, 1), (True, 1), (False, 0)])
def test_levels_are_the_chain_of_counts(larger_first, preemptive, level):
    """Needs 1 and 2 on 3 servers; up to two or three jobs of the other need are let in."""
    rule = ByNeed(servers=3, needs=(1, 2), larger_first=larger_first, preemptive=preemptive)
    if level not in rule.levels:
        return
    most = [2, 3]
    found = count_levels(rule, FLOW, level, most)
    expected = plain_law(rule, most, level)
    law = solve(found.process)
    other = 1 - level
    first = len(found.present) - 1
    assert found.level == level
    for n in range(first + 1):
        vector = law.level_vector(n)
        for phase, present in enumerate(found.present[n]):
            assert present[level] == n
            running = tuple(found.in_service[n][phase].tolist())
            same = [
                chance
                for (there, runs), chance in expected.items()
                if there == tuple(present) and tuple(map(float, runs)) == running
            ]
            assert vector[phase] == pytest.approx(sum(same), rel=1e-7, abs=1e-11)
            assert found.at_cut[n][phase] == (present[other] == most[other])
            for i in range(2):
                joined = [count + (j == i) for j, count in enumerate(present)]
                if preemptive:
                    [(_, target)] = rule.served(np.array([joined]))
                    starts = target[0, i] == joined[i]
                else:
                    starts = rule.started(joined, [int(each) for each in running])[i] == joined[i]
                assert found.starts[n][phase, i] == starts
    above = sum(chance for (present, _), chance in expected.items() if present[level] > first)
    assert 1.0 - sum(law.level_mass(n) for n in range(first + 1)) == pytest.approx(above, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize("larger_first", [True, False])
def test_levels_beside_jobs_that_never_run_out(larger_first):
    """Whoever runs of the other need and leaves is followed by another as soon as there is room."""
    rule = ByNeed(servers=5, needs=(1, 2), larger_first=larger_first, preemptive=False)
    level, always = 0, 1
    flow = Flow(arrival_rates=FLOW.arrival_rates / 4, service_rates=FLOW.service_rates)
    found = levels_beside(rule, flow, level, always)

    def started(n, running):
        return rule.started([n if j == level else 1000 for j in range(2)], running)

    def steps(state):
        n, running = state
        if n < CUT:
            yield (n + 1, started(n + 1, running)), flow.arrival_rates[level]
        for i in range(2):
            if running[i]:
                left = tuple(count - (j == i) for j, count in enumerate(running))
                fewer = n - (i == level)
                yield (fewer, started(fewer, left)), running[i] * flow.service_rates[i]

    expected = law_of((0, started(0, (0, 0))), steps)
    law = solve(found.process)
    for n in range(6):
        mass = sum(chance for (there, _), chance in expected.items() if there == n)
        assert law.level_mass(n) == pytest.approx(mass, rel=1e-7)
    last = len(found.in_service) - 1
    running = sum(law.level_vector(n) @ found.in_service[min(n, last)] for n in range(60))
    mean = sum(chance * np.array(runs) for (_, runs), chance in expected.items())
    np.testing.assert_allclose(running, mean, rtol=1e-6)


def test_how_many_phases_there_are():
    """With preemption one for each count of the others; where servers may idle, one for each situation as well."""
    rule = ByNeed(servers=7, needs=(2, 3, 5), larger_first=True, preemptive=True)
    assert number_of_phases(rule, 0, [9, 4, 2]) == 5 * 3
    assert number_of_phases(rule, 1, [9, 4, 2]) == 10 * 3
    idling = SimpleNamespace(needs=(2, 3, 5), preemptive=False, idles=True, situations=7)
    assert number_of_phases(idling, 2, [9, 4, 2]) == 7 * 10 * 5


class Torn:
    """Decides between two ways: with chance 1/4 two of the first need are served, else one of the second."""

    needs = (1, 2)

    def served(self, present):
        one = np.ones(len(present))
        return [(0.25 * one, np.outer(one, [2.0, 0.0])), (0.75 * one, np.outer(one, [0.0, 1.0]))]


def test_ties_count_by_chance_and_stay(monkeypatch):
    """Arrivals at 0.5 + 1.5; the ways are left at 2 + 2·1 and 2 + 3, so they hold for 0.25/4 and 0.75/5."""
    monkeypatch.setattr(counts, "ROWS", 2)  # some rows at a time
    flow = Flow(arrival_rates=np.array([0.5, 1.5]), service_rates=np.array([1.0, 3.0]))
    present = np.array([[2, 1], [5, 1], [2, 4]])
    found = counts._mean_served(Torn(), flow, present)
    np.testing.assert_allclose(found, [[0.125 / 0.2125, 0.15 / 0.2125]] * 3, rtol=1e-12)
    # Another of the first need would be the third, sixth, third; of the second the second, second, fifth.
    assert counts._starts(Torn(), np.array([[1, 1], [0, 0], [2, 4]]), 0).tolist() == [0.25, 0.25, 0.0]
    assert counts._starts(Torn(), np.array([[1, 1], [0, 0], [2, 4]]), 1).tolist() == [0.0, 0.75, 0.0]
