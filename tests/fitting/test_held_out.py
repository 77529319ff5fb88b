"""Predictions of the part of a log that was held out, beside its replay."""

import numpy as np
import pytest

import msj
from msj.answers.held_out import drawn, parts_of, predictions
from msj.effort import Effort
from msj.errors import InvalidInput
from msj.fitting import FitOptions
from msj.registry import POLICIES

LOG = "examples/logs/small_cluster.swf"


@pytest.fixture(scope="module")
def found():
    return msj.fit(LOG, seed=1, draws=3)


def test_what_is_replayed_is_what_msj_replay_makes_of_the_same_stretch(found):
    submit = msj.read_log(LOG).column("submit")
    cut = float(submit[-1] - 0.5 * (submit[-1] - submit[0]))
    policies = ["fcfs", "easy-backfilling"]
    again = msj.replay(LOG, policies=policies, from_time=cut, estimates="exact", shakes=0)
    for policy in policies:
        ours, theirs = found.at(policy=policy, workload="replay"), again.at(policy=policy)
        assert ours["mean_waiting_time"] == pytest.approx(theirs["mean_waiting_time"])
        percentile = ("waiting_time_percentile", None, 95.0)
        assert ours[percentile] == pytest.approx(theirs[percentile])


def test_predictions_lie_between_their_draws_and_their_ratio_is_to_the_replay(found):
    for fit in ("independent fit", "dependent fit"):
        row = found.at(policy="fcfs", workload=fit).row("mean_waiting_time")
        assert row.low <= row.value <= row.high
        true = found.at(policy="fcfs", workload="replay")["mean_waiting_time"]
        ratio = found.at(policy="fcfs", workload=fit, quantity="mean_waiting_time")["predicted_over_replayed"]
        assert ratio == pytest.approx(row.value / true)


def test_drawn_jobs_bring_the_work_of_the_part_held_out_over_as_long_a_time():
    trace = msj.read_log(LOG)
    parts = parts_of(trace, 32, share=0.5, scale_load=1.25)
    system = msj.fit(LOG, held_out=None).independent
    brought = []
    for draw in range(30):
        jobs = drawn(system, parts, np.random.SeedSequence(3), draw).jobs
        assert jobs.arrival[-1] <= parts.span
        brought.append(float((jobs.need * jobs.duration).sum()) / (32 * parts.span))
    assert np.mean(brought) == pytest.approx(parts.utilisation, abs=4 * np.std(brought) / np.sqrt(30))


def test_progress_goes_on_by_one_of_all_runs():
    # two draws of each of two fits: four workloads
    seen = []
    parts, policies = parts_of(msj.read_log(LOG), 32, share=0.5), {"fcfs": POLICIES.get("fcfs").from_options({})}
    effort = Effort(progress=seen.append)
    predictions(parts, 32, FitOptions(), policies=policies, root=np.random.SeedSequence(1), draws=2, effort=effort)
    assert [each.done for each in seen] == pytest.approx([0.0, 1 / 4, 2 / 4, 3 / 4])
    assert [each.words for each in seen] == [f"{n} of 4 sampled workloads" for n in (1, 2, 3, 4)]


def test_closer_submissions_are_more_utilisation():
    trace = msj.read_log(LOG)
    plain, scaled = (parts_of(trace, 32, share=0.4, scale_load=f) for f in (1, 2))
    assert scaled.utilisation == pytest.approx(2 * plain.utilisation)
    assert scaled.span == pytest.approx(plain.span / 2)
    assert len(plain.first) + len(plain.jobs.jobs) == len(trace)


def test_jobs_that_are_independent_are_predicted_as_well_by_either_fit(tmp_path):
    system = msj.System(
        servers=8,
        utilisation=0.7,
        classes=[
            msj.JobClass(name="small", need=1, share=0.7, duration=msj.Exponential(mean=3)),
            msj.JobClass(name="large", need=4, share=0.3, duration=msj.Exponential(mean=2)),
        ],
    )
    file = tmp_path / "jobs.parquet"
    msj.simulate(system, jobs=20_000, jobs_file=file, seed=4, replications=1)
    found = msj.fit(file, servers=8, seed=1, draws=5, policies=["fcfs"])
    for fit in ("independent fit", "dependent fit"):
        at = found.at(policy="fcfs", workload=fit, quantity="mean_waiting_time")
        assert at.row("predicted_over_replayed", level=None).value == pytest.approx(1, abs=0.3)


def test_a_log_too_short_to_cut_has_a_fit_and_says_why_it_has_no_prediction():
    short = msj.read_log(LOG).between(0, 2 * 86400)
    found = msj.fit(short, seed=1)
    assert "prediction" in [gap.name for gap in found.missing]
    assert "200 are needed" in str(found.missing[0])


def test_a_share_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        msj.fit(LOG, held_out=1.5)
