"""Numbers and bullets of lists and headings, as the program shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.parse.list_labels import BULLET, number_text
from casetrack.parse.opendocument.names import TEXT, XML, count
from casetrack.parse.opendocument.styles import MAX_LEVEL, ListLevel

if TYPE_CHECKING:
    from casetrack.parse.opendocument.styles import Styles

_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "": "none",
}
_UNKNOWN = ListLevel(is_number=False)
Counts = dict[int, int]
"""Number reached at each level."""


@dataclass(slots=True)
class ListPlace:
    """An open ``text:list``: its style, its level from 1, the numbers counted so far.

    *is_item* tells an open item from a ``text:list-header``, which is no item; *has_label* whether
    the next paragraph gets its number, *start* that number where the item sets it.
    """

    style: str | None
    level: int
    counts: Counts
    is_item: bool = False
    has_label: bool = False
    start: int | None = None


@dataclass(slots=True)
class Lists:
    """Counts the list items and headings of one document."""

    styles: Styles
    _by_style: dict[str | None, Counts] = field(default_factory=dict)
    _by_id: dict[str, Counts] = field(default_factory=dict)
    _outline: Counts = field(default_factory=dict)

    def enter(self, element: Any, outer: ListPlace | None, /) -> ListPlace:
        """Open a list inside another one or none."""
        style = element.get(f"{TEXT}style-name") or (None if outer is None else outer.style)
        goes_on = element.get(f"{TEXT}continue-numbering") == "true"
        if outer is not None:
            level = min(outer.level + 1, MAX_LEVEL)
            if not goes_on:
                outer.counts.pop(level, None)
            return ListPlace(style, level, outer.counts)
        other = element.get(f"{TEXT}continue-list")
        if other is not None:
            counts = self._by_id.get(other, {})
        else:
            counts = self._by_style.get(style, {}) if goes_on else {}
        self._by_style[style] = counts
        identity = element.get(f"{XML}id")
        if identity:
            self._by_id[identity] = counts
        return ListPlace(style, 1, counts)

    def item(self, place: ListPlace, element: Any, /) -> None:
        """Open an item; its number is counted when its first paragraph comes."""
        place.is_item = place.has_label = element.tag == f"{TEXT}list-item"
        has_start = f"{TEXT}start-value" in element.attrib
        start = count(element, f"{TEXT}start-value", most=10**8, least=0)
        place.start = start if has_start else None

    def label(self, place: ListPlace, /) -> str:
        """Return what stands before a paragraph of the open item; only the first has it."""
        if not place.has_label:
            return ""
        place.has_label = False
        levels = self.styles.list_levels(place.style)
        return self._count(levels, place.counts, place.level, place.start)

    def heading(self, level: int, /, *, start: int | None = None) -> str:
        """Count a heading and return its number, where headings are numbered."""
        if level not in self.styles.outline:
            return ""
        return self._count(self.styles.outline, self._outline, min(level, MAX_LEVEL), start)

    def _count(
        self, levels: dict[int, ListLevel], counts: Counts, level: int, start: int | None
    ) -> str:
        how = levels.get(level, _UNKNOWN)
        for deeper in [d for d in counts if d > level]:
            del counts[deeper]
        if not how.is_number:
            return BULLET if how.has_sign else ""
        counts[level] = counts.get(level, how.start - 1) + 1 if start is None else start
        if not how.form:
            return f"{how.prefix}{how.suffix}".strip()
        numbers = []
        for at in range(max(1, level - how.shown + 1), level + 1):
            inner = levels.get(at, _UNKNOWN)
            if inner.is_number and inner.form:
                form = _FORMS.get(inner.form, "decimal")
                numbers.append(number_text(counts.get(at, inner.start), form))
        return f"{how.prefix}{'.'.join(numbers)}{how.suffix}".strip()
