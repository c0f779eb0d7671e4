"""Words of a text as index terms: what BM25 counts, in documents and in queries alike.

Lower-cased, accents folded, split at everything that is neither letter nor digit, short stop list,
Snowball stems. The letters of a word say which stemmer is for it, so that a question and a text
always agree: English for Latin letters, Russian for Cyrillic ones (XQuAD in Russian, nDCG@10: 0.871
without, 0.954 with), and likewise Greek, Arabic, Hindi, Tamil and Armenian. Numbers keep their
value whatever their separators (``1,250,000.00`` and ``1250000`` are one term). Scripts without
spaces between words are split into pairs of signs. British and American spellings are one term.
Names of things in programs count whole and in their parts (:mod:`identifiers`).
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections import Counter
from pathlib import PurePath
from typing import Any

from casetrack.extract.language import LANGUAGES, PROSE

# British and American spellings of a word are one word: licence and license, labour and labor.
#
# Which of the two a word is turned into tells nothing; both are, before its stem is taken. What the
# other spelling would make another word of stays as it is: a tyre may tire, a storey is no story.

_OUR = "arb|ard|arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|harb|hon|hum|lab|neighb|od"
_OUR += "|parl|ranc|rig|rum|sav|savi|splend|succ|tum|val|vap|vig"
_RE = "calib|cent|fib|lit|lust|meag|met|nit|sab|scept|somb|spect|theat"
_ELL = "cancel|channel|chisel|counsel|dial|duel|enrol|equal|fuel|fulfil|funnel|initial|instal|jewel"
_ELL += "|label|level|libel|marshal|marvel|model|panel|parcel|pedal|pencil|quarrel|rival|shovel"
_ELL += "|signal|total|travel|tunnel|unravel"
RULES = (
    (re.compile(r"(?<=..[a-z])iz(?=(?:e|ed|er|ers|es|ing|able|ation|ations|ational)$)"), "is"),
    (re.compile(r"(?<=[a-z]l)yz(?=(?:e|ed|er|ers|es|ing)$)"), "ys"),
    (re.compile(rf"\b((?:dis|mis|un|en|re)*(?:{_OUR}))our(?!s?e$)"), r"\1or"),
    (re.compile(rf"\b((?:[a-z]+)?(?:{_RE}))re(?=s?$)"), r"\1er"),
    (re.compile(rf"\b({_RE})red$"), r"\1ered"),
    (re.compile(r"\b((?:sub|non)?(?:lic|def|off|pret))enc(?=(?:e|es|ed|eless)$|ing$)"), r"\1ens"),
    (re.compile(r"\bpractis(?=(?:e|ed|es|ing)$)"), "practic"),
    (
        re.compile(rf"\b({_ELL})l(?=(?:ed|er|ers|ing|ings|ment|ments|or|ors|s|ation|ations)?$)"),
        r"\1",
    ),
    (re.compile(r"\b((?:pre|mis)?judg|acknowledg)ement"), r"\1ment"),
    (re.compile(r"(?<=[a-z]{2})ogue(?=s?$)"), "og"),
    (re.compile(r"\bprogramme(?=s?$)"), "program"),
    (re.compile(r"\bgrey"), "gray"),
    (re.compile(r"\baluminium$"), "aluminum"),
    (re.compile(r"\b(skil|wil)lful"), r"\1ful"),
    (re.compile(r"\bcosy$"), "cozy"),
    (re.compile(r"\b(m)ould"), r"\1old"),
    (re.compile(r"\b(an)?aem(?=i)"), r"\1em"),
    (re.compile(r"\b(an|p|h|orthop|encyclop)ae(?=[a-z])"), r"\1e"),
    (re.compile(r"\b(f)oet"), r"\1et"),
    (re.compile(r"\boe(?=st|so)"), "e"),
    (re.compile(r"\bmanoeuvr(e?)"), r"maneuver"),
)
"""Patterns and what stands in their place, one after the other."""
_MAY_DIFFER = re.compile(r"iz|yz|our|re[sd]?$|enc|ctis|ll|gement|ogue|mme|grey|ium$|osy$|oul|ae|oe")


def one_spelling(word: str, /) -> str:
    """Return a word in lower case as it is spelt for the index.

    Examples
    --------
    >>> [one_spelling(word) for word in ("labour", "labor", "organized", "organised")]
    ['labor', 'labor', 'organised', 'organised']
    """
    if _MAY_DIFFER.search(word) is None:
        return word
    for pattern, other in RULES:
        word = pattern.sub(other, word)
    return word


WORDS_VERSION = 4
"""Raise it when the terms of any text change: indexed chunks become stale then."""


def _letters(*ranges: str) -> str:
    """Return the letters, marks and digits in *ranges* of two signs each, for a set of signs."""
    signs = (chr(c) for ends in ranges for c in range(ord(ends[0]), ord(ends[1]) + 1))
    return "".join(sign for sign in signs if unicodedata.category(sign)[0] in "LMN")


_NUMBER = r"\d+(?:[.,\u2019']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f\uac00-\ud7af" + _letters(
    "\u3040\u30ff", "\u0e00\u0eff", "\u1000\u109f", "\u1780\u17ff"
)
"""Scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer."""
_INDIC = _letters("\u0900\u0dff")
"""Scripts whose vowel signs are marks: Devanagari to Sinhala. They are letters of a word here."""
_LETTER = rf"(?:(?![{_CJK}])[^\W_]|[{_INDIC}])"
_TOKEN = re.compile(rf"([{_CJK}]+)|((?<![^\W_]){_NUMBER}(?![^\W_]))|({_LETTER}+)")
_INDIC_MARK = re.compile(f"[{_INDIC}]")
_UNSPACED = re.compile(f"[{_CJK}]+")
_SCRIPT_SIGN = re.compile(f"[{_CJK}{_INDIC}]")
_LEFT_OUT = re.compile("[\u200c\u200d\u055b\u055c\u055e]")
"""Joiners, and the Armenian signs of stress, exclamation and question: all are inside of words."""
_BREVE = "\u0306"
_OTHER_BREVE = re.compile(f"(?<![\u0438\u0443]){_BREVE}")
"""A breve that is an accent. In Cyrillic it makes another letter, of which many endings consist."""
_NUKTA = frozenset("\u093c\u09bc\u0a3c\u0abc\u0b3c")
"""Dots under Indic letters, which many writers leave out."""
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_APOSTROPHE = re.compile(r"(?<=\w)['\u2019](s\b|(?=\w))")
STOP_WORDS = frozenset(
    "a an and are as at be but by for from had has have he her his i if in into is it its "
    "of on or our she so such than that the their them then there these they this to was we were "
    "what when where which who will with you your".split()
)


def index_terms(text: str, /) -> list[str]:
    """Return the terms of *text* in order, with repetitions.

    Examples
    --------
    >>> index_terms("The tenants' payments of $1,250,000.00")
    ['tenant', 'payment', '1250000']
    """
    terms = []
    for match in _TOKEN.finditer(_plain(text)):
        run, number, word = match.groups()
        if word is not None:
            if word not in STOP_WORDS and (len(word) > 1 or word.isdigit()):
                terms.append(_stem(word))
        elif number is not None:
            terms.append(_number_term(number))
        else:
            terms.extend(_pairs(run))
    return terms


def as_letters(text: str, /) -> str:
    """Return *text* with ``x`` for each sign that the index joins to the letter before it.

    Vowel signs, accents and joiners are no letters for :mod:`re`. Every offset stays.
    """
    if text.isascii():
        return text
    signs = list(text)
    for at, sign in enumerate(text):
        if sign.isalnum():
            continue
        if _SCRIPT_SIGN.match(sign) or (_joins(sign) and at and signs[at - 1].isalnum()):
            signs[at] = "x"
    return "".join(signs)


def is_pair(term: str, /) -> bool:
    """Return whether a term is one or two signs of a script without spaces between words."""
    return len(term) <= 2 and _UNSPACED.fullmatch(term) is not None


def term_counts(text: str, /) -> tuple[list[str], list[int]]:
    """Return the distinct terms of *text*, sorted, and how often each occurs."""
    counts = Counter(index_terms(text))
    terms = sorted(counts)
    return terms, [counts[t] for t in terms]


def stems_in(text: str, /) -> dict[str, str]:
    """Return the words of *text* that have stems, folded, each with its term."""
    words = (match.group(3) for match in _TOKEN.finditer(_plain(text)))
    return {word: _stem(word) for word in words if word}


def _plain(text: str) -> str:
    joined = _APOSTROPHE.sub("", _fold(text))
    return _INITIALS.sub(lambda initials: initials.group().replace(".", "") + " ", joined)


def _fold(text: str) -> str:
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    # They part no words, and many writers leave them out.
    lowered = _LEFT_OUT.sub("", lowered)
    # Compatibility forms (full-width digits, ligatures) and accents are spelling, not meaning.
    decomposed = unicodedata.normalize("NFKD", lowered.replace("ß", "ss"))
    bare = "".join(c for c in decomposed if not _is_accent(c))
    return unicodedata.normalize("NFC", _OTHER_BREVE.sub("", bare))


def _is_accent(character: str) -> bool:
    """Say whether a character is left out as spelling; the signs of Indic scripts are letters."""
    if not unicodedata.combining(character):
        return False
    if _INDIC_MARK.match(character):
        return character in _NUKTA
    return character != _BREVE


def _joins(sign: str) -> bool:
    """Return whether the index leaves a sign out and reads on: an accent, or a sign in words."""
    return _LEFT_OUT.match(sign) is not None or unicodedata.combining(sign) > 0


def _number_term(number: str) -> str:
    grouped = re.fullmatch(r"(\d{1,3}(?:([.,\u2019'])\d{3})(?:\2\d{3})*)(?:([.,])(\d+))?", number)
    if grouped and grouped.group(3) != grouped.group(2):
        whole, decimals = re.sub(r"\D", "", grouped.group(1)), grouped.group(4) or ""
    else:
        whole, _, decimals = re.sub(r"[\u2019']", "", number).replace(",", ".").partition(".")
        decimals = decimals.replace(".", "")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


_STEMMER_LOCK = threading.Lock()
_LANGUAGES = (
    ("\u0400", "\u052f", "russian"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
    ("\u0530", "\u058f", "armenian"),
)
"""First and last letter of a script, and the language whose endings its words have."""
STEMMED = frozenset({"en", "ru", "el", "ar", "hi", "ta", "hy"})
"""Codes of the languages whose endings are taken off."""


@functools.lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    language = "english"
    if not word.isascii():
        ends = word[0], word[-1]  # not of a Greek letter before a Latin word
        language = next(
            (name for low, high, name in _LANGUAGES if all(low <= c <= high for c in ends)),
            language,
        )
    word = one_spelling(word) if language == "english" else word
    # A stemmer object works on a state of its own and must not be used by two threads at once.
    with _STEMMER_LOCK:
        return str(_stemmer(language).stemWord(word)) or word


@functools.cache
def _stemmer(language: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(language)


# Names of things in programs, whole and in their parts: ``getUserById``, ``MAX_SIZE``.
#
# A name is searched for as it stands and by its words: who asks about a "user id" means it as well.
# The parts of ``get_user_by_id`` are words of the text anyway, those of ``getUserById`` are not;
# and both are one name, ``getuserbyid``.
#
# Words of people look alike: McDonald, iPhone, YouTube, HCS-4432. In a text for people only what is
# surely a name of a program is taken apart. In source code every word is one.

_WORD = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)*(?![^\W_])")
_PART = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
"""``HTTPServer2`` is HTTP and Server2; digits belong to what they stand behind."""
_JOINED = re.compile(r"[a-z][a-z0-9]*(?:_+[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+")
_LETTERS = re.compile(r"[A-Za-z]{2}")
_HUMPED = re.compile(r"(?!.*[A-Z]{2}s$)[a-z]{3,}[0-9]*(?:[A-Z]+[a-z]+[0-9]*)+")
"""``maxRetries``; not ``iPhone``, ``eBay``, ``macOS`` or ``microRNAs``."""
_CLAN = re.compile(r"(?:Mc|Mac|Fitz|Van|Von)[A-Z]")
"""How names of persons begin that have a capital inside."""


def is_source_code(name: str, /) -> bool:
    """Tell from a file's name whether it holds source code, and no text for people."""
    extension = PurePath(name).suffix.lower()
    return extension in LANGUAGES and extension not in PROSE


