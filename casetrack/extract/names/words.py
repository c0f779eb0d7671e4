"""Words of a text with features of their form, which an uncased encoder drops.

Every word has a row of `Words.features` with one small number per column in `COLUMNS`: its shape,
its position in line and sentence, its ending. Words are those of the encoder's tokenizer: runs of
letters and digits, or single marks. The state of the first token represents the word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from casetrack.base.words import WordLists, lists
from casetrack.base.words.lists import month_numbers, title_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Small closed lists of words in or next to names.

_LISTS = WordLists(__file__)

LEGAL_FORMS = frozenset(lists.LEGAL_FORMS.words("words"))
HONORIFICS = title_words("address", "academic", "knights", "peers", "german").union(
    _LISTS.words("honorifics")
)
PLACES = frozenset(_LISTS.words("places"))
BODIES = frozenset(_LISTS.words("bodies"))
DATES = frozenset(
    "sept monday tuesday wednesday thursday friday saturday "
    "sunday mon tue wed thu fri sat sun".split()
) | frozenset(month_numbers("en", "en_short", "de"))
PAPERS = frozenset(_LISTS.words("papers"))
PARTICLES = frozenset("of the and for de la le van von der den di da del du bin al el y e".split())
NEVER = PAPERS | DATES | PARTICLES
"""Words that a name cannot consist of alone."""
COMPANY_ENDS = frozenset(lists.LEGAL_FORMS.words("ends"))
"""Legal forms that occur almost only at the end of a company's name."""
GENERIC_FORMS = frozenset(
    "corporation company partnership limited liability general association bank".split()
)
ABBREVIATED = frozenset((*lists.LEGAL_FORMS.words("short"), "bros", "jr", "sr", "dept"))
STOPS = frozenset(_LISTS.words("stops"))
TITLES = title_words("address", "academic").union(_LISTS.words("titles"))
"""Titles that are left out of a name."""
PUBLIC_BODIES = frozenset(_LISTS.words("public_bodies"))
OFFICES = PUBLIC_BODIES | frozenset(
    "bank university college institute academy society museum chamber union association league "
    "federation confederation alliance archives library hospital school church".split()
)
"""Words after which "of" or "for" is part of a name."""
SUBJECTS = frozenset(_LISTS.words("subjects"))
"""Subjects of public bodies; "and" joins several within a name."""
FELLOWS = frozenset(
    "partners sons son co company brothers bros associates daughters fils cie".split()
)
"""Words after "and" that make the preceding name a firm."""
STATUTES = frozenset("act law laws code rules statute statutes ordinance regulations".split())
NUMBERED = frozenset(
    "regulation rule form schedule item section class series tranche topic article chapter".split()
)
"""Words before a label, not a name: "Regulation AB"."""
PEOPLES = frozenset(_LISTS.words("peoples"))
"""Adjectives and inhabitants of places, which are no places."""
NO_NAMES = NEVER | frozenset(
    "act adr asc asu attn bond bonds capex ceo cfa cfo coo cpa credit cto cusip dgcl ebitda "
    "eitf esq etf evp extension facsimile fas fax form gaap gdp gmt ifrs indenture investor "
    "ipo isin item jd law laws lbo libor loan loans mba md note notes number otc phd plan "
    "proposal prospectus pst recital regulation relations rmb rule securities security sfas "
    "sofr stock svp term throughput ucc usd utc vat voip vp vsoe xbrl "
    "cordially ended ending excluding faithfully including months quarter quarters respectfully "
    "sincerely truly weeks years".split()
)
"""Words that alone are not a name."""
_FLAGGED = (LEGAL_FORMS, HONORIFICS, PLACES, BODIES, DATES, PAPERS, PARTICLES)


def flags_of(word: str, /) -> int:
    """Return which of the seven lists a word is in, one bit each, the legal forms first."""
    low = word.lower()
    return sum(1 << i for i, words in enumerate(_FLAGGED) if low in words)


# Interface of scores and rules: a run of words and its kind.

FROM_FORM = -0.48
"""Score of names that only a legal form or the words of a public body show: log of 0.62."""


@dataclass(frozen=True, slots=True)
class Place:
    """A name: its first word, the word after its last one, its kind, its log probability."""

    first: int
    after: int
    kind: str
    sure: float


COLUMNS = (
    ("shape", 12),
    ("length", 6),
    ("mark", 48),
    ("suffix", 512),
    ("flags", 128),
    ("gap", 6),
    ("first", 3),
    ("line", 6),
    ("company", 4),
)
"""Names of the features with their number of values."""
SHAPE, _, _, _, FLAGS, GAP, FIRST, LINE, COMPANY = range(len(COLUMNS))

