"""What the pictures of a report show, of reports put together by hand."""

import pytest
from hand_made import policy, report

from msj.reports.charts import policies_chart


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_policies_are_drawn_from_two_on_the_fastest_on_top(count):
    means = {"slow": 12.0, "fast": 4.0, "own": 8.0}
    rows = [policy(name, own=name == "own", mean=mean) for name, mean in list(means.items())[:count]]
    chart = policies_chart(report(policies=[*rows, policy("growing", stable=False)]))
    if count < 2:
        assert chart is None
        return
    points = chart.data[0]
    wanted = sorted(list(means.items())[:count], key=lambda each: each[1])
    assert points["x"] == [mean for _, mean in wanted]
    assert points["y"] == [f"<b>{name}</b>" if name == "own" else name for name, _ in wanted]
    assert points["marker"]["symbol"] == ["diamond" if name == "own" else "circle" for name, _ in wanted]
