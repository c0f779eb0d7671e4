"""Says which rows of a large table models have not read while it was taken in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEXT = "`casetrack reindex` adds both."


def unread(passages: int, total: int, /) -> str:
    """Return what to say of a document with *passages* of *total* that no model has read yet."""
    return (
        f"{passages:,} of {total:,} passages with rows of its tables are found by their words, "
        f"dates and amounts, not yet by their meaning, and no names were looked for in them: for "
        f"so large a table that takes long. {_NEXT}"
    )


def without_unread(warnings: Iterable[str], /) -> tuple[str, ...]:
    """Return the *warnings* of a document whose passages models have all read now."""
    return tuple(text for text in warnings if not text.endswith(_NEXT))
