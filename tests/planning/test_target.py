"""Targets as people write them."""

import pytest

from msj.errors import InvalidInput
from msj.planning.target import read_target, read_targets


@pytest.mark.parametrize(
    ("text", "name", "level", "allowed", "bound", "group"),
    [
        ("p95 wait <= 2 h", "waiting_time_percentile", 95.0, 0.05, 120.0, ""),
        ("p 99.9 waiting time[class=large job] < 8", "waiting_time_percentile", 99.9, 0.001, 8.0, "large job"),
        ("median response time ≤ 90 s", "response_time_percentile", 50.0, 0.5, 1.5, ""),
        ("mean bounded slowdown <= 10", "mean_bounded_slowdown", None, 10.0, 10.0, ""),
        ("P(wait[need=64] > 1/2 h) <= 5 %", "exceedance_probability", None, 0.05, 30.0, "need 64"),
        ("share waiting[class=a] <= 0.1", "waiting_probability", None, 0.1, 0.0, "a"),
        ("P(wait > 0) <= 10%", "waiting_probability", None, 0.1, 0.0, ""),
        ("utilisation <= 80 %", "utilisation", None, 0.8, 0.8, ""),
    ],
)
def test_a_target_is_read_in_the_clusters_unit(text, name, level, allowed, bound, group):
    found = read_target(text, "minutes")
    assert (found.name, found.level, found.group) == (name, level, group)
    assert (found.allowed, found.bound) == (pytest.approx(allowed), pytest.approx(bound))


@pytest.mark.parametrize(
    "text", ["p95 wait <= 2 hours", "P(response[need=4] > 1.5 hours) <= 0.05", "mean slowdown[class=big] <= 3"]
)
def test_a_target_reads_back_from_its_own_words(text):
    found = read_target(text, "hours")
    assert found.words("hours") == text
    assert read_target(found.words("hours"), "hours") == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p95 wait", "has no '<='"),
        ("p95 wait >= 2", "'>=' cannot be planned for"),
        ("wait <= 2", "does not say what of it"),
        ("mean wit <= 2", "did you mean 'wait'"),
        ("p95 wait <= 2 hous", "did you mean 'hours'"),
        ("p100 wait <= 2", "100 is no percentile"),
        ("mean wait <= 0", "must be above 0"),
        ("mean slowdown <= 2 h", "'2 h' is no plain number"),
        ("P(wait > 2) <= 5", "must lie between 0 and 1"),
        ("mean wait[queue=a] <= 2", "write \\[class=NAME\\] or \\[need=N\\]"),
        ("mean wait[need=many] <= 2", "no number of servers"),
    ],
)
def test_what_is_no_target_is_refused_with_the_fix(text, said):
    with pytest.raises(InvalidInput, match=said):
        read_target(text, "hours")


def test_a_unit_needs_a_cluster_with_one():
    with pytest.raises(InvalidInput, match="the file has none; add time_unit = 'hours'"):
        read_target("p95 wait <= 2 h")


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], "no target is given"),
        (["mean wait[class=larg] <= 1"], "no class is called 'larg'; did you mean 'large'"),
        (["mean wait[need=3] <= 1"], "no job needs 3 servers; there are 1, 2"),
        (["mean bounded slowdown <= 3"], "the cluster has no unit of time"),
        (["mean wait <= 1", "average wait <= 1.0"], "is given twice"),
    ],
)
def test_targets_are_checked_against_the_cluster(texts, said):
    with pytest.raises(InvalidInput, match=said):
        read_targets(texts, None, classes=["small", "large"], needs=[1, 2])


@pytest.mark.parametrize(("count", "words"), [(12, "11, 12"), (13, "11, 12, ...")])
def test_of_many_needs_some_are_told(count, words):
    with pytest.raises(InvalidInput) as refused:
        read_targets(["mean wait[need=99] <= 1"], None, needs=range(1, count + 1))
    assert str(refused.value).endswith(f"no job needs 99 servers; there are 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, {words}")
