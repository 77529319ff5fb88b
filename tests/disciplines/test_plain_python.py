"""Own policies may use whatever Python has: what the compiler does not take runs plainly, and decides the same."""

import numpy as np
import pytest

import msj
from msj.engines.plainly import why_not_compiled
from msj.errors import BadFunction
from msj.workloads import RecordedJobs

SYSTEM = "examples/two_servers.toml"


def in_loops(needs, running, remaining, servers, chosen):
    """Jobs in service stay; small needs first, older ones first among equals."""
    free = servers
    for i in range(len(needs)):
        if running[i]:
            chosen[i] = True
            free -= needs[i]
    for size in range(1, servers + 1):
        for i in range(len(needs)):
            if not running[i] and needs[i] == size and size <= free:
                chosen[i] = True
                free -= size


def in_python(needs, running, remaining, servers, chosen):
    """The same, as Python would be written."""
    chosen[running] = True
    free = servers - sum(int(n) for n in needs[running])
    for i in sorted(np.flatnonzero(~running).tolist(), key=lambda i: (int(needs[i]), i)):
        if needs[i] <= free:
            chosen[i] = True
            free -= int(needs[i])


def jobs(count=400, seed=1):
    rng = np.random.default_rng(seed)
    arrival, need = np.cumsum(rng.exponential(0.4, count)), rng.integers(1, 5, count)
    return RecordedJobs(arrival=arrival, need=need, duration=rng.exponential(1, count))


def served(policy):
    from msj.simulation import replay_jobs

    return replay_jobs(jobs(), servers=4, policy=msj.OwnFunction(function=policy), rng=1)


def test_plain_python_decides_as_its_compiled_twin_job_by_job():
    plain, compiled = served(in_python), served(in_loops)
    for name in ("number", "start", "finish", "preemptions"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(compiled, name))


def test_the_sentence_about_speed_names_the_line():
    result = msj.simulate(SYSTEM, policy=in_python, jobs=2000, seed=1)
    same = msj.simulate(SYSTEM, policy=in_loops, jobs=2000, seed=1)
    note = next(note for note in result.notes if "plain Python" in note)
    assert "'in_python' runs as plain Python, which is slower: the compiler does not take line " in note
    assert "sum(int(n) for n in needs[running])" in note or "sorted(" in note or "needs[running]" in note
    assert not any("plain Python" in note for note in same.notes)
    assert result["mean_response_time"] == same["mean_response_time"]


def test_the_line_is_named_whether_the_compiler_writes_in_colours_or_not():
    plain = 'Not supported.\nFile "policy.py", line 30:\ndef rule(needs):\n    free = sum(needs)\n    ^\n'
    coloured = plain.replace("File", "\x1b[1mFile").replace("    ^", "\x1b[0m    \x1b[1;31m^\x1b[0m")
    expected = "does not take line 30 (free = sum(needs)). Loops over the arrays are compiled."
    for text in (plain, coloured):
        assert why_not_compiled(ValueError(text), "rule").endswith(expected)


def test_a_function_may_ask_for_classes_arrivals_estimates_and_the_time():
    seen = {}

    def curious(needs, classes, arrivals, estimates, now, running, servers, chosen):
        if len(needs) > 1 and now > 0:
            seen.update(classes=set(classes.tolist()), waits=(now - arrivals).min(), estimates=estimates.min())
            seen["ordered"] = seen.get("ordered", True) and bool((np.diff(arrivals) >= 0).all())
        in_python(needs, running, needs, servers, chosen)

    result = msj.simulate(SYSTEM, policy=curious, jobs=2000, seed=1)
    same = msj.simulate(SYSTEM, policy=in_loops, jobs=2000, seed=1)
    assert result["mean_response_time"] == same["mean_response_time"]
    assert seen["ordered"]
    assert seen["classes"] <= {0, 1}
    assert seen["waits"] >= 0
    assert seen["estimates"] > 0


def test_older_jobs_first_by_arrival_times_is_fcfs():
    def by_age(needs, arrivals, running, servers, chosen):
        free = servers
        for i in sorted(range(len(needs)), key=lambda i: (not running[i], arrivals[i])):
            if needs[i] > free:
                break
            chosen[i] = True
            free -= needs[i]

    from msj.simulation import replay_jobs

    found = served(by_age)
    fcfs = replay_jobs(jobs(), servers=4, policy=msj.Fcfs(), rng=1)
    order, there = np.argsort(found.number), np.argsort(fcfs.number)
    np.testing.assert_allclose(found.finish[order], fcfs.finish[there], rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda needs, class_, arrivals, chosen: None, "unknown argument 'class_'; did you mean 'classes'?"),
        (lambda needs, arrivals, servers: None, "no argument 'chosen', in which it marks the jobs to serve; add it"),
        (lambda needs, arrivals, servers, chosen: needs[99], "fails with IndexError"),
    ],
)
def test_what_is_wrong_is_said(function, sentence):
    with pytest.raises(BadFunction) as refused:
        msj.read(SYSTEM).replace(policy=function)
    assert sentence in str(refused.value)


def test_a_file_without_its_ending_is_answered_with_it():
    with pytest.raises(msj.InvalidInput, match=r"write FILE.py:FUNCTION, 'mine.py:pick'"):
        msj.simulate(SYSTEM, policy="mine:pick", jobs=2000)


def test_a_failure_during_the_run_names_the_line():
    def fragile(needs, now, servers, chosen):
        if now > 1000:
            raise ValueError("too late")
        chosen[:1] = True

    def fragile_in_python(needs, now, servers, chosen):
        fragile(needs, now, servers, chosen)
        sorted(needs, key=lambda need: -need)

    for function, place in ((fragile, ""), (fragile_in_python, r" at line \d+")):
        with pytest.raises(BadFunction, match=rf"fails with ValueError \(too late\){place}"):
            msj.simulate(SYSTEM, policy=function, jobs=2000, seed=1)


def test_an_index_beyond_the_jobs_is_an_error_in_compiled_functions_too():
    def beyond(needs, now, servers, chosen):
        chosen[0 if now < 1000 else 10_000] = True

    with pytest.raises(BadFunction, match="'beyond' fails with IndexError"):
        msj.simulate(SYSTEM, policy=beyond, jobs=2000, seed=1)


def test_what_a_chain_does_not_keep_is_not_analysed():
    def newest(needs, arrivals, running, servers, chosen):
        if len(needs):
            chosen[int(np.argmax(arrivals))] = True

    system = msj.read(SYSTEM).replace(policy=msj.OwnFunction(function=newest, front=1))
    result = msj.analyse(system)
    assert result.outcome.label == "bounds-only"
    assert any("uses arrivals, which a chain does not know" in note for note in result.notes)
