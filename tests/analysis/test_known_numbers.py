"""Known numbers, from the papers and checked beyond them, about saturated FCFS systems."""

import numpy as np
import pytest

import msj
from strategies import simple

# servers, classes (need, rate, share), threshold, relative completions at departure
KNOWN = [
    (2, [(1, 1, "2/3"), (2, "1/2", "1/3")], 0.9, 0.43),
    (3, [(1, "1/3", "1/3"), (2, "2/3", "1/3"), (3, 1, "1/3")], 0.7168141593, 0.1608191714),
    (4, [(1, "1/4", 0.42), (4, 1, 0.58)], 0.5412908340, 0.3271131265),
    (10, [(1, "1/10", 0.1), (10, 1, 0.9)], 0.5410539156, 1.8498581387),
    (20, [(1, 1, 0.5), (20, 0.5, 0.5)], 0.7426255837, 0.3407306506),
]


@pytest.mark.parametrize("method", ["auto", "chain"])
@pytest.mark.parametrize(("servers", "classes", "threshold", "delta"), KNOWN)
def test_threshold_and_relative_completions(servers, classes, threshold, delta, method):
    result = msj.analyse(simple(servers, *classes), method=method)
    assert result["stability_threshold"] == pytest.approx(threshold, abs=6e-11)
    assert result["relative_completions_at_departure"] == pytest.approx(delta, abs=6e-11)


def test_two_servers_state_by_state():
    saturated = msj.saturate(simple(2, (1, 1, "2/3"), (2, "1/2", "1/3")))
    by_state = {tuple(c): i for i, c in enumerate(saturated.counts.tolist())}
    order = [by_state[2, 0], by_state[1, 0], by_state[0, 1]]  # [1,1], [1,2], [2] in the paper
    np.testing.assert_allclose(saturated.time_average[order], [1 / 5, 1 / 5, 3 / 5], rtol=1e-13)
    np.testing.assert_allclose(saturated.departure_average[order], [4 / 9, 2 / 9, 1 / 3], rtol=1e-13)
    np.testing.assert_allclose(saturated.relative_completions[order], [1.38, -0.27, -0.37], rtol=1e-12)


@pytest.mark.parametrize("method", ["auto", "chain"])
@pytest.mark.parametrize(("large", "share", "wasted", "utilisation"), [(100, 0.064, 77, 0.61), (200, 0.013, 125, 0.37)])
def test_wasted_servers_of_twoclass_section_9(large, share, wasted, utilisation, method):
    result = msj.analyse(simple(200, (1, 2, 1 - share), (large, 1, share)), method=method)
    assert round(result["wasted_servers"]) == wasted
    assert round(result["saturated_utilisation"], 2) == utilisation


@pytest.mark.parametrize("method", ["auto", "chain"])
def test_one_law_for_all_classes(method):
    system = simple(16, (1, 1, 0.4), (3, 1, 0.3), (5, 1, 0.2), (16, 1, 0.1))
    assert msj.analyse(system, method=method)["stability_threshold"] == pytest.approx(2.64824762, abs=5e-9)


def test_four_servers_exactly():
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"))
    assert msj.analyse(system)["stability_threshold"] == pytest.approx(96 / 139, rel=1e-13)


def test_reset_prediction_of_the_running_example():
    # reset, section 4.1: E[T] = (10/9)·1.43/(1 − lambda/0.9) + O(1)
    system = simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"), load=0.8)
    assert msj.analyse(system)["predicted_mean_response_time"] == pytest.approx(10 / 9 * 1.43 / 0.2, rel=1e-12)
