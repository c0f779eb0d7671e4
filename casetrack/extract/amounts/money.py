"""The money signs, codes and words before and after a number."""

from __future__ import annotations

import re
from collections import defaultdict

from casetrack.base.dataclass import dataclass
from casetrack.base.words import WordLists

# Currencies: ISO 4217 codes, the signs and the words that people write for them.
#
# A sign or word that belongs to one currency only gives its code; one that several share gives a
# plain name ("$" is ``dollar``, "kr" is ``krona/krone``). "£" and "pounds sterling" are ``GBP``:
# other countries' pounds carry a letter ("E£").

_LISTS = WordLists(__file__)

_TABLE = _LISTS.text("table").strip()

_PLAIN_WORDS = _LISTS.pairs("plain_words")
_PLAIN_SIGNS = _LISTS.pairs("plain_signs")
_MINOR = _LISTS.pairs("minor")
_SHARED = {"krona": "krona/krone", "krone": "krona/krone", "rouble": "ruble"}
_MORE_PHRASES = _LISTS.pairs("more_phrases")
_MOST_LIKELY = {"ruble": "RUB", "rouble": "RUB", "lira": "lira", "won": "KRW"}
"""Currency names of several states, with the default one."""
WORD_LIKE_CODES = frozenset(_LISTS.words("word_like_codes"))
"""Codes that are words, or abbreviations of something else, in capitals."""
WORD_LIKE_NAMES = frozenset(_LISTS.words("word_like_names"))
"""Names of money that are also other words: they count only with a number that looks like money."""
LOWER_CODES = frozenset(_LISTS.words("lower_codes"))
"""Codes that people also write in lower case."""


def _plurals(word: str) -> tuple[str, ...]:
    ends = "es" if word.endswith(("s", "x", "ch")) else "s"
    return (word, word + ends)


def _build() -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    owners: dict[str, list[str]] = defaultdict(list)
    phrases: dict[str, str] = {}
    signs: dict[str, str] = {}
    codes = set()
    for line in _TABLE.splitlines():
        code, words, adjectives, marks = line.split(";")
        codes.add(code)
        signs.update(dict.fromkeys(filter(None, marks.split(",")), code))
        for word in filter(None, words.split(",")):
            owners[word].append(code)
            for form in _plurals(word):
                phrases.update(
                    {
                        f"{adjective} {form}": code
                        for adjective in adjectives.split(",")
                        if adjective
                    }
                )
    owners["pound"].append("GBP")
    for word, of in owners.items():
        unit = of[0] if len(of) == 1 else _MOST_LIKELY.get(word, _SHARED.get(word, word))
        phrases.update(dict.fromkeys(_plurals(word), unit))
    for plural in ("kronor", "kroner", "kronur"):
        phrases[plural] = "krona/krone"
    for word, unit in _PLAIN_WORDS.items():
        phrases.update(dict.fromkeys(_plurals(word), unit))
    return phrases | _MORE_PHRASES, signs | _PLAIN_SIGNS, frozenset(codes)


PHRASES, SIGNS, CODES = _build()
"""Names in lower case, signs as written, ISO codes; each to the unit of an amount."""


def minor_of(unit: str, /) -> str | None:
    """Return the name of the small coin of a currency (code or name), or ``None``."""
    name = PHRASES_OF_CODE.get(unit, unit)
    return _MINOR.get(unit) or _MINOR.get(name)


PHRASES_OF_CODE = {"GBP": "pound"} | {
    line.split(";")[0]: line.split(";")[1].split(",")[0]
    for line in _TABLE.splitlines()
    if not line.startswith("GBP")
}
"""The word for each code's money ("dollar" for ``USD``)."""


def same_money(one: str, other: str, /) -> bool:
    """Return whether two units can be the same money ("dollar" and ``USD`` can)."""
    first, second = (set(PHRASES_OF_CODE.get(unit, unit).split("/")) for unit in (one, other))
    return one == other or (bool(first & second) and (one not in CODES or other not in CODES))


# Numbers of things: a house, a section, a form; a following word is not their unit.

