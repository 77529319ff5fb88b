"""What each command does with an answer: prints it, draws it, leaves with its exit code; and what it asks for."""

import importlib
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

import msj
import msj.answers
import msj.growth
import msj.planning
import msj.sweeps
from msj import InvalidInput
from msj.cli import messages, one_and_n_scaling, options, paper, progress_bar, server_counts, show, zero_queueing
from msj.cli import msj as program
from msj.cli.cluster_options import with_servers
from msj.cli.damaged_cache import damaged_cache
from msj.cli.examples import example, examples
from msj.cli.explore import _presets
from msj.cli.list_variants import _chosen, _row, about, keys_of
from msj.cli.output import Output
from msj.cli.report import page_path
from msj.errors import Unstable
from msj.papers import Claim
from msj.papers.catalogue import PAPERS
from msj.registry import ANALYSES, ARRIVALS, DURATIONS, ENVIRONMENTS, MODELS, ORDERS, POLICIES
from msj.results import Outcome, Progress, Quantity, Result

FILE = "examples/two_servers.toml"
LOG = "examples/logs/small_cluster.swf"


def answer(outcome=Outcome.SOLVED, **more):
    rows = (
        Quantity(name="mean_response_time", value=7.5, kind="exact", method="m"),
        Quantity(name="mean_response_time", value=3.5, kind="exact", method="m", job_class="small"),
        Quantity(name="makespan", value=2.25, kind="exact", method="other"),
    )
    facts = {"question": {"verb": "analyse", "options": {}}, "seconds": 1.5}
    return Result(
        system={"servers": 2, "time_unit": "hours"}, quantities=rows, outcome=outcome, provenance=facts, **more
    )


class Asked:
    """A verb that gives a ready answer and notes what it was asked."""

    def __init__(self, found):
        self.found, self.calls = found, []

    def __call__(self, *given, **named):
        self.calls.append((given, named))
        return self.found

    @property
    def last(self):
        return self.calls[-1][1]


@pytest.fixture
def asked(monkeypatch):
    def put(place, name, found=None):
        verb = Asked(answer() if found is None else found)
        monkeypatch.setattr(importlib.import_module(place), name, verb)
        return verb

    return put


# Arguments, the verb, its picture (None: it has none), and whether the outcome is the exit code.
COMMANDS = [
    (("analyse", FILE), "msj.answers", "analyse", None, True),
    (("simulate", FILE), "msj.answers", "simulate", None, True),
    (("compare", FILE, "--policies", "fcfs,first-fit"), "msj.answers", "compare", "comparison", True),
    (("curve", FILE), "msj.answers", "curve", "response_curve", False),
    (("design", FILE), "msj.answers", "design", None, False),
    (("region", FILE), "msj.answers", "region", "region", False),
    (("waste", FILE, "--vary", "servers=2..4"), "msj.answers", "waste", "waste_curve", False),
    (("plan", FILE, "--target", "mean wait <= 1"), "msj.planning", "plan", "plan", True),
    (("sweep", FILE, "--vary", "load=0.5,0.6"), "msj.sweeps", "sweep", "sweep", True),
    (("results", "."), "msj.sweeps", "read_sweep", "sweep", False),
    (("scaling", "cluster", FILE, "--servers", "2,4"), "msj.growth", "cluster_scaling", "cluster_scaling", True),
    (("scaling", "one-and-n", "--alpha", "1"), "msj.growth", "one_and_n_scaling", "load_focused", False),
    (("scaling", "zero-queueing", "--needs", "1,n", "--alpha", "0.1"),
     "msj.growth", "zero_queueing_family", "zero_queueing", True),
    (("fluid", FILE, "--until", "5"), "msj.growth", "fluid", "fluid", False),
    (("rerun", FILE), "msj.ask_again", "rerun", None, True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "place", "verb", "picture", "leaves"),
    COMMANDS,
    ids=lambda a: " ".join(a) if isinstance(a, tuple) else "",
)
def test_an_answer_is_printed_drawn_and_left_with(
    run, asked, monkeypatch, tmp_path, arguments, place, verb, picture, leaves
):
    if verb == "read_sweep":
        monkeypatch.setattr("msj.sweeps.where.only", lambda result, where: result)
    for outcome, code in ((Outcome.SOLVED, 0), (Outcome.UNSTABLE, 1)):
        asked(place, verb, answer(outcome))
        found, out, _ = run(*arguments, "--json")
        assert found == (code if leaves else 0)
        assert json.loads(out)["quantities"][2]["value"] == 2.25
        found, out, _ = run(*arguments, "--csv")
        assert found == (code if leaves else 0)
        assert len(out.splitlines()) == 4
        assert "7.5" in run(*arguments)[1]
    if picture is not None:
        asked(place, verb)
        drawn = []
        monkeypatch.setattr(importlib.import_module(f"msj.plots.{picture}"), "draw", lambda result: len(result))
        monkeypatch.setattr("msj.plots.figure.save", lambda figure, path: drawn.append((figure, path)))
        path = tmp_path / "picture.png"
        code, _, err = run(*arguments, "--plot", path)
        assert (code, drawn) == (0, [(3, path)])
        assert err == f"msj: drawn: {path}\n"
        assert run(*arguments, "--plot", tmp_path / "picture.txt")[0] == 2
        assert len(drawn) == 1


def test_rows_that_people_are_not_shown_are_counted(run, asked):
    """Of three rows one is named and of all jobs."""
    asked("msj.answers", "compare")
    out = run("compare", FILE, "--policies", "fcfs")[1]
    assert "(2 more rows, per class and percentiles among them: --json or --csv)" in out
    assert "3.5" not in out
    assert "2.25" not in out
    asked("msj.answers", "curve")
    assert "more rows" not in run("curve", FILE)[1]
    asked("msj.sweeps", "read_sweep")
    for where, shown in (((), False), (("--where", "name=makespan"), True), (("--where", "n ame=makespan"), None)):
        code, out, _ = run("results", ".", *where)
        if shown is not None:
            assert code == 0
            assert ("2.25" in out) == shown


