"""simulate() against exact values, and its promises: reproducible, resumable, honest about what it does not know.

Statistical tests have fixed seeds; they compare at 4 standard errors (a false alarm once in 16,000 seeds each).
"""

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from msj import Deterministic, Exponential, Hyperexponential, InvalidInput, JobClass, NotSupported, System
from msj.answers import compare, simulate
from msj.results import Outcome
from msj.simulation import simulate_at_rate
from msj.simulation.sketch import RELATIVE_ERROR
from msj.workloads import seed_sequence
from strategies import simple

EXAMPLE = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"))


def one_server(duration, rate, servers=1, **fields):
    job = JobClass(name="all", need=1, share=1, duration=duration)
    return System(servers=servers, arrival_rate=rate, classes=[job], **fields)


def close(result, name, exact, *, job_class=None, level=None, off=0.0):
    """The exact value lies within 4 standard errors of the estimate (and what a sketch may be ``off``)."""
    row = next(r for r in result if (r.name, r.job_class, r.level) == (name, job_class, level))
    error = (row.high - row.low) / 2 / stdtrit(result.provenance["batches"] - 1, 0.975)
    assert row.kind == "simulated"
    assert abs(row.value - exact) < 4 * error + off, (row, exact)


def erlang_c(servers, offered):
    terms = [offered**n / math.factorial(n) for n in range(servers)]
    last = offered**servers / math.factorial(servers) * servers / (servers - offered)
    return last / (sum(terms) + last)


@pytest.mark.parametrize("policy", ["fcfs", "first-fit"])
def test_all_needs_one_is_m_m_k(policy):
    servers, rate = 5, 4.0
    result = simulate(one_server(Exponential(mean=1), rate, servers, policy=policy), jobs=400_000, rng=11)
    waits = erlang_c(servers, rate)
    mean = waits / (servers - rate)
    close(result, "waiting_probability", waits)
    close(result, "mean_waiting_time", mean)
    close(result, "mean_response_time", mean + 1)
    close(result, "mean_jobs_waiting", rate * mean)
    close(result, "mean_jobs_in_system", rate * (mean + 1))
    close(result, "utilisation", rate / servers)
    assert result["idle_servers_while_jobs_wait"] == 0
    assert result["preemptions_per_job"] == 0
    for level in (50.0, 90.0, 99.0):  # P(wait > t) = C exp(-(servers - rate) t)
        exact = math.log(waits / (1 - level / 100)) / (servers - rate)
        close(result, "waiting_time_percentile", exact, level=level, off=RELATIVE_ERROR * exact)


@pytest.mark.parametrize(
    "duration",
    [Deterministic(value=1), Hyperexponential(rates=[2, "2/3"], probabilities=["1/2", "1/2"])],
    ids=["M/D/1", "M/H/1"],
)
def test_one_server_is_pollaczek_khinchine(duration):
    rate = 0.7
    result = simulate(one_server(duration, rate), jobs=400_000, rng=12)
    mean = rate * duration.second_moment / (2 * (1 - rate * float(duration.mean)))
    close(result, "mean_waiting_time", mean)
    close(result, "waiting_probability", rate)


def test_fcfs_known_value():
    result = simulate(EXAMPLE.replace(load=0.8), jobs=2_000_000, rng=2, stability_threshold=96 / 139)
    close(result, "mean_response_time", 8.138890770)
    close(result, "utilisation", 0.8 * 96 / 139)
    parts = [result["mean_jobs_in_system", name] for name in ("need 1", "need 4")]
    assert sum(parts) == pytest.approx(result["mean_jobs_in_system"], rel=1e-3)  # classes come by chance
    assert result["mean_waiting_time", "need 4"] > result["mean_waiting_time", "need 1"]


@pytest.mark.parametrize(
    ("policy", "exact"),
    [
        ("server-filling", 14.118319133),
        ("divisor-filling", 14.118319133),  # the same decisions for these needs
        ({"name": "max-weight", "ties": "smallest"}, 17.383088),
        ({"name": "max-weight", "ties": "largest"}, 16.392586),
    ],
)
def test_known_values_at_nine_tenths(policy, exact):
    result = simulate(EXAMPLE.replace(utilisation=0.9), policy=policy, jobs=1_000_000, rng=3)
    close(result, "mean_response_time", exact)
    assert result["preemptions_per_job"] > 0


