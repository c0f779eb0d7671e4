"""Finds the answers in the results of a search, on demand."""

from __future__ import annotations

import math
import re
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import CollectionDamaged, CollectionGone, CollectionSealed
from casetrack.base.provenance import Box, LineBox
from casetrack.base.records.reading import NO_LOCATION, Answer, AnswerLocation, Pinpoint
from casetrack.base.words import WordLists
from casetrack.search.pinpoint.clauses import clause_at
from casetrack.search.pinpoint.mail_heads import units_to_mark
from casetrack.search.pinpoint.scoring import Encoded, Sought, Tokens, best, query_terms, scores
from casetrack.search.pinpoint.units import clauses_of
from casetrack.search.plan import ask
from casetrack.store.passages import narrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk
    from casetrack.base.records.reading import AnswerKind, Reading
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.workspace import State

# The value that answers a question about a person, date, place, amount or number. Values are those
# that the pipeline has found in the passage, and the numbers of the pinpoint. A value is shown only
# if it is certain: it has the requested kind, is in the best part of the passage, which has nearly
# all words of the question, and is the only value of its kind there. Otherwise the marked sentence
# is the answer.

VALUE_COLUMNS = ("mentions", "dates")
"""Columns of ``chunks`` with values that may answer; amounts are found in the pinpoint itself."""

_CLEAR = 0.75
"""Minimum score of the best part: its share of the evidence for all parts."""
_CERTAIN = 0.7
"""Minimum confidence of a value."""
_COVERED = 0.6
"""Minimum share of the question's words, by rarity, in the part."""
_LEAST_WORDS = 2
"""Minimum number of the question's words in the part: a single word fits too many sentences."""
_TIMES = frozenset({"s", "min", "h", "day", "week", "month", "year", "business day", "quarter"})
_MONEY = frozenset({"money", "percent"})
_COUNTED = frozenset({"number", "quantity"})
_DUTY = re.compile(
    r"\b(?:must|shall|should|ha(?:s|ve) to|needs?|(?:is|are) to|(?-i:may)|can|due|required|"
    r"deadline)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:former(?:ly)?|previous(?:ly)?|original(?:ly)?|no longer|supersed\w+|used to|old|"
    r"proposed|draft|expected|estimated|instead of|rather than|other than|reference|unless|except|"
    r"decreas\w+|increas\w+|declin\w+|grew|chang\w+|compared)\b|\\\\|://",
    re.IGNORECASE,
)
"""Words which show that a value is not the current one, or is a difference of two."""
_PAST = re.compile(r"\b(?:was|were|did)\b", re.IGNORECASE)
_COUNTED_THING = re.compile(r"\b(?:how many|number of)\s+(?P<thing>\w+(?: \w+)?)", re.IGNORECASE)
_LISTS = WordLists(__file__)

_NO_VALUE = re.compile(_LISTS.text("no_value"), re.VERBOSE | re.IGNORECASE | re.DOTALL)
_LABEL = re.compile(
    # "5.2", "(2)", "TS-10014", "401(k)", "10-K", "Chamber 3", "No. 7"; not "$5.2".
    r"(?<![\w.,$\u20ac\u00a3-])(?:\d{1,3}(?:\.\d{1,3})+\.?(?=\s+[A-Z])|\(\w{1,4}\)"
    r"|[^\W\d_]+[-/#]\d[\w-]*|\d[\d,.]*(?:\([A-Za-z]{1,2}\)|-[A-Z]+\b))"
    r"|^\s*(?:(?:\d{1,3}[.)](?!\d)|\([A-Za-z0-9]{1,4}\)|[A-Za-z][.)])\s*)+"
    r"|\b(?:part|clause|section|article|item|note|page|pp?|paragraph|para|schedule|annex|exhibit|"
    r"appendix|chapter|chamber|room|unit|floor|suite|box|form|rule|title|table|figure|version|no|"
    r"nos|number|phase|step|level|line|lot|volume|vol|invoice|order|model|type|series|class|grade)"
    r"\b\.?\s*[#:]?\s*(?-i:[A-Z]{0,3})\d[\w.,-]*(?:\s*(?:and|or|to|,|\u2013|-)\s*\d[\w.,-]*)*"
    r"|(?-i:[A-Z][a-z]+) \d{1,2}(?![\d.,]*\d)",
    re.IGNORECASE,
)
"""Numbers that name something and do not count."""
_KINDS = query_terms("long soon quickly amount number date day month year time name")
"""Words that only name the requested kind of value."""
_DIGIT = re.compile(r"\d")
_STOP = re.compile(r"[\d(;.]")
_NEAR_CHARS = 30
"""Maximum distance in characters between a number and the counted thing."""


class _Value(NamedTuple):
    """A value at its place on the page."""

    start: int
    end: int
    text: str
    kind: AnswerKind
    confidence: float


