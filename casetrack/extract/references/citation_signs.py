"""Whether a text may hold a citation at all: a cheap look, by the names of the reporters.

These come from the same source as those of eyecite (reporters-db), and are loaded when a text first
has a number before a capitalised word.
"""

from __future__ import annotations

import functools
import re

from casetrack.base.words import WordLists
from casetrack.base.words.months import any_month

_LISTS = WordLists(__file__)

_SHORT_FORM = re.compile(r"[IiSs](?<!\w.)(?:d\.|bid\b|upra\b|UPRA\b)")
MONTHS = rf"(?:{any_month('en_pattern')})(?![A-Za-z])"
"""Months, in full and shortened."""
_VOLUME = re.compile(rf"[0-9][A-Za-z]?,?[ \n\u00a0]{{1,2}}(?=[A-Z])(?!{MONTHS})")
_UP_TO_PAGE = re.compile(r"[^\d\n_¶—–]{1,60}(?:\n[^\d\n_¶—–]{0,40})?(?=[\d_¶—–])")
_UP_TO_ROMAN = re.compile(r"[^\d\n]{1,30}?(?=,? at [ivxlc]{1,6}\b)")
_STREET = re.compile(r"\d+(?:st|nd|rd|th)\b\.? (?:St|Ave|Street|Avenue|Pl|Dr|Rd|Ter|Ct|Blvd|Ste)")
_BEFORE_PAGE = re.compile(
    r"[\s,.(]*(?:\b(?:at|pp?|pages?|para|nos?|P|[A-Z]{1,2}(?=\s?$))\b[\s,.(]*)+$", re.IGNORECASE
)
_BEFORE_SIGN = re.compile(
    r"\b(?:Code|Stat|Laws?|Rev|Ann|Gen|Const|Comp|Regs?|Admin|Cons|Consol|ch|tit|art|Empl|Lab|Bus"
    r"|Civ|Pen|Tax|Ins|Evid|Proc"
    r"|U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R)\b[^§\n]{0,30}$"
)
_SHORT_FORM_LETTERS = ("upra", "UPRA", "Id.", "id.", "bid")
_OTHER_LETTERS = tuple(sign.replace("_", " ") for sign in _LISTS.words("other_letters"))
_OTHER_SIGNS = re.compile(
    r"T\.\s?C\.|\(La\.|\((?:CCH|C\.C\.H\.|BNA|RIA|P-H)\)|Rep\.(?: \([\w.]+\))? (?:P ?"
    r"|¶ ?)\d|Pub(?:lic|\.) ?L|L\.R\.A\. \d"
    r"|Cas\.,? \d|BCA No"
)
_NEUTRAL = re.compile(
    r"[0-9](?: ?-(?:[A-Z]{2,8}|Ohio)- ?\d|(?<=\d{4}) [A-Z]{2}(?: ?App)?(?: |-)\d"
    r"|(?<=\d\d) ?COA? ?\d)"
)
# Old reporters of one volume, which are cited by name and page.
_OLD_REPORTERS = _LISTS.phrases("old_reporters")
_WITHOUT_VOLUME = re.compile(rf"\b(?:{'|'.join(map(re.escape, _OLD_REPORTERS))})[^\d\n]{{0,30}}\d")
_LAW_WITHOUT_SIGN = re.compile(
    r"(?:Code|Stat\.|Laws?|Regs?\.|R\.)(?: Ann\.?| Regs\.| Civ\.| Crim\.| Evid\.| Proc\."
    r"| Empl\.){0,3},? (?:art\.? |sec\. |ch\. |r\. )?\d"
)
_FEDERAL_NAMES = ("S.C", "S. C", "USC", "States Code")
_FEDERAL_WORDS = re.compile(
    r"(?:U\.?\s?S\.?\s?C\.?(?:\s?[AS]\.?)?|United States Code),? (?:[Ss]ec(?:tions?|\.)|S\.) ?\d"
)
_SIGN = re.compile("§")
_NOT_LETTER = re.compile(r"[^a-z]+")


def has_citation_signs(text: str, /) -> bool:
    """Whether *text* may hold a citation that eyecite would find; errs to the yes."""
    if any(sign in text for sign in _SHORT_FORM_LETTERS) and _SHORT_FORM.search(text):
        return True
    if any(sign in text for sign in _OTHER_LETTERS) and _OTHER_SIGNS.search(text):
        return True
    if any(name in text for name in _OLD_REPORTERS) and _WITHOUT_VOLUME.search(text):
        return True
    if _NEUTRAL.search(text):
        return True
    if "§" in text and any(
        _BEFORE_SIGN.search(text, max(0, m.start() - 60), m.start()) for m in _SIGN.finditer(text)
    ):
        return True
    if _LAW_WITHOUT_SIGN.search(text):
        return True
    if any(name in text for name in _FEDERAL_NAMES) and _FEDERAL_WORDS.search(text):
        return True
    return any(_is_reporter(text, match.end()) for match in _VOLUME.finditer(text))


def _is_reporter(text: str, start: int) -> bool:
    """Whether the name of a reporter and then a number begin at *start*."""
    name = _UP_TO_PAGE.match(text, start) or _UP_TO_ROMAN.match(text, start)
    if name is None or _STREET.match(text, name.end()):
        return False
    known = _reporters()
    written = name[0]
    bare = _BEFORE_PAGE.sub("", written)
    forms = (written, bare, bare.rstrip().removesuffix(" Supp."), written.split("(")[0])
    return any(_letters(form) in known for form in forms)


def _letters(name: str) -> str:
    return _NOT_LETTER.sub("", re.split(r"\d", name)[0].lower())


@functools.cache
def _reporters() -> frozenset[str]:
    """Every abbreviation of a reporter or journal, as its letters up to the first digit."""
    from reporters_db import JOURNALS, LAWS, REPORTERS

    names: set[str] = set()
    for source in (REPORTERS, JOURNALS, LAWS):
        for abbreviation, entries in source.items():
            names.add(abbreviation)
            for entry in entries:
                names.update(entry.get("editions", ()))
                variations = entry.get("variations", ())
                names.update(variations)
    return frozenset(_letters(name) for name in names) - {""}
