"""Read CSV, TSV and Parquet like sheets: each row is a line ``Header: value | Header: value``.

Row numbers count records as a spreadsheet program does, including blank ones. A long file is
divided into pages of :data:`PART_ROWS` rows, and its header applies to all of them.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.errors import ParseFailed
from casetrack.extract.tables.model import is_value
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, Page, Reading, ReadOptions
from casetrack.parse.encoding import Encoding, TextFormat
from casetrack.parse.labels import number_list
from casetrack.parse.sheets.model import Area, Cell, CellKind, SheetData, SheetRow, shown_cell
from casetrack.parse.sheets.reader import SheetTooLarge, sheet_page

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from casetrack.parse.base import FileHead

# Detects the delimiter and the quotes of a delimited file.

_DELIMITERS = ",;\t|"
_MIN_SHARE = 0.5
_SAMPLE_FIELDS = 20_000
_DECLARED = re.compile(r"sep=(.)\s*", re.IGNORECASE)
# A quoted field between delimiters or line ends.
_QUOTED = {
    q: re.compile(rf"(?:^|[,;\t|])\s?{q}[^{q}\n]*{q}(?=[,;\t|]|\s*$)", re.MULTILINE) for q in "\"'"
}
_ESCAPED_QUOTE = re.compile(r'\\"(?![,;\t|\r\n]|$)')
_LOOSE_QUOTE = re.compile(r'[,;|] +"')
_TIGHT_QUOTE = re.compile(r'[,;|]"')


@dataclass(frozen=True, slots=True)
class Dialect:
    """Delimiter and quotes of fields; *width* is the usual number of fields.

    *declares* means that the first line names the delimiter, *escapes* that quotes within quotes
    have a backslash, *skips_space* that a space after a delimiter is ignored.
    """

    delimiter: str
    quote: str = '"'
    width: int = 1
    declares: bool = False
    escapes: bool = False
    skips_space: bool = False

    def split(self, lines: Sequence[str], /) -> list[list[str]]:
        """Return the records of some lines."""
        return list(
            csv.reader(
                [self.plain(line) for line in lines],
                delimiter=self.delimiter,
                quotechar=self.quote,
                skipinitialspace=self.skips_space,
            )
        )

    def plain(self, line: str, /) -> str:
        """Return a line with escaped quotes doubled for the parser."""
        return line.replace('\\"', '""') if self.escapes else line


def find_dialect(lines: Sequence[str], preferred: str, /) -> Dialect:
    """Return the dialect of a file from its first lines; *preferred* is the default delimiter."""
    if not lines:
        return Dialect(preferred)
    declared = _DECLARED.fullmatch(lines[0].lstrip("\ufeff"))
    text = "".join(lines)
    doubles, singles = (len(_QUOTED[q].findall(text)) for q in "\"'")
    quote = "'" if singles > 3 * doubles and singles >= 3 else '"'
    shape = {
        "quote": quote,
        "escapes": quote == '"' and '""' not in text and bool(_ESCAPED_QUOTE.search(text)),
        "skips_space": len(_LOOSE_QUOTE.findall(text)) > len(_TIGHT_QUOTE.findall(text)),
    }
    if declared:
        dialect = Dialect(declared[1], declares=True, **shape)  # type: ignore[arg-type]
        return _with_width(dialect, _widths(dialect.split(lines[1:])))
    scored = [
        _scored(Dialect(d, **shape), lines, preferred)  # type: ignore[arg-type]
        for d in sorted(_DELIMITERS, key=lambda d: d != preferred)
    ]
    score, dialect = max(scored, key=lambda pair: pair[0])
    return dialect if score > (0, 0) else Dialect(preferred, quote=quote)


def _widths(records: Sequence[list[str]]) -> Counter[int]:
    return Counter(len(record) for record in records if any(field.strip() for field in record))


def _with_width(dialect: Dialect, widths: Counter[int]) -> Dialect:
    return replace(dialect, width=widths.most_common(1)[0][0] if widths else 1)


def _scored(
    dialect: Dialect, lines: Sequence[str], preferred: str
) -> tuple[tuple[float, float], Dialect]:
    """Return the score of a delimiter: uniform widths first, then fields that look whole."""
    try:
        records = dialect.split(lines)
    except csv.Error:
        return (0.0, 0.0), dialect
    widths = _widths(records)
    dialect = _with_width(dialect, widths)
    total = sum(widths.values())
    many = {width: n for width, n in widths.items() if width > 1}
    if not many:
        return (0.0, 0.0), dialect
    width, count = max(many.items(), key=lambda pair: (pair[1], pair[0]))
    even, parted = count / total, sum(many.values()) / total
    if parted < _MIN_SHARE and dialect.delimiter != preferred:
        return (0.0, 0.0), dialect
    whole = _whole_share(records, dialect.delimiter)
    # Steps of a tenth: a few irregular lines must not outweigh the look of the fields.
    return (round(even * 5 + parted * 5), whole + min(width, 50) / 500), dialect


def _whole_share(records: Sequence[list[str]], delimiter: str) -> float:
    """Return the share of fields with one value, without another separator."""
    others = [d for d in _DELIMITERS if d not in {delimiter, ","}]
    fields = [f.strip() for record in records for f in record][:_SAMPLE_FIELDS]
    whole = 0.0
    for field in fields:
        if not field or _kind(field) != "text":
            whole += 1.0
        elif not any(other in field for other in others):
            whole += 0.8
    return whole / max(1, len(fields))


# Reads the records of a delimited file one by one, even with broken quotes.

_MAX_RECORD = 1 << 20
"""A longer quoted field over several lines was never closed."""
_FIELD_LIMIT = (1 << 31) - 1


class Record(NamedTuple):
    """A record: its number, its first line in the file (both from 1), and its fields."""

    number: int
    line: int
    fields: list[str]


class _FieldTooLong(Exception):
    """A quoted field is too long."""


class RecordReader:
    """Iterates over records of *lines*, which include their line ends.

    A field with an unclosed quote would take the rest of the file. Such a record, or one of several
    lines without the usual width, is read again as one line with literal quotes.
    """

    def __init__(self, lines: Iterable[str], dialect: Dialect) -> None:
        self._lines = iter(lines)
        self._dialect = dialect
        self._again: deque[str] = deque()
        self._taken: list[str] = []
        self._length = 0
        self._ended = False
        self.broken: list[int] = []
        """Lines whose quotes do not pair."""

    def __iter__(self) -> Iterator[Record]:
        csv.field_size_limit(_FIELD_LIMIT)
        line = 1
        number = 0
        parser = self._parse(self._source())
        while True:
            self._taken, self._length = [], 0
            try:
                fields = next(parser, None)
                good = fields is not None and self._is_valid(fields)
            except (csv.Error, _FieldTooLong):
                fields, good = [], False
            if fields is None:
                return
            if not good:
                fields = self._literal()
                self.broken.append(line)
                parser = self._parse(self._source())
            number += 1
            if not (number == 1 and self._dialect.declares):
                yield Record(number, line, fields)
            line += len(self._taken)

    def _parse(self, lines: Iterable[str], *, strict: bool = False) -> Iterator[list[str]]:
        return iter(
            csv.reader(
                lines,
                delimiter=self._dialect.delimiter,
                quotechar=self._dialect.quote,
                skipinitialspace=self._dialect.skips_space,
                strict=strict,
            )
        )

    def _source(self) -> Iterator[str]:
        while True:
            line = self._again.popleft() if self._again else next(self._lines, None)
            if line is None:
                self._ended = True
                return
            self._taken.append(line)
            self._length += len(line)
            yield self._dialect.plain(line)
            if self._length > _MAX_RECORD:
                raise _FieldTooLong

    def _is_valid(self, fields: list[str]) -> bool:
        if len(self._taken) < 2:
            return True
        quotes = sum(line.count(self._dialect.quote) for line in self._taken)
        if (self._ended and quotes % 2) or not self._closes_quotes():
            return False
        return len(fields) == self._dialect.width or len(self._split(self._taken[0])) != (
            self._dialect.width
        )

    def _closes_quotes(self) -> bool:
        """Return whether each closing quote precedes a delimiter or a line's end."""
        try:
            # Only the strict parser reports it.
            list(self._parse(map(self._dialect.plain, self._taken), strict=True))
        except csv.Error:
            return False
        return True

    def _split(self, line: str) -> list[str]:
        return line.rstrip("\r\n").split(self._dialect.delimiter)

    def _literal(self) -> list[str]:
        """Split the record's first line at delimiters only; put the other lines back."""
        first, *rest = self._taken
        self._again = deque(chain(rest, self._again))
        self._taken = [first]
        self._ended = False
        return self._split(first)


