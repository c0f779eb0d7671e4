"""Text of passages: their source, and the whole text or its best part."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.api.text.form import (
    GAP,
    Line,
    Lines,
    Part,
    counted,
    head_of,
    line,
    lines_of,
    phrase,
    span,
    table,
)
from casetrack.api.text.tables import with_tables
from casetrack.base.provenance import Provenance, column_letters, iso_utc
from casetrack.base.records import (
    Chunk,
    ChunkWindow,
    Passages,
    RelatedChunk,
    SearchResult,
    SearchResults,
)
from casetrack.base.records.search import NO_ANSWER, ComputedAnswer, also_text

if TYPE_CHECKING:
    from casetrack.api.quoting import Words

EXCERPT_CHARS = 500
"""Characters of a quoted part, unless the whole passage is requested."""
_HEADER_CHARS = 1_000
_QUERY_CHARS = 500
METHODS = {
    "Native": "Native text",
    "Ocr": "OCR",
    "Hybrid": "Native text and OCR",
    "Spreadsheet": "Spreadsheet cells",
}
"""Labels of the methods of text recognition."""


def passage(chunk: Chunk, topic: str = "", /) -> Lines:
    """Return a passage: its source and id, its file, and the best part on *topic*."""
    from casetrack.api.quoting import Words, snippet

    place, words = chunk.provenance, Words(topic)
    flows = place.sheet_name is None
    start, end = snippet(
        chunk.text, words.parts(chunk.text, rows=not flows), size=EXCERPT_CHARS, rows=not flows
    )
    before = "\u2026 " if chunk.text[:start].strip() else ""
    after = " \u2026" if chunk.text[end:].strip() else ""
    return [
        line((place.cite(), "source"), (" | chunk ", "less"), (place.chunk_id, "chunk")),
        line((place.document_path, "own")),
        *(line((note, "warning" if note in place.warnings else "less")) for note in place.notes),
        _quoted(chunk.text[start:end], words, before=before, after=after),
    ]


def method(place: Provenance, /) -> str:
    """Return the extraction method, with OCR's confidence if there is one."""
    name = METHODS.get(place.extraction_method, place.extraction_method)
    if place.ocr_confidence is None:
        return name
    doubt = ", low: compare it with the page" if place.is_doubtful else ""
    return f"{name} (confidence {place.ocr_confidence:.2f}{doubt})"


def _quoted(
    text: str,
    words: "Words | None" = None,
    strong: Iterable[tuple[int, int]] = (),
    *,
    before: str = "",
    after: str = "",
) -> Line:
    """Return text in quotation marks; the spans *strong* and the *words* are marked in it."""
    styles = ["said"] * len(text)
    for style, spans in (("strong", strong), ("words", words.spans(text) if words else ())):
        for start, end in spans:
            first, last = max(start, 0), min(end, len(text))
            if first < last:
                styles[first:last] = [style] * (last - first)
    parts: list[Part] = []
    pieces = list(with_tables(text))
    for piece in pieces:
        if isinstance(piece, str):
            parts.append((piece, "said"))
            continue
        at, end = piece
        for n in range(at + 1, end + 1):
            if n == end or styles[n] != styles[at]:
                parts.append((text[at:n], styles[at]))
                at = n
    opening, closing = (f'"{before}', f'{after}"')
    if isinstance(pieces[0], str):
        opening += "\n"
    if isinstance(pieces[-1], str):
        closing = f"\n{closing}"
    return Line((opening, *parts, closing), block=True)


def _warnings(place: Provenance) -> Lines:
    """Return the warning of hidden text, and the table columns at the start of a passage."""
    header, hidden = place.table_header, place.hidden_warning
    lines = [line((f"Warning: this passage {hidden}.", "warning")), GAP] if hidden else []
    if header:
        long = f"{header[:_HEADER_CHARS]} \u2026" if len(header) > _HEADER_CHARS else header
        lines += [line("Table columns: ", *phrase(long)), GAP]
    return lines


