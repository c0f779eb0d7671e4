"""Restores ligatures that the fonts of a PDF map to other characters, or to none.

The letters of a ligature follow from known English words around its glyph ("signi?cant", "?rst");
a glyph with the same letters in nearly all of these has them in other words too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

_WORDS = {
    "fi": "_rst _nd _ve _eld _le _nanc _gure _nal _xed _gh bene_ speci_ signi_ identi_ classi_ veri_ "
    "modi_ simpli_ justi_ noti_ quali_ certi_ satis_ scienti_ arti_c de_n con_g con_rm con_de "
    "pro_t of_c ef_c pre_x",
    "fl": "_ow _oor _at _uid _oat _ight _ex re_ect in_u con_ict in_at",
    "ff": "e_ect di_er o_er a_ect su_er sta_ e_ort bu_er",
    "ffi": "o_c e_c su_c di_cult coe_c a_l",
}
_Glyph = tuple[str, str, int]
"""A font, the character that a glyph is mapped to, and its width in hundredths of its size."""
_GLYPH = r"[\u00c0-\u024f\ue000-\uf8ff\ufffd]"
_LEAST_WORDS, _NEARLY_ALL = 2, 0.8


def _pattern(words: str) -> re.Pattern[str]:
    pairs = (word.split("_") for word in words.split())
    around = (f"(?<={a}){_GLYPH}(?={b})" if a else f"(?<![a-z]){_GLYPH}(?={b})" for a, b in pairs)
    return re.compile("|".join(around))


_PATTERNS = {letters: _pattern(words) for letters, words in _WORDS.items()}
_ANY = re.compile("|".join(pattern.pattern for pattern in _PATTERNS.values()))


class Ligatures:
    """The ligatures of one document, learned from page to page."""

    def __init__(self) -> None:
        self._known: dict[_Glyph, Counter[str]] = {}

    def restore(self, text: Any, raw: dict[str, Any], words: list[Any], /) -> list[Any]:
        """Restore ligatures in the lines of a page, in place, and in its *words*, returned."""
        if not any(_ANY.search(word[4].lower()) for word in words if not word[4].isascii()):
            return words
        tokens: dict[str, str] = {}
        lines = [
            (line["spans"], [[_glyph(c, s) for c in s["chars"]] for s in full["spans"]])
            for line, full in zip(_lines(raw), _lines(text.extractRAWDICT()), strict=True)
        ]
        for is_learned in (False, True):
            for spans, letters in lines:
                glyphs = [*chain(*letters)]
                whole = "".join(char for _, char, _ in glyphs)
                # Hidden text was removed from a line that differs.
                if whole.isascii() or whole != "".join(s["text"] for s in spans):
                    continue
                found = {
                    m.start(): ligature
                    for ligature, pattern in _PATTERNS.items()
                    for m in pattern.finditer(whole.lower())
                }
                if not is_learned:
                    for at, ligature in found.items():
                        self._known.setdefault(glyphs[at], Counter())[ligature] += 1
                    continue
                new = [found.get(i) or self._usual(glyph) for i, glyph in enumerate(glyphs)]
                tokens |= zip(whole.split(), "".join(new).split(), strict=True)
                for span, own in zip(spans, letters, strict=True):
                    span["text"] = "".join(new[: len(own)])
                    del new[: len(own)]
        return [(*word[:4], tokens.get(word[4], word[4]), *word[5:]) for word in words]

    def _usual(self, glyph: _Glyph) -> str:
        counts = self._known.get(glyph, Counter())
        for ligature, count in counts.most_common(1):
            if count >= max(_LEAST_WORDS, _NEARLY_ALL * counts.total()):
                return ligature
        return glyph[1]


def _lines(raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for block in raw["blocks"]:
        yield from block.get("lines", ())


def _glyph(char: dict[str, Any], span: dict[str, Any]) -> _Glyph:
    width = char["bbox"][2] - char["bbox"][0]
    return span["font"], char["c"], round(100 * width / (span["size"] or 1.0))
