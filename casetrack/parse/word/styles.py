"""Styles of Word documents: heading levels, lists, quotations, what is hidden, bold or large."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
"""Namespace of WordprocessingML, as lxml writes it before names."""

_BODY_LEVEL = 9
_QUOTE_NAMES = frozenset(
    ("quote", "intense quote", "block text", "quotations", "block quotation", "html blockquote")
)
_MAX_CHAIN = 32
_HEADING_NAME = re.compile(r"heading ([1-9])$")


@dataclass(frozen=True, slots=True)
class ListPlace:
    """The list that a paragraph belongs to; without a depth, the list's levels name the style."""

    number_id: str
    depth: int | None
    style: str


@dataclass(frozen=True, slots=True)
class Look:
    """How text looks, as far as it is said at one place; *size* in points."""

    size: float | None = None
    is_bold: bool | None = None
    is_hidden: bool | None = None

    @classmethod
    def of(cls, properties: Any, /) -> Look:
        """Read it from a ``w:rPr``."""
        if properties is None:
            return cls()
        size = _integer(attribute(properties, "sz"))
        return cls(
            size / 2 if size else None, _switch(properties, "b"), _switch(properties, "vanish")
        )

    def over(self, other: Look, /) -> Look:
        """Return this look, where it says nothing the other."""
        return Look(
            other.size if self.size is None else self.size,
            other.is_bold if self.is_bold is None else self.is_bold,
            other.is_hidden if self.is_hidden is None else self.is_hidden,
        )


@dataclass(slots=True)
class _Style:
    name: str
    parent: str | None
    level: int | None
    number_id: str | None
    depth: int | None
    look: Look


def attribute(element: Any, path: str, /) -> str | None:
    """Return the ``w:val`` of the descendant at *path* (names parted by ``/``)."""
    if element is None:
        return None
    found = element.find("/".join(f"{W}{name}" for name in path.split("/")))
    return None if found is None else found.get(f"{W}val")


def is_on(element: Any, path: str, /) -> bool:
    """Tell whether a switch such as ``w:vanish`` is set."""
    if element is None:
        return False
    found = element.find("/".join(f"{W}{name}" for name in path.split("/")))
    return found is not None and found.get(f"{W}val") not in {"0", "false", "off"}


def _switch(element: Any, name: str) -> bool | None:
    return is_on(element, name) if element.find(f"{W}{name}") is not None else None


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None


class Styles:
    """Looks up what a paragraph's properties and styles say together.

    Names of built-in styles are English in every language of Word (only their ids and shown names
    are translated), so ``heading 1`` is found in a German file too.
    """

    def __init__(self, root: Any) -> None:
        self._styles: dict[str, _Style] = {}
        self._characters: dict[str, _Style] = {}
        self._default: str | None = None
        self._usual = Look(10.0, is_bold=False, is_hidden=False)
        if root is None:
            return
        defaults = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self._usual = Look.of(defaults).over(self._usual)
        for element in root.iter(f"{W}style"):
            kind = element.get(f"{W}type", "paragraph")
            if kind not in {"paragraph", "character"}:
                continue
            identity = element.get(f"{W}styleId", "")
            properties = element.find(f"{W}pPr")
            style = _Style(
                (attribute(element, "name") or identity).strip().lower(),
                attribute(element, "basedOn"),
                _integer(attribute(properties, "outlineLvl")),
                attribute(properties, "numPr/numId"),
                _integer(attribute(properties, "numPr/ilvl")),
                Look.of(element.find(f"{W}rPr")),
            )
            if kind == "character":
                self._characters[identity] = style
                continue
            self._styles[identity] = style
            if element.get(f"{W}default") in {"1", "true", "on"}:
                self._default = identity

    def _chain(self, properties: Any) -> list[_Style]:
        """Return the paragraph's style and those it is based on."""
        return _chain(attribute(properties, "pStyle") or self._default, self._styles)

    def paragraph_look(self, properties: Any, /) -> Look:
        """Return how a paragraph's text looks where its runs say nothing."""
        look = Look()
        for style in self._chain(properties):
            look = look.over(style.look)
        return look.over(self._usual)

    def run_look(self, properties: Any, paragraph: Look, /) -> Look:
        """Return how a run looks in a paragraph of that look."""
        if properties is None:
            return paragraph
        look = Look.of(properties)
        for style in _chain(attribute(properties, "rStyle"), self._characters):
            look = look.over(style.look)
        return look.over(paragraph)

    def heading_level(self, properties: Any, /) -> int | None:
        """Return a paragraph's heading level from 1, or ``None``."""
        own = _integer(attribute(properties, "outlineLvl"))
        if own is not None:
            return own + 1 if own < _BODY_LEVEL else None
        for style in self._chain(properties):
            named = _HEADING_NAME.match(style.name)
            if style.level is not None:
                return style.level + 1 if style.level < _BODY_LEVEL else None
            if named:
                return int(named[1])
            if style.name == "title":
                return 1
            if style.name == "subtitle":
                return 2
        return None

    def is_quote(self, properties: Any, /) -> bool:
        """Tell whether the paragraph has a quotation style."""
        return any(s.name in _QUOTE_NAMES for s in self._chain(properties))

    def list_place(self, properties: Any, /) -> ListPlace | None:
        """Return the list of a paragraph, its own or its style's."""
        number_id = attribute(properties, "numPr/numId")
        depth = _integer(attribute(properties, "numPr/ilvl"))
        for style in self._chain(properties):
            if number_id is None and style.number_id is not None:
                number_id = style.number_id
            if depth is None and style.depth is not None:
                depth = style.depth
        if number_id is None or number_id == "0":
            return None
        return ListPlace(number_id, depth, attribute(properties, "pStyle") or "")


def _chain(name: str | None, styles: dict[str, _Style]) -> list[_Style]:
    chain: list[_Style] = []
    while name in styles and len(chain) < _MAX_CHAIN:
        style = styles[name]
        chain.append(style)
        name = style.parent
    return chain
