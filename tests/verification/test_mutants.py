"""Slips are put where they are meant to be, and the programme tells who notices them."""

import subprocess
import sys

import pytest
from verification.mutants import mutants_of

from verification import mutation


@pytest.mark.parametrize(
    ("text", "slips"),
    [
        ("a <= b", ["a < b"]),
        ("a + (b)", ["a - (b)"]),
        ("a ** 2", ["a * 2", "a ** 3"]),
        ("a and b or c", ["a or b or c", "a and b and c"]),
        ("x = not (a)", ["x =  (a)"]),
        ("x = -a", ["x = a"]),
        ("x = 0.5", ["x = 0.75"]),
        ("x = max(a.low, ä)", ["x = min(a.low, ä)", "x = max(a.high, ä)"]),
        ("x = a if b else c", ["x = (c) if b else (a)"]),
        ("for i in x:\n    y += i\n", ["for i in x:\n    pass\n"]),
        ("def f(a: int = LIMIT) -> float:\n    'Text of 1 line.'\n    raise ValueError(1 + 1)\n", []),
        ("LIMIT = 5", []),
        ("draw(width=3, size=n + 1)", ["pass", "draw(width=3, size=n - 1)", "draw(width=3, size=n + 2)"]),
        ('"a" + b', []),
    ],
)
def test_one_token_at_a_time(text, slips):
    assert sorted(mutant.applied(text) for mutant in mutants_of("src/msj/room/file.py", text)) == sorted(slips)


def test_a_slip_is_refused_where_the_file_has_changed():
    (mutant,) = mutants_of("src/msj/room/file.py", "a < b")
    assert (mutant.room, mutation.name_of(mutant)) == ("room", "src/msj/room/file.py < → <=   in   a < b")
    with pytest.raises(ValueError, match="has changed since line 1"):
        mutant.applied("a > b")


def test_every_room_has_its_share():
    texts = {"large": "\n".join(f"x{i} = a + b" for i in range(300)), "small": "x = a + b\ny = a < b"}
    mutants = [m for room, text in texts.items() for m in mutants_of(f"src/msj/{room}/file.py", text)]
    chosen = mutation.drawn(mutants, 50, seed=1)
    assert [sum(m.room == room for m in chosen) for room in texts] == [50, 2]
    assert chosen == mutation.drawn(mutants, 50, seed=1)
    assert chosen != mutation.drawn(mutants, 50, seed=2)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of one function, half of which is tested."""
    (tmp_path / "src/msj/room").mkdir(parents=True)
    (tmp_path / "tests/room").mkdir(parents=True)
    (tmp_path / "src/msj/__init__.py").write_text("")
    (tmp_path / "src/msj/room/__init__.py").write_text("")
    (tmp_path / "src/msj/room/sums.py").write_text(
        "def total(a, b):\n    return a + b\n\n\ndef gap(a, b):\n    return a - b\n"
    )
    (tmp_path / "src/msj/room/upstairs.py").write_text("from msj.room.sums import total\n")
    test = "from msj.room.sums import total\n\n\ndef test_total():\n    assert total(2, 3) == 5\n"
    (tmp_path / "tests/room/test_sums.py").write_text(test)
    (tmp_path / "verification").mkdir()
    (tmp_path / "verification/equivalent.txt").write_text("# none\n")
    monkeypatch.setattr(mutation, "ROOT", tmp_path)
    monkeypatch.setattr(mutation, "LAST", ())
    return tmp_path


def test_the_programme_tells_who_notices_and_what_is_missed(project, monkeypatch, capsys, tmp_path):
    out = tmp_path / "tried.jsonl"
    monkeypatch.setattr(sys, "argv", ["mutation", "--workers", "1", "--out", str(out)])
    for _ in range(2):  # the second time nothing is tried again
        with pytest.raises(SystemExit) as left:
            mutation.main()
        said = capsys.readouterr().out
        assert left.value.code == 1
        assert "MISSED src/msj/room/sums.py:6  - → +   in   return a - b" in said
        assert "50.0% of 2 noticed" in said
    assert "tests/room/test_sums.py::test_total" in out.read_text()
    assert len(out.read_text().splitlines()) == 2
    (project / "verification/equivalent.txt").write_text(
        "src/msj/room/sums.py - → +   in   return a - b\n  nobody asks\n"
    )
    with pytest.raises(SystemExit) as left:
        mutation.main()
    assert left.value.code == 0


def test_whoever_imports_a_loop_forgets_what_was_compiled(project):
    importers = mutation.importers_of(project / "src")
    sums, upstairs = (project / "src/msj/room" / name for name in ("sums.py", "upstairs.py"))
    assert importers[sums] == {upstairs}
    assert importers[upstairs] == set()


def test_only_lines_that_differ(project):
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    file = project / "src/msj/room/sums.py"
    file.write_text(file.read_text().replace("a - b", "b - a"))
    assert mutation.changed_lines("HEAD") == {"src/msj/room/sums.py": {6}}
