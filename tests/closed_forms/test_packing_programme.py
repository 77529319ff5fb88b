"""The linear programme over packings: against all packings listed, and above what any policy takes."""

import itertools
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import msj
from msj.analysis.attainable_threshold import AttainableThreshold
from msj.closed_forms.knapsack import best_packing
from msj.closed_forms.packing_programme import packing_programme
from msj.errors import InvalidInput, TooLarge
from msj.registry import POLICIES


def all_packings(servers, needs):
    """Every packing, by trying all counts."""
    ranges = [range(servers // need + 1) for need in needs]
    return [z for z in itertools.product(*ranges) if np.dot(z, needs) <= servers]


def by_listing(servers, needs, in_service):
    """The programme with every packing a column, nothing generated or scaled."""
    z = np.array(all_packings(servers, needs), dtype=float).T
    rows = np.hstack([-z, np.array(in_service)[:, None]])
    answer = linprog(
        [*np.zeros(z.shape[1]), -1.0],
        A_ub=rows,
        b_ub=np.zeros(len(needs)),
        A_eq=[[*np.ones(z.shape[1]), 0.0]],
        b_eq=[1.0],
    )
    assert answer.success
    return -answer.fun


def drawn(seed):
    rng = np.random.default_rng(seed)
    servers, classes = int(rng.integers(2, 25)), int(rng.integers(1, 5))
    needs = rng.integers(1, servers + 1, classes).tolist()
    return servers, needs, rng.exponential(size=classes).tolist()


@pytest.mark.parametrize("seed", range(24))
def test_it_is_the_programme_over_all_packings(seed):
    servers, needs, in_service = drawn(seed)
    found = packing_programme(servers=servers, needs=needs, in_service=in_service)
    assert found.threshold == pytest.approx(by_listing(servers, needs, in_service), rel=1e-9)


@pytest.mark.parametrize("seed", range(24))
def test_both_ends_hold_by_their_definitions(seed):
    servers, needs, in_service = drawn(seed)
    found = packing_programme(servers=servers, needs=needs, in_service=in_service)
    # The mixture is one of packings, and serves what it says, need by need.
    assert (found.packings @ needs <= servers).all()
    assert found.shares.sum() == pytest.approx(1)
    for need in set(needs):
        same = [i for i, other in enumerate(needs) if other == need]
        served = found.shares @ found.packings[:, same].sum(axis=1)
        assert served >= found.attained * sum(in_service[i] for i in same) * (1 - 1e-9)
    # No packing at all is worth more than the threshold at these weights.
    assert found.weights @ in_service == pytest.approx(1)
    dearest = max(found.weights @ z for z in all_packings(servers, needs))
    assert dearest <= found.threshold * (1 + 1e-9)
    assert found.attained == pytest.approx(found.threshold, rel=1e-9)


@given(
    st.integers(1, 40),
    st.lists(st.tuples(st.integers(1, 40), st.floats(0, 10)), min_size=1, max_size=4, unique_by=lambda x: x[0]),
)
def test_the_best_packing_is_the_best_of_all(servers, items):
    needs = [need for need, _ in items if need <= servers] or [1]
    values = [value for need, value in items if need <= servers] or [1.0]
    found = best_packing(values, needs, servers)
    best = max(float(np.dot(z, values)) for z in all_packings(servers, needs))
    assert np.dot(found.counts, needs) <= servers
    assert np.dot(found.counts, values) == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert best <= found.at_most * (1 + 1e-12) <= best * (1 + 1e-9) + 1e-9


def test_what_is_worth_hardly_anything_is_packed_where_it_takes_the_place_of_nothing():
    """A job of need 3 on four servers leaves one: one worth less than rounding takes it, and the bound stays above."""
    found = best_packing([3.0, 1e-20], [3, 1], 4)
    assert found.counts.tolist() == [1, 1]
    assert 3 + Fraction(1e-20) <= Fraction(found.at_most) <= 3 + 2 * Fraction(4, 2**52)  # a unit for each job
    nothing = best_packing([3.0, 0.0], [3, 1], 4)
    assert nothing.counts.tolist() == [1, 0]
    assert nothing.at_most == 3.0


def test_thirty_classes_on_ten_thousand_servers_take_moments():
    rng = np.random.default_rng(7)
    needs = rng.choice(np.arange(400, 10_000), 30, replace=False).tolist()
    started = time.perf_counter()
    found = packing_programme(servers=10_000, needs=needs, in_service=rng.random(30).tolist())
    assert time.perf_counter() - started < 5
    assert found.attained == pytest.approx(found.threshold, rel=1e-9)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InvalidInput, match="as many"):
        packing_programme(servers=2, needs=[1, 2], in_service=[1.0])
    with pytest.raises(InvalidInput, match="do not arrive"):
        packing_programme(servers=2, needs=[1, 2], in_service=[1.0, 0.0])
    with pytest.raises(TooLarge, match="steps"):
        best_packing([1.0], [1], 10**9)


CLUSTERS = {
    "powers of two": (8, (1, 2, 8)),
    "awkward": (7, (2, 3, 5)),
    "half and more": (9, (4, 5, 6)),
    "one and all": (4, (1, 4)),
    "two and three": (7, (2, 3)),
}


SHARES = {2: (0.6, 0.4), 3: (0.5, 0.3, 0.2)}
WITH_THRESHOLDS = {"fcfs", "max-weight", "msr", "static-quickswap", "server-filling", "least-servers-first", "msfq"}
WINDOWS = [{"name": "first-fit", "window": 2}, {"name": "best-packing", "window": 3}]


def thresholds(policy):
    """The exact threshold of a policy beside the limit, for each cluster it can run."""
    for servers, needs in CLUSTERS.values():
        jobs = [
            msj.JobClass(name=str(need), need=need, share=share, duration=msj.Exponential(mean=mean))
            for need, share, mean in zip(needs, SHARES[len(needs)], (1, 2, 0.5), strict=False)
        ]
        system = msj.System(servers=servers, classes=jobs)
        try:
            found = msj.analyse(system.replace(policy=policy))
        except msj.MsjError:
            continue  # it cannot run this cluster, or loses jobs
        row, limit = found.find("stability_threshold"), found.find("attainable_threshold")
        if row is not None and limit is not None and row.kind == "exact":
            yield row.value, limit.value, found["naive_threshold"]


@pytest.mark.parametrize("policy", [*POLICIES.names(), *WINDOWS], ids=str)
def test_no_threshold_is_above_it(policy):
    found = list(thresholds(policy))
    assert found or policy not in WITH_THRESHOLDS
    for own, best, naive in found:
        assert own <= best * (1 + 1e-9)
        assert best <= naive * (1 + 1e-12)


def test_a_work_conserving_policy_attains_it():
    found = msj.analyse("examples/two_servers.toml")
    filling = msj.analyse(msj.read("examples/two_servers.toml").replace(policy="server-filling"))
    assert filling["stability_threshold"] == pytest.approx(found["attainable_threshold"])
    assert found.row("attainable_threshold").kind == "bound"


def test_a_policy_that_packs_comes_close_where_needs_do_not_fit_together():
    """Needs 3 and 4 on 10 servers: 3+3+4 fills them, so both limits agree; on 9 servers a server must idle."""
    jobs = [
        msj.JobClass(name="three", need=3, share="2/3", duration=msj.Exponential(mean=1)),
        msj.JobClass(name="four", need=4, share="1/3", duration=msj.Exponential(mean=1)),
    ]
    ten, nine = (msj.analyse(msj.System(servers=k, classes=jobs)) for k in (10, 9))
    assert ten["attainable_threshold"] == pytest.approx(ten["naive_threshold"])
    assert nine["attainable_threshold"] < 0.99 * nine["naive_threshold"]


@pytest.mark.parametrize(("most", "needs"), [(50_000_000, [1]), (2_000_000, [1, 2, 3, 4, 5]), (500_000, range(1, 11))])
def test_it_is_left_out_where_it_would_take_more_than_a_moment(most, needs):
    """Ten packings for each need, each found in needs times servers steps: 500 million of these are a moment.

    Classes of the same need are one to it, and those that never arrive are none.
    """
    shares = [*["1"] * len(needs), "1", "0"]
    jobs = [
        msj.JobClass(name=f"{i}", need=need, share=Fraction(share) / (len(needs) + 1), duration=msj.Exponential(mean=1))
        for i, (need, share) in enumerate(zip([*needs, 1, 1000], shares, strict=True))
    ]
    for servers, told in ((most, True), (most + 1, False)):
        assert AttainableThreshold().in_a_moment(msj.System(servers=servers, classes=jobs)) is told


def test_one_server_is_a_cluster():
    assert packing_programme(servers=1, needs=[1], in_service=[1.0]).threshold == pytest.approx(1.0)
    with pytest.raises(InvalidInput, match="servers"):
        packing_programme(servers=0, needs=[1], in_service=[1.0])
