"""Agents of a config: named roles with instructions, which AI programs offer as prompts.

An agent is a section ``[agents.NAME]`` (or ``[agents.inline.NAME]``, as ctx writes it), or a file
``agents/NAME.toml`` beside a config, with the same keys. Where both have one of a name, the section
counts. Those of ctx that are written in Lua are not run.
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
    """A role.

    Attributes
    ----------
    tools
        Those of the server that it is to use; empty for all.
    system_prompt
        Its instructions; ``{name}`` in them stands for an argument.
    """

    name: str
    description: str
    tools: tuple[str, ...]
    system_prompt: str
    arguments: tuple[Argument, ...] = ()
    title: str = ""

    def text(self, given: Mapping[str, str], /) -> str:
        """Return the instructions with what the user filled in.

        Raises
        ------
        ValueError
            An argument is missing, unknown or too long; the text says which.
        """
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
    """Return the agents, by name.

    Raises
    ------
    ConfigError
        One has no instructions, or a key that is not known (the near one is named).
    """
    found: dict[str, Agent] = {}
    for file in reversed(config.files):
        for path in sorted((file.parent / "agents").glob("*.toml")):
            found[path.stem] = _agent(path.stem, read_toml(path), path)
    sections = {n: s for n, s in config.agents.items() if n not in {_INLINE, _SCRIPT}}
    for name, said in (sections | dict(config.agents.get(_INLINE, {}))).items():
        found[name] = _agent(name, said, *config.files)
    for name in config.agents.get(_SCRIPT, {}):
        logger.warning("the agent %s is written in Lua, which is not run; it is left out", name)
    return tuple(found[name] for name in sorted(found))


def _agent(name: str, said: Any, *files: Path) -> Agent:
    where = f"[agents.{name}]"
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot be the name of an agent", "Use letters, digits, - and _.", *files
        )
    if not isinstance(said, dict):
        raise ConfigError(f"{where} is no section", f"Its keys are {', '.join(_KEYS)}.", *files)
    _check_keys(said, _KEYS, where, files)
    prompt = said.get("system_prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise ConfigError(
            f"{where} has no system_prompt", "Say there what the agent is to do.", *files
        )
    tools = said.get("tools", [])
    arguments = said.get("arguments", [])
    if not _all(tools, str) or not _all(arguments, dict):
        raise ConfigError(
            f"tools and arguments of {where} must be lists",
            'Such as tools = ["search", "get"].',
            *files,
        )
    lacking = [tool for tool in tools if tool not in TOOLS]
    if lacking:
        logger.warning("%s names tools that are not here: %s", where, ", ".join(lacking))
    return Agent(
        name,
        str(said.get("description", "")),
        tuple(tool for tool in tools if tool in TOOLS),
        prompt,
        tuple(_argument(argument, where, files) for argument in arguments),
    )


def _argument(said: Mapping[str, Any], where: str, files: tuple[Path, ...]) -> Argument:
    _check_keys(said, _ARGUMENT_KEYS, f"arguments of {where}", files)
    name = said.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigError(
            f"An argument of {where} has no name", 'Such as {name = "service"}.', *files
        )
    return Argument(name, "", str(said.get("description", "")), said.get("required") is True)


def _check_keys(
    said: Mapping[str, Any], known: tuple[str, ...], where: str, files: tuple[Path, ...]
) -> None:
    for key in said:
        if key not in known:
            raise ConfigError(
                f"There is no key {key!r} in {where}{suggest(key, known)}",
                f"Its keys are {', '.join(known)}.",
                *files,
            )


def _all(values: object, kind: type) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)
