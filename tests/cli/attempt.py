"""One command, as a user types it, and what its answer must be: right or a clear sentence, in bounded time."""

import io
import json
import re
import signal
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from msj.cli import main

SECONDS = 20  # a case that takes longer hangs; most take milliseconds
FORBIDDEN = re.compile(r"Traceback|defect of msj|Warning:|<class '|object at 0x")
NOT_A_NUMBER = re.compile(r"(?<![\w.])[-+]?nan(?![\w.])", re.IGNORECASE)


class Hang(BaseException):
    """Not an Exception, so that no command can take it for something a user did."""


@contextmanager
def time_limit(seconds):
    def ring(*_):
        raise Hang(f"no answer within {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(*arguments, seconds=SECONDS):
    """Run a command in this process; return code, stdout, stderr after checking what must hold for all of them."""
    out, err = io.StringIO(), io.StringIO()
    code = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning on a user's terminal is a leak from our kitchen
        with time_limit(seconds), redirect_stdout(out), redirect_stderr(err):
            try:
                main([str(a) for a in arguments])
            except SystemExit as leave:
                code = leave.code
    said, complained = out.getvalue(), err.getvalue()
    shown = f"$ msj {' '.join(map(str, arguments))}\n{said[-2000:]}\n{complained[-2000:]}"
    assert code in (0, 1, 2), f"exit code {code}\n{shown}"
    assert not FORBIDDEN.search(said + complained), shown
    assert not NOT_A_NUMBER.search(said), shown
    if code == 0:
        assert said.strip(), shown
        if "--json" in arguments:
            json.loads(said, parse_constant=lambda text: _refuse(text, shown))
    elif code == 2:
        if arguments[0] == "report" and said:  # it says what it can, and why not more
            assert "not known" in said, shown
            return code, said, complained
        assert said == "", shown
        sentence = complained.strip().splitlines()[-1]
        assert sentence.startswith(("msj: ", "Error: ")), shown
        assert 10 < len(sentence) < 700, shown
        assert sentence.rstrip(").?'").strip(), shown
    return code, said, complained


def _refuse(text, shown):
    raise AssertionError(f"{text} in JSON\n{shown}")


def quantities(said):
    """The rows of a JSON answer that are about all jobs."""
    return {row["name"]: row["value"] for row in json.loads(said)["quantities"] if row["class"] is None}
