"""Covered words are found, and words that are taken out are gone: on files made here."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import docx
import pymupdf
import pytest
from docx.enum.text import WD_COLOR_INDEX
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import RGBColor

from casetrack.config import OcrSettings
from casetrack.errors import (
    EmptyFile,
    FileEncrypted,
    FileNotFound,
    ParseFailed,
    UnsupportedFormat,
    UsageError,
)
from casetrack.legal.paper.blackout import Area
from casetrack.legal.redaction import hidden_text, redact
from casetrack.provenance import Box

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BLACK, WHITE = (0, 0, 0), (1, 1, 1)
SECRET = "Mara Quillfeather"
LINE = f"The witness {SECRET} lives in Oldport."


def _box(page: Any, words: str) -> Any:
    return page.search_for(words)[0]


def _black_box(page: Any) -> None:
    page.draw_rect(_box(page, SECRET), color=None, fill=BLACK)


def _white_box(page: Any) -> None:
    page.draw_rect(_box(page, SECRET), color=None, fill=WHITE)


def _grey_box_twice(page: Any) -> None:
    page.draw_rect(_box(page, SECRET), color=None, fill=(0.5, 0.5, 0.5))
    page.draw_rect(_box(page, SECRET), color=None, fill=(0.5, 0.5, 0.5))


def _picture(page: Any) -> None:
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 5), False)
    picture.clear_with(0)
    page.insert_image(_box(page, SECRET), pixmap=picture, keep_proportion=False)


def _note(page: Any) -> None:
    note = page.add_rect_annot(_box(page, SECRET))
    note.set_colors(stroke=BLACK, fill=BLACK)
    note.update()


def _mark(page: Any) -> None:
    page.add_redact_annot(_box(page, SECRET), fill=BLACK)


def _page(text: str = LINE, *, rotation: int = 0) -> Any:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 200), text, fontsize=12)
    page.set_rotation(rotation)
    return page


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize(
    ("cover", "kind"),
    [
        (_black_box, "box"),
        (_white_box, "box"),
        (_grey_box_twice, "box"),
        (_picture, "picture"),
        (_note, "annotation"),
        (_mark, "mark"),
    ],
)
def test_words_under_a_cover_are_found(
    tmp_path: Path, cover: Callable[[Any], None], kind: str, rotation: int
) -> None:
    page = _page()
    cover(page)
    page.set_rotation(rotation)
    page.parent.save(tmp_path / "a.pdf")
    (found,) = hidden_text(tmp_path / "a.pdf")
    assert SECRET[1:-1] in found.text  # the frame of a note leaves the edges of letters free
    assert (found.cover, found.page, found.place) == (kind, 1, "p. 1")
    assert found.box is not None
    place = found.box.y1 if rotation == 0 else 842 - found.box.x0
    assert abs(place - 200) < 8  # the line stands at 200 points from the top


def _highlighted(page: Any) -> None:
    page.add_highlight_annot(_box(page, SECRET))


def _white_on_black(page: Any) -> None:
    page.draw_rect((60, 290, 400, 320), color=None, fill=BLACK)
    page.insert_text((72, 310), "Heading in white", color=WHITE, fontsize=12)


def _thin_glass(page: Any) -> None:
    page.draw_rect(_box(page, SECRET), color=None, fill=BLACK, fill_opacity=0.4)


def _box_beside(page: Any) -> None:
    page.draw_rect((72, 400, 300, 500), color=None, fill=BLACK)


def _scan_over_its_text(page: Any) -> None:
    picture = page.get_pixmap(dpi=100)
    page.insert_image(page.rect, pixmap=picture)


def _underlined(page: Any) -> None:
    box = _box(page, SECRET)
    page.draw_line(box.bl, box.br, width=1)
    page.add_strikeout_annot(box)


@pytest.mark.parametrize(
    "look",
    [_highlighted, _white_on_black, _thin_glass, _box_beside, _scan_over_its_text, _underlined],
)
def test_what_can_be_seen_is_not_called_hidden(tmp_path: Path, look: Callable[[Any], None]) -> None:
    page = _page()
    look(page)
    page.parent.save(tmp_path / "a.pdf")
    assert hidden_text(tmp_path / "a.pdf") == []


def test_what_an_earlier_version_still_holds_is_found(tmp_path: Path) -> None:
    page = _page()
    page.parent.save(tmp_path / "a.pdf")
    document = pymupdf.open(tmp_path / "a.pdf")
    document[0].add_redact_annot(_box(document[0], SECRET), fill=BLACK)
    document[0].apply_redactions()
    document[0].clean_contents()
    document.saveIncr()
    found = hidden_text(tmp_path / "a.pdf")[-1]
    assert (found.text, found.cover, found.page) == (SECRET, "earlier version", 1)
    document.save(tmp_path / "whole.pdf", garbage=4)
    assert "earlier version" not in {one.cover for one in hidden_text(tmp_path / "whole.pdf")}


def _docx(tmp_path: Path, look: Callable[[Any], None]) -> Path:
    document = docx.Document()
    document.add_paragraph("Nothing is hidden here.")
    paragraph = document.add_paragraph("The witness ")
    look(paragraph.add_run(SECRET))
    paragraph.add_run(" lives in Oldport.")
    document.save(str(tmp_path / "a.docx"))
    return tmp_path / "a.docx"


def _black_marker(run: Any) -> None:
    run.font.highlight_color = WD_COLOR_INDEX.BLACK


def _black_shading(run: Any) -> None:
    shading = OxmlElement("w:shd")
    shading.set(qn("w:fill"), "000000")
    run._r.get_or_add_rPr().append(shading)
    run.font.color.rgb = RGBColor(0, 0, 0)


def _hidden(run: Any) -> None:
    run.font.hidden = True


def _deleted(run: Any) -> None:
    change = OxmlElement("w:del")
    run._r.addprevious(change)
    change.append(run._r)
    run._r.find(qn("w:t")).tag = qn("w:delText")


@pytest.mark.parametrize(
    ("look", "kind"),
    [
        (_black_marker, "shading"),
        (_black_shading, "shading"),
        (_hidden, "hidden"),
        (_deleted, "deleted"),
    ],
)
def test_hidden_words_of_a_docx_are_found(
    tmp_path: Path, look: Callable[[Any], None], kind: str
) -> None:
    (found,) = hidden_text(_docx(tmp_path, look))
    assert (found.text, found.cover, found.place) == (SECRET, kind, "para. 2")


def _yellow_marker(run: Any) -> None:
    run.font.highlight_color = WD_COLOR_INDEX.YELLOW


def _white_on_dark_shading(run: Any) -> None:
    _black_shading(run)
    run.font.color.rgb = RGBColor(255, 255, 255)


@pytest.mark.parametrize("look", [_yellow_marker, _white_on_dark_shading])
def test_seen_words_of_a_docx_are_not(tmp_path: Path, look: Callable[[Any], None]) -> None:
    assert hidden_text(_docx(tmp_path, look)) == []


def _everywhere(tmp_path: Path) -> Path:
    """Make a PDF that has the words in every place that a PDF has for words."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), LINE)
    page.insert_text((72, 130), "Later Mara Quill-")
    page.insert_text((72, 144), "feather spoke; MARA  QUILLFEATHER was heard.")
    page.insert_text((300, 500), LINE, rotate=90)
    page.add_freetext_annot((72, 200, 300, 220), f"Ask {SECRET}")
    note = page.add_text_annot((500, 100), f"{SECRET} again")
    note.set_info(title=SECRET)
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, "who"
    field.field_value, field.rect = SECRET, pymupdf.Rect(72, 300, 300, 320)
    page.add_widget(field)
    page.insert_link(
        {
            "kind": pymupdf.LINK_URI,
            "from": pymupdf.Rect(0, 0, 9, 9),
            "uri": f"http://x.example/{SECRET}",
        }
    )
    drawn = pymupdf.open()
    drawn.new_page(width=300, height=60).insert_text((10, 30), LINE)
    page.show_pdf_page(pymupdf.Rect(72, 400, 372, 460), drawn, 0)
    document.set_metadata({"title": f"Statement of {SECRET}", "author": SECRET})
    document.set_toc([[1, SECRET, 1]])
    document.embfile_add("a.txt", LINE.encode())
    document.save(tmp_path / "all.pdf")
    return tmp_path / "all.pdf"


