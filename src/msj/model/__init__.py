"""The model every part of msj shares: systems, job classes, duration laws, spec files."""

from msj.model.job_class import JobClass
from msj.model.spec_file import read, write
from msj.model.system import System

__all__ = ["JobClass", "System", "read", "write"]
