"""Index terms of a text for BM25, the same for documents and queries.

Words are lower-cased, accents folded, split at all characters other than letters and digits,
filtered by a short stop list, and reduced to Snowball stems. The script of a word selects the
stemmer, so that question and text always agree: English for Latin letters, Russian for Cyrillic
ones (XQuAD in Russian, nDCG@10: 0.871 without, 0.954 with), and likewise Greek, Arabic, Hindi,
Tamil and Armenian. Numbers keep their value whatever their separators (``1,250,000.00`` and
``1250000`` are one term). Scripts without spaces are split into pairs of characters. British and
American spellings are one term. Identifiers of programs count whole and in their parts
(:func:`identifiers`).
"""

from __future__ import annotations

import functools
import re
import sys
import threading
import unicodedata
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from itertools import groupby
from typing import Any

from casetrack.extract.language import LANGUAGES, PROSE

# British and American spellings of a word become one term: licence and license, labour and labor.
# The common spelling is arbitrary and applied before stemming. Pairs with different meanings stay
# separate: tyre and tire, storey and story.

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
"""Patterns and replacements, applied in order."""
_MAY_DIFFER = re.compile(r"iz|yz|our|re[sd]?$|enc|ctis|ll|gement|ogue|mme|grey|ium$|osy$|oul|ae|oe")


