"""Next steps for somebody without a terminal: a command becomes the page that does the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from casetrack.api.viewer.markup import printable
from casetrack.base.errors.see import spelled

if TYPE_CHECKING:
    from casetrack.base.errors.see import See
    from casetrack.faces.window.texts import Texts

_PAGES = {
    "collection create": "app.collections",
    "collection list": "app.collections",
    "changes": "tab.compare",
    "compare": "tab.compare",
    "documents": "tab.documents",
    "doctor": "tab.health",
    "entities": "tab.people",
    "entity": "tab.people",
    "index-status": "tab.health",
    "graph": "tab.graph",
    "ingest": "adding.title",
    "jobs": "job.list",
    "jobs list": "job.list",
    "jobs cancel": "job.list",
    "license activate": "settings.title",
    "marks": "tab.kept",
    "models pull": "settings.title",
    "query": "tab.sql",
    "references": "tab.references",
    "related": "tab.related",
    "report": "tab.map",
    "schema": "tab.sql",
    "search": "tab.search",
    "statistics": "tab.map",
    "sync": "watched.title",
    "timeline": "tab.timeline",
    "together": "tab.graph",
    "topics": "tab.topics",
    "watch": "watched.title",
}
"""What the page that does the work of a command is called, in :mod:`texts`."""


def step(texts: Texts, text: str, /) -> Markup:
    """Return a next step that names pages of the window; others take a terminal."""

    def spell(see: See) -> str | None:
        page = next((_PAGES[name] for name in see.names if name in _PAGES), None)
        return None if page is None else str(texts("step.page", page=texts(page)))

    safe = str(escape(printable(text)))
    return Markup(spelled(safe, spell, lambda _: str(texts("step.terminal"))))  # noqa: S704
