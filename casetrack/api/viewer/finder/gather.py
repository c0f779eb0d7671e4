"""Collects what the page searches: documents, their passages, the terms of these."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from casetrack.base.records.documents import FILES
from casetrack.store.passages import CITE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Document
    from casetrack.store.workspace import State

    Link = Callable[[Document, Provenance], str | None]

_COLUMNS = tuple(
    dict.fromkeys(
        [
            *CITE_COLUMNS,
            *("chunk_index", "text", "heading_path", "terms", "term_counts", "term_total"),
        ]
    )
)
_LINKED = frozenset({"http", "https", "file"})
"""Schemes of addresses that the page may lead to."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage: its text, where it stands, and how many terms it is found by.

    Attributes
    ----------
    place
        Its citation without the document's name, such as ``p. 1, para. 2, ll. 10-20``.
    lines
        First and last line of the page, 1-based, where the format has lines of its own.
    """

    text: str
    place: str
    lines: tuple[int, int]
    heading: str
    url: str | None
    length: int


@dataclass(frozen=True, slots=True)
class Found:
    """A document and its passages in reading order.

    Attributes
    ----------
    label
        Of its source, such as ``git:platform``.
    key
        What its source calls it.
    """

    title: str
    label: str
    key: str
    url: str | None
    updated_at: datetime
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that the page holds.

    Attributes
    ----------
    documents
        The newest first, then by id: the order of equal scores.
    terms
        One row per term and passage in the order of the passages: ``term``, ``row``, ``count``.
    """

    name: str
    made: datetime
    documents: tuple[Found, ...]
    terms: pa.Table


def gather(
    state: State,
    /,
    *,
    name: str | None = None,
    link: Link | None = None,
    made: datetime | None = None,
) -> Gathered:
    """Return what a page of this state holds.

    Parameters
    ----------
    name
        What the page is called; by default as the collection.
    link
        Returns the address that opens a document at a place; by default the document's own.
    made
        What stands in the page as the time it was made; now where it is not given.

    Raises
    ------
    CollectionDamaged
        What is stored cannot be read.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    snapshot = state.snapshot
    ordered = sorted(snapshot.documents.values(), key=_newest_first)
    table = snapshot.scan(_COLUMNS)
    ranks = pa.array([d.document_id for d in ordered], pa.string())
    table = table.append_column("_rank", pc.index_in(table["document_id"], value_set=ranks))
    table = table.sort_by([("_rank", "ascending"), ("chunk_index", "ascending")]).combine_chunks()
    passages: dict[str, list[Passage]] = {}
    for row in table.drop_columns(["_rank", "terms", "term_counts"]).to_pylist():
        document = snapshot.documents[row["document_id"]]
        place = make_provenance(row, snapshot)
        passages.setdefault(document.document_id, []).append(
            Passage(
                text=row["text"],
                place=place.cite().removeprefix(f"{document.name}, "),
                lines=(place.line_start, place.line_end),
                heading=" \u203a ".join(h.lstrip("# ") for h in place.heading_path),
                url=_safe(link(document, place) if link else document.source_url),
                length=row["term_total"],
            )
        )
    terms = pa.table(
        {
            "term": pc.list_flatten(table["terms"]),
            "row": pc.list_parent_indices(table["terms"]),
            "count": pc.list_flatten(table["term_counts"]),
        }
    )
    documents = tuple(_found(d, tuple(passages.get(d.document_id, ()))) for d in ordered)
    return Gathered(name or state.workspace.name, made or datetime.now(UTC), documents, terms)


def _found(document: Document, passages: tuple[Passage, ...]) -> Found:
    return Found(
        title=document.title or document.name,
        label=document.source or FILES,
        key=document.source_id or document.path,
        url=_safe(document.source_url),
        updated_at=document.dated_at,
        passages=passages,
    )


def _safe(url: str | None) -> str | None:
    """Return an address that a page may lead to, else nothing: no script is one."""
    try:
        return url if url and urlsplit(url).scheme.lower() in _LINKED else None
    except ValueError:
        return None


def _newest_first(document: Document) -> tuple[float, str]:
    return -document.dated_at.timestamp(), document.document_id