def one_spelling(word: str, /) -> str:
    """Return a lower-case word in the spelling of the index.

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


WORDS_VERSION = 7
"""Increase it when the terms of any text change: indexed chunks become stale."""


def _letters(*ranges: str) -> str:
    """Return the letters, marks and digits in *ranges*, each of two characters, for a set."""
    codes = (c for ends in ranges for c in range(ord(ends[0]), ord(ends[1]) + 1))
    letters = (c for c in codes if unicodedata.category(chr(c))[0] in "LMN")
    # Single signs would take a pattern five times as long to compile as ranges of neighbours.
    runs = groupby(enumerate(letters), key=lambda each: each[1] - each[0])
    whole = ([code for _, code in run] for _, run in runs)
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in whole)


_NUMBER = r"\d+(?:[.,\u2019']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f\uac00-\ud7af" + _letters(
    "\u3040\u30ff", "\u0e00\u0eff", "\u1000\u109f", "\u1780\u17ff"
)
"""Scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer."""
_INDIC = _letters("\u0900\u0dff")
"""Scripts whose vowel signs are combining marks, Devanagari to Sinhala; these count as letters."""
_LETTER = rf"(?:(?![{_CJK}])[^\W_]|[{_INDIC}])"
_ANY_NUMBER = rf"((?<![^\W_]){_NUMBER}(?![^\W_]))"
_TOKEN = re.compile(rf"{_ANY_NUMBER}|({_LETTER}+)|([{_CJK}]+)")
_TOKEN_OF_OTHERS = re.compile(rf"{_ANY_NUMBER}|([^\W_]+)|((?!))")
"""The same for texts without these scripts, where it is faster."""
_INDIC_MARK = re.compile(f"[{_INDIC}]")
_UNSPACED = re.compile(f"[{_CJK}]+")
_SCRIPT_SIGN = re.compile(f"[{_CJK}{_INDIC}]")
_OTHER_SIGN = re.compile(r"[^\w\x00-\x7f]")
_LEFT_OUT = re.compile("[\u200c\u200d\u055b\u055c\u055e]")
"""Joiners, and the Armenian signs of stress, exclamation and question, which occur inside words."""
_BREVE = "\u0306"
_OTHER_BREVE = re.compile(f"(?<![\u0438\u0443]){_BREVE}")
"""A breve as an accent; in Cyrillic it makes another letter, which is common in endings."""
_NUKTA = frozenset("\u093c\u09bc\u0a3c\u0abc\u0b3c")
"""Dots under Indic letters, which many writers omit."""
_INITIALS, _INNER_INITIAL = re.compile(r"\b(?:[^\W\d_]\.){2,}"), re.compile(r"\.[^\W\d_]\.")
TURKISH = (
    r"(?:(?<=[a-z]{2}['\u2019])|(?<=[0-9]['\u2019]))(?:"
    r"(?:(?<=[^aeiou0-9]['\u2019])|(?<=[0-9]{2}['\u2019]))(?:[aeiu]|[iu]n)"
    r"|[ny][aeiu]|n[iu]n|n?[dt][ae](?:n|ki)?|y?l[ae]|[dt][iu]r|l[ae]r(?:[aei]|in|d[ae]n?)?|l[iu]k?|s[iu]|c[ae])"
)
"""Turkish endings after an apostrophe, without accents; one with a vowel follows a consonant."""
_APOSTROPHE = re.compile(rf"['\u2019](?<=\w.)(?:(?:s|{TURKISH})\b|(?=\w))")
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
    for number, word, run in _tokens(text):
        if word:
            if word not in STOP_WORDS and (len(word) > 1 or word.isdigit()):
                terms.append(_stem(word))
        elif number:
            terms.append(_number_term(number))
        else:
            terms.extend(_pairs(run))
    return terms


_A, _AN, _S = r"[^\W\d_]", r"[^\W_]", r"(?:['\u2019][^\W_]+)*"
_IN_TEXT = re.compile(
    # One set for all first signs: a search skips others without trying each alternative.
    rf"{_AN}(?:(?<={_A})(?:{_A}{{3}}{_AN}*{_S}|{_A}{{0,2}}(?:&{_A}{{1,3}})+(?!\w)|\.(?:{_A}\.)+)|"
    rf"(?<=\d)\d*(?:[.,\u2019']\d+)*(?!{_AN}){_S}|{_AN}*{_S})"
)


def word_spans(text: str, /) -> list[tuple[int, int]]:
    """Return start and end of every word of *text*; together they have the terms of the text.

    ``r&d`` is one word, although the index has no term for it.
    """
    return [*map(re.Match.span, _IN_TEXT.finditer(_as_letters(text)))]


def split_words(text: str, /) -> list[str]:
    """Return the words of *text*, those of :func:`word_spans`."""
    letters = _as_letters(text)
    words: list[str] = _IN_TEXT.findall(text) if letters == text else []
    return words or [text[m.start() : m.end()] for m in _IN_TEXT.finditer(letters)]


def _as_letters(text: str) -> str:
    """Return *text* with ``x`` for each character that the index joins to the letter before it.

    Vowel signs, accents and joiners are not letters for :mod:`re`. All offsets stay the same.
    """
    if text.isascii():
        return text
    signs = list(text)
    for match in _OTHER_SIGN.finditer(text):
        at, sign = match.start(), match.group()
        before = signs[at - 1] if at else " "
        if _SCRIPT_SIGN.match(sign) or (_joins(sign) and (before.isalnum() or before in "'\u2019")):
            signs[at] = "x"
    return "".join(signs)


def is_pair(term: str, /) -> bool:
    """Return whether a term is one or two characters of a script without spaces."""
    return len(term) <= 2 and _UNSPACED.fullmatch(term) is not None


def stems_in(text: str, /) -> dict[str, str]:
    """Return the folded words of *text* that have stems, with their terms."""
    return {word: _stem(word) for _, word, _ in _tokens(text) if word}


def _tokens(text: str) -> list[tuple[str, str, str]]:
    """Return the numbers, words and runs of unspaced letters of a text, one of them each."""
    plain = _plain(text)
    return (_TOKEN if _SCRIPT_SIGN.search(plain) else _TOKEN_OF_OTHERS).findall(plain)


def _plain(text: str) -> str:
    joined = _APOSTROPHE.sub("", _fold(text))
    if _INNER_INITIAL.search(joined) is None:
        return joined
    return _INITIALS.sub(lambda initials: initials.group().replace(".", "") + " ", joined)


def _fold(text: str) -> str:
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    # They do not separate words, and many writers omit them.
    lowered = _LEFT_OUT.sub("", lowered)
    # Compatibility forms (full-width digits, ligatures) and accents do not change the meaning.
    # The Turkish letters I and \u0131 are one, but Python makes another letter of a lower-case I.
    lowered = lowered.replace("ß", "ss").replace("\u0131", "i")
    decomposed = unicodedata.normalize("NFKD", lowered)
    bare = _OTHER_SIGN.sub(lambda m: "" if _is_accent(m.group()) else m.group(), decomposed)
    return unicodedata.normalize("NFC", _OTHER_BREVE.sub("", bare))


def _is_accent(character: str) -> bool:
    """Return whether a character is ignored as an accent; signs of Indic scripts are letters."""
    if not unicodedata.combining(character):
        return False
    if _INDIC_MARK.match(character):
        return character in _NUKTA
    return character != _BREVE


def _joins(sign: str) -> bool:
    """Return whether the index skips a character within a word: an accent, or a joiner."""
    parts = unicodedata.normalize("NFKD", sign)
    return _LEFT_OUT.match(sign) is not None or all(map(unicodedata.combining, parts))


def _number_term(number: str) -> str:
    if number.isdecimal():
        return number
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
"""First and last letter of a script, and its language for stemming."""
STEMMED = frozenset({"en", "ru", "el", "ar", "hi", "ta", "hy"})
"""Codes of the languages with a stemmer."""


@functools.lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    language = "english"
    if not word.isascii():
        ends = word[0], word[-1]  # not for a Greek letter before a Latin word
        language = next(
            (name for low, high, name in _LANGUAGES if all(low <= c <= high for c in ends)),
            language,
        )
    word = one_spelling(word) if language == "english" else word
    # A stemmer object has internal state and must not be shared between threads.
    with _STEMMER_LOCK:
        return str(_stemmer(language).stemWord(word)) or word


@functools.cache
def _stemmer(language: str) -> Any:
    package = find_spec("snowballstemmer")
    if package and package.name not in sys.modules and find_spec("Stemmer") is None:
        # The package would load the stemmers of thirty languages: its modules work without it.
        sys.modules[package.name] = module_from_spec(package)
        try:
            module = import_module(f"{package.name}.{language}_stemmer")
            return getattr(module, f"{language.capitalize()}Stemmer")()
        except (ImportError, AttributeError):  # a later version may name them otherwise
            pass
        finally:
            del sys.modules[package.name]
    import snowballstemmer

    return snowballstemmer.stemmer(language)


# Identifiers of programs, whole and in parts: ``getUserById``, ``MAX_SIZE``. A question about a
# "user id" also means these. The parts of ``get_user_by_id`` are already words of the text, those
# of ``getUserById`` are not; and both are one name, ``getuserbyid``. Some proper names look alike:
# McDonald, iPhone, YouTube, HCS-4432. So prose is split only at unmistakable identifiers; in source
# code every word is one.

_WORD = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)*(?![^\W_])")
_PART = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
"""``HTTPServer2`` is HTTP and Server2; digits belong to the letters before them."""
_JOINED = re.compile(r"[a-z][a-z0-9]*(?:_+[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+")
_LETTERS = re.compile(r"[A-Za-z]{2}")
_HUMPED = re.compile(r"(?!.*[A-Z]{2}s$)[a-z]{3,}[0-9]*(?:[A-Z]+[a-z]+[0-9]*)+")
"""``maxRetries``; not ``iPhone``, ``eBay``, ``macOS`` or ``microRNAs``."""
_CLAN = re.compile(r"(?:Mc|Mac|Fitz|Van|Von)[A-Z]")
"""Prefixes of surnames with a capital inside."""


def is_source_code(name: str, /) -> bool:
    """Return whether a file's name is that of source code."""
    stem, dot, ending = name.rpartition(".")
    extension = f"{dot}{ending}".lower()
    return bool(stem) and extension in LANGUAGES and extension not in PROSE


