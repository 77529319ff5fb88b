"""A process that has imported everything and collected all tests, and tries each slip in a child of its own.

Importing msj and what it stands on, and collecting six thousand tests, takes longer than most tests do. So that is done
once; for each slip the process forks, and in the child the code of one function is exchanged for the code with the
slip, wherever that function is held; loops compiled from it are compiled again. Slips outside of functions need a fresh
process. What a function did while it was imported it did without the slip: such a slip may be missed here, but not
noticed for nothing.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pkgutil
import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import IO, NoReturn

import pytest
from numba.core.dispatcher import Dispatcher

from verification import hanging
from verification.loops import callers_of, compile_anew
from verification.reached import outermost, place_of

MOST_SECONDS = 300  # of the processor, for one slip
PASSED, FAILED, FRESHLY = 0, 1, 250  # exit codes of a child; the last, of one that cannot try the slip


class Warm:
    """Asks the process that is ready."""

    def __init__(self, root: Path, environment: dict[str, str]) -> None:
        command = [sys.executable, "-m", "verification.warm"]
        self._process = subprocess.Popen(
            command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._await_start()

    def _await_start(self) -> None:
        """Wait until everything is imported, before any file is changed."""
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise RuntimeError("the tests cannot be collected; see build/warm.txt of the copy, or run pytest")

    def fails(self, tests: list[str], file: str, line: int, until: int) -> list[str] | None:
        """Return the tests that fail with the function exchanged that a line is in; None if that takes a fresh process.

        ``tests`` are names of tests or of files; ``file`` may be empty, and nothing is exchanged then.
        """
        return self._answer({"tests": tests, "file": file, "line": line, "until": until})

    def misled(self, tests: list[str], name: str) -> list[str]:
        """Return the first test that fails when all rows of a name are wrong."""
        return self._answer({"tests": tests, "file": "", "line": 0, "until": 1, "wrong": name}) or []

    def callers(self, file: str, line: int) -> list[str]:
        """Return the functions that call the one that a line is in, directly or not, as file:name."""
        return self._answer({"file": file, "line": line}) or []

    def _answer(self, question: dict[str, object]) -> list[str] | None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: list[str] | None = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """Let the process go."""
        self._process.communicate()


class Loop:
    """Takes the place of pytest's own loop over the tests: runs those it is asked about, each time in a child."""

    def __init__(self, asked: IO[str], said: IO[str]) -> None:
        self.asked, self.said = asked, said
        self.failed = Path("build") / "failed.txt"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer questions, one a line, until there are no more."""
        by_file: dict[str, list[pytest.Item]] = defaultdict(list)  # and by function, with all its parameters
        for item in session.items:
            by_file[item.nodeid.partition("::")[0]].append(item)
            if "[" in item.nodeid:
                by_file[item.nodeid.partition("[")[0]].append(item)
        by_name = {item.nodeid: [item] for item in session.items} | by_file
        _import_all()
        functions = [each for each in gc.get_objects() if isinstance(each, FunctionType) and _of_msj(each)]
        dispatchers = [each for each in gc.get_objects() if isinstance(each, Dispatcher) and _of_msj(each.py_func)]
        gc.freeze()  # a child that collects garbage would copy every page of what is here
        self.said.write("ready\n")
        self.said.flush()
        for question in self.asked:
            asked = json.loads(question)
            if "tests" not in asked:
                self._say(_callers(Path(asked["file"]).absolute(), asked["line"], functions))
                continue
            self.failed.write_text("")
            child = os.fork()
            if not child:
                items = [item for name in asked["tests"] for item in by_name.get(name, ())]
                self._child(session, list(dict.fromkeys(items)), functions, dispatchers, asked)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            failed = self.failed.read_text(encoding="utf-8").splitlines()
            self._say(None if code == FRESHLY else ["it does not end"] if code < 0 else failed)
        return True

    def _say(self, answer: list[str] | None) -> None:
        self.said.write(json.dumps(answer) + "\n")
        self.said.flush()

    def _child(
        self,
        session: pytest.Session,
        items: list[pytest.Item],
        functions: list[FunctionType],
        dispatchers: list[Dispatcher],
        asked: dict[str, str],
    ) -> NoReturn:
        code = FRESHLY
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            changed = exchanged(Path(asked["file"]).absolute(), int(asked["line"]), functions) if asked["file"] else []
            if asked.get("wrong"):
                import_module("verification.values").put_wrong(asked["wrong"])
            if changed or not asked["file"]:
                code = PASSED
                if not compile_anew(changed, functions, dispatchers):
                    self.failed.write_text("it cannot be compiled", encoding="utf-8")
                    return
                failed = []
                for item, following in zip(items, [*items[1:], None], strict=True):
                    before = session.testsfailed
                    item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                    if session.testsfailed > before:
                        failed.append(item.nodeid)
                        self.failed.write_text("\n".join(failed), encoding="utf-8")
                    if len(failed) >= int(asked["until"]):
                        break
        except ValueError:  # another closure
            pass
        finally:
            os._exit(code)


def exchanged(file: Path, line: int, functions: list[FunctionType]) -> list[FunctionType]:
    """Give the function that a line is in the code that the file has now; return those that hold it, if it differs."""
    text = file.read_text(encoding="utf-8")
    place = place_of(text, line)
    if not place.name:
        return []
    found = {
        (code.co_qualname, code.co_firstlineno): code
        for code in _codes(compile(text, str(file), "exec", dont_inherit=True))
        if code.co_qualname == place.name
    }
    changed = []
    for each in functions:
        if each.__code__.co_filename == str(file):
            code = found.get((each.__code__.co_qualname, each.__code__.co_firstlineno))
            if code is not None and code != each.__code__:  # a default is not in the code of its function
                each.__code__ = code
                changed.append(each)
    return changed


def _of_msj(function: FunctionType) -> bool:
    return function.__module__ is not None and function.__module__.partition(".")[0] == "msj"


def _callers(file: Path, line: int, functions: list[FunctionType]) -> list[str]:
    name = place_of(file.read_text(encoding="utf-8"), line).name
    own = [each for each in functions if each.__code__.co_filename == str(file) and each.__code__.co_qualname == name]
    codes = [each.__code__ for each in callers_of(own, functions)]
    here = f"{Path.cwd()}/"
    return sorted({f"{code.co_filename.removeprefix(here)}:{outermost(code)}" for code in codes})


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _import_all() -> None:
    package = import_module("msj")
    for found in pkgutil.walk_packages(package.__path__, "msj."):
        if not found.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # what is not installed
                import_module(found.name)


def main() -> None:
    """Collect all tests, and answer questions about them."""
    asked, said = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    Path("build").mkdir(exist_ok=True)
    printed = os.open("build/warm.txt", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), printed, printed)):
        os.dup2(file, number)
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--basetemp=build/tests", "--rootdir=."]
    pytest.main(options, plugins=[Loop(asked, said), hanging])


if __name__ == "__main__":
    main()
