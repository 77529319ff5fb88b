"""The paper's models (wcfs, sections 3 and 6, and the captions of Figures 5 to 7).

The capacity of every system is 1 and sizes have mean 1: the arrival rate is the load rho. In Figures 1 to 6 a size is
Exp(2) or Exp(2/3), each half of the time. Where servers are alike a job of size S that uses v of 4 servers stays for
4·S/v: on one server Exp(1/2) and Exp(1/6). In the models with two classes the first kind can use one server and the
second all four: Exp(1/2) on one, Exp(2/3) on four.

Each model is a system to simulate and, beside it, a way to its exact mean response time that shares no code with the
simulation: the chain of the front (finite-skip models, MSJ FCFS) or of the numbers present. Only SRPT has none.

The paper contradicts itself twice. Section 3.3 says that Elastic First favours threshold 1; section 6 says the larger
threshold, which agrees with the name, the cited work and the directions found, and is taken here. And section 6 lists
"Multiserver-Job ServerFilling" among the policies whose gap falls without bound; it means MaxWeight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, Literal

from msj.analysis.wcfs_bounds import wcfs_bounds
from msj.answers import analyse
from msj.model import JobClass, System
from msj.model.durations import Duration, Exponential, Hyperexponential

SPEEDS = ("8/5", "6/5", "4/5", "2/5")  # the paper's 0.4 to 0.1, in units of the mean speed
HALF = Fraction(1, 2)


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model of the paper: what to simulate, and how to compute it if that can be done.

    ``system`` makes it at a load; ``exact`` gives E[T] there. ``limit`` is the load at which it becomes unstable and
    ``direction`` where the paper says its gap to M/G/1 goes as the load grows: 0 for the WCFS models. ``crowding`` is
    how many jobs stand for as much work as one in M/G/1 near load 1 (``fig2``): there E[T] is that many times E[T] of
    M/G/1, which tells how much of its simulated error M/G/1 shares. None where M/G/1 tells nothing.
    """

    label: str
    system: Callable[[float], System]
    exact: Callable[[float], float] | None
    limit: float = 1.0
    direction: Literal[-1, 0, 1] = 0
    crowding: Fraction | None = Fraction(1)

    @property
    def excess(self) -> float:
        """E[S²]/(2E[S]), the limit of E[T](1 − rho) in M/G/1 (wcfs, Theorem 1)."""
        system = self.system(0.5)
        moments = ((float(c.share), c.need / system.servers, c.duration) for c in system.classes)
        return sum(share * part**2 * duration.second_moment for share, part, duration in moments) / 2.0

    def single_server(self, rho: float) -> System:
        """Return M/G/1 with the same sizes: it gets the very same jobs from the same random numbers."""
        system = self.system(rho)
        classes = [
            c.replace(need=1, duration=c.duration.scaled(Fraction(c.need, system.servers))) for c in system.classes
        ]
        return System(servers=1, classes=tuple(classes), utilisation=rho)

    def wait(self, rho: float) -> float:
        """Return the mean wait in M/G/1."""
        return rho / (1 - rho) * self.excess

    def bounds(self) -> tuple[float, float]:
        """Return the constants of Theorem 2, between which the gap lies at every load."""
        found = wcfs_bounds(self.system(0.5))
        assert found.c_lower is not None
        assert found.c_upper is not None
        return found.c_lower, found.c_upper

    def sharper_bounds(self) -> tuple[float, float]:
        """Return our own constants, by the capacity in use per job in the front (``closed_forms.wcfs_terms``)."""
        found = wcfs_bounds(self.system(0.5))
        assert found.c_lower_sharper is not None
        assert found.c_upper_sharper is not None
        return found.c_lower_sharper, found.c_upper_sharper


def sizes(servers: int = 1) -> Hyperexponential:
    """Return the law of the time on one of so many servers."""
    return Hyperexponential(rates=(Fraction(2, servers), Fraction(2, 3 * servers)), probabilities=(HALF, HALF))


def _alike(servers: int, policy: Any, duration: Duration, rho: float) -> System:
    jobs = JobClass(name="jobs", need=1, share=1, duration=duration)
    return System(servers=servers, classes=(jobs,), policy=policy, utilisation=rho)


def _small_and_large(policy: Any, rho: float) -> System:
    small = JobClass(name="small", need=1, share=HALF, duration=Exponential(rate=HALF))
    large = JobClass(name="large", need=4, share=HALF, duration=Exponential(rate=Fraction(2, 3)))
    return System(servers=4, classes=(small, large), policy=policy, utilisation=rho)


def _analysed(system: Callable[[float], System], rho: float) -> float:
    return float(analyse(system(rho), exact=True, percentiles=False)["mean_response_time"])


def _threshold(system: Callable[[float], System]) -> float:
    return float(analyse(system(0.5))["stability_threshold"])


def _of_system(label: str, system: Callable[[float], System]) -> Model:
    return Model(label=label, system=system, exact=partial(_analysed, system))


