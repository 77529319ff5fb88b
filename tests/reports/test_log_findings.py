"""What to make of a log: each rule with an input on either side of it, and the numbers and units of every sentence."""

import pytest
from hand_made_log import looked, result, share, trace, wait, without

from msj.reports.fit_text import prediction_table, prediction_words, ratio_of
from msj.reports.log_changes import Change
from msj.reports.log_findings import _common_needs, findings_of
from msj.results import Quantity

EASY, FCFS = "easy-backfilling", "fcfs"


def told(*, log=None, served=(), changes=(), fitted=None, about=None):
    """Return the findings, or those of one section, as sentence and the value behind it."""
    found = findings_of(looked() if log is None else log, result(*served), changes, fitted)
    return [(each.sentence, each.quantity.value) for each in found if about is None or each.section == about]


# Is the backfilling any good?


@pytest.mark.parametrize(
    ("recorded", "verdict"),
    [
        (7100.0, "Better than EASY backfilling, told the requested times"),  # less than nine tenths of 8000
        (7300.0, "About as good as EASY backfilling"),
        (14200.0, "About as good as EASY backfilling"),
        (14400.0, "Not as good as EASY backfilling, told the requested times"),  # more than eleven tenths of 13,000
    ],
)
def test_a_tenth_beyond_what_moved_submissions_do_is_a_difference(recorded, verdict):
    served = [wait(10_000.0, EASY, low=8000.0, high=13_000.0), wait(72_000.0, FCFS)]
    [(said, value)] = told(log=looked(wait(recorded)), served=served, about="policies")
    hours = {7100.0: "120 min", 7300.0: "2 h", 14200.0: "3.9 h", 14400.0: "4 h"}[recorded]
    assert said == (
        f"Is the backfilling any good? {verdict}: jobs waited {hours} on average, with EASY it would have been 2.8 h, "
        "and 20 h first come first served."
        + (" Limits, priorities and outages that a replay does not know may be part of it." if recorded > 14300 else "")
    )
    assert value == 10_000.0


@pytest.mark.parametrize(
    ("recorded", "verdict"), [(8900.0, "Better"), (9100.0, "About"), (10_900.0, "About"), (11_100.0, "Not as good")]
)
def test_without_moved_submissions_it_is_a_tenth_of_the_mean(recorded, verdict):
    [(said, _)] = told(log=looked(wait(recorded)), served=[wait(10_000.0, EASY)], about="policies")
    assert said.startswith(f"Is the backfilling any good? {verdict}")
    assert "it would have been 2.8 h." in said  # nothing of FCFS, which was not asked for


@pytest.mark.parametrize("recorded", [18.0, 22.0])
def test_a_tenth_itself_is_no_difference(recorded):
    [(said, _)] = told(log=looked(wait(recorded)), served=[wait(20.0, EASY)], about="policies")
    assert said == (
        f"Is the backfilling any good? About as good as EASY backfilling: jobs waited {recorded:.0f} s on average, "
        "with EASY it would have been 20 s."
    )


def test_where_the_log_has_no_waits_those_of_policies_are_told():
    for log, words in ((looked(), "the requested times"), (looked(of=without("estimate")), "the true run times")):
        for more, gain in (((), ""), ((wait(72_000.0, FCFS),), ", 20 h first come first served")):
            assert told(log=log, served=[wait(9000.0, EASY), *more], about="policies")[0] == (
                (
                    "Is the backfilling any good? The log does not say how long jobs waited. With EASY backfilling, "
                    f"told {words}, it would have been 2.5 h on average{gain}."
                ),
                9000.0,
            )
    assert told(served=[wait(72_000.0, FCFS)], about="policies") == []


# Who waits?

LEVELS = ((50.0, 60.0), (95.0, 7200.0))


def test_who_waits_longest_and_shortest():
    rows = [wait(600.0), wait(925.0, job_class="need 1"), wait(240.0, job_class="need 2"),
            wait(420.0, job_class="need 3"), wait(9e5, job_class="need 9")]  # fmt: skip
    levels = [wait(value, level=level) for level, value in LEVELS]
    [(said, value)] = told(log=looked(*rows, *levels), about="waits")
    assert said == (  # nobody in this log needs 9
        "Who waits? Jobs waited 10 min on average; half of them at most 60 s, 95 % at most 2 h. Those that need 1 "
        "servers wait longest: 15 min, 1.5 times the mean; those that need 2 shortest: 4 min."
    )
    assert value == 925.0
    [(said, value)] = told(log=looked(*rows[:2], levels[0]), about="waits")
    assert (said, value) == ("Who waits? Jobs waited 10 min on average.", 600.0)  # one need, one percentile
    two = told(log=looked(*rows[:3]), about="waits")[0]
    assert two[0].startswith("Who waits? Jobs waited 10 min on average. Those that need 1 servers")
    assert told(log=looked(wait(0.0), *levels), about="waits") == []
    assert told(log=looked(wait(0.5)), about="waits") == [("Who waits? Jobs waited 0.5 s on average.", 0.5)]


