"""All checks of one collection, in order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.base import schema
from casetrack.base.errors import CaseTrackError, CollectionDamaged, See
from casetrack.base.records import Check, Document
from casetrack.keep.health import deep
from casetrack.keep.health.folder import (
    Problem,
    check_copies,
    check_folder,
    check_leftovers,
    check_marks,
    check_snapshots,
    check_sources,
    check_untaken,
    copy_problems,
    verdict,
)
from casetrack.keep.health.rows import Unreadable, check_rows, find_unreadable
from casetrack.keep.health.views import ViewState, check_views
from casetrack.store import mirror
from casetrack.store.checksums import damaged
from casetrack.store.damage import damage_errors
from casetrack.store.datasets import CHUNKS, DOCUMENTS, Snapshot, open_dataset, open_snapshot
from casetrack.store.info import read_info
from casetrack.store.rebuild import is_made_from_passages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.models.base import ProfileEncoder
    from casetrack.parse.base import ReadOptions

# Checks of the list of documents: each document once, with its container.

_ONCE = (("document_id", "the id"), ("revision", "the revision"), ("path", "the source file"))


def check_schema(folder: Path, /) -> Check:
    """Check the columns of the stored tables, except nullable ones that the next change adds."""
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
        detail += f"; {columns} of a later version are added with the next change"
    return Check("schema", ok=True, detail=detail)


def check_profile(folder: Path, snapshot: Snapshot, /) -> Check:
    """Check that ``collection.json`` and the chunks name the same models."""
    info = read_info(folder)
    declared, stored = (info.profile, info.dimension), (snapshot.profile, snapshot.dimension)
    return Check(
        "profile",
        ok=declared == stored,
        detail=f"{stored[0]}, vectors of {stored[1]} dimensions"
        if declared == stored
        else f"collection.json names {declared[0]} with {declared[1]} dimensions, but the vectors "
        f"are of {stored[0]} with {stored[1]}",
        remedy=""
        if declared == stored
        else f"Run {See('doctor', repair=True)}: it corrects the file.",
    )


def altered_documents(snapshot: Snapshot, /) -> list[Problem]:
    """Return the rows of the list of documents that are damaged or rebuilt from passages."""
    ledger = snapshot.documents.table
    rows = ledger.filter(damaged(ledger, "documents")).select(["document_id", "name"]).to_pylist()
    problems = [
        Problem(f"the entry of {row['name']} does not match its checksum", row["document_id"])
        for row in rows
    ]
    problems += [
        Problem(f"only the passages of {d.name} are left; its file must be read again", i)
        for i, d in snapshot.documents.items()
        if is_made_from_passages(d)
    ]
    return problems


def ledger_problems(snapshot: Snapshot, /) -> list[Problem]:
    """Return the inconsistencies within the list of documents."""
    table, problems = snapshot.documents.table, list[Problem]()
    for column, what in _ONCE:
        counts = Counter(table[column].to_pylist())
        problems += [Problem(f"{what} {v} exists {n} times") for v, n in counts.items() if n > 1]
    documents = snapshot.documents
    for document in documents.values():
        if document.parent_id is not None and document.parent_id not in documents:
            text = f"{document.name}: its container is missing"
            problems.append(Problem(text, document.document_id))
    return problems


def check_ledger(problems: list[Problem], documents: int, /) -> Check:
    """Return the check for the result of :func:`ledger_problems`."""
    return verdict(
        "ledger",
        problems,
        f"{documents} documents, all unique",
        f"Run {See('doctor', repair=True)}: it reads the containers of attachments again. Delete "
        f"a duplicate document with {See('delete', 'ID')}, then ingest its file again.",
    )


@dataclass(frozen=True, slots=True)
class Examiner:
    """Inputs of the checks: models, reading conditions, and whether a document is up to date."""

    reading: ReadOptions
    encoder: ProfileEncoder | None
    is_fresh: Callable[[Document], bool]
    deep: bool = False
    tell: Callable[[str, int, int], None] = lambda _what, _done, _total: None


@dataclass(slots=True)
class Examined:
    """Results of the checks of a collection.

    Attributes
    ----------
    reread, rebuild
        Ids of documents to read again, and of those with wrong derived data only.
    copies
        Ids of documents whose copy is missing or damaged.
    can_read
        Whether the data were readable, so that documents were checked.
    """

    checks: list[Check]
    reread: set[str] = field(default_factory=set)
    rebuild: set[str] = field(default_factory=set)
    copies: set[str] = field(default_factory=set)
    views: list[ViewState] = field(default_factory=list)
    lost: Unreadable | None = None
    can_read: bool = True


def check_collection(folder: Path, examiner: Examiner, /) -> Examined:
    """Check the data, provenance, views, folder and sources of one collection, without changes."""
    try:
        with damage_errors(folder):
            return _check(folder, open_snapshot(folder), examiner)
    except CaseTrackError as error:
        check = Check("data", ok=False, detail=error.message, remedy=error.hint)
        return Examined([check], can_read=False)


def _check(folder: Path, snapshot: Snapshot, examiner: Examiner) -> Examined:
    documents = len(snapshot.documents)
    examiner.tell("checking rows", 0, documents)
    lost = None
    try:
        rows = check_rows(snapshot)
    except CollectionDamaged:
        lost = find_unreadable(snapshot)
        if not lost.files:
            raise
        rows = check_rows(snapshot, lost)
    ledger = ledger_problems(snapshot)
    altered = altered_documents(snapshot)
    examiner.tell("checking the index", 0, documents)
    mirror.pull_view(folder, "views")
    # Derived data cannot be compared with rows while some rows are unreadable.
    views = [] if lost else check_views(folder, snapshot, rows.counts, deep=examiner.deep)
    live = snapshot.chunks.count_rows() if lost else rows.counts.total()
    copies = list(copy_problems(folder, snapshot, deep=examiner.deep))
    result = Examined(
        [
            check_schema(folder),
            check_profile(folder, snapshot),
            check_ledger(ledger, documents),
            *rows.checks(documents, altered),
            *(state.check(live) for state in views),
            check_leftovers(folder, snapshot, live),
            check_copies(folder, snapshot, copies),
            check_folder(folder),
            check_marks(folder),
            check_snapshots(folder, snapshot),
            check_sources(snapshot),
            check_untaken(folder, snapshot),
        ],
        views=views,
        lost=lost,
    )
    deeper = list[Problem]()
    if examiner.deep and not lost:
        check, deeper = deep.read_again(
            folder, snapshot, examiner.reading, examiner.is_fresh, examiner.tell
        )
        result.checks.append(check)
        if examiner.encoder is not None:
            check, wrong = deep.embed_again(snapshot, examiner.encoder)
            result.checks.append(check)
            result.rebuild |= _ids(wrong)
    whole = rows.ledger + rows.places + rows.tiling + rows.boxes + rows.altered + altered
    result.reread |= _ids([*whole, *ledger, *deeper])
    result.rebuild |= _ids(rows.derived)
    result.rebuild -= result.reread
    result.copies |= _ids(copies)
    examiner.tell("all is checked", documents, documents)
    return result


def _ids(problems: list[Problem]) -> set[str]:
    return {p.document_id for p in problems if p.document_id is not None}


def damaged_collection(folder: Path, reason: str, /) -> Check:
    """Return the check for a folder or sealed file that is not readable as a collection."""
    if folder.is_file():
        remedy = f"Restore {folder} from a backup; it cannot be opened."
        return Check(f"sealed collection {folder.stem}", ok=False, detail=reason, remedy=remedy)
    return Check(
        f"collection in {folder.name}",
        ok=False,
        detail=reason,
        remedy="Restore its collection.json from a backup, or remove the folder.",
    )
