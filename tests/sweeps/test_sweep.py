"""A sweep gives what its cells would give one by one, however, wherever and however often it is asked."""

import math
import random
import shutil
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import pandas
import pytest
from same import TWO, blocks_of, rows_of, undisturbed

import msj
from msj.sweeps import running as scheduling
from msj.sweeps.upkeep import prune, status


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A sweep that nothing has disturbed."""
    place = tmp_path_factory.mktemp("sweep") / "runs"
    undisturbed(out=place)
    return place


def test_exact_cells_are_what_analyse_says():
    found = msj.sweep(TWO, vary={"load": [0.5, 0.9], "servers": [2, 4]})
    for load in (0.5, 0.9):
        for servers in (2, 4):
            alone = msj.analyse(msj.read(TWO).replace(servers=servers, load=load))
            here = found.at(load=load, servers=servers)
            for name in ("stability_threshold", "mean_response_time", "waiting_probability"):
                assert here[name] == alone[name]
                assert here.row(name).kind == "exact"


def test_simulated_cells_hold_the_exact_value():
    """9 intervals of 95 %: that three or more miss has probability 0.8 %."""
    loads = [0.3, 0.7, 0.9]
    exact = msj.sweep(TWO, vary={"load": loads})
    found = msj.sweep(TWO, vary={"load": loads, "seed": [1, 2, 3]}, simulate=True, precision=0.05)
    assert found.outcome is msj.Outcome.CONVERGED
    missed = 0
    for row in found:
        if row.name == "mean_response_time" and row.job_class is None:
            true = exact.at(load=row.at["load"])["mean_response_time"]
            assert (row.high - row.low) / 2 / row.value <= 0.05
            missed += not row.low <= true <= row.high
    assert missed <= 2


def test_threads_and_any_executor_give_the_same_rows(folder):
    first = msj.read_sweep(folder).quantities
    with ThreadPoolExecutor(3) as pool:
        assert undisturbed(executor=pool).quantities == first


class AnyOrder(Executor):
    """Holds tasks back and ends them in an order drawn at random, one after the other."""

    _max_workers = 4

    def __init__(self, seed):
        self.draw, self.held, self.end = random.Random(seed), [], False
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def submit(self, function, /, *given):
        self.held.append((Future(), function, given))
        return self.held[-1][0]

    def work(self):
        while not self.end:
            time.sleep(0.002)  # tasks gather
            if self.held:
                future, function, given = self.held.pop(self.draw.randrange(len(self.held)))
                if future.set_running_or_notify_cancel():
                    future.set_result(function(*given))

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.end = True
        self.thread.join()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_in_which_tasks_end_does_not_matter(folder, tmp_path, seed):
    """How many blocks a cell takes is decided by its own blocks in their order, not by those that are there."""
    with AnyOrder(seed) as pool:
        undisturbed(executor=pool, out=tmp_path)
    assert rows_of(tmp_path) == rows_of(folder)


def interrupted(monkeypatch, tasks, **options):
    """A sweep that Ctrl-C ends after some tasks of blocks."""
    rounds = iter(range(tasks))

    def run(*given, kept=scheduling.run_blocks):
        if next(rounds, None) is None:
            raise KeyboardInterrupt
        return kept(*given)

    with monkeypatch.context() as patch:
        patch.setattr(scheduling, "run_blocks", run)
        assert undisturbed(**options).outcome is msj.Outcome.INTERRUPTED


def test_an_answer_does_not_depend_on_when_a_sharper_sweep_was_interrupted(folder, tmp_path, monkeypatch):
    interrupted(monkeypatch, 12, out=tmp_path, precision=1e-4)
    early = msj.read_sweep(tmp_path)
    assert early.outcome is msj.Outcome.INTERRUPTED
    [gap] = [gap for gap in early.missing if gap.failure is msj.Failure.INTERRUPTED]
    assert gap.reason.endswith("wider intervals than asked for")
    assert status(tmp_path).unfinished == gap.reason
    found = undisturbed(out=tmp_path)
    assert found.outcome is msj.Outcome.CONVERGED
    assert found.quantities == msj.read_sweep(folder).quantities
    prune(tmp_path)
    assert rows_of(tmp_path) == rows_of(folder)
    interrupted(monkeypatch, 12, out=tmp_path, precision=1e-4)
    assert msj.read_sweep(tmp_path).quantities == found.quantities  # until there is a sharper answer


def test_an_answer_that_a_job_limit_ended_does_for_a_precision_it_has_reached(tmp_path):
    blunt = undisturbed(out=tmp_path, precision=1e-4, jobs=100_000)
    assert blunt.outcome is msj.Outcome.PRECISION_NOT_REACHED
    for _ in range(2):
        found = undisturbed(out=tmp_path)
        assert found.outcome is msj.Outcome.CONVERGED
        assert found.quantities == blunt.quantities


def test_what_is_there_is_not_computed_again(folder, monkeypatch):
    monkeypatch.setattr(scheduling, "open_cells", None)
    monkeypatch.setattr(scheduling, "run_blocks", None)
    assert undisturbed(out=folder).quantities == msj.read_sweep(folder).quantities


def test_a_cell_without_an_answer_is_a_row_with_a_sentence(folder):
    rows = pandas.read_parquet(folder / "rows")
    without = rows[rows.name.isna()]
    assert sorted(without.policy) == ["fcfs", "fcfs", "first-fit", "first-fit"]
    assert set(without.servers) == {1} or set(without.servers) == {1.0}
    assert set(without.message) == {"class 'large' needs 2 of 1 servers; raise servers or lower need"}
    [gap] = msj.read_sweep(folder).missing
    assert str(gap) == ("No answer at servers = 1: class 'large' needs 2 of 1 servers; raise servers or lower need.")


def test_more_effort_sharpens_and_less_leaves_as_it_is(folder, tmp_path):
    again = tmp_path / "runs"
    shutil.copytree(folder, again)
    sharp = undisturbed(out=again, precision=0.004)
    assert sharp.quantities == undisturbed(precision=0.004).quantities
    before, after = blocks_of(folder), blocks_of(again)
    assert {key: after[key] for key in before} == before
    assert len(after) > len(before)
    assert undisturbed(out=again, precision=0.2).quantities == sharp.quantities


def test_shards_together_are_the_whole(folder, tmp_path):
    shared = tmp_path / "runs"
    for part in (3, 1, 2):
        undisturbed(out=shared, shard=f"{part}/3")
    assert rows_of(shared) == rows_of(folder)
    assert blocks_of(shared) == blocks_of(folder)


def test_two_copies_continued_apart_and_put_together_are_equal(folder, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    undisturbed(out=one, shard="2/3")
    shutil.copytree(one, other)
    undisturbed(out=one, shard="1/3")
    undisturbed(out=other)
    shutil.copytree(other, one, dirs_exist_ok=True)
    assert msj.read_sweep(one).quantities == msj.read_sweep(folder).quantities
    prune(one)  # what both have computed is there twice, and equal
    assert rows_of(one) == rows_of(folder)
    assert blocks_of(one) == blocks_of(folder)


def test_pruning_keeps_the_sharpest_and_forgets_other_code(folder, tmp_path, monkeypatch):
    again = tmp_path / "runs"
    shutil.copytree(folder, again)
    sharp = undisturbed(out=again, precision=0.004).quantities
    rows = len(pandas.read_parquet(again / "rows"))
    removed, _ = prune(again)
    assert removed > 0
    assert len(pandas.read_parquet(again / "rows")) == rows - removed
    assert msj.read_sweep(again).quantities == sharp
    monkeypatch.setattr("msj.sweeps.folder.computing_code", lambda: "another version of the code")
    assert status(again).stale == 8
    prune(again)
    assert status(again).asked == status(again).blocks == 0


def test_status_counts_what_there_is(folder):
    found = status(folder)
    assert (found.asked, found.exact, found.simulated, found.without, found.waiting) == (8, 2, 2, 4, 0)
    assert found.blocks == len(blocks_of(folder))
    assert 0 < found.widest <= 0.2


def test_a_load_that_is_too_much_is_unstable_and_not_the_end():
    found = msj.sweep(TWO, vary={"utilisation": [0.5, 0.95]}, policies=["fcfs", "first-fit"], precision=0.2, jobs=2e6)
    assert found.at(policy="fcfs", utilisation=0.5)["mean_response_time"] > 0
    [gap] = [gap for gap in found.missing if gap.at.get("policy") == "fcfs"]
    assert gap.failure is msj.Failure.UNSTABLE


def test_a_queue_that_runs_away_is_found_out_by_its_growth():
    """First-fit takes nearly all of 4 servers for needs 3 and 2, but not 99 %: no theorem says so, its queue does."""
    system = msj.System(servers=4, utilisation=0.97, classes=[
        msj.JobClass(name="a", need=3, share="1/2", duration=msj.Exponential(mean=1)),
        msj.JobClass(name="b", need=2, share="1/2", duration=msj.Exponential(mean=1)),
    ], policy="easy-backfilling")  # fmt: skip
    found = msj.sweep(system, precision=0.2, jobs=10**7)
    assert found.outcome is msj.Outcome.UNSTABLE


def test_the_same_rate_said_in_two_ways_is_simulated_once(monkeypatch):
    ran = []

    def counted(*given, kept=scheduling.run_blocks):
        found = kept(*given)  # of a task that takes long only what was done comes back
        ran.extend(index for index, *_ in found)
        return found

    monkeypatch.setattr(scheduling, "run_blocks", counted)
    system = msj.read(TWO)
    named = {
        "load": system.replace(load=0.5),
        "rate": system.replace(arrival_rate=msj.analyse(system.replace(load=0.5))["arrival_rate"]),
    }
    found = msj.sweep([s.replace(name=name) for name, s in named.items()], policies=["first-fit"], precision=0.2)
    assert found.at(cluster="load")["mean_response_time"] == found.at(cluster="rate")["mean_response_time"]
    assert len(set(ran)) == len(ran)


def test_without_a_load_there_is_the_threshold():
    system = msj.read(TWO).replace(load=None)
    found = msj.sweep(system, vary={"servers": [2, 4]}, policies=["fcfs", "first-fit"])
    assert found.at(servers=2, policy="fcfs")["stability_threshold"] == pytest.approx(0.9)
    assert found.at(servers=4, policy="first-fit").row("stability_threshold").kind == "simulated"


def test_the_time_allowed_is_kept():
    assert undisturbed(seconds=1e-9).outcome is msj.Outcome.OUT_OF_TIME


def test_means_without_a_finite_variance_have_no_interval_and_come_to_an_end():
    heavy = [c.replace(duration=msj.Pareto(shape=1.8, minimum=1)) for c in msj.read(TWO).classes]
    found = msj.sweep(msj.read(TWO).replace(classes=heavy, utilisation=0.3), policies=["first-fit"])
    row = found.row("mean_response_time")
    assert math.isfinite(row.value)
    assert row.low is None


def test_the_same_sweep_is_asked_again_from_its_result():
    found = msj.sweep(TWO, vary="seed=3,4", policies=["first-fit"], precision=0.5)
    assert msj.rerun(found.to_dict()).quantities == found.quantities


SIX = {"vary": {"load": [0.3, 0.35, 0.4, 0.45, 0.5, 0.55]}, "policies": ["first-fit"], "precision": 0.2}


def test_simulated_cells_are_answered_one_after_the_other(tmp_path, monkeypatch):
    """Each takes five tasks of eight blocks; after half of them half of the cells have their final answers."""
    interrupted(monkeypatch, 15, **SIX, out=tmp_path)
    rows = pandas.read_parquet(tmp_path / "rows").drop_duplicates("cell")
    assert 2 <= list(rows.outcome).count("converged") <= 3


def test_progress_is_not_complete_before_all_cells_are_answered():
    seen = []
    msj.sweep(TWO, **SIX, progress=lambda now: seen.append((now.done, int(now.words.split()[0]))))
    assert all(done < 1.0 for done, answered in seen if answered < 6)


def test_a_precision_is_not_overpaid():
    """Where more than the shortest run is needed, at most twice the jobs that the precision takes are served."""
    found = msj.sweep(TWO, vary={"load": [0.7], "seed": [1, 2, 3]}, policies=["first-fit"], precision=0.004)
    for seed in (1, 2, 3):
        row = found.at(seed=seed).row("mean_response_time")
        half = (row.high - row.low) / 2 / row.value
        blocks = int(row.method.rpartition(" in ")[2].split()[0])
        assert half <= 0.004
        assert blocks > 40
        assert (0.004 / half) ** 2 <= 2.0
