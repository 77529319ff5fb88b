"""Slips are put where they are meant to be, and the programme tells who notices them."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import caching
from verification.listed import LISTED, listed
from verification.loops import callers_of, compile_anew
from verification.mutants import mutants_of
from verification.reached import LONGEST, Place, Reached, place_of
from verification.warm import exchanged

from verification import mutation


@pytest.mark.parametrize(
    ("text", "slips"),
    [
        ("a <= b", ["a < b"]),
        ("a <= b / c", ["a >= b / c", "a <= b * c"]),
        ("abs(a) < b", ["abs(a) > b"]),
        ("a != b * 0.5", ["a == b * 0.5", "a != b / 0.5", "a != b * 0.75"]),
        ("a > 0.0", ["a >= 0.0", "a > 1.0"]),
        ("a > 1e-9", ["a < 1e-9"]),
        ("x = round(a * b, 3)", ["x = round(a / b, 3)"]),
        ("x = f(1 << 12, 3)", ["x = f(1 << 12, 4)"]),
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
        ("zip(a, b, strict=True)", ["pass"]),
        (
            "class A:\n    width: ClassVar[float] = 8.6\n    rate: float = 8.0\n",
            ["class A:\n    width: ClassVar[float] = 8.6\n    rate: float = 12.0\n"],
        ),
        ("draw(width=3, size=n + 1)", ["pass", "draw(width=3, size=n - 1)", "draw(width=3, size=n + 2)"]),
        (
            'x = {"size": 3, "rate": 3, "width": n + 1}',
            [
                'x = {"size": 3, "rate": 4, "width": n + 1}',
                'x = {"size": 3, "rate": 3, "width": n - 1}',
                'x = {"size": 3, "rate": 3, "width": n + 2}',
            ],
        ),
        ('"a" + b', []),
    ],
)
def test_one_token_at_a_time(text, slips):
    assert sorted(mutant.applied(text) for mutant in mutants_of("src/msj/room/file.py", text)) == sorted(slips)


def test_slips_that_look_alike_have_names_of_their_own():
    found = mutants_of("src/msj/room/file.py", "x = a + b + c\ny = a + b")
    assert [mutation.name_of(mutant).partition("   in")[0] for mutant in found] == [
        "src/msj/room/file.py + → -",
        "src/msj/room/file.py + → - (2)",
        "src/msj/room/file.py + → -",
    ]


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
    (project / "src/msj/room/above.py").write_text("from msj.room.upstairs import total\n")
    sums, upstairs, above = (project / "src/msj/room" / name for name in ("sums.py", "upstairs.py", "above.py"))
    importers = mutation.importers_of(project / "src")
    assert importers[sums] == {upstairs}  # nothing is compiled there, so that what stands above has no copy of it
    assert importers[upstairs] == {above}
    upstairs.write_text("from numba import njit\nfrom msj.room.sums import total\n")
    assert mutation.importers_of(project / "src")[sums] == {upstairs, above}


def test_only_lines_that_differ(project):
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    file = project / "src/msj/room/sums.py"
    file.write_text(file.read_text().replace("a - b", "b - a"))
    assert mutation.changed_lines("HEAD") == {"src/msj/room/sums.py": {6}}


def test_slips_that_were_missed_once_are_still_where_they_were():
    found = listed(Path(__file__).parents[2])
    assert len(found) == len(LISTED) == 20
    for mutant, (file, _, after) in zip(found, LISTED, strict=True):
        assert (mutant.file, mutant.after) == (f"src/msj/{file}", after)


NESTED = """LIMIT = 1


class A:
    @property
    def f(self):
        def g():
            return 1
        return g


@kernel
def loop(a):
    return a


def visit(a):
    return a


visited = njit(cache=True)(visit)


async def answer(a):
    return a
