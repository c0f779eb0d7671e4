"""Version 4 notes who and what is mentioned.

Added to ``chunks``: names, dates, amounts and references, each a span of the chunk's text.

Nothing is lost: columns are only added, and are null in the rows that are there, which means that
nobody has looked yet. ``casetrack reindex`` looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.store.migrations.columns import add_columns

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.records import CollectionInfo


def migrate(folder: Path, info: CollectionInfo, /) -> None:
    """Add the columns of version 4; the caller holds the write lock."""
    add_columns(folder, 4, info.dimension)
