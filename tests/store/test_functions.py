"""A function's identity changes with everything its answer depends on, and with nothing else."""

import importlib
import linecache
import subprocess
import sys
import textwrap
from collections import namedtuple
from enum import Enum
from fractions import Fraction

import numba
import numpy as np
import pytest

from msj.store import (
    NoIdentity,
    class_identity,
    compiled_helpers,
    function_identity,
    function_parts,
    why_no_identity,
)
from msj.store.origins import installed_as

CELLS = iter(range(10_000))


def cell(text, names=None):
    """Run a text as a notebook does: under a name that only linecache knows."""
    text, name, names = textwrap.dedent(text), f"<ipython-input-{next(CELLS)}>", {} if names is None else names
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), names)
    return names


def identity_in(text, name="pick", **values):
    return function_identity(cell(text, dict(values))[name])


PICK = """
    def pick(x, step=1, *, most=2):
        return min(x + step + LIMIT, most)
"""


def test_the_same_text_and_values_have_the_same_identity():
    assert identity_in(PICK, LIMIT=3) == identity_in(PICK, LIMIT=3)
    assert len(identity_in(PICK, LIMIT=3)) == 24
    further_down = identity_in("\n\n\n" + textwrap.dedent(PICK), LIMIT=3, unused=object())
    assert further_down == identity_in(PICK, LIMIT=3)


@pytest.mark.parametrize(
    ("old", "new"),
    [("x + step", "x - step"), ("step=1", "step=2"), ("most=2", "most=2.0"), ("pick(x", "pick(y"), ("min", "max")],
)
def test_an_edited_body_or_default_is_another_function(old, new):
    changed = PICK.replace(old, new).replace("x + step", "y + step" if "y" in new else "x + step")
    assert identity_in(changed, LIMIT=3) != identity_in(PICK, LIMIT=3)


def test_a_changed_default_is_another_function():
    pick = cell(PICK, {"LIMIT": 3})["pick"]
    first = function_identity(pick)
    pick.__defaults__ = (5,)
    second = function_identity(pick)
    pick.__kwdefaults__ = {"most": 7}
    assert len({first, second, function_identity(pick)}) == 3


class Colour(Enum):
    RED = 1
    BLUE = 2


Pair = namedtuple("Pair", "a b")
VALUES = [
    None, True, 1, 1.0, 1.5, "1", b"1", Fraction(1), Fraction(1, 2), (1,), [1], [1, 2], [2, 1], {"a": 1, "b": 2},
    {"b": 2, "a": 1}, {1, 2}, frozenset({1, 2}), np.float64(1.0), np.float32(1.0), np.array([1.0]), np.array(1.0),
    np.array([1]), Colour.RED, Colour.BLUE, Pair(1, 2), range(3), range(4), ..., len, np.minimum, np.maximum, np,
    Colour, Fraction, 1j, textwrap.dedent,
]  # fmt: skip


def test_every_value_of_a_global_has_its_own_identity():
    found = [identity_in(PICK, LIMIT=value) for value in VALUES]
    assert None not in found
    assert len(set(found)) == len(VALUES)


def test_functions_of_numpy_are_known_by_their_name_even_if_they_do_not_say_whose_they_are(monkeypatch):
    package = f"numpy {np.__version__}"
    assert installed_as(np.minimum) == ["numpy", "minimum", package]
    found = {}
    for kind in ("ufunc", "other"):
        silent = type(kind, (), {"__module__": None})()
        silent.__name__ = f"silent_{kind}"
        monkeypatch.setattr(np, silent.__name__, silent, raising=False)
        found[kind] = installed_as(silent)
    assert found == {"ufunc": ["numpy", "silent_ufunc", package], "other": None}


def test_a_value_changed_in_place_is_another_function():
    names = cell(PICK, {"LIMIT": np.zeros(3)})
    before = function_identity(names["pick"])
    names["LIMIT"][1] = 1
    assert function_identity(names["pick"]) != before


def test_closures_count():
    names = cell("""
        def make(limit):
            def pick(x):
                return x < limit
            return pick
    """)
    first, second = names["make"](2), names["make"](3)
    assert function_identity(first) != function_identity(second)
    assert function_identity(first) == function_identity(names["make"](2))
    assert list(function_parts(first)) == ["its body", "the closure variable 'limit'"]


HELPED = """
    def helper(x):
        return x + {step}

    def pick(x):
        return [helper(y) for y in x]
"""


def test_an_edited_helper_of_the_same_module_is_another_function():
    assert identity_in(HELPED.format(step=1)) != identity_in(HELPED.format(step=2))
    assert identity_in(HELPED.format(step=1)) == identity_in(HELPED.format(step=1))


def test_names_inside_nested_functions_count():
    text = "def pick(x):\n    return sorted(x, key=lambda y: (lambda z: z * LIMIT)(y))\n"
    assert identity_in(text, LIMIT=1) != identity_in(text, LIMIT=2)


def test_functions_that_call_each_other_come_to_an_end():
    text = """
        def odd(n): return n > 0 and even(n - {step})
        def even(n): return n == 0 or odd(n - 1)
    """
    found = {(step, name): identity_in(text.format(step=step), name) for step in (1, 3) for name in ("odd", "even")}
    assert len(set(found.values())) == 4
    assert None not in found.values()


def test_a_compiled_helper_counts_by_its_plain_function():
    text = "@njit({options})\ndef helper(x):\n    return x + {step}\n\ndef pick(x):\n    return helper(x)\n"
    found = [
        identity_in(text.format(step=step, options=options), njit=numba.njit)
        for step, options in [(1, ""), (1, ""), (2, ""), (1, "fastmath=True")]
    ]
    assert found[0] == found[1]
    assert len(set(found)) == 3
    assert None not in found