LOWER, TITLE, UPPER, LETTER, MIXED, DIGITS, ALNUM, MARK, OTHER = range(9)
_MARKS = ".,;:!?()[]{}<>\"'“”‘’«»-–—/\\&@#$%*+=|_~^§©•…£€"
_MARK_IDS = {mark: i + 1 for i, mark in enumerate(_MARKS)}
_WORD = re.compile("([^\\W_]+(?:[\u0300-\u036f]+[^\\W_]*)*|_+|[^\\s\\w])")
_NEWLINE = re.compile("\n")
_ENDS = frozenset(_MARK_IDS[m] for m in ".!?:;•…")
_OPENS = frozenset(_MARK_IDS[m] for m in "([{\"'“‘«")
_ENDING = np.zeros(64, dtype=bool)
_ENDING[list(_ENDS)] = True
_OPENING = np.zeros(64, dtype=bool)
_OPENING[list(_OPENS)] = True


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of a text."""

    texts: list[str]
    # starts, ends: int64 [n], code points, half-open.
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    features: NDArray[np.int64]  # int64 [n, len(COLUMNS)]
    # int64 [n], equal for capitalised words that differ only in case, from 0; -1 for others.
    groups: NDArray[np.int64]


def words_of(text: str, /) -> Words:
    """Split a text into words and describe each."""
    parts = _WORD.split(text)  # separator, word, separator and so on
    texts = parts[1::2]
    edges = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    starts, ends = edges[:-1:2], edges[1::2]
    packed = np.fromiter(map(_pack, texts), np.int64, len(texts))
    features = np.empty((len(texts), len(COLUMNS)), dtype=np.int64)
    if texts:
        _describe(text, starts, ends, packed, features)
        groups, features[:, COMPANY] = _company(texts, features[:, SHAPE])
    else:
        groups = np.empty(0, dtype=np.int64)
    return Words(texts, starts, ends, features, groups)


@lru_cache(maxsize=65536)
def _pack(word: str) -> int:
    shape = _shape(word)
    length = min(len(word), 4) if len(word) < 8 else 5
    mark = _MARK_IDS.get(word[0], len(_MARK_IDS) + 1) if shape == MARK else 0
    suffix = 0
    if shape <= MIXED and len(word) > 1:
        suffix = 1 + crc32(word.lower()[-3:].encode("utf-8", "replace")) % 511
    return shape | length << 4 | mark << 8 | suffix << 16 | flags_of(word) << 32


def _shape(word: str) -> int:
    if not word[0].isalnum():
        return MARK
    if word.isdigit():
        return DIGITS
    if not word.isalpha():
        letters = unicodedata.normalize("NFKC", word)
        if any(c.isdigit() for c in letters):
            return ALNUM
    if word.islower():
        return LOWER
    if word.isupper():
        return UPPER if len(word) > 1 else LETTER
    if word[0].isupper() and word[1:].islower():
        return TITLE
    return MIXED if word.lower() != word.upper() else OTHER


def _describe(
    text: str,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    packed: NDArray[np.int64],
    features: NDArray[np.int64],
) -> None:
    shape, mark = packed & 15, packed >> 8 & 63
    features[:, 0] = shape
    features[:, 1] = packed >> 4 & 15
    features[:, 2] = mark
    features[:, 3] = packed >> 16 & 0xFFFF
    features[:, 4] = packed >> 32
    newlines = np.array([m.start() for m in _NEWLINE.finditer(text)], dtype=np.int64)
    line = np.searchsorted(newlines, starts)
    gap = np.empty_like(starts)
    gap[0] = 5
    gap[1:] = np.minimum(starts[1:] - ends[:-1], 1)
    breaks = np.minimum(np.diff(line), 2)
    gap[1:] = np.where(breaks > 0, 1 + breaks, gap[1:])
    features[:, GAP] = gap
    features[:, FIRST] = _first(gap, mark)
    features[:, LINE] = _line(line, shape)


def _first(gap: NDArray[np.int64], mark: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where a sentence may begin: 0 nowhere, 1 after a stop or break, 2 in the text."""
    after = np.empty(len(gap), dtype=bool)
    after[0] = True
    after[1:] = _ENDING[mark[:-1]] | (gap[1:] >= 2)
    through = after.copy()
    through[1:] |= after[:-1] & _OPENING[mark[:-1]]
    first = through.astype(np.int64)
    first[0] = 2
    return first


def _line(line: NDArray[np.int64], shape: NDArray[np.int64]) -> NDArray[np.int64]:
    """Describe the line of each word: 1 all capitals, 2 title case, 3 no capitals."""
    lower = np.bincount(line, shape == LOWER)
    upper = np.bincount(line, shape == UPPER)
    title = np.bincount(line, (shape == TITLE) | (shape == MIXED))
    letters = lower + upper + title
    kind = np.zeros(len(letters), dtype=np.int64)
    kind[(letters >= 2) & (upper + title >= 0.6 * letters)] = 2
    kind[(letters >= 2) & (upper >= 0.7 * letters)] = 1
    kind[(letters >= 3) & (lower == letters)] = 3
    kind[(kind == 0) & (letters <= 2)] = 4
    lines: NDArray[np.int64] = kind[line]
    return lines


def _company(
    texts: list[str], shapes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Group capitalised words; return also whether the text has each one in lower case."""
    groups = np.full(len(texts), -1, dtype=np.int64)
    seen = np.zeros(len(texts), dtype=np.int64)
    numbers: dict[str, int] = {}
    small = set(compress(texts, (shapes == LOWER).tolist()))
    for i in np.flatnonzero((shapes == TITLE) | (shapes == UPPER) | (shapes == MIXED)).tolist():
        low = texts[i].lower()
        groups[i] = numbers.setdefault(low, len(numbers))
        seen[i] = 2 if low in small else 1
    return groups, seen
