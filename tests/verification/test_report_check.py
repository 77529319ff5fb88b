"""The clusters behind the table of docs/report.md, and how its last column is counted."""

from verification.report_check import values_of, verdicts
from verification.report_clusters import clusters

import msj


def test_what_is_not_here_is_left_out_in_words(tmp_path):
    found = dict(clusters(tmp_path))
    missing = [name for name, system in found.items() if isinstance(system, str)]
    assert missing == [name for name in found if name in ("slurm", "gpu") or name.startswith("Borg")]
    assert all("is not here" in found[name] for name in missing)
    assert [len(found[name].classes) for name in ("10,000 servers", "30 classes", "bursts")] == [6, 30, 3]


def test_tables_of_classes_are_read(tmp_path):
    table = tmp_path / "data" / "borg" / "borg2019_cellA_classes_N3072.txt"
    table.parent.mkdir(parents=True)
    table.write_text("(1, 0.75, 2.0)\n(100, 0.25, 4.0)\n")
    system = dict(clusters(tmp_path))["Borg A, fcfs"]
    assert [(c.need, c.share, c.duration.mean) for c in system.classes] == [(1, 0.75, 2.0), (100, 0.25, 4.0)]


def test_only_what_has_an_interval_is_judged():
    report = {
        "mean": [2.0, 1.0, 3.0],
        "p95": [5.0, None, None],
        "mean a": [1.0, 0.9, 1.1],
        "threshold": [1.0, 1.0, 1.0],
    }
    long = {"mean": [2.9, 2.8, 3.0], "p95": [9.0, 8.0, 9.0], "mean a": [1.2, 1.1, 1.3], "threshold": [1.0, 1.0, 1.0]}
    assert list(verdicts(report, long)) == [("mean", True), ("mean a", False), ("threshold", True)]
    assert list(verdicts(report, {})) == []


def test_the_values_of_a_run():
    run = msj.simulate("examples/two_servers.toml", jobs=100_000, seed=1)
    found = values_of(run)
    assert found["mean small"][0] == run["mean_response_time", "small"]
    assert found["p95"][2] == run.row("waiting_time_percentile", None, 95.0).high
    assert {"mean", "mean large", "p95 small", "p95 large"} < set(found)
