"""What happens as clusters grow: load-focused and server-focused scaling, the fluid model, a cluster at many sizes."""

from msj.growth.cluster import cluster_scaling
from msj.growth.fluid_paths import fluid
from msj.growth.one_and_n import one_and_n_scaling
from msj.growth.one_and_n_worst import one_and_n_worst
from msj.growth.two_needs import two_needs_scaling
from msj.growth.zero_queueing import zero_queueing
from msj.growth.zero_queueing_growth import zero_queueing_family

__all__ = [
    "cluster_scaling",
    "fluid",
    "one_and_n_scaling",
    "one_and_n_worst",
    "two_needs_scaling",
    "zero_queueing",
    "zero_queueing_family",
]
