"""Curves of waste and regions of two classes: turns, points and corners of hand-made curves and clusters."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj import InvalidInput, NotSupported
from msj.analysis.vary import VaryServers
from msj.answers.region import corner_shares, hull, mixed, share_of, two_classes
from msj.answers.waste_curve import _enough, _extremum, _refined, _turns, waste_curve
from strategies import simple

regions, curves = sys.modules["msj.answers.region"], sys.modules["msj.answers.waste_curve"]

# --- turns of a curve ---


@pytest.mark.parametrize(
    ("heights", "turns"),
    [
        ([0, 1, 0], [(0, -1), (1, 1), (2, -1)]),
        ([3, 1, 2, 2.5, 0], [(0, 1), (1, -1), (3, 1), (4, -1)]),
        ([1, 2, 3], [(0, -1), (2, 1)]),
        ([3, 2, 1], [(0, 1), (2, -1)]),
        ([0, 5, 5, 0], [(0, -1), (1, 1), (3, -1)]),  # the first of a plateau
        ([5, 1, 1, 5], [(0, 1), (1, -1), (3, 1)]),
        ([0, 0, 0], []),
        ([2, 2, 2], []),
        # Rounding is 1e-8 of the highest: 5e-8 of 5, and nothing turns within it.
        ([5, 5 - 3e-8, 5], []),
        ([5, 5 - 7e-8, 5], [(0, 1), (1, -1), (2, 1)]),
        ([0, 5, 5 - 3e-8, 5, 0], [(0, -1), (1, 1), (4, -1)]),
        ([0, 5, 5 - 7e-8, 5, 0], [(0, -1), (1, 1), (2, -1), (3, 1), (4, -1)]),
        ([5, 3e-8, 0, 3e-8, 5], [(0, 1), (2, -1), (4, 1)]),
        ([1, 1 + 5e-9, 0], [(0, 1), (2, -1)]),  # what turns within rounding of an end turns there
    ],
)
def test_where_a_curve_turns(heights, turns):
    assert _turns(heights) == turns


# --- points of a curve ---


def refined(points, most):
    """Add points to a curve through these; new ones are at height 0, and the heights that are asked for are noted."""
    known = dict(points)
    return _refined([*known], lambda x: known.get(x, 0.0), most)


@pytest.mark.parametrize(
    ("points", "most", "added"),
    [
        # At 1 the chord is at 1/2, 1.5 below; at 4 it is at 8, 6 above: the steps on either side of 4 are the worst.
        ({0: 0, 1: 2, 4: 2, 5: 10}, 6, [2.5, 4.5]),
        # At 3 the chord is at 0, 9 below; at 4 at 4.75: the steps on either side of 3.
        ({0: 0, 3: 9, 4: 0, 5: 0.5}, 6, [1.5, 3.5]),
        ({0: 0, 1: 2, 4: 2, 5: 10}, 7, [0.5, 2.5, 4.5]),
        ({0: 0, 1: 2, 4: 2, 5: 10}, 4, []),  # there are as many as there may be
        ({0: 0, 1: 2, 4: 8, 5: 10}, 9, []),  # straight
        ({0: 0, 1: 0, 2: 0}, 9, []),  # nothing anywhere
        # A thousandth of the highest, 0.01 of 10, is straight enough.
        ({0: 0, 1: 5.009, 2: 10}, 5, []),
        ({0: 0, 1: 5.011, 2: 10}, 5, [0.5, 1.5]),
    ],
)
def test_points_are_added_where_a_curve_bends(points, most, added):
    assert refined(points, most) == sorted([*points, *added])


def test_more_large_jobs_are_more_points_but_not_for_ever():
    """Four jobs of need 7 fit on 30 servers: 200 + 4·16 points. A thousand are enough for any."""
    assert _enough(simple(30, (1, 1, 0.5), (7, 1, 0.5))) == 264
    assert _enough(simple(1000, (1, 1, 0.5), (2, 1, 0.5))) == 1000


def test_as_many_points_as_may_be_and_the_middle_is_tried_first(monkeypatch):
    """Where something cannot be solved at all, the middle of the range tells."""
    monkeypatch.setattr(curves, "MOST_POINTS", 5)
    asked = []

    def seen(system, method, *, completions):
        asked.append((float(system.classes[0].duration.mean / system.classes[1].duration.mean), completions))
        return solve(system, method, completions=completions)

    solve = curves.solve_saturated
    monkeypatch.setattr(curves, "solve_saturated", seen)
    system = simple(9, (1, 1, 0.5), (4, 2, 0.5))
    told = []
    found = waste_curve(system, "rate-ratio=2..7", points=5, progress=told.append)
    assert 0 < told[0].done < 0.02  # it begins at the beginning, and nobody knows where the end is
    assert told[-1].words == f"{len(asked)} systems solved"
    assert asked[0] == (pytest.approx(4.5), False)
    assert found.systems_solved == len(asked)
    with pytest.raises(InvalidInput, match="points = 6 is more than 5"):
        waste_curve(system, "rate-ratio=2..7", points=6)
    waste_curve(system, "share:need 4=0..1", points=3)
    with pytest.raises(InvalidInput, match="points = 2 must be at least 3"):
        waste_curve(system, "share:need 4=0..1", points=2)


# --- a turn between points ---


def turn(waste, i, sign, values=(0.0, 1.0, 2.0), vary=None):
    vary = SimpleNamespace(values=()) if vary is None else vary

    def at(x):
        return SimpleNamespace(wasted_servers=waste(x), saturated_utilisation=10 * x, stability_threshold=100 * x)

    return _extremum(i, sign, list(values), SimpleNamespace(vary=vary, waste=waste, at=at))


def test_a_turn_is_located_between_its_neighbours():
    most = turn(lambda x: 7 - (x - 1.3) ** 2, 1, 1)
    assert (most.kind, most.at_end) == ("pessimum", False)
    assert (most.parameter, most.wasted_servers) == (pytest.approx(1.3, abs=1e-5), pytest.approx(7))
    assert (most.saturated_utilisation, most.stability_threshold) == (10 * most.parameter, 100 * most.parameter)
    least = turn(lambda x: 2 + (x - 2.6) ** 2, 2, -1, values=(0.0, 1.0, 3.0, 3.5))
    assert (least.kind, least.at_end) == ("optimum", False)
    assert least.parameter == pytest.approx(2.6, abs=1e-5)
    # What is beyond the neighbours is another turn's.
    assert turn(lambda x: -((x - 1.9) ** 2) if x <= 2 else 5 + x, 1, 1).parameter == pytest.approx(1.9, abs=1e-5)
    assert turn(lambda x: -((x - 0.1) ** 2) if x >= 0 else 5 - x, 1, 1).parameter == pytest.approx(0.1, abs=1e-5)
    assert turn(lambda x: float(x == 1), 1, 1).parameter == 1  # nothing between them is higher


def test_a_turn_at_an_end_or_at_a_whole_number_of_servers_is_there():
    for i, sign in ((0, 1), (2, -1)):
        found = turn(lambda x: 7 - (x - 1.3) ** 2, i, sign)
        assert (found.parameter, found.at_end) == ([0.0, 1.0, 2.0][i], True)
    servers = turn(lambda x: 7 - (x - 1.3) ** 2, 1, 1, vary=VaryServers(low=1, high=3))
    assert (servers.parameter, servers.at_end) == (1, False)


def limits(system, vary="rate-ratio=0.5..2"):
    found = msj.waste(system, vary, points=3)
    return {row.at["form"]: row.value for row in found if row.name == "wasted_servers_limit"}


def test_rules_of_thumb_stand_where_large_jobs_fill_the_servers():
    """Large jobs that need 10, a quarter of all, beside small ones that need 2: 10 − 2·4. Then 8 − 8, and 5 − 4.5."""
    thumb = "fast large jobs, rule of thumb"
    assert limits(simple(30, (2, 1, 0.75), (10, 1, 0.25)))[thumb] == pytest.approx(2)
    assert set(limits(simple(31, (2, 1, 0.75), (10, 1, 0.25)))) == {"slow large jobs", "fast large jobs"}
    assert limits(simple(31, (2, 1, 0.75), (10, 1, 0.25)))["slow large jobs"] == pytest.approx(1)  # 31 mod 10
    assert thumb not in limits(simple(24, (2, 1, 0.75), (8, 1, 0.25)))
    assert limits(simple(10, (5, 3, "2/9"), (1, 1, "7/9")))[thumb] == pytest.approx(0.5)
    assert limits(simple(30, (2, 1, 0.75), (10, 1, 0.25)), "share:need 2=0..1") == {}
    law = msj.Erlang(stages=2, mean=1)
    classes = [msj.JobClass(name=f"{need}", need=need, share=0.5, duration=law) for need in (1, 2)]
    assert limits(msj.System(servers=2, classes=classes)) == {}


def test_a_flat_curve_is_said_to_be_flat():
    flat = msj.waste(simple(7, (3, 1, 1)), "servers=3..14..3")
    assert flat.notes == ("0 servers are wasted throughout: no optimum and no pessimum.",)
    assert msj.waste(simple(7, (3, 1, 1)), "servers=3..14").notes == ()


# --- regions ---


def of_class(name, need, mean, share=0.5):
    return msj.JobClass(name=name, need=need, share=share, duration=msj.Exponential(mean=mean))


FIRST, SECOND = of_class("three", 3, 2), of_class("four", 4, 5)
TEN = msj.System(servers=10, classes=[FIRST, SECOND])


@pytest.mark.parametrize(
    ("servers", "first", "second", "corners"),
    [
        (10, 3, 4, [(0, 2), (2, 1), (3, 0)]),
        (4, 1, 1, [(0, 4), (4, 0)]),  # all between are on the line
        (7, 2, 3, [(0, 2), (2, 1), (3, 0)]),  # (1, 1) is inside
        (5, 5, 2, [(0, 2), (1, 0)]),
        (9, 2, 7, [(0, 1), (1, 1), (4, 0)]),
        (3, 2, 3, [(0, 1), (1, 0)]),
        (23, 4, 9, [(0, 2), (1, 2), (5, 0)]),  # (3, 1) is on the line
        (17, 2, 5, [(0, 3), (1, 3), (6, 1), (8, 0)]),
    ],
)
def test_corners_of_what_fits(servers, first, second, corners):
    assert hull(servers, first, second) == corners


def test_corners_are_shares_of_the_jobs_that_end():
    """Of 3 + 3 + 4 servers, jobs of 2 and 5 units of time: 2/2 and 1/5 end per unit of time."""
    assert corner_shares(10, FIRST, SECOND) == pytest.approx([0, 1 / 1.2, 1])


def test_so_many_corners_are_not_counted(monkeypatch):
    monkeypatch.setattr(regions, "MOST_CORNERS_OF", 3)
    assert len(corner_shares(11, FIRST, SECOND)) == 3
    assert corner_shares(12, FIRST, SECOND) == []


@pytest.mark.parametrize("work", [0, 0.25, 0.7, 1])
def test_a_share_of_jobs_brings_its_share_of_the_work(work):
    share = share_of(work, FIRST, SECOND)
    assert share * 3 * 2 / (share * 3 * 2 + (1 - share) * 4 * 5) == pytest.approx(work)


def test_a_mix_has_both_classes_or_the_one_that_arrives():
    system = TEN.replace(load=0.5)
    for share, shares in ((0.3, {"three": 0.3, "four": 0.7}), (0, {"four": 1}), (1, {"three": 1})):
        found = mixed(system, FIRST, SECOND, share)
        assert {c.name: float(c.share) for c in found.classes} == pytest.approx(shares)
        assert (found.load, found.arrival_rate, found.utilisation) == (None, None, None)


def test_eight_classes_are_listed_and_no_more():
    def many(count):
        classes = [of_class(f"c{i}", i + 1, 1, share=f"1/{count}") for i in range(count)]
        return msj.System(servers=9, classes=classes)

    eight = "c0, c1, c2, c3, c4, c5, c6, c7"
    for count, listed in ((8, eight), (9, f"{eight}, ...")):
        with pytest.raises(InvalidInput) as caught:
            two_classes(many(count), None)
        assert f"there are {count} classes ({listed}); name two" in str(caught.value)
    for names in (["c1"], ["c1", "c2", "c3"], ["c2", "c2"]):
        with pytest.raises(InvalidInput, match="must be two different ones"):
            two_classes(many(3), names)
    assert [c.name for c in two_classes(many(3), ["c2", "c0"])] == ["c2", "c0"]
    assert [c.name for c in two_classes(TEN, None)] == ["three", "four"]


def test_mixes_are_even_in_the_work_and_every_one_is_told(monkeypatch):
    """Work 0, 1/2 and 1: with 6 and 20 for a job, 20/26 of the jobs bring half of it. The corner is 5/6."""
    seen, asked = [], []

    def find(system, effort, root, **more):
        asked.append((effort.jobs, more, root))
        return find_threshold(system, effort, root, **more)

    find_threshold = regions.find_threshold
    monkeypatch.setattr(regions, "find_threshold", find)
    monkeypatch.setattr(regions, "POINTS", 3)
    found = msj.region(TEN, jobs=1234, seed=1, progress=seen.append)
    shares = [share for share, _ in found.along("class_share", "naive_threshold")]
    assert shares == pytest.approx([0, 20 / 26, 5 / 6, 1], abs=1e-11)
    assert [now.done for now in seen] == [0, 0.25, 0.5, 0.75]
    assert [now.words for now in seen] == ["0 % 'three'", "76.9 % 'three'", "83.3 % 'three'", "100 % 'three'"]
    assert {(jobs, more["completions"]) for jobs, more, _ in asked} == {(1234, False)}
    assert (found.notes, found.missing) == ((), ())
    two = msj.region(TEN, points=2)
    assert [share for share, _ in two.along("class_share", "naive_threshold")] == [0, 1]
    with pytest.raises(InvalidInput, match="points = 1 must be at least 2"):
        msj.region(TEN, points=1)
    asked.clear()
    msj.region(TEN, points=2)
    assert {jobs for jobs, *_ in asked} == {100_000}


def test_fewer_mixes_where_each_is_simulated_and_those_that_fail_are_missing(monkeypatch):
    """Simulated here means: no row says that it is exact. Jobs of the first class alone are refused."""
    usual = regions._threshold

    def threshold(system, effort, root):
        if len(system.classes) == 1 and system.classes[0].name == "three":
            raise NotSupported("not alone")
        found = usual(system, effort, root)
        row = found.stability_threshold.replace(kind="simulated")
        return SimpleNamespace(
            stability_threshold=row, attainable_threshold=None, naive_threshold=found.naive_threshold
        )

    monkeypatch.setattr(regions, "_threshold", threshold)
    monkeypatch.setattr(regions, "FEWER", 3)
    found = msj.region(TEN)
    shares = [share for share, _ in found.along("class_share", "stability_threshold")]
    assert shares == pytest.approx([0, 20 / 26, 5 / 6], abs=1e-11)
    assert not any(row.name == "attainable_threshold" for row in found)
    (gap,) = found.missing
    assert (gap.name, gap.reason, gap.at["class_share"]) == ("stability_threshold", "not alone", 1)
    assert np.isfinite([row.value for row in found]).all()


def test_shares_that_the_order_of_jobs_says_cannot_be_mixed():
    order = {"law": "markov", "matrix": [["1/2", "1/2"], ["1/2", "1/2"]]}
    with pytest.raises(NotSupported, match="the shares follow from the order of jobs"):
        msj.region(TEN.replace(order=order))
