"""The report of a log: every sentence against the numbers it speaks of, each rule from either side."""

import dataclasses
import json
import re
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

import msj
from msj.reports.fit_text import prediction_table, prediction_words
from msj.reports.log_changes import Change
from msj.reports.log_findings import findings_of
from msj.reports.log_page import write_log_report
from msj.reports.log_report_text import changes_table, write_log_report_text
from msj.results import Quantity, Result
from msj.results.glossary import GLOSSARY

LOG = "examples/logs/small_cluster.swf"


@pytest.fixture(scope="module")
def report():
    return msj.report_log(LOG, seed=1, policies=["fcfs", "easy-backfilling"])


def sentence(findings, begins):
    return next(finding.sentence for finding in findings if finding.sentence.startswith(begins))


def again(report, **changes):
    parts = {"looked": report.log, "served": report.policies, "changes": report.changes, "fitted": report.fit} | changes
    return list(findings_of(parts["looked"], parts["served"], parts["changes"], parts["fitted"]))


def with_recorded(report, factor):
    rows = tuple(
        dataclasses.replace(row, value=row.value * factor)
        if row.name == "mean_waiting_time" and row.kind == "recorded"
        else row
        for row in report.log
    )
    return dataclasses.replace(report.log, quantities=rows)


def change(about, amount, mean):
    rows = (
        Quantity(name="mean_waiting_time", value=mean, kind="replayed", method="by hand"),
        Quantity(name="waiting_time_percentile", level=95.0, value=2 * mean, kind="replayed", method="by hand"),
    )
    return Change(words=f"{about} {amount}", about=about, amount=amount, rows=rows)


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.0, "About as good as EASY"), (1.2, "Not as good as EASY"), (0.8, "Better than EASY")],
)
def test_backfilling_is_judged_by_a_tenth_beyond_what_moved_submissions_do(report, factor, verdict):
    found = sentence(again(report, looked=with_recorded(report, factor)), "Is the backfilling any good?")
    assert verdict in found


def test_its_numbers_are_those_of_log_and_replay(report):
    replayed = msj.replay(LOG, policies=["fcfs", "easy-backfilling"], shakes=0)
    recorded = msj.log(LOG, seed=1)
    assert recorded["mean_waiting_time"] / 3600 == pytest.approx(7.0, abs=0.05)
    assert replayed.at(policy="easy-backfilling")["mean_waiting_time"] / 3600 == pytest.approx(7.0, abs=0.05)
    assert replayed.at(policy="fcfs")["mean_waiting_time"] / 3600 == pytest.approx(43, abs=0.5)
    assert "jobs waited 7 h on average, with EASY it would have been 7 h, and 43 h" in report.findings[0].sentence


def test_who_waits_is_who_waits_longest_among_those_that_are_common(report):
    frame = report.trace.frame
    means = frame.groupby("need").wait.mean() / 3600
    found = sentence(report.findings, "Who waits?")
    assert means.idxmax() == 32
    assert f"need 32 servers wait longest: {means.max():.0f} h" in found
    assert f"need {means.idxmin()} shortest" in found


def test_what_a_change_brings_is_what_msj_replay_says(report):
    for found in report.changes:
        options = {
            "servers": {"servers": 32 + int(found.amount)},
            "cap": {"largest_need": int(found.amount)},
            "load": {"scale_load": found.amount},
            "estimates": {"estimates": "exact"},
            "nothing": {},
        }[found.about]
        replayed = msj.replay(LOG, policy="easy-backfilling", shakes=0, **options).at(policy="easy-backfilling")
        assert found.mean.value == pytest.approx(replayed["mean_waiting_time"])
        assert found.late.value == pytest.approx(replayed["waiting_time_percentile", None, 95.0])
    assert {found.about for found in report.changes} == {"servers", "cap", "load", "estimates", "nothing"}


@pytest.mark.parametrize(
    ("means", "verdict"),
    [((50, 80), "a cap would have helped"), ((98, 102), "no cap helps"), ((120, 150), "would have made it worse")],
)
def test_a_cap_is_judged_by_a_twentieth_of_the_mean(report, means, verdict):
    changes = [change("nothing", 0, 100.0), *(change("cap", i, float(mean)) for i, mean in enumerate(means))]
    assert verdict in sentence(again(report, changes=changes), "And a cap on size")


def test_where_nobody_waits_more_servers_bring_nothing(report):
    found = again(report, changes=[change("nothing", 0, 0.0), change("servers", 4, 0.0)])
    assert sentence(found, "More servers would bring nothing")
    assert not [f for f in found if f.sentence.startswith("What would more servers")]


def test_estimates_are_spoken_of_only_if_they_matter(report):
    calm = again(report, changes=[change("nothing", 0, 100.0), change("estimates", 1, 97.0)])
    assert not [f for f in calm if f.sentence.startswith("Requested times that are right")]
    loud = again(report, changes=[change("nothing", 0, 100.0), change("estimates", 1, 50.0)])
    assert "shorten the mean wait" in sentence(loud, "Requested times that are right")


def saturated(report, offered, log, shuffled):
    values = {("log"): log, ("shuffled"): shuffled}
    rows = tuple(
        dataclasses.replace(row, value=offered)
        if row.name == "offered_utilisation"
        else dataclasses.replace(row, value=values[row.at["order"]])
        if row.name == "saturated_utilisation"
        else row
        for row in report.log
    )
    return again(report, looked=dataclasses.replace(report.log, quantities=rows))


