"""References to statutes and regulations, by name, number and section.

Covers the United States, the European Union, the United Kingdom and Germany.

Keys have the act, then the section: ``regulation:companies-act-2006-172``,
``regulation:cfr-17-240-10b-5``, ``regulation:eu-2016-679-6-1-f``, ``regulation:bgb-433``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from casetrack.base.words import WordLists
from casetrack.base.words.lists import STATES, any_month, month_numbers
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug
from casetrack.extract.references.sections import PartList, part_number

# Words of titles before a place, and dates after it.

_LISTS = WordLists(__file__)

_WORD = re.compile(r"[\w'’&.,/\-]+")
_SMALL = frozenset("of and for on & etc. in to und für des der".split())
_NEVER = frozenset(_LISTS.words("never"))
_ABBREVIATION = re.compile(
    r"(?:[A-Z]\.)+|(?:Inc|Co|Corp|Ltd|St|Mr|Ms|Dr|No|U\.S|Dept|Int|Nat|Bros)\.|etc\."
)
_WINDOW = 110
_MONTHS = month_numbers("en", "en_short", "de", "de_short") | {"sept": 9}
_MONTH = rf"(?:{any_month('en_de_pattern')})\.?"
DATE = (
    rf"(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:day\sof\s|of\s)?(?P<m1>{_MONTH}),?\s(?P<y1>\d{{4}})"
    rf"|(?P<m2>{_MONTH})\s{{1,3}}(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,3}}(?P<y2>\d{{4}})"
    rf"|(?P<iso>\d{{4}}-\d\d-\d\d)|(?P<dots>\d{{1,2}}\.\d{{1,2}}\.\d{{4}})|(?P<slashes>\d{{1,2}}/\d{{1,2}}/\d{{2,4}})"
    rf"|(?P<m3>{_MONTH}),?\s(?P<y3>\d{{4}}))"
)
"""Regular expression of a date; use it once in a pattern, for its groups are named."""


def iso_date(match: re.Match[str], /) -> str:
    """Return the date of a :data:`DATE` match, as far as it is certain."""
    if match["iso"]:
        return match["iso"]
    if match["dots"]:
        day, month, year = match["dots"].split(".")
        return f"{year}-{int(month):02}-{int(day):02}"
    if match["slashes"]:
        # Day and month are ambiguous: the key has the date as written.
        return match["slashes"]
    for i in "12":
        if match["m" + i]:
            return f"{match['y' + i]}-{_month(match['m' + i]):02}-{int(match['d' + i]):02}"
    return f"{match['y3']}-{_month(match['m3']):02}"


def _month(name: str) -> int:
    return _MONTHS[name.rstrip(".").lower()]


def title_start(text: str, end: int, /, *, words: int = 8, commas: bool = False) -> int:
    """Return the start of the capitalised words (with small words between them) before *end*.

    *words* is the maximum number of words; *commas* allows "Food, Drug, and Cosmetic Act".
    """
    left = max(0, end - _WINDOW)
    window = text[left:end]
    best = at = len(window)
    for _ in range(words):
        gap = at - len(window[:at].rstrip(" \u00a0\n\t"))
        if not gap or window[at - gap : at].count("\n") > 1:
            break
        stop = at - gap
        if not stop:
            break
        word = window[:stop].rsplit(None, 1)[-1].lstrip('"“”„‘([')
        at = stop - len(word)
        if not _WORD.fullmatch(word) or (at == 0 and left > 0):
            break
        plain = word.strip("'’.,/-").lower()
        if word[-1] == "." and not _ABBREVIATION.fullmatch(word):
            break
        if word[-1] in ",/-" and not commas:
            break
        if word.lower() in _SMALL or plain in _SMALL:
            if at + len(word) + gap == len(window):
                # "Statement of Work to Agreement": a small word precedes the noun.
                break
            continue
        if not (word[0].isupper() or word[0].isdigit()) or plain in _NEVER:
            break
        if word[0].isdigit():
            # A year may begin a title ("2023 Annual Report"); before a small word it ends another.
            if re.fullmatch(r"(?:19|20)\d\d", word) and best == at + len(word) + gap:
                best = at
            break
        best = at
    return left + best


_US_WORDS = ("S.C", "S. C", "USC", "F.R", "F. R", "CFR", "Fed", "Pub", "P.L.", "Code", "Stat.")
_US = re.compile(_LISTS.text("us"), re.VERBOSE)
_SEC = _LISTS.pattern("sec")
_EU_WORDS = _LISTS.phrases("eu_words")
_EU = _LISTS.pattern("eu")
_GDPR = _LISTS.pattern("gdpr")
_SI = re.compile(
    r"(?<!\w)S\.?I\.?\s(?:(?P<a>\d{4}/\d{1,4})|(?P<y>(?:19|20)\d\d)\sNo\.?\s?(?P<n>\d{1,4}))(?!\d)|\(S\.?\s?I\.?\s?(?:No\.?\s)?(?P<b>\d{1,4}(?:/\d{1,4})?\sof\s\d{4})\)"
)
_ACT_WORD = re.compile(
    r"(?<![\w-])(?:Acts?|Code|Regulations|Ordinance|Rules|Order|Statute|Law|Constitution|Treaty|Convention|Directive)(?![\w-])"
)
_NEEDS_YEAR = frozenset(("Order", "Rules", "Regulations", "Directive", "Ordinance"))
_ACT_YEAR = re.compile(
    r"(?:\s\([A-Z][^()\n]{2,60}\))?,?\s(?:of\s)?(?P<year>(?:17|18|19|20)\d\d)(?!\d|[-/.]\d)"
)
_CODES = frozenset(_LISTS.phrases("codes"))
_STATES = "|".join(
    (*STATES, *"german french italian spanish swiss austrian dutch indian english".split())
)
_STATE_CODE = re.compile(rf"(?:{_STATES})\b.*")
_SAME_ACT = _LISTS.pairs("same_act")
_INITIAL_WORDS = ("ERISA", "HIPAA", "FCPA", "FDCA", "DMCA", "CCPA", "UCC", "CERCLA")
_INITIALS = re.compile(rf"(?<![\w-])(?:{'|'.join(_INITIAL_WORDS)})(?![\w-])")
_GERMAN_CODE = _LISTS.joined("german_code")
_AFTER_GERMAN = re.compile(
    rf"\s?(?:ff?\.\s?)?(?:\s?\(?(?:des|der)\s)?\s?(?P<code>{_GERMAN_CODE})(?![\w-])"
)
_JOIN_AFTER = re.compile(
    r"\s{0,3}(?:(?:,\s?)?(?:of|under|in)\s{1,3}(?:the\s{1,3}|such\s)?(?:U\.?S\.?\s)?|\s|,\s)?\s{0,2}$"
)
_THE_ACT = re.compile(
    r"\s{1,3}(?:of|under)\s{1,3}(?:the|such|that|said)\s{1,3}(?P<act>(?:19|20)\d\d\sAct|Act|Code|Regulations|Rules)(?![\w-])(?!\sof\s(?:Conduct|Ethics))"
)
_JOIN_BEFORE = re.compile(r",?\s{1,3}$")


def find_acts(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield whole acts, codes and regulations, and those with their section, not in order."""
    if any(word in text for word in _US_WORDS):
        for match in _US.finditer(text):
            yield _regulation(match, _us_key(match), 0.97)
    if "Rule" in text or "Regulation " in text:
        for match in _SEC.finditer(text):
            yield _regulation(match, _sec_key(match), 0.85)
    if any(word in text for word in _EU_WORDS):
        for match in _EU.finditer(text):
            yield _regulation(match, slug("eu", match["numbered"] or match["old"]), 0.97)
        for match in _GDPR.finditer(text):
            yield _regulation(match, "uk-gdpr" if match["uk"] else "eu-2016-679", 0.97)
    if "SI " in text or "S.I" in text or "S. I" in text:
        for match in _SI.finditer(text):
            yield _regulation(match, _si_key(match), 0.9)
    yield from _named_acts(text)


