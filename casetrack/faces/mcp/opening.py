"""The answer to a client's first message, sent before the SDK is imported.

A client waits for the answer to ``initialize``, and importing the SDK takes half a second. This
module answers a message of the usual form as the SDK's server would; the SDK's own answer is then
dropped (:mod:`casetrack.faces.mcp.wire`). A test compares both answers.
"""

from __future__ import annotations

import json
import os
import select
import sys
from itertools import chain
from typing import TYPE_CHECKING, Any

from casetrack.api.operations import operations
from casetrack.base.dataclass import dataclass
from casetrack.base.editions import ANY, edition
from casetrack.faces.mcp.instructions import holdings, instructions
from casetrack.version import __version__

if TYPE_CHECKING:
    from casetrack.api.library import Library

_VERSIONS = frozenset(("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"))
_CAPABILITIES: dict[str, dict[str, bool]] = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": False},
}
_MOST_CHARS, _LARGEST_ID = 4_000, 2**53
"""Longer lines and larger numbers are left to the SDK."""
_NAMED = frozenset(("experimental", "extensions"))
"""Capabilities of a client with arbitrary members."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first line of a client, and the id of its request if it is already answered."""

    line: str
    answered: str | int | None = None


def opened(library: Library, /) -> Opening | None:
    """Read the line that is waiting on standard input, and answer it if possible.

    Returns ``None`` if no line is waiting, or if the system cannot report that.
    """
    line = _waiting_line()
    number = None if line is None else _request_id(line)
    if number is not None:
        response = {"jsonrpc": "2.0", "id": number, "result": _result(line or "", library)}
        text = json.dumps(response, ensure_ascii=False, separators=(",", ":"))
        os.write(sys.stdout.fileno(), f"{text}\n".encode())
    return None if line is None else Opening(line, number)


def _waiting_line() -> str | None:
    """Read exactly one line, because the SDK reads on from the same descriptor."""
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
    """Return the id of an ``initialize`` request that the SDK certainly accepts."""
    if (
        len(line) > _MOST_CHARS or "\\u" in line
    ):  # An escape may be a character that UTF-8 cannot encode.
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
    texts = any_collection.instructions
    lacking = {
        each.tool
        for each in operations().values()
        if each.feature is not None and not library.entitlements.allows(each.feature)
    }
    named = {name for way in (*chain(*texts.steps), *texts.warnings) for name in way.needs}
    return {
        "capabilities": _CAPABILITIES,
        "instructions": instructions(texts, named - lacking, holdings(library, ANY)),
        "protocolVersion": json.loads(line)["params"]["protocolVersion"],
        "serverInfo": {
            "description": any_collection.about,
            "name": any_collection.server,
            "title": any_collection.title,
            "version": __version__,
        },
    }
