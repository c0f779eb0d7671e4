"""Creates marks from the user's input: a document, a passage, an entity, an event."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import document_name, is_document, passage_id, require_pages
from casetrack.base.errors import ChunkNotFound, DocumentNotFound, EntityNotFound, UsageError
from casetrack.base.records.marks import KEPT_CHARS
from casetrack.graph.entities.text import same_spelling
from casetrack.graph.opened import graph_of
from casetrack.store.marks import new_mark

if TYPE_CHECKING:
    from casetrack.base.arguments import DocumentRef, PassageRef
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Entity, Event
    from casetrack.base.records.marks import Mark, MarkKind, PlacedMark
    from casetrack.store.workspace import State

EVENT_ID = re.compile(r"([^@\s]+)@([0-9a-f-]{8,36})")
_LONGEST_NAME = 200
_LONGEST_NOTE = 2000
_LISTED = 9


def target_of(
    state: State, target: DocumentRef | PassageRef, page: int | None, /
) -> dict[str, Any]:
    """Return the fields of a mark for a document, a page of it, or a passage.

    Raises ``DocumentNotFound`` or ``AmbiguousName`` if no document or passage matches, or several
    do; ``UsageError`` if the document has no such page, or a page is given with a passage.
    """
    if is_document(target):
        try:
            return _on_page(state.document(target), page)
        except DocumentNotFound:
            chunk = _chunk(state, document_name(target))
            if chunk is None:
                raise
            return _passage(state, chunk.provenance, chunk.text, page)
    quote = getattr(target, "quote", target)
    source: Provenance | None = getattr(quote, "provenance", None)
    text: str | None = getattr(quote, "text", None)
    if source is None or text is None:
        whole = state.chunk(passage_id(target))  # type: ignore[arg-type]  # no document
        source, text = whole.provenance, whole.text
    return _passage(state, source, text, page)


def _chunk(state: State, chunk_id: str) -> Chunk | None:
    try:
        return state.chunk(chunk_id)
    except ChunkNotFound:
        return None


def _of(document: Document) -> dict[str, Any]:
    return {
        "document_id": document.document_id,
        "document_name": document.name,
        "document_path": document.path,
        "document_hash": document.file_hash,
    }


def _on_page(document: Document, page: int | None) -> dict[str, Any]:
    if page is not None:
        require_pages(document, page, page)
    return _of(document) | {"page": page}


def _passage(state: State, source: Provenance, text: str, page: int | None) -> dict[str, Any]:
    if page is not None and page != source.page:
        raise UsageError(
            f"The passage is on page {source.page}, not on page {page}.",
            hint="Use a page with documents only; a passage has its own.",
        )
    return _of(state.document(source.document_id)) | {
        "page": source.page,
        "char_start": source.char_start,
        "char_end": source.char_end,
        "text": text[:KEPT_CHARS],
    }


def note_of(note: str, /) -> str:
    """Return the user's note on one line.

    Raises ``UsageError`` if it is longer than 2,000 characters.
    """
    words = " ".join(note.split())
    if len(words) > _LONGEST_NOTE:
        raise UsageError(
            f"The note is {len(words):,} characters long.", hint="Use at most 2,000 characters."
        )
    return words


# --- names -----------------------------------------------------------------------------------


def edit(kind: str, entity: Entity, /, **fields: Any) -> Mark:
    """Return a new edit of an entity."""
    return new_mark(kind=kind, entity_id=entity.entity_id, entity_name=entity.name, **fields)


def resolve_entity(state: State, name: str, kind: str = "any", /) -> Entity:
    """Return the entity of a name that is exact enough to edit the entity.

    Raises ``EntityNotFound`` if there is no such name; ``UsageError`` if several entities match, or
    it is a date or an amount.
    """
    from casetrack.graph.answers.lookup import match_entities
    from casetrack.graph.entities.edits import EDITABLE

    matches = match_entities(graph_of(state), name, kind=kind, limit=5)
    best, score = matches[0]
    if score < _SURE:
        raise EntityNotFound(name, [(e.name, e.entity_id) for e, _ in matches])
    equal = [e for e, s in matches if s == score and e.kind in EDITABLE]
    if len(equal) > 1 and best.entity_id != name:
        listed = "\n".join(f"  - {e.name} ({e.entity_id})" for e in equal)
        raise UsageError(f'Several names match "{name}":\n{listed}', hint="Use the ID of one.")
    if best.kind not in EDITABLE:
        raise UsageError(
            f"{best.name} is {'an' if best.kind == 'amount' else 'a'} {best.kind}, which "
            "cannot be edited.",
            hint="People, organizations, places and concepts can be merged, split, renamed and "
            "hidden.",
        )
    return best


_SURE = 0.97
"""Score of a name that differs only in a legal form or a title; a part of a name is not enough."""


def new_name(name: str, /) -> str:
    """Return the user's name for an entity, on one line.

    Raises ``UsageError`` if it has no letter, or is too long.
    """
    words = " ".join(name.split())
    if not any(c.isalnum() for c in words) or len(words) > _LONGEST_NAME:
        raise UsageError(
            "A name has 1 to 200 characters, with at least one letter or digit.",
            hint='Such as "Adaeze Okafor".',
        )
    return words


def spelling_of(state: State, entity: Entity, typed: str, document: Document | None, /) -> str:
    """Return a spelling of an entity as the documents write it.

    Raises ``UsageError`` if no document uses this spelling, or it is the only one.
    """
    wanted = same_spelling(typed)
    rows = (
        graph_of(state)
        .sql(
            "SELECT text, document_id FROM mentions WHERE entity_id = $entity AND NOT repeated",
            {"entity": entity.entity_id},
        )
        .to_pylist()
    )
    at = None if document is None else document.document_id
    matches = [r for r in rows if same_spelling(r["text"]) == wanted] if wanted else []
    local = [r for r in matches if at in {None, r["document_id"]}]
    if not local:
        where = f" in {document.name}" if document is not None and matches else ""
        spellings = dict.fromkeys(" ".join(r["text"].split()) for r in rows)
        others = ", ".join(f'"{n}"' for n in list(spellings)[:_LISTED])
        raise UsageError(
            f'{entity.name} has no spelling "{typed}"{where}.', hint=f"Its spellings: {others}."
        )
    if len(local) == len(rows):
        raise UsageError(
            f'{entity.name} has no other spelling than "{typed}", so it cannot be split.',
            hint="Split it in one document only, or rename it.",
        )
    return str(local[0]["text"])


# --- events ----------------------------------------------------------------------------------


def own_event(
    state: State, date: str, text: str, source: DocumentRef | PassageRef, page: int | None, /
) -> Mark:
    """Return a new event with its source: the sentence of the page that matches it best.

    Raises ``UsageError`` if *date* is not a date, *text* is empty, or the page of the document is
    missing; ``DocumentNotFound`` or ``AmbiguousName`` if the source is not in the collection.
    """
    from casetrack.graph.answers.timeline import source_words

    when, description = _day_of(date), _description(text)
    place = target_of(state, source, page)
    document = state.snapshot.documents[place["document_id"]]
    if place["page"] is None and document.page_count == 1:
        place["page"] = 1
    if place["page"] is None:
        raise UsageError(
            f'The page of "{document.name}" is missing.',
            hint=f"Enter the page, 1 to {document.page_count}, or the id of a passage as the "
            "source.",
        )
    if place.get("text") is None:
        chunks = [c for c in state.chunks_of(document) if c.provenance.page == place["page"]]
        if not chunks:
            raise UsageError(
                f'Page {place["page"]} of "{document.name}" has no text to cite.',
                hint="Enter a page with text.",
            )
        chunk, start, end = source_words(chunks, description)
        first = chunk.provenance.char_start
        place |= {
            "char_start": first + start,
            "char_end": first + end,
            "text": chunk.text[start:end][:KEPT_CHARS],
        }
    return new_mark(kind="event", value=when, note=description, **place)


def changed_event(mark: Mark, date: str | None, text: str | None, /) -> Mark:
    """Return an event with the source of another one; ``None`` keeps a value.

    Raises ``UsageError`` if *date* is not a date, or *text* is empty.
    """
    new = new_mark(
        kind="event",
        value=mark.value if date is None else _day_of(date),
        note=mark.note if text is None else _description(text),
    )
    return replace(mark, mark_id=new.mark_id, made_at=new.made_at, value=new.value, note=new.note)


def _day_of(date: str) -> str:
    from casetrack.extract.days import typed_date

    return str(typed_date(date).value)


def _description(text: str) -> str:
    description = note_of(text)
    if not description:
        raise UsageError(
            "The event has no description.", hint='Such as "The parties met in Geneva."'
        )
    return description


def event_id(placed: PlacedMark, /) -> str:
    """Return the id that the event of a mark has in the timeline."""
    chunk = placed.quote.chunk_id if placed.quote is not None else ""
    return f"{placed.mark.value}@{chunk[:8]}"


def event_mark(state: State, kind: MarkKind, event: Event | str, /) -> Mark:
    """Return a mark of an event of the documents; its note is their description.

    Raises ``UsageError`` if there is no such event.
    """
    if not isinstance(event, str):
        return new_mark(
            kind=kind, value=event.value, note=event.description, **target_of(state, event, None)
        )
    match = EVENT_ID.fullmatch(event.strip())
    chunk = _chunk(state, match[2]) if match else None
    rows = (
        graph_of(state)
        .sql(
            "SELECT char_start, char_end FROM dates WHERE chunk_id = $chunk AND value = $value "
            "ORDER BY ALL LIMIT 1",
            {"chunk": chunk.chunk_id, "value": match[1]},
        )
        .to_pylist()
        if match and chunk
        else []
    )
    if not rows or match is None or chunk is None:
        raise UsageError(
            f'There is no event "{event}".',
            hint="Use the id of an event in the timeline, such as "
            "2024-03-12@1f3a9c2d (its date, and the beginning of its chunk's id).",
        )
    from casetrack.graph.answers.events import read_event

    place = rows[0]["char_start"], rows[0]["char_end"]
    read = read_event(chunk, *place, "day")
    words = graph_of(state).quotes([(chunk.chunk_id, *place)])[0]
    return new_mark(
        kind=kind,
        value=match[1],
        note=read.description if read is not None else words.text,
        **target_of(state, words, None),
    )
