"""Reports of awkward clusters: a right answer or a sentence, never a traceback, a NaN or a hang."""

import json
import re
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj.answers.simulated import jobs_for_an_interval, simulated
from msj.effort import Effort
from msj.errors import InvalidInput, TooLarge
from msj.planning import find_capacity, possible_changes
from msj.reports import report as gather
from msj.reports.contents import WaitingSection
from msj.reports.gather import load_of
from msj.reports.page import write_page
from msj.reports.response import _simulated
from msj.reports.text import write_text
from msj.reports.wording import between


@pytest.fixture(autouse=True)
def fewer_points(monkeypatch):
    """Two sizes and one simulated point are enough to see that they are there."""
    monkeypatch.setattr("msj.reports.response.SIMULATED_AT", (0.5,))
    monkeypatch.setattr("msj.reports.outlook.TIMES", (1, 2))


def cluster(servers, *rows, **more):
    classes = [msj.JobClass(name=name, need=need, share=share, duration=law) for name, need, share, law in rows]
    return msj.System(servers=servers, classes=classes, **more)


def law(mean=1.0):
    return msj.Exponential(mean=mean)


def checked(system, **options):
    report = gather(system, **{"policies": ["first-fit"], "precision": 0.2, "seconds": 500, "rng": 1, **options})
    text, page = write_text(report), write_page(report)
    json.dumps(report.to_dict(), allow_nan=False)
    body = re.sub(r"<(script|style)>.*?</\1>", "", page, flags=re.DOTALL)
    for written in (text, body):
        assert not re.search(r"\b(nan|inf|None)\b", written)
    return report


def test_no_load_is_chosen_and_said():
    report = checked(cluster(1, ("all", 1, 1, law())))
    assert report.load.load == pytest.approx(0.8)
    assert report.load.words == "no load is given, so 0.8 of the stability threshold is taken"
    assert report.response.find("mean_response_time").value == pytest.approx(5.0)  # M/M/1
    assert "nothing is lost to blocking" in report.findings[0].sentence


def test_unstable_load_is_the_first_finding_with_ways_out():
    report = checked(cluster(2, ("small", 1, "2/3", law()), ("large", 2, "1/3", law(2)), arrival_rate=0.95))
    assert not report.stable
    first, *others = report.findings
    assert first.sentence.startswith(
        "More arrives than it takes: 0.95 jobs per unit of time arrive and fcfs takes at most 0.9"
    )
    assert "no job above 1 server" in others[0].sentence
    assert "3 servers instead of 2" in others[0].sentence
    assert others[0].kind == "exact"
    assert report.waiting.rows == ()
    assert report.response.curve("exact") is not None
    assert "Unstable." in write_page(report)


def test_more_work_than_servers():
    report = checked(cluster(2, ("a", 1, 0.5, law()), ("b", 2, 0.5, law()), utilisation=1.5))
    assert any("No policy can help" in finding.sentence for finding in report.findings)


def test_durations_without_phases():
    report = checked(cluster(4, ("a", 1, 0.5, msj.Lognormal(mean=1, cv=1)), ("b", 4, 0.5, law()), load=0.6))
    assert report.capacity.stability_threshold.kind == "simulated"
    assert {curve.name for curve in report.response.curves} == {"simulated"}
    assert report.waiting.rows[0].kind == "simulated"
    assert "No exact method applies here, so response times are simulated." in report.response.notes
    assert report.findings[0].kind == "simulated"


def test_bounds_are_shown_where_they_hold():
    """WCFS: server-filling on powers of two; the exact value lies between the bounds (wcfs, Theorem 2)."""
    report = checked(cluster(2, ("a", 1, 0.5, law()), ("b", 2, 0.5, law()), load=0.7, policy="server-filling"))
    lower, upper, exact = (report.response.curve(name) for name in ("lower bound", "upper bound", "exact"))
    assert len(exact.points) == len(lower.points) == len(upper.points) > 10
    for low, value, high in zip(lower.points, exact.points, upper.points, strict=True):
        ends = low.mean_response_time.value, high.mean_response_time.value
        assert ends[0] <= value.mean_response_time.value <= ends[1]


def test_policies_without_a_theorem(monkeypatch):
    monkeypatch.setattr("msj.reports.changes.possible_changes", lambda system: ())  # see below
    system = cluster(2, ("a", 1, 0.5, law()), ("b", 2, 0.5, law()), utilisation=0.6, policy="easy-backfilling")
    report = checked(system)
    assert "no theorem gives its limit" in report.findings[0].sentence
    assert report.capacity.stability_threshold.low > 0.6 * system.naive_threshold
    assert any("no exact threshold" in note.lower() for note in report.capacity.notes)
    assert (report.outlook.kept, report.outlook.share) == ("utilisation", pytest.approx(0.6))
    assert "utilisation 60 %" in write_text(report).lower()


