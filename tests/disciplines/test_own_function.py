"""A user's function is what it does: its name makes it neither a built-in policy nor the same as another."""

import json
import pickle
import sys
from types import SimpleNamespace

import pytest

from msj import InvalidInput, System, read, write
from msj.disciplines import Fcfs, function_file
from msj.disciplines.own_function import OwnFunction
from msj.engines import plainly
from msj.simulation.compare import compare_at_rate
from msj.workloads import seed_sequence
from strategies import simple

PICK = """def pick(needs, running, remaining, servers, chosen):
    free = servers
    for i in range(len(needs)):
        if needs[i] <= free:
            chosen[i] = True
            free -= needs[i]
            {more}
"""
LIMIT = 5


def fcfs(needs, running, remaining, servers, chosen):
    free = servers
    for size in range(1, servers + 1):
        for i in range(len(needs)):
            if needs[i] == size and size <= free and i < 10 * LIMIT:
                chosen[i] = True
                free -= size


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine.py").write_text(PICK.format(more=""))
    return tmp_path / "mine.py"


def system(**fields):
    return simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), arrival_rate=0.4, **fields)


def test_a_function_called_fcfs_has_a_spec_unlike_fcfs():
    mine, ours = system(policy=fcfs), system(policy="fcfs")
    assert isinstance(mine.policy, OwnFunction)
    assert isinstance(ours.policy, Fcfs)
    assert mine.policy.to_spec() == {"function": "fcfs", "identity": mine.policy.identity()}
    assert ours.policy.to_spec() == "fcfs"
    assert mine != ours
    assert mine.identity() != ours.identity()
    assert mine.policy.name == "fcfs"  # what people see


def test_a_changed_global_is_another_system(monkeypatch):
    mine = system(policy=fcfs)
    before, known = mine.identity(), {mine: "an answer"}
    assert known[system(policy=fcfs)] == "an answer"
    monkeypatch.setitem(globals(), "LIMIT", 6)
    assert mine.identity() != before
    assert system(policy=fcfs) not in known  # not itself: a dict finds an object by where it is, too


def test_equal_by_what_it_does(file):
    one, other = OwnFunction.from_file(f"{file}:pick"), OwnFunction.from_file(f"{file}:pick")
    assert one.function is not other.function
    assert one == other
    assert hash(one) == hash(other)
    assert one != one.replace(front=3)
    file.write_text(PICK.format(more="pass"))
    assert one != OwnFunction.from_file(f"{file}:pick")
    assert one != Fcfs()


def test_without_identity_only_the_same_object_is_equal():
    made = []
    for _ in range(2):
        names = {}
        exec(PICK.format(more=""), names)
        made.append(names["pick"])
    one, other = OwnFunction(function=made[0]), OwnFunction(function=made[1])
    assert one.identity() is None
    assert one.why_no_identity() == "'pick' has no source that can be read"
    assert one.to_spec() == {"function": "pick", "identity": None}
    assert one == OwnFunction(function=made[0]) != other
    assert hash(one) == hash(OwnFunction(function=made[0]))
    assert system(policy=one).identity() is None


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_spec_files_name_functions_relative_to_themselves(file, ending, monkeypatch):
    write(system(), path := file.parent / f"cluster.{ending}")
    text = path.read_text().replace('"fcfs"', '"mine.py:pick"')
    path.write_text(text)
    found = read(path)
    assert found.policy == OwnFunction.from_file(f"{file}:pick")
    assert found.policy.name == f"{file}:pick"
    monkeypatch.chdir(file.parent)
    write(read(path.name), path)
    assert read(path) == found
    assert f'"{found.policy.identity()}"' in path.read_text()
    path.write_text(path.read_text().replace('"identity"', '"ident"').replace("identity =", "ident ="))
    with pytest.raises(InvalidInput, match=r"policy: unknown option 'ident' .* did you mean 'identity'"):
        read(path)


def test_a_function_without_identity_is_written_too(tmp_path):
    names = {}
    exec(PICK.format(more=""), names)
    write(system(policy=names["pick"]), tmp_path / "a.toml")
    assert 'policy = { function = "pick" }' in (tmp_path / "a.toml").read_text()
    with pytest.raises(InvalidInput, match=r"a\.toml: policy function 'pick' of a program .* policy=\.\.\."):
        read(tmp_path / "a.toml")


def test_an_identity_is_verified(file):
    table = json.loads(json.dumps(system(policy=f"{file}:pick").policy.to_spec()))
    assert table == {"function": "pick", "file": str(file), "identity": table["identity"]}
    assert system(policy=table).policy.to_spec() == table
    file.write_text(PICK.format(more="pass"))
    with pytest.raises(
        InvalidInput, match=f"has been edited since, .*: identity {table['identity']}, now .*; give it again"
    ):
        system(policy=table)
    del table["identity"]
    assert system(policy=table).policy == OwnFunction.from_file(f"{file}:pick")


