"""The map of a collection: names, dates, amounts and references; every entry is cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from casetrack.api.collection.drawing import draw_graph, draw_timeline
from casetrack.api.operation import (
    EVERY,
    READS,
    Arg,
    DayRef,
    DocumentRef,
    PassageRef,
    at_most,
    operation,
)
from casetrack.base.arguments import Filter, as_list, day_text, one_of
from casetrack.base.errors import UsageError
from casetrack.base.records import (
    DOCUMENT_TYPES,
    Document,
    DocumentType,
    RowList,
    Rows,
    untaken_text,
)
from casetrack.base.records.graph import RELATION_TYPES, RelatedDocument, RelationType, Topic
from casetrack.base.records.graph.changes import ReferenceType
from casetrack.base.records.graph.entities import EntityKind
from casetrack.base.records.graph.timeline import EventType
from casetrack.graph.opened import graph_of
from casetrack.store.place import stored_bytes

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import (
        Amounts,
        Changes,
        Clusters,
        CollectionStatistics,
        CollectionSummary,
        Comparison,
        Correspondence,
        Encounters,
        Entity,
        EntityGraph,
        EntityMentions,
        LikelySame,
        Reference,
        ReferenceCitations,
        SimilarChunk,
        Timeline,
    )
    from casetrack.graph.graph import ContextGraph
    from casetrack.store.workspace import State, Workspace

R = TypeVar("R")

EveryKind = Literal["all", EntityKind, "court"]
OneKind = Literal["any", EntityKind, "court"]
ReferenceKind = Literal["all", ReferenceType]
# The same with the words and the order of the requirement.
_AskedKinds = Literal["person", "organization", "date", "amount", "location", "concept", "all"]
_AskedKind = Literal["person", "organization", "date", "amount", "location", "concept", "any"]
_AskedReferences = Literal[
    "document", "standard", "regulation", "report", "case", "section", "exhibit", "link", "all"
]

_AskedRelation: Any = Literal[
    (
        "all",
        *RELATION_TYPES[:2],
        "semantic_similar",
        "version_chain",
        "explicit",
        *RELATION_TYPES[5:],
    )
]

_Document = Annotated[
    DocumentRef, Arg("Name, path or ID of the document.", "DOCUMENT", "document_name")
]
_Documents = Annotated[int | None, at_most(help="How many documents at most.", le=50)]
_Name = Annotated[str, Arg("The name; similar spellings are found too.", "NAME", "entity")]
_Kind = Annotated[
    OneKind,
    Arg("Its kind, if a name has several meanings.", "--kind", "entity_type", mcp_type=_AskedKind),
]
_Places = Annotated[int | None, at_most(help="How many places at most.", mcp_le=100)]


class Map:
    """Content of a collection's documents: ``collection.map``.

    Methods raise ``FreeTierLimit`` if the tier does not include them.
    """

    def __init__(self, workspace: Workspace, /) -> None:
        self._workspace = workspace

    def lacking(self) -> int:
        """Return the number of passages that are not read for the map yet.

        After an update of the program this can be all of them. The first call of the map waits
        until they are read, about 350 per second; searches by words and meaning do not wait.
        Passages of documents that are read, but not yet compared after a change, count a tenth.
        """
        return self._workspace.ask(
            lambda state: graph_of(state).lacking or graph_of(state).uncompared // 10
        )

    def prepare(
        self, progress: Callable[[str, int, int], None], cancel: threading.Event, /
    ) -> None:
        """Read the passages that :meth:`lacking` counts; *cancel* stops it and keeps finished work.

        *progress* receives the current step, the amount done and the total. Raises ``JobStopped``
        if *cancel* was set.
        """
        self._workspace.ask(lambda state: graph_of(state).read_up(progress, cancel))

    def _graph(self, question: Callable[[ContextGraph], R], /) -> R:
        return self._workspace.ask(lambda state: question(graph_of(state)))

    @operation("summary", READS, tool="get_collection_summary")
    def summary(self) -> CollectionSummary:
        """Return an overview of a collection: key actors, dates, topics, documents, references."""
        from casetrack.graph.answers.summary import summary

        size = self._storage_bytes()
        overview = self._graph(lambda graph: summary(graph, storage_bytes=size))
        return replace(overview, statistics=self._with_untaken(overview.statistics))

    @operation("statistics", READS, tool="get_collection_statistics", sets=("map",))
    def statistics(self) -> CollectionStatistics:
        """Return counts of documents, pages, chunks, entities, references and edges."""
        from casetrack.graph.answers.statistics import statistics

        size = self._storage_bytes()
        return self._with_untaken(self._graph(lambda graph: statistics(graph, storage_bytes=size)))

    def _with_untaken(self, statistics: CollectionStatistics) -> CollectionStatistics:
        note = untaken_text(self._workspace.state().untaken())
        return replace(statistics, notes=(*statistics.notes, note)) if note else statistics

    def versions(self) -> tuple[tuple[Document, ...], ...]:
        """Return groups of documents that are versions of each other, oldest first."""
        from casetrack.graph.answers.summary import version_chains

        return self._graph(version_chains)

    @operation(
        "timeline", READS, tool="get_collection_timeline", most=1000, narrow=("start", "end")
    )
    def timeline(
        self,
        *,
        start: Annotated[
            DayRef | None, Arg(cli="--from DATE", mcp="start_date", note="YYYY-MM-DD")
        ] = None,
        end: Annotated[DayRef | None, Arg(cli="--to DATE", mcp="end_date")] = None,
        type: Annotated[  # noqa: A002 - the word that users know
            Literal["all", EventType], Arg(cli="--type", mcp="-")
        ] = "all",
        limit: Annotated[int | None, at_most("-")] = 50,
    ) -> Timeline:
        """Return dated events in order; if there are too many, the most important ones.

        Parameters
        ----------
        start
            From this day on (YYYY-MM-DD).

            First and last day (a date, or ``YYYY-MM-DD``, ``YYYY-MM`` or ``YYYY``).
        end
            Up to this day (YYYY-MM-DD).
        type
            Only events of a type.

            By the words next to the date; deadlines include days computed from a rule such as
            "within 30 days after the Effective Date".
        limit
            How many events at most; the most important ones stay.

        Raises
        ------
        UsageError
            A day is not valid, or the end is before the start.
        """
        from casetrack.graph.answers.timeline import timeline

        first, last = day_text(start), day_text(end)
        answer = self._graph(
            lambda graph: timeline(graph, start=first, end=last, type=type, limit=limit)
        )
        return replace(answer, draw=draw_timeline)

    @operation("topics", READS)
    def topics(self) -> Rows[Topic]:
        """Return the topics of the passages, largest first."""
        from casetrack.graph.answers.statistics import topic_records

        return Rows(self._graph(topic_records), of=Topic)

    @operation(
        "clusters",
        READS,
        tool="find_document_clusters",
        sets=("map",),
        feature="document_clusters",
        most=20,
    )
    def clusters(
        self,
        strategy: Annotated[
            Literal["topical", "entity", "reference", "document_type"], Arg(cli="--by")
        ] = "topical",
        /,
        *,
        limit: Annotated[int, at_most("max_clusters", le=20)] = 10,
    ) -> Clusters:
        """Return groups of related documents.

        Parameters
        ----------
        strategy
            Group by content, shared names, shared references or type.
        limit
            How many groups at most.

        Raises
        ------
        UsageError
            There is no such strategy.
        """
        from casetrack.graph.answers.clusters import clusters

        return self._graph(lambda graph: clusters(graph, strategy, limit=limit))

    @operation("entities", READS, tool="list_entities", sets=("map",), most=500, narrow=("kind",))
    def entities(
        self,
        *,
        kind: Annotated[
            EveryKind, Arg(cli="--kind", mcp="entity_type", mcp_type=_AskedKinds)
        ] = "all",
        sort_by: Annotated[
            Literal["mentions", "documents", "name"], Arg(cli="--sort")
        ] = "mentions",
        named: str | None = None,
        skip: int = 0,
        limit: Annotated[int | None, at_most(mcp_le=500)] = 50,
    ) -> Rows[Entity]:
        """Return the people, organizations, places, dates and amounts that documents mention.

        Parameters
        ----------
        kind
            Only people, organizations and so on.
        sort_by
            Sort order: highest count first, names alphabetically.
        named
            Only those whose name or spelling contains this, in any letter case.
        skip
            Number of entries left out at the start.
        """
        from casetrack.graph.answers.entities import entities

        return self._graph(
            lambda graph: entities(
                graph, kind=kind, sort_by=sort_by, named=named, skip=skip, limit=limit
            )
        )

    @operation(
        "find-entity",
        READS,
        tool="find_entity",
        sets=("map", "legal"),
        feature="entity_search",
        most=1000,
        spread=True,
    )
    def find_entity(
        self, name: _Name, /, *, kind: _Kind = "any", limit: _Places = 20
    ) -> EntityMentions:
        """Return the meaning of a name, and the best place in each document.

        Raises
        ------
        EntityNotFound
            There is no such name; similar ones are suggested.
        """
        from casetrack.graph.answers.entities import entity_mentions

        return self._graph(
            lambda graph: entity_mentions(graph, name, kind=kind, limit=limit, spread=True)
        )

    @operation(
        "mentions",
        READS,
        command="entity NAME",
        tool="get_entity_mentions",
        sets=("map",),
        most=1000,
        spread=True,
    )
    def entity_mentions(
        self,
        name: Annotated[str, Arg(cli="NAME", mcp="entity_name")],
        /,
        *,
        kind: _Kind = "any",
        limit: _Places = 20,
    ) -> EntityMentions:
        """Return the places that mention a name, in reading order.

        Parameters
        ----------
        name
            The name; similar spellings are found too.
        """
        from casetrack.graph.answers.entities import entity_mentions

        return self._graph(lambda graph: entity_mentions(graph, name, kind=kind, limit=limit))

    def document_entities(
        self, document: DocumentRef, /, *, limit: int | None = 10
    ) -> Rows[Entity]:
        """Return the people, organisations, places and concepts that a document mentions most.

        Counts are those of the whole collection.
        """
        from casetrack.graph.answers.entities import document_entities

        return self._workspace.ask(
            lambda state: document_entities(graph_of(state), state.document(document), limit=limit)
        )

    @operation(
        "together",
        READS,
        tool="search_entity_relationships",
        sets=("map",),
        feature="entity_relationships",
        entries="chunks",
        most=1000,
    )
    def encounters(
        self,
        names: Annotated[Sequence[str], Arg(cli="NAME", mcp="entities", ge=2, le=5)],
        /,
        *,
        limit: Annotated[int | None, at_most(mcp_le=100)] = 20,
    ) -> Encounters:
        """Return passages that mention several entities together.

        Parameters
        ----------
        names
            Two to five names of people, firms, places or things.

        Raises
        ------
        EntityNotFound
            One of the names does not exist.
        UsageError
            There are not two to five names.
        """
        from casetrack.graph.answers.entities import encounters

        return self._graph(lambda graph: encounters(graph, as_list(names), limit=limit))

    @operation(
        "graph", READS, tool="get_entity_graph", feature="entity_graph", sets=("map",), page="graph"
    )
    def graph(
        self,
        name: Annotated[
            str | None, Arg(cli="NAME", mcp="entity_name", note="In the middle")
        ] = None,
        /,
        *,
        depth: Annotated[int, Arg(cli="--depth N", ge=1, le=4)] = 2,
        limit: Annotated[int, at_most(le=100)] = 20,
    ) -> EntityGraph:
        """Return entities and their links, around one of them or of the whole collection.

        Parameters
        ----------
        name
            The central name; by default the best connected ones.
        depth
            How many steps from the central name.
        limit
            How many names at most.

        Raises
        ------
        EntityNotFound
            There is no such name; similar ones are suggested.
        UsageError
            *depth* or *limit* is wrong.
        FreeTierLimit
            The tier does not include it.

        Examples
        --------
        >>> collection.map.graph("Halyard", depth=1).to_polars()  # doctest: +SKIP
        """
        from casetrack.graph.answers.entities import entity_graph

        answer = self._graph(lambda graph: entity_graph(graph, name, depth=depth, limit=limit))
        return replace(answer, draw=draw_graph)

    @operation("likely-same", READS)
    def likely_same(self, *, limit: Annotated[int | None, at_most()] = 50) -> Rows[LikelySame]:
        """Return names that are probably of the same person or firm, the most mentioned first.

        Merge them, or keep them apart, with the methods of ``collection.marks``.
        """
        from casetrack.graph.answers.entities import likely_same

        return self._graph(lambda graph: likely_same(graph, limit=limit))

    @operation("correspondence", READS)
    def correspondence(
        self, *, limit: Annotated[int | None, at_most()] = 50
    ) -> Rows[Correspondence]:
        """Return who sent mails to whom, how many and when, most mails first.

        Copies of a mail count once; blind copies do not count.
        """
        from casetrack.graph.answers.entities import correspondence

        return self._graph(lambda graph: correspondence(graph, limit=limit))

    @operation(
        "references",
        READS,
        tool="list_references",
        sets=("map", "legal"),
        most=500,
        narrow=("type",),
    )
    def references(
        self,
        *,
        type: Annotated[  # noqa: A002 - the word that users know
            ReferenceKind, Arg(cli="--kind", mcp="reference_type", mcp_type=_AskedReferences)
        ] = "all",
        sort_by: Annotated[
            Literal["citations", "documents", "name"], Arg(cli="--sort")
        ] = "citations",
        named: str | None = None,
        there: bool | None = None,
        skip: int = 0,
        limit: Annotated[int | None, at_most(mcp_le=200)] = 50,
    ) -> Rows[Reference]:
        """Return the references of documents: documents, standards, laws, cases, links, sections.

        Parameters
        ----------
        type
            Only this kind; sections and exhibits are listed on request.
        sort_by
            Sort order: highest count first, names alphabetically.
        named
            Only those whose name contains this, in any letter case.
        there
            ``True`` for documents of the collection, ``False`` for others.
        skip
            Number of entries left out at the start.
        """
        from casetrack.graph.answers.amounts import references

        return self._graph(
            lambda graph: references(
                graph,
                type=type,
                sort_by=sort_by,
                named=named,
                in_collection=there,
                skip=skip,
                limit=limit,
            )
        )

    @operation(
        "citations",
        READS,
        command="references NAME",
        tool="get_reference_citations",
        sets=("map", "legal"),
        most=1000,
        spread=True,
    )
    def reference_citations(
        self, name: Annotated[str, Arg(cli="NAME", mcp="reference")], /, *, limit: _Places = 20
    ) -> ReferenceCitations:
        """Return the places that cite a document, a standard, a law or a case.

        Parameters
        ----------
        name
            The cited name; similar names are found too.

        Raises
        ------
        ReferenceNotFound
            Nothing with this name is cited; similar ones are suggested.
        """
        from casetrack.graph.answers.amounts import reference_citations

        return self._graph(lambda graph: reference_citations(graph, name, limit=limit))

    @operation(
        "by-type",
        READS,
        tool="list_documents_by_type",
        sets=("map",),
        most=EVERY,
        entries="documents",
    )
    def documents_of_type(
        self, document_type: Annotated[DocumentType, Arg(cli="TYPE")], /
    ) -> RowList[Document]:
        """Return the documents of a type, by name.

        Parameters
        ----------
        document_type
            The type.

        Raises
        ------
        UsageError
            There is no such type.
        """
        one_of("document_type", document_type, DOCUMENT_TYPES)
        documents = self._graph(lambda graph: graph.documents)
        # A document without a detected type counts as "other".
        chosen = (d for d in documents if (d.document_type or "other") == document_type)
        return RowList(chosen, of=Document)

    @operation("related", READS, tool="find_related_documents", sets=("map",), most=500)
    def related_documents(
        self,
        document: _Document,
        /,
        *,
        relation: Annotated[
            Literal["all", RelationType, "semantic_similar", "version_chain"],
            Arg(cli="--relation HOW", mcp="relationship_type", mcp_type=_AskedRelation),
        ] = "all",
        limit: _Documents = 10,
    ) -> Rows[RelatedDocument]:
        """Return the documents related to a document, with the reasons.

        Parameters
        ----------
        relation
            Only this relation; an unknown one lists all.

            One of :data:`~casetrack.base.records.graph.RELATION_TYPES`, or ``all``;
            ``semantic_similar`` means ``semantic``, and ``version_chain`` means ``version``.

        Raises
        ------
        DocumentNotFound, AmbiguousName, UsageError
            No document or several match, or there is no such relation.
        """
        from casetrack.graph.answers.related import related_documents

        return self._workspace.ask(
            lambda state: related_documents(
                graph_of(state), state.document(document), relation, limit=limit
            )
        )

    @operation(
        "related-in-short",
        READS,
        command="related DOCUMENT",
        tool="get_related_documents",
        sets=("map",),
        most=500,
        entries="related",
    )
    def related_in_short(
        self, document: _Document, /, *, limit: _Documents = 10
    ) -> Rows[RelatedDocument]:
        """Return the documents related to a document, each with its strongest relation."""
        related = self.related_documents(document, relation="all", limit=limit)
        short = (replace(each, relations=each.relations[:1]) for each in related)
        return Rows(short, of=RelatedDocument, total=related.total)

    @operation(
        "similar", READS, tool="search_similar_chunks", sets=("search",), most=500, entries="chunks"
    )
    def similar_chunks(
        self,
        chunk_id: Annotated[PassageRef, Arg(cli="ID")],
        /,
        *,
        exclude_same_document: Annotated[
            bool, Arg("Include the chunk's own document.", "/--same")
        ] = True,
        min_similarity: Annotated[float, Arg(cli="--least X", ge=0.0, le=1.0)] = 0.6,
        limit: Annotated[int | None, at_most(le=50)] = 10,
    ) -> Rows[SimilarChunk]:
        """Return passages of other documents with nearly the same meaning as a passage.

        Parameters
        ----------
        chunk_id
            A chunk's id from search results.

            The id of a chunk, or an object with a passage.
        min_similarity
            Lowest similarity, 0 to 1.
        limit
            How many passages at most.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        UsageError
            An argument is wrong, or the passage has no vector because no model was installed when
            it was added.
        """
        from casetrack.graph.answers.related import similar_chunks

        return self._workspace.ask(
            lambda state: similar_chunks(
                graph_of(state),
                state.chunk_id(chunk_id),
                exclude_same_document=exclude_same_document,
                min_similarity=min_similarity,
                limit=limit,
            )
        )

    @operation(
        "compare",
        READS,
        tool="compare_documents",
        feature="document_comparison",
        sets=("map", "legal"),
        page="compare",
    )
    def compare(
        self,
        document_a: Annotated[DocumentRef, Arg(cli="A")],
        document_b: Annotated[DocumentRef, Arg(cli="B")],
        topic: Annotated[str, Arg(cli="--topic -t WORDS")],
        /,
        *,
        limit: Annotated[int, at_most("top_k_per_document", le=20)] = 5,
    ) -> Comparison:
        """Return the passages of two documents on a topic, side by side.

        Parameters
        ----------
        document_a
            Name, path or ID of one document.
        document_b
            Name, path or ID of the other document.
        topic
            The topic of the comparison.
        limit
            How many passages of each at most.

        Raises
        ------
        DocumentNotFound, AmbiguousName, UsageError
            No document or several match, or the topic is empty.
        """
        from casetrack.graph.answers.compare import comparison

        def compared(state: State) -> Comparison:
            first, second = state.document(document_a), state.document(document_b)
            return comparison(
                graph_of(state),
                first,
                second,
                topic,
                passages_a=_on_topic(state, first, topic, limit),
                passages_b=_on_topic(state, second, topic, limit),
                chunks_of=state.chunks_of,
            )

        return self._workspace.ask(compared)

    @operation(
        "changes", READS, tool="compare_versions", sets=("map", "legal"), page="compare", most=10000
    )
    def changes(
        self,
        before: Annotated[DocumentRef, Arg(cli="BEFORE")],
        after: Annotated[DocumentRef, Arg(cli="AFTER")],
        /,
    ) -> Changes:
        """Return the changes from one document to another, paragraph by paragraph.

        Parameters
        ----------
        before
            Name, path or ID of the earlier version.
        after
            Name, path or ID of the later version.

        Raises
        ------
        DocumentNotFound, AmbiguousName, UsageError
            No document or several match, or both are the same.
        """
        from casetrack.graph.answers.compare import changes

        def compared(state: State) -> Changes:
            first, second = state.document(before), state.document(after)
            if first.document_id == second.document_id:
                raise UsageError(
                    f'Both are "{first.name}".', hint="Enter two documents, the earlier one first."
                )
            return changes(
                graph_of(state), first, second, state.chunks_of(first), state.chunks_of(second)
            )

        return self._workspace.ask(compared)

    @operation(
        "amounts", READS, tool="find_amounts", sets=("map",), most=1000, narrow=("least", "most")
    )
    def amounts(
        self,
        *,
        least: Annotated[float | None, Arg(cli="--min N", mcp="min_value")] = None,
        most: Annotated[float | None, Arg(cli="--max N", mcp="max_value")] = None,
        unit: Annotated[
            str | None, Arg(cli="--unit -u UNIT", mcp="", note="Such as GBP, $, %, kg")
        ] = None,
        kind: Annotated[Literal["all", "money", "percent", "quantity"], Arg(cli="--kind")] = "all",
        document: Annotated[
            DocumentRef | None, Arg(cli="--document -d NAME", mcp="document_name")
        ] = None,
        sort_by: Annotated[Literal["document", "value", "lowest"], Arg(cli="--sort")] = "value",
        limit: Annotated[int | None, at_most("", mcp_le=100, mcp_default=10)] = 20,
    ) -> Amounts:
        """Return sums of money, percentages and quantities, each with its source text.

        Parameters
        ----------
        least
            Only amounts of at least this.
        most
            Only amounts of at most this.
        unit
            Only this unit: GBP, $, %, kg.

            Money in a possibly equal unit is included under its own unit: ``dollar`` for ``USD``.
        kind
            Only money, percentages or quantities.
        document
            Only amounts of this document.
        sort_by
            In reading order, or by value: highest or lowest first.

            ``value`` (highest first), ``lowest`` or ``document`` (reading order). Units are not
            converted: a sort by value groups them by unit, and ``notes`` reports it.
        limit
            How many at most.

        Examples
        --------
        >>> collection.map.amounts(unit="EUR", sort_by="value", limit=5)  # doctest: +SKIP
        """
        from casetrack.graph.answers.amounts import amounts

        bounds: tuple[tuple[str, object], ...] = (("least", least), ("most", most))
        for name, bound in bounds:
            if bound is not None and not isinstance(bound, Real):
                raise UsageError.of((name,), f"is {bound!r}, which is not a number")
        return self._workspace.ask(
            lambda state: amounts(
                graph_of(state),
                kind=kind,
                unit=unit,
                least=least,
                most=most,
                document=None if document is None else state.document(document),
                sort_by=sort_by,
                limit=limit,
            )
        )

    def _storage_bytes(self) -> int:
        return stored_bytes(self._workspace.folder)


def _on_topic(
    state: State, document: Document, topic: str, limit: int
) -> tuple[tuple[Chunk, float], ...]:
    """Return the passages of a document that match a topic best, each with its score."""
    from casetrack.search.search import search

    results = search(state, topic, limit=limit, where=Filter(document), fold=False)
    chunks = graph_of(state).chunks([r.provenance.chunk_id for r in results])
    return tuple((c, r.score) for c, r in zip(chunks, results, strict=True))
