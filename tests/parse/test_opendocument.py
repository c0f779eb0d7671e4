"""ODT and ODP: pages, lists, tables, notes, slides, running feet, passwords, hostile files."""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
from cryptography.hazmat.decrepit.ciphers.modes import CFB
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from casetrack.base import errors
from casetrack.parse import detect
from casetrack.parse.base import Page, Reading, ReadOptions
from casetrack.parse.detect import read_head
from casetrack.parse.opendocument.reader import OdpReader, OdtReader
from tests.parse.odf import NAMES, content, flat, package
from tests.parse.paging import blocks, hidden, numbers, texts

LANDSCAPE = (
    '<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="28cm" '
    'fo:page-height="21cm"/></style:page-layout>'
)


def styles(common: str = "", *, automatic: str = "", masters: str = "") -> str:
    return (
        f"<office:document-styles {NAMES}><office:styles>{common}</office:styles>"
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:master-styles>{masters}</office:master-styles></office:document-styles>"
    )


def read(path: Path, *passwords: str) -> tuple[Reading, list[Page]]:
    reader = OdpReader() if path.suffix in {".odp", ".fodp"} else OdtReader()
    assert reader.accepts(read_head(path))
    reading = reader.read(path, ReadOptions(passwords=passwords))
    return reading, list(reading.pages)


def text(tmp_path: Path, body: str, **more: str) -> list[Page]:
    """Read a text document with this body; ``automatic`` styles, other parts by name."""
    automatic = more.pop("automatic", "")
    parts = {f"{name}.xml": data for name, data in more.items()}
    path = tmp_path / "a.odt"
    return read(package(path, {"content.xml": content(body, automatic=automatic), **parts}))[1]


def style(name: str, properties: str = "", *, family: str = "paragraph", **more: str) -> str:
    given = "".join(f' style:{key.replace("_", "-")}="{value}"' for key, value in more.items())
    start = f'<style:style style:name="{name}" style:family="{family}"{given}>'
    return f"{start}{properties}</style:style>"


BREAK = style("B", '<style:paragraph-properties fo:break-before="page"/>')
AFTER = style("A", '<style:paragraph-properties fo:break-after="page"/>')

FRAME_TABLE = (
    '<table:table table:style-name="T"><table:table-row><table:table-cell><text:p>b</text:p>'
    "</table:table-cell></table:table-row></table:table>"
)


# --- text ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("  Con<text:span>tract</text:span>  no\n <text:span> 5</text:span>", ["Contract no 5"]),
        ('a<text:s text:c="3"/>b<text:s/>c', ["a   b c"]),
        ("Total<text:tab/>12", ["Total\t12"]),
        ("one<text:line-break/>two", ["one", "two"]),
        ('see <text:a xlink:href="#x">our site</text:a>.', ["see our site."]),
        (
            "<text:ruby><text:ruby-base>b</text:ruby-base><text:ruby-text>r</text:ruby-text></text:ruby>",
            ["b"],
        ),
        ('a<text:span text:style-name="V">not secret</text:span>b', ["anot secretb"]),
        ("page <text:page-number>7</text:page-number>", ["page 7"]),
        ("a<text:bookmark-start/>b<text:change-start/>c<text:script>x()</text:script>", ["abc"]),
    ],
)
def test_text_is_joined_as_the_format_says(tmp_path: Path, inside: str, lines: list[str]) -> None:
    hidden = style("H", '<style:text-properties text:display="none"/>', family="text")
    page = text(tmp_path, f"<text:p>{inside}</text:p>", automatic=hidden)[0]
    assert [page.text[line.start : line.end] for line in page.lines] == lines


def test_kinds_of_paragraphs(tmp_path: Path) -> None:
    named = "".join(
        style(name, parent_style_name=parent)
        for name, parent in (("P1", "Title"), ("P2", "Quotations"), ("P3", "Preformatted_20_Text"))
    )
    page = text(
        tmp_path,
        '<text:p text:style-name="P1">Report</text:p><text:h text:outline-level="2">Part</text:h>'
        '<text:h>Unlevelled</text:h><text:p>Body</text:p><text:p text:style-name="P2">Said</text:p>'
        '<text:p text:style-name="P3">x = 1</text:p><text:p/>',
        automatic=named,
    )[0]
    assert blocks(page) == [
        ("heading", 1, "Report"),
        ("heading", 2, "Part"),
        ("heading", 1, "Unlevelled"),
        ("body", None, "Body"),
        ("quote", None, "Said"),
        ("code", None, "x = 1"),
    ]
    assert page.is_estimated


