"""Names of persons: parsing into parts."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_title
from casetrack.graph.entities.lexicon import DEGREES, HONORIFICS, PARTICLES, SAFE_DEGREES, SUFFIXES
from casetrack.graph.entities.text import clean, fold, is_all_caps

if TYPE_CHECKING:
    from collections.abc import Sequence

# Names with the family name first, and given names of several syllables: "Xu Weiming" and "Weiming
# Xu" are one name, as are "Kim Min-jun" and "Min Jun Kim". The family name is recognised by closed
# lists of each tradition: frequent family names, and patterns of given names. If both ends of a
# name can be the family name ("Long Wei"), the order is kept.

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
    """The structure of names of one tradition."""

    surnames: dict[str, int]  # Frequent family names, folded, with their rank
    given: re.Pattern[str]  # Matches each whole word of a given name
    # Matches a syllable if several words form one given name; else ``None``.
    syllable: re.Pattern[str] | None = None
    given_last: bool = False  # Whether the name of address is the last of several


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
"""Family names of the lists that are given names elsewhere and start a name."""
_MORE_FREQUENT = 25
"""Difference in rank that decides which end of a name is the family name."""

AMBIVALENT = frozenset(_LISTS.words("ambivalent"))
"""Words that are equally often given names and family names."""

SURNAMES = frozenset[str]().union(*(t.surnames for t in _TRADITIONS))
"""The family names of all lists."""


def read_order(words: Sequence[str], /) -> tuple[tuple[str, ...], str] | None:
    """Return given names and family name of a name in a recognised tradition.

    *words* are the folded words in written order without titles, at least two. Given names are in
    Western order with joined syllables; ``None`` if no list knows the name, or both orders are
    possible.

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
    """Return whether the family name comes first; ``None`` if there is none or it is ambiguous."""
    first, last = surnames.get(words[0]), surnames.get(words[-1])
    if first is None or last is None:
        return None if first is last else first is not None
    if len(words) < 3 or abs(first - last) < _MORE_FREQUENT:
        return None
    return first < last


def _is_parted(given: Sequence[str], tradition: _Tradition) -> bool:
    """Return whether a given name is split into syllables, unlike family names."""
    syllable = tradition.syllable
    if syllable is None:
        return len(given) > 1
    return len(given) == 2 and all(map(syllable.fullmatch, given))


def _closed(given: tuple[str, ...], tradition: _Tradition) -> tuple[str, ...]:
    """Join two syllables of one given name."""
    syllable = tradition.syllable
    if syllable is not None and len(given) == 2 and all(map(syllable.fullmatch, given)):
        return ("".join(given),)
    return given


_INITIALS = re.compile(r"(?<![^\W\d_])([^\W\d_])\.(?=[^\W\d_])")
_DOTTED = re.compile(
    r"\b(?:Ph\.\s?D|M\.\s?D|LL\.\s?[BMD]|J\.\s?D|Q\.\s?C|K\.\s?C|M\.\s?Sc|B\.\s?Sc)\b\.?"
)
_UNDOTTED_DEGREES = frozenset(("md", "jd", "rn", "mp"))
_MARKS = re.compile(r"[^\w]|_")
_TITLE = re.compile(rf"\b(Dipl|{any_title('academic', 'address')}|Rev|Hon)\.-?(?=\w)")
_PAIR = frozenset(("and", "und", "et", "&", "+"))
_QUOTED = frozenset("\"“'‘(")
_NICKNAME = re.compile(r"\s*[\"“'‘(][^\"”'’)]*[\"”'’)]")
_LOGIN = re.compile(r"[a-z]{1,20}[._][a-z]{2,20}")
_PLACE_BEHIND = re.compile(r"\s*(?:/[A-Z][\w/]*(?:@\w+)?|@[A-Z]\w*|\sAT\s[A-Z]+_[A-Z_]+)$")
"""Suffix that company mail programs add to a name: "Jo Roe/HOU/NORVANE@NORVANE"."""
_LEAST_CAPITALS = 4


