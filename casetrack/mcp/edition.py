"""What a server may offer in place of the tools that work on any collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.routing import Route

    from casetrack.editions import Edition
    from casetrack.mcp.app import CaseTrackServer
    from casetrack.mcp.handlers import Handler
    from casetrack.mcp.session import Session
    from casetrack.mcp.toolsets import ToolChoice


def _no_routes(_server: CaseTrackServer) -> list[Route]:
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
        Makes what answers for prompts, by method.
    resources
        Whether documents and passages can be opened by their addresses.
    over
        What such a class is made with; by default the session of the server.
    routes
        Returns what is answered over HTTP besides the protocol.
    """

    edition: Edition
    groups: Callable[[], tuple[type[Any], ...]]
    prompts: Callable[[Session, ToolChoice], dict[str, Handler]]
    resources: bool = False
    over: object = None
    routes: Callable[[CaseTrackServer], list[Route]] = _no_routes
