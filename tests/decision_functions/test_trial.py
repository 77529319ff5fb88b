"""Ten wrong policies, each refused before any result exists, with value, rule and fix."""

import pytest

import msj
from msj.errors import BadFunction


def system(policy, *, servers=6, needs=(2, 5)):
    law = msj.Exponential(mean=1)
    classes = [msj.JobClass(name=f"{need}", need=need, share=f"1/{len(needs)}", duration=law) for need in needs]
    return msj.System(servers=servers, utilisation=0.3, classes=classes, policy=policy)


def first_fit(needs, running, free, chosen):
    for i in range(len(needs)):
        chosen[i] = running[i]
        if not running[i] and needs[i] <= free:
            chosen[i] = True
            free -= needs[i]


def too_many(needs, chosen):
    chosen[:] = True


def never(needs, chosen):
    pass


def small_only(needs, running, free, chosen):
    for i in range(len(needs)):
        chosen[i] = running[i]
        if not running[i] and needs[i] == 1 and needs[i] <= free:
            chosen[i] = True
            free -= 1


def smallest_first(needs, servers, chosen):
    free = servers
    for size in range(1, servers + 1):
        for i in range(len(needs)):
            if needs[i] == size and size <= free:
                chosen[i] = True
                free -= size


def fails(needs, chosen):
    chosen[needs.argmax()] = needs[3] > 0


def divides(needs, servers, chosen):
    chosen[: servers // (len(needs) - 1)] = True


def forgets_the_last(needs, running, free, chosen):
    first_fit(needs[:-1], running[:-1], free, chosen[:-1])


def wrong_type(needs, chosen):
    chosen[0] = "yes" + 1


def two_at_most(needs, servers, chosen):
    chosen[:2] = True


def unknown_class(needs, classes, running, free, chosen):
    for i in range(len(needs)):
        chosen[i] = running[i] or (needs[i] <= free and (5, 7)[classes[i] + 1] > 0)
        free -= needs[i] if chosen[i] and not running[i] else 0


@pytest.mark.parametrize(
    ("function", "options", "sentence"),
    [
        (too_many, {}, r"chose jobs of needs \[.*\] for 6 servers; choose jobs that fit together"),
        (two_at_most, {}, r"chose jobs of needs \[(5, 2|2, 5|5, 5)\] for 6 servers; choose"),
        (never, {}, r"serves no job of needs \[\d\] on 6 idle servers; choose one that fits, or declare may_idle"),
        (never, {"may_idle": True}, r"never serves a job in \d+ events on 6 servers.*; set chosen\[i\] = True"),
        (small_only, {}, r"serves no job of needs \[\d\] on 6 idle servers"),
        (smallest_first, {"preemptive": False}, r"stops a running job of need 5 although .* declare preemptive = true"),
        (fails, {}, r"fails with IndexError \(.*\) for needs \[.*\]; correct it"),
        (divides, {}, r"fails with ZeroDivisionError"),
        (forgets_the_last, {"preemptive": False}, r"serves no job of needs|stops a running job"),
        (wrong_type, {}, r"fails with TypeError"),
        (unknown_class, {"preemptive": False}, r"fails with IndexError \(tuple index out of range\)"),
    ],
)
def test_a_mistake_is_refused_with_value_rule_and_fix(function, options, sentence):
    with pytest.raises(BadFunction, match=rf"policy function '{function.__name__}' {sentence}"):
        system(msj.OwnFunction(function=function, **options))


def test_a_right_function_passes_whatever_the_needs():
    for needs in ((1,), (3, 6), (1, 2, 3, 4, 5, 6)):
        assert system(first_fit, needs=needs).policy.function is first_fit


def test_trials_use_the_needs_of_the_system():
    """A rule for needs 2 and 5 that knows nothing of others."""

    def pairs(needs, running, free, chosen):
        for i in range(len(needs)):
            assert needs[i] in (2, 5)
        first_fit(needs, running, free, chosen)

    assert system(pairs).policy.function is pairs
    with pytest.raises(BadFunction, match="fails with AssertionError"):
        system(pairs, needs=(1,))


def test_a_rule_may_idle_if_it_says_so():
    """Two jobs of need 1 start together or not at all."""

    def in_pairs(needs, running, servers, chosen):
        on = 0
        for i in range(len(needs)):
            chosen[i] = running[i]
            on += running[i]
        waiting = len(needs) - on
        if on == 0 and waiting >= 2:
            started = 0
            for i in range(len(needs)):
                if not running[i] and started < 2:
                    chosen[i] = True
                    started += 1

    jobs = [msj.JobClass(name="jobs", need=1, share=1, duration=msj.Deterministic(value=1))]
    idle = msj.System(servers=2, arrival_rate=0.5, classes=jobs)
    with pytest.raises(BadFunction, match=r"serves no job of needs \[1\] on 2 idle servers"):
        idle.replace(policy=msj.OwnFunction(function=in_pairs, preemptive=False))
    found = msj.simulate(
        idle, policy=msj.OwnFunction(function=in_pairs, preemptive=False, may_idle=True), jobs=200_000, seed=1
    )
    # The first of a pair waits 1/lambda = 2 for the second; then pairs queue as E2/D/1 at rho = 1/4: a short wait.
    row = found.row("mean_response_time")
    assert 2.0 < row.low < row.high < 2.1
    bounds = msj.analyse(idle.replace(policy=msj.OwnFunction(function=in_pairs, preemptive=False, may_idle=True)))
    assert not any(each.kind == "exact" and each.name == "stability_threshold" for each in bounds)
