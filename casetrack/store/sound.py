"""Stored passages for DuckDB: read as they are asked for, but for rows that are damaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CaseTrackError
from casetrack.store.checksums import COLUMN, damaged, with_families
from casetrack.store.damage import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping

    import pyarrow as pa

    from casetrack.store.datasets import Snapshot

_KNOWN = (COLUMN, "revision")


@dataclass(frozen=True, slots=True)
class _Scanner:
    """What DuckDB asks a scanner for; that of Arrow reads ahead in threads that outlive Python."""

    reader: pa.RecordBatchReader

    def to_reader(self) -> pa.RecordBatchReader:
        return self.reader


def sound_chunks(
    snapshot: Snapshot,
    withheld: MutableMapping[str, str],
    failed: Callable[[CaseTrackError], None],
    /,
) -> Any:
    """Return the rows of ``chunks`` as a dataset that DuckDB can scan.

    It gives what Lance gives for some columns and a condition, and compares what it gives: every
    family of columns of which one is read (:mod:`casetrack.store.checksums`). A row that is not
    what was written is left out. Rows that a condition leaves out are not looked at.

    Parameters
    ----------
    snapshot
        The collection.
    withheld
        Takes the names of the documents of live rows that are left out, by their checksums.
    failed
        Takes the error that reading ended in: DuckDB passes on nothing but its text.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds

    stored = snapshot.chunks
    if COLUMN not in stored.schema.names:
        return stored
    lacking, live = snapshot.lacking, snapshot.revisions

    def compared(scanner: Any) -> Iterator[pa.Table]:
        with reading(stored.uri):
            for batch in scanner.to_batches():
                rows = pa.Table.from_batches([batch])
                wrong = damaged(rows, "chunks", lacking=lacking)
                if wrong.any():
                    for row in rows.filter(pa.array(wrong)).select(_KNOWN).to_pylist():
                        if row["revision"] in live:
                            name = snapshot.documents[live[row["revision"]]].name
                            withheld[str(row[COLUMN])] = name
                    rows = rows.filter(pa.array(~wrong))
                yield rows

    def sound(asked: list[str], scanner: Any) -> Iterator[pa.RecordBatch]:
        try:
            for rows in compared(scanner):
                yield from rows.select(asked).to_batches()
        except CaseTrackError as error:
            failed(error)
            raise

    class Sound(ds.Dataset):  # type: ignore[misc] # DuckDB asks what it is, and for these two
        def __init__(self) -> None:
            pass

        @property
        def schema(self) -> pa.Schema:
            return stored.schema

        def scanner(self, columns: list[str] | None = None, **options: Any) -> _Scanner:
            asked = stored.schema.names if columns is None else columns
            needed = dict.fromkeys([*with_families(asked, "chunks"), *_KNOWN])
            present = [name for name in needed if name in stored.schema.names]
            scanner = stored.scanner(columns=present, **options)
            schema = pa.schema([stored.schema.field(name) for name in asked])
            return _Scanner(pa.RecordBatchReader.from_batches(schema, sound(asked, scanner)))

    return Sound()
