"""Search, read and list sources: the operations of the command line, MCP and HTTP."""

from __future__ import annotations

import json
import mimetypes
import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from casetrack.api.operation import READS, Arg, DayRef, F, called, edition_operation
from casetrack.base.errors import AmbiguousName, DocumentNotFound, See, UsageError, withheld
from casetrack.base.records.documents import FILES
from casetrack.base.records.search import SearchMode
from casetrack.base.records.shape import from_members
from casetrack.base.records.sync import SourceInfo
from casetrack.editions.context.records import (
    ContextChunk,
    ContextDocument,
    ContextHit,
    ContextPlace,
    ContextResults,
    ContextScores,
    ContextSource,
    ContextSources,
)
from casetrack.keep.sources.base import with_lines
from casetrack.store.originals import copy_of
from casetrack.store.source_states import stale_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Collection as Group

    from casetrack.api.collection import Collection
    from casetrack.base.arguments import Filter
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Document, SearchResult, Signal
    from casetrack.editions.context.home import ContextHome
    from casetrack.search.blend import Blended, BlendedDocument, BlendSettings
    from casetrack.store.workspace import State

# Lines in the file for a part of a passage.

COUNTED = frozenset({"code", "markdown", "txt", "json", "jsonl"})
"""Formats in which lines of the text are lines of the file."""
_MOST_BYTES = 5_000_000
_SIGNS = re.compile(r"[\W_]+")


def counts_lines(document: Document, page: int, /) -> bool:
    """Return whether the lines of a document's page are those of its file."""
    # In plain text a page begins after a form feed, and its lines are counted from 1 again.
    first = document.format != "txt" or page == 1
    return document.format in COUNTED and first and document.parent_id is None


def in_file(
    place: Provenance, whole: Provenance, text: str, document: Document, folder: Path, /
) -> Provenance:
    """Return the place of a part of the passage *whole*, with lines of its file if they are known.

    *text* is the text of the passage, *folder* the folder of the collection.
    """
    start, end = place.char_start - whole.char_start, place.char_end - whole.char_start
    wanted = text[start:end]
    longer = place.line_end - place.line_start > wanted.count("\n")
    if not longer or not counts_lines(document, whole.page):
        return place
    rows = _rows(document, folder)[whole.line_start - 1 : whole.line_end]
    own = [_bare(row) for row in rows]
    inside = [row for row in map(_bare, wanted.split("\n")) if row]
    before = [row for row in map(_bare, text[:start].split("\n")) if row]
    if not inside:
        return place
    skipped = sum(inside[0] in row for row in before)
    firsts = [n for n, row in enumerate(own) if inside[0] in row]
    if len(firsts) <= skipped:
        return place
    first = last = firsts[skipped]
    for sought in inside[1:]:
        last = next((n for n in range(last + 1, len(own)) if sought in own[n]), -1)
        if last < 0:
            return place
    top = whole.line_start
    return replace(place, line_start=top + first, line_end=top + last)


def _bare(row: str) -> str:
    """Return the letters and digits of a line, without marks of Markdown."""
    return _SIGNS.sub("", row)


def _rows(document: Document, folder: Path) -> list[str]:
    """Return the lines of a document's file, or none if it cannot be read."""
    from casetrack.parse.encoding import NotText, decode

    copy = document.original_copy
    path = Path(document.path) if copy is None else copy_of(folder, copy)
    try:
        if path.stat().st_size > _MOST_BYTES:
            return []
        return decode(path.read_bytes()).text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except (OSError, NotText, ValueError):
        # The file is gone or replaced: the lines of the passage are correct, but less exact.
        return []


SNIPPET_CHARS = 300
_UNLISTED = "The config no longer names this source, so it is not synced."
_NEVER = f"This source was never synced. Run {See('ctx sync')}."


Mode = SearchMode | None
Texts = Iterable[str] | str | None
_WORDS = tomllib.loads(Path(__file__).with_name("operations.toml").read_text("utf-8"))
_ARGS = {name: Arg(**fields) for name, fields in _WORDS["arguments"].items()}


def _operation(name: str, **more: Any) -> Callable[[F], F]:
    more |= {"alone": True, "tool": name, "words": _WORDS[name]}
    return edition_operation(name, READS, **more)


