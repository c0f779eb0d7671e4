"""Where to cut a page into chunks: pure arithmetic on offsets (PRD 06 §7, DESIGN §2 P1-P2).

The cuts tile the page: the first span starts at 0, the last ends at the page's end, and every
span starts at or before the end of the one before it. A page's tail is never dropped; the minimum
size holds wherever the page is long enough to reach it.
"""

from __future__ import annotations

import bisect
import itertools
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.errors import PipelineError
from casetrack.ingest.steps.base import parameter
from casetrack.ingest.steps.sentences import sentence_ends

if TYPE_CHECKING:
    from collections.abc import Sequence


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
