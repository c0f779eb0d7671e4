"""The served edition: texts, tools, prompts and paths."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from casetrack.base.arguments import suggest
from casetrack.base.editions import Argument, edition
from casetrack.base.errors import ConfigError
from casetrack.editions.context.files import read_toml
from casetrack.faces.mcp.edition import ServedEdition
from casetrack.faces.mcp.http.rest import ANY, answering, only, sent, single
from casetrack.faces.mcp.prompts import handlers
from casetrack.faces.mcp.session import in_thread
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from casetrack.api.collection import Collection
    from casetrack.editions.context.config import ContextConfig
    from casetrack.editions.context.home import ContextHome
    from casetrack.faces.mcp.handlers import Caller, Handler
    from casetrack.faces.mcp.session import Session

    Answer = Callable[[Request], Awaitable[Response]]

# Agents of a config: named roles with instructions, which AI programs offer as prompts.

logger = logging.getLogger("casetrack.context")

TOOLS = ("search", "get", "sources")
_KEYS = ("description", "tools", "system_prompt", "arguments")
_ARGUMENT_KEYS = ("name", "description", "required")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_INLINE, _SCRIPT = "inline", "script"
_PLACE = re.compile(r"\{([A-Za-z0-9_.-]+)\}")


@dataclass(frozen=True, slots=True)
class Agent:
    """A role with instructions."""

    name: str
    description: str
    tools: tuple[str, ...]  # Tools of the server that the agent uses; empty for all
    system_prompt: str  # Its instructions; ``{name}`` is replaced by an argument
    arguments: tuple[Argument, ...] = ()
    title: str = ""

    def text(self, given: Mapping[str, str], /) -> str:
        """Return the instructions, filled in with the user's arguments."""
        from casetrack.faces.mcp.prompts import checked

        checked(self, given)
        known = {argument.name for argument in self.arguments}
        filled = _PLACE.sub(
            lambda place: given.get(place[1], "") if place[1] in known else place[0],
            self.system_prompt,
        ).strip()
        used = f"\n\nUse these tools of CaseTrack: {', '.join(self.tools)}." if self.tools else ""
        return filled + used


def agents_of(config: ContextConfig, /) -> tuple[Agent, ...]:
    """Return the agents, sorted by name."""
    agents: dict[str, Agent] = {}
    for file in reversed(config.files):
        for path in sorted((file.parent / "agents").glob("*.toml")):
            agents[path.stem] = _agent(path.stem, read_toml(path), path)
    sections = {n: s for n, s in config.agents.items() if n not in {_INLINE, _SCRIPT}}
    for name, section in (sections | dict(config.agents.get(_INLINE, {}))).items():
        agents[name] = _agent(name, section, *config.files)
    for name in config.agents.get(_SCRIPT, {}):
        logger.warning("agent %s is written in Lua, which is not supported; it is skipped", name)
    return tuple(agents[name] for name in sorted(agents))


def _agent(name: str, section: Any, *files: Path) -> Agent:
    where = f"[agents.{name}]"
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} is not a valid name of an agent", "Use letters, digits, - and _.", *files
        )
    if not isinstance(section, dict):
        raise ConfigError(f"{where} is not a section", f"Known keys: {', '.join(_KEYS)}.", *files)
    _check_keys(section, _KEYS, where, files)
    prompt = section.get("system_prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise ConfigError(
            f"{where} has no system_prompt", "Set it to the instructions of the agent.", *files
        )
    tools = section.get("tools", [])
    arguments = section.get("arguments", [])
    if not _all(tools, str) or not _all(arguments, dict):
        raise ConfigError(
            f"tools and arguments of {where} must be lists",
            'Example: tools = ["search", "get"].',
            *files,
        )
    lacking = [tool for tool in tools if tool not in TOOLS]
    if lacking:
        logger.warning("%s names unknown tools: %s", where, ", ".join(lacking))
    return Agent(
        name,
        str(section.get("description", "")),
        tuple(tool for tool in tools if tool in TOOLS),
        prompt,
        tuple(_argument(argument, where, files) for argument in arguments),
    )


def _argument(table: Mapping[str, Any], where: str, files: tuple[Path, ...]) -> Argument:
    _check_keys(table, _ARGUMENT_KEYS, f"arguments of {where}", files)
    name = table.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigError(
            f"An argument of {where} has no name", 'Example: {name = "service"}.', *files
        )
    return Argument(name, "", str(table.get("description", "")), table.get("required") is True)


def _check_keys(
    table: Mapping[str, Any], known: tuple[str, ...], where: str, files: tuple[Path, ...]
) -> None:
    for key in table:
        if key not in known:
            raise ConfigError(
                f"{where} has an unknown key {key!r}{suggest(key, known)}",
                f"Known keys: {', '.join(known)}.",
                *files,
            )


def _all(values: object, kind: type) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)


# The tools at plain paths for HTTP clients (``GET /search?q=...``). Each path calls one tool
# through the protocol, so arguments, answers and errors are the same. ctx uses ``/tools/search``
# etc.

_FILTERS = ("source", "since", "until", "path", "kind", "language")
_MANY = ("source", "path", "kind", "language")
"""Parameters of an address that may occur several times."""


def rest_routes(call: Caller, /) -> list[Route]:
    """Return the HTTP paths that call the tools of a server."""

    def at(name: str, *methods: str) -> list[Route]:
        answer = only(methods, answering(call, name, _of_address))
        return [Route(path, answer, methods=ANY) for path in (f"/{name}", f"/tools/{name}")]

    return [
        *at("search", "GET", "POST"),
        *at("get", "GET", "POST"),
        *at("sources", "GET"),
        Route("/health", only(("GET",), _health), methods=ANY),
    ]


def _of_address(request: Request) -> dict[str, Any]:
    """Return the arguments of the tool from the address of a request."""
    given = single(request, _MANY)
    if "q" in given:
        given.setdefault("query", given.pop("q"))
    filters = {name: given.pop(name) for name in _FILTERS if name in given}
    return given | ({"filters": filters} if filters else {})


async def _health(_request: Request) -> Response:
    return sent({"status": "ok", "version": __version__})


def context_edition(home: ContextHome, /) -> ServedEdition:
    """Return the edition for the collection of a config."""
    agents = agents_of(home.config)

    def groups() -> tuple[type[Any], ...]:
        from casetrack.editions.context.mcp.tools import ContextTools

        return (ContextTools,)

    def prompts() -> dict[str, Handler]:
        # Agents of a config are prompts that the user selects.
        return handlers(lambda: agents, Agent.text)

    async def find(_session: Session, _name: str | None) -> Collection:
        # There is only one collection; calls do not name it.
        return await in_thread(lambda: home.collection)

    return ServedEdition(
        edition("context"),
        groups,
        prompts,
        resources=False,
        over=home,
        find=find,
        routes=rest_routes,
    )
