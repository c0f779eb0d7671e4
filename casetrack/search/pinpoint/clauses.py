"""The numbered part of a document that contains a place: the clause number of its citation."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BLANK = r"[ \t\xa0]"
_CAPITAL = r"[A-Z\u00c4\u00d6\u00dc]"
_FOLLOWED = (
    rf"(?=(?:{_BLANK}?[.:\u2013\u2014-])?{_BLANK}+[\"\u201c\u2018(\[]?{_CAPITAL}"
    rf"|[.:]?{_BLANK}*(?:\n|$))"
)
_WORDS = (
    r"(?P<word>Section|SECTION|Sec\.|Article|ARTICLE|Clause|CLAUSE|Item|ITEM|Note|NOTE|Part|PART"
    r"|Schedule|SCHEDULE|Exhibit|EXHIBIT|Annex|ANNEX|Appendix|APPENDIX|Artikel|Anlage)"
    rf"{_BLANK}+(?P<number>\d{{1,3}}[A-Z]?(?:\.\d{{1,3}})*(?:\([a-z0-9]{{1,3}}\))*"
    r"|[IVXL]{1,6}|[A-H](?:-\d{1,2})?)(?!\w)"
)
_SIGN = rf"(?P<sign>\u00a7){_BLANK}?(?P<signed>\d{{1,4}}[a-z]?(?:\.\d{{1,3}})*)"
_DECIMAL = r"(?P<decimal>\d{1,3}(?:\.\d{1,3}){1,5})"
_PLAIN = (
    rf"(?P<plain>\d{{1,2}})(?=[.)]{_BLANK}+{_CAPITAL}[\w ,;&/'\u2019()-]{{2,70}}"
    r"(?:\.(?:\s|$)|\n|$))"
)
_MAJOR = re.compile(rf"{_BLANK}*(?:(?:{_WORDS}|{_SIGN}|{_DECIMAL}){_FOLLOWED}|{_PLAIN})")
_MINOR = re.compile(rf"{_BLANK}*(?P<minor>\((?:[a-z]{{1,4}}|\d{{1,2}})\)){_BLANK}+\S")
_INLINE = re.compile(rf"(?P<before>\S+){_BLANK}+{_DECIMAL}{_FOLLOWED}")
"""A decimal number within a line: the next part, if the text has no line breaks before clauses."""
_HAS_DECIMAL = re.compile(r"\d\.\d")
_ENDS = re.compile(r"[.;:!?)\]\"\u201d]\s*$")
_LISTED = re.compile(r"(?:\.\s?){4,}|(?:\s|\.)\d{1,3}\s*$")
"""The end of a line in a table of contents."""
_BROAD = frozenset({"item", "note", "article", "part", "artikel"})
"""Parts that contain headings without a number."""
_ROMAN = re.compile(r"\([ivx]+\)")


def clause_at(
    text: str,
    at: int,
    paragraphs: Sequence[Mapping[str, Any]] | None = None,
    /,
    *,
    offset: int = 0,
    before: str = "",
    headings: Sequence[str] = (),
) -> str | None:
    r"""Return the numbered part that contains a place: ``\u00a7 14.4(b)``, ``Article IV``.

    ``None`` if no number certainly applies. *text* is the passage and *at* the place in it,
    *before* the text before the passage, *headings* its headings, outermost first. For *paragraphs*
    and *offset* see :func:`casetrack.search.pinpoint.units.units_of`.
    """
    kinds = [
        (p["start"] - offset, p["end"] - offset, p["kind"])
        for p in paragraphs or ()
        if p["kind"] in {"table", "heading"}
    ]
    force = _Force()
    for heading in headings:
        force.heading(heading)
    for line in _lines(before):
        force.line(line)
    for line in _lines(text):
        if line.start > at:
            break
        kind = next((k for a, b, k in kinds if a <= line.start < b), None)
        if kind == "heading":
            force.heading(line.text)
        elif kind != "table":
            force.line(line, at - line.start)
    return force.citation()


class _Line(NamedTuple):
    """A line: its start, its text, and whether a part can start with it."""

    start: int
    text: str
    opens: bool


class _Force:
    """The numbers in force, updated line by line."""

    def __init__(self) -> None:
        self._major: str | None = None
        self._word = ""
        self._minor: list[str] = []

    def heading(self, text: str, /) -> None:
        """Process a heading; one without a number ends parts that cannot contain it."""
        if _MAJOR.match(text):
            self.line(_Line(0, text, opens=True))
            return
        self._minor = []
        if self._word not in _BROAD:
            self._major = None

    def line(self, line: _Line, /, end: int | None = None) -> None:
        """Process a line of running text, up to *end* in it."""
        if line.opens:
            self._open(line)
        for match in _INLINE.finditer(line.text) if _HAS_DECIMAL.search(line.text) else ():
            if end is not None and match.start("decimal") > end:
                break
            self._inline(match["decimal"], is_sentence=bool(_ENDS.search(match["before"])))

    def _inline(self, number: str, *, is_sentence: bool) -> None:
        """Process a number within a line: the next part, or after a sentence an unknown one."""
        current = self._major.removeprefix("\u00a7 ") if self._major else ""
        if _is_next(current, number):
            self._major, self._word, self._minor = f"\u00a7 {number}", "section", []
        elif is_sentence and current != number:
            self._major, self._word, self._minor = None, "", []

    def _open(self, line: _Line) -> None:
        major = _MAJOR.match(line.text)
        if major is None:
            minor = _MINOR.match(line.text)
            if minor is not None and self._major is not None:
                self._minor = _nested(self._minor, minor["minor"])
        elif _LISTED.search(line.text):
            self._major, self._word, self._minor = None, "", []
        else:
            self._major, self._word = _named(major)
            within = _MINOR.match(line.text, major.end())
            self._minor = [within["minor"]] if within else []

    def citation(self) -> str | None:
        """Return the citation of the current part."""
        return None if self._major is None else self._major + "".join(self._minor)


def _is_next(current: str, number: str) -> bool:
    """Return whether *number* is the part after *current*: 12.3 or 13.1 after 12.2."""
    if not re.fullmatch(r"\d+(?:\.\d+)+", current):
        return False
    before, after = ([int(part) for part in n.split(".")] for n in (current, number))
    if len(before) == len(after) and before[:-1] == after[:-1]:
        return 1 <= after[-1] - before[-1] <= 2
    return after[0] == before[0] + 1 and all(part <= 1 for part in after[1:])


def _named(match: re.Match[str]) -> tuple[str, str]:
    """Return the citation of a part, and its word in lower case."""
    if match["word"]:
        word = match["word"].rstrip(".").capitalize()
        word = "Section" if word == "Sec" else word
        return f"{word} {match['number']}", word.lower()
    if match["sign"]:
        return f"\u00a7 {match['signed']}", "section"
    return f"\u00a7 {match['decimal'] or match['plain']}", "section"


def _nested(held: list[str], label: str) -> list[str]:
    """Return the labels in force after *label*: next to the last one, or inside it."""
    for depth, each in enumerate(held):
        if _follows(each, label):
            return [*held[:depth], label]
    if label in {"(a)", "(i)", "(1)", "(A)"} and label not in held:
        return [*held, label]
    # A label out of order: its parent is unknown.
    return []


def _follows(last: str, label: str) -> bool:
    a, b = last[1:-1], label[1:-1]
    if a.isdigit() and b.isdigit():
        return int(b) == int(a) + 1
    if _ROMAN.fullmatch(last) and _ROMAN.fullmatch(label):
        order = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
        if a in order and b in order and order.index(b) == order.index(a) + 1:
            return True
    return len(a) == len(b) == 1 and a.isalpha() and b.isalpha() and ord(b) == ord(a) + 1


@functools.lru_cache(maxsize=16)
def _lines(text: str) -> list[_Line]:
    """Return the lines that are not empty."""
    lines: list[_Line] = []
    start, last, gap = 0, "", True
    for line in text.split("\n"):
        if line.strip():
            lines.append(_Line(start, line, gap or bool(_ENDS.search(last))))
            last, gap = line, False
        else:
            gap = True
        start += len(line) + 1
    return lines
