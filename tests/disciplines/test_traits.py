"""A name decides nothing: who is served, which analysis applies and which bound holds follow from types and traits."""

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import msj
from msj import Deterministic, Exponential, NotSupported, System
from msj.analysis.wcfs_verdict import explain
from msj.disciplines import Fcfs, ForkJoin, Policy
from msj.disciplines.base import Fills
from msj.disciplines.fcfs import is_fcfs
from msj.disciplines.first_fit import FirstFit, first_fit
from msj.disciplines.greedy_srpt import GreedySrpt
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.disciplines.own_function import OwnFunction
from msj.disciplines.served_by import ServedBy
from msj.disciplines.server_filling import ServerFilling
from msj.engines.cluster import Cluster
from msj.engines.generic import GenericEngine
from msj.fronts import front_of, why_no_front
from msj.fronts.ordered import ordered_chain
from msj.fronts.policy_front import PolicyFront
from msj.registry import ANALYSES, MODELS, POLICIES
from msj.reports.policies import _asks_for
from msj.simulation.engine_of import engine_for
from msj.simulation.saturated_line import saturated_line
from msj.workloads import Streams, seed_sequence
from strategies import simple

SOURCE = Path(msj.__file__).parent
EXAMPLES = Path(__file__).parents[2] / "examples" / "models"


def first_that_fit(needs, running, free, chosen):
    """Running jobs go on; others start as far as they fit."""
    for i in range(len(needs)):
        chosen[i] = running[i]
        if not running[i] and needs[i] <= free:
            chosen[i] = True
            free -= needs[i]


def smallest(needs, running, remaining, servers, chosen):
    """Smallest need first, with preemption."""
    free = servers
    while free > 0:
        best = -1
        for i in range(len(needs)):
            if not chosen[i] and needs[i] <= free and (best < 0 or needs[i] < needs[best]):
                best = i
        if best < 0:
            break
        chosen[best] = True
        free -= needs[best]


def fcfs(needs, running, remaining, servers, chosen):
    """The same body under another name."""
    free = servers
    while free > 0:
        best = -1
        for i in range(len(needs)):
            if not chosen[i] and needs[i] <= free and (best < 0 or needs[i] < needs[best]):
                best = i
        if best < 0:
            break
        chosen[best] = True
        free -= needs[best]


class SmallestCalledFcfs(Fcfs):
    """Another rule under its parent's name; nothing is said of how far it looks."""

    preemptive: ClassVar[bool] = True

    @property
    def serve(self):
        return smallest


@dataclass(frozen=True, kw_only=True)
class WindowOfTwo(Fcfs):
    """Another rule under its parent's name, with a front of its own."""

    @property
    def front(self):
        return 2

    @property
    def serve(self):
        return first_fit(2, preemptive=False)


OTHERS = {
    "a function called fcfs": OwnFunction(function=fcfs),
    "a subclass of Fcfs": SmallestCalledFcfs(),
}
CLUSTER = simple(4, (1, 1, "1/2"), (3, "1/2", "1/2"), arrival_rate="1/2")


def mean_response_time(policy, seed=3):
    result = msj.simulate(CLUSTER.replace(policy=policy), jobs=20_000, replications=2, rng=seed, controls=False)
    return result["mean_response_time"]


# ---- who is served -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", OTHERS.values(), ids=OTHERS)
def test_who_is_called_fcfs_is_served_by_its_own_rule(policy):
    assert policy.name == "fcfs"
    found = mean_response_time(policy)
    assert found == mean_response_time(OwnFunction(function=smallest))
    assert found == mean_response_time("least-servers-first")
    assert found != mean_response_time("fcfs")


def engine_of_four(policy):
    streams = Streams(root=seed_sequence(1), replication=0)
    return type(engine_for(policy, servers=4, needs=np.array([1, 2]), streams=streams))


@pytest.mark.parametrize("kind", [kind for kind in POLICIES if engine_of_four(kind()) is not GenericEngine])
def test_an_engine_of_its_own_runs_exactly_its_rule(kind):
    class SameRule(kind):
        """Its parent's rule under another name."""

        name: ClassVar[str] = "renamed"

    class AnotherRule(kind):
        """Another rule under its parent's name."""

        @property
        def serve(self):
            return first_that_fit

    class StatedAnew(AnotherRule):
        """Another rule, and the engine that runs it."""

        def engine(self, servers):
            return kind().engine(servers)

    assert engine_of_four(SameRule()) is engine_of_four(kind())
    assert engine_of_four(AnotherRule()) is GenericEngine
    assert engine_of_four(StatedAnew()) is engine_of_four(kind())


