"""Front chains of 10^5 fronts and more: against a far smaller chain of the same system, and against formulas.

First fit with a window needs no classes of waiting jobs. A job that was passed over needed more servers than were free;
all that is known of it is need > t, t the most that were free when it was looked at, and its class is drawn when there
are more. The jobs behind it were looked at with no more servers free, so the t fall along the line: with three needs a
window of n has (n + 1)(n + 2)/2 lines instead of 3^n.
"""

import time

import pytest

import msj
from msj import Erlang, Exponential, JobClass, System
from msj.fronts import FrontModel, policy_front, saturated_front
from msj.fronts.compiled_fronts import compiled_fronts, saturated_fronts
from msj.markov import solve


def system_of(servers, classes, policy):
    return System(
        servers=servers,
        classes=[
            JobClass(name=str(need), need=need, share=share, duration=Exponential(rate=rate))
            for need, rate, share in classes
        ],
        policy=policy,
    )


class FirstFitByKnowledge(FrontModel):
    """A front is (counts in service, what is known of each job passed over: how many needs are ruled out)."""

    def __init__(self, servers, classes, window):
        self.servers, self.window = servers, window
        self.needs, self.rates, self.shares = zip(*sorted(classes), strict=True)

    @property
    def most_jobs(self):
        return self.servers // self.needs[0] + self.window

    def empty(self):
        return ((0,) * len(self.needs), ())

    def size(self, front):
        return sum(front[0]) + len(front[1])

    def full(self, front):
        return len(front[1]) >= self.window

    def fresh(self):
        return enumerate(self.shares)

    def free(self, counts):
        return self.servers - sum(n * c for n, c in zip(self.needs, counts, strict=True))

    def ruled_out(self, counts):
        return sum(need <= self.free(counts) for need in self.needs)

    def add(self, front, job):
        counts, line = front
        if self.needs[job] <= self.free(counts):
            return self.changed(counts, job, 1), line
        return counts, (*line, self.ruled_out(counts))

    def changed(self, counts, job, by):
        return tuple(c + by * (i == job) for i, c in enumerate(counts))

    def steps(self, front):
        counts, line = front
        for job, count in enumerate(counts):
            if count:
                for chance, after in self.looked_at(self.changed(counts, job, -1), line, ()):
                    yield count * self.rates[job] * chance, after, True

    def looked_at(self, counts, line, passed):
        if not line:
            yield 1.0, (counts, passed)
            return
        known, out = line[0], max(line[0], self.ruled_out(counts))
        total = sum(self.shares[known:])
        for job in range(known, out):
            for chance, after in self.looked_at(self.changed(counts, job, 1), line[1:], passed):
                yield self.shares[job] / total * chance, after
        rest = sum(self.shares[out:])
        if rest:
            for chance, after in self.looked_at(counts, line[1:], (*passed, out)):
                yield rest / total * chance, after


THREE = [(1, 1.0, 0.5), (2, 0.5, 0.25), (4, 1.0, 0.25)]


@pytest.mark.parametrize(
    ("servers", "classes", "window", "fronts"),
    [
        (8, THREE, 3, 250),
        (16, THREE, 8, 100_000),
        (32, THREE, 8, 500_000),
        (24, [(2, 1.0, 0.3), (3, 0.4, 0.4), (7, 2.0, 0.3)], 8, 100_000),
    ],
)
def test_first_fit_with_and_without_classes_in_the_window(servers, classes, window, fronts):
    system = system_of(servers, classes, {"name": "first-fit", "window": window})
    chain, _ = saturated_fronts(policy_front(system))
    _, small = saturated_front(FirstFitByKnowledge(servers, classes, window))
    assert chain.states > fronts
    assert small.states < chain.states / 2
    run, expected = solve(chain), solve(small)
    assert run.throughput == pytest.approx(expected.throughput, rel=1e-10)
    delta = expected.relative_completions_at_departure
    assert run.relative_completions_at_departure == pytest.approx(delta, rel=1e-8)


@pytest.mark.parametrize(
    ("policy", "servers", "needs", "law", "fronts"),
    [
        ("server-filling", 128, (1, 2, 4, 8), Exponential(mean=1), 40_000),
        ("divisor-filling", 12, (1, 3, 4), Erlang(stages=2, mean=1), 80_000),
    ],
)
def test_filling_wastes_nothing_however_large(policy, servers, needs, law, fronts):
    classes = [JobClass(name=str(need), need=need, share=f"1/{len(needs)}", duration=law) for need in needs]
    system = System(servers=servers, classes=classes, policy=policy)
    found = compiled_fronts(policy_front(system))
    assert found.chain.states > fronts
    assert solve(found.chain).throughput == pytest.approx(system.naive_threshold, rel=1e-10)
    assert (found.busy_servers == system.servers).all()


def test_a_model_of_ones_own_with_many_fronts():
    # The oldest of seven jobs are served at speeds that fall with age: 5^7 fronts; all speeds 1 and one class would be
    # M/M/7. With the completion rate of a front equal to the sum of its speeds, whatever the jobs, so is the threshold.
    class ByAge(FrontModel):
        most_jobs = 7

        def fresh(self):
            return ((job, 0.2) for job in range(5))

        def steps(self, front):
            for i in range(len(front)):
                yield 1.0 / (i + 1), front[:i] + front[i + 1 :], True

    started = time.perf_counter()
    result = msj.analyse_model(ByAge(), load=0.9)
    assert result.provenance["states"] == 5**7
    assert result["stability_threshold"] == pytest.approx(sum(1 / (i + 1) for i in range(7)), rel=1e-11)
    assert result["relative_completions_at_departure"] == pytest.approx(0.0, abs=1e-9)
    assert any("levels of 78,125 fronts" in note for note in result.notes)
    assert time.perf_counter() - started < 120
