"""The map of a collection: who, when, how much, what refers to what; every entry cited."""

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
from casetrack.base.arguments import as_list, day_text, one_of
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
from casetrack.graph.opened import graph_of

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
        Encounters,
        Entity,
        EntityGraph,
        EntityMentions,
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
# The same in the words and the order of the requirement.
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
_Documents = Annotated[int | None, at_most("How many documents at most.", le=50)]
_Name = Annotated[str, Arg("The name; near spellings are found as well.", "NAME", "entity")]
_Kind = Annotated[
    OneKind,
    Arg("Its kind, where a name means several.", "--kind", "entity_type", mcp_type=_AskedKind),
]
_Places = Annotated[int | None, at_most("How many places at most.", mcp_le=100)]


class Map:
    """What a collection's documents are about: ``collection.map``.

    ``FreeTierLimit`` is raised for what a tier lacks.
    """

    def __init__(self, workspace: Workspace, /) -> None:
        self._workspace = workspace

    def lacking(self) -> int:
        """Return how many passages nobody has read for the map yet.

        After an update of the program that may be all of them. Whoever asks the map first waits
        until they are read: some 350 a second. Search by words and meaning waits for nothing.
        """
        return self._workspace.ask(lambda state: graph_of(state).lacking)

    def prepare(
        self, progress: Callable[[str, int, int], None], cancel: threading.Event, /
    ) -> None:
        """Read the passages that :meth:`lacking` counts.

        Parameters
        ----------
        progress
            Called with what is done, and how many passages of how many have been read.
        cancel
            Set it to stop; what was read is kept.

        Raises
        ------
        JobStopped
            It was set.
        """
        self._workspace.ask(lambda state: graph_of(state).read_up(progress, cancel))

    def _graph(self, question: Callable[[ContextGraph], R], /) -> R:
        return self._workspace.ask(lambda state: question(graph_of(state)))

    @operation("summary", READS, tool="get_collection_summary")
    def summary(self) -> CollectionSummary:
        """Return the collection at a glance: key actors, dates, topics, documents, references."""
        from casetrack.graph.answers.summary import summary

        size = self._storage_bytes()
        found = self._graph(lambda graph: summary(graph, storage_bytes=size))
        return replace(found, statistics=self._with_untaken(found.statistics))

    @operation("statistics", READS, tool="get_collection_statistics", sets=("map",))
    def statistics(self) -> CollectionStatistics:
        """Return counts of documents, pages, chunks, entities, references and edges."""
        from casetrack.graph.answers.statistics import statistics

        size = self._storage_bytes()
        return self._with_untaken(self._graph(lambda graph: statistics(graph, storage_bytes=size)))

    def _with_untaken(self, found: CollectionStatistics) -> CollectionStatistics:
        note = untaken_text(self._workspace.state().untaken())
        return replace(found, notes=(*found.notes, note)) if note else found

    def versions(self) -> tuple[tuple[Document, ...], ...]:
        """Return documents that are versions of each other, in each group the oldest first."""
        from casetrack.graph.answers.summary import version_chains

        return self._graph(version_chains)

    @operation(
        "timeline", READS, tool="get_collection_timeline", most=1000, narrow=("start", "end")
    )
    def timeline(
        self,
        *,
        start: Annotated[
            DayRef | None,
            Arg("From this day on (YYYY-MM-DD).", "--from DATE", "start_date", "YYYY-MM-DD"),
        ] = None,
        end: Annotated[
            DayRef | None, Arg("Up to this day (YYYY-MM-DD).", "--to DATE", "end_date")
        ] = None,
        limit: Annotated[
            int | None, at_most("How many events at most; those of most weight stay.", "-")
        ] = 50,
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
        from casetrack.graph.answers.timeline import timeline

        first, last = day_text(start), day_text(end)
        found = self._graph(lambda graph: timeline(graph, start=first, end=last, limit=limit))
        return replace(found, draw=draw_timeline)

    @operation("topics", READS)
    def topics(self) -> Rows[Topic]:
        """Return what the passages are about, the largest topic first."""
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
            Literal["topical", "entity", "reference", "document_type"],
            Arg("Group by content, by shared names, by shared references or by kind.", "--by"),
        ] = "topical",
        /,
        *,
        limit: Annotated[int, at_most("How many groups at most.", "max_clusters", le=20)] = 10,
    ) -> Clusters:
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
        from casetrack.graph.answers.clusters import clusters

        return self._graph(lambda graph: clusters(graph, strategy, limit=limit))

    @operation("entities", READS, tool="list_entities", sets=("map",), most=500, narrow=("kind",))
    def entities(
        self,
        *,
        kind: Annotated[
            EveryKind,
            Arg(
                "Only people, organizations and so on.",
                "--kind",
                "entity_type",
                mcp_type=_AskedKinds,
            ),
        ] = "all",
        sort_by: Annotated[
            Literal["mentions", "documents", "name"],
            Arg("What to sort by; the most first, names by the alphabet.", "--sort"),
        ] = "mentions",
        named: str | None = None,
        skip: int = 0,
        limit: Annotated[int | None, at_most(mcp_le=500)] = 50,
    ) -> Rows[Entity]:
        """Return the people, organizations, places, dates and amounts that documents mention.

        Parameters
        ----------
        kind
            person, organization, location, date, amount, concept, or ``all``.
        sort_by
            ``mentions``, ``documents`` or ``name``.
        named
            Only those with this in their name or in another spelling, letter case aside.
        skip
            So many are left out at the start.
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        UsageError
            An argument does not fit.
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
        """Return what a name stands for, and the most telling place of each document.

        Raises
        ------
        EntityNotFound
            Nothing bears such a name; near ones are suggested.
        UsageError
            An argument does not fit.
        """
        from casetrack.graph.answers.entities import find_entity

        return self._graph(lambda graph: find_entity(graph, name, kind=kind, limit=limit))

    @operation(
        "mentions",
        READS,
        command="entity NAME",
        tool="get_entity_mentions",
        sets=("core", "map"),
        most=1000,
        spread=True,
    )
    def entity_mentions(
        self,
        name: Annotated[
            str, Arg("The name; near spellings are found as well.", "NAME", "entity_name")
        ],
        /,
        *,
        kind: _Kind = "any",
        limit: _Places = 20,
    ) -> EntityMentions:
        """Return the places that mention a name, in reading order."""
        from casetrack.graph.answers.entities import entity_mentions

        return self._graph(lambda graph: entity_mentions(graph, name, kind=kind, limit=limit))

    def document_entities(
        self, document: DocumentRef, /, *, limit: int | None = 10
    ) -> Rows[Entity]:
        """Return the people, organisations, places and concepts that a document mentions most.

        Counts are those of the whole collection.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`~casetrack.api.collection.Collection.document`.
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
        names: Annotated[
            Sequence[str],
            Arg(
                "Two to five names of people, firms, places or things.",
                "NAME",
                "entities",
                ge=2,
                le=5,
            ),
        ],
        /,
        *,
        limit: Annotated[int | None, at_most(mcp_le=100)] = 20,
    ) -> Encounters:
        """Return passages that mention several entities together.

        Raises
        ------
        EntityNotFound
            Nothing bears one of the names.
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
            str | None,
            Arg(
                "Whom to put in the middle; else the best connected ones.",
                "NAME",
                "entity_name",
                "In the middle",
            ),
        ] = None,
        /,
        *,
        depth: Annotated[
            int, Arg("How many steps away from the middle.", "--depth N", ge=1, le=4)
        ] = 2,
        limit: Annotated[int, at_most("How many names at most.", le=100)] = 20,
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
        EntityNotFound
            Nothing bears the name; near ones are suggested.
        UsageError
            *depth* or *limit* does not fit.
        FreeTierLimit
            The tier does not have it.

        Examples
        --------
        >>> collection.map.graph("Halyard", depth=1).to_polars()  # doctest: +SKIP
        """
        from casetrack.graph.answers.entities import entity_graph

        found = self._graph(lambda graph: entity_graph(graph, name, depth=depth, limit=limit))
        return replace(found, draw=draw_graph)

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
            ReferenceKind,
            Arg(
                "Only these; sections and exhibits are listed on request.",
                "--kind",
                "reference_type",
                mcp_type=_AskedReferences,
            ),
        ] = "all",
        sort_by: Annotated[
            Literal["citations", "documents", "name"],
            Arg("What to sort by; the most first, names by the alphabet.", "--sort"),
        ] = "citations",
        named: str | None = None,
        there: bool | None = None,
        skip: int = 0,
        limit: Annotated[int | None, at_most(mcp_le=200)] = 50,
    ) -> Rows[Reference]:
        """Return what documents refer to: documents, standards, laws, cases, links, sections.

        Parameters
        ----------
        type
            One of these, or ``all``: all but sections and exhibits of the documents themselves.
        sort_by
            ``citations``, ``documents`` or ``name``.
        named
            Only those with this in their name, letter case aside.
        there
            ``True`` for documents of the collection, ``False`` for what is not in it.
        skip
            So many are left out at the start.
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        UsageError
            An argument does not fit.
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
        self,
        name: Annotated[
            str, Arg("What is cited; near names are found as well.", "NAME", "reference")
        ],
        /,
        *,
        limit: _Places = 20,
    ) -> ReferenceCitations:
        """Return the places that cite a document, a standard, a law or a case.

        Raises
        ------
        ReferenceNotFound
            Nothing of this name is referred to; near ones are suggested.
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
        self, document_type: Annotated[DocumentType, Arg("The type.", "TYPE")], /
    ) -> RowList[Document]:
        """Return the documents of a type, by name.

        Raises
        ------
        UsageError
            There is no such type.
        """
        one_of("document_type", document_type, DOCUMENT_TYPES)
        found = self._graph(lambda graph: graph.documents)
        # What no type was told from is of none of the others.
        chosen = (d for d in found if (d.document_type or "other") == document_type)
        return RowList(chosen, of=Document)

    @operation("related", READS, tool="find_related_documents", sets=("map",), most=500)
    def related_documents(
        self,
        document: _Document,
        /,
        *,
        relation: Annotated[
            Literal["all", RelationType, "semantic_similar", "version_chain"],
            Arg(
                "Only documents related in this way; a wrong one lists all ways.",
                "--relation HOW",
                "relationship_type",
                mcp_type=_AskedRelation,
            ),
        ] = "all",
        limit: _Documents = 10,
    ) -> Rows[RelatedDocument]:
        """Return the documents that belong with a document, and why.

        Parameters
        ----------
        document
            Its name, path or id, or the document itself.
        relation
            One of :data:`~casetrack.base.records.graph.RELATION_TYPES`, or ``all``;
            ``semantic_similar`` means ``semantic``, and ``version_chain`` means ``version``.
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        DocumentNotFound, AmbiguousName, UsageError
            There is none, several fit, or there is no such relation.
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
        """Return the documents that belong with a document, each with its strongest relation."""
        found = self.related_documents(document, relation="all", limit=limit)
        short = (replace(each, relations=each.relations[:1]) for each in found)
        return Rows(short, of=RelatedDocument, total=found.total)

    @operation(
        "similar", READS, tool="search_similar_chunks", sets=("search",), most=500, entries="chunks"
    )
    def similar_chunks(
        self,
        chunk_id: Annotated[PassageRef, Arg("A chunk's id, as search results give it.", "ID")],
        /,
        *,
        exclude_same_document: Annotated[
            bool, Arg("Look in the chunk's own document as well.", "/--same")
        ] = True,
        min_similarity: Annotated[
            float, Arg("How similar at least, 0 to 1.", "--least X", ge=0.0, le=1.0)
        ] = 0.6,
        limit: Annotated[int | None, at_most("How many passages at most.", le=50)] = 10,
    ) -> Rows[SimilarChunk]:
        """Return passages of other documents that mean nearly the same as a passage.

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
        document_a: Annotated[DocumentRef, Arg("Name, path or ID of one document.", "A")],
        document_b: Annotated[DocumentRef, Arg("Name, path or ID of the other document.", "B")],
        topic: Annotated[str, Arg("What to compare them on.", "--topic -t WORDS")],
        /,
        *,
        limit: Annotated[
            int, at_most("How many passages of each at most.", "top_k_per_document", le=20)
        ] = 5,
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
        "changes",
        READS,
        tool="compare_versions",
        sets=("daily", "map", "legal"),
        page="compare",
        most=10000,
    )
    def changes(
        self,
        before: Annotated[DocumentRef, Arg("Name, path or ID of the earlier version.", "BEFORE")],
        after: Annotated[DocumentRef, Arg("Name, path or ID of the later version.", "AFTER")],
        /,
    ) -> Changes:
        """Return what changed from one document to another, paragraph by paragraph.

        Raises
        ------
        DocumentNotFound, AmbiguousName, UsageError
            A document is not there, several fit, or both are the same.
        """
        from casetrack.graph.answers.compare import changes

        def compared(state: State) -> Changes:
            first, second = state.document(before), state.document(after)
            if first.document_id == second.document_id:
                raise UsageError(
                    f'Both are "{first.name}".', hint="Name two documents, the earlier one first."
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
        least: Annotated[
            float | None, Arg("Only amounts of at least this.", "--min N", "min_value")
        ] = None,
        most: Annotated[
            float | None, Arg("Only amounts of at most this.", "--max N", "max_value")
        ] = None,
        unit: Annotated[
            str | None,
            Arg("Only this unit: GBP, $, %, kg.", "--unit -u UNIT", "", "Such as GBP, $, %, kg"),
        ] = None,
        kind: Annotated[
            Literal["all", "money", "percent", "quantity"],
            Arg("Only money, percentages or quantities.", "--kind"),
        ] = "all",
        document: Annotated[
            DocumentRef | None,
            Arg("Only those of this document.", "--document -d NAME", "document_name"),
        ] = None,
        sort_by: Annotated[
            Literal["document", "value", "lowest"],
            Arg("In reading order, or by value: the highest or lowest first.", "--sort"),
        ] = "value",
        limit: Annotated[
            int | None, at_most("How many at most.", "", mcp_le=100, mcp_default=10)
        ] = 20,
    ) -> Amounts:
        """Return sums of money, percentages and quantities, each with the words that say it.

        Parameters
        ----------
        kind
            ``money``, ``percent``, ``quantity`` or ``all``.
        unit
            Only this unit, such as ``EUR``, ``£``, ``percent`` or ``kg``. Money that may be of
            it comes along under its own unit: ``dollar``, where ``USD`` is asked for.
        least, most
            Only values in this span, both included.
        document
            Only those of this document: its name, path or id, or the document itself.
        sort_by
            ``value`` (the highest first), ``lowest`` or ``document`` (reading order). Units are not
            converted: by value those of one unit stand together, and ``notes`` says so.
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`casetrack.api.collection.Collection.document`.
        UsageError
            An argument does not fit.

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
        from casetrack.store.place import stored_bytes

        return stored_bytes(self._workspace.folder)


def _on_topic(
    state: State, document: Document, topic: str, limit: int
) -> tuple[tuple[Chunk, float], ...]:
    """Return the passages of a document that say most of a topic, each with its score."""
    from casetrack.base.arguments import Filter
    from casetrack.search.search import search

    found = search(state, topic, limit=limit, where=Filter(document), fold=False)
    chunks = graph_of(state).chunks([r.provenance.chunk_id for r in found])
    return tuple((c, r.score) for c, r in zip(chunks, found, strict=True))
