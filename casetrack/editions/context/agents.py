"""Agents of a config: named roles with instructions, which AI programs offer as prompts.

An agent is a section ``[agents.NAME]`` (or ``[agents.inline.NAME]``), or a file
``agents/NAME.toml`` next to a config, with the same keys. A section replaces a file of the same
name. Agents in Lua are not run.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import suggest
from casetrack.base.editions import Argument
from casetrack.base.errors import ConfigError
from casetrack.editions.context.files import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from casetrack.editions.context.config import ContextConfig

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
