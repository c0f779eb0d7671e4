"""The tool of a small set that reaches the other tools."""

from typing import Any

from mcp.types import CallToolResult

from casetrack.api.operation import ADDS
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.session import SessionTools
from casetrack.faces.mcp.specs import MORE, tool


class MoreTools(SessionTools):
    """The tool of this module, for one session."""

    @tool(
        "More tools",
        ADDS,
        description="Call find_amounts, export_collection, list_entities, get_document and others "
        "by name; without a name lists them all. Returns their result.",
        sets=("daily",),
    )
    async def more_tools(
        self,
        name: str | None = None,  # noqa: ARG002 - the server calls a named tool itself
        arguments: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> CallToolResult:
        """List the tools that the server does not list."""
        specs = self._session.more_tools()
        lines = (f"- {name}: {spec.description}" for name, spec in specs.items())
        names = ["Tools to call by name:", *lines, "Invalid arguments get the list of valid ones."]
        return answer("\n".join(names), {"tools": [*specs], "call": MORE})