def test_what_is_asked_for_is_what_the_options_say(run, asked):
    verb = asked("msj.answers", "analyse")
    run("analyse", FILE)
    wanted = {
        "method": "auto", "exact": None, "percentiles": None, "states": 0, "until": None, "law": None, "bounds": False,
        "or_simulate": False,
    }  # fmt: skip
    assert {name: verb.last[name] for name in wanted} == wanted
    run(
        "analyse",
        FILE,
        "--states",
        "3",
        "--until",
        "7.5",
        "--law",
        "0",
        "--bounds",
        "--or-simulate",
        "--seed",
        "0",
        "--no-exact",
    )
    wanted |= {"states": 3, "until": 7.5, "law": 0, "bounds": True, "or_simulate": True, "seed": 0, "exact": False}
    assert {name: verb.last[name] for name in wanted} == wanted
    for words, sentence in (
        (("--no-exact", "--percentiles"), "contradict each other"),
        (("--seed", "-1"), "-1 is no seed"),
        (("--states", "0"), "0"),
        (("--servers", "0"), "0"),
    ):
        code, _, err = run("analyse", FILE, *words)
        assert code == 2
        assert sentence in err
    for words in (
        ("--no-exact", "--no-percentiles"),
        ("--exact", "--percentiles"),
        ("--percentiles",),
        ("--servers", "1"),
    ):
        assert run("analyse", FILE, *words)[0] == (2 if "1" in words else 0)
    verb = asked("msj.answers", "curve")
    run("curve", FILE, "--loads", "0.5, 0.25", "--servers", "8")
    assert verb.last["loads"] == [0.5, 0.25]
    (system,), _ = verb.calls[-1]
    assert (system.servers, system.load) == (8, msj.read(FILE).load)
    run("curve", FILE)
    assert verb.last["loads"] is None
    verb = asked("msj.answers", "region")
    run("region", FILE, "--classes", "large, small", "--servers", "8")
    assert verb.last["classes"] == ["large", "small"]
    assert verb.calls[-1][0][0].load is not None
    run("region", FILE)
    assert verb.last["classes"] is None


def test_what_sizes_and_families_are_asked_for(run, asked):
    verb = asked("msj.growth", "cluster_scaling")
    run("scaling", "cluster", FILE)
    assert (verb.calls[-1][0][1], verb.last["largest_needs"]) == (None, [])
    run("scaling", "cluster", FILE, "--servers", "4,8", "--largest-need", "2, 1")
    assert (verb.calls[-1][0][1], verb.last["largest_needs"]) == ([4, 8], [2, 1])
    assert "gives no largest need" in run("scaling", "cluster", FILE, "--largest-need", " , ")[2]
    verb = asked("msj.growth", "fluid")
    for words, paths in (
        ((), 0),
        (("--servers", "4"), 10),
        (("--paths", "0", "--servers", "4"), 0),
        (("--paths", "3"), 3),
    ):
        run("fluid", FILE, "--until", "5", *words)
        assert verb.last["paths"] == paths
        assert "seed" not in verb.last
    assert verb.last["servers"] == []
    run("fluid", FILE, "--until", "5", "--seed", "0", "--servers", "4")
    assert (verb.last["seed"], verb.last["servers"], verb.calls[-1][0][1]) == (0, [4], 5)
    assert run("fluid", FILE, "--until", "5", "--paths", "-1")[0] == 2
    family, cluster = asked("msj.growth", "zero_queueing_family"), asked("msj.growth", "zero_queueing")
    words = ("scaling", "zero-queueing")
    run(
        *words,
        "--needs",
        "1,min(n,3)",
        "--alpha",
        "0.1",
        "--servers",
        "64",
        "--means",
        "4,2",
        "--jobs",
        "7",
        "--seed",
        "0",
    )
    assert family.calls[-1][0] == (["1", "min(n,3)"], [64])
    assert {name: family.last[name] for name in ("jobs", "seed", "means", "shares")} == {
        "jobs": 7, "seed": 0, "means": (4, 2), "shares": (),
    }  # fmt: skip
    run(*words, FILE)
    assert (cluster.last["jobs"], "seed" in cluster.last) == (None, False)
    for more, sentence in (
        ((), "give FILE or --needs"),
        ((FILE, "--needs", "1"), "give FILE or --needs"),
        ((FILE, "--servers", "64"), "go with --needs, not with FILE"),
        ((FILE, "--plot", "x.png"), "go with --needs, not with FILE"),
        (("--needs", "1", "--load", "0.5"), "with --needs the load is"),
        (("--needs", "1", "--arrival-rate", "0.5"), "with --needs the load is"),
        (("--needs", "1", "--utilisation", "0.5"), "with --needs the load is"),
        (("--needs", "1", "--seed", "-1"), "--seed"),
    ):
        code, _, err = run(*words, *more)
        assert code == 2
        assert sentence in " ".join(err.split())
    for load in ("--load", "--arrival-rate", "--utilisation"):
        assert run(*words, FILE, load, "0.5")[0] == 0


