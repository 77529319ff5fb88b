"""The command line: parse, call, print.

Results go to stdout, messages to stderr. Exit codes: 0 done, 1 the answer is no, 2 bad input, 130 interrupted; 70 means
that msj itself is at fault. A command is imported when it is run, so that ``msj --help`` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import click

from msj.cli.interrupts import forget_interrupt, noted_interrupts
from msj.cli.lazy_group import LazyGroup
from msj.cli.messages import Manners, colour_is_welcome, complain, in_short, say, speaking
from msj.errors import MsjError
from msj.plugins import mistake_in_a_file

WHAT_IT_IS = (
    "Clusters whose jobs hold several servers at once: how much they can take, how much they waste, how long jobs stay."
)
FIRST_STEPS = """\b
First steps:
  msj new                                      a commented cluster.toml to start from; FILE below
  msj report FILE                              everything about one cluster, as text and as a page
  msj analyse FILE                             how much it can take, what it wastes
  msj analyse FILE --load 0.9 --json           the same for programs, at another load
  msj curve FILE --plot curve.png              response time against load
  msj simulate FILE --jobs 1000000 --seed 1    what cannot be solved, or to check it
  msj compare FILE --policies fcfs,first-fit   policies on the same jobs
  msj plan FILE --target "p95 wait <= 2 h"     the smallest cluster that does it
  msj sweep FILE --vary load=0.5..0.98/9 --out runs   many questions, kept in a folder
  msj waste FILE --vary share:large=0..1       where the waste is largest
  msj new --example small_cluster.swf          a log to try; LOG below
  msj log LOG                                  a real log: SWF, Slurm's sacct, CSV, Parquet
  msj replay LOG --policies fcfs,easy-backfilling   its jobs under other policies
  msj fit LOG -o cluster.toml                  a spec file from it, and how well that predicts it
  msj list durations                           what a spec file can say
  msj list quantities                          what the names in answers mean
"""
EXIT_CODES = "Exit codes: 0 done, 1 the answer is no (unstable, not reachable), 2 bad input, 130 interrupted."

# Name: where it is, what it does. In the order in which a newcomer needs them.
COMMANDS = {
    "new": ("msj.cli.new:new", "A commented spec file to start from."),
    "report": ("msj.cli.report:report", "Everything about one cluster, as text and as one HTML page."),
    "explore": ("msj.cli.explore:explore", "The cluster on a page: move its controls, see what happens."),
    "analyse": ("msj.cli.analyse:analyse", "How much it can take, what it wastes, how long jobs stay."),
    "curve": ("msj.cli.curve:curve", "Mean response time against load: exact, else simulated."),
    "simulate": ("msj.cli.simulate:simulate", "How long jobs stay, by simulation, with 95 % intervals."),
    "compare": ("msj.cli.compare:compare", "Several policies on the same jobs, and how they differ."),
    "plan": ("msj.cli.plan:plan", "Which size, load, cap or policy meets the targets."),
    "sweep": ("msj.cli.sweep:sweep", "Many questions at once: loads x policies x sizes, on many cores."),
    "results": ("msj.cli.results:results", "What a sweep has found, as a table, CSV or picture."),
    "region": ("msj.cli.region:region", "Which pairs of arrival rates two classes may have."),
    "design": ("msj.cli.design:design", "Packings that take turns, and how long each should last."),
    "waste": ("msj.cli.waste:waste", "Servers wasted, against a share, the rate ratio or the servers."),
    "log": ("msj.cli.log:log", "What a cluster's log says, as text and as one HTML page."),
    "replay": ("msj.cli.replay:replay", "A log's jobs under other policies and sizes."),
    "fit": ("msj.cli.fit:fit", "A spec file from a log, and how well it predicts it."),
    "scaling": ("msj.cli.scaling:scaling", "What happens as the cluster grows."),
    "fluid": ("msj.cli.fluid:fluid", "The way into equilibrium, as a fluid."),
    "symbolic": ("msj.cli.symbolic:symbolic", "The answers as fractions and formulas."),
    "paper": ("msj.cli.paper:paper", "The papers' figures, recomputed."),
    "rerun": ("msj.cli.rerun:rerun", "Ask again what a result in a JSON file was the answer to."),
    "check": ("msj.cli.check:check", "What a file is, and whether it is valid."),
    "list": ("msj.cli.list_variants:list_variants", "What a spec file can say, what applies to it, what answers mean."),
    "completion": ("msj.cli.completion:completion", "Tab completion for bash, zsh and fish."),
}


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=f"{WHAT_IT_IS}\n\n{FIRST_STEPS}",
    epilog=f"msj COMMAND --help shows examples of each. {EXIT_CODES}",
)
@click.version_option(package_name="msj")
@click.pass_context
def msj(context: click.Context) -> None:
    """Entry point of all commands."""
    if context.invoked_subcommand is None:
        click.echo(f"msj: {WHAT_IT_IS[0].lower()}{WHAT_IT_IS[1:]}\n")
        click.echo(FIRST_STEPS.removeprefix("\b\n"))
        click.echo("A cluster is one TOML file: msj new writes one to change. msj --help lists the commands.")


speaking(msj)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and leave with its exit code; what users cause gets a sentence, never a traceback."""
    _open_closed_streams()
    manners = Manners()
    with noted_interrupts() as interrupted:
        code = _code_of(arguments, manners, interrupted)
    forget_interrupt()
    if manners.verbose:
        say(f"{time.perf_counter() - manners.started:.2f} seconds in all")
    sys.exit(code if isinstance(code, int) else 0)


