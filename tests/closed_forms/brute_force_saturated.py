"""A slow, plain saturated FCFS chain for exponential classes: the independent check of the closed forms.

A state is the sorted classes in service plus the class of the job that blocks the queue, if a smaller one
would still fit (else the next job's class does not matter yet and is not drawn). Jobs enter one by one.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Saturated:
    states: list  # (classes in service, blocking class or None)
    time_average: np.ndarray
    departure_average: np.ndarray
    stability_threshold: float
    relative_completions: np.ndarray
    relative_completions_at_departure: float
    wasted_servers: float

    def probability(self, matches, law=None):
        law = self.time_average if law is None else law
        return sum(p for state, p in zip(self.states, law, strict=True) if matches(*state))


def fill(servers, needs, shares, in_service, head):
    """Yield (probability, state) after jobs have entered until one does not fit."""
    free = servers - sum(needs[c] for c in in_service)
    if head is not None:
        if needs[head] <= free:
            yield from fill(servers, needs, shares, (*in_service, head), None)
        else:
            yield 1.0, (tuple(sorted(in_service)), head)
    elif min(needs) > free:
        yield 1.0, (tuple(sorted(in_service)), None)
    else:
        for c, share in enumerate(shares):
            for probability, state in fill(servers, needs, shares, in_service, c):
                yield share * probability, state


def saturated(servers, needs, shares, rates):
    """Explore the chain from the empty system and solve it densely."""
    states = list(dict.fromkeys(state for _, state in fill(servers, needs, shares, (), None)))
    transitions = []
    for here, (in_service, head) in enumerate(states):  # states grows while it is walked
        for position, c in enumerate(in_service):
            left = in_service[:position] + in_service[position + 1 :]
            for probability, state in fill(servers, needs, shares, left, head):
                if state not in states:
                    states.append(state)
                transitions.append((here, states.index(state), rates[c] * probability))

    size = len(states)
    completions = np.zeros((size, size))
    for here, there, rate in transitions:
        completions[here, there] += rate
    completion_rate = completions.sum(axis=1)
    generator = completions - np.diag(completion_rate)

    ones = np.ones((size, 1))
    time_average = np.linalg.lstsq(np.hstack([generator, ones]).T, np.append(np.zeros(size), 1.0), rcond=None)[0]
    threshold = time_average @ completion_rate
    departure_average = time_average @ completions / threshold
    delta = np.linalg.lstsq(
        np.vstack([generator, time_average]), np.append(threshold - completion_rate, 0.0), rcond=None
    )[0]
    busy = np.array([sum(needs[c] for c in in_service) for in_service, _ in states])
    return Saturated(
        states=states,
        time_average=time_average,
        departure_average=departure_average,
        stability_threshold=threshold,
        relative_completions=delta,
        relative_completions_at_departure=departure_average @ delta,
        wasted_servers=time_average @ (servers - busy),
    )
