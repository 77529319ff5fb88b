"""The figures of twoclass: closed forms but for the two sides of Theorem 8.1."""

import pytest

from msj.closed_forms import one_and_n
from msj.papers import PAPERS, Work, figures_named
from msj.papers.twoclass import fig3, fig5, theorem8_1
from msj.plots.figure import new_figure

EXACT = ("fig3", "fig5", "fig6a", "fig6b", "fig7a", "fig7b", "fig8a", "fig8b")


def figure(name):
    return figures_named(PAPERS["twoclass"], name)[name]


def failed(claims):
    return [claim.claim for claim in claims if not claim.passed]


@pytest.mark.parametrize("name", EXACT)
def test_claims_hold_and_the_picture_is_drawn(name, monkeypatch, recompute):
    monkeypatch.setattr(fig3, "LOADS", (0.0, 0.5, 0.9))
    _, claims = recompute(figure(name))
    assert failed(claims) == []
    assert len(claims) >= 2


@pytest.mark.parametrize(("name", "wasted", "utilisation", "share"), [("fig6a", 77, 61, 6.4), ("fig6b", 125, 37, 1.3)])
def test_fig6_finds_the_papers_peak(name, wasted, utilisation, share):
    rows = figure(name).compute(Work())
    worst = max(rows, key=lambda row: row["wasted_servers"])
    assert round(worst["wasted_servers"]) == wasted
    assert round(100 * worst["utilisation"]) == utilisation
    assert round(100 * worst["p_2"], 1) == share
    need = figure(name).need_2
    for row in rows:  # the red line: no server wasted
        assert row["naive_lambda_1"] / 2 + need * row["naive_lambda_2"] == pytest.approx(200)
        assert row["lambda_1"] <= row["naive_lambda_1"] + 1e-9
    for row in rows:
        row["wasted_servers"] *= 1.02
    assert failed(figure(name).claims(rows)) == ["servers wasted there"]


def test_fig3_thresholds(monkeypatch):
    monkeypatch.setattr(fig3, "LOADS", (0.0,))
    rows = figure("fig3").compute(Work())
    facts = {row["system"]: row for row in rows if row["what"] == "thresholds"}
    for name, (share, *rates) in {"blue": (0.2, 16.2, 8.1), "red": (0.6, 8.6, 4.3)}.items():
        other = one_and_n(servers=10, share_large=1 - share, rate_small=rates[0], rate_large=rates[1])  # lfms's sums
        assert facts[name]["stability_threshold"] == pytest.approx(other.stability_threshold, rel=1e-12)
        assert facts[name]["wasted_servers"] == pytest.approx(other.wasted_servers, rel=1e-12)
        empty = next(row for row in rows if row["system"] == name and row["what"] == "curve")
        assert empty["mean_response_time"] == pytest.approx(share / rates[0] + (1 - share) / rates[1])


def test_fig5_transitions_are_probabilities():
    rows = figure("fig5").compute(Work())
    assert len(rows) == len(fig5.lemma_5_1()) == 36
    assert sum(row["drawn"] for row in rows) == 28
    for state in {row["from"] for row in rows}:
        assert sum(row["probability"] for row in rows if row["from"] == state) == pytest.approx(1.0)
    less = [row for row in rows if (row["from"], row["to"]) != ("[1,4,1]", "[1,5,1]")]
    assert failed(figure("fig5").claims(less)) == [
        "the possible transitions are exactly those of Lemma 5.1",
        "states that lead to [1,5,1]",
    ]


def test_fig5_arrows_are_on_the_side_of_their_class():
    """The caption: above the states (at height 0) class-2 completions, dashed; below, class-1 completions, solid."""
    rows, picture = figure("fig5").compute(Work()), new_figure(11.0, 3.6)
    figure("fig5").draw(rows, picture)
    arrows = [text for text in picture.axes[0].texts if getattr(text, "arrow_patch", None) is not None]
    drawn = [row["class"] for row in rows if row["drawn"]]
    assert len(arrows) == len(drawn)
    for arrow, job_class in zip(arrows, drawn, strict=True):
        heights = arrow.arrow_patch.get_connectionstyle()(arrow.xyann, arrow.xy).vertices[:, 1]
        assert min(heights) > 0 if job_class == 2 else max(heights) < 0
        assert arrow.arrow_patch.get_linestyle() == ("--" if job_class == 2 else "-")


def test_fig8b_notices_a_dip():
    rows = figure("fig8b").compute(Work())
    rows[100]["wasted_servers"] *= 0.5
    assert len(failed(figure("fig8b").claims(rows))) == 1


def test_theorem8_1(monkeypatch, recompute):
    monkeypatch.setattr(theorem8_1, "SIMULATED", (4,))
    monkeypatch.setattr(theorem8_1, "TERM_BY_TERM", 7)
    monkeypatch.setattr(theorem8_1, "_jobs", lambda scale: 100_000)
    rows, claims = recompute(figure("theorem8-1"))
    assert failed(claims) == []
    for row in rows:
        if row["what"] == "simulated":
            row["unstable"] = not row["unstable"]
        if "term_by_term" in row:
            row["term_by_term"] *= 1 + 1e-6
    assert len(failed(figure("theorem8-1").claims(rows))) == 3


@pytest.mark.parametrize(("needs", "fit"), [((1, 1, 1), 3), ((3, 1, 1), 1), ((1, 3, 1), 1), ((2, 1, 3), 2)])
def test_how_many_jobs_fit(needs, fit):
    assert theorem8_1.in_service(needs, 3) == fit


@pytest.mark.parametrize(("name", "servers", "needs"), [("fig7a", 30, (1, 10)), ("fig7b", 40, (1, 10))])
def test_peaks_are_of_the_clusters_their_titles_name(name, servers, needs):
    (figure,) = figures_named(PAPERS["twoclass"], name).values()
    assert (figure.servers, figure.needs) == (servers, needs)
    assert f"{servers} servers, needs {needs[0]} and {needs[1]}" in figure.title
    assert figure.servers % needs[1] == 0


def test_transitions_are_drawn_for_equal_rates():
    """From four small and one large each of the five is as likely to end first; then two small ones follow."""
    (figure,) = figures_named(PAPERS["twoclass"], "fig5").values()
    chances = {(row["from"], row["class"], row["to"]): row["probability"] for row in figure.compute(Work())}
    assert chances["[1,4,1]", 2, "[0,6,1]"] == pytest.approx(fig5.SHARES[0] ** 2 / 5)
