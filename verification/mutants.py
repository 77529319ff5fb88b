"""Plausible slips, one at a time: where a source file could be wrong by one token, and the file with that token wrong.

Kinds of slips, each as likely as the places it has: a comparison (< for <=, == for !=; < for > where fractions are
compared, which are equal by chance only), an operator (+ for −, · for /), ``and`` for ``or``, a dropped ``not`` or
sign, a number off by one (or half as large again), ``min`` for ``max``, one end of an interval for the other, the
branches of ``a if c else b`` exchanged, and a statement left out. Annotations, docstrings, decorators and messages of
errors are left alone: what they say is not computed. So are numbers that are choices, of which another one would be as
right: constants with a name of their own, how thick a line is drawn, how much rounding is allowed (below ``TINY``), to
how many digits a number is kept, how much room there is (``1 << 12``, ``np.empty(n + 1)``), and which number below 0
stands for nobody; and ``strict=True`` of ``zip``, which only says once more that two lists are as long as each other.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

COMPARED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
TURNED = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<="}
COMPUTED = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Pow: "*"}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**"}
WORDS = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
ENDS = {"low": "high", "high": "low", "lowest": "highest", "highest": "lowest"}
#: Functions of which a number comes out that is met exactly by chance only.
CONTINUOUS = {"abs", "exp", "float", "log", "log2", "monotonic", "perf_counter", "sqrt", "time"}
TINY = 1e-5
#: Keywords and keys that only say how something looks.
LOOKS = {
    "alpha", "bargap", "bbox_to_anchor", "bgcolor", "borderwidth", "bottom", "capsize", "color", "colors", "colour",
    "connectionstyle", "dash", "dpi", "elinewidth", "figsize", "font", "fontsize", "frameon", "gap", "height",
    "height_ratios", "hspace", "labelsize", "left", "legend", "line", "linespacing", "linestyle", "linewidth",
    "linthresh", "ls", "lw", "margin", "marker", "markeredgewidth", "markersize", "ms", "mutation_scale", "ncols",
    "opacity", "pad", "right", "rotation", "shrinkA", "shrinkB", "size", "solidity", "standoff", "thickness",
    "tickangle", "title", "top", "width", "width_ratios", "wspace", "xanchor", "xgap", "xref", "xshift", "xytext",
    "yanchor", "ygap", "yref", "yshift", "zorder",
}  # fmt: skip
#: Calls that do nothing else.
LOOKING = {"grid", "set_axisbelow", "tick_params"}


@dataclass(frozen=True, order=True)
class Mutant:
    """One slip: the text between two places of a file, and what stands there instead."""

    file: str
    line: int
    start: int
    stop: int
    before: str
    after: str
    code: str  # the line it is on, to find it again when lines have moved
    nth: int = 1  # of those on that line that look alike

    @property
    def room(self) -> str:
        """The folder of src/msj it is in; ``msj`` for the files beside the folders."""
        parts = Path(self.file).parts
        return parts[2] if len(parts) > 3 else "msj"

    def applied(self, text: str) -> str:
        """Return the file with the slip in it."""
        if text[self.start : self.stop] != self.before:
            raise ValueError(f"{self.file} has changed since line {self.line} was read")
        return text[: self.start] + self.after + text[self.stop :]

    def __str__(self) -> str:
        after = (self.after or "nothing") + (f" ({self.nth})" if self.nth > 1 else "")
        return f"{self.file}:{self.line}  {' '.join(self.before.split())} → {after}   in   {self.code}"


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Return all slips of a file.

    Examples
    --------
    >>> [str(mutant) for mutant in mutants_of("src/msj/a.py", "x = min(a, b) < c")]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['src/msj/a.py:1  < → <=   in   x = min(a, b) < c', 'src/msj/a.py:1  min → max   in   x = min(a, b) < c']
    """
    alike: Counter[tuple[int, str, str]] = Counter()
    numbered = []
    for mutant in sorted(set(_Finder(file, text).found())):
        look = mutant.line, mutant.before, mutant.after
        alike[look] += 1
        numbered.append(replace(mutant, nth=alike[look]))
    return numbered


