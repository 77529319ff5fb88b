"""What is said about a log of four jobs: every number of its sentences and tables worked out by hand."""

import math

import pytest
from hand_made_log import JOBS, looked, share, trace, wait, without

from msj.logs.reason import Reason
from msj.reports.log_contents import (
    findings,
    heat_table,
    in_time,
    left_out_table,
    needs_table,
    summary,
    waits_table,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (math.inf, "–"),
        (0.0, "0 s"),
        (61.4, "61 s"),
        (119.0, "120 s"),  # two digits
        (120.0, "2 min"),
        (150.0, "2.5 min"),
        (7140.0, "120 min"),  # 119 of them
        (7199.0, "120 min"),
        (7200.0, "2 h"),
        (9000.0, "2.5 h"),
        (172_799.0, "48 h"),
        (172_800.0, "2 days"),
        (1.296e6, "15 days"),
    ],
)
def test_a_span_of_time_has_the_unit_in_which_it_is_two_or_more(seconds, text):
    assert in_time(seconds) == text


def test_a_log_in_a_line():
    assert summary(looked()) == "swf, 4 jobs, 4 servers, 2 h"
    some = trace(rows=1006, servers=None)
    assert summary(looked(of=some)) == "swf, 4 of 1,006 rows used, machine size unknown, 2 h"
    later = trace([(job[0] + 85_800.0, *job[1:]) for job in JOBS], begins=86_400.0)  # ten minutes before midnight
    assert summary(looked(of=later)) == "swf, 4 jobs, 4 servers, 2 h from 1970-01-02"
    for far in (1.2e11, -1.2e11):  # no years that can be
        assert summary(looked(of=trace(begins=far))) == "swf, 4 jobs, 4 servers, 2 h"


OFFERED = share("offered_utilisation", 0.6)
ORDERS = (share("saturated_utilisation", 0.8, order="log"), share("saturated_utilisation", 0.7, order="shuffled"))
LEVELS = (wait(60.0, level=50.0), wait(900.0, level=90.0), wait(7200.0, level=95.0))
GUESSES = (share("mean_estimate_accuracy", 0.45), share("overrun_share", 0.031))


def said(*rows, of=None):
    return [(finding.sentence, finding.quantity.value, finding.section) for finding in findings(looked(*rows, of=of))]


def test_what_stands_out_in_a_log():
    assert said(OFFERED, *ORDERS, wait(600.0), *LEVELS, *GUESSES) == [
        ("The jobs would keep 60 % of the servers busy.", 0.6, "time"),
        (
            (
                "First come first served could keep 80 % of the servers busy with these jobs in their order, 70 % "
                "with the same jobs shuffled."
            ),
            0.8,
            "time",
        ),
        ("Jobs waited 10 min on average; half of them at most 60 s, 95 % at most 2 h.", 600.0, "waits"),
        (
            "Jobs ran 45 % of the time that was requested for them, on average; 3.1 % ran longer than requested.",
            0.45,
            "estimates",
        ),
    ]


def test_nothing_is_said_of_what_is_not_known():
    assert said() == said(*LEVELS) == said(wait(600.0)) == said(wait(600.0), *LEVELS[1:]) == []
    assert said(GUESSES[0]) == said(GUESSES[1]) == []
    by_class = [wait(row.value, job_class="need 1", level=row.level) for row in LEVELS]
    assert said(wait(600.0), *by_class) == []  # percentiles of one need are not those of all jobs


@pytest.mark.parametrize(
    ("offered", "sentence"),
    [
        (1.0, "The jobs would keep 100 % of the servers busy."),
        (1.2, "The jobs would need 120 % of the servers: more than there are."),
    ],
)
def test_jobs_may_need_more_servers_than_there_are(offered, sentence):
    assert said(share("offered_utilisation", offered))[0][0] == sentence


@pytest.mark.parametrize(
    ("peak", "of", "told"),
    [
        (4.0, trace(), 0),
        (5.0, trace(), 1),
        (5.0, trace(servers=None), 0),
        (5.0, without("wait"), 0),  # then it is not what was in use
    ],
)
def test_more_servers_in_use_than_there_are_is_a_finding(peak, of, told):
    found = said(share("peak_servers_in_use", peak), of=of)
    assert found == [("At one moment 5 servers were in use, more than the 4 there are.", 5.0, "time")] * told


def test_rows_used_and_left_out():
    left_out = {Reason.NEVER_RAN: (1500, (3, 8, 9)), Reason.NO_NEED: (2, (5, 6))}
    table = left_out_table(looked(of=trace(rows=1506, left_out=left_out)))
    assert table.rows == (
        ("used", "4", "", ""),
        ("never-ran", "1,500", Reason.NEVER_RAN.sentence, "3, 8, 9, ..."),
        ("no-need", "2", Reason.NO_NEED.sentence, "5, 6"),
        ("read", "1,506", "", ""),
    )
    assert table.numbers == (False, True, False, False)


def waits_of(name, mean, slowdown, *levels):
    slow = share("mean_bounded_slowdown", slowdown).replace(job_class=name)
    percentiles = [wait(value, job_class=name, level=level) for level, value in levels]
    return [wait(mean, job_class=name), slow, *percentiles]


def test_waits_by_need_have_all_jobs_first_and_those_by_queue_have_not():
    rows = [
        *waits_of(None, 600.0, 2.3456, (50.0, 60.0), (90.0, 900.0), (95.0, 7200.0), (99.0, 9000.0)),
        *waits_of("need 2", 300.0, 3.0, (50.0, 30.0), (95.0, 45.0)),
        *waits_of("queue gpu", 10.0, 1.0, (50.0, 7.0)),
        wait(5.0, job_class="need 7"),  # without a slowdown
    ]
    table = waits_table(looked(*rows))
    assert table.headings == ("waits", "mean", "50 %", "90 %", "95 %", "99 %", "bounded slowdown")
    assert table.rows == (
        ("all jobs", "10 min", "60 s", "15 min", "2 h", "2.5 h", "2.35"),
        ("need 2", "5 min", "30 s", "–", "45 s", "–", "3"),
    )
    assert table.numbers == (False, True, True, True, True, True, True)
    assert table.marked == 0
    queues = waits_table(looked(*rows), "queue")
    assert queues.rows == (("queue gpu", "10 s", "7 s", "–", "–", "–", "1"),)
    assert queues.marked is waits_table(looked()).marked is None


def test_jobs_and_work_by_need():
    """Server-seconds: 3·7200 + 2·3600 + 1·30 + 1·400 = 29,230; need 1 has 430 of them, 215 seconds a job."""
    table = needs_table(looked())
    assert table.rows == (
        ("need 1", "2", "50 %", "1.5 %", "3.6 min"),
        ("need 2", "1", "25 %", "25 %", "60 min"),
        ("need 3", "1", "25 %", "74 %", "2 h"),
    )
    assert table.numbers == (False, True, True, True, True)


def test_jobs_by_need_and_run_time():
    table = heat_table(looked(of=trace([*JOBS, (7300.0, 0.0, 45.0, 1, 60.0)])))
    assert table.headings[:6] == ("servers", "under 10 s", "10 s to 1 min", "1 to 10 min", "10 min to 1 h", "1 to 4 h")
    assert table.rows == (
        ("need 1", "", "2", "1", *[""] * 6),
        ("need 2", "", "", "", "", "1", *[""] * 4),
        ("need 3", "", "", "", "", "1", *[""] * 4),
    )
    assert table.numbers == (False, *[True] * 9)