@pytest.mark.parametrize("name", ["limited-processor-sharing", "heterogeneous-servers", "threshold-parallelism"])
def test_a_front_of_its_own_solves_exactly_its_rule(name):
    kind = POLICIES.get(name)

    class AnotherRule(kind):
        @property
        def serve(self):
            return first_fit(1, preemptive=False)

        preemptive: ClassVar[bool] = False
        front: ClassVar[int] = 1

    system = simple(4, (1 if name == "heterogeneous-servers" else 4, 1, 1))
    assert not isinstance(front_of(system.replace(policy=name)), PolicyFront)
    assert isinstance(front_of(system.replace(policy=AnotherRule())), PolicyFront)
    assert not AnotherRule().shares_speed


# ---- which analysis applies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", OTHERS.values(), ids=OTHERS)
def test_who_is_called_fcfs_has_no_answer_of_fcfs(policy):
    system = CLUSTER.replace(policy=policy)
    assert not is_fcfs(system)
    found = msj.analyse(system)
    assert found.outcome is msj.Outcome.BOUNDS_ONLY
    assert found.find("stability_threshold") is None
    assert any("may look at every waiting job" in note for note in found.notes)
    applying = [analysis.name for analysis in ANALYSES if analysis().supports(system) is None]
    assert applying == ["attainable-threshold"]  # which holds for any policy
    with pytest.raises(NotSupported, match=rf"'fcfs' \({type(policy).__name__}, not msj's own of that name\)"):
        saturated_line(system)
    with pytest.raises(NotSupported, match=rf"'fcfs' \({type(policy).__name__}, not msj's own of that name\)"):
        ordered_chain(system)


def test_a_subclass_with_a_finite_front_is_analysed_by_its_own_function():
    rows = msj.analyse(CLUSTER.replace(policy=WindowOfTwo()))
    twin = msj.analyse(CLUSTER.replace(policy=FirstFit(window=2)))
    for name in ("stability_threshold", "mean_response_time"):
        assert rows[name] == twin[name]
        assert rows[name] != msj.analyse(CLUSTER)[name]


def test_what_is_not_phase_type_is_refused_in_words_by_every_analysis():
    class Fixed(Deterministic):
        """A law nobody has heard of."""

        law: ClassVar[str] = "fixed"

    class Unheard(msj.model.durations.Duration):
        law: ClassVar[str] = "unheard"
        mean, second_moment = 1.0, 1.0
        sample = scaled = None

    for duration in (Fixed(value=1), Unheard()):
        classes = [msj.JobClass(name=f"need {v}", need=v, share="1/2", duration=duration) for v in (1, 2)]
        for policy in POLICIES.names():
            system = System(servers=2, classes=classes, policy=policy, utilisation=0.5)
            for analysis in ANALYSES:
                reason = analysis().supports(system)
                assert reason is None or reason


# ---- which bound holds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [*OTHERS.values(), WindowOfTwo()], ids=[*OTHERS, "a subclass with a front"])
def test_who_is_called_fcfs_has_no_bounds_of_fcfs(policy):
    equal = simple(4, (2, 1, 1))
    assert explain(equal).is_wcfs
    assert not explain(equal.replace(policy=policy)).is_wcfs


def test_another_rule_inherits_nothing_that_is_said_of_its_parents_rule():
    class Largest(ServerFilling):
        @property
        def serve(self):
            return smallest

    class Elsewhere:
        @property
        def serve(self):
            return smallest

    class Mixed(Elsewhere, ServerFilling):
        """The rule comes from the side."""

    for kind in (Largest, Mixed):
        policy = kind()
        assert policy.preemptive  # of the cluster rather than of the rule
        assert (policy.front, policy.front_on(4), policy.sees_enough([4, 4], 4)) == (None, None, False)
        assert (policy.fills, policy.order_within_need, policy.oldest_served(4, 1)) == (Fills.UNKNOWN, False, None)
        assert "any number of older ones" in explain(simple(4, (1, 1, "1/2"), (4, 1, "1/2"), policy=policy)).why_not


