"""Open systems in sparse levels, by hand: what is read off a law, and where the solver is told to begin."""

from types import SimpleNamespace

import numpy as np
import pytest

from msj.analysis import open_sparse, open_sparse_dependent, sparse_fronts
from msj.analysis.base import without_load
from msj.analysis.count_threshold import CountThreshold
from msj.analysis.finite_skip_chain import FiniteSkipChain, solved_front_chain
from msj.analysis.msr_threshold import MsrThreshold
from msj.analysis.one_and_n import OneAndNForm
from msj.analysis.open_sparse import OpenSparse, solve_open_sparse
from msj.analysis.open_sparse_dependent import solve_sparse_dependent
from msj.analysis.same_law import SameLawForm
from msj.analysis.saturated_chain import SaturatedChain
from msj.analysis.two_class import TwoClassForm
from strategies import simple

MMPP = {"law": "mmpp", "rates": [3, 1], "switching": [[0, 1], [0.5, 0]]}


def cluster(**fields):
    """Five servers; needs 1 and 3, shares 3/5 and 2/5, mean durations 2 and 1/2."""
    return simple(5, (1, "1/2", "3/5"), (3, 2, "2/5"), **fields)


@pytest.fixture
def by_hand():
    """Nobody waits in four states; somebody does in two, of two and no free servers, three levels written down."""
    return OpenSparse(
        system=cluster(),
        arrival_rate=2.5,
        model=SimpleNamespace(
            counts=np.array([[0, 0], [1, 0], [0, 1], [2, 0]]),
            free=np.array([5, 4, 2, 3]),
            blocked=SimpleNamespace(counts=np.array([[0, 1], [2, 1]]), free=np.array([2, 0])),
            types=SimpleNamespace(
                class_of=np.array([0, 1]), blocked_share=lambda servers: np.array([1, 0.4, 0.4, 0, 0, 0])[: servers + 1]
            ),
        ),
        law=SimpleNamespace(
            ground=np.array([0.1, 0.2, 0.05, 0.05]),
            levels=np.array([[0.1, 0.05, 0.02], [0.2, 0.08, 0.05]]),
            beyond_ground=np.array([0.25, 0.35]),
            ratio=0.5,
            cut=3,
            level_error=0.02,
            mean_level=lambda less=0: 2.0 - 0.5 * less,
        ),
    )


def test_means_are_read_off_a_law(by_hand):
    assert by_hand.mean_jobs_in_system == pytest.approx(2.5 * (0.6 * 2 + 0.4 * 0.5) + 2.0)
    assert by_hand.error == pytest.approx(0.02 / 5.5)
    # In service: 0.2 + 2·0.05 + 2·0.35 small jobs and 0.05 + 0.25 + 0.35 large ones; 3 and 1/2 should be.
    assert by_hand.mean_in_service == pytest.approx([1.0, 0.65])
    assert by_hand.little_gap == pytest.approx(2 / 3)
    # Heads: anybody where no server is free, 0.35; a large job where two are, 0.25/0.4; 1.5 behind them.
    assert by_hand.mean_waiting == pytest.approx([0.6 * (1.5 + 0.35), 0.4 * (1.5 + 0.35 + 0.625)])
    assert by_hand.mean_waiting_time == pytest.approx([(1.5 + 0.35) / 2.5, (1.5 + 0.975) / 2.5])
    # Large jobs wait where two servers are free, too.
    assert by_hand.waiting_probability == pytest.approx([0.6, 0.65])


def test_the_law_of_the_jobs_goes_on_beyond_the_levels_that_are_written_down(by_hand):
    ground = [0.1, 0.25, 0.05, 0, 0, 0, 0, 0]
    one_runs = [0, 0, 0.1, 0.05, 0.02, 0.01, 0.005, 0.0025]
    three_run = [0, 0, 0, 0, 0.2, 0.08, 0.05, 0.025]
    expected = np.sum([ground, one_runs, three_run], axis=0)
    for last in range(8):
        assert by_hand.jobs_law(last) == pytest.approx(expected[: last + 1])


class Asked(Exception):
    """What a solver was asked."""


@pytest.fixture
def asked(monkeypatch):
    def solve_levels(process, **told):
        raise Asked({"process": process} | told)

    for module in (open_sparse, open_sparse_dependent, sparse_fronts):
        monkeypatch.setattr(module, "solve_levels", solve_levels)

    def what(call, *given, **more):
        with pytest.raises(Asked) as caught:
            call(*given, **more)
        return caught.value.args[0]

    return what


def saturated(delta, anchor=2):
    """A saturated chain of three states and throughput 3; relative completions have the mean square 7/4."""
    return SimpleNamespace(
        throughput=3.0,
        relative_completions_at_departure=delta,
        time_average=np.array([0.25, 0.5, 0.25]),
        relative_completions=np.array([2.0, -1.0, 1.0]),
        anchor=anchor,
    )


MODEL = SimpleNamespace(
    at=lambda rate: ("at", rate),
    under=lambda form: ("under", len(form)),
    without_blocking=lambda rate: rate * np.array([0.5, 0.25, 0.25]),
    place=np.arange(3),
    order_state=np.zeros(3, dtype=int),
)