def test_same_seed_same_answer_whatever_the_processes():
    system = EXAMPLE.replace(arrival_rate=0.5, policy="max-weight")
    first = simulate(system, jobs=20_000, rng=5, replications=4)
    assert simulate(system, jobs=20_000, rng=5, replications=4).quantities == first.quantities
    assert simulate(system, jobs=20_000, rng=5, replications=4, processes=2).quantities == first.quantities
    assert simulate(system, jobs=20_000, rng=5, replications=4, workers=3).quantities == first.quantities
    assert simulate(system, jobs=20_000, rng=6, replications=4).quantities != first.quantities
    assert simulate(system, jobs=20_000, rng=np.random.SeedSequence(5), replications=4).quantities == first.quantities


def test_precision_is_reached_or_the_limit_says_so():
    system = EXAMPLE.replace(arrival_rate=0.4)
    result = simulate(system, precision=0.01, rng=1)
    row = result.quantities[0]
    assert result.outcome is Outcome.CONVERGED
    assert (row.high - row.low) / 2 / row.value <= 0.01
    short = simulate(system, precision=1e-4, jobs=400_000, rng=1)
    assert short.outcome is Outcome.PRECISION_NOT_REACHED
    assert short.outcome.exit_code == 0
    assert 300_000 < short.provenance["jobs"] <= 400_000


def test_time_gives_as_many_jobs_as_arrive():
    assert simulate(EXAMPLE.replace(arrival_rate=0.5), time=40_000, rng=1).provenance["jobs"] == 20_000


# At rate 5/4 on one server FCFS falls behind by 1/4 a unit of time. SRPT serves the sizes below x that it can carry,
# (1 + x) exp(-x) = 1/5, x = 2.994308, and piles up the rest: 5/4 exp(-x) a unit of time.
@pytest.mark.parametrize(("policy", "growth"), [("fcfs", 0.25), ("first-fit", 0.25), ("greedy-srpt", 0.0625894)])
def test_an_unstable_system_is_named_with_its_growth(policy, growth):
    system = one_server(Exponential(mean=1), 1.25, policy=policy)
    # Nobody has told it the threshold. It stops after some ten of 120 pieces, whose growth is known to 1.3 %.
    result = simulate_at_rate(system, jobs=10_000_000, root=seed_sequence(1))
    assert result.outcome is Outcome.UNSTABLE
    assert result["queue_growth_rate"] == pytest.approx(growth, rel=0.05)
    assert "mean_response_time" not in result
    assert "grows by about" in result.notes[0]


@pytest.mark.parametrize("load", [0.5, 0.9, 0.97])
def test_stable_systems_are_not_called_unstable(load):
    for seed in range(6):
        system = one_server(Exponential(mean=1), load)
        result = simulate_at_rate(system, jobs=100_000, root=seed_sequence(seed))
        assert result.outcome is not Outcome.UNSTABLE


def test_a_checkpoint_continues_bit_for_bit(tmp_path):
    system = EXAMPLE.replace(arrival_rate=0.5, policy="server-filling")
    path = tmp_path / "run"
    seen = []

    def stop_half_way(progress):
        seen.extend([] if progress.notice else [progress.words])
        if len(seen) == 7:
            raise KeyboardInterrupt

    cut = simulate(system, jobs=40_000, rng=1, replications=5, checkpoint=path, progress=stop_half_way)
    assert cut.outcome is Outcome.INTERRUPTED
    assert 0 < cut.provenance["jobs"] < 40_000 / 2
    resumed = simulate(system, jobs=40_000, rng=1, replications=5, checkpoint=path)
    assert resumed.quantities == simulate(system, jobs=40_000, rng=1, replications=5).quantities
    assert simulate(system, jobs=40_000, replications=5, checkpoint=path).quantities == resumed.quantities
    for other in ({"jobs": 20_000}, {"rng": 2}, {"policy": "fcfs"}):
        with pytest.raises(InvalidInput, match=r"was made with (jobs|seed|system\.policy) = .* (ask|give)"):
            simulate(system, **{"jobs": 40_000, "rng": 1, "replications": 5, "checkpoint": path} | other)
    path.write_bytes(b"something else")
    with pytest.raises(InvalidInput, match="cannot be read"):
        simulate(system, jobs=40_000, checkpoint=path)


