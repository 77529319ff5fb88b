"""``msj check`` says what a file is; ``--trust`` and ``--decisions`` on the command line."""

import io
import json

import pytest

GOOD = """
def pick(needs, running, free, chosen):
    for i in range(len(needs)):
        chosen[i] = running[i]
        if not running[i] and needs[i] <= free:
            chosen[i] = True
            free -= needs[i]
"""
WRONG = "\ndef wrong(needs, chosen):\n    chosen[:] = True\n"
VARIANT = '''"""First come, first served."""

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.fcfs import Fcfs


@dataclass(frozen=True, kw_only=True)
class InOrder(Fcfs):
    """FCFS by another name."""

    name: ClassVar[str] = "in-order"


VARIANT = InOrder
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "wrong.py").write_text(GOOD + WRONG)
    (tmp_path / "in_order.py").write_text(VARIANT)
    (tmp_path / "broken.py").write_text("def pick(:\n")
    (tmp_path / "empty.py").write_text("X = 1\n")
    (tmp_path / "not_a_spec.toml").write_text("servers = 2\n")
    return tmp_path


def test_each_kind_of_file_is_named(run, folder):
    for file, kind in (
        ("examples/two_servers.toml", "spec file"),
        ("examples/logs/small_cluster.swf", "log"),
        (folder / "good.py", "policy function"),
        (f"{folder}/wrong.py:pick", "policy function"),
        (folder / "in_order.py", "variant"),
    ):
        code, out, err = run("check", file, "--json")
        assert (code, json.loads(out)["kind"]) == (0, kind), err


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("wrong.py", "'.*wrong.py:wrong' chose jobs of needs"),
        ("wrong.py:none", "no decision function 'none'; .*this file: pick, wrong"),
        ("broken.py", "fails with SyntaxError"),
        ("empty.py", "has no decision function; those have an argument chosen"),
        ("not_a_spec.toml", "no classes|classes"),
        ("absent.py", "no such file"),
    ],
)
def test_what_is_wrong_is_exit_2_with_a_sentence(run, folder, file, sentence):
    import re

    code, out, err = run("check", f"{folder}/{file}")
    assert code == 2
    assert not out
    assert re.search(sentence, err)


def test_functions_are_tried_on_a_given_cluster(run, folder):
    (folder / "two.py").write_text(
        GOOD.replace("chosen[i] = running[i]", "assert needs[i] < 3; chosen[i] = running[i]")
    )
    assert run("check", f"{folder}/two.py")[0] == 2
    assert run("check", f"{folder}/two.py", "--on", "examples/two_servers.toml")[0] == 0


def test_rerun_asks_before_it_runs_a_function_file(run, folder, monkeypatch):
    marker = folder / "ran"
    (folder / "good.py").write_text(f"open({str(marker)!r}, 'a').close()\n{GOOD}")
    asked = ("simulate", "examples/two_servers.toml", "--policy", f"{folder}/good.py:pick", "--jobs", "2000", "--json")
    (folder / "result.json").write_text(run(*asked)[1])
    marker.unlink()
    monkeypatch.setattr("sys.stdin", io.StringIO())
    code, _, err = run("rerun", folder / "result.json")
    assert code == 2
    assert "names the Python file" in err
    assert "--trust" in err
    assert not marker.exists()
    assert run("rerun", folder / "result.json", "--trust")[0] == 0
    assert marker.exists()


def test_explore_asks_before_it_runs_a_function_file(run, folder, monkeypatch):
    marker = folder / "ran"
    (folder / "good.py").write_text(f"open({str(marker)!r}, 'a').close()\n{GOOD}")
    with open("examples/two_servers.toml", encoding="utf-8") as file:
        (folder / "cluster.toml").write_text(file.read().replace('"fcfs"', '"good.py:pick"'))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    code, _, err = run("explore", folder / "cluster.toml", "--no-browser")
    assert code == 2
    assert "good.py', which would be run; read it first, then add --trust" in err
    assert not marker.exists()


def test_decisions_are_printed_in_each_form(run):
    asked = ("simulate", "examples/two_servers.toml", "--policy", "first-fit", "--decisions", "3", "--seed", "1")
    code, out, _ = run(*asked)
    assert (code, len(out.splitlines())) == (0, 4)
    assert [row["event"] for row in json.loads(run(*asked, "--json")[1])] == ["arrival", "completion", "arrival"]
    assert len(run(*asked, "--csv")[1].splitlines()) == 4
