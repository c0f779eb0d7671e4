"""Takes characters out of a page that was built, and moves all its places accordingly."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.provenance import PrintedPlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.parse.base import Line, Page, Paragraph

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Edited:
    """A page without some of its characters.

    Attributes
    ----------
    page
        In normal form, its printed places where they were.
    pieces
        What was kept: start and end in the old text, start in the new.
    """

    page: Page
    pieces: tuple[tuple[int, int, int], ...]

    def moved(self, offset: int, /) -> int:
        """Return where in the new text a place of the old one is; the next one if it is gone."""
        at = bisect_right(self.pieces, (offset, float("inf"), 0)) - 1
        if at >= 0 and offset <= self.pieces[at][1]:
            return self.pieces[at][2] + offset - self.pieces[at][0]
        if at + 1 < len(self.pieces):
            return self.pieces[at + 1][2]
        return len(self.page.text)


def without(page: Page, cuts: Iterable[Span], /, *, plain: bool = False) -> Edited:
    """Return a page without some spans of its text.

    Blanks at both ends of what is left of a line go, too, and so do lines of which nothing is left.

    Parameters
    ----------
    cuts
        Code points into the text, none of them over the end of a line.
    plain
        Rows of tables that were cut are lines of text.
    """
    ordered = sorted(cuts)
    text = ""
    lines: list[Line] = []
    paragraphs: list[Paragraph] = []
    pieces: list[tuple[int, int, int]] = []
    before: Line | None = None
    for paragraph in page.paragraphs:
        first, was_cut = len(lines), False
        for line in page.lines:
            if not (paragraph.start <= line.start and line.end <= paragraph.end):
                continue
            kept = _kept(page.text, line, ordered)
            was_cut |= kept != [(line.start, line.end)]
            if not kept:
                continue
            text += (
                _gap(page, before, line, opens=len(lines) == first, is_cut=was_cut) if text else ""
            )
            start = len(text)
            for a, b in kept:
                pieces.append((a, b, len(text)))
                text += page.text[a:b]
            lines.append(replace(line, start=start, end=len(text)))
            before = line
        if len(lines) > first:
            is_text = plain and was_cut and paragraph.kind in {"table", "list", "heading"}
            paragraphs.append(
                replace(
                    paragraph,
                    start=lines[first].start,
                    end=lines[-1].end,
                    number=len(paragraphs) + 1,
                    kind="body" if is_text else paragraph.kind,
                    level=None if is_text else paragraph.level,
                    header=None if is_text else paragraph.header,
                )
            )
    new = replace(page, text=text, lines=tuple(lines), paragraphs=tuple(paragraphs))
    edited = Edited(new, tuple(pieces))
    if not lines:
        new = replace(new, method="Skipped")
    moved = [
        PrintedPlace(p.kind, p.label, edited.moved(p.start), _end(edited, p.end))
        for p in page.printed
    ]
    printed = tuple(p for p in moved if p.start < p.end)
    spans = (replace(s, start=edited.moved(s.start), end=_end(edited, s.end)) for s in page.hidden)
    hidden = tuple(s for s in spans if s.start < s.end)
    return Edited(replace(new, printed=printed, hidden=hidden), edited.pieces)


def _end(edited: Edited, offset: int) -> int:
    """Return where what ended at a place of the old text ends now."""
    ends = [new + min(end, offset) - old for old, end, new in edited.pieces if old < offset]
    return ends[-1] if ends else 0


def _kept(text: str, line: Line, cuts: Sequence[Span]) -> list[Span]:
    """Return what is left of a line, without blanks at its ends and next to blanks."""
    out: list[Span] = []
    at = line.start
    for a, b in (*((a, b) for a, b in cuts if line.start <= a < line.end), (line.end, line.end)):
        if at < a:
            out.append((at, a))
        at = max(at, b)
    trimmed: list[Span] = []
    for a, b in out:
        opens = not trimmed or text[trimmed[-1][1] - 1].isspace()
        while opens and a < b and text[a].isspace():
            a += 1  # noqa: PLW2901
        if a < b:
            trimmed.append((a, b))
    while trimmed:
        a, b = trimmed.pop()
        while b > a and text[b - 1].isspace():
            b -= 1
        if b > a:
            trimmed.append((a, b))
            break
    return trimmed


def _gap(page: Page, before: Line | None, line: Line, *, opens: bool, is_cut: bool) -> str:
    """Return what stands between two lines: a break, and the indent of a line that stays whole."""
    indent = page.text[page.text.rfind("\n", 0, line.start) + 1 : line.start]
    separator = "\n\n" if opens and page.sheet_name is None else "\n"
    if before is not None and not is_cut:
        old = page.text[before.end : line.start]
        if old.strip() == "" and ("\n\n" in old) == opens:
            return old
    return separator + ("" if is_cut else indent)
