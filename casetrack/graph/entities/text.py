"""Normal forms of spellings of names."""

from __future__ import annotations

import functools
import re
import unicodedata

from casetrack.graph.entities.lexicon import HONORIFICS

_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
_SIGN = re.compile(r"[^\w\x00-\x7f]")
_AROUND = ' \t\r\n"“”„«»‹›()[]{}<>,;:!?*_|/\\~^=+-–—•·'
_QUOTES = "'’‘‚`´"
_OKINA = re.compile(r"‘(?=[āēīōūĀĒĪŌŪ])")
"""A Hawaiian letter that looks like a quotation mark."""
_POSSESSIVE = re.compile(r"(?<=\w)['’´`](?:s|S)?$")
_WORDS = re.compile(r"[^\W_]+")
_INSIDE = re.compile(r"[.'’‘´`ʻ]")


def fold_text(text: str, /) -> str:
    """Return a long text in lower case without diacritics; not cached."""
    low = text.lower()
    if low.isascii():
        return low
    parts = unicodedata.normalize("NFKD", low.translate(_LETTERS))
    bare = _SIGN.sub(lambda m: "" if unicodedata.combining(m[0]) else m[0], parts)
    return unicodedata.normalize("NFC", bare)


@functools.lru_cache(maxsize=65536)
def fold(text: str, /) -> str:
    """Return a name in lower case without diacritics."""
    return fold_text(text)


@functools.lru_cache(maxsize=16384)
def clean(text: str, /) -> str:
    """Return a spelling on one line, without surrounding marks and possessive."""
    line = " ".join(text.split()).strip(_AROUND)
    first = "‘" if _OKINA.match(line) else ""
    return first + _POSSESSIVE.sub("", line.strip(_QUOTES + _AROUND)).rstrip(_AROUND)


def surface(text: str, /) -> str:
    """Return a spelling in a form that ignores case and accents."""
    return fold(clean(text)).lstrip("‘").rstrip(".").strip()


def plain_words(text: str, /) -> list[str]:
    """Return the words of a name with their case, abbreviations joined, ``&`` as *and*.

    >>> plain_words("Marks & Spencer p.l.c.")
    ['Marks', 'and', 'Spencer', 'plc']
    """
    return _WORDS.findall(_INSIDE.sub("", text.replace("&", " and ")))


def slug(text: str, /) -> str:
    """Return the words of *text*, folded and joined by hyphens; may be empty."""
    return "-".join(fold(w) for w in plain_words(text))


def is_all_caps(text: str, /) -> bool:
    """Return whether *text* is in capitals and longer than an abbreviation."""
    return text.isupper() and sum(c.isalpha() for c in text) > 4


@functools.lru_cache(maxsize=16384)
def same_spelling(text: str, /) -> str:
    """Return the form in which spellings are compared, see :func:`normalised`, without a title.

    A title is part of a spelling, but not of the place of a mention.
    """
    # Commands and the server import this module before they need Arrow.
    import pyarrow as pa

    from casetrack.graph.spelling import normalised

    words = str(normalised(pa.array([text]))[0].as_py()).split()
    while len(words) > 1 and words[0] in HONORIFICS:
        words = words[1:]
    return " ".join(words)