def test_compiled_helpers_come_after_those_they_call():
    names = cell(
        """
        @njit
        def inner(x): return x + LIMIT
        @njit
        def outer(x): return inner(x)
        def plain(x): return outer(x)
        def pick(x): return plain(x) + inner(x) + outer(x)
        """,
        {"njit": numba.njit, "LIMIT": 1},
    )
    assert compiled_helpers(names["pick"]) == [names["inner"], names["outer"]]
    assert compiled_helpers(cell(PICK, {"LIMIT": Foo()})["pick"]) == compiled_helpers(len) == []


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write, import or reload a module of the user's."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = []

    def make(name, text, *, load=True):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        names.append(name)
        if not load:
            return None
        importlib.invalidate_caches()
        return importlib.reload(sys.modules[name]) if name in sys.modules else importlib.import_module(name)

    yield make
    for name in names:
        sys.modules.pop(name, None)


def test_an_imported_module_of_the_users_counts(module):
    module("msj_test_rules", "LIMIT = 2\ndef rule(x): return x < LIMIT\n")
    text = "import msj_test_rules\ndef pick(x): return msj_test_rules.rule(x)\n"
    whole = "from msj_test_rules import rule\ndef pick(x): return rule(x)\n"
    before = [identity_in(text), identity_in(whole)]
    module("msj_test_rules", "LIMIT = 3\ndef rule(x): return x < LIMIT\n")
    after = [identity_in(text), identity_in(whole)]
    assert len({*before, *after, None}) == 5


def test_a_value_set_in_an_imported_module_counts(module):
    rules = module("msj_test_rules", "LIMIT = 2\ndef rule(x): return x < LIMIT\n")
    pick = cell("import msj_test_rules\ndef pick(x): return msj_test_rules.rule(x)\n")["pick"]
    before = function_identity(pick)
    rules.LIMIT = 3
    assert function_identity(pick) != before
    rules.LIMIT = 2
    assert function_identity(pick) == before


def test_a_file_edited_and_not_loaded_again_is_neither_version(module):
    text = "def pick(x):\n    return x + {step}  # {word}\n"
    old = module("msj_test_pick", text.format(step=1, word="a"))
    first = function_identity(old.pick)
    module("msj_test_pick", text.format(step=25, word="b"), load=False)
    between, kept = function_identity(old.pick), function_identity(old.pick, text=False)
    second = function_identity(module("msj_test_pick", text.format(step=25, word="b")).pick)
    assert len({first, between, second}) == 3
    assert kept == function_identity(cell(text.format(step=1, word="c"))["pick"], text=False)


def test_no_source_no_identity():
    names = {}
    exec("def pick(x): return x", names)
    assert function_identity(names["pick"]) is None
    assert function_parts(names["pick"]) == {}
    assert why_no_identity(names["pick"]) == "'pick' has no source that can be read"
    assert function_identity(names["pick"], text=False) is not None


class Foo:
    pass


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def pick(x): return model", "'pick' uses the global 'model', a Foo, whose value cannot be compared"),
        ("def pick(x): return models", "'pick' uses an item of the global 'models', a Foo, whose value"),
        ("def pick(x): return array", "'pick' uses the global 'array', an array of objects"),
        ("def pick(x, y=model): return y", "'pick' uses the default of 'y', a Foo"),
        ("def helper(): return model\ndef pick(x): return helper()", "'helper' uses the global 'model', a Foo"),
        ("def pick(x): return itself", "'pick' uses the global 'itself', which is nested too deeply"),
    ],
)
def test_what_cannot_be_compared_is_said(text, sentence):
    itself = []
    itself.append(itself)
    values = {"model": Foo(), "models": [1, Foo()], "array": np.array([Foo()]), "itself": itself}
    pick = cell(text + "\n", values)["pick"]
    assert function_identity(pick) is None
    assert why_no_identity(pick).startswith(sentence)
    assert why_no_identity(np.minimum) == "'minimum' is no plain function"


def test_classes_of_the_users_count_by_what_they_do():
    text = """
        class Base:
            step = 1
        class Rule(Base):
            def __call__(self, x):
                return x + {word} + self.step
        def pick(x):
            return Rule()(x)
    """
    one, other = cell(text.format(word=1)), cell(text.format(word=2))
    assert function_identity(one["pick"]) != function_identity(other["pick"])
    assert class_identity(one["Rule"]) != class_identity(other["Rule"])
    before = function_identity(one["pick"])
    one["Base"].step = 2
    assert function_identity(one["pick"]) != before
    one["Base"].step = Foo()
    with pytest.raises(NoIdentity, match="a Foo"):
        class_identity(one["Rule"])


def test_parts_say_what_changed():
    names = cell(PICK, {"LIMIT": 3})
    before = function_parts(names["pick"])
    names["LIMIT"] = 4
    after = function_parts(names["pick"])
    assert list(before) == ["its body", "the default of 'step'", "the default of 'most'", "the global 'LIMIT'"]
    assert [key for key in before if before[key] != after[key]] == ["the global 'LIMIT'"]


def test_another_process_finds_the_same_identity(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nfrom enum import Enum\nWORDS = {'b', 'a', 'c'}\nclass Side(Enum):\n    LEFT = 1\n"
        "def pick(x):\n    return x in {'q', 'r', 's'} or x in WORDS or np.sum(x) or Side.LEFT\n"
    )
    ask = "import sys; sys.path.insert(0, '.'); import mine, msj.store as s; print(s.function_identity(mine.pick))"
    found = {
        subprocess.run(
            [sys.executable, "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(found) == 1
    assert len(found.pop().strip()) == 24
