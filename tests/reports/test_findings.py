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
    assert ("No policy could" in said) is says


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
            "The same jobs are served without a growing queue by easy-backfilling or first-fit; jobs stay "
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


# Each rule once more, at its limit and beside it


def found(made, section=None):
    return [finding.sentence for finding in findings_of(made) if section in (None, finding.section)]


def with_shares(small, **parts):
    """Return a report about the same classes with other shares; with a share of 1, one class alone."""
    first, second = CLUSTER.classes
    classes = [first.replace(share=small), second.replace(share=1 - small)] if small < 1 else [first.replace(share=1)]
    return replace(report(**parts), cluster=CLUSTER.replace(classes=classes))


def test_the_limit_itself_is_too_much():
    at = sentences(stable=False, load=1.0, utilisation=0.9, of="capacity")
    assert at[0].startswith("More arrives than it takes: 0.5 jobs per unit of time arrive and fcfs takes at most 0.8,")
    assert not at[1].startswith("No policy can help")
    all_of_it = sentences(stable=False, load=1.25, utilisation=1.0, of="capacity")
    assert all_of_it[1] == (
        "No policy can help: the jobs bring 10 servers' worth of work and there are 10; at least 11 are needed."
    )


def test_one_server_is_not_several():
    job = CLUSTER.classes[0].replace(share=1)
    single = replace(report(stable=False, load=1.2, utilisation=1.2), cluster=CLUSTER.replace(servers=1, classes=[job]))
    assert found(single)[1] == (
        "No policy can help: the jobs bring 1.2 servers' worth of work and there is 1; at least 2 are needed."
    )
    two = replace(single, cluster=CLUSTER.replace(servers=2, classes=[job]))
    assert "there are 2; at least 3 are needed." in found(two)[1]


def test_policies_that_serve_the_same_jobs_are_four_others_with_a_mean():
    unsettled = replace(policy("max-weight"), mean_response_time=None)
    names = ["first-fit", "best-fit", "server-filling", "easy-backfilling", "msf"]
    others = [policy(name, mean=9.0 - place) for place, name in enumerate(names)]
    own = policy("fcfs", own=True, mean=1.0)
    said = sentences(stable=False, load=1.25, policies=[own, unsettled, *others], of="policies")
    assert said[0] == (
        "The same jobs are served without a growing queue by msf, easy-backfilling, server-filling or best-fit; "
        "jobs stay 5.00 ± 0.50 under msf."
    )
    assert said[1:] == []  # nothing is faster than what grows without bound


def test_cures_are_exact_if_all_of_them_are():
    cure = Remedy(words="3 more servers", kind="exact", system=CLUSTER)
    [finding] = [
        each for each in findings_of(report(stable=False, load=1.25, remedies=[cure])) if "would be" in each.sentence
    ]
    assert (finding.sentence, finding.kind) == ("It would be stable with 3 more servers.", "exact")
    assert (finding.quantity.name, finding.quantity.value) == ("arrival_rate", 0.5)


def test_shares_are_of_what_server_time_promises():
    said = sentences(takes=capacity(1.6, 2.0, limit=1.9), of="capacity")[0]
    assert "takes at most 1.6 jobs per unit of time, 80 % of what counting server-time promises (2): 20 % of" in said
    assert said.endswith("No policy could take more than 1.9, as the needs do not fit together.")
    takes = capacity(1.8, 2.0, kind="simulated", low=1.7538, high=1.9, bracket=True)
    [said] = sentences(takes=takes, of="capacity")
    assert "takes at least 1.75 jobs per unit of time, 87.6 % of what counting server-time promises (2)" in said


def test_a_best_policy_is_told_only_of_several_classes_that_do_not_fit():
    assert "No policy could" not in sentences(takes=capacity(0.8, limit=0.99), of="capacity")[0]  # all but a hundredth
    assert "No policy could" in found(with_shares(0.6, takes=capacity(0.8, limit=0.9)))[0]
    assert "No policy could" not in found(with_shares(1, takes=capacity(0.8, limit=0.9)))[0]


@pytest.mark.parametrize(
    ("small", "only"), [(0.4, "although these are only 40 % of the jobs."), (0.5, None), (0.6, None)]
)
def test_a_class_is_only_some_of_the_jobs_below_half_of_them(small, only):
    made = with_shares(small, takes=capacity(0.8, blocked=[("small", 0.45), ("large", 0.15)]))
    said = found(made, "capacity")[1]
    start = "75 % of that loss is servers held empty for a 'small' job at the head of the line"
    assert said == (f"{start}." if only is None else f"{start}, {only}")


def test_nobody_is_blamed_for_nothing_or_alone():
    assert len(sentences(takes=capacity(0.8, blocked=[("small", 0.0)]), of="capacity")) == 1
    assert len(found(with_shares(1, takes=capacity(0.8, blocked=[("small", 2.0)])), "capacity")) == 1


def test_one_of_something_has_its_unit_in_the_singular():
    said = sentences(here=[row("mean_response_time", 1.0)], unit="hours", of="response")[0]
    assert "a job stays 1 hour on average; alone it would take 2.5 hours" in said


