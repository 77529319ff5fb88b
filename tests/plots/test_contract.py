"""Every picture is draw(result, ax=None), from nothing but a result."""

import importlib
import inspect
import pkgutil

import pytest
from matplotlib.figure import Figure

import msj
import msj.plots
from msj.results import Result

TWO = "examples/two_servers.toml"
#: How to get what each picture shows, and how many panels it has.
PICTURES = {
    "cluster_scaling": (lambda: msj.cluster_scaling(TWO, [2, 4], seed=1), 3),
    "comparison": (lambda: msj.compare(TWO, ["fcfs", "first-fit"], jobs=20_000, seed=1), 2),
    "fluid": (lambda: msj.fluid(TWO, 5, seed=1), 1),
    "load_focused": (lambda: msj.one_and_n_scaling("1/n", [10, 1000]), 4),
    "plan": (lambda: msj.plan(TWO, targets="mean wait <= 1", seed=1), 1),
    "region": (lambda: msj.region(TWO, points=5), 1),
    "response_curve": (lambda: msj.curve(TWO, loads=[0, 0.5, 0.9]), 1),
    "sweep": (lambda: msj.sweep(TWO, vary={"load": [0.3, 0.6, 0.9], "servers": [2, 4]}), 1),
    "waste_curve": (lambda: msj.waste(TWO, "share:large=0..1", points=12), 2),
    "zero_queueing": (
        lambda: msj.zero_queueing_family(["1", "sqrt(n)"], [16, 36], alpha=0.1, simulation=False, seed=1),
        1,
    ),
}


def picture(name):
    return importlib.import_module(f"msj.plots.{name}")


def test_every_picture_is_here():
    names = [module.name for module in pkgutil.iter_modules(msj.plots.__path__)]
    assert [name for name in names if hasattr(picture(name), "draw")] == list(PICTURES)


@pytest.fixture(scope="module", params=PICTURES)
def drawn(request):
    ask, panels = PICTURES[request.param]
    # As JSON has it: a picture knows nothing that a document does not.
    return picture(request.param).draw, Result.from_dict(ask().to_dict()), panels


def test_the_signature_is_the_same(drawn):
    draw, _, _ = drawn
    parameters = inspect.signature(draw).parameters
    assert list(parameters) == ["result", "ax"]
    assert parameters["ax"].default is None


def test_a_figure_of_its_own(drawn):
    draw, result, _ = drawn
    figure = draw(result)
    assert any(axes.has_data() for axes in figure.axes)


def test_into_axes_that_are_given(drawn):
    draw, result, panels = drawn
    figure = Figure()
    axes = figure.subplots(1, panels, squeeze=False)[0]
    assert draw(result, ax=axes[0] if panels == 1 else axes) is figure
    assert all(one.has_data() for one in axes)
    more = Figure().subplots(1, panels + 1)
    with pytest.raises(msj.InvalidInput, match=f"{panels + 1} axes are given for a picture of {panels} panel"):
        draw(result, ax=more)


def test_another_result_is_refused_in_words(drawn):
    draw, _, _ = drawn
    with pytest.raises(msj.InvalidInput, match=r"nothing that the picture shows; give one of msj\."):
        draw(Result(system={}, quantities=()))
