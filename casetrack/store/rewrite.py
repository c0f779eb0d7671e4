"""Replacement of all chunks of a collection at once, and storage of model outputs until then.

Other models make other vectors, even of another length. So all chunks are written next to the old
ones, and one Lance commit switches to them, including the metadata that names the profile (see
:func:`casetrack.store.datasets.profile_of`). Readers keep the state that they opened. Then
``collection.json`` is updated; until then the folder ``rewrite`` exists, and :func:`in_force` reads
the metadata instead.

Most of the time is spent in the models. Their outputs are kept in that folder, one file per few
texts, so that a stopped run continues where it stopped.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base import schema
from casetrack.base.errors import CollectionBusy, StorageError
from casetrack.base.files import put_in_place, storage_errors
from casetrack.store import commits
from casetrack.store.checksums import stamped
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, dimension_of, marks, open_dataset, profile_of
from casetrack.store.info import read_info, update_info
from casetrack.store.lock import alone, write_lock
from casetrack.store.place import place_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from casetrack.base.records import CollectionInfo

_STAGE = "rewrite"
KEY = "key"
"""Column with the key of the text from which an output was computed."""


def swap(
    folder: Path, chunks: Iterable[pa.RecordBatch], /, *, profile: str, dimension: int
) -> None:
    """Replace all chunks by *chunks* in one commit; the caller holds the write lock.

    *chunks* yields every live row in batches, and may read the old chunks on demand. *profile* and
    *dimension* are those of its vectors.
    """
    import pyarrow as pa
    from lance.fragment import write_fragments

    base = open_dataset(folder, CHUNKS).version
    layout = schema.table("chunks").arrow(dimension=dimension)
    layout = layout.with_metadata(marks(profile, secrets.token_hex(8)))
    source = _Watched(chunks)
    marked = (batch for b in source for batch in _marked(b, layout).to_batches())
    batches = pa.RecordBatchReader.from_batches(layout, marked)
    place = place_of(folder)
    where = place.dataset(CHUNKS)
    with storage_errors(where):
        try:
            fragments = write_fragments(
                batches,
                where,
                mode="overwrite",
                enable_stable_row_ids=True,
                storage_options=place.options,
            )
        except Exception:
            if source.error is not None:
                # Lance would replace it by its own error.
                raise source.error from None
            raise
    commits.replace(folder, fragments, layout, base)


class _Watched:
    """An iterator over batches that keeps the error that ended it."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._batches = batches
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._batches
        except Exception as error:
            self.error = error
            raise


def _marked(batch: pa.RecordBatch, layout: pa.Schema) -> pa.Table:
    import pyarrow as pa

    rows = pa.Table.from_batches([batch.select(layout.names)])
    return stamped(rows, "chunks").cast(layout)


# --- profile of the vectors ------------------------------------------------------------------


def is_unfinished(folder: Path, /) -> bool:
    """Return whether a rewrite is running, or was stopped before its end."""
    return (folder / _STAGE).is_dir()


def in_force(folder: Path, info: CollectionInfo, /) -> CollectionInfo:
    """Return *info* from ``collection.json`` with the actual profile of the chunks."""
    if not is_unfinished(folder):
        return info
    chunks = open_dataset(folder, CHUNKS)
    with reading(chunks.uri):
        return replace(info, profile=profile_of(chunks), dimension=dimension_of(chunks))


def settle(folder: Path, /) -> None:
    """Update ``collection.json`` from the chunks; the caller holds the write lock."""
    info = read_info(folder)
    if in_force(folder, info) != info:
        update_info(folder, lambda stored: in_force(folder, stored))


def settle_if_idle(folder: Path, /) -> None:
    """Call :func:`settle` after a killed rewrite, unless another process writes."""
    if not is_unfinished(folder):
        return
    with contextlib.suppress(CollectionBusy, StorageError), write_lock(folder, timeout=0.0):
        settle(folder)


# --- outputs of a stopped run ----------------------------------------------------------------


