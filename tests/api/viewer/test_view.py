"""Content of a view: text or picture of the page, state of the source, doubts, neighbours."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import openpyxl
import pymupdf
import pytest

from api.viewer.sheets import Tree
from casetrack.api.library import Library
from casetrack.api.viewer import open_view, view_html
from casetrack.api.viewer.page import page_html
from casetrack.api.viewer.page_text import AROUND_CHARS
from casetrack.api.viewer.source import facts_of, find_source
from casetrack.base.config import load_settings
from casetrack.base.errors import ChunkNotFound, UsageError
from casetrack.base.records import ChunkWindow
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

LINE = "Clause {} of this agreement says what everyone expects of it."


def pdf(path: Path, *lines: str, **saving: object) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(lines):
        page.insert_text((72, 72 + 16 * number), line)
    document.save(path, **saving)
    document.close()
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that each belong to one test, which may change or remove its own."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("changed", "missing", "kept-changed", "kept-missing", "kept"):
        pdf(folder / f"{name}.pdf", f"What {name} says.", *(LINE.format(i) for i in range(20)))
    locked = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": "open", "owner_pw": "own"}
    pdf(folder / "secret.pdf", "One secret line.", **locked)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Name", "Value"])
    for row in (2, 3, 6, 9):
        sheet.cell(row, 1, f"part {row}")
        sheet.cell(row, 2, row * 10)
    book.save(folder / "gaps.xlsx")
    book = openpyxl.Workbook()
    book.active.title = "<i>&'\""
    book.active.append(["<b>h</b>", "\"x\" onclick='y'"])
    book.active.append(["<script>1</script>", "<img src=x>"])
    book.save(folder / "<u>.xlsx")
    return folder


@pytest.fixture(scope="module")
def shelf(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection of these files with copies of some of them."""
    settings = load_settings(tmp_path_factory.mktemp("home"))
    collection = Library(replace(settings, models_dir=files / "none")).create("Shelf")
    kept = [path for path in files.iterdir() if path.stem.startswith("kept")]
    others = [path for path in files.iterdir() if path not in kept]
    for paths, copy in ((kept, True), (others, False)):
        report = collection.ingest(paths, copy_original=copy, passwords=["open"])
        assert report.count("ingested") == len(paths), report
    return collection


