"""The user's part of the timeline: own events with a source in the collection, and hidden ones."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.records.graph import Event
from casetrack.extract.days import typed_date
from casetrack.ingest.steps.chunking import sentence_ends

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Timeline
    from casetrack.graph.graph import ContextGraph

_WORD = re.compile(r"[^\W_]{3,}")
_MOST_QUOTED = 240


@dataclass(frozen=True, slots=True)
class UsersTimeline:
    """What the user adds to the timeline and takes from it.

    Attributes
    ----------
    events
        Own events whose source is there.
    notes
        What is left out because of the user's marks, in sentences.
    """

    events: tuple[Event, ...]
    notes: tuple[str, ...]
    _places: frozenset[tuple[str, str]]
    _said: frozenset[tuple[str, str]]

    def hides(self, place: Mapping[str, Any], description: str, /) -> bool:
        """Return whether the user has hidden what a text says of a date at a place.

        The place is in the passage that was hidden, or says just the same elsewhere.
        """
        here = (place["chunk_id"], place["value"]) in self._places
        return here or (place["value"], description) in self._said

    def joined(self, found: Timeline, limit: int | None, /) -> Timeline:
        """Return a timeline with the user's own events among the weightiest."""
        every = sorted((*found.events, *self.events), key=lambda e: (-e.weight, e.value))[:limit]
        return replace(
            found,
            total=found.total + len(self.events),
            events=tuple(sorted(every, key=lambda e: (e.first, e.last, e.value))),
            notes=self.notes,
        )


def users_timeline(graph: ContextGraph, first: str | None, last: str | None, /) -> UsersTimeline:
    """Return the user's part of the timeline between two days."""
    events: list[Event] = []
    places, said = set[tuple[str, str]](), set[tuple[str, str]]()
    homeless = hidden = 0
    for placed in graph.marks:
        mark = placed.mark
        if placed.state in {"undone", "idle"}:
            continue
        if mark.kind == "hide_event":
            said.add((mark.value, mark.note))
            hidden += placed.state == "in force"
            if placed.quote is not None:
                places.add((placed.quote.chunk_id, mark.value))
        elif mark.kind == "event":
            if placed.quote is None:
                homeless += 1
                continue
            date = typed_date(mark.value)
            begins, ends = str(date.first), str(date.last)
            if (last is None or begins <= last) and (first is None or ends >= first):
                events.append(
                    Event(
                        value=mark.value,
                        first=begins,
                        last=ends,
                        precision=date.precision or "day",
                        description=mark.note,
                        mention_count=1,
                        document_count=1,
                        weight=1.0,
                        quote=placed.quote,
                        mark_id=mark.mark_id,
                    )
                )
    notes = []
    if hidden:
        what = "1 event is" if hidden == 1 else f"{hidden} events are"
        notes.append(f"{what} hidden by you; `casetrack marks` shows them.")
    if homeless:
        what = "1 event of yours is" if homeless == 1 else f"{homeless} events of yours are"
        notes.append(
            f"{what} left out: the source is not in the collection any more; "
            "`casetrack marks` says which."
        )
    return UsersTimeline(tuple(events), tuple(notes), frozenset(places), frozenset(said))


def source_words(chunks: Sequence[Chunk], text: str, /) -> tuple[Chunk, int, int]:
    """Return the sentence of some chunks that has most words of a text, as its source.

    Parameters
    ----------
    chunks
        Of the page that the user names as the source; at least one.
    text
        What the user says happened.
    """
    words = {w.casefold() for w in _WORD.findall(text)}
    best, most = (chunks[0], *_trimmed(chunks[0].text, 0, len(chunks[0].text))), -1.0
    for chunk in chunks:
        start = 0
        for end in (*sentence_ends(chunk.text, 0, len(chunk.text)), len(chunk.text)):
            own = {w.casefold() for w in _WORD.findall(chunk.text[start:end])}
            score = len(words & own) - len(own) / 1000
            if own and score > most:
                most, best = score, (chunk, *_trimmed(chunk.text, start, end))
            start = end
    return best


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without blanks around it, and not longer than what is quoted."""
    while start < end and text[start].isspace():
        start += 1
    end = min(end, start + _MOST_QUOTED)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, max(end, start)
