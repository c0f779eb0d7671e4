"""What stands in a brief itself: its tables, its page numbers, the order of its authorities."""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.editions.legal.records.authorities import AuthoritySection
    from casetrack.extract.papers.text import TextPage

# What the pages of a paper are called: by the number printed on each, or by their place.

ROMAN = re.compile(r"(?=[ivxlc])(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_SIGNS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_RUN = 3
"""So many pages in a row are listed as a range."""


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """The numbers of the pages of a paper.

    Attributes
    ----------
    labels
        By the 1-based page of the file: what the page is called.
    are_printed
        Whether any number is printed; the place in the file counts where none is.
    inferred
        Pages of the file whose number is not printed, and was counted from their neighbours.
    unknown
        Pages of the file whose number is neither printed nor certain from their neighbours; they
        are called by their place in the file, in brackets.
    """

    labels: dict[int, str]
    are_printed: bool
    inferred: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()

    def listed(self, pages: Iterable[int], /) -> str:
        """Return pages of the file as a table lists them: ``"iv, 3, 5\u20137"``.

        Three pages or more in a row become a range; front matter and body make none together.
        """
        runs: list[list[int]] = []
        for page in sorted(set(pages)):
            if runs and page == runs[-1][-1] + 1 and self._follows(runs[-1][-1], page):
                runs[-1].append(page)
            else:
                runs.append([page])
        return ", ".join(itertools.chain.from_iterable(map(self._run, runs)))

    def _follows(self, page: int, following: int) -> bool:
        one, two = number_of(self.labels[page]), number_of(self.labels[following])
        if one is None or two is None:
            return False
        return one[0] == two[0] and one[1] + 1 == two[1]

    def _run(self, run: Sequence[int]) -> list[str]:
        if len(run) < _RUN:
            return [self.labels[page] for page in run]
        return [f"{self.labels[run[0]]}\u2013{self.labels[run[-1]]}"]


def page_numbers(pages: Sequence[TextPage], /) -> PageNumbers:
    """Return what the pages of a paper are called.

    A page without a number, such as the first one of the argument, has the one that its neighbours
    leave to it; where they do not agree, it is called by its place in the file.
    """
    printed = [_printed(page) for page in pages]
    if not any(printed):
        return PageNumbers({page.number: str(page.number) for page in pages}, are_printed=False)
    labels: dict[int, str] = {}
    inferred, unknown = list[int](), list[int]()
    for index, page in enumerate(pages):
        label = printed[index] or _between(printed, index)
        if printed[index] is None:
            (unknown if label is None else inferred).append(page.number)
        labels[page.number] = label or f"[{page.number}]"
    return PageNumbers(labels, True, tuple(inferred), tuple(unknown))


def _printed(page: TextPage) -> str | None:
    """Return the number printed on a page; none where it shows several pages at once."""
    labels = {place.label for place in page.printed if place.kind == "page"}
    return labels.pop() if len(labels) == 1 else None


def _between(printed: Sequence[str | None], index: int) -> str | None:
    """Return the number that the nearest numbered pages leave to one without."""
    before = next((i for i in range(index - 1, -1, -1) if printed[i]), None)
    after = next((i for i in range(index + 1, len(printed)) if printed[i]), None)
    from_before = _moved(printed[before], index - before) if before is not None else None
    from_after = _moved(printed[after], index - after) if after is not None else None
    if after is None:
        # Behind front matter a new count may begin.
        return None if _kind(printed[before or 0]) == "roman" else from_before
    if before is None or from_before == from_after:
        return from_after
    if _kind(printed[before]) == _kind(printed[after]):
        return None  # a page is missing, or one too many
    # Between "iv" and "2" stands page 1: the new count goes back as far as it can.
    return from_after or from_before


def _kind(label: str | None) -> str | None:
    number = number_of(label or "")
    return number[0] if number is not None else None


def _moved(label: str | None, by: int) -> str | None:
    number = number_of(label or "")
    if number is None or number[1] + by < 1:
        return None
    return roman(number[1] + by) if number[0] == "roman" else str(number[1] + by)


def number_of(label: str, /) -> tuple[str, int] | None:
    """Return the kind of a page's number, ``arabic`` or ``roman``, and its value.

    >>> number_of("iv"), number_of("12"), number_of("A-3")
    (('roman', 4), ('arabic', 12), None)
    """
    if label.isdecimal():
        return "arabic", int(label)
    if label and ROMAN.fullmatch(label):
        values = [_ROMAN_SIGNS[sign] for sign in label.lower()]
        pairs = itertools.zip_longest(values, values[1:], fillvalue=0)
        return "roman", sum(-one if one < two else one for one, two in pairs)
    return None


def roman(number: int, /) -> str:
    """Return a number from 1 to 399 in small Roman signs.

    >>> roman(14)
    'xiv'
    """
    signs = (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v")
    found = ""
    for value, sign in (*signs, (4, "iv"), (1, "i")):
        found += sign * (number // value)
        number %= value
    return found


# The order in which courts ask for authorities: names by letters, titles and sections as
# numbers.
#
# Cases go by the name of the first party: "In re", "Ex parte" and "Matter of" do not count, nor
# does an article; "U.S. v." is "United States v.". Statutes and regulations of the United States
# stand before those of the states, by title and section; rules by the name of their set and their
# number; provisions of the Constitution as they stand in it, articles before amendments.

SortKey = tuple[object, ...]
_Part = tuple[int, int, str]

_PROCEDURAL = re.compile(
    r"^(?:(?:in\s+re:?|ex\s+parte|ex\s+rel\.?|(?:in\s+the\s+)?matter\s+of|in\s+the\s+interest\s+of)"
    r"\s+(?:the\s+)?|the\s+|an?\s+(?=[A-Z]\w{2}))",
    re.IGNORECASE,
)
_UNITED_STATES = re.compile(r"\bU\.?\s?S\.?(?=\s+v\.?\s)|\bU\.?\s?S\.?$")
_TITLE = re.compile(
    r"^(?P<title>\d+)\s+(?P<code>U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R|Fed\.?\s?Reg|Stat)[\w.]*"
)
_FEDERAL = {"USC": 0, "CFR": 0, "Stat": 2, "FedReg": 2}
_LAW = re.compile(r"^Pub(?:lic|\.)\s?L(?:aw|\.)", re.IGNORECASE)
_OF_UNITED_STATES = re.compile(r"^(?:U\.?\s?S\.?|United\s+States)\s+Const", re.IGNORECASE)
_PROVISION = re.compile(
    r"\b(?P<kind>pmbl|art|amend)[a-z]*\.?\s+(?P<number>[IVXLC]+|\d+)?", re.IGNORECASE
)
_PROVISIONS = {"pmbl": 0, "art": 1, "amend": 2}
_WORD_OR_NUMBER = re.compile(r"\d+|[^\W\d]+")


def sort_key(section: AuthoritySection, name: str, name_end: int, /) -> SortKey:
    """Return what sorts an authority within its part of the table.

    Parameters
    ----------
    section
        The part.
    name
        As it is listed.
    name_end
        Where the name of a case ends in it.
    """
    if section == "Cases":
        title = name[:name_end] or name
        return (
            _letters(_PROCEDURAL.sub("", _UNITED_STATES.sub("United States", title))),
            _natural(name),
        )
    if section == "Constitutional Provisions":
        return _constitution(name)
    if section in {"Statutes", "Regulations"}:
        return _titled(name)
    return (_natural(name),)


def _titled(name: str) -> SortKey:
    found = _TITLE.match(name)
    if found is None:
        return (1 if _LAW.match(name) else 3, 0, _natural(name))
    code = re.sub(r"\W", "", found["code"])
    return (_FEDERAL[code], int(found["title"]), _natural(name[found.end() :]))


def _constitution(name: str) -> SortKey:
    whose = 0 if _OF_UNITED_STATES.match(name) else 1
    found = _PROVISION.search(name)
    if found is None:
        return (whose, _natural(name) if whose else (), -1, 0, ())
    state = _natural(name[: found.start()]) if whose else ()
    number = number_of(found["number"] or "") or ("", 0)
    kind = _PROVISIONS[found["kind"].lower()]
    return (whose, state, kind, number[1], _natural(name[found.end() :]))


def _letters(text: str) -> tuple[str, ...]:
    """Return the words of a name without accents and points, so that a space sorts first."""
    plain = unicodedata.normalize("NFKD", text.replace("&", " and ")).casefold()
    kept = re.sub(r"[^\w\s]", "", "".join(c for c in plain if not unicodedata.combining(c)))
    return tuple(kept.split())


def _natural(text: str) -> tuple[_Part, ...]:
    """Return the numbers and words of a text; numbers go before words, and by their value."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return tuple(
        (0, int(run), "") if run.isdecimal() else (1, 0, run)
        for run in _WORD_OR_NUMBER.findall(plain)
    )


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
_LISTS = WordLists(__file__)

_CATEGORY = re.compile(_LISTS.text("category"), re.VERBOSE | re.MULTILINE | re.IGNORECASE)
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
