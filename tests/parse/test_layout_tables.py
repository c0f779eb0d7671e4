"""Tables on laid-out pages: rows, cells, headers, page breaks, and other layouts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.lib import colors
from reportlab.lib.pagesizes import landscape, letter
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from casetrack.base.provenance import Box
from casetrack.parse.layout.assemble import lay_out
from casetrack.parse.layout.blocks import Block, BlockFinder, TextProfile
from casetrack.parse.layout.columns import reading_order
from casetrack.parse.layout.lines import Vocabulary, join_line_ends, visual_lines
from casetrack.parse.layout.segments import Segment
from casetrack.parse.layout.tables_model import ColumnCarry, Rule
from casetrack.parse.pdf.extract import extract
from casetrack.parse.pdf.rules import page_rules

GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
BOOK = [
    ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
    ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
    ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
]
STRIPES = [("BACKGROUND", (0, i), (-1, i), colors.lightgrey) for i in range(1, 5, 2)]
PROSE = (
    "The supplier shall deliver all goods listed below within thirty days after written notice "
    "and every party keeps records of each delivery for at least seven years so that an auditor "
    "may inspect them at any reasonable time during business hours without further formality. "
)


def wrapped(text: str) -> Paragraph:
    return Paragraph(text, getSampleStyleSheet()["BodyText"])


def write(path: Path, *parts: object, size: tuple[float, float] = letter) -> Path:
    SimpleDocTemplate(str(path), pagesize=size, invariant=1).build(list(parts))
    return path


def pages(path: Path, turn: int = 0) -> list[list[Block]]:
    document = pymupdf.open(path)
    carry, words = ColumnCarry(), Vocabulary()
    out = []
    for index in range(document.page_count):
        document[index].set_rotation(turn)
        spans = extract(document, index)
        finder = BlockFinder(TextProfile.of(spans.segments))
        rules = page_rules(document[index], b"")[0]
        flows = [flow.segments for flow in spans.flows]
        blocks, _ = lay_out(flows, spans.loose, finder, words, rules=rules, carry=carry)
        out.append(blocks)
    return out


def tables(blocks: Sequence[Block]) -> list[tuple[str | None, list[str]]]:
    return [
        (block.header, [line.text for line in block.lines])
        for block in blocks
        if any(" | " in line.text for line in block.lines)
    ]


def laid(
    segments: Sequence[Segment], rules: Sequence[Rule] = (), carry: ColumnCarry | None = None
) -> list[Block]:
    finder = BlockFinder(TextProfile.of(segments))
    return lay_out([segments], [], finder, Vocabulary(), rules=rules, carry=carry)[0]


def segment(text: str, x: float, y: float, width: float | None = None, size: float = 10) -> Segment:
    wide = 0.5 * size * len(text) if width is None else width
    box = Box(x, y, x + wide, y + size)
    return Segment(text, x, y, x + wide, y + size, y + 0.8 * size, size, bold=False, box=box)


def cells(
    rows: Sequence[str], xs: Sequence[float], top: float = 100, lead: float = 14
) -> list[Segment]:
    return [
        segment(text.strip(), x, top + i * lead)
        for i, row in enumerate(rows)
        for text, x in zip(row.split("|"), xs, strict=False)
        if text.strip()
    ]


def join(row: Sequence[object]) -> str:
    texts = [t.text if isinstance(t, Paragraph) else str(t) for t in row]
    while texts and not texts[-1]:
        texts.pop()
    return " ".join(" | ".join(texts).split())


PLAIN = [
    ["Item", "Qty", "Price"],
    ["Bolts", "12", "3.50"],
    ["Nuts and washers", "1,200", "0.20"],
    ["Rods", "", "7.00"],
]
WORDS = [
    ["Party", "Role", "Seat"],
    ["Acme Holdings", "Seller", "Delaware"],
    ["Beta Partners", "Buyer", "New York"],
    ["Gamma Bank", "Agent", "London"],
]
LONG = [
    ["Term", "Meaning", "Ref"],
    [
        wrapped("Business Day"),
        wrapped("any day other than a Saturday, a Sunday or a day on which banks are closed"),
        "1.1",
    ],
    [
        wrapped("Affiliate of a party"),
        wrapped("any person that controls, is controlled by or is under common control"),
        "1.2",
    ],
]
STATEMENT = [
    ["", "Year ended December 31,", ""],
    ["", "2024", "2023"],
    ["Revenue", "$ 1,234", "$ 1,100"],
    ["Cost of goods sold", "(800)", "(700)"],
    ["Operating expenses:", "", ""],
    ["Research", "(100)", "(90)"],
    ["Selling", "(50)", "\u2014"],
    ["Net income", "$ 284", "$ 310"],
]
MERGED = [
    ["Region", "2024", "", "2023", ""],
    ["", "Q1", "Q2", "Q1", "Q2"],
    ["North", "1", "2", "3", "4"],
    ["South", "5", "6", "7", "8"],
]
SPANS = (((1, 0), (2, 0)), ((3, 0), (4, 0)), ((0, 0), (0, 1)))
TOP = ("VALIGN", (0, 0), (-1, -1), "TOP")
NUMBERS = ("ALIGN", (1, 0), (-1, -1), "RIGHT")


@pytest.mark.parametrize(
    ("rows", "style", "header"),
    [
        (PLAIN, GRID, "Item | Qty | Price"),
        (PLAIN, BOOK, "Item | Qty | Price"),
        (PLAIN, STRIPES, "Item | Qty | Price"),
        (PLAIN, [NUMBERS], "Item | Qty | Price"),
        (WORDS, GRID, "Party | Role | Seat"),
        (LONG, GRID, "Term | Meaning | Ref"),
        (
            STATEMENT,
            [NUMBERS, ("SPAN", (1, 0), (2, 0)), ("ALIGN", (1, 0), (2, 0), "CENTER")],
            "| Year ended December 31, / 2024 | Year ended December 31, / 2023",
        ),
        (
            MERGED,
            [*GRID, *(("SPAN", *span) for span in SPANS), TOP],
            "Region | 2024 / Q1 | 2024 / Q2 | 2023 / Q1 | 2023 / Q2",
        ),
    ],
    ids="grid booktabs stripes bare words wrapped statement merged".split(),
)
@pytest.mark.parametrize("turn", [0, 90])
def test_rows_and_header(
    tmp_path: Path, rows: list[list[object]], style: list[object], header: str, turn: int
) -> None:
    widths = [90, 200, 40] if rows is LONG else [130] + [75] * (len(rows[0]) - 1)
    table = Table(rows, style=style, colWidths=widths)
    path = write(tmp_path / "a.pdf", wrapped(PROSE), table, wrapped(PROSE))
    (blocks,) = pages(path, turn)
    assert tables(blocks) == [(header, [join(row) for row in rows])]
    assert [block.kind for block in blocks] == ["body", "table", "body"]
    # The rectangle of each row holds the words of the row, and no others.
    page = pymupdf.open(path)[0]
    page.set_rotation(turn)
    words = [(pymupdf.Rect(w[:4]) * page.rotation_matrix, w[4]) for w in page.get_text("words")]
    for line in blocks[1].lines:
        box = pymupdf.Rect(line.box.x0, line.box.y0, line.box.x1, line.box.y1)
        inside = [w for r, w in words if pymupdf.Point((r.x0 + r.x1) / 2, (r.y0 + r.y1) / 2) in box]
        assert sorted(inside) == sorted(w for w in line.text.split() if w != "|")


def bare(places: Sequence[tuple[str, float]], y: float) -> list[Segment]:
    """Place words in a line: from the left, or where a place is negative, up to it."""
    return [segment(text, x if x >= 0 else -x - 5 * len(text), y) for text, x in places]


@pytest.mark.parametrize(
    ("head", "header"),
    [
        # Names at the left over numbers that end at the right.
        ([[("Item", 60), ("Rate", 200), ("Fee", 300), ("Sum", 400)]], "Item | Rate | Fee | Sum"),
        # The first column has no name.
        ([[("Rate", 200), ("Fee", 300), ("Sum", 400)]], "| Rate | Fee | Sum"),
        # A name in the middle of several.
        (
            [
                [("Costs of a year", 285)],
                [("Item", 60), ("Rate", -255), ("Fee", -355), ("Sum", -455)],
            ],
            "Item | Costs of a year / Rate | Costs of a year / Fee | Costs of a year / Sum",
        ),
    ],
)  # fmt: skip
def test_names_without_lines_find_their_columns(
    head: list[list[tuple[str, float]]], header: str
) -> None:
    values = [("Rent", "12.5%", "1,200.00", "7"), ("Heat", "3.0%", "80.10", "12"),
              ("Taxes", "4.1%", "3,000.00", "9"), ("Total", "9.9%", "4,280.10", "28")]  # fmt: skip
    lines = [bare(line, 100 + 14 * i) for i, line in enumerate(head)]
    for label, *numbers in values:
        ends = zip(numbers, (-255, -355, -455), strict=True)
        lines.append(bare([(label, 60), *ends], 100 + 14 * len(lines)))
    actual = tables(laid([s for line in lines for s in line]))
    assert actual[0][1][-1] == "Total | 9.9% | 4,280.10 | 28"
    assert actual[0][0] == header


def test_one_run_of_amounts_is_parted_where_the_page_shows_room(tmp_path: Path) -> None:
    path = tmp_path / "runs.pdf"
    canvas = Canvas(str(path), pagesize=letter, invariant=1)
    wide = "\u00a0" * 3
    for i, run in enumerate((f"1,603,451{wide}1,499,218", "737,877 $", "12 345 678")):
        canvas.drawString(300, 700 - 20 * i, run)
    canvas.save()
    result = [
        [s.text.strip() for s in flow.segments] for flow in extract(pymupdf.open(path), 0).flows
    ]
    assert result == [["1,603,451", "1,499,218", "737,877", "$", "12 345 678"]]


def test_labels_of_several_rows_are_above_them(tmp_path: Path) -> None:
    rows = [
        ["Group", "Name", "Amount"],
        ["North", "Ann", "10"],
        ["", "Bob", "20"],
        ["", "Cid", "30"],
    ]
    spans = [("SPAN", (0, 1), (0, 3)), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")]
    (blocks,) = pages(write(tmp_path / "a.pdf", Table(rows, style=GRID + spans)))
    head = "Group | Name | Amount"
    assert tables(blocks) == [(head, [head, "North", "| Ann | 10", "| Bob | 20", "| Cid | 30"])]


def test_a_justified_line_of_long_words_is_no_table() -> None:
    words = [segment("entrepreneurship", x, 100, 80) for x in (60, 170, 280)]
    assert [b.kind for b in laid([*words, segment(PROSE[:70], 60, 114, 300)])] == ["body"]


@pytest.mark.parametrize("repeats", [0, 1])
def test_a_table_over_pages_keeps_its_header(tmp_path: Path, repeats: int) -> None:
    rows = [["Nr", "Name", "Amount"]] + [[str(i), f"Person {i}", f"{7 * i}.00"] for i in range(90)]
    table = Table(rows, style=GRID, repeatRows=repeats)
    actual = [tables(p) for p in pages(write(tmp_path / "a.pdf", wrapped(PROSE), table))]
    assert len(actual) == 3
    assert [header for page in actual for header, _ in page] == ["Nr | Name | Amount"] * 3
    lines = [line for page in actual for _, rows in page for line in rows]
    repeated = [line for line in lines if line == "Nr | Name | Amount"]
    assert len(repeated) == (3 if repeats else 1)
    assert len(lines) == len(rows) + len(repeated) - 1


def test_another_table_on_the_next_page_does_not_take_over_the_header() -> None:
    carry = ColumnCarry()
    first = cells(
        ["Item | Qty | Price", "Bolt | 12 | 3.5", "Nut | 17 | 2.5", "Rod | 9 | 1.5"], [60, 200, 300]
    )
    other = cells(["Bolt | 12", "Nut | 17.5", "Rod | 9.25", "Pin | 4"], [60, 200])
    assert tables(laid(first, carry=carry))[0][0] == "Item | Qty | Price"
    assert tables(laid(other, carry=carry))[0][0] is None
    carry.clear()
    assert carry.table is None


def test_a_table_in_one_of_two_columns_is_in_its_column(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=letter, invariant=1)
    canvas.setFont("Times-Roman", 10)
    words = PROSE.split()

    def column(x: float, y: float, count: int, mark: str) -> None:
        for i in range(count):
            line = f"{mark}{i} " + " ".join(words[(5 * i + j) % len(words)] for j in range(6))
            canvas.drawString(x, y - 12 * i, line[:40])

    column(60, 700, 12, "a")
    table = Table(
        [["Item", "Qty"], ["Bolts", "12"], ["Nuts", "17"]], style=GRID, colWidths=[120, 60]
    )
    table.wrapOn(canvas, 200, 200)
    table.drawOn(canvas, 70, 480)
    column(60, 450, 20, "b")
    column(320, 700, 41, "c")
    canvas.save()
    (blocks,) = pages(tmp_path / "a.pdf")
    text = " ".join(line.text for block in blocks for line in block.lines)
    places = [
        text.index(mark) for mark in ("a0", "a11", "Item | Qty", "Nuts | 17", "b0", "b19", "c0")
    ]
    assert places == sorted(places)


def test_right_to_left_rows_begin_at_the_right() -> None:
    name, amount = "\u05e9\u05dd", "\u05e1\u05db\u05d5\u05dd"
    david, miriam = "\u05d3\u05d5\u05d3", "\u05de\u05e8\u05d9\u05dd"
    rows = [f"{amount} | {name}", f"12.50 | {david}", f"17.00 | {miriam}"]
    xs = [100, 200]
    lines = [Rule(90, y, 300, y) for y in (96, 110, 124, 138)]
    uprights = [Rule(x, 96, x, 138) for x in (90, 190, 300)]
    ((header, result),) = tables(laid(cells(rows, xs, 98), lines + uprights))
    assert header == f"{name} | {amount}"
    assert result == [header, f"{david} | 12.50", f"{miriam} | 17.00"]


def test_text_that_runs_through_a_drawn_line_is_two_cells() -> None:
    # Cells so full that the gap between them looks like a space.
    rows = [segment("alpha beta gamma", 62, 100 + 14 * i, 80) for i in range(3)]
    rows += [segment(f"{i}7.5", 160, 100 + 14 * i) for i in range(3)]
    rules = [Rule(60, y, 200, y) for y in (98, 112, 126, 140)]
    rules += [Rule(x, 98, x, 140) for x in (60, 114, 150, 200)]
    ((_, lines),) = tables(laid(rows, rules))
    assert lines == [f"alpha beta | gamma | {i}7.5" for i in range(3)]


FORM = ["Name: | John Doe", "Address: | Main street 5", "Phone: | 555 123", "Fax: | 555 124"]
SIGNATURES = [
    "By: ________ | By: ________ | 12",
    "Name: Ann | Name: Bob | 7",
    "Title: CEO | Title: CFO | 9",
]
CONTENTS = ["1.1 | Definitions | 4", "1.2 | Grant of rights | 6", "2.1 | Fees | 9"]
CODE = ["x = 1; | // 3", "y = 2; | // 4", "f(); | return; | // 5", "g() { | } | // 6"]
LIST = ["1. | Bolts and nuts", "2. | Rods", "3. | Pins", "4. | Washers"]
LABELS = ["North America | South America", "Europe | Asia", "Africa | Oceania"]


@pytest.mark.parametrize(
    "rows",
    [FORM, SIGNATURES, CONTENTS, CODE, LIST, LABELS],
    ids="form sign toc code list pairs".split(),
)
def test_what_is_no_table_stays_as_it_was(rows: list[str]) -> None:
    segments = cells(rows, [60, 200, 340])
    assert tables(laid(segments)) == []
    assert described(laid(segments)) == described(before(segments))


def test_prose_between_rules_and_in_marked_colours_is_no_table(tmp_path: Path) -> None:
    prose = [segment(PROSE[i : i + 80], 60, 100 + i / 80 * 12, 400) for i in range(0, 240, 80)]
    across = [Rule(60, y, 460, y) for y in (95, 140)]
    marks = [Rule(100, 98, 180, 112), Rule(180, 98, 250, 112), Rule(100, 112, 180, 124)]
    for rules in (across, marks):
        assert described(laid(prose, rules)) == described(before(prose))


def before(segments: Sequence[Segment]) -> list[Block]:
    """Lay out as text without tables."""
    words = Vocabulary()
    lines = [
        line
        for region, part in enumerate(reading_order(segments))
        for line in visual_lines(part, region)
    ]
    for line in lines:
        words.add(line.text)
    join_line_ends(lines, words)
    return BlockFinder(TextProfile.of(segments)).find(lines)


def described(blocks: Sequence[Block]) -> list[tuple[str, int | None, list[str]]]:
    return [(b.kind, b.level, [line.text for line in b.lines]) for b in blocks]


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[Segment], list[Rule]]:
    """Draw cells on a jittered lattice, with holes and wide cells, and some of its lines."""
    columns, count = draw(st.integers(1, 5)), draw(st.integers(1, 9))
    width, height = draw(st.sampled_from([50, 90, 120])), draw(st.sampled_from([12, 18, 30]))
    segments = []
    for row in range(count):
        for column in range(columns):
            kind = draw(st.sampled_from(["no", "word", "number", "wide", "two"]))
            x = 50 + column * width + draw(st.sampled_from([0, 0, 3, 10]))
            y = 50 + row * height + draw(st.sampled_from([0, 0, 0, 2, 5]))
            nr = f"{row}{column}"
            if kind == "word":
                segments.append(segment(f"wo{nr}", x, y))
            elif kind == "number":
                segments.append(segment(f"{nr}.50", x, y))
            elif kind == "wide":
                segments.append(segment(f"some text ru{nr} runs far", x, y, 1.4 * width))
            elif kind == "two":
                segments += [segment(f"up{nr}", x, y), segment(f"lo{nr}", x, y + 11)]
    rules = []
    for row in range(count + 1):
        if draw(st.booleans()):
            y = 48 + row * height
            rules.append(Rule(46, y, 46 + columns * width, y))
    for column in range(columns + 1):
        if draw(st.booleans()):
            x = 46 + column * width
            rules.append(Rule(x, 48, x, 48 + draw(st.integers(1, count)) * height))
    if draw(st.booleans()):
        rules.append(Rule(46, 48, 46 + columns * width, 48 + height))
    return segments, rules


@settings(max_examples=50, deadline=None)
@given(layouts())
def test_all_text_lands_once_and_rows_hold_their_own_words(
    layout: tuple[list[Segment], list[Rule]],
) -> None:
    segments, rules = layout
    blocks = laid(segments, rules)
    text = "".join(line.text for block in blocks for line in block.lines)
    given_text = "".join(s.text for s in segments)
    assert sorted(text.replace("|", "").replace(" ", "")) == sorted(given_text.replace(" ", ""))
    for block in blocks:
        if not any(" | " in line.text for line in block.lines):
            continue
        for line in block.lines:
            for s in segments:
                middle = (s.box.y0 + s.box.y1) / 2
                beside = s.box.x0 < line.box.x1 and s.box.x1 > line.box.x0
                if beside and line.box.y0 <= middle <= line.box.y1:
                    assert s.text.split()[0] in line.text


def test_a_picture_of_lines_has_no_rules(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=landscape(letter), invariant=1)
    canvas.line(100, 100, 300, 100)
    canvas.rect(50, 200, 100, 1, stroke=0, fill=1)
    canvas.line(10, 10, 90, 60)
    canvas.setFillColorRGB(1, 1, 1)
    canvas.rect(300, 300, 100, 100, stroke=0, fill=1)
    canvas.showPage()
    for i in range(21_000):
        canvas.line(i % 500, i % 600, i % 500 + 50, i % 600)
    canvas.save()
    drawn, picture = pymupdf.open(tmp_path / "a.pdf")
    assert page_rules(drawn, b"")[0] == [
        Rule(100, pytest.approx(512), 300, pytest.approx(512)),
        Rule(50, pytest.approx(411), 150, pytest.approx(412)),
    ]
    assert page_rules(picture, b"0" * 2_000_001)[0] == []


# --- financial statements: columns recognised by their amounts --------------------------------


SIZE, LEAD, LEFT = 10.0, 13.0, 50.0
ENDS = (300.0, 400.0, 500.0, 580.0)
"""Where the amounts of each column end."""

INCOME = (
    "Revenue | $ 9,120 | $ 8,004 | $ 7,655",
    "Cost of revenue | 4,877 | 4,102 | 3,980",
    "Marketing | (1,203) | — | (88)",
    "Operating profit | 3,040 | 3,902 | 3,587",
    "Interest | | (12) | 4",
    "Profit of the year | $ 3,040 | $ 3,890 | $ 3,591",
)
YEARS = "2023 | 2022 | 2021"


def row(line: str, y: float) -> list[Segment]:
    """Draw a name and amounts that end at the right edges of their columns; signs are separate."""
    name, *amounts = (part.strip() for part in line.split("|"))
    out = [segment(name, LEFT, y)] if name else []
    for amount, end in zip(amounts, ENDS, strict=False):
        sign, _, number = amount.rpartition(" ")
        if number:
            # Brackets and percent signs hang over the end of the column.
            hang = sum(5.0 for letter in number if letter in ")%")
            out.append(segment(number, end + hang - 5 * len(number), y))
        if sign:
            out.append(segment(sign, end - 70, y))
    return out


def rows(lines: Sequence[str], top: float = 120.0) -> list[Segment]:
    """Set rows below one another."""
    return [s for i, line in enumerate(lines) for s in row(line, top + LEAD * i)]


def over(text: str, columns: Sequence[int], y: float) -> Segment:
    """Set a name in the middle of columns: amounts are up to 40 points wide."""
    middle = (ENDS[columns[0]] - 40 + ENDS[columns[-1]]) / 2
    return segment(text, middle - 2.5 * len(text), y)


def years(y: float, texts: str = YEARS) -> list[Segment]:
    """Set a name over each column."""
    return [over(text.strip(), [i], y) for i, text in enumerate(texts.split("|"))]


def line(x0: float, x1: float, y: float) -> Rule:
    """Draw a line along the text."""
    return Rule(x0, y, x1, y + 0.5)


def joined(text: str) -> str:
    """Write a row as a page's text has it: empty cells at the end are left out."""
    return " ".join(text.rstrip("| ").split())


