"""How long a result may be: clients warn at 10,000 tokens of one result and cut at 25,000.

A result carries the same answer twice, as text and as structure, of which a client shows its model
one; each stays below :data:`MAX_TOKENS`. What does not fit is left for a further call, and the
result says which.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MAX_TOKENS = 20_000
"""Tokens that a result may have at most."""
ROOM = 16_000
"""Tokens for the items of a list; the rest is for what stands around them."""
CONCISE_ROOM = 6_000
"""The same in concise answers, which a model reads again on every turn."""
_ASCII_PER_TOKEN = 2.5

T = TypeVar("T")


def tokens(value: Any, /) -> int:
    """Return an upper estimate of the tokens that *value* costs as text or as JSON.

    Models split English prose into pieces of four or five letters; identifiers, numbers and the
    punctuation of JSON into shorter ones, and scripts other than Latin into one or two a letter.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if text.isascii():
        return int(len(text) / _ASCII_PER_TOKEN) + 1
    ascii_count = len(text.encode("ascii", "ignore"))
    return int(ascii_count / _ASCII_PER_TOKEN) + (len(text) - ascii_count) + 1


def fitting(costs: Iterable[int], /, *, room: int = ROOM) -> int:
    """Return how many items fit into *room* from the first on; at least one."""
    count, spent = 0, 0
    for cost in costs:
        spent += cost
        if count and spent > room:
            break
        count += 1
    return count


def page_of(
    items: Sequence[T],
    shape: Callable[[T], Any],
    /,
    *,
    offset: int = 0,
    limit: int | None = None,
    room: int = ROOM,
    beside: Callable[[], int] = int,
) -> tuple[list[Any], int | None]:
    """Return the structured entries of *items* from *offset* on, and where the rest begins.

    Parameters
    ----------
    shape
        Makes the structured entry of an item.
    offset, limit
        The part that was asked for; fewer come where they would not fit.
    room
        Tokens for all entries together.
    beside
        Tokens by now of what the entries point to, which stands beside them.

    Returns
    -------
    tuple
        The entries, and the offset of the next page, ``None`` at the end of *items*.
    """
    asked = items[offset:] if limit is None else items[offset : offset + limit]
    entries: list[Any] = []
    spent = 0
    for item in asked:
        entry = shape(item)
        spent += tokens(entry)
        if entries and spent + beside() > room:
            break
        entries.append(entry)
    after = offset + len(entries)
    return entries, after if after < len(items) else None