def test_policies_that_cannot_run_are_named_with_the_reason():
    report = checked(cluster(3, ("a", 1, 0.5, law()), ("b", 3, 0.5, law()), load=0.5), policies=["server-filling"])
    assert [name for name, _ in report.policies.left_out] == ["server-filling"]
    assert "power" in report.policies.left_out[0][1]
    assert report.policies.notes == ("There is no other policy to compare with.",)


def test_share_0_need_of_all_and_names_that_look_like_html():
    system = cluster(2, ("</script><b>&", 2, 1, law()), ("never", 1, 0, law()), load=0.5, name="<i>mine</i>")
    report = checked(system)
    page = write_page(report)
    assert "<i>mine</i>" not in page
    assert "</script><b>" not in page
    assert "&lt;/script&gt;&lt;b&gt;&amp;" in page


def test_many_classes():
    """The text shows some of them, the page all."""
    report = checked(cluster(1, ("all", 1, 1, law()), load=0.5), policies=[])
    first = report.waiting.rows[0]
    rows = tuple(replace(first, job_class=f"class {i}") for i in range(200))
    many = replace(report, waiting=WaitingSection(rows=rows))
    assert "... and 188 more; the page and --json have them all" in write_text(many)
    assert "<td>class 199</td>" in write_page(many)


def test_bad_input():
    system = cluster(2, ("a", 1, 1, law()))
    with pytest.raises(InvalidInput, match="precision = 2 must be between 0 and 1"):
        gather(system, precision=2)
    with pytest.raises(InvalidInput, match="seconds"):
        gather(system, seconds=0)
    with pytest.raises(InvalidInput, match="unknown policy 'first-git'"):
        gather(system, policies=["first-git"])


def test_little_work_is_kept_to_and_what_is_left_out_is_said():
    system = msj.read("examples/two_servers.toml").replace(policy="easy-backfilling", utilisation=0.5)
    report = gather(system, seconds=0.05, precision=0.01, rng=1)
    assert report.provenance["most_jobs_per_run"] == 20_000
    notes = " ".join((*report.response.notes, *report.policies.notes, *report.what_if.notes, *report.outlook.notes))
    assert "within" in notes
    write_page(report)


def test_the_clock_does_not_set_run_lengths(monkeypatch):
    """A machine on which every look at the clock takes a second gives the same report."""
    system = msj.read("examples/two_servers.toml").replace(policy="easy-backfilling", utilisation=0.5)
    asked = {"policies": ["fcfs"], "precision": 0.1, "seconds": 3000, "rng": 1}
    first = gather(system, **asked)
    slow = iter(range(10**9))
    monkeypatch.setattr("msj.effort.time", SimpleNamespace(monotonic=lambda: time.monotonic() + next(slow)))
    second = gather(system, **asked)
    assert next(slow) > 60
    assert second.quantities == first.quantities
    assert [finding.sentence for finding in second.findings] == [finding.sentence for finding in first.findings]


def test_a_report_that_the_clock_ended_says_so(monkeypatch):
    monkeypatch.setattr("msj.reports.timetable.COMPILING", 0.0)
    report = gather(msj.read("examples/two_servers.toml"), policies=["first-fit"], precision=0.2, seconds=1e-6, rng=1)
    assert report.outcome.label == "out-of-time"
    assert any("The clock ended this report" in note for note in report.notes)


