"""PPTX: reading order, lists, tables, charts, notes, comments, feet, hostile containers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pptx
import pytest
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Pt

from casetrack.base import errors
from tests.parse.paging import blocks, numbers, read, related, rezipped, texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.parse.base import Page

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
NAMES = f'xmlns:a="{A}" xmlns:p="{P}" xmlns:r="{R}" xmlns:mc="{MC}"'
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BARE_SHAPE = (
    "<p:sp><p:nvSpPr/><p:spPr/><p:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody></p:sp>"
)
TITLE_ONLY, BLANK, COMPARISON = 5, 6, 4


def made(path: Path, fill: Callable[[Any], object]) -> list[Page]:
    presentation = pptx.Presentation()
    fill(presentation)
    presentation.save(str(path))
    return read(path)[1]


def slide(presentation: Any, layout: int = BLANK) -> Any:
    return presentation.slides.add_slide(presentation.slide_layouts[layout])


def box(shapes: Any, text: str, *, top: float = 0, left: float = 0, height: float = 40) -> Any:
    shape = shapes.add_textbox(Pt(left), Pt(top), Pt(100), Pt(height))
    shape.text_frame.text = text
    return shape


# --- text ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paragraph", "lines"),
    [
        (
            "<a:r><a:t>Con</a:t></a:r><a:r><a:t>tract </a:t></a:r><a:r><a:t>no</a:t></a:r>",
            ["Contract no"],
        ),
        ("<a:r><a:t>one</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r>", ["one", "two"]),
        ("<a:r><a:t>one_x000B_two</a:t></a:r>", ["one", "two"]),
        ("<a:r><a:t>a_x0041_b _x005F_x000B_</a:t></a:r>", ["aAb _x000B_"]),
        ("<a:r><a:t>Total\t12</a:t></a:r>", ["Total\t12"]),
        ('<a:fld id="{1}" type="datetime"><a:t>1 May 2024</a:t></a:fld>', ["1 May 2024"]),
        (
            '<a:r><a:rPr><a:hlinkClick r:id=""/></a:rPr><a:t>our site</a:t></a:r><a:endParaRPr/>',
            ["our site"],
        ),
    ],
)
def test_runs_join_as_they_are_and_breaks_part_lines(
    tmp_path: Path, paragraph: str, lines: list[str]
) -> None:
    def fill(presentation: Any) -> None:
        body = box(slide(presentation).shapes, "x").text_frame._txBody
        body.replace(body.p_lst[0], parse_xml(f"<a:p {NAMES}>{paragraph}</a:p>"))

    page = made(tmp_path / "a.pptx", fill)[0]
    assert [page.text[line.start : line.end] for line in page.lines] == lines
    assert len(page.paragraphs) == 1


def test_title_is_a_heading_and_body_levels_are_lists(tmp_path: Path) -> None:
    def fill(presentation: Any) -> None:
        first = slide(presentation, 0)
        first.shapes.title.text = "Quarterly\nreport"
        first.placeholders[1].text = "Jane Doe"
        second = slide(presentation, 1)
        second.shapes.title.text = "Agenda"
        frame = second.placeholders[1].text_frame
        frame.text = "Costs"
        frame.add_paragraph().text = "Rent"
        frame.paragraphs[1].level = 1
        plain = frame.add_paragraph()
        plain.text = "No bullet"
        plain._p.get_or_add_pPr().append(parse_xml(f"<a:buNone {NAMES}/>"))

    first, second = made(tmp_path / "a.pptx", fill)
    assert blocks(first) == [("heading", 1, "Quarterly\nreport"), ("body", None, "Jane Doe")]
    assert blocks(second) == [
        ("heading", 1, "Agenda"),
        ("list", None, "\u2022 Costs"),
        ("list", None, "\u2022 Rent"),
        ("body", None, "No bullet"),
    ]
    assert (second.number, second.kind, second.width, second.height) == (2, "slide", 720, 540)


def test_numbered_paragraphs_show_their_numbers(tmp_path: Path) -> None:
    schemes = [
        (0, "arabicPeriod", "one"),
        (1, "alphaLcParenR", "under one"),
        (1, "alphaLcParenR", "under one too"),
        (0, "arabicPeriod", "two"),
        (1, "alphaLcParenR", "under two"),
        (0, "romanUcPeriod", "other scheme"),
        (0, "circleNumDbPlain", "unknown scheme"),
    ]

    def fill(presentation: Any) -> None:
        frame = box(slide(presentation).shapes, "").text_frame
        for level, scheme, text in schemes:
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = text, level
            start = ' startAt="4"' if scheme == "romanUcPeriod" else ""
            mark = parse_xml(f'<a:buAutoNum {NAMES} type="{scheme}"{start}/>')
            paragraph._p.get_or_add_pPr().append(mark)

    numbers = ["1.", "a)", "b)", "2.", "a)", "IV.", "1."]
    shown = [f"{number} {text}" for number, (_, _, text) in zip(numbers, schemes, strict=True)]
    assert texts(made(tmp_path / "a.pptx", fill)[0]) == shown


# --- order ---------------------------------------------------------------------------------


def test_shapes_go_by_rows_whatever_their_drawing_order(tmp_path: Path) -> None:
    def fill(presentation: Any) -> None:
        shapes = slide(presentation, TITLE_ONLY).shapes
        box(shapes, "B", top=203, left=400)
        box(shapes, "below", top=300)
        box(shapes, "A", top=200, left=50)
        group = shapes.add_group_shape()
        box(group.shapes, "g2", top=120, left=300)
        inner = group.shapes.add_group_shape()
        box(inner.shapes, "g1", top=120, left=20)
        shapes.title.text = "Title last drawn"

    assert texts(made(tmp_path / "a.pptx", fill)[0]) == [
        "Title last drawn", "g1", "g2", "A", "B", "below",
    ]  # fmt: skip


def test_two_columns_with_headings_stay_together(tmp_path: Path) -> None:
    def fill(presentation: Any) -> None:
        both = slide(presentation, COMPARISON)
        for place, text in zip(both.placeholders, ("T", "Left", "l1", "Right", "r1"), strict=False):
            place.text = text

    assert texts(made(tmp_path / "a.pptx", fill)[0]) == [
        "T", "Left", "\u2022 l1", "Right", "\u2022 r1",
    ]  # fmt: skip


def test_the_presentation_tells_the_order_of_slides(tmp_path: Path) -> None:
    def fill(presentation: Any) -> None:
        for text in ("first made", "second made"):
            box(slide(presentation).shapes, text)
        order = presentation.slides._sldIdLst
        order.append(order[0])

    assert [p.text for p in made(tmp_path / "a.pptx", fill)] == ["second made", "first made"]


# --- tables, charts, diagrams --------------------------------------------------------------


def test_a_ticked_header_row_names_the_cells(tmp_path: Path) -> None:
    rows = [["Item", "2023", "2024"], ["Rent", "10", "12"], ["Power", "", "3"]]

    def fill(presentation: Any) -> None:
        shapes = slide(presentation).shapes
        for header, top in ((True, 0), (False, 300)):
            table = shapes.add_table(3, 3, 0, Pt(top), Pt(300), Pt(90)).table
            table.first_row = header
            for r, row in enumerate(rows):
                for c, text in enumerate(row):
                    table.cell(r, c).text = text

    page = made(tmp_path / "a.pptx", fill)[0]
    assert texts(page) == [
        "Item | 2023 | 2024",
        "Item: Rent | 2023: 10 | 2024: 12",
        "Item: Power | 2024: 3",
        "Item | 2023 | 2024",
        "Rent | 10 | 12",
        "Power | 3",
    ]
    assert {p.kind for p in page.paragraphs} == {"table"}


def test_merged_cells_appear_once_and_cover_their_columns(tmp_path: Path) -> None:
    def fill(presentation: Any) -> None:
        table = slide(presentation).shapes.add_table(3, 3, 0, 0, Pt(300), Pt(90)).table
        table.cell(0, 1).merge(table.cell(0, 2))
        table.cell(1, 0).merge(table.cell(2, 0))
        for (r, c), text in {
            (0, 0): "Name", (0, 1): "Amount", (1, 0): "Rent", (1, 1): "10", (1, 2): "12",
            (2, 1): "a\nb\vc",
        }.items():  # fmt: skip
            table.cell(r, c).text = text

    assert texts(made(tmp_path / "a.pptx", fill)[0]) == [
        "Name | Amount",
        "Name: Rent | Amount: 10 | Amount: 12",
        "Amount: a b c",
    ]


def test_a_table_of_one_column_is_a_frame_around_text(tmp_path: Path) -> None:
    def fill(presentation: Any) -> None:
        table = slide(presentation).shapes.add_table(2, 1, 0, 0, Pt(300), Pt(90)).table
        table.cell(0, 0).text, table.cell(1, 0).text = "first", "second"

    assert [kind for kind, _, _ in blocks(made(tmp_path / "a.pptx", fill)[0])] == ["body"] * 2


def _category() -> tuple[Any, Any]:
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["Q1", "Q2"]
    data.add_series("Sales", (0.125, None))
    data.add_series("Costs", (0.5, 0.75))
    return XL_CHART_TYPE.COLUMN_CLUSTERED, data


def _levels() -> tuple[Any, Any]:
    data = CategoryChartData()
    for year in ("2023", "2024"):
        category = data.add_category(year)
        for half in ("H1", "H2"):
            category.add_sub_category(half)
    data.add_series("Sales", (1, 2, 3, 4.5))
    return XL_CHART_TYPE.COLUMN_CLUSTERED, data


def _points() -> tuple[Any, Any]:
    data = XyChartData()
    for name, points in (("A", [(1, 8.200000000000001)]), ("B", [(5, 6)])):
        series = data.add_series(name)
        for x, y in points:
            series.add_data_point(x, y)
    return XL_CHART_TYPE.XY_SCATTER, data


def _bubbles() -> tuple[Any, Any]:
    data = BubbleChartData()
    data.add_series("Risk").add_data_point(1, 2, 30)
    return XL_CHART_TYPE.BUBBLE, data


@pytest.mark.parametrize(
    ("chart", "rows"),
    [
        (_category, ["Q1 | Sales: 12.5% | Costs: 50.0%", "Q2 | Costs: 75.0%"]),
        (_levels, [f"202{n // 2 + 3} H{n % 2 + 1} | Sales: {(1, 2, 3, 4.5)[n]}" for n in range(4)]),
        (_points, ["1 | A: 8.2", "5 | B: 6"]),
        (_bubbles, ["1 | Risk: 2 / 30"]),
    ],
)
def test_charts_are_rows_of_their_categories(
    tmp_path: Path, chart: Callable[[], tuple[Any, Any]], rows: list[str]
) -> None:
    def fill(presentation: Any) -> None:
        kind, data = chart()
        frame = slide(presentation).shapes.add_chart(kind, 0, 0, Pt(300), Pt(200), data)
        frame.chart.has_title = True
        frame.chart.chart_title.text_frame.text = "Figure\v1"

    page = made(tmp_path / "a.pptx", fill)[0]
    assert blocks(page) == [("body", None, "Chart: Figure 1"), *[("table", None, r) for r in rows]]


CX = "http://schemas.microsoft.com/office/drawing/2014/chartex"


def test_charts_of_2016_are_rows_too(tmp_path: Path) -> None:
    frame = f"""<p:graphicFrame {NAMES}><p:nvGraphicFramePr/><p:xfrm/><a:graphic><a:graphicData
        uri="{CX}"><cx:chart xmlns:cx="{CX}" r:id="xchartEx"/></a:graphicData></a:graphic>
        </p:graphicFrame>"""
    model = f"""<cx:chartSpace xmlns:cx="{CX}" xmlns:a="{A}"><cx:chartData><cx:data id="0">
        <cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Leads</cx:pt><cx:pt idx="1">Deals</cx:pt>
        </cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl formatCode="0%"><cx:pt idx="0">1</cx:pt>
        <cx:pt idx="1">0.25</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart>
        <cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Funnel</a:t></a:r></a:p></cx:rich></cx:tx>
        </cx:title><cx:plotArea><cx:series><cx:tx><cx:txData><cx:v>Share</cx:v></cx:txData></cx:tx>
        <cx:dataId val="0"/></cx:series></cx:plotArea></cx:chart></cx:chartSpace>"""
    path = tmp_path / "a.pptx"
    made(path, lambda p: slide(p).shapes._spTree.append(parse_xml(frame)))
    related(path, "ppt/slides/slide1.xml", chartEx=("ppt/charts/chartEx1.xml", model))
    page = read(path)[1][0]
    assert texts(page) == ["Chart: Funnel", "Leads | Share: 100%", "Deals | Share: 25%"]


DGM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"


def diagram(path: Path, model: str) -> None:
    """Put a diagram with this data model on the first slide."""

    frame = f"""<p:graphicFrame {NAMES} xmlns:dgm="{DGM}"><p:nvGraphicFramePr>
            <p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>
            <p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm>
            <a:graphic><a:graphicData uri="{DGM}"><dgm:relIds r:dm="xdiagramData"/></a:graphicData>
            </a:graphic></p:graphicFrame>"""
    made(path, lambda p: slide(p).shapes._spTree.append(parse_xml(frame)))
    xml = f'<dgm:dataModel xmlns:dgm="{DGM}" xmlns:a="{A}">{model}</dgm:dataModel>'
    related(path, "ppt/slides/slide1.xml", diagramData=("ppt/diagrams/data1.xml", xml))


def point(identity: str, text: str, kind: str = "node") -> str:
    body = f"<dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t>"
    return f'<dgm:pt modelId="{identity}" type="{kind}">{body}</dgm:pt>'


def test_diagrams_read_from_the_root_down(tmp_path: Path) -> None:
    points = (
        point("b", "Second"), point("a1", "Under first"), point("a", "First"),
        point("r", "", "doc"), point("t", "transition", "sibTrans"), point("lost", "Loose"),
    )  # fmt: skip
    links = (("r", "b", 1), ("r", "a", 0), ("a", "a1", 0), ("a1", "a", 0))
    cxn = "".join(f'<dgm:cxn srcId="{s}" destId="{d}" srcOrd="{o}"/>' for s, d, o in links)
    path = tmp_path / "a.pptx"
    diagram(path, f"<dgm:ptLst>{''.join(points)}</dgm:ptLst><dgm:cxnLst>{cxn}</dgm:cxnLst>")
    page = read(path)[1][0]
    assert texts(page) == [f"\u2022 {t}" for t in ("First", "Under first", "Second", "Loose")]


def test_a_broken_diagram_is_named_and_the_slide_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.pptx"
    diagram(path, "")
    rezipped(path, lambda n, d: b"<broken" if n.startswith("ppt/diagrams") else d)
    reading, pages = read(path)
    assert len(pages) == 1
    assert "1" in numbers(reading.missing[0])


@pytest.mark.parametrize(
    ("description", "shown"),
    [
        ("A bridge over the river Main", ["Picture: A bridge over the river Main"]),
        (
            "A close up of a logo\n\nDescription automatically generated",
            ["Picture: A close up of a logo"],
        ),
        ("Picture 3", []),
        ("D:\\my old pictures\\on the beach", []),
        ("", []),
    ],
)
def test_pictures_are_described_where_somebody_did(
    tmp_path: Path, description: str, shown: list[str]
) -> None:
    picture = f"""<p:pic {NAMES}><p:nvPicPr><p:cNvPr id="7" name="Picture 3"/><p:cNvPicPr/><p:nvPr/>
        </p:nvPicPr><p:blipFill/><p:spPr/></p:pic>"""

    def fill(presentation: Any) -> None:
        element = parse_xml(picture)
        element[0][0].set("descr", description)
        slide(presentation).shapes._spTree.append(element)

    assert texts(made(tmp_path / "a.pptx", fill)[0]) == shown


# --- notes, comments, feet -----------------------------------------------------------------


def test_notes_follow_the_slide(tmp_path: Path) -> None:
    def fill(presentation: Any) -> None:
        one = slide(presentation)
        box(one.shapes, "on the slide")
        one.notes_slide.notes_text_frame.text = "Say hello.\nThen go on."
        slide(presentation).notes_slide.notes_text_frame.text = ""

    first, second = made(tmp_path / "a.pptx", fill)
    assert texts(first) == ["on the slide", "Notes:", "Say hello.", "Then go on."]
    assert (second.text, second.method) == ("", "Skipped")


def test_comments_are_quotes_with_their_authors(tmp_path: Path) -> None:
    path = tmp_path / "a.pptx"
    made(path, slide)
    threads = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"
    old = (
        f'<p:cmLst xmlns:p="{P}"><p:cm authorId="0"><p:text>Is this\nright?</p:text></p:cm>'
        '<p:cm authorId="7"><p:text>Nobody knows</p:text></p:cm></p:cmLst>'
    )
    body = "<t:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></t:txBody>"
    new = (
        f'<t:cmLst xmlns:t="{threads}" xmlns:a="{A}"><t:cm authorId="{{G}}"><t:replyLst>'
        f'<t:reply authorId="0">{body.format("Yes.")}</t:reply></t:replyLst>{body.format("Check.")}'
        "</t:cm></t:cmLst>"
    )

    # The first comments are of PowerPoint before 2018.
    related(path, "ppt/slides/slide1.xml", comments=("ppt/comments/old.xml", old))
    related(path, "ppt/slides/slide1.xml", comments=("ppt/comments/new.xml", new))
    names = f'<p:cmAuthorLst xmlns:p="{P}"><p:cmAuthor id="0" name="Ann Lee"/></p:cmAuthorLst>'
    modern = f'<t:authorLst xmlns:t="{threads}"><t:author id="{{G}}" name="Bob Ray"/></t:authorLst>'
    related(
        path,
        "ppt/presentation.xml",
        commentAuthors=("ppt/commentAuthors.xml", names),
        authors=("ppt/authors.xml", modern),
    )
    page = read(path)[1][0]
    assert blocks(page) == [
        ("quote", None, "Comment by Ann Lee: Is this right?"),
        ("quote", None, "Comment: Nobody knows"),
        ("quote", None, "Comment by Bob Ray: Check."),
        ("quote", None, "Reply by Ann Lee: Yes."),
    ]


def foot(kind: str, text: str) -> Any:
    return parse_xml(
        f'<p:sp {NAMES}><p:nvSpPr><p:cNvPr id="8" name="f"/><p:cNvSpPr/><p:nvPr>'
        f'<p:ph type="{kind}" idx="12"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>'
        f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def test_feet_are_on_the_first_slide_and_later_next_to_the_text(tmp_path: Path) -> None:
    footers = ["Acme Ltd", "Acme Ltd", "Other Ltd"]

    presentation = pptx.Presentation()
    layout = presentation.slide_layouts[BLANK]
    layout.shapes._spTree.append(box(slide(presentation).shapes, "CONFIDENTIAL")._element)
    for number, text in enumerate(footers, start=2):
        one = slide(presentation)
        one.shapes._spTree.append(foot("sldNum", f"Page {number}"))
        one.shapes._spTree.append(foot("ftr", text))
        box(one.shapes, f"text {number}", top=90)
    path = tmp_path / "a.pptx"
    presentation.save(str(path))
    pages = read(path)[1]
    assert [(p.text.split("\n\n"), p.footer) for p in pages] == [
        (["CONFIDENTIAL"], None),
        (["text 2", "Page 2", "Acme Ltd"], "CONFIDENTIAL"),
        (["text 3"], "Page 3 | Acme Ltd | CONFIDENTIAL"),
        (["text 4", "Other Ltd"], "Page 4 | CONFIDENTIAL"),
    ]


def test_hidden_slides_are_read_and_named(tmp_path: Path) -> None:
    def fill(presentation: Any) -> None:
        for number in range(1, 6):
            one = slide(presentation)
            box(one.shapes, f"text {number}")
            if number in {2, 3, 5}:
                one._element.set("show", "0")

    made(tmp_path / "a.pptx", fill)
    reading, pages = read(tmp_path / "a.pptx")
    assert [p.text for p in pages] == [f"text {n}" for n in range(1, 6)]
    (warning,) = reading.warnings
    assert "2-3, 5" in warning


# --- the file ------------------------------------------------------------------------------


def three(path: Path) -> Path:
    presentation = pptx.Presentation()
    for number in (1, 2, 3):
        box(slide(presentation).shapes, f"text {number}")
    presentation.save(str(path))
    return path


def test_strict_files_read_the_same(tmp_path: Path) -> None:
    path = three(tmp_path / "a.pptx")

    def change(_: str, data: bytes) -> bytes:
        for name in ("presentationml", "drawingml"):
            usual = f"http://schemas.openxmlformats.org/{name}/2006/".encode()
            data = data.replace(usual, f"http://purl.oclc.org/ooxml/{name}/".encode())
        office = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        return data.replace(office, b"http://purl.oclc.org/ooxml/officeDocument/relationships")

    rezipped(path, change)
    assert [p.text for p in read(path)[1]] == ["text 1", "text 2", "text 3"]


@pytest.mark.parametrize("broken", [b"<p:sld", None], ids=["not well-formed", "gone"])
def test_a_broken_slide_keeps_its_number_and_the_others_are_read(
    tmp_path: Path, broken: bytes | None
) -> None:
    path = three(tmp_path / "a.pptx")
    rezipped(path, lambda n, d: broken if n == "ppt/slides/slide2.xml" else d)
    reading, pages = read(path)
    assert [(p.number, p.text) for p in pages] == [(1, "text 1"), (2, ""), (3, "text 3")]
    (text,) = reading.missing
    assert "2" in numbers(text)


def test_without_any_readable_slide_the_file_fails(tmp_path: Path) -> None:
    path = three(tmp_path / "a.pptx")
    rezipped(path, lambda n, d: b"" if re.match(r"ppt/slides/slide\d", n) else d)
    with pytest.raises(errors.ParseFailed):
        read(path)


def test_a_damaged_list_of_slides_falls_back_to_their_names(tmp_path: Path) -> None:
    path = three(tmp_path / "a.pptx")
    rezipped(
        path,
        lambda n, d: (
            re.sub(rb"<p:sldIdLst>.*?</p:sldIdLst>", b"", d) if n.endswith("ion.xml") else d
        ),
    )
    assert [p.text for p in read(path)[1]] == ["text 1", "text 2", "text 3"]


@pytest.mark.parametrize("data", [b"<a/>", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", None])
def test_what_is_no_presentation_fails(tmp_path: Path, data: bytes | None) -> None:
    path = three(tmp_path / "a.pptx")
    rezipped(path, lambda name, part: data if name == "ppt/presentation.xml" else part)
    with pytest.raises(errors.ParseFailed, match=r"a\.pptx"):
        read(path)


def test_groups_nested_too_deep_are_named(tmp_path: Path) -> None:
    start = "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>"
    groups = start * 200 + BARE_SHAPE.format("deep") + "</p:grpSp>" * 200
    path = three(tmp_path / "a.pptx")

    def change(name: str, data: bytes) -> bytes:
        if name != "ppt/slides/slide1.xml":
            return data
        return data.replace(b"</p:spTree>", groups.encode() + b"</p:spTree>")

    rezipped(path, change)
    reading, pages = read(path)
    assert pages[0].text == "text 1"
    (text,) = reading.missing
    assert "20" in text


def test_an_alternative_is_read_once(tmp_path: Path) -> None:
    new, old = BARE_SHAPE.format("new"), BARE_SHAPE.format("old")
    xml = (
        f'<mc:AlternateContent {NAMES}><mc:Choice Requires="p14">{new}</mc:Choice>'
        f"<mc:Fallback>{old}</mc:Fallback></mc:AlternateContent>"
    )

    def fill(presentation: Any) -> None:
        slide(presentation).shapes._spTree.append(parse_xml(xml))

    assert made(tmp_path / "a.pptx", fill)[0].text == "new"
