"""Finds where the results of a search answer: read and scored when somebody looks."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import CollectionDamaged, CollectionGone, CollectionSealed
from casetrack.base.provenance import Box, LineBox
from casetrack.base.records.reading import NOWHERE, Pinpoint, Pointed
from casetrack.search.pinpoint.scoring import Encoded, Sought, Tokens, best, scores
from casetrack.search.pinpoint.units import units_of
from casetrack.search.pinpoint.values import VALUE_COLUMNS, answer_in
from casetrack.search.plan import ask
from casetrack.search.scores import rarity
from casetrack.store.index.scope import scope_of
from casetrack.store.passages import narrow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk
    from casetrack.base.records.reading import Reading
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.workspace import State

# Which numbered part of a document a place stands in: the clause number of its citation.

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


_COLUMNS = ("paragraphs", "line_boxes", "printed")


@dataclass(frozen=True, slots=True)
class Passage:
    """A result as it is looked through: its text, its source, and the text before it."""

    text: str
    provenance: Provenance
    before: str
    row_id: int


@dataclass(slots=True)
class Finder:
    """Looks through the results of one search.

    Nothing is read before the first look; then what all results need is read at once. Where the
    rows are gone by then, a result is looked through by its words alone.
    """

    snapshot: Snapshot
    index: Index
    reading: Reading
    encoded: Encoded | None
    passages: Sequence[Passage]
    _question: tuple[Sought, Tokens | None] | None = None
    _rows: list[dict[str, Any]] | None = None
    _found: dict[int, Pointed] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, number: int, /) -> Pointed:
        """Return where the result *number* answers; worked out once."""
        with self._lock:
            if number not in self._found:
                question = self._question = self._question or self._asked()
                if self._rows is None:
                    self._rows = self._read(*question)
                self._found[number] = point(self.passages[number], self._rows[number], *question)
            return self._found[number]

    def _asked(self) -> tuple[Sought, Tokens | None]:
        reading = self.reading
        own = len(reading.query) - sum(len(part.text) for part in reading.dropped)
        tokens = None if self.encoded is None else Tokens.of(reading.text, own, self.encoded)
        return Sought.of(reading, rarity(scope_of(self.index), reading.terms)), tokens

    def _read(self, sought: Sought, tokens: Tokens | None) -> list[dict[str, Any]]:
        columns = [*_COLUMNS]
        if tokens is not None:
            columns.append("tokens")
        if sought.wants:
            columns += VALUE_COLUMNS
        ids = [passage.row_id for passage in self.passages]
        try:
            rows: list[dict[str, Any]] = self.snapshot.take(ids, columns).to_pylist()
        except (CollectionDamaged, CollectionGone, CollectionSealed):
            # The rows went away after the search; text and place of each are here.
            return [{} for _ in ids]
        return rows


@dataclass(frozen=True, slots=True)
class Look:
    """Finds out where one result answers; pickled, it is what it found."""

    finder: Finder
    number: int

    def __call__(self) -> Pointed:
        """Find it out."""
        return self.finder.at(self.number)

    def __reduce__(self) -> tuple[type[Known], tuple[Pointed]]:
        return Known, (self(),)


@dataclass(frozen=True, slots=True)
class Known:
    """What was found out before."""

    pointed: Pointed

    def __call__(self) -> Pointed:
        """Return it."""
        return self.pointed


def point_in(state: State, chunk: Chunk, question: str, /) -> Pointed:
    """Return where one passage answers a question, without a search; by its words alone.

    Parameters
    ----------
    state, chunk
        The collection, and a passage of it.
    question
        What it is to answer.
    """
    row = state.snapshot.where("chunk_id", chunk.chunk_id, (*_COLUMNS, *VALUE_COLUMNS))
    reading = ask(state, question).reading
    sought = Sought.of(reading, rarity(scope_of(state.index), reading.terms))
    passage = Passage(chunk.text, chunk.provenance, "", 0)
    return point(passage, row.to_pylist()[0], sought, None)


def point(
    passage: Passage, row: dict[str, Any], sought: Sought, tokens: Tokens | None, /
) -> Pointed:
    """Return where a passage answers.

    Parameters
    ----------
    passage
        Its text and place.
    row
        What is stored of it: paragraphs, rectangles, printed places, token matrix, values; what is
        missing is done without.
    sought, tokens
        The question.
    """
    text, whole = passage.text, passage.provenance
    paragraphs = row.get("paragraphs")
    units = units_of(text, paragraphs, offset=whole.char_start, rows=whole.sheet_name is not None)
    if not units:
        return NOWHERE
    near = None if tokens is None else tokens.near(text, units, row.get("tokens"))
    shares = scores(text, units, sought, near)
    whole = _with_boxes(whole, row)
    marked = []
    for number in best(shares):
        unit = units[number]
        place = narrow(whole, text, paragraphs, row.get("printed"), unit.start, unit.end)
        clause = clause_at(
            text,
            unit.start,
            paragraphs,
            offset=whole.char_start,
            before=passage.before,
            headings=whole.heading_path,
        )
        said = text[unit.start : unit.end]
        marked.append(Pinpoint(said, float(shares[number]), unit.kind, place, clause))
    answer = answer_in(marked[0], row, whole.char_start, sought)
    return Pointed(tuple(marked), answer, paragraphs, row.get("printed"))


def _with_boxes(whole: Provenance, row: dict[str, Any]) -> Provenance:
    boxes = tuple(
        LineBox(b["line"], Box(b["x0"], b["y0"], b["x1"], b["y1"]))
        for b in row.get("line_boxes") or ()
    )
    return replace(whole, line_boxes=boxes)
