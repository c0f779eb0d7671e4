"""Workbooks as pages: headers, values as shown, places of cells, damaged and hostile files."""

from __future__ import annotations

import datetime as dt
import re
import warnings
import zipfile
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table

from casetrack.base.errors import FileEncrypted, FileError, ParseFailed
from casetrack.parse.base import MAX_BLANK, Page, Reading
from casetrack.parse.detect import choose, read_head
from casetrack.parse.sheets.reader import SheetReader
from tests.parse.odf import content, package
from tests.parse.paging import related

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Rows = Sequence[Sequence[Any]]


def read(path: Path) -> Reading:
    return choose(read_head(path), (SheetReader(),)).read(path)


def save(path: Path, rows: Rows, *, merge: Sequence[str] = (), **formats: str) -> Path:
    """Write one sheet; *formats* maps a cell's name to its number format."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    for name, code in formats.items():
        book.active[name].number_format = code
    for area in merge:
        book.active.merge_cells(area)
    book.save(path)
    return path


def lines(page: Page) -> list[str]:
    return page.text.split("\n") if page.text else []


def shown(tmp_path: Path, rows: Rows, *, merge: Sequence[str] = (), **formats: str) -> list[str]:
    (page,) = read(save(tmp_path / "book.xlsx", rows, merge=merge, **formats)).pages
    check_normal_form(page)
    return lines(page)


def check_normal_form(page: Page) -> None:
    assert page.text == page.text.strip()
    assert not [c for c in page.text if (ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160]
    assert " " * (MAX_BLANK + 1) not in page.text
    assert [page.text[n.start : n.end] for n in page.lines] == lines(page)
    assert [(p.start, p.end) for p in page.paragraphs] == [(n.start, n.end) for n in page.lines]
    assert [p.number for p in page.paragraphs] == list(range(1, len(page.lines) + 1))
    assert page.method == ("Spreadsheet" if page.text else "Skipped")
    numbers = [line.number for line in page.lines]
    assert numbers == sorted(set(numbers))
    for line in page.lines:
        assert line.number == line.row
        assert line.column_start is not None
        assert line.column_end is not None
        assert 1 <= line.column_start <= line.column_end


# --- headers -------------------------------------------------------------------------------

TABLE = [["Item", "Price", "Stock"], ["Bolt", 1.5, 20], ["Nut", 0.25, 400]]
TABLE_SHOWN = [
    "Item | Price | Stock",
    "Item: Bolt | Price: 1.5 | Stock: 20",
    "Item: Nut | Price: 0.25 | Stock: 400",
]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (TABLE, TABLE_SHOWN),
        ([["Price list"], ["In pounds"], *TABLE], ["Price list", "In pounds", *TABLE_SHOWN]),
        ([["Client:", "Acme"], ["Date:", "May"], [], *TABLE],
         ["Client: Acme", "Date: May", *TABLE_SHOWN]),
        ([["Item", 2023, 2024], ["Rent", 900, 950], ["Heat", 80, 95]],
         ["Item | 2023 | 2024", "Item: Rent | 2023: 900 | 2024: 950",
          "Item: Heat | 2023: 80 | 2024: 95"]),
        ([["Item", "Price"], ["Bolt", None], ["Nut", 2], [None, 3]],
         ["Item | Price", "Item: Bolt", "Item: Nut | Price: 2", "Price: 3"]),
        # A gap within a table, a note after it.
        ([*TABLE, [], ["Washer", 0.1, 90], ["Screw", 2, 5], [], ["Prices without tax"]],
         [*TABLE_SHOWN, "Item: Washer | Price: 0.1 | Stock: 90",
          "Item: Screw | Price: 2 | Stock: 5", "Prices without tax"]),
        # A second table with its own header, and its title.
        ([*TABLE, [], ["Staff"], ["Post", "Pay"], ["Clerk", 12.5], ["Judge", 40]],
         [*TABLE_SHOWN, "Staff", "Post | Pay", "Post: Clerk | Pay: 12.5", "Post: Judge | Pay: 40"]),
        # Not headers: data from the first row on, labels without rows, prose.
        ([["Bolt", 1.5], ["Nut", 0.25]], ["Bolt | 1.5", "Nut | 0.25"]),
        ([["Item", "Price", "Stock"]], ["Item | Price | Stock"]),
    ],
)  # fmt: skip
def test_headers_name_the_values_below(tmp_path: Path, rows: Rows, expected: list[str]) -> None:
    assert shown(tmp_path, rows) == expected


def test_two_header_rows_are_joined(tmp_path: Path) -> None:
    rows = [
        ["Costs by quarter", None, None, None, None],
        ["Item", "Plan", None, "Actual", None],
        [None, "Q1", "Q2", "Q1", "Q2"],
        ["Rent", 10, 11, 12, 13],
        ["Heat", 20, 21, 22, 23],
    ]
    merge = ["A1:E1", "A2:A3", "B2:C2", "D2:E2"]
    assert shown(tmp_path, rows, merge=merge) == [
        "Costs by quarter",
        "Item | Plan | Actual",
        "Q1 | Q2 | Q1 | Q2",
        "Item: Rent | Plan / Q1: 10 | Plan / Q2: 11 | Actual / Q1: 12 | Actual / Q2: 13",
        "Item: Heat | Plan / Q1: 20 | Plan / Q2: 21 | Actual / Q1: 22 | Actual / Q2: 23",
    ]


WORDS = [["Name", "Role", "Seat"], ["Ann", "Clerk", "Rome"], ["Bob", "Judge", "Oslo"]]


def beside(left: Rows, right: Rows, *, lower: int = 0) -> list[list[object]]:
    """Put one table next to another, with an empty column between, some rows lower."""
    wide = max(map(len, left))
    right = [*[[]] * lower, *right]
    rows = []
    for number in range(max(len(left), len(right))):
        first = [*left[number]] if number < len(left) else []
        second = right[number] if number < len(right) else []
        rows.append([*first, *[None] * (wide - len(first) + 1), *second])
    return rows


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # The same names twice, and a table that begins lower.
        (beside([["Item", "Price"], ["Bolt", 1.5], ["Nut", 2]],
                [["Item", "Price"], ["Rod", 7], ["Pin", 8]]),
         ["Item | Price | Item | Price", "Item: Bolt | Price: 1.5 | Item: Rod | Price: 7",
          "Item: Nut | Price: 2 | Item: Pin | Price: 8"]),
        (beside(TABLE, WORDS, lower=1),
         ["Item | Price | Stock", "Item: Bolt | Price: 1.5 | Stock: 20 | Name | Role | Seat",
          "Item: Nut | Price: 0.25 | Stock: 400 | Name: Ann | Role: Clerk | Seat: Rome",
          "Name: Bob | Role: Judge | Seat: Oslo"]),
        # A form next to a table is not a table.
        (beside(TABLE, [["Client", "Acme"], ["Day", "Monday"], ["Clerk", "Ann"]]),
         ["Item | Price | Stock | Client | Acme",
          "Item: Bolt | Price: 1.5 | Stock: 20 | Day | Monday",
          "Item: Nut | Price: 0.25 | Stock: 400 | Clerk | Ann"]),
        # An empty column in a table parts nothing: its names stay, also after a gap.
        ([["Item", None, "Price"], ["Bolt", None, 1.5], ["Nut", None, 2], [], ["Rod", None, 7]],
         ["Item | Price", "Item: Bolt | Price: 1.5", "Item: Nut | Price: 2",
          "Item: Rod | Price: 7"]),
        # Words under words, below another table.
        ([*TABLE, [], [], *[[*row, "x"] for row in WORDS]],
         [*TABLE_SHOWN, "Name | Role | Seat | x", "Name: Ann | Role: Clerk | Seat: Rome | x: x",
          "Name: Bob | Role: Judge | Seat: Oslo | x: x"]),
        # A header once more, as on each printed page.
        ([*TABLE, TABLE[0], ["Rod", 7, 8]],
         [*TABLE_SHOWN, "Item | Price | Stock", "Item: Rod | Price: 7 | Stock: 8"]),
    ],
)  # fmt: skip
def test_each_table_of_a_sheet_has_its_own_header(
    tmp_path: Path, rows: Rows, expected: list[str]
) -> None:
    (page,) = read(save(tmp_path / "a.xlsx", rows)).pages
    check_normal_form(page)
    assert lines(page) == expected


def test_headers_that_the_file_declares_are_taken(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [["Code", "7"], ["x", "a"], ["y", "b"]]:
        book.active.append(row)
    book.active.add_table(Table(displayName="Codes", ref="A1:B3"))
    book.save(tmp_path / "table.xlsx")
    (page,) = read(tmp_path / "table.xlsx").pages
    assert lines(page) == ["Code | 7", "Code: x | 7: a", "Code: y | 7: b"]


def test_kinds_and_places(tmp_path: Path) -> None:
    rows = [["Price list"], [], [None, "Item", "Price"], [None, "Bolt", 1.5]]
    (page,) = read(save(tmp_path / "a.xlsx", rows)).pages
    assert [p.kind for p in page.paragraphs] == ["body", "heading", "table"]
    assert [p.level for p in page.paragraphs] == [None, 1, None]
    places = [(n.row, n.column_start, n.column_end) for n in page.lines]
    assert places == [(1, 1, 1), (3, 2, 3), (4, 2, 3)]
    assert (page.number, page.sheet_name) == (1, "Sheet")


# --- values --------------------------------------------------------------------------------


def test_values_read_as_the_sheet_shows_them(tmp_path: Path) -> None:
    row = [1234.5, 0.9943, dt.date(2024, 3, 1), dt.time(18, 30), True, "007", -5, 1 / 3]
    formats = {"A1": "£#,##0.00", "B1": "0.00%", "C1": "dd mmm yyyy", "D1": "h:mm AM/PM"}
    formats |= {"G1": "#,##0_);(#,##0)"}
    assert shown(tmp_path, [row], **formats) == [
        "£1,234.50 | 99.43% | 01 Mar 2024 | 6:30 PM | TRUE | 007 | (5) | 0.333333333"
    ]


def test_text_of_cells_becomes_one_line(tmp_path: Path) -> None:
    rows = [["  two\nlines\t here ", "\u200b", "ﬁne \x7f"]]
    assert shown(tmp_path, rows) == ["two lines\t here | fine"]


def xlsx(path: Path, sheet: str, **parts: str) -> Path:
    """Write a workbook of one sheet from bare XML, with strings and styles where given."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packaging = "http://schemas.openxmlformats.org/package/2006/relationships"
    names = {"sheet": ("worksheet", sheet)} | {
        name: ({"strings": "sharedStrings"}.get(name, name), text) for name, text in parts.items()
    }
    relations = "".join(
        f'<Relationship Id="{name}" Type="{kinds}/{kind}" Target="{name}.xml"/>'
        for name, (kind, _) in names.items()
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{packaging}"><Relationship Id="a" '
            f'Type="{kinds}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{packaging}">{relations}</Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{kinds}"><workbookPr date1904="1"/>'
            '<sheets><sheet name="One" sheetId="1" r:id="sheet"/></sheets></workbook>',
        )
        for name, (_, text) in names.items():
            archive.writestr(f"xl/{name}.xml", text.replace("MAIN", main))
    return path


