"""Sections of American codes: U.S.C., C.F.R. and those of the states.

Keys: ``regulation:usc-42-2000e-5-f-1``, ``regulation:cfr-17-240-10b-5``,
``regulation:california-business-and-professions-code-17200``: the full name of the code, then
title, chapter and section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from casetrack.base.words import WordLists
from casetrack.base.words.lists import ABBREVIATED
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

# Abbreviations of American jurisdictions and of the words in the names of their codes.
#
# After The Bluebook (21st edition), tables T1 and T10.

_LISTS = WordLists(__file__)
_PLURAL_SIGNS = frozenset(_LISTS.words("plural_signs"))


CODE_WORDS: dict[str, str] = _LISTS.pairs("code_words")
"""Abbreviated words of codes, small and without points, and the word."""

_WHOLE_WORDS = _LISTS.words("whole_words")
_SAME_CODES = _LISTS.pairs("same_codes")
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
            *map(_in_full, full := _longest_first(set(ABBREVIATED.values()))),
            *(_in_full(name).upper().replace(r"\S", r"\s") for name in full),
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
    """Return the state in lower case for its abbreviation or name, or ""."""
    plain = written.replace("’", "'").replace(" ", "").rstrip(".")
    if plain in ABBREVIATED:
        return ABBREVIATED[plain]
    for name, state in ABBREVIATED.items():
        if name.upper() == plain:
            return state
    small = " ".join(written.lower().split())
    return small if small in ABBREVIATED.values() else ""


def code_name(written: str, /) -> str:
    """Return the full name of a code from its abbreviation, in lower case.

    >>> code_name("Bus. & Prof. Code Ann.")
    'business and professions code'
    """
    words = re.sub(r"(?<=\.)(?=[A-Z])", " ", written.replace("’", "'")).lower().split()
    named = [CODE_WORDS.get(word.strip(".,"), word.strip(".,")) for word in words]
    return _SAME_CODES.get(
        name := " ".join(word for word in named if word and word not in _DROPPED), name
    )


_SUBSECTIONS = r"(?:\s?\((?:[a-z]{1,5}|\d{1,3}|[A-Z]{1,3})\))*"
SECTION_NUMBER = (
    r"\d{1,6}(?:[A-Z]\d{1,2}(?=\.)|[A-Za-z]{0,3})(?:(?:[.:/‑–-](?=[A-Za-z]{0,3}\d)|(?<=\d)-\s(?=\d))[0-9A-Za-z]{1,8}(?!\w)"
    rf"|-[A-Za-z]{{1,3}}(?=[\s(,.;)]|$))*{_SUBSECTIONS}"
)
"""Regular expression of the number of a section with its subsections."""
_SIGN = (
    r"(?:§{1,2}|\(S\)(?:\(S\))?|[Ss]ections?|[Ss]ecs?\.|SEC\.|ss(?=\s?\d)|[Ss]s?\.(?=\s?\d)"
    r"|[Pp]arts?|PARTS?|[Pp]ts?\.)"
)
_FEDERAL = re.compile(
    rf"""(?<![\w.])(?P<title>\d{{1,2}})\s{{1,3}}
    (?P<code>U\.?\s?S\.?\s?C\.?(?:\s?[AS]\.)?(?!\w)|C\.?\s?F\.?\s?R\.?(?!\w)|(?:United\sStates|U\.\s?S\.)\sCode(?!\w)
        |Code\sof\sFederal\sRegulations(?!\w))
    (?:\sAnn(?:\.|otated))?,?\s*(?:(?P<sign>{_SIGN})\s*)?(?P<number>{SECTION_NUMBER})""",
    re.VERBOSE,
)
_SCANNED = re.compile(
    rf"(?<![\w.])(?P<title>\d{{1,2}})\s{{1,3}}(?P<code>U\.?\s?S\.?\s?C\.?"
    rf"|C\.?\s?F\.?\s?R\.?)\s(?P<sign>[S$5]{{1,2}})\s(?P<number>{SECTION_NUMBER})"
)
_SECTION_OF_TITLE = re.compile(
    rf"(?P<sign>[Ss]ections?)\s(?P<number>{SECTION_NUMBER})\sof\s[Tt]itle\s(?P<title>\d{{1,2}})(?"
    rf":,|\sof)(?:\sthe)?\s(?P<code>United\sStates\sCode|U\.?S\.?\sCode"
    rf"|Code\sof\sFederal\sRegulations)"
)
_TITLE_SECTION = re.compile(
    rf"[Tt]itle\s(?P<title>\d{{1,2}})\s?(?:,|of\sthe)?\s?(?P<code>United\sStates\sCode"
    r"|U\.?S\.?\sCode|U\.?S\.?C\.?(?!\w)|Code\sof\sFederal\sRegulations|C\.?F\.?R\.?(?!\w)),?\s"
    rf"(?P<sign>§{{1,2}}|[Ss]ections?|[Pp]arts?)\s?(?P<number>{SECTION_NUMBER})"
)
_ALIAS = r"(?:\([“\"]?[A-Z]{2,6}[”\"]?\)\s?)?"
_STATE_CODE = re.compile(
    rf"(?<![\w.])(?<!\d\s)(?P<state>{STATE}),?\s?(?P<code>(?:{CODE_WORD},?\s?){{1,9}})\s?{_ALIAS}(?:[Tt]it"
    rf"(?:\.|le)\s?(?P<title>\d{{1,3}}[A-Z]?),?\s*)?(?:[Cc]h?(?:\.|apter)\s?(?P<chapter>\d{{1,4}}[A"
    rf"-Z]{{0,2}}),?\s*)?(?:(?P<sign>§{{1,2}}|[Ss]ections?|[Ss]ecs?\.|[Ss]s?\.(?=\s?\d)|[Aa]rts?\."
    rf"|[Rr]\.)\s*(?P<number>{SECTION_NUMBER})|(?<=\s)(?P<bare>\d{{1,6}}(?:[.:/-]\d{{1,5}}[A-Za-z]"
    rf"{{0,2}})+{_SUBSECTIONS})|(?<=\d)(?P<whole>(?=[\s,.;)]|$))|(?<=\d[A-Z])(?P<whole2>(?=["
    r"\s,.;)]|$)))"
)
_OF_STATE = (
    rf"(?:(?P<state>{STATE})\s(?P<code>(?:{CODE_WORD},?\s?){{1,9}})|(?P<code2>(?:{CODE_WORD},?"
    rf"\s){{1,9}})of\s(?:the\s)?(?:(?:State|Commonwealth)\sof\s)?(?P<state2>{STATE})(?!\w))(?<!\s)"
)
_LIST = rf"(?:(?:,\s(?:and\s|or\s|&\s)?|\s(?:and|or|&|through|to)\s){SECTION_NUMBER})"
_SECTION_OF_CODE = re.compile(
    rf"(?:[Tt]itle\s(?P<title1>\d{{1,3}}[A-Z]?),\s)?(?<![\w.])(?P<sign>§{{1,2}}|[Ss]ections?"
    rf"|SECTIONS?|[Ss]ecs?\.)\s?(?P<number>{SECTION_NUMBER})(?P<list>{_LIST}{{0,9}})(?:,?\sof"
    rf"\s[Tt]itle\s(?P<title>\d{{1,3}}[A-Z]?))?(?:,\s|,?\s(?:of|under|in)\s)(?:the\s)?{_OF_STATE}"
)
"""A section before its code: "Section 349 of the New York General Business Law"."""
_CODE_OF_STATE = re.compile(
    rf"(?<![\w.])(?P<code>(?:{CODE_WORD},?\s){{1,9}})of\s(?:the\s)?(?:(?:State|Commonwealth)\sof\s)?"
    rf"(?P<state>{STATE}),?\s(?P<sign>§{{1,2}}|[Ss]ections?|[Ss]ecs?\.)\s?(?P<number>{SECTION_NUMBER})"
)
"""A code before its state: "Revised Code of Washington § 19.86.020"."""
_OF_GATE = _LISTS.pattern("of_gate")
_CODE_HEAD = _LISTS.pattern("code_head")
_TITLED = re.compile(
    rf"(?<![\w.])(?P<title>\d{{1,4}})\s(?P<code>ILCS|I\.L\.C\.S\.|Ill\.\s?Comp\.\s?Stat\.(?:"
    r"\sAnn\.)?|Pa\.\s?(?:C\.\s?S\.(?:\s?A\.)?|Cons\.\s?Stat\.(?:\sAnn\.)?)|Pa\.\s?Code"
    r"|Del\.\s?C\.|Del\.\sCode(?:\sAnn\.)?|V\.S\.A\.|M\.R\.S\.(?:A\.)?|N\.\s?Y\.\s?C\.\s?R\."
    r"\s?R\.|NYCRR|Okla\.\sStat\.|O\.S\.|Va\.\sAdmin\.\sCode|Tex\.\sAdmin\.\sCode|Ill\.\sAdm"
    rf"(?:in)?\.\sCode|Guam\sCode\sAnn\.)\s?(?:(?P<sign>§{{1,2}}|[Ss]ections?|[Ss]ecs?\.)\s*)?"
    rf"(?P<number>{SECTION_NUMBER})"
)
_TITLED_CODES = _LISTS.pairs("titled_codes")
_INITIALS = _LISTS.pairs("initials")
_POINTED = "|".join(
    rf"{''.join(letter + chr(92) + '.?' + chr(92) + 's?' for letter in name)}(?!\w)"
    for name in sorted(_INITIALS, key=len, reverse=True)
    if name not in {"RSMO", "AS", "RC", "GL", "MCA"}
)
_BY_INITIALS = re.compile(
    rf"(?<![\w.])(?P<state>N\.\s?Y\.\s?)?(?P<code>{_POINTED}|RSMo\.?|AS|R\.\s?C\.|G\.\s?L\."
    rf"|MCA)(?:\s?\(?Ann\.?\)?)?,?\s?(?:[Tt]it\.\s?(?P<title>\d{{1,3}}),?\s*)?(?:[Cc]h?\.\s?"
    rf"(?P<chapter>\d{{1,4}}[A-Z]{{0,2}}),?\s*)?(?:(?P<sign>§{{1,2}}|[Ss]ections?|[Ss]ecs?\."
    rf"|[Rr]ules?|[Cc]h(?:apter|\.))\s*)?(?P<number>{SECTION_NUMBER})"
)
_CHAPTER_FIRST = re.compile(
    rf"(?<!\w)(?P<sign>[Cc]h(?:apter|\.))\s(?P<number>{SECTION_NUMBER})\s(?P<code>{_POINTED})"
)
_SESSION_LAWS = re.compile(
    rf"(?<![\w.])(?:{STATE}\s)?(?:(?:Session\s)?(?:Laws?|Acts|Stats\.)\s(?:of\s)?(?P<year>(?:1[89]"
    rf"|20)\d\d)|(?P<year2>(?:1[89]|20)\d\d)\s(?:{STATE}\s)?(?:Sess(?:ion|\.)\s)?(?:Laws|Acts|Stats?\."
    r"))(?:,?\s\d\w{1,3}\s(?:Reg|Spec|Ex)\.\sSess\.)?,?\s(?:[Cc]h\.\s?|[Cc]hapter\s|[Cc]\.\s|[Nn]o\.\s)"
    rf"(?P<chapter>\d{{1,4}})(?:,?\s(?P<sign>§{{1,2}}|[Ss]ections?|[Ss]ecs?\.)\s?(?P<number>{SECTION_NUMBER}))?"
)
"""Laws of a session: "Laws of 2019, ch. 472, § 1", "2019 Cal. Stat. ch. 4"."""
_TREASURY = _LISTS.pattern("treasury")
_MORE = re.compile(
    rf"(?P<gap>\s?,\s?(?:and\s|or\s|&\s)?|\s(?:and|or|&|to|through)\s"
    rf"|\s?[-–—]\s?)(?P<sign>§{{1,2}}\s?)?(?P<number>{SECTION_NUMBER})(?!\w)(?!\s(?:U\.?\s?S"
    rf"|C\.?\s?F|F\.|S\.|[A-Z][\w.’']*\s\d|[A-Z]\.))"
)
_FURTHER = _LISTS.pattern("further")
_OF_WISCONSIN = re.compile(
    r"(?<=\))\d{1,2}(?:\.(?:[a-z]\.)?)?(?=[\s,.;)]|$)(?<!\.)|" + _FURTHER.pattern
)
_OF_NEBRASKA = re.compile(r",\d{3}(?:\.\d{2})?(?!\d)|" + _FURTHER.pattern)
_FURTHER_IN_KEY = _LISTS.pattern("further_in_key")
_CALIFORNIAN = re.compile(
    r"(?<![\w.])(?<!Cal\.\s)(?P<code>Code\sCiv\.\sProc\.|(?:Bus\.\s&\sProf|Civ|Corp|Evid|Fam|Gov"
    r"|Health\s&\sSaf|Ins|Lab|Pen|Prob|Pub\.\sRes|Rev\.\s&\sTax|Veh|Welf\.\s&\sInst)\.\sCode),\s"
    rf"(?P<sign>§{{1,2}})\s?(?P<number>{SECTION_NUMBER})"
)
"""The style of Californian courts, which leave out the state."""
_BEHIND = re.compile(
    rf"(?P<sign>§{{1,2}}|[Ss]ections?)\s?(?P<number>{SECTION_NUMBER}),\s(?P<state>Fla\."
    rf"|Florida)\s(?P<code>Stat(?:utes|\.))"
)
_RANGE = re.compile(r"(?P<first>\d+[a-z]{0,3}(?:\.\d+)?)[-–](?P<last>\d+[a-z]{0,3}(?:\.\d+)?)$")
_REGULATIONS = _LISTS.pattern("regulations")


def find_codes(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield the sections of American codes (type ``regulation``), not in order.

    The first place of a list has the code, the others their number; a range is one place.
    """
    if any(word in text for word in _FEDERAL_WORDS):
        yield from _federal(text)
    if _STATE_GATE.search(text):
        yield from _of_states(text)
    if _OF_GATE.search(text):
        yield from _of_named_states(text)
    if _SESSION_GATE.search(text):
        for match in _SESSION_LAWS.finditer(text):
            key = slug("laws", match["year"] or match["year2"], match["chapter"])
            yield from _listed(text, match, key, 0.95)
    if any(word in text for word in _INITIAL_WORDS):
        for match in (*_CHAPTER_FIRST.finditer(text), *_BY_INITIALS.finditer(text)):
            letters = re.sub(r"[^A-Z]", "", match["code"].upper())
            if (
                match["sign"]
                or match.groupdict().get("chapter")
                or _is_sure(letters, match["number"])
            ):
                yield from _listed(text, match, slug(_INITIALS[letters], *_higher(match)), 0.95)