def test_who_would_have_waited_under_easy():
    rows = [wait(600.0, EASY), wait(900.0, EASY, "need 1"), wait(240.0, EASY, "need 2"), wait(9e6, FCFS, "need 3")]
    levels = [wait(value, EASY, level=level) for level, value in LEVELS]
    others = [wait(7 * value, FCFS, level=level) for level, value in LEVELS]
    said, value = told(served=[*rows, *levels, *others], about="policies")[1]
    assert said == (
        "Who waits? With EASY jobs would have waited 10 min on average; half of them at most 60 s, 95 % at most 2 h. "
        "Those that need 1 servers wait longest: 15 min, 1.5 times the mean; those that need 2 shortest: 4 min."
    )
    assert value == 900.0


@pytest.mark.parametrize(("others", "common"), [(198, True), (199, False)])
def test_a_need_of_a_hundredth_of_the_jobs_is_common(others, common):
    """Two of 200 are a hundredth, two of 201 are not."""
    jobs = [(float(i), 0.0, 10.0, 1 if i < others else 8, 10.0) for i in range(others + 2)]
    assert _common_needs(trace(jobs, servers=8)) == ({"need 1", "need 8"} if common else {"need 1"})


# Changes


def change(about, mean, amount=0.0, words=None):
    rows = (wait(mean, EASY), wait(3 * mean, EASY, level=95.0))
    return Change(words=words or about, about=about, amount=amount, rows=rows)


AS_IT_IS = change("nothing", 6000.0)


def test_more_servers_and_not_fewer():
    less = change("servers", 9000.0, -4.0, "4 fewer servers")
    one = change("servers", 0.3, 1.0, "1 more servers")
    assert told(changes=[change("nothing", 0.5), one]) == [
        (
            (
                "What would more servers have brought? With EASY the mean wait of 0.5 s would have fallen to 0.3 s "
                "with 1 more servers."
            ),
            0.3,
        )
    ]
    more, many = change("servers", 3600.0, 4.0, "4 more servers"), change("servers", 1800.0, 8.0, "8 more servers")
    assert told(changes=[AS_IT_IS, less, more, many]) == [
        (
            (
                "What would more servers have brought? With EASY the mean wait of 100 min would have fallen to 60 min "
                "with 4 more servers and to 30 min with 8 more servers."
            ),
            3600.0,
        )
    ]
    worse = change("servers", 6060.0, 8.0, "8 more servers")
    assert told(changes=[AS_IT_IS, more, worse])[0][0].startswith(
        "What would more servers have brought? With EASY the mean wait of 100 min would have gone to 60 min with"
    )
    same = change("servers", 6000.0, 8.0, "8 more servers")
    assert "would have fallen" in told(changes=[AS_IT_IS, same])[0][0]
    assert told(changes=[AS_IT_IS, less]) == told(changes=[more]) == []


@pytest.mark.parametrize(
    ("means", "shown", "verdict"),
    [
        ((5690.0, 9000.0), ("95 min", "2.5 h"), "a cap would have helped"),  # a twentieth of 6000 is 300
        ((9000.0, 5700.0), ("2.5 h", "95 min"), "no cap helps"),
        ((6300.0, 6300.0), ("100 min", "100 min"), "no cap helps"),
        ((6310.0, 6290.0), ("110 min", "100 min"), "no cap helps"),
        ((6310.0, 6320.0), ("110 min", "110 min"), "a cap would have made it worse, as capped jobs run longer"),
    ],
)
def test_a_cap_helps_or_not_by_a_twentieth(means, shown, verdict):
    caps = [change("cap", mean, words=f"at most {n} servers a job") for n, mean in zip((16, 8), means, strict=True)]
    said = (
        f"And a cap on size, where jobs keep their work? With at most 16 servers a job {shown[0]} and with at most 8 "
        f"servers a job {shown[1]}: {verdict}."
    )
    assert told(changes=[AS_IT_IS, *caps]) == [(said, min(means))]


@pytest.mark.parametrize(
    ("mean", "word", "shown"),
    [(5690.0, "shorten", "95 min"), (5710.0, None, ""), (6290.0, None, ""), (7500.0, "lengthen", "2.1 h")],
)
def test_right_estimates_matter_from_a_twentieth_on(mean, word, shown):
    found = told(changes=[AS_IT_IS, change("estimates", mean)])
    if word is None:
        assert found == []
    else:
        sentence = f"Requested times that are right would {word} the mean wait with EASY from 100 min to {shown}."
        assert found == [(sentence, mean)]


