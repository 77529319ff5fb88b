"""What is known of a system before it is simulated, as plain numbers; the exact side fills it in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Known:
    """What somebody else found out.

    Parameters
    ----------
    stability_threshold
        The arrival rate from which on the queue grows without end, under the policy that is simulated.
    weights
        How much longer the whole cluster is taken, per unit of a job's duration, for each class:
        (∂(1/lambda*)/∂m_c)/p_c, m_c the mean duration.
    """

    stability_threshold: float | None = None
    weights: tuple[float, ...] | None = None

    def forbids(self, arrival_rate: float) -> bool:
        """Return whether so much is known to be too much."""
        return self.stability_threshold is not None and arrival_rate >= self.stability_threshold * (1.0 - 1e-12)


NOTHING = Known()