def test_every_kind_of_cell(tmp_path: Path, messages: Callable[..., None]) -> None:
    sheet = (
        '<worksheet xmlns="MAIN"><sheetData><row r="3">'
        '<c r="B3" t="s"><v>0</v></c><c r="C3" t="inlineStr"><is><t>in</t></is></c>'
        '<c r="D3" t="str"><f>A1</f><v>made</v></c><c r="E3" t="e"><f>1/0</f><v>#DIV/0!</v></c>'
        '<c r="F3" t="b"><v>0</v></c><c r="G3" s="1"><v>43830</v></c><c r="H3"><f>B1</f></c>'
        '<c r="I3" t="s"><v>99</v></c><c r="J3" s="9"><v>2.50</v></c><c><v>7</v></c>'
        '<c r="L3" s="1" t="d"><v>2024-01-02T00:00:00</v></c>'
        "</row></sheetData></worksheet>"
    )
    strings = (
        '<sst xmlns="MAIN"><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si></sst>'
    )
    styles = (
        '<styleSheet xmlns="MAIN"><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
        '</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>'
    )
    reading = read(xlsx(tmp_path / "raw.xlsx", sheet, strings=strings, styles=styles))
    (page,) = reading.pages
    assert page.text == (
        "rich text | in | made | #DIV/0! | FALSE | 2024-01-01 | 2.5 | 7 | 2024-01-02"
    )
    assert (page.lines[0].row, page.lines[0].column_start, page.lines[0].column_end) == (3, 2, 12)
    (warning,) = reading.warnings
    messages(warning)


