"""What makes each policy different, on examples by hand and against brute force."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj import InvalidInput
from msj.disciplines.own_function import OwnFunction
from msj.registry import POLICIES
from strategies import simple


def served(name, needs, servers, running=(), remaining=None, **options):
    chosen = np.zeros(len(needs), dtype=np.bool_)
    now = np.zeros(len(needs), dtype=np.bool_)
    now[list(running)] = True
    left = np.ones(len(needs)) if remaining is None else np.array(remaining, dtype=float)
    POLICIES.get(name).from_options(options).serve(np.array(needs, dtype=np.int64), now, left, servers, chosen)
    return np.flatnonzero(chosen).tolist()


def test_by_hand():
    assert served("first-fit", [3, 2, 1, 1], 4) == [0, 2]
    assert served("first-fit", [3, 2, 1], 4, window=1) == [0]  # FCFS
    assert served("first-fit", [3, 2, 1], 4, window=2) == [0, 2]
    assert served("first-fit", [3, 2, 1], 4, running=[1]) == [1, 2]
    assert served("first-fit", [3, 2, 1], 4, running=[1], preemptive=True) == [0, 2]
    assert served("best-packing", [3, 2, 2, 1], 4, window=3) == [1, 2]
    assert served("best-packing", [3, 2, 2, 1], 4, window=4) == [0, 3]  # as full, and the oldest is in it
    assert served("best-packing", [3, 2, 2, 1], 4, window=1) == [0]  # FCFS
    assert served("best-packing", [3, 4, 1, 1], 4, window=2) == [1]
    assert served("best-packing", [2, 2, 1, 1], 4, running=[2], window=2) == [0, 2, 3]  # the next in line fits too
    assert served("best-packing", [3, 3, 2, 1], 4, running=[1], window=2, preemptive=True) == [0]
    assert served("best-fit", [1, 3, 2, 4], 4) == [3]
    assert served("best-fit", [1, 3, 2, 4], 4, running=[2]) == [0, 2]
    assert served("least-servers-first", [3, 1, 2, 1], 4) == [1, 2, 3]
    assert served("most-servers-first", [1, 1, 3, 2], 4) == [0, 2]
    assert served("most-servers-first", [1, 1, 3, 2], 4, running=[3], preemptive=False) == [0, 1, 3]
    # wcfs, section 3.4.2: of [1, 2, 1, 1, 4 | 2, 2, 1] on 8 servers the jobs with 4, 2, 1 and 1 are served.
    assert served("server-filling", [1, 2, 1, 1, 4, 2, 2, 1], 8) == [0, 1, 2, 4]
    assert served("greedy-srpt", [2, 3, 1], 4, remaining=[1, 1, 9]) == [0]
    assert served("first-fit-srpt", [2, 3, 1], 4, remaining=[1, 1, 9]) == [0, 2]
    assert served("server-filling-srpt", [4, 1, 1, 2], 4, remaining=[5, 1, 1, 1]) == [1, 2, 3]
    # Two servers free for 5; the head needs 4 then. Of the jobs behind it one is short enough, one too long.
    assert served("easy-backfilling", [2, 4, 2, 1], 4, running=[0], remaining=[5, 1, 6, 5]) == [0, 3]
    assert served("easy-backfilling", [2, 3, 1, 1], 4, running=[0], remaining=[5, 1, 6, 6]) == [0, 2]
    # EASY lets job 2 delay job 3, conservative does not let job 4 delay it.
    assert served("conservative-backfilling", [2, 4, 1, 1], 4, running=[0], remaining=[5, 1, 6, 5]) == [0, 3]


@given(
    servers=st.integers(1, 9),
    needs=st.lists(st.integers(1, 9), max_size=12),
    window=st.integers(1, 6),
    preemptive=st.booleans(),
    lots=st.randoms(use_true_random=False),
)
def test_best_packing_against_all_subsets(servers, needs, window, preemptive, lots):
    needs = [min(need, servers) for need in needs]
    running, free = [], servers
    for i in lots.sample(range(len(needs)), len(needs)):
        if needs[i] <= free and lots.random() < 0.5:
            running.append(i)
            free -= needs[i]
    if preemptive:
        kept, free = [], servers
    else:
        kept = running
    waiting = [i for i in range(len(needs)) if i not in kept]
    subsets = [part for size in range(window + 1) for part in itertools.combinations(waiting[:window], size)]
    fitting = [part for part in subsets if sum(needs[i] for i in part) <= free]
    # The largest total; among equals, for each place in turn, the subset that has the older job.
    best = max(fitting, key=lambda part: (sum(needs[i] for i in part), [i in part for i in waiting[:window]]))
    expected, free, passed = [*kept, *best], free - sum(needs[i] for i in best), window - len(best)
    for i in waiting[window:] if not preemptive else ():
        if passed == window:
            break
        if needs[i] <= free:
            expected.append(i)
            free -= needs[i]
        else:
            passed += 1
    found = served("best-packing", needs, servers, running, window=window, preemptive=preemptive)
    assert found == sorted(expected)


@given(st.sampled_from([2, 6, 8, 12]), st.data())
def test_divisor_filling_fills_all_servers(servers, data):
    divisors = [d for d in range(1, servers + 1) if servers % d == 0]
    needs = data.draw(st.lists(st.sampled_from(divisors), max_size=servers + 4))
    total = sum(needs[i] for i in served("divisor-filling", needs, servers))
    oldest = needs[:servers]
    if len(needs) >= servers:
        assert total == servers
    elif len(oldest) <= 10:
        sums = {sum(part) for size in range(len(oldest) + 1) for part in itertools.combinations(oldest, size)}
        assert total == max(s for s in sums if s <= servers)


@given(st.integers(1, 7), st.data())
def test_max_weight_is_the_heaviest_packing(servers, data):
    needs = data.draw(st.lists(st.integers(1, servers), min_size=1, max_size=9))
    present = {v: needs.count(v) for v in set(needs)}
    kinds = sorted(present)
    packings = [
        z
        for z in itertools.product(*(range(servers // v + 1) for v in kinds))
        if sum(a * b for a, b in zip(z, kinds, strict=True)) <= servers
    ]
    for limited, largest in itertools.product([False, True], [False, True]):
        allowed = [z for z in packings if not limited or all(a <= present[v] for a, v in zip(z, kinds, strict=True))]
        weight = {z: sum(a * present[v] for a, v in zip(z, kinds, strict=True)) for z in allowed}
        heaviest = [z for z in allowed if weight[z] == max(weight.values())]
        best = max(heaviest, key=lambda z: z[::-1] if largest else z)
        found = served("max-weight", needs, servers, limited=limited, ties="largest" if largest else "smallest")
        counts = [sum(needs[i] == v for i in found) for v in kinds]
        assert counts == [min(a, present[v]) for a, v in zip(best, kinds, strict=True)]
        for v in kinds:  # the oldest of each need
            mine = [i for i in range(len(needs)) if needs[i] == v]
            assert [i for i in found if needs[i] == v] == mine[: sum(needs[i] == v for i in found)]


@pytest.mark.parametrize(
    ("name", "servers", "needs", "reason"),
    [
        ("server-filling", 6, (1, 2), "servers = 6 is not a power of two; divisor-filling applies instead"),
        ("server-filling", 8, (1, 3), "needs 3 servers, not a power of two; first-fit or max-weight applies instead"),
        ("server-filling-srpt", 8, (1, 3), "not a power of two"),
        ("divisor-filling", 8, (1, 3), "needs 3 servers, which does not divide servers = 8"),
    ],
)
def test_what_a_policy_does_not_support(name, servers, needs, reason):
    system = simple(servers, (needs[0], 1, "1/2"), (needs[1], 1, "1/2"))
    assert reason in POLICIES.get(name)().supports(system)


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("first-fit", {"window": 0}, "window = 0 must be at least 1"),
        ("first-fit", {"windo": 3}, "did you mean 'window'"),
        ("max-weight", {"ties": "smalest"}, "did you mean 'smallest'"),
        ("easy-backfilling", {"factor": 0.5}, "factor = 0.5"),
        ("easy-backfilling", {"round_up_to": 0}, "round_up_to = 0"),
    ],
)
def test_bad_options(name, options, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        POLICIES.get(name).from_options(options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("first-fit", {"window": 3, "preemptive": True}),
        ("easy-backfilling", {"factor": "3/2", "round_up_to": 60}),
        ("max-weight", {"limited": True, "ties": "largest"}),
        ("randomized-timers", {"clock": 2, "b": "1/4"}),
    ],
)
def test_options_come_back_from_the_spec_file(name, options):
    policy = POLICIES.get(name).from_options(options)
    system = simple(4, (1, 1, 1), policy={"name": name, **options})
    assert system.policy == policy
    assert json.loads(json.dumps(policy.to_spec())) == {"name": name, **options}


def test_estimates_are_inflated_then_rounded_up():
    policy = POLICIES.get("easy-backfilling").from_options({"factor": 2, "round_up_to": 5})
    assert policy.estimated(np.array([1.0, 2.5, 2.6])).tolist() == [5.0, 5.0, 10.0]


def unknown(needs, servers, chosen, priority):
    pass


def too_much(needs, running, remaining, servers, chosen):
    chosen[:] = True


def nobody(needs, running, remaining, servers, chosen):
    pass


def fails(needs, running, remaining, servers, chosen):
    chosen[0] = needs[7]


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (unknown, r"'unknown' has an unknown argument 'priority'; known: needs, classes, running, .*, chosen"),
        (too_much, r"'too_much' chose jobs of needs \[2, 2, .*\] for 4 servers; choose jobs that fit"),
        (nobody, r"'nobody' serves no job of needs \[2\] on 4 idle servers; .* may_idle = true"),
        (fails, "'fails' fails with IndexError"),
    ],
)
def test_own_functions_are_tried_first(function, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        simple(4, (2, 1, 1), policy=function)


def test_own_functions_from_a_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "def pick(needs, running, remaining, servers, chosen):\n"
        "    for i in range(len(needs)):\n        if needs[i] <= servers:\n"
        "            chosen[i] = True\n            break\n",
        encoding="utf-8",
    )
    assert OwnFunction.from_file(f"{path}:pick").name == f"{path}:pick"
    with pytest.raises(InvalidInput, match=r"no function 'pik' in 'mine\.py'; did you mean 'pick'"):
        OwnFunction.from_file(f"{path}:pik")
    with pytest.raises(InvalidInput, match="cannot be read"):
        OwnFunction.from_file(f"{tmp_path}/none.py:pick")
