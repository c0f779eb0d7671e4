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
UNQUOTED: Final = re.compile(
    r"\s*(?:(?:hereinafter|hereafter|herein|referred to|called|known|as|the|nachfolgend|"
    r"im Folgenden|genannt)[,:]?\s+)*([A-Z][\w&’'.-]*(?: [A-Z][\w&’'.-]*){0,3}(?: \d{1,2})?)\s*"
)
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
AS_PART: Final = re.compile(
    r",?\s+as\s+(?:the\s+)?([A-Z]\w+(?: [A-Z]\w+)?)(?=\s*(?:[,;)\n]|and\b|$))"
)
NEXT_PART: Final = re.compile(
    r"(?:,?\s+and|,)\s+([A-Z]\w+(?: [A-Z]\w+)?)(?=\s*(?:[,;)\n]|and\b|$))"
)
OTHER_NAME: Final = re.compile(
    r"(?:,\s+an?\s[^.;()“\"]{3,70}?)?[\s,(]+(?:which\s+)?(?:(?:also|now|formerly|previously|f|a|n|d|t)[\s/]*)?"
    r"(?:(?<=d)/?b/?a|(?<=[fan])/?k/?a|(?<=t)/a|d\.b\.a\.|f\.k\.a\.|dba|fka|aka|"
    r"known\s+as|doing\s+business\s+as|trading\s+as|formerly\s+named|formerly(?=\s+[A-Z“\"]))"
    rf"\s*[{QUOTES}]?\s*(?:the\s+)?"
)
TICKER: Final = re.compile(
    r"\((?:the\s+)?(?:NASDAQ|Nasdaq|NYSE|New York Stock Exchange|LSE|LON|TSX|ASX|AMEX|OTC|Euronext|"
    r"XETRA|FWB|HKEX|SIX|AIM)[\w .-]{0,24}:\s?[“\"]?([A-Z]{1,5}(?:\.[A-Z])?)[”\"]?\)"
)
LETTERED: Final = re.compile(r"(?:Party|PARTY|Partei|Company) (?:[A-Z]|\d|I{1,3})")
"""Parties that are distinguished by letters or numbers."""
NOT_A_TERM: Final = re.compile(
    r"\beach\b|\bcollectively with\b|\btogether with the\b|"
    r"\bto be (?:re-?)?(?:named|called|known)\b"
)
"""Text before a term that means several entities, or a future name."""
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
GROUP: Final = re.compile(
    r"\b(?:collectively|together|jointly|individually and|gemeinsam)\b", re.IGNORECASE
)
WITH_ITS_OWN: Final = re.compile(
    r"\b(?:its|their|and|consolidated)\s+(?:\w+[ ,-]+){0,4}?(?:affiliates?|subsidiar|"
    r"successors?|assigns|"
    r"controlled|group|predecessors)",
    re.IGNORECASE,
)
DESCRIBES: Final = re.compile(
    r"\s*(?:[,(–-]|\n|(?:of|a|an|with|having|whose|located|organi[sz]ed|incorporated|existing|"
    r"acting|"
    r"residing|and its|and their|through|by and through|for itself|on behalf|registered|"
    r"eingetragen|"
    r"mit Sitz|vertreten|geschäftsansässig|c/o|as|division|\d)\b)"
)
BREAK: Final = re.compile(r"(?:[a-z]{4}|\))\.\s+[A-Z]|;|\b(?:shall|must|agrees?|whereas|WHEREAS)\b")
DESCRIBER: Final = re.compile(
    r"\b(?:of|by|under|at|subsidiary|division|affiliate|successor|laws|state|from|to|with|in"
    r"|(?:representative|director|chair\w*|president|officer|signatory|manager)\s(?:is|being))\s*"
    r"(?:the\s*)?$",
    re.IGNORECASE,
)
CLAUSE: Final = re.compile(
    r"\b(?:by\s+and\s+between|by\s+and\s+among|between|among(?:st)?|BETWEEN|AMONG|BY AND "
    r"BETWEEN|Between|"
    r"zwischen|Zwischen|made\s+by|entered\s+into\s+by|"
    r"is\s+from)\b[:,]?\s*(?:\(\d\)\s*)?(?:(?i:the)\s+)?"
)
AND: Final = re.compile(
    r"(?:[,)”\"]|\n|(?<=\w))\s*\b(?:and|AND|And|und)\b:?\s*(?:\(\d\)\s*)?(?:(?i:the)\s+)?"
)
ARTICLE: Final = re.compile(rf"\b(?:the|The|THE|der|die|das)\s[{QUOTES}‘’']?\s?$")
ASIDE: Final = re.compile(r"\([^()]*\)")
LABELLED: Final = re.compile(
    r"(?:^|\n)[ \t]*((?:Party|PARTY|Partei) (?:[A-Z]|\d))[ \t]*[:：][ \t]*(?:\n[ \t]*)?(?=[A-Z0-9])"
)
"""A lettered party before its name: ``Party A: Marlow Estates Ltd``."""
CALLED: Final = re.compile(
    r"[,\s]+(?:here(?:in)?after|herein)?\s*(?:referred\s+to|called|known)(?:\s+as)?\s*$"
)
FRONT = 6
"""Number of leading chunks in which parties may be named without "between"."""
ABOUT_CONTRACT: Final = re.compile(
    r"agreement|contract|lease|deed|indenture|memorandum|amendment|addendum|vertrag|entered|made\b",
    re.IGNORECASE,
)
DESCRIBED: Final = re.compile(
    r",\s+an?\s+(?:[\w.-]+[ \n]){0,5}(?:corporation|(?:limited liability |trust )?company|"
    r"partnership|"
    r"banking association|national association|statutory trust|business trust|body corporate|"
    r"public body|charity|foundation|Aktiengesellschaft|GmbH)\b"
)
REACH, CLAUSE_REACH = 420, 900
AN_INDIVIDUAL: Final = re.compile(
    r"\s*,?\s*(?:\([^)]{1,60}\)\s*,?\s*)?(?:an?\s+(?:\w+\s+){0,3}(?:individual|natural person|"
    r"resident|citizen)|"
    r"residing\s+at|born\s+on|geboren\s+am|wohnhaft)\b"
)


def is_thing(name: str, /) -> bool:
    """Return whether the last word of a name makes it the name of a thing or a document."""
    words = [w for w in fold(name).split() if any(c.isalpha() for c in w)]
    last = words[-1].strip(".,") if words else ""
    return last in THINGS and (len(words) == 1 or last not in OF_FIRMS)