def test_what_a_sweep_is_asked_for(run, asked, monkeypatch):
    verb = asked("msj.sweeps", "sweep")
    monkeypatch.setattr("msj.executors.workers.cores", lambda: 7)
    run("sweep", FILE)
    assert verb.calls[-1][0] == ([Path(FILE)],)
    assert verb.last["processes"] == 7
    for words in (("--processes", "1"), ("--threads", "2"), ("--dask", "tcp://x")):
        run("sweep", FILE, *words)
        assert verb.last.get("processes", 1) == 1
    run("sweep", "--grid", "grid.toml", "--vary", "load=0.5")
    assert (verb.calls[-1][0], verb.last["vary"]) == ((None,), ("load=0.5",))
    assert "no FILE is given" in run("sweep")[2]
    run("sweep", FILE, "--grid", "grid.toml")
    assert verb.calls[-1][0] == ([Path(FILE)],)
    # A sweep that was interrupted is not drawn.
    drawn = []
    monkeypatch.setattr("msj.cli.output.draw_to", lambda *given: drawn.append(given))
    asked("msj.sweeps", "sweep", answer(Outcome.INTERRUPTED))
    assert run("sweep", FILE)[0] == 130
    assert drawn == []
    asked("msj.sweeps", "sweep")
    run("sweep", FILE)
    assert len(drawn) == 1


def test_a_folder_of_a_sweep_is_told_and_pruned(run, asked, monkeypatch):
    prune = asked("msj.sweeps.upkeep", "prune", (1234, 2_500_000))
    assert run("sweep", "--prune", ".")[2] == "msj: removed 1,234 rows; 2.5 MB less\n"
    prune.found = (0, -10_000_000)  # what is written anew may be more
    assert run("sweep", "--prune", ".")[2] == "msj: removed 0 rows; 0.0 MB less\n"
    numbers = {
        "asked": 1200, "exact": 3, "simulated": 4, "unstable": 5, "without": 6, "waiting": 7, "blocks": 8, "jobs": 9000,
        "seconds": 1.25, "pieces": 11, "size": 2_500_000, "stale": 0, "widest": None, "grid": 0, "unfinished": "",
    }  # fmt: skip
    found = SimpleNamespace(**numbers)
    monkeypatch.setattr("msj.sweeps.upkeep.status", lambda _: found)
    monkeypatch.setattr("msj.cli.sweep.asdict", vars)
    lines = {line[:20].strip(): line[20:].strip() for line in run("sweep", "--status", ".")[1].splitlines()}
    assert (lines["cells asked for"], lines["simulated"], lines["files"]) == ("1,200", "4", "11, 2.5 MB")
    assert "of other code" not in lines
    found.stale, found.widest = 12, 0.0123
    out = run("sweep", "--status", ".")[1]
    assert "12 cells: --prune removes them" in out
    assert "4, the widest interval ± 1.23%" in out
    assert json.loads(run("sweep", "--status", ".", "--json")[1])["pieces"] == 11


# --- logs, pages and texts ---


@pytest.fixture
def texts(monkeypatch):
    """Every text and page says only which it is."""
    for place, name in (
        ("log_text", "write_log_text"), ("log_text", "write_replay_text"), ("fit_text", "write_fit_text"),
        ("log_page", "write_log_page"), ("log_page", "write_log_report"),
    ):  # fmt: skip
        monkeypatch.setattr(f"msj.reports.{place}.{name}", lambda found, name=name: f"<{name}>")
    for place, name in (("log_report_text", "write_log_report_text"), (None, "write_text"), (None, "write_page")):
        where = "msj.reports" + ("" if place is None else f".{place}")

        def write(found, heading=lambda title: title, name=name):
            return f"<{name} {heading('title')}>"

        monkeypatch.setattr(f"{where}.{name}", write)


LOGS = [
    (("log", LOG), "msj.answers", "log", "write_log_text", "small_cluster_log.html", "write_log_page"),
    (("replay", LOG, "--policies", "fcfs"), "msj.answers", "replay", "write_replay_text", None, None),
    (("fit", LOG), "msj.answers", "fit", "write_fit_text", None, None),
    (("report", LOG),
     "msj.reports", "report_log", "write_log_report_text", "small_cluster_report.html", "write_log_report"),
    (("report", FILE), "msj.reports", "report", "write_text", "two_servers_report.html", "write_page"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "place", "verb", "text", "page", "writer"),
    LOGS,
    ids=lambda a: " ".join(a) if isinstance(a, tuple) else "",
)
def test_a_log_is_text_and_a_page_or_rows(
    run, asked, texts, monkeypatch, tmp_path, arguments, place, verb, text, page, writer
):
    arguments = (arguments[0], Path(arguments[1]).absolute(), *arguments[2:])
    monkeypatch.chdir(tmp_path)
    for outcome, left in ((Outcome.SOLVED, 0), (Outcome.UNSTABLE, 1)):
        found = answer(outcome)
        object.__setattr__(found, "load", 0.5)
        asked(place, verb, found)
        code, out, err = run(*arguments)
        assert code == left
        assert out.startswith(f"<{text}")
        if page is not None:
            assert err == f"msj: written: {page}\n"
            assert Path(page).read_text().startswith(f"<{writer}")
            Path(page).unlink()
        for style in ("--json", "--csv"):
            code, out, err = run(*arguments, style)
            assert code == left
            assert "2.25" in out
            assert "written" not in err
            assert [*tmp_path.iterdir()] == []
    if page is not None:
        folder = tmp_path / "some" / "where"
        for style in ((), ("--json",)):
            run(*arguments, "--out", folder, *style)
            assert (folder / page).exists()
            (folder / page).unlink()
    if arguments[1].suffix == ".swf":
        assert "--unit goes with --json or --csv" in run(*arguments, "--unit", "h")[2]
        for style in ("--json", "--csv"):  # answers are in hours here
            assert run(*arguments, "--unit", "min", style)[0] == left
        assert json.loads(run(*arguments, "--unit", "min", "--json")[1])["quantities"][2]["value"] == pytest.approx(135)
        assert run(*arguments, "--unit", "parsec", "--json")[0] == 2


