"""Readability of PDF text: fonts without characters, text hidden on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from casetrack.parse.pdf.open import silenced
from casetrack.parse.pdf.rules import union

_LOST = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f\x7f-\x9f]")
_LOST_SHARE = 0.3
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_VOWELS = re.compile(
    r"[aeiouyAEIOUY\u00c0-\u00c6\u00c8-\u00cf\u00d2-\u00d6\u00d9-\u00e6\u00e8-\u00f6]"
)
_TOKEN = re.compile(r"[^\W\d_]+")
_MIN_LETTERS, _MIN_TOKENS, _SAMPLE_CHARS = 60, 20, 3000
_LEAST_VOWELS, _FEW_VOWELS, _MANY_VOWELS = 0.15, 0.28, 0.6
# Short words of languages in Latin letters: almost every page of prose has some of them.
_COMMON = frozenset(
    (
        "the of and to in is for that by or be as on with this at are from not it any shall "
        "der die das und den von zu mit ist des im dem nicht eine auf für le la les de et des en "
        "un une du est pour que dans par sur el los las del y se con para una por il di che e per "
        "non della o do da os em um não het een van dat op te niet och att det som på av i "
        "w na z do się nie jest a og til er på ja on ei että az egy és hogy"
    ).split()
)


# Ligatures that some fonts map to other characters or to none, by the letters around them.
_LIGATURES = {
    "fi": "_rst _nd _ve _eld _le _ll _ling _nanc _gure _nal _xed _gh bene_ speci_ signi_ identi_ "
    "classi_ veri_ modi_ simpli_ justi_ noti_ quali_ certi_ satis_ scienti_ arti_c de_n con_g "
    "con_rm con_de pro_t of_c ef_c pre_x suf_x",
    "fl": "_ow _oor _at _uid _oat _ight _ex re_ect in_u con_ict in_at",
    "ff": "e_ect di_er o_er a_ect su_er e_ort bu_er",
    "ffi": "o_c e_c su_c di_cult coe_c a_l",
}
# No letters with accents: "\u00e9lection" is a word.
_GLYPH = r"[\u00dd\u00f0\ue000-\uf8ff\ufffd]"
_ANY_GLYPH = re.compile(_GLYPH, re.IGNORECASE)
_AROUND = {
    letters: re.compile(
        "|".join(
            f"(?<={before}){_GLYPH}(?={after})" if before else f"(?<![a-z]){_GLYPH}(?={after})"
            for before, after in (word.split("_") for word in words.split())
        ),
        re.IGNORECASE,
    )
    for letters, words in _LIGATURES.items()
}
_NO_LETTER = re.compile(r"[\ufffd\x00-\x08\x0e-\x1f\x7f-\x9f]")
_LEAST_LOST = 2


def with_ligatures(text: str, /) -> str:
    """Restore ligatures that are mapped to another character, or to none, in known words."""
    if not text.isascii() and _ANY_GLYPH.search(text):
        for letters, around in _AROUND.items():
            text = around.sub(letters, text)
    return text


def is_unmapped(line: str, /) -> bool:
    """Return whether a line's fonts do not map its glyphs to characters."""
    lost = len(_NO_LETTER.findall(line))
    return lost >= _LEAST_LOST and 2 * lost > len(line) - line.count(" ")


def reads_as_words(texts: Iterable[str], /) -> bool:
    """Return whether a page's text layer matches its visible text; only clear evidence counts."""
    text = " ".join(_head_of(texts, _SAMPLE_CHARS))
    solid = len(text) - text.count(" ")
    if len(_LOST.findall(text)) > _LOST_SHARE * solid:
        return False
    words = text.lower().split()
    if _has_common(words):
        return True
    letters = len(_LATIN.findall(text))
    if letters < max(_MIN_LETTERS, 0.4 * solid) or len(words) < _MIN_TOKENS:
        # Too little text, another script, or mostly numbers: no evidence.
        return True
    vowels = len(_VOWELS.findall(text)) / letters
    if vowels < _LEAST_VOWELS and letters > 0.6 * solid:
        return False
    return _FEW_VOWELS < vowels < _MANY_VOWELS or not _is_shifted(text)


def _head_of(texts: Iterable[str], limit: int) -> Iterator[str]:
    for text in texts:
        yield text
        limit -= len(text)
        if limit < 0:
            return


def _has_common(words: list[str]) -> bool:
    hits = [word for word in words if word in _COMMON]
    return len(hits) >= max(2.0, 0.04 * len(words)) and len(set(hits)) > 1


def _is_shifted(text: str) -> bool:
    """Return whether all letters are shifted by a constant from the visible ones."""
    for by in (n for near in range(1, 64) for n in (near, -near)):
        table = {c: c + by if 31 < c + by < 127 else 32 for c in range(1, 127)}
        words = _TOKEN.findall(text.translate(table | {32: 32}).lower())
        hits = [word for word in words if len(word) > 2 and word in _COMMON]
        if len(set(hits)) > 2 and len(hits) > 0.06 * len(words):
            return True
    return False


