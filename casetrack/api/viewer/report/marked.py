"""What a report says of the user's marks: starred and tagged documents and passages."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.api.viewer.markup import esc, span
from casetrack.api.viewer.report.parts import MAX_NAME, and_more, command, section, table
from casetrack.api.viewer.symbols import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.api.viewer.report.passages import Passages
    from casetrack.base.records.marks import Mark, PlacedMark

MOST = 100
_COLUMNS = (("Document", "wide"), ("Marked", "short"), ("Your note", "wide"), ("Passage", "source"))
_NOTE = 320


def of_documents(marks: Iterable[PlacedMark], /) -> tuple[PlacedMark, ...]:
    """Return the tags and stars in force, those with a star first, then by document and page."""
    found = [m for m in marks if m.mark.kind in {"star", "tag"} and m.state == "in force"]
    starred = {place_of_mark(m.mark) for m in found if m.mark.kind == "star"}

    def order(placed: PlacedMark) -> tuple[object, ...]:
        mark = placed.mark
        return (
            place_of_mark(mark) not in starred,
            (mark.document_name or "").casefold(),
            place_of_mark(mark),
            mark.kind,
            mark.value.casefold(),
        )

    return tuple(sorted(found, key=order))


def place_of_mark(mark: Mark, /) -> tuple[str, int, int, int]:
    """Return what tells the place of a mark from others: document, page, characters."""
    return (mark.document_id or "", mark.page or 0, mark.char_start or 0, mark.char_end or 0)


def marked(name: str, marks: Sequence[PlacedMark], passages: Passages, /) -> Iterator[str]:
    """Yield what the user has marked; nothing where nothing is."""
    if not marks:
        return
    passages.start_section()
    lead = "What you have starred and tagged, with what you said of it."
    yield from section(("marks", "Your marks"), _marked(name, marks, passages), lead=lead)


def _marked(name: str, marks: Sequence[PlacedMark], passages: Passages) -> Iterator[str]:
    places = [list(group) for _, group in groupby(marks, key=lambda m: place_of_mark(m.mark))]
    rows = [_row(group, passages) for group in places[:MOST]]
    yield table(_COLUMNS, rows, "Your marks")
    yield and_more(len(rows), len(places), "place", command("marks", name))


def _row(group: list[PlacedMark], passages: Passages) -> tuple[str, ...]:
    mark = group[0].mark
    quote = next((m.quote for m in group if m.quote is not None), None)
    stars = ["\u2605"] if any(m.mark.kind == "star" for m in group) else []
    tags = [span(shortened(m.mark.value, MAX_NAME)) for m in group if m.mark.kind == "tag"]
    notes = dict.fromkeys(m.mark.note for m in group if m.mark.note)
    page = f'<span class="under">page {mark.page}</span>' if mark.page is not None else ""
    said = "<br>".join(esc(shortened(note, _NOTE)) for note in notes)
    return (
        f'<b class="name">{span(shortened(mark.document_name or "", MAX_NAME))}</b>{page}',
        " ".join([*stars, ", ".join(tags)]).strip(),
        f'<span class="said" dir="auto">{said}</span>' if said else "",
        passages.link(quote) if quote is not None else "",
    )
