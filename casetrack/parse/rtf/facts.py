r"""Facts that an RTF file states about itself: the ``\info`` group and the style sheet."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.base.years import recorded
from casetrack.parse.page_builder import clean_title

if TYPE_CHECKING:
    from casetrack.parse.base import ParagraphKind

TEXTS = frozenset(
    {"title", "subject", "author", "manager", "company", "category", "keywords", "doccomm"}
)
DATES = frozenset({"creatim", "revtim"})
_DATE_PARTS = {"yr": 0, "mo": 1, "dy": 2, "hr": 3, "min": 4, "sec": 5}
_PROPERTIES = {name: name for name in ("subject", "keywords", "category", "company", "manager")}
_PROPERTIES["doccomm"] = "description"
_HEADING = re.compile(r"(?:heading|überschrift|titre) ([1-9])$")
_TITLES = {"title": 1, "subtitle": 2}
_QUOTES = frozenset({"quote", "intense quote", "quotations"})
_BODY_LEVEL = 9
_MAX_PARENTS = 32
_MAX_TEXT = 10_000


@dataclass(slots=True)
class Info:
    r"""The ``\info`` group."""

    texts: dict[str, str] = field(default_factory=dict)
    dates: dict[str, list[int]] = field(default_factory=dict)

    def text(self, name: str, text: str, /) -> None:
        """Add a piece of a text."""
        self.texts[name] = (self.texts.get(name, "") + text)[:_MAX_TEXT]

    def date_part(self, name: str, part: str, number: int | None, /) -> None:
        """Set a part of a date."""
        if part in _DATE_PARTS:
            parts = self.dates.setdefault(name, [0, 1, 1, 0, 0, 0])
            parts[_DATE_PARTS[part]] = number or 0

    def date(self, name: str, /) -> dt.datetime | None:
        """Return a date; RTF has no time zone, so UTC is assumed."""
        parts = self.dates.get(name)
        if parts is None:
            return None
        try:
            year, month, day, hour, minute, second = parts
            return recorded(dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.UTC))
        except (ValueError, OverflowError):
            return None

    def properties(self) -> tuple[tuple[str, str], ...]:
        """Return further facts by name."""
        values = ((name, clean_title(self.texts.get(word))) for word, name in _PROPERTIES.items())
        return tuple((name, text) for name, text in values if text)


@dataclass(slots=True)
class Style:
    """A paragraph style."""

    name: str = ""
    outline: int | None = None
    parent: int | None = None


@dataclass(slots=True)
class Styles:
    """The style sheet."""

    styles: dict[int, Style] = field(default_factory=dict)

    def _chain(self, number: int | None) -> list[Style]:
        chain: list[Style] = []
        while number in self.styles and len(chain) < _MAX_PARENTS:
            style = self.styles[number]
            chain.append(style)
            number = style.parent
        return chain

    def place(self, number: int | None, outline: int | None, /) -> tuple[ParagraphKind, int | None]:
        """Return a paragraph's kind and heading level from its style and its outline level."""
        if outline is not None and 0 <= outline < _BODY_LEVEL:
            return "heading", outline + 1
        for style in self._chain(number):
            name = style.name.strip(" ;").lower()
            if outline is None and style.outline is not None and 0 <= style.outline < _BODY_LEVEL:
                return "heading", style.outline + 1
            named = _HEADING.match(name)
            if named and outline is None:
                return "heading", int(named[1])
            if name in _TITLES and outline is None:
                return "heading", _TITLES[name]
            if name in _QUOTES:
                return "quote", None
        return "body", None
