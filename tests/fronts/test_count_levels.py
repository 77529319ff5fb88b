"""The chain of counts: how many phases a level has, said beforehand, is how many are found."""

import numpy as np
import pytest

from msj.disciplines.counting import ByNeed
from msj.fronts.count_levels import Flow, count_levels, number_of_phases


def test_phases_without_preemption_by_hand():
    """Needs 2 and 3 on seven servers, up to five jobs of need 2; jobs of need 3 always wait, so they take all they can.

    While 0, 1, 2 or 3 jobs of need 2 run, those of need 3 leave 1, 2, 0 or 1 servers. Where they leave 2, no job of
    need 2 waits; elsewhere 0 to 5, 3 or 2 do: 6 + 1 + 4 + 3 phases.
    """
    rule = ByNeed(servers=7, needs=(2, 3), larger_first=True, preemptive=False)
    assert number_of_phases(rule, 1, [5, 0]) == 14


@pytest.mark.parametrize("larger_first", [True, False])
@pytest.mark.parametrize("preemptive", [True, False])
@pytest.mark.parametrize(("servers", "needs"), [(4, (1, 4)), (8, (3, 5)), (8, (2, 3, 4)), (6, (1, 2, 3))])
def test_as_many_phases_are_found_as_were_said(servers, needs, preemptive, larger_first):
    """Where at least as many jobs of each need are let in as can run: six of them here."""
    rule = ByNeed(servers=servers, needs=needs, larger_first=larger_first, preemptive=preemptive)
    flow = Flow(arrival_rates=np.ones(len(needs)), service_rates=np.ones(len(needs)))
    for level in rule.levels:
        most = [6] * len(needs)
        found = count_levels(rule, flow, level, most)
        assert number_of_phases(rule, level, most) == len(found.present[-1])


def test_where_fewer_are_let_in_than_can_run_so_many_are_at_most_found():
    rule = ByNeed(servers=6, needs=(1, 2, 3), larger_first=True, preemptive=False)
    flow = Flow(arrival_rates=np.ones(3), service_rates=np.ones(3))
    found = count_levels(rule, flow, 1, [5, 0, 5])
    # Six jobs of need 1 that run are counted, with 0 to 5 of need 3 that wait: these six phases are never entered.
    assert number_of_phases(rule, 1, [5, 0, 5]) == len(found.present[-1]) + 6
