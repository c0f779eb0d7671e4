"""The user's marks in an exported collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.files import write_atomic
from casetrack.graph.marks import Documents
from casetrack.store.marks.store import FILE, FOLDER, PATH, Stored, read, to_line
from casetrack.store.source_states import FILE as SOURCES
from casetrack.store.untaken import FILE as LEDGER

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.store.datasets import Snapshot

MAX_BYTES = 64 << 20
"""Maximum size of all marks of a collection; one has a few hundred bytes."""


def copy_marks(folder: Path, snapshot: Snapshot, content: Path, /) -> int:
    """Copy the marks of live documents to *content*; return the number of other marks."""
    marks, documents = read(folder).all, Documents(snapshot)
    gone = {m.mark_id for m in marks if m.document_id is not None and documents.of(m) is None}
    undone = {m.mark_id for m in marks if m.kind == "undo" and m.value in gone}
    kept = [m for m in marks if m.mark_id not in gone | undone]
    if kept:
        text = "".join(f"{to_line(m)}\n" for m in kept)
        write_atomic(content / FOLDER / FILE, text.encode())
    return len(gone)


def too_large(path: str, size: int, /) -> str:
    """Describe an excessive size of marks or of a ledger; empty if it is allowed."""
    if path in {PATH, LEDGER, SOURCES} and size > MAX_BYTES:
        return f"{path!r} in it is larger than {MAX_BYTES >> 20} MB"
    return ""


def unreadable(target: Path, /) -> str:
    """Describe invalid lines of unpacked marks; empty if all are valid."""
    broken = Stored(target).broken
    return f"line {broken[0]} of '{PATH}' in it is not a mark" if broken else ""
