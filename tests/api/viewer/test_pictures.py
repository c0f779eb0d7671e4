"""Results in a notebook: small pictures of the first passages, or a word why there is none."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest
from PIL import Image

from casetrack.api.library import Library
from casetrack.api.viewer import pictures as module
from casetrack.api.viewer.pictures import MAX_PICTURES, pictures
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

QUERY = "charges payable"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection of PDFs and a text about the same subject."""
    folder = tmp_path_factory.mktemp("files")
    for number in range(MAX_PICTURES + 1):
        document = pymupdf.open()
        page = document.new_page()
        page.insert_text((72, 300), f"The charges payable under order {number} <b>are</b> due.")
        document.save(folder / f"order {number}.pdf")
        document.close()
    (folder / "note.txt").write_text("The charges payable are due.", encoding="utf-8")
    settings = load_settings(tmp_path_factory.mktemp("home"))
    collection = Library(replace(settings, models_dir=folder / "none")).create("Shelf")
    assert collection.ingest([folder]).count("ingested") == MAX_PICTURES + 2
    return collection


def images(html: str) -> list[Image.Image]:
    matches = re.findall(r"src='data:image/png;base64,([^']+)'", html)
    return [Image.open(io.BytesIO(base64.b64decode(data))) for data in matches]


def html_of(thing: object) -> str:
    html: str = thing._repr_html_()  # type: ignore[attr-defined]
    return html


@pytest.mark.slow
def test_the_first_results_show_their_places(shelf: Collection) -> None:
    results = shelf.search(QUERY, limit=20)
    assert len(results) == MAX_PICTURES + 2
    html = html_of(results)
    shown = images(html)
    pdfs = [r.provenance.document_name.endswith(".pdf") for r in results]
    assert len(shown) == sum(pdfs[:MAX_PICTURES]) >= MAX_PICTURES - 1
    for picture in shown:
        assert picture.width <= 620
        assert picture.height < picture.width, "cut to the passage"
        colours = picture.convert("RGB").getcolors(1 << 20)
        assert any(r > 240 and b < 140 for _, (r, _, b) in colours)
    for result in results:
        assert f"<b>{result.citation}</b>" in html
    assert "&lt;b&gt;are&lt;/b&gt;" in html
    assert "<b>are" not in html


@pytest.mark.slow
def test_a_chunk_shows_its_place(shelf: Collection) -> None:
    (chunk,) = shelf.read.chunks("order 0.pdf")
    assert images(html_of(chunk)) == [], "many at once are not drawn"
    for alone in (shelf.read.chunk(chunk.chunk_id), shelf.read.context(chunk.chunk_id).chunk):
        assert alone == chunk
        assert len(images(html_of(alone))) == 1
    (note,) = shelf.read.chunks("note.txt")
    html = html_of(shelf.read.chunk(note.chunk_id))
    assert images(html) == []
    assert "The charges payable are due." in html


def test_a_failing_picture_leaves_the_text(
    shelf: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = shelf.read.chunks("order 0.pdf")[0]
    document = shelf.document("order 0.pdf")
    copies = shelf.folder, shelf.workspace.settings, {chunk.chunk_id: (), "gone": ()}
    monkeypatch.setattr(module, "TOTAL_SECONDS", 0.0)
    late = pictures(*copies)[chunk.chunk_id]
    assert late.png is None
    assert late.note
    monkeypatch.undo()
    source = Path(document.path)
    source.rename(tmp_path / "moved")
    drawn = pictures(*copies)
    html = html_of(shelf.read.chunk(chunk.chunk_id))
    (tmp_path / "moved").rename(source)
    assert drawn[chunk.chunk_id].png is None
    assert "gone" in drawn["gone"].note
    assert images(html) == []
    assert drawn[chunk.chunk_id].note in html
    assert "The charges payable under order 0" in html


PROGRAM = f"""
import sys
from casetrack.api.library import Library
assert len(Library.open(sys.argv[1]).get("Shelf").search({QUERY!r}, mode="keyword")) > 3
print([m for m in sys.modules if m.startswith(("casetrack.api.viewer", "pymupdf", "PIL"))])
"""


@pytest.mark.slow
def test_plain_searching_loads_nothing_of_it(shelf: Collection) -> None:
    home = str(shelf.workspace.settings.data_dir)
    command = [sys.executable, "-c", PROGRAM, home]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
