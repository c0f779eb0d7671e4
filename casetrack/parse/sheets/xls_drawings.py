"""Objects over the cells of an XLS sheet (BIFF 8), and links of its formulas."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, NamedTuple

from casetrack.parse.drawn.text import Block, picture_block
from casetrack.parse.sheets.model import MAX_COLUMNS, MAX_ROWS, add_link, coded_head, drawn_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.parse.sheets.model import Drawn, Notes

BOF, EOF, _CONTINUE, _SHEET = 0x0809, 0x000A, 0x003C, 0x0085
_HEADER, _FOOTER, _DIMENSIONS = 0x0014, 0x0015, 0x0200
_DRAWING, _OBJECT, _TEXT = 0x00EC, 0x005D, 0x01B6
_SERIES, _CHART_TEXT, _WORDS, _LINK = 0x1003, 0x1025, 0x100D, 0x1027
_TEXT_KINDS = frozenset(
    (BOF, EOF, _CONTINUE, _SHEET, _DRAWING, _OBJECT, _TEXT, _SERIES, _CHART_TEXT, _WORDS, _LINK)
).union((_HEADER, _FOOTER, _DIMENSIONS))
_HEAD = struct.Struct("<HH")
_BIFF_8, _CHART_SHEET, _OF_CHART = 0x0600, b"\x20\0", 2
_CONTAINER, _PROPERTIES, _ANCHOR = 0xF, 0xF00B, 0xF010
_NOTE, _PICTURE, _TEXT_BOX = 0x19, 0x08, 0x06
_NAME, _DESCRIPTION = 0x0380, 0x0381
_TITLE, _CATEGORIES, _LABEL = 1, 3, 4


class _Place(NamedTuple):
    row: int
    column: int
    column_end: int


class XlsDrawings:
    """Reads the drawings of one workbook; *missing* collects sentences on unreadable content."""

    def __init__(self, data: memoryview, missing: list[str]) -> None:
        self._data, self._missing = data, missing

    def over(self, start: int, name: str, /) -> list[Drawn]:
        """Return the objects over the cells of the sheet at offset *start*, from the top."""
        records = records_of(self._data, start)
        first = next(records, None)
        if first is None or first[0] != BOF or len(first[1]) < 2:
            return []
        if struct.unpack_from("<H", first[1])[0] != _BIFF_8:
            boxes = sum(
                _kind_before_8(data) == _TEXT_BOX for kind, data in records if kind == _OBJECT
            )
            if boxes:
                what = "text box" if boxes == 1 else "text boxes"
                self._missing.append(
                    f'{boxes} {what} over the cells of the sheet "{name}" cannot be read: '
                    "their format is older than Excel 97."
                )
            return []
        is_chart = first[1][2:4] == _CHART_SHEET
        objects = [(_Place(1, 1, 1), _chart(records))] if is_chart else _objects(records)
        drawings = [one for place, blocks in objects for one in drawn_over(*place, blocks)]
        return sorted(drawings, key=lambda one: (one.row, one.column))


def heads(data: memoryview, start: int, /) -> tuple[str, ...]:
    """Return the lines of header and footer of a sheet (BIFF 8), which precede its cells."""
    lines = []
    for kind, record in records_of(data, start):
        if kind == _DIMENSIONS:
            break
        if kind in {_HEADER, _FOOTER} and len(record) > 3:
            text = letters(record[2:3], record[3:], record[0] | record[1] << 8)
            lines.append(coded_head("header" if kind == _HEADER else "footer", text))
    return tuple(dict.fromkeys(filter(None, lines)))


def records_of(
    data: memoryview, start: int, kinds: frozenset[int] = _TEXT_KINDS, /
) -> Iterator[tuple[int, bytes]]:
    """Yield the records of these *kinds* (with BOF and EOF) of a substream and of nested ones."""
    depth, last, head = 0, len(data) - _HEAD.size, _HEAD.unpack_from
    while start <= last:
        kind, size = head(data, start)
        start += 4
        if kind in kinds:
            yield kind, bytes(data[start : start + size])
            depth += (kind == BOF) - (kind == EOF)
        if depth <= 0:
            return
        start += size


def chart_sheets(data: memoryview, start: int, /) -> dict[int, tuple[str, int]]:
    """Return number among all sheets, name and offset of the chart sheets."""
    sheets = [data for kind, data in records_of(data, start) if kind == _SHEET and len(data) >= 8]
    return {
        number: (
            letters(sheet[7:8], sheet[8:], sheet[6]),
            start + struct.unpack_from("<I", sheet)[0],
        )
        for number, sheet in enumerate(sheets)
        if sheet[5] == _OF_CHART
    }


def _objects(records: Iterator[tuple[int, bytes]]) -> Iterator[tuple[_Place, Iterable[Block]]]:
    place, pictured = _Place(1, 1, 1), None
    kind = 0
    for record, data in records:
        if record == _DRAWING:
            for part, inside in _parts(data):
                if part == _ANCHOR and len(inside) >= 18:
                    place = _place(inside)
                elif part == _PROPERTIES:
                    pictured = inside
        elif record == _OBJECT and len(data) >= 6:
            kind = struct.unpack_from("<H", data, 4)[0]
            if kind == _PICTURE and pictured is not None:
                block = picture_block(*(_property(pictured, n) for n in (_DESCRIPTION, _NAME)))
                yield place, [] if block is None else [block]
            pictured = None
        elif record == BOF:
            yield place, list(_chart(records))
        elif record == _TEXT and kind != _NOTE and len(data) >= 12:
            yield place, [Block((line,)) for line in _text(data, records).splitlines()]


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the atoms of a drawing in nested containers, which may end in later records."""
    at = 0
    while at + 8 <= len(data):
        version, kind, size = struct.unpack_from("<HHI", data, at)
        at += 8
        if version & 0xF != _CONTAINER:
            # The upper bits contain the number of properties.
            head = struct.pack("<H", version >> 4) if kind == _PROPERTIES else b""
            yield kind, head + data[at : at + size]
            at += size


