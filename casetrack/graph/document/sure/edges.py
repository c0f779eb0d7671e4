"""What belongs to a name at its edges: articles that are written large, and titles that do not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from casetrack.base.words.states import POSTAL
from casetrack.base.words.titles import any_title
from casetrack.graph.document.sure.companies import is_body
from casetrack.graph.document.sure.wording import is_thing
from casetrack.graph.document.titles import PARTIES
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SHORT = f"{any_title('address')}|Dr"
_TITLE: Final = re.compile(
    rf"(?:(?:{_SHORT}|Messrs|{_SHORT.upper()})\.?|Miss|{any_title('german')})[ \n](?=[A-Z])"
)
_ARTICLE: Final = re.compile(r"(?<=[a-z,)] )The[ \n]$")

_INITIALS: Final = re.compile(
    r"\(\s?(?:(?:[a-z]+[ ,]+){0,5}(?=[\"“‘'`]))?"
    r"[\"“‘'`]{0,2}\s?([A-Z]{2,7})(s?)\s?[\"”’'`]{0,2}\s?\)"
)
_MEANS: Final = re.compile(
    r"[\"“]([A-Za-z]?[A-Z]{2,7})[\"”]\s+(?:shall\s+)?(?:means?|refers?\s+to)\s+"
    r"(?:(?:an?|any|[a-z][\w-]{3,})\s"
    r"|(?:the\s+)?(?:[A-Z][\w.'’&-]*,?\s+|(?:and|of|for|in|the)\s+){0,12}(?:Act|Agreement)\b"
    r"|(?:the|such|this|that|all|each)\s+(?:[a-z][\w-]*,?\s+){0,5}?([a-z][\w-]*)(?=[.,;]|\s+"
    r"(?:and|as|between|by|dated|for|in|of|on|that|to|under|which|with)\b))"
)
"""Defined as a thing ("a Biologics Licence Application", "current practice") or as a law."""
_QUALIFIED: Final = re.compile(r"[a-z][A-Z]{2,5}")
"""A common word before an abbreviation, as one letter: cGMP, mRNA."""
_WORDS: Final = re.compile(r"[^\W\d_]+")
_LAW: Final = re.compile(
    r"\b(?:Act|Code|Law|Regulations?|Rules?|Directive)(?: of \d{4})?(?:, as amended)?[ ,\n]*\Z"
)
_REACH = 160


def initials_of_things(texts: Iterable[str], /) -> frozenset[str]:
    """Return the abbreviations that texts introduce for things, common words, or a law.

    Examples
    --------
    >>> sorted(initials_of_things(["restricted stock units (“RSUs”) of the Oakham Trust (OT)"]))
    ['RSU', 'RSUs']
    >>> sorted(initials_of_things(["the Marsh Fever Virus (MFV)", "“NDA” means a filing"]))
    ['MFV', 'MFVs', 'NDA', 'NDAs']
    """
    found: set[str] = set()
    for text in texts:
        found |= {m[1] for m in _MEANS.finditer(text) if not _is_firm(fold(m[2] or ""))}
        for match in _INITIALS.finditer(text):
            before = text[max(0, match.start() - _REACH) : match.start()]
            words = _WORDS.findall(before)
            if (
                _LAW.search(before)
                or _are_initials(match[1].lower(), words)
                or (_names_thing(match[1].lower(), words))
            ):
                found.add(match[1])
    return frozenset(found | {f"{abbreviation}s" for abbreviation in found})


def _is_firm(word: str) -> bool:
    """Return whether what an abbreviation is defined as is somebody: "the company that pays"."""
    return is_body(word) or word in PARTIES or word in {"firm", "entity", "group", "subsidiary"}


def _names_thing(letters: str, words: list[str]) -> bool:
    """Return whether letters are the initials of a thing earlier in the sentence.

    "The Resale Purchasing Agreement dated 1 May between the parties (the “RPA”)".
    """
    large = [w for w in words if w[0].isupper()]
    runs = (large[at : at + len(letters)] for at in range(len(large) - len(letters) + 1))
    return any(
        "".join(w[0] for w in run).lower() == letters and is_thing(" ".join(run)) for run in runs
    )


def is_qualified(name: str, /) -> bool:
    """Return whether a name is an abbreviation with the letter of a common word before it.

    Examples
    --------
    >>> is_qualified("cGMP"), is_qualified("eBay"), is_qualified("GMP")
    (True, False, False)
    """
    return _QUALIFIED.fullmatch(name) is not None


def _are_initials(letters: str, words: list[str]) -> bool:
    """Return whether letters begin the last words, and these are common words or a thing."""
    for count in range(len(letters), min(len(letters) + 3, len(words)) + 1):
        last = words[-count:]
        heads = iter(w[0].lower() for w in last)
        common = (last[0].islower() and last[-1].islower()) or is_thing(" ".join(last))
        if common and last[0][0].lower() == letters[0]:
            return all(any(h == letter for h in heads) for letter in letters)
    return False


_CAPITAL: Final = re.compile(r",? (?:D\.C\.|DC\b)")
_STATE: Final = re.compile(r",[ \n]([A-Z]{2})(?=[ \n]{1,2}\d{5}\b|[,;)])")
_UNION: Final = re.compile(
    r"(?<![\w.&-])(?:U\.S\.(?:A\.)?|U\.K\.)(?![\w-]|[ \n][A-Z][A-Za-z]|[ \n]\d| § )"
)
_STATES = frozenset(letters.upper() for letters in POSTAL.values()) - {"PR"}


def end_of_place(text: str, start: int, end: int, /) -> int:
    """Return where the name of a place ends: "Washington, D.C." is one."""
    match = _CAPITAL.match(text, end) if text[start:end] == "Washington" else None
    return match.end() if match else end


def unions(text: str, /) -> Iterator[tuple[int, int]]:
    """Yield the places of U.S. and U.K., where no name or citation goes on behind.

    Examples
    --------
    >>> text = "in the U.S. dollars count; the U.S. Treasury and 410 U.S. 113 do not"
    >>> [text[a:b] for a, b in unions(text)]
    ['U.S.']
    """
    for match in _UNION.finditer(text):
        yield match.span()


def state_behind(text: str, end: int, /) -> tuple[int, int] | None:
    """Return the place of the letters of a state behind that of a town.

    Examples
    --------
    >>> state_behind("in Oakham, ME 04401", 9)
    (11, 13)
    """
    match = _STATE.match(text, end)
    return match.span(1) if match and match[1] in _STATES else None


def len_of_title(name: str, /) -> int:
    """Return how many signs of a name are a title before it, 0 without one.

    Examples
    --------
    >>> len_of_title("Mr. Jo Roe"), len_of_title("Jo Roe")
    (4, 0)
    """
    match = _TITLE.match(name)
    return match.end() if match else 0


def with_article(text: str, start: int, /) -> int:
    """Return where an organisation's name begins: with "The" where it is large inside a sentence.

    Examples
    --------
    >>> with_article("a division of The Oakham Companies, Inc.", 18)
    14
    >>> with_article("It is late. The Oakham Club is closed.", 16)
    16
    """
    match = _ARTICLE.search(text, max(0, start - 6), start)
    return match.start() if match else start
