"""Finds headings in Word documents that have no heading styles: short, and larger or bold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from casetrack.parse.form_lines import is_form_line
from casetrack.parse.word.styles import W

if TYPE_CHECKING:
    from casetrack.parse.word.parts import Parts

_MAX_CHARS, _MAX_SENTENCE, _MAX_LEVEL, _MAX_SIZES = 150, 80, 6, 12
_LARGER = 1.12
"""How much larger than the text a heading is at least."""
_USUAL_SHARE = 0.2
"""A larger size that more of the text has than this is not one of headings."""
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})\.?\)?\s+\S")
_NAMED = re.compile(
    r"(?:(article|chapter|part|title|schedule|exhibit|annex|appendix)|(section|clause))"
    r"\s+[\dIVXLCA-Z]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
# Leaders of a table of contents, addresses, bare numbers, labels of several fields.
_NO_HEADING = re.compile(
    r"\.{4,}|\t|@|https?:|^\W*\d[\d.,\s%$\u20ac-]*$"
    r"|\w:\s.*\w:(?:\s|$)",
    re.IGNORECASE,
)
_CONNECTING = frozenset(("and", "or", "by", "by and between", "between", "among", "with"))


class HeadingEvidence:
    """Judges paragraphs by their look; a document with heading styles is taken at its word."""

    def __init__(self, parts: Parts) -> None:
        self._styles = parts.styles
        self._applies = False
        self._body_size, self._body_is_bold = 10.0, False
        self._sizes: list[float] = []
        paragraphs = list(parts.body.iter(f"{W}p"))
        if any(self._styles.heading_level(p.find(f"{W}pPr")) is not None for p in paragraphs):
            return
        self._applies = True
        self._measure(paragraphs)

    def _measure(self, paragraphs: list[Any]) -> None:
        chars: dict[float, int] = {}
        bold = 0
        for paragraph in paragraphs:
            for count, size, is_bold in self._runs(paragraph):
                chars[size] = chars.get(size, 0) + count
                bold += count * is_bold
        total = sum(chars.values())
        if not total:
            return
        self._body_size = max(chars, key=lambda size: (chars[size], size))
        self._body_is_bold = 2 * bold > total
        self._sizes = sorted(
            (
                size
                for size, count in chars.items()
                if size >= _LARGER * self._body_size and count < _USUAL_SHARE * total
            ),
            reverse=True,
        )

    def _runs(self, paragraph: Any) -> list[tuple[int, float, bool]]:
        """Return the length, size and boldness of the runs that show something."""
        look = self._styles.paragraph_look(paragraph.find(f"{W}pPr"))
        found = []
        for run in paragraph.iter(f"{W}r"):
            count = sum(len((t.text or "").strip()) for t in run.iterfind(f"{W}t"))
            if count:
                own = self._styles.run_look(run.find(f"{W}rPr"), look)
                if not own.is_hidden:
                    found.append((count, own.size or self._body_size, bool(own.is_bold)))
        return found

    def level(self, paragraph: Any, text: str, /) -> int | None:
        """Return the level of a body paragraph that is a heading, else ``None``."""
        if not self._applies or not _could_be(text):
            return None
        runs = self._runs(paragraph)
        if not runs:
            return None
        size = max(size for _, size, _ in runs)
        if size >= _LARGER * self._body_size:
            if len(self._sizes) > _MAX_SIZES or size not in self._sizes:
                return None
            if text[-1] == "." and len(text) > _MAX_SENTENCE:
                return None
            return min(1 + self._sizes.index(size), _MAX_LEVEL)
        if self._body_is_bold or not all(is_bold for _, _, is_bold in runs):
            return None
        numbered = _NUMBERED.match(text)
        if text[-1] == ":" or (text[-1] == "." and not (numbered and len(text) <= _MAX_SENTENCE)):
            return None
        return min(min(len(self._sizes), 3) + 1 + _depth(text), _MAX_LEVEL)


def _could_be(text: str) -> bool:
    if not 0 < len(text) <= _MAX_CHARS or sum(map(str.isalpha, text)) < 3:
        return False
    if text[-1] in ",;" or _NO_HEADING.search(text) or is_form_line(text):
        return False
    if not _WORD.search(text):
        return False
    return text.lower().strip(".:") not in _CONNECTING


def _depth(text: str) -> int:
    """Return how deep a heading's number says it stands: ``2.1`` is one below ``2``."""
    numbered = _NUMBERED.match(text)
    if numbered:
        return numbered[1].count(".")
    named = _NAMED.match(text)
    return 1 if named and named[2] else 0
