"""Files are whole or not there at all, and have one writer at a time."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from msj.errors import InvalidInput
from msj.store import Locked, files, lock, write_atomically, write_bytes, write_text

HOLD = """
import sys, time
from msj.store import lock
with lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_file_is_replaced(tmp_path):
    place = tmp_path / "a.json"
    write_text(place, "first\n")
    write_text(place, "zweite ü\n")
    assert place.read_bytes() == "zweite ü\n".encode()
    assert os.listdir(tmp_path) == ["a.json"]


def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    place = tmp_path / "a"
    write_bytes(place, b"old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(place, b"new")
    assert place.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path):
    place = tmp_path / "a"
    write_bytes(place, b"old")

    def full(file):
        file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(InvalidInput, match=r"a' cannot be written \(No space left on device\); what was there is kept"):
        write_atomically(place, full)
    assert place.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_disk_that_says_so_late_is_a_full_disk_too(tmp_path, monkeypatch):
    # Buffered bytes reach the disk only when they are flushed.
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda self, mode: opened(Path("/dev/full"), "wb"))
    with pytest.raises(InvalidInput, match=r"new' cannot be written \(No space left on device\); make room"):
        write_bytes(tmp_path / "new", b"x")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="no/a' is in a folder that does not exist"):
        write_bytes(tmp_path / "no" / "a", b"x")
    with pytest.raises(InvalidInput, match="no/a' is in a folder that does not exist"), lock(tmp_path / "no" / "a"):
        pass


def test_a_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path):
    with lock(tmp_path / "run"):
        refused = pytest.raises(Locked, match=f"run' is being written by process {os.getpid()}; wait")
        with refused, lock(tmp_path / "run"):
            pass
        with lock(tmp_path / "other"):
            pass
    with lock(tmp_path / "run"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_lock_ends_with_its_process_however_that_ends(tmp_path):
    place = tmp_path / "run"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(place)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Locked, match=f"process {holder.pid};"), lock(place):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with lock(place):
        pass
    assert os.listdir(tmp_path) == []


def test_never_two_at_once(tmp_path):
    inside, most, entered = [], [], []

    def compete():
        for _ in range(300):
            try:
                with lock(tmp_path / "run"):
                    inside.append(1)
                    most.append(len(inside))
                    entered.append(1)
                    inside.pop()
            except Locked:
                pass

    threads = [threading.Thread(target=compete) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert len(entered) >= 300 // 4


def test_all_bytes_are_on_their_way_when_the_disk_is_asked_whether_it_has_them(tmp_path, monkeypatch):
    seen, fsync = [], os.fsync

    def asked(file):
        seen.append(os.fstat(file).st_size)
        fsync(file)

    monkeypatch.setattr(os, "fsync", asked)
    write_bytes(tmp_path / "answer", b"12345")
    assert seen == [5]


def test_the_file_of_a_lock_says_who_holds_it_and_nothing_else(tmp_path):
    beside = tmp_path / "run.lock"
    before = os.umask(0o022)
    try:
        with lock(tmp_path / "run"):
            assert stat.S_IMODE(beside.stat().st_mode) == 0o644
    finally:
        os.umask(before)
    beside.write_text("9" * 19)  # left by a process that was ended
    with lock(tmp_path / "run"):
        assert beside.read_text() == str(os.getpid())
    assert not beside.exists()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc")
def test_no_lock_leaves_a_file_open_however_it_goes(tmp_path, monkeypatch):
    def opened():
        return len(os.listdir("/proc/self/fd"))

    before = opened()
    with lock(tmp_path / "run"):
        assert opened() == before + 1
        with pytest.raises(Locked), lock(tmp_path / "run"):
            pass
        assert opened() == before + 1
    assert opened() == before

    alike, answers = os.path.samestat, [False, False]  # removed twice between opening and locking
    monkeypatch.setattr(os.path, "samestat", lambda *files: answers.pop() if answers else alike(*files))
    with lock(tmp_path / "run"):
        assert opened() == before + 1
    assert (answers, opened()) == ([], before)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.fcntl, "flock", interrupted)
    with pytest.raises(KeyboardInterrupt), lock(tmp_path / "run"):
        pass
    assert opened() == before
