"""Access to documents, texts and places for computed answers."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from casetrack.base.dataclass import dataclass
from casetrack.base.records.search import ComputedAnswer, ComputedPart
from casetrack.graph.opened import graph_of
from casetrack.ingest.steps.words import index_terms
from casetrack.store.index.scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.reading import NamedDocument, Reading
    from casetrack.base.sql.catalog import GraphView
    from casetrack.graph.graph import ContextGraph
    from casetrack.store.index.scope import Place
    from casetrack.store.workspace import State

Spot = tuple[str, int, int]
"""The id of a chunk, and start and end in its text."""
SHOWN = 10
"""Maximum number of parts of an answer."""
_TITLE_CHARS = 120
_NAMED = 5


@dataclass(frozen=True)
class Source:
    """A state, the parsed question, and the documents that the search may use.

    *only* has the ids of these documents; ``None`` for all.
    """

    state: State
    reading: Reading
    only: frozenset[str] | None = None

    @cached_property
    def graph(self) -> ContextGraph:
        """The map of the state."""
        return graph_of(self.state)

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the documents, each file once: the first by path of equal files."""
        first: dict[str, str] = {}
        for _, document_id, file in self.state.once(_by_path):
            if self.only is None or document_id in self.only:
                first.setdefault(file, document_id)
        return list(first.values())

    @property
    def documents(self) -> list[Document]:
        """The documents, each file once, by path."""
        every = {each.document_id: each for each in self.state.snapshot.documents.values()}
        return [every[document_id] for document_id in self.ids]

    @property
    def named(self) -> frozenset[str]:
        """The documents that the question certainly names: by their file name."""
        return frozenset(each.document_id for each in self._certain)

    @cached_property
    def _certain(self) -> list[NamedDocument]:
        query = self.reading.query.casefold()
        stems = ((each, PurePath(each.document).stem.casefold()) for each in self.reading.named)
        return [each for each, stem in stems if stem and stem in query]

    def without_names(self, rest: str, /) -> str:
        """Return the narrowing words without names of documents that it names."""
        for each in self._certain:
            for name in (each.document, PurePath(each.document).stem):
                rest = re.sub(re.escape(name), " ", rest, flags=re.IGNORECASE)
        return rest

    def places(self, document_id: str, /) -> list[Place]:
        """Return the places of a document's chunks, in order."""
        index = self.state.index
        order = [part.data.column("chunk_index") for part in index.segments]
        return sorted(scope_of(index).places_of(document_id), key=lambda p: int(order[p[0]][p[1]]))

    def texts(self, places: Sequence[Place], /) -> list[tuple[str, str]]:
        """Return id and text of the chunks at some places."""
        index = self.state.index
        texts = index.texts(places)
        return list(zip(index.chunk_ids(places), (texts[p] for p in places), strict=True))

    def places_with(self, terms: Iterable[str], /) -> list[Place]:
        """Return the live places of chunks that have all index terms."""
        return list(scope_of(self.state.index, frozenset(self.ids)).holding(frozenset(terms)))

    def beginning_with(self, words: Iterable[str], /) -> list[Document]:
        """Return the documents whose first chunk has all words, by path."""
        index, terms = self.state.index, index_terms(" ".join(words))
        places = self.places_with(terms) if terms else []
        rows = index.rows_at(places, ["chunk_index"])
        first = [p for p, row in zip(places, rows, strict=True) if row["chunk_index"] == 0]
        ids, every = set(map(index.document_at, first)), self.state.snapshot.documents
        return [every[i] for i in self.ids if i in ids]

    def first_places(
        self, table: GraphView, column: str, ids: Collection[str], by: str, /
    ) -> dict[str, Spot]:
        """Return the first place of rows of a table with some ids in *column*, by a column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = self.graph.table(table)
        rows = rows.filter(pc.is_in(rows[column], value_set=pa.array(sorted(ids), pa.string())))
        places = rows.select([by, "chunk_id", "char_start", "char_end"]).to_pylist()
        return {row[by]: spot(row) for row in reversed(places)}

    def answer(
        self,
        text: str,
        how: str,
        parts: Sequence[tuple[str, str | None, Spot]],
        /,
        *,
        total: int = 0,
    ) -> ComputedAnswer:
        """Return an answer; each part has a name, a value, and a place in a chunk.

        *total* is the number of all parts if *parts* are the first of them.
        """
        shown = parts[:SHOWN]
        quotes = self.graph.quotes([place for _, _, place in shown])
        made = tuple(
            ComputedPart(name, value, quote)
            for (name, value, _), quote in zip(shown, quotes, strict=True)
        )
        total = total or len(parts)
        more = f"; the first {SHOWN} are shown" if total > SHOWN else ""
        return ComputedAnswer(text, f"{how}{more}", total, made)

    def opening(self, document: Document, /) -> Spot | None:
        """Return the place of the first line of a document; ``None`` if it has no text."""
        for chunk_id, text in self.texts(self.places(document.document_id)[:1]):
            start = len(text) - len(text.lstrip())
            line = text[start:].partition("\n")[0][:_TITLE_CHARS].rstrip()
            return chunk_id, start, start + len(line)
        return None


def _by_path(state: State) -> list[tuple[str, ...]]:
    return sorted(columns_of(state, "path", "document_id", "file_hash"))


def columns_of(state: State, /, *columns: str) -> Iterator[tuple[str, ...]]:
    """Yield some columns of all documents."""
    return zip(*(state.snapshot.documents.table[c].to_pylist() for c in columns), strict=True)


def spot(row: Mapping[str, Any], /) -> Spot:
    """Return the place of a row of the graph."""
    return row["chunk_id"], row["char_start"], row["char_end"]


def of_card(source: Source, document: Document, field: str, /) -> tuple[str, str, Spot] | None:
    """Return a property from the card of a document if it has a place."""
    facts = [
        f for f in document.card or () if f.field == ("party" if field == "parties" else field)
    ]
    spots = [_place_of(source, document, f.page, f.start, f.end) for f in facts]
    if not facts or (field == "issuer" and document.document_type == "order"):
        return None
    return next(
        (
            (f"{facts[0].evidence} of", "; ".join(f.shown for f in facts), spot)
            for spot in spots
            if spot
        ),
        None,
    )


def _place_of(
    source: Source, document: Document, page: int | None, start: int | None, end: int | None
) -> Spot | None:
    """Return the place in a chunk of a span of a page."""
    if page is None or start is None or end is None:
        return None
    for number, row in source.places(document.document_id):
        data = source.state.index.segments[number].data
        (at,) = data.places_of([row], ["page", "char_start", "char_end"])
        if at["page"] == page and at["char_start"] <= start and end <= at["char_end"]:
            (chunk_id,) = source.state.index.chunk_ids([(number, row)])
            return chunk_id, start - at["char_start"], end - at["char_start"]
    return None


def called(document: Document, /) -> str:
    """Return the names of a document: its file's, the one in its properties, and in its text."""
    return f"{document.name} {document.title or ''} {document.own_title or ''}"


def joined(names: Sequence[str], /) -> str:
    """Return the first of some names, and the number of others."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def counted(number: int, one: str, many: str = "", /) -> str:
    """Return a number with its unit: ``1 document``, ``3 documents``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