@dataclass(frozen=True, slots=True)
class PersonForm:
    """The parts of a person's name; all except *display* are folded."""

    given: tuple[str, ...]  # Given names and initials, in order
    surname: str  # With its particles; empty for a single bare word
    bare: str  # One word without a title: a surname or a given name
    suffix: str  # ``jr``, ``sr``, ``ii``, ... or empty.
    gender: str  # ``m`` or ``f`` if a title states it, else empty
    display: str  # The name without title and degrees, in the usual order

    @property
    def is_full(self) -> bool:
        """Whether it has a surname and a full first name."""
        return bool(self.surname and self.given and len(self.given[0]) > 1)

    @property
    def key(self) -> str:
        """Its normal form; a title counts only without a given name."""
        title = {"m": "mr", "f": "ms"}.get(self.gender, "") if not self.given else ""
        words = [title, *self.given, *self.surname.split(), self.bare, self.suffix]
        return "-".join(w for w in words if w)


@functools.lru_cache(maxsize=16384)
def read_person(text: str, /, *, gender: str = "", suffix: str = "") -> PersonForm | None:
    """Parse a name and the titles around it; ``None`` if only marks and titles remain."""
    line = clean(_NICKNAME.sub("", text) if _QUOTED.intersection(text) else text)
    line = _PLACE_BEHIND.sub("", line) if "/" in line or "@" in line or "_" in line else line
    if _LOGIN.fullmatch(line):
        line = line.replace(".", " ").replace("_", " ").title()
    if "." in line:
        line = _INITIALS.sub(r"\1. ", _TITLE.sub(r"\1. ", _DOTTED.sub("", line)))
    if not _PAIR.isdisjoint(line.lower().split()):
        # "Mr and Mrs Smith" are two people, and neither alone.
        words = [_bare_letters(w) for w in line.split() if _bare_letters(w)]
        return PersonForm((), " ".join(words), "", "", "", line) if words else None
    parts, suffix = _without_tail([p.strip() for p in line.split(",") if p.strip()], suffix)
    surname_count = 0
    if len(parts) == 2:
        surname_count = len(parts[0].split())
        parts = [parts[1], parts[0]]
    words = [w for part in parts for w in part.split() if _bare_letters(w)]
    words, stated = _without_titles(words)
    gender = stated or gender
    if not surname_count:
        words, suffix = _without_letters(words, suffix)
    words = _without_repetition(words)
    if not words:
        return None
    titled = bool(stated or gender) or len(words) < len(line.replace(",", " ").split())
    return _form(_initials_apart(words), surname_count, titled, suffix, gender)


def _without_tail(parts: list[str], suffix: str) -> tuple[list[str], str]:
    """Remove suffixes and degrees between commas."""
    kept = parts[:1]
    for part in parts[1:]:
        letters = _bare_letters(part)
        if letters in SUFFIXES:
            suffix = SUFFIXES[letters]
        elif letters not in DEGREES:
            kept.append(part)
    return kept, suffix


def _without_titles(words: list[str]) -> tuple[list[str], str]:
    gender, at = "", 0
    while at < len(words) and (low := _bare_letters(words[at])) in HONORIFICS:
        # "Don Smith" and "Fr. Smith": a word that is also a name is a title only before two words.
        if low in {"don", "fr", "mag", "me", "ing", "phil"} and len(words) - at < 3:
            break
        gender = HONORIFICS[low] or gender
        at += 1
    return words[at:], gender


def _without_letters(words: list[str], suffix: str) -> tuple[list[str], str]:
    while len(words) > 1:
        low = _bare_letters(words[-1])
        if low in SUFFIXES and (len(words) > 2 or words[-1].endswith(".")):
            suffix = SUFFIXES[low]
        elif len(words) < 3 or words[-1].islower() or not _is_degree(low, words):
            break
        words = words[:-1]
    return words, suffix


def _without_repetition(words: list[str]) -> list[str]:
    """Return the words of a name without a repetition in a signature form ("Jo Roe Jo Roe")."""
    half, odd = divmod(len(words), 2)
    if odd or half < 2:
        return words
    first, second = words[:half], words[half:]
    if [_bare_letters(w) for w in first] != [_bare_letters(w) for w in second]:
        return words
    return second if is_all_caps(" ".join(first)) else first


def _is_degree(low: str, words: list[str]) -> bool:
    stands_out = words[-1].isupper() and not words[-2].isupper()
    return low in SAFE_DEGREES or (low in _UNDOTTED_DEGREES and stands_out)


