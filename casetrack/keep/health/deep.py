"""The deep check: unchanged source files are read again and compared (P1, P6)."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.errors import CaseTrackError, See
from casetrack.base.records import Check, Document
from casetrack.ingest.batch import reading_conditions
from casetrack.ingest.staleness import is_inside, source_state
from casetrack.ingest.steps.chunking import SIDES, PageWords, line_boxes
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS, ContextText, EmbedStep, SharedPass
from casetrack.keep.health.folder import Problem, verdict
from casetrack.keep.health.rows import AGAIN, page_text
from casetrack.parse.workers.pool import ParsePool
from casetrack.store.originals import copy_of
from casetrack.store.scratch import spool_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.models.base import ProfileEncoder
    from casetrack.parse.base import ReadOptions
    from casetrack.store.datasets import Snapshot

_COLUMNS = ("chunk_index", "page", "text", "char_start", "char_end", "line_boxes")
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
            rows = snapshot.scan(_COLUMNS, revisions=[document.revision], checked=False).to_pylist()
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
