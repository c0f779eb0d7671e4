"""Pages in a browser: the highlight covers the words, and nothing else is loaded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import docx
import numpy as np
import openpyxl
import pymupdf
import pytest

from casetrack.api.library import Library
from casetrack.api.viewer import view_html
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image

    from casetrack.api.collection import Collection
    from casetrack.base.records import Chunk

ELSEWHERE = "This opening sentence belongs to no passage that anyone asked for."
WANTED = "The tenant shall repaint the shutters of the mill in dark green"
FILLER = "Clause {} says what the parties have always done and will go on doing. "


def lease(path: Path, *, rotation: int = 0, crop: bool = False) -> Path:
    """Write a page of three chunks whose last one holds the wanted words."""
    document = pymupdf.open()
    page = document.new_page(width=700, height=900)
    text = f"{ELSEWHERE}\n\n" + "".join(FILLER.format(i) for i in range(55)) + f"\n\n{WANTED}."
    turned = {"rotate": rotation} if rotation else {}
    left = page.insert_textbox(pymupdf.Rect(120, 90, 620, 860), text, fontsize=10, **turned)
    assert left > 0
    if rotation:
        page.set_rotation(rotation)
    if crop:
        page.set_cropbox(pymupdf.Rect(60, 50, 660, 880))
    document.save(path)
    document.close()
    return path


def holding(chunks: list[Chunk], words: str) -> Chunk:
    return next(c for c in reversed(chunks) if words in " ".join(c.text.split()))


def yellow_share(picture: Image.Image, box: tuple[float, float, float, float]) -> float:
    """Return the share of pixels that are of the marker's colour: much red, little blue."""
    x0, y0, x1, y1 = (round(v) for v in box)
    pixels = np.asarray(picture.crop((x0, y0, max(x1, x0 + 1), max(y1, y0 + 1))), dtype=float)
    red, blue = pixels[..., 0], pixels[..., 2]
    return float(((red > 150) & (blue < 0.7 * red)).mean())


SHAPES: dict[str, dict[str, Any]] = {
    "plain": {},
    "turned-90": {"rotation": 90},
    "turned-270": {"rotation": 270},
    "cropped": {"crop": True},
    "turned-and-cropped": {"rotation": 90, "crop": True},
}
EVIL = (
    "<script>document.title='owned'</script><img src=https://example.org/x.png "
    "onerror=\"document.title='owned'\"><style>@import url(https://example.org/y.css)</style>"
    "</textarea></title><iframe src=https://example.org></iframe>&lt;b&gt;&amp;"
)
EVIL_NAME = "a<b> 'q' \"d\" & .txt"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files with a passage to look for."""
    folder = tmp_path_factory.mktemp("sources")
    for name, shape in SHAPES.items():
        lease(folder / f"{name}.pdf", **shape)
    (folder / EVIL_NAME).write_text(f"An honest first line.\n\n{EVIL}\n", encoding="utf-8")
    body = "\n\n".join(FILLER.format(i) * 3 for i in range(60))
    (folder / "notes.txt").write_text(f"{body}\n\n{WANTED}.\n", encoding="utf-8")
    book = openpyxl.Workbook()
    paper = docx.Document()
    rows = [(f"Item {i}", FILLER.format(i).strip()) for i in range(120)] + [("Last", WANTED)]
    table = paper.add_table(1, 2)
    for i, row in enumerate([("Name", "What it says"), *rows]):
        book.active.append(row)
        cells = table.rows[0].cells if i == 0 else table.add_row().cells
        for cell, text in zip(cells, row, strict=True):
            cell.text = text
    book.save(folder / "rows.xlsx")
    paper.save(folder / "table.docx")
    return folder


@pytest.fixture(scope="module")
def shelf(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection of these files, made without a model."""
    settings = load_settings(tmp_path_factory.mktemp("home"))
    collection = Library(replace(settings, models_dir=sources / "none")).create("Shelf")
    report = collection.ingest([sources])
    assert report.count("ingested") == len(SHAPES) + 4
    return collection


