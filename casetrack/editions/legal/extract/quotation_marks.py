"""What stands between quotation marks: English, German and French, marks within marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 6000
"""Longer than this no quotation in marks is read; a mark is missing then."""
_CLOSERS = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", "‹": "›", "「": "」"}
_MARK = re.compile(r"[“”„«»\"‘’‚‹›「」]|``|''|\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Marked:
    """Words in marks: ``text[start:end]`` between them, the marks included in the outer ones."""

    outer_start: int
    start: int
    end: int
    outer_end: int


def marked(text: str, /) -> list[Marked]:
    """Find what stands between quotation marks, without what stands in marks within them.

    A quotation of several paragraphs is one where each paragraph opens with a mark and only the
    last one closes. A mark that is never closed, or only far behind its paragraph, opens nothing.

    Examples
    --------
    >>> text = 'The court said “it is ‘so’ here” and left.'
    >>> [text[m.start : m.end] for m in marked(text)]
    ['it is ‘so’ here']
    """
    marks = list(_MARK.finditer(text))
    found: list[Marked] = []
    n = 0
    while n < len(marks):
        end = _closed(text, marks, n)
        if end is None:
            n += 1
            continue
        opened, closed = marks[n], marks[end]
        if text[opened.end() : closed.start()].strip():
            found.append(Marked(opened.start(), opened.end(), closed.start(), closed.end()))
        n = end + 1
    return found


def _closed(text: str, marks: list[re.Match[str]], n: int) -> int | None:
    """Return which mark closes the one at *n*; ``None`` where it opens nothing."""
    sign = marks[n][0]
    begin = marks[n].start()
    if sign.isspace() or not _opens(text, marks[n]):
        return None
    closers = {'"': '"', "``": "''"}.get(sign) or _CLOSERS.get(sign)
    if closers is None:
        return None
    depth = 1
    broken = False
    for m in range(n + 1, len(marks)):
        here = marks[m]
        if here.start() - begin > LONGEST:
            return None
        if broken:
            # Only where the next paragraph opens with the mark again does it go on.
            if here[0] != sign or text[marks[m - 1].end() : here.start()].strip():
                return None
            broken = False
        elif here[0].isspace():
            broken = True
        else:
            depth += _step(text, sign, closers, here)
            if depth == 0:
                return m
    return None


def _step(text: str, sign: str, closers: str, here: re.Match[str]) -> int:
    """Return how much deeper a mark leads within words that *sign* has opened: 1, 0 or -1."""
    if here[0] in closers:
        if sign == '"':
            return -1 if _closes(text, here) else 0
        if sign in "‘‚":
            return 0 if _is_apostrophe(text, here) else -1
        return -1
    return 1 if here[0] == sign and sign not in "‘‚" else 0


def _opens(text: str, mark: re.Match[str]) -> bool:
    """Whether a mark stands where words begin."""
    before = text[mark.start() - 1 : mark.start()]
    after = text[mark.end() : mark.end() + 1]
    if mark[0] in ("”", "’", "›", "」", "''") or not after or after.isspace():
        # French print has a space within its marks.
        return mark[0] == "«" and bool(after) and after != "\n"
    if mark[0] == "»":
        return after.isalpha() and (not before or before.isspace() or before == "(")
    if mark[0] in '"‘':
        return not before or before.isspace() or before in '([{—–-/“”"‘’*_'
    return True


def _closes(text: str, mark: re.Match[str]) -> bool:
    """Whether a straight mark stands where words end."""
    before = text[mark.start() - 1 : mark.start()]
    after = text[mark.end() : mark.end() + 1]
    return bool(before) and (not before.isspace() or not after or not after.isalnum())


def _is_apostrophe(text: str, mark: re.Match[str]) -> bool:
    after = text[mark.end() : mark.end() + 1]
    return after.isalnum()
