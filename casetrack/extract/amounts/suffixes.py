"""Suffixes of amounts: per cent signs and words, units of measure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, cast

from casetrack.base.dataclass import dataclass
from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from casetrack.extract.amounts.numerals import Number

# Units of measure: words and abbreviations, with their usual symbol. Prefixes of metric units are
# generated. Abbreviations are case-sensitive where case distinguishes units ("MB" and "Mb", "mW"
# and "MW").

Family = Literal[
    "length",
    "area",
    "volume",
    "weight",
    "speed",
    "temperature",
    "information",
    "time",
    "energy",
    "power",
    "angle",
    "pressure",
    "electricity",
    "frequency",
    "force",
    "rate",
]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure with its usual symbol ("km") or name ("day"), and its dimension."""

    symbol: str
    family: Family


_LISTS = WordLists(__file__)
_DRAW_WORDS = frozenset("are ares rod rods chain chains hand hands league leagues mil mils".split())
"""Units that are far more often another word; they are left out."""
SHAKY = frozenset(_LISTS.words("shaky"))
"""Units whose word is often something else: found, but held less sure."""
PLURAL_ONLY = frozenset(("second", "turn", "minim", "quarter", "slug"))
"""Words that, in the singular and after a space, count a unit only where the number is one."""


def _short_forms(symbol: str) -> set[str]:
    return {symbol, "μ" + symbol[1:], "u" + symbol[1:]} if symbol[0] == "µ" else {symbol}


def _metric() -> tuple[dict[str, Unit], dict[str, Unit]]:
    words: dict[str, Unit] = {}
    short: dict[str, Unit] = {}
    for names, (symbol, family, *allowed) in _LISTS.groups("metric").items():
        for prefix, mark in (("", ""), *_LISTS.pairs("prefixes").items()):
            if prefix and mark not in allowed:
                continue
            unit = Unit(mark + symbol, cast("Family", family))
            for name in names.split(","):
                words[prefix + name] = words[prefix + name + "s"] = unit
            short.update(dict.fromkeys(_short_forms(mark + symbol), unit))
    return words, short


def _more_short(short: dict[str, Unit]) -> dict[str, Unit]:
    return {word: short[symbol] for word, symbol in _LISTS.pairs("more").items()}


def _listed(words: dict[str, Unit], short: dict[str, Unit]) -> None:
    for family, entries in _LISTS.pairs("listed").items():
        for entry in entries.split("|"):
            symbol, *names = (name.replace("_", " ") for name in entry.split())
            unit = Unit(symbol, cast("Family", family))
            for name in names:
                words[name.lower()] = unit
            if len(symbol) <= 2 and symbol.isascii():
                short.setdefault(symbol, unit)
            else:
                words.setdefault(symbol.lower(), unit)


def _raised(words: dict[str, Unit], short: dict[str, Unit]) -> None:
    lengths = [(word, unit) for word, unit in words.items() if unit.family == "length"]
    brief = [(word, unit) for word, unit in short.items() if unit.family == "length"]
    kinds: tuple[tuple[Family, str, tuple[str, ...], str], ...] = (
        ("area", "²", ("square", "sq", "sq."), "2"),
        ("volume", "³", ("cubic", "cu", "cu."), "3"),
    )
    for family, mark, before, digit in kinds:
        for word, unit in lengths + brief:
            raised = Unit(unit.symbol + mark, family)
            for first in before:
                words[f"{first} {word.lower()}"] = words[f"{first}-{word.lower()}"] = raised
        for word, unit in brief:
            raised = Unit(unit.symbol + mark, family)
            short.update(dict.fromkeys((word + mark, word + digit, f"{word}^{digit}"), raised))


def _build() -> tuple[dict[str, Unit], dict[str, Unit]]:
    words, short = _metric()
    short.update(_more_short(short))
    _listed(words, short)
    _raised(words, short)
    for word in ("ft", "yd", "mi"):
        short[word.upper()] = short[word]
    for symbol in ("m", "g", "L", "s", "W", "V", "A", "J", "N", "t", "h"):
        words.pop(symbol, None)
    for word in _DRAW_WORDS:
        words.pop(word, None)
    for abbreviation in ("B", "K", "Mt", "Mg"):
        short.pop(abbreviation, None)
    return words, short


WORDS, SHORT = _build()
"""Names in lower case, and abbreviations in their own case; each to its unit."""


@dataclass(frozen=True, slots=True)
class Suffix:
    """A per cent sign or unit after a number."""

    end: int
    unit: str  # its name or symbol
    percent: bool  # whether the number is a percentage; else it is a quantity
    short: bool  # whether it is an abbreviation
    confidence: float  # 0..1


