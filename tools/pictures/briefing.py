"""The pictures of ``docs/report.md``: a briefing as it is read and printed, and a passage."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pymupdf
from PIL import Image

from casetrack.api.viewer import view_html
from pictures.browser import View, photograph, small_png

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pictures.studio import Studio

QUESTION = "Who is liable for the spoiled goods?"
SHEETS = (1, 9)
"""Printed pages that are shown side by side."""
SHEET_DPI = 90
GAP, GROUND = 24, "#d9d6d0"


def _at(section: str) -> str:
    return f"document.getElementById('{section}').scrollIntoView()"


VIEWS = {
    "report-light": View(1440, 1500),
    "report-middle": View(820, 1300, first=_at("people")),
    "report-phone": View(390, 844, scale=2.0),
    "report-dark": View(1440, 1100, dark=True, first=_at("timeline")),
    "report-passage": View(
        1440, 1000, first="document.querySelector('#people .rows a.ref').click()"
    ),
}
PASSAGE = View(1440, 1100)


def _report(studio: Studio) -> Path:
    """Write the briefing once; return its file."""
    page = studio.home / "briefing.html"
    if not page.exists():
        page.write_text(studio.without_names(studio.described.report()), encoding="utf-8")
    return page


def _seen(view: View, studio: Studio) -> bytes:
    return small_png(photograph(studio.browser, _report(studio), view))


def _passage(studio: Studio) -> bytes:
    page = studio.home / "briefing-passage.html"
    passage = studio.described.search(QUESTION, limit=1)[0]
    html = view_html(studio.described.workspace.state(), passage.provenance.chunk_id)
    page.write_text(studio.without_names(html), encoding="utf-8")
    return small_png(photograph(studio.browser, page, PASSAGE))


def _printed(studio: Studio) -> bytes:
    """Return some printed pages on one picture, printed by a reader who prefers dark colours."""
    studio.browser.show(_report(studio), dark=True)
    with pymupdf.open("pdf", studio.browser.pdf()) as printed:
        drawn = [printed[min(n, len(printed)) - 1].get_pixmap(dpi=SHEET_DPI) for n in SHEETS]
    sheets = [Image.frombytes("RGB", (p.width, p.height), p.samples) for p in drawn]
    width = sum(sheet.width + GAP for sheet in sheets) + GAP
    board = Image.new("RGB", (width, max(s.height for s in sheets) + 2 * GAP), GROUND)
    left = GAP
    for sheet in sheets:
        board.paste(sheet, (left, GAP))
        left += sheet.width + GAP
    return small_png(board)


PICTURES: dict[str, Callable[[Studio], bytes]] = {
    **{f"{name}.png": functools.partial(_seen, view) for name, view in VIEWS.items()},
    "report-print.png": _printed,
    "passage.png": _passage,
}
"""Function of each picture, by its file below docs."""
