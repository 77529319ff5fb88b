"""Twenty combinations of models, environments and caps, solved and simulated: two ways that share only plain values.

Per class and for the rows of servers: z = (simulated − exact) / standard error, where an interval is 2.09 standard
errors to either side (20 replications). At |z| < 4.6 a false alarm has odds of 1 in 5,000 for each of some 440 rows, at
fixed seeds about 1 in 12 for all; the mean square of all z-scores is near 1 if the intervals are right.
"""

import pytest

import msj
from combinations import COMBINATIONS
from msj.model.spec_file import from_document

ROWS = ("mean_response_time", "busy_servers", "idle_servers", "set_up_servers", "off_servers", "broken_servers",
        "paying_servers", "mean_power", "mean_cost", "mean_waiting_time", "waiting_probability")  # fmt: skip


def z_scores(name, load, jobs):
    system = from_document({**COMBINATIONS[name], "load": load})
    exact = msj.analyse(system, percentiles=False)
    simulated = msj.simulate(system, jobs=jobs, rng=28)
    found = {}
    for row in simulated.quantities:
        if row.name in ROWS:
            known = [q.value for q in exact.quantities if q.name == row.name and q.job_class == row.job_class]
            if not known and "waiting" in row.name:
                continue  # where stages, speeds and servers that come and go meet, what is waiting is not told exactly
            assert len(known) == 1, (row.name, row.job_class)
            error = (row.high - row.low) / 2 / 2.09
            if error > 0:
                found[row.name, row.job_class] = (row.value - known[0]) / error
            else:
                assert row.value == pytest.approx(known[0], abs=1e-9)
    return found


@pytest.mark.parametrize("load", [0.5, 0.85])
@pytest.mark.parametrize("name", COMBINATIONS)
def test_exact_answers_are_what_a_simulation_finds(name, load):
    found = z_scores(name, load, 1_000_000)
    assert {("mean_response_time", c) for c in (None, "a", "b")} <= set(found)
    assert max(map(abs, found.values())) < 4.6, found
