"""What every picture says and where its points lie, on results made by hand (``made_results.py``).

``drawn/`` has the inventories (``inventory.py``), looked at one by one beside the numbers they were drawn from. Where a
picture is meant to say something else, delete its file and run this twice; look at the difference.
"""

import importlib
from pathlib import Path

import pytest
from inventory import inventory
from made_results import HAND_MADE, result, row

from msj.errors import InvalidInput
from msj.plots import region, sweep, zero_queueing
from msj.plots.sweep import _rows

DRAWN = Path(__file__).parent / "drawn"
PAIRS = [(picture, made) for picture, results in HAND_MADE.items() for made in results]


@pytest.mark.parametrize(("picture", "made"), PAIRS, ids=[made.__name__ for _, made in PAIRS])
def test_a_picture_says_what_it_should(picture, made):
    found = inventory(importlib.import_module(f"msj.plots.{picture}").draw(made()))
    kept = DRAWN / f"{picture}_{made.__name__}.txt"
    if not kept.exists():
        kept.write_text("\n".join(found) + "\n", encoding="utf-8")
        pytest.fail(f"{kept.name} was not there and is now: look at it")
    assert found == kept.read_text(encoding="utf-8").splitlines()


def test_every_inventory_is_of_a_picture():
    assert {file.stem for file in DRAWN.iterdir()} == {f"{picture}_{made.__name__}" for picture, made in PAIRS}


def test_thresholds_of_no_named_class_are_no_region():
    with pytest.raises(InvalidInput, match=r"give one of msj\.region"):
        region.draw(result(row("stability_threshold", 1.0, class_share=0.5)))


def test_sizes_without_a_verdict_are_no_family():
    with pytest.raises(InvalidInput, match=r"give one of msj\.zero_queueing_family"):
        zero_queueing.draw(result(row("waiting_probability", 0.5, servers=2)))


def test_a_sweep_is_drawn_by_what_holds_for_all_jobs():
    percentile = row("response_time_percentile", 9.0, level=90.0, load=0.5)
    of_class = row("mean_waiting_time", 3.0, job_class="a", load=0.5)
    everybody = row("mean_waiting_time", 2.0, load=0.5)
    nowhere = row("mean_waiting_time", 1.0)
    assert _rows(result(percentile, of_class, nowhere, everybody)) == [everybody]


def test_colours_of_values_down_to_nothing_are_not_logarithmic():
    for least, scale in ((0.0, "Normalize"), (0.001, "LogNorm")):
        cells = [
            (load, n, least if (load, n) == (0.25, 1) else 8.0 * n) for load in (0.25, 0.5, 0.75) for n in range(1, 8)
        ]
        made = result(*(row("mean_response_time", value, load=load, seed=n) for load, n, value in cells))
        shown = [image for axes in sweep.draw(made).axes for image in (*axes.images, *axes.collections)]
        assert scale in [type(image.norm).__name__ for image in shown]
