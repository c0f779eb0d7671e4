"""Runs of text on a page with their geometry: the input of layout, independent of the parser.

Coordinates ``u`` run along the text and ``v`` down across its lines, so layout is the same for
all text directions; ``box`` is the rectangle on the displayed page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from casetrack.base.groups import in_runs
from casetrack.base.provenance import Box, hull

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from casetrack.parse.base import PlacedWord
    from casetrack.parse.ocr.engine import RecognizedLine, RecognizedPage, Word

GLUE_GAP = 0.1
"""Runs closer than this share of the font size belong to one word."""

_LETTER_GAP_MAX = 1.3
_MIN_SPACED_RUN = 4
_BLANKS = re.compile(r"[ \t\u00a0]+")
_MARK_AFTER_WORD = re.compile(r"[^\W\d_]{3,}[.,;:!?\"'\u2019\u201d)\]]*$|[.,;:!?\u201d]$")
_MARK = re.compile(r"[\[(]?(?:\d{1,3}|[*\u2020\u2021\u00a7]{1,3})(?:,\s?\d{1,3})*[\])]?$")
_LETTER = re.compile(r"[\[(]?[a-z][\])]?$")


@dataclass(slots=True)
class Piece:
    """A few glyphs; *made_up* marks a space that the parser inserted for a gap."""

    text: str
    u0: float
    u1: float
    size: float
    base: float
    made_up: bool = False


Role = Literal["text", "heading", "list", "quote", "footnote", "caption", "contents"]


@dataclass(frozen=True, slots=True, eq=False)
class TaggedCell:
    """A cell of a tagged table: its place in the rows and columns, and how many it spans."""

    table: Hashable
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    is_head: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """A block of the document's structure tree, and the cell of a table that contains it."""

    role: Role = "text"
    level: int = 1
    cell: TaggedCell | None = None


@dataclass(slots=True)
class Segment:
    """Text on one baseline: extents along (u) and across (v) it, *box* on the displayed page.

    *font* is that of most of its text; *is_placed* marks text after a gap that is no typed space
    although the page types its spaces.
    """

    text: str
    u0: float
    v0: float
    u1: float
    v1: float
    base: float
    size: float
    bold: bool
    box: Box
    confidence: float | None = None
    is_placed: bool = False
    font: str = ""
    tag: Tag | None = None


def piece_text(pieces: Sequence[Piece], /) -> str:
    """Join the pieces of a run; tracked letters become words, several blanks one."""
    if len(pieces) == 1:
        return _BLANKS.sub(" ", pieces[0].text)
    spaced = sum(1 for piece in pieces if piece.made_up)
    parts = _unspace(pieces) if spaced >= _MIN_SPACED_RUN - 1 else list(pieces)
    main = max(piece.size for piece in parts)
    text = ""
    for piece in parts:
        raised = piece.size < 0.85 * main and _MARK.match(piece.text.strip())
        if raised and _MARK_AFTER_WORD.search(text):
            text += " "
        text += piece.text
        if raised and not text[: -len(piece.text)].strip() and _is_followed_by_word(piece, parts):
            text += " "
    return _BLANKS.sub(" ", text)


def is_raised_mark(piece: Piece, main: Piece, /) -> bool:
    """Return whether a piece is a raised footnote mark; *main* is the line's longest piece."""
    mark = piece.text.strip()
    if piece is main or not (_MARK.match(mark) or _LETTER.match(mark)):
        return False
    higher = main.base - piece.base
    return 0.15 * main.size < higher < main.size and piece.size <= main.size


def _is_followed_by_word(piece: Piece, parts: Sequence[Piece]) -> bool:
    """Return whether a word follows directly: ``1`` ``The`` at the start of a footnote."""
    after = parts.index(piece) + 1
    return after < len(parts) and parts[after].text[:1].isalpha() and parts[after].size > piece.size


def _letters(pieces: Sequence[Piece]) -> list[Piece]:
    """Split pieces such as ``N C`` (a typed space between tracked letters) into characters."""
    out: list[Piece] = []
    for piece in pieces:
        text = piece.text
        if piece.made_up or len(text) != 3 or text[1] != " " or " " in {text[0], text[2]}:
            out.append(piece)
            continue
        third = (piece.u1 - piece.u0) / 3
        for i, char in enumerate(text):
            left = piece.u0 + i * third
            out.append(Piece(char, left, left + third, piece.size, piece.base))
    return out


def _unspace(pieces: Sequence[Piece]) -> list[Piece]:
    """Remove made-up spaces between the letters of tracked words."""
    source = _letters(pieces)
    out: list[Piece] = []
    at = 0
    while at < len(source):
        end = _tracked_end(source, at)
        letters = [p for p in source[at:end] if not p.made_up]
        end = max(end, at + 1)
        out += _words_of_letters(letters) or source[at:end]
        at = end
    return out


def _tracked_end(pieces: Sequence[Piece], at: int) -> int:
    """Return the end of the run from *at* of single letters with made-up spaces between them."""
    end = last = at
    while end < len(pieces):
        piece = pieces[end]
        if _is_letter(piece.text):
            last = end + 1
        elif end == at or not (piece.made_up or piece.text == " "):
            break
        end += 1
    return last


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isalpha() and (text.isupper() or text.islower())


def looks_tracked(letters: str, gaps: Sequence[float], size: float, /) -> bool:
    """Return whether letters are a tracked word: one case, equal distances, not the alphabet."""
    if len(letters) < _MIN_SPACED_RUN or not (letters.isupper() or letters[1:].islower()):
        return False
    following = sum(1 for a, b in pairwise(letters) if ord(b) - ord(a) == 1)
    if 2 * following >= len(letters):
        return False
    narrow = min(gaps)
    inner = [gap for gap in gaps if gap <= 1.35 * narrow + 0.05 * size]
    return narrow >= 0 and len(inner) >= 0.6 * len(gaps)


