"""Systems at the edge of what can be meant, at every command: a right answer or one sentence."""

import json
import math
import tempfile
from pathlib import Path

import pytest
from attempt import attempt, quantities
from hypothesis import given, settings
from hypothesis import strategies as st

from msj.registry import POLICIES

RUN = ("--jobs", "200", "--replications", "2", "--seed", "1")
COMMANDS = {
    "analyse": ("--json",),
    "curve": ("--loads", "0,0.5,0.999", "--jobs", "1000", "--seed", "1", "--json"),
    "region": ("--points", "2", "--jobs", "1000", "--seed", "1", "--json"),
    "waste": ("--vary", "servers={servers}..{servers}", "--json"),
    "symbolic": (),
    "simulate": (*RUN, "--json"),
    "compare": ("--policies", "fcfs,first-fit", *RUN, "--json"),
    "list": (),
    "fluid": ("--until", "5", "--json"),
    "report": ("--seconds", "1", "--precision", "0.2", "--seed", "1", "--json"),
    "scaling": ("--servers", "{servers}", "--jobs", "1000", "--json"),
}


def exponential(rate):
    return {"law": "exponential", "rate": rate}


def job_class(name, need, share, duration):
    return {"name": name, "need": need, "share": share, "duration": duration}


def system(servers, *classes, **more):
    return {
        "servers": servers,
        **({"load": 0.5} | more if "utilisation" not in more else more),
        "classes": list(classes),
    }


def alone(duration, servers=2, need=1, **more):
    return system(servers, job_class("all", need, 1, duration), **more)


def beside(duration, **more):
    """A class of this duration beside an ordinary one that needs all servers."""
    return system(
        2, job_class("odd", 1, "1/2", duration), job_class("plain", 2, "1/2", exponential(1)), utilisation=0.3, **more
    )


ORDINARY = exponential(1)
SYSTEMS = {
    "one server": alone(ORDINARY, servers=1),
    "one class of all servers": alone(ORDINARY, servers=7, need=7),
    "a class that never comes": system(
        4, job_class("never", 4, 0, exponential(1e-12)), job_class("always", 3, 1, ORDINARY)
    ),
    "slow": system(3, job_class("a", 1, "1/2", exponential(1e-12)), job_class("b", 3, "1/2", exponential(2e-12))),
    "fast": system(3, job_class("a", 1, "1/2", exponential(1e12)), job_class("b", 3, "1/2", exponential(2e12))),
    "slow and fast": system(
        3, job_class("a", 1, "1/2", exponential(1e12)), job_class("b", 2, "1/2", exponential(1e-12))
    ),
    "fast and slow": system(
        3, job_class("a", 1, "1/2", exponential(1e-12)), job_class("b", 2, "1/2", exponential(1e12))
    ),
    "beyond the range": alone({"law": "exponential", "mean": 1e300}),
    "at the end of the range": alone({"law": "exponential", "mean": 1e100}),
    "a rare giant": system(
        64, job_class("a", 1, 1 - 1e-12, ORDINARY), job_class("giant", 64, 1e-12, exponential(1e-6))
    ),
    "200 classes of one law": system(6, *(job_class(f"c{i}", 1 + i % 6, "1/200", ORDINARY) for i in range(200))),
    "200 classes on 200 servers": system(
        200, *(job_class(f"c{i}", 1 + i, "1/200", exponential(1 + i)) for i in range(200))
    ),
    "12 classes": system(2, *(job_class(f"c{i}", 1 + i % 2, "1/12", exponential(1 + i)) for i in range(12))),
    "a million servers": system(
        10**6, job_class("a", 1, "1/2", ORDINARY), job_class("b", 10**6, "1/2", exponential(2))
    ),
    "a billion servers": system(
        10**9, job_class("a", 3, "1/2", ORDINARY), job_class("b", 10**5, "1/2", exponential(2))
    ),
    "too many servers": system(10**15, job_class("a", 1, "1/2", ORDINARY), job_class("b", 2, "1/2", exponential(2))),
    "more servers than numbers": system(10**30, job_class("a", 1, "1/2", ORDINARY), job_class("b", 2, "1/2", ORDINARY)),
    "a rare dwarf": system(64, job_class("a", 32, 1 - 1e-12, ORDINARY), job_class("b", 1, 1e-12, exponential(1e-4))),
    "heavy tail": beside({"law": "pareto", "shape": 1.1, "minimum": 1}),
    "no mean": beside({"law": "pareto", "shape": 0.5, "minimum": 1}),
    "heavy lognormal": beside({"law": "lognormal", "mean": 1, "cv": 1000}),
    "heavy weibull": beside({"law": "weibull", "shape": 0.1, "scale": 1}),
    "no variance": beside({"law": "deterministic", "value": 1e-9}),
    "one recorded value": beside({"law": "empirical", "values": [3]}),
    "many stages": beside({"law": "erlang", "stages": 9, "mean": 1}),
    "rates far apart": beside({"law": "hyperexponential", "rates": [1e12, 1e-12], "probabilities": [0.5, 0.5]}),
    "nearly empty": alone(ORDINARY, load=1e-12),
    "emptier still": alone(ORDINARY, load=1e-100),
    "nearly full": alone(ORDINARY, load=1 - 1e-12),
    "full": alone(ORDINARY, load=1),
    "far too much": alone(ORDINARY, load=1e300),
    "odd names": system(2, job_class("a,b=1..2:{c}", 1, "1/2", ORDINARY), job_class("\n", 2, "1/2", ORDINARY)),
}  # fmt: skip


