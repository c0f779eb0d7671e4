"""The two forms of an answer: detailed, and concise for a model that reads it on every turn.

The concise form is derived from the detailed one:

- a source becomes ``chars`` (span in its page's text), ``chunk_id`` for other tools, and
  ``source``, a key into ``sources``, where name and path of its document appear once;
- empty members, times, addresses and offsets are left out;
- ids are shortened (:class:`casetrack.base.arguments.ShortIds`).

Citation (file, page, paragraphs, lines), ``chars`` and the path keep the provenance complete (P4).
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CollectionDamaged
from casetrack.faces.mcp.outputs import SHORT_LINE, Facts
from casetrack.faces.mcp.results import BUDGET, CONCISE_BUDGET, document_entry, tokens
from casetrack.faces.mcp.session import in_thread
from casetrack.faces.mcp.texts import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from casetrack.api.collection import Collection as OpenCollection
    from casetrack.base.arguments import ShortIds
    from casetrack.base.records import Document
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
"""Keys of the detailed form only, in addition to times, which end with ``_at``."""
_REPEATS = {
    "description": ("snippet", "text", "weight", "mention_count", "document_count"),
    "snippet": ("text",),
    "source_name": ("source", "target"),
}
"""Keys that repeat another member of the same object, such as words of its sentence."""
_SHARES = frozenset({"score", "weight", "relevance", "similarity"})
"""Numbers that are rounded to two digits."""
_OF_PASSAGE = {"ocr_warning": str, "hidden_warning": str, "table_header": str}
"""Members of a source that warn about its passage."""
_OF_DOCUMENT = ("document", "document_path", "document_source", "document_url")
_HEADER_CHARS = 300


class ResponseFormatter:
    """Formats the answer to one call; *chunks* and *documents* shorten ids."""

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
    def budget(self) -> int:
        """Tokens for the items of a list."""
        return CONCISE_BUDGET if self.concise else BUDGET

    def entry(self, facts: Facts, /) -> Facts:
        """Return a member of an answer in this form."""
        return self._members(facts) if self.concise else facts

    def whole(self, facts: Facts, /) -> Facts:
        """Return a whole answer in this form with ``sources``; members may be formatted."""
        if not self.concise:
            return facts
        formatted = {key: self._value(key, value) for key, value in facts.items() if _is_kept(key)}
        formatted = {key: value for key, value in formatted.items() if value is not None}
        named = dict.fromkeys(_pointers(formatted))
        sources = {key: self._sources[key] for key in named if key in self._sources}
        return formatted | ({"sources": sources} if sources else {})

    def source_tokens(self) -> int:
        """Return the tokens by now of the documents that the members of the answer point to."""
        return tokens(self._sources) if self._sources else 0

    def chunk_id(self, full: str, /) -> str:
        """Return a chunk id in this form."""
        return self._chunks.of(full) if self.concise and self._chunks else full

    def document_id(self, full: str, /) -> str:
        """Return a document id in this form."""
        return self._documents.of(full) if self.concise and self._documents else full

    def place(self, source: Facts, /) -> Facts:
        """Return the concise members that replace a source."""
        key = self.document_id(source["document_id"])
        if key not in self._sources:
            facts = {name.removeprefix("document_"): source.get(name) for name in _OF_DOCUMENT}
            if PurePath(facts["path"] or "").name == facts["document"]:
                # The citation contains the name, too.
                del facts["document"]
            self._sources[key] = {name: value for name, value in facts.items() if value is not None}
        place: Facts = {
            "chars": f"{source['char_start']}-{source['char_end']}",
            "chunk_id": self.chunk_id(source["chunk_id"]),
            SOURCE_KEY: key,
        }
        if (sure := source.get("ocr_confidence")) is not None:
            place["ocr_confidence"] = round(sure, 2)
        marks = {name: source.get(name) for name in _OF_PASSAGE}
        return place | {name: cut(text, _HEADER_CHARS) for name, text in marks.items() if text}

    def _members(self, facts: Facts) -> Facts:
        formatted: Facts = {}
        needless = _needless(facts)
        for key, value in facts.items():
            if key == SOURCE_KEY and isinstance(value, dict):
                formatted |= self.place(value)
            elif key not in needless and _is_kept(key):
                made = self._value(key, value)
                if made is not None and made not in ([], {}):
                    formatted[key] = made
        return formatted

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


async def formatter_for(
    response_format: ResponseFormat, collection: OpenCollection, /
) -> ResponseFormatter:
    """Return the formatter of answers about a collection."""
    return await in_thread(partial(read_formatter, response_format, collection))


def read_formatter(
    response_format: ResponseFormat, collection: OpenCollection, /
) -> ResponseFormatter:
    """Return :func:`formatter_for`; reads the disk."""
    if response_format != "concise":
        return ResponseFormatter(response_format)
    state = collection.workspace.state()
    documents = state.short_document_ids()
    try:
        return ResponseFormatter(response_format, state.short_chunk_ids(), documents)
    except CollectionDamaged:
        # A damaged index cannot show whether a short id is unique, so use full ids.
        return ResponseFormatter(response_format, None, documents)


def document_forms(
    formatter: ResponseFormatter, documents: Sequence[Document], /
) -> tuple[Callable[[Document], Facts], str]:
    """Return how a list shows documents, and the folder that the paths of its concise form lack."""
    if not formatter.concise:
        return document_entry, ""
    paths = [document.path for document in documents]
    first, last = min(paths, default=""), max(paths, default="")
    alike = next((n for n, c in enumerate(first) if last[n : n + 1] != c), len(first))
    root = first[: max(first.rfind(mark, 0, alike) for mark in ("/", os.sep)) + 1]

    def entry(document: Document) -> Facts:
        listed, path = document_entry(document), document.path[len(root) :]
        # A path that equals the name is redundant.
        names = (name.rstrip("?") for name in SHORT_LINE.names)
        facts = {name: listed[name] for name in names if name in listed}
        return formatter.entry(facts | {"path": None if path == document.name else path})

    return entry, root


def _is_kept(key: str) -> bool:
    return key not in _LEFT_OUT and not key.endswith("_at")


def _needless(keys: Collection[str]) -> frozenset[str]:
    """Return the keys of one object whose values repeat another value of it."""
    # Objects without a citation or relation contain no words of a document.
    if "citation" not in keys and "source_name" not in keys:
        return frozenset()
    return frozenset(k for name, others in _REPEATS.items() if name in keys for k in others)


def _pointers(node: Any) -> Iterator[str]:
    """Yield the keys of the sources to which an answer refers."""
    if isinstance(node, dict):
        pointer = node.get(SOURCE_KEY)
        if isinstance(pointer, str):
            yield pointer
        for value in node.values():
            yield from _pointers(value)
    elif isinstance(node, list):
        for value in node:
            yield from _pointers(value)


# --- types ----------------------------------------------------------------------------------
