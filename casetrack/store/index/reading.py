"""Reads the rows of many revisions in groups of bounded size, each row once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.store.checksums import blanked, with_families
from casetrack.store.damage import reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.store.datasets import Snapshot

_FEW = 256
"""Up to so many revisions go by a condition; more, by the files that hold them."""
_FRAGMENT_BITS = 32
"""A row's address is the number of its file, and its place in it in the lower bits."""


def read_groups(
    snapshot: Snapshot,
    revisions: Iterable[str],
    columns: Sequence[str],
    most: int,
    /,
    *,
    blank: bool = False,
    files: Sequence[int] | None = None,
) -> Iterator[pa.Table]:
    """Yield the rows of *revisions* in tables of whole revisions.

    Parameters
    ----------
    snapshot
        The collection.
    revisions
        Revisions to read.
    columns
        Their columns; those that the stored table lacks are left out. ``_rowid`` is added.
        Nothing is compared with its checksum here.
    most
        Rows of a table; only a single longer revision has more.
    blank
        Empty the rows that are not what was written, but for the places that they keep, so that
        nothing is made of them.
    files
        Numbers of the data files to look into; all by default.
    """
    if blank:
        for table in read_groups(snapshot, revisions, with_families(columns, "chunks"), most):
            yield blanked(table, "chunks", lacking=snapshot.lacking).select(
                [name for name in table.column_names if name in columns or name == "_rowid"]
            )
        return
    wanted = sorted(revisions)
    stored = set(snapshot.chunks.schema.names)
    present = [name for name in columns if name in stored]
    if len(wanted) <= _FEW and files is None:
        for group in _groups(wanted, snapshot.documents.chunk_counts, most):
            yield snapshot.scan(present, revisions=group, with_row_id=True, checked=False)
        return
    # A condition on thousands of values looks at every row once more for every group.
    held = _files_of(snapshot, wanted, files)
    wanted.sort(key=lambda revision: held.get(revision, [0]))
    for group in _groups(wanted, snapshot.documents.chunk_counts, most):
        numbers = sorted({n for revision in group for n in held.get(revision, ())})
        yield _rows_in(snapshot, numbers, group, present)


def _groups(revisions: Iterable[str], sizes: dict[str, int], most: int) -> Iterator[list[str]]:
    group, rows = list[str](), 0
    for revision in revisions:
        if group and rows + sizes[revision] > most:
            yield group
            group, rows = [], 0
        group.append(revision)
        rows += sizes[revision]
    if group:
        yield group


def _files_of(
    snapshot: Snapshot, revisions: list[str], among: Sequence[int] | None
) -> dict[str, list[int]]:
    """Return the numbers of the data files that hold each revision."""
    values, found, chunks = pa.array(revisions), dict[str, set[int]](), snapshot.chunks
    with reading(chunks.uri):
        some = None if among is None else [chunks.get_fragment(number) for number in among]
        scanner = chunks.scanner(columns=["revision"], with_row_address=True, fragments=some)
        for batch in scanner.to_batches():
            files = pc.shift_right(batch["_rowaddr"], pa.scalar(_FRAGMENT_BITS, pa.uint64()))
            table = pa.table({"revision": batch["revision"], "file": files})
            pairs = table.filter(pc.is_in(table["revision"], value_set=values))
            for row in pairs.group_by(["revision", "file"]).aggregate([]).to_pylist():
                found.setdefault(row["revision"], set()).add(row["file"])
    return {revision: sorted(numbers) for revision, numbers in found.items()}


def _rows_in(
    snapshot: Snapshot, numbers: list[int], revisions: list[str], columns: list[str]
) -> pa.Table:
    """Read *revisions* from the data files *numbers*, batch by batch."""
    values, chunks = pa.array(revisions), snapshot.chunks
    with reading(chunks.uri):
        files = [chunks.get_fragment(number) for number in numbers]
        scanner = chunks.scanner(columns=columns, fragments=files, with_row_id=True)
        kept = [b.filter(pc.is_in(b["revision"], value_set=values)) for b in scanner.to_batches()]
        return pa.Table.from_batches(kept, scanner.projected_schema)