OUTLINE = (
    '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1" '
    'style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="a" '
    'text:display-levels="2"/></text:outline-style>'
)


def test_numbered_headings_show_their_numbers(tmp_path: Path) -> None:
    headings = (
        (1, "", "One"), (2, "", "Under one"), (1, "", "Two"), (2, "", "Under two"),
        (1, ' text:is-list-header="true"', "Plain"),
        (1, ' text:restart-numbering="true" text:start-value="9"', "Nine"),
    )  # fmt: skip
    body = "".join(f'<text:h text:outline-level="{n}"{a}>{t}</text:h>' for n, a, t in headings)
    assert texts(text(tmp_path, body, styles=styles(OUTLINE))[0]) == [
        "1. One", "1.a Under one", "2. Two", "2.a Under two", "Plain", "9. Nine",
    ]  # fmt: skip


LISTS = (
    '<text:list-style style:name="N"><text:list-level-style-number text:level="1" '
    'style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" '
    'style:num-format="i" style:num-prefix="(" style:num-suffix=")"/></text:list-style>'
    '<text:list-style style:name="U"><text:list-level-style-bullet text:level="1" '
    'text:bullet-char="-"/></text:list-style>'
)


def item(*inside: str, **attributes: str) -> str:
    given = "".join(f' text:{k.replace("_", "-")}="{v}"' for k, v in attributes.items())
    parts = (x if x.startswith("<") else f"<text:p>{x}</text:p>" for x in inside)
    return f"<text:list-item{given}>{''.join(parts)}</text:list-item>"


def listed(*items: str, **attributes: str) -> str:
    given = "".join(
        f' {k.replace("__", ":").replace("_", "-")}="{v}"' for k, v in attributes.items()
    )
    return f"<text:list{given}>{''.join(items)}</text:list>"


def numbered(*items: str, **attributes: str) -> str:
    return listed(*items, text__style_name="N", **attributes)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (
            numbered(item("a", listed(item("b"), item("c"))), item("d", "more")),
            ["1. a", "(i) b", "(ii) c", "2. d", "more"],
        ),
        (listed(item("a"), item("b"), text__style_name="U"), ["\u2022 a", "\u2022 b"]),
        (
            numbered(item("a")) + "<text:p>between</text:p>"
            + numbered(item("b"), text__continue_numbering="true") + numbered(item("c")),
            ["1. a", "between", "2. b", "1. c"],
        ),
        (
            numbered(item("a"), xml__id="l1") + numbered(item("x"))
            + numbered(item("b"), text__continue_list="l1"),
            ["1. a", "1. x", "2. b"],
        ),
        (numbered(item("a", start_value="5"), item("b")), ["5. a", "6. b"]),
        (numbered(item(listed(item("inner"))), item("a")), ["(i) inner", "1. a"]),
        (listed("<text:list-header><text:p>no item</text:p></text:list-header>"), ["no item"]),
    ],
)  # fmt: skip
def test_lists_show_their_numbers_and_bullets(tmp_path: Path, body: str, lines: list[str]) -> None:
    assert texts(text(tmp_path, body, automatic=LISTS)[0]) == lines


