"""What a function's identity is made of, case by case: what counts, what does not, and what has none."""

import argparse
import collections
import linecache
import site
import sys
import textwrap
from types import ModuleType

import numba
import numpy as np
import pytest

from msj.store.digest import digest
from msj.store.functions import class_identity, compiled_helpers, function_identity, function_parts, why_no_identity
from msj.store.origins import _in_an_installed_folder, _package, _site_folders, installed
from msj.store.sources import attributes_of, bytecode, globals_of, imports_of, is_all, source_of
from msj.store.walk import Walk, wants

CELLS = iter(range(10_000))


def cell(text, **names):
    """Run a text as a notebook does: under a name that only linecache knows."""
    text, name = textwrap.dedent(text), f"<walk-{next(CELLS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), names)
    return names


def unseen(text, name="helper", **names):
    """Return a function whose text nobody can read."""
    exec(text, names)
    return names[name]


def test_defaults_belong_to_the_last_arguments():
    pick = cell("def pick(a, b, x, c=3, d=4, *, e=5, f): return a")["pick"]
    assert list(wants(pick)) == [("the default of 'c'", 3), ("the default of 'd'", 4), ("the default of 'e'", 5)]
    assert list(wants(cell("def pick(a, b): return a")["pick"])) == []


def test_attributes_of_a_function_count_where_it_asks_for_them():
    names = cell("def pick(a):\n    return a < pick.limit\n")
    names["pick"].limit, names["pick"].other = 3, 4
    assert [label for label, _ in wants(names["pick"])] == ["the attribute 'limit'", "the global 'pick'"]


def test_names_without_a_value_count_and_builtins_do_not():
    text = "def pick(a): return len(a) + LATER\n"
    assert [label for label, _ in wants(cell(text)["pick"])] == ["the global 'LATER'"]
    assert function_identity(cell(text)["pick"]) == function_identity(cell(text)["pick"])
    assert function_identity(cell(text)["pick"]) != function_identity(cell(text, LATER=1)["pick"])
    empty = cell("def make():\n    def pick(): return later\n    return pick\n    later = 1\n")["make"]()
    assert [label for label, _ in wants(empty)] == ["the closure variable 'later'"]
    assert function_identity(empty) is not None


def test_modules_imported_inside_count_if_they_are_there():
    there, missing = (
        cell(f"def pick():\n    import {name}\n    return {name}.x\n")["pick"] for name in ("json", "no_")
    )
    assert [label for label, _ in wants(there)] == ["the module 'json'"]
    assert why_no_identity(missing) == "'pick' imports 'no_' when it is called; import it outside"


def test_the_text_counts_and_the_bytecode_only_where_the_text_does_not_say_all():
    text = "def pick(x):\n    return x + 1\n"
    pick = cell(text)["pick"]
    assert Walk(text=True).body(pick) == [text, None]
    assert Walk(text=False).body(pick) == ["", bytecode(pick.__code__)]
    inner = cell("def make(y):\n    def pick(x):\n        return x + y\n    return pick\n")["make"](2)
    assert Walk(text=True).body(inner) == ["def pick(x):\n    return x + y\n", bytecode(inner.__code__)]


def test_a_function_that_calls_itself_is_not_written_into_its_own_globals():
    """So an edited body is told as that, and the global of its own name has not changed."""
    text = "def pick(n):\n    return n and pick(n - {step})\n"
    one, other = (function_parts(cell(text.format(step=step))["pick"]) for step in (1, 2))
    assert [key for key in one if one[key] != other[key]] == ["its body"]
    assert list(one) == ["its body", "the global 'pick'"]


class Numbers(np.ndarray):
    """An array of a kind of one's own."""


class Row(tuple):
    """A tuple of a kind of one's own."""


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (np.random.default_rng(1), "'pick' uses the global 'LIMIT', a Generator, whose value cannot be compared"),
        (np.zeros(2).view(Numbers), "'pick' uses the global 'LIMIT', a Numbers, whose value cannot be compared"),
        (argparse.Namespace(), "'pick' uses the global 'LIMIT', a Namespace, whose value cannot be compared"),
        (Row((1, 2)), "'pick' uses the global 'LIMIT', a Row, whose value cannot be compared"),
        (collections.OrderedDict(), "'pick' uses the global 'LIMIT', a OrderedDict, whose value cannot be compared"),
        ([[object()]], "'pick' uses an item of the global 'LIMIT', a object, whose value cannot be compared"),
        (unseen("def helper(): return 1"), "'helper' has no source that can be read"),
    ],
)
def test_what_is_like_a_value_but_is_none_is_said(value, sentence):
    assert why_no_identity(cell("def pick(x): return x + LIMIT\n", LIMIT=value)["pick"]) == sentence