def identifiers(text: str, /, *, code: bool = False) -> list[tuple[str, tuple[str, ...]]]:
    """Return the identifiers with several parts as ``(whole, parts)``, in order.

    *code* treats every word as an identifier. *whole* is in lower case without separators. *parts*
    are those that are not words of the text anyway, without single letters: none for ``max_size``.

    Examples
    --------
    >>> identifiers("call getUserById() of McDonald with MAX_COUNT")
    [('getuserbyid', ('get', 'User', 'By', 'Id')), ('maxcount', ())]
    """
    names = []
    for match in _WORD.finditer(text):
        word = match.group()
        is_plain = word.isalpha() and (word.isupper() or word[1:].islower())
        if is_plain or (word.islower() and "_" not in word):
            continue
        runs = [_PART.findall(run) for run in re.split("_+", word)]
        if sum(map(len, runs)) < 2 or _CLAN.match(word):
            continue
        if not (code or _is_sure(text, match)):
            continue
        hidden = tuple(p for run in runs if len(run) > 1 for p in run if len(p) > 1)
        names.append((word.replace("_", "").lower(), hidden))
    return names


def identifier_terms(text: str, /, *, code: bool = False) -> list[str]:
    """Return the additional index terms of the identifiers in a text, each once.

    They count once per passage: source code repeats its names and would outrank explanations. For
    the parameters see :func:`identifiers`.
    """
    terms: dict[str, None] = {}
    for whole, parts in identifiers(text, code=code):
        for part in (whole, *parts):
            terms.update(dict.fromkeys(index_terms(part)))
    return list(terms)


DEFINED = "="
"""First sign of the index term of a name in the passage that defines it."""
DEFINED_WORD = "=."
"""First signs of the index term of a word in such a name."""
_SCOPE = re.compile(r"[\w$]+")


def defined(symbol: str, /) -> list[str]:
    """Return the index terms of a definition: its words, its name, and that behind its class.

    Examples
    --------
    >>> defined("http.Client.getAll")
    ['=.all', '=.get', '=.getal', '=getall', '=client.getall']
    """
    names = _SCOPE.findall(symbol)
    own = "".join(names[-1:])
    words = sorted({*index_terms(own), *identifier_terms(own, code=True)})
    parts = [part for name in names if (part := name.replace("_", "").lower())]
    whole = [DEFINED + ".".join(parts[-n:]) for n in (1, 2) if len(parts) >= n]
    return [*(DEFINED_WORD + word for word in words), *whole]


def terms_of_question(text: str, /) -> list[str]:
    """Return the index terms of a question: its words and identifiers."""
    words = index_terms(text)
    return words + [term for term in identifier_terms(text) if term not in words]


def _is_sure(text: str, match: re.Match[str]) -> bool:
    """Return whether a match is an identifier, not a word of prose."""
    word = match.group()
    if "_" in word:
        return _JOINED.fullmatch(word) is not None and len(_LETTERS.findall(word)) > 1
    if _HUMPED.fullmatch(word):
        return True
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 2]
    return "`" in {before, after[:1]} or after in {"::", "()"}
