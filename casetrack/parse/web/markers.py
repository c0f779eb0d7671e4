"""Bullets and numbers of HTML lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.parse.labels import BULLET, number_text

if TYPE_CHECKING:
    from casetrack.parse.web.dom import Node

_NO_MARKER = re.compile(r"list-style(?:-type)?\s*:[^;]*\bnone\b", re.IGNORECASE)
_STYLE_TYPE = re.compile(r"list-style(?:-type)?\s*:\s*([\w-]+)", re.IGNORECASE)
_TYPES = {
    "a": "a",
    "A": "A",
    "i": "i",
    "I": "I",
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
}
_MAX_STYLE = 1000
_BULLETS = frozenset({"disc", "circle", "square"})
_ROMAN = {"i": "lowerRoman", "I": "upperRoman"}


@dataclass(slots=True)
class ListState:
    """An open list: what it counts with, and where it stands."""

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
        """Return the mark of the next item."""
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
    found = _STYLE_TYPE.search(style) if style else None
    if found:
        word = found[1].lower()
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
