"""Sentences of a plan on hand-made points."""

from types import SimpleNamespace

from msj.planning.point import Point, Verdict
from msj.planning.search import Smallest
from msj.planning.sizes import SizePlan
from msj.planning.target import read_targets
from msj.planning.wording import size_sentence
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
