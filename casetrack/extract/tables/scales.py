"""What a table, its caption or its page says of its numbers: "(in millions, except per share)"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from casetrack.extract.amounts.money import CODES, PHRASES, SIGNS
from casetrack.extract.tables.model import MONEY_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator


class Scale(NamedTuple):
    """A statement of what numbers are counted in.

    Attributes
    ----------
    start, end
        Its place in the text.
    factor
        What the numbers are to be multiplied by: 1e6 for "in millions".
    unit
        The currency that it names, in the words of ``AmountSpan.unit``; ``None`` where it does not.
    of_money
        False where it speaks of something else ("shares in thousands").
    enclosed
        Whether it stands in brackets, as captions have it even within running text.
    """

    start: int
    end: int
    factor: float
    unit: str | None
    of_money: bool
    enclosed: bool


_FACTORS = {
    "thousand": 1e3, "000": 1e3, "k": 1e3, "tsd": 1e3, "tausend": 1e3, "lakh": 1e5, "lac": 1e5,
    "crore": 1e7, "cr": 1e7, "billion": 1e9, "bn": 1e9, "mrd": 1e9, "milliarden": 1e9, "b": 1e9,
    "trillion": 1e12,
}  # fmt: skip
_MONEY = (
    rf"(?:[A-Z]{{1,3}}[$]|[{MONEY_SIGNS}]|Rs\.?|(?-i:[A-Z]{{3}})\b"
    r"|(?:(?:u\.?s\.?|united\sstates|canadian|australian|hong kong|singapore|new zealand|nominal)"
    r"\s)?dollars?\b"
    r"|euros?\b|pounds?(?:\ssterling)?\b|yen\b|rupees?\b|renminbi\b|francs?\b|kron[ao]r?\b)"
)
_WORD = (
    r"(?:thousands?|millions?|billions?|trillions?|crores?|lakhs?|lacs?|tausend|millionen"
    r"|milliarden|mio\b\.?|mrd\b\.?|tsd\b\.?|mln\b|mn\b|bn\b|mm\b|cr\b\.?|['’]?000s?\b(?:['’]s)?)"
)
_STATED = re.compile(
    rf"""(?<![\w.,'’$€£])(?:
      (?P<named>(?:(?:dollars|amounts?|figures|values?|tabular\s\w+|data|stated|expressed|reported
          |presented|shown|shares)\b[^\n()|.;]{{0,30}}?\s|\$\sand\s\w+\s)?)in\s(?:nominal\s)?
          (?P<before>{_MONEY}\s?)?(?P<word>{_WORD})(?P<of>\sof\s{_MONEY}|\s?{_MONEY})?
      |(?P<money>{_MONEY})\s?(?:in\s)?(?P<short>{_WORD}|m\b|b\b|k\b)(?!\s?\d(?!\d\d\d\b))
      |(?P<lone>{_WORD})(?P<after>\s(?:of\s)?{_MONEY}|)(?=\s?[,)|;]|\s(?:except|omitted)\b|\s?$)
      |(?P<joined>T€|T(?:EUR|CHF|GBP|USD)\b|k€|m€)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_QUICK = re.compile(
    r"thousand|million|billion|trillion|crore|lakh|\blac|mio\b|mrd\b|tsd|mln|[$€£₹YRD]\s?(?:m|bn|mm|k|b)\b"
    r"|\bbn\b|000|tausend|milliard|t€|teur|tchf|k€|m€|(?:eur|usd|gbp|chf|inr|rs\.?)\s(?:m|mn|bn|cr)\b",
    re.IGNORECASE,
)
_OTHER_THINGS = re.compile(
    r"\b(?:shares?|units|gallons|customers|subscri\w+|members\w*|square|feet|tons|tonnes|barrels"
    r"|headcount|employees|stores|hours|miles|mwh|gwh|kwh|volumes?|boe|mcf|ounces|passengers"
    r"|vehicles|options|awards|rsus|warrants|years|acres)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\bnumber\sof\s[\w\s-]+\(?$", re.IGNORECASE)
_OF_MONEY = re.compile(
    rf"[{MONEY_SIGNS}]|\b(?:dollars?|amounts?|currency|values?|sales|revenues?|costs?)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except|excluding|other than)\b.*", re.IGNORECASE | re.DOTALL)
_REACH = 70
_US_DOLLARS = frozenset(("u.s. dollars", "us dollars", "united states dollars"))


def find_scales(text: str, /) -> Iterator[Scale]:
    """Yield the statements of a text on what its numbers are counted in, in order.

    Parameters
    ----------
    text
        A line, a caption, or the head of a table. A number with its own word ("$5 million") is
        none, and neither is running text ("in thousands of cities"): what stands outside brackets
        must begin the text, a cell or a clause, or speak of amounts.

    Examples
    --------
    >>> [(s.factor, s.unit) for s in find_scales("(in millions of euros, except per share data)")]
    [(1000000.0, 'EUR')]
    >>> [s.of_money for s in find_scales("(Shares in thousands)")]
    [False]
    """
    if _QUICK.search(text) is None:
        return
    for found in _STATED.finditer(text):
        ahead = text[max(0, found.start() - _REACH) : found.start()]
        if re.search(r"\d\s?$", ahead) and not re.search(r"\b(?:19|20)\d\d\s$", ahead):
            continue
        opened = ahead.rfind("(") > ahead.rfind(")")
        clause = re.split(r"[(|\n]", ahead)[-1]
        if not (opened or _begins(found, clause)):
            continue
        word = found["word"] or found["short"] or found["lone"] or ""
        about = _EXCEPT.sub("", clause) + (found["named"] or "")
        of_money = not _OTHER_THINGS.search(about) or bool(_OF_MONEY.search(about))
        of_money = of_money and not _COUNTED.search(re.split(r"[|\n]", ahead)[-1])
        yield Scale(
            found.start(), found.end(), _factor(word, found["joined"]), _unit(found, about),
            of_money, opened,
        )  # fmt: skip


def _begins(found: re.Match[str], clause: str) -> bool:
    """Say whether a statement without brackets is one: it begins a clause, or speaks of amounts."""
    before = clause.strip()
    if found["lone"] is not None:
        return not before and (found["lone"][-1:] in "sS." or bool(found["after"]))
    if found["named"]:
        return (
            not re.match(r"(?:data|values?|shares)\b", found["named"], re.IGNORECASE) or not before
        )
    return not before or before[-1] in ",;:-–—"


def _factor(word: str, joined: str | None) -> float:
    if joined:
        return 1e6 if joined[0] in "mM" else 1e3
    name = word.lower().strip(".'’")
    if name.startswith("000"):
        return 1e3
    return _FACTORS.get(name, _FACTORS.get(name.removesuffix("s"), 1e6))


def _unit(found: re.Match[str], about: str) -> str | None:
    if found["joined"]:
        written = found["joined"][1:]
    else:
        parts = (found["before"], found["of"], found["money"], found["after"])
        written = next((part for part in parts if part and part.strip()), "") or ""
        written = re.sub(r"^\s*of\s", "", written, flags=re.IGNORECASE)
    known = unit_of(written.strip())
    if known is None and (named := re.search(_MONEY, about, re.IGNORECASE)):
        known = unit_of(named[0].strip())
    return known


def unit_of(written: str, /) -> str | None:
    """Return the unit of a currency's sign, code or name; ``None`` where it is none.

    Examples
    --------
    >>> unit_of("US$"), unit_of("dollars"), unit_of("Mio")
    ('USD', 'dollar', None)
    """
    if written in SIGNS:
        return SIGNS[written]
    code = "CNY" if written.upper() == "RMB" else written.upper()
    if code in CODES:
        return code
    bare = written.rstrip(".")
    return (
        SIGNS.get(bare)
        or PHRASES.get(bare.lower())
        or ("USD" if bare.lower() in _US_DOLLARS else None)
    )
