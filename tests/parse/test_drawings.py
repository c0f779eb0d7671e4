"""Drawings in Office files: text boxes, shapes, charts and diagrams, each at its place."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.chart import BarChart, Reference
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.chart.xmlwriter import ChartXmlWriter
from pptx.enum.chart import XL_CHART_TYPE

from casetrack.parse import detect
from casetrack.parse.base import ReadOptions
from casetrack.parse.sheets.xls_drawings import XlsDrawings
from tests.ole_container import ole
from tests.parse.odf import content, package
from tests.parse.paging import added, read, texts

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = f'xmlns:a="{DRAWING}/main" xmlns:r="{RELATION}" xmlns:c="{DRAWING}/chart"'


def chart_xml(title: str) -> str:
    made: Any = CategoryChartData
    data = made()
    data.categories = ["2023", "2024"]
    data.add_series("Sales", (12, 15))
    data.add_series("Costs", (9, 11))
    writer: Any = ChartXmlWriter
    xml: str = writer(XL_CHART_TYPE.COLUMN_CLUSTERED, data).xml
    words = f"<c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:rich></c:tx>"
    return xml.replace("<c:chart>", f"<c:chart><c:title>{words}</c:title>", 1).replace(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n", ""
    )


POINT = """<dgm:pt modelId="{0}" type="{2}"><dgm:t><a:p><a:r><a:t>{1}</a:t></a:r></a:p></dgm:t>
    </dgm:pt>"""
DIAGRAM = (
    f'<dgm:dataModel xmlns:dgm="{DRAWING}/diagram" xmlns:a="{DRAWING}/main"><dgm:ptLst>'
    + "".join(
        POINT.format(*point)
        for point in (("r", "", "doc"), ("a", "Claim", "node"), ("b", "Answer", "node"))
    )
    + '</dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="r" destId="a" srcOrd="0"/>'
    '<dgm:cxn srcId="r" destId="b" srcOrd="1"/></dgm:cxnLst></dgm:dataModel>'
)


# --- Word ----------------------------------------------------------------------------------


def word_drawing(inside: str) -> str:
    place = f"{DRAWING}/wordprocessingDrawing"
    return (
        f'<w:p><w:r><w:drawing><wp:inline {NAMES} xmlns:wp="{place}"><wp:docPr id="1" name="d" '
        'descr="A plan of the two lots and the road"/><a:graphic><a:graphicData>'
        f"{inside}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )


CHART = '<c:chart r:id="xchart"/>'
SMART = f'<dgm:relIds xmlns:dgm="{DRAWING}/diagram" r:dm="xdiagramData"/>'
PICTURE = f'<pic:pic xmlns:pic="{DRAWING}/picture"/>'
CHART_ROWS = ["Chart: Our year", "2023 | Sales: 12 | Costs: 9", "2024 | Sales: 15 | Costs: 11"]


@pytest.mark.parametrize(
    ("inside", "parts", "expected"),
    [
        (CHART, {"chart": ("word/charts/chart1.xml", chart_xml("Our year"))}, CHART_ROWS),
        (
            SMART,
            {"diagramData": ("word/diagrams/data1.xml", DIAGRAM)},
            ["\u2022 Claim", "\u2022 Answer"],
        ),
        (PICTURE, {}, []),
    ],
)
@pytest.mark.parametrize("in_cell", [False, True])
def test_drawings_in_documents_follow_their_paragraph(
    tmp_path: Path, inside: str, parts: dict[str, Any], expected: list[str], *, in_cell: bool
) -> None:
    path = tmp_path / "a.docx"
    document = Document()
    document.add_paragraph("Before")
    document.save(str(path))
    drawing = word_drawing(inside)
    if in_cell:
        cells = f"<w:tc><w:p><w:r><w:t>Left</w:t></w:r></w:p></w:tc><w:tc>{drawing}</w:tc>"
        drawing = f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    added(path, "word/document.xml", "<w:sectPr", drawing, **parts)
    reading, (page,) = read(path)
    what = "Picture" if inside == PICTURE else "Alternative text"
    alternative = f"{what}: A plan of the two lots and the road"
    assert texts(page) == ["Before", *(["Left"] if in_cell else []), alternative, *expected]
    assert reading.missing == []


@pytest.mark.parametrize(
    "parts",
    [
        {"chart": ("word/charts/chart1.xml", "<!DOCTYPE x><x/>")},
        {"other": ("word/other.xml", "<a/>"), "chartEx": ("word/x.xml", "<a/>")},
    ],
    ids=["refused", "missing"],
)
def test_a_chart_that_cannot_be_read_is_named(
    tmp_path: Path, messages: Callable[..., None], parts: dict[str, Any]
) -> None:
    path = tmp_path / "a.docx"
    Document().save(str(path))
    added(path, "word/document.xml", "<w:sectPr", word_drawing(CHART), **parts)
    reading, _ = read(path)
    (text,) = reading.missing
    messages(text)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('<w:checkBox><w:default w:val="1"/></w:checkBox>', "\u2612"),
        ('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>', "\u2610"),
        (
            """<w:ddList><w:result w:val="1"/><w:listEntry w:val="Yes"/><w:listEntry w:val="No"/>
            </w:ddList>""",
            "No",
        ),
    ],
)
def test_boxes_and_lists_of_old_forms_show_their_value(
    tmp_path: Path, data: str, expected: str
) -> None:
    path = tmp_path / "a.docx"
    Document().save(str(path))
    field = (
        f'<w:p><w:r><w:t>Married: </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"><w:ffData>'
        f'{data}</w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    added(path, "word/document.xml", "<w:sectPr", field)
    assert read(path)[1][0].text == f"Married: {expected}"


# --- sheets --------------------------------------------------------------------------------


def anchored(row: int, column: int, inside: str) -> str:
    corner = "<xdr:{0}><xdr:col>{2}</xdr:col><xdr:row>{1}</xdr:row></xdr:{0}>"
    corners = corner.format("from", row - 1, column - 1) + corner.format("to", row + 4, column + 1)
    return f"<xdr:twoCellAnchor>{corners}{inside}</xdr:twoCellAnchor>"


def box(*words: str) -> str:
    lines = "".join(f"<a:p><a:r><a:t>{w}</a:t></a:r></a:p>" for w in words)
    return f"<xdr:sp><xdr:txBody>{lines}</xdr:txBody></xdr:sp>"


def sheet_with(path: Path, rows: list[list[Any]], drawing: str) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    xml = f'<xdr:wsDr xmlns:xdr="{DRAWING}/spreadsheetDrawing" {NAMES}>{drawing}</xdr:wsDr>'
    mark = f'<drawing xmlns:r="{RELATION}" r:id="xdrawing"/>'
    drawings = {"drawing": ("xl/drawings/drawing1.xml", xml)}
    added(path, "xl/worksheets/sheet1.xml", "</worksheet>", mark, **drawings)
    return path


def test_text_boxes_follow_the_row_that_they_begin_in(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["Item", "Price"], ["Bolt", 1.5], ["Nut", 0.25]]
    branches = f"""<mc:AlternateContent
        xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice
        Requires="x">{box("Once")}</mc:Choice><mc:Fallback>{box("Twice")}</mc:Fallback>
        </mc:AlternateContent>"""
    drawing = (
        anchored(9, 4, f"<xdr:grpSp>{box('Second', 'paragraph')}</xdr:grpSp>")
        + anchored(2, 3, box("First"))
        + anchored(12, 1, branches)
        + anchored(20, 1, box(" "))
    )
    path = sheet_with(tmp_path / "a.xlsx", rows, drawing)
    reading, (page,) = read(path)
    assert texts(page)[1:] == [
        "Item: Bolt | Price: 1.5 | [First]",
        "Item: Nut | Price: 0.25",
        "Second; paragraph",
        "Once",
    ]
    assert [(n.number, n.row) for n in page.lines] == [(i, i) for i in (1, 2, 3, 9, 12)]
    assert [(n.column_start, n.column_end) for n in page.lines[1:4]] == [(1, 5), (1, 2), (4, 6)]
    assert [p.number for p in page.paragraphs] == [1, 2, 3, 4, 5]
    assert reading.missing == []


def test_a_sheet_of_shapes_alone_has_their_text(tmp_path: Path) -> None:
    path = sheet_with(tmp_path / "a.xlsx", [], anchored(3, 2, box("Only here")))
    _, (page,) = read(path)
    assert (page.text, page.method) == ("Only here", "Spreadsheet")
    assert (page.lines[0].row, page.lines[0].column_start, page.lines[0].column_end) == (3, 2, 4)


def test_charts_over_their_cells_say_titles_and_series_alone(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["Year", "Sales"], ["2023", 12], ["2024", 15]):
        book.active.append(row)
    for sheet, anchor in ((book.active, "E2"), (book.create_chartsheet("Figure"), None)):
        chart = BarChart()
        chart.title, chart.y_axis.title = "Our year", "EUR million"
        chart.add_data(
            Reference(book.worksheets[0], min_col=2, min_row=1, max_row=3), titles_from_data=True
        )
        sheet.add_chart(chart, *filter(None, [anchor]))
    book.save(tmp_path / "a.xlsx")
    _, pages = read(tmp_path / "a.xlsx")
    text = "Chart: Our year; Axis: EUR million; Series: Sales"
    assert texts(pages[0])[1] == f"Year: 2023 | Sales: 12 | [{text}]"
    assert [(p.number, p.sheet_name) for p in pages] == [(1, "Sheet"), (2, "Figure")]
    assert texts(pages[1]) == [text, "Chart sheet: Figure"]


def test_a_chart_of_another_workbooks_values_keeps_them(tmp_path: Path) -> None:
    frame = f"<xdr:graphicFrame><a:graphic><a:graphicData>{CHART}</a:graphicData></a:graphic>"
    path = sheet_with(tmp_path / "a.xlsx", [["x"]], anchored(2, 2, frame + "</xdr:graphicFrame>"))
    xml = chart_xml("Our year")
    for formula, expected in (
        ("Sheet1!", ["Chart: Our year", "Series: Sales, Costs"]),
        ("[1]Sheet1!", CHART_ROWS),
    ):
        copy = tmp_path / f"{len(expected)}.xlsx"
        copy.write_bytes(path.read_bytes())
        part = ("xl/charts/chart1.xml", xml.replace("Sheet1!", formula))
        added(copy, "xl/drawings/drawing1.xml", "</xdr:wsDr>", "", chart=part)
        assert texts(read(copy)[1][0])[1:] == ["; ".join(expected)]


# --- sheets before 2007 ---------------------------------------------------------------------


def record(kind: int, form: str = "", *values: Any, more: bytes = b"") -> bytes:
    data = struct.pack(f"<{form}", *values) + more
    return struct.pack("<HH", kind, len(data)) + data


def begun(kind: int, version: int = 0x600) -> bytes:
    return record(0x809, "HHHHII", version, kind, 0, 0, 0, 0)


def over_cells(row: int, column: int, kind: int, *properties: bytes) -> bytes:
    """Return a shape from a cell to the next column: its anchor, then its content."""
    anchor = struct.pack("<HHI9H", 0, 0xF010, 18, 0, column - 1, 0, row - 1, 0, column, 0, row, 0)
    inside = b"".join(properties) + anchor
    container = struct.pack("<HHI", 0xF, 0xF004, len(inside)) + inside
    return record(0xEC, more=container) + record(0x5D, "5H", 0x15, 0x12, kind, 1, 0)


def said(*runs: bytes) -> bytes:
    """Return the text of a box, in one record each: a byte is its encoding."""
    letters = sum(len(run[1:]) // (1 + run[0]) for run in runs)
    head = record(0x1B6, "HHHHHHHI", 0, 0, 0, 0, 0, letters, 16, 0)
    return head + b"".join(record(0x3C, more=run) for run in (*runs, b"\0" * 16))


def words(text: str) -> bytes:
    return record(0x100D, "HBB", 0, len(text), 1, more=text.encode("utf-16-le"))


def xls(path: Path, *sheets: tuple[str, int, bytes]) -> Path:
    """Write a workbook: name, kind and records of each sheet."""
    sizes = [8 + len(name) for name, _, _ in sheets]
    at = len(begun(5)) + sum(sizes) + 4 * len(sizes) + len(record(10))
    head = begun(5)
    for name, kind, data in sheets:
        head += record(0x85, "IBBBB", at, 0, kind, len(name), 0, more=name.encode("latin-1"))
        at += len(data)
    stream = head + record(10) + b"".join(data for _, _, data in sheets)
    path.write_bytes(ole({"Workbook": stream}))
    return path


CHART_OF_XLS = (
    record(0x1003) + words("Sales") + record(0x1003) + words("Sales") + record(0x1003)
    + words("#REF!") + record(0x1025) + words("Our year") + record(0x1027, "HHH", 1, 0, 0)
    + record(0x1025) + words("EUR million") + record(0x1027, "HHH", 2, 0, 0) + record(0x1025)
    + words("Months") + record(0x1027, "HHH", 3, 0, 0) + record(10)
)  # fmt: skip
SAID_OF_XLS = "Chart: Our year; Axis: EUR million; Series: Sales"


def test_what_lies_over_the_cells_of_old_workbooks(tmp_path: Path) -> None:
    name = "A plan of both lots".encode("utf-16-le") + b"\0\0"
    described = struct.pack("<HHIHI", 1 << 4 | 3, 0xF00B, 6 + len(name), 0xC381, len(name)) + name
    number = record(0x203, "HHHd", 1, 0, 0, 7.0)
    cells = (
        begun(0x10) + number
        + over_cells(5, 2, 6) + said(b"\0Second ", b"\1" + "für Łódź".encode("utf-16-le"))
        + over_cells(2, 3, 6) + said(b"\0First\nline")
        + over_cells(3, 1, 0x19) + said(b"\0A note is no box")
        + over_cells(8, 1, 8, described)
        + over_cells(9, 1, 5) + begun(0x20) + CHART_OF_XLS + record(10)
    )  # fmt: skip
    chart = ("Figure", 2, begun(0x20) + CHART_OF_XLS)
    last = ("Last", 0, begun(0x10) + number + record(10))
    reading, pages = read(xls(tmp_path / "a.xls", ("Cells", 0, cells), chart, last))
    assert [(p.number, p.sheet_name) for p in pages] == [(1, "Cells"), (2, "Figure"), (3, "Last")]
    assert texts(pages[0]) == [
        "7 | [First; line]",
        "Second für Łódź",
        "Picture: A plan of both lots",
        SAID_OF_XLS,
    ]
    assert [(n.row, n.column_start, n.column_end) for n in pages[0].lines[1:]] == [
        (5, 2, 3),
        (8, 1, 2),
        (9, 1, 2),
    ]
    assert (texts(pages[1])[0], texts(pages[2])) == (SAID_OF_XLS, ["7"])
    assert reading.missing == []


@given(st.data())
def test_damaged_drawings_of_old_workbooks_end_nothing(data: st.DataObject) -> None:
    whole = (
        begun(0x10) + over_cells(2, 3, 6, struct.pack("<HHIHI", 0x33, 0xF00B, 6, 0xC381, 9))
        + said(b"\0First", b"\1x\0") + over_cells(4, 1, 8) + over_cells(4, 1, 5) + begun(0x20)
        + CHART_OF_XLS + record(10)
    )  # fmt: skip
    cut = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for place in data.draw(st.lists(st.integers(0, max(len(cut) - 1, 0)), max_size=4)):
        cut[place : place + 1] = bytes([data.draw(st.integers(0, 255))])
    result = XlsDrawings(memoryview(cut), []).over(0, "S")
    assert all(1 <= one.row <= 65_536 and one.column <= one.column_end for one in result)


def test_text_boxes_of_excel_before_97_are_named(tmp_path: Path) -> None:
    cells = begun(0x10, 0x500) + record(0x5D, "IHH", 1, 6, 1) + record(10)
    missing: list[str] = []
    assert XlsDrawings(memoryview(cells), missing).over(0, "Old") == []
    (text,) = missing
    assert '"Old"' in text


# --- files inside ---------------------------------------------------------------------------


def native(name: str, data: bytes) -> bytes:
    """Return an object of the packager, which wraps any file."""
    words = name.encode() + b"\0"
    path = b"C:\\" + words
    head = b"\2\0" + words + path + b"\0\0\3\0" + struct.pack("<I", len(path)) + path
    body = head + struct.pack("<I", len(data)) + data
    return ole({"\x01Ole10Native": struct.pack("<I", len(body)) + body})


def document_with(path: Path, inside: dict[str, bytes]) -> Path:
    if path.suffix == ".xlsx":
        openpyxl.Workbook().save(path)
    else:
        (Document() if path.suffix == ".docx" else Presentation()).save(str(path))
    with zipfile.ZipFile(path, "a") as target:
        for name, data in inside.items():
            target.writestr(name, data)
    return path


@pytest.mark.parametrize(("kind", "folder"), [("docx", "word"), ("xlsx", "xl"), ("pptx", "ppt")])
def test_files_inside_become_attachments(tmp_path: Path, kind: str, folder: str) -> None:
    inside = {
        f"{folder}/embeddings/Offer.docx": b"PK offer",
        f"{folder}/embeddings/oleObject1.bin": native("plan.txt", b"The plan."),
        f"{folder}/embeddings/oleObject2.bin": ole({"CONTENTS": b"%PDF-1.4 ..."}),
        f"{folder}/embeddings/oleObject3.bin": ole({"Workbook": b"..."}),
        f"{folder}/embeddings/oleObject4.bin": ole({"Equation Native": b"x"}),
        f"{folder}/embeddings/oleObject5.bin": ole({"Other": b"x"})[:100],
        f"{folder}/embeddings/Sheet.xlsx": b"PK of a chart",
        f"{folder}/charts/chart1.xml": b"<a/>",
        f"{folder}/charts/_rels/chart1.xml.rels": (
            b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            b'<Relationship Id="r" Type="x/package" Target="../embeddings/Sheet.xlsx"/>'
            b"</Relationships>"
        ),
    }
    path = document_with(tmp_path / f"a.{kind}", inside)
    spool = tmp_path / "spool"
    spool.mkdir()
    reading = detect(path).read(path, ReadOptions(spool=spool))
    list(reading.pages)
    by_name = {one.name: one.path.read_bytes() for one in reading.attachments}
    container = inside[f"{folder}/embeddings/oleObject3.bin"]
    assert by_name == {
        "offer.docx": b"PK offer",
        "plan.txt": b"The plan.",
        "oleobject2.pdf": b"%PDF-1.4 ...",
        "oleobject3.xls": container,
    }
    unknown, damaged = reading.missing
    assert "oleobject4.bin" in unknown
    assert "oleobject5.bin" in damaged
    assert detect(path).read(path).attachments == []


# --- OpenDocument --------------------------------------------------------------------------


def opendocument(path: Path, body: str, **objects: str) -> Path:
    kind = {".ods": "spreadsheet", ".odg": "drawing", ".odt": "text"}[path.suffix]
    parts = {f"{name}/content.xml": xml for name, xml in objects.items()}
    return package(path, {"content.xml": content(body, kind=kind)} | parts)


SHAPE = "<draw:custom-shape><text:p>{0}</text:p></draw:custom-shape>"
CELL = "<table:table-cell><text:p>{0}</text:p>{1}</table:table-cell>"


def test_shapes_and_charts_of_opendocument_sheets(tmp_path: Path) -> None:
    chart = """<draw:frame><draw:object xlink:href="./Object"/></draw:frame>"""
    body = f"""<table:table table:name="S"><table:shapes>{SHAPE.format("Over all")}
        <draw:frame><draw:text-box><text:p>Boxed <text:span>words</text:span></text:p>
        </draw:text-box></draw:frame></table:shapes><table:table-row>{CELL.format("A1", "")}
        </table:table-row><table:table-row>{CELL.format("A2", "")}{CELL.format("B2", chart)}
        {CELL.format("C2", f"<draw:g>{SHAPE.format('At C2')}</draw:g>")}</table:table-row>
        </table:table>"""
    inside = """<chart:chart><chart:title><text:p>Our year</text:p></chart:title>
        <table:table><table:table-header-rows><table:table-row><table:table-cell/>
        <table:table-cell><text:p>Sales</text:p></table:table-cell></table:table-row>
        </table:table-header-rows><table:table-rows><table:table-row><table:table-cell><text:p>2023
        </text:p></table:table-cell></table:table-row></table:table-rows></table:table>
        </chart:chart>"""
    path = opendocument(tmp_path / "a.ods", body, Object=content(inside, kind="chart"))
    reading, (page,) = read(path)
    chart = "[Chart: Our year; Series: Sales]"
    assert texts(page) == ["A1 | [Over all] | [Boxed words]", f"A2 | B2 | C2 | {chart} | [At C2]"]
    assert reading.missing == []


@pytest.mark.parametrize(
    ("shape", "row", "columns"),
    [
        ('<draw:frame svg:x="4.5cm" svg:y="0.7cm" svg:width="1cm">{}</draw:frame>', 2, (3, 3)),
        ('<draw:frame svg:x="0.5cm" svg:y="0cm" svg:width="3cm">{}</draw:frame>', 1, (1, 2)),
        ('<draw:frame draw:transform="rotate(1) translate(3cm 11mm)">{}</draw:frame>', 4, (2, 2)),
        ('<draw:g><draw:line svg:x1="7cm" svg:y1="6mm"/>{}</draw:g>', 2, (4, 4)),
        ('<draw:frame svg:x="1000cm" svg:y="1.9cm">{}</draw:frame>', 5, (444, 444)),
        ('<draw:frame svg:x="-1cm" svg:y="soon">{}</draw:frame>', 1, (1, 1)),
    ],
)  # fmt: skip
def test_what_is_anchored_to_a_sheet_is_at_the_cell_below_it(
    tmp_path: Path, shape: str, row: int, columns: tuple[int, int]
) -> None:
    sizes = "".join(
        f'<style:style style:name="{name}"><style:table-{name}-properties '
        f'style:{name}-{kind}="{size}"/></style:style>'
        for name, kind, size in (("column", "width", "2cm"), ("row", "height", "5mm"))
    )
    inside = shape.format("<draw:text-box><text:p>Here</text:p></draw:text-box>")
    table_row = '<table:table-row table:style-name="row"{}>{}</table:table-row>'
    body = f"""{sizes}<table:table table:name="S"><table:shapes>{inside}</table:shapes>
        <table:table-columns><table:table-column table:style-name="column"
        table:number-columns-repeated="5"/></table:table-columns>
        {table_row.format("", CELL.format("A1", ""))}{table_row.format("", CELL.format("A2", ""))}
        {table_row.format(' table:visibility="collapse"', CELL.format("A3", ""))}
        {table_row.format("", CELL.format("A4", ""))}
        {table_row.format(' table:number-rows-repeated="9"', "<table:table-cell/>")}
        </table:table>"""
    _, (page,) = read(opendocument(tmp_path / "a.ods", body))
    (line,) = [n for n in page.lines if "Here" in page.text[n.start : n.end]]
    assert line.row == row
    assert line.column_end == columns[1]
    if row == 5:  # a separate line: it is not in a cell
        assert line.column_start == columns[0]


def test_drawings_of_opendocument_are_pages_of_their_shapes(tmp_path: Path) -> None:
    page = "<draw:page><draw:g>{0}</draw:g></draw:page>"
    body = page.format(SHAPE.format("Start")) + page.format(SHAPE.format("End"))
    reading, pages = read(opendocument(tmp_path / "a.odg", body))
    assert [(p.kind, p.number, p.text) for p in pages] == [("page", 1, "Start"), ("page", 2, "End")]
    assert reading.info.format == "odg"


def test_drawings_embedded_in_a_text_are_read(tmp_path: Path) -> None:
    frame = """<text:p>Text</text:p><draw:frame><draw:object xlink:href="./Object"/></draw:frame>"""
    inside = f"<draw:page>{SHAPE.format('In the drawing')}</draw:page>"
    _, (page,) = read(
        opendocument(tmp_path / "a.odt", frame, Object=content(inside, kind="drawing"))
    )
    assert texts(page) == ["Text", "In the drawing"]