# --- pages ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        ('<text:p>a</text:p><text:p text:style-name="B">b</text:p>', ["a", "b"]),
        ('<text:p text:style-name="A">a</text:p><text:p>b</text:p>', ["a", "b"]),
        ('<text:p text:style-name="B">a</text:p><text:p>b</text:p>', ["a\n\nb"]),
        ("<text:p>a <text:soft-page-break/>b</text:p>", ["a", "b"]),
        ("<text:p>a</text:p><text:soft-page-break/><text:p>b</text:p>", ["a", "b"]),
        (
            '<text:p>a</text:p><text:p text:style-name="B"/><text:p text:style-name="B">b</text:p>',
            ["a", "", "b"],
        ),
        ('<text:p>a</text:p><text:p text:style-name="M">b</text:p>', ["a", "b"]),
        ("<text:p>a</text:p><text:soft-page-break/>", ["a"]),
        ("<text:p>a</text:p>" + FRAME_TABLE, ["a", "b"]),
    ],
)
def test_breaks_count_pages(tmp_path: Path, body: str, pages: list[str]) -> None:
    table = style("T", '<style:table-properties fo:break-before="page"/>', family="table")
    own = BREAK + AFTER + table + style("M", master_page_name="Other")
    result = text(tmp_path, body, automatic=own)
    assert [p.text for p in result] == pages
    assert [p.number for p in result] == list(range(1, len(pages) + 1))
    assert all(p.is_estimated == (len(pages) == 1 and "soft" not in body) for p in result)


def test_a_break_inside_a_heading_or_item_does_not_repeat_its_number(tmp_path: Path) -> None:
    body = listed(item("<text:p>a <text:soft-page-break/>b</text:p>"), text__style_name="N")
    body += "<text:h>Long <text:soft-page-break/>heading</text:h>"
    pages = text(tmp_path, body, automatic=LISTS)
    assert [blocks(p) for p in pages] == [
        [("list", None, "1. a")],
        [("list", None, "b"), ("heading", 1, "Long")],
        [("body", None, "heading")],
    ]


def test_headers_and_footers_appear_once_and_then_beside(tmp_path: Path) -> None:
    masters = (
        '<style:master-page style:name="Standard" style:page-layout-name="L"><style:header>'
        "<text:p>Acme Ltd</text:p></style:header><style:footer><text:p>Page <text:page-number>1"
        "</text:page-number></text:p></style:footer></style:master-page>"
        '<style:master-page style:name="Annex"><style:header><text:p>Annex</text:p></style:header>'
        '<style:footer style:display="false"><text:p>never</text:p></style:footer>'
        "</style:master-page>"
    )
    pages = text(
        tmp_path,
        '<text:p>a</text:p><text:p text:style-name="B">b</text:p>'
        '<text:p text:style-name="M">c</text:p><text:p text:style-name="B">d</text:p>',
        automatic=BREAK + style("M", master_page_name="Annex"),
        styles=styles(automatic=LANDSCAPE, masters=masters),
    )
    assert [(texts(p), p.header, p.footer) for p in pages] == [
        (["Acme Ltd", "a", "Page 1"], None, None),
        (["b"], "Acme Ltd", "Page 2"),
        (["Annex", "c"], None, None),
        (["d"], "Annex", None),
    ]
    assert [round(pages[0].width or 0), round(pages[0].height or 0)] == [794, 595]
    assert pages[2].width is None


def test_first_and_left_pages_have_their_own_headers(tmp_path: Path) -> None:
    names = ("header", "header-left", "header-first")
    heads = "".join(f"<style:{n}><text:p>{n}</text:p></style:{n}>" for n in names)
    master = f'<style:master-page style:name="Standard">{heads}</style:master-page>'
    broken = '<text:p text:style-name="B">x</text:p>'
    pages = text(tmp_path, broken * 4, automatic=BREAK, styles=styles(masters=master))
    assert [(p.text.partition("\n")[0], p.header) for p in pages] == [
        ("header-first", None), ("header-left", None), ("header", None), ("x", "header-left"),
    ]  # fmt: skip


# --- notes, comments, changes --------------------------------------------------------------


def note(sign: str, *paragraphs: str, kind: str = "footnote") -> str:
    inside = "".join(f"<text:p>{p}</text:p>" for p in paragraphs)
    return (
        f'<text:note text:note-class="{kind}"><text:note-citation>{sign}</text:note-citation>'
        f"<text:note-body>{inside}</text:note-body></text:note>"
    )


def test_notes_are_at_the_end_of_their_page(tmp_path: Path) -> None:
    first, second = note("1", "See A.", "And B."), note("i", "End.", kind="endnote")
    pages = text(
        tmp_path,
        f'<text:p>One{first}, two.</text:p><text:p>After.</text:p><text:p text:style-name="B">'
        f"Three{second}</text:p>",
        automatic=BREAK,
    )
    assert [blocks(p) for p in pages] == [
        [
            ("body", None, "One[1], two."),
            ("body", None, "After."),
            ("footnote", None, "[1] See A."),
            ("footnote", None, "And B."),
        ],
        [("body", None, "Three[i]"), ("footnote", None, "[i] End.")],
    ]


