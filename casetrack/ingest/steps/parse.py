"""Step ``parse``: from files to pages, read by worker processes. The source of every pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.dataclass import dataclass
from casetrack.ingest.steps.base import Contract

if TYPE_CHECKING:
    from casetrack.ingest.steps.base import Batches
    from casetrack.parse.workers.pool import ParsedFile, ParsePool

_ADDS = tuple(n for n in schema.table("pages").names if n != "language")


@dataclass(frozen=True, slots=True)
class ParseStep:
    """Opens files with a pool of workers."""

    pool: ParsePool | None
    contract = Contract("parse", 23, "files", "pages", ("document_id", "path"), _ADDS)

    @property
    def fingerprint(self) -> str:
        """Empty: only the version counts."""
        return ""

    def open(self, path: Path, /, *, spool: Path | None = None) -> ParsedFile:
        """Start reading one file; its attachments go to *spool*, its pages are in the result."""
        if self.pool is None:
            raise RuntimeError("this pipeline was built without workers, only to be described")
        return self.pool.read(path, spool=spool)

    def name_pages(
        self, document_id: str, batches: Batches, /, *, name: str, title: str | None
    ) -> Batches:
        """Add id, name and title of the document to every batch of pages."""
        out = schema.table("pages").arrow(_ADDS)
        added = {"document_id": document_id, "document_name": name, "document_title": title}
        for batch in batches:
            columns = {n: batch[n] for n in batch.schema.names}
            for column, value in added.items():
                columns[column] = pa.repeat(pa.scalar(value, pa.string()), batch.num_rows)
            yield pa.RecordBatch.from_arrays([columns[n] for n in out.names], schema=out)

    def __call__(self, batches: Batches, /) -> Batches:
        """Convert rows of ``files`` to rows of ``pages``, file after file."""
        for batch in batches:
            for row in batch.to_pylist():
                path = Path(row["path"])
                parsed = self.open(path)
                yield from self.name_pages(
                    row["document_id"], parsed.batches, name=path.name, title=parsed.info.title
                )
