"""The user's marks of a collection, which travel with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.files import write_atomic
from casetrack.graph.marks import Documents
from casetrack.store.marks.store import FILE, FOLDER, PATH, Stored, read, to_line
from casetrack.store.untaken import FILE as LEDGER

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.store.datasets import Snapshot

MAX_BYTES = 64 << 20
"""Of all marks of a collection; one has a few hundred bytes."""


def copy_marks(folder: Path, snapshot: Snapshot, content: Path, /) -> int:
    """Copy a collection's marks; return how many stay behind.

    Those are the marks of documents that are gone: nothing of these travels.

    Parameters
    ----------
    folder
        The collection's folder.
    snapshot
        What is live.
    content
        Where its archive is being made.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        They cannot be read or copied.
    """
    marks, documents = read(folder).all, Documents(snapshot)
    gone = {m.mark_id for m in marks if m.document_id is not None and documents.of(m) is None}
    undone = {m.mark_id for m in marks if m.kind == "undo" and m.value in gone}
    kept = [m for m in marks if m.mark_id not in gone | undone]
    if kept:
        text = "".join(f"{to_line(m)}\n" for m in kept)
        write_atomic(content / FOLDER / FILE, text.encode())
    return len(gone)


def too_large(path: str, size: int, /) -> str:
    """Return what is wrong with the size of marks or of the ledger, in words; may be empty."""
    if path in {PATH, LEDGER} and size > MAX_BYTES:
        return f"{path!r} in it is larger than {MAX_BYTES >> 20} MB"
    return ""


def unreadable(target: Path, /) -> str:
    """Return what is wrong with unpacked marks, in words; empty if nothing is."""
    broken = Stored(target).broken
    return f"line {broken[0]} of '{PATH}' in it is no mark" if broken else ""
