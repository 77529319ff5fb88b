"""Trial of an arrival law: the rate, and the shares of the classes it marks (``shares``), against counts of arrivals.

A(t), the number of arrivals up to t, is counted in K independent replications, and the median of the counts is compared
with rate·t. The law declares its index of dispersion I and its relaxation time T. For a stationary Markovian arrival
process A(t) + g(phase) − rate·t is a martingale of variance I·rate·t (``arrivals.markov_form``), so that

    sd A(t) ≤ √(I·rate·t) + 2·sd(g),    sd(g) ≈ √(I·rate·T/2);

independent gaps add a constant to variance and mean, at most (1 + I)² and (1 + I)/2 for long t (Cox 1962, sections 4.2
and 4.5). A process that starts at an arrival is ahead by (I − 1)/2, and one that starts in a phase of its own by
rate·T at most. So the median may deviate by

    (1 + I)/2 + rate·T + d·(√(I·rate·t) + √(2·I·rate·T) + 1 + I),

d the factor of the median of means (``limits``). t is long: 8192 arrivals, 400 for each unit of dispersion, 50
relaxation times, whole periods. Where I ≤ 9 (independent gaps of cv 3), an arrival law that draws twice or half its
rate is always found. The dispersion holds for long t only; ``verification/outside_laws.py`` measures how far correct
laws stay below the limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from msj.model.arrivals.base import Arrivals, ArrivalSampler
from msj.model.arrivals.markov_form import MarkovForm
from msj.model.trials.limits import BLOCKS, FALSE_ALARM, deviation_factor, dkw_distance, dkw_limit
from msj.model.trials.shares import compare_shares
from msj.model.trials.trial import SEED, SURE, Trial

Vector = NDArray[np.float64]

ARRIVALS, MAX_ARRIVALS = 8192, 131_072  # in the time of a replication
PER_DISPERSION = 400.0  # arrivals for each unit of dispersion: the limit is then about a sixth of the rate
ROUGH = 1 / 3  # a limit above this share of the rate is mentioned in a note
RELAXATIONS, MIN_RELAXATIONS = 50.0, 20.0  # relaxation times in it
CHUNK = 2048
FEW = 3  # times the declared number of arrivals, at which a replication ends
SLOWER = 0.5  # the second rate, over the first: a law that ignores the rate is found
EQUAL = 1e-6
POINTS = 4096


def try_arrivals(law: Arrivals, rate: float, names: Sequence[str] = (), root: np.random.SeedSequence = SEED) -> Trial:
    """Return the trial of an arrival law at ``rate`` and at half of it; a law that fails it is refused.

    Examples
    --------
    >>> from msj.model.arrivals import PoissonArrivals
    >>> [check.name for check in try_arrivals(PoissonArrivals(), 2.0).checks]
    ['rate 2', 'distribution of gaps', 'rate 1', 'distribution of gaps']
    """
    trial = Trial(law=law)
    marks = bool(trial.declared("marks_classes"))
    alpha = FALSE_ALARM / (2 * (2 + (len(names) if marks else 0)))
    for each in (rate, SLOWER * rate):
        _markov_form(trial, each)
        _repeats(trial, each, names, root)
        _counts(trial, each, names, root, alpha)
        if law.poisson:
            _exponential_gaps(trial, each, names, root, alpha)
    trial.notes = list(dict.fromkeys(trial.notes))
    return trial


def _markov_form(trial: Trial, rate: float) -> None:
    """Refuse a Markov chain whose rate or dispersion is not the declared one."""
    form = trial.declared("markov_form", rate)
    if form is None:
        return
    if not isinstance(form, MarkovForm):
        raise trial.refusal(
            f"returns a {type(form).__name__} from markov_form; it must return a MarkovForm or None; correct it"
        )
    declared = (
        ("rate", form.rate, rate, 0.0),
        ("dispersion", form.dispersion, trial.number("dispersion", rate), EQUAL),
    )
    for name, found, wanted, rounding in declared:
        if math.isfinite(wanted) and not math.isclose(found, wanted, rel_tol=EQUAL, abs_tol=rounding):
            raise trial.refusal(
                f"has the {name} {wanted:.6g}, and its Markov chain has {found:.6g}; both must be equal; "
                "correct markov_form"
            )


def _sampler(trial: Trial, rate: float, names: Sequence[str], root: np.random.SeedSequence) -> ArrivalSampler:
    law: Arrivals = trial.law
    return law.sampler(rate, np.random.default_rng(root), list(names))


def _repeats(trial: Trial, rate: float, names: Sequence[str], root: np.random.SeedSequence) -> None:
    """Refuse a sampler that takes random numbers from elsewhere than its generator."""
    drawn = np.empty((2, CHUNK))
    for gaps in drawn:
        _sampler(trial, rate, names, root).draw(gaps, np.zeros(CHUNK, dtype=np.int64))
    if not np.array_equal(*drawn):
        raise trial.refusal(
            "draws different gaps with equal generators; gaps must depend on rng only, or no answer can be repeated; "
            "draw all random numbers from rng"
        )


def _dispersion(trial: Trial, rate: float) -> float | None:
    """Return the declared dispersion, or None with a note where it allows no test of the rate."""
    found = 1.0 if trial.law.poisson else trial.number("dispersion", rate)
    if found < 0:
        raise trial.refusal(f"declares dispersion = {found:g}; it must not be negative; correct dispersion")
    if math.isfinite(found):
        return found
    trial.note("the rate was", "the law declares " + ("no" if math.isnan(found) else "an infinite") + " dispersion")
    return None


def _time(trial: Trial, rate: float, dispersion: float, memory: float) -> float | None:
    """Return how long to count; None with a note where the law remembers its past for too long."""
    period = trial.declared("period")
    memory = max(memory, 0.0 if period is None else float(period))
    arrivals = max(ARRIVALS, PER_DISPERSION * dispersion, RELAXATIONS * memory * rate)
    time = min(arrivals, MAX_ARRIVALS) / rate
    if period is not None:
        time = max(time // float(period), 1.0) * float(period)
    if time >= MIN_RELAXATIONS * memory:
        return time
    trial.note(
        "counts of arrivals were", f"its relaxation time {memory:.3g} spans {rate * memory:,.0f} arrivals, too many"
    )
    return None


def _counts(trial: Trial, rate: float, names: Sequence[str], root: np.random.SeedSequence, alpha: float) -> None:
    """Compare numbers of arrivals, of all and of each class, with what the law declares."""
    dispersion, marks = _dispersion(trial, rate), bool(trial.law.marks_classes)
    memory = trial.number("relaxation_time", rate)
    time = _time(trial, rate, dispersion or 0.0, memory) if marks or dispersion is not None else None
    if time is None:
        return
    # The children are made by their keys: spawning would change the root, and another trial with it.
    seeds = [np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, i)) for i in range(BLOCKS)]
    found = [_count(_sampler(trial, rate, names, seed), rate * time, time, len(names)) for seed in seeds]
    counts = np.array([count for count, _ in found])
    if dispersion is not None:
        _rate(trial, rate, time, float(np.median(counts)), dispersion, memory, alpha)
    if marks:
        compare_shares(trial, names, np.array([tally for _, tally in found]), counts, rate * memory, alpha)


def _rate(
    trial: Trial, rate: float, time: float, median: float, dispersion: float, memory: float, alpha: float
) -> None:
    expected = rate * time
    spread = math.sqrt(dispersion * expected) + math.sqrt(2.0 * dispersion * rate * memory) + 1.0 + dispersion
    limit = (1.0 + dispersion) / 2.0 + rate * memory + deviation_factor(alpha) * spread
    trial.require(
        f"rate {rate:g}",
        abs(median - expected),
        limit,
        f"draws {median / time:.4g} arrivals per unit of time at the rate {rate:.4g} (median of {BLOCKS} counts of "
        f"about {expected:,.0f} arrivals); it must draw the rate it is given, up to {limit / time:.2g} ({SURE}); "
        "correct sampler, or dispersion and relaxation_time",
    )
    if limit > ROUGH * expected:
        trial.note(
            f"a rate that is wrong by less than {limit / expected:.0%} was",
            f"its dispersion {dispersion:.3g} is large for the {expected:,.0f} arrivals of a trial",
        )


def _count(sampler: ArrivalSampler, expected: float, time: float, classes: int) -> tuple[float, Vector]:
    """Return the number of arrivals up to ``time`` (at most a few times the expected), and that of each class."""
    gaps, marks = np.empty(CHUNK), np.zeros(CHUNK, dtype=np.int64)
    clock, count, tally = 0.0, 0, np.zeros(classes)
    while clock <= time and count < FEW * expected:
        sampler.draw(gaps, marks)
        times = clock + np.cumsum(gaps)
        inside = int(np.searchsorted(times, time, side="right"))
        count += inside
        tally += np.bincount(marks[:inside], minlength=classes)[:classes]
        clock = float(times[-1])
    return float(count), tally


def _exponential_gaps(
    trial: Trial, rate: float, names: Sequence[str], root: np.random.SeedSequence, alpha: float
) -> None:
    gaps = np.empty(ARRIVALS)
    _sampler(trial, rate, names, root).draw(gaps, np.zeros(ARRIVALS, dtype=np.int64))
    found = dkw_distance(np.sort(gaps), lambda x: -np.expm1(-rate * x), 1.0 / rate, POINTS)
    limit = dkw_limit(ARRIVALS, alpha)
    trial.require(
        "distribution of gaps",
        found.value,
        limit,
        f"declares Poisson arrivals, with P(gap <= {found.x:.4g}) = {found.declared:.4f}, and {found.observed:.4f} of "
        f"its gaps are that short; they may differ by {limit:.4f} ({SURE}); correct sampler, or set poisson = False",
    )
