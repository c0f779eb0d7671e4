"""Read JSON and JSON lines: each record is a paragraph of lines ``key: value``.

A line of text has the number of the file line with its value, on every page.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.encoding import NotText, file_encoding, looks_like_text
from casetrack.parse.labels import number_list
from casetrack.parse.page_builder import PageBuilder, SourceLine
from casetrack.parse.text.json_text import BadJson, JsonText
from casetrack.parse.text.plain import PART_CHARS, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from casetrack.parse.base import Page
    from casetrack.parse.encoding import Encoding

    Lines = list[SourceLine]

PAGE_RECORDS = 200
"""Records on a page."""
_MAX_NAMED = 20
_COUNTED_BYTES = 8 << 20
"""Pages of larger files are not counted in advance, which would double the time."""


class JsonLinesReader:
    """JSON lines: one JSON value per line."""

    name = "JSON lines"
    extensions: tuple[str, ...] = (".jsonl", ".ndjson")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept any text."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find the encoding; see :class:`casetrack.parse.base.Reader`."""
        encoding = _encoding(path, self.name)
        return _read_lines(path, encoding, "jsonl")


class JsonReader:
    """JSON: an object, a list of records, or, under the same extension, JSON lines."""

    name = "JSON"
    extensions: tuple[str, ...] = (".json", ".geojson")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept any text."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode the file; see :class:`casetrack.parse.base.Reader`."""
        encoding = _encoding(path, self.name)
        if _is_lines(path, encoding):
            return _read_lines(path, encoding, "json")

        def records(notes: list[str]) -> Iterator[Lines]:
            return _document(pieces(path, encoding), notes)

        return _reading("json", path, encoding, records)


def _encoding(path: Path, kind: str) -> Encoding:
    try:
        return file_encoding(path)
    except NotText as error:
        raise ParseFailed(path, kind, str(error)) from error


def _lines(path: Path, encoding: Encoding) -> Iterator[str]:
    with path.open(encoding=encoding.name, errors=encoding.errors, newline=None) as file:
        yield from file


def _is_lines(path: Path, encoding: Encoding) -> bool:
    """Return whether a file is JSON lines: its first two are whole, short objects or lists."""
    filled = (line for line in pieces(path, encoding) if line.strip())
    first = list(islice(filled, 2))
    return len(first) == 2 and first[0].endswith("\n") and all(_is_whole(line) for line in first)


def _is_whole(line: str) -> bool:
    if line.lstrip("\ufeff \t")[:1] not in {"{", "["}:
        return False
    try:
        list(JsonText(line).paragraphs())
    except BadJson:
        return False
    return True


def _read_lines(path: Path, encoding: Encoding, form: str) -> Reading:
    def records(notes: list[str]) -> Iterator[Lines]:
        return _records(_lines(path, encoding), notes)

    return _reading(form, path, encoding, records)


def _reading(
    form: str, path: Path, encoding: Encoding, source: Callable[[list[str]], Iterator[Lines]]
) -> Reading:
    """Return the reading of records; *source* is called twice, to count pages and to yield them."""
    warnings = [encoding.warning] if encoding.warning else []
    counted = path.stat().st_size <= _COUNTED_BYTES
    count = max(1, sum(1 for _ in _parts(source([])))) if counted else 0
    return Reading(DocumentInfo(form, count), _pages(source(warnings)), warnings)


def _parts(records: Iterable[Lines]) -> Iterator[list[Lines]]:
    part: list[Lines] = []
    length = 0
    for record in records:
        part.append(record)
        length += sum(len(line.text) for line in record)
        if len(part) >= PAGE_RECORDS or length >= PART_CHARS:
            yield part
            part, length = [], 0
    if part:
        yield part


def _pages(records: Iterable[Lines]) -> Iterator[Page]:
    number = 0
    for number, part in enumerate(_parts(records), start=1):
        builder = PageBuilder(number, keep_indent=True)
        for record in part:
            builder.paragraph(record)
        yield builder.build()
    if not number:
        yield PageBuilder(1).build()


def _records(lines: Iterable[str], notes: list[str]) -> Iterator[Lines]:
    bad: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            parts = list(JsonText(line, number, is_record=True).paragraphs())
        except BadJson:
            bad.append(number)
            yield [SourceLine(line, number)]
        else:
            yield list(chain.from_iterable(parts))
    if bad:
        shown = number_list(bad[:_MAX_NAMED])
        more = f" and {len(bad) - _MAX_NAMED} others" if len(bad) > _MAX_NAMED else ""
        notes.append(f"Not valid JSON, kept as plain text: line {shown}{more}.")


def _document(parts: Iterable[str], notes: list[str]) -> Iterator[Lines]:
    """Yield the records of a document; the text after an error is unchanged."""
    text = JsonText(parts)
    try:
        yield from text.paragraphs()
    except BadJson as error:
        notes.append(
            f"Not valid JSON from line {error.line} on ({error}); the rest was kept as plain text."
        )
        yield from _plain(text.rest(error.position), error.line)


def _plain(parts: Iterable[str], first: int) -> Iterator[Lines]:
    """Yield the paragraphs of a text; very long ones in several parts."""
    block: Lines = []
    length, number, begun = 0, first, ""
    for part in chain(parts, ["\n"]):
        *ended, begun = f"{begun}{part}".split("\n")
        numbered = [(line, number + n) for n, line in enumerate(ended)]
        number += len(ended)
        if len(begun) > PART_CHARS:
            numbered.append((begun, number))
            begun = ""
        for line, own in numbered:
            if line.strip():
                block.append(SourceLine(line, own))
                length += len(line)
            if block and (not line.strip() or length > PART_CHARS):
                yield block
                block, length = [], 0
    if block:
        yield block
