"""Three and more exponential classes by two, with the error that the chain finds (``closed_forms.two_of_many``)."""

from __future__ import annotations

from typing import ClassVar

from msj.analysis.base import TermAnalysis, why_not_exponential, why_not_fcfs
from msj.analysis.saturated_chain import SaturatedChain
from msj.closed_forms.two_of_many import two_of_many
from msj.errors import MsjError, NotSupported
from msj.model import System
from msj.results import Quantity


class TwoOfManyTerms(TermAnalysis):
    """The threshold of a two-class system in place of three classes or more."""

    name: ClassVar[str] = "two-of-many"
    summary: ClassVar[str] = "threshold of FCFS with three or more exponential classes, taken for two, and the error"
    citation: ClassVar[str] = "twoclass, section 10"

    def supports(self, system: System) -> str | None:
        reason = why_not_fcfs(system) or why_not_exponential(system)
        if reason is None and len({c.need for c in system.active_classes}) < 3:
            return "it is for classes of three needs or more"
        return reason

    def concerns(self, system: System) -> bool:
        return self.supports(system) is None

    def terms(self, system: System, rate: float) -> list[Quantity]:  # noqa: ARG002
        classes = system.active_classes
        try:
            found = two_of_many(
                servers=system.servers,
                needs=[c.need for c in classes],
                shares=[float(c.share) for c in classes],
                mean_durations=[float(c.duration.mean) for c in classes],
            )
        except NotSupported:  # needs so much alike that no two remain
            return []
        small = ", ".join(classes[i].name for i in found.small)
        method = f"two-class product form, small: {small}"
        rows = [
            Quantity(
                name="approximate_stability_threshold",
                value=found.stability_threshold,
                kind="asymptotic",
                method=method,
                citation=self.citation,
            )
        ]
        chain = SaturatedChain()
        if chain.in_a_moment(system):
            try:
                exact = chain.saturate(system).stability_threshold
            except MsjError:  # no exact threshold to compare with
                return rows
            error = found.stability_threshold / exact - 1.0
            compared = "saturated chain"
            rows.append(Quantity(name="approximation_error", value=error, kind="exact", method=compared, citation=""))
        return rows


VARIANT = TwoOfManyTerms