PART_ROWS = 10_000
"""Rows on a page."""
_PART_CHARS = 8_000_000
_TABBED = (".tsv", ".tab")
_SAMPLE_LINES, _SAMPLE_CHARS = 500, 256 * 1024
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?:[T ]\d{1,2}:\d\d\S*(?: ?[AaPp][Mm])?)?"
    r"|\d{1,2}[-/.](?:\d{1,2}|[A-Za-z]{3})[-/.]\d{2,4}(?:[T ,]+\d{1,2}:\d\d\S*(?: ?[AaPp][Mm])?)?"
    r"|\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AaPp][Mm])?"
)


class DelimitedReader(TextFormat):
    """CSV and variants with other delimiters; values are unchanged."""

    name = "CSV"
    extensions: tuple[str, ...] = (".csv", *_TABBED)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find encoding and dialect; see :class:`casetrack.parse.base.Reader`."""
        encoding = self.encoding_of(path)
        table = _Table(path, encoding)
        parts = sum(1 for _ in _parts(table.records()))
        form = "tsv" if table.dialect.delimiter == "\t" else "csv"
        warnings = [encoding.warning] if encoding.warning else []
        properties = (("delimiter", _delimiter_name(table.dialect)), ("encoding", encoding.name))
        info = DocumentInfo(form, max(1, parts), properties=properties)
        return Reading(info, _csv_pages(table, warnings), warnings)


_FRACTION = re.compile(r"(?:\.|(\.\d*?[1-9]))0+(?!\d)")
"""The zeros at the end of a fraction of a second."""


class ParquetReader:
    """Parquet: the names of the columns are row 1; nested values are JSON."""

    name = "Parquet"
    extensions: tuple[str, ...] = (".parquet",)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept the signature."""
        return file.head.startswith(b"PAR1")

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the file; see :class:`casetrack.parse.base.Reader`."""
        return Reading(DocumentInfo("parquet", 0), _parquet_pages(path))


def _parquet_pages(path: Path) -> Iterator[Page]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as table:
            declared = (Area(1, 1, 1, max(1, len(table.schema_arrow.names))),)
            yield from _pages(path, ParquetReader.name, _parquet_records(table), declared)
    except (pa.ArrowException, OSError, OverflowError, ValueError) as error:
        raise ParseFailed(path, ParquetReader.name, str(error)) from error


def _parquet_records(table: pq.ParquetFile) -> Iterator[Record]:
    batches = table.iter_batches(batch_size=1_000, use_threads=False)
    rows = (row for b in batches for row in zip(*map(_column_texts, b.columns), strict=True))
    for number, row in enumerate(chain([table.schema_arrow.names], rows), start=1):
        yield Record(number, number, list(row))


def _column_texts(column: pa.Array) -> list[str]:
    """Return the values as a person reads them."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_duration(kind) or not (pa.types.is_floating(kind) or pa.types.is_temporal(kind)):
        return ["" if value is None else _shown(value) for value in column.to_pylist()]
    # Python has fewer moments and longer numbers than Arrow.
    texts = (text or "" for text in column.cast(pa.string()).to_pylist())
    return [_FRACTION.sub(r"\1", text).removesuffix(" 00:00:00") for text in texts]


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return f"[{len(value):,} bytes]"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, default=_shown)
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _delimiter_name(dialect: Dialect) -> str:
    return "tab" if dialect.delimiter == "\t" else dialect.delimiter


