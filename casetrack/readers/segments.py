"""Runs of text on a page with their geometry: the input of layout, free of any parser.

Coordinates ``u`` run along the text and ``v`` down across its lines, so that layout is the same
for text in every direction; ``box`` is the rectangle on the page as shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.provenance import Box

GLUE_GAP = 0.15
"""Runs nearer to each other than this share of the font size belong to one word."""

_LETTER_GAP_MAX = 1.3
_MIN_SPACED_RUN = 4
_BLANKS = re.compile(r"[ \t\u00a0]+")
_MARK_AFTER_WORD = re.compile(r"[^\W\d_]{3,}[.,;:!?\"'\u2019\u201d)\]]*$|[.,;:!?\u201d]$")
_MARK = re.compile(r"[\[(]?(?:\d{1,3}|[*\u2020\u2021\u00a7]{1,3})(?:,\s?\d{1,3})*[\])]?$")


@dataclass(slots=True)
class Piece:
    """A few glyphs: their text, extent along the line, font size, and how they are set.

    *made_up* marks a space that the parser inserted for a gap.
    """

    text: str
    u0: float
    u1: float
    size: float
    base: float
    made_up: bool = False


@dataclass(slots=True)
class Segment:
    """Text on one baseline without a wide gap.

    Attributes
    ----------
    u0, v0, u1, v1
        Extent along and across the reading direction, in points.
    base
        Baseline on the ``v`` axis.
    size
        Font size of most of its text.
    bold
        Whether all of its letters are bold.
    box
        Rectangle on the page as shown.
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


def piece_text(pieces: Sequence[Piece], /) -> str:
    """Join the pieces of a run, in order.

    Letters set apart by tracking become words again, and a footnote mark above the line does not
    become part of the word before it. Runs of blanks become one: their width is layout, not text.
    """
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
    return _BLANKS.sub(" ", text)


def _letters(pieces: Sequence[Piece]) -> list[Piece]:
    """Cut pieces such as ``N C`` (a typed space between tracked letters) into single characters."""
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
    """Drop made-up spaces between the letters of tracked words."""
    source = _letters(pieces)
    out: list[Piece] = []
    at = 0
    while at < len(source):
        end = _tracked_end(source, at)
        letters = [p for p in source[at:end] if not p.made_up]
        if len([p for p in letters if p.text != " "]) < _MIN_SPACED_RUN:
            out.extend(source[at : max(end, at + 1)])
        else:
            out.extend(_words_of_letters(letters))
        at = max(end, at + 1)
    return out


def _tracked_end(pieces: Sequence[Piece], at: int) -> int:
    """Return the end of the run from *at* of single letters with made-up spaces between them."""
    end = at
    while end < len(pieces):
        piece = pieces[end]
        if not (piece.made_up or piece.text == " " or _is_letter(piece.text)):
            break
        end += 1
    while end > at and (pieces[end - 1].made_up or pieces[end - 1].text == " "):
        end -= 1
    return end


def _is_letter(text: str) -> bool:
    return len(text) == 1 and not text.isspace()


def _words_of_letters(letters: Sequence[Piece]) -> list[Piece]:
    """Join letters whose gaps are alike; a gap much wider than the narrowest parts words."""
    gaps = [
        b.u0 - a.u1
        for a, b in zip(letters, letters[1:], strict=False)
        if " " not in {a.text, b.text}
    ]
    if not gaps or not any(piece.text.isalpha() for piece in letters):
        return list(letters)
    usual = sorted(gaps)[len(gaps) // 2]
    size = letters[0].size
    word_gap = max(1.6 * usual, usual + 0.2 * size)
    text, out = letters[0].text, []
    start = letters[0]
    for a, b in zip(letters, letters[1:], strict=False):
        if " " not in {a.text, b.text} and b.u0 - a.u1 > word_gap:
            text += " "
        text += b.text
    out.append(Piece(text, start.u0, letters[-1].u1, start.size, start.base))
    return out


def join_segments(segments: Sequence[Segment], /) -> str:
    """Join segments of one line, ordered along the line, with a space where there is a gap.

    Single letters at equal distances wider than a space (tracked words) become words again.
    """
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
    for a, b in zip(parts, parts[1:], strict=False):
        near = abs(b.u0 - a.u1) < GLUE_GAP * min(a.size, b.size)
        blank = a.text[-1:].isspace() or b.text[:1].isspace()
        addition = b.text.strip()
        if not addition:
            continue
        mark = b.size < 0.85 * a.size and _MARK.match(addition) and _MARK_AFTER_WORD.search(text)
        text += addition if near and not blank and not mark else f" {addition}"
    return text.strip()


def _spaced_run(segments: Sequence[Segment], at: int) -> int:
    """Return the end of a run of single letters at nearly equal, not too wide gaps."""
    end = at + 1
    if not _is_letter(segments[at].text.strip()) or not segments[at].text.strip().isalpha():
        return end
    narrow = wide = None
    while end < len(segments):
        a, b = segments[end - 1], segments[end]
        if not b.text.strip():
            end += 1
            continue
        gap = b.u0 - a.u1
        narrow = gap if narrow is None else min(narrow, gap)
        wide = gap if wide is None else max(wide, gap)
        fits = _is_letter(b.text.strip()) and b.text.strip().isalpha()
        if not fits or wide > _LETTER_GAP_MAX * a.size or wide > 1.35 * narrow + 0.05 * a.size:
            break
        end += 1
    return end


def _merged(segments: Sequence[Segment]) -> Segment:
    first, last = segments[0], segments[-1]
    text = "".join(s.text.strip() or " " for s in segments)
    return Segment(
        text, first.u0, first.v0, last.u1, first.v1, first.base, first.size, first.bold, first.box
    )
