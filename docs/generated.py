"""The parts of the documentation that are read off the code, so that they cannot go stale.

A page says ``<!-- generated: NAME -->`` where the part called NAME belongs. Parts that can be read as they are stand in
the pages themselves (``make_reference.py``); those that only the site understands are filled in when Sphinx reads them.
"""

import ast
import inspect
import re
from pathlib import Path

import click

import msj
from msj.cli import msj as program
from msj.cli.list_variants import about, keys_of
from msj.registry import ANALYSES, ARRIVALS, DURATIONS, ENVIRONMENTS, MODELS, ORDERS, POLICIES

DOCS = Path(__file__).parent
SOURCE = DOCS.parent / "src" / "msj"
PLACE = re.compile(r"<!-- generated: ([\w-]+) -->(?!\n(?:(?!<!-- generated:).)*?<!-- end -->)", re.DOTALL)

PAPERS = {
    "reset": "The RESET and MARC techniques, with application to multiserver-job analysis",
    "twoclass": "Stability for two-class multiserver-job systems",
    "lfms": "Multiserver-job response time under multilevel scaling",
    "wcfs": "WCFS: a new framework for analyzing multiserver systems",
    "zeroq": "Zero queueing for multi-server jobs",
}
KINDS = (
    "Theorems?|Lemmas?|Corollar(?:y|ies)|Propositions?|[Ss]ections?|Appendix|Appendices|"
    "Fig(?:ure)?s?\\.?|Tables?|[Ee]quations?"
)
NUMBER = r"[A-Z]?(?:\.?\d+)+(?:\([a-z]\)|[a-z])?|[A-Z](?=[\s,;.)])"
CITATION = re.compile(
    rf"\b({'|'.join(PAPERS)}),?\s+((?:(?:{KINDS})\s+(?:{NUMBER})(?:\s*(?:-|–|,|and|to)\s*(?:{NUMBER}))*(?:,\s+|\s+and\s+)?)+)"
)


def fill_in(_app, _page, source):
    """Replace the placeholders of one page that are for the site only."""
    filled = PLACE.sub(lambda place: PARTS[place[1]](), source[0])
    source[0] = re.sub(r"<!-- (?:generated: [\w-]+|end) -->\n", "", filled)


def outdated(_app, env, *_changes):
    """Name the pages with generated parts: what they are made from may have changed although they have not."""
    return [name for name in env.found_docs if PLACE.search((DOCS / f"{name}.md").read_text(encoding="utf-8"))]