def _block(
    head: str, item: Chunk | SearchResult, quoted: Line | None = None, between: Iterable[Line] = ()
) -> Lines:
    """Return a passage below a heading: its source, its text, and its id."""
    p = item.provenance
    embedded = iso_utc(p.embedded_at)
    times = f"ingested {iso_utc(p.ingested_at)} | "
    times += f"embedded {embedded}" if embedded else "not embedded"
    doubt = "extra" if p.ocr_confidence is None else "warning" if p.is_doubtful else "less"
    return [
        *([line(label=head)] if head else []),
        line((p.cite(), "source")),
        *between,
        GAP,
        *_warnings(p),
        quoted or _quoted(item.text),
        GAP,
        line(
            (f"Source: {p.document_path} | ", "extra"),
            (f"chars {p.char_start}-{p.char_end}", "less"),
            (f" | {method(p)}", doubt),
            (f" | {times}", "extra"),
            (" | chunk ", "less"),
            (p.chunk_id, "chunk"),
        ),
    ]


@lines_of.register
def _(chunk: Chunk) -> Lines:
    return _block(f"--- {chunk.provenance.chunk_index + 1} of {chunk.chunk_count} ---", chunk)


@head_of.register
def _(chunk: Chunk) -> Lines:
    p = chunk.provenance
    sheet = p.sheet_name is not None
    columns = span(column_letters(p.column_start), column_letters(p.column_end))
    headings: list[Part] = []
    for each in p.heading_path:
        headings += [*([" > "] if headings else []), *phrase(each)]
    kept: tuple[tuple[object, ...], ...] = (
        ("Document", p.document_name),
        ("File Path", p.document_path),
        ("Address", p.source_url),
        ("Page", f"{p.page}{' (estimated)' if p.page_is_estimated else ''}"),
        ("Sheet", p.sheet_name),
        ("Rows", span(p.row_start, p.row_end) if sheet else None),
        ("Columns", columns if sheet and p.column_start is not None else None),
        ("Paragraphs", span(p.paragraph_start, p.paragraph_end)),
        ("Lines", span(p.line_start, p.line_end)),
    )
    rows = table(
        [
            ("Citation", (p.cite(), "source")),
            *((name, (value, "extra")) for name, value in kept),
            ("Chars", f"{p.char_start}-{p.char_end} (within page)"),
            ("Headings", *headings),
            ("Table Columns", *phrase(p.table_header)),
            ("Page Header", *phrase(p.page_header)),
            ("Page Footer", *phrase(p.page_footer)),
            ("As Printed", p.printed_place),
            ("Extraction", method(p)),
            ("Chunk Index", f"{p.chunk_index + 1} of {chunk.chunk_count}"),
            ("Ingested", (iso_utc(p.ingested_at), "time")),
            ("Embedded", (iso_utc(p.embedded_at), "time")),
        ]
    )
    return [
        line(("Chunk ", "title"), (p.chunk_id, "chunk"), f" ({len(chunk.text)} chars)"),
        line(),
        *_warnings(p),
        line("Text:"),
        _quoted(chunk.text),
        line(),
        line("Provenance:"),
        *rows,
        GAP,
        line((f"Embeddings: {', '.join(chunk.embedders) or 'none'}", "extra")),
    ]


@head_of.register
def _(answer: Passages) -> Lines:
    held = f", {counted(answer.document.page_count, 'page')}: {counted(len(answer), 'chunk')}"
    return [line((answer.document.name, "title"), held)]


@head_of.register
def _(answer: ChunkWindow) -> Lines:
    before = [(f"Before {len(answer.before) - n}", c) for n, c in enumerate(answer.before)]
    after = [(f"After {n}", c) for n, c in enumerate(answer.after, 1)]
    lines = [line("Context in ", (answer.chunk.provenance.document_name, "title"))]
    for name, chunk in (*before, ("Chunk", answer.chunk), *after):
        lines += [line(), *_block(f"--- {name} ---", chunk)]
    return lines


# --- results of a search ----------------------------------------------------------------------


def shown_query(query: str, /) -> str:
    """Return a query on one line; a long one is cut."""
    text = " ".join(query.split())
    return text if len(text) <= _QUERY_CHARS else f"{text[:_QUERY_CHARS]} \u2026"


