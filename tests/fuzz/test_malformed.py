"""Files that are not spec files, or nearly: every command answers with one sentence."""

import json
import tempfile
from pathlib import Path

import pytest
from attempt import attempt
from hypothesis import example, given, settings
from hypothesis import strategies as st

import msj
from msj.model.spec_file import to_json, to_toml

EXAMPLE = msj.read("examples/two_servers.toml")
TEXTS = {".toml": to_toml(EXAMPLE), ".json": to_json(EXAMPLE)}
COMMANDS = [
    ("analyse",), ("analyse", "--json", "--no-exact"), ("curve", "--loads", "0.5"),
    ("waste", "--vary", "share:large=0..1", "--points", "3"), ("symbolic",),
    ("simulate", "--jobs", "200", "--replications", "2", "--seed", "1"),
    ("compare", "--policies", "fcfs,first-fit", "--jobs", "200", "--replications", "2", "--seed", "1"),
    ("list", "analyses"), ("list", "policies"),
]  # fmt: skip
FEW = 25  # examples of each kind in the fast suite; `make verify` draws more


def asked(command, path):
    name, *flags = command
    if name == "list":
        return attempt(name, *flags, path)
    return attempt(name, path, *flags)


def of_bytes(content, ending, command):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"cluster{ending}"
        path.write_bytes(content)
        return asked(command, path)


