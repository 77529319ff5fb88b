"""What a described cluster wastes under FCFS however large it is (``closed_forms.waste_limit``)."""

from __future__ import annotations

from msj.analysis.base import why_not_fcfs
from msj.closed_forms import waste_limit
from msj.errors import NotSupported
from msj.model import System
from msj.model.assumptions import why_not_independent


def limiting_waste(system: System) -> float:
    """Return the number of wasted servers that the cluster's mix of needs tends to under FCFS.

    Examples
    --------
    >>> import msj
    >>> round(limiting_waste(msj.read("examples/hpc_partition.toml")), 4)
    5.8743
    """
    reason = why_not_fcfs(system) or why_not_independent(system)
    if reason is not None:
        raise NotSupported(f"the limit of the waste is known for FCFS only ({reason}); simulate instead")
    needs = [c.need for c in system.active_classes]
    shares = [float(c.share) for c in system.active_classes]
    return waste_limit.limiting_waste(servers=system.servers, needs=needs, shares=shares)
