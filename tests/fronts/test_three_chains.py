"""Counts-only, simplified and full ordered chains: three ways to the same completions."""

import numpy as np
import pytest
from hypothesis import given, settings

from msj import Exponential, JobClass, NotSupported, Pareto, System, TooLarge
from msj.fronts import ordered_chain, saturated_chain, simplified_chain
from msj.markov import solve
from msj.model.spec_file import from_document
from strategies import exponentials, phase_types, simple, systems


def assert_same(first, second):
    assert first.throughput == pytest.approx(second.throughput, rel=1e-10)
    assert first.relative_completions_at_departure == pytest.approx(
        second.relative_completions_at_departure, rel=1e-9, abs=1e-10
    )


@given(systems(most_servers=4, most_classes=3, durations=exponentials()))
def test_exponential_systems_agree_three_ways(system):
    counts = solve(saturated_chain(system).chain)
    assert_same(counts, solve(simplified_chain(system)[1]))
    assert_same(counts, solve(ordered_chain(system)[1]))


@given(systems(most_servers=3, most_classes=2, durations=phase_types()))
def test_phase_type_systems_agree_three_ways(system):
    counts = solve(saturated_chain(system).chain)
    assert_same(counts, solve(simplified_chain(system)[1]))
    assert_same(counts, solve(ordered_chain(system)[1]))


@settings(max_examples=25)
@given(systems(most_servers=9, most_classes=3, durations=phase_types()))
def test_larger_systems_agree_two_ways(system):
    built = saturated_chain(system)
    assert_same(solve(built.chain), solve(simplified_chain(system)[1]))


@given(systems(most_servers=8))
def test_the_law_of_counts_is_the_lumped_simplified_law(system):
    built = saturated_chain(system)
    states, chain = simplified_chain(system)
    lumped = dict.fromkeys(map(tuple, built.counts.tolist()), 0.0)
    for state, probability in zip(states, solve(chain).time_average, strict=True):
        lumped[state.in_service] += probability
    np.testing.assert_allclose(solve(built.chain).time_average, list(lumped.values()), rtol=1e-9, atol=1e-14)


def test_state_counts_of_the_papers():
    system = simple(30, (3, 1, 0.5), (10, 1, 0.5))
    assert saturated_chain(system).chain.states == 11  # theory: counts only
    states, _ = simplified_chain(system)  # reset, Appendix B lists these 13
    listed = {
        ((0, 3), None), ((1, 2), 1), ((2, 2), 1), ((3, 2), 0), ((3, 2), 1), ((4, 1), 1), ((5, 1), 1),
        ((6, 1), 0), ((6, 1), 1), ((7, 0), 1), ((8, 0), 1), ((9, 0), 1), ((10, 0), None),
    }  # fmt: skip
    assert {(state.in_service, state.blocked) for state in states} == listed


def test_the_factored_completion_matrix_is_the_explicit_one():
    system = simple(9, (1, 1, 0.4), (2, 2, 0.3), (5, 3, 0.3))
    chain = saturated_chain(system).chain
    explicit = chain.D1
    np.testing.assert_allclose(explicit.sum(axis=1), chain.completion_rates, rtol=1e-13)
    run = solve(chain)
    np.testing.assert_allclose(run.time_average @ explicit / run.throughput, run.departure_average, rtol=1e-10)
    np.testing.assert_allclose(run.time_average @ (chain.D0 + explicit), 0.0, atol=1e-12)


def test_numbering_counts_every_vector_once():
    built = saturated_chain(simple(17, (2, 1, 0.4), (3, 2, 0.3), (7, 3, 0.3)))
    brute = [
        (a, b, c)
        for a in range(9) for b in range(6) for c in range(3)
        if 0 <= 17 - 2 * a - 3 * b - 7 * c < 7
    ]  # fmt: skip
    assert [tuple(row) for row in built.counts.tolist()] == brute


def test_too_many_states_are_refused_with_what_would_fit():
    system = simple(4000, (1, 1, "1/4"), (2, 1, "1/4"), (3, 1, "1/4"), (4, 1, "1/4"))
    with pytest.raises(TooLarge, match=r"would have [\d,]+ states and at most 1,500,000 fit.*up to \d+ servers"):
        saturated_chain(system)


def test_many_classes_are_refused_at_once():
    classes = [
        JobClass(name=str(i), need=i % 4 + 1, share="1/200", duration=Exponential(mean=1 + i / 100)) for i in range(200)
    ]
    with pytest.raises(TooLarge, match=r"386,425 states, each a count of 200 types of jobs .* merge classes"):
        saturated_chain(System(servers=4, classes=classes))


def test_a_law_that_is_not_phase_type_is_named():
    jobs = JobClass(name="heavy", need=1, share=1, duration=Pareto(shape=3, minimum=1))
    with pytest.raises(NotSupported, match="class 'heavy' has pareto durations"):
        saturated_chain(System(servers=2, classes=[jobs]))


def test_a_class_that_never_arrives_changes_nothing():
    base = simple(5, (1, 1, "1/2"), (3, 2, "1/2"))
    more = base.replace(classes=[*base.classes, JobClass(name="never", need=5, share=0, duration=Exponential(mean=9))])
    assert_same(solve(saturated_chain(base).chain), solve(saturated_chain(more).chain))


def test_jobs_that_come_in_turns_have_the_throughput_of_one_round():
    """One, one, two servers of two, over and over: the pair takes E[max] = 1 + 2 − 1/(1 + 1/2), the third job 3."""
    needs_and_means = {"a": (1, 1), "b": (1, 2), "both": (2, 3)}
    system = from_document(
        {
            "servers": 2,
            "order": {"law": "markov", "matrix": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]},
            "classes": [
                {"name": name, "need": need, "duration": {"law": "exponential", "mean": mean}}
                for name, (need, mean) in needs_and_means.items()
            ],
        }
    )
    built = saturated_chain(system)
    found = solve(built.chain)
    assert found.throughput == pytest.approx(3 / (7 / 3 + 3), rel=1e-12)
    # What a round spends with such jobs in service: a is the first of the pair to end in two rounds of three.
    for counts, time in {(1, 1, 0): 2 / 3, (0, 1, 0): 2 / 3 * 2, (1, 0, 0): 1 / 3 * 1, (0, 0, 1): 3}.items():
        there = (built.counts == counts).all(axis=1)
        assert found.time_average[there].sum() == pytest.approx(time / (16 / 3), rel=1e-12)
