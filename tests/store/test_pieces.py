"""A table in pieces: what is written is read, once, by whoever looks; pieces that go meanwhile are looked for again."""

import errno
from pathlib import Path
from types import SimpleNamespace

import pyarrow
import pyarrow.parquet
import pytest

from msj.errors import InvalidInput
from msj.store.pieces import GROUP, MANY, Pieces, _may_hold, notes_on_damage

SCHEMA = pyarrow.schema([("key", pyarrow.string()), ("number", pyarrow.int64()), ("value", pyarrow.float64())])


def row(key, number):
    return {"key": key, "number": number, "value": number / 4}


def table(*rows):
    return pyarrow.Table.from_pylist([row(*each) for each in rows], schema=SCHEMA)


def pairs(found):
    return [(each["key"], each["number"]) for each in found.to_pylist()]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "new" / "rows"  # its parent is not there either


def test_what_is_added_is_read_by_everybody(folder):
    ours, theirs = Pieces(folder, SCHEMA), Pieces(folder, SCHEMA)
    assert (ours.pieces(), list(theirs.new()), ours.whole().num_rows) == ([], [], 0)
    ours.add([])
    assert ours.pieces() == []
    ours.add([row("b", 3), row("a", 2)])
    ours.add([row("c", 1)])
    assert len(ours.pieces()) == 2
    assert ours.pieces() == sorted(folder.iterdir())
    by_name = {name: pairs(found) for name, found in theirs.new()}
    assert list(by_name) == [piece.name for piece in ours.pieces()]
    assert sorted(by_name.values()) == [[("b", 3), ("a", 2)], [("c", 1)]]  # as they were written
    assert list(theirs.new()) == []  # once
    assert list(ours.new()) == []  # its own it knows
    theirs.add([row("d", 4)])
    assert [pairs(found) for _, found in ours.new()] == [[("d", 4)]]
    assert sorted(pairs(ours.whole())) == [("a", 2), ("b", 3), ("c", 1), ("d", 4)]
    assert ours.whole().schema == SCHEMA


def test_some_columns_may_be_enough(folder):
    for pieces in (Pieces(folder, SCHEMA), Pieces(None, SCHEMA)):
        assert pieces.whole(["number"]).column_names == ["number"]
        pieces.add([row("a", 2)])
        assert pieces.whole(["value", "key"]).to_pylist() == [{"value": 0.5, "key": "a"}]
        assert pieces.whole().to_pylist() == [row("a", 2)]
    [(_, found)] = Pieces(folder, SCHEMA).new(["number"])
    assert found.to_pylist() == [{"number": 2}]


def test_without_a_folder_rows_are_kept_in_memory():
    pieces = Pieces(None, SCHEMA)
    pieces.add([row("a", 2)])
    pieces.add_table(table(("b", 3)))
    assert pairs(pieces.whole()) == [("a", 2), ("b", 3)]
    assert (pieces.pieces(), list(pieces.new()), pieces.mine) == ([], [], [])


def test_many_small_pieces_become_one(folder):
    pieces = Pieces(folder, SCHEMA, order=("key", "number"))
    for number in range(MANY - 1):
        pieces.add([row("a", MANY - number)])
    assert len(pieces.pieces()) == len(pieces.mine) == MANY - 1
    pieces.add([row("a", 0)])
    [whole] = pieces.pieces()
    assert pieces.mine == []
    assert pairs(pyarrow.parquet.read_table(whole)) == [("a", number) for number in (0, *range(2, MANY + 1))]
    assert list(pieces.new()) == []


