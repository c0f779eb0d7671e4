"""RTF: code pages, structure, tables, notes, pages, hidden text, wrapped HTML, compression."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import FileHead, Page, Reading
from casetrack.parse.mail.storage import BadCompression, decompress_rtf
from casetrack.parse.page_builder import clean_text
from casetrack.parse.rtf.parser import RtfParser
from casetrack.parse.rtf.reader import RtfReader, encapsulated_html, holds_html, is_rtf, read_rtf
from tests.parse.paging import blocks

FONTS = (
    r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset128 MS Mincho;}"
    r"{\f3\fcharset2 Symbol;}{\f4\fcharset2 Wingdings;}{\f5\fcharset238 Arial CE;}}"
)


def read(
    path: Path, body: str, head: str = r"\ansi\ansicpg1252\deff0"
) -> tuple[Reading, list[Page]]:
    path = path / "a.rtf"
    path.write_bytes(f"{{\\rtf1{head}{FONTS} {body}}}".encode("latin-1"))
    reading = RtfReader().read(path)
    return reading, list(reading.pages)


def texts(path: Path, body: str, head: str = r"\ansi\ansicpg1252\deff0") -> list[str]:
    return [text for page in read(path, body, head)[1] for _, _, text in blocks(page)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\'dcber", "Über"),
        (r"{\f1 \'d3\'e2\'e0\'e6}", "Уваж"),
        (r"{\f2 \'93\'fa\'96\{", "日本"),  # the second byte is a brace
        (r"{\f2 \'93\'fa\'83" + "\r\n" + r"\'5c}", "日ソ"),
        (r"{\f5 \'bf\'f3\'b3w}", "żółw"),
        (r"{\f3 \'b7 abG \'b3}", "• αβΓ ≥"),
        (r"a\u8212\'97b", "a—b"),
        (r"{\uc2\u24180\'94\'4e!}", "年!"),
        (r"{\uc0\u24180 x}", "年x"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"\u8364 \par", "€"),
        (r"a\emdash b\~c\_d\-e \ldblquote f\rdblquote", "a—b c-de “f”"),
        ("one\r\ntwo", "onetwo"),
        (r"a\{b\}\\c", "a{b}\\c"),
        (r"a{\*\unknown secret}b", "ab"),
        (r"a{\loch\i0\*\cs7 b}", "ab"),
        (r"a{\bin5 {}}{\}b", "ab"),
        (r"see {\field{\*\fldinst HYPERLINK \\l x}{\fldrslt {\ul page 3}}}.", "see page 3."),
        (r"{\upr{a?}{\*\ud{a\u955?}}}", "aλ"),
        (r"{\object{\*\objdata 0102}{\result shown}}", "shown"),
        (r"a{\pict\pngblip 89504e47}b", "ab"),
        (r"{\mmath{\*\moMath{\mf{\mfPr x}{\mnum 1}{\mden 2}}}}", "12"),
    ],
)
def test_text(tmp_path: Path, body: str, expected: str) -> None:
    assert texts(tmp_path, body) == [expected]


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        (r"\ansi\ansicpg1251", r"\f0\'e0\'e1", "аб"),  # every font Western: the page is meant
        (r"\mac", r"\f9\'8a", "ä"),
        (r"\pc", r"\f9\'84", "ä"),
        (r"\ansi\ansicpg65001", r"\f9\'c3\'a4", "ä"),
    ],
)
def test_document_code_page(tmp_path: Path, head: str, body: str, expected: str) -> None:
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}}"
    path = tmp_path / "a.rtf"
    path.write_bytes(f"{{\\rtf1{head}{fonts} {body}}}".encode("latin-1"))
    assert [page.text for page in RtfReader().read(path).pages] == [expected]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(
            st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Cn", "Co")), min_size=1
        ),
        min_size=1,
        max_size=5,
    )
)
def test_unicode_text_survives(lines: list[str]) -> None:
    def unit(char: str) -> str:
        if char in "\\{}":
            return f"\\{char}"
        if char.isascii():
            return char
        data = char.encode("utf-16-le")
        numbers = (int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2))
        return "".join(f"\\u{n - 65536 if n > 32767 else n}?" for n in numbers)

    body = "".join("".join(map(unit, line)) + "\\par " for line in lines)
    items = RtfParser(f"{{\\rtf1 {body}}}".encode("ascii")).parse().items
    actual = [item.lines[0] for item in items if hasattr(item, "lines")]
    assert actual == [line for line in lines if line.strip()]
    assert all(clean_text(line) for line in actual if not line.isspace())


def test_headings_lists_quotes_and_lines(tmp_path: Path) -> None:
    body = r"""{\stylesheet{\ql Normal;}{\s1\sbasedon0 heading 1;}{\s2\sbasedon1 My clause;}
    {\s3\outlinelevel2 Ebene;}{\s4 Quote;}{\s5 Title;}{\*\cs10 heading 2;}}
    \pard\s5 The plan\par\pard\s1 First\par\pard\s2 Second\par\pard\s3 Third\par
    \pard\outlinelevel3 Fourth\par\pard\s1\outlinelevel9 Body\par\pard\s4 Said\par
    \pard{\listtext 1.\tab}Item\par\pard{\pntext\f3\'b7\tab}Point\par
    \pard{\listtext 2.\tab}\s1 Numbered\par\pard One\line Two\par\pard\par"""
    page = read(tmp_path, body)[1][0]
    assert blocks(page) == [
        ("heading", 1, "The plan"),
        ("heading", 1, "First"),
        ("heading", 1, "Second"),
        ("heading", 3, "Third"),
        ("heading", 4, "Fourth"),
        ("body", None, "Body"),
        ("quote", None, "Said"),
        ("list", None, "1. Item"),
        ("list", None, "• Point"),
        ("heading", 1, "2. Numbered"),
        ("body", None, "One\nTwo"),
    ]
    assert page.is_estimated


def row(*cells: str, edges: str = "", more: str = "") -> str:
    shape = edges or "".join(f"\\cellx{1000 * (i + 1)}" for i in range(len(cells)))
    shown = "".join(cell + "\\cell " for cell in cells)
    return f"\\trowd{more}{shape}\\pard\\intbl {shown}\\row "


def test_tables(tmp_path: Path) -> None:
    def table(*rows: str) -> list[str]:
        return texts(tmp_path, "".join(rows) + r"\pard After\par")[:-1]

    merged = r"\clmgf\cellx1000\clmrg\cellx2000\cellx3000"
    assert table(row("A", "B", "C", more=r"\trhdr"), row("x", "", "z", edges=merged)) == [
        "A | B | C",
        "A: x | C: z",
    ]
    wide = r"\cellx2000\cellx3000"
    assert table(row("A", "B", "C"), row("x", "z", edges=wide)) == ["A | B | C", "A: x | C: z"]
    above = r"\clvmrg\cellx1000\cellx2000"
    assert table(row("Item", "Price"), row("Nut", "1"), row("", "2", edges=above)) == [
        "Item | Price",
        "Item: Nut | Price: 1",
        "Price: 2",
    ]
    assert table(row("In a frame"), row("of one column")) == ["In a frame", "of one column"]
    assert table(row(r"two\par lines", "b"), row("c", "d")) == ["two lines | b", "c | d"]
    assert texts(tmp_path, r"loose\cell cells\cell ") == ["loose | cells"]


def nested(depth: int, *cells: str) -> str:
    """Return a row of a table inside a cell, *depth* tables deep."""
    inside = "".join(rf"\pard\intbl\itap{depth} {cell}\nestcell" for cell in cells)
    edges = "".join(rf"\cellx{100 * i}" for i in range(1, len(cells) + 1))
    return rf"{inside}{{\*\nesttableprops\trowd{edges}\nestrow}}{{\nonesttables\par}}"


def outer(*cells: str) -> str:
    edges = "".join(rf"\cellx{1000 * i}" for i in range(1, len(cells) + 1))
    return "".join(rf"{cell}\cell " for cell in cells) + rf"\trowd{edges}\row"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # In a frame, a table is between the paragraphs around it.
        (
            outer(rf"\pard\intbl before\par{nested(2, 'a', 'b')}\pard\intbl after"),
            ["before", "a | b", "after"],
        ),
        # Each table has its own columns and headers, also next to another one.
        (
            outer(
                nested(2, "Item", "Price") + nested(2, "Bolt", "2") + r"\pard\intbl left",
                nested(2, "Name", "Age") + nested(2, "Ann", "31") + r"\pard\intbl right",
            ),
            ["left | right", "Item | Price", "Item: Bolt | Price: 2", "Name | Age",
             "Name: Ann | Age: 31"],
        ),
        # A table in a table in a table follows the row that holds it.
        (
            outer(nested(2, nested(3, "deep", "er") + r"\pard\intbl\itap2 mid", "dle"), "out"),
            ["out", "mid | dle", "deep | er"],
        ),
        # The row around it never ends.
        (nested(2, "a", "b") + r"\pard then\par", ["a | b", "then"]),
    ],
)  # fmt: skip
def test_tables_inside_cells_are_in_order(tmp_path: Path, body: str, expected: list[str]) -> None:
    assert texts(tmp_path, rf"\pard {body}\pard end\par") == [*expected, "end"]


def test_pages_sections_and_running_heads(tmp_path: Path) -> None:
    body = (
        r"{\header Head}{\footer Foot \chpgn}One{\*\bkmkstart x}\par\page Two\par"
        r"\sect\sectd\sbknone Still two\par\sect\sectd{\header Other}Three\par"
        r"\pard\pagebb Four\par\page\page"
    )
    pages = read(tmp_path, body)[1]
    assert [(page.text.replace("\n\n", "/"), page.header, page.footer) for page in pages] == [
        ("Head/One/Foot", None, None),
        ("Two/Still two", "Head", "Foot"),
        ("Other/Three", None, "Foot"),
        ("Four", "Other", "Foot"),
    ]
    assert not any(page.is_estimated for page in pages)


def test_page_break_within_a_paragraph_and_a_row(tmp_path: Path) -> None:
    pages = read(tmp_path, r"before\page after\par" + row("a", r"b\page c") + r"\pard z\par")[1]
    assert [page.text for page in pages] == ["before", "after\n\na | b c", "z"]


def test_notes_and_text_boxes(tmp_path: Path) -> None:
    body = (
        r"Text\chftn{\footnote\pard\chftn A note.\par} more\chftn{\footnote\chftn Another.}.\par"
        r"{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt In a box\par}}{\shprslt In a box}}Last\par"
    )
    page = read(tmp_path, body)[1][0]
    assert blocks(page) == [
        ("body", None, "Text[1] more[2]."),
        ("body", None, "Last"),
        ("body", None, "In a box"),
        ("footnote", None, "[1] A note."),
        ("footnote", None, "[2] Another."),
    ]


def test_facts_and_warnings(tmp_path: Path, messages: Callable[..., None]) -> None:
    body = (
        r"{\info{\upr{\title ?}{\*\ud{\title \u928?lan}}}{\author Ann}{\author Bob}"
        r"{\keywords tax, law}{\*\company Acme}{\creatim\yr2020\mo5\dy6\hr7\min8}"
        r"{\revtim\yr1601\mo1\dy1}{\doccomm no}}Text{\pict 00}{\pict 00}{\object{\*\objdata 00}}"
    )
    reading, _ = read(tmp_path, body)
    info = reading.info
    assert (info.format, info.title, info.author) == ("rtf", "Πlan", "Ann")
    assert info.created_at == dt.datetime(2020, 5, 6, 7, 8, tzinfo=dt.UTC)
    assert info.modified_at is None
    assert info.properties == (("keywords", "tax, law"), ("company", "Acme"), ("description", "no"))
    messages("\n".join(reading.warnings))


def test_wrapped_html(tmp_path: Path) -> None:
    rtf = (
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 A;}}"
        rb"{\*\htmltag19 <html>}{\*\htmltag64 <p>}\htmlrtf {\pard\htmlrtf0 Caf\'e9 {\f1\'e0}"
        rb"{\*\htmltag84 &amp;}\htmlrtf &\htmlrtf0  tea{\*\mhtmltag no}\htmlrtf \par}\htmlrtf0"
        rb"{\*\htmltag72 </p>}{\*\htmltag241 <!--\'e9-->}{\*\htmltag27 </html>}}"
    )
    assert holds_html(rtf)
    assert encapsulated_html(rtf) == "<html><p>Café а&amp; tea</p><!--é--></html>"
    path = tmp_path / "mail.rtf"
    path.write_bytes(rtf)
    assert [page.text for page in read_rtf(path).pages] == ["Café а& tea"]


def test_compressed_rtf_of_the_specification() -> None:
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c"
        "647d0a800fa0"
    )
    assert decompress_rtf(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    crossing = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert decompress_rtf(crossing) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"
    plain = bytes.fromhex("10000000 04000000 4d454c41 00000000") + b"abcdef"
    assert decompress_rtf(plain) == b"abcd"
    assert decompress_rtf(packed[:30]) == b"{\\rtf1\\ansi\\ansicpg1252"
    for bad in (b"", packed[:8], b"\0" * 40):
        with pytest.raises(BadCompression):
            decompress_rtf(bad)


@pytest.mark.parametrize(
    ("head", "accepted"),
    [
        (b"{\\rtf1", True),
        (b"\xef\xbb\xbf\r\n {\\rtf", True),
        (b"\xd0\xcf\x11\xe0", False),
        (b"rtf", False),
    ],
)
def test_accepts(tmp_path: Path, head: bytes, accepted: bool) -> None:
    assert is_rtf(head) is accepted
    assert RtfReader().accepts(FileHead(tmp_path / "a.rtf", ".rtf", head)) is accepted


def test_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_bytes(b"plain words")
    with pytest.raises(ParseFailed, match=r"a\.doc"):
        read_rtf(path)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("{" * 50_000 + "deep", "deep"),
        ("}" * 5, ""),
        (r"a\par" + r"{\b b" * 20_000, "a"),
        (r"x\bin99999999999 y", "x"),
        (r"a{\footnote n" * 5_000, "a"),
        ("\\'e9" * 50_000, "é"),
        (r"{\stylesheet{\s1\sbasedon1 loop;}}\s1 a\par", "a"),
        (r"\itap99\intbl\nestcell\nestrow" * 5_000 + r"\pard z\par", "z"),
        ("\\", ""),
    ],
    ids=["deep", "closed", "open", "bin", "notes", "hex", "styles", "nested rows", "end"],
)
def test_hostile_input_ends_soon(tmp_path: Path, body: str, text: str) -> None:
    (page,) = read(tmp_path, body)[1]
    assert text in page.text


def test_cut_files_say_so(tmp_path: Path) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(b"{\\rtf1 a{\\b b")
    reading = RtfReader().read(path)
    assert [page.text for page in reading.pages] == ["ab"]
    assert len(reading.warnings) == 1
    path.write_bytes(b"{\\rtf1 a}" + b"x" * 300)
    reading = RtfReader().read(path)
    assert [page.text for page in reading.pages] == ["a"]
    (warning,) = reading.warnings
    assert "300" in warning