def test_comments_are_quotes_and_deletions_are_left_out(tmp_path: Path) -> None:
    comment = (
        "<office:annotation><dc:creator>Ann Lee</dc:creator><dc:date>2024-01-01T00:00:00</dc:date>"
        "<text:p>Is this</text:p><text:p>right?</text:p></office:annotation>"
    )
    page = text(
        tmp_path,
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p>"
        f"</text:deletion></text:changed-region></text:tracked-changes><text:p>Te{comment}xt"
        '<text:change text:change-id="c"/></text:p>',
    )[0]
    assert blocks(page) == [
        ("body", None, "Text"),
        ("quote", None, "Comment by Ann Lee: Is this right?"),
    ]


def test_frames_sections_and_indexes_are_read_in_place(tmp_path: Path) -> None:
    body = (
        "<text:section><text:p>in a section<draw:frame><draw:text-box><text:p>in a box</text:p>"
        "</draw:text-box></draw:frame></text:p></text:section>"
        "<text:table-of-content><text:table-of-content-source><text:index-title-template>template"
        "</text:index-title-template></text:table-of-content-source><text:index-body>"
        "<text:index-title><text:p>Contents</text:p></text:index-title><text:p>One<text:tab/>1"
        "</text:p></text:index-body></text:table-of-content>"
        "<text:p><draw:g><draw:custom-shape><text:p>in shape</text:p></draw:custom-shape></draw:g>"
        '<draw:frame draw:name="Image1"><draw:image/><svg:title>Image1</svg:title>'
        "<svg:desc>The bridge in winter</svg:desc></draw:frame></text:p>"
        '<text:section text:display="none"><text:p>hidden</text:p></text:section>'
    )
    _, (page,) = read(package(tmp_path / "a.odt", {"content.xml": content(body)}))
    assert texts(page) == [
        "in a section", "in a box", "Contents", "One\t1", "in shape",
        "Picture: The bridge in winter", texts(page)[-1],
    ]  # fmt: skip
    assert hidden(page) == [("hidden", "hidden")]


# --- tables --------------------------------------------------------------------------------


def cell(inside: str, **attributes: str) -> str:
    given = "".join(f' table:{k.replace("_", "-")}="{v}"' for k, v in attributes.items())
    inner = inside if inside.startswith("<") or not inside else f"<text:p>{inside}</text:p>"
    return f"<table:table-cell{given}>{inner}</table:table-cell>"


def row(*cells: str) -> str:
    inside = "".join(c if c.startswith("<table") else cell(c) for c in cells)
    return f"<table:table-row>{inside}</table:table-row>"


def table(*rows: str) -> str:
    return f"<table:table>{''.join(rows)}</table:table>"


COVERED = "<table:covered-table-cell/>"


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (
            table(
                f"<table:table-header-rows>{row('Item', 'Why')}</table:table-header-rows>",
                row("Rent", "house"), row("", "power"),
            ),
            ["Item | Why", "Item: Rent | Why: house", "Why: power"],
        ),
        (
            table(
                row("Item", cell("Amount", number_columns_spanned="2"), COVERED),
                row(cell("Rent", number_rows_spanned="2"), "1", "2"), row(COVERED, "3", "4"),
            ),
            ["Item | Amount", "Item: Rent | Amount: 1 | Amount: 2", "Amount: 3 | Amount: 4"],
        ),
        (
            table(row("a", cell("", number_columns_repeated="2"), "d"), row("1", "2", "3", "4")),
            ["a | d", "a: 1 | 2 | 3 | d: 4"],
        ),
        (
            table(row("a", cell(f"<text:p>b</text:p>{table(row('x', 'y'))}"))),
            ["a | b", "x | y"],
        ),
    ],
)  # fmt: skip
def test_tables_are_rows_with_their_headers(tmp_path: Path, body: str, rows: list[str]) -> None:
    page = text(tmp_path, body)[0]
    assert blocks(page) == [("table", None, r) for r in rows]


