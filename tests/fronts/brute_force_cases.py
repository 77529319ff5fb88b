"""Small systems put together from parts, in plain values: every two parts that go together stand in some case.

Loads are low, so that cutting off the far levels changes nothing in the first nine digits.
"""

from fronts.brute_force_builders import (
    higher_priority,
    kind,
    modulated,
    one_by_one,
    overhead,
    parts,
    plain,
    segment,
    set_up,
    windows,
)
from fronts.brute_force_preemptive_cases import ERLANG, HALF, ONE, PREEMPTIVE, QUICK, VARIABLE
from msj import Erlang, Exponential, PhaseType

THERE_AND_BACK = PhaseType(initial=["1/2", "1/2"], generator=[[-2, 1], ["1/2", -1]])

TWO_SPEEDS = [(1, 1.0, {}), (2, 1.5, {})]
WITH_GPUS = [(2, 1.0, {"gpus": 1}), (1, 2.0, {})]

MOSTLY_SMALL = [0.7, 0.3]

NEED_BY_PHASE = kind(segment(1, QUICK), segment([1, 2], ERLANG, 0))
RAIL = kind(segment(1, ONE), segment(2, QUICK, 0), segment(1, ONE, 1))
DIAMOND = kind(segment(1, QUICK), segment(1, ONE, 0), segment(1, QUICK, 0), segment(1, ONE, 1, 2))


def fork(tasks, law, **keys):
    return kind(*[segment(1, law) for _ in range(tasks)], **keys)


def anywhere(one, groups=(0, 1), **keys):
    return {**one, "groups": list(groups), **keys}


