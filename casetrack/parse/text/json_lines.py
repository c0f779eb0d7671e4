"""Read JSON and JSON lines: each record is a paragraph of lines ``key: value``.

A line of text has the number of the file line with its value, on every page.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING

from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, Page, Reading, ReadOptions
from casetrack.parse.encoding import Encoding, TextFormat
from casetrack.parse.labels import number_list
from casetrack.parse.page_builder import PageBuilder, SourceLine
from casetrack.parse.text.plain import PART_CHARS, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    Lines = list[SourceLine]

MAX_DEPTH = 64
"""Values nested deeper are written as source text."""
_MAX_LABEL = 200
"""A longer path is reduced to its last key."""
_MAX_JOINED = 300
"""Longer lists have one value per line."""
_TOKEN = re.compile(
    r"""[\s\ufeff,]*+(?:
    (?P<text>"(?:.*?[^\\])??(?:\\\\)*")
    |(?P<open>[{\[])|(?P<close>[}\]])|(?P<colon>:)
    |(?P<plain>[^\s"{}\[\]:,]++)
    )""",
    re.VERBOSE | re.DOTALL,
)
_OPENING = re.compile(r'[\s\ufeff,]*+"')
_UNITS = re.compile(
    r"""(?:[^\\"]++
    |\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\[^u]
    )*""",
    re.VERBOSE,
)
"""Units of a string, up to a position where it can be divided."""
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|NaN|-?Infinity")
_OBJECT = "{"
_CLOSES = {"{": "}", "[": "]"}


class BadJson(ValueError):
    """The text is not JSON from *position* on."""

    def __init__(self, position: int, line: int, reason: str) -> None:
        super().__init__(reason)
        self.position, self.line = position, line


@dataclass(slots=True)
class _Container:
    opening: str
    label: str
    line: int
    is_record: bool = False
    parts: bool = False
    count: int = 0
    length: int = 0
    key: str | None = None
    simple: list[tuple[str, int]] | None = field(default_factory=list)


class JsonText:
    """Converts JSON values into lines; *is_record*: each value is one record of any type."""

    def __init__(
        self, text: str | Iterable[str], line: int = 1, *, is_record: bool = False
    ) -> None:
        self._parts = iter(() if isinstance(text, str) else text)
        self._text, self._is_whole = (text, True) if isinstance(text, str) else ("", False)
        self._kept: int | None = None
        self._is_inside = False
        self._length = 0
        self._line, self._counted = line, 0
        self._is_record = is_record
        self._at = 0
        self._stack: list[_Container] = []
        self._records = 0
        self._out: list[SourceLine] = []

    def paragraphs(self) -> Iterator[list[SourceLine]]:
        """Yield the lines of each record, a very long one in parts; may end in ``BadJson``.

        Records are the objects of the outermost lists; other content is divided at the keys of the
        outermost object.
        """
        try:
            while (token := self._next()) is not None:
                is_end = self._take(*token)
                if self._out and (is_end or self._length >= PART_CHARS):
                    yield self._flush()
            if self._stack:
                raise self._bad(len(self._text), "it ends within a value")
        except BadJson:
            self._write_open()
            if self._out:
                yield self._flush()
            raise
        if self._out:
            yield self._flush()

    def _flush(self) -> list[SourceLine]:
        lines, self._out, self._length = self._out, [], 0
        return lines

    def rest(self, position: int, /) -> Iterator[str]:
        """Yield the text from the *position* of an error on."""
        yield self._text[position + self._is_inside :]
        yield from self._parts

    def _more(self) -> None:
        """Read at least as much text as is unread; discard the read part."""
        done = min(self._at, self._counted, self._at if self._kept is None else self._kept)
        self._at, self._counted = self._at - done, self._counted - done
        self._kept = None if self._kept is None else self._kept - done
        parts = [self._text[done:]]
        wanted = max(len(parts[0]), PART_CHARS)
        while wanted > 0 and (part := next(self._parts, None)) is not None:
            parts.append(part)
            wanted -= len(part)
        self._text, self._is_whole = "".join(parts), wanted > 0

    def _first_part(self) -> str | None:
        """Return the first part of a string longer than a page; keep the rest as another string."""
        opening = _OPENING.match(self._text, self._at)
        top = self._stack[-1] if self._stack else None
        wants_key = top is not None and top.opening == "{" and top.key is None
        if opening is None or (wants_key and not self._is_inside) or self._kept is not None:
            return None
        start = opening.end()
        most = start + PART_CHARS
        units = _UNITS.match(self._text, start, most)
        end = units.end() if units else start
        if len(self._text) < most or end == start:
            return None
        space = self._text.rfind(" ", start + PART_CHARS // 2, end) + 1
        end = space if space and self._text[space - 2] != "\\" else end
        part = self._text[start:end]
        self._line += self._text.count("\n", self._counted, start)
        self._text = f'"{self._text[end:]}'
        self._at = self._counted = 0
        return part

    def _next(self) -> tuple[str, str] | None:
        match = _TOKEN.match(self._text, self._at)
        while not self._is_whole and (match is None or match.end() == len(self._text)):
            if match is None and (part := self._first_part()) is not None:
                return "part", f'"{part}"'
            self._more()
            match = _TOKEN.match(self._text, self._at)
        if match is None:
            rest = self._text[self._at :].strip(" \t\r\n\ufeff,")
            if rest:
                raise self._bad(self._at, "a text is not closed")
            return None
        kind = match.lastgroup or ""
        start = match.start(kind)
        self._line += self._text.count("\n", self._counted, start)
        self._counted, self._at = start, match.end()
        return kind, match[kind]

    def _bad(self, position: int, reason: str) -> BadJson:
        position = min(position, len(self._text))
        while position < len(self._text) and self._text[position].isspace():
            position += 1
        line = self._line + self._text.count("\n", self._counted, position)
        return BadJson(position, line, reason)

    def _take(self, kind: str, token: str) -> bool:
        if self._is_inside:
            self._write("", _unquoted(token), self._line)
            self._is_inside = kind == "part"
            self._line += token.count("\n") if self._is_inside else 0
            return False
        top = self._stack[-1] if self._stack else None
        if kind == "colon":
            if top is None or top.key is None:
                raise self._bad(self._counted, "a colon has no key")
            return False
        if kind == "close":
            return self._close(token)
        wants_key = top is not None and top.opening == "{" and top.key is None
        if wants_key and top is not None:
            if kind != "text":
                raise self._bad(self._counted, "a value has no key")
            top.key = _unquoted(token)
            return False
        if kind == "open":
            return self._open(token)
        if kind == "plain" and not _PLAIN.fullmatch(token):
            raise self._bad(self._counted, "a word has no quotes")
        self._value(token if kind == "plain" else _unquoted(token))
        if kind == "part":
            self._is_inside = True
            self._line += token.count("\n")
            if top is not None:
                self._write_list(top)
            return False
        return top is None and self._is_record

    def _label(self) -> str:
        if not self._stack:
            return ""
        top = self._stack[-1]
        if top.opening == "{":
            key = " ".join((top.key or "").split()) or '""'
            top.key = None
            label = f"{top.label}.{key}" if top.label else key
            label = label if len(label) <= _MAX_LABEL else key
        elif top.label:
            label = f"{top.label}[{top.count}]"
        else:
            label = ""
        top.count += 1
        return label

    def _open(self, token: str) -> bool:
        if len(self._stack) >= MAX_DEPTH:
            self._value(self._source())
            return False
        inside = bool(self._stack)
        top = self._stack[-1] if inside else None
        if top is not None:
            self._write_list(top)
        is_record = not self._records and (
            self._is_record if top is None else top.opening == "[" and token == _OBJECT
        )
        parts = is_record or (
            not self._records and len(self._stack) == 1 and self._stack[0].opening == "{"
        )
        self._stack.append(_Container(token, self._label(), self._line, is_record, parts))
        self._records += is_record
        return parts

    def _close(self, token: str) -> bool:
        if not self._stack or _CLOSES[self._stack[-1].opening] != token:
            raise self._bad(self._counted, f"{token} closes nothing")
        done = self._stack.pop()
        if done.key is not None:
            self._write(done.key, "", done.line)
        if not done.count:
            self._write(done.label, done.opening + token, done.line)
        elif done.opening == "[":
            self._write_list(done, is_whole=True)
        self._records -= done.is_record
        return done.parts or not self._stack

    def _source(self) -> str:
        """Return the source of the value that was just opened, and skip it."""
        self._kept, depth = self._counted, 1
        while depth:
            match = _TOKEN.match(self._text, self._at)
            if not self._is_whole and (match is None or match.end() == len(self._text)):
                self._more()
                continue
            if match is None:
                self._at = len(self._text)
                break
            depth += (match.lastgroup == "open") - (match.lastgroup == "close")
            self._at = match.end()
        source = self._text[self._kept : self._at]
        self._kept = None
        return " ".join(source.split())

    def _value(self, value: str) -> None:
        top = self._stack[-1] if self._stack else None
        if top is not None and top.opening == "[" and top.simple is not None:
            top.simple.append((value, self._line))
            top.count += 1
            top.length += len(value)
            if top.length > _MAX_JOINED:
                # The list is too long for one line.
                self._write_list(top)
        else:
            self._write(self._label(), value, self._line)

    def _write_open(self) -> None:
        """Write the pending content of open objects and lists."""
        for container in self._stack:
            self._write_list(container)
            if container.key is not None:
                label = container.label
                self._write(f"{label}.{container.key}" if label else container.key, "", self._line)

    def _write_list(self, container: _Container, *, is_whole: bool = False) -> None:
        """Write the plain values of a list: on one line if it is short and has no other values."""
        values, container.simple = container.simple, None
        if container.opening != "[" or not values:
            return
        texts = [value for value, _ in values]
        short = sum(map(len, texts)) <= _MAX_JOINED and not any("\n" in text for text in texts)
        if is_whole and short:
            joined = ("; " if any("," in text for text in texts) else ", ").join(texts)
            self._write(container.label, joined, container.line)
            return
        for place, (value, line) in enumerate(values):
            label = f"{container.label}[{place}]" if container.label else ""
            self._write(label, value, line)

    def _write(self, label: str, value: str, line: int) -> None:
        self._length += len(label) + len(value)
        first, *rest = value.splitlines() or [""]
        self._out.append(SourceLine(f"{label}: {first}" if label else first, line))
        self._out += [SourceLine(text, line) for text in rest]


def _unquoted(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        text = json.loads(token, strict=False)
    except ValueError:
        return token[1:-1]
    return str(text)


PAGE_RECORDS = 200
"""Records on a page."""
_COUNTED_BYTES = 8 << 20
"""Pages of larger files are not counted in advance, which would double the time."""


class JsonLinesReader(TextFormat):
    """JSON lines: one JSON value per line."""

    name = "JSON lines"
    extensions: tuple[str, ...] = (".jsonl", ".ndjson")

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find the encoding; see :class:`casetrack.parse.base.Reader`."""
        encoding = self.encoding_of(path)
        return _read_lines(path, encoding, "jsonl")


class JsonReader(TextFormat):
    """JSON: an object, a list of records, or, under the same extension, JSON lines."""

    name = "JSON"
    extensions: tuple[str, ...] = (".json", ".geojson")

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode the file; see :class:`casetrack.parse.base.Reader`."""
        encoding = self.encoding_of(path)
        if _is_lines(path, encoding):
            return _read_lines(path, encoding, "json")

        def records(notes: list[str]) -> Iterator[Lines]:
            return _document(pieces(path, encoding), notes)

        return _reading("json", path, encoding, records)


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
        shown = number_list(bad, most=20)
        notes.append(f"Not valid JSON, kept as plain text: line {shown}.")


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
