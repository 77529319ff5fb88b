"""A policy that does not apply is left out with its reason by every command; what is misspelt or fails is an error."""

import json
from pathlib import Path

import numpy as np
import pytest

import msj
from msj.cli import main
from msj.disciplines.applicable import why_not_comparable, why_policy_does_not_apply
from msj.errors import BadFunction

TWO = "examples/two_servers.toml"
LOG = "examples/logs/small_cluster.swf"
ONE_EACH = "class 'large' needs 2 servers; every job must need one"


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as leave:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return leave.value.code or 0, said.out, said.err


def fails(needs, running, remaining, servers, chosen):
    several = {"jobs": [object()] * len(needs)}  # the compiler does not take this: plain Python
    for i in range(len(needs)):
        if len(several["jobs"]) > 30:
            raise ValueError("a mistake of the user's")
        chosen[i] = needs[: i + 1].sum() <= servers


def test_one_function_decides():
    system = msj.read(TWO)
    assert why_policy_does_not_apply(system, msj.Fcfs()) is None
    assert why_policy_does_not_apply(system, msj.HeterogeneousServers()) == ONE_EACH
    assert why_policy_does_not_apply(system, msj.Loss()) is None
    assert "loses jobs" in why_not_comparable(system, msj.Loss())
    sleeping = msj.read("examples/models/set_up.toml")
    assert "goes with policy 'fcfs'" in why_policy_does_not_apply(sleeping, msj.FirstFit())


def test_not_supported_at_set_up_is_a_reason_and_a_bad_function_is_not():
    class Refuses(msj.FirstFit):
        def engine(self, servers):
            raise msj.NotSupported(f"{servers} servers are too few")

    class Fails(msj.FirstFit):
        def supports(self, system):
            raise BadFunction("policy function 'x' fails")

    assert why_policy_does_not_apply(msj.read(TWO), Refuses()) == "2 servers are too few"
    with pytest.raises(BadFunction):
        why_policy_does_not_apply(msj.read(TWO), Fails())


def test_compare_leaves_out_what_does_not_apply_and_takes_the_next_as_baseline():
    found = msj.compare(TWO, ["heterogeneous-servers", "fcfs", "loss", "first-fit"], jobs=4000, seed=1)
    assert [*found.places("policy")] == ["fcfs", "first-fit"]
    assert any("heterogeneous-servers" in note and ONE_EACH in note for note in found.notes)
    assert any("from 'fcfs'" in note for note in found.notes)
    gaps = {gap.at["policy"]: gap for gap in found.missing}
    assert gaps["heterogeneous-servers"].reason == ONE_EACH
    assert gaps["loss"].failure is msj.Failure.NOT_SUPPORTED
    assert found.row("mean_response_time_difference").at["baseline"] == "fcfs"
    alone = msj.compare(TWO, ["fcfs", "first-fit"], jobs=4000, seed=1)
    assert found.quantities == alone.quantities
    assert str(found).count(ONE_EACH.split(";")[0]) == 1  # the text gives the reason once


def test_compare_is_an_error_only_if_none_applies(capsys):
    with pytest.raises(msj.NotSupported, match=r"none of the policies applies.*needs 2 servers.*loses jobs"):
        msj.compare(TWO, ["heterogeneous-servers", "loss"], jobs=100, seed=1)
    assert run(capsys, "compare", TWO, "--policies", "heterogeneous-servers,loss", "--jobs", "100")[0] == 2
    code, out, _ = run(
        capsys, "compare", TWO, "--policies", "fcfs,loss", "--jobs", "2000", "--seed", "1", "--json"
    )  # fmt: skip
    assert code == 0
    assert any("loses jobs" in note for note in json.loads(out)["notes"])


@pytest.mark.parametrize("policies", [["fcfs", "loss", "frist-fit"], ["loss", {"name": "first-fit", "windw": 2}]])
def test_a_misspelt_name_or_option_is_an_error(policies):
    for ask in (
        lambda: msj.compare(TWO, policies, jobs=100, seed=1),
        lambda: msj.replay(LOG, policies=policies, shakes=0),
        lambda: msj.sweep(TWO, policies=policies),
        lambda: msj.report(TWO, policies=policies, seconds=1),
    ):
        with pytest.raises(msj.InvalidInput, match="unknown"):
            ask()


