"""The answer to a client's first message, given before the SDK is loaded.

A client begins with ``initialize`` and waits, while loading the SDK takes half a second. Where that
message is there and has the usual form, this module answers as the SDK's server would. The server
reads the message as well, and its own answer is dropped (:mod:`casetrack.faces.mcp.wire`). All else
waits for the SDK, such as what it would refuse. A test compares both answers.
"""

from __future__ import annotations

import json
import os
import select
import sys
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from casetrack.api.operations import operations
from casetrack.base.editions import ANY, edition
from casetrack.faces.mcp.instructions import holdings, instructions
from casetrack.version import __version__

if TYPE_CHECKING:
    from casetrack.api.library import Library

_VERSIONS = frozenset(("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"))
"""Versions of the protocol that begin with ``initialize``."""
_CAPABILITIES: dict[str, dict[str, bool]] = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": False},
}
_MOST_CHARS, _LARGEST_ID = 4_000, 2**53
"""Longer lines and larger numbers wait for the SDK, too."""
_NAMED = frozenset(("experimental", "extensions"))
"""Capabilities of a client whose parts have any names and values."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first line of a client.

    Attributes
    ----------
    line
        The line, which the server has still to read.
    answered
        Id of the request in it where that was answered.
    """

    line: str
    answered: str | int | None = None


def opened(library: Library, /) -> Opening | None:
    """Read the line that waits on standard input, and answer it where that is possible.

    ``None`` where no line waits, or where the system cannot tell.
    """
    line = _waiting_line()
    number = None if line is None else _request_id(line)
    if number is not None:
        told = {"jsonrpc": "2.0", "id": number, "result": _result(line or "", library)}
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        os.write(sys.stdout.fileno(), f"{text}\n".encode())
    return None if line is None else Opening(line, number)


def _waiting_line() -> str | None:
    """Read one line, and no byte of the next: the SDK reads on from the same descriptor."""
    line = bytearray()
    try:
        descriptor = sys.stdin.fileno()
        is_waiting = bool(select.select([descriptor], [], [], 0)[0])
    except (OSError, ValueError):  # Windows asks sockets only
        return None
    while is_waiting and not line.endswith(b"\n"):
        byte = os.read(descriptor, 1)
        line += byte
        is_waiting = bool(byte)
    return line.decode("utf-8", "replace") or None


def _request_id(line: str) -> str | int | None:
    """Return the id of an ``initialize`` request that the SDK surely takes."""
    if len(line) > _MOST_CHARS or "\\u" in line:  # escapes may stand for what UTF-8 cannot say
        return None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match message:
        case {
            "jsonrpc": "2.0",
            "id": str() | int() as number,
            "method": "initialize",
            "params": {
                "protocolVersion": str(version),
                "capabilities": dict(capabilities),
                "clientInfo": {"name": str(), "version": str(), **rest},
                **others,
            },
            **besides,
        } if not (others or besides):
            usual = (
                isinstance(number, str) or (type(number) is int and abs(number) < _LARGEST_ID),
                version in _VERSIONS,
                rest.keys() <= {"title", "description"},
                all(isinstance(text, str) for text in rest.values()),
                all(_is_usual(*each) for each in capabilities.items()),
            )
            return number if all(usual) else None
    return None


def _is_usual(name: str, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if name in _NAMED:
        return all(isinstance(part, dict) for part in value.values())
    return all(isinstance(part, bool) or _is_usual("", part) for part in value.values())


def _result(line: str, library: Library) -> dict[str, Any]:
    any_collection = edition(ANY)
    told = any_collection.instructions
    lacking = {
        each.tool
        for each in operations().values()
        if each.feature is not None and not library.entitlements.allows(each.feature)
    }
    named = {name for way in (*chain(*told.steps), *told.warnings) for name in way.needs}
    return {
        "capabilities": _CAPABILITIES,
        "instructions": instructions(told, named - lacking, holdings(library, ANY)),
        "protocolVersion": json.loads(line)["params"]["protocolVersion"],
        "serverInfo": {
            "description": any_collection.about,
            "name": any_collection.server,
            "title": any_collection.title,
            "version": __version__,
        },
    }