def table(headings, rows):
    """Return a Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def pages(folder="."):
    """Return the entries of a table of contents: every page of a folder that no other list names."""
    named = {"index", "tutorial", "notebook", "own_model"}
    found = sorted(path.stem for path in (DOCS / folder).glob("*.md") if path.stem not in named)
    prefix = "/" if folder == "." else f"/{folder}/"
    return [f"{prefix}{name}" for name in found]


def contents_of_background():
    """Pages of the repository's docs folder itself, and of the papers' folder where it has been made."""
    entries = ["theorems", *pages()]
    if (DOCS / "papers" / "index.md").exists():
        entries.append("/papers/index")
    entries += pages("papers")
    return "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(entries) + "\n```"


def command_line():
    """Every command with its help, as click prints it."""
    context = click.Context(program, info_name="msj", terminal_width=100)
    parts = [f"```text\n{program.get_help(context)}\n```"]
    for name in program.list_commands(context):
        parts += _command(program.get_command(context, name), name, context, level=2)
    return "\n\n".join(parts)


def _command(command, name, parent, level):
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100)
    yield f"{'#' * level} {context.command_path}"
    yield f"```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from _command(command.get_command(context, inner), inner, context, level + 1)


def _variants(catalogue, cells):
    rows = []
    for name in catalogue.names():
        variant = catalogue.get(name)
        keys = ", ".join(
            f"`{row['key']}`" + (f" = {row['default']}" if row["default"] not in ("", "(to be given)") else "")
            for row in keys_of(variant)
        )
        rows.append([f"`{name}`", about(variant).replace("``", "`"), keys, *cells(variant)])
    return rows


def laws():
    """Every duration law with its keys."""
    from msj.model.durations import Duration

    def exact(law):
        return ["yes" if law.as_phase_type is not Duration.as_phase_type else "no"]

    return table(["law", "what it is", "keys", "exact methods"], _variants(DURATIONS, exact))


def arrival_laws():
    """Every arrival law with its keys."""
    from msj.model.arrivals import Arrivals

    def exact(law):
        return ["yes" if law.markov_form is not Arrivals.markov_form else "no"]

    return table(["law", "what it is", "keys", "exact methods"], _variants(ARRIVALS, exact))


def orders():
    """Every order of jobs with its keys."""
    return table(["law", "what it is", "keys"], _variants(ORDERS, lambda _: []))


def policies():
    """Every policy with its options."""
    return table(["policy", "what it does", "options", "from"], _variants(POLICIES, lambda policy: [policy.citation]))


def models():
    """Every model with its keys."""

    def cells(model):
        return [", ".join(f"`{key}`" for key in model.class_keys), model.citation]

    return table(["model", "what it is", "keys", "keys of a class", "from"], _variants(MODELS, cells))


def environments():
    """Every environment with its keys."""
    return table(["environment", "what it is", "keys", "from"], _variants(ENVIRONMENTS, lambda one: [one.citation]))


def analyses():
    """Every analysis."""
    rows = [[f"`{name}`", ANALYSES.get(name).summary, ANALYSES.get(name).citation] for name in ANALYSES.names()]
    return table(["analysis", "what it gives", "from"], rows)


def python_index():
    """Everything in ``msj.__all__`` with the first sentence of what it says about itself."""
    rows = []
    for name in msj.__all__:
        found = getattr(msj, name)
        about = (inspect.getdoc(found) or "").partition("\n\n")[0].replace("\n", " ").replace("``", "`")
        rows.append([f"`{name}`", re.sub(r":\w+:`([^`]*)`", r"`\1`", about)])
    return table(["name", "what it is"], rows)


def python_names():
    """Everything in ``msj.__all__`` by what it is: questions, systems, answers, laws, policies, errors."""
    groups = {title: [] for title in ("Questions", "Systems", "Answers", "Duration laws", "Policies", "Errors")}
    for name in msj.__all__:
        if not inspect.ismodule(getattr(msj, name)):  # msj.mmsr has a section of its own among the rooms
            groups[_group(getattr(msj, name))].append(name)
    parts = []
    for title, names in groups.items():
        parts.append(f"## {title}")
        directives = [f".. auto{'class' if inspect.isclass(getattr(msj, n)) else 'function'}:: msj.{n}" for n in names]
        if title in ("Duration laws", "Policies", "Errors"):
            directives = [f"{directive}\n   :no-members:" for directive in directives]
        parts.append("```{eval-rst}\n" + "\n\n".join(directives) + "\n```")
    return "\n\n".join(parts)


def _group(found):
    """Return the heading of a public name: what it is, else the room it is from."""
    from msj.disciplines import Policy
    from msj.model.durations import Duration

    bases = {Exception: "Errors", Duration: "Duration laws", Policy: "Policies"}
    for base, title in bases.items():
        if inspect.isclass(found) and issubclass(found, base):
            return title
    rooms = {"model": "Systems", "workloads": "Systems", "results": "Answers", "effort": "Answers", "errors": "Errors"}
    return rooms.get(found.__module__.split(".")[1], "Questions")


def coordinates():
    """Every coordinate a row may stand at."""
    from msj.results import COORDINATES

    rows = [[f"`{name}`", place.unit or "text", place.words] for name, place in COORDINATES.items()]
    return table(["coordinate", "unit", "what it is"], rows)


def time_units():
    """Every unit of time with its abbreviations."""
    from msj.results.units import TIME_UNITS

    rows = [
        [f"`{name}`", ", ".join(f"`{word}`" for word in (unit.one, *unit.short)), unit.seconds]
        for name, unit in TIME_UNITS.items()
    ]
    return table(["unit", "also", "seconds"], rows)


def glossary():
    """Every quantity by what it is about: name, unit and meaning."""
    from msj.results.glossary import GLOSSARY

    parts = []
    for group in dict.fromkeys(term.group for term in GLOSSARY.values()):
        rows = [[f"`{name}`", term.dimension, term.words] for name, term in GLOSSARY.items() if term.group == group]
        parts += [f"## {group}", table(["quantity", "unit", "what it is"], rows)]
    return "\n\n".join(parts)


def theorems():
    """What the files say they rest on: paper and place, and the files that cite it."""
    found = citations()
    parts = []
    for paper, title in PAPERS.items():
        rows = [
            [place, "<br>".join(f"`{file}`: {_opening(file)}" for file in sorted(files))]
            for place, files in sorted(found.get(paper, {}).items(), key=lambda item: _order(item[0]))
        ]
        if rows:
            parts += [f"## {paper}", f"*{title}.*", table(["place", "files"], rows)]
    return "\n\n".join(parts)


def statements_of_papers():
    """Every numbered statement of the papers, and what is done about it."""
    from msj.papers.statements import statements

    parts = []
    for paper, title in PAPERS.items():
        rows = []
        for one in statements(paper):
            done = "<br>".join(f"`msj paper {name}`" if " " in name else f"`{name}`" for name in one.by)
            test = f"<br>test: `{one.checked.partition('::')[2]}`" if one.checked else ""
            rows.append([one.place, one.says, done + test if one.by else f"nothing: {one.left_out}"])
        parts += [f"## {paper}", f"*{title}.*", table(["statement", "says", "what msj does about it"], rows)]
    return "\n\n".join(parts)


def errata():
    """Every slip found in the papers, with the check that shows it."""
    from msj.papers.statements import errata as slips

    parts = []
    for paper, title in PAPERS.items():
        rows = [[one.place, one.printed, one.right, _check(one.check)] for one in slips() if one.paper == paper]
        parts += [f"## {paper}", f"*{title}.*", table(["place", "printed, in short", "right", "shown by"], rows)]
    return "\n\n".join(parts)


def _check(check):
    if "::" in check:
        return f"`{check.partition('::')[2]}`"
    return check if check == "by hand" else f"`msj paper {check}`"


def citations():
    """Return ``{paper: {place: {file, ...}}}`` for every citation in the texts of the source."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        file = str(path.relative_to(SOURCE.parent))
        for text in _texts(path):
            for paper, place in CITATION.findall(re.sub(r"\s+", " ", text)):
                found.setdefault(paper, {}).setdefault(_tidy(place), set()).add(file)
    return found