LATE = {"name": "waiting_time_percentile", "level": 90.0}


@pytest.mark.parametrize(
    ("ninety", "tells"),
    [
        (row(**LATE, value=7.0, kind="simulated", low=6.5, high=7.5), "7.00 ± 0.50"),
        (row(**LATE, value=0.5, kind="simulated", low=0.4, high=0.6), "0.50 ± 0.10"),
        (row(**LATE, value=0.0, kind="simulated", low=0.0, high=0.0), None),
        (row(**LATE, value=7.0, kind="simulated"), None),
    ],
)
def test_where_the_mean_is_not_sure_a_percentile_is_told_that_is(ninety, tells):
    bare = row("mean_response_time", 10.0, "simulated")
    [said] = sentences(simulated=[bare, ninety], of="response")
    start = (
        "a job stays ≈ 10 on average; alone it would take 2.5. How sure that is cannot be said: the notes of the "
        "section tell why"
    )
    assert said.endswith(f"{start}." if tells is None else f"{start}. One job in ten waits longer than {tells}.")


@pytest.mark.parametrize(
    ("ninety", "ends"),
    [
        (row(**LATE, value=7.1234), ". One job in ten waits longer than 7.12."),
        (row(**LATE, value=0.5), ". One job in ten waits longer than 0.5."),
        (row(**LATE, value=0.0), " (7.5 is waiting)."),
        (row(**LATE, value=7.0, kind="simulated", low=6.5, high=7.5), " (7.5 is waiting)."),  # of another kind
    ],
)
def test_a_percentile_is_told_in_place_of_the_mean_wait(ninety, ends):
    [said] = sentences(here=[STAY, row("mean_waiting_time", 7.5), ninety], of="response")
    assert said == f"At 62 % of that limit a job stays 10 on average; alone it would take 2.5{ends}"


def test_policies_are_compared_with_the_clusters_own_where_it_takes_the_load():
    faster = policy("first-fit", difference=(-2.0, -2.5, -1.5))
    assert sentences(policies=[faster], of="policies") == []
    assert sentences(policies=[policy("fcfs", own=True, stable=False), faster], of="policies") == []
    assert len(sentences(policies=[OWN, faster], of="policies")) == 1
    too_much = sentences(stable=False, load=1.2, policies=[OWN, faster], of="policies")
    assert [said.split(" by ")[0] for said in too_much] == ["The same jobs are served without a growing queue"]


@pytest.mark.parametrize("asks_for", ["preemption", "known durations"])
def test_a_policy_that_asks_for_something_is_not_simple(asks_for):
    simple, asking = (
        policy("first-fit", difference=(-2.0, -2.5, -1.5)),
        policy("best-fit", asks_for=asks_for, difference=(-5.0, -5.5, -4.5)),
    )
    assert [said.split(" the mean")[0] for said in sentences(policies=[OWN, simple, asking], of="policies")] == [
        "With first-fit", "With best-fit",
    ]  # fmt: skip


def test_an_interval_that_reaches_nothing_is_not_faster_and_the_nearest_is_told():
    others = [policy("best-fit", difference=(3.0, 1.0, 5.0)), policy("first-fit", difference=(-2.0, -4.0, 0.0))]
    assert sentences(policies=[OWN, *others], of="policies") == [
        (
            "No other policy tried (2) is faster than fcfs here; the nearest is first-fit, no different as far as seen "
            "(−40 % to +0 %)."
        )
    ]


def cap(largest, threshold=None, **more):
    return change(
        f"cap {largest}",
        "largest need",
        largest=largest,
        takes=None if threshold is None else capacity(threshold),
        **more,
    )


def test_of_several_caps_the_best_is_told_and_of_other_changes_each():
    """Servers come first, and the last three changes are told; another mix is none."""
    more = [change(f"{n} more", takes=capacity(0.8 + n / 10)) for n in (2, 4, 8)]
    mix = change("another mix", "mix", takes=capacity(2.0))
    assert sentences(changes=[cap(2, 0.85), cap(4, 0.9), cap(6, 0.88), *more[:2], mix], of="what_if") == [
        "2 more would raise the arrival rate it takes by 25 %.",
        "4 more would raise the arrival rate it takes by 50 %.",
        "Capping jobs at 4 servers (same work, longer runs) would recover 10 % of the servers: it takes 12 % more.",
    ]
    assert [said.split()[0] for said in sentences(changes=[cap(4, 0.9), *more], of="what_if")] == ["4", "8", "Capping"]
    assert "Capping jobs at 2 servers" in sentences(changes=[cap(2, 0.9), cap(4, 0.9)], of="what_if")[0]  # the first


