"""PDF pages with text in pictures: selection of pages, positions of words, notes."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageDraw

from casetrack.base.config import OcrSettings
from casetrack.base.errors import OcrUnavailable
from casetrack.parse import detect, ocr
from casetrack.parse.base import Page, Reading, ReadOptions
from casetrack.parse.ocr.engine import Picture, RecognizedLine, RecognizedPage, Word
from casetrack.parse.pdf.readable import reads_as_words, with_ligatures
from tests.parse.paging import numbers

PROSE = (
    "The supplier shall deliver all goods listed below within thirty days after written notice, "
    "and every party keeps records of each delivery for at least seven years."
)
DARK = 128


@dataclass
class FakeEngine:
    """Returns solid black bars of a picture as words, and records its input."""

    given: list[tuple[Picture, float]] = field(default_factory=list)
    reason: str | None = None
    is_blind: bool = False

    def read_image(
        self, image: Picture, dpi: float, settings: OcrSettings, *, models_dir: Path | None = None
    ) -> RecognizedPage:
        self.given.append((image, dpi))
        if self.reason is not None:
            raise OcrUnavailable(self.reason, hint="Do something.")
        lines = []
        for number, (x0, y0, x1, y1) in enumerate([] if self.is_blind else bars(image), start=1):
            size = y1 - y0
            word = Word(f"word{number}", x0, y0, x1, y1, 0.8, x0, y0, x1, y1)
            lines.append(RecognizedLine((word,), y1, size))
        return RecognizedPage(tuple(lines), "fake", ("eng",), 0.8 if lines else 0.0)


def bars(image: Picture) -> list[tuple[int, int, int, int]]:
    """Return solid dark rectangles, from top to bottom; they share no rows."""
    rows = (image < DARK).sum(axis=1) > 40
    edges = np.flatnonzero(np.diff(np.concatenate([[False], rows, [False]]).astype(np.int8)))
    collected = []
    for top, bottom in zip(edges[::2], edges[1::2], strict=True):
        across = np.flatnonzero((image[top:bottom] < DARK).mean(axis=0) > 0.9)
        if bottom - top > 20 and len(across) > 40:
            collected.append((int(across[0]), int(top), int(across[-1]) + 1, int(bottom)))
    return collected


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    fake = FakeEngine()
    monkeypatch.setattr(ocr, "read_image", fake.read_image)
    return fake


@pytest.fixture
def document() -> Any:
    return pymupdf.open()


def picture(*boxes: tuple[int, int, int, int], size: tuple[int, int] = (612, 792)) -> bytes:
    """Return a white PNG with black bars, one pixel for each point."""
    image = Image.new("L", size, 255)
    for box in boxes:
        ImageDraw.Draw(image).rectangle((box[0], box[1], box[2] - 1, box[3] - 1), fill=0)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def read(path: Path, engine_name: str = "auto") -> tuple[Reading, list[Page]]:
    options = ReadOptions(ocr=OcrSettings(engine=engine_name))
    reading = detect(path).read(path, options)
    return reading, list(reading.pages)


BARS = ((72, 100, 300, 112), (100, 200, 500, 214))


def scan_page(document: Any, *boxes: tuple[int, int, int, int], where: Any = None) -> Any:
    page = document.new_page(width=612, height=792)
    page.insert_image(where or page.rect, stream=picture(*(boxes or BARS)))
    return page


def save(document: Any, path: Path) -> Path:
    document.save(path)
    document.close()
    return path


def test_a_scan_is_read(tmp_path: Path, document: Any, engine: FakeEngine) -> None:
    scan_page(document)
    reading, (page,) = read(save(document, tmp_path / "a.pdf"))
    assert (page.text.split(), page.method, page.ocr_engine) == (["word1", "word2"], "Ocr", "fake")
    assert page.ocr_confidence == pytest.approx(0.8)
    assert [line.confidence for line in page.lines] == [pytest.approx(0.8)] * 2
    assert (reading.warnings, reading.missing) == ([], [])
    ((image, dpi),) = engine.given
    assert dpi == pytest.approx(300)
    assert image.dtype == np.uint8
    assert image.shape == (3300, 2550)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (40, 60, 560, 700)])
def test_boxes_fit_the_page_as_shown(
    tmp_path: Path, document: Any, turn: int, crop: tuple[float, ...] | None
) -> None:
    page = scan_page(document)
    if crop:
        page.set_cropbox(pymupdf.Rect(crop))
    page.set_rotation(turn)
    path = save(document, tmp_path / "a.pdf")
    _, (result,) = read(path)
    shown = pymupdf.open(path)[0]
    assert (result.width, result.height) == (shown.rect.width, shown.rect.height)
    drawn = shown.get_pixmap(dpi=72, colorspace=pymupdf.csGRAY)
    ink = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.stride) < DARK
    ink = ink[:, : drawn.width]
    inside = np.zeros_like(ink)
    for line in result.lines:
        assert line.box is not None
        x0, y0, x1, y1 = (round(v) for v in (line.box.x0, line.box.y0, line.box.x1, line.box.y1))
        inside[y0:y1, x0:x1] = True
    assert result.lines
    if turn in {0, 180}:
        assert (ink & ~inside).sum() <= 0.02 * ink.sum()
    assert (inside & ~ink).sum() <= 0.1 * inside.sum()


def test_native_text_stays_and_only_the_rest_is_recognised(tmp_path: Path, document: Any) -> None:
    page = scan_page(document)
    page.insert_text((72, 40), "Received 3 March 2021", fontsize=12)
    # A bar right under native text is that text's own picture.
    page.draw_rect((72, 400, 300, 420), fill=(0, 0, 0), color=(0, 0, 0))
    page.insert_text((80, 415), "Exhibit 12, as it was filed by them", fontsize=12, color=(1, 1, 1))
    reading, (result,) = read(save(document, tmp_path / "a.pdf"))
    assert result.method == "Hybrid"
    assert result.ocr_engine == "fake"
    text = result.text.split("\n")
    assert text[0] == "Received 3 March 2021"
    assert result.text.count("Exhibit 12") == 1
    assert "word1" in result.text
    by_text = {result.text[x.start : x.end]: x.confidence for x in result.lines}
    assert by_text["Received 3 March 2021"] is None
    assert by_text["word1"] == pytest.approx(0.8)
    assert reading.missing == []


def test_a_large_picture_next_to_text_is_read_and_a_small_one_is_not(
    tmp_path: Path, document: Any, engine: FakeEngine
) -> None:
    for where in ((50, 300, 550, 750), (50, 300, 150, 400)):
        page = document.new_page(width=612, height=792)
        page.insert_textbox((72, 72, 540, 200), PROSE * 3)
        page.insert_image(where, stream=picture((10, 10, 200, 40), size=(250, 225)))
    _, pages = read(save(document, tmp_path / "a.pdf"))
    assert [page.method for page in pages] == ["Hybrid", "Native"]
    assert "word1" in pages[0].text
    assert len(engine.given) == 1


def test_an_earlier_text_layer_is_kept_if_it_reads_as_words(tmp_path: Path, document: Any) -> None:
    for text in (PROSE, shifted(PROSE * 3, 1)):
        page = scan_page(document)
        page.insert_textbox((72, 72, 540, 300), text, render_mode=3)
    _, pages = read(save(document, tmp_path / "a.pdf"))
    assert [page.method for page in pages] == ["Native", "Ocr"]
    assert "".join(pages[0].text.split()) == "".join(PROSE.split())
    assert "word1" in pages[1].text


def shifted(text: str, by: int) -> str:
    return "".join(chr(ord(c) + by) if c != " " else c for c in text)


NAMES = "Quinlan White Strategic Partners Managing Member Avenue Street Road Mall Center Drive " * 4
CODES = "AX-12 BRK STL 3MM M8x20 DIN 933 ZN 8.8 PCS KG 12.50 RAL 7016 " * 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PROSE, True),
        (shifted(PROSE * 2, -29), False),
        ("\ue001\ue002\ue003 \ue004\ue005", False),
        ("\x01\x02\x03\x04 \x05\x06", False),
        ("\ufffd" * 20 + "abc", False),
        ("\uf0b7 one thing \uf0b7 another", True),
        (NAMES, True),
        (CODES, True),
        ("1,250 3,400 12.5% (44) 2019 2020 " * 20, True),
        ("Договор поставки вступает в силу со дня его подписания сторонами. " * 3, True),
        ("本契約は、両当事者の署名の日から効力を生じる。" * 5, True),
        ("", True),
    ],
)
def test_text_that_reads_as_words(text: str, expected: bool) -> None:
    assert reads_as_words([text]) is expected


def test_letters_that_stand_for_others_are_read_from_the_picture(
    tmp_path: Path, document: Any
) -> None:
    page = document.new_page(width=612, height=792)
    page.insert_textbox((72, 300, 540, 500), shifted(PROSE * 3, 1).replace("\x7f", ""))
    page.draw_rect((72, 100, 300, 112), fill=(0, 0, 0))
    _, (result,) = read(save(document, tmp_path / "a.pdf"))
    assert result.method == "Ocr"
    assert result.text.startswith("word1")
    assert "uif" not in result.text.lower()


def test_letters_that_stand_for_others_and_cannot_be_read(
    tmp_path: Path, document: Any, engine: FakeEngine, messages: Callable[..., None]
) -> None:
    document.new_page().insert_textbox((72, 72, 540, 500), shifted(PROSE, 1), fontsize=6)
    engine.is_blind = True
    reading, (result,) = read(save(document, tmp_path / "a.pdf"))
    assert (result.text, result.method) == ("", "Skipped")
    messages("\n".join(reading.missing))


def lost_line(path: Path) -> Path:
    """Write a page of prose, and a line in a font that calls each of its letters U+FFFD."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_textbox((72, 60, 540, 120), PROSE)
    page.insert_font("F9", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_text((72, 140), "The price is forty dollars", fontname="F9")
    signs = "\n".join(f"<{sign:04x}> <fffd>" for sign in range(200))
    table = (
        f"1 begincodespacerange <0000> <ffff> endcodespacerange 200 beginbfchar {signs} endbfchar"
    )
    for number in range(1, document.xref_length()):
        kind, value = document.xref_get_key(number, "ToUnicode")
        if kind == "xref":
            document.update_stream(int(value.split()[0]), f"{table} endbfchar".encode())
    return save(document, path)


def test_a_line_of_replacement_signs_is_read(tmp_path: Path, engine: FakeEngine) -> None:
    path = lost_line(tmp_path / "a.pdf")
    (page,) = pymupdf.open(path)
    page.draw_rect((72, 130, 220, 142), fill=(0, 0, 0))
    page.parent.saveIncr()
    reading, (result,) = read(path)
    assert result.text.split() == [*PROSE.split(), "word1"]
    assert (result.method, reading.missing) == ("Hybrid", [])
    ((image, _),) = engine.given
    assert (image[: round(120 * 300 / 72)] > DARK).all()


@pytest.mark.parametrize("reason", [None, "OCR is off."], ids=["blind", "off"])
def test_a_line_of_replacement_signs_that_cannot_be_read_is_said(
    tmp_path: Path, engine: FakeEngine, messages: Callable[..., None], reason: str | None
) -> None:
    engine.is_blind, engine.reason = True, reason
    reading, (result,) = read(lost_line(tmp_path / "a.pdf"))
    assert result.text.split()[: len(PROSE.split())] == PROSE.split()
    messages("\n".join(reading.missing))


def test_text_outside_of_the_page_is_marked_as_hidden(tmp_path: Path, document: Any) -> None:
    page = document.new_page(width=400, height=400)
    page.insert_text((50, 100), "Seen by everybody")
    page.insert_text((50, -50), "Above the sheet")
    page.insert_text((350, 200), "Half of it runs over the edge")
    page.insert_text((50, 300), "Cut away")
    page.set_cropbox(pymupdf.Rect(0, 0, 400, 250))
    page.set_rotation(90)
    reading, (result,) = read(save(document, tmp_path / "a.pdf"))
    seen, _, hidden = result.text.partition("Hidden text outside of the visible page: ")
    assert "Seen by everybody" in seen
    assert "edge" not in seen
    assert hidden.split("\n") == ["Above the sheet", "Half of it runs over the edge", "Cut away"]
    assert [line.box for line in result.lines[-3:]] == [None] * 3
    assert reading.missing == []


def test_one_sentence_says_which_pages_were_not_read(
    tmp_path: Path, document: Any, engine: FakeEngine
) -> None:
    engine.reason = "OCR is switched off."
    document.new_page().insert_text((72, 72), PROSE)
    for _ in range(3):
        scan_page(document)
    document.new_page()
    scan_page(document).insert_text((72, 40), "Received")
    reading, pages = read(save(document, tmp_path / "a.pdf"))
    assert [page.method for page in pages] == ["Native", *3 * ["Skipped"], "Skipped", "Native"]
    (missing,) = reading.missing
    assert "2-4, 6" in missing
    assert reading.warnings == []
    # Without an engine, no further page is drawn for it.
    assert len(engine.given) == 1


def test_fonts_and_pictures_that_were_not_read(
    tmp_path: Path, document: Any, engine: FakeEngine, messages: Callable[..., None]
) -> None:
    engine.reason = "Engines are missing."
    scan_page(document)
    document.new_page().insert_textbox((72, 72, 540, 500), shifted(PROSE * 3, 1))
    page = scan_page(document)
    page.insert_textbox((72, 300, 540, 500), PROSE * 3)
    reading, pages = read(save(document, tmp_path / "a.pdf"))
    messages("\n".join([*reading.missing, *reading.warnings]))
    assert (len(reading.missing), len(reading.warnings)) == (1, 1)
    assert [bool(page.text) for page in pages] == [False, False, True]


def test_blank_pages_and_photos_are_not_missing(
    tmp_path: Path, document: Any, engine: FakeEngine
) -> None:
    document.new_page().insert_text((72, 72), PROSE)
    document.new_page()
    document.new_page().draw_rect((0, 0, 612, 792), fill=(1, 1, 1), color=(1, 1, 1))
    scan_page(document, (300, 300, 308, 304))
    reading, pages = read(save(document, tmp_path / "a.pdf"))
    assert [page.method for page in pages] == ["Native", "Skipped", "Skipped", "Skipped"]
    assert reading.missing == []
    (warning,) = reading.warnings
    assert numbers(warning) == ["4"]
    assert len(engine.given) == 1


def test_a_document_of_blank_pages_says_so(
    tmp_path: Path, document: Any, engine: FakeEngine
) -> None:
    document.new_page()
    reading, (page,) = read(save(document, tmp_path / "a.pdf"))
    assert (page.text, len(reading.warnings)) == ("", 1)
    assert engine.given == []


@pytest.mark.slow
def test_running_heads_of_scans(tmp_path: Path, document: Any) -> None:
    for number in range(5):
        top = 100 + 10 * number
        scan_page(document, (72, 30, 300, 42), (72, top, 500, top + 12), (72, 700, 400, 712))
    _, pages = read(save(document, tmp_path / "a.pdf"))
    # Pictures are read in their turn, so a head is known from its third page on.
    assert [page.header for page in pages] == [None, None, "word1", "word1", "word1"]


def test_huge_pages_are_drawn_smaller(tmp_path: Path, document: Any, engine: FakeEngine) -> None:
    page = document.new_page(width=5000, height=4000)
    page.draw_rect((500, 500, 2000, 700), fill=(0, 0, 0))
    _, (result,) = read(save(document, tmp_path / "a.pdf"))
    ((image, dpi),) = engine.given
    assert 20_000_000 < image.size < 26_000_000
    assert dpi == pytest.approx(72 * image.shape[1] / 5000, rel=0.01)
    assert result.lines[0].box is not None
    assert result.lines[0].box.x0 == pytest.approx(500, abs=2)
    assert result.lines[0].box.x1 == pytest.approx(2000, abs=2)


def test_ligatures_follow_from_known_words() -> None:
    mapped = (
        "\u00e9lection, \ufffdrst bene\ufffdt, cash \u00ddow, \u00f0lings: O\ufffdce, di\ufffder"
    )
    assert (
        with_ligatures(mapped) == "\u00e9lection, first benefit, cash flow, filings: Office, differ"
    )
