"""Checks of every stored row: its text, provenance and derived data (invariants P1 to P6).

Rows are read in groups of whole documents, so memory does not grow with the collection.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import CollectionDamaged, See
from casetrack.keep.health.folder import Problem, verdict
from casetrack.store import checksums
from casetrack.store.damage import reading
from casetrack.store.index.segment_files import read_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from casetrack.base.records import Check, Document
    from casetrack.store.datasets import Snapshot

# Unreadable data files of ``chunks``. A checksum detects a flipped bit in a text. A flipped bit in
# Lance's lengths and offsets makes a whole file unreadable, and every scan that includes it. So
# each file is read separately; rows of a document that the other files lack are in unreadable ones.


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Unreadable passages: numbers of unreadable and of other data files, and document ids."""

    files: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    documents: frozenset[str] = frozenset()


def find_unreadable(snapshot: Snapshot, /) -> Unreadable:
    """Read every data file separately."""
    present: Counter[str] = Counter()
    files, others = list[int](), list[int]()
    for file in snapshot.chunks.get_fragments():
        own: Counter[str] = Counter()
        try:
            with reading(snapshot.chunks.uri):
                for batch in snapshot.chunks.scanner(fragments=[file]).to_batches():
                    own.update(batch["revision"].to_pylist())
        except CollectionDamaged:
            files.append(file.fragment_id)
        else:
            others.append(file.fragment_id)
            present += own
    counts = snapshot.documents.chunk_counts
    gone = {r for r, count in counts.items() if present[r] != count} if files else set[str]()
    documents = frozenset(snapshot.revisions[revision] for revision in gone)
    return Unreadable(tuple(files), tuple(others), documents)


SPANS = ("mentions", "dates", "amounts", "citations")
_LOOKED_AT = (
    *("chunk_id", "document_id", "document_path", "revision", "chunk_index", "text"),
    *("char_count", "page", "char_start", "char_end", "paragraph_start", "paragraph_end"),
    *("line_start", "line_end", "line_boxes", "page_width", "page_height", "extraction_method"),
    *("terms", "term_counts", "term_total", "dense", "sparse_terms", "sparse_weights"),
    *("embedders", *SPANS),
)
_TOGETHER = 2048
_UNIT = 1e-3
"""Tolerance of a vector's length from 1."""
AGAIN = f"Run {See('doctor', repair=True)}: it reads the files of these documents again."


@dataclass(slots=True)
class RowChecks:
    """Problems in the rows of a collection.

    Attributes
    ----------
    altered
        Rows that differ from their checksums.
    unmarked
        Number of rows of an earlier version, without checksums.
    """

    counts: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    ledger: list[Problem] = field(default_factory=list)
    places: list[Problem] = field(default_factory=list)
    tiling: list[Problem] = field(default_factory=list)
    derived: list[Problem] = field(default_factory=list)
    boxes: list[Problem] = field(default_factory=list)
    boxed: int = 0
    altered: list[Problem] = field(default_factory=list)
    unmarked: int = 0

    @property
    def damaged(self) -> set[str]:
        """Ids of documents that are repaired by reading their file again."""
        lists = (self.ledger, self.places, self.tiling, self.derived, self.boxes, self.altered)
        return {p.document_id for problems in lists for p in problems if p.document_id is not None}

    def checks(self, documents: int, altered: list[Problem], /) -> list[Check]:
        """Return the checks for a number of documents; *altered* are damaged rows of the ledger."""
        rows = self.counts.total()
        written = f"{documents} documents and {rows} chunks match their checksums"
        if self.unmarked:
            written += (
                f"; {self.unmarked} chunks of an earlier version have no checksum until they are "
                "read or indexed again"
            )
        return [
            verdict("checksums", altered + self.altered, written, AGAIN),
            verdict(
                "documents", self.ledger, f"{documents} documents, {rows} chunks, complete", AGAIN
            ),
            verdict(
                "provenance",
                self.places,
                f"all {rows} chunks have a complete and consistent source",
                AGAIN,
            ),
            verdict(
                "page texts",
                self.tiling,
                f"{self.pages} pages can be rebuilt from their chunks",
                AGAIN,
            ),
            verdict("vectors and terms", self.derived, "every chunk has its derived data", AGAIN),
            verdict(
                "line boxes",
                self.boxes,
                f"{self.boxed} chunks can be highlighted on their page",
                AGAIN,
            ),
        ]


