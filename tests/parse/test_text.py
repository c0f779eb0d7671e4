"""Plain text and Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

from casetrack.base import errors
from casetrack.parse.encoding import decode
from casetrack.parse.text import plain
from tests.parse.paging import blocks
from tests.parse.paging import opened as read


def test_form_feeds_part_pages_and_lines_keep_their_numbers(tmp_path: Path) -> None:
    reading = read(tmp_path / "a.txt", "one\n  two\n\n\n\nfive\r\nsix\f\nb\rc\f")
    pages = list(reading.pages)
    assert reading.info.page_count == 2
    assert [page.text for page in pages] == ["one\n  two\n\nfive\nsix", "b\nc"]
    assert [[line.number for line in page.lines] for page in pages] == [[1, 2, 6, 7], [2, 3]]
    assert [len(page.paragraphs) for page in pages] == [2, 1]
    assert not any(page.is_estimated for page in pages)


def test_a_long_text_is_parted_and_nothing_of_it_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain, "PART_CHARS", 100)
    paragraph = "The rent is due on the first day of each month.\n" * 2
    text = (paragraph + "\n") * 5 + "x" * 350 + " one two three" * 20 + "\n\n \n\fLast page.\n"
    reading = read(tmp_path / "a.txt", text)
    pages = list(reading.pages)
    assert reading.info.page_count == len(pages)
    assert all(len(page.text) <= 100 for page in pages)
    joined = "".join("".join(page.text.split()) for page in pages)
    assert joined == "".join(text.split())
    # At a blank line, where one comes near the end; the numbers are those of the file.
    assert [page.text for page in pages[:5]] == [paragraph.strip()] * 5
    assert [[line.number for line in page.lines] for page in pages[:3]] == [[1, 2], [4, 5], [7, 8]]
    assert {line.number for page in pages[5:-1] for line in page.lines} == {16}
    assert not any(p.text.startswith(("ne ", "wo ", "hree")) for p in pages)  # between words
    assert [page.is_estimated for page in pages] == [False, *[True] * (len(pages) - 1)]
    assert (pages[-1].text, pages[-1].lines[0].number) == ("Last page.", 1)


@pytest.mark.parametrize(
    ("text", "pages"),
    [("a\f\f\f", ["a", "", ""]), (" \n", [""]), ("\fa", ["", "a"]), ("a\n\n\n", ["a"])],
)
def test_blank_pages_count_but_for_one_at_the_end(
    tmp_path: Path, text: str, pages: list[str]
) -> None:
    reading = read(tmp_path / "a.txt", text)
    assert [page.text for page in reading.pages] == pages
    assert reading.info.page_count == len(pages)


GERMAN = "Die Kündigungsfrist beträgt drei Monate; größere Änderungen über Ähnliches. " * 20


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GERMAN.encode("utf-8-sig"), None),
        (GERMAN.encode("utf-16"), None),
        (b"\xfe\xff" + GERMAN.encode("utf-16-be"), None),
        (GERMAN.encode("utf-32"), None),
        (GERMAN.encode("utf-16-le"), "utf-16-le"),
        (GERMAN.encode("cp1252"), "cp1252"),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, words: str | None) -> None:
    reading = read(tmp_path / "a.txt", content)
    assert next(reading.pages).text == GERMAN.strip()
    assert len(reading.warnings) == (0 if words is None else 1)
    assert words is None or words in reading.warnings[0]


CZECH = "Smlouva o dílo, článek třetí: zhotovitel předá dílo v dohodnuté lhůtě. " * 4
POLISH = "Umowa zawarta pomiędzy stronami; należność płatna w ciągu trzydziestu dni. " * 4
FRENCH = "Le bœuf coûte déjà cinq € à Noël. " * 4
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю. " * 4
HEBREW = "דג סקרן שט בים מאוכזב ולפתע מצא חברה. " * 4
JAPANESE = "これは日本語の文章です。契約書の内容を確認してください。" * 4


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((GERMAN, name) for name in ("cp1252", "cp850", "mac_roman")),
        *((FRENCH, name) for name in ("cp1252", "iso8859-15")),
        *((CZECH, name) for name in ("cp1250", "iso8859-2")),
        *((POLISH, name) for name in ("cp1250", "iso8859-2")),
        *((RUSSIAN, name) for name in ("cp1251", "koi8-r", "cp866")),
        (HEBREW, "cp1255"),
        *((JAPANESE, name) for name in ("cp932", "euc_jp", "iso2022_jp")),
    ],
)
def test_guesses_show_the_right_letters(tmp_path: Path, text: str, encoding: str) -> None:
    reading = read(tmp_path / "a.txt", text.encode(encoding))
    assert next(reading.pages).text == text.strip()
    # Escapes of seven bits leave no doubt; everything else does.
    assert len(reading.warnings) == (encoding != "iso2022_jp")


@pytest.mark.timeout(30)
def test_long_lines_do_not_delay_the_guess(tmp_path: Path) -> None:
    reading = read(tmp_path / "a.txt", b"a" * 300_000 + b"\n" + GERMAN.encode("cp1252"))
    assert "".join(page.text for page in reading.pages).endswith(GERMAN.strip())


def test_single_bad_bytes_do_not_change_the_encoding(tmp_path: Path) -> None:
    content = GERMAN.encode("utf-8") + b" cut \xc3"
    reading = read(tmp_path / "a.txt", content)
    assert next(reading.pages).text == GERMAN.strip() + "  cut \ufffd"
    (warning,) = reading.warnings
    assert [word for word in ("1", "UTF-8", "\ufffd") if word not in warning] == []


@pytest.mark.parametrize("suffix", ["txt", "csv", "json"])
def test_binary_content_behind_a_text_head_is_refused(tmp_path: Path, suffix: str) -> None:
    content = (b"{" if suffix == "json" else b"a,b\n") * 9000 + bytes(range(32)) * 1000
    with pytest.raises(errors.ParseFailed, match=f"a.{suffix}"):
        read(tmp_path / f"a.{suffix}", content)
    with pytest.raises(errors.FormatMismatch):
        read(tmp_path / "a.ts", b"G" + bytes(range(256)) * 20)


MARKDOWN = Path(__file__).with_name("text.md.txt").read_text("utf-8")


def test_markdown_blocks(tmp_path: Path) -> None:
    reading = read(tmp_path / "a.md", MARKDOWN)
    page = next(reading.pages)
    assert (reading.info.format, reading.info.title) == ("markdown", "The plan")
    assert blocks(page) == [
        ("body", None, '---\ntitle: "The plan"\n---'),
        ("heading", 1, "# Plan #"),
        ("body", None, "Intro line\nsecond line"),
        ("heading", 2, "## Part *one*"),
        ("list", None, "- a\n- b\n  more of b"),
        ("list", None, "1. first\n2. second"),
        ("quote", None, "> quoted\n> words"),
        ("table", None, "| A | B |\n|---|---|\n| 1 | 2 |"),
        ("body", None, "after the table"),
        ("heading", 1, "Setext\n======"),
        ("heading", 2, "Lower\n---"),
        ("body", None, "```python\n# not a heading"),
        ("body", None, "x = 1\n```"),
        ("body", None, "indented"),
        ("body", None, "---"),
        ("body", None, "The end"),
    ]


def test_markdown_lines_are_those_of_the_file(tmp_path: Path) -> None:
    page = next(read(tmp_path / "a.md", MARKDOWN).pages)
    source = MARKDOWN.split("\n")
    for line in page.lines:
        assert source[line.number - 1].strip() == page.text[line.start : line.end]
    assert {line.number for line in page.lines} == {i for i, t in enumerate(source, 1) if t.strip()}


@pytest.mark.parametrize(
    "text", ["", "#", "a\n---", "---", "```", "| a |\n|---|", "- ", ">", "a | b", "# x\r\n# y"]
)
def test_odd_markdown_loses_nothing(tmp_path: Path, text: str) -> None:
    page = next(read(tmp_path / "a.md", text + "\nend").pages)
    kept = "".join(page.text.split())
    assert kept == "".join(text.split()) + "end"


def test_a_long_markdown_is_parted_outside_of_its_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain, "PART_CHARS", 100)
    code = "```\n" + "x = 1\n" * 10 + "\n```\n"
    head = "---\ntitle: Long\n---\n# One\n\n" + "rent is due\n" * 6
    text = f"{head}\n{code}\n## Two\nend\n{'word ' * 50}"
    reading = read(tmp_path / "a.md", text)
    pages = list(reading.pages)
    assert (reading.info.page_count, reading.info.title) == (len(pages), "Long")
    assert "".join("".join(page.text.split()) for page in pages) == "".join(text.split())
    assert [page.is_estimated for page in pages] == [False, *[True] * (len(pages) - 1)]
    lines = text.split("\n")
    for page in pages:
        for line in page.lines:
            assert page.text[line.start : line.end] in lines[line.number - 1]
    (page,) = [page for page in pages if "```" in page.text]  # in one piece
    assert page.text.count("```") == 2
    headings = [p.text[h.start : h.end] for p in pages for h in p.paragraphs if h.kind == "heading"]
    assert headings == ["# One", "## Two"]


@pytest.mark.parametrize(
    "text", ["the sign \ufffd alone", "\ufffd", "a\ufffd\n" * 40_000, "Grüße \ufffd"]
)
def test_a_literal_replacement_character_is_valid_utf8(text: str) -> None:
    result = decode(text.encode())
    assert (result.text, result.encoding, result.warning) == (text, "utf-8", None)


@pytest.mark.parametrize("end", [b"\xc3", b"\x93Hi\xa0", b"\xe9 is"])
def test_a_bad_place_leaves_the_other_letters_of_a_text_in_utf8(end: bytes) -> None:
    data = "Long English text about Müller and Weiß. ".encode() + end
    result = decode(data)
    assert (result.text, result.encoding) == (data.decode(errors="replace"), "utf-8")
    assert result.warning is not None
