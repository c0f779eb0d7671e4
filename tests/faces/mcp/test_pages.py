"""Pictures of pages: the passage is marked at its place, and a text describes the picture."""

from __future__ import annotations

import base64
import io
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from casetrack.api.viewer import page_picture as module
from casetrack.api.viewer.page_picture import MAX_BYTES, MAX_SIDE, passage_picture
from casetrack.api.viewer.source import CHUNK_FACT, facts_of
from casetrack.base.errors import FileEncrypted, FileError, ParseFailed
from casetrack.faces.mcp.uris import highlight_uri, page_uri
from casetrack.parse.render import PageImage, TextPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

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
    """Return the marked part of a text, without spaces."""
    pieces = [piece for block in text.blocks for piece in block.pieces]
    return "".join("".join(p.text for p in pieces if p.look == "mark").split())


@pytest.mark.slow
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
    document = case.document(PDF)
    for fact in (
        chunk.citation,
        f"{PDF} (ID: {p.document_id})",
        p.document_path,
        f"2 of {document.page_count}",
        highlight_uri(case.info.id, chunk.chunk_id),
    ):
        assert fact in text


@pytest.mark.slow
def test_a_page_by_number_has_no_marks(call: Callable[..., Any], paged: Library) -> None:
    case = paged.get("Case")
    document = case.document(PDF)
    ask = {"document_name": PDF, "page": 2, "collection": "Case"}
    png, text = shown(call(paged, ("get_page_image", ask)))
    assert not marked(pixels(png)).any()
    assert page_uri(case.info.id, document.document_id, 2) in text
    assert PDF in text


@pytest.mark.slow
def test_formats_without_pages_show_their_text(
    call: Callable[..., Any], paged: Library, messages: Any
) -> None:
    case = paged.get("Case")
    chunk = case.read.chunks("Amendment No 1.docx")[1]
    ask = {"chunk_id": chunk.chunk_id, "collection": "Case"}
    png, text = shown(call(paged, ("get_page_image", ask)))
    share = marked(pixels(png)).mean()
    assert 0.01 < share < 0.9, "the passage is marked, and there is more around it"
    messages(text, hide={chunk.provenance.document_path: "<path>"})


def test_a_file_that_is_not_what_it_was_is_not_shown(
    call: Callable[..., Any],
    library: Library,
    samples: Path,
    tmp_path: Path,
    texts: list[TextPage],
    messages: Any,
) -> None:
    path = Path(shutil.copy(samples / "Finance" / "Invoice HCS-20417.pdf", tmp_path))
    case = library.create("Case")
    case.ingest([path])
    chunk = case.read.chunks(path.name)[0]

    def check(what: str) -> None:
        ask = {"chunk_id": chunk.chunk_id, "collection": "Case"}
        _, text = shown(call(library, ("get_page_image", ask)))
        assert marked_in(texts.pop()) == "".join(chunk.text.split())
        messages(text, what)

    path.write_bytes(path.read_bytes() + b"\n%")
    check("changed")
    path.unlink()
    check("gone")


@pytest.mark.parametrize(
    "fault", [FileEncrypted(Path("a.pdf")), ParseFailed(Path("a.pdf"), "PDF", "it is torn")]
)
def test_what_cannot_be_drawn_is_shown_as_text(
    paged: Library, monkeypatch: pytest.MonkeyPatch, texts: list[TextPage], fault: FileError
) -> None:
    def fail(*_args: Any, **_how: Any) -> None:
        raise fault

    monkeypatch.setattr(module, "draw_page", fail)
    case = paged.get("Case")
    chunk = case.read.chunks(PDF, page=2)[1]
    picture = module.passage_picture(case.workspace.state(), chunk.chunk_id)
    assert picture.is_text
    assert picture.notes
    (text,) = texts
    assert text.title == chunk.citation
    assert text.notes[: len(picture.notes)] == picture.notes
    assert marked_in(text) == "".join(chunk.text.split()), "exactly the passage is marked"
    pieces = [piece for block in text.blocks for piece in block.pieces]
    context = sum(len(p.text) for p in pieces if p.look != "mark")
    assert 0 < context <= 2 * module._AROUND_CHARS


@pytest.mark.slow
def test_a_noisy_picture_is_made_small_enough(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (900, 800, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    png = module._fitted((tmp_path / "noise.png").read_bytes())
    rgb = pixels(png)
    assert min(rgb.shape[:2]) > 400, "still large enough to read"


NO_MENTIONS = "0b5ad5f2-3c1e-4f6a-9f57-0c7a4b1f2d3e"
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "usage", "chunk_id"),
    ({"document_name": PDF}, "usage", "page"),
    ({"page": 2}, "usage", "document_name"),
    ({"chunk_id": "x", "page": 2}, "usage", "chunk_id"),
    ({"chunk_id": "x", "document_name": PDF, "page": 2}, "usage", "chunk_id"),
    ({"chunk_id": NO_MENTIONS}, "chunk_not_found", NO_MENTIONS),
    ({"document_name": "Nothing.pdf", "page": 1}, "document_not_found", "Nothing.pdf"),
    ({"document_name": PDF, "page": 999}, "usage", "999"),
]


def test_exactly_one_way_names_a_page_that_is_there(
    call: Callable[..., Any], paged: Library, codes: list[str]
) -> None:
    result = call(
        paged, *(("get_page_image", given | {"collection": "Case"}) for given, _, _ in REFUSED)
    )
    assert codes == [code for _, code, _ in REFUSED]
    for refused, (_, _, fact) in zip(result, REFUSED, strict=True):
        assert refused.is_error
        assert fact in refused.content[0].text


def test_a_passage_of_another_collection_is_not_found(
    call: Callable[..., Any], paged: Library, codes: list[str]
) -> None:
    chunk = paged.get("Case").read.chunks(PDF)[0]
    ask = {"chunk_id": chunk.chunk_id, "collection": "Other"}
    assert call(paged, ("get_page_image", ask)).is_error
    assert codes == ["chunk_not_found"]


@pytest.fixture
def locked_pdf(tmp_path: Path) -> Path:
    """A page that opens with the password u."""
    import pymupdf

    path = tmp_path / "locked.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 90), "Harbour Holdings Ltd pays 12,500 euros.")
        pdf.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="u")
    return path


@pytest.mark.slow
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
    assert library.get("Locked").documents()[0].document_id in shown(right)[1]
    assert facts_of(shown(right)[0])
    assert "locked.pdf" in shown(wrong)[1]
    assert len(shown(wrong)[1].splitlines()) > len(shown(right)[1].splitlines()), "it has a note"
