"""Words of documents with their source, and the small phrases that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.cli.output import counted, line

if TYPE_CHECKING:
    from casetrack.base.provenance import Provenance


def show_place(provenance: Provenance, /, *, indent: int = 0) -> None:
    """Write the id that other commands take, and a doubt about recognised text."""
    line((f"chunk {provenance.chunk_id}", "dim"), indent=indent)
    for warning in provenance.warnings:
        line((warning, "yellow"), indent=indent)


def spread(mentions: int, documents: int, noun: str = "mention", /) -> str:
    """Return how often and how widely: ``892 mentions in 45 documents``."""
    return f"{counted(mentions, noun)} in {counted(documents, 'document')}"


def show_rest(shown: int, total: int, what: str, way: str, /) -> None:
    """Say how many more there are, and how to see them."""
    if shown < total:
        line()
        line((f"{total - shown:,} more {what}: {way}", "dim"))