def test_headings_are_bold_and_a_report_without_a_load_is_bad_input(run, asked, texts, monkeypatch, tmp_path):
    file, log = Path(FILE).absolute(), Path(LOG).absolute()
    monkeypatch.chdir(tmp_path)
    found = answer()
    object.__setattr__(found, "load", None)
    verb = asked("msj.reports", "report", found)
    printed = []
    monkeypatch.setattr("msj.cli.report.click.echo", lambda text="", **_: printed.append(text))
    assert run("report", file)[0] == 2
    asked("msj.reports", "report_log")
    run("report", log)
    assert [text for text in printed if text.startswith("<")] == [
        "<write_text \x1b[1mTITLE\x1b[0m>", "<write_log_report_text \x1b[1mTITLE\x1b[0m>",
    ]  # fmt: skip
    assert verb.last["policies"] is None
    run("report", file, "--policies", "fcfs,first-fit")
    assert verb.last["policies"] == ["fcfs", "first-fit"]


def test_a_log_by_its_format_is_reported_as_one(run, asked, texts, tmp_path, monkeypatch):
    verb = asked("msj.reports", "report_log")
    file = tmp_path / "jobs.odd"
    file.write_text("nothing like a log")
    monkeypatch.chdir(tmp_path)
    assert run("report", file, "--format", "swf")[0] == 0
    assert verb.last["policies"] is None
    run("report", file, "--format", "swf", "--policies", "fcfs")
    assert verb.last["policies"] == ["fcfs"]
    assert "a log has its own load" in run("report", file, "--format", "swf", "--load", "0.5")[2]


def test_a_fit_is_written_where_it_is_asked_for(run, asked, texts, tmp_path):
    verb = asked("msj.answers", "fit")
    written = []
    object.__setattr__(verb.found, "write", lambda out, unit: written.append((out, unit)))
    out = tmp_path / "a" / "b" / "cluster.toml"
    code, said, err = run("fit", LOG, "-o", out)
    assert (code, said, err, written) == (0, "<write_fit_text>\n", f"msj: written: {out}\n", [(out, None)])
    assert out.parent.is_dir()
    assert "held_out" not in verb.last
    assert run("fit", LOG, "-o", out, "--unit", "h", "--held-out", "0")[0] == 0
    assert (written[-1], verb.last["held_out"]) == ((out, "h"), 0)
    assert "is no spec file" in run("fit", LOG, "-o", tmp_path / "cluster.json")[2]
    assert "written" not in run("fit", LOG)[2]


def test_pages_go_into_a_folder_that_is_made(tmp_path):
    folder = tmp_path / "a" / "b"
    path = page_path(folder, Path("x/two.toml"))
    assert path == folder / "two_report.html"
    assert not path.exists()
    path.write_text("x")
    assert page_path(folder, Path("two.swf"), "report") == path
    assert path.read_text() == "x"  # an older page stays until there is a newer one
    with pytest.raises(InvalidInput, match="cannot be made"):
        page_path(path, Path("two.toml"))


# --- small parts ---


@pytest.mark.parametrize(
    ("text", "points", "counts"),
    [
        ("64", None, [64]),
        ("8,4, 4", None, [4, 8]),
        ("3..20", None, [3, 6, 12, 20]),
        ("3..12", None, [3, 6, 12]),
        ("5..5", None, [5]),
        ("5..5", 3, [5]),
        ("10..1000", 3, [10, 100, 1000]),
        ("10..10000,7", 4, [7, 10, 100, 1000, 10000]),
    ],
)
def test_numbers_of_servers(text, points, counts):
    assert server_counts.server_counts(text, points=points) == counts


def test_what_is_no_number_of_servers(monkeypatch):
    for text in ("", "4,", "4..", "..4", "1..2..3"):
        with pytest.raises(InvalidInput, match="is no number of servers; write 64,128,256 or"):
            server_counts.server_counts(text)
    with pytest.raises(InvalidInput, match="servers = 'x'"):
        server_counts.server_counts("x")
    with pytest.raises(InvalidInput, match="does not rise"):
        server_counts.server_counts("5..4")
    monkeypatch.setattr(server_counts, "MOST_COUNTS", 3)
    assert server_counts.server_counts("1,2,3") == [1, 2, 3]
    with pytest.raises(InvalidInput, match="give at most 3"):
        server_counts.server_counts("1,2,3,4")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1,n", ["1", "n"]),
        ("min(n,3), log2(n)", ["min(n,3)", "log2(n)"]),
        ("f(g(1,2),3),4", ["f(g(1,2),3)", "4"]),
        ("", [""]),
        ("),1", [")", "1"]),
    ],
)
def test_lists_are_split_outside_brackets(text, parts):
    assert zero_queueing._parts(text) == parts


def test_shares_and_rates_of_large_jobs():
    share, rate = one_and_n_scaling._share, one_and_n_scaling._rate
    assert share("n^-0.5", None, None) == "n^-0.5"
    assert share(None, "2", None) == share(None, "2", "1") == "n^-2"
    assert share(None, "0.5", "3") == "3*n^-(1/2)"
    assert share(None, "2", "0.5") == "(1/2)*n^-2"
    for given in (("n", "1", None), ("n", None, "1"), (None, None, "1")):
        with pytest.raises(click.UsageError):
            share(*given)
    assert (rate(None, None, "small"), rate("3", None, "small"), rate(None, "4", "small")) == (1, 3, 0.25)
    with pytest.raises(click.UsageError, match="are both given"):
        rate("1", "1", "small")