_PERCENT = re.compile(
    r"%(?:[ -]points?\b|[ -]age points?\b)?|‰|per[ -]?cent(?:age)?[ -]points?\b|"
    r"basis[ -]points?\b|bps\b|per ?mil(?:le)?\b|percents?\b|per[ -]cents?\b|pct\b\.?|"
    r"percentages?\b|p\.p\.|pp\b(?!\.)|v\.h\.|prozent\b"
)
_WORD = re.compile(
    r"(?:°\s?)?[^\W\d_]+(?:-[^\W\d_]+){0,2}(?:[²³]|\^?[23](?![\d.]))?\.?|[°º]\s?[cf]?\b|[°º℃℉]"
)
_PER = re.compile(r"\s?/\s?|\s{1,2}per\s{1,2}")
_ONE_WORD = re.compile(r"[^\W\d_]+(?:[²³]|[23](?!\d))?")
_FEET = re.compile(r"(?P<feet>\d{1,3})\s?['’′]\s?-?(?P<inches>\d{1,2}(?:\.\d+)?)\s?[\"″”]")
_INCH_IN = re.compile(
    r"(?=$|[.,;:)\]|]|\s*(?:$|[.,;:)\]|x×]|by\b|long|wide|high|tall|deep|thick|diameter|\n))"
)
_TOKEN_CASE = frozenset(("in", "In"))
_DAY_OF = re.compile(r"day\s{1,2}of\b", re.IGNORECASE)
"""The thirtieth day of a month is no length of time."""
_NEEDS_GAP = frozenset("JNA")
_MARK_ENDS = frozenset(".,;:)|x×-")
_BROKEN_ORDINAL = re.compile(r"\s?h\b")
"""Old scans split "27th" into "27t h"."""
_OF_PEOPLE = frozenset(("force", "energy", "power", "electricity", "pressure", "frequency"))
"""Families of units with surnames as names, which streets also have."""
_RATES = {"mi/h": "mph", "nmi/h": "kn"}
_WORDS_IN_UNIT = 4
_QUOTE_REACH = 300
_FIRST_OF_UNIT = frozenset(word.split()[0] for word in WORDS)
_CLOSERS = {"[": "]", "<": ">", "(": ")"}


def percent_after(low: str, at: int, /) -> Suffix | None:
    """Read a per cent sign or word that begins at a position; *low* is in lower case."""
    if low[at : at + 1] not in {"%", "‰", "p", "b", "v"}:
        return None
    match = _PERCENT.match(low, at)
    if match is None:
        return None
    word = match[0]
    if word == "%" and low[match.end() : match.end() + 1].isalnum():
        return None
    if word.startswith("basis") or word == "bps":
        return Suffix(match.end(), "basis point", percent=True, short=False, confidence=0.95)
    if "point" in word or word in {"p.p.", "pp"}:
        sure = 0.6 if word == "pp" else 0.95
        return Suffix(match.end(), "percentage point", percent=True, short=False, confidence=sure)
    if word == "‰" or "mil" in word:
        return Suffix(match.end(), "per mille", percent=True, short=False, confidence=0.95)
    sure = 0.75 if word.startswith("percentage") else 0.97
    return Suffix(match.end(), "percent", percent=True, short=False, confidence=sure)


def unit_after(text: str, low: str, at: int, number: Number, gap: str, /) -> Suffix | None:
    """Read a unit of measure that begins at a position, after *number* and the text *gap*."""
    char = text[at : at + 1]
    if char in _CLOSERS:
        return _bracketed(text, low, at, char, number, gap)
    if char in {'"', "″", "”"}:
        return _inch_mark(text, at) if len(gap) < 2 else None
    named = _unit(text, low, at)
    if named is None:
        return None
    end, unit, short, word = named
    if not _fits(text, end, number, gap, unit, word):
        return None
    combined = _per(text, low, end, unit)
    if combined is not None:
        end, unit = combined
    sure = 0.7 if word in SHAKY else 0.85 if short else 0.93
    if short and len(word) == 1 and gap:
        sure = 0.75
    return Suffix(end, unit.symbol, percent=False, short=short, confidence=sure)


def _bracketed(text: str, low: str, at: int, char: str, number: Number, gap: str) -> Suffix | None:
    named = _unit(text, low, at + 1)
    if named is None or text[named[0] : named[0] + 1] != _CLOSERS[char]:
        return None
    end, unit, short, word = named
    if char == "(" and (len(word) < 2 or (number.plain and not gap)):
        return None
    return Suffix(end + 1, unit.symbol, percent=False, short=short, confidence=0.8)


def _inch_mark(text: str, at: int) -> Suffix | None:
    line = text.rfind("\n", max(0, at - _QUOTE_REACH), at) + 1 or max(0, at - _QUOTE_REACH)
    mark = text[at]
    if mark != "″" and (text.count('"', line, at) + text.count("“", line, at)) % 2:
        return None
    following = text[at + 1 : at + 2]
    if following and not following.isspace() and following not in _MARK_ENDS:
        return None
    return Suffix(at + 1, "in", percent=False, short=True, confidence=0.6)


