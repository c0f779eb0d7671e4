"""What a server may offer in place of the tools that work on any collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.routing import Route

    from casetrack.mcp.app import CaseTrackServer
    from casetrack.mcp.handlers import Handler
    from casetrack.mcp.session import Session
    from casetrack.mcp.toolsets import ToolChoice


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition as a server shows it.

    Attributes
    ----------
    instructions
        What clients show their model at the start; they cut it at 2 KB.
    tools
        Makes the objects whose methods are the tools.
    prompts
        Makes what answers for prompts, by method.
    hints
        Next steps by the codes of errors, in terms of its tools.
    error_code
        Returns what programs of this edition call an error of the given code.
    routes
        Returns what is answered over HTTP besides the protocol.
    """

    instructions: str
    tools: Callable[[], Iterable[object]]
    prompts: Callable[[Session, ToolChoice], dict[str, Handler]]
    hints: Mapping[str, str]
    error_code: Callable[[str], str]
    routes: Callable[[CaseTrackServer], list[Route]]