@pytest.mark.parametrize(
    ("delta", "anchor", "ratio", "begins"),
    [
        # Load 1/2, so E[N] is about worth·1, and a geometric tail of mean 3/2 falls by 3/5.
        (0.5, 2, 0.6, 2),
        (0.5, 0, 0.6, 0),
        (0.5, 3, 0.6, 1),  # there is no such state: the likeliest
        (-0.95, 2, 0.1 / 1.1, 2),  # worth no less than a tenth
    ],
)
def test_where_sparse_levels_begin(asked, delta, anchor, ratio, begins):
    told = asked(solve_open_sparse, cluster(), MODEL, saturated(delta, anchor), 1.5, memory_limit=7.0)
    assert told.pop("start") == pytest.approx([0.75, 0.375, 0.375])
    assert told == {
        "process": ("at", 1.5),
        "anchor": begins,
        "ratio": pytest.approx(ratio),
        "throughput": 3.0,
        "spread": pytest.approx(1 + 3 * 1.75**0.5),
        "forgetting": 2.0,  # the longest mean duration
        "scale": pytest.approx(0.05 * 1.5 * 1.4),  # a twentieth of those in service
        "memory_limit": 7.0,
    }


def test_a_load_that_is_not_a_half(asked):
    told = asked(solve_open_sparse, cluster(), MODEL, saturated(0.5), 1.0, memory_limit=7.0)
    assert told["ratio"] == pytest.approx(0.75 / 1.75)  # mean 1.5·(1/3)/(2/3)


@pytest.mark.parametrize(("anchor", "begins"), [(2, 2), (0, 0), (3, 1)])
def test_where_sparse_levels_begin_under_markovian_arrivals(asked, anchor, begins):
    system = cluster(arrivals=MMPP)
    told = asked(solve_sparse_dependent, system, MODEL, saturated(0.5, anchor), 1.0, memory_limit=7.0)
    form = system.arrivals.markov_form(1.0)
    assert form.law == pytest.approx([1 / 3, 2 / 3])
    assert told["process"] == ("under", 2)
    assert told["start"] == pytest.approx(np.array([0.5, 1, 0.25, 0.5, 0.25, 0.5]) / 3)
    assert told["anchor"] == 2 * begins + 1  # the likelier phase
    worth = 1.5 + 16 / 45  # the arrivals' own term beside that of the chain
    assert told["ratio"] == pytest.approx(worth / 3 / (2 / 3 + worth / 3))
    assert told["spread"] == pytest.approx(1 + 3 * 1.75**0.5 + max(abs(form.relative_arrivals)))
    assert told["forgetting"] == pytest.approx(max(2.0, form.relaxation_time))
    assert told["scale"] == pytest.approx(0.05 * 1.4)
    assert (told["throughput"], told["memory_limit"]) == (3.0, 7.0)


def test_what_is_slowest_to_be_forgotten_counts(asked):
    quick = {"law": "mmpp", "rates": [3, 1], "switching": [[0, 100], [50, 0]]}
    slow = {"law": "mmpp", "rates": [3, 1], "switching": [[0, 0.01], [0.005, 0]]}
    for arrivals, slowest in ((quick, 2.0), (slow, 5 / 3 / 0.015)):  # 1/0.015, in units in which 5/3 jobs come
        told = asked(solve_sparse_dependent, cluster(arrivals=arrivals), MODEL, saturated(0.5), 1.0, memory_limit=7.0)
        assert told["forgetting"] == pytest.approx(slowest)
    some_order = cluster(order={"law": "sticky", "probability": 0.99})
    memory = some_order.order_chain.memory
    assert memory > 10
    told = asked(solve_sparse_dependent, some_order, MODEL, saturated(0.5), 0.5, memory_limit=7.0)
    assert told["forgetting"] == pytest.approx(memory / 0.5)
    assert told["start"] == pytest.approx(np.array([0.25, 0.125, 0.125]) * some_order.order_chain.law[0])


def test_where_sparse_levels_of_fronts_begin(asked):
    system = without_load(simple(4, (1, "1/2", "3/5"), (2, 2, "2/5"), policy="server-filling"))
    run = solved_front_chain(system)
    rate = 0.25 * run.throughput
    told = asked(sparse_fronts._solved.__wrapped__, system, rate, 7.0)
    worth = 1 + run.relative_completions_at_departure
    assert told["ratio"] == pytest.approx(worth / (3 + worth))  # mean worth·(1/4)/(3/4)
    spread = np.sqrt(np.sum(run.time_average * run.relative_completions**2))
    assert told["spread"] == pytest.approx(1 + 3 * spread)
    assert (told["anchor"], told["throughput"], told["memory_limit"]) == (0, run.throughput, 7.0)
    assert told["forgetting"] == 2.0
    assert told["scale"] == pytest.approx(0.05 * rate * 1.4)
    assert (told["start"] >= 0).all()
    assert told["start"].sum() > 0


FIRST_FIT = {"name": "first-fit", "window": 2}


@pytest.mark.parametrize(
    ("analysis", "system"),
    [
        (SaturatedChain, cluster()),
        (FiniteSkipChain, cluster(policy=FIRST_FIT)),
        (TwoClassForm, cluster()),
        (OneAndNForm, simple(5, (1, "1/2", "3/5"), (5, 2, "2/5"))),
        (SameLawForm, simple(5, (1, "1/2", "3/5"), (3, "1/2", "2/5"))),
        (MsrThreshold, cluster(policy={"name": "msr", "packings": [[5, 0], [2, 1]], "shares": [1, 3]})),
        (CountThreshold, cluster(policy="static-quickswap")),
    ],
)
def test_servers_in_use_are_those_that_the_work_takes(analysis, system):
    """Little's law for the servers: threshold times mean need × duration; the others are wasted."""
    found = analysis().saturate(system)
    work = sum(float(c.share) * c.need * float(c.duration.mean) for c in system.classes)
    busy = found.stability_threshold * work
    assert found.saturated_utilisation == pytest.approx(busy / 5, rel=1e-9)
    assert found.wasted_servers == pytest.approx(5 - busy, rel=1e-9)
    assert 0.01 < found.wasted_servers < 4