@contextlib.contextmanager
def rewriting(
    folder: Path, /, *, timeout: float = 0.0, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Hold the rewrite lock of a collection; other writers may still write."""
    path, whom = folder / ".rewrite.lock", "reindex of this collection"
    with alone(path, f"reindexing {folder}", timeout=timeout, cancel=cancel, whom=whom):
        yield


class Stage:
    """Model outputs by key, in files that are kept until their rewrite is done.

    Use it inside :func:`rewriting`.

    Parameters
    ----------
    models
        Identifies the models and everything else that the outputs depend on.
    alone
        Remove outputs of other models, instead of keeping them for their own run.
    """

    def __init__(
        self,
        folder: Path,
        models: str,
        columns: Sequence[str],
        dimension: int,
        /,
        *,
        alone: bool = True,
    ) -> None:
        import pyarrow as pa

        self._home = folder / _STAGE / models
        self._alone = alone
        self._layout = pa.schema(
            [
                pa.field(KEY, pa.binary(), nullable=False),
                *schema.table("chunks").arrow(columns, dimension=dimension),
            ]
        )
        self._parts: list[pa.Table] = []
        self._places: dict[bytes, tuple[int, int]] = {}
        with storage_errors(self._home):
            self._home.mkdir(parents=True, exist_ok=True)
            for other in self._home.parent.iterdir():
                if other != self._home and alone:
                    shutil.rmtree(other)
            for path in sorted(self._home.iterdir()):
                self._load(path)

    def __contains__(self, key: bytes) -> bool:
        """Return whether there are outputs for this key."""
        return key in self._places

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._places)

    def add(self, columns: dict[str, list[object]], keys: Sequence[bytes], /) -> None:
        """Store outputs: a list for each column, in the order of *keys*."""
        import pyarrow as pa

        arrays = [
            pa.array(list(keys) if field.name == KEY else columns[field.name], field.type)
            for field in self._layout
        ]
        path = self._home / f"{secrets.token_hex(8)}.arrow"
        temporary = path.with_suffix(".tmp")
        # The folder is not created again: if it is gone, the collection was deleted meanwhile.
        with storage_errors(path):
            with temporary.open("wb") as file:
                with pa.ipc.new_file(file, self._layout) as writer:
                    writer.write_table(pa.Table.from_arrays(arrays, schema=self._layout))
                file.flush()
                os.fsync(file.fileno())
            put_in_place(temporary, path)
        self._load(path)

    def take(self, keys: Sequence[bytes], /) -> pa.Table:
        """Return the outputs of *keys*, in this order."""
        import pyarrow as pa

        wanted: dict[int, list[int]] = {}
        order: dict[tuple[int, int], int] = {}
        for place in (self._places[key] for key in keys):
            if place not in order:
                order[place] = -1
                wanted.setdefault(place[0], []).append(place[1])
        pieces, position = [], 0
        for part, rows in wanted.items():
            pieces.append(self._parts[part].take(pa.array(rows, pa.int64())))
            for row in rows:
                order[part, row] = position
                position += 1
        table = pa.concat_tables(pieces) if pieces else self._layout.empty_table()
        places = [order[self._places[key]] for key in keys]
        return table.combine_chunks().take(pa.array(places, pa.int64())).drop_columns(KEY)

    def _load(self, path: Path) -> None:
        """Map a file; an incomplete one of a killed run is ignored."""
        import pyarrow as pa

        table = None
        if path.suffix == ".arrow":
            with contextlib.suppress(OSError, ValueError), pa.memory_map(str(path)) as source:
                table = pa.ipc.open_file(source).read_all()
        if table is None or table.schema != self._layout:
            del table  # Windows cannot remove a mapped file
            with contextlib.suppress(OSError):
                path.unlink()
            return
        number = len(self._parts)
        self._parts.append(table)
        for row, key in enumerate(table[KEY].to_pylist()):
            self._places.setdefault(key, (number, row))

    def clear(self) -> None:
        """Remove all outputs after the rewrite."""
        # Windows cannot remove a mapped file.
        self._parts, self._places = [], {}
        with storage_errors(self._home):
            shutil.rmtree(self._home.parent if self._alone else self._home)
            with contextlib.suppress(OSError):
                # Not while it contains outputs of other models.
                self._home.parent.rmdir()
