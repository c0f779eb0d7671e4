"""What of a text no reader reads for its matter: tables of contents, headings, tags of HTML."""

from __future__ import annotations

import re
from itertools import pairwise

_ENTRY = re.compile(
    r"(?:(?<=\s)|^)(?:(?:Article|Section|Exhibit|Schedule|Annex|Appendix|Part|Chapter|Kapitel)\s)?"
    r"(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Z]\.?)\s+[^\W\d_][^\n.;|]{2,80}?\s+(\d{1,3})(?=\s|$)"
)
_FEWEST_ENTRIES = 5
_ASCENDING = 0.8
_HEADING = re.compile(r"(?:^|\n)[^\S\n]*([^\n|]{3,70})[^\S\n]*(?=\n|$)")
_NUMBERED = re.compile(
    r"[#*\s]*(?:(?:article|section|exhibit|schedule|annex|appendix|part|chapter)\s+\S+"
    r"|\(?\d+(?:\.\d+)*[.)]?|[IVXLC]+\.)(?:\s|$)",
    re.IGNORECASE,
)
_ENDS = (".", ",", ";", ":", "?", "!", "…")
_WORD = re.compile(r"[^\W\d_][\w'’-]{3,}")
_TAG = re.compile(
    r"<!--.{0,600}?(?:-->|$)|<[/!]?[a-zA-Z][^<>]{0,600}(?:>|$)|&[a-z]{2,6};", re.DOTALL
)


def is_contents(text: str, /) -> bool:
    """Whether a text is a table of contents: five entries or more, with pages that go up."""
    pages = [int(number) for number in _ENTRY.findall(text)]
    if len(pages) < _FEWEST_ENTRIES:
        return False
    rising = sum(one <= other for one, other in pairwise(pages))
    return rising >= _ASCENDING * (len(pages) - 1) and pages[0] < pages[-1]


def heading_spans(text: str, /) -> list[tuple[int, int]]:
    """Return the places of lines that head what follows, in order.

    Such a line is short, ends no sentence, and is numbered, or all its words of four letters and
    more have capitals.
    """
    found = []
    for match in _HEADING.finditer(text):
        line = match[1].rstrip()
        if line.endswith(_ENDS):
            continue
        words = _WORD.findall(line)
        if words and (_NUMBERED.match(line) or all(w[0].isupper() for w in words)):
            found.append(match.span(1))
    return found


def tag_spans(text: str, /) -> list[tuple[int, int]]:
    """Return the places of tags and entities of HTML that a text holds as words, in order."""
    return [match.span() for match in _TAG.finditer(text)] if "<" in text or "&" in text else []
