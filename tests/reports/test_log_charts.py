"""The pictures of a log: what is written in them."""

import numpy as np
import pytest

from msj.reports.log_charts import _boxes


def test_boxes_say_how_many_jobs_in_few_letters():
    written = {
        0: "",
        1: "1",
        999: "999",
        1000: "1.0k",
        1260: "1.3k",
        99_940: "99.9k",
        99_950: "100k",
        123_456: "123k",
    }
    boxes = np.array(list(written)).reshape(2, 4)
    found = _boxes(boxes, ["1", "2"], ["a", "b", "c", "d"], "%{y} servers")
    assert found["text"] == np.array(list(written.values())).reshape(2, 4).tolist()
    assert found["customdata"] == boxes.tolist()
    assert found["z"][1][0] == pytest.approx(np.log10(1261), abs=1e-4)
    assert found["hovertemplate"] == "%{y} servers: %{customdata:,} jobs<extra></extra>"
