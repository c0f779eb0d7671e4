"""Redactions of other programs are judged by the displayed page, and copies by a second library."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import pymupdf
import pypdfium2
import pytest
from PIL import Image, ImageDraw, ImageFont

from casetrack.base.config import OcrSettings
from casetrack.base.errors import UsageError
from casetrack.editions.legal.paper import blackout, covered
from casetrack.editions.legal.paper.parts import bytes_of
from casetrack.editions.legal.redaction import hidden_text, redact
from editions.legal.redaction_cases import CASES, NAME, VISIBLE, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BLACK, WHITE = (0, 0, 0), (1, 1, 1)
SECRET, LONG = "Ida Munroe", "Ordinary words of the letter stay visible."


def saved(path: Path, draw: Callable[[Any], None], media: str = "[0 0 595 842]") -> Path:
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    document.xref_set_key(page.xref, "MediaBox", media)
    document.xref_set_key(page.xref, "CropBox", media)
    draw(document[0])
    document.save(path)
    return path


def box(page: Any, *corners: float, fill: tuple[int, int, int] = BLACK) -> None:
    page.draw_rect(pymupdf.Rect(*corners), color=None, fill=fill)


def highlighted(page: Any) -> None:
    """As a word processor draws black letters with a black highlighter: the box comes first."""
    page.insert_text((72, 100), "The witness is")
    box(page, 160, 88, 230, 104)
    page.insert_text((162, 100), SECRET)


def in_a_picture(page: Any) -> None:
    page.insert_text((72, 100), "The signature reads:")
    picture = Image.new("L", (500, 80), 255)
    ImageDraw.Draw(picture).text((20, 20), SECRET, fill=0, font=ImageFont.load_default(40))
    held = io.BytesIO()
    picture.save(held, "png")
    page.insert_image(pymupdf.Rect(72, 120, 222, 144), stream=held.getvalue())


@pytest.mark.parametrize("media", ["[0 0 595 842]", "[0 100 595 942]", "[-30 -40 565 802]"])
@pytest.mark.parametrize("turn", [0, 90])
def test_a_box_drawn_before_its_words_hides_them(tmp_path: Path, media: str, turn: int) -> None:
    path = saved(
        tmp_path / "a.pdf",
        lambda p: (highlighted(p), p.insert_text((72, 600), LONG), p.set_rotation(turn)),
        media,
    )
    (text,) = hidden_text(path)
    assert (text.text, text.cover) == (SECRET, "box")
    assert text.box is not None
    with pymupdf.open(path) as document:
        (shown,) = document[0].search_for("Munroe")
        shown = shown * document[0].rotation_matrix
    middle = (shown.tl + shown.br) / 2
    assert text.box.x0 < middle.x < text.box.x1
    assert text.box.y0 < middle.y < text.box.y1
    assert redact(path, tmp_path / "copy.pdf", words=["witness"]).covered == ()


def on_white(page: Any) -> None:
    box(page, 60, 60, 500, 140, fill=WHITE)
    page.insert_text((72, 120), "Ill III 111", fontsize=60, fontname="hebo")


def labelled(page: Any) -> None:
    """Each box carries the day of the redaction, black on black, fitted to its size."""
    for number, size in enumerate((6, 9, 12)):
        top = 100 + 60 * number
        box(page, 72, top, 72 + 8 * size, top + 2 * size)
        page.insert_text((74, top + 1.5 * size), "03/23/2019", fontsize=size)


@pytest.mark.parametrize("draw", [on_white, labelled])
def test_visible_words_and_labels_are_not_hidden(
    tmp_path: Path, draw: Callable[[Any], None]
) -> None:
    assert hidden_text(saved(tmp_path / "a.pdf", draw)) == []


def test_a_copy_is_checked_by_another_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only black is drawn over the words, no copy is left."""

    def only_black(document: Any, areas: Any, /, *, covered: Any, label: str = "") -> None:
        for area in areas:
            blackout._draw_black(document[area.page - 1], area.box, label)

    path = saved(tmp_path / "a.pdf", lambda page: page.insert_text((72, 100), SECRET))
    monkeypatch.setattr(blackout, "redact_areas", only_black)
    monkeypatch.setattr(blackout, "leftovers", lambda *_: [])
    with pytest.raises(UsageError):
        redact(path, tmp_path / "copy.pdf", words=[SECRET])
    assert not (tmp_path / "copy.pdf").exists()


