"""Parts of a brief: its tables, page numbers and order of authorities."""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.base.groups import in_runs
from casetrack.base.numerals import roman, roman_value
from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.editions.legal.records.authorities import AuthoritySection
    from casetrack.extract.papers.text import TextPage

# Labels of pages: the printed number, or the position in the file.

_RUN = 3
"""Minimum number of consecutive pages for a range."""


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """The labels of the pages of a paper."""

    labels: dict[int, str]  # By page of the file (1-based)
    are_printed: bool  # Whether any page has a printed number
    inferred: tuple[int, ...] = ()  # Pages of the file with a number from their neighbours
    unknown: tuple[int, ...] = ()  # Pages of the file labelled by position, in brackets

    def listed(self, pages: Iterable[int], /) -> str:
        r"""Return page numbers in the form of a table: ``"iv, 3, 5\u20137"``.

        Three or more consecutive pages become a range, but not across front matter and body.
        """
        runs = in_runs(
            sorted(set(pages)), lambda run, p: p == run[-1] + 1 and self._follows(run[-1], p)
        )
        return ", ".join(itertools.chain.from_iterable(map(self._run, runs)))

    def _follows(self, page: int, following: int) -> bool:
        one, two = number_of(self.labels[page]), number_of(self.labels[following])
        return one is not None and two == (one[0], one[1] + 1)

    def _run(self, run: Sequence[int]) -> list[str]:
        if len(run) < _RUN:
            return [self.labels[page] for page in run]
        return [f"{self.labels[run[0]]}\u2013{self.labels[run[-1]]}"]


def page_numbers(pages: Sequence[TextPage], /) -> PageNumbers:
    """Return the labels of the pages of a paper.

    A page without a number, such as the first page of the argument, gets one from its neighbours if
    they agree; otherwise its position in the file.
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
    """Return the number printed on a page; ``None`` if it shows several pages."""
    labels = {place.label for place in page.printed if place.kind == "page"}
    return labels.pop().lstrip("0") or None if len(labels) == 1 else None


def _between(printed: Sequence[str | None], index: int) -> str | None:
    """Return the number of a page from its nearest numbered neighbours."""
    before = next((i for i in range(index - 1, -1, -1) if printed[i]), None)
    after = next((i for i in range(index + 1, len(printed)) if printed[i]), None)
    from_before = _moved(printed[before], index - before) if before is not None else None
    from_after = _moved(printed[after], index - after) if after is not None else None
    if after is None:
        # A new count may begin after front matter.
        return None if _kind(printed[before or 0]) == "roman" else from_before
    if before is None or from_before == from_after:
        return from_after
    if _kind(printed[before]) == _kind(printed[after]):
        return None  # a page is missing, or one too many
    # Page 1 is between "iv" and "2": the new count extends back as far as possible.
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
    """Return the kind of a page number, ``arabic`` or ``roman``, and its value.

    >>> number_of("iv"), number_of("12"), number_of("A-3")
    (('roman', 4), ('arabic', 12), None)
    """
    if label.isdecimal():
        return "arabic", int(label)
    value = roman_value(label)
    return None if value is None else ("roman", value)


# The order of authorities in courts: names by letters, titles and sections by number. Cases are
# sorted by the first party; "In re", "Ex parte", "Matter of" and articles are ignored; "U.S. v." is
# "United States v.". Federal statutes and regulations come before those of states, by title and
# section; rules by name of their set and number; provisions of the Constitution in its order,
# articles before amendments.

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
    """Return the sort key of an authority in its section; *name_end* is the end of a case name."""
    if section == "Cases":
        title = name[:name_end] or name
        return (
            _letters(_PROCEDURAL.sub("", _UNITED_STATES.sub("United States", title))),
            natural_key(name),
        )
    if section == "Constitutional Provisions":
        return _constitution(name)
    if section in {"Statutes", "Regulations"}:
        return _titled(name)
    return (natural_key(name),)


def _titled(name: str) -> SortKey:
    match = _TITLE.match(name)
    if match is None:
        return (1 if _LAW.match(name) else 3, 0, natural_key(name))
    code = re.sub(r"\W", "", match["code"])
    return (_FEDERAL[code], int(match["title"]), natural_key(name[match.end() :]))


def _constitution(name: str) -> SortKey:
    whose = 0 if _OF_UNITED_STATES.match(name) else 1
    match = _PROVISION.search(name)
    if match is None:
        return (whose, natural_key(name) if whose else (), -1, 0, ())
    state = natural_key(name[: match.start()]) if whose else ()
    number = number_of(match["number"] or "") or ("", 0)
    kind = _PROVISIONS[match["kind"].lower()]
    return (whose, state, kind, number[1], natural_key(name[match.end() :]))


def _letters(text: str) -> tuple[str, ...]:
    """Return the words of a name without accents and periods; a space sorts first."""
    plain = unicodedata.normalize("NFKD", text.replace("&", " and ")).casefold()
    kept = re.sub(r"[^\w\s]", "", "".join(c for c in plain if not unicodedata.combining(c)))
    return tuple(kept.split())


def natural_key(text: str, /) -> tuple[_Part, ...]:
    """Return numbers and words of a text; numbers sort before words, by value."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return tuple(
        (0, int(run), "") if run.isdecimal() else (1, 0, run)
        for run in _WORD_OR_NUMBER.findall(plain)
    )