def _place(anchor: bytes) -> _Place:
    _, left, _, top, _, right, _, _, _ = struct.unpack_from("<9H", anchor)
    column = min(left + 1, MAX_COLUMNS)
    return _Place(min(top + 1, MAX_ROWS), column, max(column, min(right + 1, MAX_COLUMNS)))


def _property(properties: bytes, wanted: int) -> str | None:
    """Return a text among the properties of a shape: the values follow all properties."""
    (count,) = struct.unpack_from("<H", properties)
    at = 2 + 6 * count
    if at > len(properties):
        return None
    for number in range(count):
        name, size = struct.unpack_from("<HI", properties, 2 + 6 * number)
        if name & 0x8000:
            if name & 0x3FFF == wanted:
                text = properties[at : at + size].decode("utf-16-le", "replace")
                return text.partition("\0")[0]
            at += size
    return None


def _text(data: bytes, records: Iterator[tuple[int, bytes]]) -> str:
    """Return the text of a box, which is in the following records."""
    (wanted,) = struct.unpack_from("<H", data, 10)
    text = ""
    while len(text) < wanted:
        kind, more = next(records, (0, b""))
        if kind != _CONTINUE:
            break
        text += letters(more[:1], more[1:], wanted - len(text))
    return text


def letters(flag: bytes, data: bytes, count: int, /) -> str:
    """Decode at most *count* letters of two bytes each, or of one if the upper byte is 0."""
    if flag and flag[0] & 1:
        return data[: 2 * count].decode("utf-16-le", "replace")
    return data[:count].decode("latin-1")