class _Finder:
    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.lines = text.splitlines(keepends=True)
        self.offsets = [0]
        for line in self.lines:
            self.offsets.append(self.offsets[-1] + len(line))

    def found(self) -> Iterator[Mutant]:
        yield from self._below(ast.parse(self.text))

    def _below(self, node: ast.AST) -> Iterator[Mutant]:
        yield from self._here(node)
        for name, child in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            if name == "args" and isinstance(node, ast.Call):
                child = _computed(node)
            if name == "values" and isinstance(node, ast.Dict):
                child = [value for key, value in zip(node.keys, child, strict=True) if not _looks(key, value)]
            for each in child if isinstance(child, list) else [child]:
                if isinstance(each, ast.AST) and not _said_only(each):
                    yield from self._minus_one(each) if _marks(node, each) else self._below(each)

    def _minus_one(self, node: ast.AST) -> Iterator[Mutant]:
        """A −1 that stands for nobody may become 1; −2 would do as well."""
        start = self._span(node)[0]
        yield self._mutant(start, start + 1, "")

    def _here(self, node: ast.AST) -> Iterator[Mutant]:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARED:
                changed = TURNED if type(op) in TURNED and _continuous(left, right) else COMPARED
                yield from self._between(left, right, changed[type(op)])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in COMPUTED and not _texts(left, right):
                yield from self._between(left, right, COMPUTED[type(op)], SIGNS[type(op)])
            case ast.BoolOp(op=op, values=values):
                for left, right in pairwise(values):
                    yield from self._between(left, right, "or" if isinstance(op, ast.And) else "and")
            case ast.UnaryOp(op=ast.Not() | ast.USub() as op):
                start = self._span(node)[0]
                yield self._mutant(start, start + (3 if isinstance(op, ast.Not) else 1), "")
            case ast.Constant(value=bool()):
                yield self._mutant(*self._span(node), "False" if node.value else "True")
            case ast.Constant(value=int(value)):
                yield self._mutant(*self._span(node), f"{value + 1}")
            case ast.Constant(value=float(value)):
                yield self._mutant(*self._span(node), f"{value * 1.5!r}" if value else "1.0")
            case ast.Name(id=name) if name in WORDS:
                yield self._mutant(*self._span(node), WORDS[name])
            case ast.Attribute(attr=name) if name in WORDS | ENDS:
                stop = self._span(node)[1]
                yield self._mutant(stop - len(name), stop, (WORDS | ENDS)[name])
            case ast.IfExp(body=body, test=test, orelse=other):
                texts = (self._text(other), self._text(test), self._text(body))
                yield self._mutant(*self._span(node), "({}) if {} else ({})".format(*texts))
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
                yield self._mutant(*self._span(node), "pass")

    def _between(self, left: ast.expr, right: ast.expr, after: str, sign: str | None = None) -> Iterator[Mutant]:
        """Exchange the one word between two expressions; brackets and line ends around it stay."""
        start, stop = self._span(left)[1], self._span(right)[0]
        between = self.text[start:stop]
        words = [sign] if sign is not None else between.replace("(", " ").replace(")", " ").split()
        if len(words) == 1 and between.count(words[0]) == 1:
            start += between.index(words[0])
            yield self._mutant(start, start + len(words[0]), after)

    def _mutant(self, start: int, stop: int, after: str) -> Mutant:
        line = self.text.count("\n", 0, start) + 1
        return Mutant(
            self.file, line, start, stop, self.text[start:stop], after, " ".join(self.lines[line - 1].split())
        )

    def _text(self, node: ast.AST) -> str:
        return self.text.__getitem__(slice(*self._span(node)))

    def _span(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node stands in the text; Python counts columns in bytes."""
        places = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))  # type: ignore[attr-defined]
        first, last = (
            self.offsets[line - 1] + len(self.lines[line - 1].encode()[:column].decode()) for line, column in places
        )
        return first, last


def _said_only(node: ast.AST) -> bool:
    """Return whether a node only says something: a docstring, an error, a type, names of names."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if name.isupper():
            return True  # a choice
        case ast.Assign(targets=[ast.Tuple(elts=names)]) if all(getattr(n, "id", "").isupper() for n in names):
            return True  # several
        case ast.Constant(value=float(value)) if 0.0 < abs(value) <= TINY:
            return True
        case ast.BinOp(left=ast.Constant(), op=ast.LShift(), right=ast.Constant()):
            return True
        case ast.keyword(arg="strict" | "minlength" | "use_threads" | "overwrite"):
            return True
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant()) if name in LOOKS:
            return True  # of a class: how large its figure is
        case ast.keyword(arg=name, value=ast.Constant() | ast.Tuple() | ast.List() | ast.Dict()) if name in LOOKS:
            return True
        case ast.keyword(arg="fontsize", value=ast.IfExp(body=ast.Constant(), orelse=ast.Constant())):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))) if name in LOOKING:
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="spines"))))):
            return True
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(name)))]) if name in LOOKS:
            return True
    return False


def _computed(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call but for those that are choices: digits, room, how high a picture is."""
    name = ast.unparse(call.func).rpartition(".")[2]
    if name == "round":
        return call.args[:1]
    if name in ("empty", "zeros", "layout_of"):
        return call.args[1:]
    return [each for each in call.args if name != "reshape" or ast.unparse(each) != "-1"]


def _marks(around: ast.AST, node: ast.AST) -> bool:
    """Return whether a node is a −1 that is put somewhere, neither computed with nor a place in a list."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return isinstance(around, ast.Tuple | ast.Assign | ast.IfExp | ast.Call | ast.Return)
    return False


def _looks(key: ast.expr | None, value: ast.expr) -> bool:
    """Return whether an entry of a dict only says how something looks."""
    plain = ast.Constant | ast.Tuple | ast.JoinedStr
    return isinstance(key, ast.Constant) and key.value in LOOKS and isinstance(value, plain)


def _texts(*nodes: ast.expr) -> bool:
    return any(
        isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
        for node in nodes
    )


def _continuous(*sides: ast.expr) -> bool:
    """Return whether numbers with a fraction are compared, as far as their text tells."""
    nodes = [node for side in sides for node in ast.walk(side)]
    return any(
        (isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value not in (0.0, 1.0))
        or isinstance(node, ast.Div)
        or (isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in CONTINUOUS)
        for node in nodes
    )
