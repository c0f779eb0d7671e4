"""Tagged organisations that are cut from a longer phrase, and phrases that are no organisation."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.graph.document.anchored_names.companies import is_body
from casetrack.graph.document.titles import MODIFIERS, is_job, is_part
from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS, DEGREES
from casetrack.graph.entities.locations import names_places
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.spans import NameSpan

_LISTS = WordLists(__file__)

DIVISIONS = frozenset(_LISTS.words("divisions"))
"""Last words of department names, folded."""
_FUNCTIONS = DIVISIONS | MODIFIERS | frozenset(_LISTS.words("functions"))
_REGIONS = frozenset("africa america asia europe pacific".split())
_DEGREES = DEGREES | frozenset(_LISTS.words("degrees"))
_ADJECTIVES = frozenset(_LISTS.words("adjectives"))
ABBREVIATIONS: Final = frozenset(_LISTS.words("abbreviations"))
"""Abbreviations of common phrases, which are no organisations."""
_ENDINGS: Final = "|".join(_LISTS.words("medicines"))
_MEDICINE: Final = re.compile(
    rf"\b([A-Z][a-z]{{2,12}}(?:{_ENDINGS}))\b"
    rf"|\b([A-Z][\w-]{{2,20}})[®™]?[ \n]\((?:[a-z-]+[ \n]){{0,3}}[a-z-]{{2,12}}(?:{_ENDINGS})\b"
)
"""A generic medicine name, and a trade name before one: "Docetaxel", "REMTIRA (daratumumab)"."""
_TRADE_NAME = _LISTS.pattern("trade_name")
_LISTED: Final = re.compile(r"[A-Z][\w-]+(?:(?:,[ ](?:and[ ])?|[ ]and[ ]|/)[A-Z][\w-]+){2,}")
_SEVERAL = 2
_ZIP_BEHIND: Final = re.compile(r",?[ \n](?:[A-Z]{2}|[A-Z][\w. ]{2,16}),?[ ]\d{5}(?!\d)")
_DATELINE = _LISTS.pattern("dateline")
_TOWNS = frozenset(_LISTS.words("towns"))
_LINK_BEHIND: Final = re.compile(r"(?:[ \n]+(?:and|or|und|oder|of|for|the)|[ \n]*[&,;:])+\Z")
_LAST: Final = re.compile(r"(.*\w)[ \n]([A-Za-z]+)\Z", re.DOTALL)
_GOES_ON: Final = re.compile(r"[ \n][A-Z][a-z’']")
_OFFICE_BEFORE: Final = re.compile(r"([\w-]+)(?:,| of| for)[ \n]\Z")
_A = _LISTS.pattern("a")
_IN_ADDRESS: Final = re.compile(r"(?:\A|[\n,;|(])[ ]?(?:D-)?\d{5}[ ]\Z")
_DATED: Final = re.compile(r",?[ ](?:den|le)[ ]\d{1,2}\.?[ ]")
_LINE_BEFORE: Final = re.compile(r"(?:\A|\n)[ \t:]*\Z")
_SEAT = _LISTS.pattern("seat")


def uncut(text: str, span: NameSpan, /) -> NameSpan | None:
    """Return a tagged organisation without trailing words of the next phrase, or ``None``.

    Several words for places become one place. "PepsiCo Common" before "Shareholders' Equity" is
    PepsiCo; "Talent and" is a role in a contract.
    """
    end = span.end
    if names_places(span.text):
        return replace(span, kind="location")
    words = span.text.split()
    if (
        len(words) > 2
        and _FUNCTIONS.issuperset(map(fold, words[:-1]))
        and fold(words[-1]) not in _FUNCTIONS | COMMON_FIRST_WORDS
        and not (is_body(fold(words[-1])) or is_job(words[-1]))
        and fold(words[-2]) in _FUNCTIONS - MODIFIERS
    ):
        # "Quality Assurance Philips" is a function at a firm.
        return replace(span, start=end - len(words[-1]), text=words[-1])
    while end > span.start:
        name = text[span.start : end]
        link, last = _LINK_BEHIND.search(name), _LAST.match(name)
        if link:
            end = span.start + link.start()
        elif last and fold(last[2]) in _ADJECTIVES and _GOES_ON.match(text, end):
            end = span.start + last.end(1)
        else:
            break
    if end == span.start or (end < span.end and is_part(text[span.start : end])):
        return None
    return span if end == span.end else replace(span, end=end, text=text[span.start : end])


def names_function(text: str, span: NameSpan, /) -> bool:
    """Return whether a phrase is a department, an office or degrees, and no organisation.

    Every word denotes a function: "Investor Relations". A single word, or the name of a region,
    needs a job title before it: "Director, Communications".
    """
    words = [fold(w.strip(",.")) for w in re.split(r"[ \n]+(?:(?:and|&)[ \n]+)?", span.text)]
    if all(w in DEGREES for w in words) or (len(words) > 1 and _DEGREES.issuperset(words)):
        return True
    if words[-1] not in DIVISIONS or is_body(words[-1]) or not _FUNCTIONS.issuperset(words):
        return False
    office = _OFFICE_BEFORE.search(text, max(0, span.start - 40), span.start)
    is_held = office is not None and is_job(office[1])
    return is_held or (len(words) > 1 and _REGIONS.isdisjoint(words))


def is_town(text: str, span: NameSpan, /) -> bool:
    """Return whether a phrase is a place or is in the position of a town: in an address, as a seat.

    A seat needs a typical start of German town names: "Bad Erlenau", "Neu Ulm".
    """
    low = max(0, span.start - 24)
    if names_places(span.text) or _IN_ADDRESS.search(text, low, span.start):
        return True
    is_head = _LINE_BEFORE.search(text, low, span.start) is not None
    if is_head and (_DATED.match(text, span.end) or _DATELINE.match(text, span.end)):
        return True
    if _ZIP_BEHIND.match(text, span.end):
        return True
    words = span.text.split()
    is_german = len(words) > 1 and fold(words[0].rstrip(".")) in _TOWNS
    return is_german and bool(_SEAT.search(text, low, span.start))


def medicines(texts: Sequence[str], /) -> frozenset[str]:
    """Return the names of medicines in texts, recognised by generic names and in lists.

    >>> texts = ["REMTIRA (daratumumab), Alba and Docetaxel, and SELVO (selexipag)"]
    >>> sorted(medicines(texts))
    ['Alba', 'Docetaxel', 'REMTIRA', 'SELVO']
    """
    names = {m[1] or m[2] for text in texts for m in _MEDICINE.finditer(text)}
    if len(names) < _SEVERAL:
        return frozenset(names)
    names |= {m[1] or m[2] for text in texts for m in _TRADE_NAME.finditer(text)}
    lists = (re.split(r"\W+(?:and )?|/", m[0]) for t in texts for m in _LISTED.finditer(t))
    return frozenset(names).union(*(x for x in lists if len(names.intersection(x)) >= _SEVERAL))


def is_noun(text: str, span: NameSpan, /) -> bool:
    """Return whether a word follows a German word that precedes no name: ein, ihre."""
    is_word = span.text.isalpha() and span.text.istitle()
    return is_word and _A.search(text, max(0, span.start - 8), span.start) is not None
