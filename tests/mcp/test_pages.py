"""Pictures of pages: the passage is marked where it stands, and the text says what is shown."""

from __future__ import annotations

import base64
import io
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from casetrack.errors import FileEncrypted, FileError, ParseFailed
from casetrack.mcp.uris import highlight_uri, page_uri, parse_uri
from casetrack.readers.render import PageImage
from casetrack.viewer import page_picture as module
from casetrack.viewer.page_picture import MAX_BYTES, MAX_SIDE, passage_picture
from casetrack.viewer.png import CHUNK_FACT, facts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.library import Library
    from casetrack.readers.render import TextPage

ERAS = ["2026-07-28", "legacy"]
pytestmark = pytest.mark.usefixtures("drawn_once")
PDF = "Master Services Agreement.pdf"
MARGIN = 6
"""Pixels by which a mark may go over its rectangle: the marker's own margin, and rounding."""


def shown(result: Any) -> tuple[bytes, str]:
    """Return the picture and the text of an answer."""
    assert not result.is_error, result.content[0].text
    assert result.structured_content is None
    image, text = result.content
    assert (image.type, image.mime_type) == ("image", "image/png")
    return base64.b64decode(image.data, validate=True), text.text


def pixels(png: bytes) -> np.ndarray:
    """Return rows of RGB."""
    image = Image.open(io.BytesIO(png))
    assert image.format == "PNG"
    assert max(image.size) <= MAX_SIDE
    assert len(png) <= MAX_BYTES + 1000
    return np.asarray(image.convert("RGB")).astype(int)