def test_a_table_of_one_column_is_a_frame_and_a_row_may_end_a_page(tmp_path: Path) -> None:
    broken = "<text:p>b<text:soft-page-break/>b</text:p>"
    body = table(row("just"), row("text")) + table(row(cell(broken), cell(broken)), row("c", "d"))
    pages = text(tmp_path, body)
    assert [blocks(p) for p in pages] == [
        [("body", None, "just"), ("body", None, "text"), ("table", None, "b b | b b")],
        [("table", None, "c | d")],
    ]


def test_huge_repeat_counts_cost_nothing(tmp_path: Path) -> None:
    many = "999999999"
    body = table(row(cell("x", number_columns_repeated=many, number_columns_spanned=many), "y"))
    assert text(tmp_path, body)[0].text.count("x") == 100


# --- embedded objects ----------------------------------------------------------------------

CHART = (
    f"<office:document-content {NAMES}><office:body><office:chart><chart:chart><chart:title>"
    "<text:p>Sales by year</text:p></chart:title><table:table><table:table-header-rows>"
    + row("", "North")
    + "</table:table-header-rows><table:table-rows>"
    + row("2023", "8.2")
    + row("2024", "9")
    + "</table:table-rows></table:table></chart:chart></office:chart></office:body>"
    "</office:document-content>"
)
FORMULA = (
    f"<math:math {NAMES}><math:semantics><math:mrow><math:mi>a</math:mi><math:mo>=</math:mo>"
    "<math:mn>2</math:mn></math:mrow><math:annotation>a = 2</math:annotation></math:semantics>"
    "</math:math>"
)


def test_charts_and_formulas_are_read(tmp_path: Path) -> None:
    frames = "".join(
        f'<draw:frame><draw:object xlink:href="./{name}"/></draw:frame>'
        for name in ("O1", "O2", "O3")
    )
    objects = {"O1": CHART, "O2": FORMULA, "O3": "<broken"}
    parts = {f"{k}/content.xml": xml for k, xml in objects.items()}
    parts["content.xml"] = content(f"<text:p>{frames}</text:p>")
    reading, pages = read(package(tmp_path / "a.odt", parts))
    assert texts(pages[0]) == [
        "Chart: Sales by year", "2023 | North: 8.2", "2024 | North: 9", "a = 2",
    ]  # fmt: skip
    assert len(reading.missing) == 1


# --- presentations -------------------------------------------------------------------------


def frame(inside: str, *, top: float = 0, left: float = 0, **attributes: str) -> str:
    given = "".join(f' presentation:{k}="{v}"' for k, v in attributes.items()).replace(
        "cls", "class"
    )
    inner = inside if inside.startswith("<") else f"<text:p>{inside}</text:p>"
    return (
        f'<draw:frame svg:y="{top}cm" svg:x="{left}cm" svg:height="2cm"{given}><draw:text-box>'
        f"{inner}</draw:text-box></draw:frame>"
    )


def test_slides_are_pages_in_reading_order_with_notes(tmp_path: Path) -> None:
    notes = f"<presentation:notes>{frame('Say hello.', cls='notes')}</presentation:notes>"
    comment = "<office:annotation><text:p>Check.</text:p></office:annotation>"
    drawn = table(row("Item", "2024"), row("Rent", "12")).replace(
        "<table:table>", '<table:table table:use-first-row-styles="true">', 1
    )
    body = (
        "<draw:page>"
        + frame("below", top=9)
        + frame("right", top=4.1, left=12)
        + f"<draw:g>{frame('left', top=4, left=1)}</draw:g>"
        + f'<draw:frame svg:y="15cm" svg:x="0cm">{drawn}</draw:frame>'
        + frame("<text:p>The</text:p><text:p>title</text:p>", top=20, cls="title")
        + f"{comment}{notes}</draw:page><draw:page/>"
    )
    path = tmp_path / "a.odp"
    reading, pages = read(package(path, {"content.xml": content(body, kind="presentation")}))
    assert blocks(pages[0]) == [
        ("heading", 1, "The\ntitle"),
        ("body", None, "left"),
        ("body", None, "right"),
        ("body", None, "below"),
        ("table", None, "Item | 2024"),
        ("table", None, "Item: Rent | 2024: 12"),
        ("body", None, "Notes:"),
        ("body", None, "Say hello."),
        ("quote", None, "Comment: Check."),
    ]
    assert (pages[1].kind, pages[1].text, reading.info.page_count) == ("slide", "", 2)


