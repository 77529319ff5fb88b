"""Arrival laws: what they say of themselves holds for what they draw, and spec files keep them."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import msj
from msj import InvalidInput
from msj.model import System
from msj.model.arrivals import Arrivals, arrivals_from
from msj.model.arrivals.recorded import RecordedArrivals
from msj.model.spec_file import from_document, read, to_json, to_toml
from msj.registry import ARRIVALS

CLASSES = [
    {"name": "small", "need": 1, "share": "1/2", "duration": {"law": "exponential", "mean": 1}},
    {"name": "large", "need": 4, "share": "1/2", "duration": {"law": "exponential", "mean": 2}},
]
# Own rate and index of dispersion, worked out by hand. On and off for 1 on average, 2 per unit of time while on:
# I = 1 + 2·Var(rate)·(relaxation time)/mean = 1 + 2·1·0.5/1. Rates 1 and 9, nine tenths of the time 1, relaxing in .3:
# I = 1 + 2·5.76·.3/1.8. Batches: E[B²]/E[B], 9 of 10 are single, the others ten.
EXAMPLES = {
    "poisson": ({"law": "poisson"}, None, 1.0),
    "map": ({"law": "map", "D0": [[-3, 1], [1, -1]], "D1": [[2, 0], [0, 0]]}, 1, 2.0),
    "mmpp": ({"law": "mmpp", "rates": [1, 9], "switching": [[0, "1/3"], [3, 0]]}, Fraction(9, 5), 2.92),
    "renewal": ({"law": "renewal", "gap": {"law": "erlang", "stages": 4, "mean": "1/2"}}, 2, 0.25),
    "batch": ({"law": "batch", "size": {"law": "empirical", "values": [1] * 9 + [10]}}, None, 109 / 19),
    "daily": ({"law": "daily", "rates": [1, 3, 0, 4], "cycle": 24, "weekly": [1, 1, 0.5]}, 5 / 3, 1.0),
    "recorded": ({"law": "recorded", "times": [5, 0, 1, 1, 3]}, 0.8, None),
}


def system(**more):
    return from_document({"servers": 4, "classes": CLASSES, **more})


def drawn(law, rate, jobs, seed=1):
    gaps, classes = np.empty(jobs), np.zeros(jobs, dtype=np.int64)
    sampler = law.sampler(rate, np.random.default_rng(seed), ["small", "large"])
    for start in range(0, jobs, 1000):  # in blocks, as simulations draw
        sampler.draw(gaps[start : start + 1000], classes[start : start + 1000])
    return gaps, classes


def test_every_law_of_the_catalogue_is_tested_here():
    assert set(EXAMPLES) == set(ARRIVALS.names())
    assert all(issubclass(law, Arrivals) for law in ARRIVALS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_spec_file_keeps_the_law(name, tmp_path):
    made = system(arrivals=EXAMPLES[name][0])
    for text, ending in ((to_toml(made), "toml"), (to_json(made), "json")):
        file = tmp_path / f"cluster.{ending}"
        file.write_text(text)
        assert read(file) == made
        assert read(file).identity() == made.identity()
    assert ("arrivals" in json.loads(to_json(made))) == (name != "poisson")


@pytest.mark.parametrize("name", EXAMPLES)
def test_own_rate_and_dispersion_are_those_worked_out_by_hand(name):
    spec, rate, dispersion = EXAMPLES[name]
    law = arrivals_from(spec)
    assert law.own_rate == (None if rate is None else pytest.approx(rate, rel=1e-14))
    for at in (0.3, 7.0):
        assert dispersion is None or law.dispersion(at) == pytest.approx(dispersion, rel=1e-12)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_drawn_has_the_rate_and_the_dispersion_that_are_said(name):
    law, rate = arrivals_from(EXAMPLES[name][0]), 2.5
    gaps, _ = drawn(law, rate, 400_000)
    assert gaps.min() >= 0
    # The variance of the number of arrivals in a long stretch: with 200 stretches its estimate is off by 10 %.
    moments = np.cumsum(gaps)
    stretch = moments[-1] / 200
    counts = np.diff(np.searchsorted(moments, np.arange(1, 200) * stretch))
    dispersion = 1.0 if name in ("daily", "recorded") else law.dispersion(rate)
    assert counts.mean() == pytest.approx(rate * stretch, rel=5 * math.sqrt(dispersion / 400_000))
    if name not in ("daily", "recorded"):  # whose counts go by the clock, or repeat
        assert counts.var() / counts.mean() == pytest.approx(dispersion, rel=0.4)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if arrivals_from(EXAMPLES[name][0]).markov_form(1.0)])
def test_the_chain_behind_a_law_has_its_rate_and_dispersion_and_scales_with_time(name):
    law = arrivals_from(EXAMPLES[name][0])
    for rate in (0.01, 3.0):
        form = law.markov_form(rate)
        assert form.rate == pytest.approx(rate, rel=1e-13)
        assert form.dispersion == pytest.approx(law.dispersion(rate), rel=1e-10)
        assert law.relaxation_time(rate) == pytest.approx(law.relaxation_time(1.0) / rate, rel=1e-10)


def test_arrivals_by_the_clock_come_when_the_clock_says():
    law = arrivals_from({"law": "daily", "rates": [1, 3, 0, 4], "cycle": 24, "weekly": [1, 1, 0.5]})
    gaps, _ = drawn(law, 5 / 3, 300_000)
    moments = np.cumsum(gaps)
    step = (moments % 72 // 6).astype(int)
    seen = np.bincount(step, minlength=12) / (moments[-1] / 72 * 6)
    expected = np.outer([1, 1, 0.5], [1, 3, 0, 4]).ravel()
    assert np.all(seen[expected == 0] == 0)
    assert seen == pytest.approx(expected, rel=0.05, abs=1e-9)  # 3,000 arrivals in the rarest: five deviations are 9 %


def test_a_record_is_repeated_gap_by_gap():
    law = arrivals_from({"law": "recorded", "times": [0, 1, 1, 4]})
    gaps, _ = drawn(law, float(law.own_rate), 40)
    start = next(i for i in range(4) if np.allclose(gaps[i : i + 4], [1, 0, 3, 4 / 3]))
    assert gaps[start : start + 32] == pytest.approx([1, 0, 3, 4 / 3] * 8)


def test_a_record_of_a_file_counts_by_what_it_says(tmp_path):
    (tmp_path / "log.csv").write_text("submit\n3\n1\n8\n")
    spec = tmp_path / "cluster.toml"
    made = system(arrivals={"law": "recorded", "times": [1, 3, 8]})
    spec.write_text(to_toml(made).replace("times = [1, 3, 8]", 'file = "log.csv"'))
    assert read(spec).arrivals.gaps.tolist() == [2, 5, 3.5]
    assert read(spec).arrivals.identity() == made.arrivals.identity()


def test_batch_sizes_of_a_phase_type_are_rounded_up():
    law = arrivals_from({"law": "batch", "size": {"law": "exponential", "mean": 3}})
    success = 1 - math.exp(-1 / 3)  # geometric
    assert law.mean_size == pytest.approx(1 / success, rel=1e-13)
    assert law.dispersion(1.0) == pytest.approx((2 - success) / success, rel=1e-13)
    gaps, _ = drawn(law, 1.0, 200_000)
    assert (gaps > 0).mean() == pytest.approx(success, abs=0.006)  # batches per job: five deviations


def test_arrivals_that_say_who_comes_give_the_shares_and_the_order():
    law = {"law": "map", "D0": [[-3, 1], [1, -3]], "D1": {"large": [[0, 0], [0, 2]], "small": [[2, 0], [0, 0]]}}
    classes = [{key: value for key, value in c.items() if key != "share"} for c in CLASSES]
    made = from_document({"servers": 4, "arrivals": law, "classes": classes})
    assert [c.share for c in made.classes] == [Fraction(1, 2)] * 2
    # From 'small' the next is small before the chain turns with probability 2/3, or after an even number of turns.
    assert made.order_chain.next_class == pytest.approx(np.array([[3 / 4, 1 / 4], [1 / 4, 3 / 4]]))
    _, drawn_classes = drawn(made.arrivals, 2.0, 100_000)
    assert (drawn_classes[1:] == drawn_classes[:-1]).mean() == pytest.approx(0.75, abs=0.012)
    assert read_back(made) == made


def read_back(made):
    return from_document(json.loads(to_json(made)))


def test_a_load_scales_the_law_and_without_one_its_own_rate_holds():
    made = system(arrivals=EXAMPLES["mmpp"][0])
    assert made.arrival_rate_at(0.7) == pytest.approx(1.8)
    assert made.replace(load=0.5).arrival_rate_at(0.7) == pytest.approx(0.35)
    assert made.replace(arrival_rate=3).arrival_rate_at(0.7) == 3
    assert system(arrivals=EXAMPLES["batch"][0]).arrival_rate_at(0.7) is None


def test_a_plain_system_is_what_it_was_before_there_were_laws():
    plain = system()
    assert plain == system(arrivals={"law": "poisson"}, order={"law": "independent"}) == system(arrivals="poisson")
    assert {"arrivals", "order"}.isdisjoint(plain.depends_on()[1])
    assert len({system(arrivals=spec).identity() for spec, *_ in EXAMPLES.values()}) == len(EXAMPLES)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ({"law": "maps"}, "arrivals: unknown arrival law 'maps'; did you mean 'map'"),
        ({"rates": [1]}, "names no law; add law = "),
        (7, "arrivals: 7 is not a table"),
        ({"law": "map", "D0": [[-1]]}, "law 'map' has no D1; add D1"),
        ({"law": "map", "D0": [[-1]], "D1": [[1]], "D2": 1}, "unknown key 'D2' for law 'map'"),
        ({"law": "map", "D0": [[-3, 1], [1, -1]], "D1": [[1, 0], [0, 0]]}, "row 0 of D0 \\+ D1 sums to -1"),
        ({"law": "map", "D0": [[-3, 1], [1, -1]], "D1": [[2]]}, "D1 has 1 rows and D0 has 2"),
        ({"law": "map", "D0": [[-3, 1], [1]], "D1": [[2]]}, "D0\\[1\\] has 1 entries"),
        ({"law": "map", "D0": [[-3, -1], [1, -1]], "D1": [[2, 0], [0, 0]]}, "D0\\[0\\]\\[1\\] = -1 is a rate"),
        ({"law": "map", "D0": [[-2, 0], [0, -1]], "D1": [[2, 0], [0, 1]]}, "states 0 and 1 of D0 \\+ D1 never lead"),
        ({"law": "map", "D0": [[-1, 1], [1, -1]], "D1": [[0, 0], [0, 0]]}, "nobody ever arrives"),
        ({"law": "map", "D0": [[-2]], "D1": {"small": [[2]]}}, "D1 has no class 'large'"),
        ({"law": "map", "D0": [[-2]], "D1": {"small": [[1]], "huge": [[1]]}}, "D1 has 'huge', which is no class"),
        ({"law": "map", "D0": [[-4]], "D1": {"small": [[3]], "large": [[1]]}}, "class 'small' has the share 1/2"),
        ({"law": "mmpp", "rates": [1, 2], "switching": [[0]]}, "2 rates and 1 rows of switching"),
        ({"law": "mmpp", "rates": [1, -2], "switching": [[0, 1], [1, 0]]}, "rates\\[1\\] = -2 must not be negative"),
        ({"law": "renewal", "gap": {"law": "exponential"}}, "arrivals.gap: "),
        ({"law": "batch", "size": {"law": "pareto", "shape": 3, "minimum": 1}}, "size has the law 'pareto'"),
        ({"law": "daily", "rates": [0, 0], "cycle": 24}, "all rates are 0"),
        ({"law": "daily", "rates": [1, 2], "cycle": 0}, "cycle = 0 must be greater than 0"),
        ({"law": "recorded"}, "takes file or times, and neither is given"),
        ({"law": "recorded", "times": [1, 1]}, "span no time"),
        ({"law": "recorded", "file": "nowhere.csv"}, "cannot be read"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(law, words):
    with pytest.raises(InvalidInput, match=words):
        system(arrivals=law)


def test_who_comes_is_said_once():
    law = {"law": "map", "D0": [[-2]], "D1": {"small": [[1]], "large": [[1]]}}
    with pytest.raises(InvalidInput, match="leave one out"):
        system(arrivals=law, order={"law": "sticky", "probability": 0.5})


def test_classes_that_never_arrive_can_be_left_out():
    law = {"law": "map", "D0": [[-2]], "D1": {"small": [[2]], "large": [[0]]}}
    classes = [{**CLASSES[0], "share": 1}, {**CLASSES[1], "share": 0}]
    made: System = from_document({"servers": 4, "arrivals": law, "classes": classes})
    assert [c.name for c in made.only_active.classes] == ["small"]


@pytest.mark.parametrize(
    "arrivals",
    [
        {"law": "map", "D0": [[-3, 1], [1, -1]], "D1": [[2, 0], [0, 0]]},
        {"law": "mmpp", "rates": [3, 1], "switching": [[-1, 1], [2, -2]]},
        {"law": "renewal", "gap": {"law": "erlang", "stages": 2, "mean": 2}},
        {"law": "daily", "rates": [1, 3], "cycle": 24},
        {"law": "batch", "size": {"law": "deterministic", "value": 2}},
        {"law": "recorded", "times": [0, 1, 5]},
    ],
    ids=lambda table: table["law"],
)
def test_another_unit_of_time_changes_rates_and_times_and_not_how_many_come(arrivals):
    one = msj.JobClass(name="a", need=1, share=1, duration=msj.Exponential(mean=1))
    rate = {"arrival_rate": 1} if arrivals["law"] == "batch" else {}
    hours = msj.System(servers=4, classes=[one], arrivals=arrivals, time_unit="hours", **rate)
    minutes = hours.in_unit("min")
    if arrivals["law"] == "batch":
        assert minutes.arrivals == hours.arrivals
    else:
        assert minutes.arrivals.own_rate == pytest.approx(hours.arrivals.own_rate / 60)
        assert minutes.arrivals.dispersion(1.0) == pytest.approx(hours.arrivals.dispersion(60.0))


def test_rates_of_arrivals_are_written_with_their_unit(tmp_path):
    path = tmp_path / "cluster.toml"
    path.write_text(
        """
        servers = 4
        arrivals = { law = "daily", rates = ["2 per hour", "48 per day"], cycle = "1 day" }
        classes = [{ name = "a", need = 1, share = 1, duration = { law = "exponential", mean = "30 min" } }]
        """,
        encoding="utf-8",
    )
    system = msj.read(path)
    assert system.time_unit == "hours"
    assert system.arrivals == msj.model.arrivals.DailyArrivals(rates=[2, 2], cycle=24)


def test_rates_of_a_map_by_class_take_units_and_zeros_need_none():
    rows = [["1 per hour", 0], [0, "60 per day"]]
    law = {"law": "map", "D0": [["-2 per hour", "1 per hour"], ["1 per hour", "-3.5 per hour"]]}
    law["D1"] = {"small": rows, "large": [[0, 0], [0, 0]]}
    classes = [{**c, "duration": {"law": "exponential", "mean": "1 h"}} for c in CLASSES]
    for c in classes:
        del c["share"]
    made = from_document({"servers": 4, "time_unit": "hours", "arrivals": law, "classes": classes})
    assert made.arrivals.D1["small"] == ((1, 0), (0, Fraction(5, 2)))
    bare = from_document({"servers": 4, "arrivals": law, "classes": classes})
    assert (bare.time_unit, bare.arrivals) == ("hours", made.arrivals)


def test_recorded_times_are_numbers_whatever_they_are_given_as():
    for given in ([0, 1, 3], np.array([0.0, 1.0, 3.0]), ("0", "1", 3)):
        made = RecordedArrivals(times=given)
        assert isinstance(made.times, tuple)
        assert made == RecordedArrivals(times=(0, 1, 3))
    with pytest.raises(InvalidInput, match="times"):
        RecordedArrivals(times=[0, "soon"])
