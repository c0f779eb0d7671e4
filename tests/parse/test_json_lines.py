"""JSON and JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.parse.text import json_lines, plain
from tests.parse.paging import numbers
from tests.parse.paging import opened as read
from tests.parse.paging import texts as paragraphs


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('{"a": 1, "b": "x"}', "a: 1\nb: x"),
        ('{"a": {"b": {"c": true}}, "d": null}', "a.b.c: true\nd: null"),
        ('{"a": [1, 2.50, "x"], "e": [], "o": {}}', "a: 1, 2.50, x\ne: []\no: {}"),
        ('{"a": ["x, y", "z"]}', "a: x, y; z"),
        ('{"a": [1, {"b": 2}, 3]}', "a[0]: 1\na[1].b: 2\na[2]: 3"),
        ('{"a": "one\\ntwo", "b": "\\u00e9\\"q\\""}', 'a: one\ntwo\nb: é"q"'),
        ('{"n": 12345678901234567890.10, "e": 1E+400}', "n: 12345678901234567890.10\ne: 1E+400"),
        (
            '{"a": ["' + "x" * 200 + '", "' + "y" * 200 + '"]}',
            f"a[0]: {'x' * 200}\na[1]: {'y' * 200}",
        ),
        ('{"a": 1, "a": 2}', "a: 1\na: 2"),
        ('{"' + "k" * 250 + '": {"b": 1}}', "b: 1"),
        ("[1, 2]", "1, 2"),
        ("NaN", "NaN"),
    ],
)
def test_values(tmp_path: Path, value: str, text: str) -> None:
    (page,) = read(tmp_path / "a.jsonl", value).pages
    assert page.text.endswith(text)
    assert len(page.paragraphs) == 1


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    content = '{"a": 1, "b": 2}\n\n{"a": 3}\nnot json\n{"a": \n[4, {"x": 5}]\n'
    reading = read(tmp_path / "a.jsonl", content)
    (page,) = reading.pages
    assert reading.info.format == "jsonl"
    assert paragraphs(page) == ["a: 1\nb: 2", "a: 3", "not json", '{"a":', "4\nx: 5"]
    assert [line.number for line in page.lines] == [1, 1, 3, 4, 5, 6, 6]
    (warning,) = reading.warnings
    assert "4-5" in warning


def test_a_document_is_parted_at_its_records(tmp_path: Path) -> None:
    content = """{
  "title": "T",
  "meta": {
    "by": "Ann"},
  "rows": [
    {"id": 1,
     "in": [{"x": 2}]},
    {"id": 3}
  ],
  "end": 4
}"""
    reading = read(tmp_path / "a.json", content)
    (page,) = reading.pages
    assert (reading.info.format, reading.warnings) == ("json", [])
    assert paragraphs(page) == [
        "title: T",
        "meta.by: Ann",
        "rows[0].id: 1\nrows[0].in[0].x: 2",
        "rows[1].id: 3",
        "end: 4",
    ]
    assert [line.number for line in page.lines] == [2, 4, 6, 7, 8, 10]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ('[{"n": "x"}, {"n": "y"}, 5]', ["n: x", "n: y", "5"]),
        ('{"a": 1}\n{"a": 2}\n', ["a: 1", "a: 2"]),
        ('{"a": 1,}', ["a: 1"]),
        ("[]", ["[]"]),
    ],
)
def test_forms_of_json(tmp_path: Path, content: str, result: list[str]) -> None:
    (page,) = read(tmp_path / "a.json", content).pages
    assert paragraphs(page) == result


@pytest.mark.parametrize(
    ("content", "words", "line"),
    [
        ('{"a": "kept",\n "b": {"c": "never closed', ["kept", "b.c", "never", "closed"], 2),
        ('{"a": 1}\n\n// a comment\nhere', ["a", "comment", "here"], 3),
        ('{"a": [1, 2}\nrest', ["1", "2", "rest"], 1),
        ("{1: 2}\nrest", ["1", "2", "rest"], 1),
        ('{"a": [{"b": 1', ["a", "b", "1"], 1),
    ],
)
def test_what_is_no_json_stays_as_text(
    tmp_path: Path, content: str, words: list[str], line: int
) -> None:
    reading = read(tmp_path / "a.json", content)
    (page,) = reading.pages
    assert all(word in page.text for word in words)
    assert str(line) in numbers(reading.warnings[0])


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["[", '{"a":', '[{"a":[', "]", '"', "{", "1 "])
def test_depth_and_junk_end(tmp_path: Path, unit: str) -> None:
    (page,) = read(tmp_path / "a.json", unit * 20_000).pages
    assert len(page.text) <= 2 * len(unit) * 20_000


def test_deep_values_stand_as_source(tmp_path: Path) -> None:
    content = '{"a":' * 100 + '"found"' + "}" * 100
    reading = read(tmp_path / "a.json", content)
    (page,) = reading.pages
    assert '{"a":"found"}' in page.text
    assert reading.warnings == []


def test_long_files_have_several_pages(tmp_path: Path) -> None:
    count = 2 * json_lines.PAGE_RECORDS + 1
    reading = read(tmp_path / "a.jsonl", "".join(f'{{"n": {i}}}\n' for i in range(count)))
    pages = list(reading.pages)
    assert reading.info.page_count == len(pages) == 3
    assert pages[2].text == f"n: {count - 1}"
    assert pages[2].lines[0].number == count


def split(text: str, places: list[int]) -> list[str]:
    ends = sorted({place % (len(text) + 1) for place in places} | {len(text)})
    return [text[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def lines_of(source: Any) -> list[tuple[str, int | None]]:
    collected: list[tuple[str, int | None]] = []
    try:
        for paragraph in json_lines.JsonText(source).paragraphs():
            collected += [(line.text, line.number) for line in paragraph]
    except json_lines.BadJson as error:
        collected.append((f"bad: {error}", error.line))
    return collected


PIECES = st.sampled_from(
    [
        *("{", "}", "[", "]", ":", ",", '"a"', '"b c"', "12", "-3.5e7", "true", "\n", " ", '"'),
        *('"\\u00e9\\ud83d\\ude00\\\\"', "\\", "x", '"two\nlines"', '"' + "long " * 90 + '"'),
    ]
)


@settings(max_examples=50, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join), st.lists(st.integers(0, 4000), max_size=6))
def test_a_text_reads_the_same_in_whatever_parts_it_comes(text: str, places: list[int]) -> None:
    assert lines_of(split(text, places)) == lines_of(text)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(st.sampled_from('ab \n"\\é😀€'), min_size=400, max_size=2000),
    st.sampled_from(["{}", '{{"k": {}, "end": 7}}', "[{}, 5]", '[{{"k": [1, {}]}}, 5]']),
    st.booleans(),
)
def test_a_long_value_is_written_in_parts(
    monkeypatch: pytest.MonkeyPatch, value: str, form: str, ascii_only: bool
) -> None:
    monkeypatch.setattr(json_lines, "PART_CHARS", 350)
    text = form.format(json.dumps(value, ensure_ascii=ascii_only))
    with_parts = lines_of(split(text, list(range(0, len(text), 100))))
    messages = "".join("".join(line.split()) for line, _ in with_parts)
    assert "".join(value.split()) in messages
    # The content before and after it is unchanged.
    whole = lines_of(text)
    assert (with_parts[-1][0] == whole[-1][0]) or "end" not in form
    assert max(len(line) for line, _ in with_parts) < 800


@pytest.mark.parametrize("newlines", [True, False])
@pytest.mark.parametrize("fault", ["", "} and what follows\nis text"])
def test_a_large_document_is_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newlines: bool, fault: str
) -> None:
    monkeypatch.setattr(json_lines, "PART_CHARS", 4000)
    monkeypatch.setattr(json_lines, "PART_CHARS", 4000)
    monkeypatch.setattr(plain, "PART_CHARS", 4000)
    monkeypatch.setattr(json_lines, "_COUNTED_BYTES", 1000)
    record = {"name": "Ann", "text": "word " * 30}
    records = [json.dumps(record | {"n": n}) for n in range(100)]
    long = json.dumps("in the long text " * 1000)
    between = ",\n" if newlines else ","
    content = f'{{"first": [{between.join(records)}], "long": {long}, "end": "last"}}{fault}'
    reading = read(tmp_path / "a.json", content)
    assert reading.info.page_count == 0
    pages = list(reading.pages)
    assert len(pages) >= 7
    assert all(len(page.text) < 16_000 for page in pages)
    text = "\n".join(page.text for page in pages)
    assert text.count("word") == 30 * 100
    assert [f"first[{n}].n: {n}" in text for n in range(100)] == [True] * 100
    assert " ".join(text.split()).count("in the long text") == 1000
    assert "end: last" in text
    assert text.endswith(fault[1:].strip() or "end: last")
    assert bool(reading.warnings) is bool(fault)


KEYS = st.text("abcdef", min_size=1, max_size=5)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.text('abc\n\t"\\é漢 ', max_size=8), st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=20,
)


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [word for v in value.values() for word in leaves(v)]
    if isinstance(value, list):
        return [word for v in value for word in leaves(v)]
    return (value if isinstance(value, str) else json.dumps(value)).split()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_every_value_is_in_the_text_in_order(
    tmp_path: Path, value: Any, indent: int | None, ascii_only: bool
) -> None:
    source = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    reading = read(tmp_path / "a.json", source)
    text = "\n".join(page.text for page in reading.pages)
    place = 0
    for word in leaves(value):
        place = text.index(word, place) + len(word)
    assert reading.warnings == []
