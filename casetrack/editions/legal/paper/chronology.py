"""The chronology of a case as a paper: DOCX and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.viewer import kept
from casetrack.api.viewer.markup import escaped
from casetrack.api.viewer.timeline_figure import when
from casetrack.editions.legal.paper.grid import docx_grid, markdown_grid

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.editions.legal.records.authorities import Chronology, ChronologyEntry

_HEADS = ("Date", "Event", "Who", "Source")
_WIDTHS = (1.35, 4.15, 1.5, 2.0)
"""Widths of the columns in inches, for landscape pages."""


def as_docx(chronology: Chronology, /) -> bytes:
    """Return a chronology as a DOCX file: a table with its header on each page.

    Notes are a comment on its heading.
    """
    document = kept.new_document(f"Chronology: {chronology.case}")
    kept.set_landscape(document)
    heading = kept.centred(document, "CHRONOLOGY")
    kept.centred(document, chronology.case)
    if chronology.notes:
        kept.add_comment(document, heading, "\n".join(chronology.notes))
    docx_grid(document, _HEADS, map(_cells, chronology.entries), _WIDTHS, size=10, spaced=True)
    return kept.packed(document)


def _cells(entry: ChronologyEntry) -> tuple[str, str, str, str]:
    return when(entry), entry.event, "; ".join(entry.who), entry.citation


def as_markdown(chronology: Chronology, /) -> str:
    """Return a chronology as a Markdown table."""
    lines = [f"# Chronology: {escaped(chronology.case)}", ""]
    lines += markdown_grid(_HEADS, map(_cells, chronology.entries))
    lines += ["", *(f"- {escaped(note)}" for note in chronology.notes)]
    return "\n".join(lines).rstrip() + "\n"


WRITERS: dict[str, Callable[[Chronology], bytes | str]] = {".docx": as_docx, ".md": as_markdown}
"""Writers by suffix of the file."""
