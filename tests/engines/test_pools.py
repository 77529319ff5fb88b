"""Resources and groups of servers: job by job against a slow twin."""

import naive_models
import pytest
from one_by_one import assert_same, cluster, drawn, in_blocks, on

from msj import Erlang, Exponential
from msj.engines.pools import PoolsEngine
from msj.model.spec_file import from_document

POOLS = {
    "resources": ([4, 1, 6], [[[2, 0, 1]], [[1, 1, 3]], [[1, 0, 5]]]),
    "groups": ([2, 3], [[[2, 0], [0, 2]], [[0, 1]], [[0, 1], [1, 0]]]),
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("rate", [0.5, 1.2])
def test_pools_job_by_job(name, rate):
    capacity, ways = POOLS[name]
    system = cluster(5, [1, 1, 1], [Exponential(mean=1), Erlang(stages=2, mean=2), Exponential(mean="1/2")])
    block = drawn(system, rate)
    servers = [True] + [name == "groups"] * (len(capacity) - 1)
    engine = PoolsEngine(on(5), capacity=capacity, ways=ways, servers=servers)
    assert_same(
        in_blocks(engine, block), *naive_models.in_pools(block.arrival, block.job_class, block.duration, capacity, ways)
    )


@pytest.mark.parametrize(
    ("groups", "spanning", "pools"),
    [
        ({"old": 4, "new": 2}, (), True),
        ({"old": 4, "new": 2}, ("b",), False),
        ({"old": 4, "new": 2}, ("a", "b"), False),
        ({"old": 4, "new": {"servers": 2, "speed": 1.5}}, (), False),
    ],
)
def test_who_serves_groups(groups, spanning, pools):
    """Pools know neither speeds nor jobs that span groups; one such class is enough."""
    classes = [
        {"name": name, "need": 1, "share": "1/2", "duration": {"law": "exponential", "mean": 1}, "groups": [*groups]}
        | ({"span": True} if name in spanning else {})
        for name in "ab"
    ]  # fmt: skip
    system = from_document({"servers": 6, "model": {"name": "server-groups", "groups": groups}, "classes": classes})
    found = system.model.engine(system)
    assert ("PoolsEngine" in str(found.by)) is pools
    if pools:
        ways = [[[1, 0], [0, 1]]] * 2  # either class on a server of either group
        assert found.options == {"capacity": [4, 2], "ways": ways, "servers": [True, True]}
