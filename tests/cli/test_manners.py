"""How the command line behaves: what it says where, in which colours, and how it completes and ends."""

import io
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner
from terminal import hear_interrupts, interrupted, on_a_terminal
from test_cli import EXAMPLE

import msj.cli
from msj.cli import COMMANDS, main
from msj.cli import msj as program
from msj.cli.progress_bar import ProgressBar
from msj.registry import DURATIONS, POLICIES
from msj.results import Progress


def in_a_process(*arguments):
    return subprocess.run([sys.executable, "-c", *arguments], capture_output=True, text=True, check=False)


def test_help_imports_no_command_and_no_library():
    code = (
        "import sys\n"
        "from msj.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "commands = {m for m in sys.modules if m.startswith('msj.cli.')}\n"
        "print('LOADED', sorted(commands - {'msj.cli.interrupts', 'msj.cli.lazy_group', 'msj.cli.messages'}))\n"
    )
    assert in_a_process(code).stdout.splitlines()[-1] == "LOADED []"


def test_every_command_is_there_and_named_as_the_list_says(run):
    code, out, _ = run("--help")
    assert code == 0
    for name, (_, text) in COMMANDS.items():
        assert program.get_command(click.Context(program), name).name == name
        assert text in out
        assert text.endswith(".")


def test_every_command_shows_examples_and_takes_quiet_and_verbose(run):
    for name in program.list_commands(None):
        code, out, _ = run(name, "--help")
        assert code == 0
        assert "xample" in out, name
        assert "-q, --quiet" in out, name
        assert "-v, --verbose" in out, name


@pytest.mark.parametrize("arguments", [["-q", "analyse"], ["analyse", "-q"], ["--quiet", "analyse"]])
def test_quiet_says_nothing_but_errors(run, tmp_path, arguments):
    picture = tmp_path / "curve.png"
    loud = ["-q"] if arguments[0].startswith("-") else []
    code, out, err = run(*loud, "curve", EXAMPLE, "--loads", "0.5", "--plot", picture, *([] if loud else ["-q"]))
    assert (code, err) == (0, "")
    assert "2.815423" in out
    code, out, err = run(*arguments, EXAMPLE, "--load", "0")
    assert code == 2
    assert out == ""
    assert "load = 0" in err
    code, _, err = run(*arguments, EXAMPLE, "--laod", "2")  # a mistake that click finds, after quiet took effect
    assert code == 2
    assert "--load" in err


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("style", [[], ["--json"], ["--csv"]])
def test_verbose_says_how_and_leaves_the_results_alone(run, before, style):
    plain = run("analyse", EXAMPLE, "--no-percentiles", "--no-exact", *style)[1]
    flags = ["analyse", EXAMPLE, "--no-percentiles", "--no-exact", *style]
    code, out, err = run(*(["-v", *flags] if before else [*flags, "--verbose"]))
    assert code == 0
    assert out.splitlines()[0] == plain.splitlines()[0]
    assert "two_servers.toml: 2 servers, 2 classes, policy fcfs" in err
    assert "exact, by 1-and-n sums: stability_threshold" in err
    assert "provenance: msj " in err
    assert "seconds in all" in err


def test_quiet_and_verbose_contradict_each_other(run):
    for arguments in (["-q", "-v", "analyse", EXAMPLE], ["-q", "analyse", EXAMPLE, "-v"]):
        code, out, err = run(*arguments)
        assert code == 2
        assert out == ""
        assert "--quiet and --verbose are both given; choose one" in err


def test_a_file_that_is_not_there_is_answered_with_the_nearest(run):
    code, _, err = run("curve", "examples/two_server.toml")
    assert code == 2
    assert "did you mean 'examples/two_servers.toml'?" in err
    _, _, err = run("analyse", "examples/zzzz.toml")
    assert "check the path" in err
    _, _, err = run("analyze", EXAMPLE)
    assert "No such command 'analyze'; did you mean 'analyse'?" in err