def _regulation(match: re.Match[str], key: str, confidence: float) -> ReferenceMatch:
    name = one_line(match[0])
    return ReferenceMatch(
        match.start(), match.end(), "regulation", "regulation:" + key, name, confidence
    )


def _us_key(match: re.Match[str]) -> str:
    if match["volume"]:
        return slug("fed-reg", match["volume"], match["page"].replace(",", ""))
    if match["law"]:
        return slug("public-law", match["law"])
    if match["at_large"]:
        return slug("stat", match["at_large"], match["stat_page"])
    federal = match["ucode"].startswith("C")
    return slug("cfr" if federal else "usc", match["utitle"])


def _sec_key(match: re.Match[str]) -> str:
    if match["regulation"]:
        return slug("sec-regulation", match["regulation"].replace("-", ""))
    rule = match["rule"] or match["known"].replace("10b5", "10b-5")
    return slug("sec-rule", rule, match["subs"] or "")


def _si_key(match: re.Match[str]) -> str:
    if match["a"]:
        return slug("uk-si", match["a"])
    if match["y"]:
        return slug("uk-si", match["y"], match["n"])
    number, year = match["b"].split(" of ")
    return slug("uk-si", year, number.split("/")[0])


def _named_acts(text: str) -> Iterator[ReferenceMatch]:
    for match in _ACT_WORD.finditer(text):
        year = _ACT_YEAR.match(text, match.end())
        if year is None and match[0] in _NEEDS_YEAR:
            continue
        start = title_start(text, match.start(), words=10, commas=True)
        if start == match.start():
            continue
        end = year.end() if year else match.end()
        body = one_line(text[start : match.end()]).casefold()
        confidence = _act_confidence(match[0], body, dated=year is not None)
        if confidence and not text[start : match.start()].isupper():
            name = f"{body} {year['year']}" if year else body
            key = slug(_SAME_ACT.get(name, name))
            yield ReferenceMatch(
                start, end, "regulation", "regulation:" + key, one_line(text[start:end]), confidence
            )
    if not any(initials in text for initials in _INITIAL_WORDS):
        return
    for match in _INITIALS.finditer(text):
        name = match[0].casefold()
        name = "uniform commercial code" if name == "ucc" else _SAME_ACT.get(name, name)
        yield _regulation(match, slug(name), 0.85)