def stripes(top: float, count: int) -> list[Rule]:
    """Shade every other row, in one piece for each cell, as spreadsheets do."""
    edges = [LEFT - 5, ENDS[0] - 75, *(end + 8 for end in ENDS[:3])]
    return [
        Rule(a, top + LEAD * i - 2, b, top + LEAD * (i + 1) - 2)
        for i in range(0, count, 2)
        for a, b in pairwise(edges)
    ]


def sums(top: float, at: Sequence[int]) -> list[Rule]:
    """Draw lines over and under the amounts of some rows."""
    return [
        line(end - 75, end + 2, top + LEAD * (i + below) - 1.5)
        for i in at
        for end in ENDS[:3]
        for below in (0, 1)
    ]


DRAWN = {
    "nothing": [],
    "every other row shaded": stripes(120, 6),
    "every other row but the first shaded": stripes(120 + LEAD, 5),
    "one column shaded": [Rule(ENDS[0] - 75, 105, ENDS[0] + 8, 200)],
    "lines at sums": sums(120, (3, 5)),
    "shades, and lines at sums": [*stripes(120, 6), *sums(120, (3, 5))],
    "a line over and under all": [line(LEFT, 590, 103), line(LEFT, 590, 120 + 6 * LEAD)],
}


@pytest.mark.parametrize("drawn", DRAWN)
def test_columns_are_recognised_by_amounts_whatever_is_drawn(drawn: str) -> None:
    blocks = laid([*years(106), *rows(INCOME)], DRAWN[drawn])
    (table,) = [block for block in blocks if block.kind == "table"]
    assert table.header == f"| {YEARS}"
    assert [n.text for n in table.lines[1:]] == [joined(text) for text in INCOME]


