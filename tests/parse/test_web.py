"""HTML, web archives and EPUB books."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.base import errors
from casetrack.base.config import ParseLimits
from casetrack.parse import detect
from casetrack.parse.base import ReadOptions
from casetrack.parse.web import dom
from casetrack.parse.web import reader as html_module
from casetrack.parse.web import reader as reader_module
from casetrack.parse.web.reader import HtmlReader, html_blocks, html_parts
from tests.parse.paging import blocks
from tests.parse.paging import opened as read


def shown(source: str) -> list[str]:
    """Return the text of each block, lines joined by a slash."""
    actual = (" / ".join(block.lines) for block in html_blocks(source).blocks)
    return [text for text in actual if "\ufdd2" not in text]


def kinds(source: str) -> list[str]:
    """Return kind, level and text of each block."""
    return [f"{b.kind}{b.level or ''} {' / '.join(b.lines)}" for b in html_blocks(source).blocks]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("<b>w</b>ord <i>a</i>\n b", ["word a b"]),
        ("<td>a</td><td>b</td>", ["a", "b"]),
        ("a<br>b<br><br>c", ["a / b", "c"]),
        ("<p>one<div>two</div>three</p>four", ["one", "two", "three", "four"]),
        ("<a href=x>Home</a><a href=y>About</a> <a>wo</a>rd", ["Home About word"]),
        ("<span>sp</span><span>lit</span><wbr>ter", ["splitter"]),
        ("&lt;b&gt; &eacute;&#233;&hellip; &amp;amp; a &lt b", ["<b> éé… &amp; a < b"]),
        ("<script>'</b>'</script>a<style>p{}</style>b<noscript><p>no</noscript>c", ["abc"]),
        ("<template><p>t<template>u</template>v</template>a<!-- <p>c</p> -->b", ["ab"]),
        ("<q>said</q> he", ["“said” he"]),
        ("<textarea>a <b>x</p>\ny</textarea>", ["a <b>x</p> / y"]),
        ("<img alt='A chart'>text<img alt='spacer.gif'>s", ["A chart texts"]),
        ("<label>Name<input value='Ann'></label><input type=hidden value=no>", ["Name Ann"]),
        ("<input type=checkbox checked>a<input type=radio>b", ["[x] a [ ] b"]),
        ("<select><option>1<option selected>2</select>", ["2"]),
        ("<select><option>1<option>2</select> <select multiple><option>3<option>4", ["1 3, 4"]),
        (
            "<ruby>漢<rt>kan</rt></ruby><ruby>字<rp>(</rp><rt>ji</rt><rp>)</rp></ruby>",
            ["漢(kan)字(ji)"],
        ),
        ("1,234<sup>5</sup> 10<sup>6</sup>7 1<sup>st</sup>", ["1,234^5 10^6 7 1st"]),
        (
            "cost<sup><a href='#1'>3</a></sup> H<sub>2</sub>O log<sub>2</sub>8",
            ["cost[3] H2O log2 8"],
        ),
        ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", ["1/2"]),
        ("<svg><title>no</title><text>in</text><text>side</text></svg>", ["in side"]),
        ("<iframe srcdoc='<p>framed</p>'></iframe><iframe src=x>no</iframe>", ["framed"]),
        ("<p>a</P >b<title>no</title>", ["a", "b"]),
        ("<title>x", []),
    ],
)
def test_what_is_seen(source: str, texts: list[str]) -> None:
    assert shown(source) == texts


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("<h1>A</h1><h6>B <i>c</i></h6>", ["heading1 A", "heading6 B c"]),
        ("<div role=heading aria-level=3>A</div>", ["heading3 A"]),
        ("<blockquote>a<p>b</blockquote>c", ["quote a", "quote b", "body c"]),
        ("<pre>\n x\n   y\n\nz</pre>", ["code  x /    y", "code z"]),
        ("<aside role='doc-footnote'>n</aside>", ["footnote n"]),
        (
            "<section><ol><li id=fn1 role=doc-endnote><p>n<a href=#fnref1>b</a></ol></section>",
            ["footnote 1. nb"],
        ),
        (
            "<ol><li id=cite_note-Smith_1999-4><a href=#cite_ref-4>^</a> n<li id=fn5>none</ol>",
            ["footnote 1. ^ n", "list1 2. none"],
        ),
        ("<div id=ftn1><p><a href='#_ftnref1' name=_ftn1>[1]</a> n</div>", ["footnote [1] n"]),
        ("<p id=fn>a <a href=#x>b</a><p id=fnord-2>c <a href=#x>d</a>", ["body a b", "body c d"]),
        (
            "<ol start=3><li>a<li>b<ul><li>c<p>d</ul><li value=9>e</ol>",
            ["list1 3. a", "list1 4. b", "list2 • c", "list2 d", "list1 9. e"],
        ),
        ("<ol type=a reversed><li>x<li>y</ol>", ["list1 b. x", "list1 a. y"]),
        ("<ol><li><h2>x</h2>y</ol>", ["heading2 1. x", "list1 y"]),
        ("<ul style='list-style: none'><li>x</ul>", ["list1 x"]),
    ],
)
def test_kinds(source: str, result: list[str]) -> None:
    assert kinds(source) == result


HEADS = "<tr><th>Name<th>Age</tr>"


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        (
            "<caption>Staff</caption>" + HEADS + "<tr><td>A<td>1",
            ["Staff", "Name | Age", "Name: A | Age: 1"],
        ),
        (
            (
                "<thead><tr><th rowspan=2>Name<th colspan=2>2023<tr><th>Q1<th>Q2</thead>"
                "<tr><td rowspan=2>Ann<td>1<td>2<tr><td>3<td>4"
            ),
            [
                "Name | 2023",
                "Q1 | Q2",
                "Name: Ann | 2023 / Q1: 1 | 2023 / Q2: 2",
                "2023 / Q1: 3 | 2023 / Q2: 4",
            ],
        ),
        (HEADS + "<tr><td>A<br>a<td><p>1</p><p>2</p>", ["Name | Age", "Name: A a | Age: 1 2"]),
        (
            HEADS + "<tr><td colspan=5000>x<td rowspan=0>y<tr><td>z",
            ["Name | Age", "Name: x | y", "Name: z"],
        ),
        (f"<tr><th>{'h' * 300}<th>B<tr><td>1<td>2", [f"{'h' * 300} | B", "1 | B: 2"]),
    ],
)
def test_tables(source: str, rows: list[str]) -> None:
    assert shown(f"<table>{source}</table>") == rows


@pytest.mark.parametrize(
    "source",
    [
        "<table><tr><td><h2>a</h2><td>b</table>",
        "<table><tr><td>a<tr><td>b</table>",
        "<table role=presentation><tr><td>a<td>b</table>",
        "<table><tr><td><table><tr><td>a</table><td>b</table>",
    ],
)
def test_tables_that_only_lay_out_a_page_read_as_text(source: str) -> None:
    assert shown(source) == ["a", "b"]
    assert not [block for block in kinds(source) if block.startswith("table")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "tag", ["div", "b", "table><tr><td", "ul><li", "blockquote", "sup", "span hidden=until-found"]
)
def test_depth_loses_no_text(tag: str) -> None:
    words = shown("".join(f"<{tag}>w{i} " for i in range(5000)))
    assert re.findall(r"w\d+", " ".join(words)) == [f"w{i}" for i in range(5000)]


def test_xhtml_is_read_by_its_own_rules() -> None:
    document = html_blocks(
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><head><title/>'
        '<script src="x"/></head>'
        "<body><p>shown &nbsp;&eacute;&x; <![CDATA[<x>]]></p></body></html>"
    )
    assert document.language == "de"
    assert [b.lines for b in document.blocks] == [("shown \xa0é&x; <x>",)]


def test_broken_xhtml_is_read_as_html() -> None:
    source = '<html xmlns="http://www.w3.org/1999/xhtml"><p>a<br>b'
    assert shown(source) == ["a / b"]


PAGE = """<!doctype html><html lang="en-GB"><head><title> The
 title </title><meta name="Author" content="Ann Lee"><meta name="keywords" content="a, b">
