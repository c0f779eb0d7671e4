"""Abbreviations of American jurisdictions and of the words in the names of their codes.

After The Bluebook (21st edition), tables T1 and T10.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.base.words.states import ABBREVIATED

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTS = WordLists(__file__)


CODE_WORDS: dict[str, str] = _LISTS.pairs("code_words")
"""Abbreviated words of codes, small and without points, and the word."""

_WHOLE_WORDS = _LISTS.words("whole_words")
_DROPPED = frozenset(("ann", "annotated", "a", "of"))


def _abbreviation(name: str) -> str:
    if "." in name:
        return r"\.\s?".join(re.escape(part) for part in name.split(".")) + r"\."
    point = "" if name.upper() in {"ALASKA", "IDAHO", "IOWA", "OHIO", "UTAH"} else r"\.?"
    return re.escape(name).replace("'", "['’]") + point


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))


def _in_full(name: str) -> str:
    return re.escape(name.title().replace(" Of ", " of ")).replace(r"\ ", r"\s")


def _states() -> str:
    short = [form for name in _longest_first(ABBREVIATED) for form in (name, name.upper())]
    return "|".join(
        [
            *map(_abbreviation, dict.fromkeys(short)),
            *map(_in_full, _longest_first(ABBREVIATED.values())),
        ]
    )


def _code_words() -> str:
    usual = {w.title().replace("'T", "'t") for w in CODE_WORDS if w != "&"}
    pointed = usual | {w.upper() for w in usual} | {"C", "R", "Ann", "ANN", "L", "S", "St"}
    whole = {*_WHOLE_WORDS, *(w.upper() for w in _WHOLE_WORDS)}
    return (
        rf"(?:(?:{'|'.join(_longest_first(pointed))})\.|(?:{'|'.join(_longest_first(whole))})\b"
        r"|(?:Bus|Prof|Civ|Crim|Pen|Evid|Gov['’]?t?|Lab|Stat|Rev|Gen|Ann|Ins|Admin|Proc)\b|&)"
    )


STATE: str = f"(?:{_states()})"
"""Regular expression of a state, abbreviated or in full."""

CODE_WORD: str = _code_words()
"""Regular expression of one word in the name of a code."""


def state_of(written: str, /) -> str:
    """Return the small name of the state that *written* abbreviates or says; "" for none."""
    plain = written.replace("’", "'").replace(" ", "").rstrip(".")
    if plain in ABBREVIATED:
        return ABBREVIATED[plain]
    for name, state in ABBREVIATED.items():
        if name.upper() == plain:
            return state
    small = " ".join(written.lower().split())
    return small if small in ABBREVIATED.values() else ""


def code_name(written: str, /) -> str:
    """Return the usual name of the code that *written* abbreviates, in small letters.

    >>> code_name("Bus. & Prof. Code Ann.")
    'business and professions code'
    """
    words = re.sub(r"(?<=\.)(?=[A-Z])", " ", written.replace("’", "'")).lower().split()
    named = [CODE_WORDS.get(word.strip(".,"), word.strip(".,")) for word in words]
    return " ".join(word for word in named if word and word not in _DROPPED)
