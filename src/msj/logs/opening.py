"""The bytes of a log: plain, or compressed by gzip, xz or Zstandard (told by the first bytes, not by the name).

A log is read in blocks of whole lines, so that memory does not grow with the file's text. Lines end as those of any
system do: line feed, carriage return, or both.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, cast

from msj.errors import InvalidInput

BLOCK = 1 << 24  # bytes: large enough that Python's share is small, small enough to be forgotten soon
HEAD = 1 << 16  # bytes looked at to find out what a file is
MAX_RATIO = 100  # of decompressed to compressed bytes; logs have 5 to 30
MIN_LIMIT = 1 << 26  # bytes that any file may hold
LONGEST_LINE = 1 << 20  # bytes; what goes on longer without an end is no log


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for its bytes, decompressed; whatever goes wrong with it gets a sentence."""
    try:
        with path.open("rb") as file:
            first = file.read(6)
        with _stream(path, first) as stream:
            plain = isinstance(stream, io.BufferedReader)
            yield stream if plain else cast(IO[bytes], _Limited(stream, path))
    except InvalidInput as error:
        raise error.in_file(path) from None
    except IsADirectoryError:
        raise InvalidInput("is a folder; give the file of a log").in_file(path) from None
    except (EOFError, zlib.error, LZMAError) as error:
        raise InvalidInput(f"its compression is damaged ({error}); fetch the file again").in_file(path) from None
    except OSError as error:
        if error.errno is None:  # from a decompressor
            raise InvalidInput(f"its compression is damaged ({error}); fetch the file again").in_file(path) from None
        raise InvalidInput(f"cannot be read ({error.strerror}); check the path").in_file(path) from None


class _Limited:
    """A decompressed stream that refuses to yield far more than any log has: a small file could fill all memory."""

    def __init__(self, stream: Any, path: Path) -> None:
        self.stream, self.packed = stream, path.stat().st_size
        self.most, self.seen = max(MIN_LIMIT, MAX_RATIO * self.packed), 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        found = bytes(self.stream.read(size))
        self.seen += len(found)
        if self.seen > self.most:
            raise InvalidInput(
                f"its {self.packed:,} bytes hold more than {self.most:,} bytes of text, over {MAX_RATIO} times as "
                "much, which no log does; if it is one, decompress it first"
            )
        return found


def _stream(path: Path, first: bytes) -> Any:
    if first.startswith(b"\x1f\x8b"):
        import gzip

        return gzip.open(path, "rb")
    if first.startswith(b"\xfd7zXZ\x00"):
        import lzma

        return lzma.open(path, "rb")
    if first.startswith(b"\x28\xb5\x2f\xfd"):
        import pyarrow

        return pyarrow.CompressedInputStream(pyarrow.OSFile(os.fspath(path)), "zstd")
    return path.open("rb")


def head_of(path: Path) -> bytes:
    """Return the first bytes, decompressed."""
    with opened(path) as stream:
        found = b""
        while len(found) < HEAD and (more := stream.read(HEAD - len(found))):
            found += more
    return found


def blocks_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Return the text in blocks of whole lines, without a mark of its encoding in front."""
    kept = b""
    first = True
    while more := stream.read(BLOCK):
        text = kept + bytes(more)
        if first:
            text, first = text.removeprefix(b"\xef\xbb\xbf"), False
        cut = max(text.rfind(b"\n"), text.rfind(b"\r", 0, len(text) - 1)) + 1  # a last \r may belong to a \n to come
        kept = text[cut:]
        if len(kept) > LONGEST_LINE + BLOCK:
            raise InvalidInput("is no log: it has no lines; give a text file with one job per line, or Parquet")
        if cut:
            yield text[:cut]
    if kept:
        yield kept
