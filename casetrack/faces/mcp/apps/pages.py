"""Which pages there are, and each as one file of HTML that loads nothing and quotes nothing."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from mcp import types
from mcp.server.apps import APP_MIME_TYPE, client_supports_apps

from casetrack.base.errors import UsageError
from casetrack.faces.mcp import failures
from casetrack.faces.mcp.handlers import STATELESS
from casetrack.faces.mcp.resources import RESOURCE_NOT_FOUND, with_protocol_errors
from casetrack.faces.mcp.specs import PageName
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.types import PaginatedRequestParams, ReadResourceRequestParams

    from casetrack.faces.mcp.catalogue import Catalogue
    from casetrack.faces.mcp.handlers import Handler

SCHEME = "ui://casetrack/"
_STATIC = Path(__file__).parent / "static"
_VIEWER = Path(__file__).parents[3] / "api" / "viewer"
_SCRIPTS = ("host.js", "parts.js", "passage.js", "lists.js", "drawings.js", "start.js")
_NAMES = {
    "search": ("Search", "Results of a search, each with its page."),
    "page": ("Page", "A page of a document with the passage marked; zoom, next and previous."),
    "timeline": ("Timeline", "A timeline to scale; every event opens its page."),
    "graph": ("Graph", "Entities that are mentioned together; every link opens its passage."),
    "compare": ("Compare", "Two documents side by side with marked changes."),
    "briefing": ("Briefing", "A collection at a glance: people, dates, topics, documents."),
}


@dataclass(frozen=True, slots=True)
class AppPage:
    """A page that a program can open for a result; *title* and *about* are its texts in a list."""

    name: PageName
    title: str
    about: str

    @property
    def uri(self) -> str:
        """Its address."""
        return f"{SCHEME}{self.name}.html"

    def html(self, facts: Mapping[str, Any], /) -> str:
        """Return the page as one HTML file; *facts* describe the server, without document text."""
        config = json.dumps({"page": self.name, **facts}, ensure_ascii=False, sort_keys=True)
        script = f"'use strict';(() => {{\nconst CONFIG = {_inert(config)};\n{_script()}}})();"
        style = f"\n{_style()}"
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(script, style)}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="referrer" content="no-referrer">\n'
            f"<title>CaseTrack: {self.title}</title>\n<style>{style}</style>\n</head>\n"
            f'<body>\n<main id="main"></main>\n<script>{script}</script>\n</body>\n</html>\n'
        )


PAGES: dict[PageName, AppPage] = {name: AppPage(name, *_NAMES[name]) for name in get_args(PageName)}


def page_of(uri: str, /) -> AppPage | None:
    """Return the page at an address, or ``None``."""
    return next((page for page in PAGES.values() if page.uri == uri), None)


def link(name: PageName | None, /, *, only_pages: bool = False) -> dict[str, Any]:
    """Return ``_meta.ui`` of a tool with a page; *only_pages* hides the tool from models."""
    meta: dict[str, Any] = {} if name is None else {"resourceUri": PAGES[name].uri}
    return {"ui": meta | ({"visibility": ["app"]} if only_pages else {})}


def ui_meta() -> dict[str, Any]:
    """Return the metadata that a program needs to show a page: no access to any network."""
    return {
        "ui": {
            "csp": {"connectDomains": [], "resourceDomains": []},
            "permissions": {"clipboardWrite": {}},
            "prefersBorder": True,
        }
    }


@functools.cache
def _script() -> str:
    raw = tomllib.loads((_STATIC / "texts.toml").read_text(encoding="utf-8"))
    texts = json.dumps(raw, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    parts = [(_STATIC / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    return f"const TEXTS = {_inert(texts)};\n" + "".join(parts)


@functools.cache
def _style() -> str:
    # Importing the viewer, which these belong to, loads all that draws.
    shared = [_VIEWER / name for name in ("colours.css", "page.css", "figure.css")]
    return "".join(path.read_text(encoding="utf-8") for path in (*shared, _STATIC / "look.css"))


def _policy(script: str, style: str) -> str:
    """Return the content security policy: only the page's own script runs.

    The program applies its own policy in addition.
    """
    return (
        f"default-src 'none'; img-src data:; style-src {_own(style)}; script-src {_own(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _own(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _inert(text: str) -> str:
    """Return JSON that cannot end the element around it."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


# Lets clients read the pages by their addresses; those that show pages find them listed.


class NoSuchPage(UsageError):
    """An address names no page of this server."""

    code = "resource_not_found"

    def __init__(self, uri: str, names: list[str], /) -> None:
        super().__init__(
            f"Unknown page: {uri[:80]!r}.",
            hint=f"The pages of this server: {', '.join(names)}." if names else "",
        )


def with_pages(tools: Catalogue, others: dict[str, Handler], /) -> dict[str, Handler]:
    """Return the handlers for resources, including pages; *others* handle all other resources.

    *tools* are the tools of the server, which decide the pages; *others* is empty for an edition
    without resources.
    """

    async def listed(context: Any, params: PaginatedRequestParams) -> types.ListResourcesResult:
        resources = types.ListResourcesResult(resources=[])
        if others:
            resources = await others["resources/list"](context, params)
        else:
            failures.whole_list(params)
        if client_supports_apps(context):
            resources.resources += [_entry(PAGES[name]) for name in tools.pages()]
        return resources

    async def templates(context: Any, params: PaginatedRequestParams) -> Any:
        if others:
            return await others["resources/templates/list"](context, params)
        failures.whole_list(params)
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read(context: Any, params: ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        if others and not uri.startswith("ui://"):
            return await others["resources/read"](context, params)
        missing = (
            types.INVALID_PARAMS if context.protocol_version >= STATELESS else RESOURCE_NOT_FOUND
        )

        async def work() -> str:
            offered = tools.pages()
            page = page_of(uri)
            if page is None or page.name not in offered:
                raise NoSuchPage(uri, [PAGES[name].uri for name in offered])
            return page.html(_facts(tools))

        html = await with_protocol_errors("resources/read", work, lambda _error: missing, uri=uri)
        content = types.TextResourceContents(
            uri=uri, text=html, mime_type=APP_MIME_TYPE, _meta=ui_meta()
        )
        return types.ReadResourceResult(contents=[content])

    return {"resources/list": listed, "resources/templates/list": templates, "resources/read": read}


def _entry(page: AppPage) -> types.Resource:
    return types.Resource(
        uri=page.uri,
        name=page.uri.removeprefix(SCHEME),
        title=page.title,
        description=page.about,
        mime_type=APP_MIME_TYPE,
        _meta=ui_meta(),
    )


def _facts(tools: Catalogue) -> dict[str, Any]:
    """Return the names of the tools that a page can call."""
    search = tools.pages().get("search")
    tool = None if search is None else tools.get_tool(search)
    taken = {} if tool is None else tool.parameters["properties"]
    return {
        "version": __version__,
        "calls": sorted(tools.page_calls),
        "search": search,
        "place": next((name for name in ("collection", "case") if name in taken), None),
    }
