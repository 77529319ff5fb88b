"""Where a size decides which way a number is found, both ways give the same number.

Each case names a limit, a value for it that sends a small question the way of large ones, and the question. That
another way is taken is seen from the lines of the limit's own file that run.
"""

import importlib
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import msj
from msj import Exponential, JobClass, System
from msj.analysis import remaining_size
from msj.analysis.exact_response import ExactResponse
from msj.analysis.sparse_response import SparseResponse
from msj.closed_forms.infinite_servers import _fill
from msj.closed_forms.loss import loss
from msj.errors import NotAccurate
from msj.fronts import saturated_chain
from msj.fronts.compiled_fronts import saturated_fronts
from msj.fronts.count_space import count_space
from msj.fronts.front_of import front_of
from msj.markov import MarkedChain, solution, solve
from msj.simulation.saturated_line import saturated_line
from msj.simulation.sketch import Sketch
from strategies import simple

THREE = simple(6, (1, 1, "1/2"), (2, "1/2", "1/4"), (3, 2, "1/4"))


def of_the_chain():
    run = solve(saturated_chain(THREE).chain)
    return [run.throughput, *run.time_average, *run.departure_average]


def of_a_policys_fronts():
    system = simple(4, (1, 1, "1/2"), (3, "1/2", "1/2"), policy={"name": "first-fit", "window": 3})
    chain, busy = saturated_fronts(front_of(system))
    run = solve(chain)
    return [run.throughput, float(busy @ run.time_average)]  # the order of the fronts may be another


def of_counts():
    system = simple(3, (1, 1, "1/2"), (2, "1/2", "1/2"), policy="most-servers-first", arrival_rate=0.6)
    return [row.value for row in msj.analyse(system, percentiles=False) if row.name.startswith("mean_")]


def of_ranks():
    space = count_space(12, np.array([1, 2, 5]), 1)
    ranks = space.rank(space.vectors())
    assert ranks.tolist() == list(range(int(space.size)))
    return ranks


def of_a_simulation():
    system = THREE.replace(arrival_rate=0.8)
    rows = msj.simulate(system, jobs=20_000, seed=3, replications=2).quantities
    return [end for row in rows for end in (row.value, row.low or 0.0, row.high or 0.0)]


def of_sketches():
    rng = np.random.default_rng(1)
    each = [Sketch.of(0, rng.poisson(0.3, 40)) for _ in range(5)]
    whole = Sketch.total(each)
    by_hand = {int(b): 0 for sketch in each for b in sketch.bins}
    for sketch in each:
        for where, count in zip(sketch.bins, sketch.counts, strict=True):
            by_hand[int(where)] += int(count)
    assert dict(zip(whole.bins.tolist(), whole.counts.tolist(), strict=True)) == by_hand
    return [*whole.bins, *whole.counts]


def of_a_saturated_line():
    line = saturated_line(THREE, rng=2, jobs=30_000)
    return [*line.ends, line.stability_threshold]


def of_losses():
    found = loss(servers=9, needs=[1, 2, 4], offered=[30.0, 2.0, 5.0])
    return [*found.probabilities, *found.busy_servers]


def of_few_classes():
    """The fourth class is one too many for controls of each; the mean is the exact one either way."""
    classes = [JobClass(name=str(i), need=2, share="1/4", duration=Exponential(mean=1)) for i in range(4)]
    system = System(servers=2, classes=classes, arrival_rate=0.5)
    row = msj.simulate(system, jobs=40_000, seed=1).row("mean_response_time")
    assert row.low <= 2.0 <= row.high  # M/M/1
    return [2.0]


LIMITS = {
    "markov.linear_solver.DIRECT_UP_TO": (0, of_the_chain, 1e-10),
    "markov.solution.ELIMINATE_UP_TO": (0, of_the_chain, 1e-10),
    "fronts.compiled_fronts.SMALL": (1, of_a_policys_fronts, 1e-10),
    "fronts.count_levels.ROWS": (7, of_counts, 1e-13),
    "fronts.count_space.MANY_TYPES": (0, of_ranks, 0),
    "simulation.record.SPARSE": (0, of_a_simulation, 0),
    "simulation.record.MANY_LATE": (0, of_a_simulation, 0),
    "simulation.sketch.DENSE": (0, of_sketches, 0),
    "simulation.saturated_line.BLOCK": (1_000, of_a_saturated_line, 1e-12),
    "simulation.controls.FEW_CLASSES": (3, of_few_classes, 0),
    "closed_forms.loss.LARGE": (10.0, of_losses, 1e-13),
}
#: The same lines, more often; and a branch in a compiled loop.
SAME_LINES = {"fronts.count_levels.ROWS", "simulation.saturated_line.BLOCK", "simulation.record.SPARSE"}


