"""The RESET/MARC prediction of mean response time.

E[T] = (1 + Delta(Y_d)) / (lambda*·(1 − lambda/lambda*)) + O(1), the O(1) bounded in lambda (reset, Theorems 4.1
and 4.2): a finite-skip system near saturation behaves like an M/M/1 whose completions are marked transitions of
the saturated chain, and Delta(Y_d), the relative completions seen at departures, takes the place of the
variability of service.

**Other arrivals.** The proof compares squared jumps of N − Delta. Under Markovian arrivals with relative arrivals g
(``model.arrivals.markov_form``) the process N − Delta + g has the drift lambda − lambda* above the boundary, and its
jumps have the mean square lambda*·(1 + 2·Delta(Y_d)) + lambda·I per unit of time, I the index of dispersion of the
arrivals (their phases and those of the front do not know of each other). So

    E[T] = (1 + Delta(Y_d) + (I − 1)/2) / (lambda* − lambda) + O(1):

the arrivals' own term is (I − 1)/2, which is 0 for Poisson arrivals. Jobs in some order change the saturated chain, and
with it lambda* and Delta, and nothing else.
"""

from __future__ import annotations

from msj.errors import Unstable
from msj.model import System
from msj.results import Quantity

CITATION = "reset, Theorem 4.2"


def require_stable(arrival_rate: float, stability_threshold: float) -> None:
    """Refuse an arrival rate at which the queue grows without bound."""
    if not arrival_rate < stability_threshold:
        raise Unstable(
            f"the system is unstable: arrival rate lambda = {arrival_rate:.10g} is not below the stability threshold "
            f"lambda* = {stability_threshold:.10g}; lower the arrival rate or raise servers"
        )


def predicted_mean_response_time(
    arrival_rate: float, stability_threshold: float, relative_completions_at_departure: float
) -> float:
    """Return the leading term of E[T].

    Examples
    --------
    >>> round(predicted_mean_response_time(0.72, 0.9, 0.43), 12)
    7.944444444444
    """
    require_stable(arrival_rate, stability_threshold)
    return (1.0 + relative_completions_at_departure) / (stability_threshold - arrival_rate)


def relative_arrivals(system: System) -> tuple[float, str | None]:
    """Return the arrivals' own term (I − 1)/2, or the reason why it is not known.

    Examples
    --------
    >>> import msj
    >>> relative_arrivals(msj.read("examples/two_servers.toml"))
    (0.0, None)
    """
    law = system.arrivals
    if law.marks_classes:
        return 0.0, "the arrivals say who comes, and the prediction takes both for independent"
    form = law.markov_form(1.0)  # the unit of time does not matter
    if form is None:
        return 0.0, f"it is known for Markovian arrivals only, not for {law.assumption()}"
    return (form.dispersion - 1.0) / 2.0 if not law.poisson else 0.0, None


def reset_row(predicted: float) -> Quantity:
    """Row of the prediction."""
    return Quantity(
        name="predicted_mean_response_time", value=predicted, kind="asymptotic", method="RESET/MARC", citation=CITATION
    )


def difference_row(difference: float) -> Quantity:
    """Row of exact minus predicted mean response time: how large the term is that RESET leaves open."""
    return Quantity(
        name="reset_difference", value=difference, kind="exact", method="QBD, what RESET leaves open", citation=CITATION
    )
