"""Words that say what somebody is: job titles, and parts in a contract or a case."""

from __future__ import annotations

import functools
import re

from casetrack.base.words import WordLists
from casetrack.graph.entities.text import fold

_LISTS = WordLists(__file__)

OFFICES = frozenset(_LISTS.words("offices"))
"""The word that a job title ends with, folded."""

PARTIES = frozenset(_LISTS.words("parties"))
"""The word that a part in a contract or a case ends with, folded."""

_HEADS = OFFICES | PARTIES
_OF_NAMES = frozenset("agency bank carrier company publisher trust warehouse".split())
"""Parts that names of organisations end with as well."""

MODIFIERS = frozenset(_LISTS.words("modifiers"))
"""Words that stand before such a word."""

_SHORT = _LISTS.pairs("short")
_LINKS = frozenset("of and & for the und der des von fur".split())
_ARTICLES = re.compile(
    r"^(?:the|an?|its|their|our|his|her|your|my|each|said|der|die|das|dem|den|des|eine?r?|als)\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|&|[12](?:st|nd)")
_GENERIC = frozenset(("party", "parties", "chief", "deputy", "head", "member"))
_MAX_WORDS = 6


def role(phrase: str, /) -> str | None:
    """Return the job title or the part that a phrase names, in lower case.

    Every word must be part of it: "Project Director", "Head of Claims", "lender". Words before
    the last one must be capitalised or known to stand there. ``None`` where it names neither.

    Examples
    --------
    >>> role("Chief Executive Officer"), role("the loss adjuster"), role("Tuesday")
    ('chief executive', 'loss adjuster', None)
    """
    return _read(phrase, _HEADS)


def job_title(phrase: str, /) -> str | None:
    """Return the job title that a phrase names, as `role` does; ``None`` for a part.

    Examples
    --------
    >>> job_title("Chief Executive Officer"), job_title("the Borrower")
    ('chief executive', None)
    """
    return _read(phrase, OFFICES)


@functools.lru_cache(maxsize=16384)
def _read(phrase: str, heads: frozenset[str]) -> str | None:
    text = _ARTICLES.sub("", " ".join(phrase.split()).strip(" ,;:.\"'“”„’()"))
    words = text.split()
    if not 0 < len(words) <= _MAX_WORDS or not all(_WORD.fullmatch(w.strip(",.")) for w in words):
        return None
    words = [w.strip(",.") for w in words]
    low = [fold(w) for w in words]
    if low[-1] in _LINKS:
        return None
    head = _head(low, heads)
    if head < 0 or not all(_stands_before(words, low, at) for at in range(head)):
        return None
    if len(words) == 1 and low[0] in _GENERIC:
        return None
    said = " ".join(words).lower()
    return _SHORT.get(said, said)


def _stands_before(words: list[str], low: list[str], at: int) -> bool:
    if low[at] in {"and", "&", "und"}:
        return at > 0 and low[at - 1] in OFFICES
    return words[at][0].isupper() or low[at] in MODIFIERS or low[at] in OFFICES


def _head(low: list[str], heads: frozenset[str]) -> int:
    """Return the place of the word that names the title or part, -1 without one."""
    if low[-1] in heads:
        return len(low) - 1
    if low[-1] == "general" and len(low) > 1 and low[-2] in OFFICES:
        return len(low) - 1
    # "Head of Claims", "Director of Operations": the title stands before the link.
    for at, word in enumerate(low[1:], 1):
        if word in _LINKS and word not in {"and", "&", "und", "the"}:
            rest = [w for w in low[at + 1 :] if w not in _LINKS]
            # "Director of Operations" is a title, of "President of Acme" one word is.
            is_whole = low[at - 1] in heads and rest and all(w in MODIFIERS for w in rest)
            return at - 1 if is_whole else -1
    return -1


_POLITICAL = frozenset(_LISTS.words("political"))


def is_part(word: str, /) -> bool:
    """Return whether a word is a part in a contract or a case ("Buyer", "the Customer")."""
    words = [fold(w) for w in _ARTICLES.sub("", word).split()]
    if not words or words[-1] not in PARTIES or len(words) > 3:
        return False
    if words[-1] == "party" and len(words) > 1 and words[-2] in _POLITICAL:
        return False
    # "Deutsche Bank" is a name, "the Agent Bank" and "the Operating Company" are parts.
    return words[-1] not in _OF_NAMES or all(w in MODIFIERS | _HEADS for w in words[:-1])


def is_job(word: str, /) -> bool:
    """Return whether a word can be the last one of a job title."""
    return fold(word) in OFFICES
