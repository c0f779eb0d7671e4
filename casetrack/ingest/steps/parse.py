"""Step ``parse``: files in, pages out. The source of every pipeline.

Reading happens in worker processes (``casetrack.parse.workers``); this step names the document
that the pages belong to.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from casetrack.base import schema
from casetrack.ingest.steps.base import Contract

if TYPE_CHECKING:
    from casetrack.ingest.steps.base import Batches
    from casetrack.parse.workers.pool import ParsedFile, ParsePool

_ADDS = tuple(n for n in schema.table("pages").names if n != "language")


@dataclass(frozen=True, slots=True)
class ParseStep:
    """Opens files with a pool of workers."""

    pool: ParsePool | None
    contract = Contract("parse", 10, "files", "pages", ("document_id", "path"), _ADDS)

    @property
    def fingerprint(self) -> str:
        """Nothing beyond the version."""
        return ""

    def open(self, path: Path, /, *, spool: Path | None = None) -> ParsedFile:
        """Start reading one file; its pages come as ``batches`` of the result.

        Copies of its attachments go to *spool*.
        """
        if self.pool is None:
            raise RuntimeError("this pipeline was built without workers, only to be described")
        return self.pool.read(path, spool=spool)

    def name_pages(
        self, document_id: str, batches: Batches, /, *, name: str, title: str | None
    ) -> Batches:
        """Add to every batch of pages what the document is called."""
        out = schema.table("pages").arrow(_ADDS)
        added = {"document_id": document_id, "document_name": name, "document_title": title}
        for batch in batches:
            columns = {n: batch[n] for n in batch.schema.names}
            for column, value in added.items():
                columns[column] = pa.repeat(pa.scalar(value, pa.string()), batch.num_rows)
            yield pa.RecordBatch.from_arrays([columns[n] for n in out.names], schema=out)

    def __call__(self, batches: Batches, /) -> Batches:
        """Turn rows of ``files`` into rows of ``pages``, file after file."""
        for batch in batches:
            for row in batch.to_pylist():
                path = Path(row["path"])
                parsed = self.open(path)
                yield from self.name_pages(
                    row["document_id"], parsed.batches, name=path.name, title=parsed.info.title
                )
