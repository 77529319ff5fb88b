"""Markovian arrivals and jobs in some order, exactly: against formulas, brute force and the plain chain."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.analysis.brute_force_dependent import open_means, saturated_throughput

import msj
from msj import Exponential, JobClass, System
from msj.analysis.dependent_law import DependentLaw, operations
from msj.analysis.dependent_response import DependentResponse, dependent_at
from msj.analysis.saturated_chain import saturate
from msj.answers.curve import require_response
from msj.errors import NotSupported
from msj.model.durations import Erlang, Hyperexponential
from msj.model.spec_file import from_document

EXP = {"law": "exponential", "mean": 1}
ERLANG = {"law": "erlang", "stages": 2, "mean": 1.3}
HYPER = {"law": "hyperexponential", "rates": [3, 0.5], "probabilities": [0.6, 0.4]}
IPP = {"law": "mmpp", "rates": [3, 0], "switching": [[0, 1], [0.5, 0]]}
RELABELLED = {
    "law": "map",
    "D0": [[-3, 1], [2, -4]],
    "D1": [[1, 1], [0.5, 1.5]],
}  # every phase sends 2 per unit of time
MARKOV = {"law": "markov", "matrix": [[0.2, 0.8], [0.7, 0.3]]}
HIDDEN = {
    "law": "hidden-markov",
    "matrix": [[0.8, 0.2, 0], [0, 0.5, 0.5], [0.6, 0, 0.4]],
    "classes": [[1, 0], [0.5, 0.5], [0, 1]],
}
CYCLE = {"law": "markov", "matrix": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}


def cluster(servers, needs, *, durations=None, shares=None, **more):
    durations = durations or [EXP] * len(needs)
    shares = shares or [1 / len(needs)] * len(needs)
    told = more.get("order", {"law": "sticky"})["law"] in ("markov", "hidden-markov")
    classes = [
        {"name": f"need {need}", "need": need, "duration": law, **({} if told else {"share": share})}
        for need, law, share in zip(needs, durations, shares, strict=True)
    ]
    return from_document({"servers": servers, "classes": classes, **more})


def single_servers(servers, arrivals, rate):
    """M/M/c but for its arrivals, at service rate 1."""
    jobs = JobClass(name="jobs", need=1, share=1, duration=Exponential(mean=1))
    return System(servers=servers, classes=[jobs], arrivals=arrivals, arrival_rate=rate)


@pytest.mark.parametrize("servers", [1, 3])
@pytest.mark.parametrize("gap", [Erlang(stages=3, mean=1), Hyperexponential(rates=[4, 0.25], probabilities=[0.8, 0.2])])
def test_independent_gaps_have_the_known_solution_of_gi_m_c(servers, gap):
    """Takács 1962: those who wait do so exponentially, sigma the root of sigma = A*(c·(1 − sigma))."""
    rate = 0.7 * servers
    system = single_servers(servers, {"law": "renewal", "gap": gap.to_spec()}, rate)
    law = gap.scaled(1 / (rate * float(gap.mean))).as_phase_type()

    def transform(s):
        return float(law.alpha @ np.linalg.solve(s * np.eye(len(law.alpha)) - law.subgenerator, law.exit_rates))

    sigma = brentq(lambda x: transform(servers * (1 - x)) - x, 1e-9, 1 - 1e-9, xtol=1e-15)
    total, product = 1 / (1 - sigma), 1.0
    for r in range(1, servers + 1):
        a = transform(r)
        product *= a / (1 - a)
        ratio = (servers * (1 - a) - r) / (servers * (1 - sigma) - r)
        total += math.comb(servers, r) / (product * (1 - a)) * ratio
    waits = 1 / total / (1 - sigma)
    result = msj.analyse(system, percentiles=True)
    assert result["waiting_probability"] == pytest.approx(waits, rel=1e-10)
    assert result["mean_waiting_time"] == pytest.approx(waits / (servers * (1 - sigma)), rel=1e-10)
    for level in (90.0, 99.0):
        expected = max(math.log(waits / (1 - level / 100)) / (servers * (1 - sigma)), 0.0)
        assert result.row("waiting_time_percentile", level=level).value == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("arrivals", [IPP, {"law": "map", "D0": [[-5, 1], [1, -2]], "D1": [[3, 1], [0.5, 0.5]]}])
def test_one_server_under_markovian_arrivals_has_the_spectral_solution(arrivals):
    """pi_n = sum of c_i·z_i^n·u_i, u_i·(D1 + z_i·(D0 − 1) + z_i²) = 0: quadratic eigenvalues (Mitrani 1995)."""
    rate = 0.6
    system = single_servers(1, arrivals, rate)
    form = system.arrivals.markov_form(rate)
    size = len(form.D0)
    eye, zero = np.eye(size), np.zeros((size, size))
    local = form.D0 - eye
    # (u, z·u) on the left of the companion matrix.
    companion = np.block([[zero, -form.D1], [eye, -local]])
    values, vectors = np.linalg.eig(companion.T)
    inside = np.abs(values) < 1 - 1e-9
    z, u = values[inside], vectors[:size, inside].T
    if len(z) < size:  # a phase without arrivals: u with z = 0 is missing, and pi_0 has a part of its own
        z, u = np.append(z, 0.0), np.vstack([u, np.linalg.svd(form.D1.T)[2][-1].conj()])
    # The empty system: pi_0·D0 + pi_1 = 0, one equation of which follows from the others; and all sums to 1.
    balance = (u @ form.D0 + z[:, None] * u)[:, 1:]
    system_of = np.column_stack([balance, u.sum(axis=1) / (1 - z)])
    c = np.linalg.solve(system_of.T, np.append(np.zeros(size - 1), 1.0))
    mean = float((c * u.sum(axis=1) * z / (1 - z) ** 2).sum().real)
    solved = dependent_at(system, rate)
    assert solved.mean_jobs_in_system == pytest.approx(mean, rel=1e-9)
    law = DependentResponse().jobs_law(system, rate, 5)
    expected = [float((c * u.sum(axis=1) * z**n).sum().real) for n in range(6)]
    assert law == pytest.approx(expected, rel=1e-8)


def values(result):
    return {(r.name, r.job_class, r.level): r.value for r in result if r.kind == "exact" and "percentile" not in r.name}


@pytest.mark.parametrize(
    ("change", "close"),
    [
        ({"arrivals": {"law": "map", "D0": [[-1]], "D1": [[1]]}}, 1e-12),
        ({"arrivals": RELABELLED}, 1e-10),
        ({"arrivals": {"law": "renewal", "gap": EXP}}, 1e-12),
        ({"arrivals": {"law": "batch", "size": {"law": "deterministic", "value": 1}}}, 1e-12),
        ({"order": {"law": "sticky", "probability": 0}}, 1e-12),
        ({"order": {"law": "markov", "matrix": [["3/5", "2/5"]] * 2}}, 1e-12),
    ],
    ids=["one phase", "relabelled", "exponential gaps", "single batches", "sticky 0", "rows alike"],
)
def test_what_is_poisson_and_independent_by_another_name_has_the_same_answers(change, close):
    plain = cluster(4, (1, 4), durations=[EXP, HYPER], shares=["3/5", "2/5"], arrival_rate=0.8)
    base, other = msj.analyse(plain, percentiles=True), msj.analyse(plain.replace(**change), percentiles=True)
    found = values(other)
    for key, value in values(base).items():
        assert found[key] == pytest.approx(value, rel=close), key
    for row in base:
        if "percentile" in row.name:  # whose Laplace inversion is good to 1e-9 of the probability
            twin = other.row(row.name, job_class=row.job_class, level=row.level)
            assert twin.value == pytest.approx(row.value, rel=2e-8)


def test_a_source_that_is_silent_at_times_makes_jobs_wait_longer():
    plain = cluster(4, (1, 4), arrival_rate=0.7)
    poisson, bursts = msj.analyse(plain), msj.analyse(plain.replace(arrivals=IPP))
    for job_class in (None, "need 1", "need 4"):
        for name in ("mean_waiting_time", "waiting_probability"):
            pair = [r.row(name, job_class=job_class).value for r in (poisson, bursts)]
            assert pair[1] > 1.05 * pair[0]
    assert poisson["stability_threshold"] == bursts["stability_threshold"]


@pytest.mark.parametrize(
    "system",
    [
        cluster(4, (1, 4), order={"law": "sticky", "probability": 0.6}),
        cluster(5, (2, 3), order=MARKOV),
        cluster(3, (1, 2), durations=[ERLANG, HYPER], order=MARKOV),
        cluster(4, (1, 3), order=HIDDEN, durations=[HYPER, EXP]),
        cluster(4, (1, 2, 4), order=CYCLE),
        cluster(4, (1, 2, 4), shares=[0.5, 0.3, 0.2], order={"law": "sticky", "probability": 0.9}),
    ],
    ids=["sticky", "markov", "phase types", "hidden", "cycle", "three classes"],
)
def test_thresholds_in_any_order_are_those_of_the_full_ordered_chain(system):
    assert saturate(system).stability_threshold == pytest.approx(saturated_throughput(system), rel=1e-9)


@pytest.mark.parametrize(
    ("system", "load"),
    [
        (cluster(2, (1, 2), order={"law": "sticky", "probability": 0.7}), 0.02),
        (cluster(3, (1, 3), order=MARKOV, durations=[EXP, ERLANG]), 0.03),
        (cluster(2, (1, 2), order=HIDDEN, arrivals=RELABELLED), 0.02),
        (cluster(2, (1, 2), order={"law": "sticky", "probability": 0.5}, arrivals=IPP), 0.01),
    ],
    ids=["sticky", "markov", "hidden", "sticky in bursts"],
)
def test_open_systems_are_those_in_which_every_waiting_job_is_kept(system, load):
    rate = load * saturate(system).stability_threshold
    solved = dependent_at(system, rate)
    jobs, waiting, held_up = open_means(system, solved.form, most=8)
    assert sum(solved.law.level_vector(n).sum() for n in range(8, 12)) < 1e-12  # so little is lost
    close = {"rel": 1e-9, "abs": 1e-11}
    assert solved.mean_jobs_in_system == pytest.approx(jobs, **close)
    assert solved.mean_waiting == pytest.approx(waiting, **close)
    assert solved.waiting_probability == pytest.approx(held_up, **close)


@pytest.mark.parametrize(
    ("servers", "needs", "rates", "shares"),
    [(4, (1, 4), (1, 1), (0.5, 0.5)), (5, (2, 3), (1, 1), (0.5, 0.5)), (6, (1, 2, 4), (1, 0.5, 2), (0.5, 0.3, 0.2))],
)
def test_jobs_that_are_ever_more_alike_take_the_threshold_to_that_of_one_class_at_a_time(servers, needs, rates, shares):
    """Over a run of class c the line holds nothing else: floor(k/v_c) are served at once, 1/lambda* is the mean of

    1/(floor(k/v_c)·mu_c) over jobs, since the time between two runs is the same however long they are.
    """
    durations = [{"law": "exponential", "rate": rate} for rate in rates]
    limit = 1 / sum(p / (servers // v * m) for p, v, m in zip(shares, needs, rates, strict=True))
    gaps = []
    for stays in (0.999, 0.9999, 0.99999):
        order = {"law": "sticky", "probability": stays}
        system = cluster(servers, needs, durations=durations, shares=list(shares), order=order)
        gaps.append(saturate(system).stability_threshold - limit)
    assert np.array(gaps[1:]) / gaps[:-1] == pytest.approx(0.1, rel=0.1)  # proportional to 1 − s
    assert abs(gaps[-1]) < 1e-3 * limit
    if len(needs) == 2:
        assert np.sign(gaps[0]) == (-1 if needs == (1, 4) else 1)  # from below, and from above


WITH_ALL = cluster(
    4,
    (1, 3),
    durations=[EXP, HYPER],
    order=HIDDEN,
    arrivals={"law": "mmpp", "rates": [1, 7], "switching": [[0, 0.4], [2, 0]]},
)
IN_BATCHES = cluster(
    4, (1, 3), order=MARKOV, arrivals={"law": "batch", "size": {"law": "empirical", "values": [1, 1, 4]}}
)


@pytest.mark.parametrize("system", [WITH_ALL, IN_BATCHES], ids=["mmpp and hidden", "batches and markov"])
def test_means_by_following_a_job_are_those_by_counting_who_waits(system, monkeypatch):
    monkeypatch.setattr("msj.analysis.dependent_law.UNTIL", 1e-12)
    solved = dependent_at(system, 0.7 * saturate(system).stability_threshold)
    law = DependentLaw(solved)
    assert law.waiting.mean()[:-1] == pytest.approx(solved.mean_waiting_time, rel=1e-9)
    assert law.waiting.at_zero[:-1] == pytest.approx(solved.waiting_probability, rel=1e-12)
    assert law.response.mean()[:-1] == pytest.approx(solved.mean_waiting_time + solved.mean_durations, rel=1e-9)
    total = solved.mean_waiting.sum() + solved.mean_in_service.sum()
    assert solved.mean_jobs_in_system == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("system", [WITH_ALL, IN_BATCHES], ids=["mmpp and hidden", "batches and markov"])
def test_what_reset_leaves_open_stays_bounded_with_the_arrivals_own_term(system):
    open_terms = [
        msj.analyse(system.replace(load=load), percentiles=False)["reset_difference"] for load in (0.9, 0.99, 0.999)
    ]
    at_the_end = msj.analyse(system.replace(load=0.999), percentiles=False)["mean_response_time"]
    assert abs(open_terms[2] - open_terms[1]) < 0.2 * abs(open_terms[1] - open_terms[0]) + 1e-3
    assert abs(open_terms[2]) < 1e-2 * at_the_end


@pytest.mark.parametrize("policy", ["server-filling", {"name": "first-fit", "window": 2}])
def test_fronts_under_relabelled_poisson_arrivals_are_those_under_poisson_arrivals(policy):
    plain = cluster(4, (1, 4), policy=policy, load=0.7)
    base, other = msj.analyse(plain), msj.analyse(plain.replace(arrivals=RELABELLED))
    found = values(other)
    for name in ("mean_response_time", "waiting_probability", "mean_waiting_time", "mean_jobs_in_system"):
        for key in [key for key in values(base) if key[0] == name]:
            assert found[key] == pytest.approx(values(base)[key], rel=1e-10), key


def test_fcfs_as_a_front_agrees_with_its_own_chain_under_markovian_arrivals():
    """First-fit that looks at nobody behind the first that does not fit is FCFS."""
    own = cluster(4, (1, 3), durations=[EXP, HYPER], load=0.7, arrivals=IPP)
    front = own.replace(policy={"name": "first-fit", "window": 1})
    one, other = values(msj.analyse(own)), values(msj.analyse(front))
    for key in [key for key in other if key[0] in ("mean_response_time", "waiting_probability", "mean_waiting_time")]:
        assert other[key] == pytest.approx(one[key], rel=1e-9), key


def test_who_comes_said_by_the_arrivals_gives_the_threshold_of_that_order():
    arrivals = {
        "law": "map",
        "D0": [[-3, 1], [1, -3]],
        "D1": {"need 1": [[2, 0], [0, 0]], "need 4": [[0, 0], [0, 2]]},
    }
    told = cluster(4, (1, 4), arrivals=arrivals)
    same = cluster(4, (1, 4), order={"law": "markov", "matrix": [[0.75, 0.25], [0.25, 0.75]]})
    assert saturate(told).stability_threshold == pytest.approx(saturate(same).stability_threshold, rel=1e-12)
    result = msj.analyse(told.replace(load=0.5))
    assert "mean_response_time" not in {row.name for row in result}
    assert any("say who comes" in note for note in result.notes)


def test_following_a_job_costs_as_many_states_as_there_are_for_each_event():
    sizes, clock, stay, rate = (40, 1000, 800), 10.0, 100.0, 1.0
    cost = operations(sizes, clock, stay, rate)
    # Where states and events are many, twice as many of either are twice the cost.
    assert operations((80, 2000, 1600), clock, stay, rate) == pytest.approx(2 * cost, rel=0.01)
    assert operations(sizes, 2 * clock, stay, rate) == pytest.approx(2 * cost, rel=0.01)
    assert operations(sizes, clock, stay, 2 * rate) == pytest.approx(2 * cost, rel=0.01)  # twice the jobs are met
    assert operations(sizes, clock, 2 * stay, rate) == pytest.approx(4 * cost, rel=0.03)
    assert 0 < operations((1,), 1.0, 0.1, 0.1) < 1e-3 * cost


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        (
            {"durations": [{"law": "deterministic", "value": 1}] * 2},
            ["class 'need 1' has deterministic durations, which are not phase type; simulate it"],
        ),
        (
            {"policy": "most-servers-first", "arrivals": IPP},
            [
                "arrivals follow the law 'mmpp' and this method needs Poisson arrivals",
                "policy 'most-servers-first' may look at every waiting job, so it has no finite chain; simulate it",
            ],
        ),
    ],
    ids=["FCFS, Poisson", "another policy, MMPP"],
)
def test_who_has_another_policy_or_poisson_arrivals_is_not_told_why_this_chain_is_not_theirs(changes, reasons):
    with pytest.raises(NotSupported) as refused:
        require_response(cluster(4, (1, 4), **changes))
    assert str(refused.value) == "; ".join(reasons)


def test_one_job_at_a_time_completes_one_a_mean_duration_in_whatever_order_and_stages():
    """Needs of all servers: shares 1/4 and 3/4, means 1 and 2, so 1/(1/4 + 3/2) = 4/7, alike or not."""
    jobs = [
        msj.JobClass(name=name, need=2, share=share, duration=msj.Erlang(stages=2, mean=mean))
        for name, share, mean in (("a", "1/4", 1), ("b", "3/4", 2))
    ]
    system = msj.System(servers=2, classes=jobs, order={"law": "sticky", "probability": 0.5})
    assert msj.analyse(system)["stability_threshold"] == pytest.approx(4 / 7, rel=1e-12)
