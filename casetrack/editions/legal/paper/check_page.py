"""The check of a draft as one page of HTML: the draft on one side, the source on the other."""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw
from casetrack.api.viewer.graph_figure import counted
from casetrack.api.viewer.markup import esc, span
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import sheet
from casetrack.api.viewer.view import draw_page, no_picture
from casetrack.base.errors import FileError
from casetrack.parse.base import ReadOptions
from casetrack.parse.render import PICTURE_FORMATS, mark_boxes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.editions.legal.drafts import Draft
    from casetrack.editions.legal.records.check import CiteCheck, Edit, Finding, Weight
    from casetrack.parse.render import PageImage
    from casetrack.store.workspace import State

MAX_PICTURES = 40
"""So many findings have a picture of their place in the draft, the wrong ones first."""
TOTAL_SECONDS = 40.0
_DPI, _AROUND, _WIDTH = 110.0, 48.0, 620
_AROUND_CHARS = 240
_SOURCES = 3
_PARTS: dict[Weight, tuple[str, str]] = {
    "wrong": ("Not found as the draft gives it", "not found so"),
    "look": ("A person has to decide", "to look at"),
    "open": ("Cannot be checked with this case", "open"),
    "right": ("As the file has it", "right"),
}


def check_page(
    state: State, draft: Draft, check: CiteCheck, /, *, passwords: Sequence[str] = ()
) -> str:
    """Return a check as a page that loads nothing.

    Each finding shows the words of the draft and those of the source, with what differs marked;
    and the places on their pages, where the draft and the source have pages to see.

    Parameters
    ----------
    state
        The case.
    draft
        The draft that was checked.
    check
        What was found.
    passwords
        Those that open the draft, where it is protected.
    """
    findings = check.worst_first
    cards = Cards(check.case, draw(state, [q for f in findings for q in f.sources[:1]]))
    artist = _Artist(draft, state, tuple(passwords))
    style = (Path(__file__).parent / "check.css").read_text(encoding="utf-8")
    title = f"{check.draft_name}: checked against {check.case}"
    return sheet("check", title, _body(check, draft, cards, artist), style=style)


def _body(check: CiteCheck, draft: Draft, cards: Cards, artist: _Artist) -> Iterator[str]:
    yield f'<header>\n<p class="eyebrow">Case {span(check.case)}</p>\n'
    yield f"<h1>Check of {span(check.draft_name)}</h1>\n"
    sizes = (counted(check.citations, "citation"), counted(check.quotations, "quotation"))
    pages = counted(check.pages, draft.page_kind)
    yield f'<p class="citation">{", ".join(sizes)}, {esc(pages)}</p>\n</header>\n'
    for note in check.notes:
        yield f'<p class="note" role="note">{esc(note)}</p>\n'
    if not check.findings:
        yield '<p class="note" role="note">Nothing was found to check in this draft.</p>\n'
        return
    yield from _tally(check)
    yield (
        '<p class="find"><label for="find">Find a citation</label> '
        '<input id="find" type="search" autocomplete="off" spellcheck="false"> '
        '<span id="found" role="status"></span></p>\n'
    )
    yield '<main class="periods">\n'
    for weight, (heading, _) in _PARTS.items():
        if chosen := [f for f in check.findings if f.weight == weight]:
            yield f'<section class="period" id="{weight}">\n<h2>{esc(heading)}</h2>\n'
            for finding in chosen:
                yield from _finding(finding, draft, cards, artist)
            yield "</section>\n"
    yield f"</main>\n{cards.definitions()}"


def _tally(check: CiteCheck) -> Iterator[str]:
    yield '<ul class="tally" aria-label="How many">'
    for weight, (_, word) in _PARTS.items():
        if count := sum(f.weight == weight for f in check.findings):
            yield f'<li><a href="#{weight}"><b>{count:,}</b> {word}</a></li>'
    yield "</ul>\n"


def _finding(finding: Finding, draft: Draft, cards: Cards, artist: _Artist) -> Iterator[str]:
    find = f"{finding.title} {finding.text} {finding.cited} {finding.authority} {finding.said}"
    where = f"{finding.what} {finding.number}, {finding.place.citation}"
    kind = f"{finding.weight} sure" if finding.is_sure else finding.weight
    yield (
        f'<article class="event finding {kind}" id="event-{finding.number}" '
        f'tabindex="-1" data-name="{finding.number}" data-find="{esc(find)}">\n'
    )
    yield f'<p class="verdict"><b>{esc(finding.title[:1].upper() + finding.title[1:])}</b>'
    yield f"<small>{esc(where)}</small></p>\n"
    yield f'<p class="said" dir="auto">{esc(finding.said)}</p>\n'
    for note in finding.notes:
        yield f'<p class="note-line">{esc(note)}</p>\n'
    yield '<div class="sides">\n<section class="side draft"><h3>The draft</h3>\n'
    yield from _draft_side(finding, draft, artist)
    yield '</section>\n<section class="side source"><h3>The source</h3>\n'
    yield from _source_side(finding, cards)
    yield "</section>\n</div>\n</article>\n"


