"""Lets clients read the pages by their addresses; those that show pages find them listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.apps import APP_MIME_TYPE, client_supports_apps
from mcp.types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    TextResourceContents,
)

from casetrack import __version__
from casetrack.base.errors import UsageError
from casetrack.faces.mcp import failures
from casetrack.faces.mcp.apps.pages import PAGES, SCHEME, page_of, ui_meta
from casetrack.faces.mcp.handlers import STATELESS
from casetrack.faces.mcp.resources import RESOURCE_NOT_FOUND, told

if TYPE_CHECKING:
    from mcp.types import PaginatedRequestParams, ReadResourceRequestParams

    from casetrack.faces.mcp.apps.pages import AppPage
    from casetrack.faces.mcp.catalogue import Catalogue
    from casetrack.faces.mcp.handlers import Handler


class NoSuchPage(UsageError):
    """An address names no page of this server."""

    code = "resource_not_found"

    def __init__(self, uri: str, names: list[str], /) -> None:
        super().__init__(
            f"There is no page {uri[:80]!r} here.",
            hint=f"The pages of this server: {', '.join(names)}." if names else "",
        )


def with_pages(tools: Catalogue, others: dict[str, Handler], /) -> dict[str, Handler]:
    """Return what answers requests about resources, pages among them.

    Parameters
    ----------
    tools
        Those that the server offers: what they answer decides which pages there are.
    others
        What answers for all other resources; empty where an edition has none.
    """

    async def listed(context: Any, params: PaginatedRequestParams) -> ListResourcesResult:
        found = ListResourcesResult(resources=[])
        if others:
            found = await others["resources/list"](context, params)
        else:
            failures.whole_list(params)
        if client_supports_apps(context):
            found.resources += [_entry(PAGES[name]) for name in tools.pages()]
        return found

    async def templates(context: Any, params: PaginatedRequestParams) -> Any:
        if others:
            return await others["resources/templates/list"](context, params)
        failures.whole_list(params)
        return ListResourceTemplatesResult(resource_templates=[])

    async def read(context: Any, params: ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        if others and not uri.startswith("ui://"):
            return await others["resources/read"](context, params)
        missing = INVALID_PARAMS if context.protocol_version >= STATELESS else RESOURCE_NOT_FOUND

        async def work() -> str:
            offered = tools.pages()
            page = page_of(uri)
            if page is None or page.name not in offered:
                raise NoSuchPage(uri, [PAGES[name].uri for name in offered])
            return page.html(_facts(tools))

        html = await told("resources/read", work, lambda _error: missing, uri=uri)
        content = TextResourceContents(uri=uri, text=html, mime_type=APP_MIME_TYPE, _meta=ui_meta())
        return ReadResourceResult(contents=[content])

    return {"resources/list": listed, "resources/templates/list": templates, "resources/read": read}


def _entry(page: AppPage) -> Resource:
    return Resource(
        uri=page.uri,
        name=page.uri.removeprefix(SCHEME),
        title=page.title,
        description=page.about,
        mime_type=APP_MIME_TYPE,
        _meta=ui_meta(),
    )


def _facts(tools: Catalogue) -> dict[str, Any]:
    """Return what a page has to know of the server: what it can call, and by which names."""
    search = tools.pages().get("search")
    tool = None if search is None else tools.get_tool(search)
    taken = {} if tool is None else tool.parameters["properties"]
    return {
        "version": __version__,
        "calls": sorted(tools.page_calls),
        "search": search,
        "place": next((name for name in ("collection", "case") if name in taken), None),
    }
