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
        ("wasted_servers_limit", "servers", "what wasted servers tend to as large jobs become much slower or faster"),
        ("approximate_stability_threshold", "1/time", "the stability threshold if the classes were only two"),
        ("approximation_error", "share", "by which share of itself that differs from the stability threshold"),
        ("wasted_share", "share", "wasted servers as a share of all servers"),
        ("limiting_wasted_servers", "servers", "what wasted servers tend to as the cluster grows"),
        ("blocked_servers", "servers", "wasted servers by the class whose job stands at the head of the line"),
        ("saturated_utilisation", "share", "share of the servers in use while the queue never ends"),
        ("time_share", "share", "share of the time a packing should be in service, where packings take turns"),
        ("sufficient_utilisation", "share", "a utilisation below which the cluster is stable for certain"),
        ("sharper_sufficient_utilisation", "share", "the same, counted more closely and for any durations"),
    ),
    **_group(
        "How much arrives",
        ("arrival_rate", "1/time", "lambda: jobs that arrive per unit of time"),
        ("load", "share", "lambda / lambda*: the arrival rate as a share of the stability threshold, always of that"),
        ("utilisation", "share", "servers in use over all servers"),
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
        ("response_time_sharper_lower_bound", "time", "E[T] is at least this, counted more closely"),
        ("response_time_sharper_upper_bound", "time", "E[T] is at most this, counted more closely"),
        ("approximate_mean_response_time", "time", "E[T] by a formula that is right as the utilisation nears 1"),
        ("mg1_mean_response_time", "time", "E[T] on one server as fast as all together"),
        ("mean_queueing_time", "time", "E[T_Q]: until a job is among the n oldest, of whom alone any is served"),
        ("mean_front_time", "time", "E[T_F]: how long a job is among the n oldest"),
        ("mean_work", "time", "E[W]: how long all servers together would take for what is left of the jobs present"),
        ("queueing_time_lower_bound_from_work", "time", "E[T_Q] is at least this, as E[W] is known"),
        ("queueing_time_upper_bound_from_work", "time", "E[T_Q] is at most this, as E[W] is known"),
        *(
            (f"{name}_{end}_bound", "time", f"{symbol} is at {most} this{closely}")
            for name, symbol in (("work", "E[W]"), ("queueing_time", "E[T_Q]"), ("front_time", "E[T_F]"))
            for end, most, closely in (
                ("lower", "least", ""),
                ("upper", "most", ""),
                ("sharper_lower", "least", ", counted more closely"),
                ("sharper_upper", "most", ", counted more closely"),
            )
        ),
        ("heavy_traffic_limit", "time", "what (1 - utilisation) x E[T] tends to as the utilisation nears 1"),
        ("simulated_waiting_probability", "share", "the waiting probability by simulation, beside an exact one"),
        ("waiting_probability_bound", "share", "the waiting probability is at most this"),
        ("waiting_probability_sharper_bound", "share", "the waiting probability is at most this, counted more closely"),
        ("waiting_probability_sum_bound", "share", "the waiting probability is at most this, class by class"),
        ("waiting_probability_little_bound", "share", "the waiting probability is at most this, by Little's law"),
        ("waiting_probability_sharpest_bound", "share", "the waiting probability is at most this, for any durations"),
        ("waiting_probability_lower_bound", "share", "the waiting probability is at least this"),
        ("limiting_waiting_probability", "share", "what the waiting probability tends to as the cluster grows"),
        ("limiting_waiting_probability_lower_bound", "share", "what its lower bound tends to as the cluster grows"),
        ("limiting_waiting_probability_upper_bound", "share", "what its sharpest bound tends to as the cluster grows"),
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
        ("server_time_left", "servers x time", "mean server-time that the jobs present still need"),
        ("server_time_left_bound", "servers x time", "the mean server-time left is at most this"),
        ("shortfall_bound", "servers", "E[(mean servers of a class - servers it asks for)+] is at most this"),
        ("shortfall_sharper_bound", "servers", "the same is at most this, counted more closely"),
        ("broken_servers", "servers", "mean number of servers that the environment has taken"),
        ("mean_power", "power", "mean power of all servers, in the unit that `power` is given in"),
        ("mean_cost", "cost", "mean cost of all servers, in the unit that `cost` is given in"),
    ),
    **_group(
        "The saturated system",
        ("relative_completions", "jobs", "Delta: completions to be expected more than usual, from a state on"),
        ("relative_completions_at_departure", "jobs", "the same, averaged over the states that departures leave"),
        *(
            (f"completions_term_{i}", "jobs", f"item {i} of the sum that relative completions at departure are")
            for i in range(1, 6)
        ),
        ("scaled_completions", "jobs", "share of large jobs x relative completions at departure"),
        ("worst_share_large", "share", "the share of large jobs at which relative completions are largest"),
        ("worst_relative_completions", "jobs", "relative completions at departure at that share"),
        ("completions_ahead", "jobs", "E[C(y, t)] - lambda* t: completions more than usual, from a state until a time"),
        ("reset_constant_low", "time", "c_l: E[T] less its RESET prediction is at least this at every load"),
        ("reset_constant_high", "time", "c_h: E[T] less its RESET prediction is at most this at every load"),
        ("reset_constant_limit", "time", "what E[T] less its RESET prediction tends to as the load nears 1"),
        ("empty_back_probability", "share", "share of time in which nobody is behind the front"),
        ("at_least_k_empty_probability", "share", "the same in the system that is never left with fewer jobs"),
        ("at_least_k_busy_period", "time", "how long somebody is behind the front there, on average"),
        ("at_least_k_mean_back", "jobs", "mean number of jobs behind the front there"),
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
        ("distance_to_fluid_bound", "time", "so many per cent of the paths stay within this distance, at least"),
        ("distance_to_fluid_sharper_bound", "time", "the same, counted more closely"),
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
        "Fits to a log",
        ("share", "share", "share of the jobs that are of a class"),
        ("run_time_cv", "1", "standard deviation over mean of the run times"),
        ("fitted_mean_run_time", "time", "mean of the law that was fitted to the run times"),
        ("fitted_run_time_cv", "1", "standard deviation over mean of that law"),
        ("fit_distance", "share", "largest difference between the distribution functions of a law and of the jobs"),
        ("alike_share", "share", "share of jobs that are of the class of the one before (of the first: the last)"),
        ("stickiness", "share", "probability of the likeliest sticky order"),
        ("arrival_dispersion", "1", "variance over mean of the number of jobs that come in windows of a length"),
        ("work_dispersion", "1", "the same of their work, less what differing jobs alone would make it"),
        ("predicted_over_replayed", "1", "what a fit predicts over what a replay of the same stretch gives"),
    ),
    **_group(
        "Plans",
        ("planned_servers", "servers", "the smallest number of servers from which on the targets are met"),
        ("naive_servers", "servers", "what counting server-hours says: the work fits on so many, and every job does"),
        ("spare_servers", "servers", "servers there are less those planned; below 0, so many are missing"),
        ("planned_load", "share", "the most load at which the targets are met, as a share of the stability threshold"),
        ("planned_arrival_rate", "1/time", "the most jobs per unit of time at which the targets are met"),
        ("planned_utilisation", "share", "the utilisation at that rate"),
        ("planned_cap", "servers", "the most servers that one job may get so that the targets are met"),
        ("planned_share", "share", "the largest share of arrivals that a class may have so that the targets are met"),
        ("planned_policy", "1", "1 at the policy that meets the targets best, 0 at the others"),
        ("planned_cut", "servers", "needs up to this get a partition of their own"),
        ("partitioned_servers", "servers", "the smallest number of servers of two partitions that meet the targets"),
        ("meets_targets", "1", "1 if all targets are met at this point, 0 if not; no value, from 0 to 1, if undecided"),
        ("load_headroom", "share", "by which share the arrival rate may grow until a target is missed"),
        ("years_of_headroom", "1", "years until growth has used up the headroom"),
        ("yearly_cost", "1", "what the servers cost in a year, in the money of the price"),
        ("exceedance_probability", "share", "share of jobs that wait, or stay, longer than a target says"),
        ("slowdown_percentile", "1", "so many per cent of the jobs have at most this slowdown"),
        ("bounded_slowdown_percentile", "1", "the same, where durations below 10 seconds count as 10"),
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
