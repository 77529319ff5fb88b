"""The 1-and-n family as a result: every value and form has its row."""

from __future__ import annotations

import pytest

from msj.closed_forms.load_focused import Regime
from msj.errors import InvalidInput
from msj.growth.load_focused import load_focused_scaling
from msj.growth.one_and_n import one_and_n_scaling
from msj.results import Progress, Result


def test_the_result_has_every_value_and_form() -> None:
    family = load_focused_scaling("n^-2", [100, 64, 100])
    found = one_and_n_scaling("n^-2", [100, 64, 100])
    assert found.places("servers") == [64, 100]
    for point in family.points:
        here = found.at(servers=point.servers)
        for name, field in (
            ("stability_threshold", "threshold"),
            ("lost_throughput", "lost"),
            ("relative_completions_at_departure", "completions"),
        ):
            [exact] = [row for row in here if row.name == name and "form" not in row.at]
            assert (exact.value, exact.kind) == (getattr(point, field), "exact")
            for form in ("paper", "corrected", "refined"):
                value = getattr(point, f"{field}_{form}", None)
                row = here.at(form=form).find(name)
                assert (row is None) is (value is None)
                assert row is None or (row.value, row.kind) == (value, "asymptotic")
        assert here["share_large"] == point.share_large
    facts = found.provenance
    assert (facts["regime"], facts["citation"]) == (Regime.ONE_SERVER.value, "lfms, Theorem 4.3")
    assert (facts["limit"], facts["decided"]) == (None, "exactly")
    [said] = found.notes
    assert said == "p_n = n^-2: 1-server dominated. n p_n ln n -> 0 (lfms, Theorem 4.3)."
    assert found.system == {}
    assert Result.from_dict(found.to_dict()).quantities == found.quantities


def test_progress_names_the_size() -> None:
    seen: list[Progress] = []
    one_and_n_scaling("1/n", [10, 100], progress=seen.append)
    assert [(now.done, now.words) for now in seen] == [(0.0, "10 servers"), (0.5, "100 servers")]


def test_an_undecided_family_says_so() -> None:
    found = one_and_n_scaling("(1 + n%2)/n", [100])
    assert (found.provenance["regime"], found.provenance["decided"]) == ("undecided", "not")
    assert found.notes == ("p_n = (1 + n%2)/n: undecided. What n p_n tends to is not known here, if anything.",)
    assert not [row for row in found if row.at.get("form") == "paper"]


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(InvalidInput, match="strictly between 0 and 1"):
        one_and_n_scaling("-1/n", [4])


def test_no_threshold_is_negative_however_slowly_its_limit_is_reached():
    found = one_and_n_scaling("n^-1.05", [10**2, 10**8, 10**12])
    assert all(row.value > 0 for row in found if row.name == "stability_threshold")
    for gap in found.missing:
        assert gap.name == "stability_threshold"
        assert gap.at["form"] in ("paper", "corrected")
    assert {gap.at["servers"] for gap in found.missing} >= {10**8}
    exact = {n: row.value for n, row in found.along("servers", "stability_threshold") if "form" not in row.at}
    refined = found.at(servers=10**8, form="refined")["stability_threshold"]
    assert abs(refined / exact[10**8] - 1) < 1e-3
