"""Whether a place is the heading of the part that it names, and so no reference to it."""

from __future__ import annotations

import re

_LINE_START = re.compile(r"(?:^|\n)[ \t\u00a0#*_>|]{0,40}$")
_CONTINUED = re.compile(r"[a-z,;(&\-–]\s?$|\b(?:Section|Clause|Article|Exhibit|Schedule)\s?$")
_AFTER = re.compile(
    r"[ \t\u00a0*_]*(?:$|\n|[.:\-–—|)]+[ \t*_]*(?:$|\n|[\"“(\[A-ZÄÖÜ\d]|\.\.)"
    r"|\s{1,12}[\"“(\[]?[A-ZÄÖÜ][\w’']*(?:\s|[.,:;)]|$)|\t|\.{2,}|\s{3,})"
)
_ALONE = re.compile(r"[ \t\u00a0*_.:]*(?:$|\n)")
_VERB = re.compile(r"[.:\-–—|)\s*_]*(?:of|to|shall|is|are|and|or|hereof|above|below|applies)\b")


def starts_line(text: str, start: int, /) -> bool:
    """Whether nothing but marks of headings stands before *start* on its line."""
    return bool(_LINE_START.search(text, max(0, start - 42), start))


def is_heading(text: str, start: int, end: int, /) -> bool:
    """Whether ``text[start:end]`` opens a line as its heading ("Section 8.2 Termination.").

    A line that only goes on with the sentence of the line before is none.
    """
    if not starts_line(text, start) or _VERB.match(text, end):
        return False
    line = text.rfind("\n", max(0, start - 42), start)
    if line > 0 and not text[max(0, line - 1) : line].isspace():
        before = text[max(0, line - 12) : line]
        if _CONTINUED.search(before):
            return False
    return bool(_AFTER.match(text, end))


def is_alone(text: str, start: int, end: int, /) -> bool:
    """Whether ``text[start:end]`` is all that its line says: a title."""
    return starts_line(text, start) and bool(_ALONE.match(text, end))
