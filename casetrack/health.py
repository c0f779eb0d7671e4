"""``casetrack doctor``: is everything stored whole, cited, in step with its index, and readable."""

from __future__ import annotations

import itertools
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack import schema
from casetrack.errors import CaseTrackError, OcrUnavailable
from casetrack.ingest.plan import file_facts
from casetrack.records import Check, HealthReport
from casetrack.store.datasets import CHUNKS, open_dataset, open_snapshot
from casetrack.store.info import read_info
from casetrack.store.lock import try_lock
from casetrack.store.rewrite import is_unfinished
from casetrack.store.session import leftovers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from casetrack.records import Document
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index

_SPANS = ("mentions", "dates", "amounts", "citations")
_COLUMNS = (
    "chunk_id",
    "document_id",
    "revision",
    "chunk_index",
    "text",
    "char_count",
    "page",
    "char_start",
    "char_end",
    "paragraph_start",
    "paragraph_end",
    "line_start",
    "line_end",
    "terms",
    "term_total",
    *_SPANS,
)
_FREE_BYTES = 500 * 2**20
_NAMED = 3
_WITHOUT_NAMES = "Latin, Greek, Chinese and Japanese script"
_PULL_NETWORKS = "Run `casetrack models pull rapidocr`."


def check_collection(folder: Path, open_index: Callable[[], Index], /) -> HealthReport:
    """Check one collection: its data, its provenance, its index, its sources.

    Parameters
    ----------
    folder
        The collection's folder.
    open_index
        Returns its search index.
    """
    try:
        snapshot = open_snapshot(folder)
        table = snapshot.scan(_COLUMNS)
        index = open_index()
    except CaseTrackError as error:
        return HealthReport((Check("data", ok=False, detail=error.message, remedy=error.hint),))
    return HealthReport(
        (
            _schema(folder),
            _ledger(snapshot, table),
            _leftovers(folder, snapshot),
            _provenance(table),
            _tiling(table),
            _index(snapshot, index),
            _sources(folder, snapshot),
        )
    )


def damaged_collection(folder: Path, reason: str, /) -> Check:
    """Return the check of a folder that cannot be read as a collection."""
    return Check(
        f"collection in {folder.name}",
        ok=False,
        detail=reason,
        remedy="Restore its collection.json from a backup, or remove the folder.",
    )


def check_data_dir(folder: Path, /) -> Check:
    """Check that the data folder has room."""
    if not folder.exists():
        detail = f"{folder} does not exist yet; it is made with the first collection."
        return Check("data folder", ok=True, detail=detail)
    free = shutil.disk_usage(folder).free
    return Check(
        "data folder",
        ok=free > _FREE_BYTES,
        detail=f"{folder}, {free / 2**30:.1f} GiB free",
        remedy="Free some space on this disk.",
    )


def check_models(folder: Path, /) -> list[Check]:
    """Check every file of every model against its published hash, and that pictures can be read."""
    return [*_search_models(folder), check_ocr(folder)]


def check_ocr(folder: Path, /) -> Check:
    """Check which engine reads pictures of text where none is named, and in which languages.

    Parameters
    ----------
    folder
        The models folder.
    """
    from casetrack.config import OcrSettings
    from casetrack.ocr.choose import choose_engine, second_engine

    name, auto = "text recognition", OcrSettings()
    try:
        engine = choose_engine(auto, folder)
        second = second_engine(engine, auto, folder)
        uses_networks = "rapidocr" in {engine.name, second and second.name}
        problems = _damaged_networks(folder) if uses_networks else []
    except OcrUnavailable as error:
        return Check(name, ok=False, detail=error.message, remedy=error.hint)
    detail = f"{engine.name} ({', '.join(engine.languages) or _WITHOUT_NAMES})"
    if second is not None:
        detail += f"; {second.name} reads again where it is unsure"
    return _verdict(name, problems, detail, _PULL_NETWORKS)


def _damaged_networks(folder: Path) -> list[str]:
    """Return what is wrong with RapidOCR's networks: pages would fail on them, not the start."""
    from casetrack.ocr.fetch import missing
    from casetrack.ocr.weights import RAPID, find_weights

    place = find_weights(folder)
    return [f"{file.name} in {place} is wrong" for file in missing(RAPID, place)]


def _search_models(folder: Path) -> list[Check]:
    from casetrack.models import pull

    found = pull.installed(folder)
    if not found:
        return [
            Check(
                "models",
                ok=False,
                detail=f"No model in {folder}: only keyword search works.",
                remedy="Run `casetrack models pull`.",
            )
        ]
    checks = []
    for model in found:
        files = pull.verify(model.name, folder)
        problems = [f"{f.name} is {f.state}" for f in files if f.state != "ok"]
        remedy = f"Run `casetrack models pull {model.name}` again."
        checks.append(_verdict(f"model {model.name}", problems, "all files as published", remedy))
    return checks


def _schema(folder: Path) -> Check:
    try:
        declared = schema.table("chunks")
        declared.check(open_dataset(folder, CHUNKS).schema, where="stored chunks")
    except CaseTrackError as error:
        return Check("schema", ok=False, detail=error.message, remedy=error.hint)
    return Check("schema", ok=True, detail=f"version {read_info(folder).schema_version}")


def _ledger(snapshot: Snapshot, table: pa.Table) -> Check:
    found = Counter(table["revision"].to_pylist())
    wrong = [d for d in snapshot.documents.values() if found[d.revision] != d.chunk_count]
    documents, chunks = len(snapshot.documents), table.num_rows
    return _verdict(
        "documents",
        [f"{d.name} has {found[d.revision]} of {d.chunk_count} chunks" for d in wrong],
        f"{documents} documents, {chunks} chunks, all there",
        "Ingest these documents again with --force.",
    )


