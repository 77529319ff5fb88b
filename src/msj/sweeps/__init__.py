"""Many questions at once: a grid of cells, answered by many cores or machines, kept in a folder.

A *cell* is one question: a cluster at a load, under a policy, with a seed. What has an exact answer gets it from the
answerer; the rest is simulated in blocks (``simulation.blocks``). Cells and streams have ids made of all that their
answers depend on but the effort, and a folder is a set of answers under ids. So order, machines and interruptions never
matter, two folders merge by putting their files together, and more effort sharpens old cells.

``grid`` makes cells, ``opening`` answers them or says how to simulate them, ``folder`` keeps, ``scheduler`` decides
which cell goes on, ``sweep`` is the verb. Who computes is the business of ``msj.executors``.
"""

from msj.sweeps.reading import read_sweep
from msj.sweeps.sweep import sweep

__all__ = ["read_sweep", "sweep"]