def test_hidden_sheets_are_read_and_named_and_sheets_of_a_chart_are_pages(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["shown"])
    book.create_chartsheet("Chart")
    hidden = book.create_sheet("Old figures")
    hidden.append(["secret"])
    hidden.sheet_state = "veryHidden"
    book.create_sheet("Empty")
    book.properties.title, book.properties.creator = "Case  file", "A. Clerk"
    book.save(tmp_path / "a.xlsx")
    reading = read(tmp_path / "a.xlsx")
    assert (reading.info.format, reading.info.page_count) == ("xlsx", 4)
    assert (reading.info.title, reading.info.author) == ("Case file", "A. Clerk")
    pages = list(reading.pages)
    assert [(p.number, p.sheet_name, p.text, p.method) for p in pages] == [
        (1, "Sheet", "shown", "Spreadsheet"),
        (2, "Chart", "Chart sheet: Chart", "Spreadsheet"),
        (3, "Old figures", "secret", "Spreadsheet"),
        (4, "Empty", "", "Skipped"),
    ]
    assert [(span.start, span.end) for span in pages[2].hidden] == [(0, 6)]
    (warning,) = reading.warnings
    assert '"Old figures"' in warning


# --- ODS -----------------------------------------------------------------------------------


def ods(path: Path, body: str, manifest: str = "<manifest/>") -> Path:
    hidden = """<style:style style:name="h" style:family="table"><style:table-properties
        table:display="false"/></style:style>"""
    xml = content(body, kind="spreadsheet", automatic=hidden)
    return package(path, {"META-INF/manifest.xml": manifest, "content.xml": xml})