def arguments_of(command, document, path):
    first = {"list": ("list", "analyses"), "scaling": ("scaling", "cluster")}.get(command, (command,))
    return [*first, path, *(flag.format(servers=document["servers"]) for flag in COMMANDS[command])]


def ask(command, document):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return attempt(*arguments_of(command, document, path))


# Reports, and scaling of what has to be simulated, take seconds each: only `make verify` waits for them.
LONG = {
    "200 classes of one law",
    "200 classes on 200 servers",
    "a million servers",
    "a billion servers",
    "a rare giant",
}
SHORT = sorted(set(COMMANDS) - {"report"})
PAIRS = [
    (name, command)
    for name in SYSTEMS
    for command in COMMANDS
    if settings().max_examples > 100 or (command in SHORT and not (command == "scaling" and name in LONG))
]


@pytest.mark.parametrize(("name", "command"), PAIRS)
def test_every_command_on_every_edge(name, command):
    ask(command, SYSTEMS[name])


@pytest.mark.parametrize("policy", POLICIES.names())
def test_every_policy_on_one_server_and_on_many(policy):
    for servers, need in ((1, 1), (64, 64)):
        document = alone(ORDINARY, servers=servers, need=need, utilisation=0.5) | {"policy": policy}
        for command in ("analyse", "simulate"):
            ask(command, document)


LOADS = st.sampled_from([0.001, 0.5, 0.999])


@settings(max_examples=max(1, settings().max_examples // 2))
@given(st.integers(1, 50), st.integers(1, 50), st.integers(-12, 12), st.floats(1, 9.9), LOADS)
def test_one_class_is_an_mmc_whatever_the_unit_of_time(servers, need, exponent, digits, load):
    need = min(need, servers)
    rate, together = digits * 10.0**exponent, servers // need
    code, said, _ = ask("analyse", alone(exponential(rate), servers=servers, need=need, load=load))
    assert code == 0
    found = quantities(said)
    assert found["stability_threshold"] == pytest.approx(together * rate, rel=1e-9)
    assert found["wasted_servers"] == pytest.approx(servers - need * together if servers % need else 0, abs=1e-9)
    offered = load * together
    terms = [offered**n / math.factorial(n) for n in range(together)]
    last = offered**together / math.factorial(together) / (1 - load)
    waits = last / (sum(terms) + last)  # Erlang C
    assert found["waiting_probability"] == pytest.approx(waits, rel=1e-8, abs=1e-300)
    assert found["mean_response_time"] == pytest.approx((1 + waits / (together * (1 - load))) / rate, rel=1e-8)


SHAPES = st.sampled_from([0.2, 1.01, 2, 50])
VARIATION = st.sampled_from([1e-6, 0.5, 1, 3, 1e3, 1e6])
MAGNITUDES = st.integers(-12, 12).map(lambda n: 10.0**n)
LAWS = st.one_of(
    st.builds(lambda rate: {"law": "exponential", "rate": rate}, MAGNITUDES),
    st.builds(lambda mean, n: {"law": "erlang", "mean": mean, "stages": n}, MAGNITUDES, st.integers(1, 4)),
    st.builds(lambda mean, cv: {"law": "fit", "mean": mean, "cv": cv}, MAGNITUDES, VARIATION),
    st.builds(lambda mean, cv: {"law": "lognormal", "mean": mean, "cv": cv}, MAGNITUDES, VARIATION),
    st.builds(lambda value: {"law": "deterministic", "value": value}, MAGNITUDES),
    st.builds(lambda shape, x: {"law": "pareto", "shape": shape, "minimum": x}, SHAPES, MAGNITUDES),
    st.builds(lambda shape, x: {"law": "weibull", "shape": shape, "scale": x}, SHAPES, MAGNITUDES),
)


@st.composite
def extremes(draw):
    servers = draw(st.sampled_from([1, 2, 3, 5, 64, 1000]))
    count = draw(st.integers(1, 3))
    weights = draw(st.lists(st.sampled_from([0, 1e-12, 1e-3, 1, 7]), min_size=count, max_size=count).filter(any))
    shares = [weight / sum(weights) for weight in weights]
    classes = [
        job_class(f"c{i}", draw(st.sampled_from([1, (servers + 1) // 2, servers])), share, draw(LAWS))
        for i, share in enumerate(shares)
    ]
    load = draw(st.sampled_from([{"utilisation": 0.3}, {"load": 0.5}, {"arrival_rate": 1e-3}, {}]))
    return {"servers": servers, **load, "classes": classes, "policy": draw(st.sampled_from(["fcfs", "first-fit"]))}


@given(extremes(), st.sampled_from(SHORT))
def test_extreme_systems(document, command):
    ask(command, document)
