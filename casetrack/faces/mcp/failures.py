"""Errors as results of tools."""

from __future__ import annotations

import difflib
import json
import logging
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp.types import CallToolResult, PaginatedRequestParams, TextContent

from casetrack.base import editions
from casetrack.base.errors import CaseTrackError, See
from casetrack.faces.mcp.steps import name_tools
from casetrack.faces.mcp.texts import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp.server.mcpserver.tools import Tool
    from pydantic import ValidationError

    from casetrack.base.editions import Edition

logger = logging.getLogger("casetrack.mcp")

_SHOWN = 80
LONGEST_TEXT = 10_000
"""Characters of a text argument."""
LONGEST_LIST = 1_000
"""Entries of a list argument."""
_LONGEST_LINE = 2000


class Failure(NamedTuple):
    """A failure: a code for programs and a text for the reader."""

    code: str
    text: str


def failed(text: str, /) -> CallToolResult:
    """Return an error result with *text*.

    The text may quote long arguments and control characters: both are bounded here.
    """
    lines = visible(text).split("\n")
    shown = "\n".join(_shortened(line) for line in lines)
    return CallToolResult(content=[TextContent(type="text", text=shown)], is_error=True)


def _shortened(line: str) -> str:
    """Return a line without its middle if it is very long."""
    half = _LONGEST_LINE // 2
    return line if len(line) <= _LONGEST_LINE else f"{line[:half]} \u2026 {line[-half:]}"


def known_error(error: CaseTrackError, edition: Edition, /) -> Failure:
    """Return the failure of a typed error; see :func:`error_text`."""
    message = edition.message(error)
    text = error_text(error.code, name_tools(message) or message, error.hint, edition)
    return Failure(error.code, text)


def error_text(code: str, message: str, hint: str, /, edition: Edition | None = None) -> str:
    """Return message and next step; the step names tools of *edition* (default: any collection)."""
    step = (edition or editions.edition(editions.ANY)).hints.get(code, hint) if hint else ""
    step = name_tools(step)
    return f"{message}\n\n{step}" if step else message


def reason(error: CaseTrackError, /) -> str:
    """Return message and next step on one line, for a list of skipped items."""
    return " ".join(error_text(error.code, error.message, error.hint).split())


def unexpected(name: str, error: BaseException, /) -> Failure:
    """Log a defect with a reference and return a failure that shows only the reference.

    The exception's text may quote documents or paths that the caller must not see.
    """
    reference = secrets.token_hex(4)
    logger.error("%s failed unexpectedly (reference %s)", name, reference, exc_info=error)
    return Failure(
        "internal",
        f"{name} failed because of an internal error (reference {reference}).\n\nNo incomplete "
        "changes were saved. The server's log has the details under this reference; the user can "
        f"check the data with {See('doctor')}.",
    )


def whole_list(params: PaginatedRequestParams | None, /) -> None:
    """Refuse a cursor: every list of this server is complete in one answer."""
    from mcp.shared.exceptions import MCPError
    from mcp.types import INVALID_PARAMS

    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, "Unknown cursor: this list is always complete.")


def unknown_tool(name: str, known: Sequence[str], /) -> Failure:
    """Return the failure for an unknown tool, with the known tools."""
    text = f"Unknown tool: {_quoted(name)}{_near(name, known)}\n\nTools: {', '.join(known)}"
    return Failure("unknown_tool", text)


def bad_arguments(tool: Tool, problems: Sequence[str], /) -> Failure:
    """Return the failure for invalid arguments, one line for each."""
    lines = "\n".join(f"  - {line}" for line in problems)
    return Failure("usage", f"Invalid arguments for {tool.name}; nothing was done:\n{lines}")


def unknown_arguments(tool: Tool, arguments: Mapping[str, Any], /) -> list[str]:
    """Return a line for each argument that the tool does not have."""
    known = list(tool.parameters["properties"])
    allowed = f"allowed: {', '.join(known)}" if known else "this tool takes none"
    return [
        f"{_quoted(name)}: no such argument{_near(name, known)} ({allowed})"
        for name in arguments
        if name not in known
    ]


def oversized_arguments(arguments: Mapping[str, Any], /) -> list[str]:
    """Return a line for each argument that exceeds the size limits."""
    lines = []
    for name, value in arguments.items():
        entries = value if isinstance(value, list) else [value]
        longest = max((len(entry) for entry in entries if isinstance(entry, str)), default=0)
        if longest > LONGEST_TEXT:
            lines.append(f"{name}: at most {LONGEST_TEXT:,} characters, not {longest:,}")
        elif len(entries) > LONGEST_LIST:
            lines.append(f"{name}: at most {LONGEST_LIST:,} entries, not {len(entries):,}")
    return lines


def rejected_arguments(tool: Tool, error: ValidationError, /) -> list[str]:
    """Return a line for each invalid argument: allowed values and given value."""
    properties = tool.parameters["properties"]
    lines: dict[str, str] = {}
    for problem in error.errors(include_url=False, include_context=False):
        name, field, known = _field(problem["loc"], properties)
        wanted = _wanted(field)
        if problem["type"] == "missing":
            lines[name] = f"{name}: missing; give {wanted}"
        elif problem["type"] == "extra_forbidden":
            near = _near(problem["loc"][-1], known)
            lines[name] = f"{name}: no such argument{near} (allowed: {', '.join(known)})"
        else:
            given = problem["input"]
            near = _near(given, field.get("enum", ()))
            lines[name] = f"{name}: must be {wanted}, not {_quoted(given)}{near}"
    return list(lines.values())


def _field(
    place: Sequence[str | int], properties: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any], Sequence[str]]:
    """Return name, schema and sibling fields of an invalid value.

    Members of an object are resolved as far as its schema declares them.
    """
    names, field, known = list[str](), {"properties": properties}, list[str]()
    for part in place:
        inside = field.get("properties", {})
        if isinstance(part, int) or (names and part not in inside and not inside):
            break
        known = list(inside)
        names.append(str(part))
        field = inside.get(part, {})
    return ".".join(names) or "arguments", field, known


def _wanted(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return "one of " + ", ".join(field["enum"])
    if "anyOf" in field:
        return " or ".join(map(_wanted, field["anyOf"]))
    kind = field.get("type", "")
    if kind in ("integer", "number"):
        number = "a whole number" if kind == "integer" else "a number"
        low, high = field.get("minimum"), field.get("maximum")
        if low is not None and high is not None:
            return f"{number} from {low:g} to {high:g}"
        return number if low is None else f"{number} of at least {low:g}"
    if kind == "array" and "minItems" in field:
        return f"a list of {field['minItems']} to {field['maxItems']} texts"
    names = {"string": "a text", "boolean": "true or false", "array": "a list of texts"}
    names["object"] = "an object"
    return names.get(kind, "a valid value")


def _quoted(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "\u2026"


def _near(given: object, known: Sequence[str]) -> str:
    """Return a suggestion from the known names as a question, or an empty text."""
    text = given.strip().casefold()[:_SHOWN] if isinstance(given, str) else ""
    # A prefix is a better suggestion than a similar spelling: entity, entity_name.
    longer = [name for name in known if text and name.startswith(f"{text}_")]
    near = longer or difflib.get_close_matches(text, known, n=1)
    return f'. Did you mean "{near[0]}"?' if near else ""
