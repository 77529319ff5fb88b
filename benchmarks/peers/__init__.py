"""msj beside other simulators, in one run: ``python -m benchmarks.peers`` (``make peers`` installs them first).

W1 and W3 of ``benchmarks/bench_simulation.py``, and a log under EASY backfilling (the one in ``examples/``, or the file
named by ``MSJ_LOG``). A peer is one file here. Each is asked for jobs per second and for the seconds to an interval of
the mean response time of ±1 %, and its mean is held to msj's: who computes something else is no comparison.
"""
