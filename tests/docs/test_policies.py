"""The page of policies: its table is that of the registry, and what it says of each can be checked."""

import re
from pathlib import Path

import pytest

from msj.analysis.base import ResponseAnalysis
from msj.answers.saturated import that_apply
from msj.registry import POLICIES
from msj.reports.policies import _asks_for
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
    asks_for, preemptive, takes, solved, source = ROWS[name]
    assert asks_for == _asks_for(policy)
    assert preemptive == ("yes" if policy.preemptive else "no")
    assert source == policy.citation
    assert takes
    needs = {"heterogeneous-servers": (1,), "limited-processor-sharing": (4,)}.get(name, (1, 4))
    system = simple(4, *((need, 1, f"1/{len(needs)}") for need in needs), policy=name, arrival_rate=0.1)
    able = that_apply(ResponseAnalysis, system)
    assert bool(able) == solved.startswith("exact"), solved
