"""The tables of one state of a collection, built on first use and kept.

The facts of each document are in segments (:mod:`casetrack.graph.segment`). Entities over all
documents, edges and topics are built from them and kept in ``views/graph/tables`` until the
collection changes; tables of places are assembled from the segments each time.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from abc import ABC, abstractmethod
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base import schema
from casetrack.base.dataclass import dataclass, field
from casetrack.base.files import replacement
from casetrack.base.registry import registered
from casetrack.graph import tables as made
from casetrack.graph.entities.lexicon import PLACED
from casetrack.graph.marks import in_documents, marks_table, place_marks
from casetrack.graph.passages import Passages
from casetrack.graph.segment import write_table
from casetrack.graph.stored_segments import ordered, remove_old_tables, state_key, stored_segments
from casetrack.graph.tables import Entities, Live
from casetrack.ingest.steps.base import attempt, collect_failures
from casetrack.store.index.arrays import as_numpy, read_table, with_column
from casetrack.store.marks import Marks
from casetrack.store.sql.trusted import OwnSql

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.base.records import Chunk, CollectionInfo, Document
    from casetrack.base.records.graph import Quote
    from casetrack.base.records.marks import PlacedMark
    from casetrack.base.sql.catalog import EdgeKind, GraphView
    from casetrack.graph.entities.merge import Merged
    from casetrack.graph.passages import Vectors
    from casetrack.graph.relations.document_links import DocumentLinker
    from casetrack.graph.relations.mails import Mails
    from casetrack.graph.relations.targets import Catalogue
    from casetrack.ingest.pipeline.files import PipelineFile
    from casetrack.ingest.steps.join import JoinRules
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index

T = TypeVar("T")
_log = logging.getLogger(__name__)
_GRACE_SECONDS = 900.0


@dataclass(eq=False)
class StateTables(ABC):
    """The tables of one state, each built on first use, with the edits in *marks*. Thread-safe."""

    _folder: Path
    info: CollectionInfo
    snapshot: Snapshot
    _index: Index
    _marks: Marks = field(default_factory=Marks)
    _tables: dict[str, pa.Table] = field(default_factory=dict, init=False)
    _failed: dict[str, str] = field(default_factory=dict, init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)
    _made: dict[Callable[[Any], Any], Any] = field(default_factory=dict, init=False)

    @property
    def home(self) -> Path:
        """The folder of the map within the collection's folder."""
        return self._folder / "views" / "graph"

    @cached_property
    def _pipeline(self) -> PipelineFile:
        from casetrack.ingest.pipeline.files import of_collection

        return of_collection(self.info.pipeline, self._folder)

    @cached_property
    def _rules(self) -> JoinRules:
        return self._pipeline.join_rules

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """All documents, ordered by name, path and id."""
        return ordered(self.snapshot)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The names and titles of the documents, indexed."""
        from casetrack.graph.relations.targets import Catalogue

        return Catalogue(self.documents)

    # --- tables -------------------------------------------------------------------------------

    def table(self, name: GraphView, /) -> pa.Table:
        """Return a table of the graph with all live rows, as ``schemas`` declares it."""
        with self._lock:
            if name not in self._tables:
                empty = schema.table(name).arrow().empty_table
                self._tables[name] = self._guarded(name, partial(self._make, name), empty)
            return self._tables[name]

    def _guarded(self, name: str, make: Callable[[], T], otherwise: Callable[[], T], /) -> T:
        """Return the result of a builder; after an error, *otherwise*, and ``notes`` reports it."""
        with collect_failures("the map") as failures:
            made = attempt(name, make, None)
        if made is None:
            self._failed[name] = failures.all()[0].error
            return otherwise()
        return made

    def _make(self, name: GraphView) -> pa.Table:
        if name == "entities":
            return self._entities.table
        if name == "marks":
            return marks_table(self.marks)
        if name in {"mentions", "dates", "amounts"}:
            table = made.facts(name, self._live, self._entities)
            return made.plain(name, self._with_roles(table) if name == "mentions" else table)
        if name == "references":
            return self._references
        if name == "citations":
            return self._kept("citations", self._citations)
        for tables in registered("tables").values():
            if name in tables:
                return tables[name](self)
        if name == "edges":
            parts = [self.edges(kind) for kind in ("entity", "document", "chunk")]
            return pa.concat_tables([made.plain("edges", part) for part in parts]).combine_chunks()
        return self._kept("topics", self._topics)

    @abstractmethod
    def _make_edges(self, kind: EdgeKind) -> pa.Table:
        """Build the edges between nodes of one kind."""

    @abstractmethod
    def _topics(self) -> pa.Table:
        """Build the table of topics."""

    def edges(self, kind: EdgeKind, /) -> pa.Table:
        """Return the rows of ``edges`` between nodes of one kind, with encoded texts.

        Other edges are not built.
        """
        with self._lock:
            name = f"edges_{kind}"
            if name not in self._tables:

                def kept() -> pa.Table:
                    edges = self._kept(name, lambda: made.encoded(self._make_edges(kind)))
                    return made.with_lists(edges)

                empty = schema.table("edges").arrow().empty_table
                self._tables[name] = self._guarded(name, kept, empty)
            return self._tables[name]

    def nodes(self) -> pa.Table:
        """Return ``id`` and ``place`` of entities, documents and chunks, by name and position."""
        ids = sorted(self.table("entities")["entity_id"].to_pylist())
        ids += [d.document_id for d in self.documents]
        ids += self._live.chunks["chunk_id"].to_pylist()
        return pa.table({"id": pa.array(ids, pa.string()), "place": np.arange(len(ids))})

    @cached_property
    def _live(self) -> Live:
        parts = stored_segments(self.home / "segments", self.snapshot)
        return Live(self.documents, tuple(parts), self._kept)

    @cached_property
    def marks(self) -> tuple[PlacedMark, ...]:
        """The user's marks on documents, passages, names and events, at their current places."""
        return place_marks(self._marks.all, self.snapshot, self.quotes, self._edits)

    def _with_roles(self, mentions: pa.Table) -> pa.Table:
        """Replace the roles of mentions that the user corrected."""
        for edit in in_documents(self._marks.entity_edits, self.snapshot):
            if edit.kind != "role" or edit.mark_id not in self._edits:
                continue
            whose = self._edits[edit.mark_id]["entity_id"]
            is_own = pc.and_(
                pc.equal(mentions["entity_id"], whose), pc.not_equal(mentions["role"], PLACED)
            )
            if edit.document_id is not None:
                is_own = pc.and_(is_own, pc.equal(mentions["document_id"], edit.document_id))
            old, new = mentions["role"], pa.scalar(edit.value or None, pa.string())
            chosen = pc.if_else(pc.fill_null(is_own, False), new, old.cast(pa.string()))
            mentions = with_column(mentions, "role", chosen)
        return mentions

    @cached_property
    def _edits(self) -> dict[str, dict[str, str | None]]:
        """The entities of each of the user's edits by mark id, without edits that had no effect."""
        edits = self._entities.outcomes if self._marks.entity_edits else None
        return {} if edits is None else {row["mark_id"]: row for row in edits.to_pylist()}

    @cached_property
    def _entities(self) -> Entities:
        """The table ``entities``, and the entity of each document-level entity."""
        from casetrack.graph.entities.merge import merge

        merged: list[Merged] = []

        def once() -> Merged:
            if not merged:
                edits = in_documents(self._marks.entity_edits, self.snapshot)
                merged.append(merge(self._live.locals, self._rules, edits))
            return merged[0]

        def entities() -> pa.Table:
            return made.plain("entities", made.counted(self._live, once()))

        def numbers() -> pa.Table:
            return pa.table({"entity": pa.array(once().codes, pa.int32())})

        def merged_entities() -> Entities:
            table = self._kept("entities", entities)
            codes = as_numpy(self._kept("entity_of", numbers)["entity"])
            if not self._marks.entity_edits:
                return Entities(table, codes)
            moved = self._kept("moved", lambda: once().moved)
            return Entities(table, codes, moved, self._kept("edits", lambda: once().outcomes))

        def none() -> Entities:
            empty = schema.table("entities").arrow().empty_table()
            return Entities(empty, np.full(self._live.locals.num_rows, -1, np.int32))

        with self._lock:
            return self._guarded("entities", merged_entities, none)

    @cached_property
    def _references(self) -> pa.Table:
        def references() -> pa.Table:
            from casetrack.graph.relations.targets import targets

            citations = made.plain("citations", made.citations(self._live))
            table, spellings = made.references(citations)
            rows = [
                row | {"spellings": spellings.get(row["reference_id"], [])}
                for row in table.select(["reference_id", "type", "name"]).to_pylist()
            ]
            target_ids = targets(rows, self.catalogue)
            return made.plain("references", made.with_targets(table, target_ids, self.documents))

        return self._kept("references", references)

    def _citations(self) -> pa.Table:
        citations = made.plain("citations", made.citations(self._live))
        citations = made.with_targets(citations, self._targets, self.documents)
        return self.linker.resolve_citations(citations)

    @cached_property
    def linker(self) -> DocumentLinker:
        """The statements of the documents about each other, resolved to the documents they mean."""
        from casetrack.graph.relations.descriptions import parties_of
        from casetrack.graph.relations.document_links import DocumentLinker

        live = self._live
        codes = self._entities.codes
        known = pa.array(np.maximum(codes, 0), mask=codes < 0)
        ids = self._entities.table["entity_id"].combine_chunks().take(known)
        indexes = zip(
            live.chunks["chunk_id"].to_pylist(), live.chunks["chunk_index"].to_pylist(), strict=True
        )
        return DocumentLinker.of(
            self.catalogue,
            live.identities.to_pylist(),
            live.claims.to_pylist(),
            parties_of(live.locals, ids, dict(indexes), len(self.documents)),
            self.mails,
        )

    @property
    def mails(self) -> Mails:
        """The mails with their replies, threads and copies."""
        return self._live.mails

    @property
    def copies(self) -> NDArray[np.int32]:
        """Positions of the documents that are copies of an earlier mail."""
        return self._live.copies

    @cached_property
    def owners(self) -> dict[str, tuple[str, str]]:
        """Id and name of the entity of each mail address, in lower case."""
        column = self._live.locals["addresses"].combine_chunks()
        rows = self._entities.codes[np.asarray(pc.list_parent_indices(column), dtype=np.int64)]
        known = self._entities.table.take(pa.array(np.maximum(rows, 0), mask=rows < 0))
        names = zip(known["entity_id"].to_pylist(), known["name"].to_pylist(), strict=True)
        owned = zip(pc.list_flatten(column).to_pylist(), names, strict=True)
        return {address: own for address, own in owned if own[0] is not None}

    @cached_property
    def _targets(self) -> dict[str, str]:
        table = self.table("references")
        pairs = zip(
            table["reference_id"].to_pylist(), table["target_document_id"].to_pylist(), strict=True
        )
        return {reference: target for reference, target in pairs if target is not None}

    # --- tables stored on disk ----------------------------------------------------------------

    @cached_property
    def _key(self) -> str:
        return state_key(self.snapshot, self._rules, self._marks)

    def _kept(self, name: str, make: Callable[[], pa.Table]) -> pa.Table:
        """Return the stored table of this state, or build and store it."""
        path = self.home / "tables" / self._key / f"{name}.arrow"
        with contextlib.suppress(OSError, ValueError):
            return read_table(path)
        table = make()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacement(path, durable=False) as temporary:
                write_table(table, temporary, at=path, packed=True)
            self._remove_old()
        except OSError as error:
            # The file is only a cache: on a full disk, work continues from memory.
            _log.warning("Cannot store the graph in %s: %s", path.parent, error)
        return table

    def _remove_old(self) -> None:
        """Remove the tables of old states; readers may still map recent ones."""
        remove_old_tables(self.home, self._key, _GRACE_SECONDS)

    # --- SQL ----------------------------------------------------------------------------------

    @cached_property
    def _own_sql(self) -> OwnSql:
        return OwnSql(lambda: self.snapshot.documents.table, self)

    def sql(
        self,
        statement: str,
        params: Mapping[str, Any] | None = None,
        /,
        *,
        tables: Mapping[str, pa.Table] | None = None,
    ) -> pa.Table:
        """Run a trusted SELECT over the tables and *tables*; parameters are ``$name``."""
        return self._own_sql.run(statement, params, tables=tables)

    # --- passages -----------------------------------------------------------------------------

    @cached_property
    def _passages(self) -> Passages:
        return Passages(self._live, self.snapshot, self._index)

    def chunk_vectors(self) -> Vectors:
        """Return the vectors of all chunks, ordered by document and position."""
        return self._passages.chunk_vectors()

    def own_vectors(self) -> Vectors:
        """Return the vectors of all chunks, without those of repeated text."""
        return self._passages.own_vectors()

    def document_vectors(self) -> NDArray[np.float32]:
        """Return float32 [documents, dimension]: the mean of the chunks' vectors, unit length."""
        return self._passages.document_vectors()

    def phrases(self, chunk_ids: Sequence[str], /) -> list[list[str]]:
        """Return for each chunk the keys of its phrases, which are candidates for labels."""
        return self._passages.phrases(chunk_ids)

    def chunks(self, chunk_ids: Sequence[str], /) -> list[Chunk]:
        """Return chunks by id, in this order, with text and full source."""
        return self._passages.chunks(chunk_ids)

    def quotes(self, places: Sequence[tuple[str, int, int]], /) -> list[Quote]:
        """Return quotes of places (chunk id, start and end in its text), in this order."""
        return self._passages.quotes(places)