_LABEL = re.compile(_LISTS.text("label"), re.VERBOSE | re.IGNORECASE)
_STREET = re.compile(
    r"[,\s]\s?(?:(?:[A-Z][\w'’.-]*|of|the|de|du|la)\s){0,2}(?:Street|St\b\.?|Road|Rd\b\.?|Lane|Ln\b|Avenue"
    r"|Ave\b\.?|Drive|Dr\b\.?|Boulevard|Blvd\b\.?|Court|Square|Sq\b\.?|Place|Pl\b\.?|Way|Park|Close|Terrace"
    r"|Crescent|Row|Quay|Gardens?|Alley|Highway|Hwy\b\.?|District|Ward|Building|Bldg\b|Tower|House|Plaza"
    r"|Center|Centre|Parkway|Pkwy\b|Circle|Mews|Stra(?:ss|ß)e|Str\.|Weg|Allee|Platz)(?!\w)"
)
_REACH = 16
_AHEAD = 48


def is_numbered(text: str, begin: int, /) -> bool:
    """Return whether the number at *begin* is that of a thing: "No. 5", "Section 5"."""
    return _LABEL.search(text[max(0, begin - _REACH) : begin]) is not None


def names_street(text: str, word: int, end: int, /) -> bool:
    """Return whether a capitalised word after a number is part of a street's name: "5 Pound Lane".

    *word* and *end* delimit the word that could be a unit.
    """
    return text[word].isupper() and _STREET.match(text[end : end + _AHEAD]) is not None


@dataclass(frozen=True, slots=True)
class Mark:
    """Evidence that a number is money."""

    place: int  # start of the mark (before a number) or its end (after it)
    unit: str  # code or plain name of the currency
    scale: float = 1.0  # factor of the mark: 1e6 in "MEUR"
    # Whether the mark is also a common word, so that the number must look like money.
    doubtful: bool = False
    confidence: float = 0.97  # 0..1


_DROPPED = frozenset(
    "AED BD DA DT Af Br Fr FC FG ID JD KD KM LD LS MK MT Nu QR RO SR FF L ZK kn".split()
)
"""Letters with too many other meanings before a number."""
_DOUBTFUL_SIGNS = frozenset(
    "R DM TL LE Rf RM Rp Bs Sh Ft Tk NIS NRs Kz FBu Fdj Afl stg Nfk BD$".split()
)
SYMBOLS = frozenset(sign for sign in SIGNS if len(sign) == 1 and not sign.isascii()) | {"$"}
_LETTER_SIGNS = {
    sign: unit for sign, unit in SIGNS.items() if sign.isalpha() and sign not in _DROPPED
}
_WITH_SYMBOL = {
    sign.lower().replace(".", "").replace("-", ""): unit
    for sign, unit in SIGNS.items()
    if len(sign) > 1 and sign[-1] in SYMBOLS
}
_SYMBOL_FIRST = {sign: unit for sign, unit in SIGNS.items() if len(sign) > 1 and sign[0] in SYMBOLS}
_SCALE_LETTERS = {"M": 1e6, "m": 1e6, "k": 1e3, "K": 1e3, "T": 1e3, "B": 1e9, "bn": 1e9}
_BEFORE = re.compile(
    r"(?:(?P<letters>(?<![^\W_])[A-Za-z.]{1,4})[ -]?)?"
    r"(?<!\d)(?P<symbol>[^\w\s.,;:|/()%+\-−–])[ \u00a0\u202f]?"
    r"(?:[\-−–](?=$)|\($)?$"
)
_BEFORE_WORD = re.compile(
    r"(?<![\w.\-])(?P<word>[^\W\d_]{1,12})(?P<dot>\.?)\s{0,2}(?:\(|[\-−–](?=$))?$"
)
_COMPANY_BEFORE = re.compile(r"(?<![^\W_])sdn\.?\s{1,2}$", re.IGNORECASE)
"""A "Sdn Bhd" is a company, and its BHD no dinars."""
_PARTED = re.compile(r"c \$ ")
"""Wire services write "c $ 5"; with other letters ("A $5 fee") the letter is a word."""
_SLICE = 16
_SCALE = re.compile(
    r"[ \u00a0]?(?P<word>k|mm|mn|mio|mil|mln|m|bn|bln|b|mrd|mld|tn|tln|trn|cr|thousand|million|"
    r"billion|trillion|crore|lakh)s?(?:\b|$)(?:\.(?=\s?[a-z€$£]))?"
)
_SCALES = {
    "k": 1e3, "thousand": 1e3, "lakh": 1e5, "cr": 1e7, "crore": 1e7, "b": 1e9, "bn": 1e9,
    "bln": 1e9, "mrd": 1e9, "mld": 1e9, "billion": 1e9, "tn": 1e12, "tln": 1e12, "trn": 1e12,
    "trillion": 1e12,
}  # fmt: skip
_DASH_END = re.compile(r"[.,][-–—]{1,2}(?![\w-])|\.[—–]")
_CODE_AFTER = re.compile(r"\s?\(?([A-Z]{3})(?![A-Za-z0-9])\)?")
_PHRASE_WORD = re.compile(r"[^\W\d_]+(?:[.'’-][^\W\d_]+)*\.?")
_WORDS_IN_PHRASE = 5
_FIRST_OF_PHRASE = frozenset(phrase.split()[0] for phrase in PHRASES)
_NAMES_BEFORE = frozenset(
    name for name, unit in PHRASES.items() if " " not in name and unit not in {"pence", "cent"}
) - {"marks", "mark", "real", "sol", "won", "colon", "crown", "crowns", "quid", "bucks", "sterling"}


