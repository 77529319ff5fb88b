"""What `import msj` shows, and what the names do."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import msj

VERBS = (
    "analyse", "cluster_scaling", "compare", "curve", "design", "fluid", "in_symbols",
    "log", "one_and_n_scaling", "paper", "plan",
    "replay",
    "read_sweep", "report", "rerun", "simulate", "sweep", "waste", "zero_queueing", "zero_queueing_family",
)  # fmt: skip
ABOUT_A_SYSTEM = [verb for verb in VERBS if "system" in inspect.signature(getattr(msj, verb)).parameters]
RANDOM = [verb for verb in VERBS if "rng" in inspect.signature(getattr(msj, verb)).parameters]


def test_dir_shows_what_people_use_and_nothing_else():
    shown = {name for name in dir(msj) if not name.startswith("__")}
    assert shown == set(msj.__all__)
    assert {"System", "JobClass", "Exponential", "Fcfs", "read", "write", "Result", "Quantity", "replay"} <= shown
    assert not shown & {"importlib", "Any", "TYPE_CHECKING", "annotations", "analysis", "simulation", "reports"}


@pytest.mark.parametrize("name", msj.__all__)
def test_every_name_is_there_and_says_what_it_is(name):
    assert inspect.getdoc(getattr(msj, name))


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_have_real_signatures(verb):
    parameters = inspect.signature(getattr(msj, verb)).parameters.values()
    assert not any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
    assert all(p.annotation is not p.empty for p in parameters)


@pytest.mark.parametrize("verb", RANDOM)
def test_what_is_random_takes_seed_and_rng(verb):
    assert "seed" in inspect.signature(getattr(msj, verb)).parameters


def test_no_public_function_is_written_with_more_than_a_dozen_parameters():
    """More than that come in groups of options (msj.options)."""
    found = {}
    for path in Path("src/msj").rglob("*.py"):
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
                given = one.args
                found[f"{path}:{one.name}"] = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
    assert {name: count for name, count in found.items() if count > 12} == {}


@pytest.mark.parametrize("verb", VERBS)
def test_every_parameter_is_documented(verb):
    """In its own docstring, or by the fields of its options."""
    text = inspect.getdoc(getattr(msj, verb)).partition("Examples\n--------")[0]
    words = set(re.findall(r"\w+", text))
    assert set(inspect.signature(getattr(msj, verb)).parameters) <= words


OPTIONS = {
    "analyse": {"percentiles": False},
    "cluster_scaling": {"servers": [2, 4], "seed": 1},
    "compare": {"policies": ["fcfs", "first-fit"], "jobs": 2000, "seed": 1},
    "curve": {"loads": [0.5]},
    "design": {},
    "fluid": {"until": 2, "seed": 1},
    "in_symbols": {},
    "plan": {"targets": "mean wait <= 1", "seed": 1},
    "report": {"policies": ["first-fit"], "precision": 0.5, "seed": 1, "seconds": 500},
    "simulate": {"jobs": 2000, "seed": 1},
    "waste": {"vary": "servers=2..4"},
    "zero_queueing": {"jobs": 2000, "seed": 1},
}


@pytest.mark.parametrize("verb", ABOUT_A_SYSTEM)
def test_a_file_name_is_accepted_where_a_system_is(verb):
    ask, path = getattr(msj, verb), "examples/two_servers.toml"
    found = [ask(given, **OPTIONS[verb]) for given in (path, Path(path), msj.read(path))]
    assert found[0].quantities == found[1].quantities == found[2].quantities
    assert found[0].provenance["identity"] == found[2].provenance["identity"]


@pytest.mark.parametrize("name", ["saturate", "open_system"])
def test_objects_to_calculate_with_come_from_files_too(name):
    assert getattr(msj, name)("examples/two_servers.toml")


def test_what_is_no_system_is_refused():
    for verb in (*ABOUT_A_SYSTEM, "saturate", "open_system"):
        more = {"compare": (["fcfs", "first-fit"],), "waste": ("servers=2..4",), "fluid": (5,)}.get(verb, ())
        with pytest.raises(msj.InvalidInput, match="42 is no cluster"):
            getattr(msj, verb)(42, *more)


IMPORT_EVERYTHING = """
import importlib, pkgutil, msj
before = {name: getattr(msj, name) for name in msj.__all__}
for module in pkgutil.walk_packages(msj.__path__, "msj."):
    if module.name != "msj.__main__":
        importlib.import_module(module.name)
changed = [name for name in msj.__all__ if getattr(msj, name) is not before[name]]
assert not changed, changed
"""


def test_importing_any_room_never_replaces_a_name():
    subprocess.run([sys.executable, "-c", IMPORT_EVERYTHING], check=True)


def test_importing_the_package_loads_neither_numpy_nor_the_compiler():
    code = "import sys, msj; assert not {'numpy', 'scipy', 'numba', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_and_systems_show_themselves_in_notebooks():
    system = msj.read("examples/two_servers.toml")
    assert "<table>" in system._repr_html_()
    page = msj.analyse(system)._repr_html_()
    assert "7.517772" in page
    assert "stability_threshold" in page
