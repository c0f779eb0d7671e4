"""Joins the text of inline elements into lines, with white space as in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from casetrack.parse.labels import BULLET, number_text
from casetrack.parse.web.dom import Node

# Bullets and numbers of HTML lists.

_NO_MARKER = re.compile(r"list-style(?:-type)?\s*:[^;]*\bnone\b", re.IGNORECASE)
_STYLE_TYPE = re.compile(r"list-style(?:-type)?\s*:\s*([\w-]+)", re.IGNORECASE)
_TYPES = {kind: kind for kind in "aAiI"} | {
    f"{case}-{name}": letter.upper() if case == "upper" else letter
    for case in ("lower", "upper")
    for name, letter in (("alpha", "a"), ("latin", "a"), ("roman", "i"))
}
_MAX_STYLE = 1000
_BULLETS = frozenset({"disc", "circle", "square"})
_ROMAN = {"i": "lowerRoman", "I": "upperRoman"}


@dataclass(slots=True)
class ListState:
    """An open list: its style and its current number."""

    ordered: bool
    form: str
    next: int
    step: int = 1

    @classmethod
    def of(cls, node: Node, /) -> ListState:
        """Return the state at the start of a list."""
        form = _form(node)
        ordered = node.tag == "ol" and form not in {"none", "bullet"}
        items = sum(1 for c in node.children if not isinstance(c, str) and c.tag == "li")
        is_reversed = ordered and "reversed" in node.attributes
        start = _integer(node.get("start"))
        first = start if start is not None else (items if is_reversed else 1)
        return cls(ordered, form, first, -1 if is_reversed else 1)

    def marker(self, item: Node, /) -> str:
        """Return the label of the next item."""
        if not self.ordered:
            return "" if self.form == "none" or _form(item) == "none" else BULLET
        value = _integer(item.get("value"))
        number = self.next if value is None else value
        self.next = number + self.step
        form = _form(item)
        if form == "none":
            return ""
        return f"{_written(number, _TYPES.get(item.get('type'), self.form))}."


def _form(node: Node) -> str:
    style = node.get("style")[:_MAX_STYLE]
    if style and _NO_MARKER.search(style):
        return "none"
    match = _STYLE_TYPE.search(style) if style else None
    if match:
        word = match[1].lower()
        return "bullet" if word in _BULLETS else _TYPES.get(word, "1")
    return _TYPES.get(node.get("type"), "1")


def _integer(text: str) -> int | None:
    text = text.strip()
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 9:
        return None
    return int(text)


def _written(number: int, form: str) -> str:
    if form in {"a", "A"} and 0 < number < 10_000:
        letters = ""
        while number > 0:
            number, rest = divmod(number - 1, 26)
            letters = chr(97 + rest) + letters
        return letters.upper() if form == "A" else letters
    return number_text(number, _ROMAN.get(form, "decimal"))


# Text shown by form fields and pictures.

_CONTROLS = frozenset({"img", "input", "select", "textarea", "area"})
_SILENT_INPUTS = frozenset({"hidden", "password", "color", "range"})
_CHECKS = frozenset({"checkbox", "radio"})
_FILE_NAME = re.compile(r"[\w.-]+\.(?:gif|jpe?g|png|svg|webp|bmp|ico)", re.IGNORECASE)


def is_control(node: Node, /) -> bool:
    """Return whether an element is a form field or a picture."""
    return node.tag in _CONTROLS


def shown(node: Node, /) -> str:
    """Return the text that a form field or a picture shows; empty without one."""
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
    """Return the chosen options of a list (default: the first), all if it displays all."""
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


# Formulas in MathML as a line of text.

PARTED = frozenset({"mfrac", "msub", "msubsup", "msup", "mtd", "mtr"})
"""Elements whose parts need separators."""


def parts(node: Node, /) -> list[Node | str]:
    """Return the children of an element of :data:`PARTED`, with their separators."""
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


_SPACES = " \t\n\r\f"
_BLANK = re.compile(f"[{_SPACES}]+")
_BREAK = re.compile(r"\r\n?|\n")


class LineMaker:
    """Collects the lines of one block."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.length = 0
        self._parts: list[str] = []
        self._space = False
        self._script = ""

    @property
    def is_empty(self) -> bool:
        """Whether the current line has no text yet."""
        return not self._parts

    @property
    def last(self) -> str:
        """The last character of the line, a pending space, or empty at its start."""
        if self._space:
            return " "
        return self._parts[-1][-1:] if self._parts else ""

    def text(self, text: str, /, *, keeps_space: bool = False) -> None:
        """Add text; *keeps_space* keeps its white space and line breaks."""
        self.length += len(text)
        if keeps_space:
            self._kept(text)
            return
        words = _BLANK.sub(" ", text)
        if words[:1] == " ":
            self._space = True
        body = words.strip(" ")
        if not body:
            return
        self._add(body)
        self._space = words[-1] == " "

    def mark(self, mark: str, /) -> None:
        """Add a mark that is not text; pending white space is kept."""
        self._parts.append(mark)

    def open_script(self, mark: str, /) -> None:
        """Begin raised or lowered text: ``sup``, ``sub``, or the mark before it."""
        self._script = mark

    def close_script(self) -> None:
        """End raised or lowered text; a following digit is separated."""
        if self._script != "after" and self.last.isdigit():
            self._script = "after"
        else:
            self._script = ""

    def _before_script(self, body: str) -> str:
        """Return the separator between digits of raised, lowered and plain text."""
        script, self._script = self._script, ""
        if script == "after":
            return " " if body[0].isdigit() and not self._space else ""
        if script not in {"sup", "sub"}:
            return script
        if script == "sup" and body[0].isdigit() and self.last.isalnum():
            return "^"
        return "_" if body[0].isdigit() and self.last.isdigit() else ""

    def _add(self, body: str) -> None:
        if self._script:
            body = self._before_script(body) + body
        if self._space and self._parts:
            self._parts.append(" ")
        self._space = False
        self._parts.append(body)

    def _kept(self, text: str) -> None:
        first, *rest = _BREAK.split(text)
        if first:
            if self._space and self._parts:
                self._parts.append(" ")
            self._space = False
            self._parts.append(first)
        for line in rest:
            self.new_line()
            if line:
                self._parts.append(line)

    def space(self) -> None:
        """Separate the following text by a space."""
        self._space = True

    def new_line(self) -> None:
        """End the line."""
        self.lines.append("".join(self._parts))
        self._parts = []
        self._space = False

    def take(self) -> list[str]:
        """Return the lines and reset the state."""
        self.new_line()
        lines, self.lines, self.length = self.lines, [], 0
        return lines