def _unit(text: str, low: str, at: int) -> tuple[int, Unit, bool, str] | None:
    match = _WORD.match(low, at)
    if match is None:
        return None
    raw = text[at : match.end()]
    best: tuple[int, Unit, bool, str] | None = None
    if raw in SHORT or raw.rstrip(".") in SHORT:
        word = raw if raw in SHORT else raw.rstrip(".")
        best = (at + len(word), SHORT[word], True, word)
    first = match[0].split()[0]
    if first not in _FIRST_OF_UNIT and first.rstrip(".") not in _FIRST_OF_UNIT:
        if best is None and "-" in raw:
            return _unit_of_head(at, raw)
        return best
    words: list[str] = []
    position = at
    for _ in range(_WORDS_IN_UNIT):
        match = _WORD.match(low, position)
        if match is None:
            break
        words.append(" ".join(match[0].split()))
        phrase = " ".join(words)
        bare = phrase.removesuffix(".")
        if bare in WORDS:
            best = (match.end() - (len(phrase) - len(bare)), WORDS[bare], False, bare)
        position = match.end() + 1
        if low[match.end() : position] not in {" ", "\n", "\u00a0"}:
            break
    return best or (_unit_of_head(at, raw) if "-" in raw else None)


def _unit_of_head(at: int, raw: str) -> tuple[int, Unit, bool, str] | None:
    """Read "foot" in "10-foot-long", "square-foot" in "500-square-foot-plot"."""
    parts = raw.split("-")
    for count in (2, 1):
        head = "-".join(parts[:count])
        unit = WORDS.get(head.lower())
        if unit is not None and len(head) > 2:
            return at + len(head), unit, False, head.lower()
    return None


def _fits(text: str, end: int, number: Number, gap: str, unit: Unit, word: str) -> bool:
    following = text[end : end + 1]
    if following.isalnum() or following == "_":
        return False
    if following == "-" and text[end + 1 : end + 2].isdigit():
        return False
    capital = text[end - len(word) : end - len(word) + 1].isupper()
    if "\n" in gap and (len(word) < 3 or (number.plain and capital)):
        return False
    if gap not in {"-", ""} and number.value > 1 and _DAY_OF.match(text, end - 3):
        return False
    if capital and number.plain and unit.family in _OF_PEOPLE and len(word) > 3:
        return text[end - len(word) : end].isupper() or word.endswith("s")
    if len(word) == 1:
        return _letter_fits(text, end, number, gap, word)
    if word in _TOKEN_CASE:
        return number.value < 1000 and _INCH_IN.match(text, end) is not None
    if word in {"pm", "PM"}:
        return number.value > 12 and not 100 <= number.value < 2400
    if word == "bit" and gap != "-":
        return not number.words
    if word in PLURAL_ONLY and gap not in {"-", ""} and number.value > 1:
        return False
    if unit.family == "time" and number.plain and 1900 <= number.value <= 2100:
        return word.endswith("s")
    return word not in {"second", "seconds"} or not number.words or number.value != 1 or gap != ""


def _letter_fits(text: str, end: int, number: Number, gap: str, word: str) -> bool:
    if "-" in gap or number.words or (not gap and word in _NEEDS_GAP):
        return False
    following = text[end : end + 1]
    if following in {"'", "’", "&", "(", ":"} or _BROKEN_ORDINAL.match(text, end):
        return False
    year = number.plain and 1900 <= number.value <= 2100
    if word.isupper() or word == "s":
        ahead = text[end : end + 3].lstrip(".")
        closes = not ahead.strip() or not (ahead[0] == " " and ahead[1:2].isalnum())
        dotted = following == "." and text[end + 1 : end + 3].strip() != ""
        return closes and not dotted and not year and not (word == "s" and not gap)
    return not (year and not gap and word == "s")


def _per(text: str, low: str, end: int, unit: Unit) -> tuple[int, Unit] | None:
    match = _PER.match(low, end)
    if match is None:
        return None
    word = _ONE_WORD.match(low, match.end())
    if word is None:
        return None
    slash = "/" in match[0]
    under = SHORT.get(text[word.start() : word.end()]) if slash else None
    under = under or WORDS.get(word[0])
    if under is None or text[word.end() : word.end() + 1].isalnum():
        return None
    timed = under.family == "time" and unit.family in {"length", "information"}
    if not slash and not timed:
        return None
    if slash and (unit.family == "time" or (" " in match[0] and not timed)):
        return None
    family: Family = "speed" if timed and unit.family == "length" else "rate"
    symbol = f"{unit.symbol}/{under.symbol}"
    return word.end(), Unit(_RATES.get(symbol, symbol), family)


def feet_and_inches(text: str, start: int, /) -> tuple[int, float] | None:
    """Read a height such as 5' 10" from its first digit; return its end and the feet."""
    match = _FEET.match(text, start)
    if match is None or float(match["inches"]) >= 12:
        return None
    return match.end(), int(match["feet"]) + float(match["inches"]) / 12