def test_a_defect_is_called_one_and_has_an_exit_code_of_its_own(run, monkeypatch):
    def broken(_):
        raise KeyError("a slip of ours")

    monkeypatch.setattr("msj.model.read", broken)
    code, out, err = run("curve", EXAMPLE)
    assert (code, out) == (70, "")
    assert err.startswith("msj: this is a defect of msj, please report it: KeyError: 'a slip of ours'")
    assert "Traceback" not in err
    _, _, err = run("curve", EXAMPLE, "--verbose")
    assert "Traceback" in err


def test_too_little_memory_gets_a_sentence(run, monkeypatch):
    def greedy(_):
        raise MemoryError

    monkeypatch.setattr("msj.model.read", greedy)
    code, _, err = run("curve", EXAMPLE)
    assert code == 2
    assert "the memory of this machine is not enough" in err


def test_colours_only_on_a_terminal_and_never_with_no_color():
    arguments = ("analyse", EXAMPLE, "--no-exact")
    seen, code = on_a_terminal(*arguments)
    assert code == 0
    assert "\x1b[32mexact" in seen
    assert "\x1b[1m" in on_a_terminal("list", "durations")[0]
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        seen, code = on_a_terminal("list", "durations", **environment)
        assert code == 0
        assert "exponential" in seen
        assert "\x1b" not in seen
    piped = subprocess.run([sys.executable, "-m", "msj", "list", "durations"], capture_output=True, check=True)
    assert b"\x1b" not in piped.stdout + piped.stderr


