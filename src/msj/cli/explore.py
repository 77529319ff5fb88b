"""``msj explore [FILE]``."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from msj.cli.examples import examples
from msj.cli.messages import say
from msj.cli.options import InputPath, options_of, read_system
from msj.cli.trust import asking_first, trust_option
from msj.errors import InvalidInput, MsjError
from msj.options import ReadOptions

if TYPE_CHECKING:
    from msj.model import System
    from msj.web.recorded import Recording
    from msj.web.serve import Server

START = "cluster"
HOME = ("127.0.0.1", "localhost", "::1")
REDIRECT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>msj explore</title>
<meta http-equiv="refresh" content="0; url={address}">
<p>The page is at <a href="{address}">its address</a>.</p></html>
"""


@click.command()
@click.argument("file", type=InputPath(), metavar="[FILE]", required=False)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port.  [default: a free one]")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen. Any other lets other machines ask, if they know the token.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="HOST:PORT",
    help="Answer requests addressed to HOST:PORT, too: the near end of a tunnel or forwarded port. May be repeated.",
)
@click.option("--idle", type=click.FloatRange(min=0, min_open=True), metavar="MINUTES",
              help="End after MINUTES without a request.  [default: never]")  # fmt: skip
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="FILE.py:FUNCTION",
    help="Offer a policy function of your own on the page. May be repeated.",
)
@trust_option
@options_of(ReadOptions, "reading")
def explore(
    file: Path | None,
    no_browser: bool,
    port: int,
    host: str,
    allowed_hosts: tuple[str, ...],
    idle: float | None,
    policies: tuple[str, ...],
    trust: bool,
    reading: ReadOptions,
) -> None:
    """Show the cluster in FILE on a page and let it be changed: servers, load, policy, shares, needs, a cap.

    The page is served on this machine only, at an address with a token made for this run; it needs no network. FILE
    is a spec file or a log: then the page has its jobs as independent classes and replays them, too.
    Without FILE an example is shown. Ctrl-C ends it. Needs msj[web] (starlette and uvicorn). A spec file may name a
    Python file with a policy; it is run only after a confirmation, or with --trust.

    \b
    Examples:
      msj explore
      msj explore examples/hpc_partition.toml
      msj explore examples/gpu_training.toml --no-browser --idle 30
      msj explore examples/logs/small_cluster.swf
      msj explore --no-browser --port 8000 --allow-host localhost:9000   with ssh -L 9000:localhost:8000
    """
    known = examples()
    server_class = _server_class()
    log = _recording(file, reading)
    with asking_first(file, trust=trust):
        start = log.as_system() if log is not None else read_system(file if file is not None else known[START])
    for place in policies:
        start.replace(policy=place)  # refused now, in words
    if host not in HOME:
        say(f"warning: listening at {host}: whoever reaches this machine and learns the address may ask it anything")
    server = server_class(
        start,
        presets=_presets(known),
        own_policies=policies,
        log=log,
        host=host,
        port=port,
        allowed_hosts=allowed_hosts,
        idle=None if idle is None else 60.0 * idle,
    )
    click.echo(server.address)  # its socket listens already
    say("the page is at the address above; Ctrl-C ends it")
    for each in allowed_hosts:
        say(f"it also answers at http://{each}/{server.token}/")
    with ExitStack() as while_served, suppress(KeyboardInterrupt):  # Ctrl-C is the usual way to end it
        if not no_browser:
            _open_browser(while_served.enter_context(redirect_file(server.address)))
        server.serve_until_told()
    say("ended")


@contextmanager
def redirect_file(address: str) -> Iterator[Path]:
    """Provide a file that only its owner can read and that leads a browser to the address.

    The command line of a browser can be read by every user of the machine, so it must not contain the token.
    """
    with tempfile.TemporaryDirectory(prefix="msj-explore-", ignore_cleanup_errors=True) as folder:  # mode 0700
        file = Path(folder) / "open.html"
        file.touch(mode=0o600)
        file.write_text(REDIRECT.format(address=html.escape(address)), encoding="utf-8")
        yield file


def _open_browser(file: Path) -> None:
    import webbrowser

    if not webbrowser.open(file.as_uri()):
        say("no browser was found; open the address above")


def _recording(file: Path | None, reading: ReadOptions) -> Recording | None:
    """Return the log; None where FILE is a spec file, which options for logs do not go with."""
    from msj.logs.formats import is_log
    from msj.logs.spec_or_log import require_no_reading

    if file is None or not is_log(file, reading):
        require_no_reading(reading)
        return None
    from msj.web.recorded import Recording

    return Recording(file=file, reading=reading.given())


def _server_class() -> type[Server]:
    try:
        from msj.web.serve import Server
    except ModuleNotFoundError as error:
        raise InvalidInput(f"msj explore needs {error.name}, which is not installed: pip install 'msj[web]'") from None
    return Server


def _presets(known: dict[str, Path]) -> dict[str, System]:
    """Return the examples that are clusters of the plain kind, as people call them."""
    from msj.model import read

    found = {}
    for path in known.values():
        if path.suffix == ".toml" and "models" not in path.parts:
            try:
                system = read(path)
            except MsjError:
                continue
            found[system.name or path.stem] = system
    return found
