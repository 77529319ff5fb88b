"""Flip single bits in the files of a sweep's folder: ``python -m verification.damaged_files [--flips 200]``.

After each flip the folder is read and the sweep is run again. Nothing may be silent: either the file is set aside and
named in a note, or the flip has changed nothing that is read. The answers afterwards are those of before, and only
cells of the damaged file are computed again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import msj

QUESTION: dict[str, Any] = {"vary": "load=0.3,0.5,0.7", "seed": 1, "precision": 0.2, "jobs": 200_000}


@dataclass(frozen=True, kw_only=True)
class Flip:
    """One flipped bit: in which file and where, whether it was named, and whether the answers are as before."""

    file: str
    place: int
    named: bool
    equal: bool

    @property
    def silent(self) -> bool:
        """Whether something else than before was read without a word."""
        return not self.named and not self.equal


def flips(count: int, seed: int = 1, *, read_only: bool = False) -> list[Flip]:
    """Flip bits, each in a fresh copy of a folder with exact and simulated cells, and return the outcomes.

    ``read_only`` leaves out the blocks of simulated cells, which are read only if a cell needs a sharper answer.
    """
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place) / "whole"
        system = msj.read("examples/two_servers.toml")
        before = msj.sweep(system, out=whole, policies=["fcfs", "first-fit"], **QUESTION).quantities
        files = sorted(file for file in whole.rglob("*") if file.suffix in (".parquet", ".json"))
        files = [file for file in files if file.parent.name != "blocks"] if read_only else files
        sizes = np.array([file.stat().st_size for file in files])
        found = []
        for number in range(count):
            copy = Path(place) / f"copy {number}"
            shutil.copytree(whole, copy)
            chosen = files[int(rng.choice(len(files), p=sizes / sizes.sum()))].relative_to(whole)
            content = bytearray((copy / chosen).read_bytes())
            bit = int(rng.integers(8 * len(content)))
            content[bit // 8] ^= 1 << (bit % 8)
            (copy / chosen).write_bytes(content)
            read = msj.read_sweep(copy)
            again = msj.sweep(system, out=copy, policies=["fcfs", "first-fit"], **QUESTION)
            named = any(chosen.name in note for note in read.notes) and any(chosen.name in n for n in again.notes)
            found.append(
                Flip(file=str(chosen), place=bit // 8, named=named, equal=tuple(again.quantities) == tuple(before))
            )
            shutil.rmtree(copy)
        return found


def main() -> int:
    """Print what became of the flips; the exit code is 1 if one was silent or gave other answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=200, help="number of flips")
    parser.add_argument("--seed", type=int, default=1, help="same seed, same flips")
    given = parser.parse_args()
    found = flips(given.flips, given.seed)
    for flip in found:
        if flip.silent or not flip.equal:
            print(f"{flip.file}, byte {flip.place}: named {flip.named}, answers as before {flip.equal}")
    named, silent = sum(flip.named for flip in found), sum(flip.silent for flip in found)
    print(f"{len(found)} flips: {named} named, {silent} silent, {sum(not flip.equal for flip in found)} other answers")
    return 1 if silent or not all(flip.equal for flip in found) else 0


if __name__ == "__main__":
    sys.exit(main())