def answer_in(
    best: Pinpoint, row: Mapping[str, Any], offset: int, sought: Sought, /
) -> Answer | None:
    """Return the value that answers; ``None`` if none is requested or none is certain.

    *row* has the stored ``VALUE_COLUMNS`` of the passage (missing dates are extracted); *offset* is
    the start of the passage on its page.
    """
    if not _asks_for_one(sought) or best.score < _CLEAR or not _is_about(best, sought):
        return None
    values = [v for v in _values(best, row, offset, sought) if not _in_question(v.text, sought)]
    values = _of_cells(values, best, sought)
    if len({v.text.casefold() for v in values}) != 1 or values[0].confidence < _CERTAIN:
        return None
    first = values[0]
    return Answer(first.text, first.kind, first.start, first.end)


def _asks_for_one(sought: Sought) -> bool:
    """Return whether one value of the text can answer."""
    return bool(sought.wants) and _NO_VALUE.search(sought.query) is None


def _is_about(best: Pinpoint, sought: Sought) -> bool:
    """Return whether the part has the words of the question, and both are duties or both facts."""
    specific = {t for t, w in sought.specific.items() if w >= 1.0} - _KINDS
    own = {t: sought.rarity.get(t, 1.0) for t in specific}
    held = query_terms(best.text)
    covered = math.fsum(weight for term, weight in own.items() if term in held)
    if any(_DIGIT.search(term) for term in own.keys() - held):
        return False  # another year, or another number
    if len(held & own.keys()) < _LEAST_WORDS or covered < _COVERED * math.fsum(own.values()):
        return False
    otherwise = _OTHERWISE.search(best.text)
    if otherwise and otherwise.group().lower() not in sought.query.lower():
        return False
    is_duty = _DUTY.search(best.text) is not None
    return not is_duty if _PAST.search(sought.query) else is_duty or not _DUTY.search(sought.query)


def _of_cells(values: list[_Value], best: Pinpoint, sought: Sought) -> list[_Value]:
    """Return the values outside of rows, or in cells whose labels have a word of the question.

    A row of a sheet has the name of the column before each cell.
    """
    if best.kind != "row" and " | " not in best.text:
        return values
    before = [best.text[: value.start - best.char_start].rpartition(" | ")[2] for value in values]
    labels = [cell.partition(": ")[0] if ": " in cell else "" for cell in before]
    pairs = zip(values, labels, strict=True)
    return [value for value, label in pairs if not query_terms(label).isdisjoint(sought.specific)]


def _values(
    part: Pinpoint, row: Mapping[str, Any], offset: int, sought: Sought
) -> Iterator[_Value]:
    """Yield the values of a part that have a requested kind."""
    yield from _numbers(part, row, offset, sought)
    if "date" in sought.wants and not (sought.is_due or sought.is_span):
        for day in _dates(part, row, offset):
            if day["kind"] != "impossible":
                yield _placed(day, offset, "date")
    # Places are no answers: a sentence names many, mostly in another role.
    for name in (row.get("mentions") or ()) if "person" in sought.wants else ():
        inside = part.char_start <= offset + name["start"] < part.char_end
        if inside and name["kind"] == "person" and not name["is_role"]:
            yield _placed(name, offset, "person")


def _numbers(
    part: Pinpoint, row: Mapping[str, Any], offset: int, sought: Sought
) -> Iterator[_Value]:
    """Yield the amounts, numbers and durations of a part, if they are requested."""
    wants = sought.wants
    is_sum, is_count = bool(wants & {"amount", "figure"}), "count" in wants
    is_time = sought.is_due or sought.is_span
    if not (is_sum or is_count or is_time):
        return
    from casetrack.extract.amounts import find_amounts  # 40 ms, and few questions need it

    apart = [(d["start"] + offset, d["end"] + offset) for d in _dates(part, row, offset)]
    labels = [m.span() for m in _LABEL.finditer(part.text)]
    apart += [(part.char_start + a, part.char_start + b) for a, b in labels]
    for amount in find_amounts(part.text, numbers=True):
        start, end = part.char_start + amount.start, part.char_start + amount.end
        kind: AnswerKind | None = None
        if is_time and amount.unit in _TIMES:
            kind = "date"
        elif any(a < end and start < b for a, b in apart):
            continue
        elif is_sum and not is_count and amount.kind in _MONEY:
            kind = "amount"
        elif is_count and amount.kind in _COUNTED and _counts_it(end, part, sought):
            kind = "count"
        if kind is not None:
            yield _Value(start, end, amount.text, kind, amount.confidence)


def _counts_it(end: int, part: Pinpoint, sought: Sought) -> bool:
    """Return whether the counted things of the question follow a number; cells have labels."""
    if part.kind == "row":
        return True
    thing = _COUNTED_THING.search(sought.query)
    behind = query_terms(_STOP.split(part.text[end - part.char_start :][:_NEAR_CHARS])[0])
    return thing is not None and not query_terms(thing["thing"]).isdisjoint(behind)


