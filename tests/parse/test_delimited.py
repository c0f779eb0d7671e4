"""CSV and its relatives."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.parse.page_builder import clean_text
from casetrack.parse.text import delimited
from tests.parse.paging import numbers
from tests.parse.paging import opened as read


def lines(path: Path, content: str | bytes) -> list[str]:
    return [line for page in read(path, content).pages for line in page.text.split("\n")]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ("name,age\nAnn,41\nBob,7\n", ["name | age", "name: Ann | age: 41", "name: Bob | age: 7"]),
        ("sep=;\na;b\n1;2\n", ["a | b", "a: 1 | b: 2"]),
        (
            'a,b\n"x, y","say ""hi"""\n"two\nlines",2',
            ["a | b", 'a: x, y | b: say "hi"', "a: two lines | b: 2"],
        ),
        ("'a','b, c'\n'd','e'\n'1','2'", ["a | b, c", "a: d | b, c: e", "a: 1 | b, c: 2"]),
        (
            'a,b\n"say \\"hi\\" now","C:\\dir"\n1,2',
            ["a | b", 'a: say "hi" now | b: C:\\dir', "a: 1 | b: 2"],
        ),
        ('a, b\n"x, y", "z"\n1, "2, 3"\n', ["a | b", "a: x, y | b: z", "a: 1 | b: 2, 3"]),
        (
            'n,size\n1,5" pipe\n2,6" pipe',
            ["n | size", 'n: 1 | size: 5" pipe', 'n: 2 | size: 6" pipe'],
        ),
        (
            "a,b\n8,9\n1,2,3,4\n5\n6,7",
            ["a | b", "a: 8 | b: 9", "a: 1 | b: 2 | 3 | 4", "a: 5", "a: 6 | b: 7"],
        ),
        ("only one column\nof words", ["only one column", "of words"]),
        (
            "date,from\n2024-01-02,10:30\n02.01.2024,9:15 pm",
            ["date | from", "date: 2024-01-02 | from: 10:30", "date: 02.01.2024 | from: 9:15 pm"],
        ),
        (",,\n,,\n\n", [""]),
    ],
)
def test_dialects(tmp_path: Path, content: str, result: list[str]) -> None:
    assert lines(tmp_path / "a.csv", content) == result


def test_page_and_places(tmp_path: Path) -> None:
    content = 'id\tamount\n\n7\t"one\ntwo"\n\t2.50\n'
    reading = read(tmp_path / "Sales 2024.tsv", content)
    assert (reading.info.format, reading.info.page_count) == ("tsv", 1)
    (page,) = reading.pages
    assert (page.kind, page.sheet_name, page.method) == ("sheet", "Sales 2024", "Spreadsheet")
    places = [(n.number, n.row, n.column_start, n.column_end) for n in page.lines]
    assert places == [(1, 1, 1, 2), (3, 3, 1, 2), (4, 4, 2, 2)]
    assert reading.warnings == []


@pytest.mark.parametrize(
    ("content", "bad"),
    [
        ('id,name,size\n1,ok,3\n2,"broken,4\n3,ok,5\n4,"fine, x",6\n5,"a\nb",7\n', "3"),
        ('a,b\n1,"open\n2,x\n3,y\n', "2"),
        ("a,b\n" + '1,"open\n2,x\n' * 30, "2"),
    ],
)
def test_broken_quotes_swallow_nothing(tmp_path: Path, content: str, bad: str) -> None:
    path = tmp_path / "a.csv"
    reading = read(path, content)
    text = "\n".join(page.text for page in reading.pages)
    records = content.count("\n") - content.count("a\nb")
    assert len(text.split("\n")) == records
    assert any(bad in numbers(warning) for warning in reading.warnings)


def test_a_quote_open_for_a_megabyte_ends_with_its_line(
    tmp_path: Path, messages: Callable[..., None]
) -> None:
    content = 'a,b\n1,"open\n' + f"x,{'some text ' * 12}ends\n" * 10_000
    assert len(content) > 2**20
    reading = read(tmp_path / "a.csv", content)
    assert sum(len(page.lines) for page in reading.pages) == 10_002
    messages("\n".join(reading.warnings))


def test_long_files_are_parted_and_keep_their_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "PART_ROWS", 4)
    content = "id,word\n" + "".join(f"{i},{'text' if i % 3 else ''}\n" for i in range(1, 10))
    reading = read(tmp_path / "a.csv", content)
    pages = list(reading.pages)
    assert reading.info.page_count == len(pages) == 3
    words = [" | word: text", " | word: text", "", " | word: text"]
    assert pages[1].text.split("\n") == [f"id: {i}{word}" for i, word in enumerate(words, 4)]
    for page in pages:
        assert page.kind == "sheet"
        assert [p.number for p in page.paragraphs] == list(range(1, len(page.lines) + 1))
        for line in page.lines:
            assert page.text[line.start : line.end].endswith((f"{line.row - 1}", "text", "word"))
    assert [line.row for page in pages for line in page.lines] == list(range(1, 11))
    assert {p.kind for page in pages[1:] for p in page.paragraphs} == {"table"}


def test_single_nul_bytes_are_dropped(tmp_path: Path) -> None:
    reading = read(tmp_path / "a.csv", "a,b\n1,2\0\n" + "3,4\n" * 400)
    assert next(reading.pages).text.startswith("a | b\na: 1 | b: 2\na: 3 | b: 4\n")


CELLS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cf", "Co", "Cn"])
    | st.sampled_from(",;|\"'\n \t"),
    max_size=12,
)
TABLES = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=8)
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TABLES, st.sampled_from([",", ";", "\t", "|"]))
def test_values_that_a_writer_wrote_are_in_the_page(
    tmp_path: Path, table: list[list[str]], delimiter: str
) -> None:
    out = io.StringIO()
    out.write(f"sep={delimiter}\n")
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(table)
    reading = read(tmp_path / "a.csv", out.getvalue())
    (page,) = reading.pages
    texts = {line.row: page.text[line.start : line.end] for line in page.lines}
    for number, row in enumerate(table, start=2):
        place = 0
        for cell in row:
            shown = clean_text(cell).strip()
            place = texts.get(number, "").index(shown, place) + len(shown)