@pytest.mark.parametrize(
    ("above", "drawn", "header"),
    [
        # One name over all columns, tight above theirs.
        ([over("For the years ended 31 December", (0, 1, 2), 94), *years(106)], [],
         ("| For the years ended 31 December / 2023 | For the years ended 31 December / 2022 "
          "| For the years ended 31 December / 2021")),
        # The second line of a wrapped name, and a mark over one column only.
        ([over("Income", [1], 94), *years(106, "Gross | tax | Net")], [],
         "| Gross | Income tax | Net"),
        ([over("(unaudited)", [0], 94), *years(106)], [], "| (unaudited) 2023 | 2022 | 2021"),
        # A line under a name shows the extent of its columns.
        ([over("Restated", (1, 2), 90), *years(106)], [line(325, 502, 101)],
         "| 2023 | Restated / 2022 | Restated / 2021"),
        ([over("Restated", [1], 90), *years(106)], [line(325, 402, 101)],
         "| 2023 | Restated 2022 | 2021"),
        # The same holds next to backgrounds of equal height.
        ([over("Restated", (1, 2), 84), over("per", [0], 97), *years(108, "share | 2022 | 2021")],
         [line(325, 502, 97), Rule(LEFT, 82, 325, 97), Rule(LEFT, 97, 502, 118)],
         "| per share | Restated / 2022 | Restated / 2021"),
        # The pieces of a line under a name leave as little room as those of its neighbour.
        ([over("Restated", (1, 2), 90), over("Total", [0], 90), *years(106)],
         [line(255, 310, 101), line(315, 405, 101), line(411, 545, 101)],
         "| Total 2023 | Restated / 2022 | Restated / 2021"),
        # The background of a name shows it too.
        ([over("Restated", (1, 2), 90), *years(106)], [Rule(325, 88, 502, 102)],
         "| 2023 | Restated / 2022 | Restated / 2021"),
        # The number of a name below its word.
        ([over("Level", [1], 94), *years(106, "Level 1 | 2 | Total")], [],
         "| Level 1 | Level 2 | Total"),
        # Names set in lines of other heights than their neighbours'.
        ([over("Rate of", [2], 88), over("the year", [2], 96), over("in %", [2], 104),
          *years(100, "Net | Gross")], [], "| Net | Gross | Rate of the year in %"),
        # The name of the rows over two lines, the second next to the years or below them.
        ([over("Year ended", (0, 1, 2), 84), segment("In millions, except", 50, 95),
          *row("per share | 2023 | 2022 | 2021", 106)], [],
         ("In millions, except per share | Year ended / 2023 | Year ended / 2022 "
          "| Year ended / 2021")),
        ([*row("Place of | 2023 | 2022 | 2021", 95), segment("business", 50, 107)], [],
         "Place of business | 2023 | 2022 | 2021"),
        # Names of sections, and a row's long name that goes over two lines.
        ([*years(94), segment("Common stock (900 shares issued,", 50, 107)],
         [], f"| {YEARS}"),
    ],
)  # fmt: skip
def test_names_above_find_their_columns(
    above: list[Segment], drawn: list[Rule], header: str
) -> None:
    blocks = laid([*above, *rows(INCOME)], drawn)
    (table,) = [block for block in blocks if block.kind == "table"]
    assert table.header == header
    assert [n.text for n in table.lines[-6:]] == [joined(text) for text in INCOME]


