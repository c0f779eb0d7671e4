"""The words of a quotation beside those of its source: the cheapest way from one to the other.

A table of costs as Needleman and Wunsch fill it, row by row over the words of the quotation, free
at both ends of the source. An ellipsis may skip, brackets may stand for some words, and of a long
run that is left out the first words cost most, so that a quotation with a sentence left out is
still laid beside both its halves.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

# A text as the words that are compared: their spans, and what they are without their dress.
#
# Capital letters, typographic signs and hyphens at the end of a line do not tell two words apart;
# quotation marks, brackets and the star pages of another print are no words.

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


def token_weight(unit: Unit, /) -> float:
    """Return how much a unit says of what is quoted."""
    if unit.kind == "punct":
        return 0.0
    return LIGHT.get(unit.norm, 1.0)


Step = Literal["same", "swap", "add", "drop", "skip"]
"""A word of both, other words, one that the draft adds, one that it drops, one skipped openly."""

_SWAP, _WORD, _PUNCT, _BREAK, _RUN = 0.99, 1.0, 0.25, 3.0, 0.1
_SKIP, _COVERED, _COVERS, _FREE = 2e-4, 0.02, 15, 0.01


@dataclass(frozen=True, slots=True)
class Pair:
    """Where a step stands: index of the draft's unit and of the source's, ``None`` for none."""

    step: Step
    draft: int | None
    source: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """A quotation laid beside a part of a source.

    Attributes
    ----------
    cost
        What the differences cost: about one a word.
    pairs
        In order; the source's units from the first to the last one that is quoted.
    """

    cost: float
    pairs: tuple[Pair, ...]


def align(
    draft: Sequence[Unit], source: Sequence[Unit], /, *, free: Collection[int] = ()
) -> Alignment:
    """Lay a quotation beside the best part of a source.

    Parameters
    ----------
    draft, source
        What is compared.
    free
        Units of the source that may be left out at next to no cost: those of citations.
    """
    drops = np.array([0.0, *(_PUNCT if u.kind == "punct" else _WORD for u in source)], np.float64)
    drops[[n + 1 for n in free]] = _FREE
    reach = np.cumsum(drops)
    steps = np.arange(len(source) + 1, dtype=np.float64)
    table = np.zeros((len(draft) + 1, len(source) + 1))
    places: dict[str, list[int]] = {}
    for n, unit in enumerate(source):
        places.setdefault(unit.norm, []).append(n)
    is_punct = np.array([u.kind == "punct" for u in source], bool)
    last_word = max((n for n, u in enumerate(draft) if u.kind != "punct"), default=-1)
    for n, unit in enumerate(draft, 1):
        above = table[n - 1]
        table[n] = _row(unit, above, places, is_punct, source, is_tail=n - 1 > last_word)
        if unit.kind == "ellipsis":
            table[n] = np.minimum.accumulate(above - _SKIP * steps) + _SKIP * steps
        else:
            near = np.minimum.accumulate(table[n] - reach) + reach
            far = np.minimum.accumulate(table[n] - _RUN * steps) + _RUN * steps + _BREAK
            table[n] = np.minimum(np.minimum(table[n], near), far)
    return _traced(draft, source, table, drops, last_word)


def _row(
    unit: Unit,
    above: NDArray[np.float64],
    places: dict[str, list[int]],
    is_punct: NDArray[np.bool_],
    source: Sequence[Unit],
    *,
    is_tail: bool,
) -> NDArray[np.float64]:
    """Fill a row without what may be dropped of the source after it."""
    row: NDArray[np.float64] = above + _added(unit, is_tail=is_tail)
    if unit.kind == "bracket":
        for k in range(1, min(_COVERS, len(source)) + 1):
            row[k:] = np.minimum(row[k:], above[:-k] + _COVERED * k + 0.01)
        return row
    if unit.kind in ("word", "mended"):
        row[1:] = np.minimum(row[1:], above[:-1] + np.where(is_punct, 9.0, _SWAP))
    elif unit.kind == "punct":
        row[1:] = np.minimum(row[1:], above[:-1] + np.where(is_punct, _PUNCT, 9.0))
    equal = places.get(unit.norm, [])
    if equal:
        at = np.array(equal)
        row[at + 1] = np.minimum(row[at + 1], above[at])
    if unit.kind == "mended":
        at = np.array([n for n, u in enumerate(source) if _is_mended(unit, u)], dtype=np.int64)
        row[at + 1] = np.minimum(row[at + 1], above[at] + 0.01)
    return row


def _added(unit: Unit, *, is_tail: bool) -> float:
    """Return what a unit costs that the source does not have."""
    if unit.kind == "bracket":
        return 0.01
    if unit.kind == "ellipsis":
        return 0.0
    if unit.kind == "punct":
        return 0.01 if is_tail else _PUNCT
    return _WORD


def _is_mended(unit: Unit, other: Unit) -> bool:
    """Whether a word may be what a mended one was: the letters outside the brackets are its own."""
    before, after = unit.outside
    if other.kind != "word":
        return False
    if before and not other.norm.startswith(before):
        return False
    return not after or other.norm.endswith(after)


def _traced(
    draft: Sequence[Unit],
    source: Sequence[Unit],
    table: NDArray[np.float64],
    drops: NDArray[np.float64],
    last_word: int,
) -> Alignment:
    """Walk back from the cheapest end."""
    n, at = len(draft), int(np.argmin(table[-1]))
    cost = float(table[-1, at])
    pairs: list[Pair] = []
    while n > 0:
        unit = draft[n - 1]
        added = _added(unit, is_tail=n - 1 > last_word)
        step = _step_back(unit, source, table, n, at, added)
        if step is not None:
            kind, width = step
            if kind == "add":
                pairs.append(Pair("add", n - 1, None))
            elif kind == "skip":
                pairs += [Pair("skip", n - 1, k) for k in range(at - 1, at - 1 - width, -1)]
                if not width:
                    pairs.append(Pair("skip", n - 1, None))
            else:
                pairs.append(Pair(kind, n - 1, at - 1))
            at -= width
            n -= 1
            continue
        # Words of the source that the draft drops: one, or a long run.
        width = _dropped(table, drops, n, at)
        pairs += [Pair("drop", None, k) for k in range(at - 1, at - 1 - width, -1)]
        at -= width
    return Alignment(cost, tuple(reversed(pairs)))


def _step_back(
    unit: Unit, source: Sequence[Unit], table: NDArray[np.float64], n: int, at: int, added: float
) -> tuple[Step, int] | None:
    above, here = table[n - 1], table[n, at]
    if unit.kind == "ellipsis":
        costs = above[: at + 1] + _SKIP * (at - np.arange(at + 1))
        return "skip", at - int(np.argmin(costs))
    if unit.kind == "bracket":
        for k in range(min(_COVERS, at), 0, -1):
            if _near(here, above[at - k] + _COVERED * k + 0.01):
                return "skip", k
        return ("skip", 0) if _near(here, above[at] + 0.01) else None
    if at > 0:
        other = source[at - 1]
        same = unit.norm == other.norm
        if same and _near(here, above[at - 1]):
            return "same", 1
        if unit.kind == "mended" and _is_mended(unit, other) and _near(here, above[at - 1] + 0.01):
            return "same", 1
        alike = (unit.kind == "punct") == (other.kind == "punct")
        if alike and _near(here, above[at - 1] + (_PUNCT if unit.kind == "punct" else _SWAP)):
            return "swap", 1
    return ("add", 0) if _near(here, above[at] + added) else None


def _dropped(table: NDArray[np.float64], drops: NDArray[np.float64], n: int, at: int) -> int:
    here = table[n, at]
    if at > 0 and _near(here, table[n, at - 1] + drops[at]):
        return 1
    runs = table[n, :at] + _RUN * (at - np.arange(at)) + _BREAK
    return at - int(np.argmin(np.abs(runs - here))) if at else 1


def _near(one: float, other: float) -> bool:
    return abs(one - other) < 1e-7
