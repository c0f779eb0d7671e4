"""Finds numbers of lines that are typed before them: transcripts as plain text, DOCX, RTF."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.provenance import PrintedPlace
from casetrack.parse.layout.running import page_number
from casetrack.parse.printed.edit import without
from casetrack.parse.printed.number_columns import (
    LEAST,
    MOST,
    STAMPED,
    TIME,
    is_testimony,
    reads_as_paper,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.parse.base import Line, Page
    from casetrack.parse.printed.edit import Span

_START = re.compile(
    r"(?:(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?)\s+)?"
    r"(?P<number>\d{1,2})(?:\s*\|\s*|\s+|$)"
)
_DIGITS = re.compile(r"\d+")
_LEAST_KNOWN, _ABOVE, _MOST_WAITING = 3, 4, 8


class _Numbered(NamedTuple):
    """A line that begins with a number: its place on the page, and where the rest begins.

    *time* stands before the number or after it, on paper whose lines have times.
    """

    at: int
    value: int
    rest: int
    time: str


@dataclass(slots=True)
class TypedNumbers:
    """Takes typed numbers of lines out of the pages of one document, which come in order."""

    _known: int | None = None
    _last: int | None = None
    _is_below: bool = False
    _waiting: list[Page] = field(default_factory=list)

    def take(self, page: Page, /) -> Iterator[Page]:
        """Yield pages without typed numbers of lines, which are printed places now.

        A cover or an index waits for the pages that tell whether its numbers are those of lines.
        """
        runs = _runs_of(page)
        accepted = self._accepted(page, runs)
        may_be = bool(self._waiting) or any(LEAST <= len(run) <= MOST for run in runs)
        if self._known is None and may_be and len(self._waiting) < _MOST_WAITING:
            self._waiting.append(page)
            return
        yield from self.rest()
        yield self._without(page, accepted) if accepted else page

    def rest(self) -> Iterator[Page]:
        """Yield the pages that wait."""
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
        found: list[list[_Numbered]] = []
        end = 0
        for run in runs:
            # The number of the next page may stand right below the last line.
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
                found.append(shown)
                end = shown[-1].at + 1
        return found

    def _labels(
        self, page: Page, runs: Sequence[list[_Numbered]]
    ) -> list[tuple[str | None, int | None]]:
        """Return the page number of each run and the line that is it."""
        found: list[tuple[str | None, int | None]] = []
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
            found.append((label, at))
        return found

    def _label(self, page: Page, order: Sequence[int]) -> tuple[str | None, int | None]:
        for index in order:
            line = page.lines[index]
            said = page.text[line.start : line.end]
            if page_number(said) is not None and (digits := _DIGITS.search(said)):
                return str(int(digits[0])), index
        return None, None


def _runs_of(page: Page) -> list[list[_Numbered]]:
    """Return the runs of lines of a page that count up from 1."""
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
    """Return a run without the times behind its numbers, where most of its lines have one."""
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
    """Return the runs of lines that count up from 1."""
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
