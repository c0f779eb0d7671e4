"""The value that answers a question for who, when, where, how much or how many.

Values are those that the pipeline has found in the passage, and the bare numbers of the pinpoint.
One answers where it stands in the pinpoint, is of the kind that is asked for, and is not said by
the question itself. It is sure where it alone fits, and its part of the passage stands out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.records.pinpoints import Answer
from casetrack.retrieve.pinpoint.hits import query_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.records.pinpoints import AnswerKind, Pinpoint
    from casetrack.retrieve.pinpoint.scoring import Sought

VALUE_COLUMNS = ("mentions", "dates")
"""Columns of ``chunks`` whose values may answer; amounts are found in the pinpoint itself."""

_CLEAR = 0.75
"""Share of what speaks for any part that must speak for that of a sure answer."""
_CERTAIN = 0.7
"""Confidence of what was found, from which on it can be sure."""
_TIMES = frozenset({"s", "min", "h", "day", "week", "month", "year", "business day", "quarter"})
_MONEY = frozenset({"money", "percent"})
_COUNTED = frozenset({"number", "quantity"})
_AMOUNTS = frozenset({"amount", "figure", "count", "date"})
_NAMES: dict[str, AnswerKind] = {"person": "person", "place": "location"}
_LABELS = re.compile(r"(?:\s*(?:\d{1,3}[.)](?!\d)|\([A-Za-z0-9]{1,4}\)|[A-Za-z][.)]))*")
"""How a part is numbered: "5." and "(2)" are no numbers of anything."""
_DESIGNATION = re.compile(r"(?:\([A-Za-z]{1,2}\)|-[A-Z])(?!\w)")
"""What makes a number the name of a plan, a section or a form: 401(k), 501(c), 10-K."""
_SHARES = frozenset(query_terms("percent percentage margin margins rate rates ratio share yield"))
_GENERAL = frozenset(query_terms("total net gross other average amount value fiscal year end"))
"""Words that the names of many rows of a statement have."""
_DIGIT = re.compile(r"\d")
_NEAR_CHARS = 60
"""So near to a number stands what it counts."""


class _Value(NamedTuple):
    """A value at its place on the page."""

    start: int
    end: int
    text: str
    kind: AnswerKind
    confidence: float


def answer_in(
    marked: Sequence[Pinpoint], row: Mapping[str, Any], offset: int, sought: Sought, /
) -> Answer | None:
    """Return the value that may answer; ``None`` where none is asked for, or none fits.

    Parameters
    ----------
    marked
        The pinpoint, the best part first.
    row
        Values of the passage as stored, ``VALUE_COLUMNS``; missing dates are looked for.
    offset
        Where the passage begins on its page.
    sought
        The question.
    """
    for number, part in enumerate(marked):
        # Only of the best part can several values be told apart by what is asked.
        found = [v for v in _values(part, row, offset, sought) if not _said(v.text, sought)]
        if not found:
            continue
        first = found[0]
        others = {v.text.casefold() for v in found} - {first.text.casefold()}
        sure = number == 0 and not others and part.score >= _CLEAR and first.confidence >= _CERTAIN
        sure = sure and (first.kind != "count" or _names_what_is_counted(first, part, sought))
        return Answer(first.text, first.kind, first.start, first.end, sure)
    return None


def _values(
    part: Pinpoint, row: Mapping[str, Any], offset: int, sought: Sought
) -> Iterator[_Value]:
    """Yield the values of a part that are of a kind that is asked for."""
    yield from _numbers(part, row, offset, sought)
    if "date" in sought.wants:
        for day in _dates(part, row, offset):
            if day["kind"] != "impossible":
                yield _placed(day, offset, "date")
    for want, kind in _NAMES.items():
        if want in sought.wants:
            for name in row.get("mentions") or ():
                inside = part.char_start <= offset + name["start"] < part.char_end
                if inside and name["kind"] == kind and not name["is_role"]:
                    yield _placed(name, offset, kind)


def _numbers(
    part: Pinpoint, row: Mapping[str, Any], offset: int, sought: Sought
) -> Iterator[_Value]:
    """Yield the sums, numbers and spans of time of a part, where they are asked for."""
    wants = sought.wants
    if not wants & _AMOUNTS or not _is_row_of_it(part, sought):
        return
    from casetrack.extract.amounts import find_amounts  # 40 ms, and few questions ask for any

    days = [(d["start"] + offset, d["end"] + offset) for d in _dates(part, row, offset)]
    # Statements say "in thousands" once, and print bare numbers in their rows.
    money = _MONEY | _COUNTED if part.kind == "row" and _asks_for_a_sum(sought) else _MONEY
    label = _LABELS.match(part.text)
    for found in find_amounts(part.text, numbers=True):
        start = part.char_start + found.start
        kind: AnswerKind | None = None
        if label is not None and found.start < label.end():
            continue
        if _DESIGNATION.match(part.text, found.end):
            continue
        if (sought.is_due or sought.is_span) and found.unit in _TIMES:
            kind = "date"
        elif found.kind in money and wants & {"amount", "figure"}:
            kind = None if any(a <= start < b for a, b in days) else "amount"
        elif found.kind in _COUNTED and "count" in wants:
            kind = None if any(a <= start < b for a, b in days) else "count"
        if kind is not None:
            end = part.char_start + found.end
            yield _Value(start, end, found.text, kind, found.confidence)


def _asks_for_a_sum(sought: Sought) -> bool:
    """Whether a number without a sign may answer: no share is asked for, and no count."""
    return "count" not in sought.wants and _SHARES.isdisjoint(sought.terms)


def _is_row_of_it(part: Pinpoint, sought: Sought) -> bool:
    """Whether the name of a row has a word of the question; what is no row may say it elsewhere.

    The amounts of another row of the same table are of the right kind, and are no answer.
    """
    if part.kind != "row":
        return True
    own = {t for t, weight in sought.telling.items() if weight >= 1.0 and not _DIGIT.search(t)}
    words = own - _GENERAL or own
    return not words or not words.isdisjoint(query_terms(part.text))


def _names_what_is_counted(value: _Value, part: Pinpoint, sought: Sought) -> bool:
    """Whether a word of the question stands near a number."""
    start, end = value.start - part.char_start, value.end - part.char_start
    around = part.text[max(0, start - _NEAR_CHARS) : start] + part.text[end : end + _NEAR_CHARS]
    return not query_terms(around).isdisjoint(sought.telling)


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
