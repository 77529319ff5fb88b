"""A table as a folder of immutable Parquet pieces, which many may write at once.

A piece has a name that nobody else has, is written beside its place and moved there in one step, and never changes.
So no lock is needed, on network file systems neither; whatever ends a writer leaves whole pieces. The table is the
union of its pieces: files of two copies of a folder may simply be put together. Rows of the same key are the same
rows; readers take the first, in the order of the pieces' names.

A piece's name ends in a checksum of its bytes, which is compared when it is read first. A damaged piece is set aside
(``NAME.parquet.damaged``), so that its rows are as if they had never been written, and is computed again.

Whoever has written many small pieces puts them together to one and then removes them. A reader who finds one gone lists
the folder again: its rows are in a piece that was there before it went.
"""

from __future__ import annotations

import errno
import io
import uuid
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msj.errors import InvalidInput
from msj.store import not_written, write_atomically

if TYPE_CHECKING:
    import pyarrow

ENDING, DAMAGED = ".parquet", ".damaged"
MANY = 64  # small pieces of one writer, before they are put together
GROUP = 256  # rows of a table in order that are read at once, at least
CHUNK = 1 << 20  # bytes that are read at once for a checksum


class Damaged(Exception):
    """The bytes of a file are not those that were written."""


class Pieces:
    """One table.

    Parameters
    ----------
    folder
        Where its pieces are; None keeps rows in memory only, for as long as the object lives.
    schema
        Its columns, the same in every piece.
    order
        Columns by which pieces that are put together are sorted, so that :meth:`some` need not read all of one; without
        any, rows stay in the order they were written.
    """

    def __init__(self, folder: Path | None, schema: pyarrow.Schema, order: tuple[str, ...] = ()) -> None:
        self.folder, self.schema, self.order = folder, schema, order
        self.seen: set[str] = set()  # names of pieces that were read, or written here
        self.mine: list[tuple[Path, pyarrow.Table]] = []  # small ones that were written here
        self._kept: list[pyarrow.Table] = []  # without a folder
        self._checked: set[str] = set()  # names of pieces whose bytes are as they were written

    def add(self, records: Sequence[dict[str, Any]]) -> None:
        """Write rows as one piece."""
        if not records:
            return
        import pyarrow

        self.add_table(pyarrow.Table.from_pylist(list(records), schema=self.schema))

    def add_table(self, table: pyarrow.Table) -> None:
        """Write a table as one piece."""
        if self.folder is None:
            self._kept.append(table)
            return
        self.mine.append((self._write(table), table))
        if len(self.mine) >= MANY:
            self.put_together()

    def put_together(self) -> None:
        """Make one piece of those written here; they are removed when it is on the disk."""
        import pyarrow

        # One that is gone was pruned, and its rows with it or into another piece.
        small = [(piece, table) for piece, table in self.mine if piece.exists()]
        if len(small) > 1:
            self._write(pyarrow.concat_tables([table for _, table in small]))
            for piece, _ in small:
                piece.unlink(missing_ok=True)
        self.mine = []

    def new(self, columns: Sequence[str] | None = None) -> Iterator[tuple[str, pyarrow.Table]]:
        """Yield the pieces that have come since the last time, by name: all of them, or some columns."""
        if self.folder is None:
            return
        gone = True
        while gone:
            gone = False
            for piece in self.pieces():
                if piece.name in self.seen:
                    continue
                table = self._read(piece, _columns(columns or self.schema.names, schema=self.schema))
                if table is None:
                    gone = True
                    continue
                self.seen.add(piece.name)
                yield piece.name, table

    def pieces(self) -> list[Path]:
        """Return the pieces there are, in the order of their names."""
        return [] if self.folder is None else sorted(self.folder.glob(f"*{ENDING}"))

    def whole(
        self,
        columns: Sequence[str] | None = None,
        *,
        texts: Sequence[str] = (),
        only: Callable[[pyarrow.Table], pyarrow.Table] | None = None,
    ) -> pyarrow.Table:
        """Return all rows there are, of all pieces.

        Parameters
        ----------
        columns
            The columns to read, all if not given.
        texts
            Columns of texts to return as dictionaries, each text once.
        only
            Applied to each piece before the pieces are put together: a filter of rows.
        """
        import pyarrow

        names = list(columns) if columns else self.schema.names
        chosen = only or (lambda table: table)
        found = [chosen(self._with_texts(table.select(names), texts)) for table in self._kept]
        while self.folder is not None:
            how = _columns(names, lambda table: chosen(self._with_texts(table, texts)), self.schema)
            read = [self._read(piece, how, texts) for piece in self.pieces()]
            if not any(table is None for table in read):  # else one was put together with others meanwhile
                found = [table for table in read if table is not None]
                break
        empty = self._with_texts(self.schema.empty_table().select(names), texts)
        return pyarrow.concat_tables([empty, *found]).unify_dictionaries()

    def column(self, name: str, pieces: Sequence[Path], *, text: bool = False) -> pyarrow.ChunkedArray | None:
        """Return one column of some pieces; a text's as a dictionary. None if a piece is gone meanwhile.

        Reading column by column needs the memory of one column more than what is kept of them.
        """
        import pyarrow

        texts = [name] if text else []
        empty = self._with_texts(self.schema.empty_table().select([name]), texts)
        found = [self._with_texts(table.select([name]), texts) for table in self._kept]
        for piece in pieces:
            table = self._read(piece, _columns([name], schema=self.schema), texts)
            if table is None:
                return None
            found.append(self._with_texts(table, texts))
        return pyarrow.concat_tables([empty, *found]).unify_dictionaries()[name]

    def _with_texts(self, table: pyarrow.Table, texts: Sequence[str]) -> pyarrow.Table:
        import pyarrow

        for name in texts:
            place = table.schema.get_field_index(name)
            if not pyarrow.types.is_dictionary(table.schema.field(place).type):
                table = table.set_column(place, name, table[name].dictionary_encode())
        return table

    def some(self, piece: str, key: str, others: Sequence[int]) -> pyarrow.Table | None:
        """Return the rows of a piece with these values in the columns of its order; None if it is gone."""
        import pyarrow
        from pyarrow import compute

        assert self.folder is not None
        first, second = self.order

        def chosen(content: Any) -> pyarrow.Table:
            groups = [
                number
                for number in range(content.num_row_groups)
                if _may_hold(content.metadata.row_group(number), self.schema.get_field_index(first), key)
            ]
            table = content.read_row_groups(groups, use_threads=False)
            wanted = compute.is_in(table[second], value_set=pyarrow.array(others, self.schema.field(second).type))
            return table.filter(compute.and_(compute.equal(table[first], key), wanted))

        return self._read(self.folder / piece, chosen)

    def replace(self, table: pyarrow.Table, old: Sequence[Path]) -> None:
        """Write a table in place of some pieces."""
        if table.num_rows:
            self._write(table)
        for piece in old:
            piece.unlink(missing_ok=True)

    def _write(self, table: pyarrow.Table) -> Path:
        import pyarrow.parquet

        assert self.folder is not None
        if self.order:
            table = table.sort_by([(column, "ascending") for column in self.order])
        content = io.BytesIO()
        options: dict[str, Any] = {"compression": "zstd", "row_group_size": GROUP if self.order else None}
        pyarrow.parquet.write_table(table, content, **options)
        place = self.folder / f"{uuid.uuid4().hex}-{zlib.crc32(content.getbuffer()):08x}{ENDING}"
        self.seen.add(place.name)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise not_written(place, error) from error
        write_atomically(place, lambda file: file.write(content.getbuffer()))
        return place

    def _check(self, piece: Path, file: Any) -> None:
        """Compare a piece's bytes with the checksum in its name, once."""
        _, _, written = piece.stem.partition("-")
        if not written or piece.name in self._checked:
            return
        checksum = 0
        while chunk := file.read(CHUNK):
            checksum = zlib.crc32(chunk, checksum)
        file.seek(0)
        if f"{checksum:08x}" != written:
            raise Damaged("its bytes are not those that were written")
        self._checked.add(piece.name)

    def _read(
        self, piece: Path, how: Callable[[Any], pyarrow.Table], texts: Sequence[str] = ()
    ) -> pyarrow.Table | None:
        import pyarrow
        import pyarrow.parquet

        try:
            with piece.open("rb") as file:
                self._check(piece, file)
                encoded = [name for name in texts if name in pyarrow.parquet.read_schema(file).names] if texts else []
                file.seek(0)
                return how(pyarrow.parquet.ParquetFile(file, read_dictionary=encoded))
        except FileNotFoundError:
            return None
        except (Damaged, pyarrow.ArrowException) as error:
            set_aside(piece, str(error))
            return None
        except OSError as error:
            if error.errno == errno.ESTALE:  # gone from a network file system meanwhile
                return None
            raise InvalidInput(f"'{piece}' cannot be read ({error.strerror or error}); check the disk") from None


