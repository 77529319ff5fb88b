"""Every finite-skip model and policy with an exact answer, simulated: two ways that share no code but the spec file.

An interval is 2.09 standard errors wide to either side (20 replications). A difference of 2.2 half-widths, 4.6 standard
errors, has odds of 1 in 5,000; with some 60 comparisons at fixed seeds a false alarm has odds of about 1 in 80.
"""

import pytest

import msj
from msj.model.spec_file import from_document

SHORT, LONG = {"law": "exponential", "mean": 1}, {"law": "erlang", "stages": 2, "mean": 2}
WILD = {"law": "hyperexponential", "probabilities": [0.9, 0.1], "rates": [2, "2/11"]}


def two(first, second, **more):
    return {
        "classes": [
            {"name": "a", "share": "2/3", "need": 1, "duration": SHORT} | first,
            {"name": "b", "share": "1/3", "need": 1, "duration": LONG} | second,
        ]
    } | more


SYSTEMS = {
    "several-resources": two(
        {"need": 2, "resources": {"memory": 1}},
        {"resources": {"gpus": 1, "memory": 3}},
        servers=4,
        model={"name": "several-resources", "capacity": {"gpus": 1, "memory": 6}},
    ),
    "server-groups": two(
        {"need": 2},
        {"groups": ["new"]},
        servers=6,
        model={"name": "server-groups", "groups": {"old": 4, "new": 2}},
    ),
    "fork-join": two({"need": 3}, {}, servers=4, model="fork-join"),
    "stages": two(
        {"then": [{"need": 3, "duration": SHORT}, {"need": 2, "duration": {"law": "exponential", "mean": 0.5}}]},
        {"need": 2, "then": [{"need": 1, "duration": SHORT}]},
        servers=3,
        model="stages",
    ),
    "set-up": two({"need": 2}, {}, servers=4, model={"name": "set-up", "set_up_rate": 0.5}),
    "set-up staggered": two({"need": 2}, {}, servers=4, model={"name": "set-up", "set_up_rate": 1, "staggered": True}),
    "red-and-blue": two({"colour": "red"}, {"colour": "blue"}, servers=3, model="red-and-blue"),
    "preemption-cost": two(
        {"need": 4},
        {"duration": SHORT},
        servers=4,
        policy="server-filling",
        model={"name": "preemption-cost", "overhead_rate": 2},
    ),
    "limited processor sharing": two(
        {"need": 2},
        {"need": 2, "duration": WILD},
        servers=2,
        policy={"name": "limited-processor-sharing", "limit": 3},
    ),
    "heterogeneous servers": two({}, {}, servers=3, policy={"name": "heterogeneous-servers", "speeds": [3, 2, 1]}),
    "threshold parallelism": two({"need": 4}, {}, servers=4, policy="threshold-parallelism"),
    "server-filling": two({"need": 4}, {"need": 2}, servers=4, policy="server-filling"),
    "divisor-filling": two({"need": 3}, {"need": 2}, servers=6, policy="divisor-filling"),
    "first-fit, window 3": two({"need": 3}, {"need": 2}, servers=5, policy={"name": "first-fit", "window": 3}),
    "best-packing, window 3": two({"need": 3}, {"need": 2}, servers=5, policy={"name": "best-packing", "window": 3}),
    "M/G/k": two({}, {"duration": WILD}, servers=3),
}


@pytest.mark.parametrize("load", [0.5, 0.9])
@pytest.mark.parametrize("name", SYSTEMS)
def test_exact_mean_response_time_is_what_a_simulation_finds(name, load):
    system = from_document({**SYSTEMS[name], "load": load})
    exact = msj.analyse(system, percentiles=False)
    simulated = msj.simulate(system, jobs=4_000_000, rng=20)
    for job_class in (None, "a", "b"):
        row = next(q for q in simulated.quantities if q.name == "mean_response_time" and q.job_class == job_class)
        half_width = (row.high - row.low) / 2
        assert abs(row.value - exact["mean_response_time", job_class]) < 2.2 * half_width, (job_class, row)
        assert half_width < 0.05 * row.value  # narrow enough to notice something