def _open_closed_streams() -> None:
    """Let a standard stream that was closed before the start (``msj ... >&-``, cron) lead to nowhere.

    Python has None in its place, and the next file to be opened would get its number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _code_of(arguments: list[str] | None, manners: Manners, interrupted: Callable[[], bool]) -> Any:
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal gets an escape for what it cannot show
    try:
        with redirect_stderr(sys.stderr):  # whatever a quiet command did to it, errors are seen
            code = msj.main(
                args=arguments,
                prog_name="msj",
                standalone_mode=False,
                obj=manners,
                color=None if colour_is_welcome() else False,
            )
    except MsjError as error:
        complain(str(error).replace("\n", "\\n"))  # one line, whatever name the file gave
        code = error.exit_code
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    except click.ClickException as error:
        with redirect_stderr(io.StringIO()) as said:
            error.show()
        click.echo(in_short(said.getvalue()), nl=False, err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        code = 130
    except SystemExit as leave:
        code = leave.code
        if "_MSJ_COMPLETE" not in os.environ:  # click's way out when the reader of our output (head, less) has left
            _let_go_of_output()
            code = 0
    except OSError as error:
        if error.filename is not None:
            complain(f"'{error.filename}' cannot be used ({error.strerror}); check the path")
        else:
            complain(f"the output cannot be written ({error.strerror}); check where it goes")
            _let_go_of_output()
        code = 2
    except MemoryError:
        complain("the memory of this machine is not enough for that; ask about a smaller system, or simulate it")
        code = 2
    except Exception as error:
        from msj.cli.damaged_cache import damaged_cache

        users = mistake_in_a_file(error) or damaged_cache(error)
        if interrupted() and users is None:
            complain("interrupted")
            return 130
        complain(users or _defect(error, manners))
        code = 2 if users else 70
    return code


def _let_go_of_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _defect(error: Exception, manners: Manners) -> str:
    """Return what to say of an error that no user can be blamed for."""
    if manners.verbose:
        return "this is a defect of msj, please report it:\n" + "".join(traceback.format_exception(error))
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"this is a defect of msj, please report it: {type(error).__name__}: {error} "
        f"({Path(place.filename).name}:{place.lineno}); --verbose shows more"
    )
