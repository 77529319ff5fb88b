"""The report of a loss system: losses, never an unstable queue."""

import math

import pytest

import msj
from msj.reports import write_page, write_text

LOSS = msj.System(
    servers=4,
    policy="loss",
    arrival_rate=8,  # twice what the servers can do
    classes=[msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))],
)


@pytest.fixture(scope="module")
def found():
    return msj.report(LOSS, seed=1, seconds=2, precision=0.1)


def test_a_loss_system_is_never_unstable(found):
    assert (found.outcome.label, found.outcome.exit_code) == ("solved", 0)
    assert found.load.stable
    text = write_text(found)
    assert "without bound" not in text
    assert "No policy can help" not in text
    assert "every load is stable" in text


def test_its_losses_are_those_of_erlang(found):
    weights = [8**n / math.factorial(n) for n in range(5)]
    assert found.at(section="response")["loss_probability"] == pytest.approx(weights[4] / sum(weights), rel=1e-9)
    row = found.at(section="simulation").row("loss_probability")
    assert row.low <= weights[4] / sum(weights) <= row.high
    assert "57 %" in found.findings[0].sentence
    assert "jobs lost" in write_page(found)


def test_no_other_policy_is_taken_for_its_own(found):
    assert found.policies.rows == ()
    assert not any("would fall" in finding.sentence for finding in found.findings)


def test_a_load_of_its_own_is_asked_for():
    with pytest.raises(msj.InvalidInput, match="give arrival_rate or utilisation"):
        msj.report(LOSS.replace(arrival_rate=None), seed=1, seconds=2)
