"""All checks of one collection, in order."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base import schema
from casetrack.base.errors import CaseTrackError, CollectionDamaged, See
from casetrack.base.records import Check, Document
from casetrack.ingest.batch import reading_conditions
from casetrack.ingest.staleness import is_inside, source_state
from casetrack.ingest.steps.chunking import SIDES, PageWords, line_boxes
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS, ContextText, EmbedStep, SharedPass
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
from casetrack.keep.health.rows import AGAIN, Unreadable, check_rows, find_unreadable, page_text
from casetrack.keep.health.views import ViewState, check_views
from casetrack.parse.workers.pool import ParsePool
from casetrack.store import mirror
from casetrack.store.checksums import damaged
from casetrack.store.damage import damage_errors
from casetrack.store.datasets import CHUNKS, DOCUMENTS, Snapshot, open_dataset, open_snapshot
from casetrack.store.info import read_info
from casetrack.store.originals import copy_of
from casetrack.store.rebuild import is_made_from_passages
from casetrack.store.scratch import spool_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.models.base import ProfileEncoder
    from casetrack.parse.base import ReadOptions

# The deep check: unchanged source files are read again and compared (P1, P6).

_PAGE_COLUMNS = ("chunk_index", "page", "text", "char_start", "char_end", "line_boxes")
_ANEW = (
    f"Restore the files, or ingest the changed ones with {See('reindex', reparse=True)}; then "
    "check again."
)
_SAMPLE, _CHUNKS_OF_EACH = 16, 4
"""Documents, and chunks of each, whose vectors are computed again."""
_SAME = 0.99
"""Minimum cosine of two vectors of one text: models may round differently on other machines."""
_NEAR = 0.05
"""Tolerance of rectangles in points: they are stored in single precision."""


def read_again(
    folder: Path,
    snapshot: Snapshot,
    reading: ReadOptions,
    is_fresh: Callable[[Document], bool],
    tell: Callable[[str, int, int], None],
    /,
) -> tuple[Check, list[Problem]]:
    """Read every unchanged file again and compare its pages with the stored ones.

    Documents of an earlier version or other settings (*is_fresh*, *reading*) may differ without
    damage. If no file could be compared at all, the check fails. *tell* gets the action, the number
    of finished documents, and the total.
    """
    problems, compared, otherwise, absent = list[Problem](), 0, 0, 0
    documents = list(snapshot.documents.values())
    conditions = reading_conditions(reading)
    with ParsePool(reading.limits, 1, options=reading) as pool:
        for number, document in enumerate(documents):
            tell("reading files again", number, len(documents))
            path = _file(folder, document)
            if path is None:
                absent += 1
                continue
            rows = snapshot.scan(
                _PAGE_COLUMNS, revisions=[document.revision], checked=False
            ).to_pylist()
            try:
                texts = [
                    f"{document.name}, {text}" for text in _differences(folder, pool, path, rows)
                ]
            except CaseTrackError as error:
                texts = [f"{document.name} is no longer readable: {error.message}"]
            if texts and (document.read_with != conditions or not is_fresh(document)):
                otherwise += 1
                continue
            compared += 1
            problems += [Problem(text, document.document_id) for text in texts]
    good = f"{compared} of {len(documents)} files were read again and match the stored text"
    left = [f"{absent} are missing or have changed"] if absent else []
    if otherwise:
        left.append(f"{otherwise} were read by an earlier version or under other settings")
    if left:
        good += f"; of the others {' and '.join(left)}"
    if documents and not compared:
        return Check(
            "read again", ok=False, detail=f"no file was compared: {good}", remedy=_ANEW
        ), []
    return verdict("read again", problems, good, AGAIN), problems


def _file(folder: Path, document: Document) -> Path | None:
    """Return the unchanged file of a document, or ``None``."""
    if is_inside(document):
        copy = copy_of(folder, document.original_copy) if document.original_copy else None
        return copy if copy is not None and copy.is_file() else None
    return Path(document.path) if source_state(document) == "unchanged" else None


def _differences(
    folder: Path, pool: ParsePool, path: Path, rows: list[dict[str, Any]]
) -> Iterator[str]:
    rows.sort(key=lambda r: (r["page"], r["chunk_index"]))
    stored = {
        page: list(chunks) for page, chunks in itertools.groupby(rows, key=lambda r: int(r["page"]))
    }
    with spool_folder(folder) as spool, pool.read(path, spool=spool) as parsed:
        for batch in parsed.batches:
            for at, page in enumerate(batch.select(["page", "text", "lines"]).to_pylist()):
                chunks = stored.pop(page["page"], [])
                if page_text(chunks) != page["text"]:
                    yield f"page {page['page']}: the file has another text"
                elif not _same_boxes(page, PageWords(batch["words"][at]), chunks):
                    yield f"page {page['page']}: its lines have other positions"
    for number in stored:
        yield f"page {number}: the file has no such page"


def _same_boxes(page: dict[str, Any], words: PageWords, chunks: list[dict[str, Any]]) -> bool:
    """Return whether every stored rectangle is that of its line, or of the chunk's part of it."""
    for chunk in chunks:
        start, end = chunk["char_start"], chunk["char_end"]
        touched = [n for n in page["lines"] if n["end"] > start and n["start"] < end]
        made = {b["line"]: b for b in line_boxes(page["text"], touched, words, start, end)}
        for box in chunk["line_boxes"] or ():
            own = made.get(box["line"])
            if own is None or any(abs(own[side] - box[side]) > _NEAR for side in SIDES):
                return False
    return True


def embed_again(snapshot: Snapshot, encoder: ProfileEncoder, /) -> tuple[Check, list[Problem]]:
    """Embed some chunks of the models of *encoder* again, and compare the vectors."""
    problems, compared = list[Problem](), 0
    chosen = sorted(snapshot.revisions, key=lambda r: hashlib.sha256(r.encode()).digest())
    columns = (*CONTEXT_COLUMNS, "chunk_id", "document_id", "dense", "embedders")
    for revision in chosen[:_SAMPLE]:
        rows = snapshot.scan(columns, revisions=[revision]).slice(0, _CHUNKS_OF_EACH).to_pylist()
        rows = [r for r in rows if r["dense"] and encoder.fingerprint in r["embedders"]]
        shared = SharedPass((EmbedStep(encoder, encoder.dimension),), encoder.dimension)
        made = shared.read([ContextText.of(row) for row in rows])
        for row, output in zip(rows, made, strict=True):
            compared += 1
            if float(np.dot(np.asarray(row["dense"]), np.asarray(output["dense"]))) < _SAME:
                text = f"the vector of chunk {row['chunk_id']} does not match its text"
                problems.append(Problem(text, row["document_id"]))
    good = f"{compared} chunks were embedded again and match the stored vectors"
    return verdict("vectors made again", problems, good, AGAIN), problems


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
        check, deeper = read_again(
            folder, snapshot, examiner.reading, examiner.is_fresh, examiner.tell
        )
        result.checks.append(check)
        if examiner.encoder is not None:
            check, wrong = embed_again(snapshot, examiner.encoder)
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
