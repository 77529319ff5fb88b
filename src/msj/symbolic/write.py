"""Writing exact answers as text, LaTeX or Python.

The Python is a module of its own that needs nothing but the standard library: one function of the parameters
per quantity, exact when given Fractions. Every formula stands as one quotient of polynomials with whole
coefficients, because ``1/2`` in a sum would be a float.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from fractions import Fraction

import sympy

from msj.errors import InvalidInput
from msj.symbolic.answer import ARRIVAL_RATE, ExactSaturated
from msj.symbolic.entries import Entry, Phases

READABLE_DIGITS = 40
"""Fractions with more digits than this are written as decimals where they are meant to be read."""


def write(answer: ExactSaturated, style: str = "text") -> str:
    r"""Write an exact answer.

    Parameters
    ----------
    answer
        What :func:`~msj.symbolic.solve.solve_exactly` or
        :func:`~msj.symbolic.solve.solve_symbolically` returned.
    style
        ``"text"``, ``"latex"`` or ``"python"``.

    Examples
    --------
    >>> from msj.symbolic import solve_exactly, write
    >>> answer = solve_exactly(servers=2, needs=(1, 2), shares=("2/3", "1/3"), rates=(1, "1/2"))
    >>> print(write(answer))
    Saturated MSJ FCFS on 2 servers
      class 1: need 1, share 2/3, exponential with rate 1
      class 2: need 2, share 1/3, exponential with rate 1/2
    <BLANKLINE>
    stability threshold: lambda* = 9/10 = 0.9
    wasted servers = 1/5 = 0.2
    relative completions after a departure: Delta(Y_d) = 43/100 = 0.43
    mean response time: E[T] = (1 + Delta(Y_d)) / (lambda* - lambda) + O(1)
      = 143/(100*(9/10 - lambda)) + O(1)
    <BLANKLINE>
    at a random time:
      P(Y = [1,1]) = 1/5 = 0.2
      P(Y = [1,2]) = 1/5 = 0.2
      P(Y = [2]) = 3/5 = 0.6
    after a departure:
      P(Y_d = [1,1]) = 4/9 ~ 0.4444444444
      P(Y_d = [1,2]) = 2/9 ~ 0.2222222222
      P(Y_d = [2]) = 1/3 ~ 0.3333333333
    relative completions:
      Delta([1,1]) = 69/50 = 1.38
      Delta([1,2]) = -27/100 = -0.27
      Delta([2]) = -37/100 = -0.37
    <BLANKLINE>
    """
    if style not in STYLES:
        raise InvalidInput(f"the style {style!r} is unknown; choose among {', '.join(STYLES)}")
    return STYLES[style](answer)


def as_text(answer: ExactSaturated) -> str:
    """Write for reading on a screen."""
    lines = [
        *_system(answer),
        "",
        f"stability threshold: lambda* = {_text(answer.threshold)}",
        f"wasted servers = {_text(answer.wasted_servers)}",
        f"relative completions after a departure: Delta(Y_d) = {_text(answer.departure_relative_completions)}",
        "mean response time: E[T] = (1 + Delta(Y_d)) / (lambda* - lambda) + O(1)",
    ]
    if not answer.parameters and _is_short(answer.threshold * answer.departure_relative_completions):
        lines.append(f"  = {answer.response_time()} + O(1)")
    lines.append("")
    for title, name, values in (
        ("at a random time", "P(Y = {})", answer.time_average),
        ("after a departure", "P(Y_d = {})", answer.departure_average),
        ("relative completions", "Delta({})", answer.relative_completions),
    ):
        lines.append(f"{title}:")
        for state, value in zip(answer.state_names, values, strict=True):
            lines.append(f"  {name.format(state)} = {_text(value)}")
    return "\n".join(lines) + "\n"


def as_latex(answer: ExactSaturated) -> str:
    """Write an ``align*`` environment, after the system as comments."""
    rows = [
        (r"\lambda^*", answer.threshold),
        (r"k - \mathbb{E}[\text{busy}]", answer.wasted_servers),
        (r"\Delta(Y_d)", answer.departure_relative_completions),
    ]
    for name, values in (
        (r"\mathbb{{P}}(Y = {})", answer.time_average),
        (r"\mathbb{{P}}(Y_d = {})", answer.departure_average),
        (r"\Delta({})", answer.relative_completions),
    ):
        rows += [(name.format(s), value) for s, value in zip(answer.state_names, values, strict=True)]
    written = [f"  {name} &{_latex(value)}" for name, value in rows]
    arrivals = sympy.latex(ARRIVAL_RATE)
    written.append(
        rf"  \mathbb{{E}}[T] &= \frac{{1}}{{\lambda^*}} \frac{{1 + \Delta(Y_d)}}{{1 - {arrivals}/\lambda^*}} + O(1)"
    )
    comments = [f"% {line}" for line in _system(answer)]
    return "\n".join([*comments, r"\begin{align*}", " \\\\\n".join(written), r"\end{align*}"]) + "\n"


def as_python(answer: ExactSaturated) -> str:
    """Write a module that defines every quantity as a function of the parameters."""
    names = [symbol.name for symbol in answer.parameters]
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name) or name in ("arrival_rate", "Fraction"):
            raise InvalidInput(f"the symbol {name!r} cannot name a Python argument here; call it something else")
    arguments = ", ".join(names)
    lines = [
        '"""' + "\n".join(_system(answer)),
        "",
        "Exact if the arguments are Fractions, floating point if they are floats.",
        "Laws and relative completions are in the order of STATES: jobs in service per class and phase.",
        '"""',
        "",
        "from fractions import Fraction",
        "",
        f"STATES = {answer.states!r}",
        f"STATE_NAMES = {answer.state_names!r}",
    ]
    for name, meaning, value in (
        ("stability_threshold", "The threshold lambda*.", answer.threshold),
        ("wasted_servers", "Mean idle servers although jobs wait.", answer.wasted_servers),
        ("time_average", "The law Y of the state at a random time.", answer.time_average),
        ("departure_average", "The law Y_d of the state after a departure.", answer.departure_average),
        ("relative_completions", "Delta of every state.", answer.relative_completions),
        ("departure_relative_completions", "Delta(Y_d).", answer.departure_relative_completions),
    ):
        lines += ["", "", f"def {name}({arguments}):", f'    """{meaning}"""']
        if isinstance(value, tuple):
            lines += ["    return (", *(f"        {_python(item)}," for item in value), "    )"]
        else:
            lines.append(f"    return {_python(value)}")
    lines += [
        "",
        "",
        f"def response_time({', '.join(['arrival_rate', *names])}):",
        '    """The RESET prediction of the mean response time, up to a bounded error."""',
        f"    ahead = departure_relative_completions({arguments})",
        f"    return (1 + ahead) / (stability_threshold({arguments}) - arrival_rate)",
    ]
    return "\n".join(lines) + "\n"


