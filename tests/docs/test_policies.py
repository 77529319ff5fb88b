"""The page of policies: its table is that of the registry, and what it says of each can be checked."""

import re
from pathlib import Path

import numpy as np
import pytest

import msj
from msj import NotSupported
from msj.analysis.base import ResponseAnalysis
from msj.answers.saturated import that_apply
from msj.answers.threshold import attainable_row, find_threshold
from msj.effort import Effort
from msj.registry import POLICIES
from msj.reports.policies import _asks_for
from msj.simulation import replay_jobs
from msj.simulation.saturated_window import one_window
from msj.workloads import RecordedJobs
from strategies import simple

PAGE = Path(__file__).parents[2] / "docs" / "policies.md"
ROWS = {
    cells[0].strip("`"): cells[1:]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| `")
    for cells in [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]]
}


def test_the_table_has_every_policy_and_no_other():
    assert list(ROWS) == list(POLICIES.names())


@pytest.mark.parametrize("name", POLICIES.names())
def test_a_row_says_what_the_policy_does(name):
    policy = POLICIES.get(name)()
    asks_for, preemptive, _, _, solved, source = ROWS[name]
    assert asks_for == _asks_for(policy)
    assert preemptive == ("yes" if policy.preemptive else "no")
    assert source == policy.citation
    needs = {"heterogeneous-servers": (1,), "limited-processor-sharing": (4,)}.get(name, (1, 4))
    system = simple(4, *((need, 1, f"1/{len(needs)}") for need in needs), policy=name, arrival_rate=0.1)
    able = that_apply(ResponseAnalysis, system)
    assert bool(able) == solved.startswith("exact"), solved


#: The cluster of the column "of the limit", and others on which more of the policies apply.
SMALL = simple(4, (1, 2, "1/2"), (3, "3/2", "1/2"))
OTHERS = (
    simple(4, (1, 2, "1/2"), (4, "3/2", "1/2")),
    simple(6, (2, 2, "1/2"), (3, "3/2", "1/2")),
    simple(4, (1, 1, 1)),
)
#: The theorem that they take all is about clocks that grow without end, which no finite look can show.
BY_THEOREM = ("randomized-timers",)


def limit(system):
    row = attainable_row(system)
    return system.naive_threshold if row is None else row.value


def known(system):
    """The threshold, where an analysis knows it."""
    try:
        return find_threshold(system, Effort(), completions=False, bracket=False).value
    except NotSupported:
        return None


def taken(system):
    """The threshold or, where no analysis knows it, what the saturated system takes, with 64 jobs waiting."""
    found = known(system)
    return one_window(system, 64, jobs=0, root=np.random.SeedSequence(1)).threshold if found is None else found


def under(policy):
    """The clusters on which a policy applies."""
    systems = [system.replace(policy=policy) for system in (SMALL, *OTHERS)]
    return [system for system in systems if system.policy.supports(system) is None]


@pytest.mark.parametrize("name", [name for name in POLICIES.names() if name not in BY_THEOREM])
def test_what_a_policy_takes(name):
    takes, _, windowed = ROWS[name][2].partition("; with a window ")
    if takes.startswith("any load"):
        assert POLICIES.get(name).turns_away
    elif takes in ("all", "all (LP)"):
        assert [taken(system) for system in under(name)] == pytest.approx([limit(system) for system in under(name)])
    elif takes.startswith(("less", "what its packings take")):
        assert min(known(system) / limit(system) for system in under(name)) < 0.99
    else:
        assert takes == "not known"
        assert known(SMALL.replace(policy=name)) is None
    if windowed:
        assert windowed == "less"
        assert known(SMALL.replace(policy={"name": name, "window": 3})) < 0.99 * limit(SMALL)


@pytest.mark.parametrize("name", POLICIES.names())
def test_how_much_of_the_limit_that_is(name):
    share, system = ROWS[name][3].partition(";")[0], SMALL.replace(policy=name)
    if share == "—":
        assert system.policy.supports(system) or system.policy.turns_away or name in BY_THEOREM
    elif " to " in share:  # a bracket, measured once
        assert known(system) is None
        low, high = map(float, share.split(" to "))
        assert low < high <= 1
    else:
        assert known(system) / limit(SMALL) == pytest.approx(float(share), abs=5e-4)


def test_designed_packings_take_all_of_it():
    rows = msj.design(SMALL)
    assert ROWS["msr"][3].endswith("1 by design")
    assert rows["stability_threshold"] == pytest.approx(limit(SMALL))


ALIKE = {
    "best fit": ([1, 2, 3, 4], ["best-fit", "smash", {"name": "most-servers-first", "preemptive": False}]),
    "fcfs": ([1, 2, 3, 4], ["fcfs", {"name": "smash", "window": 1}, {"name": "first-fit", "window": 1}]),
    "nobody drains": ([1, 4], ["best-fit", {"name": "msfq", "threshold": 0}]),
    "needs take turns": ([1, 4], ["static-quickswap", "msfq"]),
}


@pytest.mark.parametrize("which", ALIKE)
def test_which_policies_are_one_and_the_same(which):
    needs, policies = ALIKE[which]
    rng = np.random.default_rng(7)
    arrival, need, duration = np.cumsum(rng.exponential(0.9, 400)), rng.choice(needs, 400), rng.exponential(1, 400)
    jobs = RecordedJobs(arrival=arrival, need=need, duration=duration)
    first, *others = (replay_jobs(jobs, servers=4, policy=SMALL.replace(policy=p).policy).finish for p in policies)
    for other in others:
        np.testing.assert_array_equal(other, first)
