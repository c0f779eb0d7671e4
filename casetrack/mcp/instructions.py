"""What a client shows its model at the start: how to work with the tools that are there.

Clients cut it at 2 KB. A server with fewer tools says only what its tools can do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.editions import Instructions, Way
    from casetrack.mcp.toolsets import ToolChoice


def instructions(told: Instructions, choice: ToolChoice, /) -> str:
    """Return the text for a server that offers *choice* of the tools of an edition."""

    def offered(way: Way) -> bool:
        if way.writes and choice.read_only:
            return False
        return choice.names is None or choice.names.issuperset(way.needs)

    found = (next(filter(offered, ways), None) for ways in told.steps)
    numbered = [f"{n}. {way.text}" for n, way in enumerate(filter(None, found), 1)]
    steps = "\n".join(["Order of calls", *numbered]) if numbered else ""
    warnings = (way.text for way in told.warnings if offered(way))
    return "\n\n".join(part for part in (told.head, steps, told.rules, *warnings) if part) + "\n"