def test_options_of_scaling_that_do_not_go_together(run, asked):
    worst, family, plain = (
        asked("msj.growth", name) for name in ("one_and_n_worst", "two_needs_scaling", "one_and_n_scaling")
    )
    words = ("scaling", "one-and-n", "--servers", "10")
    for more in (
        ("--worst", "--plot", "x.png"), ("--needs", "1,n/2", "--alpha", "1", "--plot", "x.png"), ("--worst", "--terms"),
        ("--needs", "1,n/2", "--alpha", "1", "--terms"), ("--worst", "--share", "1/n"), ("--worst", "--alpha", "1"),
        ("--worst", "--needs", "1,n/2"), (),
    ):  # fmt: skip
        assert run(*words, *more)[0] == 2, more
    assert run(*words, "--worst")[0] == 0
    assert worst.calls[-1][0] == ([10],)
    assert run(*words, "--needs", "1,n/2", "--alpha", "1")[0] == 0
    assert family.calls[-1][0] == (["1", "n/2"], "n^-1", [10])
    assert run(*words, "--alpha", "1", "--terms")[0] == 0
    assert plain.last["terms"] is True


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (119, "119 seconds"), (120, "2.0 minutes"), (150, "2.5 minutes"), (7199, "120.0 minutes"), (7200, "2.0 hours"),
        (172799, "48.0 hours"), (172800, "2.0 days"), (432000, "5.0 days"), (0.4, "0 seconds"),
    ],
)  # fmt: skip
def test_how_long_something_takes_in_words(seconds, said):
    assert paper._duration(seconds) == said


def test_a_figure_in_full_is_announced_and_shown(capsys, monkeypatch):
    quick = SimpleNamespace(provenance={"work_seconds": 3})
    reproducing = importlib.import_module("msj.papers.reproduce")
    monkeypatch.setattr(reproducing, "reproduce", lambda *_, **__: quick)
    monkeypatch.setattr(reproducing, "estimated_seconds", lambda figure, work, processes: 100 * work * processes)
    monkeypatch.setattr("msj.cli.paper.time.time", lambda: 1_000_000.0)
    monkeypatch.setattr("msj.cli.paper.time.localtime", lambda moment: paper.time.gmtime(moment))
    figure = SimpleNamespace(arrivals=lambda scale: 2_000_000 if scale == "full" else 1)
    paper._say_how_long(SimpleNamespace(name="reset"), "fig2", figure, Path(), 1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    # 600 seconds after 13:46:40.
    assert "reset fig2 in full: 2e+06 arrivals to simulate, about 10.0 minutes (until 1970-01-12 13:56)" in err
    told = {"claim": "c", "claimed": "1", "found": "2", "difference": "3"}
    claims = [Claim(passed=True, because=because, **told) for because in ("", "of rounding")]
    paper._show(SimpleNamespace(paper="p", name="f", title="t", claims=claims, files=["x.png"]))
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "p f: t"
    assert [line.strip() for line in lines[2:]] == [
        "paper 1; found 2; difference 3", lines[3].strip(), "paper 1; found 2; difference 3", "of rounding",
    ]  # fmt: skip
    assert lines[1] == lines[3]
    assert lines[1].endswith(": c")
    assert err == "written: x.png\n"


def test_papers_are_listed_and_asked_for(run, asked, monkeypatch):
    code, out, _ = run("paper")
    assert code == 0
    assert out.rstrip().endswith("msj paper PAPER FIGURE recomputes one; msj paper PAPER all of a paper")
    for known in PAPERS.values():
        assert f"{known.name}: {known.title}\n" in out
    assert f"{known.title}\n\npaper " in out
    rows = json.loads(run("paper", "--json")[1])
    assert {"paper", "figure", "shows"} == set(rows[0])
    for row in rows:
        assert row["figure"] in out
    announced = []
    monkeypatch.setattr("msj.cli.paper._say_how_long", lambda paper, name, *_: announced.append(name))
    name, figure = rows[0]["paper"], rows[0]["figure"]
    for outcome, left in ((Outcome.SOLVED, 0), (Outcome.UNSTABLE, 1)):
        verb = asked("msj.papers.verdict", "paper", answer(outcome))
        code, out, _ = run("paper", name, figure)
        assert (code, out) == (left, "")
        assert verb.last["each"] is paper._show
        code, out, _ = run("paper", name, figure, "--json")
        assert (code, json.loads(out)["quantities"][2]["value"]) == (left, 2.25)
        assert verb.last["each"] is None
    assert announced == []
    run("paper", name, figure, "--full")
    assert announced == [figure]


def test_symbols_are_printed_in_their_style(run, asked):
    verb = asked("msj.answers", "in_symbols")
    object.__setattr__(verb.found, "write", lambda style: f"<{style}>")
    assert run("symbolic", FILE)[1] == "<text>\n"
    assert json.loads(run("symbolic", FILE, "--json")[1])["quantities"][0]["value"] == 7.5


# --- reading options ---


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("1_000", 1000), ("1e6", 10**6), ("1.5e3", 1500), ("2E+2", 200), (" 1e2 ", 100), (5, 5)],
)
def test_whole_numbers_as_people_write_them(text, number):
    assert options.WholeNumber().convert(text, None, None) == number
    assert options.Seed().convert(text, None, None) == number


def test_what_is_no_whole_number_or_seed():
    for text in ("1.5", "1.5e0", "1e-3", "x", "1e400"):
        with pytest.raises(click.BadParameter):
            options.WholeNumber().convert(text, None, None)
    assert options.Seed().convert("0", None, None) == 0
    with pytest.raises(click.BadParameter, match="-1 is no seed"):
        options.Seed().convert("-1", None, None)


