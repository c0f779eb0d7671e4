"""SmartArt: the texts of a diagram, in the order and hierarchy of its data model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.parse.drawn.names import DGM, integer
from casetrack.parse.drawn.text import Block, ListStyle, body_blocks
from casetrack.parse.list_labels import BULLET

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN = {None, "node", "asst"}


def diagram_blocks(root: Any, /) -> Iterator[Block]:
    """Yield the texts of a ``dgm:dataModel``, parents before their children."""
    points = {p.get("modelId", ""): p for p in root.iter(f"{DGM}pt")}
    for identity in _in_order(root, points):
        point = points[identity]
        body = point.find(f"{DGM}t")
        if body is None or point.get("type") not in _SHOWN:
            continue
        for block in body_blocks(body, ListStyle()):
            if block.kind == "list":
                yield block
            else:
                yield Block((f"{BULLET} {block.lines[0]}", *block.lines[1:]), "list")


def _in_order(root: Any, points: dict[str, Any]) -> list[str]:
    """Return the ids from the document's root downwards; loose points follow as they stand."""
    children: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter(f"{DGM}cxn"):
        if link.get("type", "parOf") == "parOf":
            place = (integer(link.get("srcOrd"), 0) or 0, link.get("destId", ""))
            children.setdefault(link.get("srcId", ""), []).append(place)
    waiting = [i for i, p in points.items() if p.get("type") == "doc"][::-1]
    order: dict[str, None] = {}
    while waiting:
        identity = waiting.pop()
        if identity in order or identity not in points:
            continue
        order[identity] = None
        below = sorted(children.get(identity, ()), key=lambda place: place[0])
        waiting += [child for _, child in reversed(below)]
    return [*order, *(i for i in points if i not in order)]
