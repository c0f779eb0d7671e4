"""A stored document as one text, with the places that are printed on its pages."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.base.provenance import PrintedPlace
from casetrack.extract.papers.text import TextPage, WholeText

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.store.datasets import Snapshot

ROWS = (
    *("chunk_index", "page", "page_is_estimated", "text", "char_start", "printed", "paragraphs"),
)
"""Columns of ``chunks`` that a text is put together from."""


def whole_text(snapshot: Snapshot, document_id: str, /) -> WholeText:
    """Return the pages of a document that hold text, put together from its chunks.

    Raises
    ------
    KeyError
        The document is not live in this snapshot.
    CollectionDamaged
        What is stored cannot be read.
    """
    revision = snapshot.documents[document_id].revision
    rows = snapshot.scan(ROWS, revisions=[revision]).to_pylist()
    rows.sort(key=lambda row: row["chunk_index"])
    return text_of_rows(rows)


def text_of_rows(rows: Iterable[dict[str, Any]], /) -> WholeText:
    """Return a document as one text, from its chunks in order with the columns ``ROWS``."""
    return WholeText(
        tuple(_page(number, found) for number, found in groupby(rows, lambda row: row["page"]))
    )


def _page(number: int, rows: Iterable[dict[str, Any]]) -> TextPage:
    """Join the chunks of a page, which tile it and overlap, and what is printed on them."""
    text = ""
    spans: dict[tuple[str, str, int], int] = {}
    blocks: dict[tuple[int, int], None] = {}
    is_estimated = False
    for row in rows:
        is_estimated = bool(row.get("page_is_estimated"))
        offset = row["char_start"]
        for paragraph in row.get("paragraphs") or ():
            if paragraph["kind"] == "quote":
                blocks[paragraph["start"], paragraph["end"]] = None
        for place in row.get("printed") or ():
            start, end = offset + place["start"], offset + place["end"]
            # A place that an earlier chunk has in part goes on in this one.
            known = next(
                (
                    key
                    for key, until in spans.items()
                    if key[:2] == (place["kind"], place["label"]) and key[2] <= start <= until
                ),
                (place["kind"], place["label"], start),
            )
            spans[known] = max(spans.get(known, 0), end)
        text += row["text"][max(0, len(text) - offset) :]
    printed = (PrintedPlace(*key, end) for key, end in spans.items())
    ordered = tuple(sorted(printed, key=lambda p: (p.start, -p.end)))
    return TextPage(number, text, ordered, tuple(sorted(blocks)), is_estimated)