class _Table:
    def __init__(self, path: Path, encoding: Encoding) -> None:
        self.path, self._encoding = path, encoding
        sample: list[str] = []
        length = 0
        for line in islice(self._lines(_SAMPLE_CHARS), _SAMPLE_LINES):
            sample.append(line)
            length += len(line)
            if length > _SAMPLE_CHARS:
                break
        preferred = "\t" if path.suffix.lower() in _TABBED else ","
        self.dialect = find_dialect(sample, preferred)
        self.broken: list[int] = []

    def _lines(self, limit: int = -1) -> Iterator[str]:
        """Yield lines with their ends, without NUL bytes; *limit* cuts longer ones."""
        name, errors = self._encoding.name, self._encoding.errors
        # As in spreadsheets, LF, CR and CR LF all end a line.
        with self.path.open(encoding=name, errors=errors, newline=None) as file:
            while line := file.readline(limit):
                yield line.replace("\0", "") if "\0" in line else line

    def records(self) -> Iterator[Record]:
        """Yield the records; record the lines with broken quotes."""
        reader = RecordReader(self._lines(), self.dialect)
        self.broken = reader.broken
        yield from reader


def _parts(records: Iterable[Record]) -> Iterator[list[Record]]:
    part: list[Record] = []
    length = 0
    for record in records:
        size = sum(map(len, record.fields))
        if not size or not any(field.strip() for field in record.fields):
            continue
        part.append(record)
        length += size
        if len(part) >= PART_ROWS or length >= _PART_CHARS:
            yield part
            part, length = [], 0
    if part:
        yield part


