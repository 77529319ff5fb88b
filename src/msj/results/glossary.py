"""The quantities there are: every name that a row of a result may have, with its dimension and what it means.

This is the one place where a name gets its unit and its words: tables, CSV, JSON and axes take the unit from here,
``docs/reference/glossary.md`` and ``msj list quantities`` are written from here, and the tests refuse a row whose name
is not here. Names are a contract. In formulas, lambda is the arrival rate, lambda* the stability threshold and k the
number of servers.
"""

from __future__ import annotations

from dataclasses import dataclass

from msj.results.units import DIMENSIONS


@dataclass(frozen=True, kw_only=True)
class Term:
    """What a quantity is: a heading of the glossary, its dimension, and one sentence."""

    group: str
    dimension: str
    words: str


def _group(name: str, *terms: tuple[str, str, str]) -> dict[str, Term]:
    return {term: Term(group=name, dimension=dimension, words=words) for term, dimension, words in terms}


GLOSSARY: dict[str, Term] = {
    **_group(
        "How much it takes",
        ("stability_threshold", "1/time", "lambda*: the arrival rate below which the queue does not grow for ever"),
        ("naive_threshold", "1/time", "k / E[need x duration]: the rate if no server ever stood idle while jobs wait"),
        ("attainable_threshold", "1/time", "the largest rate that any policy could take"),
        ("stability_threshold_change", "share", "by which share of itself a change moves the stability threshold"),
        ("lost_throughput", "1/time", "by how much the stability threshold is below that of small jobs only"),
        ("wasted_servers", "servers", "mean number of servers that idle while the queue never ends"),
        ("wasted_share", "share", "wasted servers as a share of all servers"),
        ("limiting_wasted_servers", "servers", "what wasted servers tend to as the cluster grows"),
        ("blocked_servers", "servers", "wasted servers by the class whose job stands at the head of the line"),
        ("saturated_utilisation", "share", "share of the servers in use while the queue never ends"),
        ("time_share", "share", "share of the time a packing should be in service, where packings take turns"),
        ("sufficient_utilisation", "share", "a utilisation below which the cluster is stable for certain"),
    ),
    **_group(
        "How much arrives",
        ("arrival_rate", "1/time", "lambda: jobs that arrive per unit of time"),
        ("load", "share", "lambda / lambda*: the arrival rate as a share of the stability threshold, always of that"),
        ("utilisation", "share", "share of the servers in use; below the threshold lambda x E[need x duration] / k"),
        ("offered_utilisation", "share", "work that arrives per unit of time, as a share of what all servers can do"),
        ("share_large", "share", "share of arrivals that are large jobs"),
        ("need", "servers", "servers that a job of a class holds together"),
    ),
    **_group(
        "How long jobs stay",
        ("mean_response_time", "time", "E[T]: from arrival to completion, waiting included"),
        ("mean_waiting_time", "time", "response time less duration"),
        ("response_time_percentile", "time", "so many per cent of the jobs stay at most this long"),
        ("waiting_time_percentile", "time", "so many per cent of the jobs wait at most this long"),
        ("waiting_probability", "share", "share of jobs that do not start when they arrive"),
        ("loss_probability", "share", "share of jobs that are lost: they do not fit when they arrive, and leave"),
        ("hourly_mean_waiting_time", "time", "mean waiting time of the jobs that come in one step of a daily cycle"),
        ("hourly_waiting_probability", "share", "share of those that come in one step of a daily cycle and wait"),
        ("mean_slowdown", "1", "E[response time / duration]: how many times as long as alone, on average over jobs"),
        ("mean_bounded_slowdown", "1", "the same, where durations below 10 seconds count as 10"),
        ("predicted_mean_response_time", "time", "E[T] by RESET: right as the load nears 1"),
        ("reset_difference", "time", "E[T] less its prediction: what RESET leaves open"),
        ("mean_response_time_difference", "time", "by how much E[T] differs from the baseline's on the same jobs"),
        (
            "mean_waiting_time_difference",
            "time",
            "by how much the mean wait differs from the baseline's on the same jobs",
        ),
        (
            "waiting_probability_difference",
            "share",
            "by how much the share of jobs that wait differs from the baseline's on the same jobs",
        ),
        ("response_time_lower_bound", "time", "E[T] is at least this"),
        ("response_time_upper_bound", "time", "E[T] is at most this"),
        ("mg1_mean_response_time", "time", "E[T] on one server as fast as all together"),
        ("heavy_traffic_limit", "time", "what (1 - utilisation) x E[T] tends to as the utilisation nears 1"),
        ("simulated_waiting_probability", "share", "the waiting probability by simulation, beside an exact one"),
        ("waiting_probability_bound", "share", "the waiting probability is at most this"),
        ("waiting_probability_sharper_bound", "share", "the waiting probability is at most this, counted more closely"),
        ("waiting_probability_lower_bound", "share", "the waiting probability is at least this"),
    ),
    **_group(
        "How many jobs there are",
        ("mean_jobs_in_system", "jobs", "E[N]: waiting and in service"),
        ("mean_jobs_waiting", "jobs", "waiting"),
        ("mean_jobs_in_system_difference", "jobs", "by how much E[N] differs from the baseline's on the same jobs"),
        ("mean_jobs_waiting_difference", "jobs", "by how much the jobs waiting differ from the baseline's"),
        ("jobs_in_system_probability", "share", "P(N = n), at a number of jobs n"),
        ("tail_decay_rate", "1", "P(N = n+1) / P(N = n) for large n"),
        ("queue_growth_rate", "1/time", "jobs by which an overloaded queue grows per unit of time"),
        ("queue_growth", "1", "how many of the policies compared let the queue grow"),
    ),
    **_group(
        "What servers do",
        ("idle_servers_while_jobs_wait", "servers", "mean number of servers that idle while a job waits, at this load"),
        ("preemptions_per_job", "1", "how often a job is put aside"),
        ("paying_servers", "servers", "mean number of servers held by jobs that pay for having been put aside"),
        ("off_servers", "servers", "mean number of servers that are switched off"),
        ("set_up_servers", "servers", "mean number of servers that are being switched on"),
        ("busy_servers", "servers", "mean number of servers in use"),
        ("idle_servers", "servers", "mean number of servers that are on and not in use"),
        ("mean_power", "power", "mean power of all servers, in the unit that `power` is given in"),
    ),
    **_group(
        "The saturated system",
        ("relative_completions", "jobs", "Delta: completions to be expected more than usual, from a state on"),
        ("relative_completions_at_departure", "jobs", "the same, averaged over the states that departures leave"),
        ("state_probability", "share", "share of time in a state"),
        ("time_share", "share", "share of the time that a policy gives to a packing"),
        ("state_probability_at_departure", "share", "share of departures that leave a state"),
    ),
    **_group(
        "The way into equilibrium",
        ("fluid_jobs_over_rate", "time", "jobs of a class over its arrival rate, X(t) / lambda, in the fluid model"),
        ("jobs_over_rate", "time", "the same on a simulated path"),
        ("equilibrium_jobs_over_rate", "time", "what it tends to: the mean duration where nobody waits"),
        ("time_to_equilibrium", "time", "until the fluid stays near equilibrium"),
        ("mean_distance_to_fluid", "time", "largest distance of a path from the fluid, mean over paths"),
        ("distance_exponent", "1", "the power of the servers by which that distance changes"),
    ),
    **_group(
        "Logs",
        ("jobs_read", "jobs", "rows of the log"),
        ("jobs_used", "jobs", "rows that are jobs"),
        ("jobs_left_out", "jobs", "rows left out, at a reason"),
        ("servers", "servers", "the machine's size"),
        ("mean_need", "servers", "mean number of servers that a job holds"),
        ("largest_need", "servers", "most servers that a job holds"),
        ("mean_run_time", "time", "mean duration"),
        ("peak_servers_in_use", "servers", "most servers in use at once"),
        ("overrun_share", "share", "share of jobs that ran longer than they said"),
        ("mean_estimate_accuracy", "share", "mean of run time over what was asked for, at most 1 each"),
        ("makespan", "time", "from the first arrival to the last completion"),
    ),
    **_group(
        "About the answers",
        ("variance_reduction", "1", "how many times fewer jobs the same interval took, by what is known exactly"),
        ("claims", "1", "what a paper's figure says, counted"),
        ("claims_reproduced", "1", "how much of that was found again"),
        (
            "claims_by_our_reading",
            "1",
            "how much of that is judged by a yardstick of ours",
        ),
    ),
}


def dimension_of(name: str) -> str | None:
    """Return the dimension of a quantity; None for a name of a user's own.

    Examples
    --------
    >>> dimension_of("mean_response_time"), dimension_of("arrival_rate"), dimension_of("my_own")
    ('time', '1/time', None)
    """
    return GLOSSARY[name].dimension if name in GLOSSARY else None


assert all(term.dimension in DIMENSIONS for term in GLOSSARY.values())
