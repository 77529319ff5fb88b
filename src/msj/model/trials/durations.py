"""Trial of a duration law: the mean, the second moment and the distribution function against samples.

Blocks of samples are drawn with a stream of random numbers of the trial's own. Then

- the distribution function that the law declares (``cdf``), and that of its phase type, by the
  Dvoretzky–Kiefer–Wolfowitz bound;
- the mean by a median of means, with the declared variance E[X²] − E[X]²; an infinite one allows no test;
- the second moment likewise, where ``moment(4)`` is finite, with the variance E[X⁴] − E[X²]² of X².

All four together refuse a correct law with probability below 1e-6 (``limits``). With K = 27 blocks of b = 4096 and a
coefficient of variation of at most 3, the limit on the mean is t·3/√b < 0.16 of the mean, so that samples whose mean
is twice or half the declared one are always found. What the law declares twice (moments of its phase type, and of
``scaled``) must agree up to rounding.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from msj.model.durations.base import Duration
from msj.model.durations.phase_type import PhaseType
from msj.model.outside import as_numbers
from msj.model.trials.limits import BLOCKS, FALSE_ALARM, MARGIN, deviation_factor, dkw_distance, dkw_limit
from msj.model.trials.trial import SEED, SURE, Trial

Vector = NDArray[np.float64]

BLOCK = 4096
TESTS = 4
POINTS = 4096  # of a declared distribution function
PHASE_POINTS, FEW_PHASES = 64, 50  # of a phase type's, which takes a matrix exponential each
EQUAL = 1e-6  # relative difference of what is declared twice


def try_duration(law: Duration, root: np.random.SeedSequence = SEED) -> Trial:
    """Return the trial of a duration law; a law that fails it is refused.

    Examples
    --------
    >>> from msj import Exponential
    >>> [check.name for check in try_duration(Exponential(mean=2)).checks]
    ['distribution of the phase type', 'mean', 'second moment']
    """
    trial = Trial(law=law)
    mean, second = _moments(trial)
    phases = _phase_type(trial, mean, second)
    _scales(trial, mean, second)
    blocks = _draw(trial, root)
    alpha = FALSE_ALARM / TESTS
    values = np.sort(blocks, axis=None)
    if trial.declared("cdf", np.array([mean])) is not None:
        _distribution(trial, "distribution function", "cdf", values, mean, POINTS, alpha)
    if phases is not None:
        points = max(int(PHASE_POINTS * min(1.0, (FEW_PHASES / len(phases.alpha)) ** 3)), 4)
        _distribution(trial, "distribution of the phase type", phases, values, mean, points, alpha)
    _means(trial, blocks, mean, second, alpha)
    return trial


def _moments(trial: Trial) -> tuple[float, float]:
    """Return the declared mean and second moment, if they are possible."""
    mean, second = trial.number("mean"), trial.number("second_moment")
    if not 0 < mean < math.inf:
        raise trial.refusal(
            f"declares mean = {mean:g}; a mean duration must be positive and finite; correct the mean of the law"
        )
    if not second >= mean**2 * (1.0 - EQUAL):
        raise trial.refusal(
            f"declares second_moment = {second:g} and mean = {mean:g}; the second moment must be at least the mean "
            f"squared, {mean**2:g}; correct one of them"
        )
    return mean, second


def _phase_type(trial: Trial, mean: float, second: float) -> PhaseType | None:
    """Return the phase type that the law declares, if it has the declared moments."""
    found = trial.declared("as_phase_type")
    if found is None:
        return None
    if not isinstance(found, PhaseType):
        raise trial.refusal(
            f"returns a {type(found).__name__} from as_phase_type; it must return a PhaseType or None; correct it"
        )
    for name, order, declared in (("mean", 1, mean), ("second moment", 2, second)):
        moment = found.moment(order)
        if not math.isclose(moment, declared, rel_tol=EQUAL):
            raise trial.refusal(
                f"declares the {name} {declared:.6g}, and its phase type has {moment:.6g}; both must be equal; correct "
                f"{name.replace(' ', '_')} or as_phase_type"
            )
    return found


def _scales(trial: Trial, mean: float, second: float) -> None:
    """Refuse a law whose double has other moments than 2·E[X] and 4·E[X²]."""
    double = trial.declared("scaled", 2)
    if not isinstance(double, Duration):
        raise trial.refusal(f"returns {double!r} from scaled(2); it must return a duration law; correct scaled")
    of_double = Trial(law=double)
    for name, found, wanted in (
        ("mean", of_double.number("mean"), 2.0 * mean),
        ("second moment", of_double.number("second_moment"), 4.0 * second),
    ):
        if not (found == wanted or math.isclose(found, wanted, rel_tol=EQUAL)):
            raise trial.refusal(
                f"has the {name} {found:.6g} after scaled(2); twice the duration has {wanted:.6g}; correct scaled"
            )


def _draw(trial: Trial, root: np.random.SeedSequence) -> Vector:
    """Return the blocks of samples, checked."""
    law: Duration = trial.law
    rng = np.random.default_rng(root)
    blocks = np.array([law.sample(rng, BLOCK) for _ in range(BLOCKS)])
    law.sample(rng, 1)
    if not np.array_equal(law.sample(np.random.default_rng(root), BLOCK), blocks[0]):
        raise trial.refusal(
            "draws different samples with equal generators; samples must depend on rng only, or no answer can be "
            "repeated; draw all random numbers from rng"
        )
    if (blocks == blocks[0]).all() and blocks[0].min() < blocks[0].max():
        raise trial.refusal(
            "draws the same samples at every call; samples of different calls must be independent; draw all random "
            "numbers from rng"
        )
    return blocks


def _distribution(
    trial: Trial, name: str, declared: str | PhaseType, values: Vector, mean: float, points: int, alpha: float
) -> None:
    def cdf(x: Vector) -> Vector:
        if isinstance(declared, PhaseType):
            return _phase_type_cdf(declared, x)
        found = as_numbers(trial.law, "cdf", trial.declared("cdf", x), len(x))
        if not (found.min() >= -MARGIN and found.max() <= 1.0 + MARGIN and np.diff(found).min(initial=0.0) >= -MARGIN):
            place = int(np.argmax(~((found >= -MARGIN) & (found <= 1.0 + MARGIN))))
            raise trial.refusal(
                f"declares cdf({x[place]:.6g}) = {found[place]:.6g}; a distribution function must rise from 0 to 1 and "
                "never fall; correct cdf"
            )
        return found

    found = dkw_distance(values, cdf, mean, points)
    limit = dkw_limit(len(values), alpha)
    source = "cdf" if isinstance(declared, str) else "as_phase_type"
    trial.require(
        name,
        found.value,
        limit,
        f"declares P(X <= {found.x:.6g}) = {found.declared:.4f} by {source}, and {found.observed:.4f} of its "
        f"{len(values):,} samples are that short; they may differ by {limit:.4f} ({SURE}); correct {source} or sample",
    )


def _phase_type_cdf(law: PhaseType, x: Vector) -> Vector:
    from scipy.linalg import expm

    alive = np.array([law.alpha @ expm(law.subgenerator * each).sum(axis=1) for each in x])
    return np.asarray(np.clip(1.0 - alive, 0.0, 1.0))


def _means(trial: Trial, blocks: Vector, mean: float, second: float, alpha: float) -> None:
    """Compare the mean, and where a fourth moment is declared the second moment, with the medians of block means."""
    if not math.isfinite(second):
        trial.note("the mean was", "its declared second moment is infinite")
        return
    in_means, square = blocks / mean, second / mean**2
    variance = max(square - 1.0, 0.0)
    _median(trial, "mean", in_means, 1.0, variance, mean, alpha)
    fourth = trial.number("moment", 4)
    if not math.isfinite(fourth):
        return
    fourth = fourth / mean**2 / mean**2
    if not fourth >= square**2 * (1.0 - EQUAL):
        raise trial.refusal(
            f"declares moment(4) = {fourth * mean**4:g} and second_moment = {second:g}; the fourth moment must be at "
            "least the second squared; correct one of them"
        )
    _median(trial, "second moment", in_means**2, square, max(fourth - square**2, 0.0), mean**2, alpha)


def _median(
    trial: Trial, name: str, blocks: Vector, declared: float, variance: float, unit: float, alpha: float
) -> None:
    found = float(np.median(blocks.mean(axis=1)))
    # The second term: a variance that is a difference of two rounded numbers.
    limit = deviation_factor(alpha) * math.sqrt((variance + MARGIN**1.5 * declared**2) / BLOCK) + MARGIN * declared
    needed = "mean, second_moment" if name == "mean" else "second_moment, moment(4)"
    trial.require(
        name,
        abs(found - declared),
        limit,
        f"declares the {name} {declared * unit:.6g}, and its samples have {found * unit:.6g} (median of {BLOCKS} means "
        f"of {BLOCK:,}); they may differ by {limit * unit:.3g} ({SURE}); correct {needed} or sample",
    )
