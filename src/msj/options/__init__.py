"""Options, each written once: groups of options are frozen values whose fields say default, meaning and command line.

From the fields come the parameters of the public functions (``takes``), their documentation and the options of the
commands (``cli.options``). Nothing here imports NumPy, so that ``msj COMMAND --help`` answers at once.
"""

from msj.options.fitting import FitOptions, FittingOptions
from msj.options.option import Options, argument, default_text, fields_of, option, takes
from msj.options.planning import PlanOptions
from msj.options.reading import ReadOptions
from msj.options.replaying import ReplayOptions, Scenario
from msj.options.running import LEVELS, CompareOptions, RunOptions, SimulateOptions, SingleRunOptions
from msj.options.seeding import DaskOptions, Seed, SeedOptions
from msj.options.sweeping import SweepOptions

__all__ = [
    "LEVELS",
    "CompareOptions",
    "DaskOptions",
    "FitOptions",
    "FittingOptions",
    "Options",
    "PlanOptions",
    "ReadOptions",
    "ReplayOptions",
    "RunOptions",
    "Scenario",
    "Seed",
    "SeedOptions",
    "SimulateOptions",
    "SingleRunOptions",
    "SweepOptions",
    "argument",
    "default_text",
    "fields_of",
    "option",
    "takes",
]
