"""Groups segments of a region into visual lines: one text, one rectangle, one baseline each."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from casetrack.base.provenance import Box, hull
from casetrack.parse.layout.segments import Segment, Tag, join_segments

_SAME_LINE = 0.35
_CELL_GAP, _LARGER, _EVEN = 1.5, 1.05, 1.3


@dataclass(slots=True)
class TextLine:
    """A visual line; extent and baseline are in points along and across the reading direction.

    *size* is that of its largest segment, *font* that of all its letters, *cells* counts stretches
    between wide gaps; *left*, *right* and *region* describe the region that contains the line.
    """

    text: str
    u0: float
    u1: float
    v0: float
    v1: float
    base: float
    size: float
    bold: bool
    cells: int
    box: Box
    left: float
    right: float
    region: int
    confidence: float | None = None
    font: str = ""
    tag: Tag | None = None


def visual_lines(segments: Sequence[Segment], region: int, /) -> list[TextLine]:
    """Group the segments of one region into lines, from top to bottom."""
    groups = [
        part for group in _gather(_without_shadows(segments)) for part in _without_side_head(group)
    ]
    if not groups:
        return []
    left = min(s.u0 for group in groups for s in group)
    right = max(s.u1 for group in groups for s in group)
    lines = [line_of(group, left, right, region) for group in groups]
    return [line for line in lines if line.text]


def _without_side_head(group: list[Segment]) -> list[list[Segment]]:
    """Separate a bold heading in the margin from the text next to it."""
    ordered = sorted(group, key=lambda s: s.u0)
    for i, (a, b) in enumerate(pairwise(ordered)):
        if b.u0 - a.u1 > _CELL_GAP * a.size:
            sides = ordered[: i + 1], ordered[i + 1 :]
            larger = min(s.size for s in sides[0]) > _LARGER * max(s.size for s in sides[1])
            is_head = larger and _is_bold(sides[0]) and not any(s.bold for s in sides[1])
            return [sorted(side, key=lambda s: -s.size) for side in sides] if is_head else [group]
    return [group]


def _without_shadows(segments: Sequence[Segment]) -> list[Segment]:
    """Remove text drawn a second time over itself (false bold, shadows), and blanks."""
    seen: dict[str, list[Segment]] = {}
    out = []
    for s in segments:
        if not s.text.strip():
            continue
        near = 0.25 * s.size
        overprints = seen.setdefault(s.text, [])
        if any(abs(t.u0 - s.u0) < near and abs(t.base - s.base) < near for t in overprints):
            continue
        overprints.append(s)
        out.append(s)
    return out


def _gather(segments: list[Segment]) -> list[list[Segment]]:
    """Group by baseline, large text first, so that raised and lowered segments join their line."""
    bases: list[float] = []
    groups: list[list[Segment]] = []
    for s in sorted(segments, key=lambda s: (-round(s.size), s.base, s.u0)):
        near = s.size * 1.5
        first = bisect.bisect_left(bases, s.base - near)
        last = bisect.bisect_right(bases, s.base + near)
        fitting = [i for i in range(first, last) if _fits(s, groups[i])]
        if fitting:
            best = min(fitting, key=lambda i: abs(bases[i] - s.base))
            groups[best].append(s)
            continue
        at = bisect.bisect(bases, s.base)
        bases.insert(at, s.base)
        groups.insert(at, [s])
    return groups


def _fits(s: Segment, group: list[Segment]) -> bool:
    """Return whether a segment is on the group's line and does not overlap its text."""
    main = group[0]
    offset = s.base - main.base
    small = s.size < 0.8 * main.size
    if abs(offset) > _SAME_LINE * s.size:
        # Raised or lowered: only small text directly next to other text of the line.
        if not small or not -0.7 * main.size <= offset <= 0.4 * main.size:
            return False
        if not any(-0.2 * s.size < _distance(s, t) < 0.5 * main.size for t in group):
            return False
    narrow = s.u1 - s.u0
    for t in group:
        overlap = min(s.u1, t.u1) - max(s.u0, t.u0)
        if overlap > 0.3 * min(narrow, t.u1 - t.u0) + 0.1:
            return False
    return True


def _distance(s: Segment, t: Segment) -> float:
    return max(s.u0 - t.u1, t.u0 - s.u1)


def line_of(group: Sequence[Segment], left: float, right: float, region: int, /) -> TextLine:
    """Return the line of some segments, of which the first is the largest."""
    main = group[0]
    ordered = sorted(group, key=lambda s: s.u0)
    fonts = {s.font for s in group if any(map(str.isalpha, s.text))}
    between = [b.u0 - a.u1 for a, b in pairwise(ordered)]
    gaps = sum(gap > _CELL_GAP * main.size for gap in between)
    if gaps > 1 and right - ordered[-1].u1 < main.size and max(between) < _EVEN * min(between):
        gaps = 0  # A justified line of a few long words.
    if len(ordered) > 1 and is_right_to_left(ordered):
        text = " ".join(s.text.strip() for s in reversed(ordered))
    else:
        text = join_segments(ordered)
    return TextLine(
        text=text,
        u0=ordered[0].u0,
        u1=max(s.u1 for s in group),
        v0=min(s.v0 for s in group),
        v1=max(s.v1 for s in group),
        base=main.base,
        size=_text_size(group),
        bold=_is_bold(group),
        cells=gaps + 1,
        box=hull([s.box for s in group]),
        left=left,
        right=right,
        region=region,
        confidence=_confidence(group),
        font=fonts.pop() if len(fonts) == 1 else "",
        tag=max(group, key=lambda s: len(s.text)).tag,
    )


