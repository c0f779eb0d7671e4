"""Which document answers which, as far as their names say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.graph.relations.leads import Leads

_ANSWERS = frozenset("reply response answer rejoinder rebuttal antwort".split())


def replies(leads: Leads, /) -> Iterator[tuple[int, int]]:
    """Yield pairs of documents: the answer, and the one document that it answers.

    A document called "Reply to ..." (or response, answer, rejoinder) answers the one that is called
    so.
    """
    for i in range(len(leads.documents)):
        answered = _named(leads, i)
        if answered is not None and answered != i:
            yield i, answered


def _named(leads: Leads, i: int) -> int | None:
    """Return what a document called "Reply to ..." answers."""
    found = set()
    for title in leads.catalogue.titles(i):
        if (
            title.words[:1]
            and title.words[0] in _ANSWERS
            and title.words[1:2] in {("to",), ("auf",)}
        ):
            rest = " ".join((*title.words[2:], *sorted(title.identifiers)))
            found.add(leads.catalogue.by_title(rest))
    found -= {None, i}
    if len(found) != 1:
        return None
    answered = found.pop()
    return answered if answered is not None and not _is_later(leads, answered, i) else None


def _is_later(leads: Leads, one: int, other: int) -> bool:
    """Tell whether the names say that *one* was written after *other*."""
    ends = [leads.catalogue.titles(i)[0].dates for i in (one, other)]
    return bool(ends[0] and ends[1]) and min(ends[0]) > max(ends[1])
