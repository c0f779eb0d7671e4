"""Reads JSON and JSON lines: each record a paragraph of lines ``key: value``.

Line numbers are those of the file, on every page: a line of text has the number of the line that
its value stands on.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from casetrack.errors import ParseFailed
from casetrack.readers.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.readers.encoding import NotText, file_encoding, looks_like_text
from casetrack.readers.numbering import number_list
from casetrack.readers.page_builder import PageBuilder, SourceLine
from casetrack.readers.text.json_text import BadJson, JsonText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from casetrack.readers.base import Page
    from casetrack.readers.encoding import Encoding

    Lines = list[SourceLine]

PAGE_RECORDS = 200
"""Records on a page."""
_PAGE_CHARS = 1_000_000
_MAX_NAMED = 20


class JsonLinesReader:
    """JSON lines: one JSON value a line."""

    name = "JSON lines"
    extensions: tuple[str, ...] = (".jsonl", ".ndjson")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept whatever is text."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find the encoding; see :class:`casetrack.readers.base.Reader`."""
        encoding = _encoding(path, self.name)
        return _read_lines(path, encoding, "jsonl")


class JsonReader:
    """JSON: an object, a list of records, or, under the same extension, JSON lines."""

    name = "JSON"
    extensions: tuple[str, ...] = (".json", ".geojson")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept whatever is text."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode the file; see :class:`casetrack.readers.base.Reader`."""
        encoding = _encoding(path, self.name)
        if _is_lines(path, encoding):
            return _read_lines(path, encoding, "json")
        text = "".join(_lines(path, encoding))
        warnings = [encoding.warning] if encoding.warning else []
        return _reading("json", lambda notes: _document(text, notes), warnings)


def _encoding(path: Path, kind: str) -> Encoding:
    try:
        return file_encoding(path)
    except NotText as error:
        raise ParseFailed(path, kind, str(error)) from error


def _lines(path: Path, encoding: Encoding) -> Iterator[str]:
    with path.open(encoding=encoding.name, errors=encoding.errors, newline=None) as file:
        yield from file


def _is_lines(path: Path, encoding: Encoding) -> bool:
    """Tell JSON lines: the first two lines with text are whole objects or lists."""
    filled = (line for line in _lines(path, encoding) if line.strip())
    first = list(islice(filled, 2))
    return len(first) == 2 and all(_is_whole(line) for line in first)


def _is_whole(line: str) -> bool:
    if line.lstrip("\ufeff \t")[:1] not in {"{", "["}:
        return False
    try:
        list(JsonText(line).paragraphs())
    except BadJson:
        return False
    return True


def _read_lines(path: Path, encoding: Encoding, form: str) -> Reading:
    warnings = [encoding.warning] if encoding.warning else []
    return _reading(form, lambda notes: _records(_lines(path, encoding), notes), warnings)


def _reading(
    form: str, source: Callable[[list[str]], Iterator[Lines]], warnings: list[str]
) -> Reading:
    """Return the reading of records that can be gone through twice: to count pages, to give them.

    Parameters
    ----------
    source
        Gives the records, and notes what is wrong with them.
    """
    count = sum(1 for _ in _parts(source([])))
    return Reading(DocumentInfo(form, max(1, count)), _pages(source(warnings)), warnings)


def _parts(records: Iterable[Lines]) -> Iterator[list[Lines]]:
    part: list[Lines] = []
    length = 0
    for record in records:
        part.append(record)
        length += sum(len(line.text) for line in record)
        if len(part) >= PAGE_RECORDS or length >= _PAGE_CHARS:
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
    """Yield a paragraph a line; lines that are no JSON stand as they are."""
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


def _document(text: str, notes: list[str]) -> Iterator[Lines]:
    """Yield the records of a document; what follows a fault stands as it is."""
    try:
        yield from JsonText(text).paragraphs()
    except BadJson as error:
        notes.append(
            f"Not valid JSON from line {error.line} on ({error}); the rest was kept as plain text."
        )
        yield from _plain(text[error.position :], error.line)


def _plain(text: str, first: int) -> Iterator[Lines]:
    block: Lines = []
    for number, line in enumerate(text.split("\n"), start=first):
        if line.strip():
            block.append(SourceLine(line, number))
        elif block:
            yield block
            block = []
    if block:
        yield block
