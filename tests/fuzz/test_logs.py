"""Logs with extreme or foolish jobs in them: both commands answer, or say in one sentence why not."""

import tempfile
from pathlib import Path

from attempt import attempt
from hypothesis import example, given, settings
from hypothesis import strategies as st

NUMBERS = [
    "0", "1", "2", "-1", "60", "86400", "1e-9", "0.5", "1e9", "1e15", "1e100", "1e300", "1.7e308", "2147483648",
    "4503599627370496", "9007199254740993", "-5",
]  # fmt: skip
ROWS = st.lists(st.lists(st.sampled_from(NUMBERS), min_size=11, max_size=11), min_size=1, max_size=6)
HEADERS = ["", "; MaxProcs: 4\n", "; MaxProcs: 1000000\n; UnixStartTime: 1e9\n", "; UnixStartTime: 99999999999999\n"]


def asked(text, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.swf"
        path.write_text(text, encoding="utf-8")
        command, *options = arguments
        return attempt(command, path, *options, *(() if "--json" in options else ("--out", folder)))


def some(examples):
    return settings(max_examples=max(1, settings().max_examples * examples // 40))


@some(80)
@given(ROWS, st.sampled_from(HEADERS), st.booleans())
@example([["1", "0", "0", "60", "1", "-1", "-1", "1", "60", "-1", "1"]], HEADERS[1], False)
@example([["1", "0", "0", "1e300", "1", "-1", "-1", "1", "60", "-1", "1"]] * 2, HEADERS[1], False)
@example([["1", "1e300", "1e300", "1e300", "1", "-1", "-1", "1", "1e300", "-1", "1"]] * 2, HEADERS[1], False)
@example([["1", "0", "0", "60", "4503599627370496", "-1", "-1", "1", "60", "-1", "1"]] * 2, HEADERS[0], False)
def test_log_answers(rows, header, as_json):
    text = header + "\n".join(" ".join(row) for row in rows)
    asked(text, "log", "--format", "swf", *(("--json",) if as_json else ()))


@some(80)
@given(ROWS, st.sampled_from(HEADERS), st.sampled_from(["fcfs", "easy-backfilling", "conservative-backfilling"]))
@example([["1", "0", "0", "1e300", "1", "-1", "-1", "1", "60", "-1", "1"]] * 2, HEADERS[1], "easy-backfilling")
@example([["1", "0", "0", "1.7e308", "1", "0", "0", "0", "0", "0", "2"]] * 2, HEADERS[1], "fcfs")
@example([["1", "0", "0", "60", "1000000", "-1", "-1", "1", "60", "-1", "1"]] * 2, HEADERS[2], "easy-backfilling")
def test_replay_answers(rows, header, policy):
    text = header + "\n".join(" ".join(row) for row in rows)
    asked(text, "replay", "--format", "swf", "--policies", policy, "--shakes", "2", "--json")