def test_words_are_gone_from_every_place_of_the_copy(tmp_path: Path) -> None:
    original = _everywhere(tmp_path)
    before = original.read_bytes()
    made = redact(original, tmp_path / "copy.pdf", words=[SECRET], label="Redacted")
    assert original.read_bytes() == before
    assert made.places >= 7
    assert made.pages == (1,)
    copy = pymupdf.open(tmp_path / "copy.pdf")
    text = copy[0].get_text()
    assert "Quill" not in text.replace("\n", "")
    assert "lives in Oldport" in text  # what stands around it stays
    assert copy.embfile_count() == 0
    assert not copy.get_toc()
    for xref in range(1, copy.xref_length()):
        held = copy.xref_object(xref).encode() + (copy.xref_stream(xref) or b"")
        assert b"uillfeather" not in held
    assert hidden_text(tmp_path / "copy.pdf") == []


def test_a_picture_of_words_loses_them_too(tmp_path: Path) -> None:
    page = _page()
    picture = page.get_pixmap(dpi=200).tobytes("png")
    scan = pymupdf.open()
    scan.new_page().insert_image(pymupdf.Rect(0, 0, 595, 842), stream=io.BytesIO(picture))
    scan.save(tmp_path / "scan.pdf")
    made = redact(
        tmp_path / "scan.pdf", tmp_path / "copy.pdf", words=["Quillfeather"], ocr=OcrSettings()
    )
    assert (made.pages, made.recognised, made.not_read) == ((1,), (1,), ())
    drawn = pymupdf.open(tmp_path / "copy.pdf")[0].get_pixmap(dpi=100)
    box = _box(page, "Quillfeather")
    scale = 100 / 72
    middle = int((box.x0 + box.x1) / 2 * scale), int((box.y0 + box.y1) / 2 * scale)
    assert drawn.pixel(*middle) == (0, 0, 0)
    with pytest.raises(UsageError, match=r"Nothing .* stands in scan\.pdf\. Pages 1 could not be"):
        redact(tmp_path / "scan.pdf", tmp_path / "none.pdf", words=["Quillfeather"])


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
    page = _page(f"We have account no. {held} and {kept}.")
    page.parent.save(tmp_path / "a.pdf")
    redact(tmp_path / "a.pdf", tmp_path / "copy.pdf", kinds=[kind])
    text = pymupdf.open(tmp_path / "copy.pdf")[0].get_text()
    assert held not in text
    assert kept in text
    assert "We have account no." in text


