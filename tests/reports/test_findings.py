"""Every rule of the findings with an input on either side of it, and the numbers and units of every sentence."""

from dataclasses import replace

import pytest
from hand_made import CLUSTER, capacity, change, outlook, policy, report, row, sentences

from msj.planning import Remedy
from msj.reports.findings import findings_of
from msj.reports.tables import blame_table, capacity_table, outlook_table, policies_table, what_if_table
from msj.reports.wording import measured

STAY = row("mean_response_time", 10.0)


# How much it takes


def test_what_is_lost_and_to_whom():
    found = sentences(takes=capacity(0.8, 1.0, blocked=[("small", 0.5), ("large", 1.5)]), of="capacity")
    assert found == [
        (
            "Under fcfs the cluster takes at most 0.8 jobs per unit of time, 80 % of what counting "
            "server-time promises (1): "
            "20 % of the servers are lost to head-of-line blocking."
        ),
        (
            "75 % of that loss is servers held empty for a 'large' job at the head of the line, although "
            "these are only "
            "25 % of the jobs."
        ),
    ]


def test_a_class_of_most_jobs_is_not_only_some_of_them():
    found = sentences(takes=capacity(0.8, blocked=[("small", 1.5), ("large", 0.5)]), of="capacity")
    assert found[1] == "75 % of that loss is servers held empty for a 'small' job at the head of the line."


def test_times_and_rates_have_the_reports_unit():
    found = sentences(here=[STAY], unit="hours")
    assert "takes at most 0.8 jobs per hour" in found[0]
    assert "a job stays 10 hours on average; alone it would take 2.5 hours" in found[1]


def test_the_share_that_is_lost_lies_between_its_ends():
    finding = findings_of(report(takes=capacity(0.8, kind="simulated", low=0.75, high=0.85)))[0]
    lost = finding.quantity
    assert (lost.name, lost.kind) == ("wasted_share", "simulated")
    assert (lost.low, lost.value, lost.high) == pytest.approx((0.15, 0.2, 0.25))


@pytest.mark.parametrize(
    ("limit", "says"), [(0.989, True), (0.991, False), (None, False)], ids=["below", "as good as all", "unknown"]
)
def test_what_the_best_policy_could_take_is_said_where_it_is_less_than_all(limit, says):
    said = sentences(takes=capacity(0.8, 1.0, limit=limit), of="capacity")[0]
    assert ("No policy could take more than 0.989, as the needs do not fit together." in said) is says


def test_nothing_lost():
    found = sentences(takes=capacity(1.0, 1.0), of="capacity")
    assert found == [("Under fcfs the cluster takes at most 1 jobs per unit of time, all that 10 servers can serve: "
                     "nothing is lost to blocking.")]  # fmt: skip


def test_a_bound_is_no_threshold():
    found = sentences(takes=capacity(0.9, 1.0, limit=0.9, kind="bound"), of="capacity")
    assert found == [
        "How much the cluster takes under fcfs is not known; no policy takes more than 0.9 jobs per unit of time."
    ]


def test_at_least_is_never_rounded_up():
    takes = capacity(0.9, 1.0, kind="simulated", low=0.8769, high=0.95, bracket=True)
    [found] = sentences(takes=takes, of="capacity")
    assert found.startswith("Under fcfs the cluster takes at least 0.877 jobs per unit of time, 87.6 % of what")
    assert found.endswith("as far as simulation can tell: no theorem gives its limit.")


# Too much


def test_too_much_arrives():
    takes = capacity(0.4, 1.0)
    cures = [Remedy(words="a third fewer arrivals", kind="exact", system=CLUSTER),
             Remedy(words="3 more servers", kind="simulated", system=CLUSTER)]  # fmt: skip
    others = [
        policy("fcfs", own=True, stable=False),
        policy("first-fit", mean=7.0),
        policy("easy-backfilling", mean=6.0),
    ]
    parts = {"takes": takes, "stable": False, "load": 1.25, "remedies": cures, "policies": others}
    found = findings_of(report(**parts))
    assert [f.sentence for f in found[:3]] == [
        (
            "More arrives than it takes: 0.5 jobs per unit of time arrive and fcfs takes at most 0.4, so the "
            "queue grows "
            "without bound."
        ),
        "It would be stable with a third fewer arrivals or 3 more servers.",
        (
            "The same jobs are served without a growing queue by first-fit or easy-backfilling; jobs stay "
            "6.00 ± 0.60 under "
            "easy-backfilling."
        ),
    ]
    assert [f.kind for f in found[:3]] == ["exact", "simulated", "simulated"]  # one simulated cure is enough


def test_no_policy_helps_where_the_work_is_more_than_the_servers():
    found = sentences(stable=False, load=1.5, utilisation=1.2, of="capacity")
    assert found[1] == (
        "No policy can help: the jobs bring 12 servers' worth of work and there are 10; at least 13 are needed."
    )
    assert not any("No policy can help" in said for said in sentences(stable=False, load=1.5, utilisation=0.99))


