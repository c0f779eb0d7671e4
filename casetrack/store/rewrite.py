"""Replacing all chunks of a collection at once, and what models made of them until then.

Other models make other vectors, of another length even. So all chunks are written anew beside the
old ones, and one commit of Lance switches from the old to the new, together with the mark that
says whose vectors they are (see :func:`casetrack.store.datasets.profile_of`). Who reads keeps the
state that was opened. ``collection.json`` follows; until it does, the folder ``rewrite`` is there,
and :func:`in_force` looks at the mark instead.

Most of the time goes into the models. What they make is kept in that folder, a file for each few
texts, so that a stopped run is gone on with where it stopped.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base import schema
from casetrack.base.errors import CollectionBusy, JobStopped, StorageError
from casetrack.base.files import put_in_place, storage_errors
from casetrack.store import commits
from casetrack.store.checksums import stamped
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, dimension_of, marks, open_dataset, profile_of
from casetrack.store.info import read_info, update_info
from casetrack.store.lock import file_lock, write_lock
from casetrack.store.place import place_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from casetrack.base.records import CollectionInfo

_STAGE = "rewrite"
KEY = "key"
"""Column of what is kept that tells which text it was made of."""


def swap(
    folder: Path, chunks: Iterable[pa.RecordBatch], /, *, profile: str, dimension: int
) -> None:
    """Replace all chunks by *chunks* in one commit; the caller holds the write lock.

    Parameters
    ----------
    folder
        The collection's folder.
    chunks
        Every live row of ``chunks``, in batches; may be read from the old ones as they are asked
        for.
    profile, dimension
        Whose vectors they hold, and how long these are.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        They cannot be written; nothing has changed.
    Exception
        Whatever *chunks* raises; nothing has changed.
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
                # Lance would hide it behind an error of its own.
                raise source.error from None
            raise
    commits.replace(folder, fragments, layout, base)


class _Watched:
    """Passes batches on and remembers the error that ended them."""

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


# --- whose vectors a collection holds --------------------------------------------------------


def is_unfinished(folder: Path, /) -> bool:
    """Return whether a rewrite is at work, or was stopped before its end."""
    return (folder / _STAGE).is_dir()


def in_force(folder: Path, info: CollectionInfo, /) -> CollectionInfo:
    """Return *info*, as ``collection.json`` has it, with the profile that the chunks are of."""
    if not is_unfinished(folder):
        return info
    chunks = open_dataset(folder, CHUNKS)
    with reading(chunks.uri):
        return replace(info, profile=profile_of(chunks), dimension=dimension_of(chunks))


def settle(folder: Path, /) -> None:
    """Make ``collection.json`` say what the chunks say; the caller holds the write lock."""
    info = read_info(folder)
    if in_force(folder, info) != info:
        update_info(folder, lambda found: in_force(folder, found))


def settle_if_idle(folder: Path, /) -> None:
    """Do the same for a rewrite that was killed, unless somebody writes just now.

    Where the folder is read-only it stays as it is; :func:`in_force` tells the truth all the same.
    """
    if not is_unfinished(folder):
        return
    with contextlib.suppress(CollectionBusy, StorageError), write_lock(folder, timeout=0.0):
        settle(folder)


# --- what is kept of a stopped run -----------------------------------------------------------


@contextlib.contextmanager
def rewriting(
    folder: Path, /, *, timeout: float = 0.0, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Be the only one who rewrites this collection; others may write to it meanwhile.

    Parameters
    ----------
    folder
        The collection's folder.
    timeout
        Seconds to wait for another who rewrites it; a negative number means as long as it takes.
    cancel
        Set it to stop waiting.

    Raises
    ------
    CollectionBusy
        Another process rewrites it.
    JobStopped
        *cancel* was set while another was at work.
    """
    import filelock

    path = folder / ".rewrite.lock"
    lock = file_lock(path)
    with storage_errors(path):
        try:
            lock.acquire(timeout=timeout, cancel_check=cancel.is_set if cancel else None)
        except filelock.Timeout as error:
            if cancel is not None and cancel.is_set():
                raise JobStopped(
                    "Stopped while waiting for another reindex of this collection; nothing was "
                    "done.",
                    hint="Run the same command again to go on.",
                ) from error
            raise CollectionBusy(
                f"Another CaseTrack process is reindexing {folder}.",
                hint="Wait for it to finish, or stop it; then run the command again.",
            ) from error
    try:
        yield
    finally:
        lock.release()


class Stage:
    """Outputs of models by key, kept in files until the rewrite they are for is done.

    Use it inside :func:`rewriting`.

    Parameters
    ----------
    folder
        The collection's folder.
    models
        Names the models and everything else that the outputs depend on.
    columns
        Columns of ``chunks`` that they make.
    dimension
        Length of the dense vectors.
    alone
        Remove what other models left; else it is kept for the run that left it.
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
        """Return whether there are outputs of this key."""
        return key in self._places

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._places)

    def add(self, columns: dict[str, list[object]], keys: Sequence[bytes], /) -> None:
        """Keep outputs: a list for each column, in the order of *keys*.

        Raises
        ------
        DiskFull, NotWritable, StorageError
            They cannot be written.
        """
        import pyarrow as pa

        arrays = [
            pa.array(list(keys) if field.name == KEY else columns[field.name], field.type)
            for field in self._layout
        ]
        path = self._home / f"{secrets.token_hex(8)}.arrow"
        temporary = path.with_suffix(".tmp")
        # The folder is not made anew: if it is gone, the collection was deleted meanwhile.
        with storage_errors(path):
            with temporary.open("wb") as file:
                with pa.ipc.new_file(file, self._layout) as writer:
                    writer.write_table(pa.Table.from_arrays(arrays, schema=self._layout))
                file.flush()
                os.fsync(file.fileno())
            put_in_place(temporary, path)
        self._load(path)

    def take(self, keys: Sequence[bytes], /) -> pa.Table:
        """Return the outputs of *keys*, in this order.

        Raises
        ------
        KeyError
            There are none of a key.
        """
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
        """Map a file; one that a killed run left half written counts as none."""
        import pyarrow as pa

        table = None
        if path.suffix == ".arrow":
            with contextlib.suppress(OSError, ValueError), pa.memory_map(str(path)) as source:
                table = pa.ipc.open_file(source).read_all()
        if table is None or table.schema != self._layout:
            del table  # Windows cannot remove a file that is mapped
            with contextlib.suppress(OSError):
                path.unlink()
            return
        number = len(self._parts)
        self._parts.append(table)
        for row, key in enumerate(table[KEY].to_pylist()):
            self._places.setdefault(key, (number, row))

    def clear(self) -> None:
        """Remove everything: the rewrite is done."""
        # Windows cannot remove a file that is mapped.
        self._parts, self._places = [], {}
        with storage_errors(self._home):
            shutil.rmtree(self._home.parent if self._alone else self._home)
            with contextlib.suppress(OSError):
                # Not while it holds what other models have made.
                self._home.parent.rmdir()
