"""In which lines of its file a part of a passage stands.

A passage keeps its first and last line. Of its parts these are counted as far as its text shows all
lines between; where a file has several empty lines in a row, the text shows one. Then the file
itself is asked, if it is there and says the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.store.originals import copy_of

if TYPE_CHECKING:
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Document

COUNTED = frozenset({"code", "markdown", "txt", "json", "jsonl"})
"""Formats whose lines are those of the file."""
_MOST_BYTES = 5_000_000
_SIGNS = re.compile(r"[\W_]+")


def counts_lines(document: Document, page: int, /) -> bool:
    """Return whether the lines of a document's page are those of its file."""
    # In plain text a page begins after a form feed, and its lines are counted anew.
    first = document.format != "txt" or page == 1
    return document.format in COUNTED and first and document.parent_id is None


def in_file(
    place: Provenance, whole: Provenance, text: str, document: Document, folder: Path, /
) -> Provenance:
    """Return the place of a part of a passage with the lines of its file, where these are known.

    Parameters
    ----------
    place, whole
        Of the part and of the passage.
    text
        The passage.
    document
        Its document.
    folder
        That of the collection.
    """
    start, end = place.char_start - whole.char_start, place.char_end - whole.char_start
    wanted = text[start:end]
    longer = place.line_end - place.line_start > wanted.count("\n")
    if not longer or not counts_lines(document, whole.page):
        return place
    rows = _rows(document, folder)[whole.line_start - 1 : whole.line_end]
    own = [_bare(row) for row in rows]
    inside = [row for row in map(_bare, wanted.split("\n")) if row]
    before = [row for row in map(_bare, text[:start].split("\n")) if row]
    if not inside:
        return place
    skipped = sum(inside[0] in row for row in before)
    firsts = [n for n, row in enumerate(own) if inside[0] in row]
    if len(firsts) <= skipped:
        return place
    first = last = firsts[skipped]
    for sought in inside[1:]:
        last = next((n for n in range(last + 1, len(own)) if sought in own[n]), -1)
        if last < 0:
            return place
    top = whole.line_start
    return replace(place, line_start=top + first, line_end=top + last)


def _bare(row: str) -> str:
    """Return the letters and figures of a line: marks of Markdown are not part of its text."""
    return _SIGNS.sub("", row)


def _rows(document: Document, folder: Path) -> list[str]:
    """Return the lines of a document's file; none where it cannot be read any more."""
    from casetrack.parse.encoding import NotText, decode

    copy = document.original_copy
    path = Path(document.path) if copy is None else copy_of(folder, copy)
    try:
        if path.stat().st_size > _MOST_BYTES:
            return []
        return decode(path.read_bytes()).text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except (OSError, NotText, ValueError):
        # It is gone or another one: the passage's own lines are right, if not as narrow.
        return []