def check_rows(snapshot: Snapshot, lost: Unreadable | None = None, /) -> RowChecks:
    """Check every live row of a collection, except those in *lost*."""
    result, seen = RowChecks(), set[str]()
    by_revision = {d.revision: d for d in snapshot.documents.values()}
    files = None
    if lost is not None:
        files, gone = lost.others, [snapshot.documents[i] for i in sorted(lost.documents)]
        by_revision = {r: d for r, d in by_revision.items() if d not in gone}
        result.altered += [
            Problem(f"the passages of {d.name} cannot be read", d.document_id) for d in gone
        ]
    declared = schema.table("chunks").names
    lacking = set(declared) - set(snapshot.chunks.schema.names)
    for table in read_groups(snapshot, by_revision, declared, _TOGETHER, files=files):
        vectors = _vector_problems(table)
        altered = checksums.damaged(table, "chunks", lacking=lacking).tolist()
        result.unmarked += _unmarked(table)
        rows = table.select([c for c in _LOOKED_AT if c not in {"dense", *lacking}]).to_pylist()
        for row, problem, is_altered in zip(rows, vectors, altered, strict=True):
            row["vector_problem"], row["altered"] = problem, is_altered
        rows.sort(key=lambda r: (r["revision"], r["chunk_index"]))
        for revision, group in itertools.groupby(rows, key=lambda r: str(r["revision"])):
            _check_document(by_revision[revision], list(group), seen, result)
    for revision, document in by_revision.items():
        count = result.counts[revision]
        if count != document.chunk_count:
            text = f"{document.name} has {count} of {document.chunk_count} chunks"
            result.ledger.append(Problem(text, document.document_id))
    return result


def _unmarked(table: pa.Table) -> int:
    """Return the number of rows without checksums."""
    if checksums.COLUMN not in table.column_names:
        return int(table.num_rows)
    return int(table[checksums.COLUMN].null_count)


def _check_document(
    document: Document, rows: list[dict[str, Any]], seen: set[str], result: RowChecks
) -> None:
    result.counts[document.revision] += len(rows)
    document_id = document.document_id
    if [row["chunk_index"] for row in rows] != list(range(len(rows))):
        text = f"{document.name}: its chunks are not numbered consecutively"
        result.ledger.append(Problem(text, document_id))
    for row in rows:
        name = f"chunk {row['chunk_id']} of {document.name}"
        if row["chunk_id"] in seen:
            result.places.append(Problem(f"{name} exists more than once", document_id))
        seen.add(row["chunk_id"])
        if row["altered"]:
            text = (
                f"passage {row['chunk_index'] + 1} of {document.name} does not match its checksum"
            )
            result.altered.append(Problem(text, document_id))
        places = itertools.chain(row_problems(row), _source_problems(row, document))
        result.places += [Problem(f"{name}: {p}", document_id) for p in places]
        result.derived += [Problem(f"{name}: {p}", document_id) for p in derived_problems(row)]
        result.boxes += [Problem(f"{name}: {p}", document_id) for p in box_problems(row)]
        result.boxed += bool(row["line_boxes"])
    rows.sort(key=lambda r: (r["page"], r["chunk_index"]))
    for _, page in itertools.groupby(rows, key=lambda r: int(r["page"])):
        result.pages += 1
        result.tiling += [
            Problem(f"{document.name}, {p}", document_id) for p in page_problems(list(page))
        ]