def _draft_side(finding: Finding, draft: Draft, artist: _Artist) -> Iterator[str]:
    text, place = draft.whole.text, finding.place
    low, high = max(0, place.start - _AROUND_CHARS), min(len(text), place.end + _AROUND_CHARS)
    before = ("\u2026" if low else "") + text[low : place.start]
    after = text[place.end : high] + ("\u2026" if high < len(text) else "")
    words = _pieces(finding.edits, "draft") or esc(text[place.start : place.end])
    yield f'<article class="card">\n<p class="cited">{esc(draft.name)}, {esc(place.citation)}</p>\n'
    yield (
        f'<blockquote dir="auto">{esc(_flat(before))}<mark>{words}</mark>'
        f"{esc(_flat(after))}</blockquote>\n"
    )
    if finding.what == "quotation" and finding.cited:
        yield f'<p class="note-line">Ascribed to {esc(finding.cited)}</p>\n'
    yield f"</article>\n{artist.picture(finding)}"


def _source_side(finding: Finding, cards: Cards) -> Iterator[str]:
    if not finding.sources:
        gone = finding.verdict == "not_in_source"
        words = "CaseTrack found no such words." if gone else "There is no place to show."
        yield f'<p class="note-line">{words}</p>\n'
        return
    if any(e.kind != "keep" for e in finding.edits):
        yield f'<p class="said" dir="auto">{_pieces(finding.edits, "source")}</p>\n'
    for quote in finding.sources[:_SOURCES]:
        yield cards.card(quote)
    if rest := len(finding.sources) - _SOURCES:
        yield f'<p class="note-line">And {rest} more.</p>\n' if rest > 0 else ""


def _pieces(edits: Sequence[Edit], side: str) -> str:
    """Return one side of a comparison, with what is not on the other marked."""
    parts = []
    for edit in edits:
        words: str = getattr(edit, side)
        if not words:
            continue
        if edit.kind == "keep":
            parts.append(esc(words))
        else:
            tag = "ins" if side == "draft" else "del"
            kind = "changed" if edit.counts else "allowed"
            why = f' title="{esc(edit.allowed)}"' if edit.allowed else ""
            parts.append(f'<{tag} class="{kind}"{why}>{esc(words)}</{tag}>')
    return "".join(parts)


def _flat(text: str) -> str:
    """Let the lines of a page flow."""
    return text.replace("\n", " ")


@dataclass
class _Artist:
    """Draws the places of findings in the draft, the wrong ones first; every page once."""

    draft: Draft
    state: State
    passwords: tuple[str, ...]
    _pages: dict[int, PageImage | str] = field(default_factory=dict)
    _drawn: int = 0
    _began: float = field(default_factory=time.monotonic)

    def picture(self, finding: Finding, /) -> str:
        """Return a picture of a finding's lines as HTML; empty where the draft has no pages."""
        if self.draft.path.suffix.lower().lstrip(".") not in PICTURE_FORMATS:
            return ""
        boxes = self.draft.boxes(finding.place.start, finding.place.end)
        if not boxes or self._drawn >= MAX_PICTURES:
            return ""
        page = min(boxes)
        image = self._page(page)
        if isinstance(image, str):
            return f'<p class="note-line">{esc(image)}</p>\n' if image else ""
        self._drawn += 1
        png = mark_boxes(image, boxes[page], around=_AROUND, width=_WIDTH)
        data = base64.b64encode(png).decode("ascii")
        alt = f"The words, marked on page {page} of the draft"
        return f'<img src="data:image/png;base64,{data}" alt="{esc(alt)}">\n'

    def _page(self, page: int) -> PageImage | str:
        if page not in self._pages:
            self._pages[page] = self._draw(page)
        return self._pages[page]

    def _draw(self, page: int) -> PageImage | str:
        if time.monotonic() - self._began > TOTAL_SECONDS:
            return "There was no time left to draw the page."
        settings = self.state.workspace.settings
        limits = replace(settings.parse, timeout_seconds=TOTAL_SECONDS)
        options = ReadOptions(passwords=self.passwords, models_dir=settings.models_dir)
        try:
            return draw_page(limits, options, self.draft.path, page, dpi=_DPI) or ""
        except FileError as error:
            return no_picture(error)