def test_ods_shows_the_text_of_cells(tmp_path: Path) -> None:
    def cell(text: str, kind: str = "float", more: str = "") -> str:
        paragraph = f"<text:p>{text}</text:p>"
        return f'<table:table-cell office:value-type="{kind}" {more}>{paragraph}</table:table-cell>'

    note = "<office:annotation><text:p>a note</text:p></office:annotation>"
    body = (
        '<table:table table:name="Stock"><table:table-header-rows><table:table-row>'
        + cell("Part", "string") + cell("Price", "string", 'table:number-columns-spanned="2"')
        + "<table:covered-table-cell/></table:table-row></table:table-header-rows>"
        + '<table:table-row table:number-rows-repeated="2">' + cell("Bolt<text:s/>A", "string")
        + cell("£1.50", "currency", 'office:value="1.5"')
        + '<table:table-cell office:value-type="percentage" office:value="0.25"/></table:table-row>'
        + '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/>'
        + "</table:table-row></table:table>"
        + '<table:table table:name="Back" table:style-name="h"><table:table-row>'
        + f'<table:table-cell office:value-type="date" office:date-value="2024-03-01">{note}'
        + "</table:table-cell></table:table-row></table:table>"
    )  # fmt: skip
    reading = read(ods(tmp_path / "a.ods", body))
    first, second = reading.pages
    assert lines(first) == [
        "Part | Price",
        "Part: Bolt A | Price: £1.50 | Price: 25%",
        "Part: Bolt A | Price: £1.50 | Price: 25%",
    ]
    assert second.text == "2024-03-01 | [Comment: a note]"
    (warning,) = reading.warnings
    assert '"Back"' in warning
    check_normal_form(first)