def test_a_spec_file_that_is_not_there_is_answered_with_what_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("cluster.toml", "partition.json", "notes.txt"):
        (tmp_path / name).write_text("")
    instead = options._instead_of
    assert instead(Path("clustre.toml")) == "did you mean 'cluster.toml'?"
    assert instead(Path("partitoin.toml")) == "did you mean 'partition.json'?"
    assert instead(Path("notes.toml")) == instead(Path("zzz.toml")) == "check the path"
    # Of seven letters the first three: 2·3/14 is too little; four are as well, 2·4/14; five are enough.
    assert instead(Path("cluzzzz.toml")) == instead(Path("cluszzz.toml")) == "check the path"
    assert instead(Path("clustzz.toml")) == "did you mean 'cluster.toml'?"
    assert instead(Path("no/where.toml")) == "there is no folder 'no' here; check the path"
    assert (
        instead(Path("examples/two_servers.toml")) == "it comes with msj: msj new --example two_servers writes it here"
    )
    assert instead(Path("examples/logs/small_cluster.swf")).endswith("--example small_cluster.swf writes it here")
    assert instead(Path("examples/mine.toml")) == "there is no folder 'examples' here; check the path"
    assert instead(Path("two_servers.toml")) == "check the path"
    with pytest.raises(InvalidInput, match=r"clustre.toml: cannot be read .*; did you mean"):
        options.InputPath().convert("clustre.toml", None, None)
    assert options.InputPath().convert("cluster.toml", None, None) == Path("cluster.toml")


def test_a_log_that_is_not_there_is_answered_with_what_is(tmp_path):
    (tmp_path / "jobs.swf").write_text("")
    (tmp_path / "jobs_of_march").mkdir()
    for name, fix in (("jbos.swf", f"did you mean '{tmp_path / 'jobs.swf'}'?"), ("march", "check the path")):
        with pytest.raises(InvalidInput, match=re.escape(fix)):
            options.InputPath().convert(tmp_path / name, None, None)
    assert options.InputPath().convert(tmp_path / "jobs.swf", None, None) == tmp_path / "jobs.swf"
    with pytest.raises(InvalidInput, match="there is no folder"):
        options.InputPath().convert(tmp_path / "no" / "jobs.swf", None, None)


def test_a_unit_is_for_programs():
    Output().require_programs(None)
    Output(as_json=True).require_programs("h")
    Output().require_programs("h", also=True)
    with pytest.raises(click.UsageError):
        Output().require_programs("h")
    with pytest.raises(InvalidInput):
        Output(as_csv=True).require_programs("parsec")


def test_the_command_line_stands_in_place_of_the_file(capsys):
    plain = msj.read(FILE)
    read = options.read_system
    assert read(Path(FILE)) == plain
    assert read(Path(FILE), load="0.5").load == 0.5
    assert read(Path(FILE), arrival_rate="1/4").arrival_rate == 0.25
    with pytest.raises(click.UsageError, match="--load and --arrival-rate are both given"):
        read(Path(FILE), load="0.5", arrival_rate="1")
    hours = read(Path("examples/hpc_partition.toml"), unit="min")
    assert hours.time_unit == "minutes"
    more = read(Path(FILE), servers=4)
    assert (more.servers, more.load, float(more.arrival_rate)) == (4, None, pytest.approx(0.72))
    _, err = capsys.readouterr()
    assert err == "msj: as many jobs arrive as before: 0.72 jobs per unit of time, which is load 0.8 on 2 servers\n"
    for given in ({"load": "0.5"}, {"any_load": True}):
        kept = read(Path(FILE), servers=4, **given)
        assert (kept.servers, kept.arrival_rate) == (4, None)
    assert with_servers(plain, 2, load_is_given=False) is plain
    bare = with_servers(plain.replace(load=None), 4, load_is_given=False)
    assert (bare.servers, bare.arrival_rate) == (4, None)
    assert capsys.readouterr() == ("", "")
    with pytest.raises(InvalidInput, match="is a log"):
        read(Path(LOG))


def test_policies_in_a_text():
    found = options.policies_from_text("fcfs, {name = 'first-fit', window = 4},best-fit,")
    assert found == ["fcfs", {"name": "first-fit", "window": 4}, "best-fit"]
    with pytest.raises(InvalidInput, match="is not a table"):
        options.policy_from_text("{ name = }")
    completed = [item.value for item in options.complete_policies(None, None, "fcfs,first-fi")]
    assert completed == ["fcfs,first-fit", "fcfs,first-fit-srpt"]
    assert [item.value for item in options.complete_policies(None, None, "fcf")] == ["fcfs"]
    assert options.complete_policies(None, None, "fcfs,fcfs") == []


def test_examples_are_found_by_the_beginning_of_their_name(monkeypatch):
    known = {"gpu_training": Path("g"), "two_servers": Path("t"), "two_servers_slow": Path("s"), "hpc": Path("h")}
    monkeypatch.setattr("msj.cli.examples.examples", lambda: known)
    for name, path in (
        ("gpu", "g"),
        ("GPU-training.toml", "g"),
        ("two_servers", "t"),
        ("two_servers_", "s"),
        ("hpc", "h"),
    ):
        assert example(name) == Path(path)
    with pytest.raises(InvalidInput, match="unknown example 'two'; did you mean two_servers or two_servers_slow"):
        example("two")
    with pytest.raises(InvalidInput, match="unknown example ''; known: gpu_training"):
        example("")
    with pytest.raises(InvalidInput, match="did you mean 'hpc'"):
        example("hpd")


def test_presets_are_plain_clusters_by_their_names(tmp_path):
    text = Path(FILE).read_text()
    (tmp_path / "models").mkdir()
    for name, written in (
        ("a.toml", text), ("models/m.toml", text), ("bad.toml", "servers = 'x'"), ("log.swf", "x"),
        ("named.toml", text.replace("two servers", "my own")),
    ):  # fmt: skip
        (tmp_path / name).write_text(written)
    found = _presets({path.name: path for path in sorted(tmp_path.rglob("*.*"))})
    own = msj.read(tmp_path / "a.toml").name or "a"
    assert set(found) == {own, "my own"}