def test_a_subclass_with_the_same_rule_inherits_what_is_said_of_it():
    class Same(ServerFilling):
        name: ClassVar[str] = "same"

    class Few(LimitedProcessorSharing):
        name: ClassVar[str] = "few"

    assert explain(simple(4, (1, 1, "1/2"), (4, 1, "1/2"), policy=Same())).is_wcfs
    assert explain(simple(4, (4, 1, 1), policy=Few(limit=3))).front == 3


def test_a_new_policy_states_its_bound_itself():
    @dataclass(frozen=True, kw_only=True)
    class OneByOne(Policy):
        """The oldest job, alone."""

        name: ClassVar[str] = "one-by-one"
        summary: ClassVar[str] = "the oldest job, alone"
        citation: ClassVar[str] = "none"
        preemptive: ClassVar[bool] = False
        front: ClassVar[int] = 1
        fills: ClassVar[Fills] = Fills.ALWAYS

        def oldest_served(self, servers, least_need):
            return 1

        def supports(self, system):
            return None if min(c.need for c in system.classes) == system.servers else "every job must need all servers"

        @property
        def serve(self):
            return POLICIES.get("fcfs")().serve

    verdict = explain(simple(4, (4, 1, 1), policy=OneByOne()))
    assert (verdict.is_wcfs, verdict.front) == (True, 1)
    assert "must need all servers" in explain(simple(4, (2, 1, 1), policy=OneByOne())).why_not


def test_sentences_of_the_bounds():
    eleven = explain(simple(8, (1, 1, "1/2"), (2, 1, "1/2"), policy={"name": "best-packing", "window": 4}))
    assert eleven.finite_skip_because == "only the 11 oldest jobs are ever served"
    speeds = {"name": "heterogeneous-servers", "speeds": [2, 1]}
    assert "2 speeds are given for 3 servers" in explain(simple(3, (1, 1, 1), policy=speeds)).why_not


# ---- what a policy asks for ----------------------------------------------------------------------------------------


def test_what_a_policy_asks_for():
    asked = {name: _asks_for(POLICIES.get(name)()) for name in POLICIES.names()}
    assert {name for name, words in asked.items() if "known durations" in words} == {
        "divisor-filling-srpt",
        "first-fit-srpt",
        "greedy-srpt",
        "server-filling-srpt",
    }
    assert {name for name, words in asked.items() if "run-time estimates" in words} == {
        "conservative-backfilling",
        "easy-backfilling",
    }
    assert {name for name, words in asked.items() if "laws of durations" in words} == {
        "divisor-filling-gittins",
        "server-filling-gittins",
    }
    assert asked["fcfs"] == "nothing"

    def like_srpt(needs, running, remaining, servers, chosen):
        fcfs(needs, running, remaining, servers, chosen)

    assert _asks_for(OwnFunction(function=like_srpt)) == "leave to preempt"

    class Patient(GreedySrpt):
        name: ClassVar[str] = "patient"

    assert "known durations" in _asks_for(Patient())


# ---- models --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS.names())
def test_a_model_goes_with_a_type_of_policy(name):
    system = msj.read(EXAMPLES / f"{name.replace('-', '_')}.toml")
    meant = system.model.goes_with
    assert type(system.policy) is meant

    def same(needs, running, remaining, servers, chosen):
        smallest(needs, running, remaining, servers, chosen)

    same.__name__ = meant.name
    own = system.replace(policy=OwnFunction(function=same))
    sentence = (
        rf"goes with policy '{meant.name}'.* '{meant.name}' \(OwnFunction, not msj's own of that name\); set policy"
    )
    for ask in (msj.analyse, lambda given: msj.simulate(given, jobs=1000, rng=1)):
        with pytest.raises(NotSupported, match=sentence):
            ask(own.replace(arrival_rate=0.1))
    assert system.model.why_not_policy(system.policy) is None
    assert system.model.why_not_policy(meant.name) is None  # a name as the catalogue has it


