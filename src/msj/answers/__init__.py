"""Questions and their answers: one verb a file, each answered with a :class:`msj.results.Result`."""

from msj.answers.analyse import analyse
from msj.answers.compare import compare
from msj.answers.curve import curve
from msj.answers.decisions import Decision, Decisions, decisions
from msj.answers.design import design
from msj.answers.fit import FitResult, fit
from msj.answers.log import LogResult, log
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.region import region
from msj.answers.replay import replay
from msj.answers.response import open_system
from msj.answers.simulate import simulate
from msj.answers.symbols import in_symbols
from msj.answers.waste import waste

__all__ = [
    "Decision",
    "Decisions",
    "FitResult",
    "LogResult",
    "SystemLike",
    "analyse",
    "as_system",
    "compare",
    "curve",
    "decisions",
    "design",
    "fit",
    "in_symbols",
    "log",
    "open_system",
    "question",
    "region",
    "replay",
    "root_of",
    "simulate",
    "waste",
]
