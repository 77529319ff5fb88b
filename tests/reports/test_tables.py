"""The tables of a report, apart from the rest of it."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hand_made import CLUSTER, capacity, change, policy, report, row

import msj
from msj.reports.contents import Curve, OutlookRow, OutlookSection, Point, WaitingSection
from msj.reports.tables import (
    _relative,
    _signed,
    blame_table,
    capacity_table,
    classes_table,
    curve_table,
    methods_table,
    outlook_table,
    policies_table,
    provenance_table,
    response_table,
    waiting_table,
    what_if_table,
    words_table,
)
from msj.results.glossary import GLOSSARY

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.toml")), ids=lambda path: path.stem)
def test_shares_of_work_sum_to_all_of_it(path):
    table = classes_table(SimpleNamespace(cluster=msj.read(path), time_unit=None))
    place = table.headings.index("share of work")
    total = sum(float(row[place].removesuffix("%").replace("<", "")) for row in table.rows)
    assert total == pytest.approx(100, abs=0.5 * len(table.rows))


def test_classes_with_their_shares_of_jobs_and_of_work():
    """Server-hours a job: small 3/4·1·2 = 1.5, large 1/4·8·4 = 8, of 9.5."""
    small, large = CLUSTER.classes
    classes = [small.replace(duration=msj.Lognormal(mean=2, cv=1.2345)), large]
    table = classes_table(SimpleNamespace(cluster=CLUSTER.replace(classes=classes), time_unit="hours"))
    assert table.headings == (
        "class", "servers each", "share of jobs", "mean duration (hours)", "variability (cv)", "share of work",
    )  # fmt: skip
    assert table.rows == (("small", "1", "75 %", "2", "1.23", "16 %"), ("large", "8", "25 %", "4", "1", "84 %"))
    assert table.numbers == (False, True, True, True, True, True)
    assert table.marked is None


# How much it takes


def test_a_bound_has_only_what_no_policy_exceeds():
    rate = "jobs per unit of time"
    best, promised = f"the best of all policies could take, {rate}", f"counting server-time promises, {rate}"
    assert capacity_table(report(takes=capacity(0.9, 1.0, limit=0.9, kind="bound"))).rows == (
        (best, "0.9", "bound"),
        (promised, "1", "bound"),
    )
    takes = capacity(0.8, 1.0, kind="simulated", low=0.7, high=0.9, bracket=True)
    use = row("saturated_utilisation", 0.8, "simulated", 0.7, 0.9)
    table = capacity_table(report(takes=replace(takes, saturated_utilisation=use)))
    assert table.rows == (
        (f"arrival rate it takes, {rate}", "0.80 ± 0.10", "simulated, evidence"),
        (promised, "1", "bound"),
        ("servers lost, of 10", "2.0 ± 1.0", "simulated"),
        ("share of servers that can be busy", "70 to 90 %", "simulated, evidence"),
    )
    assert table.numbers == (False, True, False)
    assert capacity_table(replace(report(), capacity=None)).rows == ()


def test_what_is_next_to_nothing_of_the_loss_is_summed_up():
    """Of 2.00403, a thousandth is 0.00200403; what is below that is 0.00183 together."""
    takes = capacity(blocked=[("b", 0.0022), ("a", 2.0), ("c", 0.001), ("d", 0.00083)])
    simulated = tuple(each.replace(kind="simulated") if each.value == 2 else each for each in takes.blocked_servers)
    table = blame_table(report(takes=replace(takes, blocked_servers=simulated)))
    assert table.rows == (
        ("a", "≈ 2", "100 %", "simulated"),
        ("b", "0.0022", "0.1 %", "exact"),
        ("all others", "0.0018", "0.09 %", "simulated"),  # as sure as most of it
    )
    assert table.headings[0] == "class at the head of the line"
    assert table.numbers == (False, True, True, False)
    thirds = blame_table(report(takes=capacity(blocked=[("a", 0.1), ("b", 0.2), ("c", 0.3)])))
    assert [line[0] for line in thirds.rows] == ["c", "b", "a"]  # rounding is no rest
    assert len(blame_table(report(takes=capacity(blocked=[("a", 0.7), ("b", 0.0)]))).rows) == 1  # nothing is no rest
    half = blame_table(report(takes=capacity(blocked=[("a", 0.2), ("b", 0.3)])))
    assert half.rows == (("b", "0.3", "60 %", "exact"), ("a", "0.2", "40 %", "exact"))
    nothing = blame_table(report(takes=capacity(blocked=[("a", 0.0)])))
    assert (nothing.rows, nothing.headings[0]) == ((), "class")
    assert blame_table(replace(report(), capacity=None)).rows == ()


# Response times and waits


def test_response_times_of_all_jobs_and_of_classes():
    here = [row("mean_response_time", 10.0), row("mean_waiting_time", 7.5), row("waiting_probability", 0.25)]
    large = [row("mean_response_time", 12.0, job_class="large"),
             row("mean_waiting_time", 9.0, "simulated", 8.5, 9.5, job_class="large")]  # fmt: skip
    table = response_table(report(here=[*here, *large], unit="hours"))
    assert table.headings == ("class", "mean response time (hours)", "mean wait (hours)", "has to wait", "how sure")
    assert table.rows == (
        ("all jobs", "10", "7.5", "25 %", "exact"),
        ("large", "12", "9.00 ± 0.50", "–", "exact / simulated"),  # nothing is known of the small ones
    )
    assert table.numbers == (False, True, True, True, False)


def test_waits_have_a_column_for_each_level():
    rows = [(None, 95.0, 9.0), (None, 50.0, 2.0), ("large", 99.9, 30.0), ("large", 50.0, 5.0)]
    found = [row("waiting_time_percentile", value, level=level, job_class=name) for name, level, value in rows]
    for unit, first in ((None, "class"), ("hours", "class; waits in hours")):
        table = waiting_table(replace(report(unit=unit), waiting=WaitingSection(rows=tuple(found))))
        assert table.headings == (first, "50 %", "95 %", "99.9 %", "how sure")
    assert table.rows == (("all jobs", "2", "9", "–", "exact"), ("large", "5", "–", "30", "exact"))
    assert table.numbers == (False, True, True, True, False)


def curve(name, *points):
    rows = [(rate, row("mean_response_time", mean)) for rate, mean in points]
    found = (Point(arrival_rate=rate, utilisation=rate, mean_response_time=mean) for rate, mean in rows)
    return Curve(name=name, kind="exact", points=tuple(found))


def test_points_of_curves_stand_side_by_side_by_their_rates():
    """The cluster would take 10/9.5 jobs if all servers were busy, so a rate of 0.5 uses 47.5 % of them."""
    curves = (
        curve("exact", (0.9, 40.0), (0.2, 3.0), (0.5, 7.0)),
        curve("simulated", (0.5 + 1e-14, 7.1), (0.7, 12.0), (0.1, 2.0)),
    )
    made = report(unit="hours")
    made = replace(made, response=replace(made.response, curves=curves))
    table = curve_table(made)
    assert table.headings == ("utilisation", "arrival rate (jobs per hour)", "exact (hours)", "simulated (hours)")
    assert table.rows == (
        ("9.5 %", "0.1", "", "2"),
        ("19 %", "0.2", "3", ""),
        ("48 %", "0.5", "7", "7.1"),
        ("66 %", "0.7", "", "12"),
        ("86 %", "0.9", "40", ""),
    )
    assert table.numbers == (True, True, True, True)
    # The load is 0.5: first the rate with two means, then those nearest to it.
    for most, rates in ((1, ["0.5"]), (2, ["0.5", "0.7"]), (3, ["0.2", "0.5", "0.7"]), (5, 5), (9, 5)):
        shown = [line[1] for line in curve_table(made, at_most=most).rows]
        assert shown == rates if isinstance(rates, list) else len(shown) == rates
    alone = [line[1] for line in curve_table(replace(made, load=None), at_most=2).rows]
    assert alone == ["0.1", "0.5"]  # without a load, the lowest


# Policies and changes


def test_policies_without_a_mean_come_after_those_with_one_and_say_why():
    unsettled = replace(policy("max-weight"), mean_response_time=None, why_no_mean="not settled in so many jobs")
    late = replace(policy("first-fit", mean=8.0), percentile_95=row("response_time_percentile", 20.0, level=95.0))
    rows = [policy("best-fit", stable=False), unsettled, policy("fcfs", own=True, mean=10.0), late]
    table = policies_table(report(policies=rows, unit="hours"))
    assert [line[:3] for line in table.rows] == [
        ("first-fit", "8.00 ± 0.80", "20"),
        ("fcfs (as it is)", "10.0 ± 1.0", "–"),
        ("max-weight", "not settled in so many jobs", "–"),
        ("best-fit", "queue keeps growing", "–"),
    ]
    assert table.headings[1:4] == (
        "mean response time (hours)", "95 % stay at most (hours)", "difference of means (hours)",
    )  # fmt: skip
    assert table.numbers == (False, True, True, True, False)
    assert table.marked == 1
    assert policies_table(report(policies=rows[:2])).marked is None


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (2.0, 1.5, 2.5, "+2.00 ± 0.50"),
        (-2.0, -2.5, -1.5, "−2.00 ± 0.50"),
        (0.0, -0.5, 0.5, "+0.00 ± 0.50"),
        (2.0, 1.0, 2.5, "1 to 2.5"),
        (0.25, None, None, "≈ +0.25"),
        (-0.25, None, None, "≈ −0.25"),
    ],
)
def test_a_difference_has_its_sign(value, low, high, text):
    assert _signed(row("d", value, "simulated", low, high)) == text
    assert _signed(None) == ""


STAY = row("mean_response_time", 10.0)


def test_changes_with_all_that_is_known_of_them():
    more = replace(
        change("two more", takes=capacity(1.0, 1.25), difference=(-2.0, -2.5, -1.5)),
        mean_response_time=row("mean_response_time", 8.0, "simulated"),
    )
    less = change("two fewer", takes=capacity(0.6), stable=False)
    other = change("another mix", difference=(0.3, 0.1, 0.5))
    table = what_if_table(report(here=[STAY], changes=[more, less, other], unit="hours"))
    assert table.headings[2:] == ("by", "servers lost", "mean response time (hours)", "by", "how sure")
    assert table.rows == (
        ("as it is", "0.8", "", "2", "10", "", "exact"),
        ("two more", "1", "+25 %", "2", "≈ 8", "−25 to −15 %", "exact / simulated"),
        ("two fewer", "0.6", "−25 %", "4", "queue keeps growing", "–", "exact"),
        ("another mix", "–", "–", "–", "–", "+1 to +5 %", "–"),
    )
    assert (table.marked, table.numbers) == (0, (False, True, True, True, True, True, False))
    evidence = capacity(0.8, kind="simulated", low=0.7, high=0.9, bracket=True)
    assert what_if_table(report(takes=evidence, here=[STAY], changes=[more])).rows[1][2] == "–"  # no share of that


def test_columns_of_which_nothing_is_known_are_left_out():
    table = what_if_table(report(here=[STAY], changes=[change("another mix", difference=(0.3, 0.1, 0.5))]))
    assert table.headings == ("change", "mean response time", "by", "how sure")
    assert table.rows == (("as it is", "10", "", "exact"), ("another mix", "–", "+1 to +5 %", "–"))
    unstable = what_if_table(report(stable=False, changes=[change("more", takes=capacity(1.0)), change("b")]))
    assert unstable.headings[-2:] == ("mean response time", "how sure")
    assert [line[-2:] for line in unstable.rows] == [("queue keeps growing", "exact"), ("–", "exact"), ("–", "–")]
    assert what_if_table(report()).rows == what_if_table(replace(report(changes=[change()]), load=None)).rows == ()


def test_a_change_is_a_share_of_what_it_changes():
    assert _relative(row("d", -2.0), STAY) == "−20 %"
    assert _relative(row("d", -2.0, "simulated", -2.5, -1.5), STAY) == "−25 to −15 %"
    for unknown in (row("d", 1.0, "simulated", 0.5), row("d", 1.0, "simulated", None, 1.5), None):
        assert _relative(unknown, STAY) == "–"
    assert _relative(row("d", -2.0), None) == "–"


# Outlook, words and provenance


def test_the_outlook_has_a_column_for_whatever_is_known_of_some_size():
    rows = (
        OutlookRow(servers=10, quantities=(row("stability_threshold", 0.8), row("wasted_share", 0.2, "bound"))),
        OutlookRow(servers=2000, quantities=(row("mean_response_time", 3.0, "simulated"), row("wasted_share", 0.05))),
    )
    table = outlook_table(report(ahead=OutlookSection(rows=rows), unit="hours"))
    assert [name.split(" (")[0] for name in table.headings] == [
        "servers", "arrival rate it takes", "servers lost", "mean response time", "how sure",
    ]  # fmt: skip
    assert table.headings[3] == "mean response time (hours)"
    assert table.rows == (
        ("10", "0.8", "20 %", "–", "exact / bound"),
        ("2,000", "–", "5 %", "≈ 3", "exact / simulated"),
    )
    assert (table.marked, table.numbers) == (0, (True, True, True, True, False))


def test_tables_of_words_have_no_numbers():
    rows = (row("mean_response_time", 1.0), row("d", 2.0), row("stability_threshold", 0.8, citation="reset"))
    made = replace(report(), quantities=rows, provenance={"most_jobs": 7, "seed": "1"})
    words = words_table(made)
    assert words.rows == tuple(
        (name.replace("_", " "), GLOSSARY[name].words) for name in ("mean_response_time", "stability_threshold")
    )
    methods = methods_table(made)
    assert methods.rows == (("exact", "by hand", "reset"),)
    facts = provenance_table(made)
    assert facts.rows == (("most jobs", "7"), ("seed", "1"))
    assert words.numbers == facts.numbers == (False, False)
    assert methods.numbers == (False, False, False)
