"""Names of persons whose family name comes first, and given names of several syllables.

"Xu Weiming" and "Weiming Xu" are one name; so are "Kim Min-jun" and "Min Jun Kim". Which word is
the family name is told by closed lists of each tradition: its frequent family names, and what its
given names are made of. Where both ends of a name can be the family name ("Long Wei"), the order
that stands there is left as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Sequence

_LISTS = WordLists(__file__)

_PINYIN = (
    r"(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?"
    r"(?:iang|iong|uang|ang|eng|ong|ian|iao|ing|uai|uan|ai|ei|ao|ou|an|en|er|ia|ie|iu|in|ua|uo|ui|"
    r"un|ue|a|o|e|i|u)"
)
_CANTONESE = (
    r"(?:ng|gw|kw|ch|ts|sh|[bpmfdtnlgkhjwyczs])?"
    r"(?:aau|aai|eung|oong|ang|ung|ing|eng|ong|aan|aam|aak|ak|at|ap|uen|uet|een|eet|"
    r"iu|ui|oi|au|ai|ei|ou|oo|ee|ok|ot|uk|ut|ik|it|ip|ek|an|am|on|un|in|im|en|a|o|e|i|u)"
)
_HANGUL = (
    r"(?:kk|tt|pp|ss|jj|ch|sh|[kgndtrlmbpsjh])?"
    r"(?:yeo|yoo|yae|you|wae|woo|eui|yeu|eo|ae|oe|eu|ui|oo|ee|ya|yo|yu|ye|wa|wo|we|wi|ou|"
    r"a|o|u|e|i|y)"
    r"(?:ng|[kgntlmpbh])?"
)
_KANA = r"(?:sh|ch|ts|[kgsztdnhbpmrjfyw]y?)?(?:ou|oh|uu|[aiueo])n?"


@dataclass(frozen=True, slots=True)
class _Tradition:
    """How names of one tradition are made.

    Attributes
    ----------
    surnames
        Its frequent family names, folded, with their rank.
    given
        What each word of a given name matches as a whole.
    syllable
        What a syllable matches, where given names of several words are one; else ``None``.
    given_last
        Whether the name that somebody goes by is the last of several.
    """

    surnames: dict[str, int]
    given: re.Pattern[str]
    syllable: re.Pattern[str] | None = None
    given_last: bool = False


def _ranked(name: str) -> dict[str, int]:
    return {word: rank for rank, word in enumerate(dict.fromkeys(_LISTS.words(name)))}


def _made_of(syllable: str, most: int) -> re.Pattern[str]:
    return re.compile(f"(?:{syllable}){{1,{most}}}")


def _one_of(name: str) -> re.Pattern[str]:
    return re.compile("|".join(_LISTS.words(name)))


_CHINESE = _Tradition(_ranked("chinese"), _made_of(_PINYIN, 2), re.compile(_PINYIN))
_HONG_KONG = _Tradition(_ranked("hong_kong"), _made_of(_CANTONESE, 2), re.compile(_CANTONESE))
_KOREAN = _Tradition(_ranked("korean"), _made_of(_HANGUL, 2), re.compile(_HANGUL))
_JAPANESE = _Tradition(_ranked("japanese"), _made_of(_KANA, 5))
_VIETNAMESE = _Tradition(_ranked("vietnamese"), _one_of("vietnamese_given"), given_last=True)
_HUNGARIAN = _Tradition(_ranked("hungarian"), _one_of("hungarian_given"))
_TRADITIONS = (_CHINESE, _HONG_KONG, _KOREAN, _JAPANESE, _VIETNAMESE, _HUNGARIAN)
_ALSO_GIVEN = frozenset(
    "kim lee an jo mai ho ha han min sun su jin hui le yu du he ma lam ly".split()
)
"""Family names of the lists that elsewhere are given names and begin a name."""
_MORE_FREQUENT = 25
"""Ranks by which one end of a name must be the more frequent family name where both are one."""

AMBIVALENT = frozenset(_LISTS.words("ambivalent"))
"""Words that stand as often for given names as for family names."""

SURNAMES = frozenset[str]().union(*(t.surnames for t in _TRADITIONS))
"""The family names of all lists."""


def read_order(words: Sequence[str], /) -> tuple[tuple[str, ...], str] | None:
    """Return the given names and the family name of somebody whose tradition the words tell.

    Parameters
    ----------
    words
        Of a name in the order that stands there, folded, without titles; at least two.

    Returns
    -------
    tuple or None
        Given names in the order of the West, a name of two syllables in one word, and the family
        name; ``None`` where no list knows the name, or it can be read in both orders.

    Examples
    --------
    >>> read_order(["xu", "weiming"]), read_order(["wei", "ming", "xu"])
    ((('weiming',), 'xu'), (('weiming',), 'xu'))
    >>> read_order(["nguyen", "van", "an"]), read_order(["nagy", "laszlo"])
    ((('an', 'van'), 'nguyen'), (('laszlo',), 'nagy'))
    >>> read_order(["kim", "clarke"]), read_order(["adaeze", "okafor"])
    (None, None)
    """
    for tradition in _TRADITIONS:
        order = _order(words, tradition.surnames)
        if order is None:
            continue
        given = tuple(words[1:] if order else words[:-1])
        if not all(len(w) > 1 and tradition.given.fullmatch(w) for w in given):
            continue
        if order and words[0] in _ALSO_GIVEN and not _is_parted(given, tradition):
            continue
        if order and tradition.given_last:
            given = (given[-1], *given[:-1])
        return _closed(given, tradition), words[0] if order else words[-1]
    return None


def _order(words: Sequence[str], surnames: dict[str, int]) -> bool | None:
    """Return whether the family name comes first; ``None`` where there is none, or nobody knows."""
    first, last = surnames.get(words[0]), surnames.get(words[-1])
    if first is None or last is None:
        return None if first is last else first is not None
    if len(words) < 3 or abs(first - last) < _MORE_FREQUENT:
        return None
    return first < last


def _is_parted(given: Sequence[str], tradition: _Tradition) -> bool:
    """Return whether a given name is written in its syllables, as no family name is."""
    syllable = tradition.syllable
    if syllable is None:
        return len(given) > 1
    return len(given) == 2 and all(map(syllable.fullmatch, given))


def _closed(given: tuple[str, ...], tradition: _Tradition) -> tuple[str, ...]:
    """Return two syllables of one given name in one word."""
    syllable = tradition.syllable
    if syllable is not None and len(given) == 2 and all(map(syllable.fullmatch, given)):
        return ("".join(given),)
    return given
