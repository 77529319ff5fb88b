"""What an analysis says beside its rows."""

import pytest

import msj

ERLANG = {"law": "renewal", "gap": {"law": "erlang", "stages": 4, "mean": 1}}
STICKY = {"law": "sticky", "probability": "3/5"}
SAID = [
    ({}, None),
    (
        {"order": STICKY},
        "Assumed: Poisson arrivals, a job is like the one before with probability 3/5 (sticky order).",
    ),
    ({"arrivals": ERLANG}, "Assumed: independent erlang gaps between arrivals (cv 0.5), independent jobs."),
]


@pytest.mark.parametrize(("change", "said"), SAID)
def test_arrivals_that_are_not_plain_are_said(change, said):
    """An answer for other arrivals than Poisson's, or for jobs that depend on each other, says so; others do not."""
    found = msj.analyse(msj.read("examples/two_servers.toml").replace(**change))
    assert [note for note in found.notes if note.startswith("Assumed: ")] == ([] if said is None else [said])