def test_feet_of_masters_and_hidden_slides(tmp_path: Path) -> None:
    feet = (
        frame("<text:p><presentation:footer/></text:p>", cls="footer", top=1)
        + frame("<text:p><text:page-number/></text:p>", cls="page-number", top=2)
        + frame("SECRET", top=3)
        + frame("outline of the master", cls="outline")
    )
    master = (
        f'<style:master-page style:name="D" style:page-layout-name="L">{feet}</style:master-page>'
    )
    pages = "".join(
        f'<draw:page draw:master-page-name="D" draw:style-name="{s}" '
        f'presentation:use-footer-name="f">{frame(t)}</draw:page>'
        for s, t in (("", "a"), ("hide", "b"), ("bare", "c"))
    )
    declared = '<presentation:footer-decl presentation:name="f">Acme Ltd</presentation:footer-decl>'

    def page_style(name: str, attribute: str) -> str:
        inside = f"<style:drawing-page-properties presentation:{attribute}/>"
        return style(name, inside, family="drawing-page")

    automatic = page_style("hide", 'visibility="hidden"') + page_style(
        "bare", 'display-footer="false"'
    )
    xml = content(declared + pages, kind="presentation", automatic=automatic)
    parts = {"content.xml": xml, "styles.xml": styles(automatic=LANDSCAPE, masters=master)}
    reading, result = read(package(tmp_path / "a.odp", parts))
    assert [(texts(p), p.footer) for p in result] == [
        (["a", "Acme Ltd", "1", "SECRET"], None),
        (["b"], "Acme Ltd | 2 | SECRET"),
        (["c"], "3 | SECRET"),
    ]
    assert round(result[0].width or 0) == 794
    (warning,) = reading.warnings
    assert numbers(warning) == ["2"]


# --- the file ------------------------------------------------------------------------------

META = (
    f"<office:document-meta {NAMES}><office:meta><dc:title>Plan B</dc:title><dc:subject>Deal"
    "</dc:subject><meta:keyword>x</meta:keyword><meta:keyword>y</meta:keyword>"
    "<meta:initial-creator>Ann Lee</meta:initial-creator><dc:creator>Bob Ray</dc:creator>"
    "<meta:creation-date>2024-02-29T12:30:00.5</meta:creation-date>"
    "<dc:date>2024-03-01T10:00:00+02:00</dc:date></office:meta></office:document-meta>"
)
HELLO = content("<text:p>Hello</text:p>")


SHEET = content('<table:table table:name="A"/>', kind="spreadsheet")


@pytest.mark.parametrize(("kind", "body"), [("odt", HELLO), ("ods", SHEET)])
def test_facts_of_the_file(tmp_path: Path, kind: str, body: str) -> None:
    path = package(tmp_path / f"a.{kind}", {"content.xml": body, "meta.xml": META})
    info = detect(path).read(path).info
    assert (info.format, info.page_count) == (kind, 1)
    assert (info.title, info.author) == ("Plan B", "Ann Lee")
    assert info.created_at == datetime(2024, 2, 29, 12, 30, 0, 500_000, UTC)
    assert info.modified_at == datetime(2024, 3, 1, 8, 0, tzinfo=UTC)
    facts = {"subject": "Deal", "keywords": "x, y", "last_modified_by": "Bob Ray"}
    assert dict(info.properties) == facts


@pytest.mark.parametrize(("suffix", "kind"), [(".fodt", "text"), (".fodp", "presentation")])
def test_flat_files_read_the_same(tmp_path: Path, suffix: str, kind: str) -> None:
    inside = (
        f"<draw:page>{frame('Hello')}</draw:page>"
        if kind == "presentation"
        else "<text:p>Hello</text:p>"
    )
    path = tmp_path / f"a{suffix}"
    path.write_text(flat(inside, kind), encoding="utf-8")
    assert [p.text for p in read(path)[1]] == ["Hello"]