def identifiers(text: str, /, *, code: bool = False) -> list[tuple[str, tuple[str, ...]]]:
    """Return the names of things in programs that have several parts, in order.

    Parameters
    ----------
    text
        A text as it is written; upper and lower case tell where a part begins.
    code
        Whether it is source code, where every word is such a name.

    Returns
    -------
    list of (whole, parts)
        The name in small letters without signs; and its parts that are no words of the text
        anyway, without those of one letter: none for ``max_size``.

    Examples
    --------
    >>> identifiers("call getUserById() of McDonald with MAX_COUNT")
    [('getuserbyid', ('get', 'User', 'By', 'Id')), ('maxcount', ())]
    """
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word.islower() and "_" not in word:
            continue
        runs = [_PART.findall(run) for run in re.split("_+", word)]
        if sum(map(len, runs)) < 2 or _CLAN.match(word):
            continue
        if not (code or _is_sure(text, match)):
            continue
        hidden = tuple(p for run in runs if len(run) > 1 for p in run if len(p) > 1)
        found.append((word.replace("_", "").lower(), hidden))
    return found


def identifier_terms(text: str, /, *, code: bool = False) -> list[str]:
    """Return the index terms of such names beside the words of a text, each once.

    Parameters are those of :func:`identifiers`. They count once in a passage, however often a name
    stands there: code says its names again and again, and would push aside what explains them.
    """
    found: dict[str, None] = {}
    for whole, parts in identifiers(text, code=code):
        for said in (whole, *parts):
            found.update(dict.fromkeys(index_terms(said)))
    return list(found)


def terms_of_question(text: str, /) -> list[str]:
    """Return what a question is looked up by: its words, and names of things in programs."""
    words = index_terms(text)
    return words + [term for term in identifier_terms(text) if term not in words]


def _is_sure(text: str, match: re.Match[str]) -> bool:
    """Tell the name of something in a program from a word of people."""
    word = match.group()
    if "_" in word:
        return _JOINED.fullmatch(word) is not None and len(_LETTERS.findall(word)) > 1
    if _HUMPED.fullmatch(word):
        return True
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 2]
    return "`" in {before, after[:1]} or after in {"::", "()"}
