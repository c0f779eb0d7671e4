"""What a server offers: the words of an edition, its tools, and what else it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.faces.mcp.session import locate

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.routing import Route

    from casetrack.api.collection import Collection
    from casetrack.base.editions import Edition
    from casetrack.faces.mcp.handlers import Caller, Handler
    from casetrack.faces.mcp.session import Session


def _no_routes(_call: Caller) -> list[Route]:
    return []


@dataclass(frozen=True, slots=True)
class ServedEdition:
    """An edition as a server shows it.

    Attributes
    ----------
    edition
        Its words: name, instructions, texts of errors.
    groups
        Returns the classes whose methods are the tools.
    prompts
        Makes what answers for prompts, by method, where they are not those of the edition's file.
    resources
        Whether documents and passages can be opened by their addresses.
    over
        What such a class is made with; by default the session of the server.
    find
        Opens the collection that a call names, or the one that it means where it names none.
    routes
        Returns what is answered over HTTP besides the protocol, given what calls a tool.
    """

    edition: Edition
    groups: Callable[[], tuple[type[Any], ...]]
    prompts: Callable[[], dict[str, Handler]] | None = None
    resources: bool = True
    over: object = None
    find: Callable[[Session, str | None], Awaitable[Collection]] = locate
    routes: Callable[[Caller], list[Route]] = _no_routes
