"""Text around a citation: signals before it, pin cites and remarks after it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_month
from casetrack.extract.papers.text import Pin

_DASH = r"[-–—‑]"
_NUMBER = rf"\*{{0,2}}\d{{1,6}}(?:,\d{{3}})?(?:\s?{_DASH}\s?\*{{0,2}}\d{{1,6}})?"
_NOTE = (
    rf"(?:&\s?)?(?:nn?|fn|nt)\.\s?\d{{1,3}}(?:(?:\s?{_DASH}\s?|,\s(?:&\s)?|\s&\s)\d{{1,3}}"
    rf"(?![\w.]))*|\bnotes?\s\d{{1,3}}(?:\s?{_DASH}\s?\d{{1,3}})?|\bfootnotes?\s\d{{1,3}}"
)
_PARAGRAPH = (
    rf"(?:¶{{1,2}}|\bparas?\.|\bparagraphs?)\s?\d{{1,4}}(?:\([a-z0-9]\))*(?:\s?{_DASH}\s?(?:¶\s?)"
    rf"?\d{{1,4}})?(?:(?:,\s|,?\s(?:&|and)\s)\d{{1,4}}(?![\w.]"
    rf"|\s[A-Z])(?:\s?{_DASH}\s?\d{{1,4}})?)*"
)
_LINES = rf"\d{{1,4}}:\d{{1,2}}(?:\s?{_DASH}\s?(?:\d{{1,4}}:)?\d{{1,2}})?"
_SECTION = r"§{1,2}\s?\d[\w.:-]*(?:\(\w{1,4}\))*"
_ROMAN = r"[ivxlc]{1,7}(?![a-z])"
_ITEM = rf"(?:{_PARAGRAPH}|{_NOTE}|{_LINES}|{_SECTION}|{_NUMBER}(?:\s?(?:{_NOTE}))?)"
_FIRST = re.compile(
    rf"(?:,?\s?(?:at|@)\s(?:pp?\.\s?|pages?\s)?(?P<at>{_ITEM}|{_ROMAN})"
    rf"|,\s?(?:pp?\.\s?)?(?P<comma>{_ITEM})|\s(?P<bare>{_PARAGRAPH}|{_NOTE}|{_SECTION}"
    rf"|pp?\.\s\d+(?:{_DASH}\d+)?))(?![\w%]|\.\d|:\d)"
)
_NEXT = re.compile(
    rf"(?:,\s?(?:&\s|and\s|at\s)?|\s(?:&|and)\s|\s(?=n{{1,2}}\.|fn\.))(?P<item>{_ITEM})(?![\w%]"
    rf"|\.\d|:\d)"
)
_ONE = re.compile(
    rf"(?P<paragraph>{_PARAGRAPH})|(?P<note>{_NOTE})|(?P<line>{_LINES})|(?P<section>{_SECTION})"
    rf"|(?P<number>{_NUMBER})|(?P<roman>{_ROMAN})"
)
_REPORTER = re.compile(
    r"\s(?:U\.\s?S\.|S\.\s?Ct|L\.\s?Ed|F\.|[A-Z][\w.']*\s?(?:\d?[a-z]{0,2}\.?\s)?\d)"
)
_YEAR = re.compile(r"(?:^|[\s.,(])(?P<year>(?:17|18|19|20)\d\d)(?![\d-])")
_COURT_ALONE = re.compile(
    r"(?:\d{1,2}(?:st|nd|rd|th|d)|D\.\s?C\.|Fed\.)\sCir\.|(?:[NSEWMC]\.)?D\.\s?(?:[A-Z][a-z]+\."
    r"|[A-Z]\.\s?[A-Z]\.)"
)
_MONTH = re.compile(
    rf"(?:,?\s?(?:{any_month('en_short')})[a-z]*\.?\s\d{{1,2}},?)?\s?(?:17|18|19|20)\d\d.*$"
)
_SHORT_NAME = re.compile(r"(?:hereinafter\b.*|[\"“][A-Z][^\"”]{0,40}[\"”],?)$")
_PLAIN_REMARKS = re.compile(
    r"(?:per curiam|en banc|plurality(?: opinion)?|mem\.|unpublished|table|slip op\."
    r"|\w+(?:\sand\s\w+)?, (?:C\.)?JJ?\., .*)$"
)


@dataclass(frozen=True, slots=True)
class Parentheses:
    """Court and year in the first parentheses after a citation, and the remarks after them.

    *end* is the end of court and year (the start if there are none), *remarks_end* of the remarks.
    """

    end: int
    remarks_end: int
    court: str
    year: int | None
    remark: str


def read_pins(
    text: str, start: int, limit: int, /, *, key: str = ""
) -> tuple[int, tuple[Pin, ...]]:
    """Return the end of the pin cites that begin at *start*, and the pin cites in order.

    *limit* is the start of the next citation, *key* that of the parallel citation with the pins.
    Without pins the end is *start*.
    """
    first = _FIRST.match(text, start, limit)
    if first is None or _is_year(first, text):
        return start, ()
    group = "at" if first["at"] else "comma" if first["comma"] else "bare"
    items = [(first.start(group), first.end(group))]
    at = first.end()
    while following := _NEXT.match(text, at, limit):
        if _is_volume(text, following.end(), limit) and following.end() < len(text):
            break
        items.append((following.start("item"), following.end("item")))
        at = following.end()
    if _is_volume(text, items[-1][1], limit) and len(items) == 1 and group == "comma":
        return start, ()
    pins = tuple(pin for begin, end in items for pin in pins_of(text[begin:end], key=key))
    return items[-1][1], pins


def _is_year(first: re.Match[str], text: str) -> bool:
    """Return whether a number after a comma is the year of a date, not a page."""
    return bool(
        first["comma"]
        and re.fullmatch(r"(?:19|20)\d\d", first["comma"])
        and text[first.end() : first.end() + 1] == ")"
    )


def _is_volume(text: str, end: int, limit: int) -> bool:
    """Return whether the number that ends at *end* is the volume of a reporter that follows."""
    return end + 1 >= limit and _REPORTER.match(text, end, end + 24) is not None


def pins_of(written: str, /, *, key: str = "") -> tuple[Pin, ...]:
    """Return the pins of one item as written: "593-94 n.3" is a page and a note."""
    pins = []
    for match in _ONE.finditer(written):
        kind = match.lastgroup or "number"
        made = _line_pin(match[0], key) if kind == "line" else _pin(kind, match[0], key)
        pins.append(made)
    return tuple(pins)


def _pin(kind: str, written: str, key: str) -> Pin:
    unit = {"paragraph": "paragraph", "note": "note", "section": "section"}.get(kind, "page")
    if kind == "section":
        number = written.lstrip("§ ")
        return Pin(written, "section", number, number, key=key)
    if kind == "roman":
        return Pin(written, "page", written, written, key=key)
    numbers = re.findall(r"\d+", written.replace(",", "") if kind == "number" else written)
    first = numbers[0]
    last = whole_number(first, numbers[-1])
    return Pin(written.lstrip("& "), unit, first, last, key=key)  # type: ignore[arg-type]


def _line_pin(written: str, key: str) -> Pin:
    ends = re.split(_DASH, written.replace(" ", ""))
    page, line = ends[0].split(":")
    last_page, last_line = page, line
    if len(ends) > 1:
        last_page, last_line = ends[1].split(":") if ":" in ends[1] else (page, ends[1])
    return Pin(written, "line", page, last_page, line, last_line, key=key)


def whole_number(first: str, last: str, /) -> str:
    """Return the full end of a range: "594" for "593-94"."""
    return first[: len(first) - len(last)] + last if len(last) < len(first) else last


def read_parentheses(text: str, start: int, /) -> Parentheses:
    """Return court, year and remarks in the parentheses at *start* or after one space."""
    end, court, year, remark = start, "", None, []
    at = start
    first = True
    while inside := _inside(text, at):
        begin, close = inside
        words = text[begin + 1 : close].strip()
        year_match = _YEAR.search(words)
        dated = (
            first
            and year_match
            and len(words) < 90
            and not re.match(r"(?:quoting|citing|[a-z]+ing\b|internal|emphasis)", words)
        )
        if first and not year_match and _COURT_ALONE.fullmatch(words):
            court = words
            end = at = close + 1
        elif dated and year_match:
            year = int(year_match["year"])
            court = _MONTH.sub("", words).strip(" ,")
            end = at = close + 1
        elif (
            words[:1].islower() or words[:1] in '"“‘[(' or _PLAIN_REMARKS.match(words) or not first
        ):
            at = close + 1
            if not _SHORT_NAME.match(words):
                remark.append(words)
        else:
            break
        first = first and year is None and not court
        if len(remark) > 3:
            break
    return Parentheses(end, at, court, year, ") (".join(remark))


def _inside(text: str, at: int) -> tuple[int, int] | None:
    """Return the places of the parentheses that open at *at* or after one space."""
    begin = at + 1 if text[at : at + 1] == " " else at
    if text[begin : begin + 1] != "(":
        return None
    depth = 0
    for place in range(begin, min(len(text), begin + 1200)):
        sign = text[place]
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth == 0:
                return begin, place
        elif sign == "\n":
            return None
    return None


# Signals before a citation, and its treatment. Signals are those of The Bluebook (21st edition),
# rule 1.2; explanatory phrases of table T8.

_LISTS = WordLists(__file__)
_BEFORE = tuple(
    (name, re.compile(rf"(?<![\w-])(?:{pattern})\s*[\"“(\[]?\s*$", re.IGNORECASE))
    for name, pattern in _LISTS.pairs("signals").items()
)
_WITHIN = re.compile(
    r"\((?:[\w\s,]{0,30}\s)?(?P<word>quoting|citing|quoted in|cited in|discussing|overruling"
    r"|abrogating|distinguishing|following|affirming|reversing|vacating)\s+(?:\w+\s)?$"
)
_HISTORY = re.compile(_LISTS.text("history"), re.VERBOSE | re.IGNORECASE)
_WITHIN_SAYS, _USUAL, _SAID = map(_LISTS.pairs, ("within_says", "usual", "said"))
_SAID_BEFORE = re.compile(_LISTS.text("said_before"), re.VERBOSE | re.IGNORECASE)
_SAID_AFTER = re.compile(
    r",?\s(?:is|was|are|were|has\sbeen|have\sbeen)\s(?:\w+ly\s|easily\s|inapposite\sand\s|later\s"
    r"|since\s)?(?P<word>distinguishable|distinguished|overruled|abrogated|superseded|inapposite"
    r"|not\s(?:controlling|binding|on\spoint)|good\slaw|followed|questioned)",
    re.IGNORECASE,
)


def signal_before(text: str, start: int, /) -> tuple[str, int]:
    """Return the signal before *start* in its usual spelling, and its start.

    Without a signal the result is "" and *start*.
    """
    window = text[max(0, start - 40) : start]
    for name, pattern in _BEFORE:
        match = pattern.search(window)
        if match and not _is_verb(window, match):
            return name, start - len(window) + match.start()
    return "", start


def _is_verb(window: str, match: re.Match[str]) -> bool:
    """Return whether "see" or "compare" is the verb of a sentence ("we see Roe v. Wade as ...")."""
    return match[0].islower() and bool(
        re.search(r"\b(?:we|you|they|I|to|can|will|would|do|not)\s$", window[: match.start()])
    )


def treatment_around(text: str, start: int, end: int, remarks_end: int, /) -> str:
    """Return the treatment of the authority cited at *start* to *end*; "" if there is none.

    In order of precedence: later history ("overruled by", "affirmed"), the remark that contains the
    citation ("quoted", "cited"), the verb of the sentence ("distinguished", "followed").
    """
    history = _HISTORY.match(text, remarks_end) or _HISTORY.match(text, end)
    if history:
        word = history["word"].lower().replace("’", "'")
        if word.startswith("aff") and re.match(r"affirming|aff'g", word):
            return "affirming"
        if word.startswith("rev") and re.match(r"reversing|rev'g|review", word):
            return "" if word.startswith("review") else "reversing"
        if "granted" in word:
            return word
        return next((usual for pattern, usual in _USUAL.items() if re.match(pattern, word)), word)
    before = text[max(0, start - 90) : start]
    within = _WITHIN.search(before)
    if within:
        return _WITHIN_SAYS.get(within["word"], "cited")
    match = _SAID_BEFORE.search(before)
    word = match["word"] if match else ""
    if not word:
        after = _SAID_AFTER.match(text, remarks_end)
        word = after["word"].lower() if after else ""
        if word.startswith(("distinguish", "inapposite", "not ")):
            return "distinguished"
        if word == "superseded":
            return "superseded by"
        if word == "good law":
            return ""
    word = word.lower()
    return next((usual for pattern, usual in _SAID.items() if re.match(pattern, word)), "")