#: By name: (plain values, shares of the classes, arrival rate, most jobs).
CASES = {
    "groups, spanning, resources, a cap and set-up": (
        parts(
            TWO_SPEEDS,
            kind(segment(1, ONE, memory=1), groups=(1, 0), at_most=2),
            kind(segment(2, ONE, memory=2), groups=(0, 1), span=True),
            capacity={"memory": 3},
            set_up=set_up(ONE),
        ),
        MOSTLY_SMALL,
        0.02,
        6,
    ),
    "groups with resources, a chain, fork-join and Erlang set-up": (
        parts(
            WITH_GPUS,
            kind(segment(1, ONE, gpus=1), segment(1, QUICK, 0), groups=(0, 1)),
            fork(2, QUICK, groups=(1, 0)),
            set_up=set_up(ERLANG),
        ),
        HALF,
        0.007,
        5,
    ),
    "a graph, a need per phase, a cap and delayed off": (
        parts(
            [(2, 1.0, {}), (1, 0.5, {})],
            anywhere(DIAMOND, at_most=2),
            anywhere(NEED_BY_PHASE, groups=(0, 1)),
            set_up=set_up(QUICK, delay=ONE),
        ),
        HALF,
        0.001,
        4,
    ),
    "spanning, a chain, staggered set-up and breakdowns one by one": (
        parts(
            [(1, 1.0, {}), (1, 2.0, {})],
            anywhere(RAIL, span=True),
            environment=[one_by_one(1, 0.1, 1.0, group=g, groups=2) for g in (0, 1)],
            set_up=set_up(QUICK, staggered=True),
        ),
        [1.0],
        0.007,
        6,
    ),
    "resources, a graph, Erlang set-up, breakdowns together and transfer": (
        parts(
            2,
            kind(
                segment(1, QUICK, memory=1), segment(1, ONE, 0, memory=1), segment(1, QUICK, 0), segment(2, ONE, 1, 2)
            ),
            capacity={"memory": 2},
            environment=[windows(Exponential(mean=5), ONE, [2], "any")],
            set_up=set_up(ERLANG),
            overhead=overhead(transfer=QUICK),
        ),
        [1.0],
        0.003,
        6,
    ),
    "a cap, a need per phase, delayed off and maintenance": (
        parts(
            3,
            plain(1, ONE, at_most=1),
            NEED_BY_PHASE,
            environment=[windows(Erlang(stages=2, mean=4), QUICK, [2])],
            set_up=set_up(QUICK, delay=ERLANG),
        ),
        HALF,
        0.002,
        4,
    ),
    "fork-join, resources, modulated speeds and priority work": (
        parts(
            3,
            kind(segment(1, ONE, memory=1), segment(1, ONE, memory=1)),
            plain(2, ERLANG),
            capacity={"memory": 3},
            environment=[higher_priority(0.2, 1.0, [[0], [2], [4]]), modulated([[-1, 1], [2, -2]], speed=[1.0, 0.25])],
        ),
        HALF,
        0.005,
        5,
    ),
    "groups with resources, spanning, a need per phase, breakdowns and transfer": (
        parts(
            [(2, 1.0, {"gpus": 1}), (1, 1.5, {})],
            kind(segment(1, ONE, gpus=1), groups=(0, 1)),
            kind(segment(1, QUICK), segment([1, 3], THERE_AND_BACK, 0), groups=(1, 0), span=True),
            environment=[one_by_one(2, 0.1, 1.0, group=0, groups=2)],
            overhead=overhead(transfer=QUICK),
        ),
        HALF,
        0.001,
        4,
    ),
    "spanning, fork-join, a cap, maintenance in groups and transfer": (
        parts(
            TWO_SPEEDS,
            fork(2, ONE, groups=(1, 0)),
            plain(3, ONE, groups=(1, 0), span=True, at_most=3),
            environment=[windows(Exponential(mean=4), QUICK, [0, 1]), windows(ERLANG, QUICK, [1, 1])],
            overhead=overhead(transfer=QUICK),
        ),
        MOSTLY_SMALL,
        0.001,
        4,
    ),
    "group resources and the cluster's, a graph, a cap and maintenance": (
        parts(
            WITH_GPUS,
            kind(
                segment(1, QUICK, gpus=1, memory=1),
                segment(1, ONE, 0, memory=2),
                segment(1, ONE, 0),
                segment(2, QUICK, 1, 2),
                groups=(0, 1),
                at_most=2,
            ),
            plain(1, ONE, groups=(1, 0)),
            capacity={"memory": 2},
            environment=[windows(Exponential(mean=4), QUICK, [1, 0])],
        ),
        HALF,
        0.006,
        5,
    ),
    "group resources, staggered Erlang set-up with delay, speeds": (
        parts(
            WITH_GPUS,
            kind(segment(1, ONE, gpus=1), groups=(0, 1)),
            plain(1, ONE, groups=(1, 0)),
            environment=[modulated([[-1, 1], [1, -1]], speed=[1.0, 0.5], taken=[[0, 0], [1, 0]])],
            set_up=set_up(ERLANG, staggered=True, delay=QUICK),
        ),
        HALF,
        0.007,
        5,
    ),
    "group resources, breakdowns together, modulated speeds and transfer": (
        parts(
            WITH_GPUS,
            kind(segment(1, ONE, gpus=1), segment(1, ONE, 0), groups=(0, 1)),
            fork(2, QUICK, groups=(1, 0), pays=False),
            environment=[
                windows(Exponential(mean=5), ERLANG, [2, 1], "any"),
                modulated([[-1, 1], [2, -2]], speed=[1.0, 0.5], groups=2),
            ],
            overhead=overhead(transfer=QUICK),
        ),
        HALF,
        0.001,
        4,
    ),
    "a chain and a graph on three servers": (parts(3, RAIL, DIAMOND), HALF, 0.007, 5),
    "fork-join, and a need per phase in a chain and in a graph": (
        parts(
            2,
            fork(2, ERLANG),
            kind(segment(1, QUICK), segment([2, 1], THERE_AND_BACK, 0), segment(1, ONE, 1)),
            kind(segment(1, ONE), segment([1, 2], ERLANG, 0), segment(1, ONE, 0), segment(1, QUICK, 1, 2)),
        ),
        [0.4, 0.3, 0.3],
        0.001,
        4,
    ),
    "a spanning graph, group resources, set-up and speeds": (
        parts(
            [(1, 1.0, {"gpus": 1}), (1, 2.0, {})],
            kind(
                segment(1, QUICK),
                segment(1, ONE, 0),
                segment(1, QUICK, 0),
                segment(2, ONE, 1, 2),
                groups=(1, 0),
                span=True,
            ),
            kind(segment(1, ONE, gpus=1), groups=(0, 1)),
            environment=[modulated([[-1, 1], [2, -2]], speed=[1.0, 0.5], groups=2)],
            set_up=set_up(QUICK),
        ),
        HALF,
        0.001,
        4,
    ),
    "spanning with a cap, group resources, Erlang set-up, priority work and breakdowns together": (
        parts(
            [(1, 1.0, {"gpus": 1}), (1, 2.0, {})],
            plain(2, ONE, groups=(0, 1), span=True, at_most=2),
            kind(segment(1, ONE, gpus=1), groups=(0, 1)),
            environment=[
                windows(Exponential(mean=5), ONE, [1, 1], "any"),
                higher_priority(0.2, 1.0, [[0, 0], [0, 1], [1, 1]]),
            ],
            set_up=set_up(ERLANG),
        ),
        HALF,
        0.0006,
        4,
    ),
    "a need per phase, Erlang set-up, breakdowns one by one, maintenance and speeds": (
        parts(
            2,
            NEED_BY_PHASE,
            environment=[
                one_by_one(2, 0.1, 1.0),
                windows(Exponential(mean=4), QUICK, [1]),
                modulated([[-1, 1], [2, -2]], speed=[1.0, 0.5]),
            ],
            set_up=set_up(ERLANG),
        ),
        [1.0],
        0.0007,
        4,
    ),
    "a graph, resources, staggered set-up with delay, breakdowns, priority work and transfer": (
        parts(
            2,
            kind(segment(1, ONE, memory=1), segment(1, ONE, 0), segment(1, ONE, 0, memory=1), segment(2, ONE, 1, 2)),
            capacity={"memory": 1},
            environment=[one_by_one(2, 0.1, 1.0), higher_priority(0.2, 1.0, [[0], [1], [2]])],
            set_up=set_up(QUICK, staggered=True, delay=QUICK),
            overhead=overhead(transfer=QUICK),
        ),
        [1.0],
        0.0003,
        4,
    ),
    "fork-join, a chain with a need per phase, staggered set-up, priority work and maintenance": (
        parts(
            2,
            fork(2, ONE),
            kind(segment(1, ONE), segment([1, 2], ERLANG, 0)),
            environment=[higher_priority(0.2, 1.0, [[0], [1], [2]]), windows(Exponential(mean=4), QUICK, [1])],
            set_up=set_up(QUICK, staggered=True),
        ),
        HALF,
        0.0008,
        4,
    ),
    "spanning, delayed off, breakdowns one by one and together, maintenance": (
        parts(
            [(1, 1.0, {}), (1, 2.0, {})],
            plain(2, ONE, groups=(0, 1), span=True),
            plain(1, ONE, groups=(1, 0)),
            environment=[
                one_by_one(1, 0.1, 1.0, group=1, groups=2),
                windows(Exponential(mean=5), ONE, [1, 1], "any"),
                windows(Exponential(mean=4), QUICK, [1, 0]),
            ],
            set_up=set_up(QUICK, delay=QUICK),
        ),
        HALF,
        0.0009,
        4,
    ),
    "a chain, resources, a cap, priority work and speeds": (
        parts(
            3,
            kind(segment(1, ONE, memory=1), segment(2, QUICK, 0, memory=1), at_most=2),
            plain(2, VARIABLE),
            capacity={"memory": 1},
            environment=[higher_priority(0.2, 1.0, [[0], [1], [2]]), modulated([[-1, 1], [2, -2]], speed=[1.0, 0.0])],
        ),
        HALF,
        0.003,
        5,
    ),
    "fork-join, staggered set-up, delay, breakdowns one by one with one repairer": (
        parts(
            2,
            fork(2, ONE),
            plain(1, ONE, at_most=1),
            environment=[one_by_one(2, 0.1, 1.0, repairers=1)],
            set_up=set_up(QUICK, staggered=True, delay=ONE),
        ),
        HALF,
        0.004,
        5,
    ),
    "staggered set-up, a need per phase, resources, breakdowns together": (
        parts(
            2,
            kind(segment(1, QUICK), segment([2, 1], ERLANG, 0, memory=1)),
            plain(1, ONE),
            capacity={"memory": 1},
            environment=[windows(Exponential(mean=5), ONE, [2], "any")],
            set_up=set_up(QUICK, staggered=True, delay=QUICK),
        ),
        HALF,
        0.004,
        5,
    ),
    "set-up, transfer, priority work, a chain and delay": (
        parts(
            2,
            RAIL,
            environment=[higher_priority(0.2, 1.0, [[0], [1], [2]])],
            set_up=set_up(QUICK, delay=ONE),
            overhead=overhead(transfer=QUICK),
        ),
        [1.0],
        0.003,
        5,
    ),
    "several Erlang set-ups and Erlang delays at once, and maintenance": (
        parts(
            3,
            plain(1, ONE),
            environment=[windows(Exponential(mean=4), QUICK, [1])],
            set_up=set_up(ERLANG, delay=ERLANG),
        ),
        [1.0],
        0.02,
        6,
    ),
    **PREEMPTIVE,
}
