"""Systems in which something slow or rare makes jobs wait, drawn by a seed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

import msj

Rng = np.random.Generator


def _classes(rng: Rng, servers: int, law: Callable[[float], Any] | None = None) -> list[msj.JobClass]:
    needs = sorted({int(rng.integers(1, servers + 1)) for _ in range(int(rng.integers(2, 4)))} | {1})
    shares = [Fraction(int(n), 100) for n in rng.multinomial(100 - len(needs), np.full(len(needs), 1 / len(needs))) + 1]
    shares[0] += 1 - sum(shares)
    made = law or (lambda mean: msj.Exponential(mean=mean))
    return [
        msj.JobClass(name=f"need {n}", need=n, share=p, duration=made(round(float(rng.uniform(0.5, 2)), 2)))
        for n, p in zip(needs, shares, strict=True)
    ]


def _law(name: str, mean: float, **more: Any) -> dict[str, Any]:
    return {"law": name, "mean": round(mean, 3), **more}


def _modulated(rng: Rng) -> msj.System:
    servers, stay = int(rng.integers(3, 7)), 10 ** rng.uniform(1, 3)
    rates = [1 / stay, 1 / (stay * rng.uniform(0.1, 1))]
    around = {
        "name": "modulated",
        "generator": [[-rates[0], rates[0]], [rates[1], -rates[1]]],
        "speed": [1, round(float(rng.uniform(0.3, 0.9)), 2)],
    }
    return msj.System(servers=servers, classes=_classes(rng, servers), environment=around)


def _breakdowns(rng: Rng) -> msj.System:
    servers, together = int(rng.integers(3, 7)), bool(rng.random() < 0.5)
    around = {
        "name": "breakdowns",
        "rate": round(float(10 ** rng.uniform(-3.5, -1.5)), 6),
        "repair": _law("exponential", 10 ** rng.uniform(0, 1.7)),
        "together": together,
    }
    return msj.System(servers=servers, classes=_classes(rng, servers), environment=around)


def _maintenance(rng: Rng) -> msj.System:
    servers = int(rng.integers(3, 7))
    every = _law("erlang", 10 ** rng.uniform(1.5, 3), stages=int(rng.integers(1, 4)))
    around = {"name": "maintenance", "every": every, "lasts": _law("exponential", 10 ** rng.uniform(0, 1.5))}
    return msj.System(servers=servers, classes=_classes(rng, servers), environment=around)


def _turns(rng: Rng) -> msj.System:
    share = Fraction(int(rng.integers(20, 80)), 100)
    jobs = [
        msj.JobClass(name=f"need {n}", need=n, share=p, duration=msj.Exponential(mean=1))
        for n, p in ((1, 1 - share), (4, share))
    ]
    policy = {"name": "msr", "cycle": round(float(10 ** rng.uniform(0.5, 2.5)), 2)}
    return msj.System(servers=4, classes=jobs, policy=policy)


def _rare_class(rng: Rng) -> msj.System:
    servers, share = int(2 ** rng.integers(3, 7)), Fraction(round(10 ** rng.uniform(0, 3)), 10**6)
    large = int(rng.integers(servers // 2, servers + 1))
    jobs = [(1, 1 - share), (large, share)]
    return msj.System(
        servers=servers,
        classes=[msj.JobClass(name=f"need {n}", need=n, share=p, duration=msj.Exponential(mean=1)) for n, p in jobs],
    )


def _slow_arrivals(rng: Rng) -> msj.System:
    servers, stay = int(rng.integers(2, 6)), 10 ** rng.uniform(1, 2.5)
    arrivals = {"law": "mmpp", "rates": [1, round(float(rng.uniform(1.2, 3)), 2)]}
    arrivals["switching"] = [[0, 1 / stay], [1 / stay, 0]]
    return msj.System(servers=servers, classes=_classes(rng, servers), arrivals=arrivals)


def _sticky_order(rng: Rng) -> msj.System:
    servers = int(rng.integers(2, 6))
    order = {"law": "sticky", "probability": round(float(rng.uniform(0.5, 0.97)), 2)}
    return msj.System(servers=servers, classes=_classes(rng, servers), order=order)


def _combined(rng: Rng) -> msj.System:
    made = _breakdowns(rng)
    return made.replace(model={"name": "set-up", "set_up_rate": round(float(10 ** rng.uniform(-1, 1)), 3)})


def _lognormal(cv: float) -> Callable[[float], Any]:
    return lambda mean: msj.Lognormal(mean=mean, cv=round(float(cv), 2))


def _bounded_pareto(ratio: float) -> Callable[[float], Any]:
    """Return the law of shape 3/2 whose largest value is so many times its smallest."""
    mean_over_minimum = 3 * (1 - ratio**-0.5) / (1 - ratio**-1.5)
    shape = {"law": "scipy", "name": "truncpareto", "b": 1.5, "c": round(ratio)}
    return lambda mean: {**shape, "scale": round(mean / mean_over_minimum, 4)}


def _heavy(rng: Rng, *, pareto: bool = False) -> msj.System:
    servers = int(2 ** rng.integers(3, 7))
    law = _bounded_pareto(10 ** rng.uniform(2, 5)) if pareto else _lognormal(rng.uniform(3, 6))
    policy: Any = "first-fit" if rng.random() < 0.5 else {"name": "easy-backfilling", "factor": 2}
    classes = [each for each in _classes(rng, servers // 4, law) if each.need <= servers]
    return msj.System(servers=servers, classes=classes, policy=policy)


KINDS: dict[str, Callable[[Rng], msj.System]] = {
    "modulated": _modulated,
    "breakdowns": _breakdowns,
    "maintenance": _maintenance,
    "turns": _turns,
    "rare class": _rare_class,
    "slow arrivals": _slow_arrivals,
    "sticky order": _sticky_order,
    "combined": _combined,
    "lognormal": _heavy,
    "bounded Pareto": partial(_heavy, pareto=True),
}


@lru_cache
def system_of(draw: int, number: int) -> tuple[str, msj.System]:
    """Return the system of a number: its kind, and itself."""
    kind = list(KINDS)[number % len(KINDS)]
    return kind, KINDS[kind](np.random.default_rng([draw, number]))
