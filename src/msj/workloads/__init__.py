"""Workloads: whatever the source, jobs come as blocks of arrays (arrival, class, need, duration)."""

from msj.workloads.job_block import JobBlock
from msj.workloads.recorded import RecordedJobs
from msj.workloads.streams import Rng, Streams, seed_from_record, seed_record, seed_sequence
from msj.workloads.system_jobs import SystemJobs

__all__ = [
    "JobBlock",
    "RecordedJobs",
    "Rng",
    "Streams",
    "SystemJobs",
    "seed_from_record",
    "seed_record",
    "seed_sequence",
]
