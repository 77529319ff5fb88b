"""What a sweep costs beside its answers, and what a second process brings: many small exact cells."""

import resource
import sys
import tempfile
import time

import msj
from msj.sweeps import running

CELLS = 10_000
SERVER = msj.System(
    servers=1,
    load=0.5,
    classes=[msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))],
)


def run(cells=CELLS):
    msj.sweep(SERVER)  # whatever is loaded or compiled once
    fewer = cells // 4
    _, answers, everything = overhead(fewer)
    print(f"{fewer:,} exact cells: beyond the answer {1e3 * (everything - answers) / fewer:.2f} ms of CPU a cell")
    alone, answers, everything = overhead(cells)
    print(f"{cells:,} exact cells in one process: {everything:.1f} s of CPU, of which answers {answers:.1f} s")
    print(f"beyond the answer {1e3 * (everything - answers) / cells:.2f} ms of CPU a cell")
    together, used = side_by_side(cells)
    print(f"one process {alone:.1f} s, two {together:.1f} s: {alone / together:.2f} times as fast", end="; ")
    print(f"two processes used {used:.1f} s of CPU for what one used {everything:.1f} s for")


def overhead(cells):
    """Return seconds, and seconds of CPU: for the answers, and for all."""
    spent, kept = [], running.open_cells

    def timed(*given):
        begun = time.process_time()
        found = kept(*given)
        spent.append(time.process_time() - begun)
        return found

    running.open_cells = timed
    try:
        with tempfile.TemporaryDirectory() as folder:
            begun, used = time.perf_counter(), time.process_time()
            ask(cells, folder, processes=1)
            return time.perf_counter() - begun, sum(spent), time.process_time() - used
    finally:
        running.open_cells = kept


def side_by_side(cells):
    """Return seconds with two processes, and the CPU all of them used."""

    def used():
        return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))

    with tempfile.TemporaryDirectory() as folder:
        begun, before = time.perf_counter(), used()
        ask(cells, folder, processes=2)
        return time.perf_counter() - begun, used() - before


def ask(cells, folder, processes):
    found = msj.sweep(SERVER, vary={"load": f"0.1..0.9/{cells}"}, out=folder, processes=processes)
    assert len(found.places("load")) == cells


if __name__ == "__main__":
    run(*map(int, sys.argv[1:]))
