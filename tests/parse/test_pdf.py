"""PDF: reading order, whole words, paragraphs, headings, rectangles, damage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest
import reportlab
from reportlab.lib.pagesizes import letter
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from casetrack.base import errors
from tests.parse.paging import blocks, lines_of, read
from tests.parse.prose import column, prose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.parse.base import Page


def make(path: Path, draw: Callable[[Canvas], object], **options: object) -> Path:
    canvas = Canvas(str(path), pagesize=letter, invariant=1, **options)
    draw(canvas)
    canvas.save()
    return path


def page_of(path: Path) -> Page:
    return read(path)[1][0]


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("offset", [0.0, 5.0])
def test_columns_are_read_one_after_the_other(tmp_path: Path, columns: int, offset: float) -> None:
    width = (468 - 18 * (columns - 1)) / columns
    texts = [prose(7 * c, 20, int(width / 5)) for c in range(columns)]

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawCentredString(306, 740, "A Heading Across All Columns Of The Page")
        for c, text in enumerate(texts):
            column(canvas, 72 + c * (width + 18), 700 - c * offset, text)
        column(canvas, 72, 420, ["A line under all columns runs from one margin to the other"])
        canvas.drawString(300, 420, "and crosses the white gutter between the two of them.")
        canvas.drawCentredString(306, 30, "7")

    lines = lines_of(page_of(make(tmp_path / "a.pdf", draw)))
    assert lines[0] == "A Heading Across All Columns Of The Page"
    assert lines[1 : 1 + 20 * columns] == [line for text in texts for line in text]
    assert lines[-1] == "7"


def paragraphs(sizes: Sequence[int], start: int) -> list[list[str]]:
    """Return running text in paragraphs of so many lines; one line is a numbered heading."""
    return [
        prose(start + 5 * i, n, 42) if n > 1 else [f"{start + i}. Heading of its own"]
        for i, n in enumerate(sizes)
    ]


def draw_column(canvas: Canvas, x: float, texts: Sequence[Sequence[str]], top: float) -> None:
    for text in texts:
        column(canvas, x, top, text)
        top -= 12 * len(text) + 8


FULL = (2, 1, 7, 5, 1, 6, 4, 8, 1, 5, 5)


@pytest.mark.parametrize(
    "short", [(2, 1, 4), (2, 1, 7, 5, 1, 6), (2, 1, 7), (2,), (3,), (5,), (9, 1, 3)], ids=str
)
def test_a_column_that_ends_early_follows_the_full_one(
    tmp_path: Path, short: tuple[int, ...]
) -> None:
    # The first paragraphs part at the same heights on both sides, as the cells of rows would.
    left, right = paragraphs(FULL, 1), paragraphs(short, 40)

    def draw(canvas: Canvas) -> None:
        draw_column(canvas, 60, left, 720)
        draw_column(canvas, 320, right, 720)

    expected = [line for text in (*left, *right) for line in text]
    assert lines_of(page_of(make(tmp_path / "a.pdf", draw))) == expected


def test_rows_of_cells_with_several_lines_are_read_row_by_row(tmp_path: Path) -> None:
    rows = [(prose(i, 2 + i % 3, 42), prose(20 + i, 4 - i % 3, 42)) for i in range(6)]

    def draw(canvas: Canvas) -> None:
        top = 720.0
        for left, right in rows:
            column(canvas, 60, top, left)
            column(canvas, 320, top, right)
            top -= 12 * max(len(left), len(right)) + 8

    expected = [line for left, right in rows for line in (*left, *right)]
    assert lines_of(page_of(make(tmp_path / "a.pdf", draw))) == expected


def test_rows_of_tables_and_forms_stay_whole(tmp_path: Path) -> None:
    rows = [("Article", "Count", "Price"), ("Item 1", "3", "$1.50"), ("Item 2", "6", "$3.00")]
    names = ["By: ________", "Name: John Smith", "Title: CEO", "Date: today"]

    def draw(canvas: Canvas) -> None:
        for x, cells in zip((72, 280, 450), zip(*rows, strict=True), strict=True):
            column(canvas, x, 700, cells, lead=14)
        for x in (72, 330):
            column(canvas, x, 400, names, lead=16)

    page = page_of(make(tmp_path / "a.pdf", draw))
    lines = lines_of(page)
    assert lines[:3] == [" | ".join(row) for row in rows]
    assert "Name: John Smith Name: John Smith" in lines
    assert page.paragraphs[0].kind == "table"


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_rotated_pages_read_the_same_and_boxes_fit_the_page_as_shown(
    tmp_path: Path, turn: int
) -> None:
    text = prose(0, 12, 60)

    def draw(canvas: Canvas) -> None:
        # The canvas swaps the sizes of a turned page itself; keep the page as it is.
        column(canvas, 72, 560, text)
        canvas.saveState()
        canvas.translate(40, 200)
        canvas.rotate(90)
        canvas.drawString(0, 0, "upwards in the margin")
        canvas.restoreState()

    path = make(tmp_path / "a.pdf", draw)
    document = pymupdf.open(path)
    document[0].set_rotation(turn)
    document.save(tmp_path / "b.pdf")
    page = page_of(tmp_path / "b.pdf")
    assert lines_of(page) == [*text, "upwards in the margin"]
    shown = pymupdf.open(tmp_path / "b.pdf")[0]
    assert (page.width, page.height) == (shown.rect.width, shown.rect.height)
    words = [(pymupdf.Rect(w[:4]) * shown.rotation_matrix, w[4]) for w in shown.get_text("words")]
    for line in page.lines:
        assert line.box is not None
        box = pymupdf.Rect(line.box.x0, line.box.y0, line.box.x1, line.box.y1)
        inside = [w for r, w in words if pymupdf.Point((r.x0 + r.x1) / 2, (r.y0 + r.y1) / 2) in box]
        assert sorted(inside) == sorted(page.text[line.start : line.end].split())
        assert box in shown.rect


@pytest.mark.parametrize(
    ("before", "after", "elsewhere", "expected"),
    [
        ("the termi-", "nation of", "", "the termination"),
        ("the termi\u00ad", "nation of", "", "the termination"),
        ("a co\u00adoperative", "party", "", "a co-operative"),
        ("a non-", "compete clause", "", "a non-compete"),
        ("no later than thirty-", "six hours", "", "no later than thirty-six"),
        ("our up-", "stream partner", "the upstream flow", "our upstream"),
        ("a risk-", "free rate", "free of risk, bears risk free", "a risk-free"),
        ("the Anglo-", "American firm", "", "the Anglo-American"),
        ("the Trace-", "Monkey engine", "TraceMonkey runs", "the TraceMonkey"),
        ("a 12-", "month term", "", "a 12-month"),
        ("a dash -", "and more", "", "a dash -"),
        ("it ends by termi-", "nation.", "", "it ends by termination."),
    ],
)
def test_words_at_line_ends_are_whole(
    tmp_path: Path, before: str, after: str, elsewhere: str, expected: str
) -> None:
    vera = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
    pdfmetrics.registerFont(TTFont("Vera", str(vera)))

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Vera", 10)
        for i, line in enumerate([before, after, "third line", elsewhere]):
            canvas.drawString(72, 700 - 12 * i, line)

    page = page_of(make(tmp_path / "a.pdf", draw))
    lines = lines_of(page)
    assert lines[0] == expected
    # A word alone on the next line leaves the number of that line free.
    assert page.lines[1].number == (3 if after == "nation." else 2)


def test_letters_marks_and_ligatures_make_whole_words(tmp_path: Path) -> None:
    vera = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
    pdfmetrics.registerFont(TTFont("Vera", str(vera)))

    def draw(canvas: Canvas) -> None:
        def raised(mark: str) -> None:
            text.setRise(4)
            text.setFont("Helvetica", 7)
            text.textOut(mark)
            text.setRise(0)
            text.setFont("Helvetica", 12)

        text = canvas.beginText(72, 700)
        text.setFont("Helvetica", 12)
        text.setCharSpace(4)
        text.textLine("TERMINATION CLAUSE")
        text.setCharSpace(12)
        text.textLine("EXHIBIT")
        text.setCharSpace(0)
        text.textLine("A B C D are four letters")
        text.textOut("The Agreement")
        raised("12")
        text.textLine(" covers 30 m and 25 more")
        text.textOut("On the 25")
        raised("th")
        text.textLine(" day")
        text.setFont("Vera", 12)
        text.textLine("The \ufb01rst \ufb02oor")
        canvas.drawText(text)

    assert lines_of(page_of(make(tmp_path / "a.pdf", draw))) == [
        "TERMINATION CLAUSE",
        "EXHIBIT",
        "A B C D are four letters",
        "The Agreement 12 covers 30 m and 25 more",
        "On the 25th day",
        "The first floor",
    ]


@pytest.mark.parametrize(("width", "word"), [(500, "Testing"), (900, "Tes4ng"), (0, "Tes4ng")])
def test_a_ligature_without_a_character_is_read_by_its_width(
    tmp_path: Path, width: int, word: str
) -> None:
    has_encoding, width = not width, width or 500
    helvetica = pymupdf.Font("helv")
    widths = {c: round(1000 * helvetica.glyph_advance(c)) for c in range(32, 127)}
    mapped = "".join(f"<{c:02x}> <{c:04x}>\n" for c in widths if c != ord("4"))
    cmap = f"begincmap\n{len(widths) - 1} beginbfchar\n{mapped}endbfchar\nendcmap"
    listed = " ".join(map(str, (widths | {ord("4"): width}).values()))
    path = tmp_path / "a.pdf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 72), "Tes4ng of the new pages is part of the work")
        (font,) = (each[0] for each in page.get_fonts())
        pdf.update_object(map_of := pdf.get_new_xref(), "<<>>")
        pdf.update_stream(map_of, cmap.encode())
        pdf.xref_set_key(font, "ToUnicode", f"{map_of} 0 R")
        if not has_encoding:
            pdf.xref_set_key(font, "Encoding", "null")
        pdf.xref_set_key(font, "FirstChar", "32")
        pdf.xref_set_key(font, "LastChar", "126")
        pdf.xref_set_key(font, "Widths", f"[{listed}]")
        pdf.save(path)
    assert lines_of(page_of(path)) == [f"{word} of the new pages is part of the work"]


def test_gaps_jitter_and_double_strikes(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.drawString(300, 700.8, "right part")
        canvas.drawString(72, 700, "left part")
        canvas.drawString(180, 699.2, "middle")
        canvas.drawString(72, 680, "struck twice")
        canvas.drawString(72.4, 680, "struck twice")
        canvas.drawString(700, 640, "off the page")

    assert lines_of(page_of(make(tmp_path / "a.pdf", draw))) == [
        "left part middle right part",
        "struck twice",
        "Hidden text outside of the visible page: off the page",
    ]


def test_paragraphs_and_headings(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 740, "Supply Agreement")
        canvas.setFont("Helvetica-Bold", 13)
        canvas.drawString(72, 710, "1. Delivery")
        column(canvas, 72, 690, prose(0, 4, 80))
        column(canvas, 72, 690 - 4 * 12 - 8, prose(9, 3, 80))
        canvas.setFont("Helvetica-Bold", 10)
        canvas.drawString(72, 570, "1.1 Time of delivery")
        column(canvas, 72, 550, [*prose(3, 2, 80), "until the end."])
        column(canvas, 90, 514, [f"{'And ' + prose(5, 1, 70)[0]}"])
        column(canvas, 72, 502, prose(11, 2, 80))
        column(canvas, 72, 450, ["\u2022 one thing", "\u2022 another thing"], lead=13)
        canvas.setFont("Helvetica", 10)
        canvas.drawCentredString(306, 400, "ARTICLE II")
        canvas.drawCentredString(306, 386, "GENERAL TERMS")

    page = page_of(make(tmp_path / "a.pdf", draw))
    result = blocks(page)
    assert result[:2] == [("heading", 1, "Supply Agreement"), ("heading", 2, "1. Delivery")]
    assert [kind for kind, _, _ in result] == (
        ["heading", "heading", "body", "body", "heading", "body", "body", "list", "list"]
        + ["heading"] * (len(result) - 9)
    )
    assert result[4] == ("heading", 4, "1.1 Time of delivery")
    assert result[6][2].startswith("And ")
    assert "ARTICLE II" in result[9][2]


def test_the_outline_names_headings(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        column(canvas, 72, 700, ["Plain words that only the outline knows", "", *prose(0, 4, 70)])
        canvas.bookmarkPage("a")
        canvas.addOutlineEntry("Plain words that only the outline knows", "a", level=0)
        canvas.setTitle(" The  title ")
        canvas.setAuthor("Ann Lee")

    path = make(tmp_path / "a.pdf", draw)
    reading, pages = read(path)
    assert (reading.info.title, reading.info.author) == ("The title", "Ann Lee")
    assert blocks(pages[0])[0] == ("heading", 1, "Plain words that only the outline knows")


def test_damaged_files(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = make(tmp_path / "a.pdf", lambda c: column(c, 72, 700, ["words that survive"]))
    data = whole.read_bytes()
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(data[: data.rindex(b"xref")])
    reading, pages = read(cut)
    assert pages[0].text == "words that survive"
    assert len(reading.warnings) == 1
    for name, content in (("half.pdf", data[:300]), ("junk.pdf", b"%PDF-1.4\n" + b"junk " * 99)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(errors.ParseFailed, match=name):
            read(tmp_path / name)
    assert capfd.readouterr() == ("", "")


def test_reading_twice_gives_the_same_pages(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for start in range(6):
            column(canvas, 72, 700, [f"Page {start}", *prose(start, 30, 35)])
            column(canvas, 320, 690, prose(start + 5, 30, 35))
            canvas.showPage()

    path = make(tmp_path / "a.pdf", draw)
    assert read(path)[1] == read(path)[1]


def test_reading_loads_no_networks_that_nobody_asked_for() -> None:
    program = (
        "import sys\n"
        "from casetrack.parse.pdf.open import silenced\n"
        "silenced()\n"
        "loaded = {'onnxruntime', 'pymupdf4llm', 'pymupdf.layout'} & set(sys.modules)\n"
        "sys.exit(', '.join(loaded) or None)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""
    assert ended.returncode == 0
