"""Export of a collection as JSON and as one page with search in the browser.

The JSON has the field names of ctx, plus citations, lines, and links to these lines.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import UsageError
from casetrack.base.records.documents import FILES
from casetrack.base.records.shape import View

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import Chunk, Document
    from casetrack.store.workspace import State

_CHUNK = View(
    *("id=chunk_id", "document_id=provenance.document_id", "chunk_index=provenance.chunk_index"),
    *("text", "citation", "line_start=provenance.line_start", "line_end=provenance.line_end"),
)
DATA, PAGE = "data.json", "search.html"
"""Names of the files in a folder."""


@dataclass(frozen=True, slots=True)
class Written:
    """The written files and the number of documents and chunks in them."""

    files: tuple[Path, ...]
    documents: int
    chunks: int


def as_json(collection: Collection, /) -> dict[str, Any]:
    """Return the documents and chunks of a collection, sorted by source and id in the source."""
    return collection.workspace.ask(_exported)


def write(collection: Collection, target: Path, /, *, name: str) -> Written:
    """Write a collection to self-contained files; *name* is the title of the page.

    *target* ends in ``.json`` or ``.html``, or is a folder, which is created and gets both files.
    """
    from casetrack.api.viewer.finder import finder_html
    from casetrack.api.viewer.sheet import sheet_path, write_sheet
    from casetrack.base.files import storage_errors, write_atomic
    from casetrack.editions.context.api import address

    target = target.expanduser().absolute()
    kinds = {".json": (target, None), ".html": (None, target), ".htm": (None, target)}
    data, page = kinds.get(target.suffix.lower(), (target / DATA, target / PAGE))
    if data is not None and page is not None:
        if target.suffix and not target.is_dir():
            raise UsageError(
                f"{str(target)!r} ends in neither .json nor .html.",
                hint="Use one of these suffixes, or a folder for both files.",
            )
        with storage_errors(target):
            target.mkdir(parents=True, exist_ok=True)
    if page is not None:
        sheet_path(page, "search")
        html = collection.workspace.ask(lambda state: finder_html(state, link=address, name=name))
        write_sheet(page, "search", html)
    if data is not None:
        text = json.dumps(as_json(collection), ensure_ascii=False)
        write_atomic(data, text.encode("utf-8", "replace"))
    counts = collection.stats()
    files = tuple(path for path in (data, page) if path is not None)
    return Written(files, counts.document_count, counts.chunk_count)


def _exported(state: State) -> dict[str, Any]:
    from casetrack.store.passages import COLUMNS, make_chunks

    chunks = make_chunks(state.snapshot.scan(COLUMNS), state.snapshot)
    by_document = itertools.groupby(chunks, key=lambda chunk: chunk.provenance.document_id)
    held = {document_id: list(chunks_of) for document_id, chunks_of in by_document}
    documents = sorted(state.snapshot.documents.values(), key=_key)
    return {
        "documents": [_document(d, held.get(d.document_id, [])) for d in documents],
        "chunks": [_chunk(c, d) for d in documents for c in held.get(d.document_id, [])],
    }


def _key(document: Document) -> tuple[str, str]:
    return document.source or FILES, document.source_id or document.path


def _document(document: Document, chunks: list[Chunk]) -> dict[str, Any]:
    from casetrack.api.collection.listing import pages_of

    source, source_id = _key(document)
    return {
        "id": document.document_id,
        "source": source,
        "source_id": source_id,
        "source_url": document.source_url,
        "title": document.title or document.name,
        "updated_at": int(document.dated_at.timestamp()),
        "body": "\n\n".join(page.text for page in pages_of(chunks)),
    }


def _chunk(chunk: Chunk, document: Document) -> dict[str, Any]:
    from casetrack.editions.context.api import address

    return _CHUNK.of(chunk) | {"url": address(document, chunk.provenance)}
