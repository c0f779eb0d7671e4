"""The addresses of the window and their handlers."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from casetrack.base import actor
from casetrack.base.errors import CaseTrackError, CollectionGone, CollectionSealed
from casetrack.faces.window.asking import PartOfPro
from casetrack.faces.window.entry import MAX_BODY, Entry, take_ticket
from casetrack.faces.window.pages import PAGES, TITLES
from casetrack.faces.window.visit import Visit, address, as_part, part_of, visit_of
from casetrack.faces.window.work import map_job

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from casetrack.api.library import Library
    from casetrack.base.http.address import Access
    from casetrack.faces.window.pages.base import Page

logger = logging.getLogger("casetrack.window")


def application(library: Library, door: Access, key: str, /, *, read_only: bool = False) -> ASGIApp:
    """Return the window of a data folder as an ASGI application.

    *door* checks its addresses, *key* is the required key (:func:`window_key` of ``entry``), and
    *read_only* forbids changes.
    """
    answered = partial(_answered, library, read_only)
    routes = [
        Route(page.address, answered(page), methods=[page.method], name=page.name) for page in PAGES
    ]
    static = Mount("/static", StaticFiles(directory=Path(__file__).parent / "static"))
    handlers = {HTTPException: _no_such_page(library, read_only)}
    app = Starlette(routes=[*routes, static], exception_handlers=handlers)  # type: ignore[arg-type]
    app.state.titles = TITLES
    takes = partial(take_ticket, library.settings.data_dir)
    return Entry(_by_parts(app), door, key, takes, read_only=read_only)


def _by_parts(app: ASGIApp) -> ASGIApp:
    """Return an application that gets each part of a path in encoded form.

    Servers decode a path before they split it, which would split a name with a slash.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and b"%2" in scope.get("raw_path", b""):
            sent = scope["raw_path"].decode("latin-1").partition("?")[0]
            scope = {**scope, "path": "/".join(map(as_part, sent.split("/")))}
        await app(scope, receive, send)

    return answer


def _answered(
    library: Library, read_only: bool, page: Page
) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of a page: it runs in a thread, and errors become pages."""

    async def respond(request: Request) -> Response:
        parts = request.path_params
        parts.update({name: part_of(v) for name, v in parts.items() if isinstance(v, str)})
        form = None
        if request.method == "POST":
            form = await request.form(max_part_size=MAX_BODY)
        visit = visit_of(request, library, read_only=read_only, form=form)
        try:
            return await to_thread.run_sync(_answer, visit, page)
        finally:
            await request.close()

    return respond


def _answer(visit: Visit, page: Page) -> Response:
    try:
        with actor.acting("window"):
            if page.needs_map and (job := map_job(visit)):
                return visit.see(address("jobs", job, then=visit.address_without()))
            return page.answer(visit)
    except PartOfPro as error:
        return visit.page("pro.html", operation=error.operation)
    except CaseTrackError as error:
        gone = isinstance(error, CollectionGone | CollectionSealed)
        status = 404 if gone or error.code.endswith("_not_found") else 400
        given = {"code": error.code, "message": error.message, "hint": error.hint}
        return visit.page("error.html", status=status, **given)
    except Exception:
        logger.exception("%s %s", visit.request.method, visit.request.url.path)
        message, hint = visit.texts("error.internal"), visit.texts("error.internal_hint")
        return visit.page("error.html", status=500, code="", message=message, hint=hint)


def _no_such_page(
    library: Library, read_only: bool
) -> Callable[[Request, HTTPException], Awaitable[Response]]:
    async def respond(request: Request, error: HTTPException) -> Response:
        visit = visit_of(request, library, read_only=read_only)
        message, hint = visit.texts("error.no_page"), visit.texts("error.no_page_hint")
        given = {"code": "", "message": message, "hint": hint}
        return visit.page("error.html", status=error.status_code, **given)

    return respond
