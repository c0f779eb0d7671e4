"""Marks: what the user says of documents, passages, names and events, and has the last word in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, get_args

from casetrack.base.records.graph.entities import Quote
from casetrack.base.records.shape import INLINE, FieldFormat, Record, View

MarkKind = Literal[
    "tag",
    "star",
    "merge",
    "split",
    "kind",
    "rename",
    "hide",
    "event",
    "hide_event",
    "take_event",
    "undo",
]
"""Of documents and passages; of entities; of the timeline; and what takes another one back."""
MARK_KINDS: tuple[MarkKind, ...] = get_args(MarkKind)
KEPT_CHARS = 200
"""Characters of a passage that a mark keeps, to find it again."""
ENTITY_EDITS: tuple[MarkKind, ...] = ("merge", "split", "kind", "rename", "hide")
"""Those that change who and what is in the collection."""
_SENTENCES = {
    "merge": "You joined “{other}” with it",
    "split": "You said that “{value}”{where} is somebody else{as_other}",
    "kind": "You said that it is {value}",
    "rename": "You gave it the name “{value}”",
    "hide": "You hid it",
}
_ENTITY_KINDS = {"person": "a person", "organization": "an organization", "location": "a location"}
MarkState = Literal["in force", "undone", "idle", "document gone", "passage gone"]
"""``idle``: whom it speaks of is not in the collection now; it counts again when they come back."""


@dataclass(frozen=True, slots=True)
class Mark(Record):
    """A mark as it is stored: one line of ``marks/marks.jsonl`` in the collection's folder.

    What does not apply is ``None``, a text that was not given is empty.

    Attributes
    ----------
    mark_id
        ``m-`` and eight hexadecimal digits.
    value
        The tag; the kind or the name that an entity has from now on; the spelling that is split
        off; the date of an event (ISO 8601 with its precision); of an ``undo`` the mark it undoes.
    note
        What the user says of it; of events, what happened: of one that was taken into the
        chronology the user's own words, empty for those of the document.
    document_id, document_name, document_path, document_hash
        The document as it was when the mark was made; the hash is the SHA-256 of its file.
    page
        1-based; ``None`` for the whole document.
    char_start, char_end
        The passage, code points into the page's text; ``None`` for the whole page.
    text
        How the passage begins, which finds it again where the text has moved.
    entity_id, entity_name
        Whom an edit is about, as the collection called it then.
    other_id, other_name
        The other one: who is joined, or who a spelling stands for.
    undone_by
        The mark that took it back.
    """

    mark_id: str
    kind: MarkKind
    made_at: datetime
    value: str = ""
    note: str = ""
    document_id: str | None = None
    document_name: str | None = None
    document_path: str | None = None
    document_hash: str | None = None
    page: int | None = None
    char_start: int | None = None
    char_end: int | None = None
    text: str | None = None
    entity_id: str | None = None
    entity_name: str | None = None
    other_id: str | None = None
    other_name: str | None = None
    undone_by: str | None = None

    @property
    def other(self) -> str | None:
        """The id of the other one, or the name of one that the collection does not know."""
        return self.other_id or self.other_name

    def sentence(self, entity_id: str | None = None, /) -> str:
        """Return an edit of an entity in words, without its end.

        Parameters
        ----------
        entity_id
            Whose entry it is told in; the one that a spelling was split off for is told so.
        """
        where = f" in {self.document_name}" if self.document_name else ""
        if self.kind == "split" and entity_id is not None and entity_id == self.other_id:
            return f"You split it off from “{self.entity_name}”{where}"
        return _SENTENCES[self.kind].format(
            other=self.other_name,
            value=_ENTITY_KINDS.get(self.value, self.value),
            where=where,
            as_other=f", {self.other_name}" if self.other_name else "",
        )


@dataclass(frozen=True, slots=True)
class PlacedMark(Record):
    """A mark as it stands in the collection now.

    Attributes
    ----------
    state
        Whether it counts, and if not, why.
    quote
        The passage that is marked, or the first one of a marked page; ``None`` for whole
        documents, for names, and where it is gone.
    """

    SHOWN = ("kind", "value", "note", "document_name", "page", "entity_name", "state")

    mark: Annotated[Mark, INLINE]
    state: MarkState
    quote: Annotated[Quote | None, FieldFormat(columns=View("citation"))] = None

    @property
    def mark_id(self) -> str:
        """Its id."""
        return self.mark.mark_id
