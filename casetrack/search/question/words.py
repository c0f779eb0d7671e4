"""The words of a question with their places, quoted words, numbers, years and quarters."""

from __future__ import annotations

import functools
import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.records.reading import Part, Period
from casetrack.ingest.steps.words import as_letters, index_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = re.compile(
    r"(?P<short>[^\W\d_]{1,3}(?:&[^\W\d_]{1,3})+)(?!\w)|"
    r"\d+(?:[.,\u2019']\d+)*(?![^\W_])|(?:[^\W\d_]\.){2,}|[^\W_]+(?:['\u2019][^\W_]+)*"
)


_KEPT = 16384
"""Names whose terms are kept: those of the vocabularies are looked at with every question."""


class Word(NamedTuple):
    """A word of the question.

    Attributes
    ----------
    text
        As it stands there.
    start, end
        Where.
    terms
        Its index terms: mostly one, none for a very common word. Letters joined by ``&`` are one
        word here, as ``r&d``: what the index knows of them is next to nothing.
    """

    text: str
    start: int
    end: int
    terms: tuple[str, ...]


def words_of(text: str, /) -> list[Word]:
    """Return the words of *text* in order."""
    return [
        Word(word, m.start(), m.end(), _terms(word, is_short=m["short"] is not None))
        for m in _WORD.finditer(as_letters(text))
        for word in (text[m.start() : m.end()],)
    ]


@functools.lru_cache(maxsize=_KEPT)
def stems_of(text: str, /) -> tuple[str, ...]:
    """Return the terms of the words of *text*, by which names are compared."""
    return tuple(term for word in words_of(text) for term in word.terms)


@functools.lru_cache(maxsize=_KEPT)
def terms_of(text: str, /) -> tuple[str, ...]:
    """Return the index terms of a name, as :func:`index_terms` has them."""
    return tuple(index_terms(text))


def _terms(word: str, *, is_short: bool) -> tuple[str, ...]:
    return (word.casefold(),) if is_short else tuple(index_terms(word))


def part(query: str, start: int, end: int, /) -> Part:
    """Return a part of the question."""
    return Part(query[start:end], start, end)


# What a question says to the letter: words in quotation marks, and numbers.