class Terminal(io.StringIO):
    """Text that says it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_bar_is_coloured_where_colours_are_welcome(monkeypatch, environment, coloured):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"TERM": "xterm-256color"} | environment).items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with ProgressBar() as bar:
        bar.show(Progress(done=0.25, words="soon"))
        assert bar.bar is None  # what is done within a second gets no bar
        bar.started -= 2.0
        bar.show(Progress(done=0.5, words="half way"))
        assert bar.bar.console.color_system == ("256" if coloured else None)
        bar.bar.refresh()
    seen = terminal.getvalue()
    assert ("half way" in seen) == (environment.get("TERM") != "dumb")
    assert bool(re.search(r"\x1b\[[\d;]*m", seen)) == coloured


def test_errors_are_red_on_a_terminal_only():
    seen, code = on_a_terminal("list", "durations", "no.toml")
    assert code == 2
    assert seen.startswith("\x1b[31m\x1b[1mmsj:\x1b[0m ")
    seen, _ = on_a_terminal("list", "durations", "no.toml", NO_COLOR="1")
    assert seen.startswith("msj: no.toml: ")


def test_names_and_numbers_stay_whole_on_a_narrow_terminal():
    seen, _ = on_a_terminal("analyse", EXAMPLE, "--no-percentiles", NO_COLOR="1")
    lines = seen.splitlines()
    assert max(map(len, lines)) <= 80
    assert "relative_completions_at_departure" in seen
    assert "7.944444444" in seen


def test_a_curve_fits_a_narrow_terminal():
    seen, _ = on_a_terminal("curve", EXAMPLE, "--loads", "0.5,0.8", NO_COLOR="1")
    lines = seen.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if line[:3] in ("0.5", "0.8")]
    assert {row[1] for row in rows} == {"0.45", "0.72"}  # each lot of columns says which load it is about
    assert {"0.4505329", "0.7693366"} <= {cell for row in rows for cell in row}


@pytest.mark.parametrize(("shell", "sign"), [("bash", "complete -o"), ("zsh", "#compdef msj"), ("fish", "complete --")])
def test_completion_scripts(run, shell, sign):
    code, out, _ = run("completion", shell)
    assert code == 0
    assert sign in out
    assert "_MSJ_COMPLETE" in out


def completions(*words):
    shell = get_completion_class("bash")(program, {}, "msj", "_MSJ_COMPLETE")
    return [(item.type, item.value) for item in shell.get_completions(list(words[:-1]), words[-1])]


def test_completion_knows_commands_files_policies_laws_and_classes():
    assert ("plain", "analyse") in completions("ana")
    assert ("plain", "--quiet") in completions("--q")
    assert completions("analyse", "exa") == [("file", "exa")]
    first = [name for name in POLICIES.names() if name.startswith("first")]
    assert [value for _, value in completions("simulate", EXAMPLE, "--policy", "first")] == first
    compared = completions("compare", EXAMPLE, "--policies", "fcfs,first")
    assert [value for _, value in compared] == [f"fcfs,{name}" for name in first]
    assert [value for _, value in completions("list", "durations", "h")] == [
        name for name in DURATIONS.names() if name.startswith("h")
    ]
    assert ("plain", "share:large=0..1") in completions("waste", EXAMPLE, "--vary", "sha")


def test_the_completion_protocol_itself():
    script = f"COMP_WORDS='msj sim' COMP_CWORD=1 _MSJ_COMPLETE=bash_complete {sys.executable} -m msj"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "plain,simulate\n"
    assert (done.returncode, done.stderr) == (0, "")


def test_one_variant_described(run):
    _, out, _ = run("list", "durations", "coxian")
    assert "continue  (to be given)" in out
    code, _, err = run("list", "policies", "first-fti")
    assert code == 2
    assert "did you mean 'first-fit'?" in err


def test_an_old_terminal_gets_escapes(tmp_path):
    path = tmp_path / "cluster.toml"
    text = Path(EXAMPLE).read_text(encoding="utf-8").replace('name = "two servers"', 'name = "zwei Ωs"')
    path.write_text(text, encoding="utf-8")
    script = f"PYTHONIOENCODING=latin-1 {sys.executable} -m msj analyse {path} --no-exact"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith(r"zwei \u03a9s: solved")


def test_output_that_cannot_be_written():
    command = f"{sys.executable} -m msj analyse {EXAMPLE} --no-exact > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the output cannot be written (No space left on device)" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_anywhere_leaves_with_130(run, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("msj.model.read", interrupt)
    code, out, err = run("curve", EXAMPLE)
    assert (code, out) == (130, "")
    assert err.strip() == "msj: interrupted"


def test_an_interrupt_that_a_library_turns_into_an_error_is_still_one(run, monkeypatch):
    def broken(_):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("generator raised StopIteration") from None

    monkeypatch.setattr("msj.model.read", broken)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # as a program has it, whatever a library left
    try:
        code, out, err = run("curve", EXAMPLE)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert (code, out) == (130, "")
    assert err.strip() == "msj: interrupted"


def after(seconds):
    """Well past the imports; the work itself takes minutes."""
    import time

    begin = time.monotonic()
    return lambda _: time.monotonic() - begin > seconds


@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", EXAMPLE, "--jobs", "2000000000", "--seed", "1", "--processes", "2"),
        ("curve", "examples/hpc_partition.toml", "--loads", ",".join(["0.9"] * 400)),
    ],
)
def test_ctrl_c(arguments):
    code, _, err = interrupted(*arguments, until=after(2.5))
    assert code == 130, err
    assert "Traceback" not in err


def test_an_interrupt_inside_a_text_that_is_run_is_an_exit_code_too(tmp_path):
    # python -m would end by SIGINT: it takes an interrupt that left exec() for one that nobody has caught.
    inside = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    program = f"import msj.cli as cli\ncli.msj.main = lambda **_: exec({inside!r})\ncli.main([])\n"
    (tmp_path / "stopped.py").write_text(program)
    command = [sys.executable, "-m", "stopped"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=hear_interrupts)
    assert (done.returncode, done.stderr.strip()) == (130, "msj: interrupted")


def test_the_group_is_not_confused_by_commands_tested_alone():
    done = CliRunner().invoke(program.get_command(click.Context(program), "list"), ["durations"])
    assert done.exit_code == 0
    assert msj.cli.main is main