def test_options_stand_in_the_table(file):
    made = system(policy={"name": f"{file}:pick", "front": 2, "may_idle": True}).policy
    assert (made.front, made.may_idle) == (2, True)
    spec = made.to_spec()
    assert (spec["front"], spec["may_idle"]) == (2, True)
    assert system(policy=spec).policy == made
    assert made.label() == f"{file}:pick (front = 2, may_idle = True)"
    for wrong, sentence in [
        ({"front": 0}, "front = 0 must be"),
        ({"preemptive": 1}, "preemptive = 1 must be true or false"),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            system(policy={"name": f"{file}:pick", **wrong})


def test_an_edit_between_two_loads_is_seen_in_imported_files_too(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    (tmp_path / "msj_test_rule.py").write_text("def most(servers):\n    return servers\n")
    text = "import msj_test_rule\n" + PICK.format(more="").replace(
        "free = servers", "free = msj_test_rule.most(servers)"
    )
    (tmp_path / "mine.py").write_text(text)
    first = OwnFunction.from_file(f"{tmp_path}/mine.py:pick")
    (tmp_path / "msj_test_rule.py").write_text("def most(servers):\n    return servers - 1 + 1\n")
    second = OwnFunction.from_file(f"{tmp_path}/mine.py:pick")
    assert None not in (first.identity(), second.identity())
    assert first != second
    assert first.version() != second.version()


def test_files_that_fail_get_a_sentence(tmp_path):
    for text, sentence in [
        ("raise SystemExit(3)", "fails with SystemExit"),
        ("def pick(:", "fails with SyntaxError"),
        ("1/0", "Zero"),
    ]:
        (tmp_path / "mine.py").write_text(text)
        with pytest.raises(InvalidInput, match=sentence):
            system(policy=f"{tmp_path}/mine.py:pick")


def test_a_pickled_function_is_the_same_or_none(file):
    one = OwnFunction.from_file(f"{file}:pick", front=2)
    content = pickle.dumps(one)
    assert pickle.loads(content) == one
    again = OwnFunction(function=fcfs, preemptive=False)
    assert pickle.loads(pickle.dumps(again)) == again
    other = OwnFunction.from_file(f"{file}:pick", front=2)
    other.function.__defaults__ = (None,)
    file.write_text(PICK.format(more="pass"))
    changed = pickle.dumps(other)
    with pytest.raises(InvalidInput, match="is another one in a new process"):
        pickle.loads(changed)


def test_two_functions_of_one_name_are_compared_under_two_names(file, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "other.py").write_text(PICK.format(more="break"))
    first, second = (
        OwnFunction.from_file(f"{path}:pick").function for path in (file, tmp_path / "folder" / "other.py")
    )

    def compare(policies):
        return compare_at_rate(system(), policies, root=seed_sequence(1), jobs=400, replications=2)

    found = compare([first, second, fcfs, "fcfs"])
    assert {row.at["policy"] for row in found} == {"pick", "pick (2)", "fcfs", "fcfs (2)"}
    with pytest.raises(InvalidInput, match="policy 'pick' is named twice"):
        compare([first, first])


def test_models_take_no_functions():
    with pytest.raises(InvalidInput, match="is not a model"):
        System(
            servers=1, classes=system().classes[:0] or [c.replace(share=1) for c in system().classes[:1]], model=fcfs
        )


def test_what_a_file_brings_is_forgotten_by_the_next_and_only_once(tmp_path):
    """Modules beside a file are loaded anew with the next file; whoever loads them again afterwards keeps them."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    (tmp_path / "one" / "beside_one.py").write_text("VALUE = 1\n")
    (tmp_path / "one" / "rule.py").write_text("import beside_one\n")
    (tmp_path / "two" / "rule.py").write_text("VALUE = 2\n")
    function_file._run(tmp_path / "one" / "rule.py")
    assert function_file._brought == {"beside_one"}
    function_file._run(tmp_path / "two" / "rule.py")
    assert function_file._brought == set()
    assert "beside_one" not in sys.modules


@pytest.mark.parametrize(
    ("front", "changes", "asked"), [(2, [1, 1, 0], 3), (2, [0], 1), (-1, [1], 1), (2, [3, 1, 1, 1], 4)]
)
def test_a_plain_function_is_asked_until_nothing_changes(monkeypatch, front, changes, asked):
    """A front is looked at again while jobs start, as others come into it; without a front once is enough."""
    left, events, asks = list(changes), [True, False], []
    monkeypatch.setattr(plainly, "come_or_go", lambda *_: events.pop(0))
    monkeypatch.setattr(plainly, "show", lambda *_: 0)
    monkeypatch.setattr(plainly, "ask_function", lambda *given: asks.append(given))
    monkeypatch.setattr(plainly, "obey", lambda *_: (0, left.pop(0)))
    present = SimpleNamespace(state=[{"present": 3}])
    options = SimpleNamespace(front=front, servers=4, preemptive=False)
    assert plainly.run_plainly(None, options, None, None, present, None, None, None) == 0
    assert len(asks) == asked
