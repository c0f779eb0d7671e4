"""Opticon's OPT: which image is which page of which document, one line per page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from casetrack.editions.legal.discovery.dialects import LINE_END, Dialect, Trouble, read_text, shown

_FIELDS = 7
_STARTS = "Y"


@dataclass(frozen=True, slots=True)
class ImageLine:
    """A page of a document.

    Attributes
    ----------
    line
        Line of the file, from 1.
    key
        What the page is called: its Bates number.
    volume, path
        Where its image lies, by the account of who made the file.
    starts
        Whether a document begins with it.
    pages
        Number of the document's pages where the line says it; else ``None``.
    raw
        The line as it is written.
    """

    line: int
    key: str
    volume: str
    path: str
    starts: bool
    pages: int | None
    raw: str


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An OPT file as it was read.

    Attributes
    ----------
    dialect
        Its encoding and line ends.
    documents
        The pages, document by document.
    troubles
        What is wrong with it.
    """

    path: Path
    dialect: Dialect
    documents: tuple[tuple[ImageLine, ...], ...]
    troubles: tuple[Trouble, ...]


def read_image_file(path: str | Path, /, *, encoding: str | None = None) -> ImageFile:
    """Read an OPT file.

    Raises
    ------
    FileNotFound, FileUnreadable, EmptyFile
        There is nothing to read.
    UsageError
        The encoding is not known.
    """
    path = Path(path)
    text, dialect, troubles = read_text(path, encoding)
    dialect = replace(dialect, separator=",", qualifier="")
    documents: list[list[ImageLine]] = []
    for number, raw in enumerate(LINE_END.split(text), start=1):
        if not raw.strip():
            continue
        found = _line(number, raw)
        if found is None:
            told = f"Line {number} is no line of an OPT file: {shown(raw[:60])!r}. It is left out."
            troubles.append(Trouble(path.name, number, "", "image", told))
            continue
        if found.starts or not documents:
            if not found.starts:
                told = f"Line {number}: the first page does not begin a document; it does here."
                troubles.append(Trouble(path.name, number, found.key, "image", told))
            documents.append([])
        documents[-1].append(found)
    for pages in documents:
        first = pages[0]
        if first.pages is not None and first.pages != len(pages):
            told = (
                f"Line {first.line}: {first.key} is said to have {first.pages} pages; "
                f"{len(pages)} are listed."
            )
            troubles.append(Trouble(path.name, first.line, first.key, "image", told))
    return ImageFile(path, dialect, tuple(map(tuple, documents)), tuple(troubles))


def write_image_lines(dialect: Dialect, lines: list[str], /) -> bytes:
    """Return an OPT file as bytes."""
    text = dialect.line_end.join(lines) + (dialect.line_end if dialect.has_last_end else "")
    return dialect.mark + dialect.encode(text)


def _line(number: int, raw: str) -> ImageLine | None:
    parts = raw.split(",")
    if len(parts) < 4 or not parts[0].strip():
        return None
    # A path may hold commas; the fields before and behind it may not.
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