def _pages(
    path: Path, form: str, records: Iterable[Record], declared: tuple[Area, ...] = ()
) -> Iterator[Page]:
    header: list[Cell] = []
    number = 0
    for number, part in enumerate(_parts(records), start=1):
        rows = [row for record in part if (row := _row(record)).cells]
        try:
            page = _page(number, path.stem, rows, header, declared)
        except SheetTooLarge as error:
            raise ParseFailed(path, form, str(error)) from error
        header = _header(page, rows) or header
        yield page
    if not number:
        yield replace(sheet_page(1, SheetData(path.stem, ())), kind="sheet")


def _csv_pages(table: _Table, warnings: list[str]) -> Iterator[Page]:
    yield from _pages(table.path, DelimitedReader.name, table.records())
    if table.broken:
        shown = number_list(table.broken, most=20)
        warnings.append(f"Quotes do not pair on line {shown}; read as part of the text.")


def _row(record: Record) -> SheetRow:
    cells = (
        shown_cell(column, field, _kind(field), None)
        for column, field in enumerate(record.fields, start=1)
        if field
    )
    return SheetRow(record.number, [cell for cell in cells if cell is not None])


def _kind(field: str) -> CellKind:
    """Return the kind of a value: numbers and dates indicate data below a header."""
    text = field.strip()
    if not text or len(text) > 40 or not any(c.isdigit() for c in text):
        return "text"
    if _DATE.fullmatch(text):
        return "date"
    return "number" if is_value(text) else "text"


def _page(
    number: int, name: str, rows: list[SheetRow], header: list[Cell], declared: tuple[Area, ...]
) -> Page:
    if not header or not rows:
        sheet = SheetData(name, rows, headers=declared)
        return replace(sheet_page(number, sheet), kind="sheet")
    # The header is inserted directly above the rows, and its line is removed again.
    above = rows[0].number - 1
    area = Area(above, header[0].column, above, header[-1].column)
    sheet = SheetData(name, [SheetRow(above, header), *rows], headers=(area,))
    page = sheet_page(number, sheet)
    cut = page.lines[1].start
    return replace(
        page,
        kind="sheet",
        text=page.text[cut:],
        lines=tuple(
            replace(line, start=line.start - cut, end=line.end - cut) for line in page.lines[1:]
        ),
        paragraphs=tuple(
            replace(p, start=p.start - cut, end=p.end - cut, number=p.number - 1)
            for p in page.paragraphs[1:]
        ),
    )


def _header(page: Page, rows: list[SheetRow]) -> list[Cell]:
    """Return the cells of the last header row of a page; empty without one."""
    last = None
    for line, paragraph in zip(page.lines, page.paragraphs, strict=True):
        if paragraph.kind == "heading":
            last = line.row
    return next((row.cells for row in rows if row.number == last), [])