def _initials_apart(words: list[str]) -> list[str]:
    """Split ``JR Okafor`` into two initials unless the rest is in capitals."""
    first = words[0] if len(words) == 2 else ""
    if len(first) != 2 or read_order([fold(w) for w in words]) is not None:
        return words
    if first.isalpha() and first.isupper() and not words[1].isupper():
        return [*first, words[1]]
    return words


def _form(
    words: list[str], surname_count: int, titled: bool, suffix: str, gender: str
) -> PersonForm:
    low = [_bare_letters(w) for w in words]
    display = " ".join(words) + (f" {suffix.capitalize()}." if suffix in {"jr", "sr"} else "")
    if suffix.startswith("i"):
        display += f" {suffix.upper()}"
    if len(words) == 1:
        if titled and len(low[0]) > 1:
            return PersonForm((), low[0], "", suffix, gender, display)
        return PersonForm((), "", low[0], suffix, gender, display)
    first = len(words) - max(surname_count, 1)
    while first > 0 and low[first - 1] in PARTICLES and not surname_count:
        first -= 1
    read = _ordered(words, surname_count)
    if read is not None:
        return PersonForm(*read, "", suffix, gender, display)
    if len(low[-1]) == 1:
        # "Adaeze O.": the surname is an initial, which fits no person for certain.
        return PersonForm((), " ".join(low), "", suffix, "", display)
    return PersonForm(tuple(low[:first]), " ".join(low[first:]), "", suffix, gender, display)


def _ordered(words: list[str], surname_count: int) -> tuple[tuple[str, ...], str] | None:
    """Return given names and family name if they can be recognised in any order."""
    if surname_count:
        # The words after a comma followed the family name.
        words = [*words[-surname_count:], *words[:-surname_count]]
    parts = [_bare_letters(p) for w in words for p in w.split("-") if _bare_letters(p)]
    read = read_order(parts) if len(parts) > 1 else None
    if surname_count:
        return read if read is not None and read[1] == parts[0] else None
    capitals = len(words) == 2 and len(words[0]) >= _LEAST_CAPITALS and words[0].isupper()
    if read is None and capitals and words[1].istitle() and len(words[1]) > 1:
        # "DURAND Sylvie": the family name is in capitals.
        return (_bare_letters(words[1]),), _bare_letters(words[0])
    return read


def form_of_key(key: str, /, *, gender: str = "", by_second: bool = False) -> PersonForm | None:
    """Parse a key; ``None`` unless it has a full first name and a surname.

    *gender* is stated by titles in its spellings; *by_second* also accepts a full second given name
    ("D. Michael Sorley").
    """
    form = parts_of_key(key, gender=gender)
    if form is None or key.startswith(("mr-", "ms-")):
        return None
    return form if form.is_full or (by_second and any(len(g) > 1 for g in form.given)) else None


@functools.lru_cache(maxsize=65536)
def parts_of_key(key: str, /, *, gender: str = "") -> PersonForm | None:
    """Parse a key such as ``mr-whitlock``, ``j-whitlock`` or ``whitlock`` (read as a surname).

    *gender* is stated by titles in its spellings. ``None`` if the key is not a single person.
    """
    words = key.split("-")
    if len(words) > 1 and words[0] in {"mr", "ms"}:
        gender = "m" if words.pop(0) == "mr" else "f"
    suffix = ""
    if len(words) > 1 and words[-1] in {"jr", "sr", "ii", "iii", "iv"}:
        suffix = words.pop()
    if "and" in words or len(words[-1]) < 2 or words[-1].isdigit():
        return None
    first = len(words) - 1
    while first > 0 and words[first - 1] in PARTICLES:
        first -= 1
    return PersonForm(tuple(words[:first]), " ".join(words[first:]), "", suffix, gender, "")


def _bare_letters(word: str) -> str:
    low = fold(word)
    return low if low.isalnum() else _MARKS.sub("", low)


def better_display(a: str, b: str, /) -> str:
    """Return the fuller of two names: not in capitals, more full words, more letters."""
    return max(a, b, key=_fullness)


def _fullness(name: str) -> tuple[bool, int, int, str]:
    words = name.split()
    written = sum(len(_bare_letters(w)) > 1 for w in words)
    return (not is_all_caps(name), written, len(words), name)
