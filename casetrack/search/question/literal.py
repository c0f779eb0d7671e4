"""What a question says to the letter: words in quotation marks, and numbers."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from casetrack.search.question.words import part, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.base.records.reading import Part, Period

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
