"""The parsed parts of a Word document."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.frame import graphics_of
from casetrack.parse.labels import BULLET, number_text
from casetrack.parse.unseen import WHITE, Look, hex_color

if TYPE_CHECKING:
    from casetrack.parse.package import Package

# Styles of Word documents: heading levels, lists, quotations, hidden, bold and large text.

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
    """The list of a paragraph; without a depth, the list's levels name the style."""

    number_id: str
    depth: int | None
    style: str


_HIGHLIGHTS = {"black": "000000", "white": WHITE, "yellow": "ffff00", "none": None}


def look_of(properties: Any, paragraph: Any = None, /) -> Look:
    """Read the look of a ``w:rPr``, its ground also from a ``w:pPr``."""
    size, marked = _integer(attribute(properties, "sz")), attribute(properties, "highlight")
    grounds = (None if marked is None else _HIGHLIGHTS.get(marked, ""), shade(properties))
    return Look(
        size / 2 if size else None,
        _switch(properties, "b"),
        _switch(properties, "vanish"),
        hex_color(attribute(properties, "color")),
        next((g for g in grounds if g is not None), shade(paragraph)),
    )


def shade(properties: Any, /) -> str | None:
    """Return the colour of a ``w:shd``, ``None`` without a shade."""
    element = None if properties is None else properties.find(f"{W}shd")
    if element is None:
        return None
    pattern, fill = element.get(f"{W}val"), element.get(f"{W}fill", "auto")
    if pattern == "solid":
        return hex_color(element.get(f"{W}color"))
    return "" if pattern != "clear" else None if fill == "auto" else hex_color(fill)


@dataclass(slots=True)
class _Style:
    name: str
    parent: str | None
    level: int | None
    number_id: str | None
    depth: int | None
    look: Look


def attribute(element: Any, path: str, /) -> str | None:
    """Return the ``w:val`` of the descendant at *path* (names separated by ``/``)."""
    if element is None:
        return None
    descendant = element.find("/".join(f"{W}{name}" for name in path.split("/")))
    return None if descendant is None else descendant.get(f"{W}val")


def is_on(element: Any, path: str, /) -> bool:
    """Return whether a switch such as ``w:vanish`` is set."""
    if element is None:
        return False
    descendant = element.find("/".join(f"{W}{name}" for name in path.split("/")))
    return descendant is not None and descendant.get(f"{W}val") not in {"0", "false", "off"}


def _switch(element: Any, name: str) -> bool | None:
    is_set = element is not None and element.find(f"{W}{name}") is not None
    return is_on(element, name) if is_set else None


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None


class Styles:
    """Resolves a paragraph's properties and styles; names of built-in styles are always English."""

    def __init__(self, root: Any) -> None:
        self._styles: dict[str, _Style] = {}
        self._characters: dict[str, _Style] = {}
        self._default: str | None = None
        self._usual = Look(10.0, is_bold=False, is_hidden=False)
        if root is None:
            return
        defaults = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self._usual = look_of(defaults).over(self._usual)
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
                look_of(element.find(f"{W}rPr"), properties),
            )
            if kind == "character":
                self._characters[identity] = style
                continue
            self._styles[identity] = style
            if element.get(f"{W}default") in {"1", "true", "on"}:
                self._default = identity

    def _chain(self, properties: Any) -> list[_Style]:
        return _chain(attribute(properties, "pStyle") or self._default, self._styles)

    def paragraph_look(self, properties: Any, /) -> Look:
        """Return the look of a paragraph's text without run properties."""
        look = look_of(None, properties)
        for style in self._chain(properties):
            look = look.over(style.look)
        return look.over(self._usual)

    def run_look(self, properties: Any, paragraph: Look, /) -> Look:
        """Return the look of a run in a paragraph of that look."""
        if properties is None:
            return paragraph
        look = look_of(properties)
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
        """Return whether the paragraph has a quotation style."""
        return any(s.name in _QUOTE_NAMES for s in self._chain(properties))

    def list_place(self, properties: Any, /) -> ListPlace | None:
        """Return the list of a paragraph, direct or by its style."""
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


# Numbers and bullets of Word lists, which Word shows before paragraphs according to
# ``numbering.xml``.

_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    text: str = ""
    is_legal: bool = False
    style: str | None = None


@dataclass(slots=True)
class _Abstract:
    levels: dict[int, _Level] = field(default_factory=dict)
    style_link: str | None = None


@dataclass(slots=True)
class _List:
    abstract: str
    overrides: dict[int, _Level] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)


def _value(element: Any, name: str) -> str | None:
    child = None if element is None else element.find(f"{W}{name}")
    return None if child is None else child.get(f"{W}val")


def _integer_or(text: str | None, default: int) -> int:
    try:
        return default if text is None else int(text)
    except ValueError:
        return default


def _level(element: Any) -> _Level:
    legal = element.find(f"{W}isLgl")
    return _Level(
        start=_integer_or(_value(element, "start"), 0),
        form=_value(element, "numFmt") or "decimal",
        text=_value(element, "lvlText") or "",
        is_legal=legal is not None and legal.get(f"{W}val") not in {"0", "false"},
        style=_value(element, "pStyle"),
    )