# --- lists ---


def _listed(catalogue, name, system):
    return _row(catalogue, name, catalogue.get(name), system)


def test_what_a_list_says_of_each_variant():
    plain = msj.read(FILE)
    assert _listed(DURATIONS, "erlang", None)["exact methods"] == "yes"
    assert _listed(DURATIONS, "lognormal", None)["exact methods"] == "no: simulation only"
    assert "used by" not in _listed(DURATIONS, "exponential", None)
    assert _listed(DURATIONS, "exponential", plain)["used by"] == "small, large"
    assert _listed(DURATIONS, "erlang", plain)["used by"] == ""
    assert _listed(ARRIVALS, "mmpp", None)["exact methods"] == "yes"
    assert _listed(ARRIVALS, "daily", None)["exact methods"] == "no: simulation only"
    assert (_listed(ARRIVALS, "poisson", plain)["chosen"], _listed(ARRIVALS, "mmpp", plain)["chosen"]) == ("yes", "no")
    assert (_listed(ORDERS, "independent", plain)["chosen"], _listed(ORDERS, "sticky", plain)["chosen"]) == (
        "yes",
        "no",
    )
    assert "exact methods" not in _listed(ORDERS, "sticky", None)
    assert "citation" in _listed(MODELS, "set-up", None)
    assert (_listed(MODELS, "set-up", plain)["chosen"], "citation" in _listed(MODELS, "set-up", plain)) == ("no", False)
    broken = plain.replace(environment={"name": "breakdowns", "rate": 0.1, "repair": {"law": "exponential", "mean": 1}})
    assert [_listed(ENVIRONMENTS, "breakdowns", each)["chosen"] for each in (plain, broken)] == ["no", "yes"]
    assert "citation" in _listed(ENVIRONMENTS, "breakdowns", None)
    assert _listed(POLICIES, "fcfs", plain)["applies"] == "yes"
    assert _listed(ANALYSES, "two-class", plain)["applies"] == ANALYSES.get("two-class")().how_long(plain)
    three = msj.read("examples/hpc_partition.toml")
    assert _listed(ANALYSES, "two-class", three)["applies"].startswith("no: ")
    assert "citation" in _listed(POLICIES, "fcfs", None)
    setting_up = msj.System(
        servers=1, classes=[msj.JobClass(name="a", need=1, share=1, duration=msj.Exponential(mean=1))],
        model={"name": "set-up", "set_up_rate": 1},
    )  # fmt: skip
    assert _listed(POLICIES, "server-filling", setting_up)["applies"].startswith("no: ")
    assert _listed(MODELS, "set-up", setting_up)["chosen"].startswith("yes")
    assert _chosen("server-groups", setting_up) == _chosen("set-up", plain) == "no"


def test_keys_and_first_paragraphs(run):
    assert {"key": "stages", "default": "(to be given)"} in keys_of(DURATIONS.get("erlang"))

    class Plain:
        pass

    class Said:
        """First
        paragraph.

        Second.
        """

    assert (keys_of(Plain), about(Said)) == ([], "First paragraph.")
    described = json.loads(run("list", "durations", "erlang", "--json")[1])
    assert list(described) == ["name", "what it is", "about", "keys"]
    code, out, _ = run("list", "durations", "erlang")
    assert out.startswith(f"erlang: {described['what it is']}\n{described['about']}\n\n")
    assert "(to be given)" in out
    assert "From " not in out
    assert json.loads(run("list", "orders", "--json")[1])[0]["name"] == ORDERS.names()[0]
    assert run("list", "orders")[1].split("\n")[0].split() == ["name", "what", "it", "is"]
    code, out, err = run("list", "quantities", "mean_response_tim")
    assert (code, out) == (2, "")
    assert "did you mean 'mean_response_time'" in err
    assert "did you mean 'erlang'" in run("list", "durations", "erlangg")[2]
    assert "whatever the file" in " ".join(run("list", "quantities", FILE)[2].split())


# --- messages ---


def test_long_words_and_control_signs_are_shortened():
    """A word of 200 letters stays; of 201 the first 80 and the last 40 are shown."""
    short = messages.in_short
    assert short("a" * 200) == "a" * 200
    word = "".join(chr(97 + i % 26) for i in range(201))
    assert short(f"x {word} y") == f"x {word[:80]}...{word[-40:]} y"
    assert short("a\x1bb\u202ec\td\n") == "a\\x1bb\\u202ec\td\n"


@pytest.mark.parametrize(
    ("no_color", "term", "welcome"),
    [("", "xterm", True), ("1", "xterm", False), ("", "dumb", False), ("1", "dumb", False)],
)
def test_colours_are_welcome_unless_somebody_says_no(monkeypatch, no_color, term, welcome):
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", term)
    assert messages.colour_is_welcome() is welcome
    for terminal in (True, False):
        monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda terminal=terminal: terminal))
        assert show.colours() is (terminal and welcome)
        for columns, width in ((200, 200), (40, 40), (10, 40)):
            size = SimpleNamespace(columns=columns)
            monkeypatch.setattr("shutil.get_terminal_size", lambda size=size: size)
            assert show.screen_width() == (width if terminal else 80)


def test_how_sure_a_number_is_shows_in_its_colour(monkeypatch):
    monkeypatch.setattr(show, "colours", lambda: True)
    text = "exact, by m\nsimulated: x\n2 servers: unstable; y\nbounded, not at the beginning exact,"
    found = show._coloured(text)
    assert click.unstyle(found) == text
    green, yellow, red = (
        click.style(word, fg=colour)
        for word, colour in (("exact", "green"), ("simulated", "yellow"), ("2 servers: unstable", "red"))
    )
    assert found.splitlines()[:3] == [f"{green}, by m", f"{yellow}: x", f"{red}; y"]
    assert found.splitlines()[3] == text.splitlines()[3]
    monkeypatch.setattr(show, "colours", lambda: False)
    assert show._coloured(text) == text


