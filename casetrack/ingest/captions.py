"""The legal columns of documents that are stored, read from their first pages as at first."""

from __future__ import annotations

from dataclasses import fields
from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.extract.papers.caption import read_caption
from casetrack.extract.papers.facts import CAPTION_READER, UNREAD, LegalFacts
from casetrack.extract.papers.text import TextPage, WholeText
from casetrack.ingest.assemble import FIRST_PAGES, PAGE_CHARS, PLACED_LINES
from casetrack.ingest.steps.failures import attempt, collect_failures
from casetrack.store.whole_text import ROWS, text_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from casetrack.base.records import Document
    from casetrack.store.datasets import Snapshot

_COLUMNS = (*ROWS, "revision", "line_boxes")
_NAMES = tuple(field.name for field in fields(LegalFacts))


def is_unread(document: Document, /) -> bool:
    """Whether nobody has read its caption yet, or an earlier version has."""
    return document.caption_reader != CAPTION_READER


def captions_of(snapshot: Snapshot, documents: Iterable[Document], /) -> dict[str, dict[str, Any]]:
    """Return the legal columns of documents by revision, read from their stored text.

    Lines and pages are those that were read when the file was: no file is opened.

    Raises
    ------
    CollectionDamaged
        What is stored cannot be read.
    """
    found: dict[str, dict[str, Any]] = {}
    for document in documents:
        rows = snapshot.scan(_COLUMNS, revisions=[document.revision]).to_pylist()
        rows.sort(key=lambda row: row["chunk_index"])
        with collect_failures(document.path):  # a failure leaves ``caption_reader`` null
            found[document.revision] = _columns(document, rows)
    return found


def caption_columns(whole: WholeText, /, **known: Any) -> dict[str, Any]:
    """Return the legal columns of a document; parameters are those of ``read_caption``."""
    return attempt(
        "caption", lambda: read_caption(whole, **known).columns(), UNREAD, stage="document"
    )


def _columns(document: Document, rows: list[dict[str, Any]]) -> dict[str, Any]:
    first = [row for row in rows if row["page"] <= FIRST_PAGES]
    pages = [TextPage(p.number, p.text[:PAGE_CHARS]) for p in text_of_rows(first).pages]
    boxes = [
        _placed(page.text, list(own))
        for page, (_, own) in zip(pages, groupby(first, lambda row: row["page"]), strict=True)
    ]
    return caption_columns(
        WholeText(tuple(pages)),
        format=document.format,
        name=document.name,
        title=document.title,
        document_type=document.document_type,
        boxes=boxes,
    )


def _placed(text: str, rows: Iterable[Mapping[str, Any]]) -> dict[int, tuple[float, float]]:
    """Return left and right edge of the first lines of a page, by where they begin in its text."""
    starts, at = list[int](), 0
    for line in text.split("\n"):
        if line.strip():
            starts.append(at)
        at += len(line) + 1
    edges = {b["line"]: (b["x0"], b["x1"]) for row in rows for b in row["line_boxes"] or ()}
    return {
        start: edges[number]
        for number, start in enumerate(starts[:PLACED_LINES], 1)
        if number in edges
    }


def says_the_same(document: Document, columns: Mapping[str, Any], /) -> bool:
    """Whether the legal columns of a document are these already."""
    return all(getattr(document, name) == columns[name] for name in _NAMES)
