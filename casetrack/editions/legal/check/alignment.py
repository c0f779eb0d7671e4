"""Alignment of the words of a quotation with those of its source, at minimum cost.

Needleman-Wunsch with free ends on the source side. An ellipsis may skip words, brackets may replace
some words. The cost of a long omission grows slowly with its length, so a quotation with an omitted
sentence still aligns with both halves.
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

# Tokens for the comparison. Letter case, typographic variants and line-end hyphens are ignored;
# quotation marks, brackets and star pages are not tokens.

UnitKind = Literal["word", "punct", "ellipsis", "bracket", "bracketed"]

_W = r"[^\W\d_]"
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_LINE_END = rf"[{_DASHES}\u00ad]\s?\n\s*"
_SIGNS = re.compile(
    rf"""
    (?P<star>\*{{1,2}}\d{{1,5}})
    | (?P<ellipsis>\[?\s?(?:\.(?:[ \u00a0]?\.){{2,3}}|\u2026|\*(?:[ \u00a0]\*){{2,}})(?:\s?\])?)
    | (?P<bracketed>{_W}*\[{_W}*\]{_W}+|{_W}+\[[ ]?{_W}*\]{_W}*)
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
    """A word or sign for the comparison."""

    kind: UnitKind  # ``ellipsis``, ``bracket`` and ``bracketed`` only in drafts
    norm: str  # The compared form
    start: int
    end: int
    # Letters before and after the brackets of a ``bracketed``.
    outside: tuple[str, str] = ("", "")


def normal(word: str, /) -> str:
    """Return a word in lower case with plain signs, without line break and brackets."""
    if word.isascii() and "\n" not in word and "[" not in word:
        return word.lower()
    plain = unicodedata.normalize("NFKC", _BROKEN.sub("", word)).lower()
    return plain.replace("\u2019", "'").replace("\u02bc", "'")


def source_units(text: str, /, start: int = 0, end: int | None = None) -> list[Unit]:
    """Return the units of a source or a part of it, in order."""
    units = []
    for match in _SIGNS.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup
        if kind in ("word", "bracketed"):
            units.append(Unit("word", normal(match[0]), match.start(), match.end()))
        elif kind == "punct":
            units.append(Unit("punct", match[0], match.start(), match.end()))
        elif kind == "dash":
            units.append(Unit("punct", "-", match.start(), match.end()))
        elif kind == "ellipsis":
            units.append(Unit("punct", "\u2026", match.start(), match.end()))
    return units


def draft_units(text: str, /) -> list[Unit]:
    """Return the units of a quotation, including ellipses and brackets of its author."""
    units: list[Unit] = []
    apart = {m.start(): m.end() for m in _APART.finditer(text)}
    at = 0
    while (match := _SIGNS.search(text, at)) is not None:
        at = match.end()
        kind = match.lastgroup
        first, last = match.span()
        if match[0][0] == "[" and first in apart:
            at = apart[first]
            units.append(Unit("bracket", "", first, at))
        elif kind == "bracket":
            close = text.find("]", first + 1) if match[0] == "[" else -1
            if 0 < close < first + 200:
                at = close + 1
                units.append(Unit("bracket", _inner(text[first + 1 : close]), first, at))
        elif kind == "bracketed":
            units.append(_bracketed(match[0], first, last))
        elif kind == "word":
            units.append(Unit("word", normal(match[0]), first, last))
        elif kind == "ellipsis":
            units.append(Unit("ellipsis", "\u2026", first, last))
        elif kind in ("punct", "dash"):
            units.append(Unit("punct", "-" if kind == "dash" else match[0], first, last))
    return units


def _bracketed(text: str, start: int, end: int) -> Unit:
    before, _, rest = text.partition("[")
    after = rest.rpartition("]")[2]
    return Unit("bracketed", normal(text), start, end, (normal(before), normal(after)))


def _inner(text: str) -> str:
    return " ".join(unit.norm for unit in source_units(text) if unit.kind == "word")


LIGHT: Mapping[str, float] = dict.fromkeys(
    "a an the of to in on at by for from with and or as is are was were be been it its that this "
    "he she his her they their we our you i not no if so than then there which who".split(),
    0.3,
)
"""Low weights of frequent words."""


def token_weight(unit: Unit, /) -> float:
    """Return the weight of a unit: 0 for punctuation, less for frequent words."""
    if unit.kind == "punct":
        return 0.0
    return LIGHT.get(unit.norm, 1.0)


Step = Literal["same", "swap", "add", "drop", "skip"]
"""Equal words, different words, added or dropped by the draft, skipped by a mark in the draft."""