<meta name="description" content="What it is"><meta property="article:published_time"
content="2024-02-03T10:00:00+02:00">
<meta name="last-modified" content="Tue, 05 Mar 2024 08:00:00 GMT">
</head><body><nav>Menu</nav><h1>Top</h1><p>Text<footer>Foot</footer></body></html>"""


def test_page_and_facts(tmp_path: Path) -> None:
    reading = read(tmp_path / "a.html", PAGE)
    info = reading.info
    assert (info.format, info.page_count) == ("html", 1)
    assert (info.title, info.author) == ("The title", "Ann Lee")
    assert info.created_at == datetime(2024, 2, 3, 8, tzinfo=UTC)
    assert info.modified_at == datetime(2024, 3, 5, 8, tzinfo=UTC)
    assert dict(info.properties) == {
        "description": "What it is",
        "keywords": "a, b",
        "language": "en-GB",
    }
    (page,) = reading.pages
    assert (page.kind, page.is_estimated, page.method) == ("page", False, "Native")
    assert blocks(page) == [
        ("body", None, "Menu"),
        ("heading", 1, "Top"),
        ("body", None, "Text"),
        ("body", None, "Foot"),
    ]
    assert [line.number for line in page.lines] == [1, 2, 3, 4]


GREEK = "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. " * 5
FRENCH = "Le bœuf coûte déjà 5 € à Noël. " * 5


@pytest.mark.parametrize(
    ("content", "text", "words"),
    [
        (f"<meta charset=iso-8859-1><p>{GREEK}".encode(), GREEK, None),
        (f"<meta charset=windows-1253><p>{GREEK}".encode("cp1253"), GREEK, None),
        (
            f"<meta content='text/html; charset=ISO-8859-1'><p>{FRENCH}".encode("cp1252"),
            FRENCH,
            None,
        ),
        (f"<meta charset=iso-8859-1><p>{GREEK}".encode("cp1253"), GREEK, "iso-8859-1"),
        (f"<!--<meta charset=koi8-r>--><p>{FRENCH}".encode("cp1252"), FRENCH, "cp1252"),
        (f"<meta charset=no-such-thing><p>{GREEK}".encode("utf-16"), GREEK, None),
        (f"<meta charset=utf-16><p>{GREEK}".encode(), GREEK, None),
        ("<meta charset=iso-2022-jp><p>日本語".encode("iso2022_jp"), "日本語", None),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, text: str, words: str | None) -> None:
    reading = read(tmp_path / "a.htm", content)
    assert next(reading.pages).text == text.strip()
    assert len(reading.warnings) == (words is not None)
    assert words is None or words in reading.warnings[0]


def test_an_encoding_said_from_outside_counts_more_than_the_page() -> None:
    source = f"<meta charset=windows-1251><p>{GREEK}".encode("cp1253")
    assert html_blocks(source, encoding="windows-1253").blocks[0].lines == (GREEK.strip(),)


def test_web_archive(tmp_path: Path) -> None:
    content = (
        "From: <Saved>\nSubject: x\nMIME-Version: 1.0\n"
        'Content-Type: multipart/related; boundary="B"; type="text/html"\n\n'
        "--B\nContent-Type: text/html; charset=windows-1252\n"
        "Content-Transfer-Encoding: quoted-printable\n\n<title>T</title><p>Caf=E9\n"
        "--B\nContent-Type: image/gif\nContent-Transfer-Encoding: base64\n\nR0lG\n--B--\n"
    )
    reading = read(tmp_path / "a.mht", content)
    assert reading.info.title == "T"
    assert [page.text for page in reading.pages] == ["Café"]
    with pytest.raises(errors.ParseFailed, match=r"b\.mhtml"):
        read(tmp_path / "b.mhtml", "Content-Type: text/plain\n\nx")


class Texts(HTMLParser):
    """Collects text nodes: another parser than the one that is tested."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


