"""What keeps long answers short: rooms for their lists, and quotes with less around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.faces.mcp import budget
from casetrack.faces.mcp.results import cut, next_offset, onward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.base.records.graph import Quote
    from casetrack.faces.mcp.concise import Telling

T = TypeVar("T")
R = TypeVar("R")

WHOLE = 18_000
"""Tokens of a structured result; what surrounds it in an answer has the rest of the budget."""
NAME_CHARS = 300
"""Characters of a name that a document gives to something, such as an address on the web."""


def room_beside(facts: Any, told: Telling | None = None, /, *, whole: int = WHOLE) -> int:
    """Return the tokens that a list may take in a result that holds *facts* besides."""
    room = told.room if told else budget.ROOM
    return max(0, min(room, whole - budget.tokens(facts)))


def first(
    items: Sequence[T], shape: Callable[[T], Any], /, *, room: int, most: int | None = None
) -> list[Any]:
    """Return the entries of the first *most* items, as many as fit in *room*."""
    return budget.page_of(items, shape, limit=most, room=room)[0]


def after_page(offset: int, shown: int, total: int, /) -> int | None:
    """Return where the next page begins, ``None`` at the end and behind an empty page."""
    return next_offset(offset, shown, total) if shown else None


def more_from(after: int | None, missing: int, way: str, /) -> str | None:
    """Return the sentence that says how to get the rest of a list, ``None`` at its end.

    Parameters
    ----------
    after
        Offset of the next page, ``None`` where offsets lead no further.
    missing
        Entries behind those shown.
    way
        What helps where offsets lead no further.
    """
    if after is not None:
        return onward(after)
    return f"{missing:,} more: {way}" if missing > 0 else None


def few(texts: Iterable[str], /, *, most: int = 20, chars: int = NAME_CHARS) -> list[str]:
    """Return the first texts, cut, and as the last one how many follow."""
    every = list(texts)
    shown = [cut(text, chars) for text in every[:most]]
    rest = len(every) - len(shown)
    return [*shown, f"\u2026 {rest:,} more"] if rest else shown


def widened(text: str, start: int, end: int, around: int, /) -> tuple[int, int]:
    """Widen a place in *text* by at most *around* characters on either side, to whole words."""
    begin, stop = max(0, start - around), min(len(text), end + around)
    while 0 < begin < start and not text[begin - 1].isspace():
        begin += 1
    while end < stop < len(text) and not text[stop].isspace():
        stop -= 1
    while begin < start and text[begin].isspace():
        begin += 1
    while stop > end and text[stop - 1].isspace():
        stop -= 1
    return begin, stop


def spread_page(
    ask: Callable[[int], R],
    items: Callable[[R], Sequence[T]],
    shape: Callable[[T], Any],
    room: Callable[[R], int],
    /,
    *,
    offset: int,
    count: int,
    most: int,
) -> tuple[R, list[Any]]:
    """Return a page of a list that is chosen anew for every length, each the start of the next.

    The library spreads mentions over documents, best ones first, and then puts what it chose in
    reading order. So the page is what a longer choice adds, not where a longer list goes on.

    Parameters
    ----------
    ask
        Returns the answer with so many items.
    items
        The items of an answer: mentions or citations, told apart by the place of their quote.
    shape
        Makes the entry of an item.
    room
        Tokens that the entries may take beside an answer's other facts.
    offset, count
        The part that is wanted.
    most
        Items that can be asked for.

    Returns
    -------
    tuple
        The last answer, and the entries of the page.
    """
    before = {_place(i) for i in items(ask(min(offset, most)))} if offset else set()
    while True:
        found = ask(min(offset + count, most))
        chosen = [item for item in items(found) if _place(item) not in before]
        entries = budget.page_of(chosen, shape, room=room(found))[0]
        if len(entries) == len(chosen):
            return found, entries
        count = len(entries)


def _place(item: Any) -> tuple[str, int, int]:
    quote: Quote = item.quote
    return quote.chunk_id, quote.char_start, quote.char_end