# Finds hidden text of a PDF page by the pixels of the drawn page.

_FILLED_OR_STROKED = 16 | 32
TINY = 2.0
"""Largest height of a line, in points, whose text is too small to read."""
_LIGHT, _DARK, _ALIKE = 0.8, 0.3, 0.15
_SAME = 12
"""Largest difference, of 255, between the parts of two colours that look alike."""
_CLEAR, _OPAQUE = 26, 0.9
_LETTERS = 2
"""Minimum letters and digits of hidden text: fewer have too few pixels."""
_MAX_PIXELS = 4_000_000
_CONTRAST, _INK = 20, 0.015
"""Grey levels between letters and ground, and minimum share of pixels of letters."""
_LINE = 3.0
"""Thickness of the thickest rule between lines, in points."""
_LAYER = 0.2
"""Minimum share of visible ink below the invisible text of a scan."""

_Rectangle = tuple[float, float, float, float]


class Concealed(NamedTuple):
    """Hidden text: its kind, its words, its rectangle before the page's rotation."""

    kind: str
    text: str
    box: _Rectangle


def take_concealed(
    page: Any, text: Any, raw: dict[str, Any], paths: Sequence[dict[str, Any]], /
) -> list[Concealed]:
    """Remove hidden text from a page's *raw* dictionary, and return it.

    Text is hidden if the drawn page is uniform at its place. Text layers under or over a scan and
    white letters on a dark ground therefore stay.
    """
    areas, grounds = list(_covering(paths)), _Grounds(paths)
    if any(_is_cut(span, areas) for line in lines_of(raw) for span in line["spans"]):
        for line, full in zip(lines_of(raw), lines_of(text.extractRAWDICT()), strict=True):
            line["spans"] = [
                part
                for span, letters in zip(line["spans"], full["spans"], strict=bool(line["spans"]))
                for part in _parts(span, letters["chars"], areas)
            ]
    shown: _Shown | None = None
    read: list[tuple[dict[str, Any], list[tuple[list[dict[str, Any]], str, str | None]]]] = []
    for line in lines_of(raw):
        groups: list[tuple[list[dict[str, Any]], str, str | None]] = []
        for spans, why in _suspects(line["spans"], areas, grounds):
            kind = why if why == "tiny" else None
            if why and why != "tiny":
                shown = shown or _Shown(page)
                kind = shown.kind(spans, why)
            groups.append((spans, why, kind))
        read.append((line, groups))
    layer = [kind for _, groups in read for _, why, kind in groups if why == "invisible"]
    is_layer = layer.count(None) > _LAYER * len(layer)
    concealed: list[Concealed] = []
    for line, groups in read:
        kept: list[dict[str, Any]] = []
        for spans, _, kind in groups:
            if kind is None or (kind == "invisible" and is_layer):
                kept += spans
            else:
                words = "".join(span["text"] for span in spans).strip()
                concealed.append(Concealed(kind, words, union([span["bbox"] for span in spans])))
        if kept and len(kept) < len(line["spans"]):
            line["bbox"] = union([span["bbox"] for span in kept])
        line["spans"] = kept
    return concealed


def lines_of(raw: dict[str, Any], /) -> Iterator[dict[str, Any]]:
    """Yield the lines of a page."""
    return (line for block in raw["blocks"] for line in block.get("lines", ()))


def chars_of(line: dict[str, Any], /) -> Iterator[dict[str, Any]]:
    """Yield the characters of a line with positions of characters."""
    return (char for span in line["spans"] for char in span["chars"])


def _is_cut(span: dict[str, Any], areas: Sequence[_Rectangle]) -> bool:
    x0, y0, x1, y1 = span["bbox"]
    y = (y0 + y1) / 2
    return any(b < y < d and a < x1 and c > x0 and (a > x0 or c < x1) for a, b, c, d in areas)


def _parts(
    span: dict[str, Any], chars: Sequence[dict[str, Any]], areas: Sequence[_Rectangle]
) -> Iterator[dict[str, Any]]:
    """Split a span where an area begins or ends."""
    if not _is_cut(span, areas):
        yield span
        return
    for _, group in groupby(chars, lambda char: _is_over(char["bbox"], areas)):
        part = list(group)
        text = "".join(char["c"] for char in part)
        yield span | {
            "text": text,
            "bbox": union([span["bbox"] for span in part]),
            "origin": part[0]["origin"],
        }