def some(examples=FEW):
    """As many examples as the profile says, but few in the fast suite."""
    return settings(max_examples=max(1, settings().max_examples * examples // 40))


@some(40)
@given(st.binary(max_size=120), st.sampled_from([".toml", ".json", ".TOML", ""]), st.sampled_from(COMMANDS))
@example(b"", ".toml", COMMANDS[0])
@example(b"\x00", ".json", COMMANDS[0])
@example(b"\xef\xbb\xbf", ".toml", COMMANDS[0])
@example(b"[" * 100_000, ".json", COMMANDS[0])
@example(b"a = " + b"[" * 100_000, ".toml", COMMANDS[0])
@example(b"null", ".json", COMMANDS[0])
@example(b"[]", ".json", COMMANDS[0])
@example(b'"a"', ".json", COMMANDS[0])
def test_noise(content, ending, command):
    assert of_bytes(content, ending, command)[0] == 2


@some()
@given(st.data())
def test_damaged_text(data):
    """A valid file cut off, or with some bytes changed, lost or doubled: refused, or still a file and understood."""
    ending = data.draw(st.sampled_from(sorted(TEXTS)))
    content = bytearray(TEXTS[ending].encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        damage = data.draw(st.sampled_from(["cut", "lose", "double", "change"]))
        if damage == "cut":
            del content[place + 1 :]
        elif damage == "lose":
            del content[place : place + 1]
            content = content or bytearray(b" ")
        elif damage == "double":
            content[place:place] = content[place : place + data.draw(st.integers(1, 40))]
        else:
            content[place] = data.draw(st.integers(0, 255))
    of_bytes(bytes(content), ending, data.draw(st.sampled_from(COMMANDS)))


NUMBERS = [
    0, -1, 1, 2, 3, 1.5, -0.0, 1e-12, 1e12, 1e-300, 1e300, 5e-324, 1.7e308, 10**30, 10**400, -(10**400), 2**63, 2**64,
    float("nan"), float("inf"), float("-inf"), "1/3", "2/0", "1e400", "0x10", "١", "nan_", "inf", "1_000",
]  # fmt: skip
OTHERS = [
    None, True, False, "", " ", "small", "fcfs", "\x00", "\ud800", "é" * 3, "a" * 10_000, [], {}, [[]], [1, "2"],
    {"law": "exponential"}, {"law": "erlang", "stages": 2, "mean": 1}, {"law": None}, {"law": ["erlang"]},
    {"name": "fcfs"}, {"name": {}}, {"name": "first-fit", "window": 0}, {"name": "first-fit", "window": 2, "more": 1},
    [{}], {"a": {"b": []}},
]  # fmt: skip
JUNK = st.one_of(
    st.sampled_from(NUMBERS + OTHERS),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    ),
)


def places(document, before=()):
    """Every place in a document, as a path of keys."""
    yield before
    steps = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in steps:
        yield from places(value, (*before, key))


def replaced(document, path, value):
    if not path:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[path[0]] = replaced(document[path[0]], path[1:], value)
    return copy


DOCUMENT = json.loads(TEXTS[".json"])


@some(60)
@given(st.sampled_from(list(places(DOCUMENT))), JUNK, st.sampled_from(COMMANDS))
def test_anything_anywhere(path, value, command):
    text = json.dumps(replaced(DOCUMENT, path, value))  # NaN and Infinity are written as Python's reader takes them
    of_bytes(text.encode("utf-8", "surrogatepass"), ".json", command)


@some(30)
@given(st.sampled_from(["servers", "load", "utilisation", "arrival_rate", "classes", "model", "polcy", "name"]), JUNK)
def test_further_keys(key, value):
    of_bytes(json.dumps(DOCUMENT | {key: value}).encode("utf-8", "surrogatepass"), ".json", COMMANDS[1])


LAWS = {
    "exponential": {"mean": 1}, "erlang": {"stages": 2, "mean": 1}, "deterministic": {"value": 1},
    "hyperexponential": {"rates": [1, 2], "probabilities": [0.5, 0.5]}, "coxian": {"rates": [1, 2], "continue": [0.5]},
    "phase-type": {"initial": [1], "generator": [[-1]]}, "uniform": {"low": 1, "high": 2},
    "lognormal": {"mean": 1, "cv": 2}, "pareto": {"shape": 2.5, "minimum": 1}, "weibull": {"shape": 0.5, "scale": 1},
    "empirical": {"values": [1, 2, 3]}, "fit": {"mean": 1, "cv": 2}, "scipy": {"name": "gamma", "a": 2, "scale": 1},
}  # fmt: skip


def test_every_law_has_an_example_here():
    assert set(LAWS) == set(msj.registry.DURATIONS.names())


@some(60)
@given(st.sampled_from(sorted(LAWS)), st.data())
def test_laws_with_anything_in_them(law, data):
    table = {"law": law, **LAWS[law]}
    key = data.draw(st.sampled_from([*LAWS[law], "nonsense"]))
    table[key] = data.draw(JUNK)
    document = replaced(DOCUMENT, ("classes", 0, "duration"), table)
    command = data.draw(st.sampled_from([COMMANDS[1], COMMANDS[5], COMMANDS[7]]))
    of_bytes(json.dumps(document).encode("utf-8", "surrogatepass"), ".json", command)


FLAGS = [
    ("analyse", "--load"), ("analyse", "--arrival-rate"), ("analyse", "--utilisation"), ("analyse", "--states"),
    ("analyse", "--law"), ("curve", "--loads"), ("waste", "--vary"), ("symbolic", "--parameters"),
    ("simulate", "--policy"), ("simulate", "--jobs"), ("simulate", "--time"), ("simulate", "--precision"),
    ("simulate", "--seed"), ("simulate", "--replications"), ("simulate", "--processes"), ("compare", "--policies"),
]  # fmt: skip
WORDS = [
    "", " ", ",", "0", "-1", "nan", "inf", "-inf", "1e999", "1e-999", "1/0", "0.5", "0.5,", "0.5,0.5", "a", "\x00", "{",
    "{}", "{ name = 1 }", "fcfs", "fcfs,fcfs", "fcfs,", "p1", "p1,p1", "share:large=0..1..2", "share:large=1..0",
    "servers=2..1e9", "rate-ratio=0..1", "servers=..", "é", "x" * 5000, "99999999999999999999999",
    "no.py:f", "README.md:f", ":", "--",
]  # fmt: skip


@pytest.mark.parametrize(("command", "flag"), FLAGS)
def test_flags_with_anything_in_them(command, flag):
    few = {"simulate": ("--jobs", "200", "--seed", "1"), "compare": ("--jobs", "200", "--seed", "1")}.get(command, ())
    for word in WORDS:
        attempt(command, "examples/two_servers.toml", *few, f"{flag}={word}")