def test_json_is_indented_and_keeps_its_letters(capsys):
    show.show_json({"a": ["λ", 1]})
    assert capsys.readouterr().out == '{\n  "a": [\n    "λ",\n    1\n  ]\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        show.show_json({"a": float("nan")})


def test_headings_of_a_grid_are_bold_in_colours(monkeypatch):
    printed = []
    monkeypatch.setattr(show.click, "echo", printed.append)
    for coloured in (True, False):
        monkeypatch.setattr(show, "colours", lambda coloured=coloured: coloured)
        show.show_grid(["key"], [["value"]])
    assert "\x1b[1m" in printed[0]
    assert "\x1b" not in printed[1]
    assert click.unstyle(printed[0]) == printed[1]


def test_verbose_says_each_method_once(run, asked):
    asked("msj.answers", "curve")
    for style, count in (((), 1), (("--json",), 1), (("--csv",), 1)):
        err = run("curve", FILE, "--verbose", *style)[2]
        lines = err.splitlines()
        assert lines[0].startswith(f"msj: {FILE}: 2 servers, 2 classes, policy fcfs")
        assert lines[1:-1] == [
            "msj: exact, by m: mean_response_time", "msj: exact, by other: makespan", "msj: provenance: seconds 1.5",
        ] * count  # fmt: skip
        seconds = re.fullmatch(r"msj: (\d+\.\d\d) seconds in all", lines[-1])
        assert float(seconds[1]) < 100
    assert "from the command line" not in lines[0]
    asked("msj.answers", "analyse")
    err = run("analyse", FILE, "--load", "0.5", "-v")[2]
    assert ", load 0.5 from the command line" in err
    for both in (("-q", "-v"), ("-v", "-q")):
        code, _, err = run("analyse", FILE, *both)
        assert code == 2
        assert "--quiet and --verbose are both given" in err
    assert run("analyse", FILE)[2] == run("analyse", FILE, "-q")[2] == ""


def test_a_bar_is_shown_after_a_while_on_a_terminal_only(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(progress_bar.time, "perf_counter", lambda: now[0])
    begun, updates = [], []

    def begin(self):
        begun.append(now[0])
        self.bar = SimpleNamespace(
            update=lambda task, **more: updates.append(more), stop=lambda: updates.append("stop")
        )

    monkeypatch.setattr(progress_bar.ProgressBar, "_begin", begin)
    for terminal in (False, True):
        err = io.StringIO()
        err.isatty = lambda terminal=terminal: terminal
        monkeypatch.setattr("sys.stderr", err)
        now[0] = 100.0
        with progress_bar.ProgressBar() as bar:
            for later in (0, progress_bar.SHORT * 0.9, progress_bar.SHORT, progress_bar.SHORT * 2):
                now[0] = 100.0 + later
                bar.show(Progress(done=0.25, words=f"{later:g}", notice=later == 0))
        assert err.getvalue() == "msj: 0\n"
    short = progress_bar.SHORT
    assert begun == [100.0 + short]
    assert updates == [
        {"completed": 0.25, "description": f"{short:g}"}, {"completed": 0.25, "description": f"{2 * short:g}"}, "stop",
    ]  # fmt: skip


# --- errors ---


def failing(place):
    """Return the error that code of a file raises."""
    frame = {}
    exec(compile("def fail(self):\n    raise ValueError('short')", place, "exec"), frame)
    try:
        frame["fail"](SimpleNamespace(_index_path="/kept/x.nbi"))
    except ValueError as error:
        return error
    raise AssertionError


def test_a_damaged_cache_is_told_by_where_the_error_came_from():
    assert "delete the .nbi and .nbc files in '/kept'" in damaged_cache(failing("/lib/numba/core/caching.py"))
    for place in ("/lib/numba/core/other.py", "/lib/mumba/core/caching.py", "caching.py"):
        assert damaged_cache(failing(place)) is None


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (InvalidInput("one\ntwo"), 2, "msj: two_servers.toml: one\\ntwo\n"),
        (Unstable("no"), 1, "msj: two_servers.toml: no\n"),
        (KeyboardInterrupt(), 130, "msj: interrupted\n"),
        (OSError(13, "Permission denied", "x.txt"), 2, "msj: 'x.txt' cannot be used (Permission denied)"),
        (MemoryError(), 2, "msj: the memory of this machine is not enough"),
        (click.exceptions.Exit(5), 5, ""),
        (click.UsageError("wrong"), 2, "\nError: wrong\n"),
        (ZeroDivisionError("x"), 70, "report it: ZeroDivisionError: x (test_commands_by_hand.py:"),
    ],
)  # fmt: skip
def test_every_error_has_its_sentence_and_code(run, monkeypatch, error, code, sentence):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(msj.answers, "design", fail)
    found, out, err = run("design", FILE)
    assert (found, out) == (code, "")
    assert sentence in err
    assert err.endswith("\n") == bool(sentence)


def test_unknown_commands_are_answered_with_the_nearest(run):
    code, _, err = run("analyze")
    assert code == 2
    assert "No such command 'analyze'; did you mean 'analyse'?" in err
    context = click.Context(program)
    items = program.shell_complete(context, "an")
    assert [(item.value, item.help) for item in items] == [("analyse", program.places["analyse"][1])]
    assert "--help" in [item.value for item in program.shell_complete(context, "--h")]
    assert len(examples()) > 5
