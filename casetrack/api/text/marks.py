"""Text of the user's marks."""

from casetrack.api.text.form import (
    Lines,
    Part,
    flat,
    head_of,
    inside,
    line,
    lines_of,
    moment,
    quote,
)
from casetrack.base.records.marks import Mark, PlacedMark

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
