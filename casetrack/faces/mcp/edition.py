"""Content of a server: the texts of an edition, its tools, prompts, resources and routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.dataclass import dataclass
from casetrack.faces.mcp.session import Session, locate

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.routing import Route

    from casetrack.api.collection import Collection
    from casetrack.base.editions import Edition
    from casetrack.faces.mcp.handlers import Caller, Handler


def _no_routes(_call: Caller) -> list[Route]:
    return []


@dataclass(frozen=True, slots=True)
class ServedEdition:
    """An edition as an MCP server offers it.

    Attributes
    ----------
    groups
        Returns the classes whose methods are the tools.
    prompts
        Returns handlers by method, if they are not those of the edition's file.
    resources
        Whether clients can read documents and chunks by address.
    over
        Returns the argument of these classes; by default the session of the server.
    find
        Opens the collection that a call names, or the default one.
    routes
        Returns further HTTP routes; its argument calls a tool.
    """

    edition: Edition
    groups: Callable[[], tuple[type[Any], ...]]
    prompts: Callable[[], dict[str, Handler]] | None = None
    resources: bool = True
    over: object = None
    find: Callable[[Session, str | None], Awaitable[Collection]] = locate
    routes: Callable[[Caller], list[Route]] = _no_routes
