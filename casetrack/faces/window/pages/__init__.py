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

PAGES: tuple[Page, ...] = (
    *home.PAGES,
    *looks.PAGES,
    *searching.PAGES,
    *keeping.PAGES,
    *passage.PAGES,
    *adding.PAGES,
    *people.PAGES,
    *timeline.PAGES,
    *glance.PAGES,
    *graph.PAGES,
    *asking_sql.PAGES,
    *operations.PAGES,
    *snapshots.PAGES,
)

TITLES = {
    **{name: each for name in operations.reading() if (each := f"operation.{name}") in all_texts()},
    **{name: page.title or f"tab.{page.name}" for page in PAGES for name in page.of},
}
"""Title of the page that implements a command."""

__all__ = ["PAGES", "TITLES", "Page"]
