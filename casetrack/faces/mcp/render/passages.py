"""Passages as text: search results, chunks and their surroundings, with their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.provenance import iso_utc
from casetrack.base.records.search import also_text
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.render.pieces import counted, method, one_line, phrase, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk, RelatedChunk, SearchResult, SearchResults, Signal
    from casetrack.faces.mcp.outputs import Facts

UNANSWERED = "Evidence: none. These passages probably do not answer the question."
NOTHING_FOUND = "Nothing found. Try other words, or see list_documents."
_QUERY_CHARS = 500
_HEADER_CHARS = 1_000


# --- search ---------------------------------------------------------------------------------


def search_results(
    results: SearchResults,
    /,
    *,
    explain: bool = False,
    concise: bool = False,
    blocks: Sequence[str] | None = None,
    more: Iterable[str] = (),
    noun: str = "Collection",
) -> str:
    """Return the answer of search_documents.

    Parameters
    ----------
    results
        What was found.
    explain
        Show the stages' scores and times.
    concise
        Leave out how the search was done.
    blocks
        The results, and what is related to them, as text; by default each in full.
    more
        What is to be said after them.
    noun
        What a collection is called.
    """
    stages = f"{len(results.stages_used)}-stage pipeline"
    searched = (
        f"{counted(results.searched_documents, 'document')}, "
        f"{counted(results.searched_chunks, 'chunk')} searched"
    )
    how = f"Time: {results.search_time_ms:.0f}ms | Tier: {results.tier.capitalize()} ({stages})"
    rated = f"evidence: {results.evidence}, relevance: {results.relevance:.2f}"
    head = [
        f'Search: "{shown_query(results.query)}"',
        f"{noun}: {results.collection} | {rated if concise else searched}",
        *([] if concise else [how]),
        *((UNANSWERED,) if results.results and results.evidence == "none" else ()),
        *(f"Note: {note}" for note in results.notes),
    ]
    if explain and results.reading is not None:
        head += [f"Question: {one_line(told)}" for told in results.reading.describe()]
    if blocks is None:
        blocks = [search_result(result, explain=explain) for result in results.results]
        blocks += [related(each) for each in results.related]
    if not blocks:
        return "\n".join([*head, "", *(list(more) or [NOTHING_FOUND])])
    times = ", ".join(f"{name} {ms:.1f} ms" for name, ms in results.stage_ms.items())
    last = [f"Stages: {times}"] if explain else []
    return "\n\n".join(["\n".join(head), *blocks, *last, *more, QUOTED])


def shown_query(query: str, /) -> str:
    """Return a query on one line; of a very long one the beginning."""
    line = " ".join(query.split())
    return line if len(line) <= _QUERY_CHARS else f"{line[:_QUERY_CHARS]} \u2026"


def search_result(result: SearchResult, /, *, explain: bool = False) -> str:
    """Return one result with its rank, score and source, and where in it the answer stands.

    Parameters
    ----------
    explain
        Show the stages' scores.
    """
    rated = f"score: {result.score:.2f}, relevance: {result.relevance:.2f}"
    where = f" in {one_line(result.collection)}" if result.collection else ""
    head = f"--- Result {result.rank}{where} ({rated}) ---"
    between = f"{one_line(also_text(result.also))}\n\n" if result.also else ""
    between += _signals(result.signals) if explain else ""
    if result.pinpoint:
        first, *others = result.pinpoint
        at = "; ".join([first.citation, *(part.where for part in others)])
        value = f"Answer: {phrase(result.answer.text)}\n" if result.answer else ""
        between = f"{value}At: {one_line(at)}\n{between}"
    return _block(head, result.text, result.provenance, between)


def short_result(entry: Facts, signals: Mapping[str, Signal], /) -> str:
    """Return a result of a concise answer: the part that answers, and where just that stands."""
    where = f" in {one_line(entry['collection'])}" if "collection" in entry else ""
    head = f"--- Result {entry['rank']}{where} (relevance: {entry['relevance']:.2f}) ---"
    value = entry.get("answer")
    if value is not None:
        head += f"\nAnswer: {phrase(value['text'])}"
    shown = told(head, entry)
    if also := entry.get("also"):
        shown += f"\nAlso: {one_line('; '.join(also))}"
    return f"{shown}\n{_signals(signals)}".rstrip()


def related(each: RelatedChunk, entry: Facts | None = None, /) -> str:
    """Return a passage that is connected with the results, and how; *entry* is its concise form."""
    head = f"--- Related: {one_line(each.reason)} ({each.weight:.2f}) ---"
    return passage(head, each.chunk) if entry is None else told(head, entry)


def _signals(signals: Mapping[str, Signal]) -> str:
    return "".join(f"{n}: {s.describe()}\n" for n, s in signals.items()) + "\n"


# --- one passage ----------------------------------------------------------------------------


def passage(head: str, item: Chunk, /) -> str:
    """Return a chunk below a heading of its own."""
    return _block(head, item.text, item.provenance)


def told(head: str, entry: Facts, /) -> str:
    """Return a passage of a concise answer below a heading: the same that its structure says."""
    at = f" (at {entry['at']})" if "at" in entry else ""
    header = entry.get("table_header")
    doubt = entry.get("ocr_warning")
    if doubt is None and "ocr_confidence" in entry:
        doubt = f"OCR, confidence {entry['ocr_confidence']:.2f}"
    hidden = entry.get("hidden_warning")
    lines = [
        *([head] if head else []),
        one_line(f"{entry['citation']}{at}"),
        *([_hidden(hidden)] if hidden else []),
        *([f"Table columns: {phrase(header)}"] if header else []),
        quoted(entry["text"]),
        f"chars {entry['chars']} | chunk {entry['chunk_id']}{f' | {doubt}' if doubt else ''}",
    ]
    return "\n".join(lines)


def _block(head: str, text: str, source: Provenance, between: str = "", /) -> str:
    return (
        f"{head}\n{one_line(source.cite())}\n\n"
        f"{_columns(source)}{quoted(text)}\n\n"
        f"{between}{source_line(source)}"
    )


def _columns(provenance: Provenance) -> str:
    """Return the warning of hidden text, and the columns of the table that a passage begins in."""
    header, hidden = provenance.table_header, provenance.hidden_warning
    warning = f"{_hidden(hidden)}\n\n" if hidden else ""
    if not header:
        return warning
    cut = header if len(header) <= _HEADER_CHARS else f"{header[:_HEADER_CHARS]} \u2026"
    return f"{warning}Table columns: {phrase(cut)}\n\n"


def _hidden(warning: str) -> str:
    return f"Warning: this passage {warning}."


def source_line(provenance: Provenance, /) -> str:
    """Return what the citation leaves out of the source, on one line."""
    p = provenance
    embedded = iso_utc(p.embedded_at)
    return " | ".join(
        [
            f"Source: {one_line(p.document_path)}",
            f"chars {p.char_start}-{p.char_end}",
            method(p),
            f"ingested {iso_utc(p.ingested_at)}",
            f"embedded {embedded}" if embedded else "not embedded",
            f"chunk {p.chunk_id}",
        ]
    )


# --- several passages -----------------------------------------------------------------------
