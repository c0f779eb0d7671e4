"""Divides runs of text at the edges of columns: positions where words of several rows start or end.

Cells of a sheet can be as close as words, so a gap alone does not separate them. But a column has
its edge at the same position in consecutive rows, and no row crosses it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.groups import in_runs
from casetrack.extract.tables.model import is_value
from casetrack.parse.layout.tables_model import is_symbol
from casetrack.parse.pdf.rules import Word, segment_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from casetrack.parse.layout.segments import Segment

_SAME_ROW, _MIN_ROWS, _MAX_SKIPPED = 0.3, 3, 2
_CROSSED = 8
_VALUE_GAP, _NAME_CHARS = 0.5, 24
_LEADERS = "._\u2026"


def divide_at_edges(
    runs: Sequence[tuple[Segment, Sequence[Word]]], is_typed: Callable[[Word, Word], bool], /
) -> list[Segment]:
    """Return the segments of runs, divided at wide gaps and at the edges of columns.

    A gap that *is_typed* is no edge.
    """
    rows: list[list[Word]] = []
    base = 0.0
    for s, words in sorted(runs, key=lambda run: run[0].base):
        if not rows or s.base - base > _SAME_ROW * s.size:
            rows.append([])
        base = s.base
        # Leaders are aligned, but separate no cells.
        rows[-1] += (word for word in words if word.text.strip(_LEADERS))
    sizes = {id(word): s.size for s, words in runs for word in words}
    begins = set(map(id, _first_words(rows, sizes, is_typed)))
    return [part for segment, words in runs for part in _divided(segment, words, begins)]


def _first_words(
    rows: Sequence[list[Word]], sizes: dict[int, float], is_typed: Callable[[Word, Word], bool]
) -> Iterator[Word]:
    """Yield the first words of cells after others of their row."""
    edges: dict[int, set[int]] = defaultdict(set)
    for number, row in enumerate(rows):
        row.sort(key=lambda word: word.u0)
        for word in row:
            for place in _places(word, word):
                edges[place].add(number)
    for number, row in enumerate(rows):
        for before, word in pairwise(row):
            if before.text.isalpha() and word.text.isalpha() and len(before.text + word.text) == 2:
                continue  # letters of a tracked word
            middle = (before.u1 + word.u0) / 2
            near = (edges[p - 1] | edges[p] | edges[p + 1] for p in _places(before, word))
            if _are_apart(before, word, sizes[id(word)]) or (
                any(_is_edge(held, number, middle, rows) for held in near)
                and not is_typed(before, word)
            ):
                yield word


def _places(before: Word, word: Word) -> tuple[int, int]:
    """Return numbers for the start of a word, and for the end of the one before."""
    return round(2 * word.u0), -round(2 * before.u1) - 1_000_000


def _are_apart(before: Word, word: Word, size: float) -> bool:
    """Return whether a gap alone separates cells: a wide one, or one between amounts."""
    gap = word.u0 - before.u1
    if gap >= size:
        return True
    are_values = gap >= _VALUE_GAP * size and is_value(word.text)
    return (are_values or is_symbol(word.text)) and is_value(before.text)


def _is_edge(held: set[int], row: int, at: float, rows: Sequence[Sequence[Word]]) -> bool:
    """Return whether enough rows around *row* are *held* by an edge and few others cross it."""
    if len(held) < _MIN_ROWS:
        return False
    first = last = row
    while step := next((k for k in range(1, _MAX_SKIPPED + 1) if first - k in held), 0):
        first -= step
    while step := next((k for k in range(1, _MAX_SKIPPED + 1) if last + k in held), 0):
        last += step
    count = sum(number in held for number in range(first, last + 1))
    if count < _MIN_ROWS:
        return False
    crossed = sum(any(w.u0 < at < w.u1 for w in words) for words in rows[first : last + 1])
    return _CROSSED * crossed <= count


def _divided(segment: Segment, words: Sequence[Word], begins: Container[int]) -> list[Segment]:
    """Divide a segment at its words that begin cells, without blanks around the parts."""
    groups = in_runs(words, lambda _, word: id(word) not in begins)
    text, parts = segment.text, [segment]
    if len(groups) > 1 or (groups and _is_padded(text)):
        parts = [segment_of(segment, group) for group in groups]
        # Blanks separate words: around the run, and between its parts.
        parts[0].text = text[: text[:1].isspace()] + parts[0].text
        if not text[-1:].isspace():
            parts[-1].text = parts[-1].text.rstrip()
    for part, group in zip(parts, groups, strict=False):
        part.is_placed = segment.is_placed or id(group[0]) in begins
    return parts


def _is_padded(text: str) -> bool:
    """Return whether blanks position a short name; one blank only separates it from the next."""
    return len(text) <= _NAME_CHARS and (text[:1].isspace() or text[-2:].isspace())
