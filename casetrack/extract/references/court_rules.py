"""Rules of courts and constitutions.

Keys: ``rule:federal-civil-12-b-6``, ``rule:federal-evidence-702``, ``rule:hawaii-civil-56-c``,
``rule:local-c-d-cal-7-3``, ``constitution:united-states-amend-xiv-1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from casetrack.base.numerals import roman, roman_value
from casetrack.base.words import WordLists
from casetrack.extract.references.codes import STATE, state_of
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug
from casetrack.extract.references.sections import read_numbers

_LISTS = WordLists(__file__)

_NUMBER = (
    r"\d{1,4}(?:[A-Z]{0,2}|[a-z])(?:[.:-]\d{1,4}[a-z]?)*(?![\w%])(?:\s?\((?:[a-z]{1,4}|\d{1,3}"
    r"|[A-Z]{1,4})\))*"
)
_BODY = (
    r"(?P<body>Civ(?:il|\.)|Crim(?:inal|\.)|App(?:ellate|\.)|Evid(?:ence|\.)|Bankr(?:uptcy|\.)"
    r"|CIV\.|CRIM\.|EVID\.|APP\.|BANKR\.|Prof(?:essional|'l|’l|\.)\s(?:Conduct|Resp\.)|Ct\.|Court)"
)
_OF = r"(?:\s?(?:P|Proc|Pro)\.(?:\s?P\.)?|\sP(?:rocedure|ROCEDURE)|(?:\s?P(?=[,\s]))|\sConduct)?"
_FEDERAL = re.compile(
    rf"(?<!\w)(?P<set>(?:Fed(?:eral|\.)?|FED\.)\s?R(?:ules?|ULES?"
    rf"|\.)\s?(?:of\s)?{_BODY}{_OF}),?\s?(?:[Rr]ules?\s|§\s?)?(?P<number>{_NUMBER})"
)
_OF_FEDERAL = re.compile(
    rf"(?<!\w)(?:Rules?|Fed\.\sR\.)\s(?P<number>{_NUMBER})(?:\s?,?\s(?:of|under)\s(?:the\s)?)"
    rf"(?P<set>(?:Fed(?:eral|\.)\s|(?P<state>{STATE})\s)R(?:ules|\.)\s?(?:of\s)?{_BODY}{_OF})"
)
_INITIALS = re.compile(
    r"(?<![\w.])(?P<set>F\.?\s?R\.?\s?C\.?\s?P\.?|F\.?R\.?E\.?|F\.?R\.?A\.?P\.?|F\.?R\.?B\.?P\.?"
    r"|F\.?R\.?Cr(?:im)?\.?P\.?|HRCP|HRAP|HRPP|HRE|N\.?R\.?C\.?P\.?|N\.?R\.?A\.?P\.?"
    r"|C\.?R\.?C\.?P\.?|I\.?R\.?C\.?P\.?|W\.?R\.?C\.?P\.?|W\.?R\.?A\.?P\.?|SCRCP|SCACR|MCR"
    rf"|M\.?R\.?\sCiv\.\sP\.|CPLR\sRule)\s(?:Rules?\s)?(?P<number>{_NUMBER})"
)
_ANY_INITIALS = re.compile(
    rf"(?<![\w.§-])(?<!\d\s)(?P<set>(?=\w*R|CJC|ELC)(?!\w*RS\b|IRC|CFR|RCW)(?:[A-Z][a-z]{{0,2}}){{2,5}})"
    rf"\s(?P<number>{_NUMBER})"
)
_ITEM = re.compile(_NUMBER)
_BARE_SET = re.compile(r"[A-Z]\w{0,2}R|[A-Z]{2,3}C")
_BODIES = _LISTS.pairs("bodies")
_SETS = _LISTS.pairs("sets")
_STATE = re.compile(
    rf"(?<![\w.])(?P<set>(?P<state>{STATE})\s?(?:Sup\.\s?Ct\.\s|S\.\s?Ct\.\s|Super\.\s(?:Ct\."
    rf"\s)?)?R(?:ules?|\.)\s?(?:of\s)?{_BODY}{_OF}),?\s?(?:[Rr]ules?\s|§\s?)?(?P<number>{_NUMBER})"
)
_OHIO = re.compile(
    rf"(?<![\w.])(?P<set>(?P<state>Ohio)\s(?P<body>Civ\.|Crim\.|App\."
    rf"|Evid\.)\s?R\.)\s(?P<number>{_NUMBER})"
)
_SUPREME = re.compile(
    rf"(?<![\w.])(?P<set>(?:(?P<state>{STATE})\s)?(?:Sup(?:reme|\.)\s?C(?:our)?t\.?"
    rf"|S\.\s?Ct\.)\sR(?:ules?|\.))\s(?P<number>{_NUMBER})"
)
_LOCAL = re.compile(
    r"(?<![\w.])(?P<set>(?:(?P<court>(?:(?:[A-Z]\.){1,3}|[SNEWMCD]{1,2}D)\s?(?:[A-Z][a-z]{1,5}\."
    r"|N\.?\s?Y\.?|N\.?J\.?|[A-Z]\.\s?[A-Z]\.)?|\d{1,2}(?:st|nd|rd|th|d)\sCir\.)\s)?"
    r"(?:(?:Civ(?:il|\.)?|Crim(?:inal|\.)?|Bankr(?:uptcy|\.)?|Patent)\s)?"
    r"(?:L\.\s?R\.|L\.\s?A\.\s?R\.|LR|[Ll]ocal\s(?:(?:[Cc]ivil|[Cc]riminal|[Bb]ankruptcy"
    r"|[Pp]atent|[Aa]ppellate|[Cc]ourt)\s)?[Rr]ules?|Loc\.\s?R\.|LCvR|LCrR|LCR(?=\s\d+[(.-])|LBR"
    r"|L\.?\s?Civ\.?\s?R\.|L\.?\s?Cr(?:im)?\.?\s?R\.|D\.?C\.?Colo\.?L?Civ\.?R\.?"
    r"|Civ\.\s?L\.\s?R\.|(?<=Cir\.\s)R\.))"
    rf"\s?(?:[Rr]ule\s)?(?!\d{{1,2}}\sEx\.\s\d)(?P<number>{_NUMBER})"
)
_CALIFORNIA = re.compile(
    rf"(?<!\w)(?P<set>Cal(?:\.|ifornia)\s?Rules\s(?:of"
    rf"|OF)\sCourt),\s?[Rr]ule\s(?P<number>{_NUMBER})"
)
_MORE = re.compile(
    rf"(?:\s?,\s?(?:and\s|or\s|&\s)?|\s(?:and|or|&)\s)(?P<number>{_NUMBER})(?!\w)(?!\s(?:U\.?\s?S"
    rf"|C\.?\s?F|F\.|S\.|[A-Z][\w.’']*\s\d|[A-Z]\.|[a-z]{{4,}}))"
)
_BARE = re.compile(rf"(?<![\w.-])(?<!Rules\sof\s)(?P<word>Rules?|RULES?)\s(?P<number>{_NUMBER})")

_PART = (
    r"(?P<unit>amends?\.?|AMENDS?\.|art\.|ART\.|arts\.|Amend\.|Art\.|[Aa]mendments?|[Aa]rticle"
    r"|pmbl\.)(?:\s?(?P<which>[IVXLC]+|\d{1,3})(?![\w]))?(?P<below>(?:,?\s?(?:§{1,2}|[Ss]ec(?:tion"
    r"|\.)|sect\.)\s?\d{1,3}[a-z]?(?:\.\d+)?(?:\([a-z\d]{1,3}\))*)?(?:,?\s(?:cl\.|[Cc]lause|par\."
    r"|para\.)\s?\d{1,2})?)"
)
_CONSTITUTION = re.compile(
    rf"(?<![\w.])(?P<of>U\.?\s?S\.?|United\sStates|UNITED\sSTATES"
    rf"|(?P<state>{STATE})(?:\sState)?)\s?(?:Const(?:itution|\.)?|CONST\.)(?!\w),?\s?{_PART}"
)
_OWN_CONSTITUTION = re.compile(rf"(?<![\w.])(?P<of>)Const\.,?\s?{_PART}")
_PART_OF = re.compile(
    rf"(?<!\w)(?P<unit>[Aa]rticle|[Aa]rt\.)\s(?P<which>[IVXLC]+|\d{{1,2}}),?\s(?P<below>(?:[Ss]ection|§"
    rf"|[Ss]ec\.)\s?\d{{1,3}}(?:\([a-z\d]{{1,3}}\))*(?:,?\s(?:[Cc]lause"
    rf"|cl\.)\s?\d{{1,2}})?),?\s(?:of|to)\s(?:the|our)\s(?P<of>(?P<state>{STATE})(?:\sState)?"
    rf"|U\.?\s?S\.?|United\sStates|[Ff]ederal)?\s?(?:[Ss]tate\s)?[Cc]onstitution"
)
_NEXT_AMENDMENT = re.compile(
    r"(?:,\s|,?\s(?:and|&)\s)(?P<which>[IVXLC]+)(?![\w.])(?P<below>(?:,\s§\s?\d)?)"
)


_GATES = (
    (
        re.compile(
            r"R(?:ules?|ULES?|\.)\s?(?:of\s)?(?:Civ|Crim|App|Evid|Bankr|Prof|Ct|Court|CIV|CRIM"
            r"|EVID|APP|BANKR)"
        ),
        (_FEDERAL, _OF_FEDERAL, _STATE, _CALIFORNIA),
    ),
    (re.compile(r"Ohio\s[CAE]"), (_OHIO,)),
    (re.compile(r"[CEA]\.?R\.?|R\.?[CEAB]\.?[P. ]|RAP|RPP|MCR|Civ\.\sP\."), (_INITIALS,)),
    (re.compile(r"C(?:our)?t\.?\sR(?:\.|ule)"), (_SUPREME,)),
    (
        re.compile(
            r"L\.\s?(?:A\.\s?)?R|LR\s?\d|[Ll]ocal\s|Loc\.|LC[vr]?R|LBR|L\.\s?C|LCiv|Cir\.\sR\."
        ),
        (_LOCAL,),
    ),
)
"""Required substrings of each pattern; a fast test."""


def find_court_rules(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield rules of courts with their set, and articles of constitutions, not in order."""
    for gate, patterns in _GATES:
        if gate.search(text):
            for pattern in patterns:
                for match in pattern.finditer(text):
                    yield from _rules(text, match)
    if "Const." in text or "onstitution" in text or "CONST" in text:
        for pattern in (_CONSTITUTION, _OWN_CONSTITUTION, _PART_OF):
            for match in pattern.finditer(text):
                if match["which"] or match["unit"].startswith("pmbl"):
                    yield from _articles(text, match)


