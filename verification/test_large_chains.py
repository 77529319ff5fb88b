"""Chains of 10^5 states and more against closed forms that share nothing with them."""

import pytest

import msj
from msj import Exponential, JobClass, System


def system(servers, *classes):
    return System(
        servers=servers,
        classes=[
            JobClass(name=str(i), need=need, share=share, duration=Exponential(rate=rate))
            for i, (need, rate, share) in enumerate(classes)
        ],
    )


LARGE = {
    "two classes, 100,000 states": system(100_000, (1, 2, 0.96), (10, 1, 0.04)),
    "two classes, rates a million apart": system(40_000, (1, 1e3, 0.9), (7, 1e-3, 0.1)),
    "1 and n, 50,001 states": system(50_000, (1, 1, 1 - 1e-4), (50_000, 1, 1e-4)),
    "one law, three classes, 280,000 states": system(4096, (3, 1, 0.5), (10, 1, 0.3), (32, 1, 0.2)),
    "one law, four classes": system(330, (2, 1, 0.4), (3, 1, 0.3), (7, 1, 0.2), (20, 1, 0.1)),
}


@pytest.mark.parametrize("name", LARGE)
def test_chain_equals_closed_form(name):
    chain = msj.analyse(LARGE[name], method="chain")
    form = msj.analyse(LARGE[name], method="closed-form")
    for quantity in ("stability_threshold", "wasted_servers", "saturated_utilisation"):
        assert chain[quantity] == pytest.approx(form[quantity], rel=1e-10)
    if "relative_completions_at_departure" in form:
        expected = form["relative_completions_at_departure"]
        assert chain["relative_completions_at_departure"] == pytest.approx(expected, rel=1e-8)
    assert chain.provenance["residual"] < 1e-12
