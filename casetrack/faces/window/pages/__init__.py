"""The pages of the window, one module per part.

Each module lists its pages in ``PAGES``; an address under ``/c/{collection}`` belongs to one
collection (:attr:`casetrack.faces.window.visit.Visit.collection`).
"""

from __future__ import annotations

from casetrack.faces.window.pages import (
    adding,
    asking_sql,
    glance,
    graph,
    home,
    keeping,
    looks,
    operations,
    passage,
    people,
    searching,
    snapshots,
    timeline,
)
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.texts import all_texts

_FIRST = (home, looks, searching, keeping, passage, adding, people, timeline)
_PARTS = (*_FIRST, glance, graph, asking_sql, operations, snapshots)
PAGES: tuple[Page, ...] = tuple(page for part in _PARTS for page in part.PAGES)

TITLES = {
    **{name: each for name in operations.reading() if (each := f"operation.{name}") in all_texts()},
    **{name: page.title or f"tab.{page.name}" for page in PAGES for name in page.of},
}
"""Title of the page that implements a command."""

__all__ = ["PAGES", "TITLES", "Page"]
