"""What form fields and pictures show as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.web.dom import Node

_CONTROLS = frozenset({"img", "input", "select", "textarea", "area"})
_SILENT_INPUTS = frozenset({"hidden", "password", "color", "range"})
_CHECKS = frozenset({"checkbox", "radio"})
_FILE_NAME = re.compile(r"[\w.-]+\.(?:gif|jpe?g|png|svg|webp|bmp|ico)", re.IGNORECASE)


def is_control(node: Node, /) -> bool:
    """Tell a form field or a picture."""
    return node.tag in _CONTROLS


def shown(node: Node, /) -> str:
    """Return what a form field or a picture shows, empty where that is no text."""
    if node.tag in {"img", "area"}:
        text = " ".join(node.get("alt").split())
        return "" if _FILE_NAME.fullmatch(text) else text
    if node.tag == "textarea":
        return "".join(texts(node)).strip() or node.get("placeholder")
    if node.tag == "select":
        return _select(node)
    kind = node.get("type").lower()
    if kind in _SILENT_INPUTS:
        return ""
    if kind in _CHECKS:
        return "[x]" if "checked" in node.attributes else "[ ]"
    if kind == "image":
        return node.get("alt")
    return " ".join((node.get("value") or node.get("placeholder")).split())


def texts(node: Node, /) -> Iterator[str]:
    """Yield all texts within an element, in order."""
    stack: list[Node | str] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        else:
            stack.extend(reversed(item.children))


def _select(node: Node) -> str:
    """Return the chosen options of a list, all where it shows all, the first where none is."""
    options = list(_options(node))
    chosen = [o for o in options if "selected" in o.attributes]
    if "multiple" in node.attributes or node.get("size") not in {"", "1"}:
        chosen = options
    words = [" ".join("".join(texts(o)).split()) or o.get("label") for o in chosen or options[:1]]
    return ", ".join(word for word in words if word)


def _options(node: Node) -> Iterator[Node]:
    stack: list[Node | str] = [*reversed(node.children)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            continue
        if item.tag == "option":
            yield item
        else:
            stack.extend(reversed(item.children))