def test_a_module_of_ones_own_counts_by_its_text_where_texts_count(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for word in ("one", "other"):
        module = ModuleType("msj_test_words")
        module.__file__ = str(tmp_path / f"{word}.py")
        (tmp_path / f"{word}.py").write_text(f"LIMIT = 2  # {word}\n")
        module.LIMIT = 2
        pick = cell("def pick(x): return x < words.LIMIT\n", words=module)["pick"]
        found.append((function_identity(pick), function_identity(pick, text=False)))
    assert found[0][0] != found[1][0]
    assert found[0][1] == found[1][1] is not None
    (tmp_path / "other.py").unlink()
    assert "other.py' cannot be read" in why_no_identity(pick)
    assert function_identity(pick, text=False) == found[1][1]
    without = ModuleType("msj_test_words")  # of a notebook: its values are all there is
    without.LIMIT = 2
    identities = [function_identity(cell("def pick(x): return x < words.LIMIT\n", words=without)["pick"])]
    without.LIMIT = 3
    identities.append(function_identity(cell("def pick(x): return x < words.LIMIT\n", words=without)["pick"]))
    assert len({*identities, None}) == 3


def test_methods_without_text_count_by_what_they_do_but_functions_after_the_class_need_theirs():
    """As a dataclass has them: made by a decorator."""
    made = [type("Rule", (), {"limit": 1, "method": unseen(f"def helper(x): return x + {n}")}) for n in (1, 1, 2)]
    first, same, other = (function_identity(cell("def pick(x): return Rule()\n", Rule=kind)["pick"]) for kind in made)
    assert first == same != other
    assert None not in (first, other)
    pair = cell("def pick(x): return PAIR\n", PAIR=(made[0], unseen("def helper(): return 1")))
    assert why_no_identity(pair["pick"]) == "'helper' has no source that can be read"


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("limit__ = {}", True),
        ("limit = {}", True),
        ("def __call__(self): return {}", True),
        ("@staticmethod\n    def limit(): return {}", True),
        ("@classmethod\n    def limit(cls): return {}", True),
        ("@property\n    def limit(self): return {}", True),
        ("@functools.cached_property\n    def limit(self): return {}", True),
        ("__note__ = {}", False),  # names that Python keeps
    ],
)
def test_what_stands_in_a_class_counts_if_somebody_wrote_it(body, counts):
    import functools

    text = f"class Rule:\n    {body}\n"
    one, again, other = (class_identity(cell(text.format(n), functools=functools)["Rule"]) for n in (1, 1, 2))
    assert one == again
    assert (one != other) is counts


def test_a_text_is_all_of_a_function_only_if_it_does_the_same():
    pick = cell("def pick(x):\n    return x + 1\n")["pick"]
    for text, same in (
        ("def pick(x):\n    return x + 1  # words\n", True),
        ("def pick(x):\n    return x + 2\n", False),
        ("def other(x):\n    return x + 1\n", False),
        ("def pick(x):\n    return x + 1\ndef pick(x):\n    return x + 1\n", False),  # which of them?
        ("def pick(x):\n", False),
        ("x\0", False),
    ):
        assert is_all(text, pick) is same


def test_annotations_that_are_postponed_in_a_file_are_so_in_its_text():
    pick = cell("from __future__ import annotations\n\n\ndef pick(x: Missing) -> Missing:\n    return x\n")["pick"]
    assert source_of(pick) == "def pick(x: Missing) -> Missing:\n    return x\n"
    assert is_all(source_of(pick), pick)


def test_names_are_those_of_all_functions_inside():
    text = """
        def pick(x):
            import json.decoder
            def inner(y): return FIRST + y.second
            return inner(x).third(len)
    """
    code = cell(text)["pick"].__code__
    assert globals_of(code) == ("FIRST", "len")
    assert imports_of(code) == ("json.decoder",)
    assert {"FIRST", "second", "third", "len"} <= set(attributes_of(code))
    assert list(attributes_of(code)) == sorted(attributes_of(code))


def test_constants_are_told_apart_by_kind_and_sets_have_no_order():
    def written(text):
        return bytecode(cell(f"def pick(x): return {text}\n")["pick"].__code__)

    kinds = [
        "1",
        "1.0",
        "True",
        "'1'",
        "b'1'",
        "(1, 2)",
        "(2, 1)",
        "...",
        "x in {1, 2}",
        "lambda: 1",
        "1j",
        "-0.0",
        "0.0",
    ]
    found = [digest(written(kind)) for kind in kinds]
    assert len(set(found)) == len(kinds)
    assert written("x in {'a', 'b', 'c'}") == written("x in {'c', 'a', 'b'}")


def test_whose_a_module_is():
    numpy, python = f"numpy {np.__version__}", f"Python {sys.version_info.major}.{sys.version_info.minor}"
    main = ModuleType("__main__")
    main.__file__ = np.__file__
    cases = [(None, None), (main, None), (ModuleType("mine"), None), (sys, python), (textwrap, python), (np, numpy)]
    for module, package in cases:
        assert installed(module) == package
    name = _package.__wrapped__
    assert (name("json.decoder"), name("numpy.random"), name("no_such.inner")) == (python, numpy, "no_such")
    within = _in_an_installed_folder.__wrapped__
    assert (within(np.__file__), within(textwrap.__file__), within("/nowhere/mine.py")) == (True, True, False)


def test_folders_of_packages_are_those_that_python_names(monkeypatch):
    monkeypatch.setattr(site, "getsitepackages", lambda: ["/every"])
    for own, folders in (("/own", ["/every", "/own"]), ("", ["/every"])):
        monkeypatch.setattr(site, "getusersitepackages", lambda own=own: own)
        assert _site_folders() == folders


def test_comments_count_only_where_texts_do():
    text = "def pick(x):\n    return x  # {}\nclass Rule:\n    def rule(self):\n        return 1  # {}\n"
    one, other = (cell(text.format(word, word)) for word in ("a", "b"))
    assert function_identity(one["pick"]) != function_identity(other["pick"])
    assert function_identity(one["pick"], text=False) == function_identity(other["pick"], text=False)
    assert class_identity(one["Rule"]) != class_identity(other["Rule"])


def test_compiled_helpers_are_found_even_if_their_text_is_not():
    helper = numba.njit(unseen("def helper(x): return x + 1"))
    assert compiled_helpers(cell("def pick(x): return helper(x)\n", helper=helper)["pick"]) == [helper]
