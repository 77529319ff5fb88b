"""Load, share, cap, policy and partitions, growth and price: each against the numbers it rests on."""

from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj.planning.along_load import plan_load
from msj.planning.money import read_growth, read_price
from msj.planning.point import Judged, Point, Verdict
from msj.planning.target import read_target
from msj.results.coordinates import At

TWO = msj.read("examples/two_servers.toml")
TARGET = "mean wait <= 1"


def wait(system, rate=None):
    found = msj.analyse(system if rate is None else system.replace(arrival_rate=rate), percentiles=False)
    return np.inf if found.outcome is msj.Outcome.UNSTABLE else found["mean_waiting_time"]


@pytest.mark.parametrize("most", [1, 2])
def test_the_most_load_is_the_last_step_that_meets_the_target(most):
    found = msj.plan(TWO, targets=f"mean wait <= {most}", vary="load")
    rate = found["planned_arrival_rate"]
    step = TWO.naive_threshold / 1000
    assert wait(TWO, rate) <= most < wait(TWO, rate + step)
    assert found["planned_load"] == pytest.approx(rate / 0.9)
    assert found["planned_utilisation"] == pytest.approx(rate / TWO.naive_threshold)


@pytest.mark.parametrize(("kind", "last", "beyond"), [("exact", 1.234, 1.236), ("simulated", 1.23, 1.24)])
def test_loads_are_a_thousandth_of_the_servers_apart_if_exact_and_else_a_two_hundredth(kind, last, beyond):
    target = read_target(TARGET)

    def at_load(_, factor):
        row = msj.Quantity(name="mean_waiting_time", value=factor, kind=kind, method="by hand")
        verdict = Verdict.MEETS if factor <= 1.235 else Verdict.MISSES
        return Point(place=At({"load": factor}), judged=(Judged(target=target, row=row, limit=1.235, verdict=verdict),))

    half_busy = SimpleNamespace(servers=10, work=5.0, at_load=at_load, monotone=lambda _: True)
    found = plan_load(half_busy, "fcfs")
    assert (found.factor, found.beyond) == pytest.approx((last, beyond), rel=1e-12)


def test_the_largest_share_is_the_last_step_that_meets_the_target():
    found = msj.plan(TWO.replace(arrival_rate=0.5), targets=TARGET, vary="share:large")
    share = found.at(of_class="large")["planned_share"]

    def at(share):
        small, large = TWO.classes
        classes = [small.replace(share=1 - share), large.replace(share=share)]
        return wait(TWO.replace(arrival_rate=0.5, classes=classes))

    assert at(share) <= 1 < at(share + 0.01)


def test_the_largest_cap_is_told_with_the_next_that_misses():
    found = msj.plan(TWO.replace(arrival_rate=0.5), targets="mean wait[class=small] <= 1", vary="cap")
    waits = {cap: row.value for cap, row in found.along("largest_need", "mean_waiting_time", "small")}
    assert found["planned_cap"] == max(cap for cap, value in waits.items() if value <= 1) == 1
    assert waits[2] == pytest.approx(1.742, abs=5e-4)
    assert found.notes[0].startswith("1 server for the largest job under fcfs: the largest cap tried that meets")
    assert found.notes[1] == "With 2, mean wait[class=small] is 1.742 instead of 1, 74 % too much."
    serial = msj.plan(
        TWO.replace(arrival_rate=0.5), targets="mean wait[class=small] <= 1", vary="cap", efficiency="amdahl:1/2"
    )
    less = {cap: row.value for cap, row in serial.along("largest_need", "mean_waiting_time", "small")}
    assert less[1] < waits[1]
    assert less[2] == waits[2]


def test_the_policy_with_most_room_is_chosen():
    found = msj.plan(TWO, targets="mean response <= 6.5", vary="policy", policies=["fcfs", "server-filling"])
    assert {name: row.value for name, row in found.along("policy", "planned_policy")} == {
        "fcfs": 0,
        "server-filling": 1,
    }
    assert found.sentence.startswith("server-filling meets the targets on 2 servers")


def test_partitions_are_planned_one_by_one_and_set_beside_one_pool():
    found = msj.plan(TWO, targets=TARGET, vary="partition")
    small = msj.System(servers=2, arrival_rate=0.48, classes=[TWO.classes[0].replace(share=1)])
    large = msj.System(servers=2, arrival_rate=0.24, classes=[TWO.classes[1].replace(share=1)])
    alone = [msj.plan(part, targets=TARGET)["planned_servers"] for part in (small, large)]
    assert found.at(largest_need=1)["partitioned_servers"] == sum(alone)
    assert found["planned_servers"] == msj.plan(TWO, targets=TARGET)["planned_servers"]
    assert found["planned_cut"] == 1


def test_growth_uses_up_the_headroom_and_servers_cost():
    roomy = TWO.replace(servers=4, arrival_rate=0.72)
    found = msj.plan(roomy, targets=TARGET, growth="20 %/year", price="1.2 EUR/server hour")
    most = msj.plan(roomy, targets=TARGET, vary="load")["planned_arrival_rate"]
    assert found["load_headroom"] == pytest.approx(most / 0.72 - 1)
    assert found["years_of_headroom"] == pytest.approx(np.log(most / 0.72) / np.log(1.2))
    assert found["yearly_cost"] == pytest.approx(1.2 * 8766 * found["planned_servers"])
    assert any("EUR a year; one more 10,519 EUR a year" in note for note in found.notes)


@pytest.mark.parametrize("text", ["20", "20 %", "-3 %/year", "20 %/decade"])
def test_growth_that_cannot_be_read_is_refused(text):
    with pytest.raises(msj.InvalidInput, match="20 %/year"):
        read_growth(text)


@pytest.mark.parametrize("text", ["1.2", "1.2/hour", "0/server hour", "x/server hour"])
def test_prices_that_cannot_be_read_are_refused(text):
    with pytest.raises(msj.InvalidInput, match=r"1\.2/server hour"):
        read_price(text)


def test_a_price_may_be_in_any_money_and_unit():
    assert read_price("€900 per server-year").yearly == 900
    assert read_price("900/server year").said(2) == "1,800 a year"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("mean response[class=large] <= 1.9", "the mean run time alone is 2"),
        ("p95 response <= 1", "% of the run times alone exceed 1"),
        ("mean slowdown <= 3", "the mean slowdown is infinite"),
        ("p90 slowdown <= 0.5", "no slowdown is below 1"),
    ],
)
def test_what_no_size_can_meet_is_refused_with_the_reason(target, reason):
    found = msj.plan(TWO, targets=target)
    assert found.outcome is msj.Outcome.TARGETS_NOT_MET
    assert found.outcome.exit_code == 1
    assert "cannot be met by any size" in found.sentence
    assert reason in found.sentence


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vary": "sevrers"}, "did you mean 'servers'"),
        ({"vary": "share:larg"}, "did you mean 'large'"),
        ({"vary": "load:large"}, "only a share is one of a class"),
        ({"efficiency": "amdahl:0.1"}, "is for a cap"),
        ({"vary": "cap", "efficiency": "gustafson"}, "amdahl:0.05"),
        ({"odds": 0.7}, "between 0 and 0.5"),
        ({"servers": 3}, "is for logs"),
        ({"policies": []}, "policies is empty"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_fix(options, said):
    with pytest.raises(msj.MsjError, match=said):
        msj.plan(TWO, targets=TARGET, **options)


def test_a_plan_can_be_asked_again():
    first = msj.plan(TWO.replace(policy="first-fit", arrival_rate=0.5), targets=TARGET, jobs=70_000)
    assert msj.rerun(first).quantities == first.quantities