class Numbering:
    """Counts the list paragraphs of one document; *root* is that of ``numbering.xml``, if any."""

    def __init__(self, root: Any) -> None:
        self._abstracts: dict[str, _Abstract] = {}
        self._lists: dict[str, _List] = {}
        self._counters: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()
        if root is None:
            return
        for element in root.iter(f"{W}abstractNum"):
            abstract = _Abstract(style_link=_value(element, "numStyleLink"))
            for level in element.iter(f"{W}lvl"):
                abstract.levels[_integer_or(level.get(f"{W}ilvl"), 0)] = _level(level)
            self._abstracts[element.get(f"{W}abstractNumId", "")] = abstract
        for element in root.iter(f"{W}num"):
            numbered = _List(_value(element, "abstractNumId") or "")
            for override in element.iter(f"{W}lvlOverride"):
                depth = _integer_or(override.get(f"{W}ilvl"), 0)
                start = _value(override, "startOverride")
                if start is not None:
                    numbered.starts[depth] = _integer_or(start, 1)
                level = override.find(f"{W}lvl")
                if level is not None:
                    numbered.overrides[depth] = _level(level)
            self._lists[element.get(f"{W}numId", "")] = numbered

    def label(self, place: ListPlace, /) -> str:
        """Count one paragraph and return its label; empty without one."""
        number_id = place.number_id
        numbered = self._lists.get(number_id)
        if numbered is None:
            return ""
        levels = self._levels(numbered)
        depth = place.depth
        if depth is None:
            depth = next((d for d, v in levels.items() if v.style == place.style != ""), 0)
        level = levels.get(depth)
        if level is None:
            return ""
        if level.form == "bullet":
            return BULLET if level.text.strip() else ""
        counters = self._counters.setdefault(numbered.abstract, {})
        if depth in numbered.starts and (number_id, depth) not in self._begun:
            counters[depth] = numbered.starts[depth] - 1
        self._begun.add((number_id, depth))
        counters[depth] = counters.get(depth, level.start - 1) + 1
        for deeper in [d for d in counters if d > depth]:
            del counters[deeper]

        def put(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            inner = levels.get(at, _Level())
            form = "decimal" if level.is_legal and inner.form != "none" else inner.form
            return number_text(counters.get(at, inner.start), form)

        return _PLACE.sub(put, level.text).strip()

    def _levels(self, numbered: _List) -> dict[int, _Level]:
        abstract = self._abstracts.get(numbered.abstract, _Abstract())
        levels = abstract.levels
        if not levels and abstract.style_link:
            # The abstract list of the linked style contains the levels.
            others = (a for a in self._abstracts.values() if a.levels)
            levels = next(others, _Abstract()).levels
        merged = dict(levels)
        for depth, level in numbered.overrides.items():
            base = merged.get(depth, level)
            merged[depth] = replace(level, start=level.start or base.start)
        return merged


_SIDE_PARTS = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}


@dataclass(slots=True)
class Parts:
    """The parsed parts of a document.

    *side_texts* are footnotes, endnotes and comments by kind and id; *heads* and *links* have
    relation ids as keys, *graphics* part names (unreadable ones are ``None``). Results of
    *unstable_fields* are omitted; *left_out_fields* are those that occurred.
    """

    body: Any
    styles: Styles
    numbering: Numbering
    side_texts: dict[tuple[str, str], Any] = field(default_factory=dict)
    heads: dict[str, Any] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    graphics: dict[str, Any] = field(default_factory=dict)
    has_even_heads: bool = False
    unstable_fields: frozenset[str] = frozenset()
    left_out_fields: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, package: Package, /) -> Parts:
        """Read the parts; report damage as missing, or raise ``ParseFailed`` for a damaged body."""
        main = next((t for k, t in package.relations("").values() if k == "officeDocument"), None)
        if main is None or main not in package:
            main = "word/document.xml"
        root = package.xml(main)
        body = root.find(f"{W}body")
        if body is None:
            raise package.failed("it has no document body")
        related = package.relations(main)
        graphics: dict[str, Any] = {}
        by_kind = dict(related.values())
        missing: list[str] = []

        def part(target: str, what: str) -> Any:
            try:
                if target not in package:
                    return None
                parsed = package.xml(target)
                graphics.update(graphics_of(package, target, parsed, missing))
            except ParseFailed as error:
                missing.append(f"The {what} cannot be read: {error.message}")
                return None
            return parsed

        parts = cls(
            body,
            Styles(part(by_kind.get("styles", ""), "styles")),
            Numbering(part(by_kind.get("numbering", ""), "numbers of lists")),
            graphics=graphics,
            missing=missing,
        )
        graphics.update(graphics_of(package, main, root, missing))
        for name, kind in _SIDE_PARTS.items():
            texts = part(by_kind.get(name, ""), name)
            for text in () if texts is None else texts.iter(f"{W}{kind}"):
                parts.side_texts[kind, text.get(f"{W}id", "")] = text
        for identity, (kind, target) in related.items():
            if kind in {"header", "footer"}:
                parts.heads[identity] = part(target, kind)
        parts.links = package.links(main)
        parts.has_even_heads = is_on(
            part(by_kind.get("settings", ""), "settings"), "evenAndOddHeaders"
        )
        if body.find(f".//{W}altChunk") is not None:
            parts.missing.append("A file inserted as a whole (altChunk) was left out.")
        return parts
