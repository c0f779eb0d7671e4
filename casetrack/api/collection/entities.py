"""The map of a collection at a glance: overview, timeline, topics, names and their relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from casetrack.api.collection.drawing import draw_graph, draw_timeline
from casetrack.api.operation import READS, Arg, DayRef, DocumentRef, at_most, operation
from casetrack.base.arguments import as_list, day_text
from casetrack.base.records import Document, Rows, untaken_text
from casetrack.base.records.graph import Topic
from casetrack.base.records.graph.entities import EntityKind
from casetrack.base.records.graph.timeline import EventType
from casetrack.graph.opened import graph_of
from casetrack.store.place import stored_bytes

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from casetrack.base.records.graph import (
        Clusters,
        CollectionStatistics,
        CollectionSummary,
        Correspondence,
        Encounters,
        Entity,
        EntityGraph,
        EntityMentions,
        LikelySame,
        Timeline,
    )
    from casetrack.graph.graph import ContextGraph
    from casetrack.store.workspace import Workspace

R = TypeVar("R")

EveryKind = Literal["all", EntityKind, "court"]
OneKind = Literal["any", EntityKind, "court"]
# The same with the words and the order of the requirement.
_AskedKinds = Literal["person", "organization", "date", "amount", "location", "concept", "all"]
_AskedKind = Literal["person", "organization", "date", "amount", "location", "concept", "any"]
_Name = Annotated[str, Arg("The name; similar spellings are found too.", "NAME", "entity")]
_Kind = Annotated[
    OneKind,
    Arg("Its kind, if a name has several meanings.", "--kind", "entity_type", mcp_type=_AskedKind),
]
Places = Annotated[int | None, at_most(help="How many places at most.", mcp_le=100)]


class Entities:
    """Overview, dates and names; a part of ``collection.map``."""

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
        self, name: _Name, /, *, kind: _Kind = "any", limit: Places = 20
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
        limit: Places = 20,
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

    def _storage_bytes(self) -> int:
        return stored_bytes(self._workspace.folder)