# --- bad files -----------------------------------------------------------------------------


def test_an_encrypted_ods_needs_its_password(tmp_path: Path) -> None:
    manifest = "<manifest><encryption-data/></manifest>"
    with pytest.raises(FileEncrypted):
        read(ods(tmp_path / "secret.ods", "", manifest))


@pytest.mark.parametrize(
    "sheet", ["<worksheet><sheetData><row><c>", '<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>']
)
def test_broken_sheets_and_document_types_are_refused(tmp_path: Path, sheet: str) -> None:
    with pytest.raises(ParseFailed, match=r"a\.xlsx"):
        list(read(xlsx(tmp_path / "a.xlsx", sheet)).pages)


def test_a_small_file_cannot_ask_for_endless_text(tmp_path: Path) -> None:
    row = '<row><c t="s"><v>0</v></c></row>' * 6000
    sheet = f'<worksheet xmlns="MAIN"><sheetData>{row}</sheetData></worksheet>'
    strings = f'<sst xmlns="MAIN"><si><t>{"long text " * 3000}</t></si></sst>'
    path = xlsx(tmp_path / "bomb.xlsx", sheet, strings=strings)
    with pytest.raises(ParseFailed, match="100 million"):
        list(read(path).pages)


# --- real files ----------------------------------------------------------------------------


def test_xls_shows_values_in_their_formats(corpus: Callable[[str], Path]) -> None:
    folder = corpus("office-suite") / "xls"
    page = next(iter(read(folder / "Formatting.xls").pages))
    assert lines(page)[1:] == [
        "dd/mm/yyyy: 11/24/2006",
        "yyyy/mm/dd: 2006/11/24",
        "yyyy-mm-dd: 2006-11-24",
        "yy/mm/dd: 06/11/24",
        "dd/mm/yy: 24/11/06",
        "dd-mm-yy: 24-11-06",
        "Numbers, all 10.52",
        "nn.nn | 10.52",
        "nn.nnn | 10.520",
        "nn.n | 10.5",
        "£nn.nn | £10.52",
    ]


# --- comments and facts ----------------------------------------------------------------------


def test_comments_follow_their_row(tmp_path: Path) -> None:
    path = save(tmp_path / "a.xlsx", TABLE)
    book = openpyxl.load_workbook(path)
    sheet = book.active
    sheet["B2"].comment = Comment("Ann Lee:\nplus tax", "Ann Lee")
    sheet["A2"].comment = Comment("check", "")
    sheet["A1"].comment = Comment("a header's", "Bob")
    sheet["E9"].comment = Comment("on an empty cell", "Bob")
    book.save(path)
    (page,) = read(path).pages
    check_normal_form(page)
    assert lines(page) == [
        "Item | Price | Stock | [Comment by Bob: a header's]",
        "Item: Bolt | Price: 1.5 | Stock: 20 | [Comment: check] | [Comment by Ann Lee: plus tax]",
        "Item: Nut | Price: 0.25 | Stock: 400",
        "[Comment by Bob: on an empty cell]",
    ]
    last = page.lines[-1]
    assert (last.row, last.column_start, last.column_end) == (9, 5, 5)


