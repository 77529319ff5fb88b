"""Damaged, foreign and strange files: a trace in which every row is accounted for, or one sentence."""

import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from logs_by_hand import accounted
from pandas.testing import assert_frame_equal

from msj import MsjError, read_log

SWF = Path("examples/logs/small_cluster.swf").read_bytes().splitlines(keepends=True)[:40]
SACCT = Path("examples/logs/small_cluster_sacct.txt").read_bytes().splitlines(keepends=True)[:40]
CSV = b"submit,need,run,user\n" + b"".join(b"%d,%d,%d,u%d\n" % (i, 1 + i % 4, 60 + i, i % 3) for i in range(30))
FILES = {"swf": b"".join(SWF), "sacct": b"".join(SACCT), "csv": CSV}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def tried(folder, content, **options):
    """Read the file; return the trace, or None if it was refused with a sentence."""
    path = folder / "log"
    path.write_bytes(content)
    refused = None
    try:
        trace = read_log(path, **options)
    except MsjError as error:
        refused = str(error)
    if refused is not None:
        assert refused.startswith("log: ")
        assert 10 < len(refused) < 1500
        return None
    assert accounted(trace)
    assert (trace.column("run") > 0).all()
    assert (trace.column("need") > 0).all()
    return trace


def some(examples):
    return settings(max_examples=max(1, settings().max_examples * examples // 40))


@some(60)
@given(content=st.binary(max_size=300), said=st.sampled_from([None, "swf", "sacct", "csv", "parquet"]))
@example(content=b"", said=None)
@example(content=b"\x00" * 1000, said=None)
@example(content=b"PAR1", said=None)
@example(content=b"PAR1" + b"\xff" * 50 + b"PAR1", said=None)
@example(content=b"\x1f\x8b", said=None)
@example(content=b"\xfd7zXZ\x00", said=None)
@example(content=b"\x28\xb5\x2f\xfd", said=None)
@example(content=b"\xef\xbb\xbf", said="csv")
@example(content=b"\xff\xfe1\x002\x00", said="swf")
@example(content=b";", said=None)
@example(content=b"|" * 300, said="sacct")
@example(content=b"," * 300 + b"\n" + b"," * 300, said="csv")
@example(content=b"\r\r\n\n\r", said="swf")
def test_noise(folder, content, said):
    tried(folder, content, format=said)


@some(100)
@given(data=st.data())
def test_damage(folder, data):
    """Cut off, or with bytes lost, doubled, changed: refused, or read with every row accounted for."""
    name = data.draw(st.sampled_from(sorted(FILES)))
    content = bytearray(FILES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, max(len(content) - 1, 0)))
        damage = data.draw(st.sampled_from(["cut", "lose", "double", "change"]))
        if damage == "cut":
            del content[place + 1 :]
        elif damage == "lose":
            del content[place : place + data.draw(st.integers(1, 60))]
        elif damage == "double":
            content[place:place] = content[place : place + data.draw(st.integers(1, 60))]
        elif content:
            content[place] = data.draw(st.integers(0, 255))
    tried(folder, bytes(content), format=data.draw(st.sampled_from([None, name])))


@some(30)
@given(name=st.sampled_from(["sacct", "csv"]), seed=st.integers(0, 10**6))
def test_shuffled_columns_are_the_same_log(folder, name, seed):
    delimiter = b"|" if name == "sacct" else b","
    rows = [line.split(delimiter) for line in FILES[name].splitlines()]
    order = list(range(len(rows[0])))
    random.Random(seed).shuffle(order)
    trace = tried(folder, b"\n".join(delimiter.join(row[i] for i in order) for row in rows))
    plain = tried(folder, FILES[name])
    assert trace.left_out == plain.left_out
    assert_frame_equal(trace.frame[plain.frame.columns], plain.frame)


@some(30)
@given(name=st.sampled_from(sorted(FILES)), seed=st.integers(0, 10**6))
def test_mixed_line_ends_and_blank_lines_lose_nothing(folder, name, seed):
    rng = random.Random(seed)
    lines = FILES[name].splitlines()
    text = b"".join(line + rng.choice([b"\n", b"\r\n", b"\r", b"\n\n", b"\r\n \n"]) for line in lines)
    trace, plain = tried(folder, text), tried(folder, FILES[name])
    assert trace.rows == plain.rows
    columns = [column for column in plain.frame.columns if column != "line"]
    assert_frame_equal(trace.frame[columns], plain.frame[columns])


@some(30)
@given(name=st.sampled_from(sorted(FILES)), seed=st.integers(0, 10**6))
def test_shuffled_lines_are_the_same_jobs(folder, name, seed):
    first, *rest = FILES[name].splitlines()
    random.Random(seed).shuffle(rest)
    trace, plain = tried(folder, b"\n".join([first, *rest])), tried(folder, FILES[name])
    for column in ("submit", "need", "run"):
        assert sorted(trace.column(column)) == sorted(plain.column(column))
    assert {r: n for r, (n, _) in trace.left_out.items()} == {r: n for r, (n, _) in plain.left_out.items()}


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_cut_is_accounted_for(folder, name):
    """The first n bytes, for many n: rows never vanish, and only the last line can be bad."""
    content = FILES[name]
    for end in range(0, len(content), 97):
        trace = tried(folder, content[:end], format=name)
        if trace is not None:
            bad = {r.value: n for r, (n, _) in trace.left_out.items()}.get("bad-line", 0)
            assert bad <= 1


@pytest.mark.parametrize(
    "content",
    [b"x" * 3_000_000, b"1\n" * 1_000_000, b"a,b\n" + b'"' * 200_000, (b"9" * 5000 + b" ") * 20, b"1|2\n" * 50_000],
)
def test_huge_and_foolish_files_end_soon(folder, content):
    assert tried(folder, content) is None


def test_folders_and_missing_files(folder):
    for path, words in ((folder, "is a folder"), (folder / "nowhere", "No such file")):
        with pytest.raises(MsjError, match=words):
            read_log(path)
