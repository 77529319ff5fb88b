"""The RESET/MARC prediction of mean response time.

E[T] = (1 + Delta(Y_d)) / (lambda*·(1 − lambda/lambda*)) + O(1), the O(1) bounded in lambda (reset, Theorems 4.1
and 4.2): a finite-skip system near saturation behaves like an M/M/1 whose completions are marked transitions of
the saturated chain, and Delta(Y_d), the relative completions seen at departures, takes the place of the
variability of service.
"""

from __future__ import annotations

from msj.errors import Unstable
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
