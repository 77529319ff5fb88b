"""Quickswap policies, solved by counts and memory: against brute force, check values, simulation; what they take."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import spsolve

import msj
from msj.analysis.counted import counted
from msj.analysis.solved_counts import SolvedCounts, solve_counts
from msj.fronts.count_levels import count_levels
from msj.markov.level_process import solve as solve_levels
from msj.registry import POLICIES
from msj.simulation.saturated_window import one_window
from strategies import simple

W1 = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), arrival_rate="3/5")
QUICK = {
    "msfq": "msfq",
    "msfq, one left, always": {"name": "msfq", "threshold": 1, "drain": "always"},
    "adaptive": "adaptive-quickswap",
    "static": "static-quickswap",
}


def by_force(system, rate, most):
    """Every state of a box, one sparse system; the rule's function is asked directly. Return E[N] by need."""
    policy, servers = system.policy, system.servers
    needs = np.array([c.need for c in system.classes])
    arriving = [rate * float(c.share) for c in system.classes]
    service = [1.0 / float(c.duration.mean) for c in system.classes]

    def decided(present, running, memory):
        now, kept = np.array(running), np.array(memory)
        policy.decide(needs, np.array(present), now, servers, kept)
        assert (now <= present).all()
        assert (now >= running).all()
        assert now @ needs <= servers
        assert now.sum() > 0 or sum(present) == 0  # somebody is served if anybody is there
        return tuple(present), tuple(now.tolist()), tuple(kept.tolist())

    states = [decided([0] * len(needs), [0] * len(needs), [0])]
    number, moves = {states[0]: 0}, []

    def go(here, there, rate):
        if there not in number:
            number[there] = len(states)
            states.append(there)
        moves.append((here, number[there], rate))

    for state in states:  # the list grows while it is read
        present, running, memory = state
        for i in range(len(needs)):
            one = np.eye(1, len(needs), i, dtype=int)[0]
            if present[i] < most[i]:
                go(number[state], decided((present + one).tolist(), running, memory), arriving[i])
            if running[i]:
                after = decided((present - one).tolist(), (running - one).tolist(), memory)
                go(number[state], after, running[i] * service[i])
    source, target, rates = map(np.array, zip(*moves, strict=True))
    size = len(states)
    generator = sparse.coo_array((rates, (target, source)), shape=(size, size)).tolil()
    generator.setdiag(generator.diagonal() - np.bincount(source, weights=rates, minlength=size))
    generator[0, :] = 1.0
    law = spsolve(generator.tocsc(), np.eye(1, size)[0])
    return law @ np.array([present for present, *_ in states])


@pytest.mark.parametrize("name", QUICK)
def test_the_chain_against_brute_force(name):
    system = W1.replace(policy=QUICK[name])
    solved = solve_counts(counted(system), 0.3)
    np.testing.assert_allclose(solved.mean_present, by_force(system, 0.3, (30, 30)), rtol=1e-7)


def test_three_needs_against_brute_force():
    system = simple(3, (1, 1, "1/3"), (2, 1, "1/3"), (3, 2, "1/3"), policy="static-quickswap")
    jobs = counted(system)
    levels = count_levels(jobs.rule, jobs.flow(0.35), 2, [4, 4, 0])  # with cuts: larger ones are too many phases
    solved = SolvedCounts(jobs=jobs, rate=0.35, levels=levels, law=solve_levels(levels.process))
    np.testing.assert_allclose(solved.mean_present, by_force(system, 0.35, (4, 4, 40)), rtol=1e-8)


@pytest.mark.parametrize(
    ("name", "value", "there"),
    [("msfq", 5.542771, 5.522), ("adaptive", 5.560710, 5.544), ("static", 5.542771, None)],
)
def test_check_values(name, value, there):
    # ``there``: another simulator, about one per cent. For static quickswap it has 6.317, by an accident of its loop.
    found = solve_counts(counted(W1.replace(policy=QUICK[name])), 0.6).mean_present.sum() / 0.6
    assert found == pytest.approx(value, abs=1e-6)
    assert there is None or found == pytest.approx(there, rel=0.01)


def test_msfq_that_drains_nobody_is_best_fit():
    quick = solve_counts(counted(W1.replace(policy={"name": "msfq", "threshold": 0})), 0.5)
    plain = solve_counts(counted(W1.replace(policy="best-fit")), 0.5)
    np.testing.assert_allclose(quick.mean_present, plain.mean_present, rtol=1e-8)


@pytest.mark.parametrize("name", ["msfq", "adaptive"])
def test_the_simulation_agrees_with_the_chain(name):
    # 3.9 standard errors: odds of 1e-4 for each.
    system = W1.replace(policy=QUICK[name], arrival_rate="2/5")
    solved = solve_counts(counted(system), 0.4)
    run = msj.simulate(system, jobs=100_000, seed=1)
    for i, c in enumerate(system.classes):
        row = run.row("mean_response_time", job_class=c.name)
        error = abs(row.value - solved.mean_present[i] / 0.2)
        assert error < 3.9 / 1.96 * (row.high - row.low) / 2
        row = run.row("waiting_probability", job_class=c.name)
        assert abs(row.value - solved.waiting_probability[i]) < 3.9 / 1.96 * (row.high - row.low) / 2


def test_what_needs_that_take_turns_can_take():
    # On 7 servers 7 jobs of need 1, 3 of need 2 or 1 of need 4: 1/lambda* = (1/7 + 1/3 + 2)/3.
    system = simple(7, (1, 1, "1/3"), (2, 1, "1/3"), (4, "1/2", "1/3"), policy="static-quickswap")
    threshold = msj.analyse(system).row("stability_threshold")
    assert threshold.value == pytest.approx(3 / (1 / 7 + 1 / 3 + 2))
    assert threshold.kind == "exact"
    # So much it can carry in a saturated simulation, too, that looks at many waiting jobs.
    found = one_window(system, 1024, jobs=100_000, root=np.random.SeedSequence(1))
    assert found.threshold == pytest.approx(threshold.value, rel=0.02)


def test_what_msfq_does_not_support():
    assert "needs 2 of 4 servers" in POLICIES.get("msfq")().supports(simple(4, (2, 1, 1)))
    reason = POLICIES.get("msfq")(threshold=4).supports(simple(4, (1, 1, 1)))
    assert "threshold = 4 must be below servers = 4" in reason
    with pytest.raises(msj.InvalidInput, match="did you mean 'always'"):
        POLICIES.get("msfq")(drain="alway")
