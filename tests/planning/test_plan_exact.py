"""Plans of plain FCFS against every size looked at, and against Erlang's formula."""

from fractions import Fraction

import pytest

import msj


def cluster(servers, rate, *classes, **more):
    made = [
        msj.JobClass(name=f"c{i}", need=need, share=share, duration=law) for i, (need, share, law) in enumerate(classes)
    ]
    return msj.System(servers=servers, arrival_rate=rate, classes=made, **more)


EXP, ERLANG = msj.Exponential, msj.Erlang
H2 = msj.Hyperexponential(probabilities=[0.8, 0.2], rates=[2.0, 0.4])
SYSTEMS = {
    "1 and 2, seldom": (cluster(2, 0.3, (1, "1/2", EXP(mean=1)), (2, "1/2", EXP(mean=1))), ["p95 wait <= 1"]),
    "1 and 2, often": (cluster(2, 1.5, (1, "2/3", EXP(mean=1)), (2, "1/3", EXP(mean=2))), ["mean wait <= 0.5"]),
    "1 and 3": (cluster(3, 0.8, (1, "3/4", EXP(mean=1)), (3, "1/4", EXP(mean=1))), ["p90 response[class=c1] <= 4"]),
    "1 and 4": (cluster(4, 0.6, (1, "1/2", EXP(mean=2)), (4, "1/2", EXP(mean="2/3"))), ["share waiting <= 20 %"]),
    "2 and 3": (cluster(5, 0.7, (2, "1/2", EXP(mean=1)), (3, "1/2", EXP(mean=1))), ["P(wait > 1) <= 5 %"]),
    "2 and 5": (cluster(5, 0.4, (2, "4/5", EXP(mean=1)), (5, "1/5", EXP(mean=1))), ["mean response <= 1.3"]),
    "1, 2 and 3": (
        cluster(4, 0.8, (1, "1/2", EXP(mean=1)), (2, "1/4", EXP(mean=1)), (3, "1/4", EXP(mean=1))),
        ["p99 wait[class=c2] <= 3", "mean wait <= 0.2"],
    ),
    "Erlang": (cluster(2, 0.9, (1, "1/2", ERLANG(stages=2, mean=1)), (2, "1/2", EXP(mean=1))), ["p95 response <= 5"]),
    "hyperexponential": (cluster(2, 0.7, (1, "2/3", H2), (2, "1/3", EXP(mean=1))), ["mean wait[need=2] <= 0.8"]),
    "equal needs": (cluster(2, 0.8, (2, 1, EXP(mean=1))), ["p95 wait <= 0.6"]),
    "two classes of one need": (
        cluster(2, 0.9, (1, "1/2", EXP(mean=1)), (2, "1/4", EXP(mean=1)), (2, "1/4", EXP(mean=2))),
        ["mean wait[need=2] <= 0.7"],
    ),
    "utilisation binds": (cluster(2, 1.0, (1, "1/2", EXP(mean=1)), (2, "1/2", EXP(mean=1))), ["utilisation <= 0.3"]),
}
#: The quantity of each target, its class and level, and the limit, for a reader of tables.
READ = {
    "p95 wait <= 1": ("waiting_time_percentile", None, 95, 1),
    "mean wait <= 0.5": ("mean_waiting_time", None, None, 0.5),
    "p90 response[class=c1] <= 4": ("response_time_percentile", "c1", 90, 4),
    "share waiting <= 20 %": ("waiting_probability", None, None, 0.2),
    "P(wait > 1) <= 5 %": ("waiting_time_percentile", None, 95, 1),
    "mean response <= 1.3": ("mean_response_time", None, None, 1.3),
    "p99 wait[class=c2] <= 3": ("waiting_time_percentile", "c2", 99, 3),
    "mean wait <= 0.2": ("mean_waiting_time", None, None, 0.2),
    "p95 response <= 5": ("response_time_percentile", None, 95, 5),
    "p95 wait <= 0.6": ("waiting_time_percentile", None, 95, 0.6),
    "utilisation <= 0.3": ("utilisation", None, None, 0.3),
}


def meets(system, servers, targets):
    """Whether a size meets the targets, by what ``msj.analyse`` says of it."""
    found = msj.analyse(system.replace(servers=servers))
    if found.outcome is msj.Outcome.UNSTABLE:
        return False
    verdicts = []
    for text in targets:
        if "need=2" in text:
            pair = [c for c in system.classes if c.need == 2]
            value = sum(float(c.share) * found["mean_waiting_time", c.name] for c in pair)
            verdicts.append(value / sum(float(c.share) for c in pair) <= float(text.split()[-1]))
        else:
            name, job_class, level, limit = READ[text]
            verdicts.append(found[(name, job_class, level) if level else (name, job_class)] <= limit)
    return all(verdicts)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_plan_is_the_smallest_of_all_sizes_looked_at(name):
    system, targets = SYSTEMS[name]
    found = msj.plan(system, targets=targets)
    answer = int(found["planned_servers"])
    least = max(c.need for c in system.classes)
    verdicts = [meets(system, servers, targets) for servers in range(least, answer + 3)]
    assert verdicts == [servers >= answer for servers in range(least, answer + 3)]
    assert found.row("planned_servers").kind == "exact"
    assert found.outcome is msj.Outcome.SOLVED


def erlang_c(servers, load):
    """P(wait) of M/M/c, in fractions."""
    term, below = Fraction(1), Fraction(1)
    for n in range(1, servers):
        term *= load / n
        below += term
    top = term * load / servers * servers / (servers - load)
    return top / (below + top)


@pytest.mark.parametrize("load", [Fraction(1, 3), Fraction(5, 2), Fraction(19, 7), Fraction(41, 8), Fraction(6)])
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 50)])
def test_needs_of_one_are_planned_as_erlangs_formula_says(load, share):
    servers = int(load) + 1
    while erlang_c(servers, load) > share:
        servers += 1
    system = cluster(int(load) + 1, load, (1, 1, EXP(mean=1)))
    found = msj.plan(system, targets=f"share waiting <= {float(share)}")
    assert found["planned_servers"] == servers
    # The mean wait is P(wait)/(servers − load): its plan is right at, just above and just below the wait of some size.
    wait = erlang_c(servers, load) / (servers - load)
    for factor, answer in ((1 + 1e-6, servers), (1 - 1e-6, servers + 1)):
        found = msj.plan(system, targets=f"mean wait <= {float(wait) * factor!r}")
        assert found["planned_servers"] == answer