@_operation("search", page="search")
def search(
    collection: Collection,
    query: Annotated[str, _ARGS["query"]],
    /,
    *,
    mode: Annotated[Mode, _ARGS["mode"]] = None,
    limit: Annotated[int | None, _ARGS["limit"]] = None,
    sources: Annotated[Texts, _ARGS["sources"]] = None,
    since: Annotated[DayRef | None, _ARGS["since"]] = None,
    until: Annotated[DayRef | None, _ARGS["until"]] = None,
    paths: Annotated[Texts, _ARGS["paths"]] = None,
    kinds: Annotated[Texts, _ARGS["kinds"]] = None,
    languages: Annotated[Texts, _ARGS["languages"]] = None,
    explain: Annotated[bool, _ARGS["explain"]] = False,
    settings: BlendSettings | None = None,
    configured: Group[str] | None = None,
) -> ContextResults:
    """Find documents, each with its best passages.

    Parameters
    ----------
    mode
        ``keyword``, ``semantic`` or ``hybrid`` (see :mod:`casetrack.search.blend`), or ``full``:
        the results of ``casetrack search``, grouped by document. ``None`` is hybrid if the
        collection has vectors, otherwise keyword.
    limit
        Maximum number of documents; default: ``final_limit`` of the settings.
    explain
        Whether the JSON form explains the scores.
    configured
        Sources that the configuration names; results of other sources are stale.

    Raises
    ------
    UsageError
        The query is empty, or an argument is invalid.
    EmbeddingsDisabled
        *mode* needs vectors, and the collection has none.
    ModelError
        *mode* needs models that are not available.
    FreeTierLimit
        *mode* is ``full``, which the free tier does not include.
    """
    from casetrack.base.arguments import Filter
    from casetrack.search.blend import BlendSettings
    from casetrack.search.search import check

    settings = settings or BlendSettings()
    check(query, settings.final_limit if limit is None else limit)
    if limit is not None:
        settings = replace(settings, final_limit=limit)
    where = Filter(None, kinds, since, until, sources, paths, languages)
    find = _fully if mode == "full" else _blended

    def search_state(state: State) -> ContextResults:
        return find(state, query, mode, where, settings)

    answer = collection.workspace.ask(search_state)
    is_stale = _staleness(collection, configured)
    hits = tuple(replace(hit, stale=is_stale(hit.source, hit.id)) for hit in answer.results)
    if not explain:
        hits = tuple(map(_unexplained, hits))
    others = sorted({hit.source for hit in hits if not _is_named(hit.source, configured)})
    notes = (*answer.notes, *(f"{name}: {_UNLISTED}" for name in others))
    return replace(answer, results=hits, notes=notes)


def _unexplained(hit: ContextHit) -> ContextHit:
    place, *more = (replace(place, scores=None) for place in (hit.place, *hit.more))
    return replace(hit, place=place, more=tuple(more))


def _is_named(source: str, configured: Group[str] | None) -> bool:
    return configured is None or source in configured or source == FILES


def _staleness(collection: Collection, configured: Group[str] | None) -> Callable[[str, str], bool]:
    """Return a function of source and document id that returns whether the document is stale."""
    sources = stale_sources(collection.folder)
    files = collection.workspace.state().untaken()
    behind = {file.document_id for file in files if file.failed}

    def is_stale(source: str, document_id: str) -> bool:
        return source in sources or document_id in behind or not _is_named(source, configured)

    return is_stale


