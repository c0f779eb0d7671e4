"""Tells the encodings of Latin and Hebrew letters apart by the letters that languages use.

Statistics over whole texts confuse encodings that share most letters; the few accented letters of
a text belong to one language, and only the right encoding shows them so.
"""

from __future__ import annotations

import re

_CODECS = (*"cp1252 iso8859-15 cp1250 iso8859-2 cp1254 cp1257 cp850 cp852 mac_roman cp437".split(),)
"""In the order of preference where they show the same."""
_ALPHABETS = tuple(
    frozenset(letters + letters.upper())
    for letters in (
        "äöüß",
        "àâæçéèêëîïôœùûüÿ",
        "áéíñóúüªº",
        "àèéìíîòóùú",
        "ãáàâçéêíõóôúüªº",
        "åäöéü",
        "åæøéèòóô",
        "áðéíóúýþæö",
        "éëïóöüèêá",
        "áčďéěíňóřšťúůýžľĺŕôä",
        "ąćęłńóśźż",
        "áéíóöőúüű",
        "ăâîşţșț",
        "čćđšž",
        "çğıİöşüâîû",
        "ąčęėįšųūž",
        "āčēģīķļņšūž",
        "äõöüšž",
        "ëç",
        "àèéíïòóúüç·",
    )
)
_SIGNS = frozenset("„“”‚‘’–—…•€£¥§©®°±²³µ·«»‹›½¼¾´¡¿™†‡‰×¢¶\u00a0")
_IN_WORDS = frozenset("’·´\u00ad")
_MAX_FOREIGN_SHARE = 0.5
_MIN_SHARE = 0.95
_HEBREW = re.compile(r"[א-ת]")
_EARLY_FINAL = re.compile(r"[ךםןףץ](?=[א-ת])")
_MIXED = re.compile(r"[א-ת](?=[A-Za-z])|[A-Za-z](?=[א-ת])")
_FINAL = re.compile(r"[ךםןףץ]")


def guess_letters(sample: bytes, /) -> str | None:
    """Return the codec under which the text is that of one language, ``None`` where none is."""
    if _is_hebrew(sample):
        return "cp1255"
    best, found = _MIN_SHARE, None
    for codec in _CODECS:
        share = _share(sample, codec)
        if share > best:
            best, found = share, codec
    return found


def _share(sample: bytes, codec: str) -> float:
    """Return how much of what is not ASCII belongs to one language, or 0."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError:
        return 0.0
    counts: dict[str, int] = {}
    bad = total = 0
    for place, char in enumerate(text):
        if char <= "\x7f":
            continue
        total += 1
        if char.isalpha():
            counts[char] = counts.get(char, 0) + 1
        else:
            bad += char not in _SIGNS or (char not in _IN_WORDS and _is_inside(text, place))
    letters = sum(counts.values())
    plain = sum(c.isalpha() for c in text) - letters
    if not total or letters > _MAX_FOREIGN_SHARE * (letters + plain):
        return 0.0
    own = max(sum(n for c, n in counts.items() if c in alphabet) for alphabet in _ALPHABETS)
    signs = total - letters - bad
    return (own + signs) / total


def _is_inside(text: str, place: int) -> bool:
    """Tell a sign between two letters of a word."""
    return text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha()


def _is_hebrew(sample: bytes) -> bool:
    """Tell Hebrew: its letters alone, and the final ones at the end of words."""
    text = sample.decode("cp1255", "replace")
    foreign = [c for c in text if c > "\x7f" and (c.isalpha() or c == "\ufffd")]
    hebrew = len(_HEBREW.findall(text))
    finals = len(_FINAL.findall(text))
    # Other letters in the same word are Latin ones that the codec shows wrongly.
    if len(_MIXED.findall(text)) * 20 > hebrew:
        return False
    if hebrew < 20 or hebrew < _MIN_SHARE * len(foreign) or finals * 100 < hebrew:
        return False
    return len(_EARLY_FINAL.findall(text)) * 20 <= finals
