"""What happens as clusters grow: load-focused and server-focused scaling, the fluid model, a cluster at many sizes."""

from msj.scaling.cluster import cluster_scaling
from msj.scaling.fluid_paths import fluid
from msj.scaling.one_and_n import one_and_n_scaling
from msj.scaling.zero_queueing import zero_queueing
from msj.scaling.zero_queueing_growth import zero_queueing_family

__all__ = ["cluster_scaling", "fluid", "one_and_n_scaling", "zero_queueing", "zero_queueing_family"]
