"""Which tests reach which functions, and so which could notice a slip.

``python -m pytest -n 2 -p verification.reached`` writes ``build/reached.jsonl``, one test a line: how long it took, and
the functions of msj that it called, by file and name; what is written last of a test holds. Tests are run for a slip
only if they reach its function: first those that speak of what stands in its line, then the quickest. A compiled loop
is not seen from Python: whoever reaches a function that calls it has reached it, and whoever reaches its file, or one
that imports it, may have. What a fixture or a cache did for one test it did for the others of that file, so these
follow. Tests are cut short here after LONGEST seconds, and slips are then tried without them.
"""

from __future__ import annotations

import ast
import json
import re
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeAlias

import pytest

KEPT = Path("build") / "reached.jsonl"  # below the project
LONGEST = 20.0  # seconds of the processor
FEW = 8  # tests that use a word: they are about what it names


Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class TooLong(BaseException):
    """A test has run for longer than slips are tried for."""


_called: dict[int, CodeType] = {}  # by identity: the hash of a code object reads all of it
_may_be_cut = False


def _note(frame: FrameType, event: str, arg: Any) -> None:  # noqa: ARG001
    code = frame.f_code
    _called[id(code)] = code


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what is called while one test runs, its fixtures included."""
    _called.clear()
    started = time.process_time()
    signal.signal(signal.SIGPROF, _cut)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    threading.settrace(_note)  # type: ignore[arg-type]
    sys.settrace(_note)  # type: ignore[arg-type]
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        seconds = time.process_time() - started
        root = item.config.rootpath
        codes = [code for code in list(_called.values()) if code.co_filename.startswith(f"{root}/src/")]
        reached = sorted({f"{code.co_filename.removeprefix(f'{root}/')}:{outermost(code)}" for code in codes})
        (root / KEPT).parent.mkdir(exist_ok=True)
        with (root / KEPT).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"test": item.nodeid, "seconds": round(seconds, 3), "reached": reached}) + "\n")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Fixtures may be cut short."""
    return (yield from _cut_short())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call() -> Iterator[None]:
    """The test itself may be cut short; pytest, which writes down what became of it, may not."""
    return (yield from _cut_short())


def _cut_short() -> Iterator[None]:
    global _may_be_cut
    _may_be_cut = True
    try:
        return (yield)
    finally:
        _may_be_cut = False


