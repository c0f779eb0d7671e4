"""Patterns of definitions in contracts and letters."""

from __future__ import annotations

import re
from typing import Final

from casetrack.base.words import WordLists
from casetrack.graph.entities.organizations import is_acronym_of, read_organization
from casetrack.graph.entities.text import fold, slug

# Whether a short name consists of a longer one's words or letters.


def resembles(short: str, whole: str, /) -> bool:
    """Return whether a term consists of a name's words or letters.

    >>> resembles("Oakham", "Bank of Oakham plc"), resembles("the Bank", "Oakham plc")
    (True, False)
    """
    form = read_organization(whole)
    if form is None:
        return False
    # In "ACME, INC. a/k/a" the legal form may also be a word of the short name.
    words = [*form.base, *form.family.split("-")] if form.family else list(form.base)
    mine = [w for w in slug(short).split("-") if w]
    if not mine or not form.base:
        return False
    if all(w in words for w in mine):
        return True
    if "&" in short and short.isupper():
        return [w for w in mine if w != "and"] == [w[0] for w in words if w != "and"]
    joined = "".join(mine)
    base = "".join(form.base)
    if len(joined) > 2 and (
        base.startswith(joined) or any(w.startswith(joined) for w in form.base)
    ):
        return True
    if len(mine) == 1 and short.isupper() and len(mine[0]) <= 8:
        inner = [
            part
            for w in whole.replace("-", " ").split()
            for part in re.findall(r"[A-Z][a-z]+|[A-Z]+", w)
        ]
        letters = "".join(p[0] for p in inner).lower()
        if _is_inside(joined, letters) and joined[:1] == letters[:1]:
            return True
        return is_acronym_of(mine[0], form.base, form.family)
    # "PPG Shanghai" for "PPG Paints Trading (Shanghai)", "USA MCO" for "USA Managed Care …".
    return (
        len(mine) > 1
        and mine[0] == words[0]
        and (
            sum(w in words for w in mine) * 2 > len(mine)
            or is_acronym_of("".join(mine[1:]), words[1:])
        )
    )


def _is_inside(letters: str, heads: str) -> bool:
    at = 0
    for letter in letters:
        at = heads.find(letter, at) + 1
        if at == 0:
            return False
    return True


_LISTS = WordLists(__file__)

QUOTES = '"“”„«»'
INSIDE: Final = re.compile(r"\(([^()]{2,240})\)|\(((?:[^()]|\([^()]{1,60}\)){2,240})\)")
QUOTED: Final = re.compile(
    rf"[{QUOTES}][ ]?([^\W_][^{QUOTES}()\n]{{0,50}}?(?:\n[^{QUOTES}()\n]{{1,40}}?)?)[ ]?"
    rf"(?:[{QUOTES}]|$|[’'](?=\s*(?:or|and|,|$)))"
    r"|[‘'?]([A-Z][^‘’'?()\n]{0,40})[’'?](?!\w)"
)
UNQUOTED = _LISTS.pattern("unquoted")
BARE: Final = re.compile(
    r"\b[Hh]ere(?:in)?(?:in)?after(?:,)?\s+(?:(?:individually|collectively|simply|also|"
    r"sometimes)\s+)?"
    r"(?:(?:referred\s+to|called|known|designated|described)\s+)?(?:as\s+)?(?:the\s+)?"
    rf"(?:[{QUOTES}]\s?([^{QUOTES}\n]{{2,40}}?)[,.]?\s?(?:[{QUOTES}]|[’'](?=\s*(?:or|and|"
    rf",)))|([A-Z]\w*(?: [A-Z]\w*)?)(?=[,.;)\n]))"
    r"|\b(?:nachfolgend|nachstehend|im\s+Folgenden|im\s+folgenden)[\w\s,:]{0,24}"
    rf"[{QUOTES}]\s?([^{QUOTES}\n]{{2,40}}?)\s?[{QUOTES}]"
)
FURTHER: Final = re.compile(
    rf"[’']?\s*(?:,|or|and)\s+(?:the\s+)?[{QUOTES}]\s?([^{QUOTES}\n]{{2,40}}?)\s?[{QUOTES}]"
)
MEANS: Final = re.compile(
    rf"[{QUOTES}]([^\W_][^{QUOTES}\n]{{1,40}}?)[{QUOTES}]\s+(?:shall\s+)?(?:means?|"
    rf"refers?\s+to|bedeutet)\s+"
    r"(?:(?:the|collectively|,)\s*)*"
)
AS_PART = _LISTS.pattern("as_part")
NEXT_PART = _LISTS.pattern("next_part")
OTHER_NAME: Final = re.compile(
    r"(?:,\s+an?\s[^.;()“\"]{3,70}?)?[\s,(]+(?:which\s+)?(?:(?:also|now|formerly|previously|f|a|n|d|t)[\s/]*)?"
    r"(?:(?<=d)/?b/?a|(?<=[fan])/?k/?a|(?<=t)/a|d\.b\.a\.|f\.k\.a\.|dba|fka|aka|"
    r"known\s+as|doing\s+business\s+as|trading\s+as|formerly\s+named|formerly(?=\s+[A-Z“\"]))"
    rf"\s*[{QUOTES}]?\s*(?:the\s+)?"
)
TICKER = _LISTS.pattern("ticker")
LETTERED: Final = re.compile(r"(?:Party|PARTY|Partei|Company) (?:[A-Z]|\d|I{1,3})")
"""Parties that are distinguished by letters or numbers."""
NOT_A_TERM = _LISTS.pattern("not_a_term")
VAGUE = frozenset(
    "party parties person persons we us our ours you your they agreement date term".split()
)
THINGS = frozenset(_LISTS.words("things"))
"""Last words of terms for things, folded."""
OF_FIRMS = frozenset(
    "services service systems system products technology insurance property software works "
    "equipment materials information content interests assets trading business".split()
)
"""Words for things that are also last words of organisation names."""
GROUP = _LISTS.pattern("group")
WITH_ITS_OWN = _LISTS.pattern("with_its_own")
DESCRIBES = _LISTS.pattern("describes")
BREAK: Final = re.compile(r"(?:[a-z]{4}|\))\.\s+[A-Z]|;|\b(?:shall|must|agrees?|whereas|WHEREAS)\b")
DESCRIBER = _LISTS.pattern("describer")
CLAUSE = _LISTS.pattern("clause")
ARTICLE: Final = re.compile(rf"\b(?:the|The|THE|der|die|das)\s[{QUOTES}‘’']?\s?$")
ASIDE: Final = re.compile(r"\([^()]*\)")
CALLED = _LISTS.pattern("called")
FRONT = 6
"""Number of leading chunks in which parties may be named without "between"."""
DESCRIBED = _LISTS.pattern("described")
REACH, CLAUSE_REACH = 420, 900
AN_INDIVIDUAL = _LISTS.pattern("an_individual")


def is_thing(name: str, /) -> bool:
    """Return whether the last word of a name makes it the name of a thing or a document."""
    words = [w for w in fold(name).split() if any(c.isalpha() for c in w)]
    last = words[-1].strip(".,") if words else ""
    return last in THINGS and (len(words) == 1 or last not in OF_FIRMS)