def test_the_check_sees_what_a_blind_finder_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path / "a.pdf", highlighted)
    monkeypatch.setattr(covered, "_darkness", lambda *_, **__: None)
    assert hidden_text(path) == []
    copy = redact(path, tmp_path / "copy.pdf", words=["witness"])
    assert copy.left_out == ()
    assert [SECRET.replace(" ", "") in words for words in copy.covered] == [True]


WAYS = sorted({case["way"] for case in CASES.values()})


def of_way(way: str) -> list[str]:
    return [name for name, case in CASES.items() if case["way"] == way]


@pytest.mark.parametrize("way", WAYS)
def test_every_hidden_name_is_reported_and_nothing_else(tmp_path: Path, way: str) -> None:
    reported = {name: bool(hidden_text(write(name, tmp_path / "a.pdf"))) for name in of_way(way)}
    assert reported == {name: CASES[name].get("leaks", True) for name in of_way(way)}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_no_copy_has_a_hidden_name(tmp_path: Path, way: str) -> None:
    """Neither if another word is redacted, nor if the name is, where a search finds it."""
    for name in of_way(way):
        path, copy = write(name, tmp_path / "a.pdf"), tmp_path / "copy.pdf"
        is_shown, words = CASES[name].get("shown", False), CASES[name].get("name", NAME)
        if not (is_shown or CASES[name].get("leaks", True)):
            continue
        before = path.read_bytes()
        made = redact(path, copy, words=[words if is_shown else "witness"], replace=True)
        assert (made.covered, path.read_bytes() == before) == ((), True), name
        with pypdfium2.PdfDocument(copy) as document:
            text = document[0].get_textpage().get_text_range()
        assert VISIBLE in text, name
        assert not re.search(r"mun\W*roe|m u n|th\b", text.lower()), name
        with pymupdf.open(copy) as document:
            held = [b"".join(bytes_of(document, n)) for n in range(1, document.xref_length())]
        assert not [data for data in held if b"Munroe" in data], name


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["bookmark", "properties", "attachment", "hidden field"])
def test_a_name_beside_the_pages_is_left_out(tmp_path: Path, name: str) -> None:
    made = redact(write(name, tmp_path / "a.pdf"), tmp_path / "copy.pdf", words=[NAME])
    assert (made.places, [NAME in text for text in made.left_out][:1]) == (0, [True])


def test_other_forms_of_a_name_are_reported(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((72, 100), f"{SECRET} came.")
        page.insert_text((72, 130), "Ms. Munroe spoke; the MUNROE house is sold.")

    made = redact(saved(tmp_path / "a.pdf", draw), tmp_path / "copy.pdf", words=[SECRET])
    assert [("Munroe" in each, "page 1" in each) for each in made.unproved[1:]] == [(True, True)]


def test_a_very_large_page(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.pdf", highlighted, "[0 0 30000 842]")
    assert [one.text for one in hidden_text(path)] == [SECRET]
    assert redact(path, tmp_path / "copy.pdf", words=["witness"]).pages == (1,)


def test_a_page_of_an_earlier_version(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.pdf", lambda page: page.insert_text((72, 200), SECRET))
    with pymupdf.open(path) as document:
        document.new_page().insert_text((72, 200), "other words")
        document.delete_page(0)
        document.saveIncr()
    hidden = {(one.text, one.cover) for one in hidden_text(path)}
    assert hidden == {(SECRET, "earlier version"), (SECRET, "unused object")}


def test_a_name_in_a_picture_on_a_page_of_text(tmp_path: Path, models_dir: Path) -> None:
    path = saved(tmp_path / "a.pdf", in_a_picture)
    with pytest.raises(UsageError) as caught:
        redact(path, tmp_path / "copy.pdf", words=["Munroe"])
    assert " 1 " in caught.value.message, "the page that could not be read"
    unread = redact(path, tmp_path / "copy.pdf", words=["signature"])
    assert (unread.not_read, len(unread.unproved)) == ((1,), 1)
    ocr = OcrSettings("rapidocr", None)
    made = redact(path, tmp_path / "b.pdf", words=["Munroe"], ocr=ocr, models_dir=models_dir)
    assert (made.places, made.recognised, made.not_read) == (1, (1,), ())
    assert made.unproved == ()
    with pymupdf.open(tmp_path / "b.pdf") as document:
        assert "signature" in document[0].get_text()
        assert "Munroe" not in document[0].get_text()