def test_where_nobody_waits_there_is_nothing_to_bring():
    nothing = [change("nothing", 0.0), change("servers", 0.0, 4.0), change("cap", 9.0), change("estimates", 9.0)]
    assert told(changes=nothing) == [("More servers would bring nothing: with EASY nobody waits.", 0.0)]


# How near is saturation?


def filled(offered, log, shuffled, changes=()):
    rows = [share("offered_utilisation", offered)] * (offered is not None)
    orders = [("log", log), ("shuffled", shuffled)]
    rows += [share("saturated_utilisation", value, order=order) for order, value in orders if value is not None]
    found = told(log=looked(*rows), changes=changes)
    return [each for each in found if each[0].startswith(("How near", "Shuffled", "With EASY"))]


def test_how_near_saturation_is():
    near, mixed = filled(0.6, 0.8, 0.7)
    start = (
        "How near is saturation? The jobs bring {} of what all servers can do; first come first served can keep at "
        "most 80 % of the servers busy with these jobs in their order. {}."
    )
    assert near == (start.format("60 %", "So the log is at 75 % of what it takes"), 0.8)
    assert mixed == (
        (
            "Shuffled, the same jobs could fill 70 %: jobs pack better in the order in which they come than mixed, "
            "and a model that draws them independently promises too little."
        ),
        0.7,
    )
    full = "That is less than they bring: its queue would grow to the end of the log"
    for offered in (0.8, 0.9):
        assert filled(offered, 0.8, 0.7)[0][0] == start.format(f"{100 * offered:.0f} %", full)
    assert filled(None, 0.8, 0.7) == filled(0.6, None, None) == []


@pytest.mark.parametrize(
    ("shuffled", "says"),
    [
        (0.794, "jobs pack better in the order in which they come than mixed"),
        (0.796, "order hardly matters here, and models of independent jobs know the limit."),
        (0.804, "order hardly matters here, and models of independent jobs know the limit."),
        (0.806, "jobs pack worse in the order in which they come than mixed"),
    ],
)
def test_order_matters_from_half_a_per_cent_of_the_servers_on(shuffled, says):
    said = filled(0.6, 0.8, shuffled)[1][0]
    assert says in said
    assert ("promises too much" in said) is (shuffled > 0.805)
    assert ("promises too little" in said) is (shuffled < 0.795)


def test_more_load_is_told_with_all_its_waits():
    loads = [change("load", 9000.0, 1.1, "10 % more load"), change("load", 36_000.0, 1.25, "25 % more load"),
             change("load", 90_000.0, 1.5, "50 % more load")]  # fmt: skip
    assert filled(0.6, 0.8, 0.7, [AS_IT_IS, *loads])[2] == (
        (
            "With EASY the mean wait would be 100 min now, 2.5 h at 10 % more load, 10 h at 25 % more load, "
            "25 h at 50 % more load."
        ),
        90_000.0,
    )
    assert len(filled(0.6, 0.8, 0.7, [AS_IT_IS])) == len(filled(0.6, 0.8, 0.7, loads)) == 2


# What can a fit tell?


def factor(value, fit, policy=EASY, name="mean_waiting_time", level=None):
    at = {"quantity": name, "policy": policy, "workload": fit}
    return Quantity(name="predicted_over_replayed", value=value, kind="simulated", method="by hand", level=level, at=at)


def fitted(replayed, one, other, policy=EASY, level=None):
    """Rows of a fit: replayed, as predicted with independent jobs, and with the log's arrivals and order."""
    values = {"replay": replayed, "independent fit": one, "dependent fit": other}
    rows = [wait(value, policy, level=level, workload=name) for name, value in values.items()]
    name = "mean_waiting_time" if level is None else "waiting_time_percentile"
    if replayed:
        rows += [factor(values[fit] / replayed, fit, policy, name, level) for fit in list(values)[1:]]
    return rows