def test_interrupts_are_not_mistaken_for_the_clock():
    def press(now):
        if now.words.startswith("policies on the same jobs"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gather(msj.read("examples/two_servers.toml"), precision=0.2, seconds=500, rng=1, progress=press)


def test_same_seed_same_report():
    system = cluster(1, ("all", 1, 1, msj.Deterministic(value=1)), load=0.5)
    first, second = (
        gather(system, policies=["first-fit"], precision=0.3, seconds=500, rng=4).to_dict() for _ in range(2)
    )
    for document in (first, second):
        del document["provenance"]["seconds"]
    assert first == second


def test_load_in_three_ways():
    from msj.effort import Effort
    from msj.planning import find_capacity

    system = msj.read("examples/two_servers.toml")
    capacity = find_capacity(system, Effort(), np.random.SeedSequence(1))
    for given in ({"load": 0.8}, {"utilisation": 0.72}, {"arrival_rate": 0.72}):
        load = load_of(system.replace(**given), capacity)
        assert (load.load, load.utilisation, load.arrival_rate) == pytest.approx((0.8, 0.72, 0.72))
        assert load.stable
    assert not load_of(system.replace(load=1), capacity).stable


def slurm(**changes):
    classes = [
        msj.JobClass(name=f"{need} nodes", need=need, share=share, duration=msj.Lognormal(mean=mean, cv=2))
        for need, share, mean in ((1, 0.6, 3), (4, 0.3, 5), (16, 0.1, 4))
    ]
    given = {"servers": 16, "policy": "easy-backfilling", "utilisation": 0.5, "classes": classes}
    return msj.System(**(given | changes))


def test_the_commonest_real_cluster(monkeypatch):
    """EASY and lognormal durations: nothing absurd, and no middle of an empty bracket (R1)."""
    monkeypatch.setattr("msj.reports.changes.possible_changes", lambda system: possible_changes(system)[:2])
    report = checked(slurm(), policies=["fcfs"], precision=0.1)
    row, naive = report.capacity.stability_threshold, report.capacity.naive_threshold.value
    assert 0.9 * naive < row.low <= row.value <= row.high <= naive * (1 + 1e-12)
    assert report.stable
    assert report.load.load == pytest.approx(0.5, rel=0.1)
    text = write_text(report)
    assert "% of the limit" not in text
    assert "as far as simulation can tell" in text
    assert report.outlook.share == pytest.approx(0.5)


def test_a_finding_about_a_change_excludes_chance_or_says_that_it_does_not(monkeypatch):
    """Two more servers of 16 on the same jobs: a clear effect; and the sign of the interval is that of the words."""
    monkeypatch.setattr("msj.reports.changes.possible_changes", lambda system: possible_changes(system)[:2])
    report = checked(slurm(), policies=[], precision=0.1)
    said = [finding for finding in report.findings if finding.section == "what_if"]
    assert said
    for finding in said:
        row = finding.quantity
        if row.name == "mean_response_time_difference":
            words = "no different" if row.low <= 0 <= row.high else "longer" if row.low > 0 else "shorter"
            assert words in finding.sentence


def test_a_threshold_nobody_knows_is_left_out_and_the_rest_is_there(monkeypatch):
    def refuse(*_):
        raise TooLarge("too many jobs would have to be simulated; ask about fewer servers")

    monkeypatch.setattr("msj.reports.gather.find_capacity", refuse)
    monkeypatch.setattr("msj.reports.changes.possible_changes", lambda system: ())
    report = checked(slurm(), policies=[])
    assert report.stable
    assert "is not known; no policy takes more than" in report.findings[0].sentence
    assert report.response.find("mean_response_time").low is not None
    assert "stability_threshold" not in {row.name for row in report.at(section="capacity")}


def test_no_percentage_is_a_range_between_equal_ends():
    assert between(0.9911, 0.9942) == "99.1 to 99.4 %"
    assert between(0.35, 0.37) == "35 to 37 %"


def test_the_simulated_curve_is_the_same_by_one_thread_and_by_three(monkeypatch):
    monkeypatch.setattr("msj.reports.response.SIMULATED_AT", (0.3, 0.6, 0.8))
    system, root, effort = msj.read("examples/two_servers.toml"), np.random.SeedSequence(5), Effort(jobs=20_000)
    capacity = find_capacity(system, effort, root)
    curves = []
    for threads in (1, 3):
        monkeypatch.setattr("msj.reports.response.cores", lambda threads=threads: threads)
        curves.append(_simulated(system, capacity, effort, root, [], 10**9))
    assert curves[0] == curves[1]
    assert len(curves[0].points) == 3


@pytest.mark.parametrize(
    ("asked", "taken"),
    [(None, 585), (500, 585), (600, 600)],
    ids=["as many as it takes", "too few", "more than enough"],
)
def test_a_point_of_the_curve_takes_the_jobs_asked_for_or_what_its_interval_takes(monkeypatch, asked, taken):
    """At half the load an interval takes 585 jobs."""
    system, root = msj.read("examples/two_servers.toml"), np.random.SeedSequence(5)
    capacity = find_capacity(system, Effort(), root)
    there = system.replace(arrival_rate=0.5 * capacity.value)
    assert jobs_for_an_interval(there, capacity.value) == 585
    runs = []

    def noted(system, effort, root, **more):
        runs.append(simulated(system, effort, root, **more))
        return runs[-1]

    monkeypatch.setattr("msj.reports.response.simulated", noted)
    curve = _simulated(system, capacity, Effort(jobs=asked), root, [], 10**9)
    direct = simulated(there, Effort(jobs=taken), root, threshold=capacity.value)
    assert [run.provenance["jobs"] for run in runs] == [direct.provenance["jobs"]]
    assert curve.points[0].mean_response_time.low is not None
