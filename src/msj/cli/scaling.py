"""``msj scaling``: what happens as the cluster grows."""

from __future__ import annotations

import click

from msj.cli.lazy_group import LazyGroup

COMMANDS = {
    "one-and-n": ("msj.cli.one_and_n_scaling:one_and_n", "Jobs that need one server or all: regimes and asymptotics."),
    "zero-queueing": ("msj.cli.zero_queueing:zero_queueing", "Whether jobs still wait when the cluster is large."),
    "cluster": ("msj.cli.cluster_scaling:cluster", "One cluster's work on more servers, or with a largest need."),
}


@click.group(cls=LazyGroup, places=COMMANDS)
def scaling() -> None:
    """Say what happens as clusters grow.

    \b
    Examples:
      msj scaling one-and-n --share "n^-0.5" --servers 64..1e8
      msj scaling cluster examples/hpc_partition.toml --servers 64,128,256
      msj scaling zero-queueing --help
    """