def before(text: str, start: int, bound: int, /) -> Mark | None:
    """Read the currency that ends at *start*, where a number begins, not before *bound*."""
    last = start - 1
    while last >= bound and start - last <= 2 and text[last] in " \u00a0\u202f-−–(\n":
        last -= 1
    if last < bound:
        return None
    char = text[last]
    base = max(bound, start - _SLICE)
    if char in SYMBOLS and not char.isalpha():
        return _symbol_before(text[base:start], base)
    if char.isalpha() or char in {".", "/"}:
        return _word_before(text[base:start], base, text[base - 1 : base])
    return None


def _symbol_before(piece: str, base: int) -> Mark | None:
    match = _BEFORE.search(piece)
    if match is None:
        return None
    symbol, letters = match["symbol"], (match["letters"] or "").replace(".", "").lower()
    if letters:
        unit = _WITH_SYMBOL.get(letters + symbol)
        parted = match.start("symbol") - match.start("letters") - len(match["letters"])
        if unit is not None and (len(letters) > 1 or not parted or _PARTED.match(match[0])):
            return Mark(base + match.start(), unit)
        scale = _SCALE_LETTERS.get(match["letters"])
        if scale and symbol == "€":
            return Mark(base + match.start(), SIGNS[symbol], scale)
    return Mark(base + match.start("symbol"), SIGNS[symbol])


def _word_before(piece: str, base: int, ahead: str) -> Mark | None:
    if piece.rstrip().endswith("S/"):
        return Mark(base + piece.rindex("S/"), "PEN", doubtful=True, confidence=0.7)
    match = _BEFORE_WORD.search(piece)
    if match is None or (match.start() == 0 and (ahead.isalnum() or ahead in {"-", "_"})):
        return None
    word, place = match["word"], base + match.start()
    if word in _LETTER_SIGNS:
        doubtful = word in _DOUBTFUL_SIGNS
        return Mark(place, _LETTER_SIGNS[word], 1, doubtful, 0.7 if doubtful else 0.93)
    if match["dot"]:
        return None
    code = _code(word)
    if code is not None and _COMPANY_BEFORE.search(piece, 0, match.start()) is None:
        return Mark(place, code[0], code[1], code[0] in WORD_LIKE_CODES, 0.97)
    name = word.lower()
    if name in _NAMES_BEFORE:
        return Mark(place, PHRASES[name], 1, doubtful=True, confidence=0.75)
    return None


