"""The command line: parse, call, print.

Results go to stdout, messages to stderr. Exit codes: 0 done, 1 the answer is no, 2 bad input, 130 interrupted.
Commands import what they need when they run, so that ``msj --help`` answers at once.
"""

from __future__ import annotations

import os
import sys

import click

from msj.cli.analyse import analyse
from msj.cli.compare import compare
from msj.cli.curve import curve
from msj.cli.list_variants import list_variants
from msj.cli.simulate import simulate
from msj.cli.symbolic import symbolic
from msj.cli.waste import waste
from msj.errors import MsjError

FIRST_STEPS = """\b
First steps:
  msj analyse examples/two_servers.toml        how much load it takes, what it wastes
  msj analyse FILE --load 0.9 --json           the same for programs, at another load
  msj curve FILE --plot curve.png              response time against load
  msj simulate FILE --jobs 1000000 --seed 1    what cannot be solved, or to check it
  msj compare FILE --policies fcfs,first-fit   policies on the same jobs
  msj waste FILE --vary share:large=0..1       where the waste is largest
  msj list durations                           what a spec file can say
"""


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Clusters whose jobs hold several servers at once: how much load they take, how much they waste, "
    "how long jobs stay.\n\n" + FIRST_STEPS,
)
@click.version_option(package_name="msj")
@click.pass_context
def msj(context: click.Context) -> None:
    """Entry point of all commands."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (analyse, compare, curve, list_variants, simulate, symbolic, waste):
    msj.add_command(_command)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and leave with its exit code; what users cause gets a sentence, never a traceback."""
    try:
        code = msj.main(args=arguments, prog_name="msj", standalone_mode=False)
    except MsjError as error:
        click.echo(f"msj: {error}", err=True)
        code = error.exit_code
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    except click.ClickException as error:
        error.show()
        code = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("msj: interrupted", err=True)
        code = 130
    except SystemExit:  # click's way out when the reader of our output (head, less) has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        click.echo(f"msj: the output cannot be written ({error.strerror}); check where it goes", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 2
    sys.exit(code if isinstance(code, int) else 0)