"""


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (1, Place("", False)),
        (5, Place("A.f", False)),
        (8, Place("A.f", False)),
        (13, Place("loop", True)),
        (18, Place("visit", True)),
        (25, Place("answer", False)),
    ],
)
def test_a_line_is_in_the_outermost_function_around_it(line, place):
    assert place_of(NESTED, line) == place


def test_tests_that_reach_a_function_come_first_those_of_its_room_and_the_quickest_before_others(tmp_path):
    def row(test, seconds, *reached):
        return json.dumps({"test": test, "seconds": seconds, "reached": list(reached)})

    f, g = "src/msj/room/sums.py:f", "src/msj/room/sums.py:g"
    rows = [
        row("tests/other/test_far.py::test_a", 0.1, f),
        row("tests/room/test_near.py::test_slow", 0.5, f),
        row("tests/room/test_near.py::test_quick", 0.2, f),
        row("tests/room/test_near.py::test_g", 0.1, g),
        row("tests/room/test_near.py::test_too_long", LONGEST, f),
        row("tests/room/test_sums.py::test_by_name", 0.9, f),
        row("docs/page.md::line:1", 0.1, f),
        row("docs/page.md::line:9", 0.1),
    ]
    (tmp_path / "tests/room").mkdir(parents=True)
    for name, text in (("test_near", ""), ("test_new", "from msj.room.sums import f"), ("test_newer", "import os")):
        (tmp_path / f"tests/room/{name}.py").write_text(text)
    reached = Reached(tmp_path, rows)
    found = reached.tests("src/msj/room/sums.py", Place("f", False), [], [], 100.0)
    near = ["tests/room/test_near.py::test_quick", "tests/room/test_near.py::test_slow"]
    beside = ["tests/room/test_near.py::test_g"]  # a fixture may have called f for it
    first, far, new = (
        "tests/room/test_sums.py::test_by_name",
        "tests/other/test_far.py::test_a",
        "tests/room/test_new.py",
    )
    assert found == [first, *near, far, "docs/page.md", new, *beside]
    assert reached.tests("src/msj/room/sums.py", Place("f", False), [], [], 1.0) == [first, far, new]
    # A compiled function is not seen itself: whoever reaches a caller comes first, then whoever reaches the files.
    found = reached.tests("src/msj/room/loops.py", Place("h", True), [g], ["src/msj/room/sums.py"], 100.0)
    assert found[:2] == [*beside, first]
    assert set(near) < set(found)
    assert reached.tests("src/msj/room/loops.py", Place("h", False), [], ["src/msj/room/sums.py"], 100.0) == []


def test_a_function_is_exchanged_wherever_it_is_held(tmp_path):
    file = tmp_path / "sums.py"
    file.write_text("class A:\n    @property\n    def f(self):\n        return 1\n\n\ndef g():\n    return 2\n")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    functions = [names["A"].f.fget, names["g"]]
    file.write_text(file.read_text().replace("return 1", "return 7").replace("return 2", "return 8"))
    assert exchanged(file, 4, functions) == functions[:1]
    assert (names["A"]().f, names["g"]()) == (7, 2)  # that one only
    assert exchanged(file, 1, functions) == []
    # A default stands in the head of a function and not in its code: it takes a process of its own.
    file.write_text(file.read_text().replace("def g():", "def g(a=1):"))
    assert exchanged(file, 7, functions) == functions[1:]
    file.write_text(file.read_text().replace("def g(a=1):", "def g(a=2):"))
    assert exchanged(file, 7, functions) == []


LOOPS = """from numba import njit

@njit(cache=True)
def inner(a):
    return a + 1

@njit(cache=True)
def outer(a):
    return 10 * inner(a)

@njit("int64(int64)", cache=True)
def at_once(a):
    return 100 * inner(a)

def asked(a):
    return outer(a)

def other(a):
    return a
"""


def test_a_slip_in_a_loop_reaches_the_loops_that_hold_it(tmp_path):
    file = tmp_path / "loops.py"
    file.write_text(LOOPS)
    sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
    spec = importlib.util.spec_from_file_location("loops", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.dont_write_bytecode = kept
    assert (module.asked(1), module.at_once(1)) == (20, 200)  # compiled, and kept on the disk
    loops = [module.inner, module.outer, module.at_once]
    functions = [*(each.py_func for each in loops), module.asked, module.other]
    assert callers_of([module.inner.py_func], functions) == set(functions[:4])
    file.write_text(LOOPS.replace("a + 1", "a - 1"))
    changed = exchanged(file, 5, functions)
    load, save = caching.Cache.load_overload, caching.Cache.save_overload
    try:
        assert compile_anew(changed, functions, loops)
        assert (module.asked(3), module.at_once(3), module.other(3)) == (20, 200, 3)
    finally:
        caching.Cache.load_overload, caching.Cache.save_overload = load, save


def test_tests_that_speak_of_what_the_line_says_come_first(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(
        "def test_quick():\n    assert f(1)\n\n\ndef test_words():\n    assert 'Assumed: a lot' in notes()\n"
    )
    names = {"tests/test_a.py::test_quick": 0.1, "tests/test_a.py::test_words": 5.0}
    rows = [json.dumps({"test": name, "seconds": time, "reached": ["src/msj/a.py:f"]}) for name, time in names.items()]
    reached, place = Reached(tmp_path, rows), Place("f", False)
    assert reached.tests("src/msj/a.py", place, (), (), 30.0) == list(names)
    spoken = reached.tests("src/msj/a.py", place, (), (), 30.0, 'notes.append(f"Assumed: {what}")')
    assert spoken == list(names)[::-1]
    assert reached.tests("src/msj/a.py", place, (), (), 1.0, "Assumed") == ["tests/test_a.py::test_quick"]


def test_slips_known_to_change_nothing_are_still_there():
    known = mutation.equivalent()
    texts = {file: (mutation.ROOT / file).read_text() for file in {name.partition(" ")[0] for name in known}}
    drawn = {mutation.name_of(mutant) for file, text in texts.items() for mutant in mutants_of(file, text)}
    assert sorted(known - drawn) == []