def test_a_pdf_is_shown_as_its_page(demo: Collection) -> None:
    chunk = demo.read.chunks("Master Services Agreement.pdf")[7]
    read = Tree(view_html(demo.workspace.state(), chunk.chunk_id))
    p = chunk.provenance
    assert read.text("title").startswith(chunk.citation)
    assert chunk.citation in read.text("p", "citation")
    assert {"4", "11"} <= {*re.findall(r"\d+", read.text("p", "bar"))}
    (image,) = read.attributes("img")
    assert image["src"].startswith("data:image/png;base64,")
    assert "Master Services Agreement.pdf" in image["alt"]
    rects = read.attributes("rect")
    assert len(rects) == len(demo.read.chunk(chunk.chunk_id).provenance.line_boxes)
    policy = next(a["content"] for a in read.attributes("meta") if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline'")
    facts = read.text("dl")
    for fact in (
        chunk.chunk_id,
        chunk.provenance.document_path,
        f"{p.line_start}\u2013{p.line_end}",
    ):
        assert fact in facts


def test_lines_are_numbered_as_cited(demo: Collection) -> None:
    chunk = demo.read.chunks("Master Services Agreement.pdf")[7]
    p = chunk.provenance
    html = view_html(demo.workspace.state(), chunk.chunk_id)
    numbers = re.findall(r'<i aria-hidden="true">(\d+)</i><span>(.*?)</span>', html)
    assert [int(n) for n, _ in numbers] == list(range(p.line_start, p.line_end + 1))
    assert [text for _, text in numbers] == [x for x in chunk.text.split("\n") if x.strip()]


def test_a_document_without_pages_to_see_is_shown_as_text(demo: Collection) -> None:
    chunk = demo.read.chunks("Project Log.md")[1]
    view = open_view(demo.workspace.state(), chunk.chunk_id)
    assert view.image is None
    assert view.notes == ()
    read = Tree(page_html(view))
    assert words(read.text("mark")) == words(chunk.text)
    whole = words("".join(b.text + "\n" for b in view.page.blocks))
    tiled = words(read.text("div", "prose"))
    assert tiled == whole
    for other in demo.read.chunks("Project Log.md"):
        assert words(other.text) in whole


def words(text: str) -> str:
    return "".join(text.split())


def test_a_sheet_is_a_grid_with_its_rows_and_letters(demo: Collection) -> None:
    chunk = demo.read.chunks("Spare Parts Register.ods")[1]
    p = chunk.provenance
    assert (p.row_start, p.row_end) == (10, 16)
    html = view_html(demo.workspace.state(), chunk.chunk_id)
    letters = re.search(r'<tr class="letters">.*?</tr>', html)
    assert letters
    assert re.findall(r">([A-Z])<", letters[0]) == list("ABCDEFGH")
    rows = {
        int(number): cells
        for number, cells in re.findall(r'<th scope="row">(\d+)</th>(.*?)</tr>', html)
    }
    assert sorted(rows) == list(range(1, 17))
    on = {n: len(re.findall(r'class="[^"]*\bon\b', cells)) for n, cells in rows.items()}
    assert all(on[n] == 0 for n in range(1, 10))
    assert on[10] == 1, "only the last cell of row 10 belongs to the passage"
    assert all(on[n] == 8 for n in range(11, 17))
    assert '<td class="head short" dir="auto">Designation</td>' in rows[1]
    assert html.count('id="passage"') == 1
    assert '<tr id="passage" class="target"><th scope="row">10</th>' in html
    assert "Guide roller, polyurethane</td>" in html


def test_rows_that_are_not_certain_have_no_number(shelf: Collection) -> None:
    (chunk,) = shelf.read.chunks("gaps.xlsx")
    html = view_html(shelf.workspace.state(), chunk.chunk_id)
    assert re.findall(r'<th scope="row">(\d*)</th>', html) == ["1", "", "", "", "9"]


def test_everything_of_a_document_is_escaped(shelf: Collection) -> None:
    (chunk,) = shelf.read.chunks("<u>.xlsx")
    read = Tree(view_html(shelf.workspace.state(), chunk.chunk_id))
    assert not {tag for tag, _ in read.tags} & {"script", "img", "i", "u"}
    assert "<i>&'\"" in read.text("b")
    assert "<script>1</script>" in read.text("td")
    assert not read.values("onclick")


@pytest.mark.slow
def test_a_page_of_a_million_letters_stays_small(library, store_text) -> None:
    collection = library.create("Big")
    paragraphs = [f"{LINE.format(i)} " * 4 for i in range(900)]
    with write_session(collection.folder) as session:
        store_text(session, "big.txt", "\n\n".join(p.strip() for p in paragraphs))
    chunks = collection.read.chunks("big.txt")
    chunk = chunks[len(chunks) // 2]
    view = open_view(collection.workspace.state(), chunk.chunk_id)
    html = page_html(view)
    assert len(html) < 4 * AROUND_CHARS
    assert words(Tree(html).text("mark")) == words(chunk.text)
    assert view.page.left_out_before > 0
    assert view.page.left_out_after > 0
    for count in (view.page.left_out_before, view.page.left_out_after):
        assert f"{count:,}" in html
    assert len(view.png()) > 1000


# --- doubts and notes ----------------------------------------------------------------------


def test_doubtful_recognition_is_reported_first(demo: Collection) -> None:
    view = open_view(demo.workspace.state(), demo.read.chunks("Invoice HCS-20417.pdf")[0].chunk_id)

    def with_confidence(confidence: float) -> str:
        chunk = view.chunk
        p = replace(chunk.provenance, ocr_confidence=confidence, extraction_method="Ocr")
        window = ChunkWindow((), replace(chunk, provenance=p), ())
        return page_html(replace(view, window=window))

    low, high = with_confidence(0.41), with_confidence(0.93)
    assert "0.41" in low.partition("<main")[0]
    assert "0.93" not in high.partition("<main")[0]
    assert "0.93" in Tree(high).text("dl")


@pytest.mark.parametrize("fate", ["changed", "missing"])
def test_a_file_that_is_not_what_it_was_is_not_shown_as_the_source(
    shelf: Collection, files: Path, fate: str, messages: Any
) -> None:
    source = files / f"{fate}.pdf"
    (chunk,) = shelf.read.chunks(source.name)
    assert open_view(shelf.workspace.state(), chunk.chunk_id).image is not None
    if fate == "changed":
        pdf(source, "Something else entirely.")
    else:
        source.unlink()
    view = open_view(shelf.workspace.state(), chunk.chunk_id)
    assert view.image is None
    (note,) = view.notes
    messages(note)
    read = Tree(page_html(view))
    assert note in read.text("p", "note")
    assert words(read.text("mark")) == words(chunk.text)
    assert str(source) in read.text("dd")
    assert (source.as_uri() in read.values("href")) == (fate == "changed")
    assert facts_of(view.png())["Title"] == chunk.citation


@pytest.mark.parametrize("fate", ["changed", "missing"])
def test_the_kept_copy_takes_its_place(shelf: Collection, files: Path, fate: str) -> None:
    source = files / f"kept-{fate}.pdf"
    (chunk,) = shelf.read.chunks(source.name)
    if fate == "changed":
        pdf(source, "Something else.")
    else:
        source.unlink()
    view = open_view(shelf.workspace.state(), chunk.chunk_id)
    assert view.image is not None
    assert len(view.notes) == 1
    copy = shelf.document(source.name).original_copy
    assert copy
    (shelf.folder / copy).write_bytes(b"%PDF-1.7 damaged")
    assert open_view(shelf.workspace.state(), chunk.chunk_id).image is None


def test_a_copy_outside_the_collection_is_not_followed(shelf: Collection, files: Path) -> None:
    kept = shelf.document("kept.pdf")
    away = replace(kept, path=str(files / "gone.pdf"), original_copy="../kept.pdf")
    folder = files / "folder"
    folder.mkdir()
    assert (folder / "../kept.pdf").exists()
    assert find_source(folder, away).path is None


def test_an_attachment_is_shown_from_its_own_file(shelf: Collection, files: Path) -> None:
    kept = shelf.document("kept.pdf")
    attached = replace(kept, parent_id="p", path=f"{files}/mail.eml/kept.pdf")
    source = find_source(shelf.folder, attached)
    assert kept.original_copy
    assert source.path == shelf.folder / kept.original_copy
    assert source.note is None
    lost = find_source(shelf.folder, replace(attached, original_copy=None))
    assert lost.path is None
    assert lost.note


def test_a_protected_file_asks_for_its_password(shelf: Collection) -> None:
    (chunk,) = shelf.read.chunks("secret.pdf")
    view = open_view(shelf.workspace.state(), chunk.chunk_id)
    assert view.image is None
    assert "--password" in view.notes[0]
    opened = open_view(shelf.workspace.state(), chunk.chunk_id, password="open")
    assert opened.image is not None
    assert opened.notes == ()


# --- pictures ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Master Services Agreement.pdf", "Project Budget 2024-25.xlsx"])
def test_a_picture_says_what_it_shows(demo: Collection, name: str) -> None:
    chunk = demo.read.chunks(name)[1]
    facts = facts_of(open_view(demo.workspace.state(), chunk.chunk_id).png())
    assert (facts["Title"], facts["casetrack-chunk"]) == (chunk.citation, chunk.chunk_id)


def test_errors(demo: Collection) -> None:
    with pytest.raises(ChunkNotFound):
        open_view(demo.workspace.state(), "nothing")
    chunk = demo.read.chunks("Project Log.md")[0]
    with pytest.raises(UsageError):
        open_view(demo.workspace.state(), chunk.chunk_id, window=-1)
