"""Times and rates with units: what is read is the number meant, and another unit is the same cluster."""

from fractions import Fraction
from pathlib import Path

import pytest

import msj
from msj.model.spec_file import from_document, to_toml
from msj.results.units import TIME_UNITS, named_unit
from strategies import simple

MODELS = sorted((Path(__file__).parents[2] / "examples" / "models").glob("*.toml"))


def document(duration, **more):
    return {"servers": 2, "classes": [{"name": "all", "need": 1, "share": 1, "duration": duration}], **more}


def exponential(**keys):
    return {"law": "exponential", **keys}


@pytest.mark.parametrize(
    ("written", "unit", "meant"),
    [
        ("2 h", "hours", 2),
        ("45 min", "hours", Fraction(3, 4)),
        ("1/3 h", "minutes", 20),
        ("0.5 day", "hours", 12),
        ("90s", "minutes", Fraction(3, 2)),
        ("1e3 ms", "seconds", 1),
        ("1 week", "days", 7),
    ],
)
def test_a_time_is_read_exactly(written, unit, meant):
    system = from_document(document(exponential(mean=written), time_unit=unit))
    assert (system.classes[0].duration.mean, system.time_unit) == (meant, unit)


@pytest.mark.parametrize(
    ("written", "meant"), [("12 per hour", Fraction(1, 5)), ("12/h", Fraction(1, 5)), ("0.5 per s", 30)]
)
def test_a_rate_is_read_exactly(written, meant):
    system = from_document(document(exponential(rate=written), time_unit="min", arrival_rate=written))
    assert (system.classes[0].duration.rate, system.arrival_rate) == (meant, meant)


def test_bare_numbers_are_in_the_unit_of_the_file():
    system = from_document(document(exponential(mean=3), time_unit="hours", arrival_rate="1 per day"))
    assert (system.classes[0].duration.mean, system.arrival_rate) == (3, Fraction(1, 24))


def test_without_a_unit_of_the_file_it_is_the_first_one_written():
    system = from_document({"arrival_rate": "12 per hour", **document(exponential(mean="2 min"))})
    assert (system.time_unit, system.arrival_rate, system.classes[0].duration.mean) == ("hours", 12, Fraction(1, 30))


def test_a_file_without_units_has_none_and_is_written_without():
    system = from_document(document(exponential(mean=2)))
    assert system.time_unit is None
    assert "time_unit" not in to_toml(system)


def test_what_was_read_reads_back_equal():
    system = from_document(document(exponential(mean="45 min"), time_unit="h", arrival_rate="3 per day", load=None))
    assert from_document(system.to_spec()) == system


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (document(exponential(mean="2 hrz")), "duration: mean = '2 hrz': 'hrz' is no unit of time"),
        (document(exponential(mean="2 per h")), "is a rate, and a time is wanted; write it as '1/2 hours'"),
        (document(exponential(rate="4 h")), "rate = '4 h' is a time, and a rate is wanted; write it as '1/4 per hour'"),
        (document(exponential(mean="2,5 h")), "mean = '2,5 h' cannot be read; decimals take a point"),
        (document(exponential(mean="2 h 30 min")), "write one number and one unit, such as '2.5 h'"),
        (document({"law": "lognormal", "mean": "1 h", "cv": "2 h"}), "units are for times and rates in spec files"),
        (document(exponential(mean=1), arrival_rate="2 per h"), "duration.mean = 1 has no unit and others have"),
        (document(exponential(mean=1), time_unit="fortnight"), "time_unit = 'fortnight' is no unit of time"),
        (document(exponential(mean=1), time_unit=3600), "time_unit = 3600 is no unit of time"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(made, sentence):
    with pytest.raises(msj.InvalidInput) as refused:
        from_document(made)
    assert sentence in str(refused.value)


def test_a_file_of_recorded_durations_counts_as_bare_numbers(tmp_path):
    (tmp_path / "times.csv").write_text("1\n2\n")
    made = document({"law": "empirical", "file": str(tmp_path / "times.csv")}, arrival_rate="1 per h")
    with pytest.raises(msj.InvalidInput, match="has no unit and others have"):
        from_document(made)
    assert from_document({**made, "time_unit": "h"}).classes[0].duration.mean == 1.5


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_model_is_the_same_cluster_in_another_unit(path):
    hours = msj.read(path).replace(time_unit="hours")
    if hours.load is not None:
        hours = hours.replace(load=None)
    there = hours.in_unit("min")
    found, again = (msj.analyse(system, exact=False) for system in (hours, there))
    assert again["stability_threshold"] == pytest.approx(found["stability_threshold"] / 60, rel=1e-9)
    assert there.work_of(there.classes[0]) == pytest.approx(60 * hours.work_of(hours.classes[0]), rel=1e-12)


@pytest.mark.parametrize(
    ("policy", "option", "there"),
    [
        ({"name": "randomized-timers", "clock": "6 per h"}, "clock", Fraction(1, 10)),
        ({"name": "easy-backfilling", "round_up_to": "1 h"}, "round_up_to", 60),
    ],
)
def test_options_of_policies_have_units_too(policy, option, there):
    system = from_document(document(exponential(mean="30 min"), time_unit="min", policy=policy))
    assert getattr(system.policy, option) == there
    assert getattr(system.in_unit("h").policy, option) == (6 if option == "clock" else 1)


def test_a_cluster_without_a_unit_is_not_converted():
    with pytest.raises(msj.InvalidInput, match="does not say in which unit its times are; add time_unit"):
        msj.read("examples/two_servers.toml").in_unit("h")


def test_names_and_abbreviations_are_unambiguous():
    words = [word for name, unit in TIME_UNITS.items() for word in (name, unit.one, *unit.short)]
    assert len(words) == len(set(words))
    assert all(named_unit(word.upper()) == named_unit(word) for word in words)


def test_a_system_calls_its_unit_of_time_by_its_name():
    for given in ("h", "hour", "hours"):
        assert simple(2, (1, 1, 1), time_unit=given).time_unit == "hours"
