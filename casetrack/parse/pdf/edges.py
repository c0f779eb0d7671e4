"""Divides runs of text at the edges of columns: positions where words of several rows start or end.

Cells of a sheet can be as close as words, so a gap alone does not separate them. But a column has
its edge at the same position in consecutive rows, and no row crosses it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.extract.tables.model import is_value
from casetrack.parse.layout.tables_model import is_symbol
from casetrack.parse.pdf.rules import Word, segment_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.parse.layout.segments import Segment

_SAME_ROW, _MIN_ROWS, _MAX_SKIPPED = 0.3, 3, 2
_CROSSED = 8
_VALUE_GAP, _NAME_CHARS = 0.5, 24
_LEADERS = "._\u2026"


def divide_at_edges(
    runs: Sequence[tuple[Segment, Sequence[Word]]], is_typed: Callable[[Word, Word], bool], /
) -> list[Segment]:
    """Return segments, divided at the edges of columns unless the gap there *is_typed*."""
    rows: list[list[tuple[Segment, Sequence[Word]]]] = []
    for run in sorted(runs, key=lambda run: (run[0].base, run[0].u0)):
        s = run[0]
        if rows and s.base - rows[-1][-1][0].base <= _SAME_ROW * s.size:
            rows[-1].append(run)
        else:
            rows.append([run])
    edges: dict[int, set[int]] = defaultdict(set)
    across: list[list[Word]] = []
    for number, row in enumerate(rows):
        # Leaders are aligned, but separate no cells.
        solid = (w for _, words in row for w in words if w.text.strip(_LEADERS))
        across.append(sorted(solid, key=lambda w: w.u0))
        for word in across[-1]:
            for place in _places(word, word):
                edges[place].add(number)
    divided: dict[int, list[Segment]] = {}
    for number, row in enumerate(rows):
        begins: set[int] = set()
        for before, word in pairwise(across[number]):
            at = (before.u1 + word.u0) / 2
            if _are_apart(before, word, row[0][0].size) or (
                any(
                    _is_edge(edges[p - 1] | edges[p] | edges[p + 1], number, at, across)
                    for p in _places(before, word)
                )
                and not is_typed(before, word)
            ):
                begins.add(id(word))
        for segment, words in row:
            groups: list[list[Word]] = []
            for word in words:
                if groups and id(word) not in begins:
                    groups[-1].append(word)
                else:
                    groups.append([word])
            parts = [segment]
            if len(groups) > 1 or (groups and _is_padded(segment.text)):
                parts = [segment_of(segment, group) for group in groups]
                if segment.text[:1].isspace():
                    parts[0].text = " " + parts[0].text
                if not segment.text[-1:].isspace():
                    parts[-1].text = parts[-1].text.rstrip()
            for part, group in zip(parts, groups, strict=False):
                part.is_placed = segment.is_placed or id(group[0]) in begins
            divided[id(segment)] = parts
    return [part for segment, _ in runs for part in divided[id(segment)]]


def _are_apart(before: Word, word: Word, size: float) -> bool:
    """Return whether a gap alone separates cells: a wide one, or one between amounts."""
    gap = word.u0 - before.u1
    if gap >= size:
        return True
    are_values = gap >= _VALUE_GAP * size and is_value(word.text)
    return (are_values or is_symbol(word.text)) and is_value(before.text)


def _places(before: Word, word: Word) -> tuple[int, int]:
    """Return numbers for the start of a word, and for the end of the one before."""
    return round(2 * word.u0), -round(2 * before.u1) - 1_000_000


def _is_edge(rows: set[int], row: int, at: float, across: Sequence[Sequence[Word]]) -> bool:
    """Return whether enough rows around *row* have an edge and few others cross its position."""
    if len(rows) < _MIN_ROWS:
        return False
    first = last = row
    while step := next((k for k in range(1, _MAX_SKIPPED + 1) if first - k in rows), 0):
        first -= step
    while step := next((k for k in range(1, _MAX_SKIPPED + 1) if last + k in rows), 0):
        last += step
    around = range(first, last + 1)
    held = sum(r in rows for r in around)
    crossed = sum(any(w.u0 < at < w.u1 for w in across[r]) for r in around)
    return held >= _MIN_ROWS and _CROSSED * crossed <= held


def _is_padded(text: str) -> bool:
    """Return whether blanks position a short name; one blank only separates it from the next."""
    if len(text) > _NAME_CHARS:
        return False
    return text[:1].isspace() or text[-2:].isspace()
