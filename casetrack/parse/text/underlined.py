"""Titles of reStructuredText: a line with a line of signs below it, and perhaps one above it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
"""Any sign but letters and digits (Docutils, "Sections"); of one or two nobody makes a title."""


class Titles:
    """The titles of a text.

    Their levels are those of its own signs, in the order in which it first uses them.

    Parameters
    ----------
    lines
        The text.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._levels: dict[int, int] = {}
        styles: list[tuple[str, bool]] = []
        for at in range(1, len(lines)):
            title, below = lines[at - 1].rstrip(), _RULE.fullmatch(lines[at])
            if below is None or not title.strip() or _RULE.fullmatch(title):
                continue
            over = _RULE.fullmatch(lines[at - 2]) if at > 1 else None
            is_over = over is not None and over[1] == below[1]
            # Without a line above, a title stands at the margin after an empty line, and its own
            # line is as long as it is.
            alone = at == 1 or not lines[at - 2].strip()
            if not is_over and (not alone or title[0].isspace()):
                continue
            if len(lines[at].rstrip()) < len(title.strip()):
                continue
            style = below[1], is_over
            if style not in styles:
                styles.append(style)
            level = styles.index(style) + 1
            self._levels |= dict.fromkeys(range(at - is_over, at + 2), level)

    def level(self, number: int, /) -> int | None:
        """Return the level of the title that a line (from 1) belongs to, else ``None``."""
        return self._levels.get(number)
