"""Messages between the pool and its workers: frames of JSON, requests, pages as Arrow batches."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeVar

import pyarrow as pa

from casetrack.base import errors, schema
from casetrack.base.config import OcrSettings, ParseLimits
from casetrack.parse.base import Attachment, DocumentInfo, ReadOptions
from casetrack.parse.page_builder import clean_title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from casetrack.base.provenance import PrintedPlace
    from casetrack.parse.base import Line, Page, Paragraph, PlacedWord

# Length-prefixed frames between the pool and its workers: JSON control, Arrow, or a picture.

JSON, ARROW, PICTURE = b"J", b"A", b"P"
_HEADER = struct.Struct("<cQ")


def write_frame(stream: BinaryIO, kind: bytes, payload: bytes | memoryview, /) -> None:
    """Write one frame and flush it."""
    stream.write(_HEADER.pack(kind, len(payload)))
    stream.write(payload)
    stream.flush()


def write_json(stream: BinaryIO, message: dict[str, Any], /) -> None:
    """Write one control frame; lone surrogates in file names survive as escapes."""
    write_frame(stream, JSON, json.dumps(message).encode("ascii"))


def read_frame(stream: BinaryIO, /) -> tuple[bytes, bytes] | None:
    """Read one frame; ``None`` at the end of the stream, even within a frame."""
    header = _read_exactly(stream, _HEADER.size)
    if header is None:
        return None
    kind, length = _HEADER.unpack(header)
    payload = _read_exactly(stream, length)
    return None if payload is None else (kind, payload)


def _read_exactly(stream: BinaryIO, length: int) -> bytes | None:
    data = stream.read(length)
    return data if len(data) == length else None


def pack_error(error: errors.CaseTrackError, /) -> dict[str, str]:
    """Convert an error into the argument of :func:`unpack_error`."""
    return {"class": type(error).__name__, "message": error.message, "hint": error.hint}


def unpack_error(packed: dict[str, str], path: Path, /) -> errors.CaseTrackError:
    """Rebuild an error with the same class and text."""
    cls = getattr(errors, packed["class"], None)
    if not (isinstance(cls, type) and issubclass(cls, errors.CaseTrackError)):
        return errors.ParseFailed(path, "File", packed["message"])
    error = cls.__new__(cls)
    errors.CaseTrackError.__init__(error, packed["message"], hint=packed["hint"])
    return error


# Requests of the pool to a worker, as JSON: read a file, or a part of it to show.


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a worker.

    *page* (1-based) is that to draw, with *dpi*, or the sheet to show: *rows* are the first row
    and their number.
    """

    action: Literal["read", "draw", "cells"]
    path: Path
    options: ReadOptions
    page: int = 1
    dpi: float = 144.0
    rows: tuple[int, int] = (1, 1)

    def pack(self) -> dict[str, Any]:
        """Return the request as JSON values."""
        options = asdict(self.options)
        for name in ("models_dir", "spool"):
            options[name] = options[name] and str(options[name])
        return {
            "action": self.action,
            "path": str(self.path),
            "options": options,
            "page": self.page,
            "dpi": self.dpi,
            "rows": self.rows,
        }

    @classmethod
    def unpack(cls, raw: dict[str, Any], /) -> Request:
        """Rebuild the result of :meth:`pack`."""
        options = raw["options"]
        folders = {n: Path(options[n]) if options[n] else None for n in ("models_dir", "spool")}
        return cls(
            raw["action"],
            Path(raw["path"]),
            ReadOptions(
                passwords=tuple(options["passwords"]),
                ocr=OcrSettings(**options["ocr"]),
                limits=ParseLimits(**options["limits"]),
                **folders,
            ),
            raw["page"],
            raw["dpi"],
            tuple(raw["rows"]),
        )


def pack_info(info: DocumentInfo, /) -> dict[str, Any]:
    """Return the facts of a file as JSON values."""
    raw = asdict(info)
    for name in ("created_at", "modified_at"):
        raw[name] = raw[name] and raw[name].isoformat()
    return raw


def unpack_info(raw: dict[str, Any], /) -> DocumentInfo:
    """Rebuild the result of :func:`pack_info`."""
    dates = {
        n: datetime.fromisoformat(raw[n]) if raw[n] else None for n in ("created_at", "modified_at")
    }
    properties = tuple((name, value) for name, value in raw["properties"])
    return DocumentInfo(**(raw | dates | {"properties": properties}))


def pack_attachments(attachments: Iterable[Attachment], /) -> list[list[str]]:
    """Return attachments as JSON values."""
    return [[a.name, str(a.path)] for a in attachments]


def unpack_attachments(raw: list[list[str]], /) -> list[Attachment]:
    """Rebuild the result of :func:`pack_attachments`."""
    return [Attachment(name, Path(path)) for name, path in raw]


# Pages to Arrow: record batches of the declared ``pages`` table, built column by column.

_Item = TypeVar("_Item")

_LATER = {"document_id", "document_name", "document_title", "language"}
PAGE_COLUMNS = tuple(name for name in schema.table("pages").names if name not in _LATER)
"""Columns of parsing; later steps add the document's name and the language."""

MAX_PAGES, MAX_CHARS, MAX_OCR_PAGES = 16, 1_000_000, 2
"""Maximum pages, characters, and slow pages read by OCR in a gathered batch."""

_ATX = re.compile(r"^ {0,3}#{1,6}\s+|\s+#+\s*$")
_UNDERLINE = re.compile(r"\n\s*(?:=+|-+)\s*$")
_HEADING_CHARS = 200


def page_schema() -> pa.Schema:
    """Return the Arrow schema of :func:`batches`."""
    return schema.table("pages").arrow(PAGE_COLUMNS)


