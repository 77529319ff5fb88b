"""Decision functions get the arguments they name, wherever they come from."""

import functools

import numpy as np
import pytest

import msj
from msj.decision_functions import ARGUMENTS, call_decision, decision_arguments
from msj.errors import BadFunction


def priority(needs, classes, running, servers, chosen):
    """Class 0 before class 1; running jobs go on."""
    free = servers
    for i in range(len(needs)):
        if running[i]:
            chosen[i] = True
            free -= needs[i]
    for c in range(2):
        for i in range(len(needs)):
            if not running[i] and classes[i] == c and needs[i] <= free:
                chosen[i] = True
                free -= needs[i]


VARIANT_FILE = '''
"""Class 0 before class 1."""

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines import Policy


{function}

@dataclass(frozen=True, kw_only=True)
class ByClass(Policy):
    """Class 0 before class 1, without preemption."""

    name: ClassVar[str] = "by-class"
    summary: ClassVar[str] = "class 0 before class 1"
    citation: ClassVar[str] = ""
    preemptive: ClassVar[bool] = False
    front: ClassVar[None] = None

    @property
    def serve(self):
        return priority


VARIANT = ByClass
'''


def one_server():
    """M/M/1 at rho = .8 with two classes of equal jobs; Cobham's formula has the means under priority."""
    law = msj.Exponential(mean=1)
    classes = [msj.JobClass(name=name, need=1, share="1/2", duration=law) for name in ("first", "second")]
    return msj.System(servers=1, utilisation=0.8, classes=classes)


def test_the_same_function_is_the_same_policy_in_a_session_a_file_and_a_variant(tmp_path, monkeypatch):
    """E[T] of the first class is 1 + .8/.6, of the second 1 + .8/(.6 · .2): Cobham 1954."""
    import inspect

    text = inspect.getsource(priority)
    (tmp_path / "rules.py").write_text(text)
    (tmp_path / "by_class.py").write_text(VARIANT_FILE.format(function=text))
    monkeypatch.setenv("MSJ_PATH", str(tmp_path))
    found = []
    for policy in (
        msj.OwnFunction(function=priority, preemptive=False),
        {"name": f"{tmp_path}/rules.py:priority", "preemptive": False},
        "by-class",
    ):
        result = msj.simulate(one_server(), policy=policy, jobs=400_000, seed=1, controls=False)
        found.append([result.row("mean_response_time", job_class=name).value for name in ("first", "second")])
    assert found[0] == found[1] == found[2]
    assert found[0] == pytest.approx([1 + 0.8 / 0.6, 1 + 0.8 / (0.6 * 0.2)], rel=0.05)


def test_every_argument_is_passed_as_the_table_says():
    seen = []

    def curious(
        chosen, rng, free, servers, now, arrivals, ages, estimates, remaining, running, classes, needs, limit=2
    ):
        assert limit == 2
        np.testing.assert_allclose(ages, now - arrivals)
        np.testing.assert_allclose(estimates[~running], remaining[~running])
        assert (estimates >= remaining).all()
        assert free == servers - needs[running].sum()
        assert (needs == np.array([1, 2])[classes]).all()
        assert 0 <= rng.random() < 1
        seen.append(len(needs))
        chosen[:1] = True

    system = msj.read("examples/two_servers.toml").replace(arrival_rate=0.3)
    msj.simulate(system, policy=msj.OwnFunction(function=curious), jobs=3000, seed=1)
    assert max(seen) > 2
    assert set(decision_arguments(curious, "curious")) == set(ARGUMENTS)


def test_compiled_and_plain_functions_get_the_same_values():
    def compiled(needs, classes, ages, estimates, arrivals, now, free, rng, running, chosen):
        best, score = -1, -1.0
        for i in range(len(needs)):
            chosen[i] = running[i]
            worth = ages[i] + estimates[i] * rng.random() + classes[i] + (now - arrivals[i])
            if not running[i] and needs[i] <= free and worth > score:
                best, score = i, worth
        if best >= 0:
            chosen[best] = True

    def plain(needs, classes, ages, estimates, arrivals, now, free, rng, running, chosen):
        compiled(needs, classes, ages, estimates, arrivals, now, free, rng, running, chosen)
        sorted(needs, key=lambda need: need)  # which the compiler does not take

    system = msj.read("examples/two_servers.toml").replace(arrival_rate=0.6)
    first, second = (
        msj.simulate(system, policy=function, jobs=4000, seed=3, controls=False) for function in (compiled, plain)
    )
    assert not any("plain Python" in note for note in first.notes)
    assert any("plain Python" in note for note in second.notes)
    assert first["mean_response_time"] == second["mean_response_time"]


def test_a_function_without_a_signature_is_called_with_the_usual_five():
    assert decision_arguments(functools.partial(priority, servers=4), "mine")[0] == "needs"
    unknown = type("NoSignature", (), {"__call__": lambda *given: given[-1].fill(True), "__signature__": "none"})()
    arguments = decision_arguments(unknown, "unknown")
    chosen = np.zeros(2, dtype=bool)
    call_decision(unknown, arguments, dict.fromkeys(ARGUMENTS, 0) | {"chosen": chosen})
    assert chosen.all()


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda needs, priority, chosen: None, "unknown argument 'priority'; .*needs, classes, running, .*rng, chosen"),
        (lambda need, chosen: None, "unknown argument 'need'; did you mean 'needs'"),
        (lambda needs: None, "no argument 'chosen', in which it marks the jobs to serve; add it"),
        (lambda *jobs, chosen: None, r"takes '\*jobs'; arguments are passed by name, so name those it uses: needs"),
    ],
)
def test_what_is_no_argument_is_an_error_that_lists_them(function, sentence):
    with pytest.raises(BadFunction, match=sentence):
        msj.OwnFunction(function=function)