@pytest.mark.parametrize(
    ("dependent", "verdict"),
    [
        (5400.0, "near enough to ask the fit about changes"),  # a factor of 1.5
        (5500.0, "trust it to a factor of 1.5, no more"),
        (2400.0, "near enough to ask the fit about changes"),
        (1800.0, "trust it to a factor of 2, no more"),
        (10_800.0, "trust it to a factor of 3, no more"),
        (11_160.0, "it is a factor of 3.1 away: replay the log instead"),
        (11_196.0, "it is a factor of 3.1 away: replay the log instead"),  # 3.11
        (900.0, "it is a factor of 4 away: replay the log instead"),
        (0.0, "it is wrong about whether anybody waits: replay the log instead"),
    ],
)
def test_a_fit_is_judged_by_the_factor_between_it_and_the_replay(dependent, verdict):
    shown = {0.0: "0 s", 900.0: "15 min", 1800.0: "30 min", 2400.0: "40 min", 5400.0: "90 min", 5500.0: "92 min",
             10_800.0: "3 h", 11_160.0: "3.1 h", 11_196.0: "3.1 h"}[dependent]  # fmt: skip
    rows = result(*fitted(3600.0, 36_000.0, dependent))
    assert told(fitted=rows, about="fit") == [
        (
            (
                "What can a fit tell? With EASY, on the half of the log that fits were not made from: replayed 60 min, "
                f"predicted 10 h with independent jobs and {shown} with the log's arrivals and order: {verdict}."
            ),
            dependent,
        )
    ]


def test_both_policies_are_judged_and_what_is_not_predicted_is_left_out():
    rows = [*fitted(3600.0, 36_000.0, 7200.0), *fitted(0.0, 0.0, 0.0, FCFS)]
    easy, fcfs = told(fitted=result(*rows), about="fit")
    assert easy[0].startswith("What can a fit tell? With EASY, on the half")
    assert fcfs[0] == (
        "First come first served, on the half of the log that fits were not made from: replayed 0 s, predicted 0 s "
        "with independent jobs and 0 s with the log's arrivals and order: nobody waits, and it says so."
    )
    [(said, _)] = told(fitted=result(*fitted(0.0, 0.0, 60.0)), about="fit")
    assert said.endswith("it is wrong about whether anybody waits: replay the log instead.")
    only = told(fitted=result(rows[0], rows[1], *fitted(0.0, 0.0, 0.0, FCFS)), about="fit")
    assert only == [fcfs]
    assert told(fitted=None, about="fit") == []


def test_the_nearer_fit_is_the_one_with_the_smaller_factor_either_way():
    rows = result(
        *fitted(3600.0, 12_000.0, 1800.0),  # three times, and half: a factor of two
        *fitted(7200.0, 3600.0, 21_600.0, level=95.0),  # half, and three times
        *fitted(3600.0, 7200.0, 1800.0, FCFS),  # twice, and half
        *fitted(0.0, 0.0, 60.0, FCFS, level=95.0),
        *fitted(3600.0, 0.0, 36_000.0, "first-fit"),
        wait(5.0, "first-fit", level=90.0, workload="replay"),  # another percentile
        wait(5.0, "best-fit", workload="independent fit"),  # never replayed
    )
    table = prediction_table(rows)
    assert table.rows == (
        (EASY, "mean wait", "60 min", "3.3 h", "x 3.3", "30 min", "x 0.5", "dependent"),
        (EASY, "95 %", "2 h", "60 min", "x 0.5", "6 h", "x 3", "independent"),
        (FCFS, "mean wait", "60 min", "2 h", "x 2", "30 min", "x 0.5", "same"),
        (FCFS, "95 %", "0 s", "0 s", "–", "60 s", "–", "–"),
        ("first-fit", "mean wait", "60 min", "0 s", "x 0", "10 h", "x 10", "dependent"),
    )
    assert table.numbers == (False, False, True, True, True, True, True, False)
    assert prediction_words(rows)[0] == (
        "The fit with the log's arrivals and order is nearer to the replay in 2 of 4 numbers, by the factor between "
        "them."
    )
    assert ratio_of(rows, EASY, "waiting_time_percentile", 95.0, "dependent fit") == 3.0
    assert ratio_of(rows, EASY, "waiting_time_percentile", 90.0, "dependent fit") is None


@pytest.mark.parametrize("fit", ["independent fit", "dependent fit"])
def test_no_fit_is_nearer_than_one_of_which_nothing_is_known(fit):
    rows = [
        row for row in fitted(3600.0, 7200.0, 1800.0) if row.at.get("quantity") is None or row.at["workload"] != fit
    ]
    assert prediction_table(result(*rows)).rows[0][-1] == "–"


def test_nothing_is_said_of_fits_that_predict_nothing():
    assert prediction_words(result()) == []
    silent = prediction_words(result(*fitted(0.0, 0.0, 60.0)))
    assert silent[0] == "Nobody waits in the replay of the part held out: there is nothing to compare with."
    assert prediction_words(result(*fitted(60.0, 30.0, 120.0)))[0] == "Both fits say the same."
    assert silent[1] == (
        "Fits are told the utilisation of the part they predict, and nothing else of it. All policies are told true "
        "run times."
    )
