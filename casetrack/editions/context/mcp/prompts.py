"""Agents of a config as prompts: a role that the user picks, with its instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from casetrack.faces.mcp.failures import whole_list
from casetrack.faces.mcp.prompts import quoted
from casetrack.faces.mcp.results import sendable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.editions.context.agents import Agent
    from casetrack.faces.mcp.handlers import Handler


def handlers(agents: Sequence[Agent], /) -> dict[str, Handler]:
    """Return what answers the protocol's requests about prompts, by method."""
    by_name = {agent.name: agent for agent in agents}

    async def list_prompts(_ctx: Any, params: PaginatedRequestParams) -> ListPromptsResult:
        whole_list(params)
        return ListPromptsResult(prompts=[_listed(agent) for agent in agents])

    async def get_prompt(_ctx: Any, params: GetPromptRequestParams) -> GetPromptResult:
        agent = by_name.get(params.name)
        if agent is None:
            known = ", ".join(by_name) or "none"
            said = f"Unknown prompt: {quoted(params.name[:80])}. Prompts: {known}"
            raise MCPError(INVALID_PARAMS, said)
        try:
            text = agent.text(params.arguments or {})
        except ValueError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error
        message = PromptMessage(role="user", content=TextContent(type="text", text=sendable(text)))
        return GetPromptResult(description=sendable(agent.description), messages=[message])

    return {"prompts/list": list_prompts, "prompts/get": get_prompt}


def _listed(agent: Agent) -> Prompt:
    return Prompt(
        name=agent.name,
        description=sendable(agent.description),
        arguments=[
            PromptArgument(name=a.name, description=sendable(a.description), required=a.required)
            for a in agent.arguments
        ],
    )