def set_aside(file: Path, reason: str) -> None:
    """Rename a file that was damaged after it was written, so that nobody reads it again; refuse where that fails."""
    try:
        file.rename(file.with_name(file.name + DAMAGED))
    except FileNotFoundError:
        return  # by another reader
    except OSError:
        short = reason.split("\n")[0][:200]
        raise InvalidInput(
            f"'{file}' was damaged after it was written ({short}); remove it, what it held is computed again"
        ) from None


def notes_on_damage(folder: Path | None) -> list[str]:
    """Return a sentence on damaged files that were set aside in a folder and its subfolders, and on unchecked ones."""
    found = [] if folder is None else sorted(folder.rglob(f"*{DAMAGED}"))
    notes = []
    if found:
        shown = ", ".join(f"'{file}'" for file in found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
        notes.append(
            f"Damaged after writing and set aside: {shown}. The same msj sweep computes again what is missing; then "
            "remove them."
        )
    old = [] if folder is None else [file for file in folder.rglob(f"*{ENDING}") if "-" not in file.stem]
    if old:
        notes.append(f"{len(old):,} files of an earlier version have no checksum: damage to them is not noticed.")
    return notes


def _columns(
    names: Sequence[str], chosen: Callable[[pyarrow.Table], pyarrow.Table] | None = None, schema: Any = None
) -> Callable[[Any], pyarrow.Table]:
    """Return how rows are read, with some columns; one that an older piece does not have is empty."""

    def read(content: Any) -> pyarrow.Table:
        import pyarrow

        there = [name for name in names if name in content.schema_arrow.names]
        # Without threads: pieces are small, and Arrow's may outlive the interpreter, which then aborts.
        table = content.read(columns=there, use_threads=False)
        for name in names:
            if name not in there:
                table = table.append_column(name, pyarrow.nulls(table.num_rows, schema.field(name).type))
        table = table.select(list(names))
        return table if chosen is None else chosen(table)

    return read


def _may_hold(group: Any, column: int, key: str) -> bool:
    """Return whether a group of rows may have a value in a column."""
    found = group.column(column).statistics
    return found is None or not found.has_min_max or found.min <= key <= found.max