def find_bare_rules(text: str, /) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and number of rules without the name of their set ("Rule 12(b)(6)")."""
    for match in _BARE.finditer(text):
        yield match.start(), match.end(), match["number"]
        if match["word"].lower() == "rules":
            yield from _following(text, match.end())


def _following(text: str, at: int) -> Iterator[tuple[int, int, str]]:
    while more := _MORE.match(text, at):
        at = more.end()
        yield more.start("number"), at, more["number"]


def find_rules_by_initials(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield rules of any court of a legal text, such as RAP 13.4(b).

    Initials are a set of rules if the text cites one with a subdivision. "ER 12" may be a page of
    the excerpts of record: a set without subdivisions needs another set next to it, and ER the
    numbers of rules of evidence.
    """
    cites = list(_ANY_INITIALS.finditer(text))
    sets = {cite["set"] for cite in cites if re.search(r"[.(]", cite["number"])}
    if any(not name.startswith(("F", "L")) for name in sets):
        bare = [cite for cite in cites if _BARE_SET.fullmatch(cite["set"])]
        sets |= {c["set"] for c in bare} - {c["set"] for c in bare if not _is_evidence(c)}
    for cite in cites:
        if cite["set"] not in sets:
            continue
        for place, one in enumerate(read_numbers(text, cite.start("number"), _ITEM, many=False)):
            name = one_line(f"{cite['set']} {one.number}")
            key = f"rule:{slug(cite['set'], one.number)}"
            start = one.start if place else cite.start()
            yield ReferenceMatch(start, one.end, "rule", key, name, 0.9)


