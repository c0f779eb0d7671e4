"""The user's marks in a report: starred and tagged documents and passages."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from casetrack.base.records.marks import Mark, PlacedMark


def of_documents(marks: Iterable[PlacedMark], /) -> tuple[PlacedMark, ...]:
    """Return the tags and stars in force, those with a star first, then by document and page."""
    shown = [m for m in marks if m.mark.kind in {"star", "tag"} and m.state == "in force"]
    starred = {place_of_mark(m.mark) for m in shown if m.mark.kind == "star"}

    def order(placed: PlacedMark) -> tuple[object, ...]:
        mark = placed.mark
        return (
            place_of_mark(mark) not in starred,
            (mark.document_name or "").casefold(),
            place_of_mark(mark),
            mark.kind,
            mark.value.casefold(),
        )

    return tuple(sorted(shown, key=order))


def place_of_mark(mark: Mark, /) -> tuple[str, int, int, int]:
    """Return the identity of a mark's place: document, page, characters."""
    return (mark.document_id or "", mark.page or 0, mark.char_start or 0, mark.char_end or 0)


def places(marks: Iterable[PlacedMark], /) -> list[list[PlacedMark]]:
    """Return the marks of each place together."""
    return [list(group) for _, group in groupby(marks, key=lambda m: place_of_mark(m.mark))]