def test_two_names_over_two_columns_each() -> None:
    amounts = ["Sales | 9,120 | 61.0% | 8,004 | 62.1%", "Costs | 4,877 | 39.0% | 4,102 | 37.9%",
               "Share | 6.73 | | 5.44", "Other | 12 | 0.1% | 17 | 0.2%"]  # fmt: skip
    names = [over("28 January", (0, 1), 94), over("29 January", (2, 3), 94)]
    below = [over("(unaudited)", (0, 1), 106), over("(unaudited)", (2, 3), 106)]
    (table,) = laid([*names, *below, *rows(amounts)])
    first, second = "28 January (unaudited)", "29 January (unaudited)"
    assert table.header == f"| {first} | {first} | {second} | {second}"
    assert [n.text for n in table.lines[2:]] == [joined(text) for text in amounts]


AMOUNTS = st.sampled_from(["", "—", "7", "(44)", "1,204", "$ 31", "12.5%", "(1.1)%", "$ 90,112"])


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS), min_size=3, max_size=12), st.data())
def test_each_amount_is_below_its_name(
    amounts: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    """For any missing amounts and any drawing, no amount moves into another column."""
    full = ("Sum", "$ 100,000", "$ 200,000", "$ 300,000")
    lines = [" | ".join(full)] * 2
    lines[1:1] = [f"Row {i} | " + " | ".join(row) for i, row in enumerate(amounts)]
    drawn = data.draw(st.sampled_from(sorted(DRAWN)))
    blocks = laid([*years(106), *rows(lines)], DRAWN[drawn])
    messages = [n.text for block in blocks if block.kind == "table" for n in block.lines]
    for text in lines:
        if text.count("—") < 3 and any(c.isdigit() for c in text.partition("|")[2]):
            assert joined(text) in messages


def test_rows_between_lines_have_wrapped_cells(tmp_path: Path) -> None:
    items = [[wrapped(f"<b>{name}</b>") for name in ("Item", "In these cases", "See:")]]
    items += [[str(n), wrapped(PROSE[9 * n : 9 * n + 190]), f"section {n}"] for n in range(1, 5)]
    style = [
        ("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.black),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    path = write(tmp_path / "a.pdf", Table(items, colWidths=[40, 220, 90], style=style))
    ((header, lines),) = tables(pages(path)[0])
    assert header == "Item | In these cases | See:"
    assert [line.rpartition(" | ")[2] for line in lines[1:]] == [
        f"section {n}" for n in range(1, 5)
    ]
