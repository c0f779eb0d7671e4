"""Tagged organizations that are cut from a longer phrase, and phrases that name none."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.graph.document.sure.companies import is_body
from casetrack.graph.document.titles import MODIFIERS, is_job, is_part
from casetrack.graph.entities.lexicon import DEGREES
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from casetrack.extract.spans import NameSpan

_LISTS = WordLists(__file__)

DIVISIONS = frozenset(_LISTS.words("divisions"))
"""Last words of the names of departments, folded."""
_FUNCTIONS = DIVISIONS | MODIFIERS | frozenset(_LISTS.words("functions"))
_REGIONS = frozenset("africa america asia europe pacific".split())
_DEGREES = DEGREES | frozenset(_LISTS.words("degrees"))
_ADJECTIVES = frozenset(_LISTS.words("adjectives"))
_TOWNS = frozenset(_LISTS.words("towns"))
_LINK_BEHIND: Final = re.compile(r"(?:[ \n]+(?:and|or|und|oder|of|for|the)|[ \n]*[&,;:])+\Z")
_LAST: Final = re.compile(r"(.*\w)[ \n]([A-Za-z]+)\Z", re.DOTALL)
_GOES_ON: Final = re.compile(r"[ \n][A-Z][a-z’']")
_OFFICE_BEFORE: Final = re.compile(r"([\w-]+)(?:,| of| for)[ \n]\Z")
_A: Final = re.compile(
    r"\b(?:[Kk]?[Ee]ine?[nmrs]?|[Ii]hre?[nmrs]?|[Ss]eine?[nmrs]?|[Jj]ede[nmrs]?)[ \n]\Z"
)
"""German words that stand before a noun of the language, and before no name."""
_IN_ADDRESS: Final = re.compile(r"(?:\A|[\n,;|(])[ ]?(?:D-)?\d{5}[ ]\Z")
_DATED: Final = re.compile(r",?[ ](?:den|le)[ ]\d{1,2}\.?[ ]")
_LINE_BEFORE: Final = re.compile(r"(?:\A|\n)[ \t:]*\Z")
_SEAT: Final = re.compile(
    r"(?:\b(?:GmbH|AG|KG|OHG|UG|SE|mbH|e\.V\.),?[ ](?:of|in|mit Sitz in)|\b(?:aus|nach|bei))[ \n]\Z"
)


def uncut(text: str, span: NameSpan, /) -> NameSpan | None:
    """Return a tagged organization without what leads to the next word; ``None`` if none is left.

    "PepsiCo Common" before "Shareholders' Equity" is PepsiCo, "Talent and" is a part in a contract.
    """
    end = span.end
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
    """Return whether a phrase names a department, an office or degrees, and no organization.

    Every word is one of functions: "Investor Relations". A single one, and the name of a region,
    needs the office of a person before it: "Director, Communications".
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
    """Return whether a phrase stands where a town does: in an address, before a date, as a seat.

    A seat needs a name that begins as names of German towns do: "Bad Erlenau", "Neu Ulm".
    """
    low = max(0, span.start - 24)
    if _IN_ADDRESS.search(text, low, span.start):
        return True
    if _LINE_BEFORE.search(text, low, span.start) and _DATED.match(text, span.end):
        return True
    words = span.text.split()
    is_german = len(words) > 1 and fold(words[0].rstrip(".")) in _TOWNS
    return is_german and bool(_SEAT.search(text, low, span.start))


def is_noun(text: str, span: NameSpan, /) -> bool:
    """Return whether a word of German stands behind one that no name has before it: ein, ihre."""
    is_word = span.text.isalpha() and span.text.istitle()
    return is_word and _A.search(text, max(0, span.start - 8), span.start) is not None
