"""The number formats of an XLSX workbook's cell styles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.parse.numbers.formats import BUILTIN, parse

if TYPE_CHECKING:
    from casetrack.parse.numbers.formats import NumberFormat
    from casetrack.parse.package import Package

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read_formats(package: Package, part: str | None, /) -> list[NumberFormat]:
    """Return the number format of every cell style, in the order that cells count them.

    Parameters
    ----------
    part
        Name of the styles part; a workbook may have none.
    """
    if part is None or part not in package:
        return []
    root = package.xml(part)
    codes = dict(BUILTIN)
    for element in root.iterfind(f"{MAIN}numFmts/{MAIN}numFmt"):
        number, code = element.get("numFmtId", ""), element.get("formatCode")
        if number.isdecimal() and code:
            codes[int(number)] = code
    formats = []
    for element in root.iterfind(f"{MAIN}cellXfs/{MAIN}xf"):
        number = element.get("numFmtId", "0")
        formats.append(parse(codes.get(int(number) if number.isdecimal() else 0, "General")))
    return formats
