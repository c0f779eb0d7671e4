"""The two Lance datasets of a collection, and one consistent view of both."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import CollectionDamaged, PackageMissing, PassagesDamaged
from casetrack.base.files import storage_errors
from casetrack.base.records import DEFAULT_PROFILE, Document
from casetrack.store import heads, mirror
from casetrack.store.checksums import COLUMN, damaged, families
from casetrack.store.damage import reading
from casetrack.store.place import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    import pyarrow as pa

# The ledger in memory: an Arrow table that gives out documents as they are asked for.
#
# A search needs the facts of ten documents, not of ten thousand; making a record costs 25
# microseconds, reading a column of all of them next to nothing.


class Ledger(Mapping[str, Document]):
    """Live documents by id, in ledger order.

    Attributes
    ----------
    table
        Rows of ``documents``.
    revisions
        Live revisions, mapped to the ids of their documents.
    chunk_counts
        Live revisions, mapped to their numbers of chunks.
    """

    def __init__(self, table: pa.Table, /) -> None:
        self.table = table
        ids: list[str] = table["document_id"].to_pylist()
        names: list[str] = table["revision"].to_pylist()
        self.revisions: dict[str, str] = dict(zip(names, ids, strict=True))
        counts = table["chunk_count"].to_pylist()
        self.chunk_counts: dict[str, int] = dict(zip(names, counts, strict=True))
        self._places = {document_id: place for place, document_id in enumerate(ids)}
        self._made: dict[str, Document] = {}

    def __getitem__(self, document_id: str, /) -> Document:
        """Return one document; ``KeyError`` for an unknown id."""
        if document_id not in self._made:
            (row,) = self.table.slice(self._places[document_id], 1).to_pylist()
            self._made[document_id] = Document.from_row(row)
        return self._made[document_id]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._places)

    def __contains__(self, document_id: object) -> bool:
        """Tell whether a document is live, without making it."""
        return document_id in self._places

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Ranks of the documents in the order of their paths, by id: ids themselves are random."""
        keys = [("path", "ascending"), ("document_id", "ascending")]
        ids = self.table.select(["path", "document_id"]).sort_by(keys)["document_id"].to_pylist()
        return {document_id: rank for rank, document_id in enumerate(ids)}

    def values(self) -> ValuesView[Document]:
        """Return all documents; makes those that are not made yet, all at once."""
        if len(self._made) < len(self._places):
            self._made = {r["document_id"]: Document.from_row(r) for r in self._rows()}
        return self._made.values()

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows


CHUNKS = "chunks.lance"
DOCUMENTS = "documents.lance"
_WITHOUT = "Or open the folder chunks.lance with `lance.dataset`, which needs nothing else."
_FEW_REVISIONS = 256
_TICK_NS = 2_000_000_000
"""Two changes of a folder that are nearer to one another may bear the same time."""
_FRESH_NS = int(mirror.FRESH_SECONDS * 1e9)
_PROFILE, _GENERATION = "casetrack.profile", "casetrack.generation"
"""Keys of the schema metadata of ``chunks``: they change in the commit that changes the vectors."""


def create(
    folder: Path,
    dimension: int,
    /,
    *,
    profile: str = DEFAULT_PROFILE,
    names: Collection[str] = (CHUNKS, DOCUMENTS),
) -> None:
    """Make the empty datasets of a new collection with vectors of a length of *dimension*.

    Row ids are stable, so that derived views may point to rows across compactions.
    """
    import lance

    layouts = {
        CHUNKS: schema.table("chunks").arrow(dimension=dimension).with_metadata(marks(profile)),
        DOCUMENTS: schema.table("documents").arrow(),
    }
    place = place_of(folder)
    for name, layout in layouts.items():
        if name not in names:
            continue
        where = place.dataset(name)
        with storage_errors(where):
            lance.write_dataset(
                layout.empty_table(),
                where,
                enable_stable_row_ids=True,
                storage_options=place.options,
            )


def marks(profile: str, generation: str = "", /) -> dict[str, str]:
    """Return the schema metadata that says whose vectors a dataset of ``chunks`` holds."""
    return {_PROFILE: profile, _GENERATION: generation}


def profile_of(chunks: Any, /) -> str:
    """Return the profile whose models made the vectors in a dataset of ``chunks``."""
    return _mark(chunks, _PROFILE)


def generation_of(chunks: Any, /) -> str:
    """Return what changes whenever the chunks are replaced as a whole; empty until then."""
    return _mark(chunks, _GENERATION)


def _mark(chunks: Any, key: str) -> str:
    found: bytes = (chunks.schema.metadata or {}).get(key.encode(), b"")
    return found.decode()


def open_dataset(folder: Path, name: str, /, *, version: int | None = None) -> Any:
    """Open a dataset at its newest version, or at another one.

    Raises
    ------
    CollectionDamaged
        It is missing or unreadable.
    ObjectStorageError
        It lies in object storage, which cannot be used.
    """
    import lance

    place = place_of(folder)
    where = place.dataset(name)
    with reading(where):
        return lance.dataset(where, version=version, storage_options=place.options)


def dimension_of(chunks: Any, /) -> int:
    """Return the length of the dense vectors in a dataset of ``chunks``."""
    return int(chunks.schema.field("dense").type.list_size)


def open_with_lancedb(folder: Path, /) -> Any:
    """Open the chunks as a LanceDB table: the documented way in for tools of a user's own.

    Raises
    ------
    PackageMissing
        LanceDB is not installed: CaseTrack itself goes to Lance directly.
    """
    PackageMissing.check("lancedb", "the chunks cannot be opened as a LanceDB table", _WITHOUT)
    import lancedb

    place = place_of(folder)
    home = place.dataset(CHUNKS).removesuffix(f"/{CHUNKS}")
    opened = lancedb.connect(home, storage_options=place.options)
    return opened.open_table(CHUNKS.removesuffix(".lance"))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The collection at one moment: live documents and the dataset that holds their chunks.

    Attributes
    ----------
    documents
        Maps document ids to documents, in ledger order.
    profile
        Whose models made the vectors of these very chunks, whatever ``collection.json`` says.
    dimension
        Length of these vectors.
    generation
        Changes when all chunks are replaced while their revisions stay: what was derived from
        another generation, row ids among it, is of no use.
    """

    version: int
    documents: Ledger
    chunks: Any = field(repr=False)
    _ledger: Any = field(repr=False)
    profile: str
    dimension: int
    generation: str
    _home: Path = field(repr=False)
    _seen: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False, compare=False)

    def is_current(self) -> bool:
        """Whether neither the documents nor the files that hold their chunks have changed since."""
        with reading(self._ledger.uri):
            return all(self._is_newest(each) for each in (self._ledger, self.chunks))

    def _is_newest(self, dataset: Any) -> bool:
        """Whether no version came after that of an open dataset.

        Each version is a file in one folder. As long as that folder is as it was when Lance was
        asked (in a thread of its own, which takes a hundred times as long), there is none. Object
        storage is not asked again for a second, unless this process has changed something.
        """
        versions, now = f"{dataset.uri}/_versions", time.monotonic_ns()
        if "://" in dataset.uri:  # an address, as no path is
            changes, looked = self._seen.get(versions, (-1, 0))
            if changes == mirror.changes_seen(self._home) and now - looked < _FRESH_NS:
                return True
            stamp, is_settled = (mirror.changes_seen(self._home), now), True
        else:
            facts = Path(versions).stat()
            stamp = facts.st_ino, facts.st_mtime_ns
            if self._seen.get(versions) == stamp:
                return True
            is_settled = time.time_ns() - facts.st_mtime_ns > _TICK_NS
        if dataset.latest_version != dataset.version:
            return False
        if is_settled:
            self._seen[versions] = stamp
        return True

    @property
    def revisions(self) -> dict[str, str]:
        """Live revisions, mapped to their documents' ids."""
        return self.documents.revisions

    def take(
        self, row_ids: Sequence[int], columns: Sequence[str], /, *, checked: bool = True
    ) -> pa.Table:
        """Return rows by stable row id, in the order asked for; *checked* as in :meth:`scan`.

        Raises
        ------
        PassagesDamaged
            One is not what was written.
        """
        ids, stored = list(row_ids), self._stored(columns)

        def read(names: list[str]) -> pa.Table:
            # Lance's public take goes by position, which a deletion shifts; this one goes by id.
            with reading(self.chunks.uri):
                return self.chunks._take_rows(ids, columns=names)

        return self._with_lacking(self._sound(read, stored) if checked else read(stored), columns)

    def where(self, column: str, value: str, columns: Sequence[str], /) -> pa.Table:
        """Return the live rows in which *column* equals *value*."""
        found = self.rows_where(any_of(column, [value]), columns)
        return found.select(list(columns))

    def rows_where(self, condition: str, columns: Sequence[str], /) -> pa.Table:
        """Return the live rows for which an SQL condition holds; ``revision`` is added.

        Raises
        ------
        PassagesDamaged
            One is not what was written; see :meth:`scan`.
        """
        import pyarrow as pa

        def read(names: list[str]) -> pa.Table:
            asked = list(dict.fromkeys([*names, "revision"]))
            with reading(self.chunks.uri):
                table = self.chunks.scanner(columns=asked, filter=condition).to_table()
            live = self.revisions
            keep = pa.array([r in live for r in table["revision"].to_pylist()], pa.bool_())
            return table.filter(keep)

        names = list(dict.fromkeys([*columns, "revision"]))
        return self._with_lacking(self._sound(read, self._stored(names)), names)

    def revisions_without(self, columns: Sequence[str], /) -> set[str]:
        """Return live revisions with a row in which one of *columns* is null."""
        if self._stored(columns) != list(columns):
            return set(self.revisions)
        condition = " OR ".join(f"{column} IS NULL" for column in columns)
        with reading(self.chunks.uri):
            found = self.chunks.scanner(columns=["revision"], filter=condition).to_table()
        return set(found["revision"].to_pylist()) & self.revisions.keys()

    def scan(
        self,
        columns: Sequence[str],
        /,
        *,
        revisions: Iterable[str] | None = None,
        with_row_id: bool = False,
        checked: bool = True,
    ) -> pa.Table:
        """Return the live rows, or those of *revisions*; ``_rowid`` is added where asked for.

        Families of columns that are read whole, the text among them, are compared with the
        checksums of the rows; see :mod:`casetrack.store.checksums`.

        Parameters
        ----------
        columns, revisions, with_row_id
            What is wanted.
        checked
            Refuse rows that are not what was written; who does not has to look himself.

        Raises
        ------
        PassagesDamaged
            Some are not what was written.
        """
        wanted = sorted(self.revisions if revisions is None else revisions)

        def read(names: list[str]) -> pa.Table:
            return self._scanned(names, wanted, with_row_id=with_row_id)

        stored = self._stored(columns)
        return self._with_lacking(self._sound(read, stored) if checked else read(stored), columns)

    def _sound(self, read: Callable[[list[str]], pa.Table], names: list[str]) -> pa.Table:
        """Return what *read* returns of columns, once it is found to be what was written."""
        lacking = self.lacking
        if COLUMN in lacking or not any(
            {*names, *lacking}.issuperset(family) for family in families("chunks").values()
        ):
            return read(names)
        found = read([*names, COLUMN] if COLUMN not in names else names)
        wrong = damaged(found, "chunks", lacking=lacking)
        if wrong.any():
            ids = read(["document_id"])["document_id"].to_pylist()
            known = self.documents
            names_of = [i for i, is_wrong in zip(ids, wrong, strict=True) if is_wrong]
            raise PassagesDamaged([known[i].name if i in known else i for i in names_of])
        return found if COLUMN in names else found.drop_columns(COLUMN)

    @property
    def lacking(self) -> frozenset[str]:
        """Declared columns of ``chunks`` that this very dataset does not have."""
        return frozenset(self._declared()).difference(self.chunks.schema.names)

    def _scanned(self, columns: list[str], wanted: list[str], *, with_row_id: bool) -> pa.Table:
        few = len(wanted) <= _FEW_REVISIONS
        with reading(self.chunks.uri):
            if not wanted:
                empty = self.chunks.scanner(columns=columns, limit=0, with_row_id=with_row_id)
                return empty.to_table()
            # A condition with thousands of values is slower than looking at every row.
            scanner = self.chunks.scanner(
                columns=columns if few else list(dict.fromkeys([*columns, "revision"])),
                filter=any_of("revision", wanted) if few else None,
                with_row_id=with_row_id,
            )
            if few:
                return scanner.to_table()
            return _only(scanner, wanted, keep_revision="revision" in columns)

    def _stored(self, columns: Sequence[str]) -> list[str]:
        """Return those of *columns* that this very dataset has."""
        lacking = self.lacking
        return [name for name in columns if name not in lacking]

    def _with_lacking(self, found: pa.Table, columns: Sequence[str]) -> pa.Table:
        """Return *found* with the other *columns* too: null where nobody stored them."""
        import pyarrow as pa

        have = set(found.schema.names)
        for place, name in enumerate(columns):
            if name not in have:
                nulls = pa.nulls(found.num_rows, self._declared()[name].field(self.dimension).type)
                found = found.add_column(place, name, nulls)
        return found

    @staticmethod
    def _declared() -> dict[str, schema.Column]:
        return {column.name: column for column in schema.table("chunks").columns}


def _only(scanner: Any, revisions: list[str], *, keep_revision: bool) -> pa.Table:
    """Read batch by batch, so that rows that are not wanted never pile up."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pa.array(revisions)
    kept = [b.filter(pc.is_in(b["revision"], value_set=values)) for b in scanner.to_batches()]
    table = pa.Table.from_batches(kept, scanner.projected_schema)
    return table if keep_revision else table.drop_columns("revision")


def open_snapshot(folder: Path, /) -> Snapshot:
    """Return a consistent view of ledger and chunks, without any lock.

    Writers append chunks, then switch the ledger, then drop what it no longer names. So if the
    ledger did not change while the chunks were opened, every row it names is there. Who replaces
    all chunks (see :mod:`casetrack.store.rewrite`) keeps every live row.

    Raises
    ------
    CollectionDamaged
        A dataset is missing or unreadable, or not what the last writer left.
    """
    mirror.pull(folder)
    while True:
        # Looked at first: what is committed meanwhile is newer than it, and no damage.
        noted = heads.noted(folder)
        ledger = open_dataset(folder, DOCUMENTS)
        try:
            with reading(ledger.uri):
                rows = ledger.to_table()
        except CollectionDamaged:
            # A version that is no longer the newest may be cleaned away under the reader.
            if open_dataset(folder, DOCUMENTS).version == ledger.version:
                raise
            continue
        chunks = open_dataset(folder, CHUNKS)
        if open_dataset(folder, DOCUMENTS).version == ledger.version:
            with reading(chunks.uri):
                heads.require(noted, ledger, rows, chunks)
                marked = profile_of(chunks), dimension_of(chunks), generation_of(chunks)
            layout = schema.table("documents").arrow()
            if not set(layout.names) <= set(rows.schema.names):
                rows = conform(rows, layout)
            return Snapshot(ledger.version, Ledger(rows), chunks, ledger, *marked, folder)


def conform(table: pa.Table, layout: pa.Schema, /) -> pa.Table:
    """Return *table* with the columns of *layout*; those that it lacks are empty."""
    import pyarrow as pa

    have = set(table.schema.names)
    arrays = [
        table[f.name].cast(f.type) if f.name in have else pa.nulls(table.num_rows, f.type)
        for f in layout
    ]
    return pa.Table.from_arrays(arrays, schema=layout)


def any_of(column: str, values: Iterable[str], /) -> str:
    """Return the SQL condition that *column* equals one of *values*."""
    quoted = ", ".join("'" + v.replace("'", "''") + "'" for v in values)
    return f"{column} IN ({quoted})"
