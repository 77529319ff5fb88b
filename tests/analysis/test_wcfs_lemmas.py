"""Mean work, queueing time and front time of WCFS systems: exact values inside every bound, the paper's and ours."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from analysis.test_wcfs_family import FAMILY, LAWS, system
from msj import Exponential, JobClass, System
from msj.analysis.finite_skip_response import front_levels
from msj.analysis.wcfs_bounds import wcfs_bounds
from msj.analysis.wcfs_lemmas import exact_terms, mean_work_left
from msj.analysis.wcfs_verdict import explain
from msj.closed_forms.wcfs_terms import mg1_work, zhang_zwart
from msj.fronts.front_of import front_of
from msj.markov.level_process import solve
from strategies import phase_types, simple

SLACK = 1e-9


def member(name, law):
    servers, needs, policy, model, extra, _ = FAMILY[name]
    return system(servers, needs, law, policy, model, extra)


def assert_inside(found, rate):
    """Hold the exact terms to all bounds; return them with the bounds."""
    exact, bounds = exact_terms(found, rate), wcfs_bounds(found, rate)
    stay = exact.mean_queueing_time + exact.mean_front_time
    for terms in (bounds.paper, bounds.sharper):
        for value, between in (
            (exact.mean_work, terms.work),
            (exact.mean_queueing_time, terms.queueing),
            (exact.mean_front_time, terms.front),
            (stay, terms.response),
        ):
            assert between.lower - SLACK * stay <= value <= between.upper + SLACK * stay
    apart = (bounds.front - 1) * bounds.rem_sup  # Lemma 2
    assert exact.mean_work - apart <= exact.mean_queueing_time + SLACK * stay
    assert exact.mean_queueing_time <= exact.mean_work + SLACK * stay
    # Ours are nowhere worse.
    for name in ("work", "queueing", "front", "response"):
        ours, theirs = getattr(bounds.sharper, name), getattr(bounds.paper, name)
        assert ours.lower >= theirs.lower - SLACK * stay
        assert ours.upper <= theirs.upper + SLACK * stay
    return exact, bounds


@pytest.mark.parametrize("law", [LAWS["exponential"], LAWS["hyperexponential"]], ids=["exponential", "hyper"])
@pytest.mark.parametrize("name", FAMILY)
def test_the_ten_systems_of_the_paper_are_inside_every_bound(name, law):
    found = member(name, law)
    for rho in (0.1, 0.6, 0.95):
        exact, bounds = assert_inside(found, rho / wcfs_bounds(found).mean_size)
        c = (
            exact.mean_queueing_time
            + exact.mean_front_time
            - mg1_work(utilisation=rho, mean_size=bounds.mean_size, second_moment=bounds.second_moment)
        )
        assert bounds.c_lower_sharper - SLACK <= c <= bounds.c_upper_sharper + SLACK


@settings(max_examples=12)
@given(phase_types(), st.sampled_from(sorted(FAMILY)), st.floats(0.02, 0.98))
def test_random_laws_are_inside_every_bound(law, name, rho):
    found = member(name, law)
    assert_inside(found, rho / wcfs_bounds(found).mean_size)


@pytest.mark.parametrize("name", FAMILY)
def test_work_is_that_of_one_server_and_what_is_there_while_servers_idle(name):
    # E[W] = m + E[W(1−B)]/(1−rho), the equation in the proof of Lemma 3, with B from what the steps take off the work.
    rho, found = 0.7, member(name, LAWS["erlang"])
    bounds = wcfs_bounds(found, rho / wcfs_bounds(found).mean_size)
    rate = rho / bounds.mean_size
    model, levels = front_of(found), front_levels(found)
    left, law = mean_work_left(model.types, found.service_capacity), solve(levels.at(rate))
    idle_work = idle = 0.0
    for n, mass in enumerate((*law.boundary, law.repeating_mass)):
        for chance, front in zip(mass, levels.fronts[n], strict=True):
            seen = left[list(model.jobs(front))].sum()
            busy = sum(speed * (seen - left[list(model.jobs(after))].sum()) for speed, after, _ in model.steps(front))
            idle += chance * (1 - busy)
            idle_work += chance * (1 - busy) * (seen + (n - model.size(front)) * bounds.mean_size)
            # Beta holds in every state.
            assert busy >= bounds.per_job * min(n, bounds.front) - 1e-12
    assert idle == pytest.approx(1 - rho, rel=1e-9)
    m = mg1_work(utilisation=rho, mean_size=bounds.mean_size, second_moment=bounds.second_moment)
    assert exact_terms(found, rate).mean_work == pytest.approx(m + idle_work / (1 - rho), rel=1e-8)


def test_exponential_work_is_the_number_of_jobs_and_a_stay_is_its_two_parts():
    jobs = System(servers=3, classes=[JobClass(name="jobs", need=1, share=1, duration=Exponential(mean=1))])
    exact, answer = exact_terms(jobs, 2.0), msj.analyse(jobs.replace(arrival_rate=2), percentiles=False)
    assert exact.mean_work == pytest.approx(answer["mean_jobs_in_system"] / 3, rel=1e-10)
    assert exact.mean_queueing_time == pytest.approx(answer["mean_waiting_time"], rel=1e-9)
    assert exact.mean_front_time == pytest.approx(1.0, rel=1e-9)


def test_sharing_all_servers_has_the_work_of_one_server():
    found = member("limited processor sharing", LAWS["hyperexponential"])
    exact, bounds = assert_inside(found, 0.8 / wcfs_bounds(found).mean_size)
    assert bounds.sharper.work.lower == bounds.sharper.work.upper == pytest.approx(exact.mean_work, rel=1e-9)


@pytest.mark.parametrize(
    "policy",
    [
        {"name": "limited-processor-sharing", "limit": 3, "speeds": ["1/4", "3/4", 1]},
        {"name": "limited-processor-sharing", "limit": 2, "speeds": [1, 1]},
        {"name": "heterogeneous-servers", "speeds": [3, 2, 1], "assignment": "newest-first"},
        {"name": "heterogeneous-servers", "speeds": [3, 2, 1], "assignment": "move-up"},
    ],
    ids=["slow alone", "as fast alone", "newest first", "move up"],
)
def test_speeds_that_depend_on_who_shares_are_inside_every_bound(policy):
    shared = policy["name"] == "limited-processor-sharing"
    jobs = JobClass(name="jobs", need=3 if shared else 1, share=1, duration=LAWS["hyperexponential"])
    found = System(servers=3, classes=[jobs], policy=policy)
    for rho in (0.1, 0.6, 0.95):
        assert_inside(found, rho / wcfs_bounds(found).mean_size)
    approximated = "approximate_mean_response_time" in {row.name for row in msj.analyse(found.replace(utilisation=0.5))}
    assert approximated == (shared and policy["speeds"][0] == 1)


def test_figure_7a_has_constants_that_are_linear_in_the_servers():
    # By another program: 3, 7, 15, 31 instead of 5, 19, 71, 271.
    constants = []
    for k in (2, 4, 8, 16):
        needs = [2**i for i in range(k.bit_length())]
        classes = [
            JobClass(name=str(v), need=v, share=f"1/{len(needs)}", duration=Exponential(mean=f"{k}/{v}")) for v in needs
        ]
        found = wcfs_bounds(System(servers=k, classes=classes, policy="server-filling"))
        constants.append((found.c_upper, found.c_upper_sharper))
    assert np.array(constants).round(9).tolist() == [[5, 3], [19, 7], [71, 15], [271, 31]]


@pytest.mark.parametrize(
    ("name", "per_job"),
    [("heterogeneous", 1 / 3), ("heterogeneous, staying", 1 / 4), ("divisor-filling", 1 / 6), ("red and blue", 1 / 4)],
)
def test_capacity_in_use_per_job_by_hand(name, per_job):
    assert explain(member(name, LAWS["exponential"])).per_job == pytest.approx(per_job)


def test_zhang_and_zwart_of_figure_1():
    # By another program: rho = .9 and the law of wcfs, Figure 1: 11.640, where 11.634 is exact.
    law = msj.Hyperexponential(rates=[2, "2/3"], probabilities=["1/2", "1/2"])
    jobs = JobClass(name="jobs", need=4, share=1, duration=law)
    shared = System(
        servers=4, classes=[jobs], policy={"name": "limited-processor-sharing", "limit": 4}, utilisation=0.9
    )
    answer = msj.analyse(shared, percentiles=False)
    assert round(answer["approximate_mean_response_time"], 3) == 11.640
    assert round(answer["mean_response_time"], 3) == 11.634


@settings(max_examples=25)
@given(st.floats(0.01, 0.99), st.floats(0.1, 10), st.floats(1.0, 9.0))
def test_zhang_and_zwart_lie_between_one_server_and_processor_sharing(rho, mean, ratio):
    sizes = {"utilisation": rho, "mean_size": mean, "second_moment": ratio * mean**2}
    assert zhang_zwart(limit=1, **sizes) == pytest.approx(mg1_work(**sizes) + mean, rel=1e-12)
    assert zhang_zwart(limit=10**6, **sizes) == pytest.approx(mean / (1 - rho), rel=1e-12)


def test_the_terms_are_rows_where_they_are_asked_for():
    filling = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), policy="server-filling", utilisation=0.9)
    plain, full = (msj.analyse(filling, percentiles=False, bounds=asked) for asked in (False, True))
    assert plain["response_time_sharper_upper_bound"] == full["response_time_sharper_upper_bound"]
    assert plain["response_time_sharper_upper_bound"] < plain["response_time_upper_bound"]
    assert "work_upper_bound" not in {row.name for row in plain}
    stay = full["mean_queueing_time"] + full["mean_front_time"]
    assert stay == pytest.approx(full["mean_response_time"], rel=1e-9)
    assert full["work_lower_bound"] <= full["mean_work"] <= full["work_sharper_upper_bound"] <= full["work_upper_bound"]
    citations = {row.citation for row in full if row.kind == "bound"}
    assert {"wcfs, Lemma 2", "wcfs, Lemma 3", "wcfs, Lemma 4", "wcfs, Lemma 6"} <= citations
