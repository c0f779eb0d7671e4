"""Footnotes: small text at the foot of a column that begins with a mark.

The mark also stands raised in the text, or a short rule parts the notes from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from casetrack.readers.layout.segments import Segment

Rules = Callable[[], list[tuple[float, float, float]]]

_NOTE = re.compile(
    r"[\[(]?(\d{1,3}|[a-z]|[*\u2020\u2021\u00a7\u00b6]{1,3})[\])]?[.:]?(?=\s|[^\W\d_]|$)"
)
_SMALLER = 0.93
_LOWER_PART = 0.4
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
    segments: Sequence[Segment],
    marks: Collection[str],
    body_size: float,
    rules: Rules = list,
    /,
) -> list[list[Segment]]:
    """Return the footnotes of a page, column by column, each with its segments.

    Parameters
    ----------
    segments
        The page's text in one direction, without running lines.
    marks
        Texts of the marks raised in it.
    body_size
        Usual font size of the document's text.
    rules
        Gives the short horizontal rules of the page, asked only where they decide: height and both
        ends, in the frame of the segments.
    """
    small = [s for s in segments if s.size <= _SMALLER * body_size and s.text.strip()]
    if not small or len(small) == len(segments):
        return []
    top = min(s.v0 for s in segments)
    middle = top + _LOWER_PART * (max(s.v1 for s in segments) - top)
    large = [s for s in segments if s.size > _SMALLER * body_size]
    low = [s for s in small if s.v0 > middle and not _has_text_below(s, large)]
    notes: list[list[Segment]] = []
    for column in _columns(low):
        notes += _notes(column, marks, rules)
    return notes


def _has_text_below(s: Segment, large: Sequence[Segment]) -> bool:
    """Tell whether text of the usual size stands lower in the same column."""
    return any(t.base > s.base + 0.4 * s.size and t.u0 < s.u1 and t.u1 > s.u0 for t in large)


def _columns(segments: list[Segment]) -> list[list[Segment]]:
    """Group segments that stand above each other, from left to right."""
    columns: list[tuple[float, float, list[Segment]]] = []
    for s in sorted(segments, key=lambda s: s.u0):
        if columns and s.u0 < columns[-1][1]:
            u0, u1, members = columns[-1]
            columns[-1] = (u0, max(u1, s.u1), [*members, s])
        elif columns and _is_beside(s, columns[-1][2]):
            u0, _, members = columns[-1]
            columns[-1] = (u0, s.u1, [*members, s])
        else:
            columns.append((s.u0, s.u1, [s]))
    return [members for _, _, members in columns]


def _is_beside(s: Segment, members: Sequence[Segment]) -> bool:
    """Tell text right after its mark, on the same line."""
    return any(
        abs(t.base - s.base) < 0.6 * s.size and 0 <= s.u0 - t.u1 < 2 * s.size for t in members
    )


def _notes(column: list[Segment], marks: Collection[str], rules: Rules) -> list[list[Segment]]:
    """Cut the small text at the foot of a column into notes, from its first mark on."""
    rows = _rows(column)
    start = _first(rows, marks, rules)
    if start is None:
        return []
    notes: list[list[Segment]] = []
    for row in rows[start:]:
        mark = _mark(row)
        if mark is not None and (not notes or mark in marks or _follows(mark, notes)):
            notes.append([])
        notes[-1].extend(row.segments)
    return notes


def _first(rows: list[_Row], marks: Collection[str], rules: Rules) -> int | None:
    """Return the first row of the lowest block of rows that begins with a footnote's mark."""
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
        if mark is None or sum(map(str.isalpha, _text(rows[i:]))) < _MIN_LETTERS:
            continue
        if mark in marks or (i == block and _is_under_rule(row, rules)):
            return i
    return None


def _is_under_rule(row: _Row, rules: Rules) -> bool:
    size = row.segments[0].size
    return any(
        -0.3 * size <= row.v0 - v < 2.5 * size and abs(u0 - row.u0) < 3 * size and u1 > u0
        for v, u0, u1 in rules()
    )


def _follows(mark: str, notes: list[list[Segment]]) -> bool:
    """Tell the next number after the last note's."""
    last = _NOTE.match(notes[-1][0].text.strip())
    return last is not None and last[1].isdigit() and mark == str(int(last[1]) + 1)


def _mark(row: _Row) -> str | None:
    match = _NOTE.match(row.segments[0].text.strip())
    return match[1] if match else None


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
