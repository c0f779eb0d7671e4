"""Search of a collection, also in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

from casetrack.api.collection.drawing import drawn
from casetrack.api.operation import READS, Arg, DayRef, DocumentRef, at_most, operation
from casetrack.base.arguments import as_documents, as_list
from casetrack.base.records import SearchMode
from casetrack.graph.opened import graph_of
from casetrack.store import audit

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from casetrack.base.records import Facets, SearchResults
    from casetrack.base.records.cards import QueryReport
    from casetrack.base.records.topics import TopicMatrix
    from casetrack.base.sql.control import Control
    from casetrack.search.ranking import FusionMethod
    from casetrack.store.workspace import State, Workspace

_Query = Annotated[str, Arg("A question or some words.", "QUERY")]
_Documents = Annotated[
    Iterable[DocumentRef] | DocumentRef | None,
    Arg(
        "Only in this document; may be repeated for several.",
        "--document -d NAME",
        "document_filter",
        mcp_type=str | list[str] | None,
    ),
]
_Kinds = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents of this kind, such as contract, report, pdf or eml; may be repeated.",
        "--kind KIND",
        note="Such as contract, pdf",
    ),
]
_Since = Annotated[
    DayRef | None,
    Arg(
        "Only in documents from this day, month or year on, such as 2024-03-12: the date of the "
        "last change in the source, else the document's own date, or that of the file.",
        "--since DATE",
        note="YYYY-MM-DD",
    ),
]
_Until = Annotated[DayRef | None, Arg("Only in documents up to this date.", "--until DATE")]
_Sources = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents from this source, such as git:platform, or git for all of this kind; "
        "may be repeated.",
        "--source SOURCE",
    ),
]
_Paths = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents whose path matches, as in .gitignore: 'docs/**', '*.md', '!tests/'; may "
        "be repeated.",
        "--path GLOB",
        note="Globs",
    ),
]
_Languages = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents in this language, such as de, German or (for code) Python; may be "
        "repeated.",
        "--language LANGUAGE",
    ),
]
_Mentions = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only passages that mention this person, organization or place; if repeated, all of them.",
        "--mentions NAME",
    ),
]


class Searching:
    """Search of an open collection; a part of :class:`casetrack.Collection`."""

    workspace: Workspace

    def _audit(self, action: str, words: str) -> None:
        """Add a question to the audit log if the configuration enables that."""
        if self.workspace.settings.audit_searches:
            audit.note(self.workspace.folder, action, detail=words)

    @operation("search", READS)
    def search(
        self,
        query: _Query,
        /,
        *,
        limit: Annotated[int, at_most(le=1000, mcp_le=50, mcp_default=5)] = 10,
        mode: Annotated[SearchMode | None, Arg(cli="--mode", note="Default: the best")] = None,
        stages: Annotated[Sequence[str] | str | None, Arg(cli="--stages NAMES", mcp="-")] = None,
        document: DocumentRef | None = None,
        documents: _Documents = None,
        kinds: _Kinds = None,
        since: _Since = None,
        until: _Until = None,
        sources: _Sources = None,
        paths: _Paths = None,
        languages: _Languages = None,
        mentions: _Mentions = None,
        fold: Annotated[
            bool,
            Arg(
                "List every passage separately, also repeated text and neighbours with "
                "shared text.",
                "/--no-fold",
                "-",
            ),
        ] = True,
        fusion: FusionMethod = "zscore",
        related: Annotated[
            int, Arg(cli="--related N", note="More, linked by names", ge=0, le=20)
        ] = 0,
        min_relevance: Annotated[float | None, Arg(cli="--min-relevance 0..1", ge=0, le=1)] = None,
        vocabulary: Annotated[
            bool,
            Arg(
                "Search only the words of the question, without synonyms.", "/--no-vocabulary", "-"
            ),
        ] = True,
    ) -> SearchResults:
        """Return the *limit* best passages, each with its source.

        Parameters
        ----------
        limit
            How many results at most.

            They are different places, or passages if *fold* is false.
        mode
            By words, by meaning, by both, or by both with reranking. [default: the best that the
            collection allows]

            ``keyword`` (BM25), ``semantic`` (vectors), ``hybrid`` (both, and learned sparse vectors
            if the profile has them) or ``full`` (hybrid, then late interaction on the best
            results). ``None`` means full as far as the collection and the tier allow; a note lists
            missing parts.
        stages
            Stages instead of a mode, separated by commas: bm25, semantic, sparse, maxsim, feedback,
            rerank.
        document, documents
            Only passages of this document, or of these: name, path, id or record.
        since, until
            Only documents of this time: a date, or text such as ``2024-03-12``, ``2024-03`` or
            ``2024``. The date of a document is that of the last change in its source, or else its
            own (written, sent or last changed), or else its file's; a note counts the latter.
        fold
            Combine passages with the same or shared text into one result; its ``also`` lists the
            others.
        fusion
            Combination of several signals: ``zscore`` or ``rrf``.
        related
            Also show up to N passages that mention the same rare names as the results or have a
            similar meaning.
        min_relevance
            Leave out results below this relevance. [default: show all]

        Raises
        ------
        UsageError
            The query is empty, or an argument is wrong.
        ModelNotFound
            *mode* needs vectors and no model is installed.
        FreeTierLimit
            *mode* or *stages* need reranking, which the tier does not include.
        DocumentNotFound, AmbiguousName, EntityNotFound
            A document or a mentioned name does not exist, or several match.

        Examples
        --------
        >>> hits = collection.search("Who may end the lease early?", limit=5)  # doctest: +SKIP
        >>> hits[0].citation, hits[0].text  # doctest: +SKIP
        """
        from casetrack.base.arguments import Filter
        from casetrack.search.search import search

        named = [*as_documents(documents), *as_documents(document)]
        every = document is None and documents is None
        where = Filter(None if every else named, kinds, since, until, sources, paths, languages)

        def searched(state: State) -> SearchResults:
            asked = where
            if mentions is not None:
                from casetrack.graph.answers.lookup import entity_ids

                asked = replace(where, mentions=entity_ids(graph_of(state), as_list(mentions)))
            return search(
                state,
                query,
                limit=limit,
                mode=mode,
                stages=stages,
                where=asked,
                fusion=fusion,
                related=related,
                vocabulary=vocabulary,
                fold=fold,
                min_relevance=min_relevance,
            )

        self._audit("searched", query)
        results = self.workspace.ask(searched)
        draw = partial(drawn, self.workspace.folder, self.workspace.settings)
        return replace(results, illustrate=draw)

    @operation("facets", READS, tool="get_facets", sets=("search",))
    def facets(
        self,
        query: _Query,
        /,
        *,
        documents: _Documents = None,
        kinds: _Kinds = None,
        since: _Since = None,
        until: _Until = None,
        sources: _Sources = None,
        paths: _Paths = None,
        languages: _Languages = None,
        mentions: _Mentions = None,
        shown: Iterable[str] = (),
        most: Annotated[int, at_most(le=200, mcp_le=15)] = 8,
        waits: bool = True,
    ) -> Facets:
        """Return filters for the passages that match a question, with the passages of each.

        All passages with enough words of the question count, not only the best; see
        :mod:`casetrack.search.hits`.

        Parameters
        ----------
        documents, kinds, since, until, sources, paths, languages, mentions
            Filters in use; see :meth:`search`.
        shown
            Ids of further chunks that count, such as those of a semantic search.
        most
            How many values of each.
        waits
            Wait until all passages are read for the map; see :meth:`Map.lacking`. Otherwise people
            and organizations are left out until then.

        Raises
        ------
        UsageError, DocumentNotFound, AmbiguousName, EntityNotFound
            The question is empty, or the value of a filter does not exist.
        """
        from casetrack.api.collection.facets import find_facets
        from casetrack.base.arguments import Filter

        where = Filter(documents, kinds, since, until, sources, paths, languages, mentions)
        return self.workspace.ask(
            lambda state: find_facets(state, query, where, shown=shown, most=most, waits=waits)
        )

    @operation(
        "matrix",
        READS,
        tool="find_in_documents",
        sets=("core", "search"),
        most=10_000,
        entries="documents",
    )
    def topic_matrix(
        self,
        topics: Annotated[Sequence[str], Arg(cli="TOPIC", le=20)],
        /,
        *,
        documents: _Documents = None,
        kinds: _Kinds = None,
        limit: Annotated[int, at_most("limit", mcp_le=200, mcp_default=25)] = 1000,
    ) -> TopicMatrix:
        """Return for each document which topics are present, absent or unsure, with places.

        Each document is searched for each topic. A topic is present if the relevance of its best
        passage is high, and absent if it is low; otherwise it is unsure.

        Parameters
        ----------
        topics
            Topics, clauses or claims.
        limit
            How many documents at most.
        """
        from casetrack.base.arguments import Filter
        from casetrack.search.topics import topic_matrix

        where = Filter(documents, kinds)
        return self.workspace.ask(
            lambda state: topic_matrix(state, as_list(topics), where, limit=limit)
        )

    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        params: Mapping[str, Any] | None = ...,
        explain: Literal[False] = ...,
        exact: bool = ...,
        control: Control | None = ...,
    ) -> pa.Table: ...
    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        params: Mapping[str, Any] | None = ...,
        explain: Literal[True],
        exact: bool = ...,
        control: Control | None = ...,
    ) -> QueryReport: ...
    def sql(
        self,
        statement: str,
        /,
        *,
        params: Mapping[str, Any] | None = None,
        explain: bool = False,
        exact: bool = False,
        control: Control | None = None,
    ) -> pa.Table | QueryReport:
        """Run a reading SQL statement over the collection's views and functions.

        Raises ``UsageError``, ``ModelNotFound`` or ``FreeTierLimit`` as retrieval functions do.

        Parameters
        ----------
        statement
            DuckDB SQL; :func:`catalog` lists the names. The functions ``search``, ``similar``,
            ``context`` and ``cite`` correspond to the methods of the same name.
        params
            Values of parameters, which the statement writes as ``$name``.
        explain
            Return also the plan and the calls of the retrieval engine, as a ``QueryReport``.
        exact
            Return days outside of the years 1 to 9999 and 24:00 o'clock as Arrow values; Python has
            no type for them, and they are refused otherwise.
        control
            Stops the statement from another thread.

        Notes
        -----
        ``[sql]`` in ``config.toml`` limits time and memory, but not within a single call of a
        DuckDB function, such as ``repeat('x', 1000000000)``. ``casetrack query`` then ends its own
        process, which a library must not do.
        """
        from casetrack.search.query.run import ask

        self._audit("queried", statement)
        return ask(
            self.workspace.state,
            self.workspace.settings.sql,
            statement,
            params=params,
            explain=explain,
            exact=exact,
            control=control,
        )
