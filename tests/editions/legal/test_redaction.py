"""Covered words are found, and words that are taken out are gone: on files made here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import docx
import pymupdf
import pytest
from docx.enum.text import WD_COLOR_INDEX
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import RGBColor

from casetrack.base.config import OcrSettings
from casetrack.base.errors import (
    CaseTrackError,
    EmptyFile,
    FileEncrypted,
    FileNotFound,
    ParseFailed,
    UnsupportedFormat,
    UsageError,
)
from casetrack.base.provenance import Box
from casetrack.editions.legal.paper.blackout import Area
from casetrack.editions.legal.redaction import hidden_text, redact
from casetrack.parse.ocr.engine import RecognizedLine, RecognizedPage, Word

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BLACK, WHITE = (0, 0, 0), (1, 1, 1)
SECRET = "Mara Quillfeather"
LINE = f"The witness {SECRET} lives in Oldport."


def _box(page: Any, words: str = SECRET) -> Any:
    return page.search_for(words)[0]


def _page(text: str = LINE, *, height: int = 842, y: int = 200) -> Any:
    page = pymupdf.open().new_page(height=height)
    page.insert_text((72, y), text, fontsize=12)
    return page


def _shaded(run: Any, color: RGBColor) -> None:
    shading = OxmlElement("w:shd")
    shading.set(qn("w:fill"), "000000")
    run._r.get_or_add_rPr().append(shading)
    run.font.color.rgb = color


def _deleted(run: Any) -> None:
    change = OxmlElement("w:del")
    run._r.addprevious(change)
    change.append(run._r)
    run._r.find(qn("w:t")).tag = qn("w:delText")


@pytest.mark.parametrize(
    ("look", "kind"),
    [
        (lambda run: setattr(run.font, "highlight_color", WD_COLOR_INDEX.BLACK), "shading"),
        (lambda run: _shaded(run, RGBColor(0, 0, 0)), "shading"),
        (lambda run: setattr(run.font, "hidden", True), "hidden"),
        (_deleted, "deleted"),
        (lambda run: setattr(run.font, "highlight_color", WD_COLOR_INDEX.YELLOW), None),
        (lambda run: _shaded(run, RGBColor(255, 255, 255)), None),
    ],
)
def test_hidden_words_of_a_docx(
    tmp_path: Path, look: Callable[[Any], None], kind: str | None
) -> None:
    document = docx.Document()
    document.add_paragraph("Nothing is hidden here.")
    paragraph = document.add_paragraph("The witness ")
    look(paragraph.add_run(SECRET))
    paragraph.add_run(" lives in Oldport.")
    document.save(str(tmp_path / "a.docx"))
    actual = [(one.text, one.cover, one.place) for one in hidden_text(tmp_path / "a.docx")]
    assert actual == ([(SECRET, kind, "para. 2")] if kind else [])


def _scan(page: Any, path: Path) -> Path:
    scan = pymupdf.open()
    picture = page.get_pixmap(dpi=200).tobytes("png")
    scan.new_page().insert_image(pymupdf.Rect(0, 0, 595, 842), stream=picture)
    scan.save(path)
    return path


@pytest.fixture(params=["stand-in", pytest.param("engine", marks=pytest.mark.needs("tesseract"))])
def scanned(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Any]:
    """Return a scan and the box of the name in it; without an engine, a fake reads it."""
    page = _page()

    def read_image(picture: Any, dpi: float, *_: object, **__: object) -> RecognizedPage:
        words = []
        for x0, y0, x1, y1, text, *_ in page.get_text("words"):
            box = [n * dpi / 72 for n in (x0, y0, x1, y1)]
            ink = picture[int(box[1]) : int(box[3]), int(box[0]) : int(box[2])] < 128
            if ink.mean() > 0.9:
                continue  # black
            words.append(Word(text, *box, 1.0, *box))
        return RecognizedPage((RecognizedLine(tuple(words), words[0].y1, 30),), "stand-in")

    if request.param == "stand-in":
        monkeypatch.setattr("casetrack.parse.ocr.read_image", read_image)
        monkeypatch.setattr("casetrack.parse.ocr.choose.choose_engine", lambda *_: None)
    return _scan(page, tmp_path / "scan.pdf"), _box(page, "Quillfeather")


def _darkness(pixmap: Any, box: Any, scale: float) -> float:
    """Return the share of black pixels in the inner part of *box*."""
    grey = pymupdf.Pixmap(pymupdf.csGRAY, pixmap)
    xs = range(int((box.x0 + 1) * scale), int((box.x1 - 1) * scale))
    ys = range(int((box.y0 + 1) * scale), int((box.y1 - 1) * scale))
    return sum(grey.pixel(x, y) == (0,) for x in xs for y in ys) / (len(xs) * len(ys))


def _ink(pixmap: Any, box: Any, scale: float) -> Any:
    """Return the box around the dark pixels in *box*: an engine reports that, not the line's."""
    xs, ys = (range(int(a * scale), int(b * scale)) for a, b in zip(box.tl, box.br, strict=True))
    dark = [(x, y) for x in xs for y in ys if sum(pixmap.pixel(x, y)) < 384]
    return (
        pymupdf.Rect(*map(min, zip(*dark, strict=True)), *map(max, zip(*dark, strict=True))) / scale
    )


