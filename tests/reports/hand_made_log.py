"""Logs of a few jobs, and what is said of them, put together by hand."""

import numpy as np
import pandas as pd

from msj.answers import LogResult
from msj.logs.trace import Trace
from msj.results import Outcome, Quantity, Result

# submit, wait, run, need, estimate. Four servers: three are busy for two hours, then two jobs that waited for them,
# two servers for an hour and one for 30 seconds, and with them one that comes just then, for 400 seconds.
JOBS = (
    (0.0, 0.0, 7200.0, 3, 7200.0),
    (1800.0, 5400.0, 3600.0, 2, 1800.0),
    (3600.0, 3600.0, 30.0, 1, 60.0),
    (7200.0, 0.0, 400.0, 1, 3600.0),
)


def trace(jobs=JOBS, **more):
    frame = pd.DataFrame(list(jobs), columns=["submit", "wait", "run", "need", "estimate"]).astype({"need": np.int64})
    return Trace(frame=frame, **({"servers": 4, "source": "some.swf", "format": "swf", "rows": len(frame)} | more))


def without(column, jobs=JOBS, **more):
    """Return the log without its waits or its estimates."""
    made = trace(jobs, **more)
    return made.replace(frame=made.frame.assign(**{column: np.nan}))


def wait(value, policy=None, job_class=None, *, level=None, low=None, high=None, **at):
    """A mean wait, or a percentile of waits: recorded, or replayed by a policy."""
    return Quantity(
        name="mean_waiting_time" if level is None else "waiting_time_percentile",
        value=value,
        kind="recorded" if policy is None else "replayed",
        method="by hand",
        job_class=job_class,
        level=level,
        low=low,
        high=high,
        at=at if policy is None else {"policy": policy, **at},
    )


def share(name, value, **at):
    return Quantity(name=name, value=value, kind="recorded", method="by hand", at=at)


def result(*rows):
    return Result(system={}, quantities=rows, outcome=Outcome.SOLVED, provenance={})


def looked(*rows, of=None):
    """Return what a log says, and the log."""
    return LogResult(
        system={}, quantities=rows, outcome=Outcome.SOLVED, provenance={}, trace=trace() if of is None else of
    )