_SWAP, _WORD, _PUNCT, _BREAK, _RUN = 0.99, 1.0, 0.25, 3.0, 0.1
_SKIP, _COVERED, _COVERS, _FREE = 2e-4, 0.02, 15, 0.01


@dataclass(frozen=True, slots=True)
class Pair:
    """One step of an alignment, with indices of the units in draft and source."""

    step: Step
    draft: int | None  # ``None``: not in the draft
    source: int | None  # ``None``: not in the source


@dataclass(frozen=True, slots=True)
class Alignment:
    """A quotation aligned with a part of a source."""

    cost: float  # About 1 per different word
    pairs: tuple[Pair, ...]  # In order, from the first to the last quoted source unit


def align(
    draft: Sequence[Unit], source: Sequence[Unit], /, *, free: Collection[int] = ()
) -> Alignment:
    """Align a quotation with the best part of a source.

    *free* are indices of source units that may be omitted at low cost: those of citations.
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
    """Return a row of the table, without omissions of source units."""
    row: NDArray[np.float64] = above + _added(unit, is_tail=is_tail)
    if unit.kind == "bracket":
        for k in range(1, min(_COVERS, len(source)) + 1):
            row[k:] = np.minimum(row[k:], above[:-k] + _COVERED * k + 0.01)
        return row
    if unit.kind in ("word", "bracketed"):
        row[1:] = np.minimum(row[1:], above[:-1] + np.where(is_punct, 9.0, _SWAP))
    elif unit.kind == "punct":
        row[1:] = np.minimum(row[1:], above[:-1] + np.where(is_punct, _PUNCT, 9.0))
    equal = places.get(unit.norm, [])
    if equal:
        at = np.array(equal)
        row[at + 1] = np.minimum(row[at + 1], above[at])
    if unit.kind == "bracketed":
        at = np.array([n for n, u in enumerate(source) if _matches(unit, u)], dtype=np.int64)
        row[at + 1] = np.minimum(row[at + 1], above[at] + 0.01)
    return row


def _added(unit: Unit, *, is_tail: bool) -> float:
    """Return the cost of a draft unit that the source does not contain."""
    if unit.kind == "bracket":
        return 0.01
    if unit.kind == "ellipsis":
        return 0.0
    if unit.kind == "punct":
        return 0.01 if is_tail else _PUNCT
    return _WORD


def _matches(unit: Unit, other: Unit) -> bool:
    """Return whether the letters outside of the brackets match a word of the source."""
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
    """Trace the cheapest path back from its end."""
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
        # Source words that the draft drops: one, or a long run.
        width = _dropped(table, drops, n, at)
        pairs += [Pair("drop", None, k) for k in range(at - 1, at - 1 - width, -1)]
        at -= width
    return Alignment(cost, tuple(reversed(pairs)))


def _step_back(
    unit: Unit, source: Sequence[Unit], table: NDArray[np.float64], n: int, at: int, added: float
) -> tuple[Step, int] | None:
    above, cost = table[n - 1], table[n, at]
    if unit.kind == "ellipsis":
        costs = above[: at + 1] + _SKIP * (at - np.arange(at + 1))
        return "skip", at - int(np.argmin(costs))
    if unit.kind == "bracket":
        for k in range(min(_COVERS, at), 0, -1):
            if _near(cost, above[at - k] + _COVERED * k + 0.01):
                return "skip", k
        return ("skip", 0) if _near(cost, above[at] + 0.01) else None
    if at > 0:
        other = source[at - 1]
        same = unit.norm == other.norm
        if same and _near(cost, above[at - 1]):
            return "same", 1
        if unit.kind == "bracketed" and _matches(unit, other) and _near(cost, above[at - 1] + 0.01):
            return "same", 1
        alike = (unit.kind == "punct") == (other.kind == "punct")
        if alike and _near(cost, above[at - 1] + (_PUNCT if unit.kind == "punct" else _SWAP)):
            return "swap", 1
    return ("add", 0) if _near(cost, above[at] + added) else None


def _dropped(table: NDArray[np.float64], drops: NDArray[np.float64], n: int, at: int) -> int:
    cost = table[n, at]
    if at > 0 and _near(cost, table[n, at - 1] + drops[at]):
        return 1
    runs = table[n, :at] + _RUN * (at - np.arange(at)) + _BREAK
    return at - int(np.argmin(np.abs(runs - cost))) if at else 1


def _near(one: float, other: float) -> bool:
    return abs(one - other) < 1e-7
