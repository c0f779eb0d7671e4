"""The reference of the operations as a page, generated from their declarations.

``python -m casetrack.api.reference`` prints ``docs/reference.md``; ``reference.md`` is its head.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from casetrack.api.operation import Argument, Operation, arguments_of, summary_of
from casetrack.api.operations import operations

_PARTS = {
    "ownfacts": "admin",
    "earlierstates": "admin",
    "searching": "collection",
    "writing": "collection",
    "holdings": "library",
    "tags": "marks",
    "entities": "map",
}
"""Part of a collection that inherits the operations of a class."""


def reference() -> str:
    """Return the reference as Markdown."""
    head = (Path(__file__).parent / "reference.md").read_text(encoding="utf-8").strip()
    return "\n\n".join([head, *map(_section, operations().values())]) + "\n"


def _section(each: Operation) -> str:
    owner = each.method.__qualname__.partition(".")[0].lower()
    owner = _PARTS.get(owner, owner)
    whole = "library" if each.of_library else "collection"
    part = whole if owner == whole else f"{whole}.{owner}"
    faces = [
        f"Python `{part}.{each.method.__name__}()`",
        f"command `casetrack {each.command or each.name}`",
        *([f"AI programs `{each.tool}`", f"REST `/api/{each.tool}`"] if each.tool else []),
        *([f"window `ask/{each.name}`"] if each.hints.read_only else []),
    ]
    lines = [f"## {each.name}", "", summary_of(each.method).partition("\n\n")[0], ""]
    lines += [f"{', '.join(faces)}."]
    arguments = arguments_of(each.method)
    if arguments:
        head = ("argument", "command", "AI programs", "value", "default", "meaning")
        lines += ["", *_table(head, [_row(a) for a in arguments])]
    return "\n".join(lines)


def _row(each: Argument) -> tuple[str, ...]:
    command = " ".join(option.lstrip("/") for option in each.arg.options)
    default = "" if each.is_required else _said(each.default)
    if each.mcp_default != each.default:
        default += f"; AI programs {_said(each.mcp_default)}"
    return (
        f"`{each.name}`",
        f"`{command}`" if command else each.arg.metavar or "",
        "" if each.mcp_name == "-" else f"`{each.mcp_name}`",
        _value(each),
        default,
        each.help,
    )


def _value(each: Argument) -> str:
    if get_origin(each.type) is Literal:
        return ", ".join(map(str, get_args(each.type)))
    kinds = [k for k in (get_args(each.type) or (each.type,)) if k is not type(None)]
    named = {str: "text", int: "whole number", float: "number", bool: "yes or no"}
    kind = " or ".join(named.get(k, "text") for k in kinds)
    kind = f"{kind}, {each.bounds}" if each.bounds else kind
    most = each.arg.mcp_le
    return f"{kind}; AI programs at most {most:g}" if most else kind


def _said(value: Any) -> str:
    return (
        "none"
        if value is None
        else "yes"
        if value is True
        else "no"
        if value is False
        else str(value)
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


if __name__ == "__main__":
    sys.stdout.write(reference())