def search_head(
    results: SearchResults, noun: str = "Collection", *, explain: bool = False
) -> Lines:
    """Return the query, the searched collection, the evidence, and notes.

    *noun* is the edition's word for a collection; *explain* adds the interpretation of the query.
    """
    held = (
        f"{counted(results.searched_documents, 'document')}, "
        f"{counted(results.searched_chunks, 'chunk')} searched | "
    )
    stages = f" ({' + '.join(results.stages_used)})" if results.stages_used else ""
    read = results.reading.describe() if explain and results.reading is not None else ()
    return [
        line(("Search: ", "strong"), f'"{shown_query(results.query)}"'),
        line(
            (f"{noun}: ", "strong"),
            f"{results.collection} | ",
            (held, "extra"),
            f"evidence: {results.evidence}, relevance: {results.relevance:.2f}",
        ),
        line(
            ("Time: ", "extra"),
            (f"{results.search_time_ms:.0f} ms | {results.mode}{stages}", "extra"),
        ),
        *([line((NO_ANSWER, "warning"))] if results.results and results.evidence == "none" else []),
        *(line((f"Note: {note}", "warning")) for note in results.notes),
        *_computed(results.computed),
        *(line((f"Question: {remark}", "less")) for remark in read),
    ]


def _computed(answer: ComputedAnswer | None) -> Lines:
    """Return a computed answer, how it was computed, and its parts with their sources."""
    if answer is None:
        return []
    return [
        line(("Computed: ", "strong"), *phrase(answer.text), (f" ({answer.how})", "less")),
        *(
            line("- ", *phrase(part.shown), " | ", (part.quote.citation, "source"), indent=2)
            for part in answer.parts
        ),
    ]


def search_tail(results: SearchResults, /) -> Lines:
    """Return the time of each stage."""
    times = ", ".join(f"{name} {ms:.1f} ms" for name, ms in results.stage_ms.items())
    return [line((f"Stages: {times}", "less"))]


def result_lines(
    result: SearchResult, words: "Words | None" = None, /, *, context: bool = False, explain: bool
) -> Lines:
    """Return a result with its rank, its source, and the answer marked in it.

    *words* of the query are marked; *context* adds the text around it; *explain* adds the scores of
    the stages.
    """
    where = f" in {result.collection}" if result.collection else ""
    rated = f"(score: {result.score:.2f}, relevance: {result.relevance:.2f})"
    between = []
    if result.answer is not None:
        between.append(line(("Answer: ", "strong"), *phrase(result.answer.text)))
    if result.pinpoint:
        first, *others = result.pinpoint
        wheres = dict.fromkeys(part.where for part in others if part.where != first.where)
        at = "; ".join([first.citation, *wheres])
        between.append(line(("At: ", "strong"), (at, "source")))
    sides = [
        [line((f"{side}: ", "strong"), *phrase(text))] if context and text else []
        for side, text in (
            ("Before", _end(result.context["before"], last=True)),
            ("After", _end(result.context["after"])),
        )
    ]
    offset = result.provenance.char_start
    strong = [(p.char_start - offset, p.char_end - offset) for p in result.pinpoint]
    quoted = _quoted(result.text, words, strong)
    return [
        *_block(
            f"--- Result {result.rank}{where} {rated} ---", result, quoted, (*between, *sides[0])
        ),
        *sides[1],
        *([line((also_text(result.also), "less"))] if result.also else []),
        *(
            line((f"{name}: {s.describe()}", "less"), indent=2)
            for name, s in (result.signals.items() if explain else ())
        ),
    ]


def _end(text: str | None, *, last: bool = False) -> str:
    """Return the end of a text before a passage, in whole words."""
    text = (text or "").strip()
    if len(text) <= EXCERPT_CHARS:
        return text
    if last:
        return f"\u2026 {text[-EXCERPT_CHARS:].partition(' ')[2]}"
    return f"{text[:EXCERPT_CHARS].rpartition(' ')[0]} \u2026"


def quoted_part(result: SearchResult, words: "Words", size: int = EXCERPT_CHARS, /) -> SearchResult:
    """Return a result with only the answering part of its text, and its place."""
    text, place = words.quote(result, size=size)
    return result if text == result.text else replace(result, text=text, provenance=place)


@lines_of.register
def _(related: RelatedChunk) -> Lines:
    return _block(f"--- Related: {related.reason} ({related.weight:.2f}) ---", related.chunk)
