"""Messages between the pool and its workers: frames of JSON, requests, pages as Arrow batches."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import accumulate
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import pyarrow as pa

from casetrack.base import errors, schema
from casetrack.base.config import OcrSettings, ParseLimits
from casetrack.parse.base import DocumentInfo, ReadOptions
from casetrack.parse.page_builder import clean_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.parse.base import Page

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
    write_frame(stream, JSON, json.dumps(message, default=str).encode("ascii"))


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

    @classmethod
    def unpack(cls, raw: dict[str, Any], /) -> Request:
        """Rebuild a request from its JSON values."""
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


def unpack_info(raw: dict[str, Any], /) -> DocumentInfo:
    """Rebuild the facts of a file from their JSON values."""
    dates = {
        n: datetime.fromisoformat(raw[n]) if raw[n] else None for n in ("created_at", "modified_at")
    }
    properties = tuple((name, value) for name, value in raw["properties"])
    return DocumentInfo(**(raw | dates | {"properties": properties}))


# Pages to Arrow: record batches of the declared ``pages`` table, built column by column.

_ATTRIBUTES = {
    "page": "number", "extraction_method": "method", "page_is_estimated": "is_estimated",
} | {f"page_{name}": name for name in "width height kind header footer".split()}  # fmt: skip
_SIDES = frozenset({"x0", "y0", "x1", "y1"})
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
    columns: dict[str, Sequence[Any]] = {
        "heading_path": paths,
        "mail_headers": [None] * len(pages),
        "hidden": [[asdict(span) for span in p.hidden] or None for p in pages],
    }
    out = page_schema()
    arrays = []
    for field in out:
        values = columns.get(field.name)
        if values is None:
            values = [getattr(p, _ATTRIBUTES.get(field.name, field.name)) for p in pages]
        is_nested = field.name not in columns and pa.types.is_list(field.type)
        arrays.append(_nested(values, field.type) if is_nested else pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=out)


def _nested(per_page: Sequence[Sequence[Any]], kind: pa.ListType) -> pa.Array:
    """Build ``list<struct>`` from flat columns: far smaller than a dictionary per line."""
    items = [item for items in per_page for item in items]
    struct = pa.StructArray.from_arrays(
        [pa.array(_values(items, i, f.name), f.type) for i, f in enumerate(kind.value_type)],
        fields=list(kind.value_type),
    )
    offsets = [0, *accumulate(map(len, per_page))]
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), struct, type=kind)


def _values(items: Sequence[Any], position: int, name: str) -> list[Any]:
    """Return a field of words, which are tuples, or of records, whose boxes are optional."""
    if items and isinstance(items[0], tuple):
        return [item[position] for item in items]
    if name in _SIDES:
        return [item.box and getattr(item.box, name) for item in items]
    return list(map(attrgetter(name), items))
