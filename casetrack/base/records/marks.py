"""Marks: the user's annotations of documents, passages, entities and events.

They override extracted values.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, get_args

from casetrack.base.dataclass import dataclass
from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import INLINE, FieldFormat, Record, View

MarkKind = Literal[
    "tag",
    "star",
    "merge",
    "apart",
    "split",
    "kind",
    "rename",
    "role",
    "hide",
    "event",
    "hide_event",
    "take_event",
    "undo",
]
"""Marks of documents and passages, of entities, of the timeline, and the undo of a mark."""
MARK_KINDS: tuple[MarkKind, ...] = get_args(MarkKind)
KEPT_CHARS = 200
"""Characters of a passage that a mark stores to find it again."""
ENTITY_EDITS: tuple[MarkKind, ...] = ("merge", "split", "kind", "rename", "role", "hide")
"""Kinds that change entities."""
_SENTENCES = {
    "merge": "You joined “{other}” with it",
    "apart": "You said that “{other}” is somebody else",
    "split": "You said that “{value}”{where} is somebody else{as_other}",
    "kind": "You said that it is {value}",
    "rename": "You gave it the name “{value}”",
    "role": "You gave it the role “{value}”{where}",
    "hide": "You hid it",
}
_ENTITY_KINDS = {"person": "a person", "organization": "an organization", "location": "a location"}
MarkState = Literal["in force", "undone", "idle", "document gone", "passage gone"]
"""``idle``: its entities are not in the collection at present; it applies again if they return."""


@dataclass(frozen=True, slots=True)
class Mark(Record):
    """A stored mark: one line of ``marks/marks.jsonl`` in the collection's folder.

    Inapplicable fields are ``None``; omitted texts are empty.
    """

    mark_id: str  # `m-` and eight hexadecimal digits
    kind: MarkKind
    made_at: datetime
    # The tag; the new kind, name or role (empty: none) of an entity; the separated spelling; the
    # date of an event (ISO 8601 with its precision); for an `undo` the undone mark.
    value: str = ""
    note: str = ""  # the user's comment; for events the description, empty for that of the document
    # document_id, document_name, document_path, document_hash: the document at the time of the
    # mark; the hash is the SHA-256 of its file.
    document_id: str | None = None
    document_name: str | None = None
    document_path: str | None = None
    document_hash: str | None = None
    page: int | None = None  # 1-based; `None` for the whole document
    # char_start, char_end: code points into the page text; `None` for the whole page.
    char_start: int | None = None
    char_end: int | None = None
    text: str | None = None  # start of the passage, which finds it again in moved text
    # entity_id, entity_name: the edited entity at the time of the mark.
    entity_id: str | None = None
    entity_name: str | None = None
    # other_id, other_name: the joined entity, or the entity of the separated spelling.
    other_id: str | None = None
    other_name: str | None = None
    undone_by: str | None = None  # the mark that undid it

    @property
    def other(self) -> str | None:
        """The id of the other one, or the name of one that the collection does not know."""
        return self.other_id or self.other_name

    def sentence(self, entity_id: str | None = None, /) -> str:
        """Return a sentence about an edit, without a full stop.

        *entity_id* is the entity whose entry shows it: a separated spelling has its own sentence.
        """
        where = f" in {self.document_name}" if self.document_name else ""
        if self.kind == "split" and entity_id is not None and entity_id == self.other_id:
            return f"You split it off from “{self.entity_name}”{where}"
        if self.kind == "role" and not self.value:
            return f"You removed its role{where}"
        return _SENTENCES[self.kind].format(
            other=self.other_name,
            value=_ENTITY_KINDS.get(self.value, self.value),
            where=where,
            as_other=f", {self.other_name}" if self.other_name else "",
        )


@dataclass(frozen=True, slots=True)
class PlacedMark(Record):
    """A mark and its present position in the collection."""

    SHOWN = ("kind", "value", "note", "document_name", "page", "entity_name", "state")

    mark: Annotated[Mark, INLINE]
    state: MarkState  # whether it applies, and if not, why
    # The marked passage, or the first one of a marked page; `None` for whole documents, for
    # entities, and if it is gone.
    quote: Annotated[Quote | None, FieldFormat(columns=View("citation"))] = None

    @property
    def mark_id(self) -> str:
        """Its id."""
        return self.mark.mark_id
