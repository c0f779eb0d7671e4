"""What is kept: stars and tags on passages and documents, and a paper of them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import Response

from casetrack.api.viewer.kept import kept_docx, kept_markdown, kept_places
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address, own_path

if TYPE_CHECKING:
    from casetrack.faces.window.visit import Visit

_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def kept(visit: Visit, /) -> Response:
    """List what is kept."""
    collection, tag = visit.collection, visit.asked("tag")
    state = collection.workspace.state()
    every = kept_places(state)
    places = kept_places(state, tag=tag) if tag else every
    tags = sorted({t for place in every for t in place.tags}, key=str.casefold)
    return visit.page("kept.html", collection=collection, places=places, tags=tags, tag=tag)


def paper(visit: Visit, /) -> Response:
    """Give what is kept as a file to go on with."""
    collection, tag = visit.collection, visit.asked("tag")
    places = kept_places(collection.workspace.state(), tag=tag or None)
    title = visit.texts("kept.paper", name=collection.name).striptags()
    if visit.request.path_params["ending"] == "md":
        body, kind, ending = kept_markdown(title, places).encode(), "text/markdown", "md"
    else:
        body, kind, ending = kept_docx(title, places), _DOCX, "docx"
    name = quote(f"{title}.{ending}", safe="")
    headers = {"content-disposition": f"attachment; filename*=utf-8''{name}"}
    return Response(body, media_type=kind, headers=headers)


def keep(visit: Visit, /) -> Response:
    """Put a star or a tag on a passage or a document, or take it off."""
    target, tag, note = visit.sent("target"), visit.sent("tag"), visit.sent("note")
    off = bool(visit.sent("off"))
    marks = visit.collection.marks
    if tag and off:
        marks.untag(target, tag)
    elif tag:
        marks.tag(target, tag, note=note)
    elif off:
        marks.unstar(target)
    else:
        marks.star(target, note=note)
    if visit.is_part:
        return Response(status_code=204)
    back = visit.sent("back")
    return visit.see(own_path(back) if back else address("c", visit.collection.name, "kept"))


PAGES = (
    Page("kept", "/c/{collection}/kept", kept),
    Page("keep", "/c/{collection}/kept", keep, "POST"),
    Page("kept-paper", "/c/{collection}/kept.{ending:str}", paper),
)
