"""A text as the words that are compared: their spans, and what they are without their dress.

Capital letters, typographic signs and hyphens at the end of a line do not tell two words apart;
quotation marks, brackets and the star pages of another print are no words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

UnitKind = Literal["word", "punct", "ellipsis", "bracket", "mended"]

_W = r"[^\W\d_]"
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_LINE_END = rf"[{_DASHES}\u00ad]\s?\n\s*"
_SIGNS = re.compile(
    rf"""
    (?P<star>\*{{1,2}}\d{{1,5}})
    | (?P<ellipsis>\[?\s?(?:\.(?:[ \u00a0]?\.){{2,3}}|\u2026|\*(?:[ \u00a0]\*){{2,}})(?:\s?\])?)
    | (?P<mended>{_W}*\[{_W}*\]{_W}+|{_W}+\[[ ]?{_W}*\]{_W}*)
    | (?P<word>{_W}+(?:['\u2019\u02bc]{_W}+|{_LINE_END}(?=[^\W\d_A-Z]){_W}+|\u00ad{_W}+)*
        | \d+)
    | (?P<skip>["\u201c\u201d\u201e\u2018\u2019'\u201a\u00ab\u00bb\u2039\u203a`\u00b4_]
        | [\u200b-\u200f\ufeff\u00ad])
    | (?P<bracket>[\[\]])
    | (?P<dash>[{_DASHES}]+)
    | (?P<punct>[^\w\s])
    """,
    re.VERBOSE,
)
_BROKEN = re.compile(rf"[{_DASHES}\u00ad]\s*\n\s*|\u00ad|[\[\] ]")
_APART = re.compile(
    r"\[sic\]|\[(?:internal |footnotes? |citations? |emphasis |quotation |marks? |and "
    r"|alterations? |omitted|added|in original|,)+\]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A word or sign that is compared.

    Attributes
    ----------
    kind
        ``word``, ``punct``; of a draft also ``ellipsis``, ``bracket`` (words put in by the one who
        quotes) and ``mended`` (a word with letters in brackets).
    norm
        What is compared.
    start, end
        Its place in the text.
    outside
        Of a mended word the letters before and behind the brackets.
    """

    kind: UnitKind
    norm: str
    start: int
    end: int
    outside: tuple[str, str] = ("", "")


def normal(word: str, /) -> str:
    """Return a word in small letters, with plain signs, its line break and brackets taken out."""
    if word.isascii() and "\n" not in word and "[" not in word:
        return word.lower()
    plain = unicodedata.normalize("NFKC", _BROKEN.sub("", word)).lower()
    return plain.replace("\u2019", "'").replace("\u02bc", "'")


def source_units(text: str, /, start: int = 0, end: int | None = None) -> list[Unit]:
    """Read the words of a source, or of a part of it, in order."""
    units = []
    for found in _SIGNS.finditer(text, start, len(text) if end is None else end):
        kind = found.lastgroup
        if kind in ("word", "mended"):
            units.append(Unit("word", normal(found[0]), found.start(), found.end()))
        elif kind == "punct":
            units.append(Unit("punct", found[0], found.start(), found.end()))
        elif kind == "dash":
            units.append(Unit("punct", "-", found.start(), found.end()))
        elif kind == "ellipsis":
            units.append(Unit("punct", "\u2026", found.start(), found.end()))
    return units


def draft_units(text: str, /) -> list[Unit]:
    """Read the words of a quotation, and what its author has done to them."""
    units: list[Unit] = []
    apart = {m.start(): m.end() for m in _APART.finditer(text)}
    at = 0
    while (found := _SIGNS.search(text, at)) is not None:
        at = found.end()
        kind = found.lastgroup
        first, last = found.span()
        if found[0][0] == "[" and first in apart:
            at = apart[first]
            units.append(Unit("bracket", "", first, at))
        elif kind == "bracket":
            close = text.find("]", first + 1) if found[0] == "[" else -1
            if 0 < close < first + 200:
                at = close + 1
                units.append(Unit("bracket", _inner(text[first + 1 : close]), first, at))
        elif kind == "mended":
            units.append(_mended(found[0], first, last))
        elif kind == "word":
            units.append(Unit("word", normal(found[0]), first, last))
        elif kind == "ellipsis":
            units.append(Unit("ellipsis", "\u2026", first, last))
        elif kind in ("punct", "dash"):
            units.append(Unit("punct", "-" if kind == "dash" else found[0], first, last))
    return units


def _mended(text: str, start: int, end: int) -> Unit:
    before, _, rest = text.partition("[")
    after = rest.rpartition("]")[2]
    return Unit("mended", normal(text), start, end, (normal(before), normal(after)))


def _inner(text: str) -> str:
    return " ".join(unit.norm for unit in source_units(text) if unit.kind == "word")


LIGHT: Mapping[str, float] = dict.fromkeys(
    "a an the of to in on at by for from with and or as is are was were be been it its that this "
    "he she his her they their we our you i not no if so than then there which who".split(),
    0.3,
)
"""Words that are in every text count for little when it is asked whether two are alike."""


def heft(unit: Unit, /) -> float:
    """Return how much a unit says of what is quoted."""
    if unit.kind == "punct":
        return 0.0
    return LIGHT.get(unit.norm, 1.0)
