"""PDF: comments, marks with notes, stamps and form fields, each with its place on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from casetrack.parse import detect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.parse.base import Page, Reading

TEXT = "The buyer shall pay within thirty days of delivery."


def read(
    folder: Path, draw: Callable[[Any, Any], object], *, rotation: int = 0
) -> tuple[Reading, list[Page]]:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), TEXT)
    page.insert_text((72, 130), "A second line of the contract stands below the first one.")
    page.set_rotation(rotation)
    draw(document, page)
    path = folder / "a.pdf"
    document.save(path, garbage=3)
    reading = detect(path).read(path)
    return reading, list(reading.pages)


def said(page: Page) -> list[str]:
    """Return the paragraphs that are no text of the page itself."""
    texts = [page.text[p.start : p.end] for p in page.paragraphs]
    return [t for t in texts if TEXT not in t and "A second line" not in t]


def marked(kind: str, words: str, note: str = "", author: str = "Ann Lee") -> Any:
    def draw(_: Any, page: Any) -> None:
        quads = page.search_for(words, quads=True)
        annotation = getattr(page, f"add_{kind}_annot")(quads)
        annotation.set_info(content=note, title=author)
        annotation.update()

    return draw


def comment(text: str, **info: str) -> Any:
    def draw(_: Any, page: Any) -> None:
        annotation = page.add_text_annot((300, 300), text)
        annotation.set_info(content=text, **info)

    return draw


def bare_stamp(document: Any, page: Any) -> None:
    stamp = page.add_stamp_annot((200, 300, 400, 360), stamp=0)
    document.xref_set_key(stamp.xref, "Name", "/NotApproved")
    document.xref_set_key(stamp.xref, "Contents", "null")
    drawing = int(document.xref_get_key(stamp.xref, "AP/N")[1].split()[0])
    document.update_stream(drawing, b"0 0 50 20 re f")


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (comment("Too long?", title="Ann Lee"), "Comment by Ann Lee: Too long?"),
        (comment("Line one\rLine two"), "Comment: Line one\nLine two"),
        (
            marked("highlight", "thirty days", "Ask for sixty."),
            'Highlight by Ann Lee of "thirty days": Ask for sixty.',
        ),
        (marked("underline", "delivery", "Which?", author=""), 'Underline of "delivery": Which?'),
        (marked("strikeout", "thirty", "sixty"), 'Struck out by Ann Lee: "thirty": sixty'),
        (marked("highlight", "thirty days"), None),
        (lambda _, p: p.add_caret_annot((200, 100)).set_info(content="net"), "Insertion: net"),
        (lambda _, p: p.add_stamp_annot((200, 300, 400, 360), stamp=0), "APPROVED"),
        (lambda _, p: p.add_freetext_annot((100, 300, 300, 330), "Paid"), "Paid"),
        (bare_stamp, "Stamp: Not approved"),
        (lambda _, p: p.add_ink_annot([[(10, 10), (50, 50)]]), None),
        (
            lambda _, p: p.add_rect_annot((70, 90, 300, 105)).set_info(content="See annex."),
            "Comment: See annex.",
        ),
    ],
)
def test_comments_and_marks_follow_the_page(
    tmp_path: Path, draw: Any, expected: str | None
) -> None:
    reading, (page,) = read(tmp_path, draw)
    assert said(page) == ([] if expected is None else [expected])
    assert reading.missing == []


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_comment_is_where_its_mark_is(tmp_path: Path, rotation: int) -> None:
    draw = marked("highlight", "thirty days", "Ask.")
    _, (page,) = read(tmp_path, draw, rotation=rotation)
    noted = next(n for n in page.lines if "Ask." in page.text[n.start : n.end])
    body = next(n for n in page.lines if TEXT in page.text[n.start : n.end])
    assert '"thirty days"' in page.text[noted.start : noted.end]
    assert noted.box is not None
    assert body.box is not None
    assert body.box.x0 <= (noted.box.x0 + noted.box.x1) / 2 <= body.box.x1
    assert body.box.y0 <= (noted.box.y0 + noted.box.y1) / 2 <= body.box.y1
    assert noted.number > body.number


def test_replies_follow_what_they_answer(tmp_path: Path) -> None:
    def draw(document: Any, page: Any) -> None:
        first = page.add_text_annot((300, 300), "Is this right?")
        for text, y in (("It is.", 100), ("No.", 50)):
            answer = page.add_text_annot((300, y), text)
            document.xref_set_key(answer.xref, "IRT", f"{first.xref} 0 R")

    _, (page,) = read(tmp_path, draw)
    assert said(page) == ["Comment: Is this right?", "Reply: No.", "Reply: It is."]


def test_rings_of_replies_and_broken_ones_end(tmp_path: Path) -> None:
    def draw(document: Any, page: Any) -> None:
        one, other = (page.add_text_annot((300, y), f"At {y}") for y in (100, 200))
        document.xref_set_key(one.xref, "IRT", f"{other.xref} 0 R")
        document.xref_set_key(other.xref, "IRT", f"{one.xref} 0 R")
        third = page.add_text_annot((300, 300), "Alone")
        document.xref_set_key(third.xref, "IRT", "9999 0 R")
        document.xref_set_key(third.xref, "Rect", "[0 0 0 0]")

    _, (page,) = read(tmp_path, draw)
    assert sorted(said(page)) == ["Comment: Alone", "Reply: At 100", "Reply: At 200"]
    assert all(line.box is not None for line in page.lines)


LANDS = [("de", "Germany"), ("fr", "France")]


def field(kind: int, name: str, value: Any, **more: Any) -> Any:
    def draw(document: Any, page: Any) -> None:
        widget = pymupdf.Widget()
        widget.field_type, widget.field_name, widget.field_value = kind, name, value
        widget.rect = pymupdf.Rect(100, 300, 300, 320)
        flags = more.pop("flags", None)
        for key, what in more.items():
            setattr(widget, key, what)
        page.add_widget(widget)
        if flags is not None:
            document.xref_set_key(widget.xref, "F", str(flags))

    return draw


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (field(pymupdf.PDF_WIDGET_TYPE_TEXT, "Name", "Jane Roe"), ["Jane Roe"]),
        (
            field(pymupdf.PDF_WIDGET_TYPE_TEXT, "Name", "Jane Roe", flags=2),
            ["Hidden form field Name: Jane Roe"],
        ),
        (
            field(pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "gdpr", True, field_label="I agree"),
            ["Form field I agree: checked"],
        ),
        (field(pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "gdpr", False), []),
        (
            field(pymupdf.PDF_WIDGET_TYPE_COMBOBOX, "Land", "de", choice_values=LANDS, flags=2),
            ["Hidden form field Land: Germany"],
        ),
    ],
)
def test_fields_say_what_was_filled_in(tmp_path: Path, draw: Any, expected: list[str]) -> None:
    _, (page,) = read(tmp_path, draw)
    messages = [text for text in said(page) if any(map(str.isalpha, text))]
    assert messages == expected


def test_a_page_of_an_annotation_alone_has_its_text(tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page().add_text_annot((50, 50), "Nothing else is here.")
    path = tmp_path / "a.pdf"
    document.save(path)
    (page,) = detect(path).read(path).pages
    assert page.text == "Comment: Nothing else is here."
    assert page.method == "Native"


def test_a_form_that_only_its_program_draws_is_no_success(tmp_path: Path) -> None:
    def draw(document: Any, _: Any) -> None:
        catalog = document.pdf_catalog()
        document.xref_set_key(catalog, "AcroForm", "<</Fields[]/XFA(form)>>")

    reading, _ = read(tmp_path, draw)
    (missing,) = reading.missing
    assert "XFA" in missing
