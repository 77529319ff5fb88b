"""Claims that every paper makes: a number printed with so many digits, and something that is exactly so."""

from __future__ import annotations

from decimal import Decimal

from msj.papers.figure import Claim


def printed_number(
    what: str, printed: str, found: float, *, unit: str = "", units_off: float = 0.5, because: str = ""
) -> Claim:
    """Compare a number as the paper prints it with ours: right if it rounds to the same digits.

    ``units_off`` is how many units of the last digit they may be apart; one half is rounding.

    Examples
    --------
    >>> claim = printed_number("lambda*", "0.5413", 0.54129083)
    >>> claim.passed, claim.difference
    (True, '-9.2e-06')
    >>> printed_number("lambda*", "0.5414", 0.54129083).passed
    False
    """
    digits = Decimal(printed)
    exponent = digits.as_tuple().exponent
    assert isinstance(exponent, int)  # printed numbers are finite
    gap = found - float(digits)
    return Claim(
        claim=what,
        claimed=f"{printed}{unit}",
        found=f"{found:.{max(2 - exponent, 0)}f}{unit}",
        difference=f"{gap:+.1e}",
        # A hair more than half a unit: the border itself must not hang on the last bit.
        passed=abs(gap) <= (units_off + 1e-9) * 10.0**exponent,
        because=because,
    )


def exactly(what: str, claimed: str, found: str, *, because: str = "") -> Claim:
    """Compare two things that are equal or are not.

    Examples
    --------
    >>> exactly("states", "13", "13").passed
    True
    """
    same = claimed == found
    return Claim(
        claim=what,
        claimed=claimed,
        found=found,
        difference="none" if same else "they differ",
        passed=same,
        because=because,
    )


def in_words(claim: Claim) -> str:
    """Return what is said of a claim, before its words.

    Examples
    --------
    >>> in_words(exactly("states", "13", "12"))
    'NOT REPRODUCED'
    """
    if claim.verdict == "our reading":
        return f"our reading {'holds' if claim.passed else 'does not hold'}"
    return "reproduced" if claim.verdict == "yes" else "NOT REPRODUCED"
