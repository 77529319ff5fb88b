"""Figures of zeroq: those that take no simulation whole, the others on small clusters."""

from types import SimpleNamespace

import pytest

import msj.papers.zeroq.fig3 as fig3
import msj.papers.zeroq.fig6 as fig6
import msj.papers.zeroq.sets as sets
from msj.papers import PAPERS, Work, figures_named
from msj.papers.zeroq.fig3 import erlang_c
from msj.plots.figure import new_figure


def figure(name):
    return figures_named(PAPERS["zeroq"], name)[name]


def drawn(found, rows):
    picture = new_figure()
    found.draw(rows, picture)
    picture.draw_without_rendering()
    return picture.axes[0]


@pytest.mark.parametrize("name", ["fig3", "table3"])
def test_computed_figures_hold(name):
    found = figure(name)
    rows = found.compute(Work())
    assert all(claim.passed for claim in found.claims(rows))
    assert drawn(found, rows) is not None
    assert found.arrivals("full") == 0


def test_erlang_c():
    # M/M/2 at load 1/2: (1/2·1/0.5)/(1 + 1 + 1) = 1/3; and at load 0.8 with 10 servers 0.4092 (tables).
    assert erlang_c(2, 0.5) == pytest.approx(1 / 3)
    assert erlang_c(10, 0.8) == pytest.approx(0.4092, abs=5e-5)


@pytest.fixture
def small(monkeypatch):
    for module in (sets, fig6):
        monkeypatch.setattr(module, "SIZES", (64, 256, 1024))
    monkeypatch.setattr(sets, "jobs_at", lambda servers, longer, **options: 200_000)
    monkeypatch.setattr(fig6, "LEAST_JOBS", 100_000)


def test_set_I_falls(small):
    found = figure("fig5")
    rows = found.compute(Work())
    claims = found.claims(rows)
    assert [claim.passed for claim in claims] == [True] * 4
    assert drawn(found, rows).get_ylabel() == "probability that a job waits"
    # A claim that can fail: the same rows the other way round do not fall.
    assert not found.claims(rows[::-1])[0].passed


def test_set_II_compares_bounds(small):
    found = figure("fig7")
    rows = found.compute(Work())
    assert [row["servers"] for row in rows] == [64, 256, 1024]
    assert found.claims(rows)[-1].passed
    assert drawn(found, rows).get_xlabel() == "servers n"


def test_scaled_jobs_settle(small, monkeypatch):
    found = figure("fig6")
    monkeypatch.setattr(fig6, "SIZES", (1024, 4096))
    rows = found.compute(Work())
    claims = found.claims(rows)
    assert all(claim.passed for claim in claims[1::2])  # deviations fall
    for row in rows:
        # Little: the mean is the mean response time, so at least the mean duration.
        assert row["mean"] > row["mean_duration"] - 4 * row["standard_error"]
    assert drawn(found, rows).get_xlabel() == "servers n"


def test_full_is_ten_times_quick():
    for name in ("fig5", "fig6", "fig7", "fig8"):
        assert figure(name).arrivals("full") == pytest.approx(10 * figure(name).arrivals("quick"))
    assert figure("fig8").arrivals("quick") > 5e7


def test_everybody_waits_where_the_load_is_too_much():
    family = SimpleNamespace(needs=[SimpleNamespace(need_at=lambda _: 3)], utilisation_at=lambda _: 0.8)
    assert fig3.waiting_at(family, 4) == 1.0  # one of need 3 fits, and is to do 0.8·4/3 of what it can
    assert fig3.waiting_at(family, 30) == pytest.approx(fig3.erlang_c(10, 0.8))
