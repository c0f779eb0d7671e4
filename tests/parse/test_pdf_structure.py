"""PDF: running heads and feet, footnotes, quotes, headings, facts, passwords, embedded files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from casetrack.base import errors
from casetrack.base.config import ParseLimits
from casetrack.parse import detect
from casetrack.parse.base import Page, ReadOptions
from casetrack.parse.layout.running import page_number
from casetrack.parse.pdf.open import parse_date
from tests.parse.prose import column, prose


def make(
    path: Path, count: int, draw: Callable[[Canvas, int], object], **options: object
) -> list[Page]:
    canvas = Canvas(str(path), pagesize=(612, 792), invariant=1, **options)
    for number in range(1, count + 1):
        draw(canvas, number)
        canvas.showPage()
    canvas.save()
    return list(detect(path).read(path).pages)


def blocks(page: Page) -> list[tuple[str, str]]:
    return [(p.kind, page.text[p.start : p.end]) for p in page.paragraphs]


def edges(pages: list[Page]) -> list[tuple[str | None, str | None]]:
    return [(page.header, page.footer) for page in pages]


def body(canvas: Canvas, number: int) -> None:
    column(canvas, 72, 700, prose(7 * number, 40))


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 9, 60])
def test_running_lines_are_on_their_first_page_only(tmp_path: Path, count: int) -> None:
    def draw(canvas: Canvas, number: int) -> None:
        body(canvas, number)
        column(canvas, 72, 752, ["Supply Agreement", "Acme Corp. - Confidential"], 9, 11)
        canvas.drawString(500, 752, f"rev. {number}/2024")
        canvas.drawCentredString(306, 40, f"Page {number} of {count}")

    pages = make(tmp_path / "a.pdf", count, draw)
    head = "Supply Agreement rev. {}/2024 Acme Corp. - Confidential"
    assert edges(pages) == [(None, None)] + [
        (head.format(n), f"Page {n} of {count}") for n in range(2, count + 1)
    ]
    first = pages[0].text.split("\n\n")
    assert first[:2] == ["Supply Agreement rev. 1/2024", "Acme Corp. - Confidential"]
    assert first[-1] == f"Page 1 of {count}"
    assert [line.number for line in pages[0].lines] == list(range(1, 44))
    for n, page in enumerate(pages[1:], start=2):
        assert page.text.split("\n") == prose(7 * n, 40)
        assert page.lines[0].number == 1


def test_odd_and_even_pages_have_their_own(tmp_path: Path) -> None:
    def draw(canvas: Canvas, number: int) -> None:
        body(canvas, number)
        if number % 2:
            canvas.drawRightString(540, 752, f"The Merger   {number}")
        else:
            canvas.drawString(72, 752, f"{number}   Annual Report")

    result = edges(make(tmp_path / "a.pdf", 8, draw))
    assert [header for header, _ in result] == [
        *(None, None, "The Merger 3", "4 Annual Report"),
        *("The Merger 5", "6 Annual Report", "The Merger 7", "8 Annual Report"),
    ]


def test_a_head_that_only_some_chapters_have(tmp_path: Path) -> None:
    def draw(canvas: Canvas, number: int) -> None:
        body(canvas, number)
        title = f"Chapter {1 + number // 25}"
        canvas.drawString(72, 752, title)
        canvas.drawString(500, 752, str(number))

    pages = make(tmp_path / "a.pdf", 75, draw)
    # Each chapter's head stays where it comes first; all others are left out in the end.
    assert pages[0].text.startswith("Chapter 1 1\n\n")
    assert pages[60].header == "Chapter 3 61"
    assert sum("Chapter" in page.text for page in pages) <= 9


def cells(draw: Any, lines: Sequence[tuple[float, Sequence[str]]], xs: Sequence[int]) -> None:
    for y, row in lines:
        for x, word in zip(xs, row, strict=False):
            draw(x, y, word)


def header_row(canvas: Canvas, number: int) -> None:
    rows = [("Article", "Count", "Price"), *((f"Item {number}.{k}", "x", "y") for k in range(9))]
    lines = [(760 - 20 * i, row) for i, row in enumerate(rows)]
    cells(canvas.drawString, lines, (72, 280, 450))


def header_rows(canvas: Canvas, n: int) -> None:
    """Draw a table whose rows have the name of a section above them."""
    names = [(760, ("", "", "Second quarter", "", "Six months"))]
    names += [(750, ("", "2023", "2022", "2023", "2022")), (726, (f"Part {n}", *[""] * 4))]
    rows = [(712 - 14 * k, (f"Row {n}.{k}", *(f"{n}{k}{i}" for i in range(4)))) for k in range(9)]
    cells(canvas.drawRightString, [*names, *rows], range(72, 572, 100))


def heading_or_text(canvas: Canvas, number: int) -> None:
    is_first = number in {1, 7, 20}
    column(canvas, 72, 740, ["TERMS" if is_first else "Other words here."])
    column(canvas, 72, 700 if is_first else 728, prose(number, 40))


CLAUSE = "The same first clause on every page."
NO_RUNNING_LINES: dict[str, Callable[[Canvas, int], object]] = {
    "a clause at the top": lambda c, n: column(c, 72, 740, [CLAUSE, *prose(n, 40)]),
    "headings that differ": lambda c, n: (body(c, n), column(c, 72, 760, [f"Schedule {n}"])),
    "the header row of a table": header_row,
    "the header rows of a table": header_rows,
    "twice only": lambda c, n: (body(c, n), column(c, 72, 40, ["Twice"] if n in {1, 5} else [])),
    "a heading where other pages have text": heading_or_text,
    "numbers that do not count": lambda c, n: (
        body(c, n),
        c.drawString(72, 40, str(7 * n * n % 31)),
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NO_RUNNING_LINES)
def test_text_is_never_taken_for_a_running_line(tmp_path: Path, name: str) -> None:
    pages = make(tmp_path / "a.pdf", 24, NO_RUNNING_LINES[name])
    assert edges(pages) == [(None, None)] * 24


def test_pages_of_nothing_but_a_running_line(tmp_path: Path) -> None:
    def draw(canvas: Canvas, number: int) -> None:
        if number not in {3, 5}:
            body(canvas, number)
        if number != 5:
            canvas.drawString(72, 752, "Acme Corp. - Confidential")
        canvas.drawString(300, 40, f"- {number} -")

    pages = make(tmp_path / "a.pdf", 6, draw)
    assert (pages[2].text, pages[2].header) == ("Acme Corp. - Confidential\n\n- 3 -", None)
    assert (pages[4].text, pages[4].footer) == ("", "- 5 -")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("[3]", 3),
        ("Page 3 of 12", 3),
        ("iv", 4),
        ("XIX", 19),
        ("A-3", 3),
        ("3/12", 3),
        ("12.", None),
        ("12 months", None),
        ("vivid", None),
        ("iiii", None),
        ("", None),
    ],
)
def test_page_numbers(text: str, number: int | None) -> None:
    assert page_number(text) == number


def raised(
    canvas: Canvas, x: float, y: float, before: str, mark: str, after: str, size: int = 10
) -> None:
    text = canvas.beginText(x, y)
    for rise, height, words in ((0, size, before), (4, 0.6 * size, mark), (0, size, after)):
        text.setFont("Helvetica", height)
        text.setRise(rise)
        text.textOut(words)
    canvas.drawText(text)


def test_footnotes_follow_the_text(tmp_path: Path) -> None:
    def draw(canvas: Canvas, number: int) -> None:
        column(canvas, 72, 700, prose(number, 30))
        raised(canvas, 72, 330, "The price is fixed", "1", " and the term is long.")
        raised(canvas, 72, 318, "The rest follows", "2", " as set out above.")
        words = "Except as agreed in writing by both parties, and only where"
        raised(canvas, 72, 120, "", "1", words, 8)
        column(canvas, 72, 110, ["the law allows it."], 8)
        raised(canvas, 72, 100, "", "2", "See the annex.", 8)

    first = ["1 Except as agreed in writing by both parties, and only where", "the law allows it."]
    for page in make(tmp_path / "a.pdf", 2, draw):
        assert blocks(page)[-2:] == [
            ("footnote", "\n".join(first)),
            ("footnote", "2 See the annex."),
        ]
        assert "The price is fixed 1 and the term is long." in page.text


def test_footnotes_of_columns_come_after_both(tmp_path: Path) -> None:
    def draw(canvas: Canvas, _: int) -> None:
        column(canvas, 72, 700, prose(0, 40, 42))
        raised(canvas, 72, 220, "Left ends here", "1", " with a mark.")
        column(canvas, 320, 700, prose(5, 42, 42))
        raised(canvas, 72, 150, "", "1", "A note in the left column.", 8)

    page = make(tmp_path / "a.pdf", 1, draw)[0]
    assert blocks(page)[-1] == ("footnote", "1 A note in the left column.")
    assert page.text.index("Left ends here") < page.text.index(prose(5, 1, 42)[0])


def test_a_rule_or_a_mark_makes_a_footnote_and_small_print_is_none(tmp_path: Path) -> None:
    def draw(canvas: Canvas, number: int) -> None:
        column(canvas, 72, 700, prose(number, 30))
        if number == 1:
            canvas.line(72, 112, 200, 112)
            column(canvas, 72, 100, ["* Under a rule."], 8)
        else:
            column(canvas, 72, 100, ["1 Main Street, Springfield, is where we are."], 8)

    ruled, small = make(tmp_path / "a.pdf", 2, draw)
    assert blocks(ruled)[-1] == ("footnote", "* Under a rule.")
    assert [kind for kind, _ in blocks(small)] == ["body", "body"]


NOTE = ["1 Except as agreed in writing by both parties, and only where", "the law allows it."]


@pytest.mark.parametrize(
    ("mark", "size", "lines", "is_ruled", "count"),
    [
        pytest.param("1", 10, NOTE, True, 1, id="as large as the text, under a rule"),
        pytest.param("1", 10, NOTE, False, 0, id="as large as the text, a list perhaps"),
        pytest.param("2", 10, NOTE, True, 0, id="a mark that the text does not have"),
        pytest.param("a", 8, ["(a) As agreed.", "(b) As told."], False, 1, id="letters"),
        pytest.param("i", 8, ["in billions of dollars", "and more"], False, 0, id="words"),
        pytest.param("i", 8, ["in the annex, which", "goes on here."], True, 1, id="goes on"),
    ],
)
def test_what_begins_a_footnote(
    tmp_path: Path, mark: str, size: int, lines: list[str], is_ruled: bool, count: int
) -> None:
    def draw(canvas: Canvas, _: int) -> None:
        column(canvas, 72, 700, prose(0, 30))
        raised(canvas, 72, 330, "The price is fixed", mark, " and the term is long.")
        if is_ruled:
            canvas.line(72, 132, 200, 132)
        column(canvas, 72, 118, lines, size)
        # The number of the page is no text below the notes.
        column(canvas, 300, 40, ["17"])

    (page,) = make(tmp_path / "a.pdf", 1, draw)
    actual = [text for kind, text in blocks(page) if kind == "footnote"]
    assert actual == (["\n".join(lines)] if count else [])


def test_long_notes_begin_above_the_middle(tmp_path: Path) -> None:
    def draw(canvas: Canvas, number: int) -> None:
        column(canvas, 72, 740, prose(number, 10 if number == 1 else 50))
        if number == 1:
            raised(canvas, 72, 610, "The price is fixed", "1", " and the term is long.")
            column(canvas, 72, 560, ["1 Except as agreed:", *prose(3, 40, 100)], 8, 10)

    kind, text = blocks(make(tmp_path / "a.pdf", 3, draw)[0])[-1]
    assert (kind, text.count("\n")) == ("footnote", 40)


def test_a_table_in_small_type_is_no_footnote(tmp_path: Path) -> None:
    def draw(canvas: Canvas, _: int) -> None:
        column(canvas, 72, 700, prose(0, 30))
        raised(canvas, 72, 330, "The price is fixed", "1", " and the term is long.")
        for i, row in enumerate([("1 Sales", "2023", "2022"), ("Costs", "12", "14")] * 2):
            for x, cell in zip((72, 250, 400), row, strict=True):
                column(canvas, x, 150 - 10 * i, [cell], 8)
        column(canvas, 72, 106, ["1 Except as agreed."], 8)

    (page,) = make(tmp_path / "a.pdf", 1, draw)
    assert [text for kind, text in blocks(page) if kind == "footnote"] == ["1 Except as agreed."]


def test_headings_over_columns_of_words_without_typed_spaces(tmp_path: Path) -> None:
    def draw(canvas: Canvas, _: int) -> None:
        column(canvas, 72, 740, prose(1, 2, 90))
        for x in (72, 330):
            for i, line in enumerate([f"Delivery {x}", *prose(x, 30, 36)]):
                at = x
                canvas.setFont("Helvetica" if i else "Courier", 10)
                for word in line.split():
                    canvas.drawString(at, 700 - 12 * i, word)
                    at += canvas.stringWidth(word) + 4

    found = blocks(make(tmp_path / "a.pdf", 1, draw)[0])
    assert [text for kind, text in found if kind == "heading"] == ["Delivery 72", "Delivery 330"]
    assert len(found[2][1].split("\n")) == 30


def test_quotes_are_indented_on_both_sides(tmp_path: Path) -> None:
    def draw(canvas: Canvas, _: int) -> None:
        column(canvas, 72, 700, prose(0, 4, 90))
        column(canvas, 120, 640, [line.capitalize() for line in prose(3, 1, 66)] + prose(9, 3, 66))
        column(canvas, 72, 580, prose(2, 4, 90))
        # Indented on the left alone: no quote.
        column(canvas, 120, 520, [line.capitalize() for line in prose(3, 1, 82)] + prose(9, 3, 82))
        column(canvas, 72, 450, prose(2, 2, 90))

    kinds = [kind for kind, _ in blocks(make(tmp_path / "a.pdf", 1, draw)[0])]
    assert kinds == ["body", "quote", "body", "body", "body"]


def bold(canvas: Canvas, y: float, text: str) -> None:
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawString(72, y, text)


@pytest.mark.parametrize(
    ("text", "is_heading"),
    [
        ("ARTICLE IV TERM", True),
        ("Section 2.03 Payments", True),
        ("\u00a7 5 Confidential Information", True),
        ("2.1 Term.", True),
        ("WITNESSETH:", True),
        ("September 26, 2018", False),
        ("[Remainder of this page left blank]", False),
        ("*** Omitted and filed separately", False),
        ("\u201cTransporter\u201d", False),
        ("NOW THEREFORE, THE PARTIES HEREBY AGREE AS FOLLOWS:", False),
        ("Chapter 2: Delivery", True),
        ("[X] Yes [ ] No", False),
        ("Name of applicant: Day of birth:", False),
        ("Rule 16.307 Electronic file stamp.", True),
        ("Description of the incident:", True),
        ("October 30th 2012", False),
        ("Mill Road 1, Austin, Texas 78725", False),
        ("Figure 2-2: Dialog of the Wizard", False),
        ("67,845 units", False),
    ],
)
def test_headings(tmp_path: Path, text: str, is_heading: bool) -> None:
    def draw(canvas: Canvas, _: int) -> None:
        column(canvas, 72, 700, prose(0, 4))
        canvas.saveState()
        bold(canvas, 640, text)
        canvas.restoreState()
        column(canvas, 72, 610, prose(2, 4))

    by_name = {t: kind for kind, t in blocks(make(tmp_path / "a.pdf", 1, draw)[0])}
    assert by_name[text] == ("heading" if is_heading else "body")


def test_plain_numbered_titles_and_headings_in_the_margin(tmp_path: Path) -> None:
    def draw(canvas: Canvas, _: int) -> None:
        column(canvas, 72, 700, ["1.1 Product and Brand License", "Shall be", *prose(0, 4)], 10)
        column(canvas, 220, 600, prose(2, 6, 60), 10)
        canvas.setFont("Helvetica-Bold", 12)
        canvas.drawString(72, 600, "Relational Tests")

    found = blocks(make(tmp_path / "a.pdf", 1, draw)[0])
    heads = [text for kind, text in found if kind == "heading"]
    assert heads == ["1.1 Product and Brand License", "Relational Tests"]


def test_signature_blocks_and_lead_ins_are_no_headings(tmp_path: Path) -> None:
    def draw(canvas: Canvas, _: int) -> None:
        column(canvas, 72, 700, prose(0, 4))
        bold(canvas, 640, "ACME HOLDINGS, LLC")
        column(canvas, 72, 620, ["By: ____________", "Name: Ann Lee"], lead=14)
        canvas.setFont("Helvetica-Bold", 10)
        canvas.drawString(72, 560, "2.1 Term.")
        canvas.setFont("Helvetica", 10)
        canvas.drawString(
            122, 560, "The term of this agreement is three years from the date on which"
        )
        column(canvas, 72, 548, prose(4, 2))

    result = blocks(make(tmp_path / "a.pdf", 1, draw)[0])
    assert "heading" not in {kind for kind, _ in result}
    assert any(text.startswith("2.1 Term. The term of") for _, text in result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("D:20240131120000+02'00'", datetime(2024, 1, 31, 10, tzinfo=UTC)),
        ("D:20240131120000-0530", datetime(2024, 1, 31, 17, 30, tzinfo=UTC)),
        ("D:20240131120000Z", datetime(2024, 1, 31, 12, tzinfo=UTC)),
        ("20240131", datetime(2024, 1, 31, tzinfo=UTC)),
        ("D:2024", None),
        ("D:20241341", None),
        ("D:20240131120000+99'00'", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_dates(text: str | None, expected: datetime | None) -> None:
    assert parse_date(text) == expected


def test_what_a_document_says_about_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "words")
    facts = {"subject": "Terms", "keywords": "supply, goods", "creator": "A writer"}
    titles = {"title": "The title", "author": "Ann Lee", "producer": " A  maker "}
    dates = {"creationDate": "D:20240131120000+01'00'", "modDate": "nonsense"}
    document.set_metadata(facts | titles | dates)
    document.save(path)
    info = detect(path).read(path).info
    assert (info.title, info.author) == ("The title", "Ann Lee")
    assert info.created_at == datetime(2024, 1, 31, 11, tzinfo=UTC)
    assert info.modified_at is None
    assert dict(info.properties) == facts | {"producer": "A maker"}


@pytest.mark.parametrize(
    ("passwords", "opens"),
    [((), False), (("wrong", "other"), False), (("wrong", "user"), True), (("owner",), True)],
)
def test_passwords(tmp_path: Path, passwords: tuple[str, ...], opens: bool) -> None:
    path = tmp_path / "a.pdf"
    canvas = Canvas(str(path), encrypt=StandardEncryption("user", "owner"))
    canvas.drawString(72, 700, "secret")
    canvas.save()
    options = ReadOptions(passwords=passwords)
    if opens:
        assert [page.text for page in detect(path).read(path, options).pages] == ["secret"]
    else:
        with pytest.raises(errors.FileEncrypted, match=r"a\.pdf"):
            detect(path).read(path, options)


def with_files(path: Path, names: Sequence[str]) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "words")
    for name in names:
        document.embfile_add(name, f"content of {name}".encode() * 1000, ufilename=name)
    page.add_file_annot((100, 100), b"pinned content", "pinned.txt")
    document.save(path, deflate=True)


def test_embedded_files_are_copied_out(tmp_path: Path) -> None:
    path, spool = tmp_path / "a.pdf", tmp_path / "spool"
    spool.mkdir()
    with_files(path, ["one.txt", "../two.txt"])
    reading = detect(path).read(path, ReadOptions(spool=spool))
    assert [page.text for page in reading.pages] == ["words"]
    assert [a.name for a in reading.attachments] == ["one.txt", "two.txt", "pinned.txt"]
    assert reading.attachments[0].path.read_bytes() == b"content of one.txt" * 1000
    assert reading.attachments[2].path.read_bytes() == b"pinned content"
    assert reading.missing == []
    without = detect(path).read(path)
    assert list(without.pages)
    assert without.attachments == []


def test_embedded_files_have_limits(tmp_path: Path) -> None:
    path, spool = tmp_path / "a.pdf", tmp_path / "spool"
    spool.mkdir()
    document = pymupdf.open()
    document.new_page()
    document.embfile_add("bomb.txt", b"0" * 3_000_000)
    document.embfile_add("small.txt", b"small")
    document.save(path, deflate=True)
    options = ReadOptions(spool=spool, limits=ParseLimits(unpacked_mb=1))
    reading = detect(path).read(path, options)
    assert len(list(reading.pages)) == 1
    assert [a.name for a in reading.attachments] == ["small.txt"]
    (missing,) = reading.missing
    assert [word for word in ("1 MB", "unpacked_mb", "bomb.txt") if word not in missing] == []