def _cut(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    if _may_be_cut:
        raise TooLong
    signal.setitimer(signal.ITIMER_PROF, 0.1)  # pytest is at work: later


def outermost(code: CodeType) -> str:
    """Return the function a piece of code is in: Class.method, without what is defined inside of it."""
    return code.co_qualname.partition(".<locals>")[0]


class Place(NamedTuple):
    """The function that a line of a file is in: its name, empty outside of all; whether it is compiled."""

    name: str
    compiled: bool


def place_of(text: str, line: int) -> Place:
    """Return the function that a line is in.

    Examples
    --------
    >>> place_of("class A:\\n    def f(self):\\n        return 1\\n", 3)
    Place(name='A.f', compiled=False)
    """
    names: list[str] = []
    body: list[ast.stmt] = ast.parse(text).body
    while True:
        around = [n for n in body if isinstance(n, ast.ClassDef | Function) and _lines(n)[0] <= line <= _lines(n)[1]]
        if not around:
            return Place("", False)
        names.append(around[0].name)
        if isinstance(around[0], Function):
            return Place(".".join(names), _compiled(around[0], text))
        body = around[0].body


def _compiled(node: Function, text: str) -> bool:
    """Return whether a function is compiled: by what stands above it, or handed to the compiler by its name."""
    above = [ast.unparse(each) for each in node.decorator_list]
    return any(each in ("helper", "kernel") or "jit" in each for each in above) or f")({node.name})" in text


def _lines(node: ast.ClassDef | Function) -> tuple[int, int]:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.end_lineno or node.lineno


def _long_words(text: str) -> set[str]:
    """Return the words of a text, and the parts of names in it, that may tell one thing from another."""
    names = set(re.findall(r"\w{4,}", text))
    return names | {part for name in names for part in name.split("_") if len(part) > 4}


class Reached:
    """Which tests reach a function, or a file."""

    def __init__(self, root: Path, rows: Iterable[str]) -> None:
        self.root = root
        self.seconds: dict[str, float] = defaultdict(float)
        self._functions: dict[str, set[str]] = defaultdict(set)
        self._files: dict[str, set[str]] = defaultdict(set)
        self._tests_of: dict[str, set[str]] = defaultdict(set)  # by file of tests
        for name, row in {row["test"]: row for row in map(json.loads, rows)}.items():
            # The examples of a document need those before them.
            test = name if name.startswith("tests/") else name.partition("::")[0]
            self.seconds[test] += row["seconds"]
            self._tests_of[test.partition("::")[0]].add(test)
            for function in row["reached"]:
                self._functions[function].add(test)
                self._files[function.partition(":")[0]].add(test)

    def tests(
        self,
        file: str,
        place: Place,
        callers: Iterable[str],
        importers: Iterable[str],
        most_seconds: float,
        line: str = "",
    ) -> list[str]:
        """Return the tests that could notice a slip and are not too long, those that most probably do it first.

        ``callers`` are functions that call the one with the slip, as file:name, for those that are compiled;
        ``importers`` are files that may have compiled it into their own loops; ``line`` is what is written there.
        """
        spoken_of = self._speaking_of(f"{line} {place.name}")
        reaching = set(self._functions.get(f"{file}:{place.name}", ()))
        near: set[str] = set()
        if place.compiled:
            reaching = reaching.union(*(self._functions.get(each, ()) for each in callers))
            near = near.union(*(self._files.get(each, ()) for each in importers))
        if place.compiled or not place.name:
            near |= self._files.get(file, set())
        if not place.name:  # what a class declares is read without calling anything
            near |= {test for test in self.seconds if test.partition("[")[0] in spoken_of}
        known = reaching | near
        beside = {test for name in {test.partition("::")[0] for test in known} for test in self._tests_of[name]}
        found: list[str] = []
        spent = 0.0
        for tests in (reaching, near - reaching, beside - known):
            for test in self._quickest_first(tests, file, spoken_of):
                if self.seconds[test] < LONGEST and spent + self.seconds[test] <= most_seconds:
                    found.append(test)
                    spent += self.seconds[test]
            if tests is reaching:
                found += self._unknown(file)
        return found

    def _unknown(self, file: str) -> list[str]:
        """Return files of tests that were not traced, written since perhaps, if names or imports say they are near."""
        module = Path(file).with_suffix("")
        dotted = ".".join(module.parts[1:])
        imported = re.compile(
            rf"{re.escape(dotted)}\b|from {re.escape(dotted.rpartition('.')[0])} import.*\b{module.name}\b"
        )
        names = {name: name.relative_to(self.root).as_posix() for name in (self.root / "tests").rglob("test_*.py")}
        new = [path for path, name in names.items() if name not in self._tests_of]
        named = [names[path] for path in new if module.name in path.stem]
        return sorted(named) + sorted(
            names[path]
            for path in new
            if names[path] not in named and imported.search(path.read_text(encoding="utf-8"))
        )

    @cached_property
    def _words(self) -> dict[str, set[str]]:
        """By word, the functions of tests that use it."""
        found: dict[str, set[str]] = defaultdict(set)
        for path in (self.root / "tests").rglob("test_*.py"):
            text, name = path.read_text(encoding="utf-8"), path.relative_to(self.root).as_posix()
            lines = text.splitlines()
            for node in ast.parse(text).body:
                if isinstance(node, ast.FunctionDef):
                    first, last = _lines(node)
                    for word in _long_words("\n".join(lines[first - 1 : last])):
                        found[word].add(f"{name}::{node.name}")
        return found

    def _speaking_of(self, text: str) -> set[str]:
        """Return the functions of tests that use a word of a text which few others use."""
        return {
            test
            for word in _long_words(text)
            if len(self._words.get(word, ())) <= FEW
            for test in self._words.get(word, ())
        }

    def _quickest_first(self, tests: set[str], file: str, spoken_of: set[str]) -> list[str]:
        """Order tests: those that speak of it first, then those of file and room, and those of one file together."""
        together: dict[str, float] = defaultdict(float)
        for test in tests:
            together[test.partition("::")[0]] += self.seconds[test]
        room, stem = Path(file).parts[2], Path(file).stem

        def key(test: str) -> tuple[bool, bool, bool, float, str, float, str]:
            own = test.partition("::")[0]
            elsewhere = not own.startswith((f"tests/{room}/", f"src/msj/{room}/"))
            silent = test.partition("[")[0] not in spoken_of
            return silent, stem not in Path(own).stem, elsewhere, together[own], own, self.seconds[test], test

        return sorted(tests, key=key)
