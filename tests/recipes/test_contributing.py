"""Every recipe of CONTRIBUTING.md: its file, put into a folder outside the package, is all it takes."""

import json
import re
from pathlib import Path

import pytest

import msj
from msj.registry import POLICIES

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"`(\w+\.py)`:\n\n```python\n(.*?)```", TEXT, re.DOTALL))


def listed(ask, what, name, *file):
    [row] = [row for row in ask("list", what, *file) if row["name"] == name]
    return row


def test_there_is_a_file_for_each_kind():
    assert list(RECIPES) == ["triangular.py", "every_nth.py", "skip_one.py", "one_at_a_time.py", "no_two_fit.py"]


def test_a_duration_law(put, ask, cluster):
    file = put("triangular.py", RECIPES["triangular.py"])
    assert listed(ask, "durations", "triangular")["file"] == str(file)
    law = '{ law = "triangular", width = 2 }'
    path = cluster("arrival_rate = 0.5", law)
    found = msj.Result.from_dict(ask("simulate", path, "--jobs", 40_000, "--seed", 1))
    assert found.system["classes"][0]["duration"] == {"law": "triangular", "width": 2}
    # One server and one class is the M/G/1: E[T] = E[S] + lambda E[S²]/(2(1 − rho)), Pollaczek and Khinchine.
    queue = msj.read(path)
    queue = queue.replace(servers=1, classes=[queue.classes[0].replace(share=1)])
    row = msj.simulate(queue, jobs=400_000, seed=1).row("mean_response_time")
    assert row.low < 1 + 0.5 * (7 * 4 / 24) / (2 * 0.5) < row.high


def test_an_arrival_law(put, ask, cluster):
    file = put("every_nth.py", RECIPES["every_nth.py"])
    row = listed(ask, "arrivals", "every-nth")
    assert (row["file"], row["exact methods"]) == (str(file), "yes")
    path = cluster('arrivals = { law = "every-nth", n = 3 }\narrival_rate = 0.72')
    found = msj.Result.from_dict(ask("analyse", path, "--no-percentiles"))
    gaps = {"law": "renewal", "gap": {"law": "erlang", "stages": 3, "mean": 1}}
    same = msj.analyse(msj.read(path).replace(arrivals=gaps), percentiles=False)
    assert found["mean_response_time"] == pytest.approx(same["mean_response_time"], rel=1e-12)
    run = msj.Result.from_dict(ask("simulate", path, "--jobs", 100_000, "--seed", 1)).row("mean_response_time")
    assert run.low < found["mean_response_time"] < run.high


def test_a_policy(put, ask, cluster):
    put("skip_one.py", RECIPES["skip_one.py"])
    assert "passed over" in listed(ask, "policies", "skip-one")["what it is"]
    path = cluster('policy = "skip-one"\narrival_rate = 0.72')
    exact = msj.Result.from_dict(ask("analyse", path, "--no-percentiles"))["mean_response_time"]
    system = msj.read(path)
    # The same rule has another name, another function and another way through the code inside msj.
    same = msj.analyse(system.replace(policy=msj.FirstFit(window=2)), percentiles=False)["mean_response_time"]
    assert exact == pytest.approx(same, rel=1e-9)
    row = msj.Result.from_dict(ask("simulate", path, "--jobs", 400_000, "--seed", 2)).row("mean_response_time")
    assert abs(exact - row.value) < row.high - row.low  # two half-widths: one seed, and 5 of 100 miss by one
    assert (
        msj.simulate(system, jobs=20_000, seed=3).quantities
        == msj.simulate(system.replace(policy=POLICIES.get("skip-one")()), jobs=20_000, seed=3).quantities
    )
    compared = ask("compare", path, "--policies", "fcfs,skip-one", "--jobs", 20_000, "--seed", 1)
    assert {row["at"]["policy"] for row in compared["quantities"]} == {"fcfs", "skip-one"}


