"""Names of persons, taken apart."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from casetrack.base.words.titles import any_title
from casetrack.graph.entities.lexicon import DEGREES, HONORIFICS, PARTICLES, SAFE_DEGREES, SUFFIXES
from casetrack.graph.entities.name_order import read_order
from casetrack.graph.entities.text import clean, fold, is_shouted

_INITIALS = re.compile(r"(?<![^\W\d_])([^\W\d_])\.(?=[^\W\d_])")
_DOTTED = re.compile(
    r"\b(?:Ph\.\s?D|M\.\s?D|LL\.\s?[BMD]|J\.\s?D|Q\.\s?C|K\.\s?C|M\.\s?Sc|B\.\s?Sc)\b\.?"
)
_SPOKEN_DEGREES = frozenset(("md", "jd", "rn", "mp"))
_MARKS = re.compile(r"[^\w]|_")
_TITLE = re.compile(rf"\b(Dipl|{any_title('academic', 'address')}|Rev|Hon)\.-?(?=\w)")
_PAIR = frozenset(("and", "und", "et", "&", "+"))
_QUOTED = frozenset("\"“'‘(")
_NICKNAME = re.compile(r"\s*[\"“'‘(][^\"”'’)]*[\"”'’)]")
_LOGIN = re.compile(r"[a-z]{1,20}[._][a-z]{2,20}")
_PLACE_BEHIND = re.compile(r"\s*(?:/[A-Z][\w/]*(?:@\w+)?|@[A-Z]\w*|\sAT\s[A-Z]+_[A-Z_]+)$")
"""What mail programs of firms put behind a name: "Jo Roe/HOU/NORVANE@NORVANE"."""
_LEAST_CAPITALS = 4


@dataclass(frozen=True, slots=True)
class PersonForm:
    """A name of a person, taken apart; all but *display* folded.

    Attributes
    ----------
    given
        Given names and initials, in order.
    surname
        With its particles, wherever it stands in the name; empty where there is one bare word.
    bare
        One word without a title: a surname or a given name, nobody knows.
    suffix
        ``jr``, ``sr``, ``ii``, ... or empty.
    gender
        ``m`` or ``f`` where a title states it, else empty.
    display
        The name without title and degrees, in the usual order.
    """

    given: tuple[str, ...]
    surname: str
    bare: str
    suffix: str
    gender: str
    display: str

    @property
    def is_full(self) -> bool:
        """Whether it has a surname and a first name that is written out."""
        return bool(self.surname and self.given and len(self.given[0]) > 1)

    @property
    def key(self) -> str:
        """Its normal form; a title counts only where there is no given name."""
        title = {"m": "mr", "f": "ms"}.get(self.gender, "") if not self.given else ""
        words = [title, *self.given, *self.surname.split(), self.bare, self.suffix]
        return "-".join(w for w in words if w)


@functools.lru_cache(maxsize=16384)
def read_person(text: str, /, *, gender: str = "", suffix: str = "") -> PersonForm | None:
    """Take a name apart.

    Parameters
    ----------
    text
        The name as it is written.
    gender, suffix
        What stands beside it: the gender of a title before it, a suffix behind it.

    Returns
    -------
    PersonForm or None
        ``None`` where nothing is left without marks and titles.
    """
    line = clean(_NICKNAME.sub("", text) if _QUOTED.intersection(text) else text)
    line = _PLACE_BEHIND.sub("", line) if "/" in line or "@" in line or "_" in line else line
    if _LOGIN.fullmatch(line):
        line = line.replace(".", " ").replace("_", " ").title()
    if "." in line:
        line = _INITIALS.sub(r"\1. ", _TITLE.sub(r"\1. ", _DOTTED.sub("", line)))
    if not _PAIR.isdisjoint(line.lower().split()):
        # "Mr and Mrs Smith" are two, and neither alone.
        words = [_squash(w) for w in line.split() if _squash(w)]
        return PersonForm((), " ".join(words), "", "", "", line) if words else None
    parts, suffix = _without_tail([p.strip() for p in line.split(",") if p.strip()], suffix)
    surname_count = 0
    if len(parts) == 2:
        surname_count = len(parts[0].split())
        parts = [parts[1], parts[0]]
    words = [w for part in parts for w in part.split() if _squash(w)]
    words, stated = _without_titles(words)
    gender = stated or gender
    if not surname_count:
        words, suffix = _without_letters(words, suffix)
    words = _once(words)
    if not words:
        return None
    titled = bool(stated or gender) or len(words) < len(line.replace(",", " ").split())
    return _form(_initials_apart(words), surname_count, titled, suffix, gender)


def _without_tail(parts: list[str], suffix: str) -> tuple[list[str], str]:
    """Take suffixes and degrees between commas away."""
    kept = parts[:1]
    for part in parts[1:]:
        letters = _squash(part)
        if letters in SUFFIXES:
            suffix = SUFFIXES[letters]
        elif letters not in DEGREES:
            kept.append(part)
    return kept, suffix


def _without_titles(words: list[str]) -> tuple[list[str], str]:
    gender, at = "", 0
    while at < len(words) and (low := _squash(words[at])) in HONORIFICS:
        # "Don Smith" and "Fr. Smith": a word that is a name as well is a title only before two.
        if low in {"don", "fr", "mag", "me", "ing", "phil"} and len(words) - at < 3:
            break
        gender = HONORIFICS[low] or gender
        at += 1
    return words[at:], gender


def _without_letters(words: list[str], suffix: str) -> tuple[list[str], str]:
    while len(words) > 1:
        low = _squash(words[-1])
        if low in SUFFIXES and (len(words) > 2 or words[-1].endswith(".")):
            suffix = SUFFIXES[low]
        elif len(words) < 3 or words[-1].islower() or not _is_degree(low, words):
            break
        words = words[:-1]
    return words, suffix


def _once(words: list[str]) -> list[str]:
    """Return the words of a name that a form of signature has twice ("Jo Roe Jo Roe")."""
    half, odd = divmod(len(words), 2)
    if odd or half < 2:
        return words
    first, second = words[:half], words[half:]
    if [_squash(w) for w in first] != [_squash(w) for w in second]:
        return words
    return second if is_shouted(" ".join(first)) else first


def _is_degree(low: str, words: list[str]) -> bool:
    stands_out = words[-1].isupper() and not words[-2].isupper()
    return low in SAFE_DEGREES or (low in _SPOKEN_DEGREES and stands_out)


def _initials_apart(words: list[str]) -> list[str]:
    """Write ``JR Okafor`` as two initials, where the rest is not in capitals."""
    first = words[0] if len(words) == 2 else ""
    if len(first) != 2 or read_order([fold(w) for w in words]) is not None:
        return words
    if first.isalpha() and first.isupper() and not words[1].isupper():
        return [*first, words[1]]
    return words


def _form(
    words: list[str], surname_count: int, titled: bool, suffix: str, gender: str
) -> PersonForm:
    low = [_squash(w) for w in words]
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
        # "Adaeze O.": the surname is an initial, which fits nobody for certain.
        return PersonForm((), " ".join(low), "", suffix, "", display)
    return PersonForm(tuple(low[:first]), " ".join(low[first:]), "", suffix, gender, display)


def _ordered(words: list[str], surname_count: int) -> tuple[tuple[str, ...], str] | None:
    """Return given names and family name where it is known which is which, whatever the order."""
    if surname_count:
        # Behind a comma stands what stood behind the family name.
        words = [*words[-surname_count:], *words[:-surname_count]]
    parts = [_squash(p) for w in words for p in w.split("-") if _squash(p)]
    read = read_order(parts) if len(parts) > 1 else None
    if surname_count:
        return read if read is not None and read[1] == parts[0] else None
    capitals = len(words) == 2 and len(words[0]) >= _LEAST_CAPITALS and words[0].isupper()
    if read is None and capitals and words[1].istitle() and len(words[1]) > 1:
        # "DURAND Sylvie": the family name is in capitals.
        return (_squash(words[1]),), _squash(words[0])
    return read


def form_of_key(key: str, /, *, gender: str = "", by_second: bool = False) -> PersonForm | None:
    """Take a key apart; ``None`` unless it has a written first name and a surname.

    Parameters
    ----------
    key
        The key.
    gender
        What the titles of its spellings state.
    by_second
        Whether the second given name may be the written one ("D. Michael Sorley").
    """
    form = parts_of_key(key, gender=gender)
    if form is None or key.startswith(("mr-", "ms-")):
        return None
    return form if form.is_full or (by_second and any(len(g) > 1 for g in form.given)) else None


@functools.lru_cache(maxsize=65536)
def parts_of_key(key: str, /, *, gender: str = "") -> PersonForm | None:
    """Take a key apart that may have a title, initials or a surname only.

    Parameters
    ----------
    key
        Such as ``mr-whitlock``, ``j-whitlock`` or ``whitlock``: one word is read as a surname.
    gender
        What the titles of its spellings state.

    Returns
    -------
    PersonForm or None
        ``None`` for what names no single person.
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


def _squash(word: str) -> str:
    low = fold(word)
    return low if low.isalnum() else _MARKS.sub("", low)


def better_display(a: str, b: str, /) -> str:
    """Return the fuller of two names: not in capitals, more written words, more letters."""
    return max(a, b, key=_fullness)


def _fullness(name: str) -> tuple[bool, int, int, str]:
    words = name.split()
    written = sum(len(_squash(w)) > 1 for w in words)
    return (not is_shouted(name), written, len(words), name)
