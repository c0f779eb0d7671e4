"""Version 2 reads more formats, and says more of every page.

Added to ``chunks``: what a citation calls the page, running heads and feet, paragraphs, the names
of columns. Added to ``documents``: why its kind was inferred, what it is attached to, its own dates
and properties, facts of text recognition, what could not be read.

Nothing is lost: columns are only added, and are null in the rows that are there. What they would
say of a document is known once its file is read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.store.migrations.columns import add_columns

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.records import CollectionInfo


def migrate(folder: Path, info: CollectionInfo, /) -> None:
    """Add the columns of version 2; the caller holds the write lock."""
    add_columns(folder, 2, info.dimension)
