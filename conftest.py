"""Runs the examples in the documentation: Python code, cells of a notebook, console sessions (``$ msj ...``)."""

import ast
import io
import os
import shlex
from contextlib import redirect_stderr, redirect_stdout, suppress

from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser


def run_console(example):
    """Run each ``$ msj`` line in this process and compare what it prints; ``...`` stands for anything."""
    from msj.cli import main

    sessions = example.parsed.split("$ ")[1:]
    for session in sessions:
        command, _, expected = session.partition("\n")
        program, *arguments = shlex.split(command)
        if program != "msj":
            continue  # make, git: shown for the reader, run by CI itself
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed), suppress(SystemExit):
            main(arguments)
        found, wanted = printed.getvalue().strip().splitlines(), expected.strip().splitlines()
        if not matches(words(found), words(wanted)):
            raise AssertionError(f"$ {command}\nprinted\n{printed.getvalue()}\nnot\n{expected}")


def run_cell(example):
    """Run a cell as a notebook does: its last line is shown, so that it must have something to show."""
    *body, last = ast.parse(example.parsed).body
    shows = isinstance(last, ast.Expr)
    exec(compile(ast.Module(body if shows else [*body, last], []), example.path, "exec"), example.namespace)
    if shows:
        shown = eval(compile(ast.Expression(last.value), example.path, "eval"), example.namespace)
        pictures = getattr(shown, "_repr_png_", bytes)
        pages = getattr(shown, "_repr_html_", str)
        assert type(shown).__module__.partition(".")[0] != "msj" or pages() or pictures()
        assert repr(shown)


def words(lines):
    """Lines without their alignment: a longer number elsewhere in a column does not matter."""
    return [" ".join(line.split()) for line in lines]


def matches(found, wanted):
    """Line by line; a line of three dots skips any number of lines."""
    if not wanted:
        return not found
    if wanted[0].strip() == "...":
        return any(matches(found[i:], wanted[1:]) for i in range(len(found) + 1))
    return bool(found) and found[0] == wanted[0] and matches(found[1:], wanted[1:])


def in_the_repository(_):
    """Examples name files relative to the repository."""
    os.chdir(os.path.dirname(os.path.abspath(__file__)))


pytest_collect_file = (
    Sybil(
        parsers=[
            PythonCodeBlockParser(),
            CodeBlockParser(language="console", evaluator=run_console),
            CodeBlockParser(language="{code-cell} python", evaluator=run_cell),
        ],
        patterns=["*.md"],
        setup=in_the_repository,
    )
    + Sybil(
        parsers=[DocTestParser()],
        patterns=["src/msj/*.py", "src/msj/*/*.py", "src/msj/*/*/*.py"],
        document_types={".py": PythonDocStringDocument},
        setup=in_the_repository,
    )
).pytest()