def _leftovers(folder: Path, snapshot: Snapshot) -> Check:
    """Rows that no document names are invisible, and swept by the next write."""
    rows = snapshot.chunks.count_rows()
    live = sum(snapshot.documents.chunk_counts.values())
    with try_lock(folder / ".write.lock") as idle:
        pending = leftovers(folder) if idle else []
    if idle and rows == live and is_unfinished(folder):
        detail = "a stopped reindex; `casetrack reindex` goes on with it"
        return Check("leftovers", ok=True, detail=detail)
    if not idle:
        return Check("leftovers", ok=True, detail="somebody is writing right now")
    return Check(
        "leftovers",
        ok=rows == live or bool(pending),
        detail=f"{rows - live} rows of stopped work, removed by the next change"
        if rows > live
        else "none",
        remedy="Ingest or delete any document: the next change removes them.",
    )


def _provenance(table: pa.Table) -> Check:
    """P1, P4 and P5 as far as the stored rows tell: spans fit their texts, numbers count from 1."""
    problems = []
    ids = Counter(table["chunk_id"].to_pylist())
    problems += [f"chunk {i} is there {n} times" for i, n in ids.items() if n > 1]
    columns = [c for c in _COLUMNS if c not in {"terms", "term_total"}]
    for row in table.select(columns).to_pylist():
        problems += [f"chunk {row['chunk_id']}: {p}" for p in row_problems(row)]
    good = f"all {table.num_rows} chunks have a whole and consistent source"
    return _verdict("provenance", problems, good, "Ingest the documents again with --force.")


def row_problems(row: dict[str, Any], /) -> Iterable[str]:
    """Yield what is wrong with the place of one stored chunk."""
    length = len(row["text"])
    if not row["text"].strip():
        yield "its text is empty"
    if row["char_end"] - row["char_start"] != length or row["char_count"] != length:
        yield "its character offsets do not fit its text"
    if row["page"] < 1 or row["char_start"] < 0:
        yield "its page or offset is impossible"
    for name in ("paragraph", "line"):
        if not 1 <= row[f"{name}_start"] <= row[f"{name}_end"]:
            yield f"its {name} numbers are impossible"
    for name in _SPANS:
        for span in row.get(name) or ():
            if row["text"][span["start"] : span["end"]] != span["text"]:
                yield f"one of its {name} is not where it is said to be"
                break


def _tiling(table: pa.Table) -> Check:
    """P2: the chunks of a page cover it without a gap, and agree where they overlap."""
    columns = ["document_id", "page", "chunk_index", "char_start", "char_end", "text", "chunk_id"]
    rows = sorted(
        table.select(columns).to_pylist(),
        key=lambda r: (r["document_id"], r["page"], r["chunk_index"]),
    )
    problems: list[str] = []
    for _, page in itertools.groupby(rows, key=lambda r: (r["document_id"], r["page"])):
        problems += page_problems(list(page))
    pages = len({(r["document_id"], r["page"]) for r in rows})
    good = f"{pages} pages can be rebuilt from their chunks"
    return _verdict("page texts", problems, good, "Ingest the documents again with --force.")


def page_problems(chunks: list[dict[str, Any]], /) -> Iterable[str]:
    """Yield what keeps a page from being rebuilt from its chunks, given in order."""
    if chunks[0]["char_start"] != 0:
        yield f"page {chunks[0]['page']}: its beginning is missing"
    for before, after in itertools.pairwise(chunks):
        shared = before["char_end"] - after["char_start"]
        if shared < 0:
            yield f"page {after['page']}: text is missing before chunk {after['chunk_id']}"
        elif before["text"][len(before["text"]) - shared :] != after["text"][:shared]:
            yield f"page {after['page']}: chunk {after['chunk_id']} disagrees with the one before"


def _index(snapshot: Snapshot, index: Index) -> Check:
    """Check that the index holds exactly the live chunks."""
    live = sum(snapshot.documents.chunk_counts.values())
    vectors = f"{index.embedded_count} of them with a vector"
    return Check(
        "search index",
        ok=index.chunk_count == live,
        detail=f"{index.chunk_count} of {live} chunks, {vectors}",
        remedy="Delete the folder `views` of the collection; it is made anew by the next search.",
    )


def _source(folder: Path, document: Document) -> Path:
    """Return a document's file; an attachment's is the copy inside the collection."""
    attached = document.parent_id is not None or Path(document.path).parent.is_file()
    if attached and document.original_copy is not None:
        return folder / document.original_copy
    return Path(document.path)


def _sources(folder: Path, snapshot: Snapshot) -> Check:
    """Source files may change or vanish; citations then point to what was there at ingestion."""
    gone, changed = [], []
    for document in snapshot.documents.values():
        path = _source(folder, document)
        if not path.exists():
            gone.append(document.name)
        elif path.stat().st_size != document.file_size:
            changed.append(document.name)
        elif path.stat().st_mtime != document.file_modified_at.timestamp():
            try:
                if file_facts(path).hash != document.file_hash:
                    changed.append(document.name)
            except CaseTrackError:
                changed.append(document.name)
    problems = [f"{name} is no longer there" for name in gone]
    problems += [f"{name} has changed since" for name in changed]
    good = f"all {len(snapshot.documents)} files are as they were ingested"
    return _verdict(
        "source files", problems, good, "Ingest changed files again; delete documents not needed."
    )


def _verdict(name: str, problems: list[str], good: str, remedy: str) -> Check:
    if not problems:
        return Check(name, ok=True, detail=good)
    shown = "; ".join(problems[:_NAMED])
    more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
    return Check(name, ok=False, detail=shown + more, remedy=remedy)
