"""The parts of a passage: its sentences, rows, items and clauses, each with its exact place.

Units tile the passage: every character that is not white space is in exactly one of them, they are
in order, and ``text[unit.start:unit.end]`` neither starts nor ends with white space.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from casetrack.base.dataclass import dataclass, replace
from casetrack.extract.language import sentence_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from casetrack.base.records.reading import PinpointKind

LONGEST = 420
"""A longer unit is cut at its clauses, its semicolons, and finally between words."""
_LEAST = 40
"""Minimum length of a part that is cut off at a clause or semicolon."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_ROW_END = re.compile(r"\n\s*")
_SIGN = r"[-*\u2022\u2013\u25cf\u25aa\u00b7]"
_NUMBER = (
    r"(?:(?:[Ss]ection|SECTION|Article|ARTICLE|Clause|CLAUSE|Item|ITEM|Note|NOTE)\s+)?"
    r"(?:\d{1,3}(?:\.\d{1,3}){1,5}\.?|\d{1,3}[.)]|[A-Za-z][.)]|[ivxIVX]{1,5}[.)]"
    r"|\([A-Za-z0-9]{1,4}\)|\u00a7\s?\d+\w?)"
)
_LABEL = re.compile(rf"(?:{_SIGN}|{_NUMBER})")
_ITEM_START = re.compile(rf"\n[ \t\xa0]*(?=(?:{_SIGN}|{_NUMBER})[ \t\xa0]+\S)")
_CLAUSE_START = re.compile(
    r"[;:,]\s+(?:(?:and|or|und|oder)\s+)?(?=\((?:[a-z]|[ivx]{1,5}|\d{1,2})\)\s)"
)
# The signs come first in these patterns, so that not every position is tried. A year, or a number
# in groups, is no ordinal and no label: a sentence may end with it.
_AFTER_NUMBER = re.compile(
    r"\.(?:(?<=\D[12]\d{3}\.)|(?<=,\d{3}\.)|(?<=,\d{3}\.\d\d\.))[\"\u201d)]*(?=\s+[\"\u201c(]?[^\W\d_a-z])"
)
_SEMICOLON = re.compile(r"[;:]\s+")
_FULL_STOP = re.compile(
    r"[\u0589\u061f\u06d4\u0964\u0965\u0df4\u0f0d\u104b\u1362\u1367\u1368\u17d4\u17d5]\s*"
)
"""Ends of sentences in Armenian, Arabic, Indic, Tibetan, Burmese, Ethiopic and Khmer script."""
_TO_SPACE = re.compile(r"\S.*\s", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, row, item or heading of a passage: ``text[start:end]``, and its kind.

    *paragraph* is the number of its paragraph on the page, ``None`` if unknown.
    """

    start: int
    end: int
    kind: PinpointKind
    paragraph: int | None = None


def units_of(
    text: str,
    paragraphs: Iterable[Mapping[str, Any]] | None = None,
    /,
    *,
    offset: int = 0,
    rows: bool = False,
    longest: int = LONGEST,
) -> list[Unit]:
    """Return the units of a passage in order.

    *paragraphs* are stored ones: ``start`` and ``end`` on the page, ``number``, ``kind``; without
    them, empty lines separate paragraphs. *offset* is the start of the passage on its page. With
    *rows* the passage is from a sheet: its lines are rows. Units are cut at *longest* characters.
    """
    units: list[Unit] = []
    at = 0
    for start, end, number, kind in _paragraphs(text, paragraphs, offset):
        # Text outside of paragraphs is read as running text: nothing is left out.
        units += _split(text, at, start, "body", None, rows, longest)
        units += _split(text, max(at, start), end, kind, number, rows, longest)
        at = max(at, end)
    units += _split(text, at, len(text), "body", None, rows, longest)
    return units


def _paragraphs(
    text: str, paragraphs: Iterable[Mapping[str, Any]] | None, offset: int
) -> Iterator[tuple[int, int, int | None, str]]:
    for each in paragraphs or ():
        start, end = max(each["start"] - offset, 0), min(each["end"] - offset, len(text))
        if start < end:
            yield start, end, each["number"], each["kind"]


def _split(
    text: str, start: int, end: int, kind: str, number: int | None, rows: bool, longest: int
) -> Iterator[Unit]:
    start, end = stripped(text, start, end)
    if start >= end:
        return
    named: PinpointKind = "sentence"
    if rows or kind in {"table", "code"}:
        named, cuts = "row", [m.end() for m in _ROW_END.finditer(text, start, end)]
    elif kind == "heading":
        named, cuts = "heading", []
    else:
        named = "item" if kind == "list" or _LABEL.match(text, start, end) else "sentence"
        cuts = sorted(_sentence_cuts(text, start, end))
    for a, b in _between(text, start, end, cuts):
        for c, d in _shortened(text, a, b, longest):
            yield Unit(c, d, named, number)


def _sentence_cuts(text: str, start: int, end: int) -> set[int]:
    cuts = {m.end() for m in _BLANK_LINE.finditer(text, start, end)}
    cuts |= {m.end() for m in _ITEM_START.finditer(text, start, end)}
    cuts |= {m.end() for m in _FULL_STOP.finditer(text, start, end)}
    cuts |= {m.end() for m in _AFTER_NUMBER.finditer(text, start, end)}
    return cuts | set(sentence_ends(text, start, end))


def _between(text: str, start: int, end: int, cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the text between *cuts*; a label alone, such as "8.2", joins the following text."""
    held = None
    for cut in [*cuts, end]:
        a, b = stripped(text, start, cut)
        start = cut
        if a >= b:
            continue
        a = held if held is not None else a
        held = None
        if cut != end and _is_label(text[a:b]):
            held = a
            continue
        yield a, b
    if held is not None:
        yield stripped(text, held, end)


def _is_label(text: str) -> bool:
    label = _LABEL.match(text)
    return label is not None and label.end() >= len(text.rstrip(" .:"))


def _shortened(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield a unit, or the parts of a long one: cut at clauses, semicolons, words."""
    if end - start <= longest:
        yield start, end
        return
    for pattern in (_CLAUSE_START, _SEMICOLON):
        cuts = [m.end() for m in pattern.finditer(text, start, end)]
        parts = _of_size(text, start, end, cuts)
        if len(parts) > 1:
            for a, b in parts:
                yield from _shortened(text, a, b, LONGEST)
            return
    yield from _of_words(text, start, end)


def _of_size(text: str, start: int, end: int, cuts: Sequence[int]) -> list[tuple[int, int]]:
    kept, last = [], start
    for cut in cuts:
        if cut - last >= _LEAST and end - cut >= _LEAST:
            kept.append(cut)
            last = cut
    return [stripped(text, a, b) for a, b in zip([start, *kept], [*kept, end], strict=True)]


def _of_words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield pieces, cut at spaces where possible."""
    while end - start > LONGEST:
        space = _TO_SPACE.match(text, start, start + LONGEST)
        cut = space.end() if space else start + LONGEST
        yield stripped(text, start, cut)
        start = stripped(text, cut, end)[0]
    if start < end:
        yield start, end


def stripped(text: str, start: int, end: int, /) -> tuple[int, int]:
    """Return a span without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


# The parts that are marked: whole sentences, with the items of their lists.

LONGEST_MARK = 1000
"""Sentences up to this length are marked as a whole, and so are sentences with their lists."""
_SENTENCE_END = re.compile(r"[.!?][\"'\u201d\u2019)\]]*$")
_LIST_GOES_ON = re.compile(r"(?:[:;,\u2013\u2014-]|\b(?:and|or|und|oder))$")
_ITEM_LABEL = re.compile(rf"{_LABEL.pattern}\s")
_UNJOINED = frozenset({"row", "heading"})


def clauses_of(
    text: str,
    paragraphs: Iterable[Mapping[str, Any]] | None = None,
    /,
    *,
    offset: int = 0,
    rows: bool = False,
) -> list[Unit]:
    """Return the parts of a passage to mark; the parameters are those of :func:`units_of`.

    Sentences are whole, and have the items of their list and the rest after a page break.
    """
    runs: list[list[Unit]] = []
    for unit in units_of(text, paragraphs, offset=offset, rows=rows, longest=LONGEST_MARK):
        if runs and _continues(text, runs[-1][-1], unit):
            runs[-1].append(unit)
        else:
            runs.append([unit])
    clauses: list[Unit] = []
    for run in runs:
        is_joined = len(run) > 1 and run[-1].end - run[0].start <= LONGEST_MARK
        clauses += [replace(run[0], end=run[-1].end)] if is_joined else run
    return clauses


def _continues(text: str, last: Unit, unit: Unit) -> bool:
    """Return whether a unit is an item of the last one's list, or the rest of its sentence."""
    if not _UNJOINED.isdisjoint({last.kind, unit.kind}):
        return False
    if _ITEM_LABEL.match(text, unit.start):
        return _LIST_GOES_ON.search(text, last.start, last.end) is not None
    is_over = _SENTENCE_END.search(text, last.start, last.end) is not None
    return text[unit.start].islower() and not is_over
