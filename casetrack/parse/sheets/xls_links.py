"""Links that formulas of an XLS sheet make (BIFF 8): xlrd reads the results of formulas alone.

A formula is a row of tokens, operands before their function ([MS-XLS], 2.5.198).
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from casetrack.parse.sheets.model import add_link
from casetrack.parse.sheets.xls_drawings import BOF, EOF, letters, records_of

if TYPE_CHECKING:
    from casetrack.parse.sheets.model import Notes

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


def add_made_links(notes: Notes, data: memoryview, start: int, /) -> int:
    """Add the targets of links that formulas make; return how many have to be computed.

    Parameters
    ----------
    notes
        Takes the targets.
    data
        The stream of the workbook.
    start
        The place of the sheet's records in the stream.
    """
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
            # A formula of several cells is in the record behind the first of them.
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
    """Return the target of the first link that is a string, ``None`` where it is computed."""
    for found in re.finditer(_STRING, tokens):
        first = _operand_end(tokens, found.start())
        second = _operand_end(tokens, first)
        if _CALL.match(tokens, second) and tokens[second + 1] == 1 + (second > first):
            at = found.start() + 1
            return letters(tokens[at + 1 : at + 2], tokens[at + 2 :], tokens[at])
    return None


def _operand_end(tokens: bytes, at: int) -> int:
    """Return where the operand at *at* ends; *at* itself where there is none."""
    if tokens[at : at + 1] == _STRING:
        count, flags = tokens[at + 1 : at + 3].ljust(2, b"\0")
        return at + 3 + (count << (flags & 1))
    found = _OPERAND.match(tokens, at)
    return found.end() if found else at
