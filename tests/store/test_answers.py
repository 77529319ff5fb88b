"""A store is a set of answers: what was kept is there, whoever wrote it and however he ended."""

import errno
import math
import os
import signal
import subprocess
import sys

import pytest

from msj.errors import InvalidInput
from msj.store import Answers, Locked, answers

WRITE = """
import sys
from pathlib import Path
from msj.store import Answers
with Answers(Path(sys.argv[1])) as kept:
    for i in range(1_000_000):
        kept.keep(f"{sys.argv[2]}{i}", {"value": i, "text": "x" * 5000})
        print(i, flush=True)
"""


def kept(folder):
    with Answers(folder) as store:
        return {identity: store[identity].value for identity in store}


def test_what_was_kept_is_there_again(tmp_path):
    with Answers(tmp_path / "new" / "store") as store:
        store.keep("a", {"y": (1, 2)}, seconds=1.5)
        store.keep("b", None)
        assert store["a"] == ({"y": [1, 2]}, 1.5)  # as a resumed run would see it
    with Answers(tmp_path / "new" / "store") as again:
        assert ("a" in again, "c" in again, len(again), list(again)) == (True, False, 2, ["a", "b"])
        assert again["a"] == ({"y": [1, 2]}, 1.5)
        assert again["b"].value is None


def test_without_a_folder_answers_are_kept_in_memory():
    store = Answers()
    store.keep("a", 1)
    assert store["a"].value == 1
    assert store.state_of("a") is None
    with store.claim("a"), store.claim("a"):
        pass


def test_no_number_is_no_answer(tmp_path):
    with Answers(tmp_path) as store, pytest.raises(ValueError):
        store.keep("a", math.nan)
    assert os.listdir(tmp_path) == []


def test_an_answer_ends_its_state(tmp_path):
    with Answers(tmp_path) as store:
        store.state_of("a").write_text("half way")
        store.state_of("b").write_text("half way")
        store.keep("a", 1)
    assert sorted(os.listdir(tmp_path)) == ["answers-1.jsonl", "b.state"]


def test_two_runs_write_side_by_side_and_see_each_other(tmp_path):
    with Answers(tmp_path) as one, Answers(tmp_path) as other:
        one.keep("a", 1)
        other.keep("b", 2)
        assert "b" not in one
        one.refresh()
        assert one["b"].value == 2
        one.keep("c", 3)
    assert (tmp_path / "answers-2.jsonl").exists()
    assert kept(tmp_path) == {"a": 1, "b": 2, "c": 3}
    with Answers(tmp_path) as later:
        later.keep("d", 4)
    assert sorted(os.listdir(tmp_path)) == ["answers-1.jsonl", "answers-2.jsonl"]


def test_one_answer_is_claimed_by_one_run(tmp_path):
    with Answers(tmp_path) as one, Answers(tmp_path) as other, one.claim("a"):
        with other.claim("b"):
            pass
        with pytest.raises(Locked, match="a' is being written"), other.claim("a"):
            pass


@pytest.mark.parametrize("left", [0, 1, 7, -2])
def test_a_line_that_was_cut_off_is_no_answer_and_harms_no_other(tmp_path, left):
    with Answers(tmp_path) as store:
        store.keep("a", 1)
        whole = (tmp_path / "answers-1.jsonl").read_bytes()
        store.keep("b", "two")
    file = tmp_path / "answers-1.jsonl"
    last = file.read_bytes()[len(whole) :]
    file.write_bytes(whole + last[:left])
    assert kept(tmp_path) == {"a": 1}
    with Answers(tmp_path) as store:
        store.keep("c", 3)
    assert kept(tmp_path) == {"a": 1, "c": 3}


@pytest.mark.parametrize(
    "line", [b"\xff\xfe", b"[1]", b'{"identity": "z"}', b'{"identity": "z", "value": 1}', b"3", b""]
)
def test_a_damaged_line_is_passed_over(tmp_path, line):
    with Answers(tmp_path) as store:
        store.keep("a", 1)
    file = tmp_path / "answers-1.jsonl"
    file.write_bytes(line + b"\n" + file.read_bytes())
    assert kept(tmp_path) == {"a": 1}


def test_a_full_disk_names_the_file_and_keeps_the_answers_before(tmp_path, monkeypatch):
    write = os.write

    def nearly_full(file, content):
        if len(content) < 30:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, content[:20])

    with Answers(tmp_path) as store:
        store.keep("a", 1)
        monkeypatch.setattr(answers.os, "write", nearly_full)
        with pytest.raises(InvalidInput, match=r"answers-1.jsonl' cannot be written \(No space left"):
            store.keep("b", 2)
        assert "b" not in store
        monkeypatch.undo()
        store.keep("c", 3)
    assert kept(tmp_path) == {"a": 1, "c": 3}


def test_a_place_that_is_no_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="file' cannot be written"):
        Answers(tmp_path / "file")


def test_merging_is_the_union(tmp_path):
    with Answers(tmp_path / "one") as one, Answers(tmp_path / "other") as other:
        one.keep("a", 1, seconds=2.0)
        one.keep("b", 2)
        other.keep("b", 2)
        other.keep("c", 3, seconds=4.0)
        one.merge(other)
        other.merge(one)
        assert one["c"] == (3, 4.0)
    assert kept(tmp_path / "one") == kept(tmp_path / "other") == {"a": 1, "b": 2, "c": 3}
    # A file of another machine may simply be copied.
    (tmp_path / "third").mkdir()
    (tmp_path / "third" / "from elsewhere.jsonl").write_bytes((tmp_path / "one" / "answers-1.jsonl").read_bytes())
    assert kept(tmp_path / "third") == kept(tmp_path / "one")


def test_two_writers_killed_at_any_moment_lose_nothing_they_had_kept(tmp_path):
    said = {}
    for rounds in range(2):
        writers = {
            name: subprocess.Popen(
                [sys.executable, "-c", WRITE, str(tmp_path), name], stdout=subprocess.PIPE, text=True
            )
            for name in (f"p{rounds}-", f"q{rounds}-")
        }
        for writer in writers.values():
            for _ in range(20):
                writer.stdout.readline()
        for name, writer in writers.items():
            writer.send_signal(signal.SIGKILL)
            said[name] = 20 + len([line for line in writer.communicate()[0].splitlines() if line])
    found = kept(tmp_path)
    for name, count in said.items():
        assert [found[f"{name}{i}"]["value"] for i in range(count)] == list(range(count))
    assert len([file for file in os.listdir(tmp_path) if file.endswith(".jsonl")]) == 2
