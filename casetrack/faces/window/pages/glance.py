"""The map of a collection at a glance: who, when, about what; and the briefing as one file."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import Response

from casetrack.api.viewer.sheet import page_policy
from casetrack.api.viewer.timeline_figure import when
from casetrack.faces.window.drawings import words_of
from casetrack.faces.window.pages.base import Page

if TYPE_CHECKING:
    from casetrack.faces.window.visit import Visit


def overview(visit: Visit, /) -> Response:
    """Show the people, dates, topics, references and versions that matter most."""
    collection = visit.collection
    words = words_of(visit.texts)
    return visit.page(
        "map.html",
        collection=collection,
        summary=collection.map.summary(),
        when=lambda event: when(event, words),
    )


def briefing(visit: Visit, /) -> Response:
    """Show the briefing: a page that holds all it shows, to read, to print and to send."""
    html = visit.collection.report(pictures=bool(visit.asked("pictures")), progress=False)
    headers = {"content-security-policy": page_policy(html), "cache-control": "no-store"}
    if visit.asked("save"):
        name = quote(f"{visit.collection.name}.html", safe="")
        headers["content-disposition"] = f"attachment; filename*=utf-8''{name}"
    return Response(html, media_type="text/html", headers=headers)


PAGES = (
    Page("map", "/c/{collection}/map", overview, needs_map=True),
    Page("briefing", "/c/{collection}/briefing", briefing, needs_map=True),
)
