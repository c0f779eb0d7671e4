"""Changes one entry of a JSON text without changing any other byte.

:func:`put` adds or replaces a value, :func:`drop` removes one. Both detect the layout of the text
(indentation, newlines, compact form, trailing comma) and follow it. New entries are insertions, so
that all old characters are kept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from casetrack.faces.setup import jsonc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.faces.setup.jsonc import Document, Member, Node

Edit = tuple[int, int, str]
"""Start and end of the replaced text, and its replacement."""

_BLANK = " \t\r\n"


def put(text: str, path: Sequence[str], value: Any, /) -> str:
    """Return *text* with *value* at the keys of *path*; missing objects on the way are added.

    *text* may be empty, and may have comments and trailing commas.

    Raises
    ------
    TextInvalid
        The text is not JSON.
    WrongShape
        A value on the way is not an object.
    """
    return _applied(text, put_edits(text, path, value))


def put_edits(text: str, path: Sequence[str], value: Any, /) -> list[Edit]:
    """Return the edits of :func:`put`, from left to right."""
    document = jsonc.Document(text)
    layout = _Layout(document)
    if document.root is None:
        return [layout.beginning(jsonc.nested(path, value))]
    node = _object(document, ())
    for depth, key in enumerate(path):
        member = node.get(key)
        if member is None:
            return layout.insertion(node, key, jsonc.nested(path[depth + 1 :], value))
        if depth == len(path) - 1:
            base = layout.indent_at(member.key_start)
            flat = not layout.on_own_line(member.key_start)
            return [(member.start, member.end, layout.render(value, base, flat=flat))]
        node = _object(document, path[: depth + 1], member)
    raise ValueError("the path is empty")


def drop(text: str, path: Sequence[str], /) -> str:
    """Return *text* without the value at *path*, if any.

    Raises
    ------
    TextInvalid, WrongShape
        As for :func:`put`.
    """
    while True:
        document = jsonc.Document(text)
        members = _find(document, path)
        if members is None:
            return text
        text = _applied(text, _Layout(document).removal(*members))


def value_at(text: str, path: Sequence[str], /) -> Any:
    """Return the Python value at *path* (the root if empty); ``None`` if there is none."""
    document = jsonc.Document(text)
    if not path:
        return None if document.root is None else document.value()
    members = _find(document, path)
    return None if members is None else document.value(members[1].start, members[1].end)


def _find(document: Document, path: Sequence[str]) -> tuple[Node, Member] | None:
    if document.root is None:
        return None
    node, member = _object(document, ()), None
    for depth, key in enumerate(path):
        if member is not None:
            node = _object(document, path[:depth], member)
        member = node.get(key)
        if member is None:
            return None
    return None if member is None else (node, member)


def _object(document: Document, path: Sequence[str], member: Member | None = None) -> Node:
    """Return the object that is the value of a member, by default that of the whole text."""
    start, end = (document.root or 0, None) if member is None else (member.start, member.end)
    if document.text[start] == "{":
        return document.object_at(start)
    value = document.value(start, end)
    shown = jsonc.found_words(value)
    raise jsonc.WrongShape(path, json.dumps(shown) if isinstance(value, str) else shown)


def _applied(text: str, edits: Sequence[Edit]) -> str:
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


class _Layout:
    """How a text is laid out."""

    def __init__(self, document: Document) -> None:
        self.text = text = document.text
        self.newline = jsonc.newline_of(text)
        self.unit, self.tight = "  ", False
        start = document.root
        if (
            start is None
            or text[start] != "{"
            or not (members := document.object_at(start).members)
        ):
            return
        member = members[0]
        self.tight = text[member.start - 1] == ":"
        indent = self.indent_at(member.key_start).removeprefix(self.indent_at(start))
        if self.on_own_line(member.key_start) and indent:
            self.unit = indent

    def line_start(self, position: int) -> int:
        """Return the offset at which the line of *position* starts."""
        return max(self.text.rfind("\n", 0, position), self.text.rfind("\r", 0, position)) + 1

    def on_own_line(self, position: int) -> bool:
        """Return whether *position* is the first of a line that is not the first of the text."""
        start = self.line_start(position)
        return start > 0 and not self.text[start:position].strip(" \t")

    def indent_at(self, position: int) -> str:
        """Return the white space at the start of the line in which *position* is."""
        line = self.text[self.line_start(position) : position]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def render(self, value: Any, base: str, *, flat: bool) -> str:
        """Return *value* as JSON in this layout, its further lines behind *base*."""
        if flat:
            separators = (",", ":") if self.tight else (", ", ": ")
            return json.dumps(value, ensure_ascii=False, separators=separators)
        text = json.dumps(value, ensure_ascii=False, indent=self.unit)
        return text.replace("\n", self.newline + base)

    def beginning(self, value: Any) -> Edit:
        """Return the edit that writes *value* into a text without any."""
        place = len(self.text.rstrip(_BLANK))
        lead = self.newline if place else ""
        tail = "" if self.text else self.newline
        return place, place, lead + self.render(value, "", flat=False) + tail

    def insertion(self, node: Node, key: str, value: Any) -> list[Edit]:
        """Return the edits that enter a member at the end of an object."""
        return self._behind_last(node, key, value) if node.members else self._only(node, key, value)

    def _behind_last(self, node: Node, key: str, value: Any) -> list[Edit]:
        last = node.members[-1]
        trailing = last.comma is not None
        behind = last.end if last.comma is None else last.comma + 1
        place = jsonc.behind_comments(self.text, behind)  # a note on its line stays with the value
        wide = self.on_own_line(last.key_start) or "//" in self.text[behind:place]
        base = self.indent_at(last.key_start)
        lead = self.newline + base if wide else "" if self.tight else " "
        member = lead + self._member(key, value, base, flat=not wide) + ("," if trailing else "")
        if trailing:
            return [(place, place, member)]
        if place == behind:
            return [(behind, behind, "," + member)]
        return [(behind, behind, ","), (place, place, member)]

    def _only(self, node: Node, key: str, value: Any) -> list[Edit]:
        inside = self.text[node.start + 1 : node.end - 1]
        kept = len(inside.rstrip(_BLANK))
        place = node.start + 1 + kept
        whole = self.text.strip(_BLANK)
        if whole.count("\n") == 0 and whole != self.text[node.start : node.end]:
            return [(place, place, self._member(key, value, "", flat=True))]
        outer = self.indent_at(node.start)
        base = outer + self.unit
        rest = inside[kept:]
        tail = "" if "\n" in rest or "\r" in rest else self.newline + outer
        member = self.newline + base + self._member(key, value, base, flat=False) + tail
        return [(place, place, member)]

    def _member(self, key: str, value: Any, base: str, *, flat: bool) -> str:
        colon = ":" if flat and self.tight else ": "
        name = json.dumps(key, ensure_ascii=False)
        return name + colon + self.render(value, base, flat=flat)

    def removal(self, node: Node, member: Member) -> list[Edit]:
        """Return the edits that remove a member, the inverse of :meth:`insertion`."""
        index = next(i for i, m in enumerate(node.members) if m is member)
        comma = node.members[index - 1].comma if index else None
        gap_start = node.start + 1 if comma is None else comma + 1
        notes = jsonc.comments(self.text, gap_start, member.key_start)
        start = notes[-1][1] if notes else gap_start
        end = member.end if member.comma is None else member.comma + 1
        if len(node.members) == 1 and not notes and not self.text[end : node.end - 1].strip():
            return [(gap_start, node.end - 1, "")]
        if notes and self.text.startswith("//", notes[-1][0]) and not self._line_ends(end):
            start = member.key_start  # Otherwise the comment would include the following text.
        edits: list[Edit] = [(start, end, "")]
        if comma is not None and member.comma is None:
            edits.insert(0, (comma, comma + 1, ""))
        return edits

    def _line_ends(self, position: int) -> bool:
        rest = self.text[position:].lstrip(" \t")
        return not rest or rest[0] in "\r\n"