def test_saturation_says_what_order_says(report):
    found = saturated(report, 0.6, 0.8, 0.7)
    assert "So the log is at 75 % of what it takes" in sentence(found, "How near is saturation?")
    assert "pack better" in sentence(found, "Shuffled")
    assert "promises too little" in sentence(found, "Shuffled")
    found = saturated(report, 0.9, 0.8, 0.82)
    assert "its queue would grow" in sentence(found, "How near is saturation?")
    assert "promises too much" in sentence(found, "Shuffled")
    assert "order hardly matters" in sentence(saturated(report, 0.6, 0.8, 0.801), "Shuffled")


def with_factor(report, factor):
    rows = tuple(
        dataclasses.replace(row, value=factor)
        if row.name == "predicted_over_replayed" and row.at["workload"] == "dependent fit"
        else row
        for row in report.fit
    )
    return again(report, fitted=dataclasses.replace(report.fit, quantities=rows))


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.4, "near enough"), (0.7, "near enough"), (2.0, "to a factor of 2, no more"), (0.2, "replay the log instead")],
)
def test_what_a_fit_can_tell_goes_by_how_far_it_was(report, factor, verdict):
    assert verdict in sentence(with_factor(report, factor), "What can a fit tell?")


def test_text_page_and_json_say_the_same_findings(report):
    page = re.sub(r"<script>.*?</script>", "", write_log_report(report), flags=re.DOTALL).replace("\u00a0", " ")
    page = page.replace("&#39;", "'").replace("&nbsp;", " ")
    text = re.sub(r"\s+", " ", write_log_report_text(report))
    document = report.to_dict()
    assert [f["sentence"] for f in document["findings"]] == [f.sentence for f in report.findings]
    for finding in report.findings:
        assert finding.sentence in text
        assert finding.sentence in page
        assert f'id="{finding.section}-section"' in page


def test_its_document_is_as_the_schema_has_it_and_reads_back(report):
    schema = json.loads(files("msj.results").joinpath("schema.json").read_text(encoding="utf-8"))
    document = json.loads(report.to_json())
    jsonschema.validate(document, schema)
    assert Result.from_dict(document).quantities == report.quantities
    assert {row.name for row in report} <= GLOSSARY.keys()


def test_a_log_without_waits_is_reported_without_them():
    trace = msj.read_log(LOG)
    silent = trace.replace(frame=trace.frame.assign(wait=np.nan, estimate=np.nan))
    found = msj.report_log(silent.between(0, 8 * 86400), seed=1, policies=["fcfs", "easy-backfilling"])
    assert "The log does not say how long jobs waited" in found.findings[0].sentence
    assert "With EASY jobs would have waited" in sentence(found.findings, "Who waits?")
    assert write_log_report(found)


def test_a_report_is_asked_again(report):
    assert msj.rerun(report).quantities == report.quantities


def test_where_the_replay_has_no_waits_the_fit_is_said_to_be_wrong(report):
    rows = tuple(
        dataclasses.replace(row, value=0.0) if row.at.get("workload") == "replay" else row
        for row in report.fit
        if row.name != "predicted_over_replayed"
    )
    silent = dataclasses.replace(report.fit, quantities=rows)
    assert "wrong about whether anybody waits" in sentence(again(report, fitted=silent), "What can a fit tell?")
    assert "nothing to compare with" in prediction_words(silent)[0]


def test_needs_that_are_all_alike_have_no_longest_wait():
    trace = msj.read_log(LOG).where(lambda jobs: jobs.need == 1)
    found = msj.report_log(trace, seed=1, policies=["easy-backfilling"])
    assert sentence(found.findings, "Who waits?").endswith("95 % at most 24 h.")


def test_two_fits_that_are_the_same_are_said_to_be(report):
    rows = tuple(
        dataclasses.replace(row, value=2.0) if row.name == "predicted_over_replayed" else row for row in report.fit
    )
    same = dataclasses.replace(report.fit, quantities=rows)
    assert "Both fits say the same" in prediction_words(same)[0]
    assert {row[-1] for row in prediction_table(same).rows} == {"same"}


def test_rows_and_findings_are_in_the_unit_asked_for(report):
    hours = report.in_unit("h").to_dict()
    for there, here in zip(hours["findings"], report.to_dict()["findings"], strict=True):
        factor = {"hours": 3600.0, "share": 1.0}[there["quantity"]["unit"]]
        assert there["quantity"]["value"] == pytest.approx(here["quantity"]["value"] / factor)


def test_the_table_of_changes_says_by_how_much_the_mean_differs(report):
    changes = [change("nothing", 0, 7200.0), change("servers", 4, 5400.0), change("load", 2, 18000.0)]
    table = changes_table(dataclasses.replace(report, changes=tuple(changes)))
    assert [row[2] for row in table.rows] == ["–", "−25 %", "+150 %"]
    assert [row[1] for row in table.rows] == ["2 h", "90 min", "5 h"]
    assert [row[3] for row in table.rows] == ["4 h", "3 h", "10 h"]
    nobody = changes_table(dataclasses.replace(report, changes=(change("nothing", 0, 0.0), change("load", 2, 9.0))))
    assert [row[2] for row in nobody.rows] == ["–", "–"]  # nothing is no part of something


def test_what_few_jobs_cannot_say_is_said_to_be_missing():
    trace = msj.read_log(LOG)
    for jobs, name, reason in (
        (5, "fit", "too few jobs to fit anything to, 5 that fit on 32 servers"),
        (40, "prediction", "200 are needed"),
    ):
        few = trace.replace(frame=trace.frame.iloc[:jobs])
        found = msj.report_log(few, seed=1, policies=["easy-backfilling"])
        assert (found.fit is None) == (name == "fit")
        assert [gap.name for gap in found.missing] == [name]
        assert reason in found.missing[0].reason
        text = re.sub(r"\s+", " ", write_log_report_text(found))
        assert str(found.missing[0]) in text