class HeadingPath:
    """Follows the headings of a document from page to page."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def titles(self) -> list[str]:
        """The current headings, outermost first."""
        return [title for _, title in self._open]

    def pass_page(self, page: Page, /) -> None:
        """Add the headings of one page; those of a sheet end with it."""
        if page.sheet_name is not None:
            return
        for paragraph in page.paragraphs:
            if paragraph.kind != "heading":
                continue
            title = heading_title(page.text[paragraph.start : paragraph.end])
            level = paragraph.level or 1
            while self._open and self._open[-1][0] >= level:
                self._open.pop()
            if title:
                self._open.append((level, title))


def heading_title(text: str, /) -> str | None:
    """Return a heading's text on one line, without its marks; ``None`` if it is empty."""
    return clean_title(_UNDERLINE.sub("", _ATX.sub("", text)), limit=_HEADING_CHARS)


def batches(pages: Iterable[Page], /) -> Iterator[pa.RecordBatch]:
    """Convert each page into a record batch, so that a later crash does not lose it."""
    path = HeadingPath()
    for page in pages:
        titles = path.titles
        path.pass_page(page)
        yield _batch([page], [titles])


def gather(singles: Iterable[pa.RecordBatch], /) -> Iterator[pa.RecordBatch]:
    """Join batches of one page each into larger ones of bounded size."""
    gathered: list[pa.RecordBatch] = []
    chars = ocr = 0
    for single in singles:
        gathered.append(single)
        chars += sum(map(len, single["text"].to_pylist()))
        ocr += single.num_rows - single["ocr_engine"].null_count
        if len(gathered) >= MAX_PAGES or chars >= MAX_CHARS or ocr >= MAX_OCR_PAGES:
            yield pa.concat_batches(gathered)
            gathered, chars, ocr = [], 0, 0
    if gathered:
        yield pa.concat_batches(gathered)


def _batch(pages: Sequence[Page], paths: Sequence[list[str]]) -> pa.RecordBatch:
    columns = {
        "page": [p.number for p in pages],
        "page_is_estimated": [p.is_estimated for p in pages],
        "native_page": [p.native_page for p in pages],
        "native_line_first": [p.native_line_first for p in pages],
        "text": [p.text for p in pages],
        "lines": _nested([p.lines for p in pages], _line_columns, "lines"),
        "paragraphs": _nested([p.paragraphs for p in pages], _paragraph_columns, "paragraphs"),
        "heading_path": list(paths),
        "sheet_name": [p.sheet_name for p in pages],
        "page_width": [p.width for p in pages],
        "page_height": [p.height for p in pages],
        "extraction_method": [p.method for p in pages],
        "ocr_confidence": [p.ocr_confidence for p in pages],
        "ocr_engine": [p.ocr_engine for p in pages],
        "page_kind": [p.kind for p in pages],
        "page_header": [p.header for p in pages],
        "page_footer": [p.footer for p in pages],
        "mail_headers": [
            [{"name": name, "value": value} for name, value in p.mail_headers] or None
            for p in pages
        ],
        "printed": _nested([p.printed for p in pages], _printed_columns, "printed"),
        "hidden": [[asdict(span) for span in p.hidden] or None for p in pages],
        "words": _nested([p.words for p in pages], _word_columns, "words"),
    }
    out = page_schema()
    arrays = [
        values if isinstance(values, pa.Array) else pa.array(values, field.type)
        for field, values in ((field, columns[field.name]) for field in out)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=out)


def _nested(
    per_page: Sequence[Sequence[_Item]],
    columns_of: Callable[[Sequence[_Item]], dict[str, list[Any]]],
    name: str,
) -> pa.Array:
    """Build ``list<struct>`` from flat columns: far smaller than a dictionary per line."""
    kind = schema.table("pages").column(name).type
    fields = list(kind.value_type)
    values = columns_of([item for items in per_page for item in items])
    struct = pa.StructArray.from_arrays(
        [pa.array(values[f.name], f.type) for f in fields], fields=fields
    )
    offsets = [0]
    for items in per_page:
        offsets.append(offsets[-1] + len(items))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), struct, type=kind)


def _line_columns(lines: Sequence[Line]) -> dict[str, list[Any]]:
    return {
        "start": [x.start for x in lines],
        "end": [x.end for x in lines],
        "number": [x.number for x in lines],
        "x0": [x.box and x.box.x0 for x in lines],
        "y0": [x.box and x.box.y0 for x in lines],
        "x1": [x.box and x.box.x1 for x in lines],
        "y1": [x.box and x.box.y1 for x in lines],
        "row": [x.row for x in lines],
        "column_start": [x.column_start for x in lines],
        "column_end": [x.column_end for x in lines],
        "confidence": [x.confidence for x in lines],
    }


def _paragraph_columns(paragraphs: Sequence[Paragraph]) -> dict[str, list[Any]]:
    return {
        "start": [x.start for x in paragraphs],
        "end": [x.end for x in paragraphs],
        "number": [x.number for x in paragraphs],
        "kind": [x.kind for x in paragraphs],
        "level": [x.level for x in paragraphs],
        "header": [x.header for x in paragraphs],
        "symbols": [x.symbols for x in paragraphs],
    }


def _printed_columns(places: Sequence[PrintedPlace]) -> dict[str, list[Any]]:
    return {
        "kind": [x.kind for x in places],
        "label": [x.label for x in places],
        "start": [x.start for x in places],
        "end": [x.end for x in places],
    }


def _word_columns(words: Sequence[PlacedWord]) -> dict[str, list[Any]]:
    names = ("x0", "y0", "x1", "y1", "text")
    return {name: [word[i] for word in words] for i, name in enumerate(names)}