def _is_over(box: _Rectangle, areas: Sequence[_Rectangle]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(a <= x <= c and b <= y <= d for a, b, c, d in areas)


def _suspects(
    spans: Sequence[dict[str, Any]], areas: Sequence[_Rectangle], grounds: _Grounds
) -> Iterator[tuple[list[dict[str, Any]], str]]:
    """Yield groups of adjacent spans with the reason why they may be hidden, empty for others."""
    group: list[dict[str, Any]] = []
    reason = ""
    for span in spans:
        why = _suspect_kind(span, areas, grounds) if span["text"].strip() else reason
        if group and why != reason:
            yield group, reason if _is_long(group) else ""
            group = []
        reason = why
        group.append(span)
    if group:
        yield group, reason if _is_long(group) else ""


def _is_long(spans: Sequence[dict[str, Any]]) -> bool:
    return sum(map(str.isalnum, "".join(span["text"] for span in spans))) >= _LETTERS


def _suspect_kind(span: dict[str, Any], areas: Sequence[_Rectangle], grounds: _Grounds) -> str:
    if not span["char_flags"] & _FILLED_OR_STROKED or span["alpha"] < _CLEAR:
        return "invisible"
    x0, y0, x1, y1 = span["bbox"]
    high = max(span["size"], min(x1 - x0, y1 - y0))
    # The size of a font of pictures can be that of a pixel: its letters are wider.
    if high <= TINY and max(x1 - x0, y1 - y0) <= TINY * len(span["text"]):
        return "tiny"
    if _light(span["color"]) > _LIGHT:
        return "background"
    if _is_over(span["bbox"], areas):
        return "covered"
    return "background" if _is_over(span["bbox"], grounds.like(span["color"])) else ""


def _covering(paths: Sequence[dict[str, Any]]) -> Iterator[_Rectangle]:
    """Yield dark areas, and others that are drawn last: shading precedes its row's text."""
    before = [path["seqno"] - number for number, path in enumerate(paths)]
    last = max(before, default=0)
    for path, count in zip(paths, before, strict=True):
        x0, y0, x1, y1 = path["rect"]
        is_filled = "f" in path["type"] and (path.get("fill_opacity") or 0) > _OPAQUE
        may_cover = count == last > 0 or (count > 0 and max(path.get("fill") or (1,)) < _DARK)
        if may_cover and is_filled and x1 - x0 > _LINE < y1 - y0:
            yield path["rect"]


class _Grounds:
    def __init__(self, paths: Sequence[dict[str, Any]]) -> None:
        self._areas: dict[tuple[int, ...], list[_Rectangle]] = {}
        self._known: dict[int, list[_Rectangle]] = {}
        for path in paths:
            x0, y0, x1, y1 = path["rect"]
            if "f" in path["type"] and x1 - x0 > _LINE < y1 - y0 and path.get("fill"):
                fill = tuple(round(255 * part) for part in path["fill"])
                self._areas.setdefault(fill, []).append(path["rect"])

    def like(self, color: int) -> Sequence[_Rectangle]:
        if color not in self._known:
            alike = (a for fill, a in self._areas.items() if _apart(fill, _rgb(color)) <= _SAME)
            self._known[color] = [area for areas in alike for area in areas]
        return self._known[color]


def _rgb(color: int) -> tuple[int, int, int]:
    return color >> 16 & 255, color >> 8 & 255, color & 255


def _apart(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _light(color: int) -> float:
    red, green, blue = _rgb(color)
    return (red * 299 + green * 587 + blue * 114) / 255_000


class _Shown:
    def __init__(self, page: Any) -> None:
        pymupdf = silenced()
        area = max(page.rect.width * page.rect.height, 1.0)
        self._scale = min(1.0, (_MAX_PIXELS / area) ** 0.5)
        matrix = pymupdf.Matrix(self._scale, self._scale)
        drawn = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, alpha=False)
        flat = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)
        self._pixels = flat[:, : 3 * drawn.width].reshape(drawn.height, drawn.width, 3)
        self._turn = page.rotation_matrix

    def kind(self, spans: Sequence[dict[str, Any]], why: str) -> str | None:
        """Return the kind of hidden text, ``None`` if something is drawn in its place."""
        box = silenced().Rect(union([span["bbox"] for span in spans])) * self._turn * self._scale
        x0, y0, x1, y1 = box
        if x1 - x0 > y1 - y0:
            # Lines above and below may reach into the rectangle.
            y0, y1 = y0 + 0.2 * (y1 - y0), y1 - 0.1 * (y1 - y0)
        else:
            x0, x1 = x0 + 0.15 * (x1 - x0), x1 - 0.15 * (x1 - x0)
        # An area over a part of a line may begin within its first letter.
        x0, x1 = max(int(x0) + 2, 0), max(int(x1) - 1, 0)
        part = self._pixels[max(int(y0), 0) : max(int(y1) + 1, 0), x0:x1].astype(np.int16)
        if not part.size:
            return None
        ground = np.median(part, axis=(0, 1))
        if np.mean(np.abs(part - ground).max(axis=2) > _CONTRAST) > _INK:
            return None
        if why != "background":
            return why
        is_alike = _apart(_rgb(spans[0]["color"]), ground) < 255 * _ALIKE
        return "background" if is_alike else "covered"
