"""Where to cut a page into chunks: pure arithmetic on offsets (PRD 06 §7, DESIGN §2 P1-P2).

The cuts tile the page: the first span starts at 0, the last ends at the page's end, and every
span starts at or before the end of the one before it. A page's tail is never dropped; the minimum
size holds wherever the page is long enough to reach it.
"""

from __future__ import annotations

import bisect
import itertools
import math
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from casetrack.base.errors import PipelineError
from casetrack.extract.language import sentence_ends
from casetrack.ingest.steps.base import parameter
from casetrack.parse.page_builder import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

# The rectangles of a chunk: whole lines, and of a line that it shares the part that is its own.
#
# Where the part begins and ends is told by the places of the words as they are drawn. What is drawn
# on a line is not quite its text (a word divided at the line's end, numbers that were taken off),
# so that the letters around a cut are looked for from both ends of the line.

SIDES = ("x0", "y0", "x1", "y1")
"""Of a rectangle: left, top, right, bottom."""
_DIRECTIONS = (("x0", "x1"), ("x1", "x0"), ("y0", "y1"), ("y1", "y0"))
"""Where text may begin and end: at the left, at the right, at the top, at the bottom."""
_CONTEXT = 6
"""Letters on either side of a cut that must be those of the text."""


class _Reading(NamedTuple):
    """What is drawn on a line, read in one direction: letters, and where each begins and ends."""

    direction: tuple[str, str]
    letters: str
    begins: list[float]
    ends: list[float]


@dataclass(frozen=True)
class PageWords:
    """Where the words of one page stand; they are looked at only where a line is cut.

    Parameters
    ----------
    placed
        A value of the column ``words`` of ``pages``; null or ``None`` where nobody knows.
    """

    placed: pa.ListScalar | None = None

    def readings(self, line: dict[str, Any], /) -> Iterator[_Reading]:
        """Yield what is drawn on a line, read in each direction; nothing where nobody knows."""
        if self.placed is None or not self.placed.is_valid or not len(self.placed.values):
            return
        values = self.placed.values
        places = np.column_stack([values.field(side).to_numpy() for side in SIDES])
        low, high = (np.array([line[side] for side in pair]) for pair in (SIDES[:2], SIDES[2:]))
        middle = (places[:, :2] + places[:, 2:]) / 2
        found = np.flatnonzero(((middle >= low) & (middle <= high)).all(axis=1))
        texts = values.field("text").take(found).to_pylist()
        words: dict[tuple[str, int, int], dict[str, float]] = {}
        for text, place in zip(texts, places[found].tolist(), strict=True):
            # What is drawn a second time over itself, as a shadow, counts once.
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
    """Read the words in one direction; ``None`` where they stand over each other, in two lines."""
    first, last = direction
    sign = -1 if first.endswith("1") else 1
    read = _Reading(direction, "", [], [])
    reached = -math.inf
    for (letters, *_), place in sorted(words.items(), key=lambda w: sign * w[1][first]):
        if sign * (place[first] + place[last]) / 2 < reached:
            return None
        reached = sign * place[last]
        # Letters of a word are taken as equally wide: text is cut between words.
        steps = np.linspace(place[first], place[last], len(letters) + 1).tolist()
        read = read._replace(letters=read.letters + letters)
        read.begins.extend(steps[:-1])
        read.ends.extend(steps[1:])
    return read


def _letters(text: str) -> str:
    """Return what of a text is drawn: no blanks, and no lines between the cells of a table."""
    return "".join(clean_text(text).replace("|", "").split())


def line_boxes(
    text: str, lines: Sequence[dict[str, Any]], words: PageWords, start: int, end: int, /
) -> list[dict[str, Any]]:
    """Return the rectangles of a chunk, as its column ``line_boxes`` has them.

    Parameters
    ----------
    text
        Of its page.
    lines
        Those of the page's lines that it touches; those without a rectangle have none.
    words
        Where the page's words stand.
    start, end
        The chunk, code points into *text*.

    Returns
    -------
    list of dict
        Number and rectangle of each line, in points. Of a line that the chunk begins or ends in it
        is that of its part; of the whole line where the letters around the cut are not found, as in
        a row of a table whose cells are several lines high.
    """
    found = []
    for line in lines:
        if line["x0"] is None:
            continue
        box = {side: line[side] for side in SIDES}
        if line["start"] < start or line["end"] > end:
            box |= _part(text, line, words, start, end)
        found.append({"line": line["number"], **box})
    return found


def _part(
    text: str, line: dict[str, Any], words: PageWords, start: int, end: int
) -> dict[str, float]:
    """Return the sides in which the rectangle of a part of a line is not that of the line."""
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
    """Return a place along a line, within it."""
    low, high = sorted((line[direction[0]], line[direction[1]]))
    return float(min(max(place, low), high))


def _found(before: str, after: str, drawn: str) -> int | None:
    """Return how many of the drawn letters stand before a cut; ``None`` where none can be sure."""
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
    """Tell whether the next letters are those of the text, or a hyphen ends the line."""
    near = min(_CONTEXT, len(text), len(drawn.rstrip("-\u2010")))
    return near > 0 and text[:near] == drawn[:near]


@dataclass(frozen=True, slots=True)
class ChunkRules:
    """Sizes in Unicode code points."""

    target_chars: int = parameter(2000, "Length that a chunk aims at, in code points.")
    max_chars: int = parameter(2200, "Greatest length of a chunk, in code points.")
    min_chars: int = parameter(
        400, "Least length of a chunk, in code points, where its page has as much."
    )
    overlap_chars: int = parameter(
        200, "Code points that a chunk repeats of the end of the one before it, at most."
    )

    def __post_init__(self) -> None:
        """Refuse sizes that cannot tile a page."""
        fits = 0 < self.overlap_chars < self.min_chars
        if not (fits and 2 * self.min_chars <= self.target_chars <= self.max_chars):
            raise PipelineError(
                f"Chunk sizes do not fit together: {self}.",
                hint="They need 0 < overlap_chars < min_chars, "
                "2 * min_chars <= target_chars <= max_chars.",
            )


class CodeEnds(NamedTuple):
    """Where source code is well cut, in code points, ascending.

    Attributes
    ----------
    definitions
        Ends of functions and classes, and of what stands before one.
    lines
        Ends of lines; code has no sentences.
    """

    definitions: Sequence[int]
    lines: Sequence[int]


def cut(
    text: str, breaks: Sequence[int], rules: ChunkRules, code: CodeEnds | None = None, /
) -> list[tuple[int, int]]:
    """Return the spans of the chunks of one page.

    Parameters
    ----------
    text
        The page text, without white space at either end.
    breaks
        Ends of paragraphs after which a cut is good, ascending.
    rules
        Sizes.
    code
        Where it is better cut, for source code.

    Returns
    -------
    list of (start, end)
        Half-open code point offsets; empty for an empty page.
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

    In source code the end of a definition comes first, and that of a line is one of a sentence.
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
    """Begin the next chunk up to one overlap earlier, at a sentence, else at a word.

    Source code is repeated in whole lines, and after a definition by one only.

    A word longer than the overlap is taken whole where it is not absurdly long.
    """
    low = end - rules.overlap_chars
    if code is not None:
        whole = end in code.definitions
        last = text.rfind("\n", low, end) if whole else text.find("\n", low, end)
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
    """Move a forced cut left so that it does not part a letter from its accents."""
    moved = position
    while moved > position - 32 and unicodedata.combining(text[moved]):
        moved -= 1
    return moved