_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|\u201c([^\u201c\u201d\n]+)\u201d|\u201e([^\u201e\u201c\u201d\n]+)[\u201c\u201d]"
    r"|\u00ab([^\u00ab\u00bb\n]+)\u00bb|(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)\u2018([^\u2019\n]+)\u2019(?!\w)"
)
_LEAST_WORDS = 2
"""A single word in quotation marks is looked for like any other."""
_SCALES = {"thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12}
_NUMBER = re.compile(
    r"(?<![\w.,-])(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"(?: ?(?P<scale>thousand|million|billion|trillion|mn|bn)s?)?"
    r"(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_ROUND = 10_000
"""A number that is so round is also said with a word: 1,500,000 as 1.5 million."""


def phrases_of(query: str, /) -> tuple[Part, ...]:
    """Return what stands in quotation marks and has several words, without the marks."""
    found = []
    for match in _QUOTED.finditer(query):
        inside = match.lastindex or 0
        if len(words_of(match[inside])) >= _LEAST_WORDS:
            found.append(part(query, *match.span(inside)))
    return tuple(found)


def numbers_of(query: str, periods: Sequence[Period], /) -> tuple[Part, ...]:
    """Return the numbers of a question that are no part of a year or quarter."""
    return tuple(
        part(query, *match.span())
        for match in _NUMBER.finditer(query)
        if not any(p.part.start < match.end() and match.start() < p.part.end for p in periods)
    )


def other_spellings(number: str, /) -> Iterator[str]:
    """Yield how else a number is surely written: ``1.5 million`` and ``1500000``.

    Separators of thousands make no difference to the index, and a bare ``1.5`` in a table may be
    anything.
    """
    match = _NUMBER.fullmatch(number)
    if match is None:
        return
    digits = Decimal(
        re.sub(r"[^\d.]", "", number[: match.start("scale")] if match["scale"] else number)
    )
    if scale := match["scale"]:
        whole = digits.scaleb(_SCALES[scale.lower()])
        if whole == int(whole):
            yield str(int(whole))
        return
    if digits >= 1_000_000 and digits % _ROUND == 0:
        for name, zeros in (("billion", 9), ("million", 6)):
            if digits >= 10**zeros:
                yield f"{digits.scaleb(-zeros).normalize():f} {name}"
                return


def pattern_of(phrase: str, /) -> re.Pattern[str]:
    """Return what finds the words of a phrase in this order, whatever signs stand between them."""
    words = (re.escape(word.text) for word in words_of(phrase))
    return re.compile(r"(?<!\w)" + r"[\W_]+".join(words) + r"(?!\w)", re.IGNORECASE)


# Years and quarters that a question names, in their many spellings.
#
# ``FY2018``, ``FY18``, ``fiscal 2018``, ``the year ended December 31, 2018`` are the year 2018;
# ``Q2 2023``, ``2Q23``, ``second quarter of fiscal 2023`` are one quarter. Text says them in other
# words than the question, so each is looked up in all of them.

_FULL = r"(?:19[5-9]\d|20[0-4]\d)"
_SHORT = r"['\u2019]?\d\d"
_YEAR = rf"(?:{_FULL}|{_SHORT})"
_FISCAL = r"(?:f\.?y\.?e?|fiscal|financial)(?:[ -]?(?:year|period))?[ -]?"
_ORDINALS = ("first|1st", "second|2nd", "third|3rd", "fourth|4th")
_ORDINAL = "|".join(rf"(?P<o{n}>{words})" for n, words in enumerate(_ORDINALS, start=1))
_QUARTER = rf"(?:q(?P<q>[1-4])|(?P<r>[1-4])q|(?:{_ORDINAL})[ -](?:fiscal[ -])?quarter)"
_BETWEEN = r"(?:,? ?(?:of|in|for)? ?(?:the )?)"
_PATTERNS = tuple(
    re.compile(rf"(?<![\w.,$\u20ac\u00a3])(?:{pattern})(?![\w%]|[.,]\d)", re.IGNORECASE)
    for pattern in (
        rf"{_QUARTER}{_BETWEEN}(?:{_FISCAL})?(?P<year>{_YEAR})",
        rf"(?:{_FISCAL})?(?P<year>{_FULL})(?:['\u2019]s)?[ ,/-]*{_QUARTER}",
        rf"{_FISCAL}(?P<year>{_YEAR})",
        rf"(?P<year>{_FULL})",
    )
)
_WORDS = ("first quarter", "second quarter", "third quarter", "fourth quarter")


def periods_of(query: str, /) -> tuple[Period, ...]:
    """Return the years and quarters of a question, in the order in which they stand there."""
    found: list[Period] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(query):
            if any(p.part.start < match.end() and match.start() < p.part.end for p in found):
                continue
            said = part(query, match.start(), match.end())
            found.append(Period(said, _year(match["year"]), _quarter(match)))
    return tuple(sorted(found, key=lambda period: period.part.start))


def spellings(period: Period, /) -> Iterator[str]:
    """Yield how a period may be written, the usual way first."""
    year = str(period.year)
    yield year
    if period.quarter is None:
        yield f"FY{year}"
        yield f"FY{year[2:]}"
        return
    yield _WORDS[period.quarter - 1]
    yield f"Q{period.quarter}"
    yield f"{period.quarter}Q{year[2:]}"


def _year(said: str) -> int:
    digits = said.strip("'\u2019")
    if len(digits) == 4:
        return int(digits)
    return (2000 if int(digits) < 60 else 1900) + int(digits)


def _quarter(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    if said := groups.get("q") or groups.get("r"):
        return int(said)
    return next((n for n in range(1, 5) if groups.get(f"o{n}")), None)
