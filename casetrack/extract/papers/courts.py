"""Courts by the words of a caption: the usual name, and the short name of a court of the U.S.

A court stands at the start of a line, over as many as five lines, in capitals or not::

    IN THE UNITED STATES DISTRICT COURT
    FOR THE CENTRAL DISTRICT OF CALIFORNIA

Whatever goes on as a sentence is none: "United States District Court judges may ...".
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.extract.papers.court_words import match_court

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROSE = re.compile(r"[\s,]*(?:[a-z]{2,}|[A-Z][a-z]+ (?:has|have|held|ruled|may|will|is|was)\b)")
_PARTY = re.compile(
    r"[\s,]*(?:et al\.?,?\s*)?(?:plaintiff|defendant|petitioner|respondent|appell)", re.IGNORECASE
)
"""A court that is sued is not the one that sits."""
_IN_SHORT = re.compile(
    r"(?:the )?(?:(?:First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Eleventh"
    r"|Federal|D\.\s?C\.|\d{1,2}(?:st|nd|rd|th|d)) Circuit(?: Court of Appeals)?"
    r"|(?:[\w.'’‘ʻ-]+ ){0,5}(?:Supreme|Superior|District|Circuit|County|Appellate|Appeals|Probate"
    r"|Family|Bankruptcy|Tax|High|Crown|Federal|Municipal|Chancery|Magistrates['’]?|Constitutional"
    r"|Juvenile|Surrogate['’]s) Court(?: (?:of|for|in) .{2,80})?"
    r"|(?:[\w.'’‘ʻ-]+ ){0,5}Court of (?:Appeals?|Claims|Justice|Chancery|Common Pleas|Session"
    r"|International Trade|Federal Claims|(?:Criminal|Civil|Special) Appeals|Human Rights)"
    r"(?: (?:of|for|in) .{2,80})?)",
    re.IGNORECASE,
)
"""What a court is called in running text."""
_LINES = 5
_LOOKED_AT = 60


@dataclass(frozen=True, slots=True)
class Court:
    """A court that a caption names: lines *first* to *last* (left out), and its characters."""

    name: str
    court_id: str | None
    first: int
    last: int
    text: str


def find_court(lines: Sequence[str], /) -> Court | None:
    """Return the court that a caption names first.

    Parameters
    ----------
    lines
        The first lines of a page, without numbers beside them and marks between columns.
    """
    weak = None
    for first, line in enumerate(lines[:_LOOKED_AT]):
        if len(line) < 5 or not _may_be(line):
            continue
        for count in range(_LINES, 0, -1):
            joined = "\n".join(lines[first : first + count])
            found = match_court(joined)
            if found is None:
                continue
            name, short, end = found
            last, left = _last_line(lines, first, end)
            if (_PROSE.match(left) and len(left) > 12) or _PARTY.match(left):
                break
            court = Court(name, short, first, last, joined[:end])
            if short is not None or " " in name:
                return court
            weak = weak or court
            break
    return weak


def federal_courts_in(text: str, /) -> set[str | None]:
    """Return the short names of all courts at the beginning of a line."""
    found, lines = set[str | None](), text.splitlines()
    while court := find_court(lines):
        found.add(court.court_id)
        lines = lines[court.last :]
    return found


def court_called(name: str, /) -> str | None:
    """Return the usual name of the court that *name* is, as a whole; ``None`` for all else.

    Examples
    --------
    >>> court_called("U.S. District Court for the District of Vermont")
    'United States District Court for the District of Vermont'
    """
    plain = " ".join(name.split()).rstrip(" ,")
    found = match_court(plain) if _may_be(plain) else None
    if found is None or found[2] < len(plain.rstrip(".")):
        return None
    return found[0]


def is_court(name: str, /) -> bool:
    """Whether *name* is that of a court: by its usual words, or as texts call it for short.

    Examples
    --------
    >>> [is_court(n) for n in ("Ninth Circuit", "Vermont Supreme Court", "Tennis Court LLC")]
    [True, True, False]
    """
    plain = " ".join(name.split())
    return _IN_SHORT.fullmatch(plain) is not None or court_called(plain) is not None


@functools.cache
def _hint() -> re.Pattern[str]:
    return re.compile(
        r"court|tribunal|panel on|board|bundes|gericht|state of|commonwealth of"
        r"|county|council|cassation|conseil|house of lords|advocate",
        re.IGNORECASE,
    )


def _may_be(line: str) -> bool:
    return _hint().search(line) is not None


def _last_line(lines: Sequence[str], first: int, end: int) -> tuple[int, str]:
    """Return the line after that in which a match over joined lines ends, and that one's rest."""
    at = first
    while at < len(lines) and end > len(lines[at]):
        end -= len(lines[at]) + 1
        at += 1
    rest = lines[at][max(end, 0) :] if at < len(lines) else ""
    return at + 1, rest
