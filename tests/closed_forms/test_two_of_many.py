"""Two classes: the decomposed stationary equations hold and the limits are met. Three: they fail, and two stand in."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import msj
from msj.analysis.two_of_many import TwoOfManyTerms
from msj.closed_forms.two_of_many import two_of_many
from strategies import simple


def completions_by_class(servers, needs, shares, rates):
    """Return the states (counts in service) and, for each class, the chances P_i(s, s') of its completions."""
    most = [servers // v for v in needs]
    states = [
        counts for counts in product(*(range(m + 1) for m in most))
        if max(needs) > servers - np.dot(counts, needs) >= 0
    ]  # fmt: skip
    place = {counts: i for i, counts in enumerate(states)}
    kernels = np.zeros((len(needs), len(states), len(states)))
    for counts in states:
        total = np.dot(counts, rates)
        free = servers - int(np.dot(counts, needs))
        for i, count in enumerate(counts):
            if count:
                left = list(counts)
                left[i] -= 1
                for reached, chance in filled(tuple(left), free + needs[i], needs, shares, waits_for=free).items():
                    kernels[i, place[counts], place[reached]] += count * rates[i] / total * chance
    return states, kernels


def filled(counts, free, needs, shares, waits_for):
    """Return the states reached as jobs start in order until one does not fit; the first is known not to fit before."""
    heads = {j: p for j, p in enumerate(shares) if needs[j] > waits_for}
    law = {}
    for j, p in heads.items():
        chance = p / sum(heads.values())
        if needs[j] > free:
            law[counts] = law.get(counts, 0) + chance
            continue
        after = tuple(c + (i == j) for i, c in enumerate(counts))
        # Whoever comes next is any job: it is blocked if it needs more than is free now.
        for reached, more in next_jobs(after, free - needs[j], needs, shares).items():
            law[reached] = law.get(reached, 0) + chance * more
    return law


def next_jobs(counts, free, needs, shares):
    law = {}
    for j, p in enumerate(shares):
        if needs[j] > free:
            law[counts] = law.get(counts, 0) + p
        else:
            for reached, more in next_jobs(
                tuple(c + (i == j) for i, c in enumerate(counts)), free - needs[j], needs, shares
            ).items():
                law[reached] = law.get(reached, 0) + p * more
    return law


def decomposed(servers, needs, shares, rates):
    """Return by how much p_i·pi(s) and sum of pi(s')·P_i(s', s) differ at most; pi the law after completions."""
    states, kernels = completions_by_class(servers, needs, shares, rates)
    matrix = kernels.sum(axis=0).T - np.eye(len(states))
    matrix[0] = 1.0
    law = np.linalg.solve(matrix, np.eye(len(states))[0])
    return max(float(np.abs(law @ kernel - p * law).max()) for kernel, p in zip(kernels, shares, strict=True))


@pytest.mark.parametrize(
    ("servers", "needs", "rates"),
    [(30, (3, 10), (1, 0.5)), (10, (1, 4), (1, 3)), (7, (2, 3), (0.2, 1)), (5, (1, 5), (1, 1)), (12, (5, 6), (2, 1)),
     (8, (1, 2), (1, 9)), (9, (2, 9), (1, 0.1)), (11, (3, 4), (1, 2)), (6, (1, 3), (5, 1)), (13, (4, 7), (1, 1.5))],
)  # fmt: skip
def test_with_two_classes_the_decomposed_equations_hold(servers, needs, rates):
    assert decomposed(servers, needs, (0.7, 0.3), rates) < 1e-12


@pytest.mark.parametrize(("servers", "needs"), [(6, (1, 2, 3)), (10, (1, 3, 5)), (9, (2, 3, 7))])
def test_with_three_classes_of_different_rates_they_fail(servers, needs):
    assert decomposed(servers, needs, (0.5, 0.3, 0.2), (1.0, 0.4, 3.0)) > 1e-3
    assert decomposed(servers, needs, (0.5, 0.3, 0.2), (1.0, 1.0, 1.0)) < 1e-12  # one law for all: they hold again


def test_the_curve_of_the_rate_ratio_ends_at_its_limits():
    system = simple(12, (1, 1, "1/2"), (4, 1, "1/2"))
    found = msj.waste(system, "rate-ratio=0.0000001..10000000", points=5)
    ends = [row.value for _, row in found.along("rate_ratio", "wasted_servers")]
    limits = {row.at["form"]: row.value for row in found if row.name == "wasted_servers_limit"}
    assert limits["slow large jobs"] == 12 % 4
    assert min(ends) == pytest.approx(limits["slow large jobs"], abs=1e-5)
    assert ends[-1] == pytest.approx(limits["fast large jobs"], rel=1e-5)
    assert limits["fast large jobs, rule of thumb"] == pytest.approx(4 - 1 / 0.5)
    assert not [row for row in msj.waste(system, "servers=4..6") if row.name == "wasted_servers_limit"]


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(1, 8), st.integers(1, 9), st.sampled_from([0.5, 1, 2])), min_size=3, max_size=4))
def test_two_classes_in_place_of_many_keep_their_arrivals_and_their_work(classes):
    needs, weights, means = zip(*classes, strict=True)
    assume(len(set(needs)) > 1)
    shares = [w / sum(weights) for w in weights]
    try:
        found = two_of_many(servers=16, needs=needs, shares=shares, mean_durations=means)
    except msj.NotSupported:
        assume(False)
    assert sum(found.shares) == pytest.approx(1)
    work = sum(p * v * d for p, v, d in zip(found.shares, found.needs, found.mean_durations, strict=True))
    assert work == pytest.approx(sum(p * v * d for p, v, d in zip(shares, needs, means, strict=True)))
    assert max(needs[i] for i in found.small) <= min(v for i, v in enumerate(needs) if i not in found.small)


def test_many_classes_of_two_needs_and_rates_are_two_exactly():
    found = two_of_many(servers=12, needs=[1, 1, 4], shares=[0.25, 0.5, 0.25], mean_durations=[1, 1, 2])
    exact = msj.analyse(simple(12, (1, 1, "3/4"), (4, "1/2", "1/4")), method="closed-form")["stability_threshold"]
    assert found.stability_threshold == pytest.approx(exact, rel=1e-12)


def test_the_error_stands_beside_the_approximation():
    three = simple(8, (1, 1, "1/2"), (2, 1, "1/4"), (4, "1/2", "1/4"))
    rows = {row.name: row.value for row in TwoOfManyTerms().terms(three, 1.0)}
    rows["stability_threshold"] = msj.analyse(three, exact=False)["stability_threshold"]
    error = rows["approximate_stability_threshold"] / rows["stability_threshold"] - 1
    assert rows["approximation_error"] == pytest.approx(error, rel=1e-8)
    assert abs(error) < 0.1
