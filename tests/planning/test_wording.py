"""Sentences of a plan on hand-made points."""

from types import SimpleNamespace

from msj.planning.choices import along_policy
from msj.planning.point import Judged, Point, Verdict
from msj.planning.search import Smallest
from msj.planning.sizes import SizePlan
from msj.planning.target import read_targets
from msj.planning.wording import size_sentence
from msj.results import Quantity
from msj.results.coordinates import At


class Known(Point):
    """A point whose verdict is given."""

    @property
    def verdict(self):
        return Verdict[self.note]


def plan(**verdicts):
    points = {int(n[1:]): Known(place=At({"servers": int(n[1:])}), note=verdict) for n, verdict in verdicts.items()}
    found = Smallest(first=None, lowest=5, checked=20)
    return SizePlan(policy="fcfs", found=found, points=points, naive=4, present=4, monotone=False)


def test_sizes_that_met_the_targets_are_told_although_it_is_open_from_where_on_all_do():
    subject = SimpleNamespace(targets=read_targets(["p95 wait <= 2"], None, classes=["all"], needs={1}), time_unit=None)
    said = size_sentence(subject, plan(n4="MISSES", n8="MEETS", n10="MEETS", n20="UNDECIDED"))
    assert said.startswith("8 servers under fcfs meet ")
    assert "and so do 1 of the larger sizes tried" in said
    none = size_sentence(subject, plan(n4="MISSES", n20="UNDECIDED"))
    assert none.startswith("No size up to 20 servers under fcfs is known to meet the targets")


def test_every_policy_is_told_by_its_numbers_or_by_why_there_are_none():
    (target,) = read_targets(["mean wait <= 2"], None, classes=["all"], needs={1})

    def judged(value, verdict):
        row = Quantity(name="mean_waiting_time", value=value, kind="exact", method="by hand")
        return (Judged(target=target, row=row, limit=2.0, verdict=verdict),)

    known = {
        "good": {"judged": judged(1.5, Verdict.MEETS)},
        "slow": {"judged": judged(2.5, Verdict.MISSES)},
        "unsure": {"judged": judged(1.9, Verdict.UNDECIDED)},
        "short": {"unstable": "the cluster takes 0.9 only"},
        "both": {"judged": judged(0.5, Verdict.MEETS), "unstable": "the line grew"},
        "late": {"note": "there was no time for it"},
        "silent": {},
    }
    subject = SimpleNamespace(
        policies=list(known),
        servers=8,
        time_unit=None,
        at_servers=lambda policy, servers: Point(place=At({"policy": policy, "servers": servers}), **known[policy]),
    )
    found = along_policy(subject)
    assert found.sentence == "good meets the targets on 8 servers with most room."
    assert found.remarks == (
        "good: mean wait is 1.5 instead of 2, meets.",
        "slow: mean wait is 2.5 instead of 2, 25 % too much, misses.",
        "unsure: mean wait is 1.9 instead of 2, which is not decided, undecided.",
        "short: the cluster takes 0.9 only, so the queue grows without end.",
        "both: the line grew, so the queue grows without end.",
        "late: there was no time for it.",
        "silent: nothing is known of it.",
    )
    assert not found.decided
