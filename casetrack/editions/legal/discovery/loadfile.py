"""Load files: Concordance DAT, one row per document, and Opticon OPT.

There is no published standard. Delimiters are those of the Concordance manuals (field separator
U+0014, text qualifier U+00FE, U+00AE for a line break inside a field) and of files in practice.
Rows keep their original form, so unchanged rows are written byte for byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import EmptyFile, UsageError
from casetrack.editions.legal.discovery.fields import (
    LINE_END,
    QUALIFIER,
    SEPARATOR,
    Dialect,
    read_text,
    shown,
)
from casetrack.editions.legal.records.load_files import LoadTrouble

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_QUALIFIERS = (QUALIFIER, '"', "^", "~", "`", "|")
_SEPARATORS = (SEPARATOR, "\u00b6", "\t", "|", ";", ",", "^")
_SIGNS = {SEPARATOR: "U+0014 (shown as \u00b6)", "\t": "a tab", "": "none", "\n": "a line break"}
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a load file."""

    line: int  # Its first line in the file, from 1
    values: tuple[str, ...]  # Without qualifiers, with original line breaks
    raw: str | None = None  # The original row, if the dialect writes it differently
    end: str | None = None  # Its line end, if it differs from the others


@dataclass(frozen=True, slots=True)
class LoadFile:
    """The content of a load file."""

    path: Path
    dialect: Dialect
    columns: tuple[str, ...]  # A repeated name gets a number
    header: Row
    rows: tuple[Row, ...]
    troubles: tuple[LoadTrouble, ...] = field(default_factory=tuple)


def read_load_file(
    path: str | Path,
    /,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    qualifier: str | None = None,
) -> LoadFile:
    """Read a load file with any delimiters and encoding.

    Parameters
    ----------
    encoding
        Codec, such as ``cp1252`` or ``utf-16``; default: detected from the file.
    separator, qualifier
        The sign between fields and the sign around each; default: detected from the first row.
    """
    path = Path(path)
    text, dialect, troubles = read_text(path, encoding)
    first = re.match(r"[^\r\n]*", text)
    if qualifier is None:
        qualifier = next((q for q in _QUALIFIERS if text.startswith(q)), "")
    if separator is None:
        separator = _separator(first[0] if first else "", qualifier, path)
    dialect = replace(dialect, separator=separator, qualifier=qualifier)
    rows = list(_rows(text, dialect))
    if not rows:
        raise EmptyFile(path)
    header, *others = rows
    columns = _columns(header.values, path, troubles)
    kept = []
    for row in others:
        kept += _split_unclosed(row, columns, dialect, path, troubles)
    return LoadFile(path, dialect, columns, header, tuple(kept), tuple(troubles))


def write_rows(dialect: Dialect, header: Row, rows: Sequence[Row], /) -> bytes:
    """Return a load file as bytes; rows keep their original form if they have one."""
    ends = [dialect.line_end if row.end is None else row.end for row in (header, *rows)]
    if not dialect.has_last_end:
        ends[-1] = ""
    text = "".join(
        (row.raw if row.raw is not None else dialect.row(row.values)) + end
        for row, end in zip((header, *rows), ends, strict=True)
    )
    return dialect.mark + dialect.encode(text)


# --- rows and fields -------------------------------------------------------------------------


def _separator(first: str, qualifier: str, path: Path) -> str:
    """Return the separator of the fields in the first row."""
    if qualifier:
        mark = re.escape(qualifier)
        match = re.match(f"{mark}[^{mark}]*{mark}(.){mark}", first)
        if match:
            return match[1]
        if re.fullmatch(f"{mark}[^{mark}]*{mark}", first):
            return SEPARATOR
    else:
        counts = {sign: first.count(sign) for sign in _SEPARATORS}
        best = max(counts, key=lambda sign: counts[sign])
        if counts[best]:
            return best
    raise UsageError(
        f"{path.name}, line 1: no known delimiters in {shown(first[:_SHOWN])!r}. A load file "
        "begins with the names of its fields, each between \u00fe and \u00fe, separated by "
        f"{_SIGNS[SEPARATOR]}.",
        hint="Set --separator and --qualifier, or check that this is the DAT file.",
    )


