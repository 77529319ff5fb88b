"""Files are whole or not there at all."""

import os

import pytest

from msj.store import files, write_bytes, write_text


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


def test_a_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode
