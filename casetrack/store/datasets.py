"""The two Lance datasets of a collection, and one consistent view of both."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import CollectionDamaged, PackageMissing, PassagesDamaged
from casetrack.base.files import storage_errors
from casetrack.base.records import DEFAULT_PROFILE, Document
from casetrack.store import heads, mirror
from casetrack.store.checksums import COLUMN, damaged, families
from casetrack.store.damage import reading
from casetrack.store.place import dataset_at, place_of

if TYPE_CHECKING:
    import pyarrow as pa

    from casetrack.store.data_files import DataFile

# The ledger is an Arrow table that creates documents on demand. A search needs ten documents, not
# ten thousand; creating a record costs 70 microseconds, reading a column of all of them next to
# nothing.


class Ledger(Mapping[str, Document]):
    """Live documents by id, in ledger order, with document ids and chunk counts by revision."""

    def __init__(self, table: pa.Table, /) -> None:
        self.table = table
        self._columns = dict(zip(table.column_names, table.columns, strict=True))
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
            self._made[document_id] = Document.from_row(self.cells(document_id, self._columns))
        return self._made[document_id]

    def cells(self, document_id: str, columns: Iterable[str], /) -> dict[str, Any]:
        """Return some columns of a document, without creating its record."""
        place = self._places[document_id]
        return {name: self._columns[name][place].as_py() for name in columns}

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._places)

    def __contains__(self, document_id: object) -> bool:
        """Return whether a document is live, without creating its record."""
        return document_id in self._places

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Ranks of the documents in path order, by id (ids are random)."""
        paths = sorted(zip(self.table["path"].to_pylist(), self._places, strict=True))
        return {document_id: rank for rank, (_, document_id) in enumerate(paths)}

    def values(self) -> ValuesView[Document]:
        """Return all documents, creating the missing records at once."""
        if len(self._made) < len(self._places):
            records = map(Document.from_row, self.table.to_pylist())
            self._made = {record.document_id: record for record in records}
        return self._made.values()


CHUNKS = "chunks.lance"
DOCUMENTS = "documents.lance"
_WITHOUT = "Or open the folder chunks.lance with `lance.dataset`, which needs no other package."
_FEW_REVISIONS = 256
_TICK_NS = 2_000_000_000
"""Resolution of folder times, in nanoseconds: changes closer together may have the same time."""
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
    """Create the empty datasets of a new collection, with vectors of length *dimension*.

    Row ids are stable, so that derived views keep pointing to their rows across compactions.
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
    """Return the schema metadata of ``chunks`` for the profile and generation of vectors."""
    return {_PROFILE: profile, _GENERATION: generation}


def profile_of(chunks: Any, /) -> str:
    """Return the profile whose models made the vectors in a dataset of ``chunks``."""
    return _mark(chunks, _PROFILE)


def generation_of(chunks: Any, /) -> str:
    """Return a value that changes when all chunks are replaced; empty until then."""
    return _mark(chunks, _GENERATION)


def _mark(chunks: Any, key: str) -> str:
    value: bytes = (chunks.schema.metadata or {}).get(key.encode(), b"")
    return value.decode()


def open_dataset(folder: Path, name: str, /, *, version: int | None = None) -> Any:
    """Open a dataset at its newest version, or at *version*."""
    import lance

    place = place_of(folder)
    where = place.dataset(name)
    with reading(where):
        return lance.dataset(where, version=version, storage_options=place.options)


def dimension_of(chunks: Any, /) -> int:
    """Return the length of the dense vectors in a dataset of ``chunks``."""
    return int(chunks.schema.field("dense").type.list_size)


def open_with_lancedb(folder: Path, /) -> Any:
    """Open the chunks as a LanceDB table, the documented access for other tools."""
    PackageMissing.check("lancedb", "the chunks cannot be opened as a LanceDB table", _WITHOUT)
    import lancedb

    place = place_of(folder)
    home = place.dataset(CHUNKS).removesuffix(f"/{CHUNKS}")
    opened = lancedb.connect(home, storage_options=place.options)
    return opened.open_table(CHUNKS.removesuffix(".lance"))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A collection at one moment: live documents and the dataset of their chunks.

    Attributes
    ----------
    profile
        Profile whose models made these vectors; ``collection.json`` may already name another.
    generation
        Changes when all chunks are replaced while their revisions stay: data derived from another
        generation, including row ids, is invalid.
    """

    version: int
    chunks_version: int
    documents: Ledger
    profile: str
    dimension: int
    generation: str
    _home: Path = field(repr=False)
    _open: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    _seen: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False, compare=False)
    _columns: set[str] = field(default_factory=set, repr=False, compare=False)
    _token_files: list[DataFile] | None = field(default=None, repr=False, compare=False)

    @property
    def chunks(self) -> Any:
        """The dataset of the chunks, opened on first use."""
        return self._dataset(CHUNKS, self.chunks_version)

    def _dataset(self, name: str, version: int) -> Any:
        if name not in self._open:
            self._open[name] = open_dataset(self._home, name, version=version)
        return self._open[name]

    @property
    def token_files(self) -> list[DataFile]:
        """The local files with token matrices, newest first."""
        from casetrack.store.data_files import data_files

        known = self._token_files
        return data_files(self.chunks, "tokens") if known is None else known

    def is_current(self) -> bool:
        """Whether neither the documents nor the files of their chunks have changed since."""
        datasets = ((DOCUMENTS, self.version), (CHUNKS, self.chunks_version))
        with reading(dataset_at(self._home, DOCUMENTS)):
            return all(self._is_newest(*each) for each in datasets)

    def _is_newest(self, name: str, version: int) -> bool:
        """Return whether a version of a dataset is its newest.

        Each version is a file of one folder, so an unchanged folder means no new version; asking
        Lance takes a hundred times as long. Object storage is asked at most once a second, unless
        this process has changed something.
        """
        where = dataset_at(self._home, name)
        versions, now = f"{where}/{heads.VERSIONS}", time.monotonic_ns()
        is_remote = "://" in where  # an address; paths never contain this
        if is_remote:
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
        if is_remote:
            newest = self._dataset(name, version).latest_version
        else:
            newest = next(iter(heads.manifests(self._home, name)), version)
        if newest != version:
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
        """Return rows by stable row id, in the order of *row_ids*; *checked* as in :meth:`scan`."""
        ids, stored = list(row_ids), self._stored(columns)

        def read(names: list[str]) -> pa.Table:
            # Lance's public `take` uses positions, which a deletion shifts; this one uses ids.
            with reading(self.chunks.uri):
                return self.chunks._take_rows(ids, columns=names)

        return self._with_lacking(self._check(read, stored) if checked else read(stored), columns)

    def where(self, column: str, value: str, columns: Sequence[str], /) -> pa.Table:
        """Return the live rows in which *column* equals *value*."""
        rows = self.rows_where(any_of(column, [value]), columns)
        return rows.select(list(columns))

    def rows_where(self, condition: str, columns: Sequence[str], /) -> pa.Table:
        """Return the live rows that match an SQL condition, with ``revision`` added."""
        import pyarrow as pa

        def read(names: list[str]) -> pa.Table:
            asked = list(dict.fromkeys([*names, "revision"]))
            with reading(self.chunks.uri):
                table = self.chunks.scanner(columns=asked, filter=condition).to_table()
            live = self.revisions
            keep = pa.array([r in live for r in table["revision"].to_pylist()], pa.bool_())
            return table.filter(keep)

        names = list(dict.fromkeys([*columns, "revision"]))
        return self._with_lacking(self._check(read, self._stored(names)), names)

    def revisions_without(self, columns: Sequence[str], /) -> set[str]:
        """Return live revisions with a row in which one of *columns* is null."""
        if self._stored(columns) != list(columns):
            return set(self.revisions)
        condition = " OR ".join(f"{column} IS NULL" for column in columns)
        with reading(self.chunks.uri):
            rows = self.chunks.scanner(columns=["revision"], filter=condition).to_table()
        return set(rows["revision"].to_pylist()) & self.revisions.keys()

    def scan(
        self,
        columns: Sequence[str],
        /,
        *,
        revisions: Iterable[str] | None = None,
        with_row_id: bool = False,
        checked: bool = True,
    ) -> pa.Table:
        """Return the live rows, or those of *revisions*; *with_row_id* adds ``_rowid``.

        *checked* compares families of columns that are read whole, such as the text, with the
        checksums of the rows; see :mod:`casetrack.store.checksums`. Other callers must check the
        rows themselves.
        """
        wanted = sorted(self.revisions if revisions is None else revisions)

        def read(names: list[str]) -> pa.Table:
            return self._scanned(names, wanted, with_row_id=with_row_id)

        stored = self._stored(columns)
        return self._with_lacking(self._check(read, stored) if checked else read(stored), columns)

    def _check(self, read: Callable[[list[str]], pa.Table], names: list[str]) -> pa.Table:
        """Return the rows of *read* after comparing them with their checksums."""
        lacking = self.lacking
        if COLUMN in lacking or not any(
            {*names, *lacking}.issuperset(family) for family in families("chunks").values()
        ):
            return read(names)
        table = read([*names, COLUMN] if COLUMN not in names else names)
        wrong = damaged(table, "chunks", lacking=lacking)
        if wrong.any():
            ids = read(["document_id"])["document_id"].to_pylist()
            known = self.documents
            names_of = [i for i, is_wrong in zip(ids, wrong, strict=True) if is_wrong]
            raise PassagesDamaged([known[i].name if i in known else i for i in names_of])
        return table if COLUMN in names else table.drop_columns(COLUMN)

    @property
    def columns(self) -> set[str]:
        """Columns of ``chunks`` that this dataset has."""
        if not self._columns:  # Lance takes half a millisecond for its schema
            self._columns.update(self.chunks.schema.names)
        return self._columns

    @property
    def lacking(self) -> frozenset[str]:
        """Declared columns of ``chunks`` that this dataset does not have."""
        return frozenset(self._declared()).difference(self.columns)

    def _scanned(self, columns: list[str], wanted: list[str], *, with_row_id: bool) -> pa.Table:
        few = len(wanted) <= _FEW_REVISIONS
        with reading(self.chunks.uri):
            if not wanted:
                empty = self.chunks.scanner(columns=columns, limit=0, with_row_id=with_row_id)
                return empty.to_table()
            # A condition with thousands of values is slower than a scan of every row.
            scanner = self.chunks.scanner(
                columns=columns if few else list(dict.fromkeys([*columns, "revision"])),
                filter=any_of("revision", wanted) if few else None,
                with_row_id=with_row_id,
            )
            if few:
                return scanner.to_table()
            return _only(scanner, wanted, keep_revision="revision" in columns)

    def _stored(self, columns: Sequence[str]) -> list[str]:
        """Return those of *columns* that this dataset has."""
        lacking = self.lacking
        return [name for name in columns if name not in lacking]

    def _with_lacking(self, table: pa.Table, columns: Sequence[str]) -> pa.Table:
        """Return *table* with the missing *columns* added as nulls."""
        import pyarrow as pa

        have = set(table.schema.names)
        for place, name in enumerate(columns):
            if name not in have:
                nulls = pa.nulls(table.num_rows, self._declared()[name].field(self.dimension).type)
                table = table.add_column(place, name, nulls)
        return table

    @staticmethod
    def _declared() -> dict[str, schema.Column]:
        return {column.name: column for column in schema.table("chunks").columns}


def _only(scanner: Any, revisions: list[str], *, keep_revision: bool) -> pa.Table:
    """Filter batch by batch, so that unwanted rows do not fill the memory."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pa.array(revisions)
    kept = [b.filter(pc.is_in(b["revision"], value_set=values)) for b in scanner.to_batches()]
    table = pa.Table.from_batches(kept, scanner.projected_schema)
    return table if keep_revision else table.drop_columns("revision")


def open_snapshot(folder: Path, /) -> Snapshot:
    """Return a consistent view of ledger and chunks without a lock.

    Writers append chunks, switch the ledger, then drop the old chunks. If the ledger did not change
    while the chunks were opened, every row that it names exists. A writer that replaces all chunks
    (:mod:`casetrack.store.rewrite`) keeps every live row.
    """
    mirror.pull(folder)
    while True:
        # Read first: a commit made meanwhile is newer than this note, which is no damage.
        noted = heads.noted(folder)
        ledger = open_dataset(folder, DOCUMENTS)
        try:
            with reading(ledger.uri):
                rows = ledger.to_table()
        except CollectionDamaged:
            # An older version may be cleaned away while it is read.
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
            opened = {DOCUMENTS: ledger, CHUNKS: chunks}
            return Snapshot(ledger.version, chunks.version, Ledger(rows), *marked, folder, opened)


def conform(table: pa.Table, layout: pa.Schema, /) -> pa.Table:
    """Return *table* with the columns of *layout*; missing columns are null."""
    import pyarrow as pa

    have = set(table.schema.names)
    arrays = [
        table[f.name].cast(f.type) if f.name in have else pa.nulls(table.num_rows, f.type)
        for f in layout
    ]
    return pa.Table.from_arrays(arrays, schema=layout)


def any_of(column: str, values: Iterable[str], /) -> str:
    """Return the SQL condition that *column* is one of *values*."""
    quoted = ", ".join("'" + v.replace("'", "''") + "'" for v in values)
    return f"{column} IN ({quoted})"