def test_threads_of_comments_have_names_and_replace_their_notes(tmp_path: Path) -> None:
    threads = 'xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"'
    path = save(tmp_path / "a.xlsx", TABLE)
    thread = (
        f"<ThreadedComments {threads}>"
        '<threadedComment ref="A2" personId="p1"><text>Why this one?</text></threadedComment>'
        '<threadedComment ref="A2" personId="p2"><text>It is cheap.</text></threadedComment>'
        '<threadedComment ref="nowhere" personId="p2"><text>x</text></threadedComment>'
        "</ThreadedComments>"
    )
    persons = (
        f'<personList {threads}><person id="p1" displayName="Ann"/>'
        '<person id="p2" displayName="Bob"/></personList>'
    )
    related(path, "xl/worksheets/sheet1.xml", threadedComment=("xl/threads.xml", thread))
    related(path, "xl/workbook.xml", person=("xl/persons.xml", persons))
    (page,) = read(path).pages
    assert lines(page)[1] == (
        "Item: Bolt | Price: 1.5 | Stock: 20 | [Comment by Ann: Why this one?] | "
        "[Comment by Bob: It is cheap.]"
    )


def test_damaged_comments_are_missing_and_the_sheet_is_read(tmp_path: Path) -> None:
    path = save(tmp_path / "a.xlsx", TABLE)
    related(path, "xl/worksheets/sheet1.xml", comments=("xl/comments.xml", "<comments"))
    reading = read(path)
    (page,) = reading.pages
    assert lines(page) == TABLE_SHOWN
    assert len(reading.missing) == 1


# --- every number and date -------------------------------------------------------------------

_NO_DECIMAL = r"^;;;$|\?/|:"
"""Formats that show nothing, a fraction or a time."""
_TOKEN = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")


def shows(text: str, value: float) -> bool:
    """Return whether a row shows a number: in full, as percent, or rounded by its format."""
    for token in _TOKEN.findall(text):
        plain = token.replace(",", "").lower()
        mantissa, _, exponent = plain.partition("e")
        half = 0.5000001 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        shown = abs(float(plain))
        if any(abs(shown - abs(value) * unit) <= half for unit in (1, 100, 1e-3, 1e-6)):
            return True
    # A format may put signs between the digits, as in telephone numbers.
    return abs(value) >= 10 and f"{abs(value):.0f}" in re.sub(r"\D", "", text)


def test_every_number_and_date_is_in_the_text(corpus: Callable[[str], Path]) -> None:
    """Compared with openpyxl, each in the line of its row."""
    numbers = dates = 0
    lost = []
    for path in sorted((corpus("office-suite") / "xlsx").iterdir()):
        if path.stat().st_size > 200_000:
            continue
        try:
            pages = {page.sheet_name: page for page in read(path).pages}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                book = openpyxl.load_workbook(path, data_only=True)
        except (FileError, KeyError, ValueError, TypeError, zipfile.BadZipFile):
            continue
        for sheet in book.worksheets:
            page = pages[sheet.title.strip()]
            text_of = {n.number: page.text[n.start : n.end] for n in page.lines}
            covered = {
                (row, column)
                for area in sheet.merged_cells.ranges
                for row, column in list(area.cells)[1:]
            }
            for cell in (c for row in sheet.iter_rows() for c in row):
                text = text_of.get(cell.row, "")
                if (cell.row, cell.column) in covered or re.search(_NO_DECIMAL, cell.number_format):
                    continue
                if isinstance(cell.value, int | float) and not isinstance(cell.value, bool):
                    numbers += 1
                    if not shows(text, cell.value):
                        lost.append((path.name, cell.coordinate, cell.value, text))
                elif isinstance(cell.value, dt.datetime) and cell.value.year > 1900:
                    dates += 1
                    when = cell.value
                    if not any(str(part) in text for part in (when.day, when.month, when.year)):
                        lost.append((path.name, cell.coordinate, when, text))
    assert numbers > 5_000
    assert dates > 10
    assert len(lost) <= 0.002 * (numbers + dates), lost[:20]
