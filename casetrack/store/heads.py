"""The newest versions of both datasets, noted by writers and compared by readers.

Lance uses the newest manifest file as the newest version. A lost manifest makes an earlier state
look like the present one, a zeroed one an empty dataset, and a flipped bit in it or in a deletion
file removes or restores a document. So the writer notes in ``heads.json`` the versions it leaves,
the digests of their manifests, and the documents; a reader that opens another state gets an error.

A missing, damaged or outdated note (the last writer was killed) proves nothing.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

import xxhash

from casetrack.base.dataclass import asdict, dataclass, field
from casetrack.base.errors import CollectionDamaged, See
from casetrack.base.files import write_atomic
from casetrack.store import audit, mirror
from casetrack.store.facts import sealed, unsealed
from casetrack.store.place import StoredFile, dataset_files, files_of, is_remote_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa


FILE = "heads.json"
STATE = "views/state.arrow"
"""File of :mod:`casetrack.store.state_view`, which names the documents of an earlier state."""
VERSIONS = "_versions"
"""Subfolder of a dataset with one file per version."""
_DOCUMENTS, _CHUNKS = "documents.lance", "chunks.lance"
_COUNTED_DOWN = 2**64 - 1
"""Manifest names count down from this number, so that the newest one sorts first."""
_NAME = re.compile(r"(\d{1,20})\.manifest")
_HINT = (
    f"Run {See('doctor', repair=True)}: it restores the last intact state, and reports missing "
    "documents. Or restore the folder from a backup."
)


@dataclass(frozen=True, slots=True)
class Heads:
    """The state that a writer left: versions, digests and counts, and the last audit entry."""

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
    """Note the two newest versions, which the caller has opened under the write lock."""
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
    with contextlib.suppress(OSError):
        (folder / STATE).unlink(missing_ok=True)
    # Need not survive a power loss: a torn note proves nothing.
    write_atomic(folder / FILE, sealed(asdict(made), indent=2), durable=False)


def noted(folder: Path, /) -> Heads | None:
    """Return the note of the last writer; ``None`` if it is missing or damaged."""
    try:
        return Heads(**unsealed((folder / FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def counted(folder: Path, /) -> Heads | None:
    """Return the note if it describes the present files, without opening a dataset."""
    if is_remote_folder(folder):
        # The lease holder publishes the note together with the end of its changes.
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
    """Compare the datasets opened by a reader with the note *heads*, which was read before."""
    if heads is None:
        return
    if ledger.version < heads.documents or chunks.version < heads.chunks:
        raise CollectionDamaged(
            "The newest state of this collection is lost: the stored state is an earlier one, "
            f"with {rows.num_rows:,} documents; {heads.rows:,} were stored.",
            hint=_HINT,
        )
    wrong = not is_noted_ledger(heads, ledger, rows)
    wrong |= chunks.version == heads.chunks and _digest(chunks) not in {None, heads.chunks_digest}
    if wrong:
        raise CollectionDamaged(
            f"The list of documents of this collection is damaged: {heads.rows:,} documents were "
            f"stored, and it has {rows.num_rows:,}, or different ones.",
            hint=_HINT,
        )


def is_noted_ledger(heads: Heads | None, ledger: Any, rows: pa.Table, /) -> bool:
    """Return whether a ledger and its rows match the note, or are newer."""
    if heads is None or ledger.version != heads.documents:
        return heads is None or ledger.version > heads.documents
    is_same = (rows.num_rows, _rows_digest(rows)) == (heads.rows, heads.rows_digest)
    return is_same and _digest(ledger) in {None, heads.documents_digest}


def confirm(folder: Path, ledger: Any, chunks: Any, /) -> None:
    """Compare the datasets opened by a writer with the note of the last one, before it writes.

    Its own note would otherwise accept a loss as the present state, and cleanup would remove the
    rest.
    """
    heads = noted(folder)
    if heads is not None:
        require(heads, ledger, ledger.to_table(columns=["revision"]), chunks)


def manifests(folder: Path, name: str, /) -> dict[int, StoredFile]:
    """Return the version files of a collection's dataset, by number, newest first."""
    return _by_number(files_of(folder, name, VERSIONS))


def manifests_of(dataset: Any, /) -> dict[int, StoredFile]:
    """Return the version files of an open dataset, by number, newest first."""
    return _by_number(dataset_files(dataset, VERSIONS))


def _by_number(files: Iterable[StoredFile]) -> dict[int, StoredFile]:
    files_by = {}
    for file in files:
        fits = _NAME.fullmatch(file.name)
        if fits:
            number = int(fits[1])
            # Short names are of an older format, which counts up.
            files_by[_COUNTED_DOWN - number if len(fits[1]) == 20 else number] = file
    return dict(sorted(files_by.items(), reverse=True))


def _digest(dataset: Any) -> str | None:
    """Return the digest of an open dataset's manifest; ``None`` if it was cleaned away."""
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