def test_two_pieces_are_put_together_and_one_is_left_as_it_is(folder):
    pieces = Pieces(folder, SCHEMA)
    pieces.add([row("b", 1)])
    alone = pieces.pieces()
    pieces.put_together()
    assert (pieces.pieces(), pieces.mine) == (alone, [])
    pieces.add([row("b", 2)])
    pieces.add([row("a", 3)])
    pieces.put_together()
    assert len(pieces.pieces()) == 2
    assert alone[0] in pieces.pieces()
    pieces.add([row("c", 4)])
    kept = pieces.mine[0][0]
    pieces.add([row("c", 5)])
    pieces.mine[1][0].unlink()  # pruned by somebody: its rows do not come back
    pieces.put_together()
    assert kept in pieces.pieces()
    assert sorted(pairs(pieces.whole())) == [("a", 3), ("b", 1), ("b", 2), ("c", 4)]


def test_small_pieces_may_be_gone_when_they_are_to_be_removed(folder, monkeypatch):
    pieces = Pieces(folder, SCHEMA)
    pieces.add([row("a", 1)])
    pieces.add([row("b", 2)])
    write = pieces._write

    def and_somebody_removes_them(found):
        for piece, _ in pieces.mine:
            piece.unlink()
        return write(found)

    monkeypatch.setattr(pieces, "_write", and_somebody_removes_them)
    pieces.put_together()
    assert pairs(pieces.whole()) == [("a", 1), ("b", 2)]


def test_a_piece_that_goes_while_it_is_looked_for_is_found_where_it_went(folder, monkeypatch):
    """The first listing names a piece that is no longer there; its rows are in one that the second listing has."""
    Pieces(folder, SCHEMA).add([row("a", 1)])
    [there] = Pieces(folder, SCHEMA).pieces()
    for look in (lambda pieces: [found for _, found in pieces.new()], lambda pieces: [pieces.whole()]):
        listings = [[folder / "0-gone.parquet", there], [folder / "0-gone.parquet"], [there]]
        pieces = Pieces(folder, SCHEMA)
        monkeypatch.setattr(pieces, "pieces", lambda listings=listings: listings.pop(0))
        assert [pairs(found) for found in look(pieces)] == [[("a", 1)]]
        assert listings == []


def test_rows_of_a_key_are_read_out_of_a_large_piece(folder):
    pieces = Pieces(folder, SCHEMA, order=("key", "number"))
    rows = [(key, number) for number in reversed(range(GROUP)) for key in "abc"]
    pieces.add_table(table(*rows))
    [piece] = pieces.pieces()
    assert pyarrow.parquet.ParquetFile(piece).num_row_groups == 3  # one for each key: in order, GROUP rows at a time
    for key in "abc":
        assert pairs(pieces.some(piece.name, key, [5, GROUP - 1, 0, GROUP])) == [(key, 0), (key, 5), (key, GROUP - 1)]
    assert pieces.some(piece.name, "d", [5]).num_rows == 0
    assert pieces.some(piece.name, "b", [5]).to_pylist() == [row("b", 5)]
    assert pieces.some("gone.parquet", "a", [5]) is None
    plain = Pieces(folder.parent / "plain", SCHEMA)
    plain.add_table(table(*rows))
    [piece] = plain.pieces()
    assert pyarrow.parquet.ParquetFile(piece).num_row_groups == 1
    assert pairs(pyarrow.parquet.read_table(piece)) == rows


@pytest.mark.parametrize(
    ("key", "low", "high", "known", "may"),
    [
        ("a", "b", "d", True, False),
        ("b", "b", "d", True, True),
        ("c", "b", "d", True, True),
        ("d", "b", "d", True, True),
        ("e", "b", "d", True, False),
        ("e", "b", "d", False, True),
        ("b", "b", "b", True, True),
    ],
)
def test_a_group_of_rows_is_left_out_only_if_its_ends_say_so(key, low, high, known, may):
    groups = {1: SimpleNamespace(statistics=SimpleNamespace(has_min_max=known, min=low, max=high))}
    assert _may_hold(SimpleNamespace(column=groups.get), 1, key) is may
    assert _may_hold(SimpleNamespace(column=lambda _: SimpleNamespace(statistics=None)), 1, key) is True


