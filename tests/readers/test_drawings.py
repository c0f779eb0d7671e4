"""What is drawn in Office files: text boxes, shapes, charts and diagrams, each at its place."""

from __future__ import annotations

import struct
import zipfile
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from docx import Document
from openpyxl.chart import BarChart, Reference
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.chart.xmlwriter import ChartXmlWriter
from pptx.enum.chart import XL_CHART_TYPE

from casetrack.readers import detect
from casetrack.readers.base import ReadOptions
from tests.ole_container import ole

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.readers.base import Page, Reading

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ODF = "urn:oasis:names:tc:opendocument:xmlns"
NAMES = f'xmlns:a="{DRAWING}/main" xmlns:r="{RELATION}" xmlns:c="{DRAWING}/chart"'


def read(path: Path) -> tuple[Reading, list[Page]]:
    reading = detect(path).read(path)
    return reading, list(reading.pages)


def texts(page: Page) -> list[str]:
    return [page.text[p.start : p.end] for p in page.paragraphs]


def added(path: Path, owner: str, element: tuple[str, str], **parts: tuple[str, str]) -> None:
    """Put ``(closing tag, XML)`` into *owner* and relate it to parts: kind → ``(part, XML)``."""
    with zipfile.ZipFile(path) as source:
        content = {name: source.read(name) for name in source.namelist()}
    closing, xml = element
    content[owner] = content[owner].replace(closing.encode(), (xml + closing).encode(), 1)
    folder, _, name = owner.rpartition("/")
    rels = f"{folder}/_rels/{name}.rels"
    empty = (
        b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        b"</Relationships>"
    )
    lines = "".join(
        f'<Relationship Id="x{kind}" Type="{RELATION}/{kind}" Target="/{part}"/>'
        for kind, (part, _) in parts.items()
    )
    closed = content.get(rels, empty)
    content[rels] = closed.replace(b"</Relationships>", lines.encode() + b"</Relationships>")
    content |= {part: xml.encode() for part, xml in parts.values()}
    with zipfile.ZipFile(path, "w") as target:
        for name, data in content.items():
            target.writestr(name, data)


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
        (PICTURE, {}, ["Picture: A plan of the two lots and the road"]),
    ],
)
@pytest.mark.parametrize("in_cell", [False, True])
def test_drawings_in_documents_stand_behind_their_paragraph(
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
    added(path, "word/document.xml", ("<w:sectPr", drawing), **parts)
    reading, (page,) = read(path)
    assert texts(page) == ["Before", *(["Left"] if in_cell else []), *expected]
    assert reading.missing == []


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"chart": ("word/charts/chart1.xml", "<broken")}, "not well-formed"),
        ({"other": ("word/other.xml", "<a/>"), "chartEx": ("word/x.xml", "<a/>")}, "missing"),
    ],
)
def test_a_chart_that_cannot_be_read_is_named(
    tmp_path: Path, parts: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "a.docx"
    Document().save(str(path))
    added(path, "word/document.xml", ("<w:sectPr", word_drawing(CHART)), **parts)
    reading, _ = read(path)
    (text,) = reading.missing
    assert text.startswith("A chart cannot be read: ")
    assert reason in text


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
    added(path, "word/document.xml", ("<w:sectPr", field))
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
    added(path, "xl/worksheets/sheet1.xml", ("</worksheet>", mark), **drawings)
    return path


def test_text_boxes_stand_behind_the_row_that_they_begin_in(tmp_path: Path) -> None:
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
    said = "Chart: Our year; Axis: EUR million; Series: Sales"
    assert texts(pages[0])[1] == f"Year: 2023 | Sales: 12 | [{said}]"
    assert [(p.number, p.sheet_name) for p in pages] == [(1, "Sheet"), (2, "Figure")]
    assert texts(pages[1]) == [said]


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
        added(copy, "xl/drawings/drawing1.xml", ("</xdr:wsDr>", ""), chart=part)
        assert texts(read(copy)[1][0])[1:] == ["; ".join(expected)]


# --- files inside ---------------------------------------------------------------------------


def native(name: str, data: bytes) -> bytes:
    """Return an object of the packager's, which stands around any file."""
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
    found = {one.name: one.path.read_bytes() for one in reading.attachments}
    container = inside[f"{folder}/embeddings/oleObject3.bin"]
    assert found == {
        "offer.docx": b"PK offer",
        "plan.txt": b"The plan.",
        "oleobject2.pdf": b"%PDF-1.4 ...",
        "oleobject3.xls": container,
    }
    unknown, damaged = reading.missing
    assert unknown.startswith("The embedded object oleobject4.bin was not read: it belongs to a")
    assert damaged.startswith("The embedded object oleobject5.bin was not read: it is damaged (")
    assert detect(path).read(path).attachments == []


# --- OpenDocument --------------------------------------------------------------------------


def opendocument(path: Path, kind: str, mime: str, body: str, **parts: str) -> Path:
    names = " ".join(
        f'xmlns:{n}="{ODF}:{u}:1.0"'
        for n, u in (
            ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"),
            ("chart", "chart"), ("svg", "svg-compatible"),
        )
    )  # fmt: skip
    names += ' xmlns:xlink="http://www.w3.org/1999/xlink"'

    def content(kind: str, inside: str) -> str:
        return (
            f"<office:document-content {names}><office:body><office:{kind}>{inside}"
            f"</office:{kind}></office:body></office:document-content>"
        )

    with zipfile.ZipFile(path, "w") as target:
        target.writestr("mimetype", f"application/vnd.oasis.opendocument.{mime}")
        target.writestr("content.xml", content(kind, body))
        for name, inside in parts.items():
            target.writestr(f"{name}/content.xml", content(*inside.split("|", 1)))
    return path


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
    inside = """chart|<chart:chart><chart:title><text:p>Our year</text:p></chart:title>
        <table:table><table:table-header-rows><table:table-row><table:table-cell/>
        <table:table-cell><text:p>Sales</text:p></table:table-cell></table:table-row>
        </table:table-header-rows><table:table-rows><table:table-row><table:table-cell><text:p>2023
        </text:p></table:table-cell></table:table-row></table:table-rows></table:table>
        </chart:chart>"""
    path = opendocument(tmp_path / "a.ods", "spreadsheet", "spreadsheet", body, Object=inside)
    reading, (page,) = read(path)
    chart = "[Chart: Our year; Series: Sales]"
    assert texts(page) == ["A1 | [Over all] | [Boxed words]", f"A2 | B2 | C2 | {chart} | [At C2]"]
    assert reading.missing == []


def test_a_missing_chart_of_a_sheet_is_named(tmp_path: Path) -> None:
    frame = """<draw:frame><draw:object xlink:href="./Gone"/></draw:frame>"""
    rows = f"<table:table-row>{CELL.format('A1', frame)}</table:table-row>"
    path = tmp_path / "a.ods"
    body = f'<table:table table:name="S">{rows}</table:table>'
    reading, _ = read(opendocument(path, "spreadsheet", "spreadsheet", body))
    (text,) = reading.missing
    assert text.startswith("An embedded object cannot be read: ")


def test_drawings_of_opendocument_are_pages_of_their_shapes(tmp_path: Path) -> None:
    page = "<draw:page><draw:g>{0}</draw:g></draw:page>"
    body = page.format(SHAPE.format("Start")) + page.format(SHAPE.format("End"))
    reading, pages = read(opendocument(tmp_path / "a.odg", "drawing", "graphics", body))
    assert [(p.kind, p.number, p.text) for p in pages] == [("page", 1, "Start"), ("page", 2, "End")]
    assert reading.info.format == "odg"


def test_drawings_embedded_in_a_text_are_read(tmp_path: Path) -> None:
    frame = """<text:p>Text</text:p><draw:frame><draw:object xlink:href="./Object"/></draw:frame>"""
    inside = f"drawing|<draw:page>{SHAPE.format('In the drawing')}</draw:page>"
    _, (page,) = read(opendocument(tmp_path / "a.odt", "text", "text", frame, Object=inside))
    assert texts(page) == ["Text", "In the drawing"]
