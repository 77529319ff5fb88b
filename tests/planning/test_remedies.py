"""What would make a cluster stable, with how that is known; and what is said where nobody knows the threshold."""

import pytest

import msj
from msj.effort import Effort
from msj.errors import OutOfTime
from msj.planning import remedies
from msj.planning.capacity import bounded_capacity

E = msj.read("examples/two_servers.toml")


def taken_from(least, exact_at=()):
    """A cluster that takes the rate from so many servers on; at some sizes that is known exactly."""

    def takes(system, arrival_rate, effort, root):
        return system.servers >= least, "exact" if system.servers in exact_at else "simulated"

    return takes


@pytest.mark.parametrize(("exact_at", "kind"), [({9}, "exact"), ({2, 4, 8, 10, 12, 16, 32}, "simulated")])
def test_a_remedy_is_as_sure_as_what_was_found_at_its_own_size(monkeypatch, exact_at, kind):
    monkeypatch.setattr(remedies, "takes", taken_from(9, exact_at))
    found = remedies.servers_needed(E, 0.95)
    assert (found.words, found.kind, found.system.servers) == ("9 servers instead of 2", kind, 9)


@pytest.mark.parametrize("least", [2, 3, 4, 5, 6, 7, 31, 100, 128])
def test_bisection_ends_at_the_least_number_that_works(monkeypatch, least):
    monkeypatch.setattr(remedies, "takes", taken_from(least))
    words = "2 servers" if least == 2 else f"{least} servers instead of 2"
    assert remedies.servers_needed(E, 0.95).words == words


def test_beyond_sixty_four_times_the_servers_there_is_no_remedy(monkeypatch):
    monkeypatch.setattr(remedies, "takes", taken_from(129))
    assert remedies.servers_needed(E, 0.95) is None


def test_the_search_begins_where_the_work_fits(monkeypatch):
    asked = []

    def takes(system, arrival_rate, effort, root):
        asked.append(system.servers)
        return True, "exact"

    monkeypatch.setattr(remedies, "takes", takes)
    found = remedies.servers_needed(E, 10.0)  # 10 jobs a unit of time bring 10 · (2/3 + 1/3 · 4) = 20 servers of work
    assert asked == [20]
    assert found.words == "20 servers instead of 2"


def test_no_time_is_said_and_what_was_found_before_is_kept(monkeypatch):
    over = Effort.lasting(0.0)
    with pytest.raises(OutOfTime, match="while looking for what would make it stable"):
        remedies.what_makes_it_stable(E, 0.95, over)
    asked = []

    def takes(system, arrival_rate, effort, root):
        asked.append(system.servers)
        return max(c.need for c in system.classes) == 1, "exact"

    class Ending(Effort):
        over = property(lambda self: len(asked) > 1)

    monkeypatch.setattr(remedies, "takes", takes)
    assert [remedy.words for remedy in remedies.what_makes_it_stable(E, 0.95, Ending())] == ["no job above 1 server"]


@pytest.mark.parametrize(("rate", "works"), [(0.8999, True), (0.9, False), (0.9001, False)])
def test_exactly_the_threshold_is_not_taken(rate, works):
    assert remedies.takes(E, rate) == (works, "exact")


def test_more_work_than_servers_needs_no_chain():
    assert remedies.takes(E, E.naive_threshold) == (False, "bound")


def test_where_the_threshold_is_unknown_the_limits_of_all_policies_stand(monkeypatch):
    law = msj.Exponential(mean=1)
    system = msj.System(servers=3, classes=[msj.JobClass(name="a", need=2, share=1, duration=law)])
    found = bounded_capacity(system)  # 3 servers of work a unit of time promise 1.5 jobs; one runs at a time
    assert found.stability_threshold.value == found.attainable_threshold.value == pytest.approx(1.0)
    assert found.naive_threshold.value == pytest.approx(1.5)
    assert found.wasted_servers.value == pytest.approx(1.0)
    assert found.saturated_utilisation.value == pytest.approx(2 / 3)
    assert {row.kind for row in found.rows} == {"bound"}
    assert (found.proved, found.bracketed) == (False, False)
    assert found.lost_share == pytest.approx(1 / 3)
    monkeypatch.setattr("msj.planning.capacity.attainable_row", lambda system: None)
    plain = bounded_capacity(system)
    assert plain.stability_threshold.value == pytest.approx(1.5)
    assert plain.wasted_servers.value == 0.0