def _chart(records: Iterator[tuple[int, bytes]]) -> Iterator[Block]:
    """Yield the titles of a chart and the names of its series, without values, which are cells."""
    words, axes, series = "", list[str](), list[str]()
    title, labels, depth, of_series = "", list[str](), 1, False
    for kind, data in records:
        depth += (kind == BOF) - (kind == EOF)
        if depth == 0:
            break
        if kind in {_SERIES, _CHART_TEXT}:
            of_series, words = kind == _SERIES, ""
        elif kind == _WORDS and len(data) >= 4:
            words = " ".join(letters(data[3:4], data[4:], data[2]).split())
            if of_series:
                series.append(words)
        elif kind == _LINK and len(data) >= 2 and words and not of_series:
            (target,) = struct.unpack_from("<H", data)
            if target == _TITLE:
                title = words
            elif target != _CATEGORIES:
                (labels if target == _LABEL else axes).append(words)
            words = ""
        elif kind == _TEXT and len(data) >= 12:
            labels += filter(None, (" ".join(n.split()) for n in _text(data, records).splitlines()))
    yield from (Block((f"Chart: {title}",)),) if title else ()
    yield from (Block((f"Axis: {name}",)) for name in axes)
    yield from (Block((f"Label: {name}",)) for name in labels)
    named = [name for name in dict.fromkeys(series) if name and not name.startswith("#REF!")]
    if named:
        yield Block((f"Series: {', '.join(named)}",))


def _kind_before_8(data: bytes) -> int:
    return int(struct.unpack_from("<H", data, 4)[0]) if len(data) >= 6 else 0


# Links in formulas of an XLS sheet (BIFF 8), of which xlrd reads only the results. A formula is a
# sequence of tokens, operands before their function ([MS-XLS], 2.5.198).

_FORMULA, _SHARED, _ARRAY = 0x0006, 0x04BC, 0x0221
_SIZE_AT = {_FORMULA: 20, _SHARED: 8, _ARRAY: 12}
_KINDS = frozenset((BOF, EOF, *_SIZE_AT))
_ELSEWHERE, _STRING = b"\x01", b"\x17"
_CALL = re.compile(rb"[\x22\x42\x62][\x01\x02]\x67\x01")
_OPERAND = re.compile(
    rb"[\x23\x24\x2c\x43\x44\x4c\x63\x64\x6c].{4}|[\x3a\x5a\x7a].{6}|\x1d.|\x1e..|\x1f.{8}|\x16",
    re.DOTALL,
)
"""Names, cells, logical values, numbers and missing operands; strings have no fixed length."""


def add_formula_links(notes: Notes, data: memoryview, start: int, /) -> int:
    """Add targets of links in formulas to *notes*; return the number of computed links."""
    if not _CALL.search(data, start):
        return 0
    formulas: dict[bytes, bytes] = {}
    cells: dict[bytes, bytes] = {}
    key = b""
    for kind, record in records_of(data, start, _KINDS):
        if kind not in _SIZE_AT:
            continue
        at = _SIZE_AT[kind] + 2
        tokens = record[at : at + int.from_bytes(record[at - 2 : at], "little")]
        is_elsewhere = kind == _FORMULA and tokens[:1] == _ELSEWHERE
        if kind == _FORMULA:
            # A formula of several cells is in the record after the first of them.
            cells[record[:4]] = key = tokens[1:5] if is_elsewhere else record[:4]
        if not is_elsewhere:
            formulas[key] = tokens
    computed = 0
    for cell, key in cells.items():
        tokens = formulas.get(key, b"")
        if _CALL.search(tokens):
            row, column = struct.unpack("<HH", cell)
            target = _target(tokens)
            add_link(notes, row + 1, column + 1, target)
            computed += target is None
    return computed


def _target(tokens: bytes) -> str | None:
    """Return the target of the first link that is a string, ``None`` if it is computed."""
    for match in re.finditer(_STRING, tokens):
        first = _operand_end(tokens, match.start())
        second = _operand_end(tokens, first)
        if _CALL.match(tokens, second) and tokens[second + 1] == 1 + (second > first):
            at = match.start() + 1
            return letters(tokens[at + 1 : at + 2], tokens[at + 2 :], tokens[at])
    return None


def _operand_end(tokens: bytes, at: int) -> int:
    """Return the end of the operand at *at*; *at* itself without one."""
    if tokens[at : at + 1] == _STRING:
        count, flags = tokens[at + 1 : at + 3].ljust(2, b"\0")
        return at + 3 + (count << (flags & 1))
    match = _OPERAND.match(tokens, at)
    return match.end() if match else at
