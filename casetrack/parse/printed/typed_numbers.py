"""Finds typed line numbers: transcripts as plain text, DOCX, RTF."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.provenance import PrintedPlace
from casetrack.parse.layout.running import page_number
from casetrack.parse.printed.number_columns import (
    LEAST,
    MOST,
    STAMPED,
    TIME,
    is_testimony,
    reads_as_paper,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.parse.base import Line, Page, Paragraph

# Removes characters from a finished page, and moves all its positions accordingly.

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Edited:
    """A page after a removal; *pieces* are the remaining spans: old start and end, new start."""

    page: Page
    pieces: tuple[tuple[int, int, int], ...]

    def moved(self, offset: int, /) -> int:
        """Map an offset of the old text to the new text; round up to a remaining character."""
        at = bisect_right(self.pieces, (offset, float("inf"), 0)) - 1
        if at >= 0 and offset <= self.pieces[at][1]:
            return self.pieces[at][2] + offset - self.pieces[at][0]
        if at + 1 < len(self.pieces):
            return self.pieces[at + 1][2]
        return len(self.page.text)


def without(page: Page, cuts: Iterable[Span], /, *, plain: bool = False) -> Edited:
    """Return a page without *cuts* (code points within lines), and without empty lines."""
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
    """Map the end of a span of the old text to the new text."""
    ends = [new + min(end, offset) - old for old, end, new in edited.pieces if old < offset]
    return ends[-1] if ends else 0


def _kept(text: str, line: Line, cuts: Sequence[Span]) -> list[Span]:
    """Return the remaining spans of a line, without blanks at its ends and next to blanks."""
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
    """Return the separator of two lines: a break, and the indent of a line that stays whole."""
    indent = page.text[page.text.rfind("\n", 0, line.start) + 1 : line.start]
    separator = "\n\n" if opens and page.sheet_name is None else "\n"
    if before is not None and not is_cut:
        old = page.text[before.end : line.start]
        if old.strip() == "" and ("\n\n" in old) == opens:
            return old
    return separator + ("" if is_cut else indent)


_START = re.compile(
    r"(?:(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?)\s+)?"
    r"(?P<number>\d{1,2})(?:\s*\|\s*|\s+|$)"
)
_DIGITS = re.compile(r"\d+")
_LEAST_KNOWN, _ABOVE, _MOST_WAITING = 3, 4, 8


class _Numbered(NamedTuple):
    """A line that begins with a number: its index, the offset after the number, and its time."""

    at: int
    value: int
    rest: int
    time: str


@dataclass(slots=True)
class TypedNumbers:
    """Removes typed line numbers from the pages of one document, given in order."""

    _known: int | None = None
    _last: int | None = None
    _is_below: bool = False
    _waiting: list[Page] = field(default_factory=list)

    def take(self, page: Page, /) -> Iterator[Page]:
        """Yield pages without typed line numbers; a cover waits for later pages."""
        runs = _runs_of(page)
        accepted = self._accepted(page, runs)
        may_be = bool(self._waiting) or any(LEAST <= len(run) <= MOST for run in runs)
        if self._known is None and may_be and len(self._waiting) < _MOST_WAITING:
            self._waiting.append(page)
            return
        yield from self.rest()
        yield self._without(page, accepted) if accepted else page

    def rest(self) -> Iterator[Page]:
        """Yield the waiting pages."""
        waiting, self._waiting = self._waiting, []
        for page in waiting:
            accepted = self._accepted(page, _runs_of(page)) if self._known is not None else []
            yield self._without(page, accepted) if accepted else page

    def _without(self, page: Page, runs: Sequence[list[_Numbered]]) -> Page:
        labels = self._labels(page, runs)
        cuts: list[Span] = []
        for run in runs:
            cuts += [(page.lines[n.at].start, n.rest) for n in run]
        cuts += [(page.lines[i].start, page.lines[i].end) for _, i in labels if i is not None]
        edited = without(page, cuts, plain=True)
        places: list[PrintedPlace] = []
        for run, (label, _) in zip(runs, labels, strict=True):
            spans = [(n, edited.moved(n.rest), edited.moved(page.lines[n.at].end)) for n in run]
            kept = [(n, start, end) for n, start, end in spans if start < end]
            if not kept:
                continue
            if label is not None:
                alone = len(runs) == 1
                start, end = (0, len(edited.page.text)) if alone else (kept[0][1], kept[-1][2])
                places.append(PrintedPlace("page", label, start, end))
            places += [PrintedPlace("line", str(n.value), start, end) for n, start, end in kept]
            places += [PrintedPlace("time", n.time, a, b) for n, a, b in kept if n.time]
        return replace(edited.page, printed=(*edited.page.printed, *places))

    def _accepted(self, page: Page, runs: Sequence[list[_Numbered]]) -> list[list[_Numbered]]:
        lengths = Counter(len(run) for run in runs if LEAST <= len(run) <= MOST)
        usual = self._known or (lengths.most_common(1)[0][0] if lengths else None)
        if usual is None:
            return []
        accepted: list[list[_Numbered]] = []
        end = 0
        for run in runs:
            # The number of the next page may be directly below the last line.
            shown = run[:usual] if len(run) == usual + 1 and _is_bare(page, run[-1]) else run
            shown = _stamped(page, shown)
            texts = [page.text[n.rest : page.lines[n.at].end].strip() for n in shown]
            is_known = self._known is not None and (
                len(shown) == self._known
                # The last page may be a short one.
                or (len(shown) < self._known and shown[0].at - end <= _ABOVE)
            )
            is_paper = is_testimony(texts) if _is_code(page) else reads_as_paper(texts)
            if is_known or (is_paper and LEAST <= len(shown) <= MOST):
                self._known = self._known or len(shown)
                accepted.append(shown)
                end = shown[-1].at + 1
        return accepted

    def _labels(
        self, page: Page, runs: Sequence[list[_Numbered]]
    ) -> list[tuple[str | None, int | None]]:
        labels: list[tuple[str | None, int | None]] = []
        for number, run in enumerate(runs):
            first, last = run[0].at, run[-1].at
            end_before = runs[number - 1][-1].at if number else -1
            start_next = runs[number + 1][0].at if number + 1 < len(runs) else len(page.lines)
            above = range(first - 1, max(end_before, first - 1 - _ABOVE), -1)
            below = range(last + 1, min(start_next, last + 1 + _ABOVE))
            order = [*below, *above] if self._is_below else [*above, *below]
            label, at = self._label(page, order)
            if at is not None and self._last is None:
                self._is_below = at > last
            if label is not None:
                self._last = int(label)
            labels.append((label, at))
        return labels

    def _label(self, page: Page, order: Sequence[int]) -> tuple[str | None, int | None]:
        for index in order:
            line = page.lines[index]
            text = page.text[line.start : line.end]
            if page_number(text) is not None and (digits := _DIGITS.search(text)):
                return str(int(digits[0])), index
        return None, None


def _runs_of(page: Page) -> list[list[_Numbered]]:
    if page.sheet_name is not None:
        return []
    return _runs([_numbered(page, i, line) for i, line in enumerate(page.lines)])


def _numbered(page: Page, index: int, line: Line) -> _Numbered | None:
    match = _START.match(page.text, line.start, line.end)
    if match is None or not 0 < int(match["number"]) <= MOST + 1:
        return None
    rest = min(match.end(), line.end)
    return _Numbered(index, int(match["number"]), rest, match["time"] or "")


def _stamped(page: Page, run: Sequence[_Numbered]) -> list[_Numbered]:
    """Return a run without the times after its numbers, if most of its lines have one."""
    ends = [page.lines[n.at].end for n in run]
    times = [TIME.match(page.text, n.rest, end) for n, end in zip(run, ends, strict=True)]
    filled = sum(n.rest < end for n, end in zip(run, ends, strict=True))
    if sum(t is not None for t in times) < max(_LEAST_KNOWN, STAMPED * filled):
        return list(run)
    out = []
    for n, end, time in zip(run, ends, times, strict=True):
        if time is None:
            out.append(n)
            continue
        rest = time.end()
        while rest < end and page.text[rest].isspace():
            rest += 1
        out.append(n._replace(rest=rest, time=time[0]))
    return out


def _runs(numbered: Sequence[_Numbered | None]) -> list[list[_Numbered]]:
    runs: list[list[_Numbered]] = []
    run: list[_Numbered] = []
    for number in (*numbered, None):
        if number is not None and run and number.value == run[-1].value + 1:
            run.append(number)
            continue
        if len(run) >= _LEAST_KNOWN:
            runs.append(run)
        run = [number] if number is not None and number.value == 1 else []
    return runs


def _is_bare(page: Page, number: _Numbered) -> bool:
    return number.rest >= page.lines[number.at].end


def _is_code(page: Page) -> bool:
    return any(paragraph.kind == "code" for paragraph in page.paragraphs)
