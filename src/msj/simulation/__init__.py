"""Simulation: for what cannot be solved exactly, for checking what can, and for any duration law."""

from msj.simulation.compare import Comparison, compare
from msj.simulation.completed import Completed
from msj.simulation.replay import replay
from msj.simulation.run import Progress
from msj.simulation.simulate import simulate

__all__ = ["Comparison", "Completed", "Progress", "compare", "replay", "simulate"]
