"""Passages as text: search results, chunks and their surroundings, with their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.provenance import iso_utc
from casetrack.faces.mcp.render.pieces import method, one_line, phrase, quoted

if TYPE_CHECKING:
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk
    from casetrack.faces.mcp.outputs import Facts

_HEADER_CHARS = 1_000


# --- search ---------------------------------------------------------------------------------


# --- one passage ----------------------------------------------------------------------------


def passage(head: str, item: Chunk, /) -> str:
    """Return a chunk below a heading of its own."""
    return _block(head, item.text, item.provenance)


def told(head: str, entry: Facts, /) -> str:
    """Return a passage of a concise answer below a heading: the same that its structure says."""
    at = f" (at {entry['at']})" if "at" in entry else ""
    header = entry.get("table_header")
    doubt = entry.get("ocr_warning")
    if doubt is None and "ocr_confidence" in entry:
        doubt = f"OCR, confidence {entry['ocr_confidence']:.2f}"
    hidden = entry.get("hidden_warning")
    lines = [
        *([head] if head else []),
        one_line(f"{entry['citation']}{at}"),
        *([_hidden(hidden)] if hidden else []),
        *([f"Table columns: {phrase(header)}"] if header else []),
        quoted(entry["text"]),
        f"chars {entry['chars']} | chunk {entry['chunk_id']}{f' | {doubt}' if doubt else ''}",
    ]
    return "\n".join(lines)


def _block(head: str, text: str, source: Provenance, between: str = "", /) -> str:
    return (
        f"{head}\n{one_line(source.cite())}\n\n"
        f"{_columns(source)}{quoted(text)}\n\n"
        f"{between}{source_line(source)}"
    )


def _columns(provenance: Provenance) -> str:
    """Return the warning of hidden text, and the columns of the table that a passage begins in."""
    header, hidden = provenance.table_header, provenance.hidden_warning
    warning = f"{_hidden(hidden)}\n\n" if hidden else ""
    if not header:
        return warning
    cut = header if len(header) <= _HEADER_CHARS else f"{header[:_HEADER_CHARS]} \u2026"
    return f"{warning}Table columns: {phrase(cut)}\n\n"


def _hidden(warning: str) -> str:
    return f"Warning: this passage {warning}."


def source_line(provenance: Provenance, /) -> str:
    """Return what the citation leaves out of the source, on one line."""
    p = provenance
    embedded = iso_utc(p.embedded_at)
    return " | ".join(
        [
            f"Source: {one_line(p.document_path)}",
            f"chars {p.char_start}-{p.char_end}",
            method(p),
            f"ingested {iso_utc(p.ingested_at)}",
            f"embedded {embedded}" if embedded else "not embedded",
            f"chunk {p.chunk_id}",
        ]
    )


# --- several passages -----------------------------------------------------------------------