@_operation("get")
def get(
    collection: Collection,
    document: Annotated[str, _ARGS["document"]],
    /,
    *,
    first: Annotated[int, _ARGS["first"]] = 0,
    count: Annotated[int | None, _ARGS["count"]] = None,
    configured: Group[str] | None = None,
) -> ContextDocument:
    """Read a document, or some of its passages.

    Parameters
    ----------
    document
        Its id (at least 8 characters), name, path, or id in its source, with or without the source
        before it.
    first, count
        Index of the first passage (from 0) and number of passages; default: all.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        No document matches, or several have the name.
    UsageError
        The document has no such passage.
    """
    from casetrack.api.collection.listing import pages_of

    def read(state: State) -> ContextDocument:
        entry = _document(state, document)
        if count is not None and count < 1:
            raise UsageError(f"The number of passages must be 1 or more, not {count}.")
        if first < 0 or (first and first >= entry.chunk_count):
            raise UsageError(
                f"{entry.name} has no passage {first}; it has {entry.chunk_count:,}, counted from "
                "0."
            )
        every = state.chunks_of(entry)
        last = len(every) if count is None else min(first + count, len(every))
        chunks = every[first:last]
        return ContextDocument(
            id=entry.document_id,
            source=entry.source or FILES,
            source_id=entry.source_id or entry.path,
            source_url=entry.source_url,
            title=entry.title or entry.name,
            author=entry.source_author or entry.author,
            created_at=entry.content_created_at or entry.ingested_at,
            updated_at=entry.dated_at,
            content_type=content_type(entry),
            body="\n\n".join(page.text for page in pages_of(chunks)),
            metadata=_metadata(entry),
            chunks=tuple(
                ContextChunk(c.text, address(entry, c.provenance), c.provenance) for c in chunks
            ),
            chunk_count=len(every),
            next=last if last < len(every) else None,
            stale=_staleness(collection, configured)(entry.source or FILES, entry.document_id),
        )

    return collection.workspace.ask(read)


@_operation("sources")
def sources(collection: Collection, /, *, configured: Group[str] = ()) -> ContextSources:
    """List the sources, with the time of the last sync and the problems of each."""
    known = {info.source: info for info in collection.sources()}
    files = [d for d in collection.documents() if d.source is None]
    if files:
        chunks = sum(document.chunk_count for document in files)
        known[FILES] = SourceInfo(FILES, FILES, len(files), chunks)
    for name in configured:
        known.setdefault(name, SourceInfo(name, name.partition(":")[0], 0, 0))
    return ContextSources(tuple(_source(known[name], configured) for name in sorted(known)))


def run_for_config(
    home: ContextHome, function: Callable[..., Any], given: Mapping[str, Any], /
) -> Any:
    """Run an operation for a config; *given* contains its arguments by name."""
    own: dict[str, Any] = {"configured": home.config.labels}
    own |= {"settings": home.ranking} if function is search else {}
    return called(function, home.collection, {**given, **own})


def content_type(document: Document, /) -> str:
    """Return the media type of a document's file, derived from its name."""
    # The tables of this computer are not used, so that the answer is the same everywhere.
    guessed, _ = mimetypes.MimeTypes().guess_type(document.name)
    return guessed or "text/plain"


def address(document: Document, place: Provenance, /) -> str | None:
    """Return a link to a passage, or to the start of the document if its lines are not known."""
    if not counts_lines(document, place.page):
        return document.source_url
    return with_lines(document.source_url, place.line_start, place.line_end)


def _source(info: SourceInfo, configured: Group[str]) -> ContextSource:
    is_configured = info.source in configured
    missed = is_configured and info.last_synced_at is None and not info.documents
    unlisted = not _is_named(info.source, configured)
    return from_members(
        ContextSource,
        info,
        name=info.source,
        configured=is_configured,
        healthy=not (info.problem or missed or unlisted),
        notes=_UNLISTED if unlisted else info.problem or (_NEVER if missed else None),
        stale=info.stale or unlisted,
    )


def _document(state: State, named: str) -> Document:
    try:
        return state.document(named)
    except DocumentNotFound:
        called = named.strip()
        fits = [
            d
            for d in state.snapshot.documents.values()
            if d.source_id and called in (d.source_id, f"{d.source}/{d.source_id}")
        ]
        if not fits:
            raise
        if len(fits) > 1:
            matches = [(f"{d.source}/{d.source_id}", d.document_id) for d in fits]
            raise AmbiguousName("document", named, matches) from None
        return fits[0]


def _metadata(document: Document) -> dict[str, Any]:
    facts: dict[str, Any] = dict(document.properties)
    if document.metadata is not None:
        facts |= json.loads(document.metadata)
    return facts