def test_broken_styles_and_facts_do_not_hide_the_words(tmp_path: Path) -> None:
    parts = {"content.xml": HELLO, "styles.xml": "<a", "meta.xml": "<b"}
    reading, pages = read(package(tmp_path / "a.odt", parts))
    assert pages[0].text == "Hello"
    assert len(reading.warnings) == 2


@pytest.mark.parametrize(
    "xml", [None, "<a/>", "<broken", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"]
)
def test_what_is_no_text_fails(tmp_path: Path, xml: str | None) -> None:
    parts = {} if xml is None else {"content.xml": xml}
    path = package(tmp_path / "a.odt", {"x": "", **parts})
    with pytest.raises(errors.ParseFailed, match=r"a\.odt"):
        OdtReader().read(path)


def test_a_document_type_without_content_is_passed_over(tmp_path: Path) -> None:
    old = '<!DOCTYPE office:document-content PUBLIC "-//O//DTD 1.0//EN" "office.dtd">' + HELLO
    assert read(package(tmp_path / "a.odt", {"content.xml": old}))[1][0].text == "Hello"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<text:span>", "</text:span>"),
        ("<draw:g>", "</draw:g>"),
        ("<text:list><text:list-item>", "</text:list-item></text:list>"),
        (
            "<table:table><table:table-row><table:table-cell>",
            "</table:table-cell></table:table-row></table:table>",
        ),
    ],
)
def test_content_nested_too_deep_is_named(tmp_path: Path, start: str, end: str) -> None:
    deep = start * 400 + "<text:p>deep</text:p>" + end * 400
    body = f"<text:p>{deep}</text:p>" if "span" in start else deep
    path = package(tmp_path / "a.odt", {"content.xml": content("<text:p>top</text:p>" + body)})
    reading, pages = read(path)
    assert pages[0].text == "top"
    (missing,) = reading.missing
    assert "60" in missing


def test_other_documents_are_not_accepted(tmp_path: Path) -> None:
    path = package(tmp_path / "a.odp", {"content.xml": HELLO})
    assert not OdtReader().accepts(read_head(path))
    path.write_bytes(b"PK\x03\x04 damaged")
    assert OdtReader().accepts(read_head(path))


# --- passwords -----------------------------------------------------------------------------

PASSWORD = "s\u00e9same 1"
MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def aes(data: bytes) -> tuple[bytes, str]:
    """Encrypt as OpenDocument 1.2 does."""
    salt, vector, packed = os.urandom(16), os.urandom(16), deflated(data)
    start = hashlib.sha256(PASSWORD.encode()).digest()
    key = hashlib.pbkdf2_hmac("sha1", start, salt, 1000, 32)
    pad = 16 - len(packed) % 16
    sealer = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    sealed = sealer.update(packed + os.urandom(pad - 1) + bytes([pad])) + sealer.finalize()
    return sealed, (
        f'<m:encryption-data m:checksum-type="{MANIFEST}#sha256-1k" '
        f'm:checksum="{b64(hashlib.sha256(packed[:1024]).digest())}">'
        '<m:algorithm m:algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc" '
        f'm:initialisation-vector="{b64(vector)}"/><m:start-key-generation '
        'm:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256" m:key-size="32"/>'
        '<m:key-derivation m:key-derivation-name="PBKDF2" m:key-size="32" '
        f'm:iteration-count="1000" m:salt="{b64(salt)}"/></m:encryption-data>'
    )


def blowfish(data: bytes) -> tuple[bytes, str]:
    """Encrypt as OpenDocument 1.1 does."""
    salt, vector, packed = os.urandom(16), os.urandom(8), deflated(data)
    start = hashlib.sha1(PASSWORD.encode(), usedforsecurity=False).digest()
    key = hashlib.pbkdf2_hmac("sha1", start, salt, 1024, 16)
    sealer = Cipher(Blowfish(key), CFB(vector)).encryptor()
    digest = hashlib.sha1(packed[:1024], usedforsecurity=False).digest()
    return sealer.update(packed) + sealer.finalize(), (
        f'<m:encryption-data m:checksum-type="SHA1/1K" m:checksum="{b64(digest)}">'
        f'<m:algorithm m:algorithm-name="Blowfish CFB" m:initialisation-vector="{b64(vector)}"/>'
        '<m:key-derivation m:key-derivation-name="PBKDF2" m:iteration-count="1024" '
        f'm:salt="{b64(salt)}"/></m:encryption-data>'
    )


