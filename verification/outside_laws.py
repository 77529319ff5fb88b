"""Trials of correct and of wrong laws from outside: ``python -m verification.outside_laws [--laws 1000] [--seed 1]``.

Correct laws are drawn at random (``random_laws``, ``random_arrivals``). The programme prints how many are refused, and
the largest deviation over its limit for each test. Wrong laws draw samples of twice or half the declared mean, with a
coefficient of variation of at most 3 (arrivals: an index of dispersion of at most 9); all must be refused.
"""

import argparse
import time
from collections import defaultdict

import numpy as np

import msj
from msj.model.trials import try_arrivals, try_duration
from verification.random_arrivals import NAMES, wrapped_arrivals
from verification.random_laws import wrapped_law


def trials(make, try_it, laws, seed):
    """Yield the trial of each of many laws, or the error that refused it."""
    for i in range(laws):
        rng = np.random.default_rng([seed, i])
        law = make(rng)
        try:
            yield law, try_it(law, np.random.SeedSequence([seed, i, 1]))
        except msj.InvalidInput as error:
            yield law, error


def try_at_some_rate(law, root):
    """Try an arrival law at its own rate."""
    return try_arrivals(law, float(law.inner.own_rate or 1.0), NAMES if law.marks_classes else (), root=root)


def main():
    """Print the counts and the largest deviations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--laws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kinds = (("duration laws", wrapped_law, try_duration), ("arrival laws", wrapped_arrivals, try_at_some_rate))
    for kind, make, try_it in kinds:
        largest, refused, noted = defaultdict(float), 0, 0
        started = time.perf_counter()
        for law, outcome in trials(make, try_it, options.laws, options.seed):
            if isinstance(outcome, Exception):
                refused += 1
                print(f"REFUSED {law.inner}: {outcome}")
                continue
            noted += bool(outcome.notes)
            for check in outcome.checks:
                name = "rate" if check.name.startswith("rate") else check.name
                largest[name] = max(largest[name], check.deviation / check.limit)
        seconds = (time.perf_counter() - started) / options.laws
        print(f"{options.laws} correct {kind}: {refused} refused, {noted} with a note, {1e3 * seconds:.1f} ms each")
        for name, ratio in largest.items():
            print(f"    largest deviation over its limit, {name}: {ratio:.3f}")
        for factor in (2.0, 0.5):
            wrong = trials(
                lambda rng, make=make, factor=factor: make(rng, max_cv=3.0, factor=factor),
                try_it,
                options.laws,
                options.seed + 1,
            )
            found = 0
            for law, outcome in wrong:
                found += isinstance(outcome, Exception)
                if not isinstance(outcome, Exception):
                    print(f"NOT FOUND {law.inner}: {outcome.checks}")
            print(f"{options.laws} {kind} wrong by the factor {factor:g}, cv at most 3: {found} refused")


if __name__ == "__main__":
    main()
