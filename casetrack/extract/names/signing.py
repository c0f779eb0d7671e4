"""Who signs is a person: what the place of a name in a signature block says of its kind.

An uncased encoder has little to go by between "Signed for Acme plc:" and ", Operations Director".
The layout of such blocks is much the same everywhere: for whom somebody signs, then who, then as
what.
"""

from __future__ import annotations

import re

from casetrack.extract.names.lexicon import BODIES, GENERIC_FORMS, LEGAL_FORMS, PAPERS, PLACES

_REACH = 200
"""So far before and behind a name its place is looked at, in characters."""
_NOT_OF_PEOPLE = BODIES | GENERIC_FORMS | LEGAL_FORMS | PAPERS | PLACES
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[’'-])*\.?")
_LAST_NAMES = frozenset("de la le van von der den di da del bin al el".split())

_FOR_WHOM = re.compile(
    r"(?:\b(?:signed|executed|accepted|agreed)\b[^:\n]{0,80}\b(?:for|of|by)\b[^:\n]{1,100}"
    r"|\bon behalf of\b[^:\n]{1,100})\s?:\s{0,2}(?:/s/\s?)?$",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"/s/\s?$", re.IGNORECASE)
_NAME = re.compile(r"\bname\s?:\s{0,2}$", re.IGNORECASE)
_POST = re.compile(r".{0,80}?\b(?:title|position|capacity|office)\s?:", re.IGNORECASE | re.DOTALL)
_AS_WHAT = re.compile(
    r"(?:,[ ]|[ ]?\n\s{0,3})(?:[A-Z][\w&’'-]*[ ](?:(?:of|and|the|&)[ ])?){0,4}"
    r"(?i:director|officer|president|manager|secretary|treasurer|chair(?:man|woman|person)?|partner"
    r"|counsel|solicitor|attorney|trustee|executive|signatory)[ ]?(?=\n|[.;|]|$)"
)


def signs(text: str, start: int, end: int, /) -> bool:
    """Say whether a name stands where only the name of a person does, and looks like one.

    That is behind "Signed for ORGANISATION:" and the like, behind the "/s/" of a signature, behind
    "Name:" where a "Title:" follows, or before nothing but an office ("..., Operations Director").
    A name with a word of companies, bodies or papers in it is never taken for a person's.

    Parameters
    ----------
    text
        The whole text.
    start, end
        Where the name lies in it, code points, half-open.
    """
    if not _could_be_a_person(text[start:end]):
        return False
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - _REACH) : start]
    after = text[end : end + _REACH]
    return bool(
        _FOR_WHOM.search(before)
        or _SIGNATURE.search(before)
        or (_NAME.search(before) and _POST.match(after))
        or _AS_WHAT.match(after)
    )


def _could_be_a_person(name: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 4 and all(
        word in _LAST_NAMES
        or (
            _WORD.fullmatch(word) is not None
            and word[0].isupper()
            and word.rstrip(".").lower() not in _NOT_OF_PEOPLE
        )
        for word in words
    )