WORDS = st.text("abcdefäß漢0123456789-.,", min_size=1, max_size=8)
INLINE = st.sampled_from(["b", "i", "span", "em", "font", "u", "code", "abbr", "x-tag"])
BLOCK = st.sampled_from(
    ["p", "div", "h2", "li", "blockquote", "section", "td", "pre", "dd", "center"]
)
TREES = st.recursive(
    st.one_of(WORDS, st.sampled_from([" ", "\n", "&nbsp;", "<br>"])),
    lambda inner: st.one_of(
        st.tuples(INLINE, st.lists(inner, max_size=4)).map(
            lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0]}>"
        ),
        st.tuples(BLOCK, st.lists(inner, max_size=4)).map(
            lambda pair: f"\0<{pair[0]}>{''.join(pair[1])}</{pair[0]}>\0"
        ),
    ),
    max_leaves=30,
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.lists(TREES, max_size=5).map("".join))
def test_words_appear_once_and_whole(source: str) -> None:
    # A zero marks the edges of blocks, where words end; the tested side never receives it.
    parser = Texts()
    parser.feed(source.replace("\0", " ").replace("<br>", " "))
    parser.close()
    expected = "".join(parser.found).split()
    document = html_blocks(source.replace("\0", ""))
    actual = " ".join(line for block in document.blocks for line in block.lines)
    assert sorted(actual.replace("•", "").split()) == sorted(expected)


