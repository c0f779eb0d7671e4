"""Read XLS (BIFF 2 to 8): values and number formats through xlrd.

If xlrd fails on a damaged sheet, calamine often reads its values; they are then shown without
formats, with a warning.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse.numbers.formats import BUILTIN, NumberFormat, general, parse
from casetrack.parse.package import ole_facts
from casetrack.parse.sheets import model
from casetrack.parse.sheets.xls_drawings import XlsDrawings, add_formula_links, chart_sheets, heads
from casetrack.parse.sheets.xlsx_parts import note_text

_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5
_BIFF_8 = 80
_LOCAL_FORMATS = (14, 22)
"""Built-in formats that follow the program's locale and that files name by number only."""


class XlsWorkbook:
    """An open workbook; sheets are read one by one."""

    def __init__(self, path: Path, content: Path) -> None:
        self._path, self._content = path, content
        self._plain: Any = None
        self._book: Any = None
        self._charts: dict[int, tuple[str, int]] = {}
        self._formats: dict[int, NumberFormat] = {}
        self._computed = 0
        try:
            self._book = _open(path, content)
        except (MemoryError, FileEncrypted):
            raise
        except Exception as error:  # noqa: BLE001 - damage makes xlrd raise anything
            self._plain = self._open_plain(error)
        if self._book is not None and self._book.biff_version >= _BIFF_8:
            self._charts = chart_sheets(self._stream(), self._book.base)
        names, hidden = self._names()
        if not names:
            raise ParseFailed(path, model.KIND, "it has no worksheet")
        warnings = model.hidden_warning(hidden)
        facts = ole_facts(content, warnings)
        self.facts = model.WorkbookFacts(
            "xls",
            tuple(names),
            facts.title,
            facts.author,
            facts.created_at,
            facts.modified_at,
            facts.properties,
            warnings,
        )

    def _names(self) -> tuple[list[str], list[str]]:
        if self._book is not None:
            names = list(self._book.sheet_names())
            shown = list(self._book._sheet_visibility)
            hidden = [n for n, state in zip(names, shown, strict=False) if state]
            for number, (name, _) in sorted(self._charts.items()):
                names.insert(number, name)
            return names, hidden
        from python_calamine import SheetTypeEnum, SheetVisibleEnum

        sheets = [s for s in self._plain.sheets_metadata if s.typ == SheetTypeEnum.WorkSheet]
        hidden = [s.name for s in sheets if s.visible != SheetVisibleEnum.Visible]
        return [s.name for s in sheets], hidden

    def close(self) -> None:
        """Close the file."""
        if self._book is not None:
            self._book.release_resources()
        if self._plain is not None:
            self._plain.close()

    def sheets(self) -> Iterator[model.SheetData]:
        """Yield the sheets in order; each must be read before the next is requested."""
        index = 0
        for number, name in enumerate(self.facts.names):
            if number in self._charts:
                place = self._charts[number][1]
                drawn, lines = self._drawn(place, name), heads(self._stream(), place)
                yield model.SheetData(name, [], drawn=drawn, heads=(f"Chart sheet: {name}", *lines))
            else:
                yield self._sheet(index, name)
                index += 1
        self.facts.warnings.extend(model.computed_links_warning(self._computed))

    def _sheet(self, index: int, name: str) -> model.SheetData:
        if self._book is not None:
            try:
                sheet = self._book.sheet_by_index(index)
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001 - damage makes xlrd raise anything
                self._plain = self._plain or self._open_plain(error)
            else:
                place = self._book._sh_abs_posn[index]
                merged = [model.Area(t + 1, le + 1, b, r) for t, b, le, r in sheet.merged_cells]
                notes: model.Notes = {}
                for (row, column), note in sorted(sheet.cell_note_map.items()):
                    text = note_text(note.author, note.text)
                    if text:
                        notes.setdefault(row + 1, []).append(model.Note(column + 1, text))
                for link in sheet.hyperlink_list:
                    if link.type != "workbook":
                        model.add_link(notes, link.frowx + 1, link.fcolx + 1, link.url_or_path)
                is_8 = self._book.biff_version >= _BIFF_8
                if is_8:
                    self._computed += add_formula_links(notes, self._stream(), place)
                return model.SheetData(
                    name,
                    self._rows(index, sheet),
                    tuple(sorted(merged)),
                    notes=notes,
                    drawn=self._drawn(place, name),
                    is_hidden=bool(self._book._sheet_visibility[index]),
                    hidden_rows={row + 1 for row, i in sheet.rowinfo_map.items() if i.hidden},
                    heads=heads(self._stream(), place) if is_8 else (),
                    hidden_columns={c + 1 for c, i in sheet.colinfo_map.items() if i.hidden},
                )
        self.facts.warnings.append(
            f'The sheet "{name}" is damaged: its numbers are shown without their formats, and '
            "objects over its cells are not read."
        )
        failed = ParseFailed(self._path, model.KIND, f'the sheet "{name}" is damaged')
        with _panics_as(failed):
            return model.SheetData(name, list(_plain_rows(self._plain, name)))

    def _stream(self) -> memoryview:
        # Before BIFF 5, sheets are not substreams, and nothing is stored.
        return memoryview(self._book.mem or b"")[: self._book.base + self._book.stream_len]

    def _drawn(self, start: int, name: str) -> list[model.Drawn]:
        return XlsDrawings(self._stream(), self.facts.missing).over(start, name)

    def _open_plain(self, cause: Exception) -> Any:
        from python_calamine import CalamineError, CalamineWorkbook, PasswordError

        reason = " ".join(str(cause).split())[:200] or type(cause).__name__
        with _panics_as(ParseFailed(self._path, model.KIND, reason)):
            try:
                return CalamineWorkbook.from_path(self._content)
            except PasswordError as error:
                raise FileEncrypted(self._path) from error
            except (CalamineError, OSError, ValueError):
                raise ParseFailed(self._path, model.KIND, reason) from cause

    def _rows(self, index: int, sheet: Any) -> Iterator[model.SheetRow]:
        for i in range(sheet.nrows):
            cells = []
            for column, (kind, value) in enumerate(
                zip(sheet.row_types(i), sheet.row_values(i), strict=True)
            ):
                if _TEXT <= kind <= _ERROR:
                    style = sheet.cell_xf_index(i, column)
                    text, cell_kind = self._shown(kind, value, style)
                    cell = model.shown_cell(column + 1, text, cell_kind, style)
                    if cell is not None:
                        cells.append(cell)
            if cells:
                yield model.SheetRow(i + 1, cells)
        self._book.unload_sheet(index)

    def _shown(self, kind: int, value: Any, style: int) -> tuple[str, model.CellKind]:
        if kind == _BOOLEAN:
            return ("TRUE" if value else "FALSE"), "other"
        if kind == _ERROR:
            from xlrd.biffh import error_text_from_code  # type: ignore[import-untyped]

            return error_text_from_code.get(value, f"#ERR{value}"), "other"
        shape = self._formats.get(style)
        if shape is None:
            shape = self._formats[style] = self._format(style)
        if kind == _TEXT:
            return shape.show_text(value), "text"
        if value != value or abs(value) == float("inf"):  # noqa: PLR0124 - NaN
            return "", "other"
        shown = shape.show(float(value), date_1904=bool(self._book.datemode))
        return shown, "date" if shape.is_date else "number"

    def _format(self, style: int) -> NumberFormat:
        book = self._book
        if not 0 <= style < len(book.xf_list):
            return parse("General")
        key = book.xf_list[style].format_key
        known = book.format_map.get(key)
        code = known.format_str if known is not None else None
        if key in _LOCAL_FORMATS or not code:
            code = BUILTIN.get(key, "General")
        return parse(code)


