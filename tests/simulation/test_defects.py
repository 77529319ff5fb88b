"""What was once wrong with simulated answers, each as it was reported (S1 to S12)."""

import json
import math
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from verification.coverage import Cell, measure, measure_difference

import msj
from msj import Exponential, InvalidInput, JobClass, Lognormal, Pareto, System
from msj.effort import Effort
from msj.results import Outcome
from msj.simulation import Known, simulate_at_rate
from msj.simulation.long_jobs import long_jobs
from msj.simulation.memory import memory_of, why_no_variance
from msj.workloads import seed_sequence
from strategies import simple

W1 = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"))
THRESHOLD = 96 / 139
E = "examples/two_servers.toml"


def two_classes(servers, **fields):
    law = Exponential(mean=1)
    classes = [
        JobClass(name="a", need=1, share="1/2", duration=law),
        JobClass(name="b", need=2, share="1/2", duration=law),
    ]
    return System(servers=servers, classes=classes, utilisation=0.5, **fields)


# S1: at a true coverage of 95 %, 40 runs of 60 miss with probability below 1e-6 (binomial: 46 or fewer).
@pytest.mark.parametrize("controls", [True, False], ids=["controls", "plain"])
@pytest.mark.parametrize("cell", [Cell("fcfs", 0.95, 100_000), Cell("fcfs", 0.8, 20_000)], ids=str)
def test_s1_intervals_of_means_hold_at_heavy_load(cell, controls):
    hits = measure(cell, 60, controls, levels=(50,))["mean_response_time", None]
    assert None not in hits
    assert sum(hits) >= 47


def test_s1_a_run_that_is_too_short_says_so_and_how_long_would_do():
    result = msj.simulate(W1.replace(load=0.98), jobs=20_000, seed=1)
    assert (result.outcome.label, result.outcome.exit_code) == ("too-short", 0)
    assert "mean_response_time" not in result  # it remembers the empty beginning
    assert "jobs would do" in result.notes[0]
    longer = msj.simulate(W1.replace(load=0.98), jobs=100_000, seed=1)
    row = longer.row("mean_response_time")
    assert longer.outcome is Outcome.TOO_SHORT
    assert (row.low, row.high) == (None, None)
    enough = int(longer.notes[0].split("about ")[2].split(" ")[0].replace(",", ""))
    assert msj.simulate(W1.replace(load=0.98), jobs=enough, seed=1).row("mean_response_time").low is not None


def test_s2_far_percentiles_hold_or_have_no_interval():
    found = measure(Cell("fcfs", 0.8, 100_000), 60, True)
    assert set(found["waiting_time_percentile", 99.9]) == {None}
    assert sum(found["waiting_time_percentile", 99.0]) >= 47
    result = msj.simulate(W1.replace(load=0.8), jobs=100_000, seed=1, levels=(90, 99.9))
    assert {row.level for row in result if row.level is not None} == {90, 99.9}
    assert any("beyond percentile 99.9" in note and "jobs would do" in note for note in result.notes)


def test_s3_precision_is_not_reached_by_a_lucky_look():
    hits = measure(Cell("fcfs", 0.8, 0), 40, True, levels=(50,))["mean_response_time", None]
    assert None not in hits
    assert sum(hits) >= 30  # one in 100,000 at 95 %


def test_s3_a_precision_that_no_run_can_reach_takes_no_longer_than_a_plain_run():
    law = Pareto(shape=2.5, minimum=1)
    system = System(servers=4, classes=[JobClass(name="a", need=4, share=1, duration=law)], utilisation=0.5)
    result = msj.simulate(system, precision=0.1, seed=1)
    assert result.outcome is Outcome.PRECISION_NOT_REACHED
    assert 900_000 < result.provenance["jobs"] <= 1_000_000
    assert any("no interval, however long the run" in note for note in result.notes)
    assert msj.simulate(system, precision=0.1, jobs=300_000, seed=1).provenance["jobs"] <= 300_000


def test_s3_where_nobody_was_lost_a_precision_is_not_reached():
    jobs = JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))
    system = System(servers=50, classes=[jobs], policy="loss", arrival_rate=0.5)
    result = msj.simulate(system, precision=0.1, jobs=200_000, seed=1)
    assert result.outcome is Outcome.PRECISION_NOT_REACHED
    row = result.row("loss_probability")
    assert row.value == row.low == 0 < row.high < 1e-3  # Erlang's B is 2e-80


def test_s4_where_nobody_waits_every_difference_is_zero():
    found = msj.compare(two_classes(10_000), ["fcfs", "first-fit", "easy-backfilling"], jobs=100_000, seed=1)
    rows = [row for row in found if row.name.endswith("_difference")]
    assert len(rows) == 10
    assert all(row.value == row.low == row.high == 0.0 for row in rows)


def test_s4_differences_hold():
    cell = Cell("server-filling", 0.95, 100_000)
    hits = measure_difference(cell, 40, True)["mean_response_time_difference", None]
    assert None not in hits
    assert sum(hits) >= 30


