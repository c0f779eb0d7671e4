"""Results in a notebook: small pictures of the first passages, or a word why there is none."""

from __future__ import annotations

import base64
import io
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pymupdf
import pytest
from PIL import Image

from casetrack.config import load_settings
from casetrack.library import Library
from casetrack.records import SearchResults
from casetrack.viewer import pictures as module
from casetrack.viewer.pictures import MAX_PICTURES, pictures

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.collection import Collection

QUERY = "charges payable"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """PDFs and a text that all speak of the same."""
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
    found = re.findall(r"src='data:image/png;base64,([^']+)'", html)
    return [Image.open(io.BytesIO(base64.b64decode(data))) for data in found]


def html_of(thing: object) -> str:
    html: str = thing._repr_html_()  # type: ignore[attr-defined]
    return html


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


def test_results_stay_plain_records(shelf: Collection) -> None:
    results = shelf.search(QUERY)
    assert "illustrate" not in repr(results)
    again = pickle.loads(pickle.dumps(results))
    assert again == results
    assert len(images(html_of(again))) == len(images(html_of(results))) > 0


def test_a_failing_picture_leaves_the_text(
    shelf: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = shelf.read.chunks("order 0.pdf")[0]
    document = shelf.document("order 0.pdf")
    copies = shelf.folder, shelf.workspace.settings, {chunk.chunk_id: (), "gone": ()}
    monkeypatch.setattr(module, "TOTAL_SECONDS", 0.0)
    late = pictures(*copies)[chunk.chunk_id]
    assert late.png is None
    assert "no time left" in late.note
    monkeypatch.undo()
    moved = document.path + ".moved"
    source = type(tmp_path)(document.path)
    source.rename(moved)
    try:
        drawn = pictures(*copies)
        html = html_of(shelf.read.chunk(chunk.chunk_id))
    finally:
        type(tmp_path)(moved).rename(source)
    assert drawn[chunk.chunk_id].png is None
    assert "no longer where it was ingested from" in drawn[chunk.chunk_id].note
    assert "Chunk not found: gone" in drawn["gone"].note
    assert images(html) == []
    assert "no longer where it was ingested from" in html
    assert "The charges payable under order 0" in html


def test_plain_searching_loads_nothing_of_it(shelf: Collection) -> None:
    program = (
        "import sys\nfrom dataclasses import replace\nfrom pathlib import Path\n"
        "from casetrack.config import load_settings\nfrom casetrack.library import Library\n"
        "home, models = map(Path, sys.argv[1:])\n"
        "shelf = Library(replace(load_settings(home), models_dir=models)).get('Shelf')\n"
        f"assert len(shelf.search({QUERY!r})) > 3\n"
        "wrong = [m for m in sys.modules if m.startswith(('casetrack.viewer', 'pymupdf', 'PIL'))]\n"
        "assert not wrong, wrong\n"
    )
    settings = shelf.workspace.settings
    done = subprocess.run(
        [sys.executable, "-c", program, str(settings.data_dir), str(settings.models_dir)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_results_without_a_collection_are_text(shelf: Collection) -> None:
    results = replace(shelf.search(QUERY), illustrate=None)
    assert isinstance(results, SearchResults)
    assert images(html_of(results)) == []
    assert results[0].citation in html_of(results)
