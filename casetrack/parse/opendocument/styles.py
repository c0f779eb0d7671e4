"""Styles of an OpenDocument file: what they say about breaks, lists, headings, visibility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.parse.opendocument.names import FO, OFFICE, PRESENTATION, STYLE, TEXT, count

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_CHAIN = 32
MAX_LEVEL = 10
"""Lists and outlines have ten levels."""


@dataclass(frozen=True, slots=True)
class StyleFacts:
    """One ``style:style``; attributes are ``None`` where it does not say."""

    name: str
    parent: str | None
    list_style: str | None
    master: str | None
    break_before: str | None
    break_after: str | None
    is_bold: bool | None
    is_hidden: bool | None
    page: dict[str, str]
    """Properties of a drawing page."""


@dataclass(frozen=True, slots=True)
class ListLevel:
    """How one level of a list or an outline is marked."""

    is_number: bool
    form: str = ""
    prefix: str = ""
    suffix: str = ""
    shown: int = 1
    start: int = 1
    has_sign: bool = True


class Styles:
    """Looks styles up by family and name.

    Parameters
    ----------
    automatic
        Root of the part whose automatic styles count: styles of the same name differ by part.
    common
        Root of the part with the named styles, list styles and the outline.
    """

    def __init__(self, automatic: Any, common: Any) -> None:
        self._styles: dict[tuple[str, str], StyleFacts] = {}
        self._lists: dict[str, dict[int, ListLevel]] = {}
        self.outline: dict[int, ListLevel] = {}
        for root, place in ((common, "styles"), (automatic, "automatic-styles")):
            for holder in () if root is None else root.iterfind(f"{OFFICE}{place}"):
                self._add(holder)

    def _add(self, holder: Any) -> None:
        for element in holder:
            if element.tag == f"{STYLE}style":
                key = (element.get(f"{STYLE}family", ""), element.get(f"{STYLE}name", ""))
                self._styles[key] = _facts(element)
            elif element.tag == f"{TEXT}list-style":
                self._lists[element.get(f"{STYLE}name", "")] = _levels(element)
            elif element.tag == f"{TEXT}outline-style":
                self.outline = _levels(element)

    def chain(self, family: str, name: str | None, /) -> Iterator[StyleFacts]:
        """Yield a style and those it is based on."""
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get((family, name or ""))
            if style is None:
                return
            yield style
            name = style.parent

    def list_levels(self, name: str | None, /) -> dict[int, ListLevel]:
        """Return the levels of a list style; empty where it is not known."""
        return self._lists.get(name or "", {})

    def begins_page(self, family: str, name: str | None, /) -> tuple[bool, str | None]:
        """Tell whether a page begins before what has this style, and with which master page."""
        chain = list(self.chain(family, name))
        master = next((s.master for s in chain if s.master is not None), "")
        before = next((s.break_before for s in chain if s.break_before is not None), "")
        return before == "page" or bool(master), master or None

    def ends_page(self, family: str, name: str | None, /) -> bool:
        """Tell whether a page begins after what has this style."""
        after = (s.break_after for s in self.chain(family, name) if s.break_after is not None)
        return next(after, "") == "page"

    def is_named(self, name: str | None, *names: str) -> bool:
        """Tell whether a paragraph style is one of *names* or based on one."""
        chain = self.chain("paragraph", name)
        return name in names or any(s.name in names or s.parent in names for s in chain)

    def is_hidden(self, family: str, name: str | None, /) -> bool:
        """Tell whether text of this style is not shown."""
        known = (s.is_hidden for s in self.chain(family, name) if s.is_hidden is not None)
        return next(known, False)

    def is_bold(self, family: str, name: str | None, /) -> bool:
        """Tell whether text of this style is bold."""
        known = (s.is_bold for s in self.chain(family, name) if s.is_bold is not None)
        return next(known, False)

    def page_property(self, name: str | None, key: str, /) -> str | None:
        """Return a property of a drawing page such as ``display-footer``."""
        known = (s.page[key] for s in self.chain("drawing-page", name) if key in s.page)
        return next(known, None)


def _facts(element: Any) -> StyleFacts:
    found: dict[str, Any] = {}
    page: dict[str, str] = {}
    for properties in element:
        tag = properties.tag
        if tag in {f"{STYLE}paragraph-properties", f"{STYLE}table-properties"}:
            found["before"] = properties.get(f"{FO}break-before")
            found["after"] = properties.get(f"{FO}break-after")
        elif tag == f"{STYLE}text-properties":
            weight, display = properties.get(f"{FO}font-weight"), properties.get(f"{TEXT}display")
            found["bold"] = None if weight is None else weight in {"bold", "700", "800", "900"}
            found["hidden"] = None if display is None else display == "none"
        elif tag == f"{STYLE}drawing-page-properties":
            page = {
                name.removeprefix(PRESENTATION): value
                for name, value in properties.attrib.items()
                if name.startswith(PRESENTATION)
            }
    return StyleFacts(
        element.get(f"{STYLE}name", ""),
        element.get(f"{STYLE}parent-style-name"),
        element.get(f"{STYLE}list-style-name"),
        element.get(f"{STYLE}master-page-name"),
        found.get("before"),
        found.get("after"),
        found.get("bold"),
        found.get("hidden"),
        page,
    )


def _levels(element: Any) -> dict[int, ListLevel]:
    levels = {}
    for level in element:
        number = count(level, f"{TEXT}level", most=MAX_LEVEL)
        if level.tag in {f"{TEXT}list-level-style-number", f"{TEXT}outline-level-style"}:
            levels[number] = ListLevel(
                is_number=True,
                form=level.get(f"{STYLE}num-format", ""),
                prefix=level.get(f"{STYLE}num-prefix", ""),
                suffix=level.get(f"{STYLE}num-suffix", ""),
                shown=count(level, f"{TEXT}display-levels", most=MAX_LEVEL),
                start=_start(level),
            )
        elif level.tag == f"{TEXT}list-level-style-bullet":
            sign = level.get(f"{TEXT}bullet-char", "")
            levels[number] = ListLevel(is_number=False, has_sign=bool(sign.strip()))
        elif level.tag == f"{TEXT}list-level-style-image":
            levels[number] = ListLevel(is_number=False)
    return levels


def _start(level: Any) -> int:
    return (
        count(level, f"{TEXT}start-value", most=10**8, least=0)
        if (f"{TEXT}start-value" in level.attrib)
        else 1
    )
