"""A minute of ``python -m verification.coverage``: no interval may cover surely less than it promises."""

import pytest
from verification.coverage import SEEDS, SYSTEMS, Cell, Counted, tasks, verdict

MOST_JOBS = 1_000_000


@pytest.mark.parametrize("name", SYSTEMS)
def test_intervals_cover(name):
    """A cell is surely below 92 % if its hits are less likely than 0.001; where 95 % is true, less than 1e-4 a cell."""
    counted = Counted(None, controls=True)
    for task in tasks([name], SEEDS["minute"], most_jobs=MOST_JOBS, only=None):
        how, cell, first, seeds = task
        counted.add(task, how(cell, seeds, True, first))
    wrong = [line for line in verdict(counted.table()) if "surely below" in line or "no interval" in line]
    assert not wrong, "\n".join(wrong)


def row(cell, name, level, runs, given, share):
    return Cell(*cell), name, level, runs, given, share


def test_what_the_verdict_says_of_a_table(capsys):
    mean, wait, p99 = ("mean_response_time", None), ("waiting_probability", None), ("waiting_time_percentile", 99.0)
    good = [
        row(("fcfs", 0.5, 20_000), *wait, 1000, 1000, 0.95),
        row(("fcfs", 0.8, 20_000), *mean, 1000, 0, float("nan")),
    ]
    assert verdict(good) == []
    assert "1 cells with intervals, mean coverage 0.9500; surely outside (0.93, 0.975): 0 (allowed 0)" in (
        capsys.readouterr().out
    )
    # 0.91 of 300 is below 0.92 by point, but not surely; 0.85 surely is, and outside of the band.
    unlucky = [*good, row(("fcfs", 0.8, 100_000), *mean, 300, 300, 0.91)]
    assert verdict(unlucky) == ["mean coverage 0.9300 is outside (0.94, 0.965)"]
    assert "0.910 of 300 (if 0.95 is true: 0.003)" in capsys.readouterr().out
    bad = [*good, row(("fcfs", 0.8, 100_000), *mean, 1000, 1000, 0.85)]
    assert verdict(bad)[0].endswith("0.850 of 1000, surely below 0.92")
    wide = [row(("fcfs", load, 20_000), *mean, 1000, 1000, 1.0) for load in (0.5, 0.8)]
    assert "2 cells are surely outside (0.93, 0.975), and 1 may be" in verdict(wide)
    # What a million jobs promise: every mean, p99 up to .95.
    promised = [
        row(("fcfs", 0.98, 1_000_000), *mean, 300, 299, 0.95),
        row(("fcfs", 0.98, 1_000_000), *p99, 300, 0, float("nan")),
        row(("fcfs", 0.95, 1_000_000), *p99, 300, 0, float("nan")),
        row(("M/G/1 Pareto 2.5", 0.5, 1_000_000), *mean, 300, 0, float("nan")),
    ]
    assert [line.endswith("no interval") for line in verdict(promised)] == [True, True]
