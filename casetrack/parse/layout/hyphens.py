"""Joins words that a line end parted: ``termi-`` / ``nation`` becomes ``termination``.

The rule, first match wins. *head* stands before the hyphen, *tail* at the start of the next line.

1. The hyphen is a soft one (U+00AD), or the document has the word without hyphen elsewhere: join
   without it.
2. The tail starts with a capital or a digit, or a digit stands before the hyphen: keep it.
3. The document has the word with the hyphen elsewhere: keep it.
4. The head is a word that begins compounds and is no common syllable (``non-``, ``self-``,
   ``third-``, ``thirty-``), or is a compound already (``year-to-``): keep it.
5. Head and tail are words of the document, each of four letters or more: keep it.
6. Else join without it: in running text most hyphens at line ends were put there by a program.

In every case the parts become one word on the first line; only the hyphen is in question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.provenance import hull

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.layout.lines import TextLine

_HYPHENS = ("-", "\u2010", "\u00ad")
_HEAD = re.compile(r"([^\W_]+(?:['\u2019-][^\W_]+)*)[-\u2010\u00ad]$")
_TAIL = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[\u2010-][^\W\d_]+)*")
_COMPOUND_HEADS = frozenset(
    (
        "non self quasi well cross half full high low long short vice first second third fourth "
        "fifth two three four five six seven eight nine ten twenty thirty forty fifty sixty "
        "seventy eighty ninety"
    ).split()
)
# Words that begin other words as often as compounds: withdraw, overtime, somewhere.
_OPEN_HEADS = frozenset(
    "with over under some every more what when where there here through fore after".split()
)


class Vocabulary:
    """Words of a document, in lower case, with and without hyphens inside."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._is_open = False

    def add(self, text: str, /) -> None:
        """Take in the words of a line, but not the parts of a word that its end parts."""
        words = _WORD.findall(text.lower())
        if self._is_open:
            words = words[1:]
        self._is_open = text.rstrip().endswith(_HYPHENS)
        if self._is_open:
            words = words[:-1]
        self._words.update(words)
        if "-" not in text and "\u2010" not in text:
            return
        for word in words:
            if "-" in word or "\u2010" in word:
                self._words.update(_WORD.findall(word.replace("-", " ").replace("\u2010", " ")))

    def __contains__(self, word: str) -> bool:
        return word.lower() in self._words

    def joiner(self, head: str, hyphen: str, tail: str, /) -> str:
        """Return what stands between head and tail: ``""`` or the hyphen."""
        if hyphen == "\u00ad" or head + tail in self:
            return ""
        if not tail[0].islower() or head[-1].isdigit():
            return hyphen
        if f"{head}-{tail}" in self:
            return hyphen
        low = head.lower()
        if low in _COMPOUND_HEADS or "-" in head:
            return hyphen
        long_enough = min(len(head), len(tail)) >= 4
        if long_enough and low not in _OPEN_HEADS and head in self and tail in self:
            return hyphen
        return ""


def join_line_ends(lines: Sequence[TextLine], words: Vocabulary, /) -> None:
    """Move the rest of a parted word to the line on which it begins, in place.

    A line whose only word was moved keeps its place with an empty text; its rectangle joins that of
    the line which has the word now.
    """
    for i, line in enumerate(lines):
        following = i + 1
        while following < len(lines) and line.text.endswith(_HYPHENS):
            after = lines[following]
            head, tail = _HEAD.search(line.text), _TAIL.match(after.text)
            if head is None or tail is None or not _continues(line, after, tail[0]):
                break
            hyphen = line.text[-1]
            token, _, rest = after.text.partition(" ")
            line.text = line.text[:-1] + words.joiner(head[1], hyphen, tail[0]) + token
            after.text = rest.lstrip()
            if after.text:
                break
            if after.region == line.region:
                # Nothing else stands on that line: its rectangle is the rest of the word.
                line.box = hull((line.box, after.box))
            following += 1


def _continues(line: TextLine, after: TextLine, tail: str) -> bool:
    """Tell whether a line goes on in the one after: no cells, no other text size, no wide gap."""
    if line.cells > 1 or after.cells > 2 or abs(line.size - after.size) > 0.15 * line.size:
        return False
    if line.region != after.region:
        return tail[0].islower()
    return 0 < after.base - line.base < 2.5 * line.size
