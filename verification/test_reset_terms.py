"""The constants that RESET leaves open, on random systems, phase-type durations included."""

from hypothesis import given, settings

import msj
from msj.analysis.reset_terms import reset_constants
from strategies import systems


@settings(max_examples=40, deadline=None)
@given(systems(most_servers=4))
def test_what_reset_leaves_open_lies_between_the_constants_on_random_systems(system):
    found = reset_constants(system)
    if found is None:  # the last coefficients were not small: nothing is claimed
        return
    scale = max(abs(found.low), abs(found.high), 1e-3)
    for load in (0.02, 0.2, 0.5, 0.8, 0.95, 0.999):
        difference = msj.analyse(system.replace(load=load), percentiles=False)["reset_difference"]
        assert found.low - 1e-6 * scale <= difference <= found.high + 1e-6 * scale
