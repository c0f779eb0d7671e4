"""Names and years of a cited decision against those of the decision in the file."""

from __future__ import annotations

import functools
import re
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from casetrack.base.words.legal_forms import LEGAL_FORMS
from casetrack.base.words.months import any_month

_NO_WORDS = frozenset(
    "v vs in re ex parte matter of the and an et al no nos on a for "
    "by de la united states america us usa state people "
    "commonwealth city county town dept department board commission dist district rel estate "
    "petitioner respondent appellant appellee plaintiff defendant".split()
).union(LEGAL_FORMS.words("usual"))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*\.?")
_VERSUS = re.compile(r"\s+(?:v|vs)\.?\s+")
_DECIDED = re.compile(
    r"(?:Decided|Filed|Opinion [Ff]iled|Released|Entered|Date [Ff]iled)[:,.]?\s+(?:on\s+)?"
    r"[^\n]{0,20}?\b((?:17|18|19|20)\d\d)\b"
    rf"|^\W*(?:{any_month('en_short')})[a-z]*\.?\s\d{{1,2}},\s((?:17|18|19|20)\d\d)\.?\s*$",
    re.MULTILINE,
)
_HEAD = 4000
_ALIKE = 0.8


class NameFit(NamedTuple):
    """How a cited name fits: the same, swapped, misspelt (what the file has), or another."""

    fits: Literal["same", "swapped", "misspelt", "other", "unknown"]
    cited: str = ""
    found: str = ""


def cited_name(name: str, /) -> str:
    """Return the parties of a citation without reporter, court and year.

    Examples
    --------
    >>> cited_name("Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S. 579 (1993)")
    'Daubert v. Merrell Dow Pharmaceuticals, Inc.'
    """
    found = re.search(r",?\s+(?:No\.\s|\d+\s+[A-Z]|\d{4}\s|--|__|\(|slip op)", name)
    return (name[: found.start()] if found else name).strip(" ,")


def name_fit(name: str, head: str, /, *, spelling: bool = True) -> NameFit:
    """Hold the parties of a citation against the head of a decision.

    Parameters
    ----------
    name
        As cited, the parties only.
    head
        The name of the case, if it is known, as the first line; the beginning of the decision.
    spelling
        Whether a name that is written almost alike is told from another one.
    """
    sides = [side for side in _VERSUS.split(name) if side.strip()]
    if not sides or not head.strip():
        return NameFit("unknown")
    if _are_swapped(sides, _VERSUS.split(head.partition("\n")[0])):
        return NameFit("swapped", name)
    there = _words_of(head[:_HEAD])
    misspelt: NameFit | None = None
    for side in sides:
        words = _telling(side)
        if not words or any(_is_there(word, there) for word in words):
            continue
        near = _nearest(words, there) if spelling else None
        if near is None:
            return NameFit("other", side.strip(" ,."))
        misspelt = NameFit("misspelt", *near)
    return misspelt or NameFit("same")


def _are_swapped(sides: list[str], called: list[str]) -> bool:
    """Return whether each side has words of the other side of the case's name only."""
    if len(sides) != 2 or len(called) != 2:
        return False
    own, other = (
        [
            any(_is_there(word, _words_of(there)) for word in _telling(side))
            for side, there in zip(sides, order, strict=True)
        ]
        for order in (called, called[::-1])
    )
    return all(other) and not any(own)


@functools.lru_cache(maxsize=1024)
def _words_of(head: str) -> frozenset[str]:
    """Return the words of a head, which many citations are held against."""
    words = _WORD.findall(head)
    return frozenset(word.rstrip(".").lower().replace("’", "'") for word in words)


def _telling(side: str) -> list[str]:
    """Return the words of a party that tell it from others."""
    words = [w.replace("’", "'") for w in _WORD.findall(side)]
    return [w for w in words if w.rstrip(".").lower() not in _NO_WORDS and len(w.rstrip(".")) > 1]


def _is_there(word: str, there: frozenset[str]) -> bool:
    """Whether a word stands there, or what it abbreviates."""
    bare = word.rstrip(".").lower()
    if bare in there or bare.removesuffix("'s") in there or f"{bare}s" in there:
        return True
    if word.endswith(".") and len(bare) >= 2 and any(t.startswith(bare) for t in there):
        return True
    if "'" in bare:
        head, _, tail = bare.partition("'")
        return any(t.startswith(head[:2]) and t.endswith(tail) for t in there if len(t) > len(bare))
    return False


def _nearest(words: list[str], there: frozenset[str]) -> tuple[str, str] | None:
    """Return a word that is written almost like one that stands there, and that one."""
    for word in words:
        bare = word.rstrip(".").lower()
        for other in there:
            if abs(len(other) - len(bare)) <= 2 and len(bare) > 3:
                likeness = SequenceMatcher(None, bare, other, autojunk=False)
                if likeness.quick_ratio() >= _ALIKE and likeness.ratio() >= _ALIKE:
                    return word, other
    return None


def decided_in(head: str, /) -> int | None:
    """Return the year in which a decision was made, by its head; ``None`` where it says none."""
    found = _DECIDED.search(head[:_HEAD])
    return int(found[1] or found[2]) if found else None
