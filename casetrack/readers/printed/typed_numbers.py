"""Finds numbers of lines that are typed before them: transcripts as plain text, DOCX, RTF."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from casetrack.provenance import PrintedPlace
from casetrack.readers.layout.running import page_number
from casetrack.readers.printed.edit import without
from casetrack.readers.printed.number_columns import LEAST, MOST, reads_as_paper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.readers.base import Line, Page
    from casetrack.readers.printed.edit import Span

_START = re.compile(
    r"(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?\s+)?(?P<number>\d{1,2})(?:\s*\|\s*|\s+|$)"
    r"(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s+|$))?"
)
_DIGITS = re.compile(r"\d+")
_LEAST_KNOWN, _ABOVE = 3, 4


class _Numbered(NamedTuple):
    """A line that begins with a number: its place on the page, and where the rest begins."""

    at: int
    value: int
    rest: int


@dataclass(slots=True)
class TypedNumbers:
    """Takes typed numbers of lines out of the pages of one document, which come in order."""

    _known: int | None = None
    _last: int | None = None
    _is_below: bool = False

    def take(self, page: Page, /) -> Page:
        """Return a page whose lines have no typed numbers; they are printed places."""
        if not page.lines or page.sheet_name is not None or _is_code(page):
            return page
        numbered = [_numbered(page, i, line) for i, line in enumerate(page.lines)]
        if sum(n is not None for n in numbered) < _LEAST_KNOWN:
            return page
        runs = self._accepted(page, _runs(numbered))
        if not runs:
            return page
        labels = self._labels(page, runs)
        cuts: list[Span] = []
        for run in runs:
            cuts += [(page.lines[n.at].start, n.rest) for n in run]
        cuts += [(page.lines[i].start, page.lines[i].end) for _, i in labels if i is not None]
        edited = without(page, cuts, plain=True)
        places: list[PrintedPlace] = []
        for run, (label, _) in zip(runs, labels, strict=True):
            lines = [
                PrintedPlace(
                    "line",
                    str(n.value),
                    edited.moved(n.rest),
                    edited.moved(page.lines[n.at].end),
                )
                for n in run
                if n.rest < page.lines[n.at].end
            ]
            if not lines:
                continue
            if label is not None:
                whole = len(runs) == 1
                start, end = lines[0].start, lines[-1].end
                places.append(
                    PrintedPlace("page", label, 0, len(edited.page.text))
                    if whole
                    else PrintedPlace("page", label, start, end)
                )
            places += lines
        return replace(edited.page, printed=(*edited.page.printed, *places))

    def _accepted(self, page: Page, runs: Sequence[list[_Numbered]]) -> list[list[_Numbered]]:
        lengths = Counter(len(run) for run in runs if LEAST <= len(run) <= MOST)
        usual = self._known or (lengths.most_common(1)[0][0] if lengths else None)
        if usual is None:
            return []
        found: list[list[_Numbered]] = []
        for run in runs:
            # The number of the next page may stand right below the last line.
            shown = run[:usual] if len(run) == usual + 1 and _is_bare(page, run[-1]) else run
            if len(shown) > MOST or (len(shown) < LEAST and self._known is None and not found):
                continue
            texts = [page.text[n.rest : page.lines[n.at].end].strip() for n in shown]
            if len(shown) < LEAST or reads_as_paper(texts):
                self._known = self._known or len(shown)
                found.append(shown)
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


def _numbered(page: Page, index: int, line: Line) -> _Numbered | None:
    match = _START.match(page.text, line.start, line.end)
    if match is None or not 0 < int(match["number"]) <= MOST + 1:
        return None
    return _Numbered(index, int(match["number"]), min(match.end(), line.end))


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
