"""The map of a collection: who, when, how much, what refers to what; every entry cited."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.collection.again import asks_again
from casetrack.collection.drawing import draw_graph, draw_timeline
from casetrack.collection.finding import Finding
from casetrack.errors import UsageError
from casetrack.records import DOCUMENT_TYPES, Document, RowList, Rows
from casetrack.records.graph import Topic
from casetrack.workspace.arguments import day_text, several

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from casetrack.records import Chunk
    from casetrack.records.graph import (
        Changes,
        Clusters,
        CollectionStatistics,
        CollectionSummary,
        Comparison,
        Encounters,
        Entity,
        EntityGraph,
        EntityMentions,
        Reference,
        ReferenceCitations,
        RelatedDocument,
        SimilarChunk,
        Timeline,
    )
    from casetrack.workspace.arguments import DocumentRef, PassageRef


@asks_again
class Map(Finding):
    """Entities, references, dates, related documents; ``FreeTierLimit`` for what a tier lacks."""

    def summary(self) -> CollectionSummary:
        """Return the collection at a glance: key actors, dates, topics, documents, references."""
        from casetrack.answers.summary import summary

        source, size = self.context_graph(), self._storage_bytes()
        return summary(source, storage_bytes=size)

    def statistics(self) -> CollectionStatistics:
        """Return counts of documents, pages, chunks, entities, references and edges."""
        from casetrack.answers.statistics import statistics

        source, size = self.context_graph(), self._storage_bytes()
        return statistics(source, storage_bytes=size)

    def timeline(
        self,
        *,
        start: str | date | None = None,
        end: str | date | None = None,
        limit: int | None = 100,
    ) -> Timeline:
        """Return dated events in order; where there are too many, the weightiest.

        Parameters
        ----------
        start, end
            Only events on or after, on or before this day (a date, or ``YYYY-MM-DD``, ``YYYY-MM``
            or ``YYYY``).
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        UsageError
            A day is none, or the end comes before the start.
        """
        from casetrack.answers.timeline import timeline

        first, last = day_text(start), day_text(end)
        found = timeline(self.context_graph(), start=first, end=last, limit=limit)
        return replace(found, draw=draw_timeline)

    def topics(self) -> Rows[Topic]:
        """Return what the passages are about, the largest topic first."""
        from casetrack.answers.topics import topic_records

        return Rows(topic_records(self.context_graph()), of=Topic)

    def clusters(self, strategy: str = "topical", /, *, limit: int = 10) -> Clusters:
        """Return groups of documents that belong together.

        Parameters
        ----------
        strategy
            By what: ``topical``, ``entity``, ``reference`` or ``document_type``.
        limit
            At most so many groups.

        Raises
        ------
        UsageError
            There is no such strategy.
        """
        from casetrack.answers.clusters import clusters

        return clusters(self.context_graph(needs="document_clusters"), strategy, limit=limit)

    def entities(
        self, *, kind: str = "all", sort_by: str = "mentions", limit: int | None = 50
    ) -> Rows[Entity]:
        """Return entities of the collection.

        Parameters
        ----------
        kind
            person, organization, location, date, amount, concept, or ``all``.
        sort_by
            ``mentions``, ``documents`` or ``name``.
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        UsageError
            An argument does not fit.
        """
        from casetrack.answers.entities import entities

        return entities(self.context_graph(), kind=kind, sort_by=sort_by, limit=limit)

    def find_entity(
        self, name: str, /, *, kind: str = "any", limit: int | None = 20
    ) -> EntityMentions:
        """Return what a name stands for, and the most telling place of each document.

        Raises
        ------
        EntityNotFound
            Nothing bears such a name; near ones are suggested.
        UsageError
            An argument does not fit.
        """
        from casetrack.answers.entities import find_entity

        return find_entity(self.context_graph(needs="entity_search"), name, kind=kind, limit=limit)

    def entity_mentions(
        self, name: str, /, *, kind: str = "any", limit: int | None = 20
    ) -> EntityMentions:
        """Return the places that mention an entity, in reading order; see :meth:`find_entity`."""
        from casetrack.answers.entities import entity_mentions

        return entity_mentions(self.context_graph(), name, kind=kind, limit=limit)

    def document_entities(
        self, document: DocumentRef, /, *, limit: int | None = 10
    ) -> Rows[Entity]:
        """Return the people, organisations, places and concepts that a document mentions most.

        Counts are those of the whole collection.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`~casetrack.collection.Collection.document`.
        """
        from casetrack.answers.entities import document_entities

        found = self.workspace.state().document(document)
        return document_entities(self.context_graph(), found, limit=limit)

    def encounters(self, names: Sequence[str], /, *, limit: int | None = 20) -> Encounters:
        """Return passages that mention several entities together.

        Raises
        ------
        EntityNotFound
            Nothing bears one of the names.
        UsageError
            There are not two to five names.
        """
        from casetrack.answers.entities import encounters

        graph = self.context_graph(needs="entity_relationships")
        return encounters(graph, several(names), limit=limit)

    def entity_graph(
        self, name: str | None = None, /, *, depth: int = 2, limit: int = 20
    ) -> EntityGraph:
        """Return entities and what connects them, around one of them or as a whole.

        Parameters
        ----------
        name
            The entity in the middle; without it, the best connected ones.
        depth
            Steps from the middle, 1 to 4.
        limit
            At most so many entities.

        Raises
        ------
        EntityNotFound, UsageError
            As above.
        """
        from casetrack.answers.entity_graph import entity_graph

        found = entity_graph(
            self.context_graph(needs="entity_graph"), name, depth=depth, limit=limit
        )
        return replace(found, draw=draw_graph)

    def references(
        self,
        *,
        type: str = "all",  # noqa: A002 - the word that users know
        sort_by: str = "citations",
        limit: int | None = 50,
    ) -> Rows[Reference]:
        """Return what documents refer to: documents, standards, laws, cases, links, sections.

        Raises
        ------
        UsageError
            An argument does not fit.
        """
        from casetrack.answers.references import references

        return references(self.context_graph(), type=type, sort_by=sort_by, limit=limit)

    def reference_citations(self, name: str, /, *, limit: int | None = 20) -> ReferenceCitations:
        """Return the places that refer to something.

        Raises
        ------
        ReferenceNotFound
            Nothing of this name is referred to; near ones are suggested.
        """
        from casetrack.answers.references import reference_citations

        return reference_citations(self.context_graph(), name, limit=limit)

    def documents_of_type(self, document_type: str, /) -> RowList[Document]:
        """Return the documents of a type, by name.

        Raises
        ------
        UsageError
            There is no such type.
        """
        if document_type not in DOCUMENT_TYPES:
            raise UsageError(
                f"Unknown document type {document_type!r}.",
                hint=f"Use one of: {', '.join(DOCUMENT_TYPES)}.",
            )
        found = self.context_graph().documents
        # What no type was told from is of none of the others.
        chosen = (d for d in found if (d.document_type or "other") == document_type)
        return RowList(chosen, of=Document)

    def related_documents(
        self, document: DocumentRef, /, *, relation: str = "all", limit: int | None = 10
    ) -> Rows[RelatedDocument]:
        """Return the documents that belong with a document, and why.

        Parameters
        ----------
        document
            Its name, path or id, or the document itself.
        relation
            One of :data:`~casetrack.records.graph.RELATION_TYPES`, or ``all``.
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        DocumentNotFound, AmbiguousName, UsageError
            There is none, several fit, or there is no such relation.
        """
        from casetrack.answers.related import related_documents

        found = self.workspace.state().document(document)
        return related_documents(self.context_graph(), found, relation, limit=limit)

    def similar_chunks(
        self,
        chunk_id: PassageRef,
        /,
        *,
        exclude_same_document: bool = True,
        min_similarity: float = 0.6,
        limit: int | None = 10,
    ) -> Rows[SimilarChunk]:
        """Return passages that mean nearly the same as a passage.

        Parameters
        ----------
        chunk_id
            The passage: the id of its chunk, or what stands in it.
        exclude_same_document
            Whether those of its own document are left out.
        min_similarity
            Least cosine, 0 to 1.
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        UsageError
            An argument does not fit, or the passage has no vector: no model was installed when
            it came in.
        """
        from casetrack.answers.similar import similar_chunks

        return similar_chunks(
            self.context_graph(),
            self.workspace.state().chunk_id(chunk_id),
            exclude_same_document=exclude_same_document,
            min_similarity=min_similarity,
            limit=limit,
        )

    def compare(
        self, document_a: DocumentRef, document_b: DocumentRef, topic: str, /, *, limit: int = 5
    ) -> Comparison:
        """Return what two documents say of a topic, side by side.

        Parameters
        ----------
        document_a, document_b
            Names, paths or ids.
        topic
            A question or words.
        limit
            Passages of each.

        Raises
        ------
        DocumentNotFound, AmbiguousName, UsageError
            A document is not there, several fit, or the topic is empty.
        """
        from casetrack.answers.compare import comparison

        source = self.context_graph(needs="document_comparison")
        state = self.workspace.state()
        first, second = state.document(document_a), state.document(document_b)
        sides = [self._on_topic(d, topic, limit) for d in (first, second)]
        return comparison(
            source,
            first,
            second,
            topic,
            passages_a=sides[0],
            passages_b=sides[1],
            chunks_of=state.chunks_of,
        )

    def _on_topic(
        self, document: Document, topic: str, limit: int
    ) -> tuple[tuple[Chunk, float], ...]:
        found = self.search(topic, k=limit, document=document.document_id)
        chunks = self.context_graph().chunks([r.provenance.chunk_id for r in found])
        return tuple((c, r.score) for c, r in zip(chunks, found, strict=True))

    def changes(self, before: DocumentRef, after: DocumentRef, /) -> Changes:
        """Return what changed from one document to another, paragraph by paragraph.

        Raises
        ------
        DocumentNotFound, AmbiguousName, UsageError
            A document is not there, several fit, or both are the same.
        """
        from casetrack.answers.changes import changes

        state = self.workspace.state()
        first, second = state.document(before), state.document(after)
        if first.document_id == second.document_id:
            raise UsageError(
                f'Both are "{first.name}".', hint="Name two documents, the earlier one first."
            )
        return changes(
            self.context_graph(),
            first,
            second,
            state.chunks_of(first),
            state.chunks_of(second),
        )

    def _storage_bytes(self) -> int:
        from casetrack.store.files import folder_bytes

        return folder_bytes(self.folder)