def test_a_simulated_overload_is_said_as_such():
    finding = findings_of(report(stable=False, load=0.9))[0]
    assert finding.sentence.startswith(
        "More arrives than it takes, as far as a simulation can tell: at 0.5 jobs per unit"
    )
    assert finding.kind == "simulated"


# How long jobs stay


def test_one_job_in_ten_is_the_ninetieth_percentile():
    levels = [row("waiting_time_percentile", value, level=level) for level, value in ((90.0, 7.0), (95.0, 9.0))]
    assert sentences(here=[STAY, *levels], of="response") == [
        "At 62 % of that limit a job stays 10 on average; alone it would take 2.5. One job in ten waits longer than 7."
    ]
    waits = row("mean_waiting_time", 7.5)
    assert sentences(here=[STAY, waits, levels[1]], of="response")[0].endswith("would take 2.5 (7.5 is waiting).")


def test_without_a_threshold_the_load_is_a_utilisation():
    takes = capacity(0.9, 1.0, kind="simulated", low=0.85, high=0.95, bracket=True)
    assert sentences(takes=takes, here=[STAY], of="response")[0].startswith("At a utilisation of 50 % a job stays 10")


def test_a_mean_without_an_interval_says_so():
    bare = row("mean_response_time", 10.0, "simulated")
    [said] = sentences(simulated=[bare], of="response")
    assert "How sure that is cannot be said: the notes of the section tell why." in said


@pytest.mark.parametrize(("simulated", "agree"), [(9.1, True), (8.9, True), (7.9, False), (12.1, False)])
def test_simulation_and_exact_value_agree_within_two_half_widths_or_the_page_says_disagree(simulated, agree):
    seen = row("mean_response_time", simulated, "simulated", simulated - 1.0, simulated + 1.0)
    said = sentences(here=[STAY], simulated=[seen], of="response")[-1]
    assert said.startswith("A simulation that shares no code with the exact answer gives")
    if agree:
        assert said.endswith("for the mean stay: they agree.")
    else:
        assert said.endswith("they DISAGREE with the exact 10; please report this.")


# Policies

OWN = policy("fcfs", own=True)


def test_a_faster_policy_is_one_whose_whole_interval_is_faster():
    surely = policy("first-fit", mean=8.0, difference=(-2.0, -2.5, -1.5))
    perhaps = policy("easy-backfilling", mean=7.0, difference=(-3.0, -6.5, 0.5))
    assert sentences(policies=[OWN, surely, perhaps], of="policies") == [
        "With first-fit the mean response time of the same jobs would fall by 20 % (15 to 25 %)."
    ]
    assert sentences(policies=[OWN, perhaps], of="policies") == [
        (
            "No other policy tried (1) is faster than fcfs here; the nearest is easy-backfilling, no "
            "different as far as "
            "seen (−65 % to +5 %)."
        )
    ]


def test_what_a_faster_policy_asks_for_is_said_and_a_simple_one_comes_first():
    simple = policy("first-fit", difference=(-2.0, -2.5, -1.5))
    asking = policy("server-filling-srpt", asks_for="preemption, durations", difference=(-5.0, -5.5, -4.5))
    assert sentences(policies=[OWN, asking, simple], of="policies") == [
        "With first-fit the mean response time of the same jobs would fall by 20 % (15 to 25 %).",
        (
            "With server-filling-srpt the mean response time of the same jobs would fall by 50 % (45 to 55 "
            "%); it asks for "
            "preemption and durations."
        ),
    ]


@pytest.mark.parametrize(("gain", "told"), [(0.11, 1), (0.09, 0)])
def test_less_than_a_hundredth_is_no_finding(gain, told):
    slightly = policy("first-fit", difference=(-gain, -gain - 0.01, -gain + 0.01))
    assert len(sentences(policies=[OWN, slightly], of="policies")) == told


def test_a_policy_whose_queue_grows_is_named_beside_those_that_help():
    better = policy("first-fit", difference=(-2.0, -2.5, -1.5))
    growing = policy("max-weight", stable=False)
    assert sentences(policies=[OWN, better, growing], of="policies")[-1] == (
        "Under max-weight the queue would keep growing at this load."
    )


def test_the_numbers_behind_a_growing_queue_and_a_change():
    growing = [policy(name, stable=False) for name in ("max-weight", "first-fit")]
    more = change(takes=capacity(1.0, 1.25))
    found = findings_of(report(here=[STAY], policies=[OWN, *growing], changes=[more]))
    rows = {finding.quantity.name: finding.quantity for finding in found}
    assert rows["queue_growth"].value == 2  # policies
    assert rows["stability_threshold_change"].value == pytest.approx(1.0 / 0.8 - 1)
    assert rows["stability_threshold_change"].kind == "exact"
    assert rows["stability_threshold_change"].low is rows["queue_growth"].low is None


# Changes


def test_changes_of_load_and_stay():
    more = change(takes=capacity(1.0, 1.25), difference=(-2.0, -2.5, -1.5))
    capped = change(of="largest need", words="cap", largest=4, takes=capacity(0.9, 1.0), difference=(0.2, -0.3, 0.7))
    assert sentences(here=[STAY], changes=[capped, more], of="what_if") == [
        (
            "Two more servers would raise the arrival rate it takes by 25 %, and the mean stay would be 20 % "
            "(15 to 25 %) "
            "shorter."
        ),
        (
            "Capping jobs at 4 servers (same work, longer runs) would recover 10 % of the servers: it takes "
            "12 % more, and "
            "the mean stay would be no different as far as seen (−3 % to +7 %)."
        ),
    ]