def _rows(text: str, dialect: Dialect) -> Iterable[Row]:
    """Yield the rows; a line break inside qualifiers is part of a field."""
    mark, separator = dialect.qualifier, dialect.separator
    at, line, size = 0, 1, len(text)
    ends, empty = LINE_END, re.compile(rf"(?:{LINE_END.pattern})*")
    close = re.compile(f"{re.escape(mark)}(?={re.escape(separator)}|\r|\n|\\Z)") if mark else None
    bare = re.compile(f"[^{re.escape(separator)}\r\n]*")
    while at < size:
        begin, values = at, list[str]()
        while True:
            if close is not None and text.startswith(mark, at):
                closed = _field_end(text, at, close, mark)
                if closed is None:
                    # The qualifier is never closed: the field ends at the end of the line.
                    past = _line_end(text, at)
                    values.append(text[at + len(mark) : past])
                else:
                    past = closed
                    value = text[at + len(mark) : past - len(mark)]
                    values.append(value.replace('""', '"') if mark == '"' else value)
            else:
                match = bare.match(text, at)
                past = match.end() if match else at
                values.append(text[at:past])
            at = past
            if text.startswith(separator, at) and separator:
                at += len(separator)
                continue
            break
        if at < size and ends.match(text, at) is None:
            # Signs between a qualifier and the next separator: the line is kept unchanged.
            past = _line_end(text, at)
            values[-1] += text[at:past]
            at = past
        written = text[begin:at]
        closing = empty.match(text, at)
        end = closing[0] if closing else ""
        yield Row(
            line,
            tuple(values),
            None if dialect.row(values) == written else written,
            None if end in {dialect.line_end, ""} else end,
        )
        line += len(ends.findall(written)) + len(ends.findall(end))
        at += len(end)


def _line_end(text: str, at: int) -> int:
    stop = LINE_END.search(text, at)
    return stop.start() if stop else len(text)


def _field_end(text: str, at: int, close: re.Pattern[str], mark: str) -> int | None:
    """Return the end of the qualified field at *at*, after its closing qualifier."""
    begin = at + len(mark)
    for match in close.finditer(text, begin):
        if mark == '"' and _is_escaped(text, begin, match.start()):
            continue
        return match.end()
    return None


def _is_escaped(text: str, begin: int, at: int) -> bool:
    """Return whether a quotation mark is the second of an escaped pair."""
    count = 0
    while at - count - 1 >= begin and text[at - count - 1] == '"':
        count += 1
    return count % 2 == 1


def _columns(names: Sequence[str], path: Path, troubles: list[LoadTrouble]) -> tuple[str, ...]:
    columns: list[str] = []
    for number, given in enumerate(names, start=1):
        name = shown(given).strip()
        again = first = name or f"(column {number})"
        count = 1
        while again in columns:
            count += 1
            again = f"{first} ({count})"
        if again != name:
            wrong = f"repeats the name {name!r}" if name else "has no name"
            message = f"Column {number} {wrong}; it is named {again!r}."
            troubles.append(LoadTrouble("columns", message, path.name, 1, ""))
        columns.append(again)
    return tuple(columns)


def _split_unclosed(
    row: Row, columns: Sequence[str], dialect: Dialect, path: Path, troubles: list[LoadTrouble]
) -> list[Row]:
    """Return a row, split again if an unclosed field contains further rows."""
    wanted = len(columns)
    # A field that contains the next row increases the count, except the first field.
    if len(row.values) == wanted and not re.search(r"[\r\n]", row.values[0]):
        return [row]
    written = row.raw if row.raw is not None else dialect.row(row.values)
    parts = _split_rows(written, dialect, wanted)
    if len(parts) == 1:
        if len(row.values) != wanted:
            said = (
                f"Line {row.line} has {len(row.values)} fields, but the first row names {wanted}. "
            )
            said += "The row is kept unchanged; further fields are named by number."
            troubles.append(LoadTrouble("fields", said, path.name, row.line, row.values[0]))
        return [row]
    said = f"Line {row.line}: a field is not closed ({dialect.qualifier} is missing). It ends "
    said += "before the next row."
    troubles.append(LoadTrouble("delimiter", said, path.name, row.line, row.values[0]))
    rows = []
    line = row.line
    for part, end in parts:
        own = next(iter(_rows(part, dialect)), None)
        if own is not None:
            raw = None if dialect.row(own.values) == part else part
            closing = end if end != dialect.line_end else None
            own = Row(line, own.values, raw, closing if end else row.end)
            rows += _split_unclosed(own, columns, dialect, path, troubles)
        line += len(LINE_END.findall(part)) + 1
    return rows


