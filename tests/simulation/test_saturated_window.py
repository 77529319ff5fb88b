"""The saturated system through a window: against exact chains, and against the saturated line of FCFS."""

import numpy as np
import pytest

import msj
from msj import Exponential, JobClass, System
from msj.errors import NotSupported, OutOfTime
from msj.simulation.saturated_window import one_window, saturated_windows

EASY_TO_SOLVE = {
    "first fit, two passed over": {"name": "first-fit", "window": 2},
    "first fit, three passed over": {"name": "first-fit", "window": 3},
    "best packing of three": {"name": "best-packing", "window": 3},
}


def cluster(policy, servers=6):
    classes = [
        msj.JobClass(name=str(need), need=need, share=share, duration=msj.Exponential(mean=mean))
        for need, share, mean in ((1, 0.5, 1), (2, 0.3, 2), (5, 0.2, 1))
    ]
    return msj.System(servers=servers, policy=policy, classes=classes)


@pytest.mark.parametrize("rule", EASY_TO_SOLVE)
def test_a_policy_with_a_short_sight_has_its_exact_threshold(rule):
    """Whoever looks at three jobs does not notice the window: z below 4.5, odds of a false alarm below 1e-4."""
    system = cluster(EASY_TO_SOLVE[rule])
    exact = msj.analyse(system)["stability_threshold"]
    found = one_window(system, 32, jobs=100_000, root=np.random.SeedSequence(11))
    assert abs(found.threshold - exact) < 4.5 / 2.09 * (found.high - found.threshold)


def test_a_work_conserving_policy_fills_every_server():
    system = msj.read("examples/two_servers.toml").replace(policy="server-filling")
    found = saturated_windows(system, jobs=20_000, rng=1)
    assert found.settled
    assert found.last.threshold == pytest.approx(1.0, abs=1e-9)


def test_windows_double_until_nothing_moves():
    found = saturated_windows(cluster("first-fit"), jobs=40_000, rng=2)
    sizes = [each.oldest for each in found.windows]
    assert sizes == [sizes[0] * 2**i for i in range(len(sizes))]
    assert found.settled
    assert found.windows[-1].like(found.windows[-2])
    assert found.low <= found.last.threshold <= found.high


def test_the_same_seed_gives_the_same_windows():
    first, second = (saturated_windows(cluster("easy-backfilling"), jobs=20_000, rng=3) for _ in range(2))
    assert first == second


def test_an_engine_without_events_is_refused():
    with pytest.raises(NotSupported, match="simulate it at a load"):
        saturated_windows(msj.read("examples/two_servers.toml"))


def test_no_time_at_all_is_said():
    with pytest.raises(OutOfTime, match="before the saturated system was seen"):
        saturated_windows(cluster("first-fit"), over=lambda: True)


def test_a_window_takes_no_more_jobs_than_it_may():
    """But for those that are fed at once: pieces of 20,000 // 21, and one to begin with."""
    found = one_window(cluster({"name": "first-fit", "window": 2}), 8, jobs=20_000, root=np.random.SeedSequence(1))
    assert 0.95 * 20_000 < found.jobs < 20_000 + 21 * 4 * 8


def test_the_first_window_is_of_an_eighth_of_the_jobs_that_servers_could_hold(monkeypatch):
    """400 servers, jobs of one server: 400 at once if all were busy, an eighth is 50, and the next power of two 64."""
    asked = []

    def window(system, oldest, **_):
        asked.append(oldest)

    monkeypatch.setattr("msj.simulation.saturated_window.one_window", window)
    made = System(servers=400, policy="first-fit", classes=[
        JobClass(name="a", need=1, share=1, duration=Exponential(mean=5)),
    ])  # fmt: skip
    with pytest.raises(OutOfTime):
        saturated_windows(made, rng=1)
    assert asked == [64]
