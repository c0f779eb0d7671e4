"""Finds the Bates numbers that are stamped at the edge of pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.provenance import PrintedPlace
from casetrack.parse.printed.edit import without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.base import Page

_STAMP = re.compile(
    r"(?<![\w.:/#-])"
    r"(?P<prefix>[A-Z][A-Z&]{1,11}(?:\d{0,2}[-_.][A-Z&]{1,12}){0,3}\d{0,2}?[-_ ]{0,2})"
    r"(?P<digits>\d{4,10})(?![\w/]|[.,:-]\d)"
)
_OTHER = re.compile(
    r"(?:NO|NOS|NUMBER|FORM|PAGE|PG|DATE|REV|FAX|TEL|PHONE|ZIP|ECF|DKT|DOC|CASE|CV|CR|BOX|SUITE|STE|"
    r"ROOM|FILE|ID|ISO|IRS|SEC|DC|NY|CA|TX|FL|US|USC|CFR|FY|QTR|MAY|JUNE|JULY|MARCH|APRIL|AUGUST|"
    r"JANUARY|FEBRUARY|SEPTEMBER|OCTOBER|NOVEMBER|DECEMBER|VERSION|ITEM|NOTE|SECTION|COPYRIGHT|WL|"
    r"LEXIS|ISBN|ISSN|BAR|SBN|INVOICE|ORDER|PO|REF|ACCOUNT|ACCT|CHECK|TOTAL|SINCE|PATENT)[-_ .]*"
)
_EDGE = 3
_SURE_DIGITS = 5


@dataclass(frozen=True, slots=True)
class _Stamp:
    """A number as stamped, and where in the text, where it stands there alone on a line."""

    label: str
    prefix: str
    number: int
    is_sure: bool
    line: tuple[int, int] | None

    def follows(self, other: _Stamp | None) -> bool:
        return other is not None and (self.prefix, self.number) == (other.prefix, other.number + 1)


@dataclass(slots=True)
class BatesStamps:
    """Finds the numbers on the pages of one document, which come in order.

    A prefix in capitals before five figures or more is one where it stands alone at the edge of a
    page; a shorter one, or one with a space in it, where it goes on from page to page.
    """

    _last: _Stamp | None = None
    _held: tuple[Page, list[_Stamp]] | None = None

    def take(self, page: Page, /) -> Iterator[Page]:
        """Yield pages with their numbers; one that the next page must confirm comes with that."""
        stamps = _stamps(page)
        if self._held is not None:
            held, candidates = self._held
            self._held = None
            sure = next((s for s in candidates if any(t.follows(s) for t in stamps)), None)
            self._last = sure
            yield _stamped(held, sure)
        chosen = next((s for s in stamps if s.follows(self._last)), None)
        chosen = chosen or next((s for s in stamps if s.is_sure), None)
        if chosen is None and stamps and self._last is None:
            self._held = page, stamps
            return
        self._last = chosen or self._last
        yield _stamped(page, chosen)

    def rest(self) -> Iterator[Page]:
        """Yield the page that waits for the next, where there is none."""
        if self._held is not None:
            yield self._held[0]


def _stamps(page: Page) -> list[_Stamp]:
    if page.sheet_name is not None or page.kind not in {"page", "section"}:
        return []
    found = [
        stamp
        for running in (page.footer, page.header)
        if running
        for stamp in _read(running, None, alone=_STAMP.fullmatch(running.strip()) is not None)
    ]
    lines = page.lines
    edges = dict.fromkeys([*lines[-_EDGE:][::-1], *lines[:_EDGE]])
    for line in edges:
        text = page.text[line.start : line.end]
        if len(text) <= 80:
            match = _STAMP.fullmatch(text)
            span = (line.start, line.end) if match else None
            found += _read(text, span, alone=match is not None)
    return found


def _read(text: str, line: tuple[int, int] | None, *, alone: bool) -> Iterator[_Stamp]:
    for m in _STAMP.finditer(text):
        prefix, digits = m["prefix"], m["digits"]
        if _OTHER.fullmatch(prefix):
            continue
        is_sure = (
            len(digits) >= _SURE_DIGITS and " " not in prefix and (alone or digits.startswith("0"))
        )
        yield _Stamp(m[0], prefix, int(digits), is_sure, line)


def _stamped(page: Page, stamp: _Stamp | None) -> Page:
    if stamp is None:
        return page
    if stamp.line is not None and len(page.lines) > 1:
        # Alone on its line it is no part of the text; it stays as what stands at the foot.
        page = without(page, [stamp.line]).page
        page = replace(page, footer=" ".join(filter(None, (page.footer, stamp.label))))
    if not page.text:
        return page
    return replace(
        page, printed=(*page.printed, PrintedPlace("bates", stamp.label, 0, len(page.text)))
    )
