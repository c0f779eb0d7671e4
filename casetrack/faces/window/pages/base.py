"""What a page of the window is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from casetrack.api.collection import Collection
    from casetrack.faces.window.visit import Visit

_MOST_NAMES = 1000
"""With more documents than these, no list of all their names is offered to choose from."""


@dataclass(frozen=True, slots=True)
class Page:
    """An address, and what answers it.

    Attributes
    ----------
    name
        What it is called, for tests and logs.
    path
        The address, with the names of its parts in braces.
    answer
        Makes the page; runs in a thread, and may raise any error of ours.
    needs_map
        Whether it shows what is made of all passages. Where many have not been read for that yet,
        the work begins and is shown, and the page when it is done.
    method
        ``POST`` for what changes something; it ends by sending the browser to a page.
    of
        The commands whose work it does: what texts refer to.
    title
        What it is called then, in :mod:`casetrack.faces.window.texts`; by default as its tab.
    """

    name: str
    path: str
    answer: Callable[[Visit], Response]
    method: Literal["GET", "POST"] = "GET"
    needs_map: bool = False
    of: tuple[str, ...] = ()
    title: str = ""


def document_names(collection: Collection, /) -> tuple[str, ...]:
    """Return the names of the documents, to choose one; nothing where they are too many."""
    if collection.stats().document_count > _MOST_NAMES:
        return ()
    return tuple(dict.fromkeys(d.name for d in collection.documents(sort_by="name")))