@pytest.mark.slow
def test_a_picture_of_words_loses_them_too(scanned: tuple[Path, Any], tmp_path: Path) -> None:
    scan, box = scanned
    copy = tmp_path / "copy.pdf"
    made = redact(scan, copy, words=["Quillfeather"], ocr=OcrSettings())
    assert (made.pages, made.recognised, made.not_read) == ((1,), (1,), ())
    with pymupdf.open(scan) as before, pymupdf.open(copy) as after:
        box = _ink(before[0].get_pixmap(dpi=100), box, 100 / 72)
        assert _darkness(after[0].get_pixmap(dpi=100), box, 100 / 72) == 1
        (stored,) = after[0].get_images()  # the bytes of the picture, not only its display
        picture = pymupdf.Pixmap(after.extract_image(stored[0])["image"])
        assert _darkness(picture, box, picture.width / after[0].rect.width) == 1


@pytest.mark.parametrize(
    ("kind", "held", "kept"),
    [
        ("ssn", "123-45-6789", "Case 2024-45-67890"),
        ("ein", "12-3456789", "112-3456780"),
        ("email", "mara.q@old-port.example.org", "mara at oldport"),
        ("phone", "+1 (555) 010-9999", "1999-2004"),
        ("card", "4111 1111 1111 1111", "4111 1111 1111 1112"),
        ("iban", "DE89 3704 0044 0532 0130 00", "DE89 is a road"),
        ("account", "0098765432", "98765432 pieces"),
    ],
)
def test_kinds_of_numbers_are_taken_out(tmp_path: Path, kind: str, held: str, kept: str) -> None:
    page = _page(f"We have account no. {held} and {kept}.", height=60, y=30)
    page.parent.save(tmp_path / "a.pdf")
    redact(tmp_path / "a.pdf", tmp_path / "copy.pdf", kinds=[kind])
    text = pymupdf.open(tmp_path / "copy.pdf")[0].get_text()
    assert held not in text
    assert kept in text
    assert "We have account no." in text


def test_an_area_is_taken_out_whatever_it_holds(tmp_path: Path) -> None:
    page = _page(height=60, y=30)
    box = _box(page)
    page.parent.save(tmp_path / "a.pdf")
    area = Area(1, Box(*box), "", "area")
    made = redact(tmp_path / "a.pdf", tmp_path / "copy.pdf", areas=[area])
    assert made.by_reason == {"area": 1}
    assert "Quill" not in pymupdf.open(tmp_path / "copy.pdf")[0].get_text()
    with pytest.raises(UsageError) as caught:
        redact(tmp_path / "a.pdf", tmp_path / "b.pdf", areas=[Area(4, area.box, "", "area")])
    assert {"a.pdf", "4."} <= {*caught.value.message.split()}


def test_bad_input_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    page = _page()
    path, copy = tmp_path / "a.pdf", tmp_path / "b.pdf"
    page.parent.save(path)
    page.parent.save(
        tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y"
    )
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing else")
    (tmp_path / "a.txt").write_text(LINE)
    (tmp_path / "broken.docx").write_bytes(b"PK\3\4 no archive")
    (tmp_path / "there.pdf").write_bytes(b"kept")
    (tmp_path / "empty.pdf").touch()
    asked: list[tuple[dict[str, Any], Path, Path, type[CaseTrackError], str]] = [
        ({}, path, copy, UsageError, ""),
        ({"words": ["Bo"]}, path, copy, UsageError, "a.pdf"),
        ({"words": ["--"]}, path, copy, UsageError, "“--”"),
        ({"kinds": ["age"]}, path, copy, UsageError, "“age”"),
        ({"words": [SECRET]}, path, path, UsageError, "a.pdf"),
        ({"words": [SECRET]}, path, tmp_path, UsageError, "a.pdf"),
        ({"words": [SECRET]}, path, tmp_path / "there.pdf", UsageError, "there.pdf"),
        ({"words": [SECRET]}, tmp_path / "no.pdf", path, FileNotFound, "no.pdf"),
        ({"words": [SECRET]}, tmp_path / "a.txt", path, UnsupportedFormat, "a.txt"),
        ({"words": [SECRET]}, tmp_path / "broken.pdf", path, ParseFailed, "broken.pdf"),
        ({"words": [SECRET]}, tmp_path / "locked.pdf", path, FileEncrypted, "locked.pdf"),
    ]
    for named, source, target, error, messages in asked:
        with pytest.raises(error) as caught:
            redact(source, target, **named)
        assert messages in caught.value.message, named
    for name, error in [
        ("locked.pdf", FileEncrypted),
        ("a.txt", UnsupportedFormat),
        ("empty.pdf", EmptyFile),
        ("broken.docx", ParseFailed),
        ("no.pdf", FileNotFound),
    ]:
        with pytest.raises(error, match=name):
            hidden_text(tmp_path / name)
    assert (tmp_path / "there.pdf").read_bytes() == b"kept"
    assert not copy.exists()
    redact(tmp_path / "locked.pdf", copy, words=[SECRET], passwords=["x"])
    assert "Quill" not in pymupdf.open(copy)[0].get_text()
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".writing")]