def test_a_cap_whose_threshold_is_not_known_is_worth_what_stays_are_shorter():
    caps = [cap(2, difference=(-2.0, -2.5, -1.5)), cap(4, difference=(-3.0, -3.5, -2.5))]
    assert sentences(here=[STAY], changes=caps, of="what_if") == [
        "With jobs capped at 4 servers (same work, longer runs) the mean stay would be 30 % (25 to 35 %) shorter."
    ]
    assert sentences(here=[STAY], changes=[cap(2, 0.7), cap(4)], of="what_if") == []  # nothing is better than less
    for caps in ([cap(2, 0.9), cap(4)], [cap(4), cap(2, 0.9)]):  # and an eighth more is better than nothing
        assert sentences(here=[STAY], changes=caps, of="what_if")[0].startswith("Capping jobs at 2 servers")


@pytest.mark.parametrize(
    ("takes", "words"),
    [
        (0.8088, "Two more servers would raise the arrival rate it takes by 1.1 %."),
        (0.8072, "Two more servers would hardly change how much it can take."),
        (0.7928, "Two more servers would hardly change how much it can take."),
        (0.7912, "Two more servers would lower the arrival rate it takes by 1.1 %."),
    ],
)
def test_a_hundredth_more_or_less_is_a_change(takes, words):
    assert sentences(changes=[change(takes=capacity(takes))], of="what_if") == [words]


def test_a_cap_that_takes_less_recovers_nothing():
    assert sentences(changes=[cap(4, 0.6)], of="what_if") == [
        "Capping jobs at 4 servers (same work, longer runs) would lower the arrival rate it takes by 25 %."
    ]


def test_intervals_that_touch_are_not_apart():
    before = capacity(0.8, kind="simulated", low=0.75, high=0.85)
    for low, high in ((0.85, 0.95), (0.65, 0.75)):
        after = capacity((low + high) / 2, kind="simulated", low=low, high=high)
        said = sentences(takes=before, changes=[change(takes=after)], of="what_if")
        assert said == ["Two more servers would hardly change how much it can take."]


def test_evidence_claims_no_change_of_the_threshold():
    evidence = capacity(0.9, kind="simulated", low=0.85, high=0.95, bracket=True)
    for before, after in ((evidence, capacity(1.2)), (capacity(0.8), evidence)):
        assert sentences(takes=before, changes=[change(takes=after)], of="what_if") == []


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (row("d", -2.0), "20 % shorter"),
        (row("d", 0.1), "1 % longer"),
        (row("d", 0.09), None),  # less than a hundredth of the mean
        (row("d", 2.0, "simulated"), None),
        (row("d", 0.09, "simulated", 0.05, 0.13), "hardly any different (+0.5 % to +1.3 %)"),
        (None, None),
    ],
)
def test_what_a_change_does_to_the_mean_stay(difference, words):
    made = replace(change(), difference=difference)
    said = sentences(here=[STAY], changes=[made], of="what_if")
    assert said == ([] if words is None else [f"With two more servers the mean stay would be {words}."])
    assert sentences(changes=[made], of="what_if") == []  # a share of what?
    assert sentences(here=[STAY], changes=[made], stable=False, load=1.2, of="what_if") == []


@pytest.mark.parametrize(
    ("points", "ends"),
    [
        ([(10, 0.4, "exact")], None),
        ([(10, 0.4, "exact"), (20, 0.3, "exact"), (80, 0.25, "exact")], "With 8 times the servers at the same load"),
        ([(10, 0.25, "exact"), (40, 0.4, "exact")], "would go from 25 % to 40 %."),
        ([(10, 0.25, "exact"), (40, 0.25, "exact")], None),
        ([(10, 0.4, "simulated", 0.3, 0.5), (40, 0.25, "simulated", 0.2, 0.3)], None),  # they touch
        ([(10, 0.25, "simulated", 0.2, 0.3), (40, 0.4, "simulated", 0.3, 0.5)], None),
    ],
)
def test_an_outlook_compares_the_last_with_the_first(points, ends):
    said = sentences(ahead=outlook(*points), of="outlook")
    assert len(said) == (ends is not None)
    if ends is not None:
        assert ends in said[0]


def test_an_outlook_without_the_share_that_waits_is_silent():
    known = outlook((10, 0.4, "exact"), (40, 0.25, "exact"))
    for place in (0, 1):
        rows = list(known.rows)
        rows[place] = replace(rows[place], quantities=())
        assert sentences(ahead=replace(known, rows=tuple(rows)), of="outlook") == []


def test_the_simulation_is_compared_with_the_exact_mean_of_all_jobs():
    def checks(*here, seen):
        return [said for said in sentences(here=here, simulated=[seen], of="response") if "shares no code" in said]

    seen = row("mean_response_time", 8.0, "simulated", 7.5, 8.75)  # twice the upper half is 1.5
    assert checks(row("mean_response_time", 9.5), seen=seen)[0].endswith("for the mean stay: they agree.")
    for exact in (9.6, 6.4):
        said = checks(row("mean_response_time", exact), seen=seen)[0]
        assert said.endswith(f"they DISAGREE with the exact {exact}; please report this.")
    assert checks(STAY, seen=seen.replace(low=None)) == checks(STAY, seen=seen.replace(high=None)) == []
    assert checks(row("mean_response_time", 10.0, job_class="small"), seen=seen) == []
    assert checks(row("mean_response_time", 10.0, "asymptotic"), seen=seen) == []