def _words_of_letters(letters: Sequence[Piece]) -> list[Piece]:
    """Join tracked letters into words at wide gaps; empty if they are no words."""
    if len(letters) < _MIN_SPACED_RUN:
        return []
    gaps = [b.u0 - a.u1 for a, b in pairwise(letters) if " " not in {a.text, b.text}]
    size = letters[0].size
    text = "".join(piece.text for piece in letters if piece.text != " ")
    if not gaps or not looks_tracked(text, gaps, size):
        return []
    usual = sorted(gaps)[len(gaps) // 2]
    word_gap = max(1.6 * usual, usual + 0.2 * size)
    text = letters[0].text
    for a, b in pairwise(letters):
        if " " not in {a.text, b.text} and b.u0 - a.u1 > word_gap:
            text += " "
        text += b.text
    return [Piece(text, letters[0].u0, letters[-1].u1, size, letters[0].base)]


def join_segments(segments: Sequence[Segment], /) -> str:
    """Join segments of one line, in order, with spaces at gaps and tracked letters as words."""
    if len(segments) == 1:
        return segments[0].text.strip()
    parts: list[Segment] = []
    at = 0
    while at < len(segments):
        end = _spaced_run(segments, at)
        if end - at >= _MIN_SPACED_RUN + 1:
            parts.append(_merged(segments[at:end]))
        else:
            end = at + 1
            parts.append(segments[at])
        at = end
    text = parts[0].text.strip()
    for a, b in pairwise(parts):
        near = abs(b.u0 - a.u1) < GLUE_GAP * min(a.size, b.size)
        blank = a.text[-1:].isspace() or b.text[:1].isspace()
        addition = b.text.strip()
        if not addition:
            continue
        mark = b.size < 0.85 * a.size and _MARK.match(addition) and _MARK_AFTER_WORD.search(text)
        text += addition if near and not blank and not mark else f" {addition}"
    return text.strip()


def _spaced_run(segments: Sequence[Segment], at: int) -> int:
    """Return the end of a run from *at* of single letters at equal tracking gaps."""
    letters = [segments[at]]
    end = last = at + 1
    while end < len(segments) and _is_letter(letters[-1].text.strip()):
        following = segments[end]
        end += 1
        if not following.text.strip():
            continue
        if following.u0 - letters[-1].u1 > _LETTER_GAP_MAX * following.size:
            break
        if not _is_letter(following.text.strip()):
            break
        letters.append(following)
        last = end
    if len(letters) <= _MIN_SPACED_RUN:
        return at + 1
    text = "".join(s.text.strip() for s in letters)
    gaps = [b.u0 - a.u1 for a, b in pairwise(letters)]
    even = max(gaps) <= 1.35 * min(gaps) + 0.05 * letters[0].size
    return last if even and looks_tracked(text, gaps, letters[0].size) else at + 1


def _merged(segments: Sequence[Segment]) -> Segment:
    first, last = segments[0], segments[-1]
    text = "".join(s.text.strip() or " " for s in segments)
    return Segment(
        text, first.u0, first.v0, last.u1, first.v1, first.base, first.size, first.bold, first.box
    )


# Recognized words to segments, so that pictures of text are laid out like native text.

_WIDE_GAP = 1.2
_SAME_SIZE = 0.22
_MIN_SIZE = 1.0


def segments_of(page: RecognizedPage, scale: float, /) -> list[Segment]:
    """Return the words of a page as segments in points, cut at wide gaps.

    Sizes from pixels vary; those near the usual size are set to it, so that a line of capitals does
    not look like a heading. *scale* is points per pixel.
    """
    usual = _usual_size(page.lines)
    segments = []
    for line in page.lines:
        size = line.size
        if abs(size - usual) <= _SAME_SIZE * usual:
            size = usual
        groups = _groups(line.words, size)
        segments += [_segment(words, line.base, size, scale) for words in groups]
    return segments


def placed_words(page: RecognizedPage, scale: float, /) -> list[PlacedWord]:
    """Return the words of a page with rectangles in points; *scale* is points per pixel."""
    return [
        (w.x0 * scale, w.y0 * scale, w.x1 * scale, w.y1 * scale, w.text)
        for line in page.lines
        for w in line.words
    ]


def _usual_size(lines: Sequence[RecognizedLine]) -> float:
    sizes = sorted((line.size, len(line.text)) for line in lines)
    half, seen = sum(length for _, length in sizes) / 2, 0
    for size, length in sizes:
        seen += length
        if seen >= half:
            return size
    return 0.0


def _groups(words: Sequence[Word], size: float) -> list[list[Word]]:
    """Cut a line at gaps as wide as a column gap."""

    def joins(group: list[Word], word: Word) -> bool:
        gap = word.u0 - group[-1].u1
        # A word before the last one is text of another direction: the engine's order is kept.
        return gap <= _WIDE_GAP * size and word.u1 >= group[-1].u0 - size

    return in_runs(words, joins)


def _segment(words: Sequence[Word], base: float, size: float, scale: float) -> Segment:
    weight = sum(len(word.text) for word in words)
    sure = sum(word.confidence * len(word.text) for word in words) / max(weight, 1)
    return Segment(
        " ".join(word.text for word in words),
        min(word.u0 for word in words) * scale,
        min(word.v0 for word in words) * scale,
        max(word.u1 for word in words) * scale,
        max(word.v1 for word in words) * scale,
        base * scale,
        max(size * scale, _MIN_SIZE),
        bold=False,
        box=hull([Box(w.x0 * scale, w.y0 * scale, w.x1 * scale, w.y1 * scale) for w in words]),
        confidence=sure,
    )