def test_a_table_takes_the_place_of_pieces(folder):
    pieces = Pieces(folder, SCHEMA)
    pieces.add([row("a", 1)])
    pieces.add([row("b", 2)])
    first, second = pieces.pieces()
    pieces.replace(table(("c", 3)), [first, folder / "gone.parquet"])
    assert sorted({*pieces.pieces()} - {second}) == [piece for piece in pieces.pieces() if piece != second]
    assert len(pieces.pieces()) == 2
    assert not first.exists()
    pieces.replace(table(), pieces.pieces())
    assert pieces.pieces() == []


def test_a_damaged_piece_is_set_aside_and_named(folder, monkeypatch):
    pieces = Pieces(folder, SCHEMA)
    pieces.add([row("a", 1)])
    (folder / "broken.parquet").write_bytes(b"PAR1 and no more")
    assert pieces.whole().num_rows == 1
    assert [file.name for file in folder.glob("broken*")] == ["broken.parquet.damaged"]
    assert "broken.parquet.damaged" in notes_on_damage(folder)[0]


def test_a_damaged_piece_that_cannot_be_set_aside_is_an_error(folder, monkeypatch):
    folder.mkdir(parents=True)
    (folder / "broken.parquet").write_bytes(b"PAR1 and no more")

    def refused(*_):
        raise PermissionError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(InvalidInput, match=r"broken.parquet' was damaged after it was written \(.+\); remove it"):
        Pieces(folder, SCHEMA).whole()


def test_a_piece_that_is_gone_from_a_network_file_system_is_no_damaged_one(folder, monkeypatch):
    def stale(_):
        raise OSError(errno.ESTALE, "Stale file handle")

    pieces = Pieces(folder, SCHEMA)
    pieces.add([row("a", 1)])
    [there] = pieces.pieces()
    assert pieces._read(there, stale) is None
    assert there.exists()


def test_pieces_of_an_earlier_version_are_read_with_a_note(folder):
    pieces = Pieces(folder, SCHEMA)
    pieces.add([row("a", 1)])
    [there] = pieces.pieces()
    there.rename(folder / "0123456789abcdef.parquet")
    assert Pieces(folder, SCHEMA).whole().num_rows == 1
    assert "1 files of an earlier version have no checksum" in notes_on_damage(folder)[0]


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match=r"rows/.*parquet' is in a folder that does not exist; make it first"):
        Pieces(tmp_path / "file" / "rows", SCHEMA).add([row("a", 1)])


def test_a_flipped_bit_anywhere_in_a_piece_sets_it_aside(folder):
    Pieces(folder, SCHEMA).add([{"key": f"{n}", "number": n} for n in range(50)])
    [piece] = folder.glob("*.parquet")
    content = piece.read_bytes()
    for place in range(0, len(content), max(len(content) // 40, 1)):
        changed = bytearray(content)
        changed[place] ^= 4
        piece.write_bytes(changed)
        assert Pieces(folder, SCHEMA).whole().num_rows == 0
        assert not piece.exists()
    piece.write_bytes(content)
    assert Pieces(folder, SCHEMA).whole().num_rows == 50


def test_texts_come_as_dictionaries_and_rows_are_chosen_piece_by_piece(folder):
    pieces = Pieces(folder, SCHEMA)
    for number in (1, 2):
        pieces.add([{"key": "a", "number": number}, {"key": "b", "number": number}])
    found = pieces.whole(["key"], texts=["key"], only=lambda table: table.slice(1))
    assert found["key"].to_pylist() == ["b", "b"]
    assert pyarrow.types.is_dictionary(found["key"].type)


def test_a_column_that_older_pieces_do_not_have_is_empty(folder):
    Pieces(folder, SCHEMA).add([{"key": "a", "number": 1}])
    newer = pyarrow.schema([*SCHEMA, ("more", pyarrow.string())])
    assert Pieces(folder, newer).whole(["key", "more"], texts=["more"]).to_pylist() == [{"key": "a", "more": None}]
