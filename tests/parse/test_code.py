"""Source code as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from casetrack.parse import detect, known_extensions
from casetrack.parse.text import code
from tests.parse.paging import opened as read

SOURCE = """import os

class A:
    def f(self):
\t    return 1


    def g(self):
        pass
"""


def test_paragraphs_keep_indent_and_lines(tmp_path: Path) -> None:
    reading = read(tmp_path / "a.py", SOURCE)
    (page,) = reading.pages
    assert (reading.info.format, reading.info.properties) == ("code", (("language", "Python"),))
    assert {p.kind for p in page.paragraphs} == {"code"}
    assert page.text == (
        "import os\n\nclass A:\n    def f(self):\n\t    return 1\n\n    def g(self):\n        pass"
    )
    assert [line.number for line in page.lines] == [1, 3, 4, 5, 8, 9]


def test_its_own_source_is_read_whole() -> None:
    path = Path(code.__file__)
    source = path.read_text(encoding="utf-8").split("\n")
    for page in detect(path).read(path).pages:
        for line in page.lines:
            assert page.text[line.start : line.end] == source[line.number - 1].strip()


@pytest.mark.parametrize(
    ("name", "content", "language"),
    [
        ("a.rs", "fn main() {}", "Rust"),
        ("a.TSX", "let a = 1", "TypeScript"),
        ("a.m", "x = [1 2];", "MATLAB"),
        ("a.m", '#import "x.h"\n@implementation A\n@end', "Objective-C"),
        ("a.yml", "a: 1", "YAML"),
        ("a.ps1", "Get-Item .", "PowerShell"),
    ],
)
def test_languages(tmp_path: Path, name: str, content: str, language: str) -> None:
    assert read(tmp_path / name, content).info.properties == (("language", language),)


@pytest.mark.parametrize(("name", "first"), [("a.rst", "heading"), ("a.tex", "body")])
def test_markup_for_people_is_no_code(tmp_path: Path, name: str, first: str) -> None:
    (page,) = read(tmp_path / name, "Title\n=====\n\nWords.").pages
    assert [p.kind for p in page.paragraphs] == [first, "body"]


TITLES = Path(__file__).with_name("code_titles.txt").read_text("utf-8")


def test_underlined_titles_are_headings(tmp_path: Path) -> None:
    (page,) = read(tmp_path / "a.rst", TITLES).pages
    result = [
        (page.text[p.start : p.end].replace("\n", "|"), p.level)
        for p in page.paragraphs
        if p.kind == "heading"
    ]
    assert result == [
        ("==========|The manual|==========", 1),
        ("Second part|-----------", 2),
        ("Third part|----------", 2),
        ("Ends|~~~~", 3),
    ]


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.py", "# -*- coding: latin-1 -*-\n# café", "café"),
        ("a.xml", "<?xml version='1.0' encoding='ISO-8859-1'?><a>café</a>", "<a>café</a>"),
        ("a.css", '@charset "iso-8859-1";\n/* café */', "/* café */"),
    ],
)
def test_declared_encodings(tmp_path: Path, name: str, content: str, text: str) -> None:
    reading = read(tmp_path / name, content.encode("latin-1"))
    (page,) = reading.pages
    assert page.text.endswith(text)
    assert reading.warnings == []


def test_long_files_are_parted_at_blank_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "PAGE_LINES", 10)
    content = "\n".join("" if i % 4 == 0 else f"line {i}" for i in range(1, 31)) + "\n" + "x\n" * 45
    reading = read(tmp_path / "a.sql", content)
    pages = list(reading.pages)
    assert reading.info.page_count == len(pages) == 5
    numbers = [line.number for page in pages for line in page.lines]
    assert numbers == [i for i in range(1, 76) if i > 30 or i % 4]


def test_one_endless_line_is_one_line(tmp_path: Path) -> None:
    content = "var a=1;function f(x){return x+1};" * 100_000
    (page,) = read(tmp_path / "min.js", content).pages
    assert page.text == content
    assert len(page.lines) == 1


def test_no_extension_is_taken_twice() -> None:
    assert len(set(known_extensions())) == len(known_extensions())
