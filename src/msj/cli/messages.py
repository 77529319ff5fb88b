"""Messages to people, on stderr: ``--quiet`` leaves errors only, ``--verbose`` adds how an answer was found.

Results are for stdout and are not affected. A quiet command simply has nothing to write to: whatever it, a progress bar
or a library says goes nowhere, and errors are printed after it has ended.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from typing import Any

import click


@dataclass
class Manners:
    """How one call of ``msj`` speaks; every command finds it as its context's ``obj``."""

    quiet: bool = False
    verbose: bool = False
    started: float = field(default_factory=time.perf_counter)


def manners() -> Manners:
    """Return how the running command speaks; the usual way where no command runs."""
    context = click.get_current_context(silent=True)
    found = context.find_object(Manners) if context is not None else None
    return found if found is not None else Manners()


#: Anything but lines, tabs and what can be seen: terminal escapes, C1 controls, marks that reverse the direction.
CONTROL = re.compile(r"[^\n\t\x20-\x7e\xa0-\u2027\u2030-\u2065\u206a-\U0010ffff]")


def printable(text: str) -> str:
    r"""Return a text whose control characters are written as escapes, so that no name can steer a terminal.

    Examples
    --------
    >>> printable("class \x1b]0;owned\x07")
    'class \\x1b]0;owned\\x07'
    """
    return CONTROL.sub(lambda sign: repr(sign[0])[1:-1], text)


def echo(text: str, *, nl: bool = True) -> None:
    """Print a text for people on standard output."""
    click.echo(printable(text), nl=nl)


def echo_with_headings(write: Callable[[Callable[[str], str]], str]) -> None:
    """Print a text with headings in bold; ``write`` is given the function that marks them."""
    mark = secrets.token_hex(8)  # no name can contain it
    text = printable(write(lambda title: f"{mark}{title.upper()}{mark}"))
    click.echo(re.sub(f"{mark}(.*?){mark}", lambda found: click.style(found[1], bold=True), text))


def say(sentence: str) -> None:
    """Print a message for people, on standard error."""
    click.echo(f"msj: {printable(sentence)}", err=True)


def remark(sentence: str) -> None:
    """Tell those who asked for more (``--verbose``)."""
    if manners().verbose:
        say(sentence)


def complain(sentence: str) -> None:
    """Print an error; in red on a terminal whose user has nothing against colours."""
    name = click.style("msj:", fg="red", bold=True) if sys.stderr.isatty() and colour_is_welcome() else "msj:"
    click.echo(f"{name} {in_short(sentence)}", err=True)


def in_short(sentence: str) -> str:
    """Return a sentence fit for a screen: no word of thousands of letters, no control characters."""
    return re.sub(r"\S{201,}", lambda word: f"{word[0][:80]}...{word[0][-40:]}", printable(sentence))


def colour_is_welcome() -> bool:
    """Whether the user has not asked for plain text (NO_COLOR set to anything, or a terminal that knows no colours)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def explain(document: dict[str, Any], *, of: str = "") -> None:
    """With ``--verbose``, say which methods gave a result and where it comes from."""
    if not manners().verbose:
        return
    by_method: dict[tuple[str, str], dict[str, None]] = {}
    for row in document.get("quantities", ()):
        by_method.setdefault((row["kind"], row["method"]), {})[row["name"]] = None
    for (kind, method), names in by_method.items():
        say(f"{of}{kind}, by {method}: {', '.join(names)}")
    facts = {key: value for key, value in document.get("provenance", {}).items() if key != "question"}
    if facts:
        say(f"{of}provenance: " + ", ".join(f"{key} {value}" for key, value in facts.items()))


def speaking(command: click.Command) -> click.Command:
    """Let a command, and the commands inside it, take ``--quiet`` and ``--verbose``."""
    if not any(option.name == "quiet" for option in command.params):
        command.params += [
            click.Option(
                ["-q", "--quiet"], is_flag=True, expose_value=False, callback=_hush, help="No messages but errors."
            ),
            click.Option(
                ["-v", "--verbose"], is_flag=True, expose_value=False, callback=_speak_up,
                help="Say how the answer was found.",
            ),
        ]  # fmt: skip
    for inner in getattr(command, "commands", {}).values():
        speaking(inner)
    return command


def _hush(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.ensure_object(Manners).quiet = True
        _not_both(context)
        context.with_resource(redirect_stderr(io.StringIO()))


def _speak_up(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.ensure_object(Manners).verbose = True
        _not_both(context)


def _not_both(context: click.Context) -> None:
    found = context.ensure_object(Manners)
    if found.quiet and found.verbose:
        raise click.UsageError("--quiet and --verbose are both given; choose one")
