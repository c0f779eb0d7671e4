"""Make the pictures of the report and of a shown passage for the documentation.

The sample case file is taken in to a folder that is removed afterwards, and its report and one
passage are written and photographed by a headless Chromium. ``--out`` names another folder.
"""

from __future__ import annotations

import argparse
import base64
import io
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
from PIL import Image

from casetrack.config import load_settings
from casetrack.library import Library
from casetrack.license.tiers import UNLIMITED
from casetrack.viewer import view_html
from viewer.conftest import NAMES, Browser

if TYPE_CHECKING:
    from casetrack.collection import Collection

CHECKOUT = Path(__file__).resolve().parents[2]
OUT = CHECKOUT / "docs"
SAMPLES = CHECKOUT / "data-samples" / "files"
QUESTION = "Who is liable for the spoiled goods?"
MOST_BYTES = 400_000
COLOURS = 256
_DESCRIPTION = "The sample case file: an automation project, a claim, a settlement."


@dataclass(frozen=True, slots=True)
class Shot:
    """A part of a page as it looks.

    Attributes
    ----------
    page
        ``report`` or ``passage``.
    width, height
        Of the window, in CSS pixels.
    dark
        Whether the reader prefers dark colours.
    first
        JavaScript to run before.
    scale
        Pixels of the picture for each of the window.
    """

    page: str
    width: int
    height: int
    dark: bool = False
    first: str = ""
    scale: float = 1.0


_AT = "document.getElementById('{}').scrollIntoView(); "
_OPENED = "document.querySelector('#people .rows a.ref').click()"
SHOTS = {
    "report-light": Shot("report", 1440, 1500),
    "report-middle": Shot("report", 820, 1300, first=_AT.format("people")),
    "report-phone": Shot("report", 390, 844, scale=2.0),
    "report-dark": Shot("report", 1440, 1100, dark=True, first=_AT.format("timeline")),
    "report-passage": Shot("report", 1440, 1000, first=_OPENED),
    "passage": Shot("passage", 1440, 1100),
}
PRINTED = "report-print"
SHEETS = (1, 9)
"""Printed pages that are shown side by side."""


def main() -> None:
    """Make all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write to")
    parser.add_argument("--only", choices=[*SHOTS, PRINTED], action="append")
    given = parser.parse_args()
    wanted = given.only or [*SHOTS, PRINTED]
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        sys.exit("No Chromium was found; install chromium.")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        pages = _pages(_collection(scratch), scratch)
        browser = Browser(program, scratch / "profile")
        try:
            for name in wanted:
                picture = (
                    _printed(browser, pages["report"])
                    if name == PRINTED
                    else _shot(browser, pages[SHOTS[name].page], SHOTS[name])
                )
                path = given.out / f"{name}.png"
                path.write_bytes(_small(picture))
                print(f"{path.name}: {picture.width} x {picture.height}, {path.stat().st_size:,} B")
        finally:
            browser.close()


def _collection(scratch: Path) -> Collection:
    files = scratch / "Brackenfell"
    shutil.copytree(SAMPLES, files)
    models = load_settings(CHECKOUT).models_dir
    settings = load_settings(scratch / "home")
    settings = replace(settings, models_dir=models if models.is_dir() else settings.models_dir)
    demo = Library(settings, tier=UNLIMITED).create(
        "Stanwick Bridge", description=_DESCRIPTION, collection_type="contract"
    )
    demo.ingest([files])
    return demo


def _pages(demo: Collection, scratch: Path) -> dict[str, Path]:
    passage = scratch / "passage.html"
    found = demo.search(QUESTION, k=1)[0]
    passage.write_text(view_html(demo, found.provenance.chunk_id), encoding="utf-8")
    pages = {"report": demo.report(scratch / "report.html"), "passage": passage}
    for page in pages.values():
        # The paths that the pictures show name no folder of this machine.
        html = page.read_text(encoding="utf-8").replace(str(scratch), "~")
        page.write_text(html, encoding="utf-8")
    return pages


def _shot(browser: Browser, page: Path, shot: Shot) -> Image.Image:
    browser.show(page, width=shot.width, height=shot.height, dark=shot.dark)
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        width=shot.width,
        height=shot.height,
        deviceScaleFactor=shot.scale,
        mobile=False,
    )
    if shot.first:
        browser.js(shot.first)
    browser.js("new Promise(done => setTimeout(() => requestAnimationFrame(done), 300))")
    raw = base64.b64decode(browser.call("Page.captureScreenshot")["data"])
    return Image.open(io.BytesIO(raw)).convert("RGB")


def _printed(browser: Browser, page: Path) -> Image.Image:
    """Return some printed pages on one picture, printed by a reader who prefers dark colours."""
    browser.show(page, dark=True)
    with pymupdf.open("pdf", browser.pdf()) as printed:
        drawn = [printed[min(n, len(printed)) - 1].get_pixmap(dpi=90) for n in SHEETS]
    sheets = [Image.frombytes("RGB", (p.width, p.height), p.samples) for p in drawn]
    gap = 24
    width = sum(sheet.width + gap for sheet in sheets) + gap
    board = Image.new("RGB", (width, max(s.height for s in sheets) + 2 * gap), "#d9d6d0")
    left = gap
    for sheet in sheets:
        board.paste(sheet, (left, gap))
        left += sheet.width + gap
    return board


def _small(picture: Image.Image) -> bytes:
    """Return a picture as PNG with a palette, small enough for the documentation."""
    out = io.BytesIO()
    # An octree keeps the small signs' colours, which a median cut gives up for greys.
    palette = picture.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    palette.save(out, "PNG", optimize=True)
    if len(out.getvalue()) > MOST_BYTES:
        sys.exit(f"A picture of {len(out.getvalue()):,} bytes is too large; show less of the page.")
    return out.getvalue()


if __name__ == "__main__":
    main()
