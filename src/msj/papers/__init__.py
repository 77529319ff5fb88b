"""The papers' figures recomputed: one folder per paper, one file per figure.

A figure is a :class:`~msj.papers.figure.Figure`: ``compute(work)`` gives rows, ``draw(rows, figure)`` the picture,
``claims(rows)`` what the paper says beside what was found. Nothing is typed in but the papers' own parameters and
claims. Adding a figure is adding a file that ends in ``VARIANT = ...``; ``msj paper`` finds it.
"""

from msj.papers.catalogue import PAPERS, Paper, figures_named
from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.reproduce import Reproduction, reproduce
from msj.papers.verdict import Verdict, paper

__all__ = [
    "PAPERS",
    "Claim",
    "Figure",
    "Paper",
    "Reproduction",
    "Rows",
    "Scale",
    "Verdict",
    "Work",
    "figures_named",
    "paper",
    "reproduce",
]