def _is_evidence(cite: re.Match[str]) -> bool:
    """Return whether the number of an "ER" is one of a rule of evidence; true for other sets."""
    article, rule = divmod(int(re.match(r"\d+", cite["number"])[0]), 100)  # type: ignore[index]
    return cite["set"] != "ER" or (0 < article < 12 and 0 < rule < 17)


def rule_set(key: str, /) -> str:
    """Return the set of a rule's key (``"federal-civil"``), or "".

    >>> rule_set("rule:federal-civil-12-b-6")
    'federal-civil'
    """
    match = re.match(r"rule:([a-z-]+?)-(?=\d)", key)
    return match[1] if match else ""


def _rules(text: str, match: re.Match[str]) -> Iterator[ReferenceMatch]:
    owner = _owner(match)
    numbers = [(match.start(), match.end(), match["number"])]
    plural = (
        bool(re.search(r"[Rr]ules\s", text[match.start() : match.start("number")]))
        or "R." in match["set"]
    )
    if plural and match.end("number") == match.end():
        numbers += _following(text, match.end())
    for place, (start, end, number) in enumerate(numbers):
        name = (
            one_line(text[start:end])
            if place == 0
            else f"{one_line(match['set'])} {one_line(number)}"
        )
        key = f"rule:{slug(owner, number)}"
        yield ReferenceMatch(start, end, "rule", key, name, 0.96)