def _split_rows(written: str, dialect: Dialect, wanted: int) -> list[tuple[str, str]]:
    """Split a row before each line that is a complete row; return parts and line ends."""
    mark, separator = dialect.qualifier, dialect.separator
    between = f"{mark}{separator}{mark}"
    parts, begin = list[tuple[str, str]](), 0
    for match in LINE_END.finditer(written):
        line = written[match.end() : _line_end(written, match.end())]
        whole = line.startswith(mark) and line.endswith(mark) and len(line) > len(mark)
        if mark and whole and line.count(between) == wanted - 1:
            parts.append((written[begin : match.start()], match[0]))
            begin = match.end()
    return [*parts, (written[begin:], "")]


# Opticon OPT: one line per page with its image and document.

_FIELDS = 7
_STARTS = "Y"


@dataclass(frozen=True, slots=True)
class ImageLine:
    """A line of an OPT file: a page of a document."""

    line: int
    key: str  # Bates number of the page
    volume: str
    path: str  # As written in the file
    starts: bool  # Whether a document begins with this page
    pages: int | None  # Number of pages of the document, if the line states it
    raw: str  # The original line


@dataclass(frozen=True, slots=True)
class ImageFile:
    """The content of an OPT file."""

    path: Path
    dialect: Dialect
    documents: tuple[tuple[ImageLine, ...], ...]
    troubles: tuple[LoadTrouble, ...]


def read_image_file(path: str | Path, /, *, encoding: str | None = None) -> ImageFile:
    """Read an OPT file."""
    path = Path(path)
    text, dialect, troubles = read_text(path, encoding)
    dialect = replace(dialect, separator=",", qualifier="")
    documents: list[list[ImageLine]] = []
    for number, raw in enumerate(LINE_END.split(text), start=1):
        if not raw.strip():
            continue
        page = _line(number, raw)
        if page is None:
            message = f"Line {number} is not valid in an OPT file: {shown(raw[:60])!r}. Skipped."
            troubles.append(LoadTrouble("image", message, path.name, number, ""))
            continue
        if page.starts or not documents:
            if not page.starts:
                message = f"Line {number}: the first page is used as the start of a document."
                troubles.append(LoadTrouble("image", message, path.name, number, page.key))
            documents.append([])
        documents[-1].append(page)
    for pages in documents:
        first = pages[0]
        if first.pages is not None and first.pages != len(pages):
            message = (
                f"Line {first.line}: {first.key} has {first.pages} pages according to the line, "
                f"but {len(pages)} are listed."
            )
            troubles.append(LoadTrouble("image", message, path.name, first.line, first.key))
    return ImageFile(path, dialect, tuple(map(tuple, documents)), tuple(troubles))


def write_image_lines(dialect: Dialect, lines: list[str], /) -> bytes:
    """Return an OPT file as bytes."""
    text = dialect.line_end.join(lines) + (dialect.line_end if dialect.has_last_end else "")
    return dialect.mark + dialect.encode(text)


def _line(number: int, raw: str) -> ImageLine | None:
    parts = raw.split(",")
    if len(parts) < 4 or not parts[0].strip():
        return None
    # A path may contain commas; the other fields may not.
    extra = max(0, len(parts) - _FIELDS)
    path = ",".join(parts[2 : 3 + extra])
    rest = parts[3 + extra :]
    count = rest[3].strip() if len(rest) > 3 else ""
    return ImageLine(
        number,
        parts[0].strip(),
        parts[1].strip(),
        path.strip(),
        rest[0].strip().upper() == _STARTS,
        int(count) if count.isdigit() else None,
        raw,
    )
