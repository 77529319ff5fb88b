"""Chains and their solvers. Knows no queue."""

from msj.markov.marked_chain import MarkedChain
from msj.markov.solution import LongRun, solve

__all__ = ["LongRun", "MarkedChain", "solve"]