def _of_numbers(label: str, policy: Any, direction: Literal[-1, 1], crowding: Fraction) -> Model:
    return replace(_of_system(label, partial(_small_and_large, policy)), direction=direction, crowding=crowding)


def filling(servers: int) -> Model:
    """Return Figure 7a's: needs uniform over the powers of two up to ``servers``, sizes Exp(1)."""
    powers = servers.bit_length()
    classes = tuple(
        JobClass(
            name=f"need {2**i}",
            need=2**i,
            share=Fraction(1, powers),
            duration=Exponential(rate=Fraction(2**i, servers)),
        )
        for i in range(powers)
    )

    policy: Any = "server-filling"

    def system(rho: float) -> System:
        return System(servers=servers, classes=classes, policy=policy, utilisation=rho)

    # Sixteen servers have fronts of up to sixteen jobs of five needs: too many to solve.
    return Model(label=f"k = {servers}", system=system, exact=partial(_analysed, system) if servers < 16 else None)


def two_branches(x: int, servers: int) -> Hyperexponential:
    """Return Figure 7b's law of mean 1: Exp(1/x) with probability 1/(2x), else Exp((2x−1)/x)."""
    return Hyperexponential(
        rates=(Fraction(1, servers * x), Fraction(2 * x - 1, servers * x)),
        probabilities=(Fraction(1, 2 * x), 1 - Fraction(1, 2 * x)),
    )


def heterogeneous(label: str, law: Callable[[int], Duration], assignment: str = "fastest-first") -> Model:
    """Return M/G/4 with speeds as 0.4 to 0.1; ``law(k)`` is the law of the time on one of k equal servers."""
    policy = {"name": "heterogeneous-servers", "speeds": list(SPEEDS), "assignment": assignment}
    return _of_system(label, partial(_alike, 4, policy, law(4)))


@cache
def models() -> dict[str, Model]:
    """Return all models by name; those of Figures 7a and 7b as ``filling-8`` and ``branches-8``."""
    return {
        **_wcfs(),
        **_others(),
        **{f"filling-{k}": filling(k) for k in (2, 4, 8, 16)},
        **{f"branches-{x}": heterogeneous(f"x = {x}", partial(two_branches, x)) for x in (1, 2, 4, 8)},
        "staying-8": heterogeneous("x = 8, jobs stay", partial(two_branches, 8), "stay"),
        "moving-8": heterogeneous("x = 8, the slowest moves up", partial(two_branches, 8), "move-up"),
        "newest-8": heterogeneous("x = 8, newest on fastest", partial(two_branches, 8), "newest-first"),
    }


def _wcfs() -> dict[str, Model]:
    lps = partial(_alike, 1, {"name": "limited-processor-sharing", "limit": 4}, sizes())
    threshold = partial(_small_and_large, "threshold-parallelism")
    single = _of_system("M/G/1", partial(_alike, 1, "fcfs", sizes()))
    return {
        "mgk": _of_system("M/G/4", partial(_alike, 4, "fcfs", sizes(4))),
        "heterogeneous": heterogeneous("Heterogeneous M/G/4", sizes),
        "threshold-fcfs": _of_system("Threshold Parallelism FCFS", threshold),
        "server-filling": _of_system("MSJ ServerFilling", partial(_small_and_large, "server-filling")),
        "lps": _of_system("Limited Processor Sharing", lps),
        "mg1": replace(single, crowding=None),  # nothing is learned from itself
    }


def _others() -> dict[str, Model]:
    fcfs, least = partial(_small_and_large, "fcfs"), partial(_small_and_large, "least-servers-first")
    first = {order: {"name": "threshold-parallelism", "order": order} for order in ("elastic", "inelastic")}
    two = Fraction(2)
    return {
        "msj-fcfs": Model(
            label="MSJ FCFS", system=fcfs, exact=partial(_analysed, fcfs), limit=_threshold(fcfs), direction=1,
            crowding=None,
        ),
        "least-first": Model(
            label="MSJ Least Servers First", system=least, direction=1, crowding=None,
            exact=partial(_analysed, least), limit=_threshold(least),
        ),
        "most-first": _of_numbers("MSJ Most Servers First", "most-servers-first", 1, two),
        "elastic-first": _of_numbers("Threshold Parallelism Elastic First", first["elastic"], 1, two),
        "max-weight": _of_numbers("MSJ MaxWeight", "max-weight", -1, Fraction(10, 13)),
        "inelastic-first": _of_numbers(
            "Threshold Parallelism Inelastic First", first["inelastic"], -1, Fraction(2, 3)
        ),
        "srpt": Model(
            label="M/G/4/SRPT", system=partial(_alike, 4, "greedy-srpt", sizes(4)), exact=None, direction=-1,
            crowding=None,
        ),
    }  # fmt: skip


WCFS = ("mgk", "heterogeneous", "threshold-fcfs", "server-filling", "lps", "mg1")
OTHERS = ("msj-fcfs", "least-first", "most-first", "elastic-first", "max-weight", "inelastic-first", "srpt")
