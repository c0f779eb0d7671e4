"""Health: what could not be read and why, and whether everything is as it should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.window.pages.base import Page

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit


def health(visit: Visit, /) -> Response:
    """Show how well the documents could be read, those that need a look first."""
    found = visit.collection.admin.health()
    look = [d for d in found.documents if d.needs_a_look]
    return visit.page(
        "health.html",
        collection=visit.collection,
        health=found,
        look=look,
        stats=visit.collection.stats(),
        tier=visit.library.entitlements.of_edition(visit.collection.info.edition),
    )


PAGES = (Page("health", "/c/{collection}/health", health),)
