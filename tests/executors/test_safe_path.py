"""No command runs a file of the current folder because it is called like a module (W1)."""

import os
import shutil

import pytest

import trap
from msj.executors.safe_path import VARIABLE, safe_children

POLICY = """
import beside

def pick(needs, running, remaining, servers, chosen):
    free = servers
    for i in range(len(needs)):
        if needs[i] > free:
            break
        chosen[i] = True
        free -= needs[i]
"""


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "downloads"
    found.mkdir()
    shutil.copy("examples/two_servers.toml", found)
    return found


def test_processes_that_a_command_starts_do_not_import_from_the_current_folder(folder):
    marks = trap.set_trap(folder)
    (folder / "mine.py").write_text(POLICY, encoding="utf-8")
    (folder / "beside.py").write_text("", encoding="utf-8")
    options = ("--vary", "load=0.5,0.6", "--processes", "2", "--out", "runs", "--policies", "mine.py:pick")
    found = trap.run(folder, "sweep", "two_servers.toml", *options, "--jobs", "2000")
    assert (found.returncode, marks.exists()) == (0, False), found.stderr


def test_python_dash_m_removes_the_current_folder_before_it_imports(folder):
    marks = trap.set_trap(folder, leave_out=trap.imported_by_python_itself())
    found = trap.run(folder, "analyse", "two_servers.toml", "--json", by_module=True)
    assert (found.returncode, marks.exists()) == (0, False), found.stderr


def test_the_environment_is_as_before_when_the_last_of_several_is_done(monkeypatch):
    for before in (None, "0"):
        monkeypatch.delenv(VARIABLE, raising=False) if before is None else monkeypatch.setenv(VARIABLE, before)
        first, second = safe_children(), safe_children()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert os.environ[VARIABLE] == "1"
        second.__exit__(None, None, None)
        assert os.environ.get(VARIABLE) == before
