"""The index of statements forgets none, and what it points at exists."""

import importlib
import math
import re
from pathlib import Path

import numpy as np
import pytest

from msj.closed_forms.one_and_n import one_and_n
from msj.closed_forms.two_class import two_class
from msj.papers import PAPERS, figures_named
from msj.papers.statements import Statement, errata, statements

ROOT = Path(__file__).parents[2]
TEXTS = ROOT.parent / "shared" / "papers"
#: How the opening of each paper's text names it.
TITLES = {
    "reset": "RESET and MARC",
    "twoclass": "Two-class",
    "lfms": "Multilevel",
    "wcfs": "WCFS",
    "zeroq": "Zero Queueing for Multi-Server Jobs",
}
KINDS = "Theorem|Lemma|Corollary|Proposition|Definition|Claim|Remark"
NUMBERED = re.compile(rf"(?im)^[\s#*>-]*({KINDS})\s+([A-Z]?\.?\d+(?:\.\d+)*)[.\s*(]")
DRAWN = re.compile(r"(?m)^[\s#*>-]*(Fig(?:ure)?\.?|Table)\s+([A-Z]\.\d+|\d+)[.:\s]")
#: A line that goes on from the one before it can begin with the name of a statement of another work.
OTHERS = {("wcfs", "Table 1"), ("zeroq", "Proposition 5.2")}


def known_places():
    return [(paper, one) for paper in PAPERS for one in statements(paper)]


def text_of(paper):
    for path in sorted(TEXTS.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        if re.search(TITLES[paper], text[:3000], re.IGNORECASE):
            return text
    return None


def mentioned(place, text):
    """Whether a text names a place anywhere, with whatever marks and links between its words."""
    kind, number = place.split()
    kind = r"Fig(?:ure|\.)" if kind == "Figure" else kind
    return re.search(rf"{kind}\W*(?:\(#page-[\w-]+\)\W*)*{re.escape(number)}", text, re.IGNORECASE)


@pytest.mark.skipif(not TEXTS.exists(), reason="the papers' texts are not here")
@pytest.mark.parametrize("paper", PAPERS)
def test_no_numbered_statement_is_forgotten_and_none_invented(paper):
    text = text_of(paper)
    assert text is not None
    there = {f"{kind.title()} {number.strip('.')}" for kind, number in NUMBERED.findall(text)}
    drawn = {f"{'Table' if kind == 'Table' else 'Figure'} {number}" for kind, number in DRAWN.findall(text)}
    listed = {one.place for one in statements(paper)}
    assert there | drawn <= listed | {place for other, place in OTHERS if other == paper}
    assert {place for place in listed if not mentioned(place, text)} == set()


@pytest.mark.parametrize(("paper", "one"), known_places(), ids=lambda x: x if isinstance(x, str) else x.place)
def test_what_the_index_points_at_exists(paper, one):
    assert len({other.place for other in statements(paper)}) == len(statements(paper))
    for name in one.by:
        if name.startswith("msj."):
            importlib.import_module(name)
        else:
            assert figures_named(PAPERS[name.split()[0]], name.split()[1])
    if one.checked:
        file, test = one.checked.split("::")
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")


def test_every_slip_has_its_check():
    for slip in errata():
        if slip.check == "by hand":
            continue
        if "::" in slip.check:
            file, test = slip.check.split("::")
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")
        else:
            paper, figure = slip.check.split()
            assert figures_named(PAPERS[paper], figure)


def test_a_statement_says_what_is_done_or_why_nothing_is():
    with pytest.raises(ValueError, match="say either"):
        Statement(paper="reset", place="Lemma 0", says="")


@pytest.mark.parametrize(("needs", "servers"), [((3, 10), 30), ((1, 4), 11), ((2, 7), 20)])
def test_sums_over_blocked_states_are_those_of_lemma_5_2(needs, servers):
    """twoclass, Lemma 5.2: f_i is the chance that the next completion is of class i."""
    p, rates = (0.6, 0.4), (2.0, 0.7)
    found = two_class(servers=servers, needs=needs, shares=p, rates=rates)
    blocked = {(a, b): pi for (h, a, b), pi in zip(found.states.tolist(), found.departure_average, strict=True) if h}
    seen = 0
    for a, b in blocked:
        run = [i for i in range(a + 1) if (a - i, b) in blocked]

        def chance(i, k, a=a, b=b):
            rate = ((a - i) * rates[0], b * rates[1])
            return rate[k] / sum(rate)

        for first in run:
            for last in run:
                if first <= last and all(i in run for i in range(first, last + 1)):
                    left = sum(p[0] ** i * blocked[a - i, b] * chance(i, 1) for i in range(first, last + 1))
                    right = p[0] ** first * blocked[a - first, b]
                    right -= p[0] ** last * blocked[a - last, b] * chance(last, 0)
                    assert left == pytest.approx(right, rel=1e-10)
                    seen += first < last
    assert seen


def test_relative_completions_of_rare_large_jobs_are_small_beside_their_number():
    """lfms, Lemma 8.2: p E[Delta] goes to 0 where p is of smaller order than 1/(n ln n); at 1/(n ln n) it does not."""
    sizes = (10**3, 10**5, 10**7)
    rare = [_scaled(n, 1 / (n * math.log(n) ** 3)) for n in sizes]
    border = [_scaled(n, 1 / (n * math.log(n))) for n in sizes]
    assert np.all(np.diff(rare) < 0)
    assert rare[-1] < 0.1 * border[-1]
    assert border[-1] > 0.1


def _scaled(servers, share):
    return (
        share
        * one_and_n(
            servers=servers, share_large=share, rate_small=1.0, rate_large=1.0
        ).relative_completions_at_departure
    )