STYLES: dict[str, Callable[[ExactSaturated], str]] = {
    "text": as_text,
    "latex": as_latex,
    "python": as_python,
}


def _system(answer: ExactSaturated) -> Iterator[str]:
    yield f"Saturated {answer.served} on {answer.servers} servers"
    classes = zip(answer.needs, answer.shares, answer.phases, strict=True)
    for position, (need, share, phases) in enumerate(classes, start=1):
        yield f"  class {position}: need {need}, share {share}, {_duration(phases)}"
    if all(isinstance(share, sympy.Symbol) for share in answer.shares):
        yield f"  where {' + '.join(str(share) for share in answer.shares)} = 1"


def _duration(phases: Phases) -> str:
    initial, generator = phases
    if len(initial) == 1:
        return f"exponential with rate {-generator[0][0]}"
    rows = "; ".join(" ".join(str(entry) for entry in row) for row in generator)
    return f"phase type started by ({' '.join(str(entry) for entry in initial)}) with generator [{rows}]"


def _is_short(value: Fraction) -> bool:
    """Whether a fraction has few digits, found without printing it: Python refuses to print huge integers."""
    return value.numerator.bit_length() + value.denominator.bit_length() < READABLE_DIGITS * 3.3


def _text(value: Entry) -> str:
    if not isinstance(value, Fraction):
        return str(value)
    decimal = f"{float(value):.10g}"
    if not _is_short(value):
        return f"{decimal} (rounded)"
    if value.denominator == 1:
        return str(value)
    return f"{value} {'=' if Fraction(decimal) == value else '~'} {decimal}"


def _latex(value: Entry) -> str:
    if isinstance(value, Fraction) and not _is_short(value):
        return rf"\approx {float(value):.10f}"
    return f"= {sympy.latex(sympy.sympify(value))}"


def _python(value: Entry) -> str:
    if isinstance(value, Fraction):
        return f"Fraction({_integer(value.numerator)}, {_integer(value.denominator)})"
    above, below = value.as_numer_denom()
    if above.is_Integer and below.is_Integer:
        return f"Fraction({above}, {below})"
    return f"({above})/({below})" if below != 1 else str(above)


def _integer(value: int) -> str:
    """Write a huge integer in base 16: Python neither prints nor reads more than 4300 decimal digits."""
    return str(value) if value.bit_length() < 10_000 else hex(value)