@settings(max_examples=50, deadline=None)
@given(st.text("<>/=!-&;'\" abtrdhplsup\n\0", max_size=200))
def test_any_text_is_read(source: str) -> None:
    for block in html_blocks(source).blocks:
        assert block.lines
        assert all(line.strip() for line in block.lines)


CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)
OPF = """<?xml version="1.0"?><!DOCTYPE package SYSTEM "http://x/y.dtd">
<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>My Book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator>
<dc:language>en</dc:language><dc:date>1999-04</dc:date><dc:identifier>urn:x:1</dc:identifier>
<meta property="dcterms:modified">2020-01-02T03:04:05Z</meta></metadata>
<manifest><item id="a" href="Text/one%20a.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="Text/two.xhtml" media-type="application/xhtml+xml"/>
<item id="c" href="gone.xhtml" media-type="application/xhtml+xml"/>
<item id="d" href="pic.png" media-type="image/png"/>
<item id="t" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>
<spine toc="t">{order}</spine></package>"""
NCX = """<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "ncx.dtd">
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>
<navPoint><navLabel><text>First</text></navLabel><content src="Text/one%20a.xhtml#x"/></navPoint>
<navPoint><navLabel><text>Second</text></navLabel><content src="Text/two.xhtml"/></navPoint>
</navMap></ncx>"""
CHAPTER = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{}</body></html>'
ENCRYPTION = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>
<enc:EncryptionMethod Algorithm="{}"/><enc:CipherData><enc:CipherReference URI="{}"/>
</enc:CipherData></enc:EncryptedData></encryption>"""


def book(path: Path, order: str = "ab", **extra: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        refs = "".join(f'<itemref idref="{c}"/>' for c in order)
        archive.writestr("OEBPS/book.opf", OPF.format(order=refs))
        archive.writestr("OEBPS/toc.ncx", NCX)
        archive.writestr("OEBPS/Text/one a.xhtml", CHAPTER.format("<p>It began.</p>"))
        archive.writestr(
            "OEBPS/Text/two.xhtml", CHAPTER.format("<h2>Two</h2><p>It&nbsp;ended.</p>")
        )
        for name, content in extra.items():
            archive.writestr(f"META-INF/{name}.xml", content)
    return path


def test_book(tmp_path: Path) -> None:
    path = book(tmp_path / "a.epub")
    reading = detect(path).read(path)
    info = reading.info
    assert (info.format, info.page_count) == ("epub", 2)
    assert (info.title, info.author) == ("My Book", "Ann, Bob")
    assert info.created_at is None
    assert info.modified_at == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert dict(info.properties) == {"language": "en", "identifier": "urn:x:1", "date": "1999-04"}
    pages = list(reading.pages)
    assert [(page.number, page.kind) for page in pages] == [(1, "section"), (2, "section")]
    # The table of contents names a chapter only where the chapter does not name itself.
    assert blocks(pages[0]) == [("heading", 1, "First"), ("body", None, "It began.")]
    assert blocks(pages[1]) == [("heading", 2, "Two"), ("body", None, "It ended.")]
    assert (reading.missing, reading.warnings) == ([], [])


def test_what_a_book_lacks_is_missing(tmp_path: Path, messages: Callable[..., None]) -> None:
    path = book(tmp_path / "a.epub", "acdb")
    reading = detect(path).read(path)
    assert [page.method for page in reading.pages] == ["Native", "Skipped", "Skipped", "Native"]
    messages("\n".join(reading.missing))


def test_a_book_that_unpacks_to_too_much_keeps_what_was_read(tmp_path: Path) -> None:
    path = book(tmp_path / "a.epub", "acb")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("OEBPS/gone.xhtml", CHAPTER.format(f"<p>{'x' * (2 << 20)}</p>"))
    reading = detect(path).read(path, ReadOptions(limits=ParseLimits(unpacked_mb=1)))
    assert "It began." in next(reading.pages).text
    with pytest.raises(errors.ParseFailed, match=r"1 MB.*unpacked_mb"):
        next(reading.pages)


def test_a_section_that_the_order_repeats_is_read_once(tmp_path: Path) -> None:
    path = book(tmp_path / "a.epub", "ab" * 30_000)
    reading = detect(path).read(path)
    assert reading.info.page_count == 2
    assert [page.number for page in reading.pages] == [1, 2]
    (warning,) = reading.warnings
    assert "59,998" in warning


@pytest.mark.parametrize(
    ("method", "uri", "order", "is_readable"),
    [
        ("http://www.idpf.org/2008/embedding", "OEBPS/font.otf", "ab", True),
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/Text/one%20a.xhtml", "a", False),
    ],
)
def test_books_with_encrypted_parts(
    tmp_path: Path, method: str, uri: str, order: str, is_readable: bool
) -> None:
    path = book(tmp_path / "a.epub", order, encryption=ENCRYPTION.format(method, uri))
    if is_readable:
        assert len(list(detect(path).read(path).pages)) == 2
        return
    with pytest.raises(errors.FileEncrypted) as caught:
        detect(path).read(path)
    assert "--password" not in caught.value.hint


def test_an_encrypted_chapter_is_missing(tmp_path: Path) -> None:
    encryption = ENCRYPTION.format("urn:some-drm", "OEBPS/Text/one%20a.xhtml")
    path = book(tmp_path / "a.epub", encryption=encryption)
    reading = detect(path).read(path)
    assert [page.method for page in reading.pages] == ["Skipped", "Native"]
    (missing,) = reading.missing
    assert "OEBPS/Text/one a.xhtml" in missing


# --- large documents -----------------------------------------------------------------------

XHTML_FORM = (
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head>'
    "<body>{}</body></html>"
)
TAGS = """<p> </p> <div> </div> <b> </b> <h2> </h2> <ul> </ul> <li> </li> </ol> <table> <tr> <td>
    <th> </td> </tr> </table> <pre> </pre> <br> <blockquote> </blockquote> <sup> </sup> </a> </span>
    <q> </q> <ruby> <rt> </rt> </ruby> <select> <option> </select> <math><msup> </math>"""
FRAGMENTS = st.sampled_from(
    [
        *TAGS.split(),
        *("<ol start=3>", "<ol reversed>", "<a href=x>", "<span style='display:block'>"),
        *("<!-- a < b -->", "<script>if (a < b) {}</script>", "<iframe srcdoc='<p>in'></iframe>"),
        *("&amp;", "1 < 2", "\n", " ", "one ", "two", " three", "Zürich", "7"),
    ]
)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(FRAGMENTS, max_size=60).map("".join),
    st.sampled_from(["{}", "<!DOCTYPE html><html lang=de><body>{}</body></html>", XHTML_FORM]),
    st.integers(1, 60),
)
def test_a_document_reads_the_same_in_parts(
    monkeypatch: pytest.MonkeyPatch, inside: str, form: str, size: int
) -> None:
    source = form.format(inside)
    # The parser mends some faults in other ways where its input is parted elsewhere.
    monkeypatch.setattr(dom, "_CHUNK", size)
    monkeypatch.setattr(html_module, "PART_CHARS", 0)
    whole = html_blocks(source)
    document, blocks, is_whole = html_parts(source.encode("utf-8"))
    assert list(blocks) == list(whole.blocks)
    assert (document.title, document.targets) == (whole.title, whole.targets)
    assert not is_whole or not source


def test_a_large_document_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dom, "_CHUNK", 3000)
    for module in (html_module, reader_module):
        monkeypatch.setattr(module, "PART_CHARS", 5000)
    rows = "".join(f"<tr><td>row {n}</td><td>{n}.5</td></tr>" for n in range(40))
    text = "".join(f"<p>Paragraph {n} of the long one.</p>" for n in range(500))
    path = tmp_path / "a.html"
    path.write_text(
        f"<html><head><title>The title</title></head><body><div>{text}"
        f"<table><tr><th>a</th><th>b</th></tr>{rows}</table>{text}</div></body></html>"
    )
    reading = HtmlReader().read(path)
    assert (reading.info.title, reading.info.page_count) == ("The title", 0)
    pages = list(reading.pages)
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    assert [page.is_estimated for page in pages] == [False] + [True] * (len(pages) - 1)
    assert all(len(page.text) < 6000 for page in pages)
    messages = "\n".join(page.text for page in pages)
    assert [messages.count(f"Paragraph {n} of") for n in range(500)] == [2] * 500
    assert "a: row 39 | b: 39.5" in messages
