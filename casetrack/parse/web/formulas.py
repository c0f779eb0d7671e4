"""Formulas in MathML as a line of text."""

from __future__ import annotations

from casetrack.parse.web.dom import Node

PARTED = frozenset({"mfrac", "msub", "msubsup", "msup", "mtd", "mtr"})
"""Elements whose parts would run into each other."""


def parts(node: Node, /) -> list[Node | str]:
    """Return the children of an element of :data:`PARTED`, with what parts them."""
    children = [c for c in node.children if isinstance(c, Node)]
    if node.tag == "mfrac" and len(children) == 2:
        return [children[0], "/", children[1]]
    scripts = {"msup": ("sup",), "msub": ("sub",), "msubsup": ("sub", "sup")}.get(node.tag)
    if scripts and len(children) == len(scripts) + 1:
        return [children[0], *map(_wrapped, scripts, children[1:])]
    return [" ", *node.children, " "]


def _wrapped(tag: str, child: Node) -> Node:
    node = Node(tag)
    node.children.append(child)
    return node
