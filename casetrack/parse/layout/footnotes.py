"""Footnotes: text at the foot of a column that begins with a mark.

The mark also appears raised in the text, or a short rule separates the notes from it. Notes are
set smaller than the text, or have both signs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.parse.layout.running import page_number

if TYPE_CHECKING:
    from casetrack.parse.layout.segments import Segment, Tag

Rules = Callable[[], list[tuple[float, float, float]]]

_NOTE = re.compile(
    r"[\[(]?(\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3})[\])]?[.:]?(?=\s|[^\W\d_]|$)"
    # A single letter may be a word, or the start of one.
    r"|[\[(]?([a-z])(?:[\])][.:]?(?=\s|[^\W\d_]|$)|(?=\s+[^a-z\s])|$)"
)
_SMALLER = 0.93
_AS_LARGE, _MIN_GAPS = 1.05, 2
_MAX_ROW_GAP = 2.6
_MIN_LETTERS = 3


@dataclass(slots=True)
class _Row:
    segments: list[Segment]
    v0: float
    v1: float
    u0: float
    u1: float


def find_notes(
    segments: Sequence[Segment], marks: Collection[str], body_size: float, rules: Rules = list, /
) -> list[list[Segment]]:
    """Return the footnotes by column, each with its segments; *marks* are raised in the text."""
    tagged: dict[Tag, list[Segment]] = {}
    for s in segments:
        if s.tag is not None and s.tag.role == "footnote":
            tagged.setdefault(s.tag, []).append(s)
    if tagged:
        return list(tagged.values())
    ruled = _ruled(segments, marks, body_size, rules) if marks else set()
    small = [
        s for s in segments if s.text.strip() and (s.size <= _SMALLER * body_size or id(s) in ruled)
    ]
    if not small or len(small) == len(segments):
        return []
    large = [
        s
        for s in segments
        if s.size > _SMALLER * body_size and id(s) not in ruled and page_number(s.text) is None
    ]
    low = [s for s in small if _is_at_foot(s, large)]
    # A table in small type may end the page; notes are below it.
    cells = max((row.v1 for row in _rows(low) if _has_cells(row)), default=0.0)
    low = [s for s in low if s.base > cells]
    notes: list[list[Segment]] = []
    for column in _columns(low):
        notes += _notes(column, marks, rules)
    return notes


def _ruled(
    segments: Sequence[Segment], marks: Collection[str], body_size: float, rules: Rules
) -> set[int]:
    """Return the segments of notes in text size: below a rule, with a mark of the text."""
    ruled: set[int] = set()
    for v, u0, _ in rules():
        below = [
            s
            for s in segments
            if s.v0 >= v - 0.3 * s.size and s.text.strip() and page_number(s.text) is None
        ]
        if any(map(_has_cells, _rows(below))):
            continue
        for column in _columns(below):
            rows = _rows(column)
            near = abs(u0 - rows[0].u0) < 3 * body_size and rows[0].v0 - v < 2.5 * body_size
            large = any(s.size > _AS_LARGE * body_size for s in column)
            if near and not large and _mark(rows[0]) in marks:
                ruled.update(map(id, column))
    return ruled


def _has_cells(row: _Row) -> bool:
    """Return whether a row belongs to a table: at least three cells with wide gaps."""
    return sum(b.u0 - a.u1 > b.size for a, b in pairwise(row.segments)) >= _MIN_GAPS


def _is_at_foot(s: Segment, large: Sequence[Segment]) -> bool:
    """Return whether text of the usual size is above *s* in the same column, and none below."""
    bases = [t.base for t in large if t.u0 < s.u1 and t.u1 > s.u0]
    return bool(bases) and max(bases) <= s.base + 0.4 * s.size


def _columns(segments: list[Segment]) -> list[list[Segment]]:
    columns: list[tuple[float, float, list[Segment]]] = []
    for s in sorted(segments, key=lambda s: s.u0):
        if columns and s.u0 < columns[-1][1]:
            u0, u1, members = columns[-1]
            columns[-1] = (u0, max(u1, s.u1), [*members, s])
        elif columns and _follows_mark(s, columns[-1][2]):
            u0, _, members = columns[-1]
            columns[-1] = (u0, s.u1, [*members, s])
        else:
            columns.append((s.u0, s.u1, [s]))
    return [members for _, _, members in columns]


def _follows_mark(s: Segment, members: Sequence[Segment]) -> bool:
    return any(
        abs(t.base - s.base) < 0.6 * s.size and 0 <= s.u0 - t.u1 < 2 * s.size for t in members
    )


def _notes(column: list[Segment], marks: Collection[str], rules: Rules) -> list[list[Segment]]:
    """Divide the text at the foot of a column into notes, starting with the first."""
    rows = _rows(column)
    start = _first(rows, marks, rules)
    if start is None:
        return []
    notes: list[list[Segment]] = []
    for row in rows[start:]:
        mark = _mark(row)
        if not notes or (mark is not None and (mark in marks or _follows(mark, notes))):
            notes.append([])
        notes[-1].extend(row.segments)
    return notes


def _first(rows: list[_Row], marks: Collection[str], rules: Rules) -> int | None:
    """Return the first row of notes in the lowest block of rows."""
    block = len(rows)
    while block > 0:
        block -= 1
        if (
            block
            and rows[block].v0 - rows[block - 1].v1 > _MAX_ROW_GAP * rows[block].segments[0].size
        ):
            break
    for i in range(block, len(rows)):
        row = rows[i]
        mark = _mark(row)
        if sum(map(str.isalpha, _text(rows[i:]))) < _MIN_LETTERS:
            continue
        if mark is not None and mark in marks:
            return i
        # The continuation of a note from the previous page has no mark.
        goes_on = row.segments[0].text.lstrip()[:1].islower()
        if i == block and (mark is not None or goes_on) and _is_under_rule(row, rules):
            return i
    return None


def _is_under_rule(row: _Row, rules: Rules) -> bool:
    size = row.segments[0].size
    return any(
        -0.3 * size <= row.v0 - v < 2.5 * size and abs(u0 - row.u0) < 3 * size and u1 > u0
        for v, u0, u1 in rules()
    )


def _follows(mark: str, notes: list[list[Segment]]) -> bool:
    """Return whether *mark* is the next number after the last note's."""
    last = _NOTE.match(notes[-1][0].text.strip())
    number = last[1] if last else None
    return number is not None and number.isdigit() and mark == str(int(number) + 1)


def _mark(row: _Row) -> str | None:
    match = _NOTE.match(row.segments[0].text.strip())
    return (match[1] or match[2]) if match else None


def _text(rows: Iterable[_Row]) -> str:
    return " ".join(s.text for row in rows for s in row.segments)


def _rows(segments: list[Segment]) -> list[_Row]:
    rows: list[_Row] = []
    for s in sorted(segments, key=lambda s: (s.v0 + s.v1) / 2):
        last = rows[-1] if rows else None
        if last is not None and (s.v0 + s.v1) / 2 < last.v1 - 0.2 * s.size:
            last.segments.append(s)
            last.v0, last.v1 = min(last.v0, s.v0), max(last.v1, s.v1)
            last.u0, last.u1 = min(last.u0, s.u0), max(last.u1, s.u1)
        else:
            rows.append(_Row([s], s.v0, s.v1, s.u0, s.u1))
    for row in rows:
        row.segments.sort(key=lambda s: s.u0)
    return rows
