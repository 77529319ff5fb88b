"""Random small systems for hypothesis."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from msj import Coxian, Erlang, Exponential, Hyperexponential, JobClass, PhaseType, System

RATES = st.integers(1, 12).map(lambda n: Fraction(n, 4))


def exponentials():
    return st.builds(lambda rate: Exponential(rate=rate), RATES)


def phase_types():
    return st.one_of(
        exponentials(),
        st.builds(lambda stages, rate: Erlang(stages=stages, mean=stages / rate), st.integers(1, 3), RATES),
        st.builds(
            lambda fast, slow, p: Hyperexponential(rates=[fast, slow], probabilities=[p, 1 - p]),
            RATES,
            RATES,
            st.integers(1, 4).map(lambda n: Fraction(n, 5)),
        ),
        st.builds(
            lambda first, second, p: Coxian(rates=[first, second], continues=[p]),
            RATES,
            RATES,
            st.integers(1, 4).map(lambda n: Fraction(n, 5)),
        ),
        st.builds(
            lambda a, b, c: PhaseType(
                initial=[Fraction(1, 4), Fraction(3, 4)], generator=[[-a - b, b], [c, -c - Fraction(1, 2)]]
            ),
            RATES,
            RATES,
            RATES,
        ),
    )


@st.composite
def systems(draw, *, most_servers=5, most_classes=3, durations=None, **fields):
    durations = phase_types() if durations is None else durations
    servers = draw(st.integers(1, most_servers))
    count = draw(st.integers(1, most_classes))
    weights = draw(st.lists(st.integers(1, 9), min_size=count, max_size=count))
    classes = [
        JobClass(
            name=f"class {i}",
            need=draw(st.integers(1, servers)),
            share=Fraction(weight, sum(weights)),
            duration=draw(durations),
        )
        for i, weight in enumerate(weights)
    ]
    return System(servers=servers, classes=classes, **fields)


def simple(servers, *classes, **fields):
    """A system of exponential classes given as (need, rate, share)."""
    return System(
        servers=servers,
        classes=[
            JobClass(name=f"need {need}", need=need, share=share, duration=Exponential(rate=rate))
            for need, rate, share in classes
        ],
        **fields,
    )


def equal_load_shares(needs, rates):
    weights = np.array(rates) / np.array(needs)
    return (weights / weights.sum()).tolist()
