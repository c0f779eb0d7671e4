"""Divides runs of text at the edges of columns: positions where words of several rows start or end.

Cells of a sheet can be as close as words, so a gap alone does not separate them. But a column has
its edge at the same position in consecutive rows, and no row crosses it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.groups import in_runs
from casetrack.extract.tables.model import is_value
from casetrack.parse.layout.tables_model import CELL_GAP, is_symbol
from casetrack.parse.pdf.rules import Word, segment_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from casetrack.parse.layout.segments import Segment

_SAME_ROW, _MIN_ROWS, _MOST_ROWS, _MAX_STEP = 0.3, 3, 8, 2
_CROSSED, _STEPS = 8, 10
_VALUE_GAP, _NAME_CHARS, _VALUES_CHARS = 0.5, 24, 80
_LEADERS = "._\u2026"


class Run(NamedTuple):
    """A run of text, and functions for its words and for whether a space before one is typed."""

    segment: Segment
    inside: Callable[[], list[Word]]
    is_typed: Callable[[Word], bool]

    def words(self) -> list[Word]:
        """Return its words; one without blanks is the whole run."""
        s = self.segment
        return self.inside() if " " in s.text else [Word(s.text, s.u0, s.u1, s.box)]


_Row = list[tuple[Word, Run]]


def divide_at_edges(runs: Sequence[Run], /) -> list[Segment]:
    """Return the segments of runs, divided at wide gaps and at the edges of columns."""
    rows: list[list[Run]] = []
    base = 0.0
    for run in sorted(runs, key=lambda run: run.segment.base):
        s = run.segment
        if rows and s.base - base <= _SAME_ROW * s.size:
            rows[-1].append(run)
        else:
            rows.append([run])
        base = s.base
    words = [
        [(word, run) for run in row for word in run.words()] if _may_be_cells(row) else []
        for row in rows
    ]
    starts: dict[int, list[Word]] = defaultdict(list)
    for word, run in _starts(words):
        starts[id(run)].append(word)
    return [part for run in runs for part in _divided(run, starts.get(id(run), ()))]


def _may_be_cells(row: Sequence[Run]) -> bool:
    """Return quickly whether a row may have several cells: short runs next to others, or values."""
    texts = [run.segment.text for run in row]
    if len(texts) > 1 and min(map(len, texts)) <= _NAME_CHARS:
        return True
    return any(
        len(text) <= _VALUES_CHARS and 2 * sum(map(str.isalpha, text)) < len(text) for text in texts
    )


def _starts(rows: Sequence[_Row]) -> Iterator[tuple[Word, Run]]:
    """Yield the first word of each cell that another one precedes in its row."""
    held: dict[int, set[int]] = defaultdict(set)
    for number, row in enumerate(rows):
        row.sort(key=lambda entry: entry[0].u0)
        for word, _ in row:
            for place in _places(word, word):
                held[place].add(number)
    for number, row in enumerate(rows):
        for (before, other), (word, run) in pairwise(row):
            gap, size = word.u0 - before.u1, run.segment.size
            if run is not other and gap >= CELL_GAP * size:
                continue  # separate cells anyway
            near = (
                {n for p in (place - 1, place, place + 1) for n in held.get(p, ())}
                for place in _places(before, word)
                if len(held[place]) > 1
            )
            if _are_apart(before, word, size) or (
                any(_is_edge(numbers, number, word.u0 - gap / 2, rows) for numbers in near)
                and word.text.strip(_LEADERS)
                and (run is not other or not run.is_typed(word))
            ):
                yield word, run


def _places(before: Word, word: Word) -> tuple[int, int]:
    """Return numbers for the start of a word and the end of another; ends are negative."""
    return int(_STEPS * word.u0), -int(_STEPS * before.u1)


def _are_apart(before: Word, word: Word, size: float) -> bool:
    """Return whether a gap alone separates cells: a wide one, or one between amounts."""
    gap = word.u0 - before.u1
    if gap >= size:
        return True
    are_values = gap >= _VALUE_GAP * size and is_value(word.text)
    return (are_values or is_symbol(word.text)) and is_value(before.text)


def _is_edge(held: set[int], row: int, at: float, rows: Sequence[_Row]) -> bool:
    """Return whether enough rows around *row* are *held* by an edge and few others cross it."""
    # A long table needs no more evidence than a short one.
    near = [n for n in range(row - _MOST_ROWS, row + _MOST_ROWS + 1) if n in held]
    blocks = in_runs(near, lambda block, n: n - block[-1] <= _MAX_STEP)
    block = next(block for block in blocks if row in block)
    if len(block) < _MIN_ROWS:
        return False
    around = rows[block[0] : block[-1] + 1]
    return _CROSSED * sum(any(w.u0 < at < w.u1 for w, _ in r) for r in around) <= len(block)


def _divided(run: Run, starts: Sequence[Word]) -> list[Segment]:
    """Divide a run at its words that begin cells, without blanks around the parts."""
    segment, text = run.segment, run.segment.text
    if not starts and not _is_padded(text):
        return [segment]
    places = {word.u0 for word in starts}
    groups = in_runs(run.words(), lambda _, word: word.u0 not in places)
    parts = [segment]
    if len(groups) > 1 or (groups and _is_padded(text)):
        parts = [segment_of(segment, group) for group in groups]
        # Blanks separate words: around the run, and between its parts.
        parts[0].text = text[: text[:1].isspace()] + parts[0].text
        if not text[-1:].isspace():
            parts[-1].text = parts[-1].text.rstrip()
    for part, group in zip(parts, groups, strict=False):
        part.is_placed = segment.is_placed or group[0].u0 in places
    return parts


def _is_padded(text: str) -> bool:
    """Return whether blanks position a short name; one blank only separates it from the next."""
    return len(text) <= _NAME_CHARS and (text[:1].isspace() or text[-2:].isspace())
