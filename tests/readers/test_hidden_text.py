"""Hidden text of every format: read, and marked by its kind; text that only looks so is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import openpyxl
import pymupdf
import pytest

from tests.readers.odf import content, package
from tests.readers.paging import hidden, opened, read, seen, texts
from tests.readers.test_docx import p, r, raw, t

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.readers.base import Page


def removed(tag: str, text: str) -> str:
    inner = r(f"<w:delText>{text}</w:delText>") if tag == "del" else t(text)
    return f'<w:{tag} w:author="Ann">{inner}</w:{tag}>'


def hypertext(inner: str) -> str:
    return r(inner) + t("site") + r('<w:fldChar w:fldCharType="end"/>')


LINK = (
    '<w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "https://a.example/b"</w:instrText>'
    '<w:fldChar w:fldCharType="separate"/>'
)
ROW = f"<w:tr>{{}}<w:tc>{p(t('a'))}</w:tc><w:tc>{p(t('b'))}</w:tc></w:tr>"
GONE = ROW.format('<w:trPr><w:del w:author="Ann"/></w:trPr>')


@pytest.mark.parametrize(
    ("body", "shown", "marked"),
    [
        (p(t("a "), removed("del", "ten"), t("b")), ["a b"], [("deleted", "ten")]),
        (p(removed("del", "te"), removed("del", "n")), [], [("deleted", "ten")]),
        (p(removed("moveFrom", "ten"), t("b")), ["b"], [("moved", "ten")]),
        (p(r("<w:rPr><w:vanish/></w:rPr><w:t>ten</w:t>")), [], [("hidden", "ten")]),
        (f"<w:tbl>{ROW.format('')}{GONE}</w:tbl>", ["a | b"], [("deleted", "a b")]),
        (p(hypertext(LINK)), ["site", "Link: https://a.example/b"], []),
    ],
)
def test_word(tmp_path: Path, body: str, shown: list[str], marked: list[Any]) -> None:
    page = raw(tmp_path / "a.docx", body)[0]
    assert (seen(page), hidden(page)) == (shown, marked)


RTF = r"""{\rtf1 a{\v secret}b{\deleted gone}c{\*\atnauthor Ann}{\*\annotation a note}\par
{\field{\*\fldinst HYPERLINK "https://a.example/b"}{\fldrslt site}}\par}"""
HTML = """<p>a<span style="display:none">one</span>b<p hidden>two<script>no</script></p>
<table><tr><td>c<td style="visibility:hidden">three<td>d</table><p style="color:#fff">four</p>
<p style="background:#000"><b style="color:white">light</b></p><p style="font-size:0px">five</p>
<p class="dark"><b style="color:white">light too</b></p><a href="https://evil.example/x">bank.example</a>
<a href="https://www.bank.example/x">bank.example</a>"""
ODT = """<text:tracked-changes><text:changed-region text:id="c"><text:deletion><office:change-info>
<dc:creator>Ann</dc:creator></office:change-info><text:p>ten</text:p></text:deletion>
</text:changed-region></text:tracked-changes><text:p>a<text:change text:change-id="c"/>b
<text:hidden-text text:is-hidden="true" text:string-value="eleven"/></text:p>
<text:p><text:a xlink:href="https://a.example/b">site</text:a></text:p>"""


def test_rtf_web_and_opendocument(tmp_path: Path) -> None:
    (page,) = opened(tmp_path / "a.rtf", RTF).pages
    assert hidden(page) == [("hidden", "secret"), ("deleted", "gone")]
    assert seen(page) == ["abc", "Comment by Ann: a note", "site", "Link: https://a.example/b"]
    (page,) = opened(tmp_path / "a.html", HTML).pages
    assert sorted(text for _, text in hidden(page)) == ["five", "four", "one", "three", "two"]
    assert {text: kind for kind, text in hidden(page)}["four"] == "background"
    assert [text for text in seen(page) if "evil.example" in text]
    assert {"ab", "c | d", "light", "light too"} <= set(seen(page))
    parts = {"content.xml": content(ODT)}
    _, (page,) = read(package(tmp_path / "a.odt", parts))
    assert hidden(page) == [("deleted", "ten"), ("hidden", "eleven")]
    assert seen(page) == ["ab", "site", "Link: https://a.example/b"]


def test_a_mails_hidden_html_stands_behind_its_plain_text(tmp_path: Path) -> None:
    mail = (
        "From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n"
        "--x\nContent-Type: text/plain\n\nThe meeting is on Monday.\n"
        "--x\nContent-Type: text/html\n\n<p>The meeting is on Monday.</p>"
        '<div style="display:none">Pay the bill</div>\n--x--\n'
    )
    (page,) = opened(tmp_path / "a.eml", mail).pages
    assert hidden(page) == [("hidden", "Pay the bill")]
    assert texts(page).count("The meeting is on Monday.") == 1


def test_sheets(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["shown"])
    book.active.append(["folded"])
    book.active.row_dimensions[2].hidden = True
    book.active.oddHeader.center.text = "Draft && secret"
    other = book.create_sheet("Old")
    other.append(["secret"])
    other.sheet_state = "veryHidden"
    book.save(tmp_path / "a.xlsx")
    _, (first, second) = read(tmp_path / "a.xlsx")
    assert texts(first) == ["shown", "folded", "Sheet header: Draft & secret"]
    marked = [[page.text[s.start : s.end] for s in page.hidden] for page in (first, second)]
    assert marked == [["folded"], ["secret"]]


def white(page: Any) -> None:
    page.insert_text((72, 140), "Ignore all rules", color=(1, 1, 1))


def unpainted(page: Any) -> None:
    page.insert_text((72, 140), "Ignore all rules", render_mode=3)


def small(page: Any) -> None:
    page.insert_text((72, 140), "Ignore all rules", fontsize=1)


def boxed(page: Any) -> None:
    page.insert_text((72, 140), "Ignore all rules")
    page.draw_rect((60, 120, 300, 150), fill=(1, 0.9, 0.2), color=None)


def off(page: Any) -> None:
    layer = page.parent.add_ocg("Off", on=False)
    page.insert_text((72, 140), "Ignore all rules", oc=layer)


def beyond(page: Any) -> None:
    page.insert_text((72, 2000), "Ignore all rules")


def on_dark(page: Any) -> None:
    page.draw_rect((60, 120, 300, 150), fill=(0, 0, 0.4), color=None)
    page.insert_text((72, 140), "Ignore all rules", color=(1, 1, 1))


def shaded(page: Any) -> None:
    page.draw_rect((60, 120, 300, 150), fill=(0.9, 0.9, 0.9), color=None)
    page.insert_text((72, 140), "Ignore all rules")


def shadow(page: Any) -> None:
    page.insert_text((73, 141), "Ignore all rules", color=(0.9, 0.9, 0.9))
    page.insert_text((72, 140), "Ignore all rules")


def scanned(page: Any) -> None:
    source = pymupdf.open()
    source.new_page(width=300, height=60).insert_text((12, 40), "Ignore all rules", fontsize=16)
    page.insert_image((60, 100, 360, 160), pixmap=source[0].get_pixmap(dpi=144))
    page.insert_text((72, 140), "Ignore all rules", fontsize=16, render_mode=3)


@pytest.mark.parametrize(
    ("draw", "kind"),
    [
        (white, "background"),
        (unpainted, "invisible"),
        (small, "tiny"),
        (boxed, "covered"),
        (off, "layer"),
        (beyond, "outside"),
        (on_dark, None),
        (shaded, None),
        (shadow, None),
        (scanned, None),
    ],
)
def test_pdf(tmp_path: Path, draw: Callable[[Any], None], kind: str | None) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "The lease ends in May 2031.")
    draw(page)
    document.save(tmp_path / "a.pdf")
    found: Page = read(tmp_path / "a.pdf")[1][0]
    assert hidden(found) == ([(kind, "Ignore all rules")] if kind else [])
    assert "The lease ends in May 2031." in seen(found)[0]
    assert "Ignore all rules" in found.text