def _open(path: Path, content: Path) -> Any:
    import xlrd  # type: ignore[import-untyped]

    try:
        return xlrd.open_workbook(
            str(content),
            logfile=io.StringIO(),
            formatting_info=True,
            on_demand=True,
            ragged_rows=True,
        )
    except xlrd.XLRDError as error:
        if "encrypted" in str(error).lower():
            raise FileEncrypted(path) from error
        raise


@contextmanager
def _panics_as(failed: ParseFailed) -> Iterator[None]:
    """Convert calamine's panics, which are not an ``Exception``, and its errors into *failed*."""
    from python_calamine import CalamineError

    try:
        yield
    except CalamineError as error:
        raise failed from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise failed from error
        raise


def _plain_rows(book: Any, name: str) -> Iterator[model.SheetRow]:
    sheet = book.get_sheet_by_name(name)
    first_row, first_column = sheet.start or (0, 0)
    for i, values in enumerate(sheet.to_python(skip_empty_area=True), start=first_row + 1):
        cells = []
        for column, value in enumerate(values, start=first_column + 1):
            text, kind = _plain(value)
            cell = model.shown_cell(column, text, kind, None)
            if cell is not None:
                cells.append(cell)
        if cells:
            yield model.SheetRow(i, cells)


def _plain(value: object) -> tuple[str, model.CellKind]:
    if isinstance(value, bool):
        return ("TRUE" if value else "FALSE"), "other"
    if isinstance(value, int | float):
        return general(value), "number"
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time.min
        return (value.date().isoformat() if midnight else value.isoformat(" ")), "date"
    if isinstance(value, str):
        return value, "text"
    return str(value), "date"
