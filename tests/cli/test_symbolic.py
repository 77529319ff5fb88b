"""``msj symbolic``."""

import pytest
from test_cli import EXAMPLE


def test_fractions(run):
    code, out, _ = run("symbolic", EXAMPLE)
    assert code == 0
    assert "lambda* = 9/10" in out
    assert "43/100" in out


def test_formulas_in_three_styles(run):
    _, out, _ = run("symbolic", EXAMPLE, "--parameters", "p1,p2,mu1,mu2")
    assert "2*mu1*mu2/(2*mu1*p2 + mu2*p1*(p2 + 1))" in out
    _, out, _ = run("symbolic", EXAMPLE, "--parameters", "mu1, mu2", "--format", "latex")
    assert r"\frac{9 \mu_{1} \mu_{2}}{3 \mu_{1} + 4 \mu_{2}}" in out
    _, out, _ = run("symbolic", EXAMPLE, "--parameters", "mu1,mu2", "--format", "python")
    compile(out, "printed", "exec")


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [(["--parameters", "p7"], "parameter 'p7' is unknown"), (["--format", "html"], "'html' is not one of")],
)
def test_bad_input(run, flags, sentence):
    code, _, err = run("symbolic", EXAMPLE, *flags)
    assert code == 2
    assert sentence in err


def test_too_large(run):
    code, _, err = run("symbolic", "examples/hpc_partition.toml", "--parameters", "mu1")
    assert code == 2
    assert "exponential durations" in err
