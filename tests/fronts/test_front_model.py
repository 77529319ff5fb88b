"""Front models against chains that know their policy, and against formulas."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from msj import InvalidInput, JobClass, NotSupported, System, TooLarge
from msj.fronts import FrontModel, open_front, policy_front, saturated_front
from msj.markov import solve
from msj.markov.level_process import solve as solve_levels
from strategies import phase_types, simple, systems


def exact_mean(system, rate):
    law = solve_levels(open_front(policy_front(system)).at(rate))
    return law.mean_level() / rate


@settings(max_examples=20)
@given(systems(most_servers=3, most_classes=2), st.sampled_from([0.3, 0.9]))
def test_fcfs_as_a_front_is_fcfs_on_counts(system, load):
    _, chain = saturated_front(policy_front(system))
    run, counts = solve(chain), msj.analyse(system.replace(load=load), method="chain", percentiles=False)
    assert run.throughput == pytest.approx(counts["stability_threshold"], rel=1e-10)
    expected = counts["relative_completions_at_departure"]
    assert run.relative_completions_at_departure == pytest.approx(expected, rel=1e-8, abs=1e-10)
    assert exact_mean(system, counts["arrival_rate"]) == pytest.approx(counts["mean_response_time"], rel=1e-9)


@settings(max_examples=15)
@given(systems(most_servers=4, most_classes=2), st.booleans())
def test_first_fit_that_passes_over_one_job_is_fcfs(system, preemptive):
    first_fit = system.replace(policy={"name": "first-fit", "window": 1, "preemptive": preemptive}, load=0.7)
    fcfs, other = msj.analyse(system.replace(load=0.7), percentiles=False), msj.analyse(first_fit)
    for name in ("stability_threshold", "wasted_servers", "mean_response_time", "predicted_mean_response_time"):
        assert other[name] == pytest.approx(fcfs[name], rel=1e-9, abs=1e-11)
    for c in system.classes:
        expected = fcfs["mean_response_time", c.name]
        assert other["mean_response_time", c.name] == pytest.approx(expected, rel=1e-8)


def test_a_wider_window_takes_more_load():
    system = simple(4, (1, 1, "1/2"), (3, "1/2", "1/2"))
    thresholds = [
        msj.analyse(system.replace(policy={"name": "first-fit", "window": n}))["stability_threshold"] for n in (1, 2, 3)
    ]
    assert thresholds[0] < thresholds[1] < thresholds[2] < system.naive_threshold


def test_server_filling_of_the_wcfs_example():
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), policy="server-filling", utilisation=0.9)
    result = msj.analyse(system)
    assert result["mean_response_time"] == pytest.approx(14.118319133, abs=5e-10)
    assert result["stability_threshold"] == pytest.approx(system.naive_threshold, rel=1e-12)  # nothing is wasted
    assert result["wasted_servers"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("policy", ["server-filling", "divisor-filling"])
@given(phase_types())
@settings(max_examples=10)
def test_filling_with_jobs_that_take_everything_is_one_server(policy, law):
    system = System(
        servers=2, classes=[JobClass(name="all", need=2, share=1, duration=law)], policy=policy, utilisation=0.8
    )
    result = msj.analyse(system)
    rate = 0.8 / float(law.mean)
    expected = float(law.mean) + rate * law.second_moment / (2 * 0.2)
    assert result["mean_response_time"] == pytest.approx(expected, rel=1e-9)


def test_divisor_filling_wastes_nothing():
    system = simple(6, (1, 1, "1/3"), (2, "1/2", "1/3"), (3, 2, "1/3"), policy="divisor-filling", load=0.5)
    result = msj.analyse(system, exact=False)
    assert result["stability_threshold"] == pytest.approx(system.naive_threshold, rel=1e-10)


class Machines(FrontModel):
    """Machines of given speeds; the oldest job is on the fastest."""

    def __init__(self, *speeds):
        self.speeds = speeds
        self.most_jobs = len(speeds)

    most_jobs = 0

    def fresh(self):
        yield "job", 1.0

    def steps(self, front):
        for i, speed in enumerate(self.speeds[: len(front)]):
            yield speed, front[:i] + front[i + 1 :], True


def birth_death_mean(arrival, speeds):
    weight, total, jobs = 1.0, 1.0, 0.0
    for n in range(1, 20_000):
        weight *= arrival / sum(speeds[:n])
        total += weight
        jobs += n * weight
    return jobs / total / arrival


@pytest.mark.parametrize("speeds", [(1.0,), (2.0, 0.5), (1.0, 1.0, 1.0), (3.0, 1.0, 0.2)])
@pytest.mark.parametrize("load", [0.2, 0.95])
def test_a_model_of_ones_own(speeds, load):
    result = msj.analyse_model(Machines(*speeds), load=load)
    assert result["stability_threshold"] == pytest.approx(sum(speeds), rel=1e-12)
    expected = birth_death_mean(load * sum(speeds), speeds)
    assert result["mean_response_time"] == pytest.approx(expected, rel=1e-9)


class Sharing(FrontModel):
    """The ``level`` oldest jobs share one machine equally; two classes of exponential sizes; counts are enough."""

    def __init__(self, level):
        self.most_jobs = level

    most_jobs = 0

    def empty(self):
        return (0, 0)

    def fresh(self):
        yield 0, 0.5
        yield 1, 0.5

    def add(self, front, job):
        return (front[0] + (job == 0), front[1] + (job == 1))

    def size(self, front):
        return sum(front)

    def steps(self, front):
        for i, rate in enumerate((4.0, 0.5)):
            if front[i]:
                yield rate * front[i] / sum(front), (front[0] - (i == 0), front[1] - (i == 1)), True


def test_sharing_between_one_and_all():
    # One at a time is Pollaczek-Khinchine; all at once is processor sharing, E[S]/(1 − rho), whatever the law.
    mean, second, load = 1.125, 0.5 * 2 / 16 + 0.5 * 2 * 4, 0.5
    one = msj.analyse_model(Sharing(1), load=load)["mean_response_time"]
    assert one == pytest.approx(mean + load / mean * second / (2 * (1 - load)), rel=1e-10)
    all_at_once = msj.analyse_model(Sharing(60), load=load)["mean_response_time"]
    assert all_at_once == pytest.approx(mean / (1 - load), rel=1e-10)
    assert all_at_once < msj.analyse_model(Sharing(3), load=load)["mean_response_time"] < one


def test_speeds_are_not_taken_for_one_unless_a_model_says_so():
    """Whoever shares a machine is served from the start, however long the stay: there is no time of waiting in it."""
    assert not FrontModel.one_speed
    assert "mean_waiting_time" not in msj.analyse_model(Sharing(60), load=0.5)


class SetUp(FrontModel):
    """One machine that is off when its front is empty and takes an exponential time to come on."""

    most_jobs = 1

    def fresh(self):
        yield None, 1.0

    def empty(self):
        return (0, "off")

    def size(self, front):
        return front[0]

    def add(self, front, job):
        return (front[0] + 1, "starting" if front[1] == "off" else front[1])

    def steps(self, front):
        if front[1] == "starting":
            yield 0.5, (front[0], "on"), False
        elif front[0]:
            # The machine stays on only if somebody waits: an empty front is off.
            yield 1.0, (0, "off"), True

    def full(self, front):
        return front[0] >= 1


def test_an_environment_in_the_front():
    # Set-up before every job here (the front cannot see the back), so service is set-up plus work: M/G/1.
    mean, second = 2.0 + 1.0, 2 * 4.0 + 2 * 1.0 + 2 * 2.0 * 1.0
    result = msj.analyse_model(SetUp(), load=0.6)
    rate = 0.6 / mean
    assert result["stability_threshold"] == pytest.approx(1 / mean, rel=1e-12)
    assert result["mean_response_time"] == pytest.approx(mean + rate * second / (2 * 0.4), rel=1e-10)


def test_per_class_numbers_add_up():
    system = simple(4, (1, 1, "1/2"), (2, "1/2", "1/4"), (4, 1, "1/4"), policy="server-filling", load=0.7)
    result = msj.analyse(system)
    total = sum(result["mean_jobs_in_system", c.name] for c in system.classes)
    assert total == pytest.approx(result["mean_jobs_in_system"], rel=1e-10)


def test_what_is_wrong_is_refused_in_words():
    class Wrong(Machines):
        def fresh(self):
            yield "job", 0.5

    with pytest.raises(InvalidInput, match=r"sum to 0\.5"):
        msj.analyse_model(Wrong(1.0))
    with pytest.raises(TooLarge, match="more than 50 fronts"):
        open_front(policy_front(simple(64, (1, 1, "1/2"), (2, 1, "1/2"), policy="server-filling")), most_fronts=50)
    with pytest.raises(TooLarge, match="more than 50 fronts"):
        saturated_front(policy_front(simple(64, (1, 1, "1/2"), (2, 1, "1/2"), policy="server-filling")), most_fronts=50)
    found = msj.analyse(simple(4, (1, 1, "1/2"), (2, 1, "1/2"), policy="first-fit", arrival_rate=0.1))
    assert found.outcome is msj.Outcome.BOUNDS_ONLY
    assert "no finite chain" in found.notes[0]
    with pytest.raises(NotSupported, match="not a power of two"):
        msj.analyse(simple(4, (1, 1, "1/2"), (3, 1, "1/2"), policy="server-filling", arrival_rate=0.1))


def test_slips_in_a_first_model_are_named():
    class Pair(FrontModel):
        most_jobs = 2

        def fresh(self):
            yield "job", 1.0

        def steps(self, front):
            for position in range(len(front)):
                yield 1.0, front[:position] + front[position + 1 :], True

    class Short(Pair):
        def steps(self, front):
            yield 1.0, front[1:]

    class Negative(Pair):
        def steps(self, front):
            yield -1.0, front[1:], True

    class Miscounted(Pair):
        def class_counts(self, front):
            return [1]

    assert msj.analyse_model(Pair(), load=0.5)["stability_threshold"] == pytest.approx(2)
    with pytest.raises(InvalidInput, match=r"yields \(1\.0, \('job',\)\); yield \(rate, front after, whether"):
        msj.analyse_model(Short())
    with pytest.raises(InvalidInput, match=r"yields rate -1\.0; rates must be at least 0"):
        msj.analyse_model(Negative())
    with pytest.raises(InvalidInput, match=r"class_counts\(\(\)\) is \[1\] for 1 classes and 0 jobs"):
        msj.analyse_model(Miscounted(), load=0.5)