def test_a_function_that_fails_is_an_error_everywhere(tmp_path, capsys):
    with pytest.raises(BadFunction, match="a mistake of the user's"):
        msj.compare(TWO, ["fcfs", fails], jobs=2000, seed=1)
    file = tmp_path / "mine.py"
    text = Path(__file__).read_text().partition("def fails")[2].partition("\n\n\n")[0]
    file.write_text(f"def fails{text}\n")
    code, out, _ = run(
        capsys, "sweep", TWO, "--policies", f"fcfs,{file}:fails", "--vary", "load=0.9", "--processes", "1", "--json"
    )
    assert code == 2
    document = json.loads(out)
    assert [gap["failure"] for gap in document["missing"]] == ["bad-function"]
    assert document["quantities"]  # the other policy has its answer
    with pytest.raises(BadFunction):
        msj.sweep(TWO, policies=[f"{file}:fails"], vary="load=0.9")


def test_replay_asks_whether_a_policy_applies_to_the_jobs_of_a_log():
    found = msj.replay(LOG, policies=["server-filling", "fcfs", "loss"], shakes=0, seed=1)
    assert [*found.places("policy")] == ["fcfs"]
    assert found.system["policies"] == ["fcfs"]
    gaps = {gap.at["policy"]: gap.reason for gap in found.missing}
    assert "needs 3 servers, not a power of two" in gaps["server-filling"]
    assert all(any(reason in note for note in found.notes) for reason in gaps.values())
    with pytest.raises(msj.NotSupported, match="policy 'server-filling' does not apply"):
        msj.replay(LOG, policies=["server-filling"], shakes=0, seed=1)
    jobs = msj.RecordedJobs(arrival=[0, 0, 0], need=[1, 2, 1], duration=[3.0, 1.0, 0.0])
    assert msj.replay(jobs, servers=2, policy="server-filling")["makespan"] > 0


def test_replay_sets_a_policy_up_for_the_jobs_of_the_log():
    """Four servers, half for each need: the wide job does not wait for the long narrow ones."""
    jobs = msj.RecordedJobs(arrival=[0.0, 1, 2, 3], need=[1, 1, 1, 2], duration=[10.0, 10.0, 10.0, 15.0])
    found = msj.replay(jobs, servers=4, policies=["fcfs", {"name": "balanced-splitting", "psi": 1}])
    fcfs, split = (found.at(policy=name)["mean_waiting_time"] for name in found.places("policy"))
    assert fcfs == pytest.approx(7 / 4)  # at time 10 the second server is free for the wide job
    assert split == pytest.approx(8 / 4)  # only the third narrow job waits, for one of the two servers of its need


def test_a_cell_of_a_sweep_has_its_reason_and_the_others_their_answers(capsys):
    found = msj.sweep(TWO, policies=["fcfs", "heterogeneous-servers"], vary="load=0.5,0.8")
    assert {row.at["policy"] for row in found} == {"fcfs"}
    (gap,) = found.missing
    assert gap.at["policy"] == "heterogeneous-servers"
    assert ONE_EACH in gap.reason
    assert run(capsys, "sweep", TWO, "--policies", "heterogeneous-servers", "--processes", "1")[0] == 2
    assert run(capsys, "sweep", TWO, "--vary", "policy.windw=1,2", "--processes", "1")[0] == 2
    shard = msj.sweep(TWO, policies=["fcfs", "heterogeneous-servers"], shard="2/2")
    assert (len(shard), len(shard.missing)) == (0, 1)  # another shard may have answers


def test_report_is_an_error_only_if_none_applies():
    narrow = msj.JobClass(name="a", need=2, share=1, duration=msj.Exponential(mean=1))
    system = msj.System(servers=2, classes=(narrow,), policy="heterogeneous-servers", utilisation=0.5)
    with pytest.raises(msj.NotSupported, match="policy 'heterogeneous-servers' does not apply"):
        msj.report(system, seconds=1)


def test_recorded_needs_that_do_not_fit_are_told_as_before():
    jobs = msj.RecordedJobs(arrival=np.zeros(2), need=[1, 5], duration=[1.0, 1.0])
    with pytest.raises(msj.InvalidInput, match="job 1 needs 5 of 4 servers; raise servers"):
        msj.replay(jobs, servers=4)
