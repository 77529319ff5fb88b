"""Models in spec files: what is written is read back, what is wrong gets a sentence."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import msj
from msj import Exponential, InvalidInput, JobClass, NotSupported, System
from msj.disciplines.stages import Stage
from msj.model.changes import with_largest_need
from msj.model.spec_file import from_document
from msj.registry import MODELS
from strategies import RATES, phase_types

EXAMPLES = Path(__file__).parents[2] / "examples" / "models"
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(lambda name: name != "servers")
ONE = {"law": "exponential", "mean": 1}


def tables(values):
    return st.dictionaries(NAMES, values, min_size=1, max_size=3)


@st.composite
def systems_with_models(draw):
    name = draw(st.sampled_from(MODELS.names()))
    servers, shares = draw(st.integers(2, 6)), (Fraction(1, 3), Fraction(2, 3))
    policy, options, extras, needs = "fcfs", {}, [{}, {}], [draw(st.integers(1, servers)) for _ in range(2)]
    if name == "several-resources":
        options["capacity"] = draw(tables(st.integers(1, 50)))
        extras[0]["resources"] = {key: draw(st.integers(0, most)) for key, most in options["capacity"].items()}
    elif name == "server-groups":
        first, second = draw(st.lists(NAMES, min_size=2, max_size=2, unique=True))
        options["groups"] = {first: servers - 1, second: 1}
        needs = [draw(st.integers(1, servers - 1)), 1]
        extras[1]["groups"] = draw(st.permutations([first, second]))
    elif name == "stages":
        stages = st.builds(lambda need, law: {"need": need, "duration": law}, st.integers(1, servers), phase_types())
        extras[0]["then"] = draw(st.lists(stages, max_size=3))
    elif name == "set-up":
        options["set_up_rate"] = draw(RATES)
        options["staggered"] = draw(st.booleans())
        power = st.dictionaries(st.sampled_from(["busy", "idle", "set_up", "off"]), st.floats(0, 500), min_size=1)
        options["power"] = draw(st.none() | power.filter(lambda p: all(v == 0 or v > 1e-9 for v in p.values())))
    elif name == "preemption-cost":
        options["overhead_rate"], policy = draw(RATES), "server-filling"
    elif name == "red-and-blue":
        needs, extras = [1, 1], [{"colour": "red"}, {"colour": draw(st.sampled_from(["red", "blue"]))}]
    else:
        assert name == "fork-join"  # a new model wants its place here
    classes = [
        JobClass(name=f"class {i}", need=need, share=share, duration=draw(phase_types()), extra=extra)
        for i, (need, share, extra) in enumerate(zip(needs, shares, extras, strict=True))
    ]
    return System(servers=servers, classes=classes, policy=policy, model={"name": name, **options}, load=0.5)


@given(systems_with_models())
def test_toml_and_json_round_trip(tmp_path_factory, system):
    folder = tmp_path_factory.mktemp("spec")
    for name in ("a.toml", "a.json"):
        msj.write(system, folder / name)
        found = msj.read(folder / name)
        assert found == system
        assert hash(found) == hash(system)
        assert found.to_spec() == system.to_spec()
    assert system.replace(load=0.7).replace(load=0.5) == system  # what is validated once stays valid


@pytest.mark.parametrize("name", MODELS.names())
def test_every_model_has_an_example(name):
    system = msj.read(EXAMPLES / f"{name.replace('-', '_')}.toml")
    assert system.model.name == name
    assert isinstance(system.model, MODELS.get(name))
    assert MODELS.get(name).summary
    assert MODELS.get(name).citation
    assert system.model.why_not_policy(system.policy.name) is None
    assert name in system.model.why_not_policy("first-fit")


def test_the_documentation_shows_the_examples():
    text = (EXAMPLES.parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
    shown = re.findall("```toml\n(.*?)```\n\n```console\n\\$ msj analyse examples/models/(.*?) ", text, flags=re.DOTALL)
    assert {name for _, name in shown} == {path.name for path in EXAMPLES.glob("*.toml")}
    for block, name in shown:
        assert block in (EXAMPLES / name).read_text(encoding="utf-8")


def document(name, **changes):
    """An example as a document, with some keys changed (``classes_0_need=3``) or taken out (None)."""
    found = json.loads(json.dumps(msj.read(EXAMPLES / f"{name}.toml").to_spec()))
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = found
        for key in parents:
            place = place[int(key) if key.isdigit() else key]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return found


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            document("server_groups", model="server-gruops"),
            "model: unknown model 'server-gruops'; did you mean 'server-",
        ),
        (document("server_groups", model="server-groups"), "model: model 'server-groups' has no groups; add groups ="),
        (document("server_groups", model={"groups": {"a": 1}}), "names no model; add name ="),
        (document("server_groups", model=3), "model: 3 is not a model; give a name such as"),
        (document("server_groups", model__group={"a": 1}), "unknown option 'group' for model 'server-groups'; did you"),
        (document("server_groups", model__groups={}), "groups = {} must be a table of groups"),
        (document("server_groups", model__groups__old=5), "groups have 7 servers together and servers = 6; make them"),
        (document("server_groups", model__groups__old=0), "groups.old = 0 must be at least 1"),
        (
            document("server_groups", classes__0__groups=["odl"]),
            r"classes\[0\]: group 'odl' does not exist; did you mean",
        ),
        (document("server_groups", classes__0__groups="old"), "groups = 'old' must be a list of groups"),
        (document("server_groups", classes__0__groups=["old", "old"]), "names a group twice"),
        (document("server_groups", classes__0__groups=[]), "must be a list of groups"),
        (document("server_groups", classes__0__groups=[3]), "groups = 3 must be a text"),
        (
            document("server_groups", classes__0__need=5),
            r"classes\[0\]: class 'old software' needs 5 servers of one gro",
        ),
        (document("server_groups", classes__0__need=5, classes__0__groups=None), "and no group has as many"),
        (
            document("server_groups", classes__0__grups=["old"]),
            r"classes\[0\]: unknown key 'grups'; did you mean 'groups'",
        ),
        (
            document("server_groups", model=None),
            r"classes\[0\]: key 'groups' belongs to model 'server-groups' and there is",
        ),
        (
            document("fork_join", classes__1__then=[]),
            "key 'then' belongs to model 'stages' and the model is 'fork-join'",
        ),
        (document("several_resources", model__capacity=8), "capacity = 8 must be a table"),
        (
            document("several_resources", model__capacity__servers=8),
            "capacity names 'servers', whose number the system",
        ),
        (document("several_resources", model__capacity__gpus=0), "capacity.gpus = 0 must be at least 1"),
        (
            document("several_resources", classes__1__resources__gpus=3),
            "class 'training' needs 3 of 2 gpus; raise capac",
        ),
        (
            document("several_resources", classes__1__resources__gpu=1),
            "resource 'gpu' does not exist; did you mean 'gpus'",
        ),
        (document("several_resources", classes__1__resources__gpus=-1), "resources.gpus = -1 must be at least 0"),
        (document("several_resources", classes__1__resources=1), "resources = 1 must be a table of amounts"),
        (document("stages", classes__0__then=3), "then = 3 must be a list of stages"),
        (document("stages", classes__0__then=[3]), r"then\[0\] = 3 is not a stage"),
        (document("stages", classes__0__then=[{"need": 1}]), r"classes\[0\]\.then\[0\]: key 'duration' is missing"),
        (
            document("stages", classes__0__then=[{"need": 1, "duraton": ONE}]),
            "unknown key 'duraton'; did you mean 'durat",
        ),
        (
            document("stages", classes__0__then=[{"need": 7, "duration": ONE}]),
            r"classes\[0\]\.then\[0\]: class 'workflow' nee",
        ),
        (document("stages", classes__0__then=[{"need": 1, "duration": 3}]), r"then\[0\]\.duration: .*3 is not a table"),
        (document("set_up", model__set_up_rate=0), "model: set_up_rate = 0 must be greater than 0"),
        (document("set_up", model__staggered="yes"), "staggered = 'yes' must be true or false"),
        (document("set_up", model__power=300), "power = 300 must be a table by state"),
        (document("set_up", model__power__asleep=3), "power names state 'asleep'"),
        (document("set_up", model__power__off=-3), "power.off = -3 must be at least 0"),
        (document("preemption_cost", model__overhead_rate="often"), "overhead_rate = 'often' is not a number"),
        (
            document("red_and_blue", classes__1__colour="green"),
            r"classes\[1\]: colour = 'green' is unknown; write 'red' or",
        ),
        (document("red_and_blue", classes__1__colour=["red"]), "is unknown; write 'red' or 'blue'"),
        (
            document("red_and_blue", classes__1__colour=None),
            r"classes\[1\]: class 'rendering' has no colour; add colour",
        ),
        (document("red_and_blue", classes__1__need=2), "class 'rendering' needs 2 servers and in this model every job"),
    ],
)
def test_bad_models_get_a_sentence(changed, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        from_document(changed)


def test_python_users_give_the_same_keys():
    job = JobClass(name="a", need=1, share=1, duration=Exponential(mean=1), extra={"groups": ["old"]})
    system = System(servers=2, classes=[job], model={"name": "server-groups", "groups": {"old": 2}})
    assert dict(system.classes[0].extra) == {"groups": ("old",)}
    with pytest.raises(InvalidInput, match=r"classes\[0\]: key 'groups' belongs to model 'server-groups'"):
        System(servers=2, classes=[job])
    with pytest.raises(InvalidInput, match="extra = 3 must be a table"):
        job.replace(extra=3)
    with pytest.raises(InvalidInput, match="is no text, number, list or table"):
        job.replace(extra={"groups": object()})
    with pytest.raises(InvalidInput, match="'need' is given twice"):
        System(servers=2, classes=[job.replace(extra={"need": 1})])


def test_work_of_stages_is_that_of_all_of_them():
    system = msj.read(EXAMPLES / "stages.toml")
    assert system.work_of(system.classes[0]) == pytest.approx(0.5 + 4 * 2 + 0.5)
    assert system.mean_work == pytest.approx(9 / 3 + 2 / 3)
    assert system.classes[0].extra["then"][0] == Stage(need=4, duration=Exponential(mean=2))


def test_the_order_of_groups_is_kept():
    one, other = (
        System(
            servers=3,
            classes=[JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))],
            model={"name": "server-groups", "groups": groups},
        )
        for groups in ({"old": 2, "new": 1}, {"new": 1, "old": 2})
    )
    assert one != other  # the first group is tried first, so these are two systems
    assert one.model.groups_of(one.classes[0]) == ("old", "new")


@pytest.mark.parametrize("depth", [10, 100, 300, 600, 900, 3000, 100_000])
@pytest.mark.parametrize("key", ["then", "duration"])
def test_deep_nesting_gets_a_sentence(tmp_path, depth, key):
    values = {"duration": json.dumps(ONE), key: "[" * depth + "]" * depth}
    keys = ", ".join(f'"{name}": {value}' for name, value in values.items())
    file = tmp_path / "deep.json"
    file.write_text(
        '{"servers": 1, "model": "stages", "classes": [{"name": "a", "need": 1, "share": 1, ' + keys + "}]}",
        encoding="utf-8",
    )
    with pytest.raises(InvalidInput, match=r"deep\.json"):
        msj.read(file)


def test_needs_of_models_are_not_capped():
    with pytest.raises(NotSupported, match="need means something else in model 'fork-join'"):
        with_largest_need(msj.read(EXAMPLES / "fork_join.toml"), 2)
