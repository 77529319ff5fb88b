"""The figures of wcfs: their exact curves against formulas and chains built here, their claims against false rows."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import spsolve

import msj
from msj.papers import PAPERS, figures_named
from msj.papers.wcfs import points
from msj.papers.wcfs.models import OTHERS, WCFS, models
from msj.plots.figure import new_figure

FIGURES = figures_named(PAPERS["wcfs"])


def test_the_six_figures_are_there():
    assert list(FIGURES) == ["fig1", "fig2", "fig5", "fig6", "fig7a", "fig7b"]


def test_all_models_have_mean_size_one_and_the_papers_second_moment():
    for name, model in models().items():
        system = model.system(0.5)
        assert system.arrival_rate_at(math.nan) == pytest.approx(0.5, rel=1e-12), name
        if name in WCFS + OTHERS:
            assert model.excess == pytest.approx(1.25, rel=1e-12), name
    for x in (1, 2, 4, 8):  # E[S²] = C² + 1
        assert 2 * models()[f"branches-{x}"].excess - 1 == pytest.approx(x + x / (2 * x - 1) - 1, rel=1e-12)


def test_at_load_zero_a_job_has_the_system_to_itself():
    alone = {
        "mgk": 4,  # a quarter of the capacity
        "heterogeneous": 1 / 0.4,
        "threshold-fcfs": (2 + 1.5) / 2,
        "server-filling": (2 + 1.5) / 2,
        "lps": 1,
        "mg1": 1,
        "max-weight": (2 + 1.5) / 2,
        "filling-4": (4 + 2 + 1) / 3,
    }
    for name, expected in alone.items():
        assert models()[name].exact(1e-6) == pytest.approx(expected, abs=1e-5), name


def chain_of_numbers(rule, rate, most_small=45, most_large=60):
    """Solve the chain of (small, large, what a tie is broken to) by brute force; return E[T]."""
    states, index, moves = [], {}, []

    def variants(small, large):
        tie = rule == "max-weight" and small > 0 and 4 * small == large
        return [((small, large, choice), 0.5) for choice in (0, 1)] if tie else [((small, large, 0), 1.0)]

    for small, large in product(range(most_small + 1), range(most_large + 1)):
        for state, _ in variants(small, large):
            index[state] = len(states)
            states.append(state)
    for small, large, choice in states:
        if rule == "max-weight":
            small_served = 4 * small > large or (4 * small == large and choice == 0)
            served = (min(small, 4), 0) if small_served else (0, min(large, 1))
        elif rule == "large first":
            served = (0, 1) if large else (min(small, 4), 0)
        elif rule == "small first":
            served = (min(small, 4), int(large > 0 and small == 0))
        else:
            served = (min(small, 4), max(0, 4 - small) / 4 * (large > 0))
        out = [((small - 1, large), served[0] / 2), ((small, large - 1), served[1] * 2 / 3)]
        out += [((small + 1, large), rate / 2)] if small < most_small else []
        out += [((small, large + 1), rate / 2)] if large < most_large else []
        for target, speed in out:
            if speed > 0:
                moves += [(index[small, large, choice], index[s], speed * chance) for s, chance in variants(*target)]
    sources, targets, speeds = map(np.array, zip(*moves, strict=True))
    count = len(states)
    generator = sparse.coo_array((speeds, (targets, sources)), shape=(count, count)).tolil()
    generator.setdiag(-np.bincount(sources, weights=speeds, minlength=count))
    generator[0, :] = 1.0
    law = spsolve(generator.tocsc(), np.eye(1, count)[0])
    return float(law @ np.array([small + large for small, large, _ in states])) / rate


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("large first", "most-first"),
        ("large first", "elastic-first"),
        ("small first", "least-first"),
        ("inelastic first", "inelastic-first"),
        ("max-weight", "max-weight"),
    ],
)
def test_numbers_present_against_a_brute_force_chain(rule, name):
    assert models()[name].exact(0.3) == pytest.approx(chain_of_numbers(rule, 0.3), rel=1e-9)


def test_a_favoured_class_sees_itself_only():
    def mean_present(name, rho, job_class):
        found = msj.analyse(models()[name].system(rho), exact=True)
        return found.row("mean_jobs_in_system", job_class=job_class).value

    assert mean_present("most-first", 0.96, "large") == pytest.approx(0.72 / 0.28, rel=1e-9)
    # M/M/4 offered a = rate: a + C·(a/4)/(1 − a/4), Erlang's C
    a = 0.6
    last = a**4 / 24 / (1 - a / 4)
    waits = last / (sum(a**i / math.factorial(i) for i in range(4)) + last)
    for name in ("least-first", "inelastic-first"):
        expected = a + waits * (a / 4) / (1 - a / 4)
        assert mean_present(name, a, "small") == pytest.approx(expected, rel=1e-9)


#: E[T] as the figure had it before its chains became an analysis of their own.
BEFORE = {
    ("max-weight", 0.6): 6.036937033939247,
    ("max-weight", 0.9): 16.912437026508208,
    ("most-first", 0.6): 4.543080531533778,
    ("most-first", 0.9): 21.436955763337973,
    ("elastic-first", 0.98): 120.3892704358841,
    ("least-first", 0.6): 12.509991074532902,
    ("inelastic-first", 0.6): 2.964749997608088,
    ("inelastic-first", 0.96): 21.694947588981858,
}


@pytest.mark.parametrize(("name", "rho"), BEFORE)
def test_the_figures_values_are_what_they_were(name, rho):
    assert models()[name].exact(rho) == pytest.approx(BEFORE[name, rho], rel=1e-9)


def test_known_values():
    # Exact by other means, or (Most Servers First) simulated.
    assert models()["least-first"].limit == pytest.approx(0.6772167919020258, rel=1e-12)
    assert models()["msj-fcfs"].limit == pytest.approx(96 / 139, rel=1e-12)
    assert models()["server-filling"].exact(0.9) == pytest.approx(14.118319133, abs=1e-8)
    assert models()["most-first"].exact(0.9) == pytest.approx(21.42, abs=0.05)


def test_least_servers_first_ends_where_large_jobs_find_no_time():
    limit = models()["least-first"].limit
    near = [models()["least-first"].exact(limit * (1 - step)) * step for step in (1e-3, 1e-4)]
    assert near[1] == pytest.approx(near[0], rel=0.01)  # E[T] grows as 1/(1 − lambda/lambda*)


@pytest.mark.parametrize("name", ["inelastic-first", "staying-8"])
def test_simulated_against_exact(name):
    means = points.simulated(name, 0.7, 40_000, 3, range(points.REPLICATIONS))
    row = points.combined(name, 0.7, 40_000, means)
    row["z"] = points._z(row, models()[name].exact(0.7))
    assert abs(row["z"]) < 4.2  # t with 19 degrees of freedom: once in 2,000
    plain = np.array(means)[:, 0].std(ddof=1) / math.sqrt(points.REPLICATIONS) * 2.093
    assert row["response_time_high"] - row["response_time"] < plain / 2  # the same jobs in M/G/1 take off most noise


def test_a_replication_has_the_same_jobs_alone_and_among_others():
    everyone = points.simulated("lps", 0.6, 20_000, 5, [0, 1, 2])
    assert points.simulated("lps", 0.6, 20_000, 5, [1]) == [everyone[1]]


exact_row = cache(points.exact)


def exact_rows(figure):
    """Return exact rows at a few loads, and the same as if simulated to 0.1 %."""
    rows = []
    for name, rho in product(figure.names, (0.02, 0.9, 0.96, 0.995, 0.999)):
        mean = exact_row(name, rho)["response_time"]
        rows.append(dict(exact_row(name, rho)))
        rows.append(points._row(name, rho, "simulated", mean, mean * 0.999, mean * 1.001) | {"z": 0.5})
    return rows


@pytest.mark.parametrize("name", ["fig1", "fig5", "fig7b"])
def test_exact_claims_hold_and_false_rows_fail(name):
    figure = FIGURES[name]
    rows = exact_rows(figure)
    failed = {claim.claim for claim in figure.claims(rows) if not claim.passed}
    assert all("near −3" in claim for claim in failed)
    assert len(failed) == (3 if name == "fig7b" else 0)  # of four ways to seat jobs one comes near −3
    for row in rows:  # a tenth more: no limit, sign or constant survives that
        grown = row["response_time"] * 1.1
        row |= points._row(row["model"], row["rho"], row["method"], grown, grown, grown)
    assert len([claim for claim in figure.claims(rows) if not claim.passed]) > len(failed)
    figure.draw(rows, new_figure(figure.width, figure.height))


def test_a_simulation_that_is_off_is_noticed():
    row = {"model": "mgk", "rho": 0.5, "z": 1.0}
    assert points.agreement([row] * 30).passed
    assert not points.agreement([*[row] * 30, row | {"z": -6.0}]).passed


def test_run_lengths_are_the_papers():
    full = FIGURES["fig2"].simulated_points("full")
    assert {point["arrivals"] for point in full if point["model"] in ("max-weight", "srpt")} == {10**10}
    assert {point["arrivals"] for point in full if point["model"] not in ("max-weight", "srpt")} == {10**9}
    assert max(point["rho"] for point in full if point["model"] == "srpt") == 0.99
    assert FIGURES["fig1"].arrivals("full") == 6 * 11 * 1e9


def test_limits_by_where_the_work_sits():
    assert models()["max-weight"].crowding == Fraction(1 + 4) / (Fraction(1, 2) + 4 * Fraction(3, 2))
    for name in ("most-first", "inelastic-first"):
        scaled = {rho: models()[name].exact(rho) * (1 - rho) for rho in (0.998, 0.999)}
        assert points.at_saturation(scaled) == pytest.approx(1.25 * float(models()[name].crowding), rel=1e-4)


def test_a_replication_is_one_run(monkeypatch):
    asked = []

    def simulate(system, **options):
        asked.append((options["jobs"], options["replications"], options["controls"]))
        return {"mean_response_time": 2.0}

    monkeypatch.setattr(points, "simulate", simulate)
    points.simulated("inelastic-first", 0.5, 100 * points.REPLICATIONS, 1, [0, 1])
    assert set(asked) == {(100, 1, False)}


def test_gaps_of_the_wcfs_models_stay_and_those_of_others_go_somewhere():
    assert {models()[name].direction for name in WCFS} == {0}
    assert {models()[name].direction for name in OTHERS} == {-1, 1}


def test_loads_are_shares_of_what_a_model_takes():
    """Of all that servers can do where it takes that; else of its limit, to three digits."""
    for name in ("fig5", "fig6"):
        (figure,) = figures_named(PAPERS["wcfs"], name).values()
        for point in figure.simulated_points("quick"):
            limit = models()[point["model"]].limit
            shares = {*points.SIMULATED["quick"], *points.MORE["quick"], points.LAST}
            assert point["rho"] in ({*shares} if limit == 1 else {round(share * limit, 3) for share in shares})
    assert any(model.limit < 1 for model in models().values())