@pytest.mark.parametrize("limit", LIMITS)
def test_what_is_large_gets_the_same_answer(limit, monkeypatch):
    module, _, name = f"msj.{limit}".rpartition(".")
    value, ask, close = LIMITS[limit]
    home = importlib.import_module(module)
    with lines_run(home.__file__) as usual:
        in_front = ask()
    monkeypatch.setattr(home, name, value)
    with lines_run(home.__file__) as beyond:
        behind = ask()
    assert behind == pytest.approx(in_front, rel=close, abs=close)
    assert limit in SAME_LINES or usual.seen != beyond.seen


class lines_run:  # noqa: N801
    """The lines of a file that run inside of a ``with``, by number."""

    def __init__(self, file):
        self.file, self.seen = str(Path(file)), set()

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self._called)
        threading.settrace(self._called)  # replications are simulated in threads
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)
        threading.settrace(None)

    def _called(self, frame, event, arg):
        return self._line if frame.f_code.co_filename == self.file else None

    def _line(self, frame, event, arg):
        if event == "line":
            self.seen.add(frame.f_lineno)
        return self._line


def test_a_recursion_that_is_scaled_down_gives_the_same_law(monkeypatch):
    needs, work = np.array([1, 3]), np.array([40.0, 12.0])
    weights = [np.zeros(60) for _ in range(2)]
    for each, large in zip(weights, (1e200, 1e6), strict=True):
        monkeypatch.setattr("msj.closed_forms.infinite_servers.LARGE", large)
        each[0] = 1.0
        _fill.py_func(each, 1, needs, work)
    usual, scaled = (each / each.sum() for each in weights)
    kept = scaled > 0  # those scaled down twice are nothing beside the others
    assert kept.sum() > 20
    assert scaled[kept] == pytest.approx(usual[kept], rel=1e-10)
    assert usual[~kept].sum() < 1e-5


def test_ages_of_blocks_of_another_length_have_the_same_laws(monkeypatch):
    generator = np.array([[-1.0, 0.7], [0.2, -5.0]])
    alpha = np.array([0.3, 0.7])
    found = {}
    for length in (8, 4):
        monkeypatch.setattr(remaining_size, "DOUBLINGS_PER_BLOCK", length)
        ages, laws = remaining_size._followed(alpha, generator, 1.0)
        found[length] = dict(zip(ages.tolist(), laws.tolist(), strict=True))
    shared = sorted(found[8].keys() & found[4].keys())
    assert len(shared) > 20
    assert len(found[4]) < len(found[8])
    for age in shared:
        assert found[4][age] == pytest.approx(found[8][age], rel=1e-9)


def test_where_sparse_blocks_are_not_accurate_dense_ones_answer_if_they_are_small(monkeypatch):
    rate = 0.5 * msj.analyse(THREE, percentiles=False)["stability_threshold"]
    usual = ExactResponse().at_rate(THREE, rate, percentiles=False)

    def refuse(*_, **__):
        raise NotAccurate("waits too rare to be told from rounding")

    monkeypatch.setattr("msj.analysis.sparse_response.open_sparse_at", refuse)
    assert SparseResponse().at_rate(THREE, rate, percentiles=False).rows == usual.rows
    assert SparseResponse().jobs_law(THREE, rate, 20) == pytest.approx(ExactResponse().jobs_law(THREE, rate, 20))
    monkeypatch.setattr("msj.analysis.sparse_response.DENSE_INSTEAD", 0.0)
    with pytest.raises(NotAccurate, match="too rare"):
        SparseResponse().at_rate(THREE, rate, percentiles=False)
    with pytest.raises(NotAccurate, match="too rare"):
        SparseResponse().jobs_law(THREE, rate, 20)


def test_a_large_chains_likely_state_is_that_of_a_small_one(monkeypatch):
    # A walk that goes up at rate 1 and down at 1/2, so state n has twice the time of state n - 1; at its end it jumps
    # at rate 1/2, elsewhere at 3/2: the last state but one is left most often.
    size = 60
    rates = np.diag(np.ones(size - 1), 1) + np.diag(np.full(size - 1, 0.5), -1)
    walk = MarkedChain.from_matrices(rates - np.diag(rates.sum(axis=1) + 1.0), np.eye(size))
    with_vanishing = saturated_chain(THREE).chain
    assert with_vanishing.vanishing > 0
    usual = solution._likely_state(with_vanishing)
    assert solution._likely_state(walk) == size - 2
    monkeypatch.setattr(solution, "ELIMINATE_UP_TO", 0)
    assert solution._likely_state(walk) == size - 2
    assert solution._likely_state(with_vanishing) == usual