def row_problems(row: dict[str, Any], /) -> Iterable[str]:
    """Yield the problems of one stored chunk's offsets and spans (P1, P4, P5)."""
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
    for name in SPANS:
        for span in row.get(name) or ():
            if row["text"][span["start"] : span["end"]] != span["text"]:
                yield f"one of its {name} is not at its stored position"
                break


def _source_problems(row: dict[str, Any], document: Document) -> Iterable[str]:
    """Yield the differences between a row and its document in the ledger (P3, P4)."""
    if row["document_id"] != document.document_id:
        yield "it refers to another document"
    if row["document_path"] != document.path:
        yield "its source file differs from that of its document"
    if row["page"] > document.page_count:
        yield f"its document has no page {row['page']}"
    if not row["extraction_method"]:
        yield "it has no extraction method"


def derived_problems(row: dict[str, Any], /) -> Iterable[str]:
    """Yield the problems of one stored chunk's derived data (P3)."""
    if row["vector_problem"]:
        yield row["vector_problem"]
    terms, counts = row["terms"], row["term_counts"]
    if len(terms) != len(counts) or sum(counts) != row["term_total"]:
        yield "its search terms and their counts do not belong together"
    if len(row.get("sparse_terms") or ()) != len(row.get("sparse_weights") or ()):
        yield "its word weights do not belong together"


def _vector_problems(table: pa.Table) -> Iterator[str]:
    """Yield the problem of each row's vector, or an empty text."""
    import numpy as np

    from casetrack.store.index.arrays import as_numpy, one_chunk

    dense = one_chunk(table["dense"])
    size = dense.type.list_size
    flat = as_numpy(dense.values.slice(dense.offset * size, len(dense) * size))
    lengths = np.linalg.norm(flat.reshape(-1, size).astype(np.float32), axis=1)
    valid = dense.is_valid().to_pylist()
    for is_there, length, names in zip(
        valid, lengths.tolist(), table["embedders"].to_pylist(), strict=True
    ):
        if is_there is not bool(names):
            yield "it has a vector of an unknown model" if is_there else "its vector is missing"
        elif is_there and not abs(length - 1.0) <= _UNIT:
            yield "the length of its vector is not 1"
        else:
            yield ""


def box_problems(row: dict[str, Any], /) -> Iterable[str]:
    """Yield the problems that prevent highlighting of a chunk (P6)."""
    width, height = row["page_width"], row["page_height"]
    for box in row["line_boxes"] or ():
        if not row["line_start"] <= box["line"] <= row["line_end"]:
            yield f"it has the rectangle of line {box['line']}, which is not one of its lines"
            return
        if not (box["x0"] <= box["x1"] and box["y0"] <= box["y1"]):
            yield f"the rectangle of line {box['line']} is impossible"
            return
        if width is None or height is None:
            continue
        # A line may cross the edge of its page.
        across = box["x0"] < width and box["x1"] > 0
        if not (across and box["y0"] < height and box["y1"] > 0):
            yield f"the rectangle of line {box['line']} is not on its page"
            return


def page_problems(chunks: list[dict[str, Any]], /) -> Iterable[str]:
    """Yield the problems that prevent rebuilding a page from its ordered chunks (P2)."""
    if chunks[0]["char_start"] != 0:
        yield f"page {chunks[0]['page']}: its beginning is missing"
    for before, after in itertools.pairwise(chunks):
        shared = before["char_end"] - after["char_start"]
        if shared < 0:
            yield f"page {after['page']}: text is missing before chunk {after['chunk_id']}"
        elif before["text"][len(before["text"]) - shared :] != after["text"][:shared]:
            yield f"page {after['page']}: chunk {after['chunk_id']} contradicts the one before"


def page_text(chunks: list[dict[str, Any]], /) -> str:
    """Return the text of a page from its ordered chunks, which must tile it."""
    text = ""
    for chunk in chunks:
        text += chunk["text"][len(text) - chunk["char_start"] :]
    return text
