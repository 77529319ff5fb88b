"""Simulation: for what cannot be solved exactly, for checking what can, and for any duration law."""

from msj.engines.completed import Completed
from msj.options import LEVELS
from msj.simulation.compare import compare_at_rate
from msj.simulation.known import Known
from msj.simulation.memory import memory_of
from msj.simulation.replay import replay_jobs
from msj.simulation.simulate import simulate_at_rate

__all__ = ["LEVELS", "Completed", "Known", "compare_at_rate", "memory_of", "replay_jobs", "simulate_at_rate"]
