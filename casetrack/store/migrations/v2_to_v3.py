"""Version 3 lets each collection choose its models.

Added to ``chunks``: the document's own title, token matrices, learned sparse vectors. The dataset
itself notes whose vectors it holds, so that vectors and the name of what made them change together.
In ``collection.json``, ``profile`` and ``dimension`` take the place of ``model``; until version 3
all vectors had 384 numbers.

Nothing is lost: columns are only added, and are null in the rows that are there; vectors stay as
they are. Token matrices come with ``casetrack reindex``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.store.datasets import CHUNKS, generation_of, marks, open_dataset
from casetrack.store.files import storage_errors
from casetrack.store.migrations.columns import add_columns

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.records import CollectionInfo


def migrate(folder: Path, info: CollectionInfo, /) -> None:
    """Add the columns of version 3, and the mark; the caller holds the write lock."""
    add_columns(folder, 3, info.dimension)
    chunks = open_dataset(folder, CHUNKS)
    noted = {key.decode(): value.decode() for key, value in (chunks.schema.metadata or {}).items()}
    wanted = marks(info.profile, generation_of(chunks))
    if not wanted.items() <= noted.items():
        with storage_errors(folder / CHUNKS):
            chunks.update_schema_metadata(wanted)