def shortest_need(needs, running, remaining, servers, chosen):
    free = servers
    for v in range(1, servers + 1):
        for i in range(len(needs)):
            if needs[i] == v and v <= free:
                chosen[i] = True
                free -= v


def test_a_users_function_equals_the_policy_it_copies():
    system = EXAMPLE.replace(arrival_rate=0.4)
    # Plain means: of the policy more is known, so it has other controls.
    mine = simulate(system, policy=shortest_need, jobs=20_000, rng=1, controls=False)
    ours = simulate(system, policy="least-servers-first", jobs=20_000, rng=1, controls=False)
    assert mine["mean_response_time"] == pytest.approx(ours["mean_response_time"], rel=1e-12)
    assert "shortest_need" in mine.quantities[0].method


def test_time_has_no_unit():
    system = EXAMPLE.replace(arrival_rate=0.5, policy="server-filling")
    slow = System(
        servers=4,
        arrival_rate=0.5 / 8,
        policy="server-filling",
        classes=[c.replace(duration=c.duration.scaled(8)) for c in EXAMPLE.classes],
    )
    first, second = (simulate(each, jobs=20_000, rng=1) for each in (system, slow))
    for name in ("mean_response_time", "mean_waiting_time"):
        assert second[name] == pytest.approx(8 * first[name], rel=1e-9)
    assert second["mean_jobs_in_system"] == pytest.approx(first["mean_jobs_in_system"], rel=1e-9)
    level = ("response_time_percentile", None, 99.0)
    assert second[level] == pytest.approx(8 * first[level], rel=1e-9)


def test_compare_serves_the_same_jobs():
    system = EXAMPLE.replace(arrival_rate=0.5)
    # Without controls: these make the means of policies that are nearly solved sharper than any difference.
    policies = ["fcfs", "first-fit", {"name": "first-fit", "window": 1}]
    found = compare(system, policies, jobs=100_000, rng=1, controls=False)
    assert found.places("policy") == ["fcfs", "first-fit", "first-fit (window = 1)"]
    row = found.at(policy="first-fit", baseline="fcfs").row("mean_response_time_difference")
    apart = [found.at(policy=name)["mean_response_time"] for name in ("first-fit", "fcfs")]
    assert row.value == pytest.approx(apart[0] - apart[1], abs=0.02)
    fcfs = found.at(policy="fcfs").row("mean_response_time")
    assert row.high - row.low < (fcfs.high - fcfs.low)  # narrower than either alone
    with pytest.raises(InvalidInput, match="at least two"):
        compare(system, ["fcfs"])
    with pytest.raises(InvalidInput, match="named twice"):
        compare(system, ["fcfs", "fcfs"], jobs=1000)


