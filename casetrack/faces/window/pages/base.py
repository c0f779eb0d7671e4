"""Declaration of a page of the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.responses import Response

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.faces.window.visit import Visit

_MOST_NAMES = 1000
"""Collections with more documents offer no list of their names."""


@dataclass(frozen=True, slots=True)
class Page:
    """An address and its handler.

    Attributes
    ----------
    name
        Its name in tests and logs.
    path
        The address, with the names of its parts in braces; without a slash at its start it is below
        that of a collection.
    answer
        Makes the page; runs in a thread, and may raise any error of this project.
    needs_map
        Whether it needs the analysis of all passages. If that is incomplete, the work starts and is
        shown, and then the page.
    method
        ``POST`` for changes; it ends with a redirect to a page.
    of
        The commands that it implements, for references in texts.
    title
        Its title then, in :mod:`casetrack.faces.window.texts`; by default that of its tab.
    """

    name: str
    path: str
    answer: Callable[[Visit], Response]
    method: Literal["GET", "POST"] = "GET"
    needs_map: bool = False
    of: tuple[str, ...] = ()
    title: str = ""

    @property
    def address(self) -> str:
        """The whole address."""
        whole = self.path.startswith("/")
        return self.path if whole else f"/c/{{collection}}/{self.path}".rstrip("/")


def documents_to_choose(collection: Collection, /) -> Sequence[Document]:
    """Return the documents for a selection, by name; empty if there are too many."""
    if len(collection.workspace.state().snapshot.documents) > _MOST_NAMES:
        return ()
    return collection.documents(sort_by="name")


def document_names(collection: Collection, /) -> tuple[str, ...]:
    """Return the names of the documents for a selection; empty if there are too many."""
    return tuple(dict.fromkeys(d.name for d in documents_to_choose(collection)))