def test_intervals_that_meet_claim_no_change():
    before = capacity(0.8, kind="simulated", low=0.75, high=0.85)
    for low, words in ((0.84, "would hardly change how much it can take"), (0.86, "would raise the arrival rate")):
        after = capacity(0.9, kind="simulated", low=low, high=0.95)
        assert words in sentences(takes=before, changes=[change(takes=after)], of="what_if")[0]
    after = capacity(0.6, kind="simulated", low=0.55, high=0.74)
    assert "would lower the arrival rate it takes by 25 %" in sentences(
        takes=before, changes=[change(takes=after)], of="what_if"
    )[0]  # fmt: skip


def test_a_change_under_which_the_queue_grows():
    fewer = change(words="two servers fewer", stable=False)
    assert sentences(here=[STAY], changes=[fewer], of="what_if") == [
        "With two servers fewer the queue would grow without bound at this load."
    ]


# Outlook


def test_an_outlook_of_numbers_nobody_is_sure_of_is_not_told():
    assert sentences(ahead=outlook((10, 0.4, "simulated"), (40, 0.25, "simulated", 0.2, 0.3)), of="outlook") == []


@pytest.mark.parametrize(("high", "told"), [(0.29, 1), (0.31, 0)], ids=["apart", "meet"])
def test_an_outlook_is_told_where_the_ends_are_apart(high, told):
    ahead = outlook((10, 0.4, "simulated", 0.3, 0.5), (40, 0.25, "simulated", 0.2, high))
    found = sentences(ahead=ahead, of="outlook")
    assert len(found) == told
    if told:
        assert found == [
            "With 4 times the servers at the same load (70 %), the share of jobs that wait would go from 40 % to 25 %."
        ]


# Tables


def test_an_interval_off_centre_is_shown_by_its_ends_and_one_in_the_middle_by_its_half():
    assert measured(row("x", 10.0, "simulated", 9.9, 11.0)) == "9.9 to 11"
    assert measured(row("x", 10.0, "simulated", 9.02, 11.0)) == "10.0 ± 1.0"


def test_the_capacity_table_names_its_units_and_sums():
    made = report(takes=capacity(0.8, 1.0, limit=0.95, blocked=[("small", 0.5), ("large", 1.5)]), unit="hours")
    cells = {words: (value, sure) for words, value, sure in capacity_table(made).rows}
    assert cells == {
        "arrival rate it takes, jobs per hour": ("0.8", "exact"),
        "the best of all policies could take, jobs per hour": ("0.95", "bound"),
        "counting server-time promises, jobs per hour": ("1", "bound"),
        "servers lost, of 10": ("2", "exact"),
        "share of servers that can be busy": ("80 %", "exact"),
    }
    assert [line[:3] for line in blame_table(made).rows] == [("large", "1.5", "75 %"), ("small", "0.5", "25 %")]


def test_the_policies_table_has_the_fastest_first_and_marks_the_clusters_own():
    others = [
        policy("max-weight", stable=False),
        OWN,
        policy("first-fit", mean=8.0, difference=(-2.0, -2.5, -1.5)),
        policy("least-servers-first", mean=12.0, difference=(2.0, 1.5, 2.5)),
    ]
    table = policies_table(report(policies=others))
    assert [line[0] for line in table.rows] == ["first-fit", "fcfs (as it is)", "least-servers-first", "max-weight"]
    assert table.marked == 1
    assert [line[3] for line in table.rows] == ["−2.00 ± 0.50", "", "+2.00 ± 0.50", "–"]
    assert table.rows[3][1] == "queue keeps growing"
    unsure = replace(policy("max-weight"), difference=row("d", 18.69, "simulated"))
    assert policies_table(report(policies=[unsure])).rows[0][3] == "≈ +18.69"


def test_the_table_of_changes_has_the_cluster_as_it_is_first():
    table = what_if_table(
        report(here=[STAY], changes=[change(takes=capacity(1.0, 1.25), difference=(-2.0, -2.5, -1.5))])
    )
    assert table.rows[0][:5] == ("as it is", "0.8", "", "2", "10")
    assert table.rows[1][:4] == ("two more servers", "1", "+25 %", "2")
    assert table.rows[1][5] == "−25 to −15 %"


def test_the_outlook_table_has_shares_in_per_cent():
    table = outlook_table(report(ahead=outlook((10, 0.4, "exact"), (40, 0.25, "simulated", 0.2, 0.3))))
    assert table.headings == ("servers", "has to wait", "how sure")
    assert table.rows == (("10", "40 %", "exact"), ("40", "20 to 30 %", "simulated"))


def test_without_a_load_there_is_nothing_to_find():
    assert findings_of(replace(report(), load=None)) == ()
    assert findings_of(report()) != ()