def argon(data: bytes, *, kilobytes: int = 64) -> tuple[bytes, str]:
    """Encrypt as whole packages are."""
    salt, nonce = os.urandom(16), os.urandom(12)
    start = hashlib.sha256(PASSWORD.encode()).digest()
    key = Argon2id(salt=salt, length=32, iterations=2, lanes=2, memory_cost=64).derive(start)
    sealed = nonce + AESGCM(key).encrypt(nonce, deflated(data), None)
    return sealed, (
        '<m:encryption-data><m:algorithm m:algorithm-name="http://www.w3.org/2009/xmlenc11#aes256-gcm"'
        f' m:initialisation-vector="{b64(nonce)}"/><m:start-key-generation '
        'm:start-key-generation-name="http://www.w3.org/2001/04/xmlenc#sha256" m:key-size="32"/>'
        '<m:key-derivation m:key-derivation-name="urn:x:manifest:argon2id" m:key-size="32" '
        f'm:argon2-iterations="2" m:argon2-memory="{kilobytes}" m:argon2-lanes="2" '
        f'm:salt="{b64(salt)}"/></m:encryption-data>'
    )


def manifest(entries: dict[str, str]) -> str:
    inside = "".join(
        f'<m:file-entry m:full-path="{n}">{d}</m:file-entry>' for n, d in entries.items()
    )
    return f'<m:manifest xmlns:m="{MANIFEST}">{inside}</m:manifest>'


def sealed_parts(name: str, sealed: bytes, how: str) -> dict[str, str | bytes]:
    return {name: sealed, "META-INF/manifest.xml": manifest({name: how})}


def protected(path: Path, form: str) -> Path:
    plain = {"content.xml": HELLO.encode(), "meta.xml": META.encode()}
    if form == "whole":
        inner = package(path.with_name("inner.odt"), dict(plain)).read_bytes()
        sealed, how = argon(inner)
        return package(path, sealed_parts("encrypted-package", sealed, how))
    seal = {"aes": aes, "blowfish": blowfish}[form]
    done = {name: seal(data) for name, data in plain.items()}
    parts = {name: sealed for name, (sealed, _) in done.items()}
    parts["META-INF/manifest.xml"] = manifest({name: how for name, (_, how) in done.items()})
    return package(path, parts)


@pytest.mark.parametrize("form", ["aes", "blowfish", "whole"])
def test_protected_files_open_with_their_password(tmp_path: Path, form: str) -> None:
    path = protected(tmp_path / "a.odt", form)
    reading, pages = read(path, "", "wrong", PASSWORD)
    assert (pages[0].text, reading.info.title) == ("Hello", "Plan B")
    for passwords in ((), ("wrong",)):
        with pytest.raises(errors.FileEncrypted):
            read(path, *passwords)


def test_keys_of_certificates_open_nothing(tmp_path: Path) -> None:
    parts = {"content.xml": b"x", "META-INF/manifest.xml": "<keyinfo/>"}
    with pytest.raises(errors.FileEncrypted):
        read(package(tmp_path / "a.odt", parts), "any")


def test_a_key_that_takes_too_much_memory_is_refused(tmp_path: Path) -> None:
    sealed, how = argon(b"x", kilobytes=1 << 30)
    parts = sealed_parts("encrypted-package", sealed, how)
    with pytest.raises(errors.ParseFailed, match=r"a\.odt"):
        read(package(tmp_path / "a.odt", parts), PASSWORD)


def test_a_part_that_is_damaged_under_its_password_is_named(tmp_path: Path) -> None:
    sealed, how = aes(os.urandom(40_000))
    parts = sealed_parts("content.xml", sealed[:16_000], how)
    with pytest.raises(errors.ParseFailed, match=r"content\.xml"):
        read(package(tmp_path / "a.odt", parts), PASSWORD)
