"""Names of one document that differ in what a scanner confuses only.

That is rn and m, cl and d, vv and w, 1, l and I, 0 and O. What is a slip of the scanner stands at
few places beside many of the right spelling. It is looked for within one document only: "Horner"
and "Homer" of two documents are two people, and words that are both names stay apart anywhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.graph.entities.lexicon import FREQUENT_SURNAMES, GIVEN_NAMES, LEGAL_FORMS
from casetrack.graph.entities.nicknames import FORMAL_NAMES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_LISTS = WordLists(__file__)

_STROKES = re.compile(r"[il1|]")
_ROMAN = re.compile(r"[il]{1,3}")
_LEAST_LETTERS = 4
_FEW, _TIMES = 3, 3
_BOTH_ARE_NAMES = frozenset(_LISTS.words("both_are_names"))


def scanned_variants(
    counts: Mapping[str, int], /, *, words: Collection[str] = ()
) -> dict[str, str]:
    """Return the names that a scanner misread, each with the right one.

    Parameters
    ----------
    counts
        The names of a document, in small letters and on one line, with their numbers of places.
    words
        Words that the document has in small letters; no slip is one of them.

    Examples
    --------
    >>> scanned_variants({"bamstead holdings ltd": 1, "barnstead holdings ltd": 4})
    {'bamstead holdings ltd': 'barnstead holdings ltd'}
    >>> scanned_variants({"jo homer": 1, "jo horner": 4})
    {}
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for name in counts:
        alike[_skeleton(name)].append(name)
    found: dict[str, str] = {}
    for same in alike.values():
        if len(same) < 2:
            continue
        right, *others = sorted(same, key=lambda n: (_has_odd_digit(n), -counts[n], n))
        for other in others:
            if _is_slip(other, right, counts, words):
                found[other] = right
    return found


def _skeleton(name: str) -> str:
    strokes = _STROKES.sub("l", name.replace("0", "o"))
    return strokes.replace("rn", "m").replace("cl", "d").replace("vv", "w")


def _has_odd_digit(name: str) -> bool:
    """Return whether a word is made of letters and has a digit among them."""
    return any(_is_odd(word) for word in name.split())


def _is_odd(word: str) -> bool:
    return _is_word(word) and any(c.isdigit() for c in word)


def _is_word(word: str) -> bool:
    """Return whether a word is made of more letters than digits."""
    return sum(c.isalpha() for c in word) > max(2, sum(c.isdigit() for c in word))


def _is_slip(name: str, right: str, counts: Mapping[str, int], words: Collection[str]) -> bool:
    pairs = list(zip(name.split(), right.split(), strict=False))
    if len(name.split()) != len(right.split()):
        return False
    differing = [(a, b) for a, b in pairs if a != b]
    if not all(_may_be_misread(a, b, words) for a, b in differing):
        return False
    if all(_is_odd(a) for a, _ in differing):
        return counts[name] <= counts[right]
    return counts[name] <= _FEW and counts[name] * _TIMES <= counts[right]


def _may_be_misread(word: str, right: str, words: Collection[str]) -> bool:
    if _ROMAN.fullmatch(word) and _ROMAN.fullmatch(right):
        # "Kestrel ll LP" is Kestrel II; strokes more or less are another one.
        return len(word) == len(right)
    bare, other = word.strip(".,'’-"), right.strip(".,'’-")
    if min(len(bare), len(other)) < _LEAST_LETTERS or not (_is_word(bare) and _is_word(other)):
        return False
    if bare in words or (bare,) in LEGAL_FORMS or {bare, other} <= _BOTH_ARE_NAMES:
        return False
    return not (bare in GIVEN_NAMES or bare in FORMAL_NAMES or bare in FREQUENT_SURNAMES)