TableKind = Literal["contents", "authorities"]

_HEADING = re.compile(
    r"^[^\w\n]*(?:(?P<contents>(?:table\s+of\s+)?contents|index)|(?P<authorities>(?:table|index"
    r"|list)\s+of\s+(?:points\s+and\s+)?(?:cited\s+)?(?:authorities|citations|cases|statutes)(?:"
    r"\s+(?:and|&)\s+(?:other\s+)?\w+)?(?:\s+cited)?|(?:table\s+of\s+)?authorities\s+cited))\s*"
    r"(?:\(?continued\)?|[-\u2013\u2014]+\s*continued)?[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_PAGE = r"(?:passim|(?:[A-Z]{1,4}-?)?\d{1,4}|[ivxlc]{1,7})"
_PAGES = rf"{_PAGE}(?:\s*(?:,|;|&|and|[-\u2013\u2014])\s*{_PAGE})*"
_LEADERS = r"(?:(?:[.\u2026\u00b7_]\s?){3,}|\u2026+|\t+|\s\|\s)"
_TAIL = re.compile(
    rf"(?:{_LEADERS}[\s|\[]*(?P<pages>{_PAGES})|(?<=\s)(?P<passim>passim))[.,;\]\s]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches the end of an entry: leader dots (or a gap in their place), and its pages."""
_LOOSE_TAIL = re.compile(rf"(?<=[^\W\d][\s)])\s*(?P<pages>{_PAGES})[.,;\s]*$", re.MULTILINE)
"""The same without leader dots: pages at the end of a line."""
_BODY = re.compile(
    r"^[^\w\n]*(?:[IVX]+\.\s+)?(?:(?:preliminary|jurisdictional|opening)\s+statement|introduction"
    r"|(?:statement|summary|issues?|questions?|concise)\b[^\n.]{0,60}|argument|background|facts"
    r"|glossary[^\n.]{0,40}|memorandum\s+of\s[^\n]{0,40}|to\s+the\s+honorable\b[^\n]*)\s*:?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_GAP = 1_500
"""Maximum code points between the ends of two entries: names with history are long."""
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
    """An entry of a brief's table of authorities."""

    words: str  # On one line, without leader dots, pages, headers and footers
    pages: tuple[str, ...]  # Ranges as written: ``("3", "5-7")``; ``("passim",)``


def own_tables(text: str, /) -> tuple[OwnTable, ...]:
    """Return the tables of contents and of authorities of a brief.

    A table extends from its heading to its last entry. An entry ends with leader dots, or a gap,
    and pages. If the dots are lost, lines that end with pages count, up to the next heading.
    """
    tables: list[OwnTable] = []
    for heading in _HEADING.finditer(text):
        if tables and heading.start() < tables[-1].end:
            continue
        kind: TableKind = "contents" if heading["contents"] else "authorities"
        end = _end(text, heading.end())
        if end is None:
            continue
        if tables and tables[-1].kind == kind and heading.start() - tables[-1].end < _GAP:
            # Each further page repeats the heading.
            tables[-1] = OwnTable(kind, tables[-1].start, end)
        else:
            tables.append(OwnTable(kind, heading.start(), end))
    return tuple(tables)


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
    for match in tail.finditer(text, start, limit):
        if match.start() - (start if end is None else end) > _GAP:
            break
        end = match.end()
    return end


def own_entries(text: str, table: OwnTable, /) -> Iterator[OwnEntry]:
    """Yield the entries of a brief's table of authorities, in order."""
    heading = _HEADING.match(text, table.start)
    at = heading.end() if heading is not None else table.start
    tail = _TAIL if _TAIL.search(text, at, table.end) else _LOOSE_TAIL
    for match in tail.finditer(text, at, table.end):
        words = _words(text[at : match.start()])
        at = match.end()
        if words:
            listed = match.groupdict().get("passim") or match["pages"]
            pages = re.split(r"\s*(?:,|;|&|\band\b)\s*", listed)
            yield OwnEntry(words, tuple(re.sub(r"\s", "", p) for p in pages))


def _words(text: str) -> str:
    """Return the words of an entry, without headings of sections, headers and footers."""
    for pattern in (_HEADING, _FOOT):
        text = pattern.sub("", text)
    last = max((part.end() for part in _CATEGORY.finditer(text)), default=0)
    text = text[last:]
    return " ".join(text.split()).strip("*|.\u2026 ")
