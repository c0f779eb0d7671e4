"""The tables that stand in a brief itself: of contents, and of authorities."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

TableKind = Literal["contents", "authorities"]

_HEADING = re.compile(
    r"^[^\w\n]*(?:(?P<contents>(?:table\s+of\s+)?contents|index)"
    r"|(?P<authorities>(?:table|index|list)\s+of\s+(?:points\s+and\s+)?(?:cited\s+)?"
    r"(?:authorities|citations|cases|statutes)(?:\s+(?:and|&)\s+(?:other\s+)?\w+)?(?:\s+cited)?"
    r"|(?:table\s+of\s+)?authorities\s+cited))"
    r"\s*(?:\(?continued\)?|[-\u2013\u2014]+\s*continued)?[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_PAGE = r"(?:passim|(?:[A-Z]{1,4}-?)?\d{1,4}|[ivxlc]{1,7})"
_PAGES = rf"{_PAGE}(?:\s*(?:,|;|&|and|[-\u2013\u2014])\s*{_PAGE})*"
_LEADERS = r"(?:(?:[.\u2026\u00b7_]\s?){3,}|\u2026+|\t+|\s\|\s)"
_TAIL = re.compile(
    rf"(?:{_LEADERS}[\s|]*(?P<pages>{_PAGES})|(?<=\s)(?P<passim>passim))[.,;\s]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""What ends an entry: leader dots (or the gap that stands for them), and its pages."""
_LOOSE_TAIL = re.compile(rf"(?<=[^\W\d][\s)])\s*(?P<pages>{_PAGES})[.,;\s]*$", re.MULTILINE)
"""The same where the dots were lost: pages at the end of a line."""
_BODY = re.compile(
    r"^[^\w\n]*(?:[IVX]+\.\s+)?(?:(?:preliminary|jurisdictional|opening)\s+statement|introduction"
    r"|(?:statement|summary|issues?|questions?|concise)\b[^\n.]{0,60}|argument|background|facts"
    r"|glossary[^\n.]{0,40}|memorandum\s+of\s[^\n]{0,40}|to\s+the\s+honorable\b[^\n]*)\s*:?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_GAP = 1_500
"""Most code points between the ends of two entries: names with all their history are long."""
_CATEGORY = re.compile(
    r"^[^\w\n]*(?:(?:federal|state|u\.?s\.?|other|united\s+states|supreme\s+court)\s+)*"
    r"(?:cases?|statutes?|constitution(?:al)?(?:\s+provisions?)?|rules?|regulations?|authorities"
    r"|(?:court\s+)?rules|treatises?|legislative\s+(?:history|materials)|miscellaneous|page(?:\(s\)|s)?"
    r"|secondary\s+sources|law\s+reviews?|articles?|publications?|materials)"
    r"(?:(?:\s*(?:,|&|and)\s*|\s+)(?:other|statutory|authorities|provisions|regulations|rules|"
    r"statutes|materials|articles|cases|pages?))*\s*(?:\(?continued\)?|[-\u2013\u2014]\s*continued)?"
    r"\s*:?[^\S\n]*(?:page(?:\(s\)|s)?)?[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FOOT = re.compile(
    r"^[\s\-\u2013]*(?:page\s+)?(?:\d{1,4}|[ivxlc]{1,7})[^\S\n]*[\-\u2013]?[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table of a brief: ``text[start:end]``, heading included."""

    kind: TableKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """An entry of a brief's table of authorities.

    Attributes
    ----------
    words
        On one line, without leader dots and pages, and without what stands between two pages of
        the table.
    pages
        The pages that it lists, ranges as written: ``("3", "5-7")``; ``("passim",)``.
    """

    words: str
    pages: tuple[str, ...]


def own_tables(text: str, /) -> tuple[OwnTable, ...]:
    """Return the tables of contents and of authorities that stand in a brief.

    A table goes from its heading to its last entry. An entry ends with leader dots, or the gap
    that stands for them, and pages; where a reader of the file has lost the dots, the lines up to
    the next heading of a brief that end with pages are the table.

    Parameters
    ----------
    text
        The whole brief, pages joined by a line break.
    """
    found: list[OwnTable] = []
    for heading in _HEADING.finditer(text):
        if found and heading.start() < found[-1].end:
            continue
        kind: TableKind = "contents" if heading["contents"] else "authorities"
        end = _end(text, heading.end())
        if end is None:
            continue
        if found and found[-1].kind == kind and heading.start() - found[-1].end < _GAP:
            # The heading stands again on each further page.
            found[-1] = OwnTable(kind, found[-1].start, end)
        else:
            found.append(OwnTable(kind, heading.start(), end))
    return tuple(found)


def _end(text: str, start: int) -> int | None:
    """Return the end of the last entry of a table whose heading ends at *start*."""
    headings = (m.start() for m in _HEADING.finditer(text, start))
    limit = next(headings, len(text))
    end = _last(_TAIL, text, start, limit)
    if end is not None:
        return end
    body = _BODY.search(text, start, limit)
    return _last(_LOOSE_TAIL, text, start, body.start()) if body is not None else None


def _last(tail: re.Pattern[str], text: str, start: int, limit: int) -> int | None:
    end = None
    for found in tail.finditer(text, start, limit):
        if found.start() - (start if end is None else end) > _GAP:
            break
        end = found.end()
    return end


def own_entries(text: str, table: OwnTable, /) -> Iterator[OwnEntry]:
    """Yield the entries of a brief's table of authorities, in order."""
    heading = _HEADING.match(text, table.start)
    at = heading.end() if heading is not None else table.start
    tail = _TAIL if _TAIL.search(text, at, table.end) else _LOOSE_TAIL
    for found in tail.finditer(text, at, table.end):
        words = _words(text[at : found.start()])
        at = found.end()
        if words:
            listed = found.groupdict().get("passim") or found["pages"]
            pages = re.split(r"\s*(?:,|;|&|\band\b)\s*", listed)
            yield OwnEntry(words, tuple(re.sub(r"\s", "", p) for p in pages))


def _words(text: str) -> str:
    """Return the words of an entry behind headings of parts, without heads and feet of pages."""
    for pattern in (_HEADING, _FOOT):
        text = pattern.sub("", text)
    last = max((part.end() for part in _CATEGORY.finditer(text)), default=0)
    text = text[last:]
    return " ".join(text.split()).strip("*|.\u2026 ")