def test_an_area_is_taken_out_whatever_it_holds(tmp_path: Path) -> None:
    page = _page()
    box = _box(page, SECRET)
    page.parent.save(tmp_path / "a.pdf")
    area = Area(1, Box(*box), "", "area")
    made = redact(tmp_path / "a.pdf", tmp_path / "copy.pdf", areas=[area])
    assert made.by_reason == {"area": 1}
    assert "Quill" not in pymupdf.open(tmp_path / "copy.pdf")[0].get_text()
    with pytest.raises(UsageError, match=r"a\.pdf has no page 4"):
        redact(tmp_path / "a.pdf", tmp_path / "b.pdf", areas=[Area(4, area.box, "", "area")])


def test_bad_input_is_told_and_loses_nothing(tmp_path: Path) -> None:
    page = _page()
    path = tmp_path / "a.pdf"
    page.parent.save(path)
    page.parent.save(
        tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y"
    )
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing else")
    (tmp_path / "a.txt").write_text(LINE)
    (tmp_path / "broken.docx").write_bytes(b"PK\3\4 no archive")
    (tmp_path / "there.pdf").write_bytes(b"kept")
    (tmp_path / "empty.pdf").touch()
    words = [SECRET]
    for run, error, said in [
        (lambda: redact(path, tmp_path / "b.pdf"), UsageError, "Nothing was named"),
        (lambda: redact(path, tmp_path / "b.pdf", words=["Bo"]), UsageError, "stands in a.pdf"),
        (lambda: redact(path, tmp_path / "b.pdf", words=["--"]), UsageError, "holds no letter"),
        (lambda: redact(path, tmp_path / "b.pdf", kinds=["age"]), UsageError, "is no kind"),
        (lambda: redact(path, path, words=words), UsageError, "over the original"),
        (lambda: redact(path, tmp_path, words=words), UsageError, "over the original"),
        (lambda: redact(path, tmp_path / "there.pdf", words=words), UsageError, "exists already"),
        (lambda: redact(tmp_path / "no.pdf", path, words=words), FileNotFound, "no.pdf"),
        (lambda: redact(tmp_path / "a.txt", path, words=words), UnsupportedFormat, "pdf"),
        (lambda: redact(tmp_path / "broken.pdf", path, words=words), ParseFailed, "broken.pdf"),
        (lambda: redact(tmp_path / "locked.pdf", path, words=words), FileEncrypted, "locked.pdf"),
        (lambda: hidden_text(tmp_path / "locked.pdf"), FileEncrypted, "locked.pdf"),
        (lambda: hidden_text(tmp_path / "a.txt"), UnsupportedFormat, "docx"),
        (lambda: hidden_text(tmp_path / "empty.pdf"), EmptyFile, "0 bytes"),
        (lambda: hidden_text(tmp_path / "broken.docx"), ParseFailed, "broken.docx"),
        (lambda: hidden_text(tmp_path / "no.pdf"), FileNotFound, "no.pdf"),
    ]:
        with pytest.raises(error, match=said):
            run()
    assert (tmp_path / "there.pdf").read_bytes() == b"kept"
    assert not (tmp_path / "b.pdf").exists()
    redact(tmp_path / "locked.pdf", tmp_path / "b.pdf", words=words, passwords=["x"])
    assert "Quill" not in pymupdf.open(tmp_path / "b.pdf")[0].get_text()
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".writing")]
