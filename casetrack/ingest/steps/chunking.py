"""Cuts of a page into chunks, computed on offsets (P1-P2).

The cuts tile the page: the first span starts at 0, the last ends at the page's end, and every span
starts at or before the end of the previous one. No text is dropped; every chunk has the minimum
size unless its page is shorter.
"""

from __future__ import annotations

import bisect
import itertools
import math
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import PipelineError
from casetrack.extract.language import sentence_ends
from casetrack.ingest.steps.base import parameter
from casetrack.parse.page_builder import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

# The rectangles of a chunk: whole lines, and parts of the lines at its ends. The ends of a part
# come from the positions of the drawn words. Drawn words differ slightly from the line's text (a
# hyphenated word, a removed line number), so the letters around a cut are matched from both ends of
# the line.

SIDES = ("x0", "y0", "x1", "y1")
"""Sides of a rectangle: left, top, right, bottom."""
_DIRECTIONS = (("x0", "x1"), ("x1", "x0"), ("y0", "y1"), ("y1", "y0"))
"""Sides where text may begin and end: left, right, top, bottom."""
_CONTEXT = 6
"""Letters on either side of a cut that must match the text."""


class _Reading(NamedTuple):
    """Drawn letters of a line in one direction, with the start and end of each."""

    direction: tuple[str, str]
    letters: str
    begins: list[float]
    ends: list[float]


@dataclass(frozen=True)
class PageWords:
    """Positions of the words of one page, from the column ``words``, read where a line is cut."""

    placed: pa.ListScalar | None = None

    def readings(self, line: dict[str, Any], /) -> Iterator[_Reading]:
        """Yield the drawn letters of a line in each direction; nothing if they are unknown."""
        if self.placed is None or not self.placed.is_valid or not len(self.placed.values):
            return
        values = self.placed.values
        places = np.column_stack([values.field(side).to_numpy() for side in SIDES])
        low, high = (np.array([line[side] for side in pair]) for pair in (SIDES[:2], SIDES[2:]))
        middle = (places[:, :2] + places[:, 2:]) / 2
        inside = np.flatnonzero(((middle >= low) & (middle <= high)).all(axis=1))
        texts = values.field("text").take(inside).to_pylist()
        words: dict[tuple[str, int, int], dict[str, float]] = {}
        for text, place in zip(texts, places[inside].tolist(), strict=True):
            # A word drawn twice at the same position, as a shadow, counts once.
            key = _letters(text), round(place[0] / 2), round(place[1] / 2)
            words.setdefault(key, dict(zip(SIDES, place, strict=True)))
        is_tall = line["y1"] - line["y0"] > line["x1"] - line["x0"]
        for direction in (*_DIRECTIONS[2:], *_DIRECTIONS[:2]) if is_tall else _DIRECTIONS:
            read = _read(words, direction)
            if read is not None:
                yield read


def _read(
    words: dict[tuple[str, int, int], dict[str, float]], direction: tuple[str, str]
) -> _Reading | None:
    """Read the words in one direction; ``None`` if they form two lines."""
    first, last = direction
    sign = -1 if first.endswith("1") else 1
    read = _Reading(direction, "", [], [])
    reached = -math.inf
    for (letters, *_), place in sorted(words.items(), key=lambda w: sign * w[1][first]):
        if sign * (place[first] + place[last]) / 2 < reached:
            return None
        reached = sign * place[last]
        # Letters of a word count as equally wide: text is cut between words.
        steps = np.linspace(place[first], place[last], len(letters) + 1).tolist()
        read = read._replace(letters=read.letters + letters)
        read.begins.extend(steps[:-1])
        read.ends.extend(steps[1:])
    return read


def _letters(text: str) -> str:
    """Return the drawn characters of a text, without spaces and cell separators."""
    return "".join(clean_text(text).replace("|", "").split())


def line_boxes(
    text: str, lines: Sequence[dict[str, Any]], words: PageWords, start: int, end: int, /
) -> list[dict[str, Any]]:
    """Return the number and rectangle (points) of each line of a chunk, for ``line_boxes``.

    *start* and *end* are code points of *text*, the text of the page. The first and last line have
    the rectangle of their part, or of the whole line if the letters around the cut do not match, as
    in a table row with cells of several lines.
    """
    boxes = []
    for line in lines:
        if line["x0"] is None:
            continue
        box = {side: line[side] for side in SIDES}
        if line["start"] < start or line["end"] > end:
            box |= _part(text, line, words, start, end)
        boxes.append({"line": line["number"], **box})
    return boxes


def _part(
    text: str, line: dict[str, Any], words: PageWords, start: int, end: int
) -> dict[str, float]:
    """Return the sides of a part's rectangle that differ from those of its line."""
    before = _letters(text[line["start"] : max(start, line["start"])])
    own = _letters(text[max(start, line["start"]) : min(end, line["end"])])
    after = _letters(text[min(end, line["end"]) : line["end"]])
    for read in words.readings(line):
        sides: dict[str, float] = {}
        begin = _found(before, own + after, read.letters)
        last = _found(before + own, after, read.letters)
        if begin is None or last is None or begin >= last:
            continue
        if before:
            sides[read.direction[0]] = _between(line, read.direction, read.begins[begin])
        if after:
            sides[read.direction[1]] = _between(line, read.direction, read.ends[last - 1])
        return sides
    return {}


