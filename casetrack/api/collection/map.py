"""The map of a collection: names, dates, amounts and references; every entry is cited."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, Literal

from casetrack.api.collection.entities import Entities, Places
from casetrack.api.operation import EVERY, READS, Arg, DocumentRef, PassageRef, at_most, operation
from casetrack.base.arguments import Filter, one_of
from casetrack.base.errors import UsageError
from casetrack.base.records import DOCUMENT_TYPES, Document, DocumentType, RowList, Rows
from casetrack.base.records.graph import RELATION_TYPES, RelatedDocument, RelationType
from casetrack.base.records.graph.changes import ReferenceType
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import (
        Amounts,
        Changes,
        Comparison,
        Reference,
        ReferenceCitations,
        SimilarChunk,
    )
    from casetrack.store.workspace import State

ReferenceKind = Literal["all", ReferenceType]
# The same with the words and the order of the requirement.
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


class Map(Entities):
    """Content of a collection's documents: ``collection.map``.

    Methods raise ``FreeTierLimit`` if the tier does not include them.
    """

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
        self, name: Annotated[str, Arg(cli="NAME", mcp="reference")], /, *, limit: Places = 20
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


def _on_topic(
    state: State, document: Document, topic: str, limit: int
) -> tuple[tuple[Chunk, float], ...]:
    """Return the passages of a document that match a topic best, each with its score."""
    from casetrack.search.search import search

    results = search(state, topic, limit=limit, where=Filter(document), fold=False)
    chunks = graph_of(state).chunks([r.provenance.chunk_id for r in results])
    return tuple((c, r.score) for c, r in zip(chunks, results, strict=True))