def _owner(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if match.re is _INITIALS:
        return _SETS[re.sub(r"[^a-z]", "", match["set"].lower())]
    if match.re is _LOCAL:
        body = re.search(r"[Cc]iv|[Cc]rim|Cr\.?R|[Bb]ankr|LBR|[Pp]atent", match["set"])
        kind = (
            {"ci": "", "cr": "criminal", "ba": "bankruptcy", "lb": "bankruptcy", "pa": "patent"}[
                body[0][:2].lower()
            ]
            if body
            else ""
        )
        return f"local {groups.get('court') or ''} {kind}"
    if match.re is _CALIFORNIA:
        return "california court"
    state = state_of(groups.get("state") or "")
    if match.re is _SUPREME:
        return f"{state} supreme court"
    body_name = _BODIES[match["body"][:2].lower()]
    return f"{state or 'federal'} {body_name}"


def _articles(text: str, match: re.Match[str]) -> Iterator[ReferenceMatch]:
    groups = match.groupdict()
    of = state_of(groups.get("state") or "") or (
        "own" if match.re is _OWN_CONSTITUTION or not match["of"] else "united states"
    )
    unit = {"am": "amend", "ar": "art", "pm": "pmbl"}[match["unit"][:2].lower()]
    plural = match["unit"].lower().rstrip(".") in {"amends", "amendments", "arts"}
    yield _article(of, unit, match.start(), match.end(), match["which"] or "", match["below"], text)
    at = match.end()
    while plural and (more := _NEXT_AMENDMENT.match(text, at)):
        yield _article(
            of, unit, more.start("which"), more.end(), more["which"], more["below"], text
        )
        at = more.end()


def _article(
    of: str, unit: str, start: int, end: int, which: str, below: str, text: str
) -> ReferenceMatch:
    value = int(which) if which.isdigit() else roman_value(which)
    which = roman(value) if value else which
    below = re.sub(r"[Ss]ec(?:tion|\.)|sect\.|cl\.|[Cc]lause|par(?:a)?\.", " ", below)
    key = f"constitution:{slug(of, unit, which, below)}"
    return ReferenceMatch(start, end, "constitution", key, one_line(text[start:end]), 0.96)