def _code(word: str) -> tuple[str, float] | None:
    if word in CODES:
        return word, 1.0
    if len(word) == 4 and word[1:] in CODES and word[0] in _SCALE_LETTERS:
        return word[1:], _SCALE_LETTERS[word[0]]
    if word in LOWER_CODES:
        return ("CNY" if word == "rmb" else word.upper()), 1.0
    return None


def scale_after(low: str, end: int, /) -> tuple[int, float] | None:
    """Read "m", "bn", "million", "crore" after a number that is money; *low* is in lower case."""
    match = _SCALE.match(low, end)
    return None if match is None else (match.end(), _SCALES.get(match["word"], 1e6))


def closing(text: str, end: int, /) -> int:
    """Return the end of an amount with an optional closing dash ("CHF 1'000.-")."""
    match = _DASH_END.match(text, end)
    return match.end() if match else end


def code_after(text: str, end: int, /) -> tuple[int, str] | None:
    """Read the code that repeats the currency of a sign ("$25,000 USD", "$5 (CAD)")."""
    match = _CODE_AFTER.match(text, end)
    if match is None or match[1] not in CODES or ("(" in match[0]) != (")" in match[0]):
        return None
    return match.end(), match[1]


def after(text: str, low: str, at: int, /) -> Mark | None:
    """Read the currency's sign, code or name that begins at a position; *low* is in lower case."""
    char = text[at : at + 1]
    if char in SYMBOLS:
        return _symbol_after(text, at)
    match = _PHRASE_WORD.match(low, at)
    if match is None:
        return None
    raw = text[at : match.end()].rstrip(".")
    end = at + len(raw)
    if text[end : end + 1] in SYMBOLS and _WITH_SYMBOL.get(raw.lower() + text[end]):
        return Mark(end + 1, _WITH_SYMBOL[raw.lower() + text[end]])
    if text[end : end + 1] == "€" and raw in _SCALE_LETTERS:
        return Mark(end + 1, "EUR", _SCALE_LETTERS[raw])
    if text[end : end + 1].isalnum():
        return None
    named = _named(low, at)
    if named is not None:
        return named
    code = _code(raw)
    if code is not None:
        return Mark(end, code[0], code[1], code[0] in WORD_LIKE_CODES)
    if raw in _LETTER_SIGNS and len(raw) > 1:
        return Mark(end, _LETTER_SIGNS[raw], 1, raw in _DOUBTFUL_SIGNS, 0.85)
    return None


def _symbol_after(text: str, at: int) -> Mark | None:
    for sign, unit in _SYMBOL_FIRST.items():
        if text.startswith(sign, at):
            return Mark(at + len(sign), unit)
    return Mark(at + 1, SIGNS[text[at]])


def _may_begin(word: str) -> bool:
    heads = {word, word.removesuffix("."), word.partition("-")[0]}
    return not heads.isdisjoint(_FIRST_OF_PHRASE)


def _named(low: str, at: int) -> Mark | None:
    words: list[str] = []
    best: Mark | None = None
    position = at
    for _ in range(_WORDS_IN_PHRASE):
        match = _PHRASE_WORD.match(low, position)
        if match is None or not (words or _may_begin(match[0])):
            break
        words.append(match[0])
        head = match[0].partition("-")[0]
        if len(words) == 1 and head != match[0] and head in PHRASES:
            odd = head in WORD_LIKE_NAMES
            best = Mark(at + len(head), PHRASES[head], 1, odd, 0.75 if odd else 0.95)
        for phrase, end in (
            (" ".join(words), match.end()),
            (" ".join(words).rstrip("."), match.end() - match[0].endswith(".")),
        ):
            if phrase in PHRASES:
                odd = phrase in WORD_LIKE_NAMES
                best = Mark(end, PHRASES[phrase], 1, odd, 0.75 if odd else 0.95)
        position = match.end() + 1
        if low[match.end() : position] not in {" ", "\n", "\u00a0"}:
            break
    return best
