"""Open PDF with PyMuPDF: passwords, damage, facts of a document."""

from __future__ import annotations

import contextlib
import functools
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.base.years import recorded
from casetrack.parse.base import DocumentInfo
from casetrack.parse.page_builder import clean_title

_DATE = re.compile(
    r"\s*(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?)?"
)
_PROPERTIES = ("subject", "keywords", "creator", "producer")


# If installed, PyMuPDF 2 loads both, and with them ONNX Runtime and networks for a layout that is
# not used: most of a second and 90 MB for each reading process.
_LAYOUT = ("pymupdf.layout", "pymupdf4llm")


class _NullStream:
    """A stream that discards its input."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """Do nothing."""


@contextlib.contextmanager
def _hidden_modules(*modules: str) -> Iterator[None]:
    """Make modules that are not loaded yet look uninstalled."""
    missing: dict[str, Any] = {name: None for name in modules if name not in sys.modules}
    sys.modules.update(missing)
    try:
        yield
    finally:
        for name in missing:
            del sys.modules[name]


@functools.cache
def silenced() -> Any:
    """Import PyMuPDF with its messages, by default on standard output, disabled."""
    with _hidden_modules(*_LAYOUT):
        import pymupdf as module

    pymupdf: Any = module
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.set_messages(stream=_NullStream())
    return pymupdf


@functools.cache
def failures() -> tuple[type[BaseException], ...]:
    """Return the exceptions that PyMuPDF raises for damaged files."""
    error: type[BaseException] = silenced().mupdf.FzErrorBase
    return (RuntimeError, ValueError, TypeError, KeyError, IndexError, AttributeError, error)


def check_memory(error: BaseException, /) -> None:
    """Raise ``MemoryError`` if MuPDF ran out of memory."""
    if "malloc" in str(error) or "out of memory" in str(error):
        raise MemoryError from error


def open_pdf(path: Path, passwords: Sequence[str] = (), /) -> Any:
    """Return an open ``pymupdf.Document`` with at least one page; try *passwords* in order."""
    pymupdf = silenced()
    try:
        document = _open_file(pymupdf, path)
        if document.needs_pass and not any(map(document.authenticate, passwords)):
            raise FileEncrypted(path, tried=len(passwords))
        count = document.page_count
    except failures() as error:
        check_memory(error)
        raise ParseFailed(path, "PDF", words_of(error)) from error
    if not document.is_pdf:
        raise ParseFailed(path, "PDF", "its content is not a PDF")
    if count < 1:
        raise ParseFailed(path, "PDF", "it has no pages")
    return document


def _open_file(pymupdf: Any, path: Path) -> Any:
    """Open by name, to keep large files out of memory, if MuPDF accepts the name."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return pymupdf.open(stream=path.read_bytes(), filetype="pdf")
    return pymupdf.open(str(path), filetype="pdf")


def open_in_pdfium(source: Path | bytes, passwords: Sequence[str] = (), /) -> Any:
    """Open a PDF as a ``pypdfium2.PdfDocument``; raise ``ParseFailed`` if it is damaged."""
    import pypdfium2

    failure = ""
    for password in (None, *passwords):
        try:
            return pypdfium2.PdfDocument(source, password=password)
        except (pypdfium2.PdfiumError, OSError, ValueError) as error:
            failure = str(error)
    raise ParseFailed("the copy" if isinstance(source, bytes) else source, "PDF", failure)


def words_of(error: BaseException, /) -> str:
    """Return an error's text as one short line, without MuPDF's number."""
    text = " ".join(str(error).split())
    return re.sub(r"^code=\d+: ", "", text)[:200] or type(error).__name__


def info_of(document: Any, /) -> DocumentInfo:
    """Return the facts that a document states about itself."""
    info = document.metadata or {}
    properties = ((name, clean_title(info.get(name))) for name in _PROPERTIES)
    return DocumentInfo(
        "pdf",
        document.page_count,
        title=clean_title(info.get("title")),
        author=clean_title(info.get("author")),
        created_at=parse_date(info.get("creationDate")),
        modified_at=parse_date(info.get("modDate")),
        properties=tuple((name, value) for name, value in properties if value),
    )


def parse_date(text: str | None, /) -> datetime | None:
    """Return a PDF date (``D:20240131120000+01'00'``, default zone UTC); ``None`` if invalid."""
    match = _DATE.match(text or "")
    if match is None or match[3] is None:
        return None
    year, month, day, hour, minute, second = (
        int(match[i] or least) for i, least in zip(range(1, 7), (0, 1, 1, 0, 0, 0), strict=True)
    )
    offset = timedelta(hours=int(match[9] or 0), minutes=int(match[10] or 0))
    try:
        zone = timezone(-offset if match[8] == "-" else offset) if match[8] else UTC
        moment = datetime(year, month, day, hour, minute, second, tzinfo=zone)
        return recorded(moment.astimezone(UTC))
    except (ValueError, OverflowError):
        return None
