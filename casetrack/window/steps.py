"""Next steps for somebody without a terminal: a command becomes the page that does the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup

from casetrack.viewer.markup import printable

if TYPE_CHECKING:
    from casetrack.window.texts import Texts

_COMMAND = re.compile(r"`(?:casetrack|ctx) ([^`]*)`")
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
    "marks": "tab.kept",
    "query": "tab.sql",
    "references": "tab.references",
    "related": "tab.related",
    "report": "tab.map",
    "schema": "tab.sql",
    "search": "tab.search",
    "timeline": "tab.timeline",
    "together": "tab.graph",
    "topics": "tab.topics",
}
"""What the page that does the work of a command is called, in :mod:`casetrack.window.texts`."""


def step(texts: Texts, text: str, /) -> Markup:
    """Return a next step without commands: a page of the window, or said to be for a terminal."""
    parts: list[str] = []
    end = 0
    for found in _COMMAND.finditer(text):
        parts += [printable(text[end : found.start()]), _told(texts, found)]
        end = found.end()
    return Markup("").join([*parts, printable(text[end:])])


def _told(texts: Texts, found: re.Match[str]) -> Markup:
    words = found[1].split()
    for name in (" ".join(words[:2]), *words[:1]):
        if name in _PAGES:
            return texts("step.page", page=texts(_PAGES[name]))
    return texts("step.terminal", command=found[0].strip("`"))
