"""A system, simulated to a jobs file, fitted: what it was drawn from comes back."""

import numpy as np
import pytest

import msj

CLASSES = [
    msj.JobClass(name="small", need=1, share=0.6, duration=msj.Exponential(mean=2)),
    msj.JobClass(name="twin", need=1, share=0.1, duration=msj.Erlang(stages=4, mean=9)),
    msj.JobClass(
        name="large", need=6, share=0.3, duration=msj.Hyperexponential(rates=[3, 0.3], probabilities=[0.6, 0.4])
    ),
]
BURSTS = {"law": "mmpp", "rates": [9, 1], "switching": [[0, 0.2], [0.05, 0]]}
CHAIN = {"law": "markov", "matrix": [[0.9, 0.05, 0.05], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]}
SYSTEMS = {
    "independent": msj.System(servers=12, utilisation=0.6, classes=CLASSES),
    "bursts of alike jobs": msj.System(
        servers=12, utilisation=0.6, classes=CLASSES, arrivals=BURSTS, order={"law": "sticky", "probability": 0.7}
    ),
    "a chain of classes": msj.System(
        servers=12, utilisation=0.5, classes=[c.replace(share=None) for c in CLASSES], order=CHAIN
    ),
}


def fitted(system, tmp_path, jobs=40_000, replications=1):
    file = tmp_path / "jobs.parquet"
    drawn = msj.simulate(system, jobs=jobs, replications=replications, jobs_file=file, seed=11)
    return msj.fit(file, servers=system.servers, held_out=None), drawn


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_was_drawn_comes_back(name, tmp_path):
    system = SYSTEMS[name]
    found, drawn = fitted(system, tmp_path)
    cluster = found.cluster
    assert (cluster.arrivals.law, cluster.order.law) == (system.arrivals.law, system.order.law)
    assert float(cluster.arrival_rate) == pytest.approx(drawn["arrival_rate"], rel=0.03 if "burst" not in name else 0.2)
    true = {c.name: c for c in system.classes}
    assert sorted(true) == sorted(c.name for c in cluster.classes)
    runs = 1 / (1 - 0.8)  # jobs are alike over some five jobs, so shares are as sure as with a fifth of them
    for c in cluster.classes:
        given = true[c.name]
        share = float(given.share)
        jobs = 40_000 * share
        assert c.need == given.need
        assert float(c.share) == pytest.approx(share, abs=4 * np.sqrt(runs * share * (1 - share) / 40_000))
        assert c.duration.law == given.duration.law
        assert float(c.duration.mean) == pytest.approx(
            float(given.duration.mean), rel=4 * given.duration.cv / np.sqrt(jobs)
        )
        assert c.duration.cv == pytest.approx(given.duration.cv, rel=0.06)


def test_stickiness_and_burstiness_come_back_within_their_errors(tmp_path):
    system = SYSTEMS["bursts of alike jobs"]
    found, drawn = fitted(system, tmp_path)
    row = found.row("stickiness")
    assert abs(row.value - 0.7) < 4 / 1.96 * (row.high - row.value)
    rate = drawn["arrival_rate"]
    assert found.cluster.arrivals.dispersion(rate) == pytest.approx(system.arrivals.dispersion(rate), rel=0.3)
    for window in found.places("time"):
        low, high = (getattr(found.at(time=window).row("arrival_dispersion"), end) for end in ("low", "high"))
        assert low < high


def test_replications_are_taken_one_after_the_other(tmp_path):
    system = SYSTEMS["bursts of alike jobs"]
    found, drawn = fitted(system, tmp_path, replications=4)
    assert any("4 replications" in note for note in found.notes)
    # Four clocks laid over each other would come at four times the rate, and no job would be like the one before.
    assert float(found.cluster.arrival_rate) == pytest.approx(drawn["arrival_rate"], rel=0.2)
    assert found["stickiness"] == pytest.approx(0.7, abs=0.02)


def test_without_names_classes_are_needs_and_the_twins_are_one(tmp_path):
    file = tmp_path / "jobs.parquet"
    msj.simulate(SYSTEMS["independent"], jobs=20_000, jobs_file=file, seed=1, replications=1)
    found = msj.fit(file, servers=12, by="need", held_out=None)
    assert [c.need for c in found.cluster.classes] == [1, 6]
    assert float(found.cluster.classes[0].share) == pytest.approx(0.7, abs=0.02)


def test_the_written_file_is_the_fitted_cluster_in_any_unit(tmp_path):
    found = msj.fit("examples/logs/small_cluster.swf", held_out=None)
    found.write(tmp_path / "seconds.toml")
    assert msj.read(tmp_path / "seconds.toml").identity() == found.cluster.identity()
    found.write(tmp_path / "hours.toml", unit="h")
    hours = msj.read(tmp_path / "hours.toml")
    assert hours.time_unit == "hours"
    assert float(hours.arrival_rate) == pytest.approx(3600 * float(found.cluster.arrival_rate))
    text = (tmp_path / "hours.toml").read_text(encoding="utf-8")
    assert "# Order of jobs, sticky: 73 % of the jobs are of the class of the one before" in text
    assert "mean 2.317 hours" in text
