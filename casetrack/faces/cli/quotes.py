"""Words of documents with their source, and the small phrases that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.cli.output import counted, line, one_line

if TYPE_CHECKING:
    from casetrack.base.provenance import Provenance
    from casetrack.base.records.graph import Quote
    from casetrack.faces.cli.output import Part

READ_FROM = {
    "Native": "the file's own text",
    "Ocr": "pictures (OCR)",
    "Hybrid": "own text and pictures (OCR)",
    "Spreadsheet": "cells",
}
"""Where the text of a document comes from, in words."""


def show_place(provenance: Provenance, /, *, indent: int = 0) -> None:
    """Write the id that other commands take, and a doubt about recognised text."""
    line((f"chunk {provenance.chunk_id}", "dim"), indent=indent)
    for warning in provenance.warnings:
        line((warning, "yellow"), indent=indent)


def snippet(quote: Quote, /) -> list[Part]:
    """Return a snippet on one line, in quotation marks, with its own words marked.

    An ellipsis stands where the passage goes on.
    """
    start, end = quote.snippet_start, quote.snippet_start + len(quote.text)
    parts = (quote.snippet[:start], quote.snippet[start:end], quote.snippet[end:])
    before, words, after = (flat(part) for part in parts)
    cut_before, cut_after = quote.cut_ends
    first, last = "\u2026 " if cut_before else "", " \u2026" if cut_after else ""
    return [
        f'"{first}{before.lstrip()}',
        (words if after.strip() else words.rstrip(), "bold yellow"),
        f'{after.rstrip()}{last}"',
    ]


def flat(text: str, /) -> str:
    """Return a piece of a text on one line; a blank at either end stays one."""
    lead = " " if text[:1].isspace() else ""
    trail = " " if text[-1:].isspace() and text.strip() else ""
    return f"{lead}{one_line(text)}{trail}"


def spread(mentions: int, documents: int, noun: str = "mention", /) -> str:
    """Return how often and how widely: ``892 mentions in 45 documents``."""
    return f"{counted(mentions, noun)} in {counted(documents, 'document')}"


def show_rest(shown: int, total: int, what: str, way: str, /) -> None:
    """Say how many more there are, and how to see them."""
    if shown < total:
        line()
        line((f"{total - shown:,} more {what}: {way}", "dim"))
