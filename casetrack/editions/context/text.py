"""Text form of the edition's answers for the command line."""

import textwrap
from collections.abc import Sequence
from typing import Any

from casetrack.api.text import Line, Lines, entries_of, head_of, line, lines_of
from casetrack.api.text.form import GAP, counted, facts, flat
from casetrack.editions.context.records import (
    ContextDocument,
    ContextHit,
    ContextPlace,
    ContextResults,
    ContextScores,
    ContextSource,
    ContextSources,
)

_MOST_ROWS = 6


@head_of.register
def _results(results: ContextResults) -> Lines:
    return [line((f"Note: {note}", "warning")) for note in results.notes]


@entries_of.register
def _hits(results: ContextResults) -> tuple[str, Sequence[Any]]:
    return "results", results.results


@lines_of.register
def _hit(hit: ContextHit) -> Lines:
    place = hit.place
    asides = [
        *([flat(hit.title)] if hit.title not in hit.source_id else []),
        f"updated {hit.updated_at:%Y-%m-%d}",
        place.citation,
        *(["stale: its source may be newer, see `ctx sources`"] if hit.stale else []),
    ]
    also = f"also {'; '.join(other.citation for other in hit.more)}"
    return [
        line(f"[{hit.score:.2f}] ", (hit.source, "source"), " / ", (hit.source_id, "title")),
        line(("; ".join(asides), "less")),
        *map(line, _rows(hit.snippet)),
        *([line((_link(place), "source"))] if place.url else []),
        *([line((also, "less"))] if hit.more else []),
        *([line((_explained(place.scores), "less"))] if place.scores else []),
        line((f"id: {hit.id}", "less")),
    ]


def _link(place: ContextPlace) -> str:
    """Return a link to a place; terminals open a file on this machine at ``path:line``."""
    path, url = place.provenance.document_path, place.url or ""
    return f"{path}:{place.provenance.line_start}" if url.startswith("file:") else url


def _rows(snippet: str) -> list[str]:
    """Return the lines of a snippet without their common indent."""
    rows = [row.rstrip() for row in textwrap.dedent(snippet).splitlines() if row.strip()]
    return rows if len(rows) <= _MOST_ROWS else [*rows[: _MOST_ROWS - 1], "\u2026"]


def _explained(scores: ContextScores) -> str:
    if scores.signals:
        listed = ", ".join(f"{name} {s.score:.3f}" for name, s in scores.signals.items())
        return f"full: {listed}"
    parts = []
    for name, raw, share in (
        ("keyword", scores.keyword_score, scores.keyword_normalised),
        ("vector", scores.vector_score, scores.vector_normalised),
    ):
        what = "not among the candidates" if raw is None else f"{raw:.4f} -> {share or 0:.4f}"
        parts.append(f"{name} {what}")
    alpha = "" if scores.alpha is None else f"; alpha {scores.alpha:g}"
    return f"{'; '.join(parts)}{alpha}; score {scores.blended:.4f}"


@head_of.register
def _document(document: ContextDocument) -> Lines:
    first, last = document.chunks[0].index, document.chunks[-1].index
    labels = {
        "Title": document.title,
        "Source": f"{document.source} / {document.source_id}",
        "Address": document.source_url,
        "Author": document.author,
        "Updated": document.updated_at,
        "Type": document.content_type,
        "ID": document.id,
        "Passages": f"{first}-{last} of {document.chunk_count}",
    }
    onward = f"Continue with: ctx get {document.id}:{document.next}:{len(document.chunks)}"
    rest = [] if document.next is None else [GAP, line((onward, "less"))]
    return [*facts(labels, 0), GAP, Line((document.body,), block=True), *rest]


@entries_of.register
def _listed(listing: ContextSources) -> tuple[str, Sequence[Any]]:
    return "sources", listing.sources


@head_of.register
def _sources(listing: ContextSources) -> Lines:
    return [line((counted(len(listing.sources), "source"), "title"))]


@lines_of.register
def _source(each: ContextSource) -> Lines:
    held = f"  {counted(each.documents, 'document')}, {counted(each.chunks, 'passage')}"
    state = (each.notes or "ok").removeprefix(f"{each.name}: ")
    style = "less" if each.healthy else "warning"
    return [line((each.name, "strong"), held, (f"  {state}", style), label="- ")]