_FEDERAL_WORDS = (*("S.C", "S. C", "USC", "F.R", "F. R", "CFR", "Code", "US C", "CODE", "Treas."),)
_STATE_GATE = _LISTS.pattern("state_gate")
_SESSION_GATE = re.compile(
    r"(?:Laws?|Acts|Stats?\.)\s(?:of\s)?(?:1[89]|20)\d|\d{4}\s.{0,24}(?:Laws|Acts|Stat)"
)
_INITIAL_WORDS = (
    *(name for name in _INITIALS if name not in {"AS", "RSMO"}),
    *(".".join(name) + "." for name in _INITIALS),
    *("RSMo", "AS §"),
)


def _federal(text: str) -> Iterator[ReferenceMatch]:
    seen = set()
    for pattern in (_FEDERAL, _SECTION_OF_TITLE, _TITLE_SECTION):
        for match in pattern.finditer(text):
            seen.add(match.start())
            yield from _listed(text, match, _federal_code(match), 0.97)
    for match in _SCANNED.finditer(text):
        if match.start() not in seen:
            yield from _listed(text, match, _federal_code(match), 0.6)
    if "Treas." in text:
        for match in _TREASURY.finditer(text):
            yield from _listed(text, match, "treas-reg", 0.97)


def _of_states(text: str) -> Iterator[ReferenceMatch]:
    for match in _STATE_CODE.finditer(text):
        state = state_of(match["state"])
        if state and _CODE_HEAD.search(match["code"]):
            code = _code_slug(state, match["code"], *_higher(match))
            yield from _listed(text, match, code, 0.97)
    for match in _CALIFORNIAN.finditer(text):
        yield from _listed(text, match, slug("california", code_name(match["code"])), 0.9)
    for match in _BEHIND.finditer(text):
        yield from _listed(text, match, "florida-statutes", 0.97)
    for match in _TITLED.finditer(text):
        letters = re.sub(r"[^a-z]", "", match["code"].lower())
        begun = max((n for n in _TITLED_CODES if letters.startswith(n)), key=len)
        yield from _listed(text, match, slug(_TITLED_CODES[begun], match["title"]), 0.97)


