"""A folder on MSJ_PATH, and the ways a user meets what is in it."""

import json
import textwrap

import pytest

from msj.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that MSJ_PATH names; the current folder is another."""
    place = tmp_path / "variants"
    place.mkdir()
    monkeypatch.setenv("MSJ_PATH", str(place))
    monkeypatch.chdir(tmp_path)
    return place


@pytest.fixture
def put(folder):
    """Write a file into the folder."""

    def put_it(name, text):
        (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")
        return folder / name

    return put_it


@pytest.fixture
def cluster(tmp_path):
    """Write a spec file beside the folder: two servers, jobs that need one or both."""

    def write(head="", small='{ law = "exponential", mean = 1 }'):
        path = tmp_path / "cluster.toml"
        path.write_text(f"""servers = 2
{head}
[[classes]]
name = "small"
need = 1
share = "2/3"
duration = {small}
[[classes]]
name = "large"
need = 2
share = "1/3"
duration = {{ law = "exponential", mean = 2 }}
""")
        return path

    return write


@pytest.fixture
def run(capsys):
    def run_it(*arguments):
        with pytest.raises(SystemExit) as leave:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return leave.value.code, out, err

    return run_it


@pytest.fixture
def ask(run):
    """Run a command with --json and return what it printed."""

    def ask_it(*arguments):
        code, out, err = run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    return ask_it
