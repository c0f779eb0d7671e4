"""Text of documents: one in a list, all facts about one, its table of contents."""

from collections.abc import Sequence
from typing import Any

from casetrack.api.text.form import (
    Lines,
    Part,
    counted,
    entries_of,
    flat,
    head_of,
    inside,
    line,
    lines_of,
    moment,
    phrase,
    quote,
    table,
)
from casetrack.api.text.passages import METHODS
from casetrack.base.provenance import iso_utc
from casetrack.base.records import Document, DocumentStructure, Facets, Section
from casetrack.base.records.cards import size_text
from casetrack.base.records.marks import Mark, PlacedMark
from casetrack.base.records.topics import DocumentTopics, TopicMatrix


@lines_of.register
def _(d: Document) -> Lines:
    warned = counted(len(d.warnings), "warning") if d.warnings else ""
    held = f"{counted(d.page_count, 'page')}, {counted(d.chunk_count, 'chunk')}"
    return [
        line(
            (d.name, "strong"),
            " (ID: ",
            (d.document_id, "document"),
            ") | ",
            held,
            *(part for each in (d.shown_type, warned) if each for part in (" | ", (each, "less"))),
            (" | ingested ", "extra"),
            (str(iso_utc(d.ingested_at)), "time"),
            label="- ",
        ),
        *([line((flat(d.stated), "said"), indent=2)] if d.stated else []),
    ]


@head_of.register
def _(d: Document) -> Lines:
    silent = f" ({d.pages_without_text:,} without text)" if d.pages_without_text else ""
    average = f" ({d.char_count // d.chunk_count:,} characters on average)" if d.chunk_count else ""
    rows = [
        ("ID", (d.document_id, "extra")),
        ("File Path", d.path),
        ("Format", d.format),
        ("Type", d.document_type),
        ("Type Evidence", *phrase(d.document_type_evidence)),
        *((label.title(), *phrase(value)) for label, value in d.card_facts),
        *_legal(d),
        ("Attached To", d.parent_id),
        ("Title", *phrase(d.title)),
        ("Author", *phrase(d.author)),
        ("Written", (iso_utc(d.own_date), "time")),
        ("Last Changed", (iso_utc(d.content_modified_at), "time")),
        *((name.replace("_", " ").capitalize(), *phrase(value)) for name, value in d.properties),
        ("Language", d.language),
        ("Pages", f"{d.page_count:,}{silent}"),
        ("Chunks", f"{d.chunk_count:,}{average}"),
        ("Characters", f"{d.char_count:,}"),
        ("Extraction", METHODS.get(d.extraction_method, d.extraction_method)),
        ("OCR", _ocr(d)),
        ("Size", (size_text(d.file_size), "extra")),
        ("SHA256", (d.file_hash, "extra")),
        ("Modified", (iso_utc(d.file_modified_at), "time")),
        ("Ingested", (iso_utc(d.ingested_at), "time")),
        ("Updated", (iso_utc(d.updated_at), "time")),
        ("Copy", (d.original_copy, "extra")),
        ("Source", d.source),
        ("Source ID", *phrase(d.source_id)),
        ("URL", d.source_url),
        ("Source Author", *phrase(d.source_author)),
        ("Changed There", (iso_utc(d.source_updated_at), "time")),
        ("Metadata", *phrase(d.metadata)),
        ("Pipeline", (f"{d.pipeline} ({d.pipeline_fingerprint})", "extra")),
        *(("Not Read", m) for m in d.missing),
        *(("Warning", (w, "warning")) for w in d.warnings),
    ]
    return [line("Document: ", (d.name, "title")), line(), *table(rows)]


def _legal(d: Document) -> list[tuple[Any, ...]]:
    """Return the facts about a paper of a case; nothing for other documents."""
    return [
        ("Legal Type", d.legal_kind),
        ("Legal Evidence", *phrase(d.legal_evidence)),
        ("Paper", *phrase(d.legal_title)),
        ("Case", *phrase(d.case_name)),
        ("Case Number", *phrase(d.case_number)),
        ("Court", *phrase(d.court)),
        ("Judge", *phrase(d.judge)),
        ("Filed", d.filed_on),
        ("Docket Entry", d.docket_entry),
        ("Witness", *phrase(d.witness)),
        ("Exhibit", d.exhibit),
        ("Reported At", "; ".join(d.own_citations or ())),
    ]


def _ocr(d: Document) -> str | None:
    if not d.ocr_pages:
        return None
    sure = "" if d.ocr_confidence is None else f", confidence {d.ocr_confidence:.2f}"
    return f"{counted(d.ocr_pages, 'page')} by {d.ocr_engine}{sure}"