def _code_slug(state: str, code: str, *parts: str) -> str:
    name = f"{state_of(state) or state} {code_name(code)}"
    return slug(_SAME_CODES.get(name, name), *parts)


def _names_code(written: str) -> bool:
    is_law = code_name(written) in {"law", "laws", "act"}
    return _CODE_HEAD.search(written) is not None and not is_law


def _numbers(listed: str, offset: int) -> Iterator[tuple[int, int]]:
    for match in re.finditer(rf"(?<=\s){SECTION_NUMBER}", listed):
        yield match.start() + offset, match.end() + offset


def _of_named_states(text: str) -> Iterator[ReferenceMatch]:
    """Yield sections before their code, and sections of a code before its state."""
    for match in filter(lambda m: _names_code(m["code"]), _CODE_OF_STATE.finditer(text)):
        yield from _listed(text, match, _code_slug(match["state"], match["code"]), 0.97)
    for match in _SECTION_OF_CODE.finditer(text):
        written = match["code"] or match["code2"]
        if not _names_code(written):
            continue
        title = match["title"] or match["title1"]
        code = _code_slug(match["state"] or match["state2"], written, *filter(None, (title,)))
        named = one_line(text[match.start("state" if match["code"] else "code2") : match.end()])
        # The last number of a list holds the code.
        at = match.start()
        numbers = [match.span("number"), *_numbers(match["list"], match.start("list"))]
        for place, (start, stop) in enumerate(numbers):
            number = text[start:stop]
            end = match.end() if place == len(numbers) - 1 else stop
            name = f"{named} § {one_line(number)}" if place else one_line(text[at:end])
            yield _section(start if place else at, end, slug(code, number), name, 0.97)