def test_a_model(put, ask, cluster):
    put("one_at_a_time.py", RECIPES["one_at_a_time.py"])
    path = cluster('model = "one-at-a-time"\narrival_rate = 0.6')
    assert listed(ask, "models", "one-at-a-time", path)["chosen"] == "yes"
    found = msj.Result.from_dict(ask("analyse", path, "--no-percentiles"))
    assert found["stability_threshold"] == pytest.approx(3 / 4)
    assert found["mean_response_time"] == pytest.approx(4 / 3 + 0.6 * 4 / (2 * (1 - 0.8)))  # Pollaczek-Khinchine
    assert found["wasted_servers"] == pytest.approx(2 - (2 / 3 * 1 * 1 + 1 / 3 * 2 * 2) / (4 / 3))
    assert msj.read(path).to_spec()["model"] == "one-at-a-time"
    run = msj.Result.from_dict(ask("simulate", path, "--jobs", 400_000, "--seed", 2))
    assert run.row("mean_response_time").low < found["mean_response_time"] < run.row("mean_response_time").high


def test_an_analysis(put, ask, run, cluster, tmp_path):
    put("no_two_fit.py", RECIPES["no_two_fit.py"])
    row = listed(ask, "analyses", "no-two-fit", cluster())
    assert row["applies"] == "no: two jobs of class 'small' fit beside each other: 2 x 1 of 2 servers"
    path = tmp_path / "cluster.toml"
    path.write_text(path.read_text().replace("servers = 2", "servers = 3").replace("need = 1", "need = 2"))
    assert listed(ask, "analyses", "no-two-fit", path)["applies"] == "yes"
    found = msj.Result.from_dict(ask("analyse", path))
    assert found.row("stability_threshold").method == "one after the other"  # it was asked by itself
    chain = json.loads(run("analyse", path, "--method", "chain", "--json")[1])
    for name in ("stability_threshold", "wasted_servers"):
        assert found[name] == pytest.approx(msj.Result.from_dict(chain)[name])


def test_a_model_that_does_not_count_its_servers_is_asked_to(put, run, cluster):
    put("one_at_a_time.py", RECIPES["one_at_a_time.py"].replace("def busy_servers(", "def held_servers("))
    code, out, _ = run("analyse", cluster('model = "one-at-a-time"\narrival_rate = 0.6'))
    assert code == 0  # with bounds only
    wanted = "'one-at-a-time' does not say how many servers are busy; add busy_servers(front) to its front"
    assert wanted in " ".join(out.split())


MEAN_OF_MG1 = '''
"""One job at a time: E[T] of the M/G/1 by Pollaczek and Khinchine, whatever the durations."""

from msj.analysis.base import AtRate, ResponseAnalysis
from msj.results import Quantity


class OneByOne(ResponseAnalysis):
    """E[T] where every job needs all servers."""

    name = "one-by-one"
    summary = "E[T] of first-fit where every job needs all servers, any durations"
    citation = "Pollaczek 1930"

    def supports(self, system):
        if any(c.need < system.servers for c in system.active_classes):
            return "some jobs need fewer than all servers"
        return None if system.policy.name == "first-fit" else "the policy is not first-fit"

    def why_no_percentiles(self, system):
        return "only the mean is known"

    def at_rate(self, system, rate, *, percentiles):
        first = sum(float(c.share) * float(c.duration.mean) for c in system.active_classes)
        second = sum(float(c.share) * c.duration.second_moment for c in system.active_classes)
        mean = first + rate * second / (2 * (1 - rate * first))
        return AtRate(rows=(Quantity(name="mean_response_time", value=mean, kind="exact", method="one by one"),))


VARIANT = OneByOne
'''


def test_an_analysis_of_response_times_is_asked_by_itself_wherever_its_question_is(put):
    put("one_by_one.py", MEAN_OF_MG1)
    put("no_two_fit.py", RECIPES["no_two_fit.py"])
    law = msj.Lognormal(mean=2, cv=1)  # no phase type: nothing in msj itself is exact under first-fit
    all_servers = msj.JobClass(name="all", need=4, share=1, duration=law)
    system = msj.System(servers=4, arrival_rate=0.25, classes=[all_servers], policy="first-fit")
    expected = 2 + 0.25 * 8 / (2 * 0.5)
    assert msj.analyse(system).row("mean_response_time").method == "one by one"
    assert msj.analyse(system)["mean_response_time"] == pytest.approx(expected, rel=1e-12)
    grown = msj.cluster_scaling(system, jobs=20_000, seed=1).row("mean_response_time")
    assert (grown.method, grown.value) == ("one by one", pytest.approx(expected, rel=1e-12))