@head_of.register
def _(answer: DocumentStructure) -> Lines:
    d = answer.document
    held = f": {counted(len(answer.sections), 'heading')}, {counted(d.page_count, 'page')}"
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in answer.paragraph_kinds.items())
    return [line("Structure of ", (d.name, "title"), held), line((f"Paragraphs: {kinds}", "less"))]


@entries_of.register
def _(answer: DocumentStructure) -> tuple[str, Sequence[Section | Document]]:
    return "sections", (*answer.sections, *answer.attachments)


@lines_of.register
def _(each: Section) -> Lines:
    return [
        line(
            *phrase(flat(each.title)),
            (f" [{each.citation}] chunk ", "less"),
            (each.chunk_id, "chunk"),
            indent=2 * (each.level - 1),
            label="- ",
        )
    ]


# --- filters of a search ----------------------------------------------------------------------


@head_of.register
def _(answer: Facets) -> Lines:
    fit = counted(answer.passages, "passage fits", "passages fit")
    rows = [
        (
            facet.name.capitalize(),
            "; ".join(f"{flat(each.label)} ({each.passages:,})" for each in facet.values),
            (f"; {facet.total - len(facet.values):,} more", "less")
            if facet.total > len(facet.values)
            else "",
        )
        for facet in answer.facets
    ]
    return [line((fit, "title")), *table(rows)]


@head_of.register
def _(answer: TopicMatrix) -> Lines:
    counts = ((t, answer.counts(t)) for t in answer.topics)
    shown = counted(len(answer.documents), "document")
    return [
        line(f"{shown} of {answer.total:,}"),
        *(
            line((flat(t), "own"), ": ", ", ".join(f"{n:,} {p}" for p, n in c.items()), indent=2)
            for t, c in counts
        ),
    ]


@lines_of.register
def _(row: DocumentTopics) -> Lines:
    lines = [line((row.document, "strong"), (f"  {row.document_id}", "extra"))]
    for each in row.findings:
        quote = each.quote
        said = phrase(quote.text) if quote else ()
        place = quote.citation.removeprefix(f"{row.document}, ") if quote else ""
        where: tuple[Part, ...] = ()
        if quote:
            where = (" | ", (place, "source"), (" | chunk ", "less"), (quote.chunk_id, "chunk"))
            where += (" ", *said)
        topic = (f"{flat(each.topic)}: ", "own")
        lines.append(line(topic, (each.presence, "strong"), *where, indent=2))
    return lines


# Text of the user's marks.

_OF_EVENTS = frozenset({"event", "hide_event", "take_event"})
_STATES = {
    "undone": "Undone.",
    "idle": "Not in use: its entity is not in the collection.",
    "document gone": "The document is no longer in the collection.",
    "passage gone": "The document no longer contains this passage.",
}
_HEADS = {
    "tag": "Tag",
    "star": "Star",
    "event": "Event",
    "hide_event": "Hidden event",
    "take_event": "Chronology",
}


@lines_of.register
def _(placed: PlacedMark) -> Lines:
    made = f"{placed.mark_id}, {moment(placed.mark.made_at)}"
    return [*_mark_lines(placed), line((made, "less"), indent=2)]


@head_of.register
def _(placed: PlacedMark) -> Lines:
    undo = f"Undo it: casetrack marks --undo {placed.mark_id}"
    return [*_mark_lines(placed), *([] if placed.state == "undone" else [line((undo, "less"))])]


def _mark_lines(placed: PlacedMark) -> Lines:
    mark, lines = placed.mark, Lines()
    if mark.note and mark.kind not in _OF_EVENTS:
        lines.append(line((flat(mark.note), "own")))
    lines += quote(placed.quote)
    if placed.state != "in force":
        lines.append(line((_STATES[placed.state], "warning")))
    return [line(*_head(mark)), *inside(lines, 2)]


def _head(mark: Mark) -> list[Part]:
    """Return the kind of a mark, its text, and its place."""
    if mark.kind not in _HEADS:
        return [(flat(mark.entity_name or ""), "title"), f": {flat(mark.sentence())}"]
    parts: list[Part] = [(_HEADS[mark.kind], "strong")]
    if mark.value:
        parts.append((f" {flat(mark.value)}", "title"))
    if mark.kind in _OF_EVENTS:
        return [*parts, f"  {flat(mark.note)}"]
    where = flat(mark.document_name or "")
    if mark.page is not None:
        where += f", p. {mark.page}" if mark.char_start is None else f", passage on p. {mark.page}"
    return [*parts, f"  {where}"]