def test_s5_known_overload_is_not_simulated():
    for load in (1, 1.01, 1.1):
        result = msj.simulate(E, jobs=20_000) if load < 1 else msj.simulate(msj.read(E).replace(load=load), jobs=20_000)
        assert (result.outcome, result.outcome.exit_code) == (Outcome.UNSTABLE, 1)
        assert "mean_response_time" not in result
        assert "stability threshold" in result.notes[0]
    found = msj.compare(msj.read(E).replace(load=1.01), ["fcfs", "server-filling"], jobs=100_000, seed=1)
    assert not [row for row in found if row.name.endswith("_difference")]
    assert [(gap.failure.label, dict(gap.at)) for gap in found.missing] == [("unstable", {"policy": "fcfs"})]


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "server-filling", "greedy-srpt"])
def test_s6_no_more_than_all_servers_are_busy(policy):
    system = W1.replace(arrival_rate=0.99 * W1.naive_threshold, policy=policy)
    for seed in range(5):
        result = simulate_at_rate(system, jobs=3_000, root=seed_sequence(seed), warm_up=0.1)
        if "utilisation" in result:
            assert 0 < result["utilisation"] <= 1


def test_s7_a_cluster_that_fills_up_is_not_unstable():
    for seed in range(4):
        result = msj.simulate(two_classes(1024, policy="first-fit"), jobs=20_000, seed=seed)
        assert result.outcome is not Outcome.UNSTABLE
        assert result["mean_response_time"] == 1.0


def test_s8_heavy_tails_are_named_and_the_mean_duration_is_known():
    law = Pareto(shape=1.5, minimum=0.65)
    system = System(servers=64, classes=[JobClass(name="a", need=1, share=1, duration=law)], utilisation=0.3)
    result = msj.simulate(system, jobs=50_000, seed=1)
    row = result.row("mean_response_time")
    assert row.value == pytest.approx(1.95 + result["mean_waiting_time"], rel=1e-12)
    assert (row.low, row.high) == (None, None)
    assert any("infinite variance" in note for note in result.notes)


@pytest.mark.parametrize(
    ("shape", "servers", "load", "finite"), [(2.5, 1, 0.5, False), (4.5, 1, 0.5, True), (2.5, 64, 0.5, True)]
)
def test_s8_the_laws_tell_whether_means_have_a_variance(shape, servers, load, finite):
    law = Pareto(shape=shape, minimum=1)
    system = System(servers=servers, classes=[JobClass(name="a", need=1, share=1, duration=law)], utilisation=load)
    assert (why_no_variance(system, load * system.naive_threshold) is None) == finite


@pytest.mark.parametrize("rate", [1e-15, 1e-6, 1e-3])
def test_s9_time_keeps_its_digits(rate):
    for policy in ("fcfs", "first-fit"):
        result = msj.simulate(msj.read(E).replace(load=None, arrival_rate=rate, policy=policy), jobs=20_000, seed=1)
        row = result.row("mean_response_time")
        assert row.low >= 4 / 3 * (1 - 1e-12)
        assert row.high < 4 / 3 * 1.01
        assert result["utilisation"] == pytest.approx(rate * 10 / 9 * 0.9, rel=0.2)
        assert result["response_time_percentile", None, 50.0] == pytest.approx(0.85, rel=0.2)


def pick(needs, running, remaining, servers, chosen):
    free = servers
    for i in range(len(needs)):
        if needs[i] <= free:
            chosen[i] = True
            free -= needs[i]


def test_s10_workers_are_threads():
    before = threading.active_count()
    alone = msj.simulate(W1.replace(arrival_rate=0.4), policy=pick, jobs=20_000, seed=1)
    assert (
        msj.simulate(W1.replace(arrival_rate=0.4), policy=pick, jobs=20_000, seed=1, workers=2).quantities
        == alone.quantities
    )
    assert threading.active_count() == before


def test_s10_a_deadline_ends_a_run_with_what_there_is():
    started = time.monotonic()
    result = simulate_at_rate(
        W1.replace(arrival_rate=0.4),
        root=seed_sequence(1),
        effort=Effort.lasting(0.5, jobs=10**9),
        known=Known(stability_threshold=THRESHOLD),
    )
    assert time.monotonic() - started < 10
    assert (result.outcome.label, result.outcome.exit_code) == ("out-of-time", 0)


def test_s11_many_classes_need_little_memory():
    script = (
        "import msj\n"
        "law = msj.Exponential(mean=1)\n"
        "classes = [msj.JobClass(name=str(i), need=1 + i % 7, share='1/300', duration=law) for i in range(300)]\n"
        "system = msj.System(servers=64, classes=classes, utilisation=0.5)\n"
        "msj.simulate(system, jobs=100_000, seed=1)\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"
    )
    # The kernel's peak of this program alone: ru_maxrss is inherited from whoever starts it.
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak memory of a program is read from /proc, which is not there")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 500_000  # kilobytes, half of them for the libraries; 3.3 MB for each class was too much


