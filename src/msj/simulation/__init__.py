"""Simulation: for what cannot be solved exactly, for checking what can, and for any duration law."""

from msj.engines.completed import Completed
from msj.simulation.compare import compare_at_rate
from msj.simulation.estimates import WARM_UP
from msj.simulation.replay import replay_jobs
from msj.simulation.simulate import simulate_at_rate

__all__ = ["WARM_UP", "Completed", "compare_at_rate", "replay_jobs", "simulate_at_rate"]