def test_differences_keep_the_laws_that_means_keep():
    """Nobody is preempted: stays differ as waits do, the durations being the same; and numbers by Little's law."""
    found = compare(EXAMPLE.replace(arrival_rate=0.5), ["fcfs", "first-fit"], jobs=10_000, rng=1)
    names = ("mean_response_time", "mean_waiting_time", "mean_jobs_in_system", "mean_jobs_waiting")
    rows = {name: next(row for row in found if row.name == f"{name}_difference") for name in names}
    stay = rows["mean_response_time"]
    assert stay.low < stay.value < stay.high < 0
    apart = [found.at(policy=policy)["mean_waiting_time"] for policy in ("first-fit", "fcfs")]
    assert stay.value == pytest.approx(apart[0] - apart[1], abs=stay.high - stay.low)
    for name, factor in zip(names, (1.0, 1.0, 0.5, 0.5), strict=True):
        row = rows[name]
        ends = [factor * end for end in (stay.value, stay.low, stay.high)]
        assert [row.value, row.low, row.high] == pytest.approx(ends, rel=1e-12), name


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"jobs": 0}, "jobs = 0 must be at least 1"),
        ({"precision": 0}, "precision = 0 must be greater than 0"),
        ({"precision": -0.1}, "precision = -0.1 must be greater than 0"),
        ({"time": -1}, "time = -1 must be greater than 0"),
        ({"jobs": 10, "time": 10}, "jobs and time are both given"),
        ({"replications": 0}, "replications = 0 must be at least 1"),
        ({"processes": 0}, "processes = 0 must be at least 1"),
        ({"warm_up": 1}, "warm_up = 1"),
        ({"rng": "x"}, "is no seed"),
        ({"policy": "server-fillin"}, "did you mean 'server-filling'"),
    ],
)
def test_bad_input(options, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        simulate(EXAMPLE.replace(arrival_rate=0.5), **options)


def test_what_is_missing_is_said():
    with pytest.raises(InvalidInput, match="no load is given"):
        simulate(EXAMPLE)
    with pytest.raises(NotSupported, match="stability threshold, which is not known here"):
        simulate(EXAMPLE.replace(load=0.8, policy="easy-backfilling"))
    with pytest.raises(InvalidInput, match="rng = 1 and seed = 1 are both given"):
        simulate(EXAMPLE.replace(arrival_rate=0.5), rng=1, seed=1)
    with pytest.raises(NotSupported, match="not a power of two"):
        simulate(simple(3, (1, 1, 1), arrival_rate=1), policy="server-filling", jobs=10)


def test_jobs_that_are_left_behind_are_not_passed_over_in_silence():
    # First fit starves jobs that need all servers: nobody sees them in means over jobs that are through.
    law = Exponential(mean=1)
    classes = [
        JobClass(name="one", need=1, share=0.99, duration=law),
        JobClass(name="all", need=30, share=0.01, duration=law),
    ]
    system = System(servers=30, classes=classes, utilisation=0.9, policy="first-fit")
    result = simulate(system, jobs=40_000, rng=1)
    assert result.outcome in (Outcome.TOO_SHORT, Outcome.UNSTABLE)
    assert "mean_response_time" not in result
    if result.outcome is Outcome.TOO_SHORT:
        assert any("had not left" in note for note in result.notes)
        assert any(note.startswith("Of about 39") and "class 'all'" in note for note in result.notes)
    fair = simulate(system.replace(policy="most-servers-first"), jobs=40_000, rng=1)
    assert fair["mean_response_time"] > 1


def test_preemptions_are_counted_by_job_and_not_by_the_clock():
    system = EXAMPLE.replace(arrival_rate=0.5, policy="max-weight")
    slower = system.replace(
        arrival_rate=0.05, classes=[c.replace(duration=c.duration.scaled(10)) for c in system.classes]
    )
    here, there = (simulate(each, jobs=20_000, rng=5)["preemptions_per_job"] for each in (system, slower))
    assert here == pytest.approx(there, rel=1e-9)
    assert here > 0.01


def test_preemptions_are_counted_per_job_whatever_the_unit_of_time():
    """Ten times slower everything takes ten times as long, and the same jobs are interrupted as often."""
    values = []
    for scale in (1, 10):
        system = simple(
            4, (1, 1 / scale, "1/2"), (4, 2 / scale, "1/2"), policy="server-filling", arrival_rate=0.8 / scale
        )
        values.append(simulate(system, jobs=10_000, seed=1, levels=(50,))["preemptions_per_job"])
    assert values[0] == pytest.approx(values[1], rel=1e-6)
    assert 0.1 < values[0] < 2


def test_no_levels_no_percentiles():
    found = simulate(EXAMPLE.replace(arrival_rate=0.3), jobs=20_000, seed=1, levels=())
    assert "mean_response_time" in found
    assert all(row.level is None for row in found)