def test_s11_a_run_of_many_minutes_says_so_before_it_is_made(monkeypatch):
    monkeypatch.setattr("msj.simulation.run.UNUSUAL", 5.0)  # two minutes here: however fast the machine is
    law = Exponential(mean=1)
    classes = [JobClass(name=str(need), need=need, share="1/4", duration=law) for need in (1, 7, 100, 1000)]
    system = System(servers=10_000, classes=classes, policy="max-weight", utilisation=0.8)

    class Said(Exception):
        pass

    def listen(progress):
        if progress.notice and "at this pace" in progress.words:
            assert progress.done == 0
            raise Said(progress.words)

    with pytest.raises(Said, match=r"1,000,000 jobs will take about \d+ (minutes|hours|days) at this pace"):
        msj.simulate(system, jobs=1_000_000, seed=1, progress=listen)
    msj.simulate(system.replace(policy="fcfs"), jobs=1_000, seed=1, progress=listen)  # nothing unusual


def test_s12_jobs_files(tmp_path):
    system = W1.replace(arrival_rate=0.4)
    csv = tmp_path / "jobs.csv"
    result = msj.simulate(system, jobs=3_000, seed=1, jobs_file=csv)
    lines = csv.read_text().splitlines()
    assert lines[0].replace('"', "").split(",")[:4] == ["replication", "job", "class", "need"]
    assert {line.split(",")[2].strip('"') for line in lines[1:]} == {"need 1", "need 4"}
    assert len(lines) - 1 >= result.provenance["jobs"] == 3_000
    assert [path.name for path in tmp_path.iterdir()] == ["jobs.csv"]
    parquet = pytest.importorskip("pyarrow.parquet")
    msj.simulate(system, jobs=3_000, seed=1, jobs_file=tmp_path / "jobs.parquet", workers=2)
    assert sorted(set(parquet.read_table(tmp_path / "jobs.parquet").to_pandas()["class"])) == ["need 1", "need 4"]


def test_s12_one_writer_at_a_time(tmp_path):
    path = tmp_path / "jobs.csv"

    def second(progress):
        if not progress.notice:
            with pytest.raises(InvalidInput, match="is being written by process"):
                msj.simulate(W1.replace(arrival_rate=0.4), jobs=100, jobs_file=path)

    msj.simulate(W1.replace(arrival_rate=0.4), jobs=1_000, seed=1, jobs_file=path, progress=second)
    assert path.exists()


def test_s12_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "jobs.csv"
    path.write_text("old")
    import pyarrow.csv

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pyarrow.csv, "CSVWriter", full)
    with pytest.raises(InvalidInput, match=r"jobs\.csv' cannot be written \(No space left on device\)"):
        msj.simulate(W1.replace(arrival_rate=0.4), jobs=1_000, seed=1, jobs_file=path)
    assert path.read_text() == "old"


def test_memory_is_that_of_m_m_1_near_saturation():
    # Sum of the correlations of waiting times, in services: (2 + 5r - 4r² + r³)/((2 - r)(1 - r)²) (Whitt 1989).
    for load in (0.5, 0.8, 0.9, 0.99):
        one = System(
            servers=1, arrival_rate=load, classes=[JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))]
        )
        exact = (2 + 5 * load - 4 * load**2 + load**3) / ((2 - load) * (1 - load) ** 2)
        assert load * memory_of(one, load, 1.0) == pytest.approx(exact, rel=0.15)
    assert memory_of(one, 1.0, 1.0) == math.inf


def test_long_jobs_are_those_one_of_which_holds_up_the_rest():
    law = Lognormal(mean=1, cv=2.5)
    one = System(servers=1, classes=[JobClass(name="a", need=1, share=1, duration=law)])
    assert long_jobs(one, 0.5) == pytest.approx((1 + 2.5**2) ** 4 - 6)
    many = System(servers=64, classes=[JobClass(name="a", need=1, share=1, duration=law)])
    assert long_jobs(many, 32.0) < 0.01 * long_jobs(one, 0.5)  # of 64 servers it takes many at once
    usual = System(servers=64, classes=[JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))])
    assert long_jobs(usual, 32.0) == 0.0


@pytest.mark.parametrize(
    "law", [Lognormal(mean=2, cv=1.5), Pareto(shape=9, minimum=1), msj.Uniform(low=1, high=3)], ids=str
)
def test_moments_are_those_of_the_law(law):
    values = law.sample(np.random.default_rng(1), 400_000)
    assert law.moment(1) == pytest.approx(float(law.mean))
    assert law.moment(2) == pytest.approx(law.second_moment)
    for order in (-2, -1, 3):
        assert law.moment(order) == pytest.approx((values**order).mean(), rel=0.1)


def test_levels_on_the_command_line():
    from click.testing import CliRunner

    from msj.cli.simulate import simulate

    done = CliRunner().invoke(
        simulate, [E, "--jobs", "20000", "--seed", "1", "--levels", "90,99", "--workers", "2", "--json"]
    )
    levels = {row["level"] for row in json.loads(done.stdout)["quantities"]}
    assert levels == {None, 90.0, 99.0}
    assert CliRunner().invoke(simulate, [E, "--levels", "most"]).exit_code == 2
