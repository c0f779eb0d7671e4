"""DOCX: document order, lists, tables, pages, notes, changes, hostile containers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.section import WD_SECTION
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from casetrack.base import errors
from casetrack.parse.base import Page, ReadOptions
from casetrack.parse.word.reader import read_docx
from tests.parse.paging import blocks, read, related, rezipped, seen, texts

NAMES = nsdecls("w")


def made(path: Path, fill: Callable[[Any], object]) -> list[Page]:
    document = docx.Document()
    fill(document)
    document.save(str(path))
    return read(path)[1]


def raw(path: Path, body: str, **parts: str) -> list[Page]:
    """Write a document from the XML inside its body, and read it."""
    document = docx.Document()
    document.element.body.clear_content()
    for element in parse_xml(f"<w:body {NAMES}>{body}</w:body>"):
        document.element.body.insert(len(document.element.body) - 1, element)
    document.save(str(path))
    related(path, "word/document.xml", **{k: (f"word/{k}.xml", xml) for k, xml in parts.items()})
    return read(path)[1]


def p(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def r(inner: str) -> str:
    return f"<w:r>{inner}</w:r>"


def t(text: str) -> str:
    return r(f'<w:t xml:space="preserve">{text}</w:t>')


def field(instruction: str, shown: str, inner: str = "") -> str:
    begin, separate, end = (
        r(f'<w:fldChar w:fldCharType="{kind}"/>') for kind in ("begin", "separate", "end")
    )
    return begin + r(f"<w:instrText>{instruction}</w:instrText>") + inner + separate + shown + end


def test_headings_paragraphs_and_properties(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        document.core_properties.title = "The plan"
        document.core_properties.author = "Ann Lee"
        document.add_heading("The Title", 0)
        document.add_heading("First", 1)
        document.add_paragraph("Body of it.")
        document.add_heading("Second", 2)
        document.add_paragraph("quoted", style="Quote")

    page = made(tmp_path / "a.docx", fill)[0]
    assert blocks(page) == [
        ("heading", 1, "The Title"),
        ("heading", 1, "First"),
        ("body", None, "Body of it."),
        ("heading", 2, "Second"),
        ("quote", None, "quoted"),
    ]
    assert page.is_estimated
    reading, _ = read(tmp_path / "a.docx")
    assert (reading.info.title, reading.info.author) == ("The plan", "Ann Lee")


def test_heading_styles_of_other_languages(tmp_path: Path) -> None:
    styles = f"""<w:styles {NAMES}>
      <w:style w:type="paragraph" w:default="1" w:styleId="Standard">
        <w:name w:val="Normal"/></w:style>
      <w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
      <w:style w:type="paragraph" w:styleId="Klausel"><w:name w:val="Klausel"/>
        <w:basedOn w:val="berschrift1"/></w:style>
      <w:style w:type="paragraph" w:styleId="Ebene"><w:name w:val="Ebene"/>
        <w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
    </w:styles>"""
    body = (
        p(t("Eins"), properties='<w:pStyle w:val="berschrift1"/>')
        + p(t("Zwei"), properties='<w:pStyle w:val="Klausel"/>')
        + p(t("Drei"), properties='<w:pStyle w:val="Ebene"/>')
        + p(t("Vier"), properties='<w:outlineLvl w:val="3"/>')
        + p(t("Text"), properties='<w:pStyle w:val="Klausel"/><w:outlineLvl w:val="9"/>')
    )
    page = raw(tmp_path / "a.docx", body, styles=styles)[0]
    assert [level for _, level, _ in blocks(page)] == [1, 1, 3, 4, None]


def test_runs_tabs_breaks_fields_and_links(tmp_path: Path) -> None:
    inner = field(" PAGE ", t("inner"))
    body = (
        p(t("Ter"), t("mination "), t("date"))
        + p(t("a"), r("<w:tab/>"), t("b"), r("<w:br/>"), t("c"), r("<w:noBreakHyphen/>"), t("d"))
        + p(t("see "), field(" REF x ", t("Section 4"), inner), t("."))
        + p(
            f"<w:hyperlink>{t('the link')}</w:hyperlink>",
            t(" and "),
            f"<w:smartTag>{t('tag')}</w:smartTag>",
        )
        + p(f'<w:fldSimple w:instr="DATE">{t("today")}</w:fldSimple>')
        + p(f"<w:sdt><w:sdtContent>{t('control')}</w:sdtContent></w:sdt>")
        + f"<w:sdt><w:sdtContent>{p(t('block control'))}</w:sdtContent></w:sdt>"
        + p(r("<w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t>"), t("shown"))
        + p(r('<w:sym w:font="Symbol" w:char="F0B7"/>'), t(" sign"))
        + p(r("<w:softHyphen/><w:t>soft</w:t>"))
    )
    assert seen(raw(tmp_path / "a.docx", body)[0]) == [
        "Termination date",
        "a\tb\nc-d",
        "see Section 4.",
        "the link and tag",
        "today",
        "control",
        "block control",
        "shown",
        "\u2022 sign",
        "soft",
    ]


def test_insertions_stay_and_a_deleted_mark_joins_paragraphs(tmp_path: Path) -> None:
    body = (
        p(t("pay "), f"<w:ins>{t('twenty')}</w:ins>", f"<w:moveTo>{t(' now')}</w:moveTo>")
        + p(t("first half "), properties="<w:rPr><w:del/></w:rPr>")
        + p(t("second half"))
    )
    assert seen(raw(tmp_path / "a.docx", body)[0]) == ["pay twenty now", "first half second half"]


def test_lists_carry_their_numbers(tmp_path: Path) -> None:
    level = (
        '<w:lvl w:ilvl="{}"><w:start w:val="{}"/><w:numFmt w:val="{}"/>'
        '<w:lvlText w:val="{}"/></w:lvl>'
    )
    numbering = f"""<w:numbering {NAMES}>
      <w:abstractNum w:abstractNumId="0">{level.format(0, 1, "decimal", "%1.")}
        {level.format(1, 1, "lowerLetter", "(%2)")}{level.format(2, 1, "lowerRoman", "%3)")}
        {level.format(3, 1, "decimal", "%1.%4")}</w:abstractNum>
      <w:abstractNum w:abstractNumId="1">{level.format(0, 1, "bullet", "&#xF0B7;")}</w:abstractNum>
      <w:abstractNum w:abstractNumId="2">{level.format(0, 4, "upperRoman", "Article %1")}
      </w:abstractNum>
      <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
      <w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
      <w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
      <w:num w:numId="4"><w:abstractNumId w:val="0"/>
        <w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
    </w:numbering>"""

    def item(text: str, number: int, depth: int) -> str:
        return p(
            t(text),
            properties=f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>',
        )

    rows = [
        ("one", 1, 0, "1. one"),
        ("sub", 1, 1, "(a) sub"),
        ("sub", 1, 1, "(b) sub"),
        ("deep", 1, 2, "i) deep"),
        ("two", 1, 0, "2. two"),
        ("sub", 1, 1, "(a) sub"),
        ("both", 1, 3, "2.1 both"),
        ("point", 2, 0, "\u2022 point"),
        ("article", 3, 0, "Article IV article"),
        ("again", 4, 0, "1. again"),
        ("no list", 0, 0, "no list"),
    ]
    body = "".join(item(text, number, depth) for text, number, depth, _ in rows)
    page = raw(tmp_path / "a.docx", body, numbering=numbering)[0]
    assert texts(page) == [shown for *_, shown in rows]
    assert [kind for kind, _, _ in blocks(page)] == ["list"] * 10 + ["body"]


def test_tables_are_rows_with_their_headers(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        document.add_paragraph("Before")
        merged = document.add_table(3, 3)
        merged.cell(0, 0).merge(merged.cell(0, 1)).text = "Wide"
        merged.cell(0, 2).text = "Total"
        merged.cell(1, 0).merge(merged.cell(2, 0)).text = "tall"
        merged.cell(1, 1).text = "7"
        merged.cell(1, 2).text = "8"
        merged.cell(2, 1).text = "9"
        merged.cell(2, 2).text = "10"
        frame = document.add_table(1, 1)
        frame.cell(0, 0).text = "in a frame"
        frame.cell(0, 0).add_paragraph("two paragraphs")
        inner = frame.cell(0, 0).add_table(1, 2)
        inner.cell(0, 0).text = "inner"
        inner.cell(0, 1).text = "table"
        document.add_paragraph("After")

    page = made(tmp_path / "a.docx", fill)[0]
    assert blocks(page) == [
        ("body", None, "Before"),
        ("table", None, "Wide | Total"),
        ("table", None, "Wide: tall | Wide: 7 | Total: 8"),
        ("table", None, "Wide: 9 | Total: 10"),
        ("body", None, "in a frame"),
        ("body", None, "two paragraphs"),
        ("table", None, "inner | table"),
        ("body", None, "After"),
    ]


def test_pages_follow_the_authors_breaks(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        paragraph = document.add_paragraph("one")
        paragraph.add_run().add_break(WD_BREAK.PAGE)
        paragraph.add_run("two")
        document.add_paragraph("three").paragraph_format.page_break_before = True
        document.add_page_break()
        document.add_page_break()
        document.add_paragraph("five")
        document.add_section(WD_SECTION.NEW_PAGE)
        document.add_paragraph("six")
        document.add_section(WD_SECTION.CONTINUOUS)
        document.add_paragraph("still six")

    pages = made(tmp_path / "a.docx", fill)
    expected = [(1, "one"), (2, "two"), (3, "three"), (4, ""), (5, "five"), (6, "six\n\nstill six")]
    assert [(page.number, page.text) for page in pages] == expected
    assert not any(page.is_estimated for page in pages)
    assert pages[3].method == "Skipped"


def test_pages_follow_where_word_last_put_breaks(tmp_path: Path) -> None:
    rendered = "<w:lastRenderedPageBreak/>"
    body = (
        p(t("one"), r(f"{rendered}<w:t>two begins</w:t>"))
        + p(r('<w:br w:type="page"/>'))
        + p(r(f"{rendered}<w:t>three, noted twice</w:t>"))
        + p(r(f"{rendered}<w:t>four</w:t>"), properties="<w:pageBreakBefore/>")
        + "<w:tbl><w:tr>"
        + f"<w:tc>{p(r(f'{rendered}<w:t>five</w:t>'))}</w:tc><w:tc>{p(t('b'))}</w:tc></w:tr><w:tr>"
        + f"<w:tc>{p(t('c'))}</w:tc><w:tc>{p(t('d '), r(f'{rendered}<w:t>e</w:t>'))}</w:tc>"
        + "</w:tr></w:tbl>"
        + p(t("six"))
    )
    pages = raw(tmp_path / "a.docx", body)
    assert [page.text for page in pages] == [
        "one",
        "two begins",
        "three, noted twice",
        "four",
        "five | b\n\nc | d e",
        "six",
    ]


def test_notes_are_on_the_page_that_refers_to_them(tmp_path: Path) -> None:
    footnotes = (
        f'<w:footnotes {NAMES}><w:footnote w:id="-1" w:type="separator">{p(t("---"))}</w:footnote>'
        f'<w:footnote w:id="2">{p(t(" The note."))}{p(t("More."))}</w:footnote></w:footnotes>'
    )
    endnotes = (
        f'<w:endnotes {NAMES}><w:endnote w:id="1">{p(t("At the end."))}</w:endnote></w:endnotes>'
    )
    body = p(t("Clause"), r('<w:footnoteReference w:id="2"/>'), t(" one")) + p(
        r('<w:br w:type="page"/>'), t("Next"), r('<w:endnoteReference w:id="1"/>')
    )
    pages = raw(tmp_path / "a.docx", body, footnotes=footnotes, endnotes=endnotes)
    assert [texts(page) for page in pages] == [
        ["Clause[1] one", "[1] The note.\nMore."],
        ["Next[i]", "[i] At the end."],
    ]
    assert blocks(pages[0])[-1][0] == "footnote"


def test_a_note_with_the_authors_own_sign(tmp_path: Path) -> None:
    footnotes = (
        f'<w:footnotes {NAMES}><w:footnote w:id="2">{p(t("* Subject to tax."))}</w:footnote>'
        "</w:footnotes>"
    )
    reference = '<w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>*</w:t>'
    page = raw(tmp_path / "a.docx", p(t("Price"), r(reference)), footnotes=footnotes)[0]
    assert blocks(page) == [("body", None, "Price*"), ("footnote", None, "* Subject to tax.")]


def test_comments_are_quotes_with_their_author(tmp_path: Path) -> None:
    comments = (
        f'<w:comments {NAMES}><w:comment w:id="0" w:author="Ann  Lee">{p(t("Too long."))}'
        f'{p(t("Cut it."))}</w:comment><w:comment w:id="1">{p(t("Agreed."))}</w:comment>'
        f'<w:comment w:id="2" w:author="Bob">{p()}</w:comment></w:comments>'
    )
    places = "".join(f'<w:commentReference w:id="{n}"/>' for n in (0, 1, 2, 9))
    body = p(t("The cl"), r(places), t("ause.")) + p(t("Next."))
    page = raw(tmp_path / "a.docx", body, comments=comments)[0]
    assert blocks(page) == [
        ("body", None, "The clause."),
        ("body", None, "Next."),
        ("quote", None, "Comment by Ann Lee: Too long.\nCut it."),
        ("quote", None, "Comment: Agreed."),
    ]


def test_fields_that_a_conversion_made_up_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    today = '<w:fldSimple w:instr=" date \\@ d ">' + t("5 May") + "</w:fldSimple>"
    body = p(t("On "), today, t(" in Rome"))
    assert texts(raw(path, body)[0]) == ["On 5 May in Rome"]
    reading = read_docx(path, ReadOptions(), path, unstable_fields=frozenset({"DATE"}))
    assert [page.text for page in reading.pages] == ["On  in Rome"]
    assert ["DATE" in warning for warning in reading.warnings] == [True]


# --- headers and footers -------------------------------------------------------------------


def with_heads(path: Path, fill: Callable[[Any], object]) -> list[tuple[list[str], Any, Any]]:
    """Return the texts, the header and the footer of each page."""
    return [(texts(page), page.header, page.footer) for page in made(path, fill)]


def test_running_heads_are_in_the_text_once(tmp_path: Path) -> None:
    page = field(" PAGE  \\* MERGEFORMAT ", t("7"))

    def fill(document: Any) -> None:
        section = document.sections[0]
        section.header.paragraphs[0].text = "Acme v. Bolt"
        section.header.add_paragraph("No. 12")
        footer = section.footer.paragraphs[0]
        footer.add_run("Page ")
        for run in parse_xml(f"<w:p {NAMES}>{page}</w:p>"):
            footer._p.append(run)
        document.add_paragraph("one")
        for word in ("two", "three"):
            document.add_page_break()
            document.add_paragraph(word)

    head = "Acme v. Bolt | No. 12"
    assert with_heads(tmp_path / "a.docx", fill) == [
        (["Acme v. Bolt", "No. 12", "one", "Page 1"], None, None),
        (["two"], head, "Page 2"),
        (["three"], head, "Page 3"),
    ]


def test_running_heads_of_sections_and_of_first_and_even_pages(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        document.settings.odd_and_even_pages_header_footer = True
        first = document.sections[0]
        first.different_first_page_header_footer = True
        first.first_page_header.paragraphs[0].text = "Cover"
        first.header.paragraphs[0].text = "Odd"
        first.even_page_header.paragraphs[0].text = "Even"
        document.add_paragraph("one")
        for word in ("two", "three"):
            document.add_page_break()
            document.add_paragraph(word)
        second = document.add_section(WD_SECTION.NEW_PAGE)
        second.different_first_page_header_footer = False
        document.add_paragraph("four, like the section before")
        third = document.add_section(WD_SECTION.NEW_PAGE)
        third.header.is_linked_to_previous = False
        third.header.paragraphs[0].text = "Annex"
        third._sectPr.append(parse_xml(f'<w:pgNumType {NAMES} w:start="11"/>'))
        document.add_paragraph("five")

    assert with_heads(tmp_path / "a.docx", fill) == [
        (["Cover", "one"], None, None),
        (["Even", "two"], None, None),
        (["Odd", "three"], None, None),
        (["four, like the section before"], "Even", None),
        (["Annex", "five"], None, None),
    ]


def test_a_document_of_running_heads_alone_has_their_text(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        document.sections[0].header.paragraphs[0].text = "Only the head"

    assert with_heads(tmp_path / "a.docx", fill) == [(["Only the head"], None, None)]


def test_damaged_side_parts_are_missing_and_the_body_is_read(
    tmp_path: Path, messages: Callable[..., None]
) -> None:
    path = tmp_path / "a.docx"
    raw(path, p(t("The body.")), header="<!DOCTYPE y><y/>", comments="<!DOCTYPE x><x/>")
    reading, pages = read(path)
    assert [page.text for page in pages] == ["The body."]
    assert len(reading.missing) == 2
    messages("\n".join(sorted(reading.missing)))


# --- visible text ----------------------------------------------------------------------------


def test_text_hidden_by_a_style(tmp_path: Path) -> None:
    styles = f"""<w:styles {NAMES}>
      <w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>
      <w:style w:type="paragraph" w:styleId="Ghost"><w:name w:val="Ghost"/>
        <w:rPr><w:vanish/></w:rPr></w:style>
      <w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/>
        <w:rPr><w:vanish/></w:rPr></w:style>
    </w:styles>"""
    body = (
        p(t("seen "), r('<w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>unseen</w:t>'))
        + p(t("gone"), properties='<w:pStyle w:val="Ghost"/>')
        + p(
            r('<w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown all the same</w:t>'),
            properties='<w:pStyle w:val="Ghost"/>',
        )
    )
    assert seen(raw(tmp_path / "a.docx", body, styles=styles)[0]) == ["seen", "shown all the same"]


@pytest.mark.parametrize(
    ("inner", "shown"),
    [
        ('<w:sym w:font="Symbol" w:char="F061"/>', "α"),
        ('<w:sym w:font="Wingdings" w:char="F0FE"/>', "☑"),
        ('<w:sym w:font="Arial" w:char="00A7"/>', "§"),
        ('<w:sym w:font="Arial" w:char="D800"/>', "\ufffd"),
        ('<w:sym w:font="Arial" w:char="nope"/>', ""),
    ],
)
def test_symbols(tmp_path: Path, inner: str, shown: str) -> None:
    assert texts(raw(tmp_path / "a.docx", p(t("x"), r(inner)))[0]) == [f"x{shown}"]


def m(name: str, *inner: str) -> str:
    return f"<m:{name}>{''.join(inner)}</m:{name}>"


def mt(text: str) -> str:
    return m("r", m("t", text))


@pytest.mark.parametrize(
    ("inner", "shown"),
    [
        (m("f", m("num", mt("a+b")), m("den", mt("2"))), "(a+b)/2"),
        (m("sSup", m("e", mt("e")), m("sup", mt("2x"))), "e^2x"),
        (m("sSubSup", m("e", mt("x")), m("sub", mt("i")), m("sup", mt("n+1"))), "x_i^(n+1)"),
        (m("rad", m("deg"), m("e", mt("x+1"))), "√(x+1)"),
        (m("d", m("e", mt("x")), m("e", mt("y"))), "(x|y)"),
        (m("func", m("fName", mt("sin")), m("e", mt("x"))), "sin x"),
        (m("m", m("mr", m("e", mt("1")), m("e", mt("2"))), m("mr", m("e", mt("3")))), "[1, 2; 3]"),
        (
            m("nary", '<m:naryPr><m:chr m:val="∑"/></m:naryPr>',
              m("sub", mt("i=1")), m("sup", mt("n")), m("e", mt("i"))),
            "∑_(i=1)^n i",
        ),
    ],
)  # fmt: skip
def test_equations_are_on_a_line(tmp_path: Path, inner: str, shown: str) -> None:
    names = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    body = p(t("so "), f"<m:oMath {names}>{mt('y=')}{inner}</m:oMath>", t(" holds"))
    assert texts(raw(tmp_path / "a.docx", body)[0]) == [f"so y={shown} holds"]


def test_equations_nested_without_end_keep_their_text(tmp_path: Path) -> None:
    names = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    deep = "<m:f><m:num>" * 100 + mt("x") + "</m:num></m:f>" * 100
    page = raw(tmp_path / "a.docx", p(f"<m:oMath {names}>{deep}</m:oMath>"))[0]
    assert "x" in page.text


# --- headings without styles -----------------------------------------------------------------

LONG = "The tenant pays the rent on the first day of every month, in advance and without deduction."


def bold(text: str, size: int | None = None) -> str:
    larger = f'<w:sz w:val="{2 * size}"/>' if size else ""
    return r(f'<w:rPr><w:b/>{larger}</w:rPr><w:t xml:space="preserve">{text}</w:t>')


@pytest.mark.slow
@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        (p(bold("2. Rent")), ("heading", 1)),
        (p(bold("2.1 Deposit")), ("heading", 2)),
        (p(bold("Obligations of the Tenant")), ("heading", 1)),
        (p(bold("Rent"), t(" is due monthly")), ("body", None)),
        (p(bold("The following:")), ("body", None)),
        (p(bold("by and between")), ("body", None)),
        (p(bold("1,250.00")), ("body", None)),
        (p(bold("Signature ________")), ("body", None)),
        (p(bold("ann@example.com")), ("body", None)),
        (p(bold(LONG + LONG)), ("body", None)),
    ],
)
def test_headings_by_their_look(
    tmp_path: Path, paragraph: str, expected: tuple[str, int | None]
) -> None:
    body = p(t(LONG)) + paragraph + p(t(LONG)) * 3
    kind, level, _ = blocks(raw(tmp_path / "a.docx", body)[0])[1]
    assert (kind, level) == expected


def test_larger_type_ranks_above_bold(tmp_path: Path) -> None:
    body = p(bold("Lease", 18)) + p(bold("Term", 14)) + p(t(LONG)) * 4 + p(bold("Notices"))
    body += p(t(LONG)) * 4
    actual = [(k, n) for k, n, _ in blocks(raw(tmp_path / "a.docx", body)[0]) if k == "heading"]
    assert actual == [("heading", 1), ("heading", 2), ("heading", 3)]


def test_where_styles_name_headings_looks_do_not(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        document.add_heading("Real", 1)
        document.add_paragraph().add_run("Looks like one").bold = True
        document.add_paragraph(LONG)

    kinds = [kind for kind, _, _ in blocks(made(tmp_path / "a.docx", fill)[0])]
    assert kinds == ["heading", "body", "body"]


def test_a_document_all_in_bold_has_no_headings(tmp_path: Path) -> None:
    body = p(bold("Rent")) + p(bold(LONG)) * 3
    assert {kind for kind, _, _ in blocks(raw(tmp_path / "a.docx", body)[0])} == {"body"}


def test_text_boxes_once(tmp_path: Path) -> None:
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    box = f"<w:txbxContent>{p(t('in the box'))}</w:txbxContent>"
    body = p(
        t("anchor"),
        r(
            f"<mc:AlternateContent {mc}><mc:Choice Requires='wps'><w:drawing>{box}</w:drawing>"
            f"</mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent>"
        ),
    )
    assert texts(raw(tmp_path / "a.docx", body)[0]) == ["anchor", "in the box"]


def test_an_empty_document_has_one_page_without_text(tmp_path: Path) -> None:
    pages = made(tmp_path / "a.docx", lambda document: None)
    assert [(page.text, page.method) for page in pages] == [("", "Skipped")]


BOMB = f"<w:document {NAMES}><w:body>".encode() + b" " * (64 << 20) + b"</w:body></w:document>"
LAUGHS = (
    b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    + f"<w:document {NAMES}><w:body>{p(t('&b;'))}</w:body></w:document>".encode()
)


@pytest.mark.parametrize(
    "data",
    [
        BOMB,
        LAUGHS,
        LAUGHS.decode().encode("utf-16"),
        b"<w:document",
        b"",
        f"<w:document {NAMES}/>".encode(),
    ],
    ids=["bomb", "entities", "entities in UTF-16", "cut", "empty", "no body"],
)
def test_hostile_parts_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.docx"
    docx.Document().save(str(path))
    rezipped(path, lambda name, part: data if name == "word/document.xml" else part)
    with pytest.raises(errors.ParseFailed, match=r"a\.docx"):
        read(path)
