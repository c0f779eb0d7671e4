"""How the window looks to its visitor: language and light or dark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import Response

import casetrack.api.viewer
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import LANGUAGE_COOKIE, THEME_COOKIE, own_path

if TYPE_CHECKING:
    from casetrack.faces.window.visit import Visit

_YEAR = 365 * 24 * 3600


def choose(visit: Visit, /) -> Response:
    """Save the selected language or theme, and return to the previous page."""
    answer = visit.see(own_path(visit.sent("back")))
    for field, cookie in (("language", LANGUAGE_COOKIE), ("theme", THEME_COOKIE)):
        if (value := visit.sent(field)).isalpha():
            answer.set_cookie(cookie, value[:8], max_age=_YEAR, httponly=True, samesite="lax")
    return answer


def page_style(_visit: Visit, /) -> Response:
    """Return the style of passages and drawings, which the viewer's own pages have, too."""
    folder = Path(casetrack.api.viewer.__file__).parent
    names = ("colours.css", "page.css", "figure.css")
    style = "".join((folder / name).read_text("utf-8") for name in names)
    return Response(style, media_type="text/css", headers={"cache-control": "max-age=60"})


PAGES = (Page("choose", "/looks", choose, "POST"), Page("page-style", "/page.css", page_style))
