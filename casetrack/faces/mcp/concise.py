"""How an answer is told: in full, or as a model that reads it on every turn wants it.

The concise form of an answer is made from its detailed one by one set of rules:

- the source of a passage becomes where it stands (``chars``, the span of its page's text), the
  ``chunk_id`` that other tools take, and ``source``, which points to the entry of its document in
  ``sources``, the one place that tells its name and path;
- what is not there is left out, and so are times, addresses and offsets;
- ids of documents and passages are told in short (:class:`casetrack.base.arguments.ShortIds`).

What stands in a citation (file, page, paragraphs, lines) stays, and with ``chars`` and the path of
``sources`` it says everything that names a place (P4).
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CollectionDamaged
from casetrack.faces.mcp.outputs import SHORT_LINE
from casetrack.faces.mcp.results import CONCISE_ROOM, ROOM, document_entry, tokens
from casetrack.faces.mcp.session import in_thread
from casetrack.faces.mcp.texts import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from casetrack.api.collection import Collection as OpenCollection
    from casetrack.base.arguments import ShortIds
    from casetrack.base.records import Document
    from casetrack.faces.mcp.outputs import Facts
    from casetrack.faces.mcp.specs import ResponseFormat

SOURCE_KEY = "source"
_LEFT_OUT = frozenset(
    {
        *("citation_short", "uri", "page_image_uri", "embedders", "chunk_count", "highlight"),
        *("highlight_omitted", "char_start", "char_end", "chunk_char_start", "chunk_char_end"),
        *("offset", "file_hash", "first", "last", "precision", "confidence", "found_by"),
        *("entity_id", "reference_id", "first_document_id", "first_chunk_id", "chunk_ids"),
        *("edited_by_user", "revision", "collection_id", "file_size"),
        *("extraction_methods", "edge_counts", "embedder_coverage"),
        *("last_updated",),
    }
)
"""Keys that only the detailed form has; those of times, which end with ``_at``, as well."""
_REPEATS = {
    "description": ("snippet", "text", "weight", "mention_count", "document_count"),
    "snippet": ("text",),
    "source_name": ("source", "target"),
}
"""Keys that say again what another one beside them says: a sentence, and words of it."""
_SHARES = frozenset({"score", "weight", "relevance", "similarity"})
"""Numbers of which two digits tell all that matters."""
_OF_PASSAGE = {"ocr_warning": str, "hidden_warning": str, "table_header": str}
"""Members of a source that belong to its passage, and may matter to who reads it."""
_OF_DOCUMENT = ("document", "document_path", "document_source", "document_url")
_HEADER_CHARS = 300


class Telling:
    """How the answer to one call is told.

    Parameters
    ----------
    response_format
        What the caller asked for.
    chunks, documents
        The short forms of the ids of the collection.
    """

    def __init__(
        self,
        response_format: ResponseFormat,
        chunks: ShortIds | None = None,
        documents: ShortIds | None = None,
        /,
    ) -> None:
        self.concise = response_format == "concise"
        self._chunks, self._documents = chunks, documents
        self._sources: dict[str, Facts] = {}

    @property
    def room(self) -> int:
        """Tokens that the items of a list may take."""
        return CONCISE_ROOM if self.concise else ROOM

    def entry(self, facts: Facts, /) -> Facts:
        """Return a member of an answer as it is told."""
        return self._members(facts) if self.concise else facts

    def whole(self, facts: Facts, /) -> Facts:
        """Return an answer as it is told; its members may have been made so before.

        What it points to stands in its ``sources``.
        """
        if not self.concise:
            return facts
        told = {key: self._value(key, value) for key, value in facts.items() if _is_told(key)}
        told = {key: value for key, value in told.items() if value is not None}
        named = dict.fromkeys(_pointers(told))
        sources = {key: self._sources[key] for key in named if key in self._sources}
        return told | ({"sources": sources} if sources else {})

    def beside(self) -> int:
        """Return the tokens by now of the documents that the members of the answer point to."""
        return tokens(self._sources) if self._sources else 0

    def chunk_id(self, full: str, /) -> str:
        """Return the id of a passage as it is told."""
        return self._chunks.of(full) if self.concise and self._chunks else full

    def document_id(self, full: str, /) -> str:
        """Return the id of a document as it is told."""
        return self._documents.of(full) if self.concise and self._documents else full

    def place(self, source: Facts, /) -> Facts:
        """Return what a source becomes beside the words that stand there."""
        key = self.document_id(source["document_id"])
        if key not in self._sources:
            facts = {name.removeprefix("document_"): source.get(name) for name in _OF_DOCUMENT}
            if PurePath(facts["path"] or "").name == facts["document"]:
                # Citations say it as well.
                del facts["document"]
            self._sources[key] = {name: value for name, value in facts.items() if value is not None}
        found: Facts = {
            "chars": f"{source['char_start']}-{source['char_end']}",
            "chunk_id": self.chunk_id(source["chunk_id"]),
            SOURCE_KEY: key,
        }
        if (sure := source.get("ocr_confidence")) is not None:
            found["ocr_confidence"] = round(sure, 2)
        marks = {name: source.get(name) for name in _OF_PASSAGE}
        return found | {name: cut(text, _HEADER_CHARS) for name, text in marks.items() if text}

    def _members(self, facts: Facts) -> Facts:
        told: Facts = {}
        needless = _needless(facts)
        for key, value in facts.items():
            if key == SOURCE_KEY and isinstance(value, dict):
                told |= self.place(value)
            elif key not in needless and _is_told(key):
                made = self._value(key, value)
                if made is not None and made not in ([], {}):
                    told[key] = made
        return told

    def _value(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return self._members(value)
        if isinstance(value, (list, tuple)):
            return [self._value(key.removesuffix("s"), each) for each in value]
        if key in _SHARES and isinstance(value, float):
            return round(value, 2)
        if key == "chunk_id" and value is not None:
            return self.chunk_id(value)
        if key == "document_id" and value is not None:
            return self.document_id(value)
        return value


async def telling(response_format: ResponseFormat, collection: OpenCollection, /) -> Telling:
    """Return how the answer to a call on a collection is told."""
    return await in_thread(partial(telling_of, response_format, collection))


def telling_of(response_format: ResponseFormat, collection: OpenCollection, /) -> Telling:
    """Return :func:`telling`; it blocks on the disk."""
    if response_format != "concise":
        return Telling(response_format)
    state = collection.workspace.state()
    documents = state.short_document_ids()
    try:
        return Telling(response_format, state.short_chunk_ids(), documents)
    except CollectionDamaged:
        # Whether a short id is unique can't be told then; whole ones are known to be.
        return Telling(response_format, None, documents)


def document_forms(
    told: Telling, documents: Sequence[Document], /
) -> tuple[Callable[[Document], Facts], str]:
    """Return how a list shows documents, and the folder that the paths of its concise form lack."""
    if not told.concise:
        return document_entry, ""
    paths = [document.path for document in documents]
    first, last = min(paths, default=""), max(paths, default="")
    alike = next((n for n, c in enumerate(first) if last[n : n + 1] != c), len(first))
    root = first[: max(first.rfind(mark, 0, alike) for mark in ("/", os.sep)) + 1]

    def entry(document: Document) -> Facts:
        listed, path = document_entry(document), document.path[len(root) :]
        # A path that is just the name says nothing that the name does not.
        facts = {name: listed[name] for name in SHORT_LINE.names}
        return told.entry(facts | {"path": None if path == document.name else path})

    return entry, root


def _is_told(key: str) -> bool:
    return key not in _LEFT_OUT and not key.endswith("_at")


def _needless(keys: Collection[str]) -> frozenset[str]:
    """Return those of the keys of one object that repeat what another one of it says."""
    # What only names a kind of document or relation has no words of a document to repeat.
    if "citation" not in keys and "source_name" not in keys:
        return frozenset()
    return frozenset(k for name, others in _REPEATS.items() if name in keys for k in others)


def _pointers(node: Any) -> Iterator[str]:
    """Yield the keys of the sources that an answer points to."""
    if isinstance(node, dict):
        found = node.get(SOURCE_KEY)
        if isinstance(found, str):
            yield found
        for value in node.values():
            yield from _pointers(value)
    elif isinstance(node, list):
        for value in node:
            yield from _pointers(value)


# --- types ----------------------------------------------------------------------------------
