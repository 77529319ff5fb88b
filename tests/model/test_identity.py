"""Two systems have one identity exactly where their answers are the same by their description."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from msj import Empirical, Exponential, InvalidInput, JobClass, System
from msj.disciplines.first_fit import FirstFit
from msj.registry import DURATIONS, MODELS, POLICIES


def system(**fields):
    job = JobClass(name="all", need=1, share=1, duration=Exponential(mean=2))
    return System(**{"servers": 4, "arrival_rate": 1, "classes": [job]} | fields)


CHANGES = [
    {},
    {"servers": 5},
    {"arrival_rate": 1.5},
    {"arrival_rate": None, "load": 1},
    {"arrival_rate": None, "utilisation": 1},
    {"policy": "first-fit"},
    {"policy": {"name": "first-fit", "window": 2}},
    {"policy": {"name": "first-fit", "window": 2, "preemptive": True}},
    {"classes": [JobClass(name="all", need=2, share=1, duration=Exponential(mean=2))]},
    {"classes": [JobClass(name="all", need=1, share=1, duration=Exponential(rate=2))]},
    {"classes": [JobClass(name="all", need=1, share=1, duration=Empirical(values=[2]))]},
]


def test_whatever_the_answer_depends_on_changes_it():
    found = [system(**change).identity() for change in CHANGES]
    assert None not in found
    assert len(set(found)) == len(CHANGES)


def test_names_of_clusters_do_not():
    assert system(name="mine").identity() == system().identity()
    assert system(policy="fcfs").identity() == system(policy={"name": "fcfs"}).identity()


def test_the_order_of_a_table_may_mean_something():
    groups = [{"old": 8, "new": 4}, {"new": 4, "old": 8}]
    job = JobClass(name="all", need=1, share=1, duration=Exponential(mean=2), extra={"groups": ["new", "old"]})
    found = {
        System(servers=12, classes=[job], model={"name": "server-groups", "groups": table}).identity()
        for table in groups
    }
    assert len(found) == 2


def test_recorded_durations_count_by_what_they_are(tmp_path):
    for name, text in [("a.csv", "1\n2\n"), ("b.csv", "1\n2\n"), ("c.csv", "1\n3\n")]:
        (tmp_path / name).write_text(text)
    a, b, c = (Empirical(file=str(tmp_path / name)).identity() for name in ("a.csv", "b.csv", "c.csv"))
    assert a == b == Empirical(values=[1, 2]).identity() != c


@pytest.mark.parametrize("catalogue", [POLICIES, MODELS, DURATIONS], ids=lambda catalogue: catalogue.kind)
def test_every_variant_has_a_name_of_its_own(catalogue):
    names = {f"{variant.__module__}.{variant.__qualname__}" for variant in catalogue}
    assert len(names) == len(catalogue.names())


def made(window):
    @dataclass(frozen=True, kw_only=True)
    class FirstFit2(FirstFit):
        name: ClassVar[str] = "first-fit"

        @property
        def front(self):
            return window

    return FirstFit2()


def test_a_users_own_policy_class_counts_by_what_it_does():
    found = {policy.identity() for policy in (FirstFit(), made(2), made(2), made(3))}
    assert None not in found
    assert len(found) == 3
    assert made(object()).identity() is None
    assert "a object, whose value cannot be compared" in made(object()).why_no_identity()
    with pytest.raises(InvalidInput, match=r"front = <object .*> is not a number"):
        system(policy=made(object()))