@pytest.mark.parametrize(
    ("shape", "dark"), [*((name, False) for name in SHAPES), ("plain", True)], ids=str
)
def test_the_highlight_is_on_the_words(browser, shelf, sources, tmp_path, shape, dark) -> None:
    source = sources / f"{shape}.pdf"
    chunk = holding(shelf.read.chunks(source.name), WANTED)
    assert ELSEWHERE not in " ".join(chunk.text.split())
    out = tmp_path / "out.html"
    out.write_text(view_html(shelf.workspace.state(), chunk.chunk_id), encoding="utf-8")
    browser.show(out, dark=dark)
    left, top, width, height = browser.place(".frame")
    picture = browser.screenshot()
    with pymupdf.open(source) as document:
        page = document[0]
        size = page.rect
        assert height / width == pytest.approx(size.height / size.width, rel=0.01)

        def on_screen(words: str) -> list[tuple[float, float, float, float]]:
            # Rectangles that PyMuPDF finds by itself; they are of the page before it is turned.
            actual = [r * page.rotation_matrix for r in page.search_for(words)]
            across, down = width / size.width, height / size.height
            return [
                (left + r.x0 * across, top + r.y0 * down, left + r.x1 * across, top + r.y1 * down)
                for r in actual
            ]

        marked, unmarked = on_screen(WANTED), on_screen(ELSEWHERE)
    assert marked
    assert unmarked
    for box in marked:
        assert yellow_share(picture, box) > 0.6
    for box in unmarked:
        assert yellow_share(picture, box) == 0


def test_nothing_is_loaded_and_nothing_runs(browser, shelf, tmp_path) -> None:
    (chunk,) = shelf.read.chunks(EVIL_NAME)
    out = tmp_path / "out.html"
    out.write_text(view_html(shelf.workspace.state(), chunk.chunk_id), encoding="utf-8")
    browser.show(out)
    assert browser.requests == [out.as_uri()]
    assert browser.js("document.title") == chunk.citation
    assert browser.js("document.scripts.length + document.images.length") == 0
    assert browser.js("document.querySelectorAll('iframe, b b, object').length") == 0
    assert EVIL in browser.js("document.querySelector('.words').textContent")
    assert browser.js("document.querySelector('h1').textContent") == EVIL_NAME


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("Master Services Agreement.pdf", 400),
        ("Project Budget 2024-25.xlsx", 400),
        ("Project Budget 2024-25.xlsx", 1400),
        ("Proposal TS-P-2024-017.docx", 400),
    ],
)
def test_nothing_overflows_and_nothing_is_fetched(browser, demo, tmp_path, name, width) -> None:
    chunk = demo.read.chunks(name)[-1]
    out = tmp_path / "out.html"
    out.write_text(view_html(demo.workspace.state(), chunk.chunk_id), encoding="utf-8")
    browser.show(out, width=width)
    assert browser.js("document.documentElement.scrollWidth") <= width
    inside = (
        "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .grid, svg') "
        f"&& e.getBoundingClientRect().right > {width} + 0.5).map(e => e.outerHTML.slice(0, 80))"
    )
    assert browser.js(inside) == []
    assert [r for r in browser.requests if not r.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("name", ["notes.txt", "table.docx", "rows.xlsx"])
def test_a_long_page_opens_at_the_passage(browser, shelf, tmp_path, name) -> None:
    chunk = holding(shelf.read.chunks(name), WANTED)
    out = tmp_path / "out.html"
    out.write_text(view_html(shelf.workspace.state(), chunk.chunk_id), encoding="utf-8")
    browser.show(out, width=600)
    _, top, _, height = browser.place(".scroll")
    assert browser.js("document.querySelector('.scroll').scrollTop") > 500
    left, at, _, _ = browser.place("#passage")
    assert top <= at < top + height
    assert 0 <= left < 600
    marked = "[...document.querySelectorAll('mark, td.on')].map(e => e.textContent).join(' ')"
    assert WANTED in browser.js(marked)
