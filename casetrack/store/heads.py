"""What the newest versions of both datasets are: noted by who writes, compared by who reads.

Lance takes the newest manifest that lies there for the newest version. One that is gone makes an
earlier state look like the present one, one that is all zeros an empty dataset, and a flipped bit
in it, or in a file of deletions, takes a document away or brings one back. So the writer notes in
``heads.json`` which versions it leaves, the digest of their manifests, and which documents there
are; a reader who finds something else is told, not given it.

A note that is missing, damaged or behind (the last writer was killed) says nothing against what is
found.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import xxhash

from casetrack.base.errors import CollectionDamaged, See
from casetrack.base.files import write_atomic
from casetrack.store import audit, mirror
from casetrack.store.facts import sealed, unsealed
from casetrack.store.place import dataset_files, files_of, stands_in

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa

    from casetrack.store.place import StoredFile

FILE = "heads.json"
VERSIONS = "_versions"
"""Folder of a dataset that holds a file for each of its versions."""
_DOCUMENTS, _CHUNKS = "documents.lance", "chunks.lance"
_COUNTED_DOWN = 2**64 - 1
"""Manifests are named by what is left to this number, so that the newest one comes first."""
_NAME = re.compile(r"(\d{1,20})\.manifest")
_HINT = (
    f"Run {See('doctor', repair=True)}: it goes back to the last state that is whole, and says "
    "what is missing. Or restore the folder from a backup."
)


@dataclass(frozen=True, slots=True)
class Heads:
    """What a writer left.

    Attributes
    ----------
    documents, chunks
        Versions of the two datasets.
    documents_digest, chunks_digest
        Of their manifests.
    rows
        Documents in the ledger.
    rows_digest
        Of their revisions, in the order of the ledger.
    pages, passages
        Sums over the documents.
    audit
        The last entry of the audit log then; see :func:`casetrack.store.audit.bound`.
    """

    documents: int
    documents_digest: str
    chunks: int
    chunks_digest: str
    rows: int
    rows_digest: str
    pages: int
    passages: int
    audit: dict[str, Any] = field(default_factory=dict)


def note(folder: Path, ledger: Any, chunks: Any, /) -> None:
    """Note the two newest versions, which the caller has opened; it holds the write lock.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        The note cannot be written.
    """
    rows = ledger.to_table(columns=["revision", "page_count", "chunk_count"])
    made = Heads(
        documents=ledger.version,
        documents_digest=_digest(ledger) or "",
        chunks=chunks.version,
        chunks_digest=_digest(chunks) or "",
        rows=rows.num_rows,
        rows_digest=_rows_digest(rows),
        pages=sum(rows["page_count"].to_pylist()),
        passages=sum(rows["chunk_count"].to_pylist()),
        audit=audit.bound(folder),
    )
    if made == noted(folder):
        return
    # Of a loss of power it is no witness: what it leaves torn says nothing.
    write_atomic(folder / FILE, sealed(asdict(made), indent=2), durable=False)


def noted(folder: Path, /) -> Heads | None:
    """Return what the last writer has noted; ``None`` where nothing whole is there."""
    try:
        return Heads(**unsealed((folder / FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def counted(folder: Path, /) -> Heads | None:
    """Return the note where it speaks of what lies there now, without opening a dataset.

    ``None`` where nobody has counted that: count it.
    """
    if stands_in(folder):
        # What was published under the lease of a writer is of its end.
        mirror.pull(folder)
        return noted(folder)
    heads = noted(folder)
    if heads is None:
        return None
    for name, version, digest in (
        (_DOCUMENTS, heads.documents, heads.documents_digest),
        (_CHUNKS, heads.chunks, heads.chunks_digest),
    ):
        newest = next(iter(manifests(folder, name).items()), None)
        if newest is None or newest[0] != version or _file_digest(newest[1]) != digest:
            return None
    return heads


def require(heads: Heads | None, ledger: Any, rows: pa.Table, chunks: Any, /) -> None:
    """Compare what a reader has opened with what the last writer had noted before.

    Parameters
    ----------
    heads
        What :func:`noted` returned before anything was opened.
    ledger, rows, chunks
        The datasets, and all rows of the first.

    Raises
    ------
    CollectionDamaged
        It is not what was written.
    """
    if heads is None:
        return
    if ledger.version < heads.documents or chunks.version < heads.chunks:
        raise CollectionDamaged(
            "The newest state of this collection is lost: what lies there is an earlier one, with "
            f"{rows.num_rows:,} documents; {heads.rows:,} were stored.",
            hint=_HINT,
        )
    wrong = not is_noted_ledger(heads, ledger, rows)
    wrong |= chunks.version == heads.chunks and _digest(chunks) not in {None, heads.chunks_digest}
    if wrong:
        raise CollectionDamaged(
            "The list of documents of this collection is not what was stored: of "
            f"{heads.rows:,} documents it names {rows.num_rows:,}, or others.",
            hint=_HINT,
        )


def is_noted_ledger(heads: Heads | None, ledger: Any, rows: pa.Table, /) -> bool:
    """Return whether a ledger and its rows are those that were noted, or newer ones."""
    if heads is None or ledger.version != heads.documents:
        return heads is None or ledger.version > heads.documents
    is_same = (rows.num_rows, _rows_digest(rows)) == (heads.rows, heads.rows_digest)
    return is_same and _digest(ledger) in {None, heads.documents_digest}


def confirm(folder: Path, ledger: Any, chunks: Any, /) -> None:
    """Compare what a writer has opened with what the last one had left, before it writes.

    What it leaves becomes the next note: without this, a loss would be taken for the present state,
    and what is left of it cleaned away.

    Raises
    ------
    CollectionDamaged
        It is not what was written.
    """
    heads = noted(folder)
    if heads is not None:
        require(heads, ledger, ledger.to_table(columns=["revision"]), chunks)


def manifests(folder: Path, name: str, /) -> dict[int, StoredFile]:
    """Return the files of the versions of a collection's dataset, by number, newest first."""
    return _by_number(files_of(folder, name, VERSIONS))


def manifests_of(dataset: Any, /) -> dict[int, StoredFile]:
    """Return the files of an open dataset's versions, by number, the newest first."""
    return _by_number(dataset_files(dataset, VERSIONS))


def _by_number(files: Iterable[StoredFile]) -> dict[int, StoredFile]:
    found = {}
    for file in files:
        fits = _NAME.fullmatch(file.name)
        if fits:
            number = int(fits[1])
            # Names of few digits are of an older form, which counts up.
            found[_COUNTED_DOWN - number if len(fits[1]) == 20 else number] = file
    return dict(sorted(found.items(), reverse=True))


def _digest(dataset: Any) -> str | None:
    """Return the digest of the manifest of an open dataset; ``None`` where that is cleaned away."""
    file = manifests_of(dataset).get(dataset.version)
    return None if file is None else _file_digest(file)


def _file_digest(file: StoredFile) -> str | None:
    try:
        return xxhash.xxh3_64(file.read()).hexdigest()
    except FileNotFoundError:
        return None


def _rows_digest(rows: pa.Table) -> str:
    return digest_of(rows["revision"].to_pylist())


def digest_of(revisions: Iterable[str], /) -> str:
    """Return the digest of the revisions of a ledger, in its order."""
    return xxhash.xxh3_64("\n".join(revisions).encode()).hexdigest()