def _placed(stored: Mapping[str, Any], offset: int, kind: AnswerKind) -> _Value:
    start, end = offset + stored["start"], offset + stored["end"]
    return _Value(start, end, stored["text"], kind, stored["confidence"])


def _dates(part: Pinpoint, row: Mapping[str, Any], offset: int) -> list[dict[str, Any]]:
    """Return the dates of a part, in code points of the passage."""
    stored = row.get("dates")
    if stored is None:
        from casetrack.extract.dates import find_dates  # 60 ms, and usually dates are stored

        shift = part.char_start - offset
        return [
            {
                "start": shift + d.start,
                "end": shift + d.end,
                "text": d.text,
                "kind": d.kind,
                "confidence": d.confidence,
            }
            for d in find_dates(part.text)
        ]
    return [
        d
        for d in stored
        if part.char_start <= offset + d["start"] and offset + d["end"] <= part.char_end
    ]


def _in_question(text: str, sought: Sought) -> bool:
    """Return whether the question contains the value."""
    terms = query_terms(text)
    return bool(terms) and terms <= sought.terms.keys()


_COLUMNS = ("paragraphs", "line_boxes", "printed")


@dataclass(frozen=True, slots=True)
class Passage:
    """A result for pinpointing: text, source, and the text before it."""

    text: str
    provenance: Provenance
    before: str
    row_id: int


@dataclass(slots=True)
class Finder:
    """Finds the answers in the results of one search.

    Nothing is read before the first call, which reads the rows of all results. If the rows are gone
    by then, results are scored by their words alone.
    """

    snapshot: Snapshot
    index: Index
    reading: Reading
    encoded: Encoded | None
    passages: Sequence[Passage]
    _question: tuple[Sought, Tokens | None] | None = None
    _rows: list[dict[str, Any]] | None = None
    _found: dict[int, AnswerLocation] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, number: int, /) -> AnswerLocation:
        """Return the answer in result *number*, computed once."""
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
        return Sought.of(reading, self.index), tokens

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
            # The rows were removed after the search; text and place of each are still known.
            return [{} for _ in ids]
        return rows


@dataclass(frozen=True, slots=True)
class AnswerLocator:
    """Finds the answer in one result; pickled as the answer."""

    finder: Finder
    number: int

    def __call__(self) -> AnswerLocation:
        """Return the answer."""
        return self.finder.at(self.number)

    def __reduce__(self) -> tuple[type[KnownAnswer], tuple[AnswerLocation]]:
        return KnownAnswer, (self(),)


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer that is already known."""

    pointed: AnswerLocation

    def __call__(self) -> AnswerLocation:
        """Return the answer."""
        return self.pointed


def point_in(state: State, chunk: Chunk, question: str, /) -> AnswerLocation:
    """Return the answer to a question in one passage, without a search, by its words alone."""
    row = state.snapshot.where("chunk_id", chunk.chunk_id, (*_COLUMNS, *VALUE_COLUMNS))
    reading = ask(state, question).reading
    passage = Passage(chunk.text, chunk.provenance, "", 0)
    return point(passage, row.to_pylist()[0], Sought.of(reading, state.index), None)


def point(
    passage: Passage, row: dict[str, Any], sought: Sought, tokens: Tokens | None, /
) -> AnswerLocation:
    """Return the answer in a passage.

    *row* has the stored fields of the passage: paragraphs, rectangles, printed places, token
    matrix, values; missing fields are ignored.
    """
    text, whole = passage.text, passage.provenance
    paragraphs = row.get("paragraphs")
    rows = whole.sheet_name is not None
    units = clauses_of(text, paragraphs, offset=whole.char_start, rows=rows)
    units = units_to_mark(text, units, sought.query, continues=whole.char_start > 0)
    if not units:
        return NO_LOCATION
    near = None if tokens is None else tokens.near(text, units, row.get("tokens"))
    shares = scores(text, units, sought, near)
    whole = _with_boxes(whole, row)
    marked = []
    for number in best(units, shares):
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
        quoted = text[unit.start : unit.end]
        marked.append(Pinpoint(quoted, float(shares[number]), unit.kind, place, clause))
    answer = answer_in(marked[0], row, whole.char_start, sought)
    return AnswerLocation(tuple(marked), answer, paragraphs, row.get("printed"))


def _with_boxes(whole: Provenance, row: dict[str, Any]) -> Provenance:
    boxes = row.get("line_boxes") or ()
    line_boxes = (LineBox(b["line"], Box(b["x0"], b["y0"], b["x1"], b["y1"])) for b in boxes)
    return replace(whole, line_boxes=tuple(line_boxes))
