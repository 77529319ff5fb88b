"""Fractions and formulas of every finite-skip front: against FCFS's own chain, the papers' numbers, and floats."""

from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from msj.analysis.exact_front import read_fraction
from strategies import simple

SLOW = ("maintenance", "stages_graph", "delayed_off")  # hundreds of fronts: seconds each
MODELS = sorted(file for file in Path("examples/models").glob("*.toml") if file.stem not in SLOW)
TOO_LARGE = ("combined", "snapshots")  # more than 400 full fronts
ALL = ["p1", "p2", "mu1", "mu2"]
FOUR = simple(4, (1, 1, "1/2"), (3, 1, "1/2"))


def exponential(system):
    classes = [c.replace(duration=msj.Exponential(mean=c.duration.mean)) for c in system.classes]
    return system.replace(classes=classes, arrival_rate=None, load=None, utilisation=None)


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_every_model_in_fractions_is_what_it_is_in_floats(file):
    system = exponential(msj.read(file))
    if file.stem == "best_packing":  # 200 fronts take seconds
        system = system.replace(servers=4, policy={"name": "best-packing", "window": 2})
        system = system.replace(classes=[c.replace(need=min(c.need, 4)) for c in system.classes])
    if file.stem in TOO_LARGE:
        with pytest.raises(msj.TooLarge, match="more than 400 full fronts"):
            msj.in_symbols(system)
        return
    answer, floats = msj.in_symbols(system).answer, msj.analyse(system, percentiles=False)
    assert float(answer.threshold) == pytest.approx(floats["stability_threshold"], rel=1e-12)
    assert float(answer.wasted_servers) == pytest.approx(floats["wasted_servers"], abs=1e-12)
    found = float(answer.departure_relative_completions)
    assert found == pytest.approx(floats["relative_completions_at_departure"], rel=1e-10, abs=1e-12)
    assert sum(answer.time_average) == sum(answer.departure_average) == 1
    law = zip(answer.time_average, answer.relative_completions, strict=True)
    assert sum(chance * ahead for chance, ahead in law) == 0


POLICIES = [
    {"name": "first-fit", "window": 2},
    {"name": "first-fit", "oldest": 3},
    {"name": "first-fit", "window": 2, "preemptive": True},
    {"name": "best-packing", "window": 2},
    {"name": "smash", "window": 2},
    "divisor-filling",
    "threshold-parallelism",
]


@settings(max_examples=20)
@given(
    policy=st.sampled_from(POLICIES),
    needs=st.sampled_from([(1, 2), (1, 3), (2, 3), (1, 6)]),
    servers=st.sampled_from([3, 6]),
    share=st.fractions("1/10", "9/10", max_denominator=10),
    rate=st.fractions("1/5", 5, max_denominator=10),
)
def test_policies_in_fractions_are_what_they_are_in_floats(policy, needs, servers, share, rate):
    needs = tuple(min(need, servers) for need in needs)
    if policy == "divisor-filling":
        needs = (1, servers)
    system = simple(servers, (needs[0], 1, share), (needs[1], rate, 1 - share), policy=policy)
    try:
        answer = msj.in_symbols(system).answer
    except msj.TooLarge:
        return
    floats = msj.analyse(system, percentiles=False)
    assert float(answer.threshold) == pytest.approx(floats["stability_threshold"], rel=1e-11)
    found = float(answer.departure_relative_completions)
    assert found == pytest.approx(floats["relative_completions_at_departure"], rel=1e-8, abs=1e-10)


def test_first_fit_among_the_four_oldest_as_reset_words_it():
    assert msj.in_symbols(FOUR.replace(policy={"name": "first-fit", "oldest": 4})).answer.threshold == Fraction(136, 77)
    preemptive = FOUR.replace(policy={"name": "first-fit", "oldest": 4, "preemptive": True})
    assert float(msj.in_symbols(preemptive).answer.threshold) == pytest.approx(1.782857, abs=5e-7)


def test_first_fit_that_passes_over_nobody_has_the_formulas_of_fcfs():
    system = simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"))
    own = msj.in_symbols(system, ALL).answer
    front = msj.in_symbols(system.replace(policy={"name": "first-fit", "window": 1}), ALL).answer
    both = {"p2": "1-p1"}

    def same(one, other):
        return sympy.simplify((one - other).subs({sympy.Symbol(k): sympy.sympify(v) for k, v in both.items()})) == 0

    assert same(own.threshold, front.threshold)
    assert same(own.departure_relative_completions, front.departure_relative_completions)
    assert same(own.wasted_servers, front.wasted_servers)


def test_a_model_keeps_its_own_rates_beside_the_symbols():
    jobs = msj.JobClass(name="jobs", need=1, share=1, duration=msj.Exponential(rate=1))
    stages = jobs.replace(extra={"then": [{"need": 1, "duration": {"law": "exponential", "mean": 2}}]})
    mu = sympy.Symbol("mu1")
    found = msj.in_symbols(msj.System(servers=1, classes=[stages], model="stages"), ["mu1"]).answer
    assert sympy.simplify(found.threshold - 1 / (1 / mu + 2)) == 0


@pytest.mark.parametrize("policy", ["server-filling", "threshold-parallelism", {"name": "first-fit", "window": 2}])
def test_formulas_give_the_fractions(policy):
    system = simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"), policy=policy)
    formula, numbers = msj.in_symbols(system, ALL).answer, msj.in_symbols(system).answer
    put = formula.at(p1="2/3", p2="1/3", mu1=1, mu2="1/2")
    assert put.threshold == numbers.threshold
    assert put.departure_relative_completions == numbers.departure_relative_completions
    assert put.relative_completions == numbers.relative_completions
    assert put.wasted_servers == numbers.wasted_servers


def test_who_fills_the_servers_takes_all_the_work_whatever_the_rates():
    answer = msj.in_symbols(simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"), policy="server-filling"), ALL).answer
    p1, p2, mu1, mu2 = map(sympy.Symbol, ALL)
    naive = 2 / (p1 / mu1 + 2 * p2 / mu2)
    assert sympy.simplify((answer.threshold - naive).subs(p2, 1 - p1)) == 0
    assert answer.wasted_servers == 0


def test_text_names_the_policy():
    text = msj.in_symbols(FOUR.replace(policy={"name": "first-fit", "oldest": 4})).write()
    assert text.startswith("Saturated policy 'first-fit' (oldest = 4) on 4 servers")
    assert "136/77" in text


def test_what_cannot_be_solved_is_refused_in_words():
    with pytest.raises(msj.NotSupported, match="may look at every waiting job"):
        msj.in_symbols(FOUR.replace(policy="first-fit"))
    erlang = msj.JobClass(name="a", need=1, share=1, duration={"law": "erlang", "stages": 2, "mean": 1})
    with pytest.raises(msj.NotSupported, match="has erlang durations and this form needs exponential ones"):
        msj.in_symbols(msj.System(servers=2, classes=[erlang], policy="server-filling"))
    with pytest.raises(msj.TooLarge, match="full fronts"):
        msj.in_symbols(simple(12, (1, 1, "1/2"), (2, 1, "1/2"), policy={"name": "first-fit", "oldest": 12}))
    with pytest.raises(msj.NotSupported, match="is no fraction with a denominator"):
        read_fraction(2**0.5, "a speed")
