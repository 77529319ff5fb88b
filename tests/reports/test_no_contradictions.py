"""Sentences of a report agree with its tables: one denominator, the cluster's own policy, its own load."""

import re

import pytest

import msj
from msj.reports import write_text

LAW = msj.Exponential(mean=1)
PAIR = [
    msj.JobClass(name="a", need=1, share=0.5, duration=LAW),
    msj.JobClass(name="b", need=3, share=0.5, duration=LAW),
]
QUICK = {"seed": 1, "seconds": 2, "precision": 0.3}


def percentages(text):
    return [float(value) for value in re.findall(r"([\d.]+) %", text)]


def test_an_environment_leaves_one_denominator_of_utilisation():
    bad = {"name": "modulated", "generator": [[-0.01, 0.01], [0.02, -0.02]], "speed": [1, 0.6], "servers": [4, 3]}
    found = msj.report(msj.System(servers=4, load=0.7, environment=bad, classes=PAIR), **QUICK)
    takes, lost = percentages(found.findings[0].sentence)
    assert takes + lost == pytest.approx(100, abs=1)
    can_be_used = next(line for line in write_text(found).splitlines() if "that can be used" in line)
    assert percentages(can_be_used) == [takes]
    most = max(point.utilisation for curve in found.response.curves for point in curve.points)
    assert 100 * most <= takes


def test_a_policy_with_its_own_shares_is_not_said_to_lose_servers_to_needs():
    halves = {"name": "msr", "packings": [[4, 0], [0, 1]], "shares": [0.3, 0.7], "cycle": 20}
    found = msj.report(msj.System(servers=4, utilisation=0.3, policy=halves, classes=PAIR), policies=["fcfs"], **QUICK)
    assert found.capacity.attainable_threshold.value > 1.05 * found.capacity.value
    assert "do not fit together" not in found.findings[0].sentence
    assert "the policy leaves them idle" in found.findings[0].sentence


def test_an_unstable_report_names_the_best_policy_and_the_load_of_its_outlook():
    wide = [PAIR[0].replace(share=0.7), PAIR[1].replace(need=7, share=0.3)]
    found = msj.report(
        msj.System(servers=8, utilisation=0.9, classes=wide),
        policies=["first-fit", "best-fit", "easy-backfilling", "most-servers-first", "max-weight"],
        **QUICK,
    )
    assert found.outcome.label == "unstable"
    (served,) = [each.sentence for each in found.findings if "served without a growing queue" in each.sentence]
    best = served.rsplit("under ", 1)[1].rstrip(".")
    assert best in served.split(";")[0]
    assert not any("the same load" in each.sentence for each in found.findings)


def test_a_run_that_was_too_short_is_told_of_more_jobs_than_it_had():
    classes = [PAIR[0].replace(share=0.9), PAIR[1].replace(need=4, share=0.1)]
    system = msj.System(servers=4, policy="first-fit", utilisation=0.3, classes=classes)
    found = msj.simulate(system, jobs=300, seed=1)
    assert found.outcome.label == "too-short"
    (had, would_do), *_ = [
        re.findall(r"([\d,]+) jobs (?:are|would)", note) for note in found.notes if "too few" in note
    ]
    assert int(would_do.replace(",", "")) > int(had)
    assert found.provenance["enough_jobs"] > 300
