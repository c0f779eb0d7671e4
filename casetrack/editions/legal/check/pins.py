"""Comparison of the place of quoted words with the pin cite: page, paragraph, or page and line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.editions.legal.own_table import number_of
from casetrack.extract.papers.places import find_pin, printed_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.papers.text import LegalCitation, Pin, PinUnit, WholeText

_PARAGRAPH = re.compile(
    r"(?m)^[ \t]*(?:(¶+)[ \t]*|\d{1,2}[ \t]+(?=\d{1,4}\.))?(\d{1,4})([.)])?[ \t]+(?=[\"“(\[A-Z])"
)
"""A paragraph number, maybe after the number of its line."""
_MISREAD = 3
_REPORTER_PAGE = re.compile(r"-(\d+)$")
_PAGE_ID = re.compile(r"\bPageID\b|\sat\s[A-Z]{1,6}[-_ ]?\d{3,9}$")
"""Matches pin cites to stamped page numbers, which differ from those of the paper."""


@dataclass(frozen=True, slots=True)
class PinFit:
    """Result of the comparison with a pin cite."""

    fits: Literal["right", "wrong", "open"]  # ``open``: the document lacks the numbering of the pin
    found: str = ""  # The correct pin: "594", "¶ 33", "24:11-20"; empty if ``open``
    note: str = ""  # Reason for ``open``, or a remark


@dataclass(frozen=True, slots=True)
class _Numbering:
    """One numbering of a document: labels with their spans, in order."""

    kind: Literal["star", "page", "file"]
    spans: tuple[tuple[str, int, int], ...]

    @property
    def is_paged(self) -> bool:
        """Whether it has pages; a file of one page often lacks page breaks."""
        return self.kind != "file" or len(self.spans) > 1

    def at(self, start: int, end: int) -> list[str]:
        return list(dict.fromkeys(label for label, s, e in self.spans if s < end and start < e))

    def holds(self, number: int) -> bool:
        values = [v for label, _, _ in self.spans if (v := _value(label)) is not None]
        return bool(values) and min(values) <= number <= max(values)

    def begins_at(self, page: int) -> bool:
        first = next((v for label, _, _ in self.spans if (v := _value(label)) is not None), None)
        return first is not None and first == page


def check_pin(whole: WholeText, citation: LegalCitation, start: int, end: int, /) -> PinFit | None:
    """Compare the place of ``whole.text[start:end]`` with the pins of a citation, if it has any."""
    placed = [_check_one(whole, citation, pin, start, end) for pin in citation.pins]
    order = ("right", "wrong", "open")
    return min(placed, key=lambda p: order.index(p.fits), default=None)


def outside(whole: WholeText, citation: LegalCitation, /) -> PinFit | None:
    """Return the range of the source if a pin is outside of it."""
    for pin in citation.pins:
        first, page = _value(pin.first), _first_page(citation, pin)
        if citation.kind == "record" and first is not None:
            beyond = _beyond(whole, pin.unit, first)
            if beyond is not None and not _PAGE_ID.search(citation.text):
                return beyond
            continue
        if pin.unit != "page" or first is None or page is None:
            continue
        for numbering in _numberings(whole, page):
            if numbering.kind == "file" or not numbering.begins_at(page):
                continue
            if not numbering.holds(first):
                labels = [label for label, _, _ in numbering.spans]
                return PinFit("wrong", f"{labels[0]}-{labels[-1]}")
    return None


def has_pages(whole: WholeText, citation: LegalCitation, /) -> bool:
    """Return whether a printed numbering of the source has all cited pages."""
    cited = [page for pin in citation.pins if (page := _value(pin.first)) is not None]
    printed = [each for each in _numberings(whole, None) if each.kind == "page"]
    return bool(cited) and any(all(map(each.holds, cited)) for each in printed)


def _beyond(whole: WholeText, unit: PinUnit, number: int) -> PinFit | None:
    """Return the range of pages or paragraphs if the number is after its end."""
    if unit == "paragraph":
        last = max((value for value, _ in _paragraphs(whole)), default=0)
        is_read = any(int(m[2]) == number for m in _PARAGRAPH.finditer(whole.text))
        return (
            PinFit("wrong", f"¶¶ 1-{last}")
            if last + _MISREAD < number and last > 1 and not is_read
            else None
        )
    ends = [
        (value, numbering.spans[0][0], numbering.spans[-1][0])
        for numbering in _numberings(whole, None)
        if (value := _value(numbering.spans[-1][0])) is not None
        and numbering.is_paged
        and (unit == "page" or numbering.kind == "page")
    ]
    if unit not in {"page", "line"} or not ends or max(ends)[0] >= number:
        return None
    return PinFit("wrong", f"{ends[0][1]}-{ends[0][2]}")


def _check_one(whole: WholeText, citation: LegalCitation, pin: Pin, start: int, end: int) -> PinFit:
    if pin.unit == "line" or pin.first_line is not None:
        return _at_lines(whole, pin, start, end)
    if pin.unit == "paragraph":
        return _at_paragraph(whole, pin, start, end)
    if pin.unit != "page" or _PAGE_ID.search(citation.text):
        return PinFit("open", note=f"The place of {pin.text} is not checked.")
    is_record = citation.kind == "record"  # papers of the case are also cited by pages of the file
    first, last = _value(pin.first), _value(pin.last)
    numberings = _numberings(whole, _first_page(citation, pin))
    for numbering in numberings:
        if numbering.kind == "file" and len(numberings) > 1 and not is_record:
            continue
        labels = numbering.at(start, end)
        if any(_within(label, pin, first, last) for label in labels):
            rest = [label for label in labels if not _within(label, pin, first, last)]
            note = f"It continues on page {rest[-1]}." if rest and labels[-1] == rest[-1] else ""
            return PinFit("right", _range(labels), note)
    counted = _pin_numbering(numberings, citation, pin, first)
    if counted is None or not (labels := counted.at(start, end)):
        return PinFit(
            "open",
            note=f"The copy in the case lacks the page numbers of {pin.text}, so the page is not "
            "checked.",
        )
    return PinFit("wrong", _range(labels))


def _pin_numbering(
    numberings: Sequence[_Numbering], citation: LegalCitation, pin: Pin, first: int | None
) -> _Numbering | None:
    """Return the numbering of a pin; ``None`` if it is uncertain."""
    is_record, begin = citation.kind == "record", _first_page(citation, pin)
    for numbering in numberings:
        if begin is not None and numbering.kind != "file" and numbering.begins_at(begin):
            return numbering
    stars = [n for n in numberings if n.kind == "star"]
    for numbering in stars:
        if first is not None and numbering.holds(first):
            return numbering
    printed = next((n for n in numberings if n.kind == "page"), None)
    if printed is not None and (is_record or (first is not None and printed.holds(first))):
        return printed
    if is_record or (printed is None and not stars and citation.kind != "case"):
        return next((n for n in numberings if n.is_paged), None)
    return None


def _first_page(citation: LegalCitation, pin: Pin) -> int | None:
    """Return the first page of the cited case in its reporter."""
    match = _REPORTER_PAGE.search(getattr(pin, "key", "") or citation.key)
    return int(match[1]) if match and citation.kind == "case" else None


def _numberings(whole: WholeText, first_page: int | None) -> list[_Numbering]:
    """Return the numberings of a document: star pages first, the pages of the file last."""
    stars: list[list[tuple[str, int, int]]] = []
    printed: list[tuple[str, int, int]] = []
    pages: list[tuple[str, int, int]] = []
    for page, begin in zip(whole.pages, whole.starts, strict=True):
        pages.append((str(page.number), begin, begin + len(page.text)))
        for each in page.printed:
            span = each.label, begin + each.start, begin + each.end
            if each.kind == "page":
                printed.append(span)
            elif each.kind == "star":
                _into_series(stars, span)
    numberings = [
        _Numbering("star", _page_spans(series, len(whole.text), first_page)) for series in stars
    ]
    if printed:
        numberings.append(_Numbering("page", tuple(printed)))
    if not any(page.is_estimated for page in whole.pages):
        numberings.append(_Numbering("file", tuple(pages)))
    return numberings


def _into_series(stars: list[list[tuple[str, int, int]]], span: tuple[str, int, int]) -> None:
    """Add a star page to the series that it continues."""
    value = _value(span[0])
    if value is None:
        return
    for series in stars:
        last = _value(series[-1][0])
        if last is not None and 0 <= value - last <= 3:
            series.append(span)
            return
    stars.append([span])


def _page_spans(
    series: list[tuple[str, int, int]], end: int, first_page: int | None
) -> tuple[tuple[str, int, int], ...]:
    """Extend each star page to the next; text before the first belongs to the page before it."""
    starts = [start for _, start, _ in series]
    spans = [
        (label, start, following)
        for (label, start, _), following in zip(series, [*starts[1:], end], strict=True)
    ]
    first = _value(series[0][0])
    if first is not None and first == first_page:
        # The caption is on the first page, too.
        spans[0] = (spans[0][0], 0, spans[0][2])
    elif first is not None and first > 1 and starts[0] > 0:
        spans.insert(0, (str(first - 1), 0, starts[0]))
    return tuple(spans)


def _at_lines(whole: WholeText, pin: Pin, start: int, end: int) -> PinFit:
    labels = printed_at(whole, start, end) or ""
    lines = next((part for part in labels.split("; ") if ":" in part), "")
    if not lines:
        return PinFit(
            "open", note=f"The copy in the case has no line numbers, so {pin.text} is not checked."
        )
    if any(s < end and start < e for s, e in find_pin(whole, pin)):
        return PinFit("right", lines)
    return PinFit("wrong", lines)


def _at_paragraph(whole: WholeText, pin: Pin, start: int, end: int) -> PinFit:
    numbers = _paragraphs(whole)
    first, last = _value(pin.first), _value(pin.last)
    if len(numbers) < 2 or first is None or last is None:
        return PinFit(
            "open",
            note=f"The copy in the case has no paragraph numbers, so {pin.text} is not checked.",
        )
    before = [value for value, at in numbers if at <= start]
    inside = [value for value, at in numbers if start < at < end]
    touched = [*before[-1:], *inside]
    if any(first <= value <= last for value in touched):
        return PinFit("right", f"¶ {touched[0]}")
    if not touched:
        return PinFit("wrong", "before ¶ 1")
    return PinFit(
        "wrong", f"¶ {touched[0]}" if len(touched) == 1 else f"¶¶ {touched[0]}-{touched[-1]}"
    )


def _paragraphs(whole: WholeText) -> list[tuple[int, int]]:
    """Return number and start of the numbered paragraphs."""
    numbers: list[tuple[int, int]] = []
    every = list(_PARAGRAPH.finditer(whole.text))
    marked = [m for m in every if m[1] or m[3]]
    # Bare numbers may be those of lines.
    for match in marked if len(marked) > _MISREAD else every:
        value = int(match[2])
        # Paragraph numbers go on, maybe after one that was misread; years and list items do not.
        last = numbers[-1][0] if numbers else 0
        if last < value <= last + _MISREAD:
            numbers.append((value, match.start()))
    return numbers


def _within(label: str, pin: Pin, first: int | None, last: int | None) -> bool:
    value = _value(label)
    if value is None or first is None or last is None:
        return label.lower() in (pin.first.lower(), pin.last.lower())
    if label.isdigit() != pin.first.strip("*").isdigit():
        return False
    return first <= value <= last


def _value(label: str) -> int | None:
    """Return the number of an arabic or Roman page label."""
    number = number_of(label.strip("*"))
    return number and number[1]


def _range(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{labels[0]}-{labels[-1]}"
