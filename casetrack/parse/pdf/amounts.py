"""Parts runs of amounts and periods, as financial statements set them, into cells.

Columns of amounts stand so near to each other that a page's text has ``737,877 $`` or
``1,603,451 1,499,218`` as one run, with blanks for the room between the columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.provenance import hull
from casetrack.extract.tables.model import MONEY_SIGNS, is_value
from casetrack.parse.layout.segments import Segment
from casetrack.parse.layout.tables_model import is_symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.provenance import Box

_AMOUNT = re.compile(rf"[\d.,{MONEY_SIGNS}()%\u2013\u2014\u2212-]+")
_SEVERAL = re.compile(r"[\d$\u2013\u2014-].*\s.*[\d$)\u2013\u2014-]")
_NAME_CHARS, _PERIODS_CHARS = 24, 80
_WIDE = 0.5


@dataclass(slots=True)
class Word:
    """A word of a run: from where to where it goes along the line, and its place as shown."""

    text: str
    u0: float
    u1: float
    box: Box


def may_be_cells(text: str, /) -> bool:
    """Tell quickly whether a run may hold cells: amounts, periods, a name between blanks."""
    if len(text) <= _NAME_CHARS and (text[0].isspace() or text[-1].isspace()):
        return True
    return len(text) <= _PERIODS_CHARS and _SEVERAL.search(text) is not None


def parted(segment: Segment, words: Sequence[Word], /) -> list[Segment]:
    """Return each amount or period of a run as a segment of its own, without blanks around it.

    A number that is itself written with blanks stays whole: it is parted only where the room is
    wider than a blank, or where a currency sign begins the next amount. What does not consist of
    its *words* is returned as it is.
    """
    if not words or "".join(w.text for w in words) != "".join(segment.text.split()):
        return [segment]
    groups = _amounts(words, segment.size)
    if groups is None:
        groups = _periods(words, segment.size)
    if len(groups) == 1 and not _is_padded(segment.text):
        return [segment]
    parts = [_of_words(segment, group) for group in groups]
    # Blanks part words: those around the run, and between its parts.
    if segment.text[:1].isspace():
        parts[0].text = " " + parts[0].text
    if not segment.text[-1:].isspace():
        parts[-1].text = parts[-1].text.rstrip()
    return parts


def _is_padded(text: str) -> bool:
    """Tell a short name that blanks put into its place; one blank only parts it from the next."""
    if len(text) > _NAME_CHARS:
        return False
    return text[:1].isspace() or text[-2:].isspace()


def _amounts(words: Sequence[Word], size: float) -> list[list[Word]] | None:
    if not all(_AMOUNT.fullmatch(word.text) for word in words):
        return None
    groups = [[words[0]]]
    for before, word in pairwise(words):
        wide = word.u0 - before.u1 >= _WIDE * size
        begins = is_symbol(word.text) or (wide and is_value(word.text))
        if begins and is_value(" ".join(w.text for w in groups[-1])):
            groups.append([word])
        else:
            groups[-1].append(word)
    return groups


def _periods(words: Sequence[Word], size: float) -> list[list[Word]]:
    """Part names with numbers in all of them: ``January 28,``, ``January 29,``."""
    groups = [[words[0]]]
    for before, word in pairwise(words):
        if word.u0 - before.u1 >= size:
            groups.append([word])
        else:
            groups[-1].append(word)
    if all(any(c.isdigit() for word in group for c in word.text) for group in groups):
        return groups
    return [list(words)]


def _of_words(segment: Segment, words: Sequence[Word]) -> Segment:
    first, last = words[0], words[-1]
    return Segment(
        " ".join(w.text for w in words) + " ",
        first.u0,
        segment.v0,
        last.u1,
        segment.v1,
        segment.base,
        segment.size,
        segment.bold,
        first.box if len(words) == 1 else hull([w.box for w in words]),
    )