def _between(line: dict[str, Any], direction: tuple[str, str], place: float) -> float:
    """Return a position along a line, limited to the line."""
    low, high = sorted((line[direction[0]], line[direction[1]]))
    return float(min(max(place, low), high))


def _found(before: str, after: str, drawn: str) -> int | None:
    """Return the number of drawn letters before a cut; ``None`` if it is ambiguous."""
    if not before:
        return 0
    if not after:
        return len(drawn)
    from_start, from_end = len(before), len(drawn) - len(after)
    if drawn.startswith(before) and _agree(after, drawn[from_start:]):
        return from_start
    if drawn.endswith(after) and _agree(before[::-1], drawn[:from_end][::-1]):
        return from_end
    return None


def _agree(text: str, drawn: str) -> bool:
    """Return whether the next letters match the text, or a hyphen ends the line."""
    near = min(_CONTEXT, len(text), len(drawn.rstrip("-\u2010")))
    return near > 0 and text[:near] == drawn[:near]


@dataclass(frozen=True, slots=True)
class ChunkRules:
    """Sizes in Unicode code points."""

    target_chars: int = parameter(2000, "Target length of a chunk, in code points.")
    max_chars: int = parameter(2200, "Maximum length of a chunk, in code points.")
    min_chars: int = parameter(
        400, "Minimum length of a chunk, in code points, if its page is long enough."
    )
    overlap_chars: int = parameter(200, "Maximum overlap with the previous chunk, in code points.")

    def __post_init__(self) -> None:
        """Refuse sizes that cannot tile a page."""
        fits = 0 < self.overlap_chars < self.min_chars
        if not (fits and 2 * self.min_chars <= self.target_chars <= self.max_chars):
            raise PipelineError(
                f"Chunk sizes do not fit together: {self}.",
                hint="They must satisfy 0 < overlap_chars < min_chars, 2 * min_chars <= "
                "target_chars <= max_chars.",
            )


class CodeEnds(NamedTuple):
    """Preferred cuts of source code, in ascending code points: ends of definitions and of lines."""

    definitions: Sequence[int]
    lines: Sequence[int]


def cut(
    text: str, breaks: Sequence[int], rules: ChunkRules, code: CodeEnds | None = None, /
) -> list[tuple[int, int]]:
    """Return the half-open spans of the chunks of one page; empty for an empty page.

    *breaks* are preferred ends of paragraphs, ascending; *code* has preferred cuts of source code.
    """
    spans: list[tuple[int, int]] = []
    start, length = 0, len(text)
    while length - start > rules.max_chars:
        end = _end_of_chunk(text, start, breaks, rules, code)
        spans.append((start, end))
        start = _start_of_next(text, start, end, rules, code)
    if length:
        spans.append((start, length))
    return spans


def _end_of_chunk(
    text: str, start: int, breaks: Sequence[int], rules: ChunkRules, code: CodeEnds | None
) -> int:
    """Choose a paragraph end, else a sentence end, else a word end; near the target size.

    In source code the end of a definition has priority, and ends of lines replace those of
    sentences.
    """
    low = start + rules.target_chars * 3 // 5
    target = min(start + rules.target_chars, len(text) - rules.min_chars)
    high = min(start + rules.max_chars, len(text) - rules.min_chars)
    wanted = (
        (breaks, sentence_ends(text, low, high))
        if code is None
        else (code.definitions, breaks, code.lines)
    )
    for candidates in wanted:
        best = _nearest(candidates, low, target, high)
        if best is not None:
            return best
    backwards, forwards = range(target, low, -1), range(target + 1, high + 1)
    for position in itertools.chain(backwards, forwards):
        if text[position].isspace() and not text[position - 1].isspace():
            return position
    return _before_combining(text, target)


def _nearest(ends: Sequence[int], low: int, target: int, high: int) -> int | None:
    """Return the last end in ``(low, target]``, else the first in ``(target, high]``."""
    i = bisect.bisect_right(ends, target)
    if i and ends[i - 1] > low:
        return ends[i - 1]
    if i < len(ends) and ends[i] <= high:
        return ends[i]
    return None


def _start_of_next(
    text: str, start: int, end: int, rules: ChunkRules, code: CodeEnds | None
) -> int:
    """Return the start of the next chunk, up to one overlap earlier, at a sentence or a word.

    Source code overlaps by whole lines, and not between definitions. A word longer than the overlap
    is repeated completely unless it is extremely long.
    """
    low = end - rules.overlap_chars
    if code is not None and end in code.definitions:
        return end
    if code is not None:
        last = text.find("\n", low, end)
        position = _skip_space(text, last, end) if last >= 0 else end
        if position < end:
            return position
    for sentence_end in sentence_ends(text, low, end - rules.overlap_chars // 4):
        position = _skip_space(text, sentence_end, end)
        if position < end:
            return position
    for position in range(low, end):
        if text[position - 1].isspace() and not text[position].isspace():
            return position
    for position in range(low - 1, max(start, low - rules.overlap_chars), -1):
        if text[position - 1].isspace() and not text[position].isspace():
            return position
    return _before_combining(text, low)


def _skip_space(text: str, position: int, end: int) -> int:
    while position < end and text[position].isspace():
        position += 1
    return position


def _before_combining(text: str, position: int) -> int:
    """Move a forced cut left so that it does not separate a letter from its accents."""
    moved = position
    while moved > position - 32 and unicodedata.combining(text[moved]):
        moved -= 1
    return moved
