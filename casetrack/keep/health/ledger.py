"""Checks of the list of documents: each once, each with what it is part of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from casetrack.base import schema
from casetrack.base.errors import CaseTrackError
from casetrack.base.records import Check
from casetrack.keep.health.findings import Problem, verdict
from casetrack.store.checksums import damaged
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.info import read_info
from casetrack.store.rebuild import is_made_from_passages

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.store.datasets import Snapshot

_ONCE = (("document_id", "the id"), ("revision", "the revision"), ("path", "the source file"))


def check_schema(folder: Path, /) -> Check:
    """Check that the stored tables have the declared columns.

    Columns that may be empty and that a later version has added come with the next change.
    """
    later = 0
    try:
        for name, table in ((CHUNKS, "chunks"), (DOCUMENTS, "documents")):
            declared, stored = schema.table(table), open_dataset(folder, name).schema
            needed = [c.name for c in declared.columns if not c.nullable or c.name in stored.names]
            declared.check(stored, where=f"stored {table}", names=needed)
            later += len(declared.columns) - len(needed)
    except CaseTrackError as error:
        return Check("schema", ok=False, detail=error.message, remedy=error.hint)
    detail = f"version {read_info(folder).schema_version}"
    if later:
        columns = "1 column" if later == 1 else f"{later} columns"
        detail += f"; {columns} of a later version come with the next change"
    return Check("schema", ok=True, detail=detail)


def check_profile(folder: Path, snapshot: Snapshot, /) -> Check:
    """Check that ``collection.json`` and the chunks name the same models."""
    info = read_info(folder)
    said, stored = (info.profile, info.dimension), (snapshot.profile, snapshot.dimension)
    return Check(
        "profile",
        ok=said == stored,
        detail=f"{stored[0]}, vectors of {stored[1]} numbers"
        if said == stored
        else f"collection.json says {said[0]} with {said[1]} numbers, and the vectors are of "
        f"{stored[0]} with {stored[1]}",
        remedy=""
        if said == stored
        else "Run `casetrack doctor --repair`: it makes the file say what is stored.",
    )


def altered_documents(snapshot: Snapshot, /) -> list[Problem]:
    """Return the rows of the list of documents that are damaged or made from passages."""
    ledger = snapshot.documents.table
    rows = ledger.filter(damaged(ledger, "documents")).select(["document_id", "name"]).to_pylist()
    found = [
        Problem(f"what is known of {row['name']} is not what was written", row["document_id"])
        for row in rows
    ]
    found += [
        Problem(f"of {d.name} only its passages are left; its file has to be read again", i)
        for i, d in snapshot.documents.items()
        if is_made_from_passages(d)
    ]
    return found


def ledger_problems(snapshot: Snapshot, /) -> list[Problem]:
    """Return what is wrong with the list of documents in itself."""
    table, found = snapshot.documents.table, list[Problem]()
    for column, what in _ONCE:
        counts = Counter(table[column].to_pylist())
        found += [Problem(f"{what} {v} is there {n} times") for v, n in counts.items() if n > 1]
    documents = snapshot.documents
    for document in documents.values():
        if document.parent_id is not None and document.parent_id not in documents:
            text = f"{document.name}: what it was attached to is not there"
            found.append(Problem(text, document.document_id))
    return found


def check_ledger(problems: list[Problem], documents: int, /) -> Check:
    """Return the check of what :func:`ledger_problems` has found."""
    return verdict(
        "ledger",
        problems,
        f"{documents} documents, each there once",
        "Run `casetrack doctor --repair`: it reads what holds an attachment again. A document that "
        "is there twice: delete it with `casetrack delete ID`, then ingest its file again.",
    )