def _texts(path):
    """Docstrings and other texts of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _tidy(place):
    place = re.sub(r"(,|\sand)?\s*$", "", place.strip())
    place = re.sub(r"\bFig(ure)?(s?)\.?\s", r"Figure\2 ", place)
    return place[0].upper() + place[1:]


def _order(place):
    kind, _, rest = place.partition(" ")
    numbers = [int(number) for number in re.findall(r"\d+", rest)]
    return (kind.rstrip("s"), bool(re.match(r"[A-Z]", rest)), rest[:1] if re.match(r"[A-Z]", rest) else "", numbers)


def _opening(file):
    """Return the first sentence of a file."""
    text = ast.get_docstring(ast.parse((SOURCE.parent / file).read_text(encoding="utf-8"))) or ""
    text = text.partition("\n\n")[0].replace("\n", " ")
    for end in re.finditer(r"(?<!Fig)[.:](?:\s|$)", text):
        first = text[: end.start()]
        if first.count("(") == first.count(")") and not CITATION.fullmatch(first):
            break
    else:
        first = text
    return first.replace("``", "`").replace("|", "\\|")


PARTS = {
    "analyses": analyses,
    "background-contents": contents_of_background,
    "command-line": command_line,
    "coordinates": coordinates,
    "arrival-laws": arrival_laws,
    "errata": errata,
    "glossary": glossary,
    "laws": laws,
    "models": models,
    "environments": environments,
    "orders": orders,
    "policies": policies,
    "python": python_names,
    "python-names": python_index,
    "statements": statements_of_papers,
    "theorems": theorems,
    "time-units": time_units,
}
