"""What is varied and its values, in the one grammar of every ``--vary``: ``NAME=VALUES``.

VALUES are separated by commas. Each is a number, or a text where a text can be varied; or a range: ``LOW..HIGH/N`` is N
evenly spaced values, ``LOW..HIGH..STEP`` goes by steps, and ``LOW..HIGH`` is every whole number where things are
counted, else the whole range, in which the question may choose points itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from msj.errors import InvalidInput
from msj.model.numbers import number, positive, shortened

MAX_VALUES = 100_000
END = r"((?:(?!\.\.)[^\s])+)"
RANGE = re.compile(rf"{END}\.\.(?!\.){END.replace('[^', '[^/')}(?:\.\.(?!\.){END}|/(\d+))?")


@dataclass(frozen=True, kw_only=True)
class Range:
    """From ``low`` to ``high``, in so many ``points`` or by a ``step``, where one of them is given."""

    name: str
    text: str
    low: str
    high: str
    points: int | None = None
    step: str | None = None

    def values(self, *, whole: bool) -> list[float]:
        """Return its values; ``whole``: numbers of something that is counted.

        Examples
        --------
        >>> parse_vary("load=0.5..0.9/3")[1][0].values(whole=False)
        [0.5, 0.7, 0.9]
        >>> parse_vary("servers=10..40..10")[1][0].values(whole=True), parse_vary("seed=1..3")[1][0].values(whole=True)
        ([10, 20, 30, 40], [1, 2, 3])
        """
        low, high = (float(number(end, self.name)) for end in (self.low, self.high))
        if low > high:
            raise InvalidInput(f"{self.name} = {self.text} does not rise; write the lower number first")
        if self.points is None and self.step is None and not whole:
            raise InvalidInput(f"{self.name} = {self.text} does not say how many values; write {self.text}/9")
        step = float(positive(self.step or 1, f"{self.name}: step"))
        count = int((high - low) / step * (1 + 1e-12)) + 1 if self.points is None else self.points
        if not 1 <= count <= MAX_VALUES:
            raise InvalidInput(f"{self.name} = {self.text} has {count} values; give 1 to {MAX_VALUES:,}")
        # Twelve digits: what people would have written, 0.56 and not 0.5600000000000001.
        even = self.points is not None and count > 1
        found = (low + (high - low) * i / (count - 1) if even else low + step * i for i in range(count))
        return list(dict.fromkeys(round(x) if whole else float(f"{x:.12g}") for x in found))


def parse_vary(text: str, how: str = "write load=0.5..0.98/9 or servers=64,128,256") -> tuple[str, list[Range | str]]:
    """Return what is varied, and its values as they are written; ``how`` is what to write instead of what is no range.

    Examples
    --------
    >>> parse_vary("servers=64,128")
    ('servers', ['64', '128'])
    """
    name, equals, values = (part.strip() for part in text.rpartition("="))
    if not equals or not name or not values:
        raise InvalidInput(f"'{shortened(text)}' does not say what to vary; {how}")
    found: list[Range | str] = []
    for part in (each.strip() for each in values.split(",")):
        range_ = RANGE.fullmatch(part)
        if ".." in part and range_ is None:
            raise InvalidInput(f"'{shortened(part)}' in '{shortened(text)}' is no range; {how}")
        if range_ is None:
            found.append(part)
            continue
        low, high, step, points = range_.groups()
        found.append(
            Range(name=name, text=part, low=low, high=high, step=step, points=None if points is None else int(points))
        )
    return name, found