def _text_size(group: Sequence[Segment]) -> float:
    """Return the size of a line without a large number or initial before its words."""
    main = group[0]
    if len(group) == 1 or any(c.isalpha() for c in main.text.strip()[1:]):
        return main.size
    return max(
        (s.size for s in group if s.text[:1].isalpha() and len(s.text) > 1), default=main.size
    )


def _confidence(group: Sequence[Segment]) -> float | None:
    known = [(s.confidence, len(s.text)) for s in group if s.confidence is not None]
    total = sum(length for _, length in known)
    return sum(value * length for value, length in known) / total if total else None


def _is_bold(group: Sequence[Segment]) -> bool:
    lettered = [s.bold for s in group if any(map(str.isalpha, s.text))]
    return bool(lettered) and all(lettered)


def is_right_to_left(segments: Sequence[Segment], /) -> bool:
    """Return whether most letters are of scripts written from right to left."""
    if all(s.text.isascii() for s in segments):
        return False
    kinds = [unicodedata.bidirectional(c) for s in segments for c in s.text if c.isalpha()]
    return 2 * sum(1 for kind in kinds if kind in {"R", "AL"}) > len(kinds)


# Joins words that a line end divides: ``termi-`` / ``nation`` becomes ``termination``. The first
# rule that matches decides whether the hyphen stays. *head* precedes the hyphen, *tail* begins the
# next line. (1) A soft hyphen (U+00AD), or a word that the document has without hyphen: remove. (2)
# The tail starts with a capital or a digit, or the head ends with a digit: keep. (3) The document
# has the word with the hyphen: keep. (4) The head is a prefix of compounds and no common syllable
# (``non-``, ``self-``, ``third-``, ``thirty-``), or already a compound (``year-to-``): keep. (5)
# Head and tail are words of the document, each of four letters or more: keep. (6) Otherwise remove:
# programs insert most hyphens at line ends of running text. In all cases the parts become one word
# on the first line.

_HYPHENS = ("-", "\u2010", "\u00ad")
_HEAD = re.compile(r"([^\W_]+(?:['\u2019-][^\W_]+)*)[-\u2010\u00ad]$")
_TAIL = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[\u2010-][^\W\d_]+)*")
_COMPOUND_HEADS = frozenset(
    (
        "non self quasi well cross half full high low long short vice first second third fourth "
        "fifth two three four five six seven eight nine ten twenty thirty forty fifty sixty "
        "seventy eighty ninety"
    ).split()
)
# Words that begin other words as often as compounds: withdraw, overtime, somewhere.
_OPEN_HEADS = frozenset(
    "with over under some every more what when where there here through fore after".split()
)


class Vocabulary:
    """Words of a document, in lower case, with and without hyphens inside."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._is_open = False

    def add(self, text: str, /) -> None:
        """Add the words of a line, without the parts of a word that its end divides."""
        words = _WORD.findall(text.lower())
        if self._is_open:
            words = words[1:]
        self._is_open = text.rstrip().endswith(_HYPHENS)
        if self._is_open:
            words = words[:-1]
        self._words.update(words)
        if "-" not in text and "\u2010" not in text:
            return
        for word in words:
            if "-" in word or "\u2010" in word:
                self._words.update(_WORD.findall(word.replace("-", " ").replace("\u2010", " ")))

    def __contains__(self, word: str) -> bool:
        return word.lower() in self._words

    def joiner(self, head: str, hyphen: str, tail: str, /) -> str:
        """Return the separator of head and tail: ``""`` or the hyphen."""
        if hyphen == "\u00ad" or head + tail in self:
            return ""
        if not tail[0].islower() or head[-1].isdigit():
            return hyphen
        if f"{head}-{tail}" in self:
            return hyphen
        low = head.lower()
        if low in _COMPOUND_HEADS or "-" in head:
            return hyphen
        long_enough = min(len(head), len(tail)) >= 4
        if long_enough and low not in _OPEN_HEADS and head in self and tail in self:
            return hyphen
        return ""


def join_line_ends(lines: Sequence[TextLine], words: Vocabulary, /) -> None:
    """Move the rest of a divided word to its first line, in place; emptied lines keep numbers."""
    for i, line in enumerate(lines):
        following = i + 1
        while following < len(lines) and line.text.endswith(_HYPHENS):
            after = lines[following]
            head, tail = _HEAD.search(line.text), _TAIL.match(after.text)
            if head is None or tail is None or not _continues(line, after, tail[0]):
                break
            hyphen = line.text[-1]
            token, _, rest = after.text.partition(" ")
            line.text = line.text[:-1] + words.joiner(head[1], hyphen, tail[0]) + token
            after.text = rest.lstrip()
            if after.text:
                break
            if after.region == line.region:
                # The other line has no further text: its rectangle is the rest of the word.
                line.box = hull((line.box, after.box))
            following += 1


def _continues(line: TextLine, after: TextLine, tail: str) -> bool:
    """Return whether *after* continues a line: no cells, same text size, no wide gap."""
    if line.cells > 1 or after.cells > 2 or abs(line.size - after.size) > 0.15 * line.size:
        return False
    if line.region != after.region:
        return tail[0].islower()
    return 0 < after.base - line.base < 2.5 * line.size