def _blended(
    state: State, query: str, mode: SearchMode | None, where: Filter, settings: BlendSettings
) -> ContextResults:
    from casetrack.search.blend import blended_search
    from casetrack.search.scores import name_at, sources_at
    from casetrack.store.passages import PLACE_COLUMNS

    answer = blended_search(state, query, mode=mode, where=where, settings=settings)
    places = [one.chunk for document in answer.documents for one in document.chunks]
    texts = state.index.texts(places)
    sources = sources_at(state.snapshot, state.index, places, PLACE_COLUMNS, texts)
    readable = [[c for c in d.chunks if c.chunk in sources] for d in answer.documents]
    damaged = [name_at(state.snapshot, state.index, p) for p in places if p not in sources]

    def scored(one: Blended, document: BlendedDocument) -> _Match:
        best = document.chunks[0]
        scores = ContextScores(
            *(one.keyword, one.vector, one.keyword_part, one.vector_part, answer.alpha, one.score),
            fields=dict(document.match.fields) if one is best else None,
        )
        # Passages share the score of their document by their blended scores.
        share = one.score / best.score if best.score else 1.0
        return _Match(document.match.score * share, sources[one.chunk], scores)

    hits = (
        _hit(
            state,
            query,
            texts[chunks[0].chunk],
            [scored(c, document) for c in chunks],
            line=document.match.line,
        )
        for document, chunks in zip(answer.documents, readable, strict=True)
        if chunks
    )
    return ContextResults(query, answer.mode, tuple(hits), (*answer.notes, *withheld(damaged)))


def _fully(
    state: State, query: str, mode: SearchMode | None, where: Filter, settings: BlendSettings
) -> ContextResults:
    """Search as ``casetrack search`` does; the score is the relevance."""
    from casetrack.search.search import search

    depth = max(settings.candidate_k_keyword, settings.candidate_k_vector, settings.final_limit)
    answer = search(state, query, mode=mode, limit=depth, where=where, fold=False)
    documents: dict[str, list[SearchResult]] = {}
    for result in sorted(answer.results, key=lambda r: -r.relevance):
        documents.setdefault(result.provenance.document_id, []).append(result)

    def scored(result: SearchResult) -> _Match:
        explained = _explained(result.signals, result.relevance)
        return _Match(result.relevance, result.provenance, explained)

    hits = (
        _hit(state, query, some[0].text, [scored(r) for r in some[: settings.max_chunks_per_doc]])
        for some in list(documents.values())[: settings.final_limit]
    )
    return ContextResults(query, answer.mode, tuple(hits), answer.notes)


def _explained(signals: Mapping[str, Signal], score: float) -> ContextScores:
    words, meaning = (signals.get(name) for name in ("bm25", "semantic"))
    return ContextScores(
        words.score if words else None,
        meaning.score if meaning else None,
        keyword_normalised=None,
        vector_normalised=None,
        alpha=None,
        blended=score,
        signals=dict(signals),
    )


class _Match(NamedTuple):
    """A passage that matches the question."""

    score: float
    provenance: Provenance
    scores: ContextScores


def _hit(
    state: State, query: str, text: str, matches: Sequence[_Match], *, line: int | None = None
) -> ContextHit:
    """Return a document with a snippet of its best passage and the places of all passages.

    The snippet begins at *line* if the passage has it.
    """
    from casetrack.api.quoting import Words
    from casetrack.store.passages import narrow, offset_of

    whole = matches[0].provenance
    document = state.snapshot.documents[whole.document_id]
    in_lines = whole.sheet_name is not None or document.format == "code"
    start, end = Words(query).best_part(text, size=SNIPPET_CHARS, rows=in_lines)
    if line is not None and whole.line_start <= line <= whole.line_end:
        start = offset_of(whole, text, line) or 0
        end = len(text[start : start + SNIPPET_CHARS].rstrip()) + start
    while in_lines and text[max(0, start - 1) : start] in {" ", "\t"}:
        start -= 1  # a line of code means little without its indent
    part = narrow(whole, text, None, None, start, end)
    part = in_file(part, whole, text, document, state.workspace.folder)
    quoted = matches[0]._replace(provenance=part)
    place, *more = (
        ContextPlace(one.score, address(document, one.provenance), one.provenance, one.scores)
        for one in (quoted, *matches[1:])
    )
    return ContextHit(
        id=document.document_id,
        title=document.title or document.name,
        source=document.source or FILES,
        source_id=document.source_id or document.path,
        updated_at=document.dated_at,
        snippet=text[start:end],
        source_url=document.source_url,
        stale=False,
        place=place,
        more=tuple(more),
    )
