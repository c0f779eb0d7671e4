"""Documents of a collection: as a list, as threads of mails, and as pages of text."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.arguments import one_of, within
from casetrack.base.provenance import Box, LineBox, hull
from casetrack.base.records import Chunk, Document, Page
from casetrack.extract.papers.places import joined_words
from casetrack.graph.answers.rows import total_of
from casetrack.graph.identity.mails import FORMATS as MAIL_FORMATS
from casetrack.graph.opened import graph_of
from casetrack.store.passages import attached_to
from casetrack.store.sql.connection import sql_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from casetrack.graph.relations.messages import Post
    from casetrack.store.workspace import State

LIST_ORDERS = ("name", "type", "pages", "date", "own_date", "author")
_PEOPLE = 3
_ATTACHMENTS = re.compile(r"(?m)^Attachments: (.*)$")
_NUMBER = re.compile(r" \(\d{1,6}\)(?=\.[^.]{0,16}$|$)")
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Listed:
    """A document in the list, with ids and names of its most mentioned people."""

    document: Document
    people: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A part of the list of documents, and the total number."""

    documents: tuple[Listed, ...]
    total: int


def listing(
    state: State,
    /,
    *,
    words: str = "",
    kind: str = "",
    partly: bool = False,
    sort_by: str = "name",
    offset: int = 0,
    limit: int = 100,
) -> Listing:
    """Return a part of the list of documents.

    *words* are in the name or title, in any letter case; *partly* selects documents that were not
    read completely; *sort_by* is one of :data:`LIST_ORDERS` (``date``: last added first,
    ``own_date``: latest :attr:`casetrack.base.records.Document.dated_at` first); *limit* is at most
    1,000. Names of people are left out until all passages are read for the map. Raises
    ``UsageError`` if there is no such order, or the part is too large.
    """
    one_of("sort_by", sort_by, LIST_ORDERS)
    asked = {
        "words": words,
        "kind": kind,
        "partly": partly,
        "sort_by": sort_by,
        "offset": max(offset, 0),
        "limit": within("limit", limit, 1, _MOST),
    }
    rows = graph_of(state).sql(sql_text("listing"), asked).to_pylist()
    ids = [row["document_id"] for row in rows]
    people: dict[str, list[tuple[str, str]]] = defaultdict(list)
    if ids and not graph_of(state).lacking:
        answer = graph_of(state).sql(sql_text("people_of"), {"documents": ids, "most": _PEOPLE})
        for row in answer.to_pylist():
            people[row["document_id"]].append((row["entity_id"], row["name"]))
    known = state.snapshot.documents
    listed = tuple(Listed(known[own], tuple(people[own])) for own in ids)
    return Listing(listed, total_of(rows))


def types_of(state: State, /) -> dict[str, int]:
    """Return the types of documents with their counts, most frequent first."""
    rows = (
        graph_of(state)
        .sql(
            "SELECT coalesce(document_type, 'other') AS type, count(*) AS documents "
            "FROM documents GROUP BY ALL ORDER BY documents DESC, type"
        )
        .to_pylist()
    )
    return {row["type"]: row["documents"] for row in rows}


# Assembles the pages of a document from its chunks, which cover them and overlap.


def pages_of(chunks: Sequence[Chunk], /) -> Iterator[Page]:
    """Yield the pages of a document's chunks, in order."""
    ordered = sorted(chunks, key=lambda c: (c.provenance.page, c.provenance.char_start))
    for number, group in itertools.groupby(ordered, key=lambda c: c.provenance.page):
        yield _page(number, list(group))


def _page(number: int, chunks: Sequence[Chunk]) -> Page:
    """Join the chunks of a page, which cover it and overlap."""
    parts, length = list[str](), 0
    for chunk in chunks:
        parts.append(chunk.text[max(0, length - chunk.provenance.char_start) :])
        length = max(length, chunk.provenance.char_end)
    places = [c.provenance for c in chunks]
    sure = [p.ocr_confidence for p in places if p.ocr_confidence is not None]
    rows = [p.row_end for p in places if p.row_end is not None]
    whole = replace(
        places[0],
        paragraph_end=max(p.paragraph_end for p in places),
        line_end=max(p.line_end for p in places),
        printed_place=joined_words(p.printed_place for p in places),
        char_end=length,
        row_end=max(rows, default=None),
        ocr_confidence=min(sure, default=None),
        line_boxes=tuple(_whole_lines(box for p in places for box in p.line_boxes)),
    )
    return Page(number, "".join(parts), len(chunks), whole)


def _whole_lines(boxes: Iterable[LineBox]) -> Iterator[LineBox]:
    """Yield the rectangle of each line; a line in two chunks has a part in each."""
    parts: dict[int, list[Box]] = {}
    for each in boxes:
        parts.setdefault(each.line, []).append(each.box)
    for line, group in parts.items():
        yield LineBox(line, hull(group))


# The thread of a mail, in the order of sending.


@dataclass(frozen=True, slots=True)
class ThreadMail:
    """A mail of a thread.

    *subject*, *writer* and *readers* are empty if the mail has none; *sent* is ``None`` if unknown.
    """

    document: Document
    subject: str
    writer: str
    readers: str
    sent: datetime | None


def thread_of(state: State, document: Document, /) -> tuple[ThreadMail, ...]:
    """Return the thread of a mail, including the mail; empty for other documents.

    Of several copies of a mail, one is returned: the given one, if it is among them.
    """
    if document.format not in MAIL_FORMATS:
        return ()
    documents = graph_of(state).documents
    mails = []
    for post in state.once(_threads).get(document.document_id, ()):
        copies = (post.message, *post.copies)
        own = (m for m in copies if documents[m.document].document_id == document.document_id)
        message = next(own, post.message)
        mails.append(
            ThreadMail(
                documents[message.document],
                message.shown,
                message.head.get("from", ""),
                message.head.get("to", ""),
                message.sent,
            )
        )
    return tuple(mails)


def attachments_of(state: State, document: Document, /) -> list[Document]:
    """Return the attachments of a document."""
    return attached_to(state.snapshot, document)


def _threads(state: State) -> dict[str, tuple[Post, ...]]:
    """Return the thread of each mail by its document, copies among them."""
    documents = graph_of(state).documents
    return {
        documents[message.document].document_id: posts
        for posts in graph_of(state).mails.conversations()
        for post in posts
        for message in (post.message, *post.copies)
    }