def marked(rgb: np.ndarray) -> np.ndarray:
    """Return where the marker went over white paper."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    return (red > 225) & (green > 180) & (blue < 170)


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[TextPage]:
    """Keep the texts that are to be drawn, and draw nothing: that takes a process each time."""
    kept: list[TextPage] = []

    def keep(text: TextPage) -> PageImage:
        kept.append(text)
        out = io.BytesIO()
        Image.new("RGB", (8, 8), "white").save(out, "PNG")
        return PageImage(out.getvalue(), 8.0, 8.0, 1.0)

    monkeypatch.setattr(module, "draw_text", keep)
    return kept


def marked_in(text: TextPage) -> str:
    """Return what is marked of a text, without spaces."""
    pieces = [piece for block in text.blocks for piece in block.pieces]
    return "".join("".join(p.text for p in pieces if p.look == "mark").split())


def test_the_passage_is_marked_where_it_stands(call: Callable[..., Any], paged: Library) -> None:
    case = paged.get("Case")
    chunk = case.read.chunk(case.read.chunks(PDF, page=2)[1].chunk_id)
    ask = ("get_page_image", {"chunk_id": chunk.chunk_id, "collection": "Case"})
    png, text = shown(call(paged, ask))
    rgb = pixels(png)
    p = chunk.provenance
    scale = rgb.shape[1] / p.page_width
    assert rgb.shape[0] / p.page_height == pytest.approx(scale, rel=0.01)
    allowed = np.zeros(rgb.shape[:2], dtype=bool)
    assert p.line_boxes
    for line in p.line_boxes:
        x0, y0, x1, y1 = (v * scale for v in (line.box.x0, line.box.y0, line.box.x1, line.box.y1))
        inside = marked(rgb[round(y0) : round(y1), round(x0) : round(x1)])
        assert inside.mean() > 0.5, "the line is marked, its letters aside"
        rows = slice(max(0, int(y0) - MARGIN), int(y1) + MARGIN + 1)
        allowed[rows, max(0, int(x0) - MARGIN) : int(x1) + MARGIN + 1] = True
    assert not marked(rgb)[~allowed].any(), "nothing else is"
    assert passage_picture(case.workspace.state(), chunk.chunk_id).png == png, (
        "what the facade draws"
    )
    assert facts_of(png) == {
        "Software": "CaseTrack",
        "Title": chunk.citation,
        CHUNK_FACT: chunk.chunk_id,
    }
    assert text.splitlines()[:5] == [
        f"Picture of: {chunk.citation}",
        f"Document: {PDF} (ID: {p.document_id})",
        f"Path: {p.document_path}",
        f"Page: 2 of {case.document(PDF).page_count}",
        f"Resource: {highlight_uri(case.info.id, chunk.chunk_id)}",
    ]
    assert "Note:" not in text


def test_a_page_by_number_has_no_marks(call: Callable[..., Any], paged: Library) -> None:
    case = paged.get("Case")
    document = case.document(PDF)
    ask = {"document_name": PDF, "page": 2, "collection": "Case"}
    png, text = shown(call(paged, ("get_page_image", ask)))
    assert not marked(pixels(png)).any()
    assert f"Resource: {page_uri(case.info.id, document.document_id, 2)}" in text
    assert text.startswith(f"Picture of: {PDF}, page 2\n")


@pytest.mark.parametrize("mode", ERAS)
def test_the_resource_is_the_same_picture(
    serve: Callable[..., Any], paged: Library, mode: str
) -> None:
    case = paged.get("Case")
    chunk = case.read.chunks(PDF, page=2)[1]

    async def work(client: Any) -> Any:
        ask = {"chunk_id": chunk.chunk_id, "collection": "Case"}
        result = await client.call_tool("get_page_image", ask)
        uri = next(
            line.removeprefix("Resource: ")
            for line in result.content[1].text.splitlines()
            if line.startswith("Resource: ")
        )
        parse_uri(uri)
        return shown(result)[0], (await client.read_resource(uri)).contents[0]

    png, content = serve(paged, work, mode=mode)
    assert base64.b64decode(content.blob) == png


def test_formats_without_pages_show_their_text(call: Callable[..., Any], paged: Library) -> None:
    case = paged.get("Case")
    chunk = case.read.chunks("Amendment No 1.docx")[1]
    ask = {"chunk_id": chunk.chunk_id, "collection": "Case"}
    png, text = shown(call(paged, ("get_page_image", ask)))
    share = marked(pixels(png)).mean()
    assert 0.01 < share < 0.9, "the passage is marked, and there is more around it"
    assert text.startswith("Stored text of: ")
    assert "Note: This format has no pages to see" in text


def test_a_file_that_is_not_what_it_was_is_not_shown(
    call: Callable[..., Any],
    library: Library,
    samples: Path,
    tmp_path: Path,
    texts: list[TextPage],
) -> None:
    path = Path(shutil.copy(samples / "Finance" / "Invoice HCS-20417.pdf", tmp_path))
    case = library.create("Case")
    case.ingest([path])
    chunk = case.read.chunks(path.name)[0]

    def told(note: str) -> None:
        ask = {"chunk_id": chunk.chunk_id, "collection": "Case"}
        _, text = shown(call(library, ("get_page_image", ask)))
        assert marked_in(texts.pop()) == "".join(chunk.text.split())
        assert f"Note: {note}\n" in text
        assert text.startswith("Stored text of: ")

    path.write_bytes(path.read_bytes() + b"\n%")
    told(
        "The file has changed since it was ingested. Its stored text is shown, not the page. "
        "Ingest it again to see what it says now."
    )
    path.unlink()
    told(
        "The file is no longer where it was ingested from. Its stored text is shown, not the page."
    )


@pytest.mark.parametrize(
    ("fault", "note"),
    [
        (FileEncrypted(Path("a.pdf")), "The file is protected by a password; its stored text"),
        (ParseFailed(Path("a.pdf"), "PDF", "it is torn"), "The page cannot be drawn; its stored"),
    ],
)
def test_what_cannot_be_drawn_is_shown_as_text(
    paged: Library,
    monkeypatch: pytest.MonkeyPatch,
    texts: list[TextPage],
    fault: FileError,
    note: str,
) -> None:
    def fail(*_args: Any, **_how: Any) -> None:
        raise fault

    monkeypatch.setattr(module, "draw_page", fail)
    case = paged.get("Case")
    chunk = case.read.chunks(PDF, page=2)[1]
    picture = module.passage_picture(case.workspace.state(), chunk.chunk_id)
    assert picture.is_text
    assert picture.notes[0].startswith(note)
    (text,) = texts
    assert text.title == chunk.citation
    assert text.notes[: len(picture.notes)] == picture.notes
    assert marked_in(text) == "".join(chunk.text.split()), "exactly the passage is marked"
    pieces = [piece for block in text.blocks for piece in block.pieces]
    beside = sum(len(p.text) for p in pieces if p.look != "mark")
    assert 0 < beside <= 2 * module._AROUND_CHARS


def test_a_noisy_picture_is_made_small_enough(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (900, 800, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    png = module._fitted((tmp_path / "noise.png").read_bytes())
    rgb = pixels(png)
    assert min(rgb.shape[:2]) > 400, "still large enough to read"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "No page was named"),
        ({"document_name": PDF}, "page is missing"),
        ({"page": 2}, "document_name is missing"),
        ({"chunk_id": "x", "page": 2}, "Two ways"),
        ({"chunk_id": "x", "document_name": PDF, "page": 2}, "Two ways"),
    ],
)
def test_exactly_one_way_names_a_page(
    call: Callable[..., Any], paged: Library, arguments: dict[str, Any], said: str
) -> None:
    result = call(paged, ("get_page_image", arguments | {"collection": "Case"}))
    assert result.is_error
    text = result.content[0].text
    assert said in text
    assert "chunk_id alone" in text
    assert "document_name and page together" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"chunk_id": "0b5ad5f2-3c1e-4f6a-9f57-0c7a4b1f2d3e"}, "Chunk not found"),
        ({"document_name": "Nothing.pdf", "page": 1}, "Document not found"),
        ({"document_name": PDF, "page": 999}, "has no page 999"),
        ({"document_name": PDF, "page": 0}, "page: must be a whole number of at least 1"),
    ],
)
def test_what_is_not_there_is_said(
    call: Callable[..., Any], paged: Library, arguments: dict[str, Any], said: str
) -> None:
    result = call(paged, ("get_page_image", arguments | {"collection": "Case"}))
    assert result.is_error
    assert said in result.content[0].text


def test_a_passage_of_another_collection_is_not_found(
    call: Callable[..., Any], paged: Library
) -> None:
    chunk = paged.get("Case").read.chunks(PDF)[0]
    ask = {"chunk_id": chunk.chunk_id, "collection": "Other"}
    result = call(paged, ("get_page_image", ask))
    assert result.is_error
    assert "Chunk not found" in result.content[0].text


@pytest.fixture
def locked_pdf(tmp_path: Path) -> Path:
    """A page that opens with the password u."""
    import pymupdf

    path = tmp_path / "locked.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 90), "Harbour Holdings Ltd pays 12,500 euros.")
        pdf.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="u")
    return path


def test_a_protected_page_is_seen_with_its_password(
    call: Callable[..., Any], library: Library, tmp_path: Path, locked_pdf: Path
) -> None:
    assert library.create("Locked").ingest(locked_pdf, passwords="u").count("ingested") == 1
    ask = {"document_name": "locked.pdf", "page": 1}
    wrong, right = call(
        library,
        ("get_page_image", ask | {"password": "no"}),
        ("get_page_image", ask | {"password": "u"}),
    )
    assert "protected by a password, and the one that was given does not open it" in shown(wrong)[1]
    assert shown(right)[1].startswith("Picture of: locked.pdf, page 1")
