"""Which numbered part of a document a place stands in: the clause number of its citation.

A wrong number is worse than none. So a number counts only where it opens a paragraph, or a line
after the end of a sentence, and something that can be a heading or a clause follows it; what is in
a table, and a line of a table of contents, says nothing.
"""

from __future__ import annotations

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
_ENDS = re.compile(r"[.;:!?)\]\"\u201d]\s*$")
_LISTED = re.compile(r"(?:\.\s?){4,}|(?:\s|\.)\d{1,3}\s*$")
"""How a line of a table of contents ends."""
_BROAD = frozenset({"item", "note", "article", "part", "artikel"})
"""Parts that headings without a number stand within."""
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
    """Return the numbered part that a place stands in: ``\u00a7 14.4(b)``, ``Article IV``.

    Parameters
    ----------
    text, at
        A passage, and the place in it.
    paragraphs, offset
        Its paragraphs as stored, and where it begins on its page; see
        :func:`casetrack.search.pinpoint.units.units_of`.
    before
        The text before the passage.
    headings
        Those that the passage stands under, outermost first.

    Returns
    -------
    str or None
        ``None`` where no number is in force for certain.
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
            force.line(line)
    return force.told()


class _Line(NamedTuple):
    """A line: where it begins, its words, and whether a part can begin with it."""

    start: int
    text: str
    opens: bool


class _Force:
    """The numbers in force, as lines go by."""

    def __init__(self) -> None:
        self._major: str | None = None
        self._word = ""
        self._minor: list[str] = []

    def heading(self, text: str, /) -> None:
        """Take a heading: one without a number ends what cannot hold it."""
        if _MAJOR.match(text):
            self.line(_Line(0, text, opens=True))
            return
        self._minor = []
        if self._word not in _BROAD:
            self._major = None

    def line(self, line: _Line, /) -> None:
        """Take a line of running text."""
        if not line.opens:
            return
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

    def told(self) -> str | None:
        """Return the part in words."""
        return None if self._major is None else self._major + "".join(self._minor)


def _named(found: re.Match[str]) -> tuple[str, str]:
    """Return how a part is cited, and its word in lower case."""
    if found["word"]:
        word = found["word"].rstrip(".").capitalize()
        word = "Section" if word == "Sec" else word
        return f"{word} {found['number']}", word.lower()
    if found["sign"]:
        return f"\u00a7 {found['signed']}", "section"
    return f"\u00a7 {found['decimal'] or found['plain']}", "section"


def _nested(held: list[str], label: str) -> list[str]:
    """Return the labels in force after *label*: beside the last one, or within it."""
    for depth, each in enumerate(held):
        if _follows(each, label):
            return [*held[:depth], label]
    if label in {"(a)", "(i)", "(1)", "(A)"} and label not in held:
        return [*held, label]
    # A label out of turn: what it belongs to was not seen.
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


def _lines(text: str) -> list[_Line]:
    """Return the lines that are not empty."""
    found: list[_Line] = []
    start, last, gap = 0, "", True
    for line in text.split("\n"):
        if line.strip():
            found.append(_Line(start, line, gap or bool(_ENDS.search(last))))
            last, gap = line, False
        else:
            gap = True
        start += len(line) + 1
    return found
