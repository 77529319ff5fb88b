"""Every row without an interval has a reason in the notes, and the number of jobs that would do does."""

import re

import pytest

import msj

RARE = msj.System(
    servers=8,
    arrival_rate=2,
    classes=[
        msj.JobClass(name="small", need=1, share="199/200", duration=msj.Lognormal(mean=2, cv=1)),
        msj.JobClass(name="large", need=6, share="1/200", duration=msj.Lognormal(mean=2, cv=1)),
    ],
)
ONE_CLASS = msj.System(
    servers=2, arrival_rate=1, classes=[msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))]
)
HEAVY = ONE_CLASS.replace(
    classes=[msj.JobClass(name="all", need=1, share=1, duration=msj.Pareto(shape="9/4", minimum=1))],
    arrival_rate="1/2",
)


def without_interval(result):
    """Return the names, classes and levels of rows that are estimates and have no interval."""
    rows = [row for row in result if row.kind == "simulated" and row.name != "variance_reduction"]
    return {(row.name, row.job_class, row.level) for row in rows if row.low is None}


@pytest.mark.parametrize("system", [RARE, ONE_CLASS, HEAVY])
def test_rows_without_an_interval_are_named(system):
    run = msj.simulate(system, jobs=60_000, seed=1, levels=(50, 99.9), controls=False)
    notes = " ".join(run.notes)
    bare = without_interval(run)
    assert bare
    for name, job_class, level in bare:
        if level is not None:
            assert re.search(rf"ercentile[^.]*{level:g}|ercentiles of class '{job_class}'", notes)
        elif name == "mean_slowdown" and "mean_slowdown" in notes:
            continue
        else:
            assert "no interval" in notes


def test_as_many_jobs_as_a_note_says_give_the_interval():
    few = msj.simulate(RARE, jobs=60_000, seed=1, levels=(50,))
    assert ("waiting_time_percentile", "large", 50) in without_interval(few)
    (note,) = [note for note in few.notes if "'large'" in note]
    enough = int(note.split("about ")[-1].split(" jobs")[0].replace(",", ""))
    assert enough > 60_000
    assert not without_interval(msj.simulate(RARE, jobs=enough, seed=1, levels=(50,)))