def test_a_model_served_in_another_way_says_it_for_both_sides():
    system = simple(4, (2, 1, 1), model="fork-join", arrival_rate="1/2")

    class Renamed(ForkJoin):
        """The same model."""

        name: ClassVar[str] = "renamed"

    class OtherChain(ForkJoin):
        def front_model(self, system):
            return ServedBy("msj.fronts.parts:PartsFront", **self.values(system))

    class OtherEngine(ForkJoin):
        def engine(self, system):
            return ServedBy("msj.engines.fcfs:FcfsEngine")

    for model in (Renamed(), OtherChain(), OtherEngine()):
        there = system.replace(model=model)
        solved, simulated = type(model) is not OtherEngine, type(model) is not OtherChain
        assert (why_no_front(there) is None) == solved
        if simulated:
            msj.simulate(there, jobs=1000, rng=1)
        else:
            with pytest.raises(NotSupported, match="has no simulation"):
                msj.simulate(there, jobs=1000, rng=1)


def test_a_file_of_a_users_own_may_bring_its_engine_along():
    class Alone:
        """Nothing but what it was told."""

        def __init__(self, cluster, *, rule):
            self.cluster, self.rule = cluster, rule

    cluster = Cluster(servers=2, needs=np.array([1]), streams=Streams(root=seed_sequence(1), replication=0))
    made = ServedBy(Alone, rule="mine").made(cluster)
    assert (made.cluster, made.rule) == (cluster, "mine")


# ---- the source ----------------------------------------------------------------------------------------------------

#: Rows of a result, options of a command, files: their names are what they are.
NAMED = {"row", "option", "path", "file", "room"}
#: An option of threshold parallelism, which has this order of service.
OPTIONS = {"order"}


def called(node):
    """The last word of an expression: ``policy`` for ``system.policy``."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def is_name(node):
    if not isinstance(node, ast.Attribute) or node.attr not in ("name", "law"):
        return False
    owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
    return called(owner).removesuffix("s") not in NAMED


def is_text(node):
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return any(is_text(item) for item in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_constant(node):
    return isinstance(node, ast.Name) and node.id.isupper()


def names_in(node):
    names = {name for name in (*POLICIES.names(), *MODELS.names()) if "-" in name or name == "fcfs"}
    return {item.value for item in ast.walk(node) if isinstance(item, ast.Constant) and item.value in names}


def decides_by_name(node):
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        by_name = any(map(is_name, sides)) and any(is_text(side) or is_constant(side) for side in sides)
        known = any(is_text(side) and names_in(side) for side in sides)
        return by_name or (known and not any(called(side) in OPTIONS for side in sides))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("startswith", "endswith"):
            return is_name(node.func.value)
        return node.func.attr == "get" and is_constant(node.func.value) and any(map(is_name, node.args))
    if isinstance(node, ast.Subscript):
        return is_constant(node.value) and is_name(node.slice)
    return isinstance(node, ast.Dict) and any(key is not None and is_text(key) and names_in(key) for key in node.keys)


def what_decides_by_name(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        # The curves of a paper's figure have names too, and some are those of policies.
        if decides_by_name(node) and not (isinstance(node, ast.Dict) and "papers" in path.parts):
            yield f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)[:100]}"


@pytest.mark.parametrize(
    "text",
    [
        "system.policy.name == 'fcfs'",
        "policy.name != 'fcfs'",
        "c.duration.law == 'exponential'",
        "policy.name in ('server-filling', 'divisor-filling')",
        "policy.name in FILLING",
        "policy.name.endswith('srpt')",
        "SPECIAL.get(policy.name)",
        "SPECIAL[model.name]",
        "policy == 'fcfs'",
        "{'fcfs': 1}",
    ],
)
def test_the_test_below_sees(text):
    assert any(map(decides_by_name, ast.walk(ast.parse(text))))


def test_nothing_in_the_source_is_decided_by_a_name():
    assert [line for path in sorted(SOURCE.rglob("*.py")) for line in what_decides_by_name(path)] == []


def test_exponential_laws_are_known_by_type():
    class Named(Deterministic):
        law: ClassVar[str] = "exponential"

    system = simple(2, (1, 1, 1))
    other = system.replace(classes=[system.classes[0].replace(duration=Named(value=1))])
    assert isinstance(system.classes[0].duration, Exponential)
    for analysis in ANALYSES:
        any_law = ("wcfs-bounds", "wcfs-lemmas", "queueing-terms", "attainable-threshold")
        assert analysis().supports(other) is not None or analysis.name in any_law
