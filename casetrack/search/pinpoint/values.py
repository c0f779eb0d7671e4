"""The value that answers a question for who, when, where, how much or how many.

Values are those that the pipeline has found in the passage, and the bare numbers of the pinpoint.
One is shown only where it is sure: it is of the kind that is asked for, is in the best part of
the passage, which has nearly all the words of the question, and no other value of its kind does.
Everywhere else the marked sentence is the answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.records.reading import Answer
from casetrack.base.words import WordLists
from casetrack.search.pinpoint.scoring import query_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.base.records.reading import AnswerKind, Pinpoint
    from casetrack.search.pinpoint.scoring import Sought

VALUE_COLUMNS = ("mentions", "dates")
"""Columns of ``chunks`` whose values may answer; amounts are found in the pinpoint itself."""

_CLEAR = 0.75
"""Least score of the best part: its share of the evidence for all parts."""
_CERTAIN = 0.7
"""Least confidence of what was found."""
_COVERED = 0.6
"""Share of the question's words, by their rarity, that the part must have."""
_LEAST_WORDS = 2
"""So many words of the question must be in the part: one alone fits too many sentences."""
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
"""Words by which a value isn't the one in force, or is a difference of two."""
_PAST = re.compile(r"\b(?:was|were|did)\b", re.IGNORECASE)
_COUNTED_THING = re.compile(r"\b(?:how many|number of)\s+(?P<thing>\w+(?: \w+)?)", re.IGNORECASE)
_LISTS = WordLists(__file__)

_NO_VALUE = re.compile(_LISTS.text("no_value"), re.VERBOSE | re.IGNORECASE | re.DOTALL)
_LABEL = re.compile(
    # "5.2", "(2)", "TS-10014", "401(k)", "10-K", "Chamber 3", "No. 7", "$5.2" is none.
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
"""Numbers that name something and count nothing."""
_KINDS = query_terms("long soon quickly amount number date day month year time name")
"""Words that only name the kind of value that is asked for."""
_DIGIT = re.compile(r"\d")
_STOP = re.compile(r"[\d(;.]")
_NEAR_CHARS = 30
"""The counted things follow within so many characters."""


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
    """Return the value that answers; ``None`` where none is asked for, or none is sure.

    Parameters
    ----------
    best
        The best part of the passage.
    row
        Values of the passage as stored, ``VALUE_COLUMNS``; missing dates are looked for.
    offset
        Where the passage begins on its page.
    sought
        The question.
    """
    if not _asks_for_one(sought) or best.score < _CLEAR or not _is_about(best, sought):
        return None
    found = [v for v in _values(best, row, offset, sought) if not _said(v.text, sought)]
    found = _of_cells(found, best, sought)
    if len({v.text.casefold() for v in found}) != 1 or found[0].confidence < _CERTAIN:
        return None
    first = found[0]
    return Answer(first.text, first.kind, first.start, first.end)


def _asks_for_one(sought: Sought) -> bool:
    """Return whether one value of the text can answer."""
    return bool(sought.wants) and _NO_VALUE.search(sought.query) is None


def _is_about(best: Pinpoint, sought: Sought) -> bool:
    """Return whether the part has the words of the question, and is a duty or a fact as it is."""
    telling = {t for t, w in sought.telling.items() if w >= 1.0} - _KINDS
    own = {t: sought.rarity.get(t, 1.0) for t in telling}
    held = query_terms(best.text)
    covered = sum(weight for term, weight in own.items() if term in held)
    if any(_DIGIT.search(term) for term in own.keys() - held):
        return False  # of another year, or of another number
    if len(held & own.keys()) < _LEAST_WORDS or covered < _COVERED * sum(own.values()):
        return False
    otherwise = _OTHERWISE.search(best.text)
    if otherwise and otherwise.group().lower() not in sought.query.lower():
        return False
    is_duty = _DUTY.search(best.text) is not None
    return not is_duty if _PAST.search(sought.query) else is_duty or not _DUTY.search(sought.query)


def _of_cells(found: list[_Value], best: Pinpoint, sought: Sought) -> list[_Value]:
    """Return the values that are in no row, or in cells whose labels have a word of the question.

    A row of a sheet has the name of its column before each cell.
    """
    if best.kind != "row" and " | " not in best.text:
        return found
    before = [best.text[: value.start - best.char_start].rpartition(" | ")[2] for value in found]
    labels = [cell.partition(": ")[0] if ": " in cell else "" for cell in before]
    pairs = zip(found, labels, strict=True)
    return [value for value, label in pairs if not query_terms(label).isdisjoint(sought.telling)]


def _values(
    part: Pinpoint, row: Mapping[str, Any], offset: int, sought: Sought
) -> Iterator[_Value]:
    """Yield the values of a part that are of a kind that is asked for."""
    yield from _numbers(part, row, offset, sought)
    if "date" in sought.wants and not (sought.is_due or sought.is_span):
        for day in _dates(part, row, offset):
            if day["kind"] != "impossible":
                yield _placed(day, offset, "date")
    # A place is no value: a sentence names many, and mostly says something else of them.
    for name in (row.get("mentions") or ()) if "person" in sought.wants else ():
        inside = part.char_start <= offset + name["start"] < part.char_end
        if inside and name["kind"] == "person" and not name["is_role"]:
            yield _placed(name, offset, "person")


def _numbers(
    part: Pinpoint, row: Mapping[str, Any], offset: int, sought: Sought
) -> Iterator[_Value]:
    """Yield the sums, numbers and spans of time of a part, where they are asked for."""
    wants = sought.wants
    is_sum, is_count = bool(wants & {"amount", "figure"}), "count" in wants
    is_time = sought.is_due or sought.is_span
    if not (is_sum or is_count or is_time):
        return
    from casetrack.extract.amounts import find_amounts  # 40 ms, and few questions ask for any

    apart = [(d["start"] + offset, d["end"] + offset) for d in _dates(part, row, offset)]
    labels = [m.span() for m in _LABEL.finditer(part.text)]
    apart += [(part.char_start + a, part.char_start + b) for a, b in labels]
    for found in find_amounts(part.text, numbers=True):
        start, end = part.char_start + found.start, part.char_start + found.end
        kind: AnswerKind | None = None
        if is_time and found.unit in _TIMES:
            kind = "date"
        elif any(a < end and start < b for a, b in apart):
            continue
        elif is_sum and not is_count and found.kind in _MONEY:
            kind = "amount"
        elif is_count and found.kind in _COUNTED and _counts_it(end, part, sought):
            kind = "count"
        if kind is not None:
            yield _Value(start, end, found.text, kind, found.confidence)


def _counts_it(end: int, part: Pinpoint, sought: Sought) -> bool:
    """Return whether the things that the question counts follow a number; a cell has a label."""
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
        from casetrack.extract.dates import find_dates  # 60 ms, and mostly they are stored

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


def _said(text: str, sought: Sought) -> bool:
    """Whether the question says a value itself."""
    terms = query_terms(text)
    return bool(terms) and terms <= sought.terms.keys()