def _is_sure(letters: str, number: str) -> bool:
    """Return whether initials without a sign before the number are those of a code."""
    if letters in {"AS", "RC", "GL", "MCA", "RSA", "TCA", "HAR"}:
        return re.match(r"\d{3,4}\.\d\d", number) is not None
    return re.search(r"\d[A-Z]?[.:-]\d|^\d{3,}", number) is not None


def is_regulation(key: str, /) -> bool:
    """Return whether *key* is that of a regulation, not of a statute."""
    return bool(_REGULATIONS.match(key))


def _federal_code(match: re.Match[str]) -> str:
    letters = re.sub(r"[^a-z]", "", match["code"].lower())
    return slug("cfr" if letters.startswith("c") else "usc", match["title"])


def _higher(match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    return tuple(groups[name] for name in ("title", "chapter") if groups.get(name))


def _section(start: int, end: int, key: str, name: str, confidence: float) -> ReferenceMatch:
    return ReferenceMatch(start, end, "regulation", f"regulation:{key}", name, confidence)


def _listed(
    text: str, match: re.Match[str], code: str, confidence: float
) -> Iterator[ReferenceMatch]:
    """Yield the place of *match* and the further members of its list."""
    groups = match.groupdict()
    number = groups.get("number") or groups.get("bare") or ""
    end = _whole_end(text, match.end(), code)
    if end > match.end():
        number = f"{number} {_FURTHER_IN_KEY.sub(' ', text[match.end() : end])}"
    plural = (groups.get("sign") or "").lower() in _PLURAL_SIGNS
    following: list[ReferenceMatch] = []
    head = one_line(text[match.start() : match.start("number")] if "number" in groups else "")
    head = head.rstrip(" §")
    at = end
    ranged = _RANGE.match(number) if plural else None
    if ranged and _is_after(ranged["first"], ranged["last"]):
        number = ranged["first"]
    while number and (more := _MORE.match(text, at)):
        if not more["sign"] and not plural:
            break
        dash = more["gap"].strip() in {"-", "–", "—", "to", "through"}
        if dash and not following:
            end = at = more.end()
            continue
        if dash:
            following[-1] = replace(following[-1], end=more.end())
        else:
            start, further = more.start("sign" if more["sign"] else "number"), more["number"]
            name = f"{head} § {one_line(further)}"
            key = slug(code, further)
            following.append(_section(start, more.end(), key, name, min(confidence, 0.95)))
        at = more.end()
    name = one_line(text[match.start() : end])
    yield _section(match.start(), end, slug(code, number), name, confidence)
    yield from following


def _whole_end(text: str, end: int, code: str) -> int:
    """Return the end of a section's suffix: "subd. 2", "Subpart Z", "(a)6.", "et seq."."""
    pattern = _FURTHER
    if code.startswith("wisconsin"):
        pattern = _OF_WISCONSIN
    elif code.startswith("nebraska"):
        pattern = _OF_NEBRASKA
    further = pattern.match(text, end)
    return further.end() if further else end


def _is_after(first: str, last: str) -> bool:
    """Return whether "1910.1-1910.5" is a range, and not one number as "2000e-5"."""
    one, other = re.match(r"\d+", first), re.match(r"\d+", last)
    if not one or not other or len(one[0]) != len(other[0]):
        return False
    return (int(other[0]), last) > (int(one[0]), first)
