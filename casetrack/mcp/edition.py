"""What a server offers: the words of an edition, its tools, and what else it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.routing import Route

    from casetrack.editions import Edition
    from casetrack.mcp.app import CaseTrackServer
    from casetrack.mcp.handlers import Handler


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
        Makes what answers for prompts, by method, where they are not those of the edition's file.
    resources
        Whether documents and passages can be opened by their addresses.
    over
        What such a class is made with; by default the session of the server.
    as_printed
        Whether results are those of the command line to the letter, next steps included.
    routes
        Returns what is answered over HTTP besides the protocol.
    """

    edition: Edition
    groups: Callable[[], tuple[type[Any], ...]]
    prompts: Callable[[], dict[str, Handler]] | None = None
    resources: bool = True
    over: object = None
    as_printed: bool = False
    routes: Callable[[CaseTrackServer], list[Route]] = _no_routes
