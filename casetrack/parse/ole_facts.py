"""What an OLE document (DOC, XLS, PPT) says about itself, from its summary streams."""

from __future__ import annotations

import codecs
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.base.years import recorded
from casetrack.parse.detect import OLE_MAGIC
from casetrack.parse.package import Facts
from casetrack.parse.page_builder import clean_title

if TYPE_CHECKING:
    from pathlib import Path

_SUMMARY, _DOCUMENT = "\x05SummaryInformation", "\x05DocumentSummaryInformation"
# Numbers of the properties in their streams ([MS-OLEPS] 2.25).
_CODE_PAGE, _TITLE, _AUTHOR, _CREATED, _SAVED = 1, 2, 4, 12, 13
_FURTHER = ((3, "subject"), (6, "description"), (5, "keywords"), (8, "last_modified_by"))
_DOCUMENT_FURTHER = ((2, "category"), (15, "company"), (14, "manager"))
_CODECS = {1200: "utf-16-le", 10000: "mac-roman", 65001: "utf-8"}


def ole_facts(path: Path, warnings: list[str], /) -> Facts:
    """Return title, author, dates and further properties; damaged ones are named in *warnings*.

    Parameters
    ----------
    path
        An OLE container; other files have no facts of this kind.
    """
    with path.open("rb") as file:
        if file.read(len(OLE_MAGIC)) != OLE_MAGIC:
            return Facts()
    try:
        summary, document = _streams(path)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - damage makes olefile raise anything
        reason = type(error).__name__
        warnings.append(f"The document's properties cannot be read: they are damaged ({reason}).")
        return Facts()
    further = [(name, _text(summary, number)) for number, name in _FURTHER]
    further += [(name, _text(document, number)) for number, name in _DOCUMENT_FURTHER]
    return Facts(
        _text(summary, _TITLE),
        _text(summary, _AUTHOR),
        _moment(summary.get(_CREATED)),
        _moment(summary.get(_SAVED)),
        tuple((name, text) for name, text in further if text),
    )


def _streams(path: Path) -> tuple[dict[int, object], dict[int, object]]:
    import olefile  # type: ignore[import-untyped]

    with olefile.OleFileIO(path) as ole:
        summary, document = (
            ole.getproperties(name, convert_time=True, no_conversion=[10])
            if ole.exists(name)
            else {}
            for name in (_SUMMARY, _DOCUMENT)
        )
    return summary, document


def _text(properties: dict[int, object], number: int) -> str | None:
    value = properties.get(number)
    if isinstance(value, bytes):
        value = value.decode(_codec(properties.get(_CODE_PAGE)), "replace")
    # What follows the end of the string is left over from the program's memory.
    return clean_title(value.partition("\0")[0]) if isinstance(value, str) else None


def _codec(code_page: object) -> str:
    """Return the codec of a code page, which the file holds as a signed number of 16 bits."""
    number = code_page & 0xFFFF if isinstance(code_page, int) else 1252
    name = _CODECS.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def _moment(value: object) -> datetime | None:
    return recorded(value.replace(tzinfo=UTC)) if isinstance(value, datetime) else None
