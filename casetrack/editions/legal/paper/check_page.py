"""The check of a draft as one page of HTML, with draft and source side by side."""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import sheet
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.view import draw_page, no_picture
from casetrack.base.errors import FileError
from casetrack.parse.base import ReadOptions
from casetrack.parse.render import PICTURE_FORMATS, mark_boxes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.editions.legal.drafts import Draft
    from casetrack.editions.legal.records.check import CiteCheck, Finding, Weight
    from casetrack.parse.render import PageImage
    from casetrack.store.workspace import State

_HERE = Path(__file__).parent
MAX_PICTURES = 40
"""Maximum findings with a picture of their place in the draft, differences first."""
TOTAL_SECONDS = 40.0
_DPI, _AROUND, _WIDTH = 110.0, 48.0, 620
_AROUND_CHARS = 240
_SOURCES = 3
_PARTS: dict[Weight, tuple[str, str]] = {
    "wrong": ("Not found as in the draft", "not found"),
    "look": ("Needs a decision", "to review"),
    "open": ("Cannot be checked with this case", "open"),
    "right": ("Found as in the draft", "found"),
}


def check_page(
    state: State, draft: Draft, check: CiteCheck, /, *, passwords: Sequence[str] = ()
) -> str:
    """Return a check as a self-contained page.

    Each finding shows the words of draft and source with marked differences, and both places on
    their pages if the formats have pages. *passwords* are for a protected draft.
    """
    findings = check.worst_first
    cards = Cards(check.case, draw(state, [q for f in findings for q in f.sources[:1]]))
    artist = _Artist(draft, state, tuple(passwords))
    parts = [
        (weight, *words, [f for f in findings if f.weight == weight])
        for weight, words in _PARTS.items()
    ]
    body = rendered(
        "check.html",
        _HERE,
        check=check,
        draft=draft,
        parts=[part for part in parts if part[-1]],
        around=lambda finding: _around(finding, draft),
        most_sources=_SOURCES,
        cards=cards,
        picture=artist.picture,
    )
    style = (_HERE / "check.css").read_text(encoding="utf-8")
    title = f"{check.draft_name}: checked against {check.case}"
    return sheet("check", title, [body], style=style)


def _around(finding: Finding, draft: Draft) -> tuple[str, str, str]:
    """Return the text before a finding in the draft, its words, and the text after them."""
    text, place = draft.whole.text, finding.place
    low, high = max(0, place.start - _AROUND_CHARS), min(len(text), place.end + _AROUND_CHARS)
    before = ("\u2026" if low else "") + text[low : place.start]
    after = text[place.end : high] + ("\u2026" if high < len(text) else "")
    # Lines of a page are joined.
    return before.replace("\n", " "), text[place.start : place.end], after.replace("\n", " ")


@dataclass
class _Artist:
    """Draws the places of findings in the draft, differences first; each page once."""

    draft: Draft
    state: State
    passwords: tuple[str, ...]
    _pages: dict[int, PageImage | str] = field(default_factory=dict)
    _drawn: int = 0
    _began: float = field(default_factory=time.monotonic)

    def picture(self, finding: Finding, /) -> str:
        """Return a picture of a finding's lines as HTML; empty if the draft has no pages."""
        if self.draft.path.suffix.lower().lstrip(".") not in PICTURE_FORMATS:
            return ""
        boxes = self.draft.boxes(finding.place.start, finding.place.end)
        if not boxes or self._drawn >= MAX_PICTURES:
            return ""
        page = min(boxes)
        image = self._page(page)
        if isinstance(image, str):
            return rendered("place.html", _HERE, note=image) if image else ""
        self._drawn += 1
        png = mark_boxes(image, boxes[page], around=_AROUND, width=_WIDTH)
        return rendered("place.html", _HERE, data=base64.b64encode(png).decode("ascii"), page=page)

    def _page(self, page: int) -> PageImage | str:
        if page not in self._pages:
            self._pages[page] = self._draw(page)
        return self._pages[page]

    def _draw(self, page: int) -> PageImage | str:
        if time.monotonic() - self._began > TOTAL_SECONDS:
            return "The time limit for drawing pages was reached."
        settings = self.state.workspace.settings
        limits = replace(settings.parse, timeout_seconds=TOTAL_SECONDS)
        options = ReadOptions(passwords=self.passwords, models_dir=settings.models_dir)
        try:
            return draw_page(limits, options, self.draft.path, page, dpi=_DPI) or ""
        except FileError as error:
            return no_picture(error)
