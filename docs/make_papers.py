"""Recompute every figure of the papers and write docs/papers/: ``make papers``.

Most figures are simulated at the quick scale; those of ``FULL`` at the full one, where that takes less than ten
minutes on two cores. ``--quick`` leaves that out.
"""

import argparse
import json
import os
import shutil
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from msj.papers import PAPERS, figures_named, reproduce

HERE = Path(__file__).parent / "papers"
#: Recomputed at the full scale.
FULL = {"reset": ("fig2a", "fig2b", "fig3")}
JUDGEMENTS = ("yes", "our reading", "no")
MARKS = {
    ("yes", True): "yes",
    ("no", False): "**no**",
    ("our reading", True): "our reading: holds",
    ("our reading", False): "our reading: does not hold",
}


def main() -> None:
    """Recompute, copy the pictures, write a page per paper."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("papers", nargs="*", help="only these papers")
    options.add_argument("--work", type=Path, default=Path("build/papers"), help="where data and unfinished work go")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--quick", action="store_true", help="nothing at full scale")
    given = options.parse_args()
    HERE.mkdir(exist_ok=True)
    for name, paper in PAPERS.items():
        if given.papers and name not in given.papers:
            continue
        found = []
        for figure_name, figure in figures_named(paper).items():
            print(name, figure_name, end=" ", flush=True)
            scale = "full" if figure_name in FULL.get(name, ()) and not given.quick else "quick"
            one = reproduce(paper, figure_name, figure, out=given.work, processes=given.processes, scale=scale)
            print("reproduced" if one.passed else "NOT REPRODUCED", f"{one.provenance['seconds']:.0f} s")
            shutil.copy(one.files[1], HERE / one.files[1].name)
            found.append((figure, one))
        (HERE / f"{name}.md").write_text(page(paper, found), encoding="utf-8")
    (HERE / "index.md").write_text(index(given.work), encoding="utf-8")


def index(work: Path) -> str:
    """List the papers with how many of their claims were found again, and every claim that was not."""
    rows, failed, read = [], [], []
    for name, paper in PAPERS.items():
        verdicts = [json.loads(file.read_text(encoding="utf-8")) for file in work.glob(f"{name}_*.verdict.json")]
        claims = [claim for verdict in verdicts for claim in verdict["claims"]]
        counts = Counter(claim["verdict"] for claim in claims)
        cells = (f"[{name}]({name}.md)", paper.title, len(verdicts), *(counts[word] for word in JUDGEMENTS))
        rows.append("| " + " | ".join(map(str, cells)) + " |")
        for verdict in sorted(verdicts, key=lambda verdict: verdict["figure"]):
            here = [(name, verdict["figure"], claim) for claim in verdict["claims"]]
            failed += [one for one in here if one[2]["verdict"] == "no"]
            read += [one for one in here if one[2]["verdict"] == "our reading" and not one[2]["passed"]]
    return "\n".join(
        [
            "# The five papers, recomputed\n",
            "Every figure and table from scratch, by `make papers`; one of them by `msj paper reset fig2a`.",
            "Nothing is typed in but the papers' parameters and claims. Where a paper uses an adjective (tight,",
            "negligible) or leaves open which system it means, the yardstick is ours, and the claim counts as *our",
            "reading*, neither as a yes nor as a no. [Errata](errata.md) lists the slips, [Statements](statements.md)",
            "every numbered statement and figure, with what is left out and why.\n",
            "Simulated at the full scale (`--full`, as long as the papers' runs or longer): "
            + "; ".join(f"{name} {', '.join(figures)}" for name, figures in FULL.items())
            + ".",
            "The other simulated figures are at the quick scale: the full one takes a quarter of an hour for those of",
            "zeroq, up to days for those of wcfs. Each figure says how many arrivals it rests on.\n",
            "| paper | title | figures and results | yes | our reading | no |\n|---|---|---|---|---|---|",
            *rows,
            "\n## What did not reproduce\n",
            *map(in_one_line, failed),
            "\n## What does not hold as we read it\n",
            *map(in_one_line, read),
            "",
        ]
    )


def in_one_line(found: tuple[str, str, dict[str, str]]) -> str:
    """Return a claim as an item of a list."""
    name, figure, claim = found
    because = f" {claim['because']}" if claim["because"] else ""
    numbers = f"Paper: {claim['claimed']}; found: {claim['found']} (difference: {claim['difference']})."
    return f"- **{name} {figure}**: {claim['claim']}. {numbers}{because}"


def page(paper, found) -> str:
    """One page per paper: each figure, what the paper claims about it, what was found."""
    claims = [claim for _, one in found for claim in one.claims]
    counts = Counter(claim.verdict for claim in claims)
    summary = f"{len(found)} figures and results recomputed by `make papers` (`msj paper {paper.name}`, seed 1); "
    summary += f"of {len(claims)} claims {', '.join(f'{counts[word]} {word}' for word in JUDGEMENTS)}.\n"
    parts = [f"# {paper.name}: {paper.title}\n", summary]
    for figure, one in found:
        parts.append(f"## {one.name}: {one.title}\n")
        parts.append(f"{figure.caption.strip()} {simulated(figure, one.provenance['scale'])}".strip() + "\n")
        parts.append(f"![{one.title}]({one.files[1].name})\n")
        parts.append("| | the paper says | paper | found | difference |\n|---|---|---|---|---|")
        for claim in one.claims:
            because = f" *{cell(claim.because)}*" if claim.because else ""
            verdict = MARKS[claim.verdict, claim.passed]
            cells = (verdict, cell(claim.claim) + because, claim.claimed, claim.found, claim.difference)
            parts.append("| " + " | ".join(map(cell, cells)) + " |")
        parts.append("")
    return "\n".join(parts)


def simulated(figure, scale: str) -> str:
    """Say how much of a figure is simulated."""
    arrivals = figure.arrivals(scale)
    if not arrivals:
        return ""
    return f"*Simulated at the {scale} scale, {arrivals:.2g} arrivals{' (`--full`)' if scale == 'full' else ''}.*"


def cell(text: str) -> str:
    """Return a text that fits into one cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    main()
