"""Mean work, queueing time and front time of a work-conserving finite-skip system: bounds, term by term.

Only the n oldest jobs, the *front*, are ever served; sizes S = need × duration/k, so that all servers together work at
rate 1; B is the share of the capacity in use, E[B] = rho = lambda·E[S]. A job spends T_Q behind the front and T_F in
it, T = T_Q + T_F; W is the work present, and m = rho/(1 − rho)·E[S²]/(2E[S]) is E[W] in M/G/1. With r = rem_sup
(wcfs):

    m            <= E[W]   <= m + (n−1)·r        Lemma 3
    E[W] − (n−1)·r <= E[T_Q] <= E[W]             Lemma 2
    m − (n−1)·r  <= E[T_Q] <= m + (n−1)·r        Lemma 4
    E[S]         <= E[T_F] <= n·E[S]/b_inf       Lemma 6

**Sharper**, from beta, the least capacity in use per job in the front: B >= beta·N_F in every state, N_F = min(N, n).
M/G/k, ServerFilling, threshold parallelism, limited processor sharing and fastest-server-first have beta >= 1/n, where
the paper's argument uses b_inf/n. Let j = min(n − 1, rho/beta) and i = min(j, (1 − b_inf)/(1 − rho)·rho/beta). Then

    m            <= E[W]   <= m + i·r
    m − j·r      <= E[T_Q] <= m + rho·i·r
    E[alone]     <= E[T_F] <= E[S]/beta

*Front.* beta·E[N_F] <= E[B] = rho, and E[T_F] = E[N_F]/lambda by Little's law. Nobody is served faster than alone.

*Work.* The rates at which W² grows and falls are equal: E[W] = m + E[W(1−B)]/(1−rho) (wcfs, proof of Lemma 3). Where
B < 1 the front is not full, so it holds all work, N_F <= n − 1 jobs of r each: E[W(1−B)] <= r·E[N_F(1−B)], which is at
most r·(n−1)·(1−rho), and at most r·E[B(1−B)]/beta. As x(1−x) is concave that is at most r·rho·(1−rho)/beta (Jensen),
and as B is 0 or at least b_inf, at most r·(1−b_inf)·rho/beta.

*Queueing.* T_Q = W^A − W^F: the work that a job finds, less what is left in front of it when it joins the front (wcfs,
proof of Lemma 2). It joins min(N, n−1) <= N_F jobs, N as it arrives, which sees time averages: E[W^F] <= j·r. And
E[W^F] >= E[W; N < n] >= E[W(1−B)], so E[T_Q] <= m + E[W(1−B)]·(1/(1−rho) − 1) <= m + rho·i·r.

So E[T] is at most m + rho·i·r + E[S]/beta: c_upper = (n−1)·r + n·E[S] for beta = 1/n, linear in n, which section 5.1
calls easy; and it tends to the paper's own lower bound as rho -> 0.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Between:
    """A lower and an upper bound."""

    lower: float
    upper: float


@dataclass(frozen=True, kw_only=True)
class WcfsTerms:
    """Bounds on E[W], E[T_Q], E[T_F] and E[T]."""

    work: Between
    queueing: Between
    front: Between
    response: Between


def mg1_work(*, utilisation: float, mean_size: float, second_moment: float) -> float:
    """Return E[W] = rho/(1−rho)·E[S²]/(2E[S]) of M/G/1: mean work, and mean wait first come first served.

    Examples
    --------
    >>> mg1_work(utilisation=0.5, mean_size=1, second_moment=2)
    1.0
    """
    return utilisation / (1.0 - utilisation) * second_moment / (2.0 * mean_size)


def zhang_zwart(*, limit: int, utilisation: float, mean_size: float, second_moment: float) -> float:
    """Return Zhang and Zwart's E[T] of limited processor sharing, right in heavy traffic (wcfs, section 4.3.1).

    With limit 1 it is M/G/1's, and without one that of processor sharing, E[S]/(1−rho).

    Examples
    --------
    >>> round(zhang_zwart(limit=4, utilisation=0.9, mean_size=1, second_moment=2.5), 3)
    11.64
    """
    behind = utilisation**limit
    return (mean_size * (1.0 - behind) + second_moment / (2.0 * mean_size) * behind) / (1.0 - utilisation)


def paper_terms(
    *, front: int, b_inf: float, rem_sup: float, utilisation: float, mean_size: float, second_moment: float
) -> WcfsTerms:
    """Return the bounds of wcfs, Lemmas 3, 4 and 6, and of Theorem 2.

    Parameters
    ----------
    front, b_inf, rem_sup
        n, the least share of capacity in use while a job is present, the largest mean remaining size.
    utilisation, mean_size, second_moment
        rho, E[S] and E[S²].

    Examples
    --------
    >>> found = paper_terms(front=4, b_inf=1 / 4, rem_sup=1, utilisation=0.9, mean_size=1, second_moment=2)
    >>> round(found.queueing.upper, 9), round(found.front.upper, 9), round(found.response.upper, 9)
    (12.0, 16.0, 28.0)
    """
    wait = mg1_work(utilisation=utilisation, mean_size=mean_size, second_moment=second_moment)
    apart = (front - 1) * rem_sup if front > 1 else 0.0  # rem_sup may be infinite, and one job is nobody's neighbour
    return _with_response(
        work=Between(lower=wait, upper=wait + apart),
        queueing=Between(lower=wait - apart, upper=wait + apart),
        front=Between(lower=mean_size, upper=front * mean_size / b_inf),
    )


def sharper_terms(
    *,
    front: int,
    b_inf: float,
    per_job: float,
    rem_sup: float,
    mean_time_alone: float,
    utilisation: float,
    mean_size: float,
    second_moment: float,
) -> WcfsTerms:
    """Return the sharper bounds (see the module's text).

    Parameters
    ----------
    front, b_inf, per_job, rem_sup
        n, the least share of capacity in use while a job is present and per job, the largest mean remaining size.
    mean_time_alone
        How long a job takes on average if it meets nobody, or less.
    utilisation, mean_size, second_moment
        rho, E[S] and E[S²].

    Examples
    --------
    M/M/4: the paper's upper bound is 28.

    >>> found = sharper_terms(front=4, b_inf=1 / 4, per_job=1 / 4, rem_sup=1, mean_time_alone=4, utilisation=0.9,
    ...                       mean_size=1, second_moment=2)
    >>> round(found.response.lower, 9), round(found.response.upper, 9)
    (10.0, 15.7)
    """
    wait = mg1_work(utilisation=utilisation, mean_size=mean_size, second_moment=second_moment)
    met = min(front - 1.0, utilisation / per_job)
    idle = min(met, (1.0 - b_inf) / (1.0 - utilisation) * utilisation / per_job)
    apart, more = (met * rem_sup, idle * rem_sup) if front > 1 else (0.0, 0.0)
    return _with_response(
        work=Between(lower=wait, upper=wait + more),
        queueing=Between(lower=max(wait - apart, 0.0), upper=wait + utilisation * more),
        front=Between(lower=mean_time_alone, upper=mean_size / per_job),
    )


def _with_response(*, work: Between, queueing: Between, front: Between) -> WcfsTerms:
    response = Between(lower=queueing.lower + front.lower, upper=queueing.upper + front.upper)
    return WcfsTerms(work=work, queueing=queueing, front=front, response=response)
