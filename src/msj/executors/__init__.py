"""Many tasks and who does them: workers, the loop that keeps them busy, and functions at many points.

``workers`` are threads, processes or a Dask cluster, each a ``concurrent.futures.Executor``; ``loop`` hands out tasks
and takes what comes back; ``points`` is one function at many independent points, each answer ``kept`` as soon as it is
known. Sweeps, figures of papers and reports compute through these; nothing here knows what is computed.
"""
