"""The pages of the window, one module per part of it.

Each module lists its own under ``PAGES``; an address under ``/c/{collection}`` is about one
collection (:attr:`casetrack.faces.window.visit.Visit.collection`).
"""

from __future__ import annotations

from casetrack.faces.window.pages import (
    adding,
    asking_sql,
    comparing,
    corrections,
    folders,
    glance,
    graph,
    health,
    home,
    jobs,
    keeping,
    listing,
    looks,
    passage,
    people,
    references,
    searching,
    settings,
    timeline,
    topics,
    watched,
)
from casetrack.faces.window.pages.base import Page

PAGES: tuple[Page, ...] = (
    *home.PAGES,
    *looks.PAGES,
    *jobs.PAGES,
    *searching.PAGES,
    *listing.PAGES,
    *passage.PAGES,
    *keeping.PAGES,
    *adding.PAGES,
    *folders.PAGES,
    *watched.PAGES,
    *people.PAGES,
    *timeline.PAGES,
    *comparing.PAGES,
    *glance.PAGES,
    *graph.PAGES,
    *references.PAGES,
    *topics.PAGES,
    *corrections.PAGES,
    *asking_sql.PAGES,
    *health.PAGES,
    *settings.PAGES,
)

__all__ = ["PAGES", "Page"]
