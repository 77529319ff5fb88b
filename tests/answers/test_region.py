"""The stability region of two classes: three borders, one inside the other."""

import itertools

import pytest

import msj
from msj.answers.region import hull


def cluster(servers=9, policy="fcfs", law=msj.Exponential):
    classes = [
        msj.JobClass(name="three", need=3, share="1/2", duration=law(mean=1)),
        msj.JobClass(name="four", need=4, share="1/2", duration=law(mean=2)),
    ]
    return msj.System(servers=servers, policy=policy, classes=classes)


def borders(found):
    names = ("stability_threshold", "attainable_threshold", "naive_threshold")
    return zip(*(found.along("class_share", name) for name in names), strict=True)


@pytest.mark.parametrize("servers", [9, 10, 25])
def test_each_border_is_inside_the_next(servers):
    found = msj.region(cluster(servers), points=9)
    for (_, own), (_, best), (_, promised) in borders(found):
        assert own.value <= best.value * (1 + 1e-9) <= promised.value * (1 + 2e-9)


def test_one_class_alone_wastes_what_does_not_divide():
    found = msj.region(cluster(), points=3)
    first, *_, last = found.along("class_share", "stability_threshold")
    assert (first[0], first[1].value) == (0, pytest.approx(2 / 2))  # two jobs of need 4, two units of time each
    assert (last[0], last[1].value) == (1, pytest.approx(3 / 1))


def test_the_own_threshold_is_that_of_analyse():
    found = msj.region(cluster(), points=5)
    for share, row in found.along("class_share", "stability_threshold")[1:-1]:
        classes = [c.replace(share=p) for c, p in zip(cluster().classes, (share, 1 - share), strict=True)]
        assert row.value == pytest.approx(msj.analyse(cluster().replace(classes=classes))["stability_threshold"])


def test_corners_are_among_the_mixes():
    """On 10 servers 3 + 3 + 4 fills all of them: there any policy could take what is promised, and nowhere near."""
    found = msj.region(cluster(10))
    share = 2 / (2 + 1 / 2)  # two at rate 1, one at rate 1/2
    best = dict(found.along("class_share", "attainable_threshold"))
    promised = dict(found.along("class_share", "naive_threshold"))
    full = [at for at in best if best[at].value == pytest.approx(promised[at].value)]
    assert full == [pytest.approx(share)]


@pytest.mark.parametrize(("servers", "first", "second"), [(10, 3, 4), (17, 2, 5), (23, 4, 9), (30, 7, 11)])
def test_the_hull_holds_every_packing(servers, first, second):
    corners = hull(servers, first, second)
    for a in range(servers // first + 1):
        b = (servers - first * a) // second
        (x0, y0), (x1, y1) = next(pair for pair in itertools.pairwise(corners) if pair[0][0] <= a <= pair[1][0])
        assert (b - y0) * (x1 - x0) <= (y1 - y0) * (a - x0)
    assert all(first * a + second * b <= servers for a, b in corners)


def test_a_policy_without_a_theorem_is_simulated():
    found = msj.region(cluster(policy="first-fit"), points=3, jobs=20_000, seed=1)
    _, (_, row), _ = found.along("class_share", "stability_threshold")
    assert row.bracket
    assert row.high <= found.along("class_share", "attainable_threshold")[1][1].value


def test_two_of_more_classes_are_named():
    partition = "examples/hpc_partition.toml"
    with pytest.raises(msj.InvalidInput, match="name two of them"):
        msj.region(partition)
    with pytest.raises(msj.InvalidInput, match="two different ones"):
        msj.region(partition, classes=["full", "full"])
    with pytest.raises(msj.InvalidInput, match="no class that arrives is called 'ful'"):
        msj.region(partition, classes=["ful", "single"])
    found = msj.region(partition, classes=["full", "single"], points=3)
    assert "without 'quarter'" in found.notes[0]
    assert [row.at["of_class"] for _, row in found.along("class_share", "naive_threshold")] == ["full"] * 3
