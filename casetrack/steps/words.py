"""Words of a text as index terms: what BM25 counts, in documents and in queries alike.

Lower-cased, accents folded, split at everything that is neither letter nor digit, short stop list,
Snowball English stems. Numbers keep their value whatever their separators (``1,250,000.00`` and
``1250000`` are one term). Scripts without spaces between words are split into pairs of signs.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections import Counter
from typing import Any

WORDS_VERSION = 1
"""Raise it when the terms of any text change: indexed chunks become stale then."""

_NUMBER = r"\d+(?:[.,\u2019']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_CJK = (
    r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0002fa1f\u0e00-\u0e7f\uac00-\ud7af"
)
_TOKEN = re.compile(rf"([{_CJK}]+)|((?<![^\W_]){_NUMBER}(?![^\W_]))|((?:(?![{_CJK}])[^\W_])+)")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_APOSTROPHE = re.compile(r"(?<=\w)['\u2019](s\b|(?=\w))")
STOP_WORDS = frozenset(
    "a an and are as at be but by for from had has have he her his i if in into is it its "
    "of on or our she so such than that the their them then there these they this to was we were "
    "what when where which who will with you your".split()
)


def index_terms(text: str, /) -> list[str]:
    """Return the terms of *text* in order, with repetitions.

    Examples
    --------
    >>> index_terms("The tenants' payments of $1,250,000.00")
    ['tenant', 'payment', '1250000']
    """
    terms = []
    plain = _APOSTROPHE.sub("", _fold(text))
    plain = _INITIALS.sub(lambda initials: initials.group().replace(".", "") + " ", plain)
    for match in _TOKEN.finditer(plain):
        run, number, word = match.groups()
        if word is not None:
            if word not in STOP_WORDS and (len(word) > 1 or word.isdigit()):
                terms.append(_stem(word))
        elif number is not None:
            terms.append(_number_term(number))
        else:
            terms.extend(_pairs(run))
    return terms


def term_counts(text: str, /) -> tuple[list[str], list[int]]:
    """Return the distinct terms of *text*, sorted, and how often each occurs."""
    counts = Counter(index_terms(text))
    terms = sorted(counts)
    return terms, [counts[t] for t in terms]


def _fold(text: str) -> str:
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    # Compatibility forms (full-width digits, ligatures) and accents are spelling, not meaning.
    decomposed = unicodedata.normalize("NFKD", lowered.replace("ß", "ss"))
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare)


def _number_term(number: str) -> str:
    grouped = re.fullmatch(r"(\d{1,3}(?:([.,\u2019'])\d{3})(?:\2\d{3})*)(?:([.,])(\d+))?", number)
    if grouped and grouped.group(3) != grouped.group(2):
        whole, decimals = re.sub(r"\D", "", grouped.group(1)), grouped.group(4) or ""
    else:
        whole, _, decimals = re.sub(r"[\u2019']", "", number).replace(",", ".").partition(".")
        decimals = decimals.replace(".", "")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


_STEMMER_LOCK = threading.Lock()


@functools.lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    # A stemmer object works on a state of its own and must not be used by two threads at once.
    with _STEMMER_LOCK:
        return str(_stemmer().stemWord(word))


@functools.cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
