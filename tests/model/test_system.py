"""Systems, and the spec files that describe them."""

import json
from fractions import Fraction

import pytest
from hypothesis import given

import msj
from msj import Exponential, InvalidInput, JobClass, System
from msj.model.spec_file import from_document
from strategies import systems

GOOD = {
    "servers": 4,
    "classes": [
        {"name": "small", "need": 1, "share": "2/3", "duration": {"law": "exponential", "mean": 1}},
        {"name": "large", "need": 4, "share": "1/3", "duration": {"law": "exponential", "rate": 0.5}},
    ],
}


def changed(path, value):
    document = json.loads(json.dumps(GOOD))
    *parents, last = path
    place = document
    for key in parents:
        place = place[key]
    place[last] = value
    return document


def test_shares_stay_fractions():
    system = from_document(GOOD)
    assert system.classes[0].share == Fraction(2, 3)
    assert system.mean_work == pytest.approx(2 / 3 + 8 / 3)
    assert system.naive_threshold == pytest.approx(1.2)


@given(systems(load=0.5))
def test_toml_and_json_round_trip(tmp_path_factory, system):
    folder = tmp_path_factory.mktemp("spec")
    for name in ("a.toml", "a.json"):
        msj.write(system, folder / name)
        assert msj.read(folder / name) == system


def test_awkward_names_round_trip(tmp_path):
    system = from_document(changed(["name"], 'a "quoted" \\ name\n\x7f\x01 \U0001f680'))
    for name in ("a.toml", "a.json"):
        msj.write(system, tmp_path / name)
        assert msj.read(tmp_path / name) == system


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_a_file_of_durations_is_found_beside_the_spec_file(tmp_path, ending, monkeypatch):
    (tmp_path / "times.csv").write_text("1\n3\n", encoding="utf-8")
    document = changed(["classes", 0, "duration"], {"law": "empirical", "file": "times.csv"})
    system_file = tmp_path / f"cluster.{ending}"
    if ending == "json":
        system_file.write_text(json.dumps(document), encoding="utf-8")
    else:
        system_file.write_text(
            'servers = 1\n[[classes]]\nname="a"\nneed=1\nshare=1\nduration={law="empirical", file="times.csv"}\n',
            encoding="utf-8",
        )
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert msj.read(system_file).classes[0].duration.mean == 2.0


def test_a_new_load_replaces_the_old_one_of_any_kind():
    system = from_document({**GOOD, "load": 0.5}).replace(arrival_rate=2)
    assert (system.load, system.arrival_rate) == (None, 2)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (changed(["server"], 4), "unknown key 'server'; did you mean 'servers'?"),
        (changed(["classes", 0, "needs"], 4), r"classes\[0\]: unknown key 'needs'; did you mean 'need'?"),
        (changed(["classes", 1, "need"], 5), "class 'large' needs 5 of 4 servers; raise servers or lower need"),
        (changed(["classes", 1, "need"], 0), r"classes\[1\]: need = 0 must be at least 1"),
        (changed(["classes", 1, "need"], 1.5), "need = 1.5 must be a whole number; write 1 or 2"),
        (changed(["classes", 1, "share"], "1/4"), r"shares sum to 11/12 \(2/3 \+ 1/4\); they must sum to 1"),
        (changed(["classes", 1, "share"], 0.3), "shares sum to 0.9666666667"),
        (changed(["classes", 1, "share"], float("nan")), "share = nan is not finite"),
        (changed(["classes", 1, "share"], -1), "share = -1 must lie between 0 and 1"),
        (changed(["classes", 1, "name"], "small"), "two classes are called 'small'"),
        (changed(["classes", 1, "name"], ""), "must be a non-empty text"),
        (changed(["classes", 1, "duration", "rate"], 0), r"classes\[1\].duration: rate = 0 must be greater than 0"),
        (changed(["classes", 1, "duration"], 3), r"classes\[1\].duration: 3 is not a table"),
        (changed(["classes"], []), "no job classes are given"),
        (changed(["classes"], {"a": 1}), "classes must be a list of tables"),
        (changed(["servers"], 0), "servers = 0 must be at least 1"),
        (changed(["servers"], "many"), "servers = 'many' is not a number"),
        (changed(["servers"], None), "servers = None is not a number"),
        (changed(["policy"], "fcsf"), "policy: unknown policy 'fcsf'; did you mean 'fcfs'?"),
        (changed(["policy"], {"name": "fcfs", "windw": 3}), "unknown option 'windw' for policy 'fcfs'"),
        (changed(["policy"], {"window": 3}), "names no policy"),
        (changed(["policy"], 3), "3 is not a policy"),
        (changed(["load"], 0), "load = 0 must be greater than 0"),
        ({**GOOD, "load": 0.5, "arrival_rate": 1}, "arrival_rate and load are both given"),
        ({"servers": 3}, "key 'classes' is missing"),
        ({"servers": 3, "classes": [{"name": "a", "need": 1, "share": 1}]}, "key 'duration' is missing"),
        ([], "the document must be a table"),
    ],
)
def test_bad_documents_get_a_sentence(document, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        from_document(document)


def test_python_users_get_the_same_sentences():
    with pytest.raises(InvalidInput, match="is not a JobClass"):
        System(servers=2, classes=["small"])
    with pytest.raises(InvalidInput, match="name = 3 must be a text"):
        System(servers=2, classes=[JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))], name=3)