def _act_confidence(word: str, body: str, *, dated: bool) -> float:
    before = body.rsplit(" ", 1)[0]
    if dated and word not in {"Order", "Rules", "Law", "Code", "Directive"}:
        return 0.97
    if word == "Code":
        known = before.removeprefix("the ") in _CODES or bool(_STATE_CODE.fullmatch(before))
        return 0.93 if known else 0.0
    if word in {"Law", "Constitution", "Statute"}:
        return 0.85 if _STATE_CODE.fullmatch(before) and before.count(" ") else 0.0
    if word in {"Act", "Acts"}:
        return 0.85
    if dated and before.count(" "):
        return 0.9
    return 0.8 if word in {"Convention", "Treaty"} and before.count(" ") else 0.0


def claim_parts(
    text: str, parts: list[PartList], acts: list[ReferenceMatch], /
) -> tuple[list[PartList], list[ReferenceMatch]]:
    """Assign sections to the acts that they belong to.

    Acts that already have a section claim none. Returns the remaining parts, and the references of
    parts with acts; the last of a list extends over the act ("15(d) of the Exchange Act").
    """
    left: list[PartList] = []
    made: list[ReferenceMatch] = []
    by_end = {act.end: act for act in acts}
    starts = [act.start for act in acts]
    for part in parts:
        own = part.word in {"section", "article", "paragraph"}
        claimed = _claim(text, part, _next(acts, starts, part.end), by_end) if own else None
        if claimed:
            made += claimed
        else:
            left.append(part)
    return left, made


def _next(acts: list[ReferenceMatch], starts: list[int], end: int) -> ReferenceMatch | None:
    at = bisect_left(starts, end)
    return acts[at] if at < len(acts) and starts[at] - end < 24 else None


def _claim(
    text: str, part: PartList, after: ReferenceMatch | None, by_end: dict[int, ReferenceMatch]
) -> list[ReferenceMatch] | None:
    german = _AFTER_GERMAN.match(text, part.end)
    if german and (part.written[0] == "§" or part.written.lower().startswith("art")):
        key = "eu-2016-679" if german["code"].replace("-", "") == "DSGVO" else german["code"]
        return _joined(part, "regulation:" + slug(key), german["code"], part.start, german.end())
    if after and _JOIN_AFTER.match(text[part.end : after.start]):
        return _joined(part, after.key, after.name, part.start, after.end)
    for gap in (1, 2, 3):
        before = by_end.get(part.start - gap)
        if before and _JOIN_BEFORE.fullmatch(text, before.end, part.start):
            return _joined(part, before.key, before.name, before.start, part.end)
    if unnamed := _THE_ACT.match(text, part.end):
        key = "regulation:" + slug(unnamed["act"])
        made = _joined(part, key, "of the " + unnamed["act"], part.start, unnamed.end())
        # The act is named elsewhere.
        return [
            ReferenceMatch(f.start, f.end, f.type, f.key, f.name, 0.6, resolved=False) for f in made
        ]
    return None


def _joined(part: PartList, key: str, name: str, start: int, end: int) -> list[ReferenceMatch]:
    places = list(part.places())
    word = "§" if part.written[0] == "§" else part.word.capitalize()
    made: list[ReferenceMatch] = []
    for i, (from_, to, number) in enumerate(places):
        made.append(
            ReferenceMatch(
                start if i == 0 else from_,
                end if i + 1 == len(places) else to,
                "regulation",
                f"{key}-{slug(part_number(part.word, number))}",
                f"{word} {one_line(number)} {name}",
                0.97,
            )
        )
    return made
