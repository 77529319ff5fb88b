"""Fronts put together from parts, against chains that keep every job, and against the plain cluster."""

import pytest

from combinations import COMBINATIONS
from fronts.brute_force_cases import CASES
from fronts.brute_force_values import SERVER_ROWS, kept
from msj import JobClass, System
from msj.analysis.finite_skip_response import MOST_PHASES, front_at_rate
from msj.fronts.front_chain import open_front, saturated_front
from msj.fronts.front_of import front_of
from msj.fronts.parts import PartsFront
from msj.fronts.parts_preemptive import PreemptivePartsFront
from msj.markov import solve
from msj.model.spec_file import from_document

PRICES = {"power": None, "cost": None}
TOO_LARGE_WHEN_OPEN = "preemptive first-fit, snapshot and transfer, a free class, maintenance"


def front(name):
    """Return the front of a case; the system says only who comes how often."""
    parts, shares, _, _ = CASES[name]
    classes = [
        JobClass(name=str(c), need=told["segments"][0]["need"], share=share, duration=told["segments"][0]["law"])
        if isinstance(told["segments"][0]["need"], int)
        else JobClass(name=str(c), need=1, share=share, duration=told["segments"][0]["law"])
        for c, (told, share) in enumerate(zip(parts["classes"], shares, strict=True))
    ]
    system = System(servers=sum(group[0] for group in parts["groups"]), classes=classes)
    return (PartsFront if parts["rule"] is None else PreemptivePartsFront)(system, **parts, **PRICES)


@pytest.mark.parametrize("name", CASES)
def test_it_is_what_brute_force_says(name):
    _, shares, rate, _ = CASES[name]
    model, expected = front(name), kept()[name]
    _, chain = saturated_front(model)
    assert solve(chain).throughput == pytest.approx(expected["throughput"], rel=1e-9)
    levels = open_front(model)
    if name == TOO_LARGE_WHEN_OPEN:
        assert max(levels.level_sizes) > MOST_PHASES
        return
    names = [str(c) for c in range(len(shares))]
    rows = front_at_rate(model, levels, rate, names, percentiles=False).rows
    found = {f"{row.name} {row.job_class}" if row.job_class else row.name: row.value for row in rows}
    for key in [row for row in ("mean_response_time", *SERVER_ROWS, *expected) if row in found]:
        assert found[key] == pytest.approx(expected[key], rel=2e-8, abs=1e-12), key


@pytest.mark.parametrize("name", [name for name, spec in COMBINATIONS.items() if "policy" not in spec])
def test_about_as_many_fronts_as_are_told_before(name):
    model = front_of(from_document(COMBINATIONS[name]))
    assert 0.1 < model.about_fronts() / len(saturated_front(model)[0]) < 10
