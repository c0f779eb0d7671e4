"""What stands over a chunk without being part of its text: title, headings, running head, columns.

A chunk that says "The fee is 5 %" is about whatever its document and section are called. The
encoder and the keyword index see these names with it; the stored text and its offsets never do.

Measured on contracts, tables and abstracts (nDCG@10): questions that name their document gain
0.045, all others stay as they are within the noise. Nothing was gained by leaving the names out of
the dense mean, or by taking them into the token matrix.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CONTEXT_VERSION = 1
"""Raise it when the context of any chunk changes: what was made with another one is stale then."""
CONTEXT_COLUMNS = (
    "document_name",
    "document_title",
    "heading_path",
    "sheet_name",
    "page_header",
    "table_header",
    "text",
)
"""Columns of ``chunks`` that this module looks at."""

_SIGNS = re.compile(r"[\W_]+")
_TITLE_CHARS = 120
_HEADING_CHARS = 80
_HEADINGS = 3
_HEADER_CHARS = 120
_COLUMNS_CHARS = 200
_OPENING_CHARS = 400
"""What stands in a chunk's beginning anyway is not said twice."""


def title_of(row: Mapping[str, Any], /) -> str:
    """Return what the document of a row of ``chunks`` is called, if its text does not say so."""
    title = row["document_title"] or _SIGNS.sub(" ", PurePath(row["document_name"]).stem)
    return "".join(_unsaid([_cut(title, _TITLE_CHARS)], row))


def surroundings_of(row: Mapping[str, Any], /) -> list[str]:
    """Return what else stands over a row of ``chunks``: headings, sheet, running head, columns."""
    headings = [_cut(h, _HEADING_CHARS) for h in (row["heading_path"] or ())[-_HEADINGS:]]
    inside = _unsaid(headings, row)
    parts = [
        " > ".join(inside),
        _cut(row["sheet_name"], _HEADING_CHARS),
        _cut(row["page_header"], _HEADER_CHARS),
        _cut(row["table_header"], _COLUMNS_CHARS),
    ]
    return _unsaid(parts, row)


def context_of(row: Mapping[str, Any], /) -> str:
    """Return what an encoder sees before the text of a row of ``chunks``, with a final newline."""
    parts = [title_of(row), *surroundings_of(row)]
    return "".join(f"{part}\n" for part in parts if part)


def _unsaid(parts: Iterable[str], row: Mapping[str, Any]) -> list[str]:
    opening = _words(row["text"][:_OPENING_CHARS])
    return [part for part in parts if part and _words(part) not in opening]


def _words(text: str) -> str:
    return f" {_SIGNS.sub(' ', text.casefold()).strip()} "


def _cut(text: str | None, chars: int) -> str:
    return _plain(text or "")[:chars].rstrip()


def _plain(text: str) -> str:
    return " ".join(text.split())
