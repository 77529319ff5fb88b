"""Counts instead of shares: the same cluster, exactly."""

from fractions import Fraction

import pytest

import msj
from msj import Exponential, InvalidInput, JobClass, System
from msj.model.spec_file import from_document, to_json, to_toml


def job_class(name="small", **how_many):
    return JobClass(name=name, need=1, duration=Exponential(mean=1), **how_many)


def document(*how_many):
    law = {"law": "exponential", "mean": 1}
    return {
        "servers": 2,
        "load": 0.5,
        "classes": [{"name": f"c{i}", "need": 1, "duration": law, **each} for i, each in enumerate(how_many)],
    }


def test_counts_are_exact_shares():
    counted = System(servers=2, classes=[job_class("a", count=1), job_class("b", count=2), job_class("c", count=0)])
    shared = System(
        servers=2, classes=[job_class("a", share="1/3"), job_class("b", share="2/3"), job_class("c", share="0")]
    )
    assert counted == shared
    assert counted.identity() == shared.identity()
    assert [c.share for c in counted.classes] == [Fraction(1, 3), Fraction(2, 3), 0]


def test_a_spec_file_may_count_and_reads_back_as_the_same(tmp_path):
    file = tmp_path / "mine.toml"
    text = to_toml(from_document(document({"share": "1/4"}, {"share": "3/4"})))
    file.write_text(
        text.replace('share = "1/4"', "count = 1234").replace('share = "3/4"', "count = 3702"), encoding="utf-8"
    )
    found = msj.read(file)
    assert found == from_document(document({"share": "1/4"}, {"share": "3/4"}))
    for ending, write in ((".toml", to_toml), (".json", to_json)):
        again = tmp_path / f"again{ending}"
        again.write_text(write(found), encoding="utf-8")
        assert msj.read(again) == found


def test_a_class_of_a_system_can_be_given_another_share():
    system = System(servers=2, classes=[job_class("a", count=1), job_class("b", count=3)])
    a, b = system.classes
    changed = system.replace(classes=[a.replace(share="1/2"), b.replace(share="1/2")])
    assert [c.share for c in changed.classes] == [Fraction(1, 2), Fraction(1, 2)]


def test_a_class_with_a_count_writes_it_before_it_is_in_a_system():
    counted = job_class(count=12)
    assert counted.to_spec()["count"] == 12
    assert JobClass(**counted.to_spec()) == counted


@pytest.mark.parametrize(
    ("how_many", "sentence"),
    [
        (({"count": 1}, {"share": 0.5}), "class 'c0' has a count and class 'c1' a share; give all"),
        (({"share": 0.5}, {"count": 1}), "class 'c1' has a count and class 'c0' a share; give all"),
        (({"count": 1, "share": 1},), r"classes\[0\]: a class takes share or count, and both is given"),
        (({},), r"classes\[0\]: key 'share' is missing"),
        (({"count": 0}, {"count": 0}), "all counts are 0"),
        (({"count": -1},), "count = -1 must be at least 0"),
        (({"count": 1.5},), "count = 1.5 must be a whole number"),
        (({"count": "many"},), "count = 'many' is not a number"),
        (({"cuont": 1},), "did you mean 'count'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_counts_is_said(how_many, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        from_document(document(*how_many))
