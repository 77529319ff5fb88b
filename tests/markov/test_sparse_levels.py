"""Sparse levels against the same chain cut far out and eliminated state by state."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sparse

from msj import Exponential, JobClass, System
from msj.fronts.fcfs_waiting import waiting_model
from msj.markov.gth import closed_class_laws
from msj.markov.solution import solve as solve_chain
from msj.markov.sparse_level_mode import leading_mode
from msj.markov.sparse_level_residual import missing_flows
from msj.markov.sparse_level_solver import solve

SYSTEM = System(
    servers=5,
    classes=[
        JobClass(name="a", need=1, share="6/10", duration=Exponential(rate=1)),
        JobClass(name="b", need=2, share="3/10", duration=Exponential(rate="1/2")),
        JobClass(name="c", need=4, share="1/10", duration=Exponential(rate=2)),
    ],
)
MODEL = waiting_model(SYSTEM)
RUN = solve_chain(MODEL.blocked.chain)


def found(load):
    rate = load * RUN.throughput
    law = solve(
        MODEL.at(rate),
        start=MODEL.without_blocking(rate),
        anchor=0,
        ratio=load,
        throughput=RUN.throughput,
        spread=3.0,
        forgetting=2.0,
        scale=0.1,
    )
    return MODEL.at(rate), law


def by_elimination(process, cut):
    """The law of ground and levels, the longest queue losing arrivals, with the vanishing states multiplied out."""
    ground, states = process.ground.shape[0], process.states
    size = ground + states * cut
    rates = np.zeros((size, size))
    place = [slice(0, ground), *(slice(ground + states * q, ground + states * (q + 1)) for q in range(cut))]
    dense = {name: getattr(process, name).toarray() for name in ("ground", "ground_up", "up", "local", "landing")}
    rates[place[0], place[0]] = dense["ground"] - np.diag(np.diag(dense["ground"]))
    rates[place[0], place[1]] = dense["ground_up"]
    for q in range(1, cut + 1):
        rates[place[q], place[q]] += dense["local"]
        if q < cut:
            rates[place[q], place[q + 1]] += dense["up"]
        falling = process.starting.toarray()
        for below in range(q - 1, -1, -1):
            rates[place[q], place[below]] += falling @ (dense["landing"] if below == 0 else process.settling.toarray())
            falling = falling @ process.passing.toarray()
    np.fill_diagonal(rates, 0.0)
    [(_, law)] = closed_class_laws(sparse.csr_array(rates - np.diag(rates.sum(axis=1))))
    return law[place[0]], np.array([law[place[q]] for q in range(1, cut + 1)]).T


@pytest.mark.parametrize("load", [0.4, 0.8])
def test_every_probability_is_that_of_elimination(load):
    process, law = found(load)
    ground, levels = by_elimination(process, 60 if load < 0.5 else 160)
    np.testing.assert_allclose(law.ground, ground, atol=1e-12)
    np.testing.assert_allclose(law.levels[:, :40], levels[:, :40], atol=1e-12)


@pytest.mark.parametrize("load", [0.3, 0.9, 0.999])
def test_the_leading_mode_solves_the_levels_without_a_ground(load):
    process = MODEL.at(load * RUN.throughput)
    mode = leading_mode(process, anchor=0, guess=load)
    levels = mode.shape[:, None] * mode.ratio ** np.arange(30)
    missing = missing_flows(process, np.zeros(process.ground.shape[0]), levels, mode.ratio)
    assert mode.ratio < 1.0
    assert missing.within[2:].max() < 1e-13
    assert missing.beyond < 1e-13


def test_what_is_missing_is_seen_and_covers_the_error():
    process, law = found(0.9)
    assert law.residual < 1e-12
    rng = np.random.default_rng(3)
    spoilt = law.levels * (1.0 + 1e-6 * rng.normal(size=law.levels.shape))
    total = law.ground.sum() + spoilt.sum() + spoilt[:, -1].sum() * law.ratio / (1.0 - law.ratio)
    other = replace(law, ground=law.ground / total, levels=spoilt / total)
    missing = missing_flows(process, other.ground, other.levels, law.ratio)
    error = abs(other.mean_level() - law.mean_level())
    assert 0 < error <= missing.level_error(spread=3.0, gap=0.1 * RUN.throughput)
