"""A cluster beside a changed one, where one of the two has no steady state: there is no difference, and it is told."""

import numpy as np

import msj
from msj.analysis.base import mean_time_alone
from msj.answers.changed import SameJobs
from msj.effort import Effort

TWO = msj.read("examples/two_servers.toml").replace(load=None)  # takes 0.9; four servers take more
EFFORT = Effort()


def same_jobs(rate, jobs=5_000, **more):
    return SameJobs(system=TWO.replace(arrival_rate=rate), root=np.random.SeedSequence(1), jobs=jobs, **more)


def test_a_cluster_that_takes_too_much_has_no_difference_to_one_that_takes_it():
    same = same_jobs(0.95, threshold=0.9)
    assert same.own(EFFORT).outcome is msj.Outcome.UNSTABLE
    found, difference = same.beside(TWO.replace(servers=4, arrival_rate=0.95), EFFORT)
    assert found.outcome is not msj.Outcome.UNSTABLE
    assert found["mean_response_time"] > mean_time_alone(TWO)
    assert difference is None


def test_a_change_that_takes_too_little_has_no_difference_either():
    same = same_jobs(0.5)
    found, difference = same.beside(TWO.replace(arrival_rate=0.5), EFFORT, threshold=0.4)
    assert found.outcome is msj.Outcome.UNSTABLE
    assert difference is None
    assert same.own(EFFORT).outcome is not msj.Outcome.UNSTABLE


def test_no_change_is_no_difference():
    same = same_jobs(0.5)
    found, difference = same.beside(TWO.replace(arrival_rate=0.5), EFFORT)
    assert found["mean_response_time"] == same.own(EFFORT)["mean_response_time"]
    assert difference.value == 0
